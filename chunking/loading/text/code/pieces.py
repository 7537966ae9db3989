"""Pieces of programs: code of limited size, comments without markers, strings that are prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from chunking.document import Block
from chunking.loading.text import prose
from chunking.runtime.patterns import compile_pattern
from chunking.syntax.programs import Program, is_text, rows_of

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_LINES = 40
"""Lines of a block of code."""

MAX_BYTES = 2000  # maximum bytes of a block of code
_DOC_LINES = 4  # minimum lines of a string that is separated from its statement

WORDS = compile_pattern(r"\w+")
_LINE = compile_pattern(r"[^\r\n]+")
_MARK = compile_pattern(r"[ \t]*(?:///?[/!]*|/\*+[*!]*|#+!?|--+|\*+(?!/)|=begin\b|=end\b)?")
_CLOSING_MARK = compile_pattern(r"\*{1,100}+/[ \t]*+\Z")
_RULE = compile_pattern(r"[^\w\s]{4,}")


def code_blocks(text: str, start: int, end: int) -> Iterator[Block]:
    """Yield code as one block, or as several if it is a single item with too many lines, such as a long string."""
    piece = text[start:end]
    lines = piece.splitlines(keepends=True)
    if len(lines) <= MAX_LINES + 1 and len(piece) <= 2 * MAX_BYTES:
        yield Block("code", start, end)
        return
    begin, count = start, 0
    place = start
    for line in [*lines, ""]:
        full = count >= MAX_LINES or place - begin > MAX_BYTES or (count >= MAX_LINES // 2 and not line.strip())
        if not line or full:
            part = text[begin:place]
            bare = part.strip()
            left = begin + len(part) - len(part.lstrip())
            if WORDS.search(bare):
                yield Block("code", left, left + len(bare))
            begin, count = place, 0
        place += len(line)
        count += 1


def unmarked(comment: str) -> str:
    """Return a comment with spaces in place of its markers, at the same length."""

    def bare(match: re.Match[str]) -> str:
        line = match.group()
        closing = _CLOSING_MARK.search(line, max(len(line) - 100, 0))
        words = line[: closing.start()] if closing else line
        mark = _MARK.match(words)
        begin = mark.end() if mark else 0
        words = _RULE.sub(lambda rule: " " * len(rule.group()), words[begin:])
        return (" " * begin + words).ljust(len(line))

    return _LINE.sub(bare, comment)


def prose_strings(program: Program) -> list[Node]:
    """Return the strings of several lines that are prose, in order, without documentation strings."""
    found: list[Node] = []
    waiting = [program.tree.root]
    while waiting:
        node = waiting.pop()
        if node.end_byte - node.start_byte < prose.LONG:
            continue
        first, last = rows_of(node)
        if last - first < _DOC_LINES - 1:
            continue
        if is_text(node) and node.type not in ("concatenated_string", "heredoc_redirect"):
            words = program.tree.slice(node)
            if prose.is_prose(words):
                found.append(node)
        else:
            waiting.extend(reversed(node.children))
    return found


def body_of(core: Node) -> Node | None:
    """Return the body of a definition: its own, or that of the value or type that it names."""
    for key in ("body", "value", "right", "type"):
        inner = core.child_by_field_name(key)
        if inner is not None and key != "body":
            inner = inner.child_by_field_name("body")
        if inner is not None:
            return inner
    if core.type == "type_declaration":  # Go: one level down, and its body has no name
        spec = next((child for child in core.named_children if child.child_by_field_name("type")), None)
        kind = spec.child_by_field_name("type") if spec is not None else None
        return kind.named_children[-1] if kind is not None and kind.named_children else None
    return None


def is_docstring(node: Node) -> bool:
    """Return whether a statement is only a string, like a documentation string in Python."""
    return (
        node.type == "expression_statement"
        and node.named_child_count == 1
        and node.named_children[0].type in ("string", "concatenated_string")
    )


def lines_between(left: Node, right: Node) -> int:
    """Return the lines from the end of a node to the start of another."""
    return right.start_point.row - rows_of(left)[1]
