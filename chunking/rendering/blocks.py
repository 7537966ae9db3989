"""Documents of other formats as their reader sees them, by the blocks of their layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from chunking.document import Block
from chunking.loading.spans import trim_span
from chunking.loading.text.csv import cell_spans
from chunking.rendering import code
from chunking.rendering.rendering import ElementKind, RenderingWriter
from chunking.runtime.patterns import compile_pattern

_BULLET = compile_pattern(r"[-*+•◦▪‣–·o]")
_NUMBER = compile_pattern(r"([0-9]{1,9})[.)]")
_ITEMS = frozenset(("li", "dt", "dd"))
_BAR = compile_pattern(r"(?:^| )\|(?= |$)")
_LINE = compile_pattern(r"[^\r\n]+")
_DOUBLED = compile_pattern('""')
_WITH_MARKS = ("heading", "paragraph", "caption", "footnote")
_KINDS: dict[str, ElementKind] = {"caption": "caption", "footnote": "footnote"}


Inline = Callable[[RenderingWriter, int, int], None]
"""Adds the marks inside a paragraph that is shown."""


def write(
    to: RenderingWriter,
    blocks: Iterable[Block],
    span: tuple[int, int],
    *,
    language: str = "",
    inline: Inline | None = None,
) -> None:
    """Add the blocks of a part of a text to its rendering.

    Args:
        to: the rendering.
        blocks: of the part.
        span: half-open span of the part.
        language: of its code.
        inline: adds the marks in its paragraphs, items, quotes and headings.
    """
    start, end = span
    writer = _BlockWriter(to, language, inline)
    offset = start
    for block in blocks:
        writer.between(offset, block.start)
        writer.block(block)
        offset = max(offset, block.end)
    writer.between(offset, end)
    writer.close(0)


class _Container(NamedTuple):
    """A list, item or quote around the next block.

    Attributes:
        kind, level: as of its element.
        number: of its element.
        depth: of nesting: twice that of an item and of a quote, one less for a list.
    """

    kind: ElementKind
    level: int
    number: int
    depth: int


@dataclass
class _BlockWriter:
    """One pass over the blocks.

    Attributes:
        to: the rendering.
        language, inline: see :func:`write`.
        opened: containers around the next block, outermost first.
        end: of the last block.
    """

    to: RenderingWriter
    language: str = ""
    inline: Inline | None = None
    opened: list[_Container] = field(default_factory=list)
    end: int = 0

    def between(self, start: int, end: int) -> None:
        """Show what is between two blocks, if it has words."""
        first, last = trim_span(self.to.text, start, end)
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
            self.to.extend(self.opened.pop().number, self.end)

    def _plain(self, block: Block) -> None:
        start, end = block.start, block.end
        match block.kind:
            case "heading":
                self._leaf("heading", start, end, block.level, visible=block.content if self._hides(block) else start)
            case "table":
                self._table(start, end)
            case "code":
                self._code(start, end)
            case "page_break":
                self._page_break(start, end)
            case "speaker_turn":
                self._leaf("paragraph", start, end)
                self.to.add("speaker", *trim_span(self.to.text, start, block.content))
            case _:
                self._leaf(_KINDS.get(block.kind, "paragraph"), start, end)
                if block.style and block.style.bold:
                    self.to.add("strong", start, end)
                if block.style and block.style.italic:
                    self.to.add("emphasis", start, end)

    def _page_break(self, start: int, end: int) -> None:
        """Add a rule, with the footer before it and the header after it."""
        feed = self.to.text.find("\f", start, end)
        at = feed if feed >= 0 else start
        self.between(start, at)
        self.to.add("rule", at, at + 1)
        self.between(at + 1, end)

    def _code(self, start: int, end: int) -> None:
        """Add code, from the indentation of its first line on, without what all its lines are indented by."""
        text = self.to.text
        while start and text[start - 1] in " \t":
            start -= 1
        self._leaf("code", start, end)
        lines = [match.span() for match in _LINE.finditer(text, start, end)]
        words = (text[slice(*line)] for line in lines)
        shared = min((len(line) - len(line.lstrip(" \t")) for line in words if line.strip()), default=0)
        for first, last in lines:
            self.to.hide(first, min(first + shared, last))
        for first, last, name in code.tokens(text[start:end], self.language):
            self.to.add("token", start + first, start + last, title=name)

    def _hides(self, block: Block) -> bool:
        """Return whether what is before the words of a heading is a mark and no number."""
        return not any(map(str.isalnum, self.to.text[block.start : block.content]))

    def _leaf(self, kind: ElementKind, start: int, end: int, level: int = 0, visible: int = -1) -> None:
        self.to.add(kind, start, end, level)
        self.to.show(max(start, visible), end)
        if self.inline and kind in _WITH_MARKS:
            self.inline(self.to, max(start, visible), end)

    # Lists and quotes -----------------------------------------------------------------------------------------------

    def _item(self, block: Block) -> None:
        mark = trim_span(self.to.text, block.start, block.content)
        words = self.to.text[mark.start : mark.end]
        number = _NUMBER.fullmatch(words)
        begins = not block.tags or not _ITEMS.isdisjoint(block.tags)
        level = int(number[1]) if number else self._number_without_mark(block, begins or bool(words))
        self._into("list", block.start, 2 * block.level - 1, int(level > 0))
        if begins or self._level(2 * block.level) is None:
            is_custom = not number and not _BULLET.fullmatch(words)
            self.close(2 * block.level - 1)
            unmarked = is_custom and (bool(words) or "li" not in block.tags)
            self._begin("item", block.start, 2 * block.level, -1 if unmarked else level)
            if words and is_custom:
                self._leaf("marker", *mark)
        self._leaf("paragraph", block.content, block.end)

    def _level(self, depth: int) -> int | None:
        """Return the level of the container of a depth, if one is open."""
        return next((container.level for container in self.opened if container.depth == depth), None)

    def _number_without_mark(self, block: Block, begins: bool) -> int:
        """Return the number of the item that a block without a mark continues; 0 if it begins one, or has none."""
        numbered = self._level(2 * block.level - 1)
        return (self._level(2 * block.level) or 0) if numbered and not begins else 0

    def _quote(self, block: Block) -> None:
        self._into("quote", block.start, 2 * block.level, 0)
        self._leaf("paragraph", block.content, block.end)

    def _into(self, kind: ElementKind, start: int, depth: int, level: int) -> None:
        """Go into a list or quote, which is continued if one of the same kind is open."""
        at = next((container for container in self.opened if container.depth == depth), None)
        if at and (at.kind, at.level) == (kind, level):
            self.close(depth + 1 if kind == "list" else depth)
        else:
            self.close(depth - 1)
            self._begin(kind, start, depth, level)

    def _begin(self, kind: ElementKind, start: int, depth: int, level: int) -> None:
        self.opened.append(_Container(kind, level, self.to.add(kind, start, start + 1, level), depth))

    # Tables ---------------------------------------------------------------------------------------------------------

    def _table(self, start: int, end: int) -> None:
        """Add a table whose cells have bars between them; one without bars keeps its lines."""
        text = self.to.text
        lines = [match.span() for match in _LINE.finditer(text, start, end)]
        barred = sum(bool(_BAR.search(text[first:last])) for first, last in lines)
        if 2 * barred <= len(lines):
            self._code(start, end)
            return
        rows = [[first, *(first + match.start() for match in _BAR.finditer(text[first:last]))] for first, last in lines]
        self.to.add("table", start, end, max(map(len, rows)))
        for (first, last), edges in zip(lines, rows, strict=True):
            self.to.add("row", first, last)
            for column, (left, right) in enumerate(zip(edges, [*edges[1:], last], strict=True), 1):
                words = trim_span(text, left + 2 * (column > 1), right)
                if words.start < words.end:
                    self.to.add("cell", left, right, column)
                    self.to.show(*words)


def write_csv(to: RenderingWriter) -> None:
    """Add values separated by commas, tabs or the like: the whole text, as a table whose first row is its header."""
    rows = list(cell_spans(to.text))
    if rows:
        to.add("table", rows[0][0][0], rows[-1][-1][1], max(map(len, rows)))
    for number, spans in enumerate(rows):
        start, end = spans[0][0], spans[-1][1]
        to.add("row", start, end)
        for column, span in enumerate(spans, 1):
            first, last = trim_span(to.text, *span)
            if first < last:
                to.add("cell" if number else "header", first, last, column)
                _show_value(to, first, last)


def _show_value(to: RenderingWriter, start: int, end: int) -> None:
    """Show a value without its quotation marks."""
    to.show(start, end)
    if end - start > 1 and to.text[start] == to.text[end - 1] == '"':
        to.hide(start, start + 1)
        to.hide(end - 1, end)
        for pair in _DOUBLED.finditer(to.text, start + 1, end - 1):
            to.hide(pair.start(), pair.start() + 1)
