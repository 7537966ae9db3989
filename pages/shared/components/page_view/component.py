"""A page as it was printed, with the chunks and their boundaries drawn on it, beside a strip of all pages.

:func:`on_page` finds what stands on a page, :func:`page_marks` where every page is cut; both know numbers alone. The
shapes that are drawn are made here as well, by :func:`bands`: the browser only scales them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunking.chunks import Chunk
from chunking.document.pages import Pages
from chunking.errors import ChunkscopeError
from chunking.figures.plots import DRIVERS, GLYPHS
from chunking.runtime.arrays import Bools, Float32, Float64, Int64, UInt8
from chunking.sentences import Sentences
from chunking.strategies.reasons import words
from pages.shared.components.base import Callback, chosen, component, ignore, pack, reported

_TOUCH = 1.0
"""Points that two rectangles must share before they count as overlapping: the boxes of glyphs are a little generous."""

_GLYPHS = 6.0
"""Points of height that two rectangles may share at most, for the same reason."""

_SAME_COLUMN = 0.6
"""Share of the narrower one's width that two lines of one column have in common."""

_EDGE = (10.0, 90.0)
"""Percentiles of the lines' edges that are the edges of a column: a title across two columns does not widen either."""

_PAD = (4.0, 2.5)
"""Points between words and the edge of their band, sideways and up and down, where nothing is near."""

_CLOSE = (6.0, 12.0)
"""Points between two bands up to which they meet in the middle."""

_INDENT = 6.0
"""Points from the edge of its column from which a band does not begin with the column."""


@dataclass(frozen=True)
class PageEvent:
    """What a user did with the page.

    Attributes:
        page: the page just asked for, from 0; ``None`` in every run that was not caused by asking for one. It is not
            known here whether the document has so many.
        gap: the gap just chosen, from 0, or ``None``.
        cleared: whether the choice was just taken back.
    """

    page: int | None = None
    gap: int | None = None
    cleared: bool = False


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
        driver: one of ``chunking.figures.plots.DRIVERS``, or ``""`` for none.
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


# What stands on a page ---------------------------------------------------------------------------------------------


def on_page(page: int, layout: Pages, sentences: Sentences, chunks: Sequence[Chunk]) -> tuple[PageLines, PageCuts]:
    """What stands on a page, and which boundaries fall on it.

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
    _check_page(page, len(layout))
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


def _check_page(page: int, pages: int) -> None:
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


# The shapes that are drawn -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Bands:
    """The chunks of a page as few calm rectangles.

    Attributes:
        chunk: ``(b,)`` integers, the chunk of each.
        box: ``(b, 4)`` float32, left, top, right, bottom; where two of different chunks are near, they meet.
        column: ``(b, 2)`` float32, left and right edge of the column that each stands in.
        ruled: ``(b,)`` booleans, whether it begins at the left edge of its column.
        of_row: ``(n,)`` integers, the band that holds each row of :class:`PageLines`; −1 for rows in no chunk.
    """

    chunk: Int64
    box: Float32
    column: Float32
    ruled: Bools
    of_row: Int64

    def __len__(self) -> int:
        return len(self.chunk)


def bands(lines: PageLines) -> Bands:
    """Join the rows of each chunk to rectangles that cover no row of another, and widen these to their columns.

    A chunk that ends amid a line takes three at most in a column, like marked text: what it shares a line with keeps
    its part of it.
    """
    rows = lines.box.astype(np.float64)
    of_row = _joined(lines.chunk, rows)
    of_row[lines.chunk < 0] = -1
    kept, of_row[of_row >= 0] = np.unique(of_row[of_row >= 0], return_inverse=True)
    chunk = np.array([lines.chunk[of_row == band][0] for band in range(len(kept))], dtype=np.int64)
    box = _hulls(rows, of_row, len(kept))
    column = _columns(box, _whole_lines(rows))
    ruled = box[:, 0] - column[:, 0] <= _INDENT
    for band in range(len(kept)):
        for side, pick in ((0, min), (2, max)):
            wider = box[band].copy()
            wider[side] = pick(wider[side], column[band, side // 2])
            others = (_overlapping(box, wider) & (chunk != chunk[band])).any()
            if not others and not (_overlapping(rows, wider) & (of_row < 0)).any():
                ruled[band] |= side == 0
                box[band] = wider
    return Bands(chunk, _padded(box).astype(np.float32), column.astype(np.float32), ruled, of_row)


def _hulls(rows: Float64, group: Int64, count: int) -> Float64:
    """``(count, 4)``: the rectangle around the rows of each group; every group has one."""
    hulls = np.empty((count, 4))
    hulls[:, :2], hulls[:, 2:] = np.inf, -np.inf
    there = group >= 0
    np.minimum.at(hulls[:, :2], group[there], rows[there, :2])
    np.maximum.at(hulls[:, 2:], group[there], rows[there, 2:])
    return hulls


def _overlapping(boxes: Float64, box: Float64) -> Bools:
    """Which boxes lie over another: they share some width, and more height than the glyphs of two lines do."""
    width = np.minimum(boxes[:, 2], box[2]) - np.maximum(boxes[:, 0], box[0])
    height = np.minimum(boxes[:, 3], box[3]) - np.maximum(boxes[:, 1], box[1])
    least = np.minimum(boxes[:, 3] - boxes[:, 1], box[3] - box[1]) / 2
    over: Bools = (width > _TOUCH) & (height > np.minimum(least, _GLYPHS))
    return over


def _joined(chunk: Int64, rows: Float64) -> Int64:
    """``(n,)``: the group of each row, ascending from 0. Rows that follow one another are one group as long as they are
    of one chunk and the rectangle around them lies over nothing of another."""
    group = np.zeros(len(rows), dtype=np.int64)
    around = rows.copy()  # of each row that was met, the rectangle of its group
    begin, number = 0, -1
    hull = np.zeros(4)
    for place, row in enumerate(rows):
        grown = np.concatenate((np.minimum(hull[:2], row[:2]), np.maximum(hull[2:], row[2:])))
        follows = place > 0 and chunk[place] == chunk[place - 1]
        if follows and not (_overlapping(around, grown) & (chunk != chunk[place])).any():
            hull = grown
        else:
            around[begin:place] = hull
            begin, number, hull = place, number + 1, row
        group[place] = number
    return group


def _whole_lines(rows: Float64) -> Float64:
    """The rectangles around rows that follow one another side by side, whatever chunk they are of."""
    middle = (rows[1:, 1] + rows[1:, 3]) / 2
    below = np.ones(len(rows), dtype=np.int64)
    below[1:] = (middle <= rows[:-1, 1]) | (middle >= rows[:-1, 3])
    line = np.cumsum(below) - 1
    return _hulls(rows, line, int(line.max(initial=-1)) + 1)


def _columns(boxes: Float64, lines: Float64) -> Float64:
    """``(b, 2)``: left and right edge of the column that each box stands in, by the lines at its place."""
    edges = boxes[:, [0, 2]].copy()
    width = lines[:, 2] - lines[:, 0]
    for place, (left, _, right, _) in enumerate(boxes.tolist()):
        shared = np.minimum(lines[:, 2], right) - np.maximum(lines[:, 0], left)
        column = lines[shared >= _SAME_COLUMN * np.minimum(width, right - left)]
        if len(column):
            edges[place, 0] = min(left, np.percentile(column[:, 0], _EDGE[0], method="inverted_cdf"))
            edges[place, 1] = max(right, np.percentile(column[:, 2], _EDGE[1], method="inverted_cdf"))
    return edges


def _padded(boxes: Float64) -> Float64:
    """Boxes with a margin, less where another is near: there they meet half-way. Those that lie over one another by
    more than glyphs do (parts of one chunk, in odd orders) leave each other alone."""
    padded = boxes.copy()
    for axis, other in ((0, 1), (1, 0)):
        low, high = boxes[:, axis], boxes[:, axis + 2]
        middle = (low + high) / 2
        for place, box in enumerate(boxes):
            near = np.minimum(boxes[:, other + 2], box[other + 2]) - np.maximum(boxes[:, other], box[other]) > _TOUCH
            over = np.minimum(high, high[place]) - np.maximum(low, low[place])
            near &= over < np.minimum(high - low, high[place] - low[place]) / 2
            before = high[near & (middle < middle[place])].max(initial=-np.inf)
            after = low[near & (middle > middle[place])].min(initial=np.inf)
            padded[place, axis] -= _margin(low[place] - before, axis)
            padded[place, axis + 2] += _margin(after - high[place], axis)
    return padded


def _margin(distance: float, axis: int) -> float:
    return float(distance / 2) if distance <= _CLOSE[axis] else _PAD[axis]


def _steps(lines: PageLines, cuts: PageCuts, shapes: Bands) -> Int64:
    """``(m,)``: where each cut is amid a line, on which side of it the text before stands, −1 left or 1 right; else 0.

    Text that runs from right to left has it on the right.
    """
    steps = np.zeros(len(cuts), dtype=np.int64)
    for place, row in enumerate(cuts.row.tolist()):
        band = int(shapes.of_row[row])
        if band < 0:
            continue
        box = lines.box[row].astype(np.float64)
        earlier = (np.arange(len(lines)) < row) & (lines.chunk != lines.chunk[row])
        for side, edges in ((-1, (shapes.column[band, 0], box[0])), (1, (box[2], shapes.column[band, 1]))):
            beside = np.array([edges[0], box[1], edges[1], box[3]])
            if edges[1] - edges[0] > _INDENT and (_overlapping(lines.box.astype(np.float64), beside) & earlier).any():
                steps[place] = side
                break
    return steps


# The component -----------------------------------------------------------------------------------------------------


_page = component("chunkscope_page_view", __file__, "page_view.js", "page_view.css")


def page_view(
    key: str,
    document: str,
    *,
    page: int,
    pages: int,
    image: bytes,
    size: tuple[float, float],
    lines: PageLines,
    cuts: PageCuts,
    asides: tuple[tuple[str, tuple[float, float, float, float]], ...] = (),
    selected: int | None = None,
    marks: PageMarks | None = None,
    height: str = "720px",
    on_event: Callback | None = None,
) -> PageEvent:
    """A page with its chunks and boundaries, and a strip of all pages.

    The browser knows the sentences of the document from :func:`pages.shared.components.document_store`, as the chart
    and the text do, and tells them of a gap that is pointed at. A page that the user asks for is an event; until the
    script answers with it, the page before stays, faded.

    Args:
        key: Streamlit key of the element.
        document: key given to the document store.
        page: number of the page shown, from 0.
        pages: how many there are.
        image: the page as PNG.
        size: width and height of the page in points, as shown.
        lines: what stands on it.
        cuts: the boundaries that fall on it.
        asides: what was set aside on it, by kind, with its rectangle.
        selected: the chosen gap, as in :func:`pages.shared.components.curve_chart`; it need not be on this page.
        marks: where all pages are cut; ``None`` shows the strip without.
        height: of the page's frame, a CSS length; the whole page fits into it unless the user asks for its width.
        on_event: called before the script runs when the user asked for a page or chose a gap; read
            :func:`page_event` in it.

    Returns:
        What the user did; the same as :func:`page_event`, without a page that the document has not.

    Raises:
        ChunkscopeError: there is no such page, it has no size, or a cut has no row.
    """
    head = {
        "document": document,
        "page": page,
        "selected": selected,
        "picture": hashlib.blake2b(image, digest_size=16).hexdigest(),
    }
    body = _body(page, pages, image, size, lines, cuts, asides, marks, height)
    callback = on_event or ignore
    _page(key=key, data=pack(head, body), on_page_change=callback, on_gap_change=callback)
    event = page_event(key, document)
    return event if event.page is None or event.page < pages else PageEvent(None, event.gap, event.cleared)


def _body(
    page: int,
    pages: int,
    image: bytes,
    size: tuple[float, float],
    lines: PageLines,
    cuts: PageCuts,
    asides: tuple[tuple[str, tuple[float, float, float, float]], ...],
    marks: PageMarks | None,
    height: str,
) -> dict[str, Any]:
    _check_page(page, pages)
    if not (0 < size[0] < np.inf and 0 < size[1] < np.inf):
        raise ChunkscopeError(f"A page of {size[0]} × {size[1]} points cannot be shown.", "Give its true size.")
    if len(cuts) and not (int(cuts.row.min()) >= 0 and int(cuts.row.max()) < len(lines)):
        raise ChunkscopeError("A boundary begins with a row that is not on the page.", "Give rows of its lines.")
    marks = marks or PageMarks(np.zeros(0, dtype=np.int64), np.zeros(0), ())
    shapes = bands(lines)
    return {
        "pages": pages,
        "size": [float(size[0]), float(size[1])],
        "height": height,
        "image": np.frombuffer(image, dtype=np.uint8),
        "lines": {"sentence": lines.sentence, "chunk": lines.chunk, "box": lines.box},
        "bands": {
            "chunk": shapes.chunk,
            "box": shapes.box,
            "column": shapes.column,
            "ruled": shapes.ruled.astype(np.uint8),
            "of_row": shapes.of_row,
        },
        "cuts": {
            "row": cuts.row,
            "gap": cuts.gap,
            "driver": _codes(cuts.driver),
            "tokens": cuts.tokens,
            "step": _steps(lines, cuts, shapes),
        },
        "reason": cuts.reason,
        "asides": [[kind, *map(float, box)] for kind, box in asides],
        "marks": {"page": marks.page, "place": marks.place, "driver": _codes(marks.driver)},
        "drivers": [{"role": name, "glyph": GLYPHS[name]} for name in DRIVERS],
    }


def _codes(drivers: tuple[str, ...]) -> UInt8:
    """Place of each driver in ``DRIVERS``, from 1; 0 for none."""
    return np.array([DRIVERS.index(name) + 1 if name else 0 for name in drivers], dtype=np.uint8)


def page_event(key: str, document: str) -> PageEvent:
    """Return what the user did with a page; may be called before it is drawn in this run."""
    page, _ = chosen(reported(key, "page", document), "page")
    return PageEvent(page, *chosen(reported(key, "gap", document), "gap"))
