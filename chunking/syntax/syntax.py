"""Syntax trees of texts, by tree-sitter, with offsets in characters.

A grammar is a small package of its own (``tree-sitter-python``, …), imported on first use. tree-sitter parses any text:
unparsable parts are ``ERROR`` nodes, and the nodes always cover the text.
"""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from chunking.errors import ChunkscopeError
from chunking.runtime import processes
from chunking.runtime.arrays import Int64
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.surrogates import replace_surrogates

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree


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
"""Module of each grammar, and its function that returns the language."""

LANGUAGES: tuple[str, ...] = tuple(_GRAMMARS)
"""Names of the languages that :func:`parse` supports."""

_LONE_RETURN = compile_pattern("\r(?!\n)")
_ANGLE_OR_END = compile_pattern("[<>;{}]")
_GENERIC = frozenset(("cpp", "csharp", "java", "tsx", "typescript"))


@dataclass(frozen=True, eq=False)
class Syntax:
    """A text with its syntax tree.

    Attributes:
        text: the original text.
        source: the parsed UTF-8 bytes, with one character for each of the text.
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
    def _characters(self) -> Int64 | None:
        """``(n_bytes + 1,)`` int64: characters before each byte; ``None`` if all characters are one byte."""
        if len(self.source) == len(self.text):
            return None
        begins = (np.frombuffer(self.source, dtype=np.uint8) & 0xC0) != 0x80
        before = np.cumsum(begins, dtype=np.int64)
        # A byte inside a character counts as that character's beginning, as its first byte does.
        return np.append(before - 1, len(self.text))

    def offset(self, byte: int) -> int:
        """Return the character that contains a byte of the source, or the length of the text at its end."""
        return byte if self._characters is None else int(self._characters[byte])

    def offsets(self, places: npt.ArrayLike) -> Int64:
        """Return ``(n,)`` int64: the characters that contain bytes of the source."""
        bytes_ = np.asarray(places, dtype=np.int64)
        return bytes_ if self._characters is None else self._characters[bytes_]

    def slice(self, node: Node) -> str:
        """Return the text of a node."""
        return self.text[self.offset(node.start_byte) : self.offset(node.end_byte)]

    def first_error(self) -> int | None:
        """Return the offset of the first syntax error, in characters; ``None`` if there is none."""
        node = self.root
        if not node.has_error:
            return None
        broken = _first_broken(node)
        while broken is not None:
            node, broken = broken, None if broken.is_error else _first_broken(broken)
        # If the root is an error, all tokens may be valid, but the text ends too early.
        is_at_end = node == self.root and node.is_error and node.end_byte >= len(self.source.rstrip())
        return self.offset(node.end_byte if is_at_end else node.start_byte)

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return line and column of a character, both from 1."""
        before = self.text[:offset].replace("\r\n", "\n").replace("\r", "\n")
        return before.count("\n") + 1, len(before) - before.rfind("\n")


def parse(text: str, language: str) -> Syntax:
    """Parse a text.

    Lone surrogates, NUL characters (the end of input for scanners) and lone carriage returns (unknown to grammars) are
    replaced one by one for the parser, so offsets are unchanged.

    Args:
        text: the text to parse; it may have errors.
        language: one of :data:`LANGUAGES`.

    Raises:
        ChunkscopeError: the language is unknown, its grammar is not installed, or the text has so many errors that the
            parser exceeds :data:`SECONDS`, :data:`MEMORY` or :data:`MAX_ANGLES`.
    """
    grammar = _language(language)
    from tree_sitter import Parser

    clean = text
    if "\0" in clean:
        clean = clean.replace("\0", "\x01")
    if "\r" in clean:
        clean = _LONE_RETURN.sub("\n", clean)
    source = replace_surrogates(clean).encode("utf-8")
    if language in _GENERIC and _open_angles(clean) > MAX_ANGLES:
        raise ChunkscopeError(
            f"The text has more than {MAX_ANGLES:,} “<” without “>”, too many for the parser of {language}.",
            "Choose the right language, or a strategy that does not parse the text.",
        )
    limits = _Limits(1 + len(source) / 1e6)
    try:
        tree = Parser(grammar).parse(
            lambda offset, _: source[offset : offset + _READ],
            progress_callback=lambda _offset, _has_error: limits.exceeded(),
        )
    except ValueError as error:  # raised when it is stopped
        raise ChunkscopeError(
            f"The text has too many errors for the parser of {language}, which exceeded {limits.reached}.",
            "Choose the right language, or a strategy that does not parse the text.",
        ) from error
    return Syntax(text, source, tree)


def _open_angles(text: str) -> int:
    """Return the largest number of ``<`` in one statement that no ``>`` closes."""
    most = depth = 0
    for sign in _ANGLE_OR_END.findall(text):
        if sign == "<":
            depth += 1
            most = max(most, depth)
        else:
            depth = max(depth - 1, 0) if sign == ">" else 0
    return most


class _Limits:
    """The time and memory of one run of the parser, which calls back after some of its steps.

    Args:
        factor: multiple of :data:`SECONDS` and :data:`MEMORY` that the run may use.
    """

    def __init__(self, factor: float) -> None:
        self.reached = ""
        self._end = time.thread_time() + SECONDS * factor
        self._memory = int(min(MEMORY * factor, processes.available_memory() * _SHARE))
        self._most = processes.resident_memory() + self._memory
        self._calls = 0

    def exceeded(self) -> bool:
        """Return whether a limit is exceeded; :attr:`reached` then names it."""
        self._calls += 1
        if time.thread_time() > self._end:
            self.reached = f"{SECONDS:g} seconds"
        elif self._calls % _CALLS == 0 and processes.resident_memory() > self._most:
            self.reached = f"{self._memory // 2**20} MiB of memory"
        return bool(self.reached)


SECONDS = 5.0
"""Limit of the parser, plus the same for each million bytes: about twenty times the need of valid files.

These are seconds of processor time, so that the result does not depend on the load of the machine. Recovery from errors
takes quadratic time, in a few crafted files hours, and only a clock can detect that.
"""

MEMORY = 200 * 2**20
"""Limit of the memory of the parser for a short text, in bytes; each megabyte of text adds as much.

Usual programs take a tenth of it. Of unclosed brackets that may also be operators (``a<a<a<``), the parser of C++ keeps
every reading, which is 6 kB for each; that of Python keeps 20 kB for each line of nothing but a backslash.
"""

_SHARE = 0.75
"""Share of the memory that the process may still take, if a limit is set for it: a parser that gets none crashes."""

MAX_ANGLES = 1_000
"""Maximum number of ``<`` in a statement without ``>``: each may begin type arguments, and these parsers
take quadratic time for them, in one step that cannot be stopped."""

_CALLS = 8
"""Calls of the parser between two looks at the memory, of which it takes up to 10 MiB between two calls."""

_READ = 65_536

LARGE = 131_072
"""Characters above which to call :func:`misfit` first: parsing in a wrong language takes minutes."""

_HEAD = 32_768
_TOO_MANY = 10  # failures per 1,000 characters; in its own language less than one, C full of macros up to seven


def misfit(text: str, language: str) -> bool:
    """Return whether the beginning of a text is not in a language: the parser fails throughout.

    A truncated construct counts as one failure, whatever its size, so the truncation itself hardly matters.

    Raises:
        ChunkscopeError: see :func:`parse`.
    """
    head = text[:_HEAD]
    head = head[: head.rfind("\n") + 1] or head
    return _failures(parse(head, language).tree) * 1000 > _TOO_MANY * len(head)


def _failures(tree: Tree) -> int:
    """Return the number of errors and missing tokens in a tree; a query takes quadratic time in a deep one."""
    cursor = tree.walk()
    count = 0
    while True:
        node = cursor.node
        if node is not None:
            count += node.is_error or node.is_missing
            if node.has_error and cursor.goto_first_child():
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return count


def _first_broken(node: Node) -> Node | None:
    return next((child for child in node.children if child.has_error or child.is_missing), None)


def grammar(language: str) -> Language:
    """Return the grammar of a language, for queries; raises like :func:`parse`."""
    return _language(language)


@cache
def _language(name: str) -> Language:
    if name not in _GRAMMARS:
        raise ChunkscopeError(f"Unknown language {name!r:.60}.", f"Choose one of: {', '.join(LANGUAGES)}.")
    module, function = _GRAMMARS[name]
    try:
        from tree_sitter import Language

        return Language(getattr(importlib.import_module(module), function)())
    except ImportError as error:
        packages = f"tree-sitter {module.replace('_', '-')}"
        raise ChunkscopeError(
            f"The parser for {name} is not installed.", f"Install it with: pip install {packages}"
        ) from error
