"""One pass over the tokens of a LaTeX source, which collects its blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from chunking.document import Block, BlockKind
from chunking.loading.text.latex.names import (
    BREAKS,
    CAPTIONS,
    DEFINERS,
    DRAWN,
    FOOTNOTES,
    HEADINGS,
    HIDDEN,
    INLINE,
    LISTS,
    QUOTES,
    SILENT,
    SWITCHES,
    TWO_ARGUMENTS,
    WITH_ARGUMENTS,
    block_kind,
    is_quote,
)
from chunking.loading.text.latex.source import STAR, Source, Token
from chunking.loading.text.latex.titles import plain_words


class _OpenContainer(NamedTuple):
    """An open list or quotation."""

    name: str
    level: int


@dataclass
class LatexReader:
    """One pass over the tokens.

    Attributes:
        source: the text.
        found: the blocks so far; headings have their rank as level, until all are known.
        containers: the lists and quotations that are open, outermost first.
        open: the number of open lists and of open quotations.
        names: the number of each name.
        start, end: span of the open paragraph; ``start`` is -1 if there is none.
        content: start of its words.
        worded: whether it has any.
        formula: start of an open displayed formula, or -1, and its opening token.
        before: the paragraph at that point.
        body: whether the text is past the preamble.
    """

    text: str
    source: Source = field(init=False)
    found: list[Block] = field(default_factory=list)
    containers: list[_OpenContainer] = field(default_factory=list)
    open: list[int] = field(default_factory=lambda: [0, 0])
    names: Counter[str] = field(default_factory=Counter)
    start: int = -1
    end: int = -1
    content: int = -1
    worded: bool = False
    formula: tuple[int, str] = (-1, "")
    before: tuple[int, int, int, bool] = (-1, -1, -1, False)
    body: bool = False

    def __post_init__(self) -> None:
        self.source = Source(self.text)

    def run(self) -> list[Block]:
        """Return the blocks of the whole text."""
        self.body = not self.source.document
        read: dict[str, Callable[[Token], int]] = {
            "begin": self._begin,
            "end": self._finish,
            "raw": self._raw,
            "command": self._command,
            "symbol": self._symbol,
            "math": self._math,
        }
        place = 0
        while (token := self.source.next(place)) is not None:
            self._plain(place, token.start)
            match token.kind:
                case "comment":
                    place = token.end
                case "blank":
                    self._flush()
                    place = token.end
                case "plain":
                    self._extend(token.start, token.end, worded=True)
                    place = token.end
                case "open" | "close":
                    self._extend(token.start, token.end, worded=False)
                    place = token.end
                case kind:
                    place = read[kind](token)
                    if place < 0:
                        break
        else:
            self._plain(place, len(self.text))
        self._flush()
        return self._levelled()

    def _levelled(self) -> list[Block]:
        """Return the blocks with each heading's rank among those used as its level."""
        used = sorted({block.level for block in self.found if block.kind == "heading"})
        levels = {rank: level for level, rank in enumerate(used, 1)}
        return [
            Block("heading", block.start, block.end, levels[block.level], block.content, block.title)
            if block.kind == "heading"
            else block
            for block in self.found
        ]

    # Paragraphs ----------------------------------------------------------------------------------------------------

    def _plain(self, start: int, end: int) -> None:
        """Add text without commands."""
        if start < end and self.body:
            start, end = self.source.trim(start, end)
            if start < end:
                self._extend(start, end, worded=any(map(str.isalnum, self.text[start:end])))

    def _extend(self, start: int, end: int, worded: bool) -> None:
        if not self.body:
            return
        if self.start < 0:
            if self.text[start] == "}":
                return
            self.start = self.content = start
        if self.content > start:
            self.content = start
        self.end = end
        self.worded = self.worded or worded

    def _flush(self) -> None:
        """End the open paragraph."""
        start, content = self.start, self.content
        worded, end = self.worded, self.end
        self.start = self.end = self.content = -1
        self.worded = False
        self.formula = (-1, "")
        if start < 0 or not worded:
            return
        _, end = self.source.trim(start, end)
        inside = self.containers[-1] if self.containers else None
        if inside is None and self.text.startswith(("\\item", "\\bibitem"), start) and content > start:
            inside = _OpenContainer("itemize", 1)
        kind: BlockKind = "paragraph" if inside is None else "quote" if is_quote(inside.name) else "list_item"
        self.found.append(Block(kind, start, end, inside.level if inside else 0, min(content, end)))

    def _leaf(self, kind: BlockKind, start: int, inner: int, close: int) -> bool:
        """Add a block with the words from ``inner`` to ``close``; return False if there are none."""
        self._flush()
        content, end = self.source.trim(inner, close)
        if content >= end:
            return False
        self.found.append(Block(kind, start, end, 0, content))
        return True

    # Environments --------------------------------------------------------------------------------------------------

    def _begin(self, token: Token) -> int:
        name = token.name.removesuffix("*")
        if name == "document":
            self.body = True
            self.start = -1
            return token.end
        if not self.body:
            return token.end
        close = self.source.ends.get(token.start)
        kind = block_kind(name)
        if kind and close:
            inner = token.end
            if kind == "table" and name != "tabbing":
                inner = self.source.arguments(inner, 2 if token.name in TWO_ARGUMENTS else 1)
            elif name in DRAWN:
                inner = self.source.option(inner)
            self._leaf(kind, token.start, min(inner, close.start), close.start)
            return close.end
        if name in INLINE:
            self._extend(token.start, token.end, worded=False)
            return token.end
        self._flush()
        # A list that is never closed would take the rest of the document.
        if close and (name in LISTS or name in QUOTES):
            self.open[name in QUOTES] += 1
            self.containers.append(_OpenContainer(token.name, self.open[name in QUOTES]))
            self.names[token.name] += 1
        if name == "frame":
            begin = self.source.gap(self.source.option(token.end))
            group = self.source.group(begin)
            if group:
                self._heading("frame", token.start, group)
                return group[1] + 1
            return begin
        return self.source.arguments(token.end) if name in WITH_ARGUMENTS else token.end

    def _finish(self, token: Token) -> int:
        name = token.name.removesuffix("*")
        if name == "document" and self.body:
            return -1
        if name in INLINE:
            self._extend(token.start, token.end, worded=False)
            return token.end
        self._flush()
        while self.names[token.name]:
            closed = self.containers.pop()
            self.open[is_quote(closed.name)] -= 1
            self.names[closed.name] -= 1
            if closed.name == token.name:
                break
        return token.end

    def _raw(self, token: Token) -> int:
        if self.body and token.name not in HIDDEN:
            inner = token.inner
            while (after := self.source.option(inner)) > inner:
                inner = after
            group = self.source.group(inner) if token.name == "minted" else None
            if token.name == "minted" and group is None and self.text.startswith("{", inner):
                # Braces inside are not matched, but the name of the language has none.
                inner = self.text.find("}", inner, token.end) + 1 or inner
            self._leaf("code", token.start, inner, token.end - len(token.name) - 6)
        return token.end

    # Commands ------------------------------------------------------------------------------------------------------

    def _command(self, token: Token) -> int:
        name = token.name
        if name in HEADINGS and (self.body or name == "title"):
            group = self.source.argument(token.end)
            if group:
                self._heading(name, token.start, group)
                return group[1] + 1
        if name in DEFINERS:
            return self.source.definition(token.end)
        if not self.body:
            return self.source.arguments(token.end) if name in SILENT else token.end
        if name in SWITCHES:
            if name in BREAKS:
                self._flush()
            return token.end
        if name in SILENT:
            star = STAR.match(self.text, token.end)
            return self.source.arguments(star.end() if star else token.end)
        if name in ("item", "bibitem"):
            return self._item(token)
        if name in CAPTIONS or (name in FOOTNOTES and self.start < 0):
            after = self.source.argument(token.end)
            if name == "captionof" and after:
                after = self.source.argument(after[1] + 1)
            if after:
                self._leaf("caption" if name in CAPTIONS else "footnote", token.start, *after)
                return after[1] + 1
        self._extend(token.start, token.end, worded=False)
        return token.end

    def _item(self, token: Token) -> int:
        self._flush()
        place = token.end
        if token.name == "bibitem":
            place = self.source.arguments(place)
        self.start = token.start
        self.end = place
        begin = self.source.gap(place)
        # Words move it back: until then there is only the marker.
        self.content = len(self.text)
        after = self.source.option(begin)
        if after > begin:
            self._extend(begin, after, worded=any(map(str.isalnum, self.text[begin:after])))
            return after
        return place

    def _heading(self, name: str, start: int, group: tuple[int, int]) -> None:
        self._flush()
        content, end = self.source.trim(*group)
        if content < end:
            title = plain_words(self.text[content:end])
            self.found.append(Block("heading", start, end, HEADINGS[name] + 1, content, title))

    def _symbol(self, token: Token) -> int:
        if token.name == "\\[":
            return self._math(token)
        if token.name == "\\]" and self.formula[1] == "\\[":
            return self._close_formula(token)
        self._extend(token.start, token.end, worded=False)
        return token.end

    # Formulas ------------------------------------------------------------------------------------------------------

    def _math(self, token: Token) -> int:
        """Begin or end a displayed formula; one interrupted by a blank line or the like is text."""
        if token.kind == "math" and self.formula[1] == "$$":
            return self._close_formula(token)
        if self.body and not self.formula[1]:
            self.formula = (token.start, token.name or "$$")
            self.before = (self.start, self.end, self.content, self.worded)
        self._extend(token.start, token.end, worded=False)
        return token.end

    def _close_formula(self, token: Token) -> int:
        start, _ = self.formula
        self.start, self.end, self.content, self.worded = self.before
        self._leaf("code", start, start + 2, token.start)
        return token.end
