"""The documents that adding others has evicted in this session."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.store import LibraryDocument
from pages.shared import state

_EVICTED: state.SessionValue[tuple[str, ...]] = state.SessionValue("_library_evicted", tuple)
_MOST = 100


def names() -> tuple[str, ...]:
    """Return their names, until they are dismissed."""
    return _EVICTED.get()


def dismiss() -> None:
    """Forget their names."""
    _EVICTED.clear()


def note(documents: Sequence[LibraryDocument]) -> None:
    """Note documents that were evicted, to be told on the Library page."""
    _EVICTED.set((*_EVICTED.get(), *(each.name for each in documents))[-_MOST:])
