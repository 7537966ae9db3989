"""Tokens of what documentation systems add to Markdown: marks with their titles, code, the content of containers."""

from __future__ import annotations

from collections.abc import Callable

from markdown_it.rules_block import StateBlock

MAX_NESTING = 32
"""Maximum depth of containers: 32 block quotes or 16 lists. Deeper markers are text, so that neither recursion nor time
grows with malicious input."""

Rule = Callable[[StateBlock, int, int, bool], bool]

MAX_TAG_LINES = 50
"""Lines of a tag of a component or of a shortcode; without a limit each line of many open ones would be read again."""


def first_character(state: StateBlock, number: int) -> str:
    """Return the first character of a line without the marks of the containers around it; empty if it is blank."""
    begin = state.bMarks[number] + state.tShift[number]
    return state.src[begin] if begin < state.eMarks[number] else ""


def line_text(state: StateBlock, number: int) -> str:
    """Return a line without the marks of the containers around it, and without white space at its end."""
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip(" \t")


def push_marker(state: StateBlock, start: int, end: int, *, opens: bool, title: tuple[int, int] = (0, 0)) -> None:
    """Add a mark on some lines, and its title by its columns on the first."""
    token = state.push("marker", "", 0)
    token.map, token.meta = [start, end], {"opens": opens}
    begin = state.bMarks[start] + state.tShift[start]
    words = state.src[begin + title[0] : begin + title[1]].rstrip()
    if words:
        token = state.push("paragraph_open", "p", 1)
        column = column_of(state, begin + title[0])
        token.map, token.meta = [start, start + 1], {"columns": (column, column + len(words))}
        token = state.push("inline", "", 0)
        token.map, token.content, token.children = [start, start + 1], words, []
        state.push("paragraph_close", "p", -1)
    state.line = end


def column_of(state: StateBlock, offset: int) -> int:
    """Return the column of a character in its line."""
    return offset - state.src.rfind("\n", 0, offset) - 1


def push_code(state: StateBlock, kind: str, start: int, first: int, last: int, end: int, info: str = "") -> None:
    """Add code on the lines from ``start`` to ``end``, of which those from ``first`` to ``last`` are its content."""
    token = state.push(kind, "code", 0)
    token.map, token.info = [start, end], info
    token.content = state.getLines(first, last, state.blkIndent, True) if first < last else ""
    state.line = end


def tokenize(state: StateBlock, first: int, last: int, indent: int) -> None:
    """Read the content of a container, on lines of at least this indentation."""
    saved = state.blkIndent, state.lineMax, state.parentType
    state.blkIndent, state.lineMax, state.parentType = indent, last, "container"
    state.md.block.tokenize(state, first, last)
    state.blkIndent, state.lineMax, state.parentType = saved


def indented_end(state: StateBlock, first: int, end: int, indent: int) -> int:
    """Return the line after the content of a container, without the blank lines below it."""
    last = first
    for number in range(first, end):
        if not state.isEmpty(number):
            if state.sCount[number] < indent:
                break
            last = number + 1
    return last
