"""The library of whoever uses this session, and what this server holds in memory of its documents."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import streamlit as st

from chunking import ChunkscopeError
from chunking.document import Document
from chunking.runtime.caches import LRUCache
from chunking.store import Library, LibraryStorage, open_storage, removal
from chunking.store.database.location import address
from chunking.store.identity import Identity
from chunking.store.storage import files_place
from pages.shared import identity
from pages.shared.server import hosts
from pages.shared.storage import evicted


def library() -> Library:
    """Return the library as the person of this session sees it.

    Raises:
        ChunkscopeError: nobody is logged in, a limit is invalid, or the database or the folder cannot be used.
    """
    person = identity.current()
    person.require("reader", "The library")
    if not is_personal():
        raise ChunkscopeError(
            "This server keeps no documents, since it does not know who is who: they end with the session.",
            "Whoever runs it can set up a log-in.",
        )
    return _library(person)


def _library(person: Identity) -> Library:
    return Library(_storage(str(address()), files_place()), person, tell_evicted=evicted.note)


def own_library() -> Library:
    """Return the library as :func:`library`; for an admin, too, without the documents of others that are not shared."""
    person = library().identity
    return _library(replace(person, roles=person.roles - {"admin"}))


def is_personal() -> bool:
    """Return whether it is known whose documents are added: of who logged in, or of who uses this machine alone."""
    return identity.login() is not None or hosts.local()


def is_usable() -> bool:
    """Return whether documents can be kept: it is known whose they are, and what the library needs is installed."""
    return _is_installed() and is_personal()


@cache
def _is_installed() -> bool:
    """Return whether the package that the library needs is installed, without importing it."""
    return importlib.util.find_spec("sqlalchemy") is not None


def is_begun() -> bool:
    """Return whether anything may be stored yet; a look at the library would create its database.

    Raises:
        ChunkscopeError: the address of the database cannot be read.
    """
    from sqlalchemy import make_url

    if not is_personal():
        return False
    url = make_url(address())
    return url.get_backend_name() != "sqlite" or Path(url.database or "").exists()


def prepare() -> None:
    """Open the storage if there is anything in it, so that the first visitor does not wait for that."""
    with contextlib.suppress(ChunkscopeError):  # whoever asks for it is told
        if is_usable() and is_begun():
            _storage(str(address()), files_place())


def forget_again() -> None:
    """Delete once more what was computed of texts that were deleted a while ago."""
    for text_hash in _DELETED.pop_due():
        with contextlib.suppress(ChunkscopeError):  # the database or the cache is gone, and so is what was in it
            opened = _storage(str(address()), files_place())
            caches = [each for each in opened.caches if each is not _DELETED]
            removal.forget_text(replace(opened, caches=caches), text_hash)


@st.cache_resource(max_entries=2, show_spinner=False)
def _storage(database: str, files: str) -> LibraryStorage:
    """Return the storage, opened anew where a setting names another database or place of files."""
    opened = open_storage()
    return replace(opened, caches=(*opened.caches, _MEMORY, _DELETED))


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

_MEMORY = _Memory()
_DELETED = _Deleted()


def forget_with(part: Callable[[str], None]) -> None:
    """Name what removes something of a deleted text, by its hash, from the memory of this server."""
    _MEMORY.parts.append(part)


def forget(text_hash: str) -> None:
    """Remove what this server has in memory of a text that no session has open any more."""
    _MEMORY.forget(text_hash)


def revision() -> int:
    """Return a number that is another one after a deletion on this server."""
    return _MEMORY.revision


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
    """Note of which texts a document is, so that what is cached under its key can be told from that of others.

    Args:
        document: as it is shown.
        origins: what it was read from, where that has another text: the whole of a web page.
    """
    hashes = frozenset(each.text_hash for each in (document, *origins))
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
        key = tuple(each if hashed else None for each, hashed in zip(arguments, self._hashed, strict=False))
        hashes = frozenset(found for each in arguments for found in _hashes_of(each))
        with self._lock:
            self._known[key] = hashes
            self._known.move_to_end(key)
            while len(self._known) > _MOST_ENTRIES:
                self._known.popitem(last=False)

    def forget(self, text_hash: str) -> None:
        """Clear the entries of a text, and those of which nobody knows what they belong to."""
        with self._lock:
            gone = [key for key, hashes in self._known.items() if not hashes or hashes & {text_hash, _UNKNOWN}]
            for key in gone:
                del self._known[key]
        for key in gone:
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
    if isinstance(found := getattr(document, "text_hash", None), str):
        yield found
