"""Compare: many strategies on one document, on one axis and side by side."""

from __future__ import annotations

from contextlib import nullcontext

import streamlit as st

from chunking import ChunkscopeError
from chunking.comparison.report import Comparison, ComparisonEntry, make
from chunking.strategies import Setting
from chunking.workspace import Workspace
from pages.shared import state
from pages.shared.compare import data as compare_data
from pages.shared.compare import views as compare_views
from pages.shared.compare.data import Placed
from pages.shared.documents import documents, embedding, own_documents, results, stand_in
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.reference import own_chunks
from pages.shared.settings import controls, lane_settings, strategy_settings

frame.routed("pages/compare.py")


def main() -> None:
    with st.sidebar:
        opened, tools = documents.choose()
        lane_settings.carry(strategy_settings.now())
        settings = lane_settings.choose()
        own = own_chunks.choose(opened)
        counted_by = controls.tokenizer(tools.encoder)
    state.current().write()
    own_documents.read_waiting()
    workspace = documents.workspace(opened, tools).with_tokenizer(counted_by)
    workspace = stand_in.choose(opened, workspace, windows(workspace, settings))
    later: list[Setting] = []
    if not embedding.ready(workspace, windows(workspace, settings)):
        later = [setting for setting in settings if windows(workspace, [setting])]
    entries: list[ComparisonEntry] = [*segmented(workspace, settings, later)]
    for number, entry in enumerate(own_chunks.entries(workspace, own), len(settings) + 1):
        entries.append(compare_data.placed(entry, number))
    if not entries:
        frame.show_empty("No lane can be shown.", "Change a lane, or add one under “Strategies” in the sidebar.")
        return
    compared = make(workspace, entries, own_chunks.reference_of(opened))
    show(opened, workspace, compared)


def windows(workspace: Workspace, settings: list[Setting]) -> list[int]:
    """Return the windows that still need vectors, for segmentations that are not cached."""
    known = results.of(workspace).known
    unknown = [setting for setting in settings if known(workspace, setting) is None]
    wanted = {window for setting in unknown for window in setting.windows}
    return sorted(window for window in wanted if not workspace.has_vectors(window))


def segmented(workspace: Workspace, settings: list[Setting], later: list[Setting]) -> list[Placed]:
    """Return the segmentation of each strategy except those for ``later``; show the error of one that fails."""
    entries = []
    kept = results.of(workspace)
    for number, setting in enumerate(settings, 1):
        if setting in later:
            continue
        try:
            with nullcontext() if kept.known(workspace, setting) else st.spinner(f"{markup.plain(setting.title)}…"):
                entries.append(compare_data.placed(kept.get(workspace, setting), number))
        except ChunkscopeError as error:
            frame.show_error(ChunkscopeError(f"{setting.title}: {error.problem}", error.remedy))
    return entries


def show(opened: Opened, workspace: Workspace, compared: Comparison) -> None:
    """Show the lanes, then the selected view."""
    unit = compare_views.head(opened, workspace, compared)
    compare_views.lanes(workspace, compared, unit)
    compare_views.chosen(workspace, compared)


frame.run(main)
