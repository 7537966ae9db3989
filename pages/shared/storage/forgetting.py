"""What this server holds in memory of documents, and forgets with their deletion."""

from __future__ import annotations

import inspect
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

from chunking.document import Document
from chunking.runtime.caches import LRUCache


@dataclass
class _Memory:
    """What this server computed of documents and holds in memory.

    Attributes:
        parts: each removes what it has of a text, by the hash of the text.
        revision: number of deletions, by which sessions see that they have to look again.
    """

    parts: list[Callable[[str], None]] = field(default_factory=list)
    revision: int = 0

    def forget(self, text_hash: str) -> bool:
        """Remove what was computed of a text."""
        self.revision += 1
        for part in self.parts:
            part(text_hash)
        return True


@dataclass
class _Deleted:
    """Texts that were deleted lately, of which what was running then may have stored something since.

    Attributes:
        when: seconds of the monotonic clock, by the hash of the text.
    """

    when: dict[str, float] = field(default_factory=dict)

    def forget(self, text_hash: str) -> bool:
        """Note a text that is deleted now."""
        self.when[text_hash] = time.monotonic()
        return True

    def pop_due(self) -> list[str]:
        """Return, once, the texts that were deleted so long ago that what was running then has ended."""
        latest = time.monotonic() - _ENDED_SECONDS
        due = [text_hash for text_hash, when in list(self.when.items()) if when <= latest]
        for text_hash in due:
            del self.when[text_hash]
        return due


_ENDED_SECONDS = 30.0
"""Seconds after which a run of a script has ended, or its session has looked for deletions."""

MEMORY = _Memory()
DELETED = _Deleted()


def forget_with(part: Callable[[str], None]) -> None:
    """Name what removes something of a deleted text, by its hash, from the memory of this server."""
    MEMORY.parts.append(part)


def forget(text_hash: str) -> None:
    """Remove what this server has in memory of a text that no session has open any more."""
    MEMORY.forget(text_hash)


def revision() -> int:
    """Return a number that is another one after a deletion on this server."""
    return MEMORY.revision


class _Clearable(Protocol):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what is cached, or make it."""

    def clear(self, *args: Any, **kwargs: Any) -> None:
        """Remove all that is cached."""


Cached = TypeVar("Cached", bound=_Clearable)


def cleared_on_deletion(cached: Cached) -> Cached:
    """Let a cache of Streamlit forget what it holds of a text with its deletion; a decorator.

    The arguments of its call show which text an entry belongs to: a document, something that has one, or a string that
    contains the key of a document (:func:`note`). An entry whose arguments show none goes with every deletion.
    """
    entries = _Entries(cached)
    forget_with(entries.forget)

    @wraps(cached)
    def call(*arguments: Any) -> Any:
        entries.note(arguments)
        return cached(*arguments)

    call.clear = cached.clear  # type: ignore[attr-defined]
    return cast(Cached, call)


_HASHES: LRUCache[str, frozenset[str]] = LRUCache(10_000, "document keys")
"""Hashes of the texts that documents were read from, by their keys."""

_KEY = re.compile("[0-9a-f]{32}(?:[0-9a-f]{32})?")
"""The key of a document, or the hash of a text."""

_UNKNOWN = ""


def note(document: Document, *origins: Document) -> None:
    """Note of which texts a document is, so that what is cached under its key can be distinguished from that of others.

    Args:
        document: as it is shown.
        origins: what it was read from, where that has another text: the whole of a web page.
    """
    hashes = frozenset(source.text_hash for source in (document, *origins))
    _HASHES.put(document.key, hashes | (_HASHES.get(document.key) or frozenset()))


class _Entries:
    """The entries of a cache by what they belong to.

    Args:
        cached: the cache.
    """

    def __init__(self, cached: Cached) -> None:
        self._cached = cached
        names = inspect.signature(cached).parameters
        self._hashed = [not name.startswith("_") for name in names]
        self._known: OrderedDict[tuple[Any, ...], frozenset[str]] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, arguments: tuple[Any, ...]) -> None:
        """Note a call. Arguments that are not part of the key of its entry are not kept."""
        key = tuple(argument if hashed else None for argument, hashed in zip(arguments, self._hashed, strict=False))
        hashes = frozenset(text_hash for argument in arguments for text_hash in _hashes_of(argument))
        with self._lock:
            self._known[key] = hashes
            self._known.move_to_end(key)
            while len(self._known) > _MOST_ENTRIES:
                self._known.popitem(last=False)

    def forget(self, text_hash: str) -> None:
        """Clear the entries of a text, and those of which nobody knows what they belong to."""
        with self._lock:
            stale_keys = [key for key, hashes in self._known.items() if not hashes or hashes & {text_hash, _UNKNOWN}]
            for key in stale_keys:
                del self._known[key]
        for key in stale_keys:
            self._cached.clear(*key)


_MOST_ENTRIES = 1_024
"""Calls that are noted of a cache; none has as many entries."""


def _hashes_of(argument: Any) -> Iterator[str]:
    """Yield the hashes of texts that an argument of a cached call tells of."""
    if isinstance(argument, str):
        for key in _KEY.findall(argument):
            yield from {key} if len(key) == 64 else _HASHES.get(key) or {_UNKNOWN}
        return
    document = getattr(argument, "document", argument)
    if isinstance(text_hash := getattr(document, "text_hash", None), str):
        yield text_hash
