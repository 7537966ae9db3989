"""The words of all pages as arrays, and the coordinates that layout is worked out in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chunking.loading.pdf.engine import Edge, Font, RawPage

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a document, page after page, in the order in which PDFium gives them.

    Attributes:
        text: what each says; a hyphen at a line's end is ``-``.
        page: ``(n,)`` int64.
        start, end: ``(n,)`` int64, half-open spans of PDFium's characters on the page.
        box: ``(n, 4)`` float32, as shown: left, top, right, bottom, inside the page.
        lay: ``(n, 4)`` float32, the same with a page whose lines run up or down turned upright, and mirrored
            where most of the document is written from right to left; layout uses these.
        size: ``(n,)`` float32, font size in points.
        bold, italic, mono: ``(n,)`` bool, what the font is.
        odd: ``(n,)`` bool, not written in the direction of most of its page.
        hyphen: ``(n,)`` bool, PDFium says that a hyphen at its end divides it from the next.
        visible: ``(n,)`` bool, lies on its page at least in part.
        sizes: ``(n_pages, 2)`` float32, width and height of the pages as shown.
        extents: ``(n_pages, 2)`` float32, the same as laid out.
        edges: ruling lines of each page, as laid out.
    """

    text: list[str]
    page: Ints
    start: Ints
    end: Ints
    box: Float32
    lay: Float32
    size: Float32
    bold: Flags
    italic: Flags
    mono: Flags
    odd: Flags
    hyphen: Flags
    visible: Flags
    sizes: Float32
    extents: Float32
    edges: tuple[tuple[Edge, ...], ...]

    def __len__(self) -> int:
        return len(self.text)


def gather(pages: Sequence[RawPage], fonts: Sequence[Font]) -> Words:
    """The words of pages that were read."""
    texts: list[str] = []
    hyphen: list[bool] = []
    # Most words of a document occur often: each is kept once.
    once: dict[str, str] = {}
    for page in pages:
        text = page.text
        own = [text[start:end] for start, end in zip(page.starts.tolist(), page.ends.tolist(), strict=True)]
        if "\ufffe" in text:
            hyphen.extend([word.endswith("\ufffe") for word in own])
            own = [word.replace("\ufffe", "-") for word in own]
        else:
            hyphen.extend([False] * len(own))
        texts.extend(map(once.setdefault, own, own))
    counts = np.array([len(page.starts) for page in pages], dtype=np.int64)
    number = np.repeat(np.arange(len(pages)), counts)
    sizes = np.array([(page.width, page.height) for page in pages], dtype=np.float32).reshape(-1, 2)
    raw = _floats([page.boxes for page in pages], 4)
    high = sizes[number][:, [0, 1, 0, 1]]
    box = np.clip(raw, 0, high).astype(np.float32)
    visible = (raw[:, 2] > 0) & (raw[:, 3] > 0) & (raw[:, 0] < high[:, 0]) & (raw[:, 1] < high[:, 1])
    turn = _ints([page.turns for page in pages])
    main = np.array([_main_turn(page.turns) for page in pages], dtype=np.int64)
    lay = _upright(box, main[number], high[:, :2])
    extents = np.where((main % 2 == 1)[:, None], sizes[:, ::-1], sizes).astype(np.float32)
    font = _ints([page.fonts for page in pages])
    kinds = np.array(fonts, dtype=np.bool_).reshape(-1, 3)
    mirrored = _is_right_to_left([page.text for page in pages])
    if mirrored:
        lay = _mirrored(lay, extents[number, 0])
    edges = tuple(_laid_edges(page, turn, mirrored) for page, turn in zip(pages, main.tolist(), strict=True))
    return Words(
        texts,
        number,
        _ints([page.starts for page in pages]),
        _ints([page.ends for page in pages]),
        box,
        lay,
        _floats([page.sizes for page in pages]),
        kinds[font, 0],
        kinds[font, 1],
        kinds[font, 2],
        turn != main[number],
        np.array(hyphen, dtype=np.bool_),
        visible,
        sizes,
        extents,
        edges,
    )


def _ints(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def _floats(parts: Sequence[Float32], *shape: int) -> Float32:
    return np.concatenate([np.zeros((0, *shape), dtype=np.float32), *parts])


def _main_turn(turns: Ints) -> int:
    """In which direction most words of a page are written: 0 where none is in the majority."""
    counts = np.bincount(turns[turns < 4], minlength=4)
    best = int(counts.argmax())
    return best if 2 * counts[best] > len(turns) else 0


def _upright(boxes: Float32, turn: Ints, sizes: Float32) -> Float32:
    """Boxes turned so that words of a turn (quarters, counter-clockwise) run from left to right."""
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
    found = np.choose(turn[:, None], ways)
    return found.astype(np.float32)


def _mirrored(boxes: Float32, wide: Float32) -> Float32:
    return np.stack((wide - boxes[:, 2], boxes[:, 1], wide - boxes[:, 0], boxes[:, 3]), axis=1).astype(np.float32)


def _is_right_to_left(texts: Sequence[str]) -> bool:
    """Whether most letters are Hebrew, Arabic or of a script like them."""
    total = right = 0
    for text in texts:
        if text.isascii():
            total += len(text)
            continue
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        right += int(np.count_nonzero(((codes >= 0x590) & (codes < 0x900)) | ((codes >= 0xFB1D) & (codes < 0xFEFD))))
        total += int(np.count_nonzero(codes > 0x40))
    return 2 * right > total


def _laid_edges(page: RawPage, turn: int, mirrored: bool) -> tuple[Edge, ...]:
    """A page's ruling lines in the coordinates of the layout."""
    if not page.edges or not (turn or mirrored):
        return page.edges
    boxes = np.array(page.edges, dtype=np.float32).reshape(-1, 4)
    n = len(boxes)
    size = np.array([[page.width, page.height]], dtype=np.float32)
    boxes = _upright(boxes, np.full(n, turn), np.repeat(size, n, axis=0))
    if mirrored:
        boxes = _mirrored(boxes, np.full(n, size[0, turn % 2]))
    return tuple(Edge(*map(float, box)) for box in boxes)
