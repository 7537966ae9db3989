"""A reStructuredText as lines, and the extent of what they form by indentation."""

from __future__ import annotations

import re
from typing import NamedTuple

from chunking.loading.text.rst.syntax import BORDER, GRID, LINE_END, RULED, SETTING


class Line(NamedTuple):
    """The span of a line without white space at its ends.

    Both offsets of a blank line are equal, and its indentation is -1.
    """

    start: int
    end: int
    indent: int


class Source:
    """The text as lines.

    Attributes:
        text: the text.
        lines: its lines.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = _lines(text)

    def next(self, place: int) -> int:
        """Return the first line from ``place`` on that is not blank."""
        while place < len(self.lines) and self.lines[place].indent < 0:
            place += 1
        return place

    def below(self, place: int, indent: int) -> int:
        """Return the line after the last one that is indented deeper, including blank lines between them."""
        last = place
        while (following := self.next(place)) < len(self.lines) and self.lines[following].indent > indent:
            last = place = following + 1
        return last

    def run_end(self, place: int, floor: int) -> int:
        """Return the line after a run of lines that are not blank and indented at least ``floor``."""
        while place < len(self.lines) and self.lines[place].indent >= max(floor, 0):
            place += 1
        return place

    def matches(self, pattern: re.Pattern[str], place: int) -> bool:
        """Return whether line ``place`` begins with a match of ``pattern``."""
        if place >= len(self.lines) or self.lines[place].indent < 0:
            return False
        return pattern.match(self.text, self.lines[place].start, self.lines[place].end) is not None

    def body_indent(self, place: int, column: int) -> int:
        """Return the indentation of the text below line ``place`` if it is deeper than ``column``."""
        following = self.next(place + 1)
        below = self.lines[following].indent if following < len(self.lines) else 0
        return max(below, column + 1)

    def table_end(self, place: int, start: int, column: int) -> int:
        """Return the line after the table that begins here; 0 if there is none."""
        top = self.lines[place]
        if GRID.match(self.text, start, top.end):
            stop = place + 1
            while stop < len(self.lines) and self.lines[stop].indent == column:
                if self.text[self.lines[stop].start] not in "+|":
                    break
                stop += 1
            return stop if stop > place + 2 else 0
        if not RULED.match(self.text, start, top.end):
            return 0
        borders, stop = 0, place + 1
        while stop < len(self.lines) and (self.lines[stop].indent >= column or self.lines[stop].indent < 0):
            if self.lines[stop].indent == column and self.matches(BORDER, stop):
                borders += 1
                blank = stop + 1 == len(self.lines) or self.lines[stop + 1].indent < 0
                if borders == 2 or blank:
                    return stop + 1
            stop += 1
        return 0

    def argument_end(self, place: int, column: int) -> int:
        """Return the line after the argument of a directive: at a blank line or an option."""
        while place < len(self.lines) and self.lines[place].indent > column and not self.matches(SETTING, place):
            place += 1
        return place

    def options_end(self, place: int, column: int) -> int:
        """Return the line after the options of a directive, which directly follow its first line or argument."""
        while place < len(self.lines) and self.lines[place].indent > column and self.matches(SETTING, place):
            place = self.run_end(place + 1, self.lines[place].indent + 1)
        return place


def _lines(text: str) -> list[Line]:
    found = []
    start = 0
    ends = [*((match.start(), match.end()) for match in LINE_END.finditer(text)), (len(text), len(text))]
    for end, following in ends:
        body = text[start:end]
        stripped = body.lstrip()
        space = len(body) - len(stripped)
        if stripped:
            found.append(Line(start + space, start + len(body.rstrip()), len(body[:space].expandtabs(8))))
        else:
            found.append(Line(end, end, -1))
        start = following
    return found
