"""Compare: many strategies on one document, on one axis and side by side."""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError
from chunking.report import Comparison, Entry, make
from chunking.strategies import Setting
from chunking.workspace import Workspace
from pages.shared import compare_views, controls, documents, embedding, frame, lane_settings, markup, own_chunks
from pages.shared.documents import Opened

frame.routed("pages/compare.py")


def main() -> None:
    markup.style()
    with st.sidebar:
        opened = documents.choose()
        settings = lane_settings.choose()
        own = own_chunks.choose(opened.document)
        counted_by = controls.tokenizer()
    workspace = documents.workspace(opened).counted_by(counted_by)
    if not embedding.ready(workspace, windows(workspace, settings)):
        return
    entries = [*segmented(workspace, settings), *own_chunks.entries(workspace, own)]
    if not entries:
        st.info("No lane can be shown. Add a strategy in the sidebar.")
        return
    compared = make(workspace, entries, opened.gold)
    show(opened, workspace, compared)


def windows(workspace: Workspace, settings: list[Setting]) -> list[int]:
    """The windows whose vectors are needed for what is not known yet."""
    known = documents.results(workspace).known
    unknown = [setting for setting in settings if known(workspace, setting) is None]
    wanted = (getattr(setting.params, "window", None) for setting in unknown)
    return sorted({window for window in wanted if window is not None})


def segmented(workspace: Workspace, settings: list[Setting]) -> list[Entry]:
    """What each strategy makes of the document; one that cannot says why, and the others are shown."""
    entries = []
    for setting in settings:
        try:
            entries.append(documents.results(workspace).get(workspace, setting))
        except ChunkscopeError as error:
            frame.show_error(ChunkscopeError(f"{setting.title}: {error.problem}", error.remedy))
    return entries


def show(opened: Opened, workspace: Workspace, compared: Comparison) -> None:
    """Lanes, then the view that is chosen."""
    unit = compare_views.head(opened, workspace, compared)
    compare_views.lanes(workspace, compared, unit)
    compare_views.chosen(workspace, compared)


main()
