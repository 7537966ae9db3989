"""The file's outline: which lines of the pages its entries name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chunking.loading.binary.pdf.engine import OutlineEntry
from chunking.loading.binary.pdf.layout import Line
from chunking.loading.binary.pdf.numbering import normalize, split_number

MAX_TITLE = 240
"""Characters that a title of the outline may have."""

MAX_TITLE_LINES = 4
"""Lines that it may take on a page."""

MAX_CANDIDATES = 16
"""Lines with one text on a page that are compared with an entry."""


class OutlineTitle(NamedTuple):
    """Lines that an entry of the outline names.

    Attributes:
        end: index of the line after its last.
        level: depth of the entry, from 1.
    """

    end: int
    level: int


def find_titles(lines: Sequence[Line], entries: Sequence[OutlineEntry]) -> dict[int, OutlineTitle]:
    """Return the lines that the entries of an outline name, by the index of the first.

    An entry counts only where its title is written: on the page that it leads to, or on the next, as whole lines. It
    may lack the number of its heading, have one that the page lacks, or count in another way ("II-A", "A.").
    """
    if not entries:
        return {}
    pages = _PageIndex.by_page(lines, {page for entry in entries for page in (entry.page, entry.page + 1)})
    titles: dict[int, OutlineTitle] = {}
    taken: set[int] = set()
    for entry in entries:
        for page in (entry.page, entry.page + 1):
            span = pages[page].find(entry.title, taken) if page in pages else None
            if span:
                taken.update(span)
                titles[span.start] = OutlineTitle(span.stop, entry.level)
                break
    return titles


@dataclass(frozen=True)
class _PageIndex:
    """The lines of a page by their text.

    Attributes:
        lines: of the document.
        starts: indices of lines by their normalized text, with and without their number.
    """

    lines: Sequence[Line]
    starts: Mapping[str, Sequence[int]]

    @classmethod
    def by_page(cls, lines: Sequence[Line], pages: set[int]) -> dict[int, _PageIndex]:
        """Return an index of each of some pages."""
        starts: dict[int, dict[str, list[int]]] = {}
        for index, line in enumerate(lines):
            if line.page in pages and line.table < 0 and not line.rotated and len(line.text) <= MAX_TITLE:
                of_page = starts.setdefault(line.page, {})
                for text in {normalize(line.text), normalize(split_number(line.text)[1])}:
                    indices = of_page.setdefault(text, [])
                    if text and len(indices) < MAX_CANDIDATES:
                        indices.append(index)
        return {page: cls(lines, of_page) for page, of_page in starts.items()}

    def find(self, title: str, taken: set[int]) -> range | None:
        """Return the first lines, none of them taken, that are a title."""
        number, words = split_number(title)
        spans = [*self._spans(normalize(title)), *(self._spans(normalize(words)) if number else ())]
        usable = [span for span in spans if taken.isdisjoint(span) and self._fits(span, number, words)]
        return min(usable, key=lambda span: span.start, default=None)

    def _spans(self, title: str) -> Iterator[range]:
        """Yield consecutive lines whose text is a title."""
        if not title or len(title) > MAX_TITLE:
            return
        for length in range(1, len(title) + 1):
            for start in self.starts.get(title[:length], ()):
                end = self._end(start, title, length)
                if end:
                    yield range(start, end)

    def _end(self, start: int, title: str, position: int) -> int:
        """Return the index after the lines that a title continues on, or 0."""
        end = start + 1
        while position < len(title):
            if end - start == MAX_TITLE_LINES or end == len(self.lines):
                return 0
            text = normalize(self.lines[end].text)
            same = self.lines[end].region == self.lines[start].region
            if not (same and text and title.startswith(text, position)):
                return 0
            position += len(text)
            end += 1
        return end

    def _fits(self, span: range, number: str, words: str) -> bool:
        """Return whether lines with the words of a title have its number, or none, and are no end of a sentence."""
        line_number, line_words = split_number(" ".join([self.lines[index].text for index in span]))
        expected, actual = normalize(number), normalize(line_number)
        # "Chapter three" may be 3 in the outline.
        agree = expected.endswith(actual) or expected.isdecimal() != actual.isdecimal()
        return (not actual or not expected or agree) and not (line_words[:1].islower() and words[:1].isupper())
