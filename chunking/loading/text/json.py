"""Blocks of JSON and JSON Lines: values, parsed by tree-sitter; see :mod:`chunking.loading.text.values` for units.

Comments and superfluous commas, as in configuration files, are accepted.
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
    """Return the blocks of a JSON text, or of several values in sequence; ``None`` if less than half of it is JSON."""
    if not text.strip():
        return ()
    if len(text) > syntax.LARGE and syntax.misfit(text, "json"):
        return None
    reader = _JsonReader(syntax.parse(text, "json"))
    top = list(reader.values(reader.tree.root))
    read = sum(value.end - value.start for value in top)
    if 2 * read < len(text.strip()):
        return None
    return values.blocks(text, top, reader.members, "//")


class _JsonReader:
    """The values of a parsed text.

    Attributes:
        tree: the syntax tree.
    """

    def __init__(self, tree: Syntax) -> None:
        self.tree = tree

    def members(self, value: Value) -> Sequence[Value]:
        """Return the members of an object or array."""
        return list(self.values(value.source))

    def values(self, node: Node) -> Iterator[Value]:
        """Yield the values in a node; of unparsable text, those that are valid."""
        waiting = [iter(node.named_children)]  # everything except brackets and commas
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
        if kind in _CONTAINERS:
            return Value("object" if kind == "object" else "array", begin, end, inner, words, 1, source=node)
        return Value("scalar", begin, end, inner, words, escaped=kind == "string")

    def _span(self, node: Node) -> tuple[int, int]:
        return self.tree.offset(node.start_byte), self.tree.offset(node.end_byte)
