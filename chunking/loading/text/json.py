"""Blocks of JSON, and of JSON Lines: values, by tree-sitter; :mod:`chunking.loading.text.values` says what a unit is.

Comments and commas too many, which configuration files have, do no harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chunking.document import Block
from chunking.loading.text import values
from chunking.loading.text.values import Value
from chunking.syntax import Syntax, syntax

if TYPE_CHECKING:
    from tree_sitter import Node

_CONTAINERS = ("object", "array")
_SCALARS = ("string", "number", "true", "false", "null")


def blocks(text: str) -> tuple[Block, ...] | None:
    """Blocks of a JSON text, or of several values after each other; ``None`` where less than half of it is JSON."""
    if not text.strip():
        return ()
    if len(text) > syntax.LARGE and syntax.misfit(text, "json"):
        return None
    reader = _Reader(syntax.parse(text, "json"))
    top = list(reader.values(reader.tree.root))
    read = sum(value.end - value.start for value in top)
    if 2 * read < len(text.strip()):
        return None
    return values.blocks(text, top, reader.members, "//")


class _Reader:
    """Gives the values of a parsed text.

    Attributes:
        tree: the text.
    """

    def __init__(self, tree: Syntax) -> None:
        self.tree = tree

    def members(self, value: Value) -> Sequence[Value]:
        """What is in an object or array."""
        return list(self.values(value.source))

    def values(self, node: Node) -> Iterator[Value]:
        """The values in a node; in what does not parse, those that do."""
        waiting = [iter(node.named_children)]  # all but brackets and commas
        while waiting:
            child = next(waiting[-1], None)
            if child is None:
                waiting.pop()
            elif child.type == "ERROR":
                waiting.append(iter(child.named_children))
            elif child.type == "pair":
                value = child.child_by_field_name("value")
                key = child.child_by_field_name("key")
                if key is not None and value is not None and not value.is_missing:
                    yield self._value(value, key)
            elif child.type in _CONTAINERS or (child.type in _SCALARS and not child.is_missing):
                yield self._value(child, None)

    def _value(self, node: Node, key: Node | None) -> Value:
        start, end = self._span(node)
        kind = node.type
        inner = (start + 1, end - 1) if kind == "string" and end - start >= 2 else (start, end)
        begin, words = start, None
        if key is not None:
            begin, stop = self._span(key)
            words = (begin + 1, stop - 1) if key.type == "string" and stop - begin >= 2 else (begin, stop)
        if kind == "object":
            return Value("object", begin, end, inner, words, 1, source=node)
        if kind == "array":
            return Value("array", begin, end, inner, words, 1, source=node)
        return Value("scalar", begin, end, inner, words, escaped=kind == "string")

    def _span(self, node: Node) -> tuple[int, int]:
        return self.tree.offset(node.start_byte), self.tree.offset(node.end_byte)
