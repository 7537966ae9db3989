"""Cached segmentations of a document, shared by all sessions with the same text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any, TypeVar, cast

import streamlit as st

from chunking.checks import checks
from chunking.comparison.report import ComparisonEntry, entry
from chunking.embedding import get_encoder
from chunking.runtime.caches import LRUCache
from chunking.strategies import Segmentation, Setting
from chunking.workspace import DocumentAnalysis
from pages.shared.storage import forgetting

T = TypeVar("T")

_DERIVED = 16
"""Derived tables that are kept per document."""


class Results:
    """The latest segmentations of a document; safe to share between threads."""

    def __init__(self, limit: int = 48) -> None:
        self._kept: LRUCache[tuple[str, str], ComparisonEntry] = LRUCache(limit, "segmentations")
        self._derived: LRUCache[Hashable, tuple[tuple[Segmentation, ...], Any]] = LRUCache(_DERIVED, "tables")

    def find(self, workspace: DocumentAnalysis, setting: Setting) -> ComparisonEntry | None:
        """Return the segmentation of a setting if it is cached."""
        return self._kept.get((workspace.tools.tokenizer, setting.text))

    def get(self, workspace: DocumentAnalysis, setting: Setting) -> ComparisonEntry:
        """Return the segmentation of a setting, from the cache or made now."""
        segmented = self.find(workspace, setting) or entry(setting, setting.run(workspace))
        return self._kept.put((workspace.tools.tokenizer, setting.text), segmented)

    def derive(self, what: Hashable, entries: Sequence[ComparisonEntry], make: Callable[[], T]) -> T:
        """Return a value derived from entries, from the cache under ``what`` or made now by ``make``."""
        # By identity, since two files of the same name may hold different chunks; kept with the segmentations, so that
        # no other gets the id of one while it is a key.
        held = tuple(entry.segmentation for entry in entries)
        key = (what, tuple(map(id, held)))
        cached = self._derived.get(key)
        if cached is None:
            cached = self._derived.put(key, (held, make()))
        return cast(T, cached[1])


@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=12, ttl=6 * 3600, show_spinner=False)
def _results(key: str) -> Results:
    return Results()


def of(workspace: DocumentAnalysis) -> Results:
    """Return the cached segmentations of a document, shared by all sessions with the same text and tools."""
    return _results(workspace.key)


def segmentation(workspace: DocumentAnalysis, setting: Setting) -> Segmentation:
    """Return the segmentation of one setting; the latest few are cached, so that selecting a gap recomputes nothing.

    Every slider move is another setting, so these are cached apart from those of comparisons.
    """
    return _segmentation(workspace.key, workspace.tools.tokenizer, setting.text, workspace, setting)


# Longer than a look at one document lasts, and no more than a few of the largest documents.
@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=8, ttl=3600, show_spinner=False)
def _segmentation(key: str, tokenizer: str, text: str, _workspace: DocumentAnalysis, _setting: Setting) -> Segmentation:
    return _setting.run(_workspace)


@lru_cache(maxsize=8)
def unread(segmentation: Segmentation, encoder: str) -> dict[int, int]:
    """Return the token counts of the chunks that exceed the encoder limit, by chunk index."""
    return checks.unread(segmentation, get_encoder(encoder))


forgetting.forget_with(lambda _: unread.cache_clear())
