"""Markdown as its reader sees it: CommonMark with tables and deleted text, by markdown-it-py.

The parser gives lines and words; where these words are on the lines is found here, character by character.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from chunking.document import Block
from chunking.loading.spans import runs
from chunking.loading.text import markdown
from chunking.rendering import code
from chunking.rendering.inline import Inline
from chunking.rendering.rendering import ElementKind, RenderingWriter
from chunking.runtime.patterns import compile_pattern

_CONTAINERS: dict[str, ElementKind] = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "table_open": "table",
    "tr_open": "row",
}
_CLOSING = ("bullet_list_close", "ordered_list_close", "list_item_close", "blockquote_close")
_TAG = compile_pattern(r"<[^<>]*>")
_PIPE = compile_pattern(r"(?<!\\)\|")
_ESCAPED_PIPE = compile_pattern(r"\\(?=\|)")
_LANGUAGE = compile_pattern(r"[\w+#.-]+")
_TASK = compile_pattern(r"\[([ xX])\](?=[ \t])")
_MARKS = compile_pattern(r"(?:[ \t]*(?:>|[-+*]|[0-9]{1,9}[.)])(?=[ \t]|\Z))*")


def write(to: RenderingWriter, start: int, end: int) -> None:
    """Add the Markdown of a part of a text to its rendering.

    Args:
        to: the rendering.
        start, end: half-open span of the part.
    """
    _MarkdownWriter(to, start, markdown.parse(to.text[start:end])).run()


@dataclass
class _MarkdownWriter:
    """One pass over the tokens of a part.

    Attributes:
        to: the rendering.
        offset: of the part in the text.
        parsed: its tokens.
        numbers: of the next item of each open list; 0 if it is not ordered.
        containers: the opening tokens of open list items and quotes.
        item: number of the element of a list item that was just opened; else −1.
        row: span of each cell of the row on its line.
        column: of the last cell, from 1.
    """

    to: RenderingWriter
    offset: int
    parsed: markdown.ParsedMarkdown
    numbers: list[int] = field(default_factory=list)
    containers: list[Token] = field(default_factory=list)
    item: int = -1
    row: list[tuple[int, int]] = field(default_factory=list)
    column: int = 0

    def __post_init__(self) -> None:
        self.lines = self.parsed.lines
        self.used = bytearray(len(self.lines.starts))

    def run(self) -> None:
        """Write all blocks, and what is between them."""
        tokens = self.parsed.tokens
        if self.parsed.front:
            self._front_matter(self.parsed.front)
        for index, token in enumerate(tokens):
            self._token(token, tokens[index + 1] if index + 1 < len(tokens) else None)
        self._show_rest()

    def _token(self, token: Token, following: Token | None) -> None:
        if token.type in _CONTAINERS:
            self._open(token)
        elif token.type in _CLOSING:
            self._close(token)
        match token.type:
            case "heading_open" if following:
                self._words(token, following, "heading", int(token.tag[1:]))
            case "paragraph_open" if following:
                self._words(token, following, "paragraph")
            case "th_open" | "td_open" if following:
                self._cell(following, "header" if token.type == "th_open" else "cell")
            case "fence":
                self._code(token, 1, _language(token.info))
            case "code_block" | "text_table":
                self._code(token, 0, "")
            case "html_block" if markdown.has_words(token.content):
                self._html(token)
            case "hr":
                self.to.add("rule", *self._span(*self._use(token)))
        if token.type not in _CONTAINERS:
            self.item = -1

    # Containers -----------------------------------------------------------------------------------------------------

    def _open(self, token: Token) -> None:
        kind, level = _CONTAINERS[token.type], 0
        first, last = token.map or (0, 0)
        if kind == "list":
            ordered = token.type == "ordered_list_open"
            self.numbers.append(max(int(token.attrGet("start") or 1), 1) if ordered else 0)
            level = int(ordered)
        elif kind == "item":
            level = self.numbers[-1]
            self.numbers[-1] += bool(level)
        elif kind == "table":
            self._use(token)
            level = len(cells(self.lines.line(first), markdown.content_start(self.lines, self.containers, first)))
        elif kind == "row":
            self.row = cells(self.lines.line(first), markdown.content_start(self.lines, self.containers, first))
            self.column = 0
        if kind in ("item", "quote"):
            self.containers.append(token)
        number = self.to.add(kind, *self._span(first, last), level)
        self.item = number if kind == "item" else -1

    def _close(self, token: Token) -> None:
        if token.type in ("bullet_list_close", "ordered_list_close"):
            self.numbers.pop()
        else:
            self.containers.pop()

    def _use(self, token: Token) -> tuple[int, int]:
        """Note that the lines of a token belong to it, and return them."""
        first, last = token.map or (0, 0)
        self.used[first:last] = b"\1" * (last - first)
        return first, last

    def _span(self, first: int, last: int) -> tuple[int, int]:
        """Return the span of some lines without blank ones at their end."""
        while last > first + 1 and not self.lines.line(last - 1).strip():
            last -= 1
        return self.offset + self.lines.starts[first], self.offset + self.lines.ends[last - 1]

    # Words ----------------------------------------------------------------------------------------------------------

    def _words(self, token: Token, words: Token, kind: ElementKind, level: int = 0) -> None:
        first, last = self._use(token)
        content, offsets = self._locate(words.content.split("\n"), first, last)
        if offsets:
            self.to.add(kind, offsets[0], offsets[-1] + 1, level)
            Inline(content, offsets, self.parsed.env).write(self.to)
            if self.item >= 0:
                self._task(content, offsets)

    def _task(self, content: str, offsets: Sequence[int]) -> None:
        """Show the box of a task, in the place of the mark of its item."""
        box = _TASK.match(content)
        if box:
            self.to.replace(offsets[0], offsets[2] + 1, "☐" if box[1] == " " else "☑")
            self.to.set_level(self.item, -1)

    def _cell(self, words: Token, kind: ElementKind) -> None:
        self.column += 1
        if self.column > len(self.row) or not words.content:
            return
        first = markdown.first_line(words)
        line, at = self.lines.line(first), self.offset + self.lines.starts[first]
        start, end = self.row[self.column - 1]
        escapes = {match.start() for match in _ESCAPED_PIPE.finditer(line, start, end)}
        offsets = [column for column in range(start + (line[start] == "|"), end) if column not in escapes]
        content = "".join(line[column] for column in offsets)
        skipped = len(content) - len(content.lstrip(" \t"))
        offsets = [at + column for column in offsets[skipped : skipped + len(words.content)]]
        self.to.add(kind, at + start, at + end, self.column)
        Inline(words.content, offsets, self.parsed.env).write(self.to)

    def _code(self, token: Token, fence: int, language: str) -> None:
        """Add a block of code; ``fence`` is the number of lines before its first."""
        first, last = self._use(token)
        lines = token.content.removesuffix("\n").split("\n") if token.content else []
        content, offsets = self._locate(lines, first + fence, last)
        self._show_code(self._span(first, last), content, offsets, language)

    def _html(self, token: Token) -> None:
        """Add HTML as code, and its headings as such, except where the marks of a list or quote are on its lines."""
        first, last = token.map or (0, 0)
        start, end = (edge - self.offset for edge in self._span(first, last))
        text = self.lines.text
        start += len(text[start:end]) - len(text[start:end].lstrip())
        blocks = list(markdown.html_blocks(Block("code", start, end), text))
        if self.containers or (len(blocks) == 1 and blocks[0].kind == "code"):
            self._code(token, 0, "html")
            return
        self._use(token)
        for block in blocks:
            span = self.offset + block.start, self.offset + block.end
            if block.kind == "heading":
                self.to.add("heading", *span, block.level)
                for begin, stop in _between_tags(text, block.content, block.end):
                    offsets = range(self.offset + begin, self.offset + stop)
                    Inline(text[begin:stop], offsets, self.parsed.env).write(self.to)
            else:
                self._show_code(span, text[block.start : block.end], range(*span), "html")

    def _front_matter(self, end: int) -> None:
        count = sum(start < end for start in self.lines.starts)
        self.used[:count] = b"\1" * count
        content, offsets = self._locate([self.lines.line(number) for number in range(count)], 0, count)
        self._show_code(
            (self.offset, self.offset + end), content, offsets, "toml" if content.lstrip().startswith("+") else "yaml"
        )

    def _show_code(self, span: tuple[int, int], content: str, offsets: Sequence[int], language: str) -> None:
        self.to.add("code", *span, title=language)
        for start, end in runs(offsets):
            self.to.show(start, end)
        for start, end, name in code.tokens(content, language):
            self.to.add("token", offsets[start], offsets[end - 1] + 1, title=name)

    def _locate(self, lines: Sequence[str], first: int, last: int) -> tuple[str, list[int]]:
        """Return the words of some lines, joined by line ends, with the offset of each character.

        Args:
            written: the words of each line as the parser gives them; spaces before them may come from a tab.
            first, last: their numbers, half-open.
        """
        pieces: list[str] = []
        offsets: list[int] = []
        for number, words in zip(range(first, last), lines, strict=False):
            line, at = self.lines.line(number).replace("\0", "\ufffd"), self.offset + self.lines.starts[number]
            column = line.rfind(words)
            if column < 0:
                words = words.lstrip(" ")
                column = max(line.rfind(words), 0)
            pieces.append(line[column : column + len(words)])
            offsets += range(at + column, at + column + len(pieces[-1]))
            offsets.append(at + len(line))
        return "\n".join(pieces), offsets[:-1]

    # The rest -------------------------------------------------------------------------------------------------------

    def _show_rest(self) -> None:
        """Show the lines that belong to no block but have words: link definitions, comments."""
        open_at = -1
        for number in range(len(self.used) + 1):
            words = number < len(self.used) and not self.used[number] and self._has_words(number)
            if words and open_at < 0:
                open_at = number
            elif not words and open_at >= 0:
                start, end = self._span(open_at, number)
                self.to.add("source", start, end)
                self.to.show(start, end)
                open_at = -1

    def _has_words(self, number: int) -> bool:
        line = self.lines.line(number)
        marks = _MARKS.match(line)
        return any(map(str.isalnum, line[marks.end() if marks else 0 :]))


def _between_tags(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the words between the tags of HTML."""
    for tag in _TAG.finditer(text, start, end):
        if text[start : tag.start()].strip():
            yield start, tag.start()
        start = tag.end()


def cells(line: str, begin: int = 0) -> list[tuple[int, int]]:
    """Return the span of each cell of a row of a table, with the pipe before it, from an offset in its line on."""
    end = len(line.rstrip(" \t"))
    pipes = [match.start() for match in _PIPE.finditer(line, begin, end)]
    edges = [*([] if pipes[:1] == [begin] else [begin]), *pipes]
    if len(edges) > 1 and edges[-1] == end - 1:
        return list(itertools.pairwise(edges))
    return list(itertools.pairwise([*edges, end]))


def _language(info: str) -> str:
    match = _LANGUAGE.search(info)
    return match.group() if match else ""
