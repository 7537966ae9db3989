"""The positions of words on pages, in formats that have pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from chunking.runtime.arrays import AnyInts, Float32, Int64


class PageBox(NamedTuple):
    """A rectangle on a page, in points from the page's top left corner.

    Attributes:
        page: index of the page, from 0.
        left, top, right, bottom: its edges.
    """

    page: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, eq=False)
class Pages:
    """The pages of a document, and the position of each word on them.

    Attributes:
        sizes: ``(n_pages, 2)`` float32, width and height as displayed (rotation and crop applied), in points.
        starts: ``(n_pages,)`` int64, offset of each page's text; ascending, equal for empty pages.
        words: ``(n_words, 2)`` int64, half-open spans of the text, ascending. A word that is hyphenated at the end of
            a line has two.
        page: ``(n_words,)`` int64, the page of each word.
        line: ``(n_words,)`` int64, the line of each word, counted through the document.
        boxes: ``(n_words, 4)`` float32, left, top, right, bottom in points from the page's top left corner.
    """

    sizes: Float32
    starts: Int64
    words: Int64
    page: Int64
    line: Int64
    boxes: Float32

    def __len__(self) -> int:
        return len(self.sizes)

    def of(self, start: int, end: int) -> range:
        """Return the indices of the pages with words of a span; empty if it has no words."""
        first, last = self._between(start, end)
        # A footnote follows its paragraph in the text, but may precede the paragraph's end on the pages.
        on = self.page[first:last]
        return range(int(on.min()), int(on.max()) + 1) if last > first else range(0)

    def lines(self, start: int, end: int) -> tuple[PageBox, ...]:
        """Return a rectangle for each line, or part of a line, that the words of a span take."""
        first, last = self._between(start, end)
        if last <= first:
            return ()
        begins = np.flatnonzero(np.diff(self.line[first:last], prepend=-1))
        boxes = self.boxes[first:last]
        edges = [
            function.reduceat(boxes[:, column], begins)
            for function, column in ((np.minimum, 0), (np.minimum, 1), (np.maximum, 2), (np.maximum, 3))
        ]
        pages = self.page[first:last][begins]
        return tuple(PageBox(int(page), *map(float, box)) for page, *box in zip(pages.tolist(), *edges, strict=True))

    @cached_property
    def _word_ends(self) -> Int64:
        return np.ascontiguousarray(self.words[:, 1])

    def _between(self, start: int, end: int) -> tuple[int, int]:
        return (
            int(np.searchsorted(self._word_ends, start, side="right")),
            int(np.searchsorted(self.words[:, 0], end, side="left")),
        )


def page_starts(page: AnyInts, starts: AnyInts, count: int, length: int) -> Int64:
    """Return ``(count,)`` int64: where the text of each page begins; without text, where that of the next one does.

    Args:
        page, starts: of each word, its page and where it begins.
        count: number of pages.
        length: length of the text.
    """
    begins = np.full(count, length, dtype=np.int64)
    np.minimum.at(begins, page, starts)
    return np.ascontiguousarray(np.minimum.accumulate(begins[::-1])[::-1])
