"""The words of a document as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chunking.loading.binary.pdf import pdfium
from chunking.loading.binary.pdf.pdfium.drawings import Drawings
from chunking.loading.binary.pdf.pdfium.pages import Font, RawPage
from chunking.runtime.arrays import Bools, Float32, Int8, Int32, Int64

UNREAD = (612.0, 792.0)
"""Size of a page that cannot be read, in points."""

HYPHEN = chr(pdfium.HYPHEN)

_COLUMNS: dict[str, npt.DTypeLike] = {
    "starts": np.int32,
    "ends": np.int32,
    "hyphens": np.bool_,
    "boxes": np.float32,
    "sizes": np.float32,
    "fonts": np.int32,
    "turns": np.int8,
}
"""Types of the stored arrays of a page, by their name in :class:`~chunking.loading.binary.pdf.pdfium.pages.RawPage`."""


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a document, page after page, in the order in which PDFium gives them.

    Attributes:
        text: text of each; a hyphen at a line end is ``-``.
        page: ``(n,)`` int32.
        start, end: ``(n,)`` int32, half-open spans of PDFium's characters on the page.
        box: ``(n, 4)`` float32, as shown: left, top, right, bottom, inside the page.
        layout_box: ``(n, 4)`` float32, the same with a page whose lines run up or down turned upright, and mirrored
            where most of the document is written from right to left; layout uses these. The same array as ``box`` if
            no page is.
        size: ``(n,)`` float32, font size in points.
        bold, italic, mono: ``(n,)`` bool, properties of the font.
        rotated: ``(n,)`` bool, whether its direction differs from that of most of its page.
        hyphen: ``(n,)`` bool, whether by PDFium a hyphen at its end divides it from the next.
        visible: ``(n,)`` bool, whether it is at least partly inside its page.
        sizes: ``(n_pages, 2)`` float32, width and height of the pages as shown.
        extents: ``(n_pages, 2)`` float32, the same as laid out.
        edges: of each page, ``(n_edges, 4)`` float32, its ruling lines as laid out.
        marks: of each page, ``(n_marks, 4)`` float32, shapes that may be bullets, as laid out.
        figures: of each page, ``(n_figures, 4)`` float32, areas of drawings, as laid out.
    """

    text: list[str]
    page: Int32
    start: Int32
    end: Int32
    box: Float32
    layout_box: Float32
    size: Float32
    bold: Bools
    italic: Bools
    mono: Bools
    rotated: Bools
    hyphen: Bools
    visible: Bools
    sizes: Float32
    extents: Float32
    edges: tuple[Float32, ...]
    marks: tuple[Float32, ...]
    figures: tuple[Float32, ...]

    def __len__(self) -> int:
        return len(self.text)


class WordCollector:
    """A collector of the words of pages as they are read."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        # Bytes of the arrays, page after page: they grow in place, and do not fragment memory as many arrays would.
        self._columns = {name: bytearray() for name in _COLUMNS}
        self._main: list[int] = []
        self._counts: list[int] = []
        self._sizes: list[tuple[float, float]] = []
        self._drawings: list[Drawings] = []
        # Most words of a document occur often: each is kept once.
        self._distinct_words: dict[str, str] = {}
        self._letters = self._right_to_left = 0

    def add(self, page: RawPage | None) -> None:
        """Add the next page; ``None`` for one that cannot be read."""
        if page is None:
            self._sizes.append(UNREAD)
            self._drawings.append(Drawings())
            self._counts.append(0)
            self._main.append(0)
            return
        words = _words(page)
        for index in np.flatnonzero(page.hyphens).tolist():
            words[index] = words[index].replace(HYPHEN, "-")
        keep = _drawn_first(words, page.boxes)
        if len(keep) < len(words):
            words = [words[index] for index in keep.tolist()]
        self._texts.extend(map(self._distinct_words.setdefault, words, words))
        for name, column in self._columns.items():
            values = getattr(page, name)
            column += (values if len(keep) == len(values) else values[keep]).tobytes()
        self._counts.append(len(words))
        self._main.append(_main_turn(page.turns))
        self._sizes.append((page.width, page.height))
        self._drawings.append(page.drawings)
        letters, right_to_left = _letters(page.text)
        self._letters, self._right_to_left = self._letters + letters, self._right_to_left + right_to_left

    def __len__(self) -> int:
        return len(self._texts)

    def words(self, fonts: Sequence[Font]) -> Words:
        """Return the words of the added pages, and release them."""
        number = np.repeat(np.arange(len(self._counts), dtype=np.int32), self._counts)
        sizes = np.array(self._sizes, dtype=np.float32).reshape(-1, 2)
        main = np.array(self._main, dtype=np.int64)
        starts, ends, hyphens, boxes, size, font, turns = (
            np.frombuffer(self._columns[name], dtype=dtype) for name, dtype in _COLUMNS.items()
        )
        boxes = boxes.reshape(-1, 4)
        visible = _clip(boxes, sizes, number)
        mirrored = 2 * self._right_to_left > self._letters
        extents = np.where((main % 2 == 1)[:, None], sizes[:, ::-1], sizes).astype(np.float32)

        def laid(boxes: Float32, page: Int32) -> Float32:
            upright = _turn_upright(boxes, main[page], sizes[page]) if main.any() else boxes
            return _mirror(upright, extents[page, 0]) if mirrored else upright

        def laid_on(page: int) -> Callable[[Float32], Float32]:
            return lambda boxes: laid(boxes, np.full(len(boxes), page, dtype=np.int32))

        drawings = [drawn.map(laid_on(page)) for page, drawn in enumerate(self._drawings)]
        kinds = np.array(fonts, dtype=np.bool_).reshape(-1, 3)
        return Words(
            self._texts,
            number,
            starts,
            ends,
            boxes,
            laid(boxes, number),
            size,
            kinds[font, 0],
            kinds[font, 1],
            kinds[font, 2],
            turns != main.astype(np.int8)[number],
            hyphens,
            visible,
            sizes,
            extents,
            tuple(drawn.edges for drawn in drawings),
            tuple(drawn.marks for drawn in drawings),
            tuple(drawn.figures for drawn in drawings),
        )


def _words(page: RawPage) -> list[str]:
    """Return the text of each word of a page."""
    words = page.text.split()
    if len(words) == len(page.starts):
        return words
    text = page.text
    return [text[start:end] for start, end in zip(page.starts.tolist(), page.ends.tolist(), strict=True)]


_SHADOW = 1.0
"""Maximum distance of a word from its shadow or its second stroke, in points."""


def _drawn_first(words: Sequence[str], boxes: Float32) -> Int64:
    """Return the indices of words without those that are drawn again at nearly the same place, to look bold or raised.

    Two of them share a cell of a grid that is twice as wide as their distance, or of the same grid shifted by half.
    """
    keep = np.ones(len(words), dtype=np.bool_)
    hashes = np.fromiter(map(hash, words), np.int64, len(words))
    for shift in ((0, 0), (_SHADOW, 0), (0, _SHADOW), (_SHADOW, _SHADOW)):
        cells = ((boxes[:, :2] + np.array(shift, dtype=np.float32)) / (2 * _SHADOW)).astype(np.int64)
        keys = hashes ^ (cells[:, 0] << 40) ^ (cells[:, 1] << 16)
        ascending = np.sort(keys)
        # Few pages have any.
        if not (ascending[1:] == ascending[:-1]).any():
            continue
        order = np.argsort(keys, kind="stable")
        same = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
        for one, other in zip(order[same].tolist(), order[same + 1].tolist(), strict=True):
            if words[one] == words[other] and np.abs(boxes[one] - boxes[other]).max() < _SHADOW:
                keep[other] = False
    return np.flatnonzero(keep)


def _clip(boxes: Float32, sizes: Float32, page: Int32) -> Bools:
    """Clip boxes to their pages in place; return whether each is on its page at least in part."""
    visible = (boxes[:, 2] > 0) & (boxes[:, 3] > 0)
    np.maximum(boxes, 0, out=boxes)
    for side in range(2):
        most = sizes[page, side]
        visible &= boxes[:, side] < most
        for column in (side, side + 2):
            np.minimum(boxes[:, column], most, out=boxes[:, column])
    return visible


def _main_turn(turns: Int8) -> int:
    """Return the direction of most words of a page; 0 if none has a majority."""
    if not turns.any():
        return 0
    counts = np.bincount(turns[turns < 4], minlength=4)
    best = int(counts.argmax())
    return best if 2 * counts[best] > len(turns) else 0


def _turn_upright(boxes: Float32, turn: Int64, sizes: Float32) -> Float32:
    """Return boxes turned so that words of a turn (quarters, counter-clockwise) run from left to right."""
    if not turn.any():
        return boxes
    left, top, right, bottom = boxes.T
    wide, high = sizes.T
    ways = (
        boxes,
        np.stack((high - bottom, left, high - top, right), axis=1),
        np.stack((wide - right, high - bottom, wide - left, high - top), axis=1),
        np.stack((top, wide - right, bottom, wide - left), axis=1),
    )
    turned = np.choose(turn[:, None], ways)
    return turned.astype(np.float32)


def _mirror(boxes: Float32, wide: Float32) -> Float32:
    return np.stack((wide - boxes[:, 2], boxes[:, 1], wide - boxes[:, 0], boxes[:, 3]), axis=1).astype(np.float32)


def _letters(text: str) -> tuple[int, int]:
    """Return the approximate number of letters of a text, and of those in right-to-left scripts."""
    if text.isascii():
        return len(text), 0
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    right = ((codes >= 0x590) & (codes < 0x900)) | ((codes >= 0xFB1D) & (codes < 0xFEFD))
    return int(np.count_nonzero(codes > 0x40)), int(np.count_nonzero(right))
