"""Blocks of plain text, by the conventions of text without a markup language.

Consecutive lines without a blank line are a *group*; a form feed also ends one. The rules, in this order:

========== ============================================================================================================
heading    the first line of a group with a line of ``=`` (level 1), ``-`` (2), ``~`` (3), ``^`` (4) or ``"`` (5) under
           it, three characters or more and nearly as long as the line, perhaps with the same above it;
           a group of one short line without a final stop that is

           - numbered, where the numbers of other lines continue it, or a heading of a law in one of many languages
             (``Article 3``, ``§ 3``), see :mod:`chunking.loading.text.plain.numbered_headings`, or
           - in capitals (level 1)
code       text indented under a paragraph that ends in ``::`` (reStructuredText); a drawing with ``|`` and ``+--``;
           an indented group most lines of which look like a programming language
table      a group with a row like ``|---|---|`` or ``====  ====``; a group most lines of which have columns, three
           spaces apart or more
quote      a group each line of which begins with ``>``; level is their number
paragraph  one for each turn if lines begin with a speaker's name and a colon, or with a time; one for each line if
           lines are as long as paragraphs (150 characters)
list item  from a bullet or a number to the next; level is the depth of indentation, or of the number if greater
paragraph  any other group
page break a form feed, with the footer before and the header after it if they recur on three pages or more
========== ============================================================================================================

Lines of one repeated character (``-----``) are separators: in no block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import accumulate

from chunking.document import Block, BlockKind
from chunking.loading.text.plain.lines import Break, Group, Line, body_indent, join_running_lines, parts_of
from chunking.loading.text.plain.numbered_headings import Numbered, is_small, legal_lines, numbered_lines, numbering_of
from chunking.runtime.patterns import compile_pattern

# Forms of single lines ----------------------------------------------------------------------------------------------

MAX_HEADING = 80
"""Maximum length of an isolated line that is a heading, in characters."""

LONG_LINE = 150
"""Length from which a line is a whole paragraph, not one line of it, in characters."""

UNDERLINES = '=-~^"'
_RULE = compile_pattern(r"([-=_*~#+^\"])\1{2,}|([-_*])(?: \2){2,}")
_FINAL = tuple(".,;:!?…。！？，；：،؛؟।")
_COLUMNS = compile_pattern(r"\S(?:[ ]{3,}|[ ]*\t[ \t]*)\S")
_TABBED_NUMBER = compile_pattern(
    r"(?:[^\W\d]{1,12}\.?[ ]|§[ ]?)?(?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,7}|[A-Z])[.:)]?[ ]?\t[ \t]*"
)
_MARKER = compile_pattern(
    r"(?:(?P<bullet>[-*•‣◦▪●·–]|o(?=[ \t]{2}))"
    r"|(?P<number>\d{1,3}(?:\.\d{1,3})*)[.)]"
    r"|\(?(?P<letter>[a-z]|[ivxl]{2,5})\)|\((?P<digits>\d{1,3})\)|\((?P<capital>[A-Z])\))[ \t]+(?=\S)"
)
_CLAUSE = compile_pattern(r"\d{1,3}(?:\.\d{1,3})+[ \t]+(?=[^\W\d_a-z])")
_FIRST = {"1", "a", "i", "A"}
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
_TIME = rf"[\[(]?{_CLOCK}(?:[ \t]*-->[ \t]*{_CLOCK})?[\])]?"
_TURN = compile_pattern(
    rf"(?P<time>{_TIME})(?:[ \t]|$)"
    r"|(?P<name>[^\W\d_a-z][\w.'’-]{0,24}(?:[ \t][\w.'’()-]{1,24}){0,3}):(?:[ \t]|$)"
)
_DOTTED_NAME = compile_pattern(r"\w\.\w{2}")


def is_rule(text: str) -> bool:
    """Return whether a line is a separator: one repeated character."""
    return bool(_RULE.fullmatch(text))


def underlines(rule: str, title: str) -> bool:
    """Return whether a line underlines the title above it."""
    return (
        rule[0] in UNDERLINES
        and len(rule) >= max(3, len(title) * 3 // 4)
        and rule == rule[0] * len(rule)
        and len(title) <= MAX_HEADING
        and any(map(str.isalnum, title))
        and not title.endswith(_FINAL[:3])
    )


def until_rule(lines: Sequence[Line], start: int) -> int:
    """Return the first separator from a line on, or the end."""
    return next((index for index in range(start, len(lines)) if is_rule(lines[index].text)), len(lines))


def may_be_heading(text: str) -> bool:
    """Return whether an isolated line may be a heading by its length and form."""
    number = _TABBED_NUMBER.match(text)
    return len(text) <= MAX_HEADING and not _COLUMNS.search(text, number.end() if number else 0) and "...." not in text


def is_in_capitals(text: str) -> bool:
    """Return whether a line is a heading in capitals."""
    letters = [char for char in text if char.isalpha()]
    if len(letters) < 3 or 2 * len(letters) < len(text) - text.count(" ") or not all(map(str.isupper, letters)):
        return False
    return not text.endswith(_FINAL) and not _DOTTED_NAME.search(text)


def isolated_lines(parts: Sequence[Group | Break], body: int) -> tuple[dict[int, Block], frozenset[int]]:
    """Return the headings among the isolated lines, by their start, and the starts of lines with a number of no series.

    Args:
        parts: the groups of the text.
        body: indentation of most of it.
    """
    headings: dict[int, Block] = {}
    lines: list[Numbered] = []
    ends: dict[int, int] = {}
    texts = [int(not isinstance(part, Break)) for part in parts]
    for index, part in enumerate(parts):
        if isinstance(part, Break):
            continue
        line = part[0]
        if len(part) > 1:
            if heading := legal_lines([line.text, part[1].text], line.start, index, _is_title):
                lines.append(heading[0])
                ends[line.start] = part[heading[1] - 1].end
                texts[index] += len(part) > heading[1]
            continue
        if not may_be_heading(line.text):
            continue
        ends[line.start] = line.end
        if is_in_capitals(line.text):
            headings[line.start] = Block("heading", line.start, line.end, 1)
        lines.extend(numbered_lines(line.text, line.start, index, _is_title, line.indent <= body + 3))
    before = list(accumulate(texts, initial=0))
    numbering = numbering_of(lines, lambda one, other: before[other] - before[one] > 1)
    for start, (level, content) in numbering.headings.items():
        headings[start] = Block("heading", start, ends[start], level, content)
    return headings, numbering.isolated - headings.keys()


def _is_title(text: str) -> bool:
    """Return whether the words after a number may be a title: a capital first, no final stop, not a whole sentence."""
    first = text.lstrip("\"'“‘(<`（「《")[:1]
    return first.isalpha() and not is_small(first) and not text.endswith(_FINAL) and text.count(" ") < 12


def turns_of(lines: Sequence[Line]) -> list[Sequence[Line]]:
    """Return the turns of a conversation, each a run of lines; empty if it is not one."""
    labels = [_TURN.match(line.text) for line in lines]
    turn_labels = [label for label in labels if label]
    sure = all(label["time"] or label["name"].isupper() for label in turn_labels)
    if labels[0] is None or len(turn_labels) < 2 or (2 * len(turn_labels) < len(lines) and not sure):
        return []
    starts = [index for index, label in enumerate(labels) if label]
    return [lines[start:stop] for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True)]


def is_unwrapped(lines: Sequence[Line]) -> bool:
    """Return whether most of the text is in lines that are whole paragraphs."""
    lengths = [len(line.text) for line in lines]
    return len(lines) > 1 and 2 * sum(length for length in lengths if length >= LONG_LINE) > sum(lengths)


def marker_of(text: str, clause: bool = False) -> tuple[str, int] | None:
    """Return the marker of an item (its number, else its kind) and the start of its words."""
    match = _MARKER.match(text)
    if match:
        return match["number"] or match.lastgroup or "", match.end()
    match = _CLAUSE.match(text) if clause else None
    return (match.group().rstrip(), match.end()) if match else None


def first_item(lines: Sequence[Line]) -> int:
    """Return the index of the line at which a list begins; the number of lines if there is none.

    A wrapped line may begin with a dash or a number by chance, so a list inside a group requires a colon before it or
    two markers of one kind, the first of them an initial one.
    """
    if marker_of(lines[0].text, clause=True):
        return 0
    marks: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        match = _MARKER.match(line.text)
        if match and match.lastgroup:
            marks.setdefault(match.lastgroup, []).append(index)
    for kind, (first, *others) in sorted(marks.items(), key=lambda mark: mark[1]):
        match = _MARKER.match(lines[first].text)
        begins = kind == "bullet" or (match is not None and match[kind] in _FIRST)
        if begins and (others or lines[first - 1].text.endswith((":", "："))):
            return first
    return len(lines)


def has_columns(lines: Sequence[Line]) -> bool:
    """Return whether most lines have columns, divided by tabs or three spaces."""
    return len(lines) > 1 and 5 * sum(bool(_COLUMNS.search(line.text)) for line in lines) >= 3 * len(lines)


# Kinds of whole groups ----------------------------------------------------------------------------------------------

_BORDER_ROW = compile_pattern(r"(?:={2,}[ \t]+)+={2,}|(?:-{2,}[ \t]+)+-{2,}")
_DRAWN = compile_pattern(r"\+[-=]|[-=]\+|^\||\|$|\|.*\||^/.*/$|[\u2500-\u257f]")
_CODE = compile_pattern(
    r"[{};]$|^(?:\$|>>>|\.\.\.|//|/\*|#!|#include\b|@\w|(?:async )?def \w|class \w+[(:]|import \w|from \w\S* import\b"
    r"|return\b|(?:if|elif|for|while|with)\b.*:$|(?:else|try|finally):)"
    r"|^[\w.\[\]\"']+ (?:[-+*/]?|:)= \S|^\w[\w.]*\(.*\)$"
)


_COUNTED: dict[str, Callable[[str], object]] = {
    "quoted": lambda text: text.startswith(">") and not text.startswith(">>>"),
    "border": _BORDER_ROW.fullmatch,
    "drawn": _DRAWN.search,
    "code": _CODE.search,
}
"""What is counted of the lines of a group."""


class KindsFromLine:
    """The kind of a group from each line on, if it is a table, a drawing, code or a quotation.

    Properties of all lines from there on are counted once, from the last line back, so that a group of a hundred
    thousand separators takes linear time.
    """

    def __init__(self, lines: Sequence[Line], body: int) -> None:
        self._lines = lines
        self._body = body
        self._counts: dict[str, list[int]] = {}

    def kind(self, at: int) -> BlockKind | None:
        """Return the kind of the lines from ``at`` on."""
        remaining = len(self._lines) - at
        if self._count("quoted", at) == remaining:
            return "quote"
        if remaining < 2:
            return None
        second = self._lines[at + 1].text
        piped = "|" in second and "--" in second and set(second) <= set("|:- \t")
        if piped or self._count("border", at) > 1:
            return "table"
        if 2 * self._count("drawn", at) > remaining:
            return "code"
        if self._indents[at] > self._body + 1 and 2 * self._count("code", at) > remaining:
            return "code"
        return None

    def _count(self, test: str, at: int) -> int:
        """Return the number of lines from ``at`` on that pass a test of :data:`_COUNTED`."""
        if test not in self._counts:
            results = (int(bool(_COUNTED[test](line.text))) for line in reversed(self._lines))
            self._counts[test] = list(accumulate(results))[::-1]
        return self._counts[test][at]

    @cached_property
    def _indents(self) -> list[int]:
        return list(accumulate((line.indent for line in reversed(self._lines)), min))[::-1]


def lead_in(lines: Sequence[Line]) -> int:
    """Return the number of lines at the top that introduce an indented drawing."""
    lead = 0
    while lead < len(lines) and lines[lead].indent <= lines[0].indent and not _DRAWN.search(lines[lead].text):
        lead += 1
    below = lines[lead:]
    indented = below and min(line.indent for line in below) > lines[0].indent
    return lead if indented and 2 * sum(bool(_DRAWN.search(line.text)) for line in below) > len(below) else 0


# Blocks -------------------------------------------------------------------------------------------------------------

_NOT_WORD = compile_pattern(r"[\s>]*")


class GroupReader:
    """A reader of groups that tracks the document's indentation and the open list.

    Args:
        body: indentation of most of the text.
        headings: the isolated lines that are headings, by their start.
        unrelated: starts of isolated lines whose number is no item's.
    """

    def __init__(self, body: int, headings: Mapping[int, Block], unrelated: Set[int]) -> None:
        self.body = body
        self.headings = headings
        self.unrelated = unrelated
        self.indents: list[int] = []

    def read(self, lines: Sequence[Line]) -> Iterator[Block]:
        """Yield the blocks of a group."""
        rest = KindsFromLine(lines, self.body)
        at = 0
        if heading := self.headings.get(lines[0].start):
            self.indents.clear()
            yield heading
            at = sum(line.start < heading.end for line in lines)
        while at < len(lines):
            kind = rest.kind(at)
            lead = lead_in(lines[at:]) if kind == "code" else 0
            if lead:
                yield from self._plain(lines[at : at + lead], alone=False)
                at += lead
            if kind:
                self.indents.clear()
                first = lines[at]
                level = len(first.text) - len(first.text.lstrip(">")) if kind == "quote" else 0
                marks = _NOT_WORD.match(first.text) if kind == "quote" else None
                content = first.start + (marks.end() if marks else 0)
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
                continue
            stop = until_rule(lines, at + over)
            yield from self._plain(lines[at + over : stop], alone=stop - at - over == len(lines) - at)
            at = stop

    def _plain(self, lines: Sequence[Line], alone: bool) -> Iterator[Block]:
        """Yield the blocks of lines without separators, tables or code."""
        if not lines:
            return
        if alone and len(lines) == 1 and lines[0].start in self.unrelated and not marker_of(lines[0].text):
            yield self._paragraph(lines)
            return
        turns = turns_of(lines)
        if turns or is_unwrapped(lines):
            for part in turns or [[line] for line in lines]:
                yield from self._items(part) if not turns else [turn_block(part)]
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


def turn_block(lines: Sequence[Line]) -> Block:
    """Return the paragraph of a turn; its words begin after its time, which may have the line to itself."""
    label = _TURN.match(lines[0].text)
    rest = lines[0].text[label.end() :].lstrip() if label and label["time"] else lines[0].text
    later = lines[1].start if len(lines) > 1 else lines[0].start
    return block_of("paragraph", lines, content=lines[0].end - len(rest) if rest else later)


def blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a plain text, in order, without overlap; see the module for the rules."""
    parts = join_running_lines(list(parts_of(text)))
    groups = [part for part in parts if not isinstance(part, Break)]
    body = body_indent(groups)
    reader = GroupReader(body, *isolated_lines(parts, body))
    text_blocks: list[Block] = []
    index = 0
    while index < len(parts):
        part = parts[index]
        index += 1
        if isinstance(part, Break):
            text_blocks.append(Block("page_break", part.start, part.end))
            continue
        text_blocks.extend(reader.read(part))
        if part[-1].text.endswith("::") and text_blocks and text_blocks[-1].kind != "code":
            words = text_blocks[-1].content - text_blocks[-1].start if text_blocks[-1].kind == "list_item" else 0
            literal = _literal(parts, index, max(part[-1].indent, part[0].indent + words))
            if literal:
                lines = [line for group in literal for line in group]
                text_blocks.append(block_of("code", lines))
                index += len(literal)
    return tuple(text_blocks)


def _literal(parts: Sequence[Group | Break], index: int, indent: int) -> list[Group]:
    """Return the groups from ``index`` on that are indented deeper than ``indent``."""
    literal: list[Group] = []
    for part in parts[index:]:
        if isinstance(part, Break) or min(line.indent for line in part) <= indent:
            break
        literal.append(part)
    return literal
