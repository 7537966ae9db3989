"""The lines of a plain text: groups of them, and the running lines at the edges of pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from chunking.runtime.patterns import compile_pattern

_DIGITS = compile_pattern(r"\d+")


class Line(NamedTuple):
    """A line that is not blank: from its first character that is not a space to its line end."""

    start: int
    end: int
    indent: int
    text: str


Group = list[Line]
"""Consecutive lines without a blank line."""


class Break(NamedTuple):
    """A form feed with the running lines around it."""

    start: int
    end: int


def parts_of(text: str) -> Iterator[Group | Break]:
    """Yield the groups of a text and the form feeds between them, in order."""
    lines: list[Line] = []
    offset = 0
    for raw in text.splitlines(keepends=True):
        body = raw.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        stripped = body.strip()
        if stripped:
            space = len(body) - len(body.lstrip())
            lines.append(Line(offset + space, offset + len(body), len(body[:space].expandtabs()), stripped))
        if lines and (not stripped or raw.endswith("\f")):
            yield lines
            lines = []
        if raw.endswith("\f"):
            yield Break(offset + len(raw) - 1, offset + len(raw))
        offset += len(raw)
    if lines:
        yield lines


def join_running_lines(parts: list[Group | Break]) -> list[Group | Break]:
    """Join each form feed with the footer before and the header after it.

    A running line is isolated at the edge of a page and, apart from numbers, recurs on three pages or more.
    """
    edges = [
        (index, side)
        for index, part in enumerate(parts)
        if isinstance(part, Break)
        for side in (-1, 1)
        if 0 <= index + side < len(parts) and _running(parts[index + side])
    ]
    counts = Counter((side, _running(parts[index + side])) for index, side in edges)
    running = {index + side: side for index, side in edges if counts[side, _running(parts[index + side])] >= 3}
    joined_parts: list[Group | Break] = []
    for index, part in enumerate(parts):
        if index in running and not isinstance(part, Break):
            line = part[0]
            if running[index] < 0:
                joined_parts.append(Break(line.start, line.end))
            elif joined_parts and isinstance(joined_parts[-1], Break):
                joined_parts[-1] = Break(joined_parts[-1].start, line.end)
        elif (
            isinstance(part, Break)
            and running.get(index - 1) == -1
            and joined_parts
            and isinstance(joined_parts[-1], Break)
        ):
            joined_parts[-1] = Break(joined_parts[-1].start, part.end)
        else:
            joined_parts.append(part)
    return joined_parts


def _running(part: Group | Break) -> str:
    """Return the recurring text of a running line; empty if the part is not one."""
    if isinstance(part, Break) or len(part) > 1:
        return ""
    return " ".join(_DIGITS.sub("0", part[0].text).split())


def body_indent(groups: Sequence[Sequence[Line]]) -> int:
    """Return the indentation of most of the text, by characters."""
    counts: Counter[int] = Counter()
    for lines in groups:
        for line in lines:
            counts[line.indent] += len(line.text)
    return max(counts, key=lambda indent: (counts[indent], -indent), default=0)
