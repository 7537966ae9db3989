"""From groups of lines to blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunking.document import Block, BlockKind
from chunking.loading.text.plain.kinds import KindsFromLine, lead_in
from chunking.loading.text.plain.lines import (
    UNDERLINES,
    first_item,
    has_columns,
    heading_of,
    is_rule,
    is_unwrapped,
    marker_of,
    turns_of,
    underlines,
    until_rule,
)
from chunking.loading.text.plain.parts import Line
from chunking.runtime.patterns import compile_pattern

_NOT_WORD = compile_pattern(r"[\s>]*")


class GroupReader:
    """A reader of groups that tracks the document's indentation and the open list."""

    def __init__(self, body: int) -> None:
        self.body = body
        self.indents: list[int] = []

    def read(self, lines: Sequence[Line], near: Sequence[tuple[int, ...]]) -> Iterator[Block]:
        """Yield the blocks of a group; ``near`` has the numbers at the start of the groups around it."""
        rest = KindsFromLine(lines, self.body)
        at = 0
        while at < len(lines):
            kind = rest.kind(at)
            lead = lead_in(lines[at:]) if kind == "code" else 0
            if lead:
                yield from self._plain(lines[at : at + lead], near, alone=False)
                at += lead
            if kind:
                self.indents.clear()
                first = lines[at]
                level = len(first.text) - len(first.text.lstrip(">")) if kind == "quote" else 0
                content = first.start + (_leading(first.text) if kind == "quote" else 0)
                yield block_of(kind, lines[at:], level, min(content, lines[-1].end))
                return
            over = 1 if is_rule(lines[at].text) else 0
            below = at + over + 1
            if below < len(lines) and underlines(lines[below].text, lines[below - 1].text):
                level = UNDERLINES.index(lines[below].text[0]) + 1
                above = over and lines[at].text[0] == lines[below].text[0]
                title = lines[below - 1]
                yield Block("heading", lines[at].start if above else title.start, title.end, level, title.start)
                self.indents.clear()
                at = below + 1
                near = ()
                continue
            stop = until_rule(lines, at + over)
            yield from self._plain(lines[at + over : stop], near, alone=stop - at - over == len(lines) - at)
            at = stop

    def _plain(self, lines: Sequence[Line], near: Sequence[tuple[int, ...]], alone: bool) -> Iterator[Block]:
        """Yield the blocks of lines without separators, tables or code."""
        if not lines:
            return
        heading = heading_of(lines[0], near, self.body) if alone and len(lines) == 1 else None
        if heading:
            self.indents.clear()
            yield heading
            return
        turns = turns_of(lines)
        if turns or is_unwrapped(lines):
            for part in turns or [[line] for line in lines]:
                yield from self._items(part) if not turns else [block_of("paragraph", part)]
            return
        yield from self._items(lines)

    def _items(self, lines: Sequence[Line]) -> Iterator[Block]:
        first = first_item(lines)
        if first:
            yield self._paragraph(lines[:first])
        start = first
        while start < len(lines):
            line = lines[start]
            marker = marker_of(line.text, clause=start == 0)
            stop = start + 1
            least = line.indent if marker else 0
            while stop < len(lines) and not marker_of(lines[stop].text) and lines[stop].indent >= least:
                stop += 1
            if marker:
                level = max(self._depth(line.indent), marker[0].count(".") + (marker[0][-1:].isdigit()))
                yield block_of("list_item", lines[start:stop], level, line.start + marker[1])
            else:
                yield self._paragraph(lines[start:stop])
            start = stop

    def _paragraph(self, lines: Sequence[Line]) -> Block:
        if self.indents and lines[0].indent <= self.indents[0]:
            self.indents.clear()
        return block_of("table" if has_columns(lines) else "paragraph", lines)

    def _depth(self, indent: int) -> int:
        """Return the depth of an item, from 1, by the indentations of the items before it."""
        while self.indents and self.indents[-1] > indent:
            self.indents.pop()
        if not self.indents or self.indents[-1] < indent:
            self.indents.append(indent)
        return len(self.indents)


def block_of(kind: BlockKind, lines: Sequence[Line], level: int = 0, content: int = -1) -> Block:
    """Return a block of whole lines."""
    return Block(kind, lines[0].start, lines[-1].end, level, content)


def _leading(text: str) -> int:
    """Return the number of characters before the first word of a quoted line."""
    match = _NOT_WORD.match(text)
    return match.end() if match else 0
