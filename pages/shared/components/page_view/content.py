"""What stands on a page, and where pages are cut, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.chunks import Chunk
from chunking.document.pages import Pages
from chunking.errors import ChunkscopeError
from chunking.figures.theme import DRIVERS
from chunking.runtime.arrays import Bools, Float32, Float64, Int64
from chunking.sentences import Sentences
from chunking.strategies.reasons import words


@dataclass(frozen=True, eq=False)
class PageLines:
    """What stands on a page: a rectangle for each part of a line that is of one sentence and one chunk, in the order of
    the text.

    Attributes:
        sentence: ``(n,)`` integers, index of the sentence; −1 for what is in none, such as the mark of a list item.
        chunk: ``(n,)`` integers, index of the innermost chunk; −1 for what is in none.
        box: ``(n, 4)`` float32, left, top, right, bottom in points from the page's top left corner.

    Raises:
        ChunkscopeError: the columns have different lengths.
    """

    sentence: Int64
    chunk: Int64
    box: Float32

    def __post_init__(self) -> None:
        _check_lengths(self)

    def __len__(self) -> int:
        return len(self.sentence)


@dataclass(frozen=True, eq=False)
class PageCuts:
    """The boundaries that fall on a page, in the order of the text.

    Attributes:
        row: ``(m,)`` integers, the row of :class:`PageLines` with which the chunk begins.
        gap: ``(m,)`` integers, −1 where no gap is cut.
        driver: one of ``chunking.figures.theme.DRIVERS``, or ``""`` for none.
        reason: why the chunk begins here, in words.
        tokens: ``(m,)`` integers, tokens of the chunk that begins.

    Raises:
        ChunkscopeError: the columns have different lengths, or a driver is unknown.
    """

    row: Int64
    gap: Int64
    driver: tuple[str, ...]
    reason: tuple[str, ...]
    tokens: Int64

    def __post_init__(self) -> None:
        _check_lengths(self)
        _check_drivers(self.driver)

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, eq=False)
class PageMarks:
    """Where all pages are cut.

    Attributes:
        page: ``(k,)`` integers, the page that each boundary falls on.
        place: ``(k,)`` floats, how far down that page, from 0 to 1.
        driver: as in :class:`PageCuts`.

    Raises:
        ChunkscopeError: the columns have different lengths, or a driver is unknown.
    """

    page: Int64
    place: Float64
    driver: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_lengths(self)
        _check_drivers(self.driver)

    def __len__(self) -> int:
        return len(self.page)


def _check_lengths(columns: object) -> None:
    lengths = {name: len(value) for name, value in vars(columns).items()}
    if len(set(lengths.values())) > 1:
        raise ChunkscopeError(f"The columns have different lengths: {lengths}.", "Give each one value a row.")


def _check_drivers(drivers: tuple[str, ...]) -> None:
    unknown = sorted(set(drivers) - {*DRIVERS, ""})
    if unknown:
        raise ChunkscopeError(f"Unknown driver {unknown[0]!r:.60}.", f"Use one of {', '.join(DRIVERS)}.")


def on_page(page: int, layout: Pages, sentences: Sentences, chunks: Sequence[Chunk]) -> tuple[PageLines, PageCuts]:
    """Return the content of a page, and the boundaries that fall on it.

    A word that a sentence or a chunk ends in is divided in proportion to its characters, as if it ran from left to
    right. Of chunks that lie in one another, the innermost has the words; of cuts at one place, the innermost is named.

    Args:
        page: number of the page, from 0.
        layout: where the words stand.
        sentences: of the same document.
        chunks: of the same document, in the order of their starts, a chunk after the one it lies in.

    Raises:
        ChunkscopeError: there is no such page.
    """
    check_page(page, len(layout))
    # Not a slice: a footnote stands after its paragraph, which may go on to the next page.
    on = np.flatnonzero(layout.page == page)
    bounds = np.array([(chunk.start, chunk.end) for chunk in chunks], dtype=np.int64).reshape(-1, 2)
    edges = np.concatenate((sentences.spans.ravel(), bounds.ravel()))
    start, owner, box = _divided(layout.words[on], layout.boxes[on], edges)
    sentence = _holding(sentences.spans, start)
    chunk = _innermost(bounds, start)
    line = layout.line[on][owner]
    begins = np.flatnonzero(_changes(line) | _changes(sentence) | _changes(chunk))
    rows = np.stack(
        [
            function.reduceat(box[:, column], begins) if len(begins) else box[:0, column]
            for function, column in ((np.minimum, 0), (np.minimum, 1), (np.maximum, 2), (np.maximum, 3))
        ],
        axis=1,
    )
    lines = PageLines(sentence[begins], chunk[begins], rows)
    opened = [place for place, one in enumerate(chunks) if one.cut is not None]
    fragment = np.searchsorted(start, bounds[opened, 0])
    here = fragment < len(start)
    here[here] = start[fragment[here]] < bounds[opened, 1][here]
    # The first fragment of the page may belong to a chunk that began on an earlier one.
    opening = np.searchsorted(layout.words[:, 1], bounds[opened, 0], side="right")
    here[here] = layout.page[opening[here]] == page
    row = np.searchsorted(begins, fragment, side="right") - 1
    found = {int(row[place]): chunks[opened[place]] for place in np.flatnonzero(here)}
    return lines, _cuts(found)


def _cuts(found: dict[int, Chunk]) -> PageCuts:
    rows = sorted(found)
    cuts = [found[row].cut for row in rows]
    return PageCuts(
        row=np.array(rows, dtype=np.int64),
        gap=np.array([-1 if cut is None or cut.gap is None else cut.gap for cut in cuts], dtype=np.int64),
        driver=tuple((cut and cut.driver) or "" for cut in cuts),
        reason=tuple(map(words, cuts)),
        tokens=np.array([found[row].tokens for row in rows], dtype=np.int64),
    )


def page_marks(layout: Pages, chunks: Sequence[Chunk]) -> PageMarks:
    """Where all pages are cut: for each chunk that a cut opens, where its first word stands."""
    opened = [chunk for chunk in chunks if chunk.cut is not None]
    start, end = (np.array([getattr(chunk, name) for chunk in opened], dtype=np.int64) for name in ("start", "end"))
    word = np.searchsorted(layout.words[:, 1], start, side="right")
    there = word < len(layout.words)
    there[there] = layout.words[word[there], 0] < end[there]
    word = word[there]
    page = layout.page[word]
    height = np.maximum(layout.sizes[page, 1].astype(np.float64), 1.0)
    return PageMarks(
        page=page,
        place=np.clip(layout.boxes[word, 1] / height, 0.0, 1.0),
        driver=tuple((chunk.cut and chunk.cut.driver) or "" for chunk, on in zip(opened, there, strict=True) if on),
    )


def check_page(page: int, pages: int) -> None:
    if not 0 <= page < pages:
        raise ChunkscopeError(f"There is no page {page + 1}.", f"Choose one from 1 to {pages}.")


def _changes(column: Int64) -> Bools:
    changed: Bools = np.diff(column, prepend=column[:1] - 1) != 0
    return changed


def _divided(spans: Int64, boxes: Float32, edges: Int64) -> tuple[Int64, Int64, Float32]:
    """Words divided at the edges that fall inside them.

    Args:
        spans: ``(n, 2)``, ascending.
        boxes: ``(n, 4)``.
        edges: offsets, in any order.

    Returns:
        Of each part, in order: where it starts, the word it is of, and its box.
    """
    if not len(spans):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((0, 4), dtype=np.float32)
    edges = np.unique(edges[(edges > spans[0, 0]) & (edges < spans[-1, 1])])
    word = np.searchsorted(spans[:, 0], edges) - 1
    start = np.sort(np.concatenate((spans[:, 0], edges[(spans[word, 0] < edges) & (edges < spans[word, 1])])))
    owner = np.searchsorted(spans[:, 0], start, side="right") - 1
    end = spans[owner, 1]
    divided = owner[1:] == owner[:-1]
    end[:-1][divided] = start[1:][divided]
    box = boxes[owner]
    width = box[:, 2] - box[:, 0]
    length = np.maximum(spans[owner, 1] - spans[owner, 0], 1)
    box[:, 2] = box[:, 0] + width * (end - spans[owner, 0]) / length
    box[:, 0] += width * (start - spans[owner, 0]) / length
    return start, owner, box


def _holding(spans: Int64, offsets: Int64) -> Int64:
    """Index of the span that holds each offset, −1 for none; spans ascend and do not overlap."""
    place = np.searchsorted(spans[:, 0], offsets, side="right") - 1
    inside = place >= 0
    inside[inside] = offsets[inside] < spans[place[inside], 1]
    return np.where(inside, place, -1)


def _innermost(bounds: Int64, offsets: Int64) -> Int64:
    """Index of the last span to start among those that hold each offset, −1 for none; spans ascend by their start."""
    around: list[int] = []
    open_: list[int] = []
    for place, (start, _) in enumerate(bounds.tolist()):
        while open_ and bounds[open_[-1], 1] <= start:
            open_.pop()
        around.append(open_[-1] if open_ else -1)
        open_.append(place)
    outer = np.array(around, dtype=np.int64)
    found = np.searchsorted(bounds[:, 0], offsets, side="right") - 1
    while (ended := (found >= 0) & (offsets >= bounds[found, 1] if len(bounds) else False)).any():
        found[ended] = outer[found[ended]]
    return found.astype(np.int64)
