"""Blocks of nested values, as in JSON and YAML.

A value of at most :data:`UNIT` characters, without white space, is one unit and kept whole: a record of a list, an
object in a configuration. Consecutive scalars are packed into units of that size. Larger values are opened: the key is
a heading, one level deeper for each container, and a record of a list begins with a heading whose words are its first
scalar and whose title is its number and name. Long prose is not a unit but paragraphs, split into sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from chunking.document import Block
from chunking.loading.spans import trim_span
from chunking.loading.text import prose
from chunking.runtime.arrays import Int32
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import shorten

UNIT = 500
"""Maximum size of a unit in characters without white space: what a small encoder reads without truncation."""

_SLIGHT = 60  # size up to which a container is packed with its neighbours, like a scalar
_FIGURES = 2000  # maximum size of a unit without letters, such as the coordinates of a border
_MAX_LEVEL = 12  # maximum level of headings, so that no path grows with malicious input
_LEAD = 100  # maximum characters of the first scalars of a record that are its heading
_LOOKED_AT = 30  # members in which a name is searched
_NAMES = ("name", "title", "label")
_OTHER_NAMES = ("id", "key", "kind", "type")

_TO_VALUE = compile_pattern(r"[\s\"':]*")
_WORD = compile_pattern(r"[^\W_]")
_BLANK_LINE = compile_pattern(r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)")


@dataclass(eq=False, slots=True)
class Value:
    """A value with its key or list marker.

    Attributes:
        kind: its kind.
        start, end: span of the whole, with its key or list marker.
        inner: span of the words of a scalar, inside its quotes.
        key: span of the words of its key; ``None`` if it has none.
        opening: opening characters at its start if it has no key (``{``, ``-``, ``---``).
        escaped: whether it uses backslash escapes.
        source: the format's own object, from which its members are read.
    """

    kind: Literal["scalar", "object", "array"]
    start: int
    end: int
    inner: tuple[int, int]
    key: tuple[int, int] | None = None
    opening: int = 0
    escaped: bool = False
    source: Any = field(default=None, repr=False)


Members = Callable[[Value], Sequence[Value]]


def blocks(text: str, top: Sequence[Value], members: Members, comment: str) -> tuple[Block, ...]:
    """Return the blocks of the values of a text.

    Args:
        text: the text.
        top: the top-level values, in order; several are treated as the records of a list.
        members: returns the members of an object or array, in order.
        comment: marker of a comment that extends to the end of its line.
    """
    walk = _ValueWalk(text, members)
    walk.run(top)
    return tuple(_tidy(text, with_comments(text, walk.blocks, comment)))


def _tidy(text: str, blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield blocks without the white space that a key or scalar may begin with."""
    for block in blocks:
        start, end = trim_span(text, block.start, block.end)
        if (start, end) == (block.start, block.end) and start <= block.content <= end:
            yield block
        elif start < end:
            yield replace(block, start=start, end=end, content=min(max(block.content, start), end))


@dataclass(eq=False, slots=True)
class _Frame:
    """An open container.

    Attributes:
        items: its remaining members, with their numbers.
        level: level of the headings of its members.
        is_array: whether it is an array, so that objects in it are records.
        opened: whether a member has a heading already, which must not cover the next ones.
    """

    items: Iterator[tuple[int, Value]]
    level: int
    is_array: bool
    opened: bool = False


class _ValueWalk:
    """One pass over the values.

    Attributes:
        blocks: the blocks, in order.
    """

    def __init__(self, text: str, members: Members) -> None:
        self.text = text
        self.members = members
        self.blocks: list[Block] = []
        self._black, self._letters = _count_characters(text)
        self._frames: list[_Frame] = []
        self._run: list[tuple[Value, int]] = []
        self._weight = 0

    def run(self, top: Sequence[Value]) -> None:
        """Find the blocks of the top-level values."""
        if len(top) == 1 and top[0].kind != "scalar" and self._count(self._black, top[0]) > UNIT:
            self._open(self.members(top[0]), 1, top[0].kind == "array")
        else:
            self._open(top, 1, True)
        while self._frames:
            frame = self._frames[-1]
            number, value = next(frame.items, (-1, None))
            if value is not None:
                self._take(frame, value, number)
            else:
                self._flush()
                self._frames.pop()

    def _open(self, members: Sequence[Value], level: int, is_array: bool) -> None:
        self._frames.append(_Frame(enumerate(members), level, is_array))

    def _take(self, frame: _Frame, value: Value, number: int) -> None:
        """Make blocks of a value, or open it."""
        weight = self._count(self._black, value)
        figures = not self._count(self._letters, value)
        if value.kind == "scalar":
            if self._is_prose(value):
                self._flush()
                self._paragraphs(value)
            else:
                self._pack(value, number, weight, _FIGURES if figures else UNIT)
            return
        if weight <= _SLIGHT and not (frame.is_array and value.kind == "object"):
            self._pack(value, number, weight, _FIGURES if figures else UNIT)
            return
        self._flush()
        members = self.members(value) if weight > UNIT else ()
        if not members:
            self._pack(value, number, weight, UNIT)
            self._flush()
            return
        if not (figures and value.key is None) and frame.level <= _MAX_LEVEL:
            members = self._heading(value, number, frame.level, members)
            frame.opened = True
        self._open(members, frame.level + 1, value.kind == "array")

    def _heading(self, value: Value, number: int, level: int, members: Sequence[Value]) -> Sequence[Value]:
        """Add the heading of a value; return the members after it."""
        if value.key is not None:
            self._add_key(value, level)
            return members
        title = self._title(value, number, members)
        first, weight = 0, 0
        while first < len(members) and members[first].kind == "scalar" and not self._is_prose(members[first]):
            weight += self._count(self._black, members[first])
            if weight > (_LEAD if first else UNIT):
                break
            first += 1
        if first:
            self.blocks.append(Block("heading", value.start, members[first - 1].end, level, members[0].start, title))
        elif value.opening:
            end = value.start + value.opening
            self.blocks.append(Block("heading", value.start, end, level, end, title))
        return members[first:]

    def _add_key(self, value: Value, level: int) -> None:
        """Add the key of a value as a heading."""
        start, end = value.key or (value.start, value.start)
        self.blocks.append(
            Block("heading", value.start, max(end, value.start + 1), level, start, self._title(value, 0))
        )

    def _title(self, value: Value, number: int, members: Sequence[Value] = ()) -> str:
        """Return the title of a value: its key, or in a list its number and the name in its members."""
        if value.key is not None:
            return shorten(" ".join(self.text[slice(*value.key)].split()) or '""')
        name = self._name(members or self.members(value)) if value.kind == "object" else ""
        return f"[{number}] {name}".rstrip()

    def _name(self, members: Sequence[Value]) -> str:
        """Return the name of a record: its own name or title, that of an object in it, or another identifier."""
        first_members = members[:_LOOKED_AT]
        return (
            self._first_scalar(first_members, _NAMES)
            or self._first_scalar(self._expand_small(first_members), _NAMES)
            or self._first_scalar(first_members, _OTHER_NAMES)
        )

    def _expand_small(self, values: Sequence[Value]) -> Iterator[Value]:
        """Yield the members of small objects."""
        for value in values:
            if value.kind == "object" and self._count(self._black, value) <= 4 * UNIT:
                yield from self.members(value)[:_LOOKED_AT]

    def _first_scalar(self, values: Iterable[Value], keys: Sequence[str]) -> str:
        """Return the scalar of the first of some keys that has words."""
        by_key = {self.text[slice(*value.key)]: value for value in values if value.key and value.kind == "scalar"}
        for key in keys:
            name = " ".join(self.text[slice(*by_key[key].inner)].split()) if key in by_key else ""
            if name:
                return shorten(name)
        return ""

    # Units

    def _pack(self, value: Value, number: int, weight: int, most: int) -> None:
        if self._run and self._weight + weight > most:
            self._flush()
        self._run.append((value, number))
        self._weight += weight

    def _flush(self) -> None:
        """End the unit that is being packed.

        After an opened value it gets a heading of its own, or is one itself if it is small.
        """
        if not self._run:
            return
        first, last = self._run[0][0], self._run[-1][0]
        start, frame = first.start, self._frames[-1]
        if frame.opened and self._weight <= UNIT:
            titles = [self._title(*member) for member in self._run[:_LOOKED_AT]]
            title = shorten(", ".join(titles))
            self.blocks.append(Block("heading", start, last.end, frame.level, start, title))
        else:
            if frame.opened and first.key is not None:
                self._add_key(first, frame.level)
                start = max(first.key[1], start + 1)
                between = _TO_VALUE.match(self.text, start, last.end)
                start = between.end() if between else start
            self.blocks.extend(_code(self.text, start, last.end))
        self._run, self._weight = [], 0

    @staticmethod
    def _count(counts: Int32, value: Value) -> int:
        return int(counts[value.end] - counts[value.start])

    # Prose

    def _is_prose(self, value: Value) -> bool:
        start, end = value.inner
        return end - start >= prose.LONG and prose.is_prose(self.text[start:end])

    def _paragraphs(self, value: Value) -> None:
        """Add the blocks of a long text, with its key as a heading after an opened value, else before the first."""
        start, end = value.inner
        text = self.text[start:end]
        paragraphs = prose.blocks(unescaped(text) if value.escaped else text, start)
        frame = self._frames[-1]
        if paragraphs and frame.opened and value.key is not None:
            self._add_key(value, frame.level)
        elif paragraphs:
            paragraphs[0] = replace(paragraphs[0], start=value.start)
        self.blocks.extend(paragraphs)


_STRETCH = 2**18
"""Characters that are counted at a time, since arrays for a whole text would be many times its size."""


def _count_characters(text: str) -> tuple[Int32, Int32]:
    """Return ``(len(text) + 1,)`` int32 each: characters before each place that are not white space, and letters."""
    black, letters = np.zeros(len(text) + 1, np.int32), np.zeros(len(text) + 1, np.int32)
    for start in range(0, len(text), _STRETCH):
        piece = text[start : start + _STRETCH]
        codes = np.frombuffer(piece.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        lower = codes | 32
        stop = start + len(piece) + 1
        np.cumsum((codes > 32) & (codes != 0xA0), out=black[start + 1 : stop])
        np.cumsum(((lower >= 97) & (lower <= 122)) | (codes >= 0xAA), out=letters[start + 1 : stop])
        black[start + 1 : stop] += black[start]
        letters[start + 1 : stop] += letters[start]
    return black, letters


_ESCAPE = compile_pattern(r"\\(.)", re.DOTALL)


def unescaped(text: str) -> str:
    """Return a double-quoted text with escaped line ends and tabs resolved, at the same length."""
    return _ESCAPE.sub(lambda match: {"n": " \n", "r": "  ", "t": "  "}.get(match[1], match[0]), text)


MAX_LINES = 40
"""Maximum lines of a unit of unstructured text, such as a script in a string."""


def _code(text: str, start: int, end: int) -> Iterator[Block]:
    """Yield a unit, or several divided at blank lines if it has too many lines."""
    begin = lines = 0
    part = text[start:end]
    for match in _BLANK_LINE.finditer(part):
        lines += part.count("\n", begin, match.start()) + 1
        if lines > MAX_LINES // 2:
            yield from _unit(text, start + begin, start + match.start())
            begin, lines = match.end(), 0
    yield from _unit(text, start + begin, end)


def _unit(text: str, start: int, end: int) -> Iterator[Block]:
    start, end = trim_span(text, start, end)
    if start < end:
        yield Block("code", start, end)


# Comments ----------------------------------------------------------------------------------------------------------

_LINE = compile_pattern(r"[^\r\n]+")
_LINE_END = compile_pattern(r"\r\n?|\n")


def _comment_patterns(mark: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a comment that begins a line, and of one after a value."""
    comment = compile_pattern(rf"[ \t]*+(?P<marks>(?:{re.escape(mark)})+[ \t]*)")
    return comment, compile_pattern(rf"[ \t,:{{}}\[\]]*+{comment.pattern}[^\r\n]*")


def with_comments(text: str, blocks: Sequence[Block], mark: str) -> Iterator[Block]:
    """Yield blocks, and the comments between them.

    A comment at the end of a line is part of the block on that line; one directly above a unit or heading, and not
    longer than a unit, is part of that; others are paragraphs.

    Args:
        text: the text.
        blocks: the blocks, in order.
        mark: marker of comments.
    """
    comment, trailing = _comment_patterns(mark)
    before = 0
    for number, block in enumerate([*blocks, None]):
        stop = len(text) if block is None else block.start
        runs = list(_comments(text, before, stop, comment))
        if block is not None:
            above = runs[-1] if runs else None
            between = text[above.end : stop] if above else ""
            if above and block.kind != "paragraph" and above.end - above.start <= UNIT and _next_line(between):
                runs.pop()
                block = replace(block, start=above.start, content=above.start)
            following = blocks[number + 1].start if number + 1 < len(blocks) else len(text)
            rest = trailing.match(text, block.end, following) if block.kind != "paragraph" else None
            if rest:
                block = replace(block, end=block.end + len(rest.group().rstrip()))
            before = block.end
        yield from (run for run in runs if _WORD.search(text, run.content, run.end))
        if block is not None:
            yield block


def _next_line(between: str) -> bool:
    """Return whether there is only one line end, and space, between two places."""
    return len(_LINE_END.findall(between)) == 1 and not between.strip()


def _comments(text: str, start: int, end: int, comment: re.Pattern[str]) -> Iterator[Block]:
    """Yield a paragraph for each run of comment lines, with or without words."""
    run: Block | None = None
    for line in _LINE.finditer(text, start, end):
        opens = line.start() == 0 or text[line.start() - 1] in "\r\n"
        match = comment.match(text, line.start(), line.end()) if opens else None
        if run and not (match and _next_line(text[run.end : match.start("marks")])):
            yield run
            run = None
        if match:
            stop = line.start() + len(line.group().rstrip())
            content = min(match.end(), stop)
            start = match.start("marks")
            run = replace(run, end=stop) if run else Block("paragraph", start, stop, content=content)
    if run:
        yield run
