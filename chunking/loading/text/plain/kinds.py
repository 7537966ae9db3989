"""The kind of a whole group of lines: a table, a drawing, code or a quotation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate

from chunking.document import BlockKind
from chunking.loading.text.plain.parts import Line
from chunking.runtime.patterns import compile_pattern

_BORDER_ROW = compile_pattern(r"(?:={2,}[ \t]+)+={2,}|(?:-{2,}[ \t]+)+-{2,}")
_DRAWN = compile_pattern(r"\+[-=]|[-=]\+|^\||\|$|\|.*\||^/.*/$|[\u2500-\u257f]")
_CODE = compile_pattern(
    r"[{};]$|^(?:\$|>>>|\.\.\.|//|/\*|#!|#include\b|@\w|(?:async )?def \w|class \w+[(:]|import \w|from \w\S* import\b"
    r"|return\b|(?:if|elif|for|while|with)\b.*:$|(?:else|try|finally):)"
    r"|^[\w.\[\]\"']+ (?:[-+*/]?|:)= \S|^\w[\w.]*\(.*\)$"
)


class KindsFromLine:
    """The kind of a group from each line on, if it is a table, a drawing, code or a quotation.

    Properties of all lines from there on are counted once, from the last line back, so that a group of a hundred
    thousand separators takes linear time.
    """

    def __init__(self, lines: Sequence[Line], body: int) -> None:
        self._lines = lines
        self._body = body

    def kind(self, at: int) -> BlockKind | None:
        """Return the kind of the lines from ``at`` on."""
        left = len(self._lines) - at
        if self._quoted[at] == left:
            return "quote"
        if left < 2:
            return None
        second = self._lines[at + 1].text
        piped = "|" in second and "--" in second and set(second) <= set("|:- \t")
        if piped or self._borders[at] > 1:
            return "table"
        if 2 * self._drawn[at] > left:
            return "code"
        if self._indents[at] > self._body + 1 and 2 * self._code[at] > left:
            return "code"
        return None

    def _counted(self, test: Callable[[str], object]) -> list[int]:
        """Return the number of lines that pass a test, from each line on."""
        return list(accumulate(int(bool(test(line.text))) for line in reversed(self._lines)))[::-1]

    @cached_property
    def _quoted(self) -> list[int]:
        return self._counted(lambda text: text.startswith(">") and not text.startswith(">>>"))

    @cached_property
    def _borders(self) -> list[int]:
        return self._counted(_BORDER_ROW.fullmatch)

    @cached_property
    def _drawn(self) -> list[int]:
        return self._counted(_DRAWN.search)

    @cached_property
    def _code(self) -> list[int]:
        return self._counted(_CODE.search)

    @cached_property
    def _indents(self) -> list[int]:
        return list(accumulate((line.indent for line in reversed(self._lines)), min))[::-1]


def _is_drawn(texts: Sequence[str]) -> bool:
    return 2 * sum(bool(_DRAWN.search(text)) for text in texts) > len(texts)


def lead_in(lines: Sequence[Line]) -> int:
    """Return the number of lines at the top that introduce an indented drawing."""
    lead = 0
    while lead < len(lines) and lines[lead].indent <= lines[0].indent and not _DRAWN.search(lines[lead].text):
        lead += 1
    below = lines[lead:]
    indented = below and min(line.indent for line in below) > lines[0].indent
    return lead if indented and _is_drawn([line.text for line in below]) else 0
