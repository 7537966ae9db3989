"""From the tokens of a page to blocks, each with its text and its origin."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from chunking.loading.markup.html import formulas
from chunking.loading.markup.html.columns import Columns
from chunking.loading.markup.html.elements import (
    BLOCKS,
    CONTROLS,
    HIDDEN,
    NOTABLE_ELEMENTS,
    READINGS,
    SKIPPED,
    Context,
    Meaning,
    meaning,
)
from chunking.loading.markup.html.ordered_list import OrderedList, begins_with_number
from chunking.loading.markup.html.page_block import PageBlock, Run, runs_within
from chunking.loading.markup.html.source import TOKEN, UNSEEN, VOID, WHITE, Atom, Marked, atoms, layout_tables
from chunking.loading.markup.html.superscripts import ScriptSpans, script_of
from chunking.loading.superscripts import Script
from chunking.runtime.patterns import compile_pattern

_RESTORED = ("_length", "_white", "_breaks", "_row", "_bars", "_last", "_tags", "_regular")
"""What of the open block is as before, when a decoration that has no words has ended."""


class SavedText(NamedTuple):
    """The state of the open block before a decoration: its number, its parts and runs, and :data:`_RESTORED`."""

    serial: int
    parts: int
    runs: int
    values: dict[str, Any]


class OpenElement(NamedTuple):
    """An open element.

    Attributes:
        name: name of the element.
        number: number of its start tag, from 1.
        context: the context around it, if it changed it.
        end: action at its end.
        state: for a decoration, the state before it.
        bold, script: whether text was bold before it, and its script, if it changed that.
    """

    name: str
    number: int
    context: Context | None = None
    end: str = ""
    state: SavedText | None = None
    bold: bool | None = None
    script: Script | None = None


_SPLIT_AT_WHITE = compile_pattern(f"([{WHITE}]+)")
_PREFORMATTED = compile_pattern(r" ?\n|[^ \n]+| +?(?!\n)")

_WORDS = compile_pattern(rf"[^{WHITE}]+(?: [^{WHITE}]+)*")
"""Text that collapsing white space leaves unchanged."""

_LABEL = 8
"""Length from which a text is not the number of a footnote."""

_DIVISIBLE = ("paragraph", "list_item", "quote", "footnote")
"""Kinds of blocks that are divided by two line breaks."""


_NUMBERED = ("heading", "list_item", "footnote")
"""Kinds of blocks that the number of an item is displayed before."""


@dataclass
class Builder:
    """One pass over the tokens of a page.

    Attributes:
        marked: the source.
        page: the page serialised by the parser.
        blocks: blocks and excluded texts, in order.
    """

    marked: Marked
    page: str
    blocks: list[PageBlock] = field(default_factory=list)
    depth: int = 0

    def __post_init__(self) -> None:
        self._stack: list[OpenElement] = []
        self._context = Context()
        self._meaning = cache(meaning)  # for this page alone: its attributes may be long
        self._layout = layout_tables(self.page)
        self._skipping = False
        self._words: list[str] | None = None  # words of a form control
        self._number = 0  # number of start tags
        self._last = 0  # number of start tags at the last text
        self._roots = 0  # number of outermost lists
        self._mark = ""  # of the item that begins with the next block
        self._serial = 0  # number of blocks
        self._bold = False  # whether text is bold
        self._script: Script = ""  # of the text
        self._columns = Columns()  # of the open table of data
        self._inner_tables = 0  # number of open tables in cells of a table of data
        self._tex = -1  # where the TeX of an open formula begins in the page
        self._formula_end = 0  # of the last formula: one inside another is a part of it
        self._begin()

    def _begin(self) -> None:
        """Reset the state: no block is open."""
        self._parts: list[str] = []
        self._runs: list[Run] = []
        self._length = 0
        self._white = False
        self._breaks = 0
        self._row = False
        self._bars = 0
        self._regular = False  # whether a word is not bold
        self._tags: tuple[str, ...] = ()
        self._scripts = ScriptSpans()
        self._serial += 1

    def run(self) -> list[PageBlock]:
        """Read the page and return its blocks."""
        for token in TOKEN.finditer(self.page):
            index = token.lastindex
            if index == 8:
                self._text(token[8], True)
            elif index == 7:
                self._start(token[6], token[7], token.start())
            elif index == 2:
                self._end(token[2])
            elif index == 5:
                self._start(token[3], token[4], token.start())
                self._text(token[5], False)
                self._end(token[3])
        self._flush(True)
        return self.blocks

    # Elements -------------------------------------------------------------------------------------------------------

    def _start(self, name: str, attributes: str, offset: int) -> None:
        if name in VOID:
            self._void(name, attributes, offset)
            return
        self._number += 1
        element = OpenElement(name, self._number)
        if not self._skipping:
            element_meaning = self._meaning(name, attributes) if attributes else None
            if element_meaning is not None or name in NOTABLE_ELEMENTS:
                element = self._open_element(element, element_meaning or _PLAIN, attributes, offset)
            bold = element_meaning.bold if element_meaning is not None else None
            if bold is not None or name in ("b", "strong"):
                element = element._replace(bold=self._bold)
                self._bold = bold is not False
            in_link = bool(self._stack) and self._stack[-1].name == "a"
            script = script_of(name, attributes, self._script, in_link)
            if script is not None:
                element = element._replace(script=self._script)
                self._script = script
        elif offset == self._tex:
            self._skipping = False
            element = element._replace(end="tex")
        self._stack.append(element)
        self.depth = max(self.depth, len(self._stack))

    def _void(self, name: str, attributes: str, offset: int) -> None:
        if self._skipping:
            return
        if name == "img" and not self.page.endswith(formulas.END, 0, offset):
            words = formulas.alternative_text(attributes)
            if words:
                self._plain([formulas.locate(words, self.marked.flat, self._source_end())])
        if name == "br":
            if self._context.pre:
                self._pre([Atom("\n", -1, -1)])
            elif self._context.kind in _DIVISIBLE and not self._context.cells:
                self._breaks += 1
            else:
                self._white = True
        elif name == "hr":
            self._part()

    def _open_element(self, element: OpenElement, meaning: Meaning, attributes: str, offset: int) -> OpenElement:
        name, number = element.name, element.number
        inner = offset + len(name) + len(attributes) + 2
        formula_end = 0
        if name == "math" and offset >= self._formula_end:
            self._formula_end = formula_end = formulas.end_of(self.page, inner)
            if (tex := formulas.find_tex(self.page, inner, formula_end)) >= 0:
                self._skipping, self._tex = True, tex
                return OpenElement(name, number, end="skipped")
        is_copy = formulas.is_copy(attributes, self.page, offset)
        hidden = is_copy or (meaning.hidden and not formulas.BEGINNING.match(self.page, inner))
        if formula_end and not hidden:
            formula = formulas.convert(self.page[offset:formula_end], self.marked)
            if formula:
                self._plain([formula])
                hidden = True
        if name in SKIPPED or hidden or (name in HIDDEN and not meaning.open):
            self._skipping = True
            self._white |= name in BLOCKS
            return OpenElement(name, number, end="skipped")
        if name in READINGS or name in CONTROLS:
            self._skipping, self._words = True, []
            self._white |= name in CONTROLS
            return OpenElement(name, number, end="control" if name in CONTROLS else "reading")
        if name == "text":  # of a drawing, on a line of its own
            self._white, self._breaks = True, self._breaks or int(not self._context.cells)
        if meaning.decoration:
            return OpenElement(name, number, end="decoration", state=self._state())
        if name not in BLOCKS and not meaning.block:
            return element
        around = self._context
        if around.cells and (name != "caption" or self._inner_tables):
            self._cell(name, attributes)
            return OpenElement(name, number, end="cell")
        self._flush()
        self._context = self._inner_context(around, name, meaning, attributes, offset)
        return OpenElement(name, number, around, "block")

    def _cell(self, name: str, attributes: str) -> None:
        """Begin a block element in a table of data; a table in a cell is text of that cell."""
        if name == "table":
            self._inner_tables += 1
        elif self._inner_tables:
            pass
        elif name == "tr":
            self._row, self._bars = True, -1
            self._columns.begin_row()
        elif name in ("td", "th"):
            self._bars += self._columns.begin_cell(attributes)
        self._white = True

    def _inner_context(self, around: Context, name: str, meaning: Meaning, attributes: str, offset: int) -> Context:
        """Return the context inside a block element."""
        inner = around
        if meaning.navigation or name == "nav":
            inner = inner._replace(navigation=True)
        if meaning.footnote:
            inner = inner._replace(kind="footnote", level=0, footnote=True)
        if meaning.title or name == "summary":
            inner = inner._replace(title=True)
        if meaning.level:
            return inner._replace(kind="heading", level=meaning.level, footnote=False, pre=False)
        match name:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                return inner._replace(kind="heading", level=int(name[1]), footnote=False, pre=False)
            case "ul" | "ol" | "menu" | "dir" | "dl":
                self._roots += not inner.lists
                numbers = OrderedList.of(attributes) if name == "ol" and not inner.navigation else None
                root = inner.root if inner.lists else self._roots
                return inner._replace(lists=inner.lists + 1, root=root, numbers=numbers)
            case "li" | "dt":
                self._mark = inner.numbers.mark(attributes) if inner.numbers and name == "li" else ""
                return inner.text("list_item", max(inner.lists, 1))
            case "dd":
                return inner.text("list_item", max(inner.lists, 1) + 1)
            case "blockquote":
                return inner._replace(quotes=inner.quotes + 1).text("quote", inner.quotes + 1)
            case "pre" | "listing" | "xmp":
                return inner._replace(kind="code", level=0, pre=True)
            case "caption" | "figcaption":
                return inner.text("caption")._replace(cells=False)
            case "table" if not (meaning.layout or offset in self._layout):
                self._columns = Columns()
                return inner._replace(kind="table", level=0, cells=True)
        return inner

    def _end(self, name: str) -> None:
        if not self._stack or self._stack[-1].name != name:
            return  # end tags of foreign elements with names of void ones
        element = self._stack.pop()
        self._bold = self._bold if element.bold is None else element.bold
        if element.script is not None:
            self._script = element.script
            self._scripts.end_element()
        match element.end:
            case "":
                return
            case "skipped":
                self._skipping = False
            case "tex":
                self._skipping, self._tex = True, -1
            case "control" | "reading":
                self._skipping = False
                kind = "form control" if element.end == "control" else "ruby reading"
                self._exclude(kind, " ".join(" ".join(self._words or ()).split()))
                self._words = None
            case "decoration" if element.state:
                self._undecorate(element.state)
            case "cell":
                self._white = True
                self._inner_tables -= name == "table"
            case "block" if element.context is not None:
                self._flush(not element.context.footnote)
                self._context = element.context

    def _exclude(self, kind: str, words: str) -> None:
        if words:
            self.blocks.append(PageBlock("paragraph", 0, (), words, [], aside=kind))

    def _state(self) -> SavedText:
        values = {name: getattr(self, name) for name in _RESTORED}
        return SavedText(self._serial, len(self._parts), len(self._runs), values)

    def _undecorate(self, before: SavedText) -> None:
        """Remove the text since ``before`` if it is in the same block and has neither letter nor digit."""
        if before.serial != self._serial or any(map(str.isalnum, "".join(self._parts[before.parts :]))):
            return
        del self._parts[before.parts :]
        del self._runs[before.runs :]
        vars(self).update(before.values)
        self._scripts.keep_before(self._length)

    # Text -----------------------------------------------------------------------------------------------------------

    def _text(self, text: str, escaped: bool) -> None:
        if self._skipping and self._words is None:
            return
        keep = self._context.pre
        if not keep and not text.strip(WHITE):
            self._white = True
            return
        if escaped and "&" in text:
            text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        first, *pieces = text.split(self.marked.open)
        if self._words is not None:
            self._words.extend([first, *(words.partition(self.marked.close)[2] for words in pieces)])
            return
        write = self._pre if keep else self._plain
        if first:
            write([Atom(first, -1, -1)])
        for piece in pieces:
            offset, _, words = piece.partition(self.marked.close)
            begin = int(offset)
            if words and self._stack[-1].end == "tex":
                words, skipped = formulas.bare(words)
                begin += skipped
            if words:
                write(atoms(words, self.marked.flat, begin))

    def _plain(self, parts: list[Atom]) -> None:
        """Add text with collapsed white space."""
        for text, start, end in parts:
            if end - start != len(text) or start < 0:
                self._piece(text, start, end)
                continue
            if text[0] in WHITE:
                self._white = True
            for words in _WORDS.finditer(text):
                first, last = words.span()
                self._lead()
                self._regular |= not self._bold and words[0] != "\xa0"
                self._runs.append((self._length, last - first, start + first, last - first))
                self._parts.append(words[0])
                self._length += last - first
                self._mark_script(last - first)
                self._white = True
            self._white = text[-1] in WHITE

    def _piece(self, text: str, start: int, end: int) -> None:
        """Add text in which each run of words corresponds to the whole range, or to none."""
        for piece in _SPLIT_AT_WHITE.split(text):
            if not piece:
                continue
            if piece[0] in WHITE:
                self._white = True
                continue
            self._lead()
            self._regular |= not self._bold and piece != "\xa0"
            self._add(piece, start, end if start >= 0 else start)
            self._white = False

    def _pre(self, parts: list[Atom]) -> None:
        """Add text unchanged."""
        for text, start, end in parts:
            if not self._parts:
                self._open(self._last)
            if self.marked.pairs and start >= 0 and end - start == len(text):
                # CR LF was changed to a space and LF.
                for part in _PREFORMATTED.finditer(text):
                    pair = start + part.start() in self.marked.pairs
                    self._add("\n" if pair else part[0], start + part.start(), start + part.end())
            else:
                # White space without a mark cannot be located; its lines end like the others, in CR LF if those do.
                self._add(text.replace(" \n", "\n") if self.marked.pairs and start < 0 else text, start, end)
            self._last = self._number

    def _lead(self) -> None:
        """Add the separator between the previous text and the next; begin a block if none is open."""
        if self._breaks > 1 and self._parts and not self._context.cells:
            self._flush()
        self._last, last = self._number, self._last
        if self._parts and not (self._row or self._bars or self._breaks):
            if self._white:
                self._parts.append(" ")
                self._length += 1
            return
        if not self._parts:
            self._open(last)
            lead = "| " * max(self._bars, 0)
        elif self._row:
            lead = "\n" + "| " * max(self._bars, 0)
        elif self._bars > 0:
            lead = " | " + "| " * (self._bars - 1)
        else:
            lead = "\n" if self._breaks else " " if self._white else ""
        if lead:
            self._parts.append(lead)
            self._length += len(lead)
        self._breaks = self._bars = 0
        self._row = False

    def _open(self, last: int) -> None:
        """Begin a block: note the elements that opened since the last start tag before the last text."""
        names = []
        for element in reversed(self._stack):
            if element.number <= last:
                break
            names.append(element.name)
        self._tags = tuple(reversed(names))

    def _source_end(self) -> int:
        """Return where the text so far ends in the source."""
        runs = self._runs or next((block.runs for block in reversed(self.blocks[-8:]) if block.runs), [])
        return runs[-1][2] + runs[-1][3] if runs else 0

    def _add(self, text: str, start: int, end: int) -> None:
        self._parts.append(text)
        if start >= 0:
            self._runs.append((self._length, len(text), start, end - start))
        self._length += len(text)
        self._mark_script(len(text))

    def _mark_script(self, length: int) -> None:
        """Note the script of the last characters."""
        if self._script:
            self._scripts.add(self._length - length, self._length, self._script)

    # Blocks ---------------------------------------------------------------------------------------------------------

    def _part(self) -> None:
        """End a block, or in a table of data the words."""
        if self._context.cells:
            self._white = True
        else:
            self._flush()

    def _flush(self, last: bool = False) -> None:
        """End the open block; the number of a footnote waits for its words, unless this is its last part."""
        if self._context.footnote and not last and self._length < _LABEL and self._is_label():
            self._white = True
            return
        if self._parts:
            self._finish("".join(self._parts))
        self._begin()

    def _is_label(self) -> bool:
        label = "".join(self._parts).strip("[]().:^ \n")
        return len(label) == 1 or label.isdecimal()

    def _finish(self, text: str) -> None:
        context = self._context
        runs = self._runs
        if self._scripts.spans:
            text, runs = self._scripts.write(text, runs)
        words = text.lstrip()
        if not words.strip(UNSEEN):
            return
        # Code keeps the indentation of its first line.
        begin = text.rfind("\n", 0, len(text) - len(words)) + 1 if context.pre else len(text) - len(words)
        end = len(text.rstrip())
        block = PageBlock(context.kind, context.level, self._tags, text[begin:end], runs_within(runs, begin, end))
        if self._mark:
            if context.kind in _NUMBERED and not begins_with_number(block.text, self._mark):
                block.mark = self._mark
            self._mark = ""
        block.navigation = context.navigation
        block.bold = not self._regular and not context.pre
        block.is_title = context.title and context.kind == "paragraph"
        item = context.kind == "list_item" and not {"li", "dt", "dd"}.isdisjoint(self._tags)
        before = next((block for block in reversed(self.blocks[-8:]) if not block.aside), None)
        block.close = item and before is not None and before.kind == "list_item" and self._list == context.root
        self._list = context.root
        self.blocks.append(block)

    _list: int = 0


_PLAIN = Meaning()
