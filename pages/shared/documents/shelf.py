"""The latest workspaces of this server, as many as a budget of characters allows."""

from __future__ import annotations

import threading
from collections import OrderedDict

import streamlit as st

from chunking.workspace import Workspace
from pages.shared.storage import current

CHARACTERS = 20_000_000
"""Of all texts together; sentences, vectors and features take some thirty bytes per character."""

FEWEST = 8
"""Workspaces kept however long they are, so that a few sessions with long documents do not evict each other."""


class Shelf:
    """The latest workspaces by key; safe to share between threads."""

    def __init__(self, characters: int = CHARACTERS, fewest: int = FEWEST) -> None:
        self._characters = characters
        self._fewest = fewest
        self._kept: OrderedDict[tuple[str, bool], Workspace] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, workspace: Workspace, transient: bool = False) -> Workspace:
        """Return the cached workspace with the same key, or cache this one and return it.

        Args:
            workspace: of a document.
            transient: whether nothing of the document is written to disk: then it is shared with others of these alone.
        """
        key = (workspace.key, transient)
        with self._lock:
            found = self._kept.setdefault(key, workspace)
            self._kept.move_to_end(key)
            while len(self._kept) > self._fewest and self._taken() > self._characters:
                self._kept.popitem(last=False)
        return found

    def forget(self, text_hash: str) -> None:
        """Drop the workspaces of a text."""
        with self._lock:
            for key in [key for key, each in self._kept.items() if each.document.text_hash == text_hash]:
                del self._kept[key]

    def __len__(self) -> int:
        return len(self._kept)

    def _taken(self) -> int:
        return sum(len(workspace.document.text) for workspace in self._kept.values())


@st.cache_resource(max_entries=1, show_spinner=False)
def shelf() -> Shelf:
    """Return the shelf of this server."""
    return Shelf()


current.forget_with(lambda text_hash: shelf().forget(text_hash))
