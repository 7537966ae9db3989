"""The file's outline: which lines of the pages its entries name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from chunking.loading.binary.pdf.layout import Line
from chunking.loading.binary.pdf.pdfium.document import OutlineEntry
from chunking.loading.binary.pdf.title_numbers import normalize, split_number

MAX_TITLE = 240
"""Characters that a title of the outline may have."""

MAX_TITLE_LINES = 4
"""Lines that it may take on a page."""

MAX_CANDIDATES = 16
"""Lines of a page that are compared with an entry, of those that begin as it does."""


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
    used: set[int] = set()
    for entry in entries:
        for page in (entry.page, entry.page + 1):
            span = pages[page].find(entry.title, used) if page in pages else None
            if span:
                used.update(span)
                titles[span.start] = OutlineTitle(span.stop, entry.level)
                break
    return titles


def find_titles_among(
    running: Collection[int], pages: Sequence[int], text_of: Callable[[int], str], entries: Sequence[OutlineEntry]
) -> set[int]:
    """Return the running heads that are titles: an entry leads to their page, and nothing else there has its text.

    Args:
        running: indices of fragments that repeat through the document.
        pages: the page of each fragment.
        text_of: the text of a fragment.
        entries: entries of the outline.
    """
    if not entries:
        return set()
    named: dict[int, set[str]] = {}
    for entry in entries:
        named.setdefault(entry.page, set()).update(_forms(entry.title))
    titles = {index for index in running if not named.get(pages[index], set()).isdisjoint(_forms(text_of(index)))}
    shared = {pages[index] for index in titles}
    written = {
        (page, form)
        for index, page in enumerate(pages)
        if page in shared and index not in running
        for form in _forms(text_of(index))
    }
    return {index for index in titles if written.isdisjoint((pages[index], form) for form in _forms(text_of(index)))}


def _forms(text: str) -> set[str]:
    """Return the normalized text of a title with and without its number, if it has letters."""
    forms = {normalize(text), normalize(split_number(text)[1])} if len(text) <= MAX_TITLE else set()
    return {form for form in forms if any(map(str.isalpha, form))}


@dataclass(frozen=True)
class _PageIndex:
    """The lines of a page by their text.

    Attributes:
        lines: of the document.
        texts: the normalized text of those of the page that may be part of a title, by index.
        starts: their indices by that text, with and without a number.
    """

    lines: Sequence[Line]
    texts: dict[int, str] = field(default_factory=dict)
    starts: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def by_page(cls, lines: Sequence[Line], pages: set[int]) -> dict[int, _PageIndex]:
        """Return an index of each of some pages."""
        indices: dict[int, _PageIndex] = {}
        for number, line in enumerate(lines):
            if line.page in pages and line.table < 0 and not line.rotated and len(line.text) <= MAX_TITLE:
                indices.setdefault(line.page, cls(lines))._add(number)
        return indices

    def _add(self, index: int) -> None:
        line = self.lines[index]
        text = normalize(line.text)
        if not text:
            return
        self.texts[index] = text
        for start in {text, normalize(split_number(line.text)[1])} - {""}:
            self.starts.setdefault(start, []).append(index)

    def find(self, title: str, used: set[int]) -> range | None:
        """Return the first lines, none of them used, that are a title."""
        number, words = split_number(title)
        forms = dict.fromkeys((normalize(title), normalize(words)))
        spans = [span for form in forms for span in islice(self._spans(form, used), MAX_CANDIDATES)]
        usable = [span for span in spans if used.isdisjoint(span) and self._fits(span, number, words)]
        span = min(usable, key=lambda span: span.start, default=None)
        return self._with_number_above(span, used) if span else None

    def _spans(self, title: str, used: set[int]) -> Iterator[range]:
        """Yield candidates: lines, one after the other, of which the first begins a title, as far as they are it."""
        if len(title) > MAX_TITLE:
            return
        for length in range(1, len(title) + 1):
            for start in islice(self.starts.get(title[:length], ()), MAX_CANDIDATES):
                if start not in used:
                    yield range(start, self._end(start, title, length))

    def _end(self, start: int, title: str, position: int) -> int:
        """Return the index after the lines that a title continues on; ``start`` if they are not all of it."""
        end = start + 1
        while position < len(title):
            text = self.texts.get(end)
            is_next = end - start < MAX_TITLE_LINES and text and self.lines[end].region == self.lines[start].region
            if not (is_next and text and title.startswith(text, position)):
                return start
            position += len(text)
            end += 1
        return end

    def _fits(self, span: range, number: str, words: str) -> bool:
        """Return whether lines with the words of a title have its number, or none, and are no end of a sentence."""
        line_number, line_words = split_number(" ".join([self.lines[index].text for index in span]))
        expected, actual = normalize(number), normalize(line_number)
        # "Chapter three" may be 3 in the outline.
        agree = expected.endswith(actual) or expected.isdecimal() != actual.isdecimal()
        is_number = not actual or not expected or agree
        return bool(span) and is_number and not (line_words[:1].islower() and words[:1].isupper())

    def _with_number_above(self, span: range, used: set[int]) -> range:
        """Return the lines of a title with the one above, if that has its number alone: "Chapter 3"."""
        above = span.start - 1
        if above not in self.texts or above in used or self.lines[above].region != self.lines[span.start].region:
            return span
        number, words = split_number(self.lines[above].text)
        is_counted = bool(number) and not words and not self.lines[above].text.strip().startswith(number)
        return range(above, span.stop) if is_counted and len(span) < MAX_TITLE_LINES else span
