"""The Limits part: how large and how old the library may become, what would be evicted, and why the rest stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from chunking.runtime.wording import file_size, plural
from chunking.store import Library, LibraryDocument
from chunking.store.limits import DAYS_VARIABLE, MIB_VARIABLE, Eviction
from pages.shared.components.glossary import columns as table_columns
from pages.shared.frame import frame, markup
from pages.shared.library import listing, outcome
from pages.shared.storage.session_library import library

_MOST_HEIGHT = 420


def show(user_library: Library) -> None:
    """Show the limits, and what they evict.

    Raises:
        ChunkscopeError: the library does not answer.
    """
    planned = user_library.preview_eviction()
    _show_figures(planned)
    if planned.limits.max_bytes is None and planned.limits.max_days is None:
        frame.show_empty(
            "The library has no limit.",
            f"Nothing is evicted. Whoever runs this server can set {MIB_VARIABLE} and {DAYS_VARIABLE}.",
        )
        return
    with frame.stable_slot():
        _show_evicted(planned)
    own_entries = {entry.id: entry for entry in user_library.own()}
    protected = [(own_entries[id], why) for id, why in planned.kept.items() if id in own_entries]
    if protected:
        st.caption(f"{plural(len(protected), 'version of a document', 'versions of documents')} always stay:")
        _table([entry for entry, _ in protected], {"Why it stays": [why for _, why in protected]})


def _show_figures(planned: Eviction) -> None:
    limits = planned.limits
    size = "no limit" if limits.max_bytes is None else f"of {file_size(limits.max_bytes)}"
    days = "no limit" if limits.max_days is None else plural(limits.max_days, "day")
    figures = (
        markup.figure(file_size(planned.bytes_before), size, size, help="All files of yours, each content once"),
        markup.figure(
            days, "without being opened", "without being opened", help="After these days a document may be evicted"
        ),
    )
    markup.show(markup.figures(*figures))


def _show_evicted(planned: Eviction) -> None:
    if not planned.evicted:
        if planned.exceeds:
            frame.show_empty("The library is above its size.", "The rest must stay: delete documents yourself.")
        else:
            frame.show_empty("Nothing exceeds the limits.", "The oldest documents are evicted once something does.")
        return
    freed = file_size(planned.bytes_before - planned.bytes_after)
    st.caption(f"{plural(len(planned.evicted), 'version of a document', 'versions of documents')} would go, {freed}:")
    _table(planned.evicted, {})
    st.button(
        f"Evict {len(planned.evicted):,}", key="_library_evict", icon=":material/auto_delete:", type="primary",
        on_click=_evict, help="Deletes them for good, with files, vectors and sentences.",
    )  # fmt: skip


def _evict() -> None:
    with outcome.reported():
        user_library = library()
        eviction = user_library.evict()
        freed = file_size(eviction.bytes_before - eviction.bytes_after)
        outcome.done(
            f"{plural(len(eviction.evicted), 'version of a document', 'versions of documents')} evicted, {freed}."
        )


def _table(documents: Sequence[LibraryDocument], more: dict[str, list[str]]) -> None:
    import pandas as pd  # type: ignore[import-untyped]

    columns: dict[str, list[Any]] = {
        "Name": [document.name for document in documents],
        "Size": [document.size / 2**10 for document in documents],
        "Opened": [listing.moment(document.opened) for document in documents],
        **more,
    }
    st.dataframe(
        pd.DataFrame(columns),
        hide_index=True,
        height=min(_MOST_HEIGHT, 38 + 35 * len(documents)),
        column_config=table_columns.explained(columns, listing.columns()),
    )
