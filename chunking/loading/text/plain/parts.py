"""Plain text as groups of lines, divided by blank lines and form feeds."""

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


class Group(NamedTuple):
    """Consecutive lines without a blank line."""

    lines: list[Line]


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
            yield Group(lines)
            lines = []
        if raw.endswith("\f"):
            yield Break(offset + len(raw) - 1, offset + len(raw))
        offset += len(raw)
    if lines:
        yield Group(lines)


def join_running_lines(parts: list[Group | Break]) -> list[Group | Break]:
    """Join each form feed with the footer before and the header after it.

    A running line is isolated at the edge of a page and, apart from numbers, recurs on three pages or more.
    """
    edges = [
        (place, side)
        for place, part in enumerate(parts)
        if isinstance(part, Break)
        for side in (-1, 1)
        if 0 <= place + side < len(parts) and _running(parts[place + side])
    ]
    counts = Counter((side, _running(parts[place + side])) for place, side in edges)
    running = {place + side: side for place, side in edges if counts[side, _running(parts[place + side])] >= 3}
    joined: list[Group | Break] = []
    for place, part in enumerate(parts):
        if place in running and isinstance(part, Group):
            line = part.lines[0]
            if running[place] < 0:
                joined.append(Break(line.start, line.end))
            elif joined and isinstance(joined[-1], Break):
                joined[-1] = Break(joined[-1].start, line.end)
        elif isinstance(part, Break) and running.get(place - 1) == -1 and joined and isinstance(joined[-1], Break):
            joined[-1] = Break(joined[-1].start, part.end)
        else:
            joined.append(part)
    return joined


def _running(part: Group | Break) -> str:
    """Return the recurring text of a running line; empty if the part is not one."""
    if isinstance(part, Break) or len(part.lines) > 1:
        return ""
    return " ".join(_DIGITS.sub("0", part.lines[0].text).split())


def body_indent(groups: Sequence[Sequence[Line]]) -> int:
    """Return the indentation of most of the text, by characters."""
    counts: Counter[int] = Counter()
    for lines in groups:
        for line in lines:
            counts[line.indent] += len(line.text)
    return max(counts, key=lambda indent: (counts[indent], -indent), default=0)
