"""Text that the user of this session has typed and not sent yet, kept over a reload as soon as its field is left."""

from __future__ import annotations

import contextlib

from chunking import ChunkscopeError
from chunking.store.drafts import Drafts
from pages.shared.state import SessionValue, session
from pages.shared.storage import current

_BEGUN: SessionValue[set[str]] = SessionValue("_drafts_begun", set)


def begin(key: str, field: str) -> None:
    """Put the draft of a key into a field when the session first draws it; to be called before it is drawn."""
    if key in _BEGUN.get():
        return
    _BEGUN.get().add(key)
    with contextlib.suppress(ChunkscopeError):  # a page without its draft is better than none
        if current.is_usable() and current.is_begun() and (found := Drafts(current.library()).get(key)):
            session.set_widget(field, found)


def keep(key: str, field: str) -> None:
    """Keep what a field holds as the draft of a key; in its callback."""
    _put(key, str(session.widget_value(field) or ""))


def drop(key: str) -> None:
    """Delete the draft of a key, which was sent."""
    _put(key, "")


def _put(key: str, text: str) -> None:
    with contextlib.suppress(ChunkscopeError):  # too long, or no library: the field still has it
        if current.is_usable() and (text or current.is_begun()):
            Drafts(current.library()).put(key, text)
