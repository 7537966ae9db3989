"""What a user chose for a document of the library: stored when it changes, and there again when it is opened.

What an address names wins. A change is stored a moment later in a thread of its own, so that no control waits for it.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, field, replace

import streamlit as st

from chunking import ChunkscopeError
from chunking.loading.language import LANGUAGES
from chunking.store import DocumentSettings, Library, LibraryDocument, StaleError
from chunking.strategies import Setting
from pages.shared import state
from pages.shared.documents import library_documents
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.settings import strategy_settings
from pages.shared.storage import session_library

_SHARED = ("encoder", "tokenizer", "splitter", "language", "content")
"""Choices that the address holds under these names on every page."""

_STRATEGY, _EDITS = "strategy", "edits"
_SECONDS = 1.5
"""How long a change waits for others, so that a slider is stored where it comes to rest."""


@dataclass
class _Seen:
    """The choices that the session last saw for the open document, by their field."""

    name: str = ""
    values: dict[str, str] = field(default_factory=dict)


_SEEN: state.SessionValue[_Seen] = state.SessionValue("_document_choices", _Seen)


def restore(opened: OpenDocument) -> None:
    """Put what was chosen for a document into the address and the controls, where the address names nothing else.

    A link that names a strategy says everything: what it leaves out is at its default.
    """
    if opened.entry is None:
        return
    address, settings = state.address(), of(opened.entry)
    is_linked = address.page in address.unread_pages
    if is_linked and address.texts(_STRATEGY):
        return
    for name in _SHARED:
        value = getattr(settings, name)
        if value and not (is_linked and address.texts(name)):
            address.put(name, value)
    if settings.strategy:
        strategy_settings.restore(settings.strategy)


def note(opened: OpenDocument, setting: Setting | None = None, edits: str | None = None) -> None:
    """Store what has changed since the document was opened.

    Args:
        opened: the open document.
        setting: the strategy of Inspect, where that is the open page.
        edits: by hand, packed; the same.
    """
    if opened.entry is None or not library_documents.is_own(opened.entry):
        return
    now = {name: state.address().text(name) for name in _SHARED}
    now["language"] = now["language"] if now["language"] in LANGUAGES else ""  # of an older link, its title
    if setting is not None:
        now[_STRATEGY] = setting.text if setting.text != strategy_settings.CURVED[0] else ""
    if edits is not None:
        now[_EDITS] = edits
    seen = _SEEN.get()
    if seen.name != opened.name:
        _SEEN.set(seen := _Seen(opened.name))
    changed = {name: value for name, value in now.items() if seen.values.get(name, value) != value}
    seen.values |= now
    if changed:
        with contextlib.suppress(ChunkscopeError):  # the address has them as well
            _writer().put(session_library.own_library(), opened.entry, replace(of(opened.entry), **changed))


def of(entry: LibraryDocument) -> DocumentSettings:
    """Return what was chosen for a document, with what is about to be stored."""
    return _writer().waiting(entry) or entry.choices


class ChoiceWriter:
    """Stores choices a moment after the first of several changes; safe to share between threads.

    Args:
        seconds: how long a change waits for others.
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._waiting: dict[str, tuple[Library, DocumentSettings]] = {}
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def put(self, library: Library, entry: LibraryDocument, choices: DocumentSettings) -> None:
        """Store the choices of a document soon, in place of those that wait."""
        with self._lock:
            self._waiting[entry.id] = (library, choices)
            if self._timer is None:
                self._timer = threading.Timer(self._seconds, self.write)
                self._timer.daemon = True
                self._timer.start()

    def waiting(self, entry: LibraryDocument) -> DocumentSettings | None:
        """Return the choices of a document that are not stored yet."""
        with self._lock:
            return self._waiting[entry.id][1] if entry.id in self._waiting else None

    def write(self) -> None:
        """Store all that waits."""
        with self._lock:
            self._timer, waiting = None, dict(self._waiting)
        for id, (library, choices) in waiting.items():
            with contextlib.suppress(ChunkscopeError):  # deleted, or no database: the address has them as well
                _store(library, id, choices)
        with self._lock:
            self._waiting = {id: unwritten for id, unwritten in self._waiting.items() if waiting.get(id) != unwritten}


def _store(library: Library, id: str, choices: DocumentSettings) -> None:
    try:
        library.choose(library.get(id), choices)
    except StaleError:  # changed between the two; these choices are the latest all the same
        library.choose(library.get(id), choices)


@st.cache_resource(max_entries=1, show_spinner=False)
def _writer() -> ChoiceWriter:
    return ChoiceWriter()
