"""Syntax trees of texts, by tree-sitter, and the way back from its bytes to characters.

A grammar is a small package of its own (``tree-sitter-python``, …), imported when its language is first asked for.
tree-sitter never gives up: what it cannot parse is an ``ERROR`` node, and the nodes cover the text all the same.
"""

from __future__ import annotations

import importlib
import re
import time
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from chunking.errors import ChunkscopeError

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

Ints = npt.NDArray[np.int64]

_GRAMMARS: dict[str, tuple[str, str]] = {
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "go": ("tree_sitter_go", "language"),
    "html": ("tree_sitter_html", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "json": ("tree_sitter_json", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}
"""Module of each grammar, and the function in it that gives the language."""

LANGUAGES: tuple[str, ...] = tuple(_GRAMMARS)
"""Names of the languages that :func:`parse` knows."""

_LONE_RETURN = re.compile("\r(?!\n)")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, eq=False)
class Syntax:
    """A text with its syntax tree.

    Attributes:
        text: the text, as it was given.
        source: the UTF-8 bytes that were parsed, a character for each of the text.
        tree: the syntax tree; its offsets count bytes of ``source``.
    """

    text: str
    source: bytes
    tree: Tree

    @property
    def root(self) -> Node:
        """The node of the whole text."""
        return self.tree.root_node

    @cached_property
    def _characters(self) -> Ints | None:
        """``(n_bytes + 1,)`` int64: characters before each byte; ``None`` where a byte is a character."""
        if len(self.source) == len(self.text):
            return None
        begins = (np.frombuffer(self.source, dtype=np.uint8) & 0xC0) != 0x80
        before = np.cumsum(begins, dtype=np.int64)
        # A byte inside a character stands for that character's beginning, as its first byte does.
        return np.append(before - 1, len(self.text))

    def offset(self, byte: int) -> int:
        """The character that a byte of the source is in, or the length of the text at its end."""
        return byte if self._characters is None else int(self._characters[byte])

    def offsets(self, places: npt.ArrayLike) -> Ints:
        """``(n,)`` int64: the characters that bytes of the source are in."""
        found = np.asarray(places, dtype=np.int64)
        return found if self._characters is None else self._characters[found]

    def slice(self, node: Node) -> str:
        """The text of a node."""
        return self.text[self.offset(node.start_byte) : self.offset(node.end_byte)]

    def first_error(self) -> int | None:
        """Where the first place that does not parse begins, in characters; ``None`` where all of it parses."""
        node = self.root
        if not node.has_error:
            return None
        broken = _first_broken(node)
        while broken is not None:
            node, broken = broken, None if broken.is_error else _first_broken(broken)
        # Where the whole is one error all tokens may be good, but more had to come.
        ended = node == self.root and node.is_error and node.end_byte >= len(self.source.rstrip())
        return self.offset(node.end_byte if ended else node.start_byte)

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both from 1."""
        before = self.text[:offset].replace("\r\n", "\n").replace("\r", "\n")
        return before.count("\n") + 1, len(before) - before.rfind("\n")


def parse(text: str, language: str) -> Syntax:
    """Parse a text.

    Lone surrogates, NUL characters (which scanners take for the end) and line ends of a carriage return alone (which
    grammars do not know) are replaced for the parser by characters of which there are as many, so offsets stay true.

    Args:
        text: what to parse, however broken.
        language: one of :data:`LANGUAGES`.

    Raises:
        ChunkscopeError: the language is unknown, its grammar is not installed, or the text is so broken that the parser
            does not end in the time of :data:`SECONDS`.
    """
    grammar = _language(language)
    from tree_sitter import Parser

    clean = text
    if "\0" in clean:
        clean = clean.replace("\0", "\x01")
    if "\r" in clean:
        clean = _LONE_RETURN.sub("\n", clean)
    if not clean.isascii():
        clean = _SURROGATE.sub("\ufffd", clean)
    source = clean.encode("utf-8")
    end = time.thread_time() + SECONDS * (1 + len(source) / 1e6)
    try:
        tree = Parser(grammar).parse(
            lambda offset, _: source[offset : offset + _READ],
            progress_callback=lambda _offset, _has_error: time.thread_time() > end,
        )
    except ValueError as error:  # what stopping it raises
        raise ChunkscopeError(
            f"This is too broken for the parser of {language}, which did not end in {SECONDS:g} seconds.",
            "Choose the language that it is in, or a strategy that does not parse it.",
        ) from error
    return Syntax(text, source, tree)


SECONDS = 5.0
"""What the parser may take, and as much again for each million bytes: some twenty times what sound files need.

They are seconds of the processor: what becomes of a file does not depend on what else the machine is doing.

Its recovery from errors takes the square of their number, in a few crafted files for hours, and nothing it counts tells
those from others, so that only a clock can stop it.
"""

_READ = 65_536

LARGE = 131_072
"""Characters above which it is worth asking :func:`misfit` first: what is parsed in a wrong language takes minutes."""

_HEAD = 32_768
_TOO_MANY = 10  # failures in 1,000 characters; what is in its language has less than one, C full of macros up to seven


def misfit(text: str, language: str) -> bool:
    """Whether a text is not in a language, by its beginning: the parser fails there at every turn.

    A tree that is cut off counts as one failure, however much it holds, so the end of the beginning costs nothing.

    Raises:
        ChunkscopeError: as :func:`parse` does.
    """
    from tree_sitter import Query, QueryCursor

    head = text[:_HEAD]
    head = head[: head.rfind("\n") + 1] or head
    failures = Query(grammar(language), "[(ERROR) (MISSING)] @failure")
    found = QueryCursor(failures).captures(parse(head, language).root).get("failure", ())
    return len(found) * 1000 > _TOO_MANY * len(head)


def _first_broken(node: Node) -> Node | None:
    return next((child for child in node.children if child.has_error or child.is_missing), None)


def grammar(language: str) -> Language:
    """The grammar of a language, for queries; raises as :func:`parse` does."""
    return _language(language)


@cache
def _language(name: str) -> Language:
    if name not in _GRAMMARS:
        raise ChunkscopeError(f"There is no parser for {name!r:.60}.", f"There are: {', '.join(LANGUAGES)}.")
    module, function = _GRAMMARS[name]
    try:
        from tree_sitter import Language

        return Language(getattr(importlib.import_module(module), function)())
    except ImportError as error:
        packages = f"tree-sitter {module.replace('_', '-')}"
        raise ChunkscopeError(
            f"The parser for {name} is not installed.", f"Install it with: pip install {packages}"
        ) from error
