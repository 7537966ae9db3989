"""The columns of the cells of a table, of which some span several columns or rows."""

from __future__ import annotations

import re

from chunking.runtime.patterns import compile_pattern

MAX_COLUMNS = 32
"""Limit of the columns that spans are followed in, so that no text grows out of proportion."""

_SPAN = compile_pattern(r' (col|row)span="[ \t\n]*+([0-9]{1,5})(?![0-9])', re.IGNORECASE)


class Columns:
    """The columns of a table of data while it is read, row by row."""

    def __init__(self) -> None:
        self._row = 0
        self._column = 0  # of the next cell, if nothing spans into it
        self._last = -1  # column of the last cell
        self._covered: dict[int, int] = {}  # last row that a cell above spans, by column

    def begin_row(self) -> None:
        """Begin a row."""
        self._row += 1
        self._column, self._last = 0, -1

    def begin_cell(self, attributes: str) -> int:
        """Begin a cell; return by how many columns it is to the right of the cell before, from 1.

        Args:
            attributes: the serialised attributes of its element.
        """
        while self._covered.get(self._column, 0) >= self._row:
            self._column += 1
        step, self._last = self._column - self._last, self._column
        spans = {name.lower(): int(number) for name, number in _SPAN.findall(attributes)} if attributes else {}
        width = max(1, min(spans.get("col", 1), MAX_COLUMNS - self._column))
        if spans.get("row", 1) > 1:
            last = self._row + spans["row"] - 1
            self._covered |= dict.fromkeys(range(self._column, min(self._column + width, MAX_COLUMNS)), last)
        self._column += width
        return step
