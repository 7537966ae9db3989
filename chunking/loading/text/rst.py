"""Blocks of reStructuredText, by the body rules of its specification (docutils 0.21).

The rules are implemented here, line by line, since no parser is suitable: tree-sitter-rst 0.2 has no tables, gives up
on lists nested 200 deep and takes quadratic time for ``*``; docutils records the line of many nodes but the end of
none, and is recursive. Inline markup is not interpreted.

Nothing is ever included or run: ``include`` is no block, and the content of ``raw`` is code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from chunking.document import Block, BlockKind
from chunking.loading.spans import line_spans
from chunking.loading.text.directives import CAPTIONED, CODE, CODE_TEXT, PATHS, QUOTES, SILENT, TABLES, UNTITLED
from chunking.runtime.patterns import compile_pattern

# Syntax -------------------------------------------------------------------------------------------------------------

BULLET = compile_pattern(r"[-+*•‣⁃](?:\s+|$)")
NUMBER = compile_pattern(r"\(?(?:\d{1,9}|[A-Za-z]|[ivxlcdmIVXLCDM]{1,9}|#)[.)](?:\s+|$)(?<!\(#\.)")
FIELD = compile_pattern(r":(?![: ])(?:[^:\\]|\\.|:(?![\s`]|$)){1,200}(?<! ):(?:\s+|$)")
_OPTION_TEXT = (
    r"(?:[-+][a-zA-Z0-9](?: ?(?:[a-zA-Z][\w-]*+|<[^<>]+>))?|(?:--|/)[a-zA-Z0-9][\w-]*+"
    r"(?:[ =](?:[a-zA-Z][\w-]*+|<[^<>]+>))?)"
)
OPTION = compile_pattern(rf"{_OPTION_TEXT}(?:, {_OPTION_TEXT}){{0,20}}(?:\s{{2,}}|\s?$)")
DOCTEST = compile_pattern(r">>>(?:\s|$)")
VERSE = compile_pattern(r"\|(?:\s+|$)")
GRID = compile_pattern(r"\+-[-+]+-\+$")
RULED = compile_pattern(r"=++(?: ++=++)++$")
BORDER = compile_pattern(r"=++(?: ++=++)*+$")
EXPLICIT = compile_pattern(r"\.\.(?:\s+|$)")
NOTE = compile_pattern(r"\[(?:\d+|\*|#?[\w.:+-]*)\](?:\s+|$)")
TARGET = compile_pattern(r"_(?![ ]|_$).*:(?:\s|$)|__(?::|\s|$)")
SUBSTITUTION = compile_pattern(r"\|[^|\s][^|]*\|(?:\s|$)")
DIRECTIVE = compile_pattern(r"(\w[\w.+:-]*?) ?::(?:\s+|$)")
ANONYMOUS = compile_pattern(r"__(?:\s|$)")
ADORNMENT = compile_pattern(r"([!-/:-@\[-`{-~])\1*$")
HEADER = compile_pattern(r"[A-Z][\w-]{0,40}:(?:\s|$)")
SETTING = compile_pattern(r":\w[\w-]*:(?:\s|$)")


# Lines --------------------------------------------------------------------------------------------------------------


class Line(NamedTuple):
    """The span of a line without white space at its ends.

    Both offsets of a blank line are equal, and its indentation is -1.
    """

    start: int
    end: int
    indent: int


def _lines(text: str) -> list[Line]:
    lines = []
    for start, end in line_spans(text):
        body = text[start:end]
        stripped = body.lstrip()
        space = len(body) - len(stripped)
        if stripped:
            lines.append(Line(start + space, start + len(body.rstrip()), len(body[:space].expandtabs(8))))
        else:
            lines.append(Line(end, end, -1))
    return lines


# Blocks -------------------------------------------------------------------------------------------------------------

MAX_NESTING = 64
"""Maximum depth of containers; deeper markers are text."""


@dataclass(slots=True)
class _OpenContainer:
    """An open container.

    Attributes:
        kind: kind of its paragraphs.
        floor: minimum indentation of its lines.
        indent: indentation of its content.
        items, quotes: number of open lists and quotations, including this one.
    """

    kind: BlockKind
    floor: int
    indent: int
    items: int
    quotes: int


class _Term(NamedTuple):
    """A term, field name or option that waits for its description."""

    start: int
    end: int
    content: int
    level: int


@dataclass
class RstReader:
    """One pass over the lines.

    Attributes:
        text: the text.
        lines: its lines.
        blocks: the blocks so far.
        stack: the open containers, outermost first.
        styles: the title styles in order of appearance: character, and whether there is an overline.
        opened: start of the first marker without a block of its own, or -1.
        term: a term that waits for its description.
    """

    text: str
    lines: list[Line] = field(init=False)
    blocks: list[Block] = field(default_factory=list)
    stack: list[_OpenContainer] = field(default_factory=list)
    styles: dict[tuple[str, bool], int] = field(default_factory=dict)
    opened: int = -1
    term: _Term | None = None

    def __post_init__(self) -> None:
        self.lines = _lines(self.text)

    def run(self) -> list[Block]:
        """Return the blocks of the whole text."""
        row = self._header()
        while (row := self.next(row)) < len(self.lines):
            line = self.lines[row]
            self._close(line.indent)
            if line.indent > self._indent():
                self._open("quote", line.indent, line.indent)
            row = self._element(row, line.start, line.indent)
        self._flush()
        return self.blocks

    # Lines ---------------------------------------------------------------------------------------------------------

    def next(self, row: int) -> int:
        """Return the first line from ``row`` on that is not blank."""
        while row < len(self.lines) and self.lines[row].indent < 0:
            row += 1
        return row

    def below(self, row: int, indent: int) -> int:
        """Return the line after the last one that is indented deeper, including blank lines between them."""
        last = row
        while (following := self.next(row)) < len(self.lines) and self.lines[following].indent > indent:
            last = row = following + 1
        return last

    def run_end(self, row: int, floor: int) -> int:
        """Return the line after a run of lines that are not blank and indented at least ``floor``."""
        while row < len(self.lines) and self.lines[row].indent >= max(floor, 0):
            row += 1
        return row

    def matches(self, pattern: re.Pattern[str], row: int) -> bool:
        """Return whether line ``row`` begins with a match of ``pattern``."""
        if row >= len(self.lines) or self.lines[row].indent < 0:
            return False
        return pattern.match(self.text, self.lines[row].start, self.lines[row].end) is not None

    def body_indent(self, row: int, column: int) -> int:
        """Return the indentation of the text below line ``row`` if it is deeper than ``column``."""
        following = self.next(row + 1)
        below = self.lines[following].indent if following < len(self.lines) else 0
        return max(below, column + 1)

    def table_end(self, row: int, start: int, column: int) -> int:
        """Return the line after the table that begins here; 0 if there is none."""
        top = self.lines[row]
        if GRID.match(self.text, start, top.end):
            stop = row + 1
            while stop < len(self.lines) and self.lines[stop].indent == column:
                if self.text[self.lines[stop].start] not in "+|":
                    break
                stop += 1
            return stop if stop > row + 2 else 0
        if not RULED.match(self.text, start, top.end):
            return 0
        borders, stop = 0, row + 1
        while stop < len(self.lines) and (self.lines[stop].indent >= column or self.lines[stop].indent < 0):
            if self.lines[stop].indent == column and self.matches(BORDER, stop):
                borders += 1
                blank = stop + 1 == len(self.lines) or self.lines[stop + 1].indent < 0
                if borders == 2 or blank:
                    return stop + 1
            stop += 1
        return 0

    def argument_end(self, row: int, column: int) -> int:
        """Return the line after the argument of a directive: at a blank line or an option."""
        while row < len(self.lines) and self.lines[row].indent > column and not self.matches(SETTING, row):
            row += 1
        return row

    def options_end(self, row: int, column: int) -> int:
        """Return the line after the options of a directive, which directly follow its first line or argument."""
        while row < len(self.lines) and self.lines[row].indent > column and self.matches(SETTING, row):
            row = self.run_end(row + 1, self.lines[row].indent + 1)
        return row

    # Containers ----------------------------------------------------------------------------------------------------

    def _indent(self) -> int:
        return self.stack[-1].indent if self.stack else 0

    def _floor(self) -> int:
        return self.stack[-1].floor if self.stack else 0

    def _open(self, kind: BlockKind, floor: int, indent: int) -> bool:
        if len(self.stack) >= MAX_NESTING:
            return False
        outer = self.stack[-1] if self.stack else _OpenContainer("paragraph", 0, 0, 0, 0)
        self.stack.append(
            _OpenContainer(kind, floor, indent, outer.items + (kind == "list_item"), outer.quotes + (kind == "quote"))
        )
        return True

    def _close(self, indent: int) -> None:
        """Close the containers that a line with this indentation does not belong to."""
        while self.stack and indent < self.stack[-1].floor:
            self.stack.pop()
            self._flush()
            self.opened = -1
        if self.stack:
            self.stack[-1].indent = min(self.stack[-1].indent, indent)

    # Blocks --------------------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Add a term without description as a block of its own."""
        if self.term:
            self.blocks.append(Block("list_item", self.term.start, self.term.end, self.term.level, self.term.content))
            self.term = None
            self.opened = -1

    def _leaf(self, kind: BlockKind, start: int, end: int, content: int = -1) -> None:
        self._flush()
        content = start if content < 0 else content
        self.blocks.append(Block(kind, self.opened if self.opened >= 0 else start, end, 0, content))
        self.opened = -1

    def _paragraph(self, start: int, end: int) -> None:
        top = self.stack[-1] if self.stack else _OpenContainer("paragraph", 0, 0, 0, 0)
        content = start
        if self.term:
            self.opened, content = self.term.start, self.term.content
            self.term = None
        level = {"list_item": top.items, "quote": top.quotes}.get(top.kind, 0)
        begins = self.opened if self.opened >= 0 else start
        self.blocks.append(Block(top.kind, begins, end, level, content))
        self.opened = -1

    def _header(self) -> int:
        """Read the header fields of a PEP or mail at the very start; return the line after them."""
        first = self.next(0)
        end = self.run_end(first, 0)
        starts = [row for row in range(first, end) if self.lines[row].indent == 0]
        if len(starts) < 2 or starts[0] != first or not all(self.matches(HEADER, row) for row in starts):
            return 0
        for row, following in zip(starts, [*starts[1:], end], strict=True):
            self.blocks.append(Block("list_item", self.lines[row].start, self.lines[following - 1].end, 1))
        return end

    def _element(self, row: int, start: int, column: int) -> int:
        """Read the element at ``start`` on a line; return the line after it."""
        end = self.lines[row].end
        while len(self.stack) < MAX_NESTING:
            marker = BULLET.match(self.text, start, end) or self._enumerator(row, start, column)
            if marker is None:
                field_or_option = self._match_field(row, start, column)
                if field_or_option is None:
                    break
                marker = field_or_option
                self._flush()
                opening = self.opened if self.opened >= 0 else start
                words = start + (self.text[start] == ":")
                stop = start + len(marker.group().rstrip())
                indent = self.body_indent(row, column)
                self._open("list_item", column + 1, indent)
                self.term = _Term(opening, stop, words, self.stack[-1].items)
            else:
                self._flush()
                self.opened = self.opened if self.opened >= 0 else start
                indent = column + len(marker.group().expandtabs(8))
                bare = marker.end() >= end
                self._open("list_item", column + 1, self.body_indent(row, column) if bare else indent)
            if marker.end() >= end:
                return row + 1
            column += len(marker.group().expandtabs(8))
            start = marker.end()
        explicit = EXPLICIT.match(self.text, start, end)
        if explicit:
            return self._explicit(row, start, explicit.end(), column)
        return self._text(row, start, column)

    def _enumerator(self, row: int, start: int, column: int) -> re.Match[str] | None:
        """Match the number of an item; a line that only looks like one continues its paragraph."""
        match = NUMBER.match(self.text, start, self.lines[row].end)
        following = self.lines[row + 1] if row + 1 < len(self.lines) else None
        if match and following and following.indent >= 0:
            if following.indent == column:
                return match if self.matches(NUMBER, row + 1) else None
            return match if following.indent > column or following.indent < self._floor() else None
        return match

    def _match_field(self, row: int, start: int, column: int) -> re.Match[str] | None:
        """Match the name of a field or option."""
        match = FIELD.match(self.text, start, self.lines[row].end)
        if match:
            return match
        match = OPTION.match(self.text, start, self.lines[row].end)
        if match and match.end() >= self.lines[row].end:
            below = self.lines[row + 1].indent if row + 1 < len(self.lines) else -1
            return match if below > column else None
        return match

    def _text(self, row: int, start: int, column: int) -> int:
        """Read a table, doctest, title, transition, definition or paragraph; return the line after it."""
        first = self.lines[row]
        if DOCTEST.match(self.text, start, first.end):
            stop = self.run_end(row + 1, self._floor())
            self._leaf("code", start, self.lines[stop - 1].end)
            return stop
        stop = self.table_end(row, start, column)
        if stop:
            self._leaf("table", start, self.lines[stop - 1].end)
            return stop
        stop = self._title(row) if not self.stack else 0
        if stop:
            return stop
        if ANONYMOUS.match(self.text, start, first.end):
            return row + 1
        below = self.lines[row + 1] if row + 1 < len(self.lines) else None
        literal = self.text.endswith("::", start, first.end)
        verse = VERSE.match(self.text, start, first.end)
        # A hanging paragraph in an item looks like a term inside it: only an isolated one is a term.
        alone = not (literal or verse or self.term) and self.opened < first.start
        if alone and below and below.indent > column and self._open("list_item", column + 1, below.indent):
            self.term = _Term(self.opened if self.opened >= 0 else start, first.end, start, self.stack[-1].items)
            return row + 1
        stop = self.run_end(row + 1, self._floor())
        if literal and below and below.indent > column:
            stop = row + 1
        return self._finish(row, start, stop)

    def _finish(self, row: int, start: int, stop: int) -> int:
        """Add a paragraph of the lines before ``stop``, and the literal block that it may introduce."""
        end = self.lines[stop - 1].end
        if not self.text.endswith("::", start, end):
            self._paragraph(start, end)
            return stop
        if self.text[start:end] != "::":
            self._paragraph(start, end)
        following = self.next(stop)
        if following == len(self.lines):
            return stop
        line = self.lines[following]
        if line.indent > self._indent():
            after = self.below(following, self._indent())
            self._leaf("code", line.start, self.lines[after - 1].end)
            return after
        mark = self.text[line.start]
        quoted = line.indent == self._indent() and not mark.isalnum() and mark.isascii()
        if not quoted or EXPLICIT.match(self.text, line.start, line.end):
            return stop
        after = following
        while after < len(self.lines) and self.lines[after].indent == line.indent:
            if self.text[self.lines[after].start] != mark:
                break
            after += 1
        self._leaf("code", line.start, self.lines[after - 1].end)
        return after

    def _title(self, row: int) -> int:
        """Read a title or transition; return the line after it, 0 if there is none."""
        line = self.lines[row]
        under = row + 1 < len(self.lines) and self.matches(ADORNMENT, row + 1)
        rule = ADORNMENT.match(self.text, line.start, line.end)
        if rule is None:
            mark = self.lines[row + 1] if under else line
            length = mark.end - mark.start
            if not under or mark.indent or length < min(line.end - line.start, 4):
                return 0
            self._heading(line.start, line, (self.text[mark.start], False))
            return row + 2
        if row + 1 == len(self.lines) or self.lines[row + 1].indent < 0:
            return row + 1 if line.end - line.start >= 4 else 0
        last = self.lines[row + 2] if row + 2 < len(self.lines) else line
        same = last is not line and self.matches(ADORNMENT, row + 2)
        if same and self.text[last.start] == rule[1] and last.indent == 0:
            title = self.lines[row + 1]
            if last.end - last.start >= min(title.end - title.start, 4):
                self._heading(line.start, title, (rule[1], True))
                return row + 3
        return row + 1 if line.end - line.start >= 4 else 0

    def _heading(self, start: int, title: Line, style: tuple[str, bool]) -> None:
        level = self.styles.setdefault(style, len(self.styles) + 1)
        self.blocks.append(Block("heading", start, title.end, level, title.start))

    # Explicit markup -----------------------------------------------------------------------------------------------

    def _explicit(self, row: int, start: int, words: int, column: int) -> int:
        """Read explicit markup (two dots); ``words`` is the start of the text after them."""
        end = self.lines[row].end
        note = NOTE.match(self.text, words, end)
        if note and note.end() > words + 2 and self._open("footnote", column + 1, self.body_indent(row, column)):
            self._flush()
            self.opened = start
            return self._element(row, note.end(), column + 1) if note.end() < end else row + 1
        if TARGET.match(self.text, words, end):
            return self.run_end(row + 1, column + 1)
        directive = DIRECTIVE.match(self.text, words, end)
        if directive and not SUBSTITUTION.match(self.text, words, end):
            return self._directive(row, start, directive, column)
        if words >= end and (row + 1 == len(self.lines) or self.lines[row + 1].indent < 0):
            return row + 1
        return self.below(row + 1, column)

    def _directive(self, row: int, start: int, directive: re.Match[str], column: int) -> int:
        name = directive[1].lower()
        after = self.below(row + 1, column)
        if name in SILENT:
            return after
        argument = directive.end()
        end = self.lines[row].end
        if name in CODE:
            first = self.options_end(row + 1, column)
            begins = argument if name in CODE_TEXT and argument < end else -1
            body = self.next(first)
            if begins < 0 and body < after:
                begins = self.lines[body].start
            if begins >= 0:
                self.opened = self.opened if self.opened >= 0 or self.term else start
                self._leaf("code", start, max(self.lines[after - 1].end, end), begins)
            return after
        if name in TABLES or name == "table":
            if argument < end:
                # The title may take several lines, up to the options.
                stop = self.argument_end(row + 1, column)
                self._leaf("caption", start, self.lines[stop - 1].end, argument)
                row = stop - 1
            first = self.next(self.options_end(row + 1, column))
            if name == "table" or first >= after:
                self._open("paragraph", column + 1, self.body_indent(first - 1, column))
                return first
            self._leaf("table", self.lines[first].start, self.lines[after - 1].end)
            return after
        kind: BlockKind = "quote" if name in QUOTES else "caption" if name in CAPTIONED else "paragraph"
        indent = self.body_indent(self.options_end(row + 1, column) - 1, column)
        is_open = self._open(kind, column + 1, indent)
        if argument < end and name not in PATHS:
            stop = self.argument_end(row + 1, column)
            if is_open:
                self.opened = self.opened if self.opened >= 0 or self.term else start
                self._flush_into(start)
                row = self._finish(row, argument, stop) - 1
                if kind == "paragraph" and name not in UNTITLED and self.next(self.options_end(stop, column)) < after:
                    self.blocks[-1] = replace(self.blocks[-1], is_title=True)
            else:
                self._leaf("paragraph", argument, self.lines[stop - 1].end)
                row = stop - 1
        return self.options_end(row + 1, column)

    def _flush_into(self, start: int) -> None:
        """Join a pending term with the directive that describes it."""
        if self.term:
            self._flush()
            self.opened = start


def blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a reStructuredText, in order, without overlap.

    - Titles are headings; their level is the rank of the first appearance of their style (underline and overline).
    - Items of bullet, enumerated, definition, field and option lists are list items with their depth; a term or field
      name is one block with the paragraph below or after it. So are the header lines of a PEP.
    - Literal, doctest and code blocks are code, with the directive that opens them; ``math`` and ``raw`` too.
    - Block quotes and epigraphs are quotes; grid, simple, ``csv-table`` and ``list-table`` tables are tables, the title
      of a table and the text of a figure captions; footnotes and citations footnotes.
    - The content of any other directive (an admonition, a Sphinx description) is read like the rest.

    Comments, targets, substitution definitions, transitions and options of directives are in no block.
    """
    return tuple(RstReader(text).run())
