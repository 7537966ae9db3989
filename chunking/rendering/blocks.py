"""Documents of other formats as their reader sees them, by the blocks of their layout."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from chunking.document import Block
from chunking.rendering import code
from chunking.rendering.rendering import ElementKind, RenderingWriter, trimmed

_BULLET = re.compile(r"[-*+•◦▪‣–·o]")
_NUMBER = re.compile(r"([0-9]{1,9})[.)]")
_BAR = re.compile(r"(?:^| )\|(?= |$)")
_KINDS: dict[str, ElementKind] = {"caption": "caption", "footnote": "footnote"}


def write(to: RenderingWriter, blocks: Iterable[Block], start: int, end: int, language: str = "") -> None:
    """Add the blocks of a part of a text to its rendering.

    Args:
        to: the rendering.
        blocks: of the part.
        start, end: half-open span of the part.
        language: of its code.
    """
    writer = _BlockWriter(to, language)
    place = start
    for block in blocks:
        writer.between(place, block.start)
        writer.block(block)
        place = max(place, block.end)
    writer.between(place, end)
    writer.close(0)


@dataclass
class _OpenContainer:
    """A list, item or quote whose end is not known yet."""

    kind: ElementKind
    start: int
    depth: int
    level: int = 0


@dataclass
class _BlockWriter:
    """One pass over the blocks.

    Attributes:
        to: the rendering.
        language: of code.
        opened: containers around the next block, outermost first.
        numbers: number of the last item of each depth.
        end: of the last block.
    """

    to: RenderingWriter
    language: str = ""
    opened: list[_OpenContainer] = field(default_factory=list)
    end: int = 0

    def between(self, start: int, end: int) -> None:
        """Show what is between two blocks, if it has words."""
        first, last = trimmed(self.to.text, start, end)
        if any(map(str.isalnum, self.to.text[first:last])):
            self.close(0)
            self._leaf("source", first, last)

    def block(self, block: Block) -> None:
        """Add a block."""
        if block.kind == "list_item":
            self._item(block)
        elif block.kind == "quote":
            self._quote(block)
        else:
            self.close(0)
            self._plain(block)
        self.end = block.end

    def close(self, depth: int) -> None:
        """End the containers deeper than ``depth``."""
        while self.opened and self.opened[-1].depth > depth:
            last = self.opened.pop()
            self.to.add(last.kind, last.start, self.end, last.level)

    def _plain(self, block: Block) -> None:
        start, end = block.start, block.end
        match block.kind:
            case "heading":
                self._leaf("heading", start, end, block.level, visible=block.content if self._hides(block) else start)
            case "table":
                self._table(start, end)
            case "code":
                self._leaf("code", start, end)
                for first, last, name in code.tokens(self.to.text[start:end], self.language):
                    self.to.add("token", start + first, start + last, title=name)
            case "page_break":
                self.to.add("rule", start, end)
                words = trimmed(self.to.text, start, end)
                if any(map(str.isalnum, self.to.text[words.start : words.end])):
                    self._leaf("source", *words)
            case "speaker_turn":
                self._leaf("paragraph", start, end)
                self.to.add("speaker", *trimmed(self.to.text, start, block.content))
            case _:
                self._leaf(_KINDS.get(block.kind, "paragraph"), start, end)
                if block.style and block.style.bold:
                    self.to.add("strong", start, end)
                if block.style and block.style.italic:
                    self.to.add("emphasis", start, end)

    def _hides(self, block: Block) -> bool:
        """Return whether what is before the words of a heading is a mark and no number."""
        return not any(map(str.isalnum, self.to.text[block.start : block.content]))

    def _leaf(self, kind: ElementKind, start: int, end: int, level: int = 0, visible: int = -1) -> None:
        self.to.add(kind, start, end, level)
        self.to.show(max(start, visible), end)

    # Lists and quotes -----------------------------------------------------------------------------------------------

    def _item(self, block: Block) -> None:
        mark = self.to.text[block.start : block.content].strip()
        number = _NUMBER.fullmatch(mark)
        listed = not block.tags or not {"li", "dt", "dd"}.isdisjoint(block.tags)
        level = int(number[1]) if number else 0
        if block.tags and listed:
            level = self._numbered(block)
        ordered = int(level > 0)
        depth = 2 * block.level
        self._into("list", block, depth - 1, ordered)
        if listed or not (self.opened and self.opened[-1].kind == "item" and self.opened[-1].depth == depth):
            own = bool(mark) and not number and not _BULLET.fullmatch(mark)
            bare = own or not listed or not {"dt", "dd"}.isdisjoint(block.tags) or (not mark and not block.tags)
            self._begin("item", block, depth, -1 if bare else level)
            if own:
                self.to.add("marker", *trimmed(self.to.text, block.start, block.content))
                self.to.show(*trimmed(self.to.text, block.start, block.content))
        self._leaf("paragraph", block.content, block.end)

    def _numbered(self, block: Block) -> int:
        """Return the number of an item of HTML: one more than the last of its list; 0 in a list that has none."""
        lists = [tag for tag in block.tags if tag in ("ol", "ul", "menu", "dl")]
        if lists:
            return int(lists[-1] == "ol")
        return self._last.get(block.level, 0) and self._last[block.level] + 1

    _last: dict[int, int] = field(default_factory=dict)

    def _quote(self, block: Block) -> None:
        self._into("quote", block, 2 * block.level, 0)
        self._leaf("paragraph", max(block.start, block.content), block.end)

    def _into(self, kind: ElementKind, block: Block, depth: int, level: int) -> None:
        """Go into the container of a depth, which is continued if it is open and of the same kind."""
        at = next((each for each in self.opened if each.depth == depth), None)
        if at and at.kind == kind and at.level == level:
            self.close(depth + 1 if kind == "list" else depth)
        else:
            self.close(depth - 1)
            self._begin(kind, block, depth, level)

    def _begin(self, kind: ElementKind, block: Block, depth: int, level: int) -> None:
        if kind == "item":
            self.close(depth - 1)
            self._last[block.level] = level
        self.opened.append(_OpenContainer(kind, block.start, depth, level))

    # Tables ---------------------------------------------------------------------------------------------------------

    def _table(self, start: int, end: int) -> None:
        """Add a table whose cells have bars between them; one without bars keeps its lines."""
        text = self.to.text
        lines = [(match.start(), match.end()) for match in re.compile(r"[^\r\n]+").finditer(text, start, end)]
        barred = sum(bool(_BAR.search(text[first:last])) for first, last in lines)
        if 2 * barred <= len(lines):
            self._leaf("code", start, end)
            return
        self.to.add("table", start, end)
        for first, last in lines:
            self.to.add("row", first, last)
            edges = [first, *(first + match.start() for match in _BAR.finditer(text[first:last]))]
            for column, (left, right) in enumerate(zip(edges, [*edges[1:], last], strict=True), 1):
                words = trimmed(text, left + 2 * (column > 1), right)
                if words.start < words.end:
                    self.to.add("cell", left, right, column)
                    self.to.show(*words)
