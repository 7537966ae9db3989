"""Blocks of Markdown: CommonMark with tables, by markdown-it-py.

Only its block rules run: inline rules would cost time and do not affect blocks. Chunkscope adds the mapping from the
parser's lines to characters of the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import unescape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from chunking.document import Block, BlockKind
from chunking.loading.spans import line_spans, trim_span
from chunking.loading.text.markdown import rules
from chunking.loading.text.markdown.front_matter import front_matter_end
from chunking.loading.text.markdown.marks import MAX_NESTING
from chunking.runtime.patterns import compile_pattern

_LINE_END = compile_pattern(r"\r\n?|\n")
"""Line ends of markdown-it, so that its line numbers match."""

_MARKER = compile_pattern(r"[ \t]*(?:>|[-+*](?=[ \t]|\Z)|[0-9]{1,9}[.)](?=[ \t]|\Z))")
_ATX = compile_pattern(r"#{1,6}(?=[ \t]|\Z)")
_TAG = compile_pattern(r"<[^<>]*>")
_COMMENTS = compile_pattern(r"\s*+(?:<!--(?:[^-]|-(?!->))*+-->\s*+)++")
_HTML_TABLE = compile_pattern(r"\s*+(?:<(?!table\b)[^<>]*+>\s*+)*+<table\b", re.IGNORECASE)
_HEADING_TAG = compile_pattern(r"<h([1-6])\b[^<>]*>", re.IGNORECASE)
_HEADING_END = compile_pattern(r"</h[1-6][ \t\r\n]*>", re.IGNORECASE)
_NOT_SPACE = compile_pattern(r"\S")
_ALERT = compile_pattern(r"\[!\w+\][-+]?[ \t]*+")
"""The mark of a quote that is an alert (GitHub) or a callout (Obsidian)."""
_ATTRIBUTES = compile_pattern(r"(?<![ \t])[ \t]++\{:?[ \t]*(?:[#.]|[\w-]+=)[^{}]*\}$")
"""Attributes of a heading."""

_BADGES = compile_pattern(
    r"(?<![ \t])[ \t]*+<[A-Z][\w.]*+(?:[ \t][^<>]*)?/>|<a\b[^<>]*>[ \t]*</a>|<!--(?:[^<-]|-(?!->))*+-->"
)
"""Components, anchors and comments in a heading that are no words of its title."""

CONTAINERS: dict[str, BlockKind] = {
    "blockquote": "quote",
    "list_item": "list_item",
    "definition": "list_item",
    "footnote": "footnote",
}
"""Containers by the names of their tokens, with the kind of their paragraphs."""
_OPENING = frozenset(f"{name}_open" for name in CONTAINERS)
_CLOSING = frozenset(f"{name}_close" for name in CONTAINERS)
_ENDING = _CLOSING | {"html_block", "hr", "marker", "container_close"}
"""Tokens after which no marker waits for its block."""
_LEAVES = frozenset(("heading_open", "paragraph_open", "table_open", "html_block", "fence", "code_block", "text_table"))
"""Tokens that may be blocks."""


def blocks(text: str) -> tuple[Block, ...]:
    """Return the leaf blocks of a Markdown text, in order, without overlap.

    Containers are flattened: the paragraphs of list items are ``list_item`` and those of block quotes ``quote``, with
    their depth as level; other blocks inside them keep their kind. A block that begins on the line of its
    container's marker begins at that marker. The underline of a setext heading is outside its block. A leading
    front matter (:mod:`.front_matter`) and an HTML block with words are ``code``, since they must be kept whole, but
    an HTML table is a ``table``, and an element ``h1`` to ``h6`` in such a block is a heading; thematic breaks, link
    definitions and HTML without words (comments, anchors) are no blocks.
    Neither are the marks of documentation systems (:mod:`.rules`).
    """
    parsed = parse(text)
    front = trim_span(text, 0, parsed.front)
    leaves: list[Block] = [Block("code", *front)] if parsed.front else []
    leaves.extend(_TokenWalk(parsed.lines).run(parsed.tokens))
    return tuple(leaves)


@dataclass(frozen=True)
class ParsedMarkdown:
    """A Markdown text as its parser sees it: blocks, the words in them unread.

    Attributes:
        lines: its lines, by which the tokens refer to it.
        tokens: the tokens of its blocks.
        front: end of its front matter, which no token covers; 0 if it has none.
        env: its link definitions, for the parser of the words.
    """

    lines: Lines
    tokens: Sequence[Token]
    front: int
    env: dict[str, Any]


def parse(text: str) -> ParsedMarkdown:
    """Return the tokens of a Markdown text."""
    front = front_matter_end(text)
    source = text
    if front:
        # Empty lines in its place keep the parser's line numbers.
        source = "".join(_LINE_END.findall(text[:front])) + text[front:]
    env: dict[str, Any] = {}
    return ParsedMarkdown(Lines.of(text), _parser().parse(source, env), front, env)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    # The parser's own limit is disabled: it would skip the rest of the document.
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING + 10}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    rules.add_rules(parser)
    return parser


@dataclass(frozen=True)
class Lines:
    """A text with the half-open spans of its lines, line ends left out."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str) -> Lines:
        """Return the lines of a text."""
        spans = line_spans(text)
        return cls(text, [start for start, _ in spans], [end for _, end in spans])

    def line(self, number: int) -> str:
        """Return a line without its line end."""
        return self.text[self.starts[number] : self.ends[number]]


@dataclass
class _TokenWalk:
    """One pass over the tokens.

    Attributes:
        lines: the lines of the source.
        containers: the opening tokens of open :data:`CONTAINERS`.
        opened: line of the first marker of containers without a block so far.
    """

    lines: Lines
    containers: list[Token] = field(default_factory=list)
    opened: int | None = None

    def run(self, tokens: Sequence[Token]) -> Iterator[Block]:
        """Yield the blocks of a token stream."""
        for index, token in enumerate(tokens):
            kind = token.type
            if kind in _OPENING:
                self.containers.append(token)
            if kind in _OPENING or token.meta.get("opens"):
                self.opened = first_line(token) if self.opened is None else self.opened
            elif kind in _ENDING or (kind == "heading_open" and not self.containers):
                self.opened = None
            if kind in _CLOSING:
                self.containers.pop()
            elif kind in _LEAVES:
                for block in self._leaves(token, tokens[index + 1] if index + 1 < len(tokens) else None):
                    yield block
                    self.opened = None

    def _leaves(self, token: Token, following: Token | None) -> Iterator[Block]:
        block = self._leaf(token, following)
        if block and block.kind == "code" and token.type == "html_block":
            yield from html_blocks(block, self.lines.text)
        elif block:
            yield block

    def _leaf(self, token: Token, following: Token | None) -> Block | None:
        match token.type:
            case "heading_open":
                return self._heading(token, following)
            case "paragraph_open":
                return self._paragraph(token)
            case "table_open" | "text_table":
                return self._block(token, "table")
            case "html_block" if _HTML_TABLE.match(token.content) and has_words(token.content):
                return self._block(token, "table")
            case "fence" | "code_block":
                return self._block(token, "code")
            case "html_block" if has_words(token.content):
                return self._html(token)
        return None

    def _paragraph(self, token: Token) -> Block | None:
        kinds = [CONTAINERS[container.type.removesuffix("_open")] for container in self.containers]
        kind: BlockKind = kinds[-1] if kinds else "paragraph"
        level = kinds.count(kind) if kind in ("list_item", "quote") else 0
        if token.meta.get("term"):
            kind, level = "list_item", kinds.count("list_item") + 1
        elif kinds and self.containers[-1].type == "definition_open":
            level += 1
        block = self._block(token, kind, level)
        if block and "columns" in token.meta:
            content, end = (self.lines.starts[first_line(token)] + column for column in token.meta["columns"])
            return replace(block, content=content, end=end, is_title=True)
        return self._without_alert(block, first_line(token)) if block and kind == "quote" else block

    def _html(self, token: Token) -> Block | None:
        """Return HTML as code, and a line of text that a comment precedes as a paragraph."""
        comments = _COMMENTS.match(token.content)
        if comments is None or token.content.startswith("<", comments.end()):
            block = self._block(token, "code")
            is_title = token.content.rstrip().lower().endswith("</summary>")
            return replace(block, is_title=True) if block and is_title else block
        block = self._paragraph(token)
        if block is None:
            return None
        words = _COMMENTS.match(self.lines.text, block.content, block.end)
        return replace(block, content=words.end()) if words else block

    def _without_alert(self, block: Block, number: int) -> Block | None:
        """Return a paragraph of a quote whose words begin after the mark of an alert; None if it has no others."""
        mark = _ALERT.match(self.lines.text, block.content, self.lines.ends[number])
        if mark is None or mark.end() < self.lines.ends[number]:
            return replace(block, content=mark.end()) if mark else block
        if mark.end() >= block.end:
            return None
        content = self.lines.starts[number + 1] + content_start(self.lines, self.containers, number + 1)
        return replace(block, content=min(content, block.end))

    def _heading(self, token: Token, title: Token | None) -> Block | None:
        level = int(token.tag[1:])
        words = " ".join(title.content.split()) if title else ""
        words = _ATTRIBUTES.sub("", _BADGES.sub("", words) if "<" in words and "`<" not in words else words).strip()
        if not token.markup.startswith("#"):
            block = self._block(token, "heading", level, below=1)
            return block and self._titled(block, words)
        block = self._block(token, "heading", level)
        if block is None:
            return None
        number = first_line(token)
        line = self.lines.line(number)
        # Container markers have no "#", so the first run of them is the heading's.
        marker = _ATX.search(line)
        content = _skip_space(line, marker.end()) if marker and title and title.content else len(line)
        return self._titled(replace(block, content=self.lines.starts[number] + content), words)

    def _titled(self, block: Block, title: str) -> Block:
        """Return a heading with its title, if that lacks the closing marks or the attributes of its line."""
        is_same = title == " ".join(self.lines.text[block.content : block.end].split())
        return block if is_same else replace(block, title=title)

    def _block(self, token: Token, kind: BlockKind, level: int = 0, below: int = 0) -> Block | None:
        """Return the block of a token's lines; None if they are blank.

        ``below`` is the number of lines at its end to ignore: the underline of a heading.
        """
        first, last = first_line(token), (token.map or [0, 0])[1] - 1 - below
        while first < last and self._blank(first):
            first += 1
        while first < last and self._blank(last):
            last -= 1
        if self._blank(first):
            return None
        # A marker alone on a line before its first block ("-", then the text below it) belongs to that block.
        line = first if self.opened is None else min(first, self.opened)
        start = self.lines.starts[line] + _skip_space(self.lines.line(line), 0)
        end = self.lines.ends[last]
        return Block(
            kind,
            start,
            end,
            level,
            min(self.lines.starts[first] + content_start(self.lines, self.containers, first), end),
        )

    def _blank(self, number: int) -> bool:
        line = self.lines.line(number)
        if any(container.type == "blockquote_open" for container in self.containers):
            line = line.replace(">", " ")
        return not line or line.isspace()


def content_start(lines: Lines, containers: Sequence[Token], number: int) -> int:
    """Return where the content of a line begins: after a list item's mark on its first line, a quote's on each."""
    line = lines.line(number)
    column = 0
    for container in containers:
        quote = container.type == "blockquote_open"
        if not quote and first_line(container) != number:
            continue
        if "column" in container.meta:
            column = container.meta["column"]
            continue
        marker = _MARKER.match(line, column)
        if marker and quote == marker.group().endswith(">"):
            column = marker.end()
    return _skip_space(line, column)


def first_line(token: Token) -> int:
    """Return the number of the first line of a token."""
    return (token.map or [0])[0]


def _skip_space(line: str, column: int) -> int:
    match = _NOT_SPACE.search(line, column)
    return match.start() if match else len(line)


def html_blocks(block: Block, text: str) -> Iterator[Block]:
    """Yield the headings of a block of HTML, and what else of it has words as code; the block where it has none.

    The content of a heading begins after its start tag, its end tag is inside it.
    """
    start = offset = block.start
    has_comment = text.find("<!--", block.start, block.end) >= 0
    while not has_comment and (opening := _HEADING_TAG.search(text, offset, block.end)):
        closing = _HEADING_END.search(text, opening.end(), block.end)
        if closing is None:
            break
        offset = closing.end()
        title = " ".join(unescape(_TAG.sub("", text[opening.end() : closing.start()])).split())
        if any(map(str.isalnum, title)):
            yield from _code_between(block, text, start, opening.start())
            yield Block("heading", opening.start(), offset, int(opening[1]), opening.end(), title)
            start = offset
    yield from [block] if start == block.start else _code_between(block, text, start, block.end)


def _code_between(block: Block, text: str, start: int, end: int) -> Iterator[Block]:
    """Yield a part of a block of code, without white space at its ends, if it has words."""
    part = text[start:end]
    if has_words(part):
        first = start + len(part) - len(part.lstrip())
        yield Block("code", first, start + len(part.rstrip()), content=max(first, min(block.content, end)))


def has_words(html: str) -> bool:
    """Return whether an HTML block shows anything besides comments and tags."""
    words, offset = [], 0
    while (opening := html.find("<!--", offset)) >= 0:
        words.append(html[offset:opening])
        closing = html.find("-->", opening)
        offset = closing + 3 if closing >= 0 else len(html)
    words.append(html[offset:])
    return any(map(str.isalnum, _TAG.sub("", "".join(words))))
