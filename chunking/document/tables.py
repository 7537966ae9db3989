"""The header of a table: its first line with words, and the lines that rule it off."""

from __future__ import annotations

_RULING = " \t\r|:+=-"
"""Characters of a line of a table that only draws its lines."""

_HEADER_LINES = 4
"""Lines of a table among which the first row is looked for."""


def first_row(text: str, start: int, end: int) -> int | None:
    """Return where the first row below the header of a table begins; ``None`` where there is none.

    Args:
        text: of the document.
        start, end: the span of the table.
    """
    line_start, has_header = start, False
    for _ in range(_HEADER_LINES):
        line_end = text.find("\n", line_start, end)
        line = text[line_start : line_end if line_end >= 0 else end]
        if line.strip(_RULING):
            if has_header:
                return line_start
            has_header = True
        if line_end < 0:
            return None
        line_start = line_end + 1
    return None
