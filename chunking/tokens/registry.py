"""The counters by name."""

from __future__ import annotations

import threading
from collections.abc import Callable

from chunking.errors import ChunkscopeError
from chunking.tokens.cl100k import Cl100k
from chunking.tokens.contract import TokenCounter
from chunking.tokens.word_pieces import WordPieces

DEFAULT_TOKENIZER = "cl100k_base"
"""The default counter."""

_COUNTERS: dict[str, Callable[[], TokenCounter]] = {Cl100k.name: Cl100k, WordPieces.name: WordPieces}
_loaded: dict[str, TokenCounter] = {}
_lock = threading.Lock()


def tokenizer_names() -> tuple[str, ...]:
    """Return the names that :func:`get_tokenizer` accepts."""
    return tuple(_COUNTERS)


def get_tokenizer(name: str = DEFAULT_TOKENIZER) -> TokenCounter:
    """Return the counter of that name, loaded once per process.

    Raises:
        ChunkscopeError: the name is unknown, or its data is not installed or not the original.
    """
    if name not in _COUNTERS:
        raise ChunkscopeError(f"Unknown tokenizer {name!r}.", f"Choose one of: {', '.join(_COUNTERS)}.")
    with _lock:
        if name not in _loaded:
            _loaded[name] = _COUNTERS[name]()
        return _loaded[name]
