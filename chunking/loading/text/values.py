"""Blocks of nested values, such as JSON and YAML have.

Counted without white space, what has at most :data:`UNIT` characters is one unit, kept whole: a record of a list, an
object in a configuration. Scalars that follow each other are packed into units of that size. What is larger is opened:
its key is a heading, a level deeper for each container, and a record of a list begins with a heading whose words are
its first scalar and whose title is its number and name. Long prose is no unit but paragraphs, split into sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from chunking.document import Block
from chunking.loading.text import prose
from chunking.runtime.arrays import Int32

UNIT = 500
"""Characters without white space that a unit may have: what a small encoder reads whole."""

_SLIGHT = 60  # up to so many a container is packed with its neighbours, as a scalar is
_FIGURES = 2000  # that a unit without letters may have, such as the coordinates of a border
_DEEPEST = 12  # level of headings; what is deeper has none of its own, so that no path grows with hostile input
_LEAD = 100  # characters of the first scalars of a record, which are its heading
_MAX_TITLE = 60
_LOOKED_AT = 30  # members among which a name is sought
_NAMES = ("name", "title", "label")
_OTHER_NAMES = ("id", "key", "kind", "type")

_TO_VALUE = re.compile(r"[\s\"':]*")
_WORD = re.compile(r"[^\W_]")
_BLANK_LINE = re.compile(r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)")


@dataclass(eq=False, slots=True)
class Value:
    """A value, with the key or mark that stands before it.

    Attributes:
        kind: what it is.
        start, end: the whole, with its key or the mark of a list item.
        inner: where the words of a scalar are, inside its quotes.
        key: where the words of its key are; ``None`` where it has none.
        opening: characters at its start that open it where it has no key (``{``, ``-``, ``---``).
        escaped: whether backslashes escape in it.
        source: what its members are found by, for the format.
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
    """Blocks of the values of a text.

    Args:
        text: what they are in.
        top: the values at the top, in order; several are taken as the records of a list.
        members: gives what is in an object or array, in order.
        comment: what begins a comment that goes to the end of its line.
    """
    walk = _Walk(text, members)
    walk.run(top)
    return tuple(_tidy(text, with_comments(text, walk.found, comment)))


def _tidy(text: str, found: Iterator[Block]) -> Iterator[Block]:
    """Blocks without the odd white space that a key or scalar may begin with."""
    for block in found:
        piece = text[block.start : block.end]
        start = block.start + len(piece) - len(piece.lstrip())
        end = start + len(piece.strip())
        if (start, end) == (block.start, block.end) and start <= block.content <= end:
            yield block
        elif start < end:
            yield replace(block, start=start, end=end, content=min(max(block.content, start), end))


@dataclass(eq=False, slots=True)
class _Frame:
    """A container that is open.

    Attributes:
        items: its members that are still to come, with their numbers.
        level: of the headings of its members.
        listed: whether it is an array, so that objects in it are records.
        opened: whether a member has a heading already: what follows must not stand under that.
    """

    items: Iterator[tuple[int, Value]]
    level: int
    listed: bool
    opened: bool = False


class _Walk:
    """One pass over the values.

    Attributes:
        found: the blocks, in order.
    """

    def __init__(self, text: str, members: Members) -> None:
        self.text = text
        self.members = members
        self.found: list[Block] = []
        self._black, self._letters = _counted(text)
        self._frames: list[_Frame] = []
        self._run: list[tuple[Value, int]] = []
        self._weight = 0

    def run(self, top: Sequence[Value]) -> None:
        """Find the blocks of the values at the top."""
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

    def _open(self, members: Sequence[Value], level: int, listed: bool) -> None:
        self._frames.append(_Frame(enumerate(members), level, listed))

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
        if weight <= _SLIGHT and not (frame.listed and value.kind == "object"):
            self._pack(value, number, weight, _FIGURES if figures else UNIT)
            return
        self._flush()
        members = self.members(value) if weight > UNIT else ()
        if not members:
            self._pack(value, number, weight, UNIT)
            self._flush()
            return
        if not (figures and value.key is None) and frame.level <= _DEEPEST:
            members = self._heading(value, number, frame.level, members)
            frame.opened = True
        self._open(members, frame.level + 1, value.kind == "array")

    def _heading(self, value: Value, number: int, level: int, members: Sequence[Value]) -> Sequence[Value]:
        """Add the heading of a value; the members that come after it."""
        if value.key is not None:
            self._keyed(value, level)
            return members
        title = self._title(value, number, members)
        first, weight = 0, 0
        while first < len(members) and members[first].kind == "scalar" and not self._is_prose(members[first]):
            weight += self._count(self._black, members[first])
            if weight > (_LEAD if first else UNIT):
                break
            first += 1
        if first:
            self.found.append(Block("heading", value.start, members[first - 1].end, level, members[0].start, title))
        elif value.opening:
            end = value.start + value.opening
            self.found.append(Block("heading", value.start, end, level, end, title))
        return members[first:]

    def _keyed(self, value: Value, level: int) -> None:
        """Add a heading that is the key of a value."""
        start, end = value.key or (value.start, value.start)
        self.found.append(Block("heading", value.start, max(end, value.start + 1), level, start, self._title(value, 0)))

    def _title(self, value: Value, number: int, members: Sequence[Value] = ()) -> str:
        """What a value is called: by its key, or in a list by its number and the name that its members tell."""
        if value.key is not None:
            return self._short(" ".join(self.text[slice(*value.key)].split()) or '""')
        name = self._name(members or self.members(value)) if value.kind == "object" else ""
        return f"[{number}] {name}".rstrip()

    def _name(self, members: Sequence[Value]) -> str:
        """What a record is called: by its own name or title, by that of an object in it, or by another mark."""
        near = members[:_LOOKED_AT]
        return (
            self._called(near, _NAMES) or self._called(self._inside(near), _NAMES) or self._called(near, _OTHER_NAMES)
        )

    def _inside(self, values: Sequence[Value]) -> Iterator[Value]:
        """What is in small objects."""
        for value in values:
            if value.kind == "object" and self._count(self._black, value) <= 4 * UNIT:
                yield from self.members(value)[:_LOOKED_AT]

    def _called(self, values: Iterable[Value], keys: Sequence[str]) -> str:
        """The scalar of the first of some keys that has words."""
        named = {self.text[slice(*value.key)]: value for value in values if value.key and value.kind == "scalar"}
        for key in keys:
            name = " ".join(self.text[slice(*named[key].inner)].split()) if key in named else ""
            if name:
                return self._short(name)
        return ""

    @staticmethod
    def _short(words: str) -> str:
        return words if len(words) <= _MAX_TITLE else words[: _MAX_TITLE - 1] + "…"

    # Units

    def _pack(self, value: Value, number: int, weight: int, most: int) -> None:
        if self._run and self._weight + weight > most:
            self._flush()
        self._run.append((value, number))
        self._weight += weight

    def _flush(self) -> None:
        """End the unit that is being packed.

        After what was opened it stands under a heading of its own: itself, where it is not large.
        """
        if not self._run:
            return
        first, last = self._run[0][0], self._run[-1][0]
        start, frame = first.start, self._frames[-1]
        if frame.opened and self._weight <= UNIT:
            titles = [self._title(*each) for each in self._run[:_LOOKED_AT]]
            title = self._short(", ".join(titles))
            self.found.append(Block("heading", start, last.end, frame.level, start, title))
        else:
            if frame.opened and first.key is not None:
                self._keyed(first, frame.level)
                start = max(first.key[1], start + 1)
                between = _TO_VALUE.match(self.text, start, last.end)
                start = between.end() if between else start
            self.found.extend(_code(self.text, start, last.end))
        self._run, self._weight = [], 0

    @staticmethod
    def _count(counts: Int32, value: Value) -> int:
        return int(counts[value.end] - counts[value.start])

    # Prose

    def _is_prose(self, value: Value) -> bool:
        start, end = value.inner
        return end - start >= prose.LONG and prose.is_prose(self.text[start:end])

    def _paragraphs(self, value: Value) -> None:
        """Add the blocks of a long text, with its key: as a heading after what was opened, else before the first."""
        start, end = value.inner
        shown = self.text[start:end]
        found = prose.blocks(unescaped(shown) if value.escaped else shown, start)
        frame = self._frames[-1]
        if found and frame.opened and value.key is not None:
            self._keyed(value, frame.level)
        elif found:
            found[0] = replace(found[0], start=value.start)
        self.found.extend(found)


_STRETCH = 2**18
"""Characters that are counted at a time, as the arrays of a whole text would be many times its size."""


def _counted(text: str) -> tuple[Int32, Int32]:
    """``(len(text) + 1,)`` int32 each: how many characters before each place are not white space, and are letters."""
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


_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def unescaped(text: str) -> str:
    """A text in double quotes with its escaped line ends and tabs as such, of the same length."""
    return _ESCAPE.sub(lambda match: {"n": " \n", "r": "  ", "t": "  "}.get(match[1], match[0]), text)


MAX_LINES = 40
"""Lines of a unit that is text without structure, such as a script in a string."""


def _code(text: str, start: int, end: int) -> Iterator[Block]:
    """A unit, or several where it has too many lines, parted at blank ones."""
    begin = lines = 0
    part = text[start:end]
    for match in _BLANK_LINE.finditer(part):
        lines += part.count("\n", begin, match.start()) + 1
        if lines > MAX_LINES // 2:
            yield from _unit(text, start + begin, start + match.start())
            begin, lines = match.end(), 0
    yield from _unit(text, start + begin, end)


def _unit(text: str, start: int, end: int) -> Iterator[Block]:
    piece = text[start:end]
    bare = piece.strip()
    if bare:
        start += len(piece) - len(piece.lstrip())
        yield Block("code", start, start + len(bare))


# Comments ----------------------------------------------------------------------------------------------------------

_LINE = re.compile(r"[^\r\n]+")
_LINE_END = re.compile(r"\r\n?|\n")


def with_comments(text: str, found: Sequence[Block], mark: str) -> Iterator[Block]:
    """Blocks, and the comments between them.

    A comment at the end of a line is part of the block on that line; one right above a unit or heading, and not longer
    than a unit, is part of that; others are paragraphs.

    Args:
        text: what they are in.
        found: in order.
        mark: what begins a comment.
    """
    comment = re.compile(rf"[ \t]*(?P<marks>(?:{re.escape(mark)})+[ \t]*)")
    trailing = re.compile(rf"[ \t,:{{}}\[\]]*{comment.pattern}[^\r\n]*")
    before = 0
    for number, block in enumerate([*found, None]):
        stop = len(text) if block is None else block.start
        runs = list(_comments(text, before, stop, comment))
        if block is not None:
            above = runs[-1] if runs else None
            between = text[above.end : stop] if above else ""
            if above and block.kind != "paragraph" and above.end - above.start <= UNIT and _next_line(between):
                runs.pop()
                block = replace(block, start=above.start, content=above.start)
            following = found[number + 1].start if number + 1 < len(found) else len(text)
            rest = trailing.match(text, block.end, following) if block.kind != "paragraph" else None
            if rest:
                block = replace(block, end=block.end + len(rest.group().rstrip()))
            before = block.end
        yield from (run for run in runs if _WORD.search(text, run.content, run.end))
        if block is not None:
            yield block


def _next_line(between: str) -> bool:
    """Whether what is between two places is one line end and the space before the next words."""
    return len(_LINE_END.findall(between)) == 1 and not between.strip()


def _comments(text: str, start: int, end: int, comment: re.Pattern[str]) -> Iterator[Block]:
    """A paragraph for each run of lines that are comments, whether they have words or not."""
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
