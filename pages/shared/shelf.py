"""The documents that are measured on this server, the latest kept, as many as a budget of characters allows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

import streamlit as st

from chunking.workspace import Workspace

CHARACTERS = 20_000_000
"""Of all texts together; sentences, vectors and features take some thirty bytes for each."""

FEWEST = 8
"""Kept however long they are, so that a few sessions with long documents do not undo each other's work."""


class Shelf:
    """Workspaces by key, the latest of them; any number of threads may share it."""

    def __init__(self, characters: int = CHARACTERS, fewest: int = FEWEST) -> None:
        self._characters = characters
        self._fewest = fewest
        self._kept: OrderedDict[str, Workspace] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, make: Callable[[], Workspace]) -> Workspace:
        """The workspace of that key, made where it is not kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = make()
            self._kept.move_to_end(key)
            while len(self._kept) > self._fewest and self._taken() > self._characters:
                self._kept.popitem(last=False)
        return found

    def __len__(self) -> int:
        return len(self._kept)

    def _taken(self) -> int:
        return sum(len(workspace.document.text) for workspace in self._kept.values())


@st.cache_resource(max_entries=1, show_spinner=False)
def shelf() -> Shelf:
    """The one shelf of this server."""
    return Shelf()
