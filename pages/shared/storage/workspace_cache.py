"""The latest workspaces of this server, as many as a budget of characters allows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

import streamlit as st

from chunking.workspace import DocumentAnalysis
from pages.shared.storage import forgetting

CHARACTERS = 20_000_000
"""Of all texts together; sentences, vectors and features take some thirty bytes per character."""

FEWEST = 8
"""Workspaces kept however long they are, so that a few sessions with long documents do not evict each other."""


@dataclass(frozen=True)
class Storage:
    """Where a document is kept besides the shelf; workspaces are shared between documents of one place alone.

    Attributes:
        text_hash: of a document that is in sessions alone; empty for one that is a sample, or in the library.
        transient: whether nothing of it is written to disk.
    """

    text_hash: str = ""
    transient: bool = False


_SHARED = Storage()


class WorkspaceCache:
    """The latest workspaces by key; safe to share between threads."""

    def __init__(self, characters: int = CHARACTERS, fewest: int = FEWEST) -> None:
        self._characters = characters
        self._fewest = fewest
        self._kept: OrderedDict[tuple[str, Storage], DocumentAnalysis] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, workspace: DocumentAnalysis, storage: Storage = _SHARED) -> DocumentAnalysis:
        """Return the cached workspace with the same key, or cache this one and return it.

        Args:
            workspace: of a document.
            storage: where the document is kept.
        """
        key = (workspace.key, storage)
        with self._lock:
            cached = self._kept.setdefault(key, workspace)
            self._kept.move_to_end(key)
            while len(self._kept) > self._fewest and self._count_characters() > self._characters:
                self._kept.popitem(last=False)
        return cached

    def forget(self, text_hash: str) -> None:
        """Drop the workspaces of a text."""
        with self._lock:
            for key, workspace in list(self._kept.items()):
                if text_hash in (workspace.document.text_hash, key[1].text_hash):
                    del self._kept[key]

    def in_sessions_alone(self) -> set[str]:
        """Return the hashes of the texts of documents that are in sessions alone."""
        with self._lock:
            return {storage.text_hash for _, storage in self._kept} - {""}

    def __len__(self) -> int:
        return len(self._kept)

    def _count_characters(self) -> int:
        return sum(len(workspace.document.text) for workspace in self._kept.values())


@st.cache_resource(max_entries=1, show_spinner=False)
def workspace_cache() -> WorkspaceCache:
    """Return the shelf of this server."""
    return WorkspaceCache()


forgetting.forget_with(lambda text_hash: workspace_cache().forget(text_hash))
