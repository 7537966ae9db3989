"""Markdown of reports, with the functions of :mod:`chunking.report.html`; what came from data is never markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunking.runtime.patterns import compile_pattern

_BACKTICKS = compile_pattern("`+")
_SIGNS = compile_pattern(
    r"[\\`*\[\]<|~$]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore inside a word is only that
    r"|&(?=#?\w+;)"  # an entity
    r"|(?<=\w)@(?=[\w.-]+\.\w)|:(?=//)|(?<=\bwww)\.",  # an address
    re.IGNORECASE,
)
_MARK = compile_pattern(r"^(?:>|#(?=#|\s|$)|([-+=])(?=\1|\s|$))")
_NUMBERED = compile_pattern(r"^(\d+)([.)])(?=\s|$)")


def escape(text: str) -> str:
    """Return a text as Markdown that shows just that text: only signs that would mean something get a backslash."""
    escaped = _SIGNS.sub(r"\\\g<0>", printable(text).strip())
    return _NUMBERED.sub(r"\1\\\2", _MARK.sub(r"\\\g<0>", escaped))


def printable(text: str) -> str:
    """Return a text in one line, with U+FFFD for what cannot be printed."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def heading(words: str, level: int = 3) -> str:
    """Return a heading."""
    return f"{'#' * level} {escape(words)}"


def paragraph(words: str) -> str:
    """Return a paragraph."""
    return escape(words)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    cells = [[escape(cell) for cell in row] for row in (heads, *rows)]
    cells.insert(1, ["---"] * len(heads))
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def bullets(texts: Sequence[str]) -> str:
    """Return a list of remarks."""
    return "\n".join(f"- {escape(text)}" for text in texts)


def command(line: str) -> str:
    """Return a line for a terminal."""
    line = printable(line)
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(line)), default=0))
    return f"{fence}\n{line}\n{fence}"


def figure(title: str, file: str) -> str:
    """Return the figure of a file beside the report."""
    return f"![{escape(title)}]({file.replace(' ', '%20')})"
