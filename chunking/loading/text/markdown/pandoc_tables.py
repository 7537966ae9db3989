"""Block rules for the tables of Pandoc: of a grid, of one line a row, and of several lines a row.

Their rows are not read: the lines of a table are one block.
"""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from chunking.loading.text.markdown.marks import line_text, push_code
from chunking.runtime.patterns import compile_pattern

MAX_HEADER = 12
"""Limit of the lines of the header of a table of several lines a row."""

_BORDER = compile_pattern(r"\+(?:[-=:]+\+)+[ \t]*")
_GRID_LINE = compile_pattern(r"[+|].*[+|][ \t]*")
_RULE = compile_pattern(r"[ \t]{0,3}-{3,}[ \t]*")
_COLUMNS = compile_pattern(r"[ \t]*-{2,}(?:[ \t]+-{2,})+[ \t]*")


def read_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table of Pandoc that begins a block."""
    after = _end_of_grid(state, start, end) or _end_of_lines(state, start, end) or _end_of_header(state, start, end)
    if not after:
        return False
    if not silent:
        push_code(state, "text_table", start, start, after, after)
    return True


def _line(state: StateBlock, number: int, end: int) -> str:
    """Return a line; an empty one after the last."""
    return line_text(state, number) if number < end and state.sCount[number] >= state.blkIndent else ""


def _end_of_grid(state: StateBlock, start: int, end: int) -> int:
    """Return the line after a grid, whose last line is a border; 0 if there is none."""
    if state.is_code_block(start) or not _BORDER.fullmatch(_line(state, start, end)):
        return 0
    line, last = start + 1, 0
    while _GRID_LINE.fullmatch(text := _line(state, line, end)):
        line += 1
        last = line if _BORDER.fullmatch(text) else last
    return last


def _end_of_lines(state: StateBlock, start: int, end: int) -> int:
    """Return the line after a table between two rules, of which blank lines divide the rows; 0 if there is none."""
    first = _line(state, start, end)
    is_headed = _RULE.fullmatch(first) is not None
    if state.is_code_block(start) or not (is_headed or _COLUMNS.fullmatch(first)):
        return 0
    line = start + 1
    if is_headed:
        limit = min(line + MAX_HEADER, end)
        while line < limit and (text := _line(state, line, end)).strip() and not _COLUMNS.fullmatch(text):
            line += 1
        if line == start + 1 or not _COLUMNS.fullmatch(_line(state, line, end)):
            return 0
        line += 1
    closing = _RULE if is_headed else _COLUMNS
    begin = line
    while line < end and not closing.fullmatch(text := _line(state, line, end)):
        if text and (_RULE.fullmatch(text) or _COLUMNS.fullmatch(text)):
            return 0
        line += 1
    is_closed = begin < line < end and not _line(state, line + 1, end).strip()
    return line + 1 if is_closed else 0


def _end_of_header(state: StateBlock, start: int, end: int) -> int:
    """Return the line after a table of one line a row with a header, which a blank line ends; 0 if there is none."""
    is_code = start + 1 < end and state.is_code_block(start + 1)
    if is_code or not _COLUMNS.fullmatch(_line(state, start + 1, end)) or not _line(state, start, end).strip():
        return 0
    line = start + 2
    while (text := _line(state, line, end)).strip():
        line += 1
        if _COLUMNS.fullmatch(text):
            break
    return line if line > start + 2 else 0
