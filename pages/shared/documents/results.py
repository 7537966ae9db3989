"""What strategies made of a document, kept beside it for all sessions that look at the same text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any, TypeVar, cast

import streamlit as st

from chunking.checks import checks
from chunking.comparison.report import ComparisonEntry, entry
from chunking.embedding import get_encoder
from chunking.runtime.lru import LRUCache
from chunking.strategies import Segmentation, Setting
from chunking.workspace import Workspace

T = TypeVar("T")

_DERIVED = 16
"""Tables that are kept of a document."""


class Results:
    """What strategies made of a document, the latest of them kept; any number of threads may share it."""

    def __init__(self, limit: int = 48) -> None:
        self._kept: LRUCache[tuple[str, str], ComparisonEntry] = LRUCache(limit)
        self._derived: LRUCache[Hashable, tuple[tuple[Segmentation, ...], Any]] = LRUCache(_DERIVED)

    def known(self, workspace: Workspace, setting: Setting) -> ComparisonEntry | None:
        """What the strategy made, if it is kept."""
        return self._kept.get((workspace.tools.tokenizer, setting.text))

    def get(self, workspace: Workspace, setting: Setting) -> ComparisonEntry:
        """What the strategy made or now makes."""
        found = self.known(workspace, setting) or entry(setting, setting.run(workspace))
        return self._kept.put((workspace.tools.tokenizer, setting.text), found)

    def derive(self, what: Hashable, entries: Sequence[ComparisonEntry], make: Callable[[], T]) -> T:
        """What follows from some entries, of which the latest are kept: ``what`` names it, ``make`` makes it."""
        # By identity, since two files of the same name may hold different chunks; kept with the segmentations, so that
        # no other gets the id of one while it is a key.
        held = tuple(entry.segmentation for entry in entries)
        key = (what, tuple(map(id, held)))
        known = self._derived.get(key)
        if known is None:
            known = self._derived.put(key, (held, make()))
        return cast(T, known[1])


@st.cache_resource(max_entries=12, ttl=6 * 3600, show_spinner=False)
def _results(key: str) -> Results:
    return Results()


def of(workspace: Workspace) -> Results:
    """What strategies made of the document, shared by all sessions that measure the same text alike."""
    return _results(workspace.key)


def segmentation(workspace: Workspace, setting: Setting) -> Segmentation:
    """What one strategy makes of the document; the latest few are kept, so that a look at another gap makes none anew.

    Every move of a slider is another setting, so these are not kept with those that are compared.
    """
    return _segmentation(workspace.key, workspace.tools.tokenizer, setting.text, workspace, setting)


# Longer than a look at one document lasts, and no more than a few of the largest documents.
@st.cache_resource(max_entries=8, ttl=3600, show_spinner=False)
def _segmentation(key: str, tokenizer: str, text: str, _workspace: Workspace, _setting: Setting) -> Segmentation:
    return _setting.run(_workspace)


@lru_cache(maxsize=8)
def unread(segmentation: Segmentation, encoder: str) -> dict[int, int]:
    """The chunks that are longer than an encoder reads: its tokens of each, by its index."""
    return checks.unread(segmentation, get_encoder(encoder))
