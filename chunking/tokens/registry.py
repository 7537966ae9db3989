"""The counters by name."""

from __future__ import annotations

import threading
from collections.abc import Callable

from chunking.errors import ChunkscopeError
from chunking.tokens.cl100k import Cl100k
from chunking.tokens.counters import TokenCounter
from chunking.tokens.word_pieces import WordPieces

DEFAULT_TOKENIZER = "cl100k_base"
"""The default counter."""

_COUNTERS: dict[str, Callable[[], TokenCounter]] = {Cl100k.name: Cl100k, WordPieces.name: WordPieces}
_loaded: dict[str, TokenCounter] = {}
_lock = threading.Lock()


_sources: dict[str, Callable[[str], TokenCounter]] = {}


def add_source(prefix: str, find: Callable[[str], TokenCounter]) -> None:
    """Add counters that are named ``PREFIX:NAME``.

    Args:
        prefix: before the colon.
        find: returns the counter of a name; raises :class:`ChunkscopeError` where there is none.
    """
    _sources[prefix] = find


def tokenizer_names() -> tuple[str, ...]:
    """Return the built-in names that :func:`get_tokenizer` accepts, beside those of :func:`add_source`."""
    return tuple(_COUNTERS)


def get_tokenizer(name: str = DEFAULT_TOKENIZER) -> TokenCounter:
    """Return the counter of that name, loaded once per process.

    Raises:
        ChunkscopeError: the name is unknown, or its data is not installed or not the original.
    """
    prefix, colon, rest = name.partition(":")
    if colon and prefix in _sources:
        return _sources[prefix](rest)
    if name not in _COUNTERS:
        raise ChunkscopeError(f"Unknown tokenizer {name!r}.", f"Choose one of: {', '.join([*_COUNTERS, *_sources])}.")
    with _lock:
        if name not in _loaded:
            _loaded[name] = _COUNTERS[name]()
        return _loaded[name]
