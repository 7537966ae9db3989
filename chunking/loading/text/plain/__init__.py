"""Blocks of plain text, by the conventions of text without a markup language.

Consecutive lines without a blank line are a *group*; a form feed also ends one. The rules, in this order:

========== ============================================================================================================
heading    the first line of a group with a line of ``=`` (level 1), ``-`` (2), ``~`` (3), ``^`` (4) or ``"`` (5) under
           it, three characters or more and nearly as long as the line, perhaps with the same above it;
           a group of one short line without a final stop that is

           - numbered (``3.2 Domain names``), its level the depth of the number, and not next to its own predecessor or
             successor, which makes it an item of a list with blank lines in it,
           - ``Part``, ``Book``, ``Act``, ``Chapter``, ``Article``, ``Appendix``, ``Annex``, ``Schedule`` (level 1),
             ``Section`` or ``Scene`` (2) with a number, or
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

from collections.abc import Sequence

from chunking.document import Block
from chunking.loading.text.plain.lines import LONG_LINE, MAX_HEADING, number_of
from chunking.loading.text.plain.parts import Break, Group, body_indent, join_running_lines, parts_of
from chunking.loading.text.plain.reader import GroupReader, block_of

__all__ = ["LONG_LINE", "MAX_HEADING", "blocks"]


def blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a plain text, in order, without overlap; see the module for the rules."""
    parts = join_running_lines(list(parts_of(text)))
    groups = [part.lines for part in parts if isinstance(part, Group)]
    reader = GroupReader(body_indent(groups))
    found: list[Block] = []
    place = 0
    while place < len(parts):
        part = parts[place]
        place += 1
        if isinstance(part, Break):
            found.append(Block("page_break", part.start, part.end))
            continue
        neighbours = (*parts[max(place - 2, 0) : place - 1], *parts[place : place + 1])
        near = [number_of(other.lines) for other in neighbours if isinstance(other, Group)]
        found.extend(reader.read(part.lines, near))
        if part.lines[-1].text.endswith("::") and found and found[-1].kind != "code":
            words = found[-1].content - found[-1].start if found[-1].kind == "list_item" else 0
            literal = _literal(parts, place, max(part.lines[-1].indent, part.lines[0].indent + words))
            if literal:
                lines = [line for group in literal for line in group.lines]
                found.append(block_of("code", lines))
                place += len(literal)
    return tuple(found)


def _literal(parts: Sequence[Group | Break], place: int, indent: int) -> list[Group]:
    """Return the groups from ``place`` on that are indented deeper than ``indent``."""
    literal: list[Group] = []
    for part in parts[place:]:
        if isinstance(part, Break) or min(line.indent for line in part.lines) <= indent:
            break
        literal.append(part)
    return literal
