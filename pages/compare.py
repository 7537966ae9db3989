"""Compare: many strategies on one text, as lanes above it and columns beside it, or side by side."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking import ChunkscopeError
from chunking.comparison.report import ComparisonEntry, make
from chunking.strategies import Setting
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.compare import lanes, views
from pages.shared.compare.lanes import NumberedEntry
from pages.shared.documents import add_documents, documents, embedding, exports, results
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame, markup, projector
from pages.shared.reference import own_chunks
from pages.shared.reference.own_chunks import OwnChunks
from pages.shared.settings import controls, lane_settings, strategy_settings
from pages.shared.workbench import workbench

frame.require_app_frame("pages/compare.py")


def main() -> Callable[[], None]:
    lanes.renew_old_link()
    row = workbench.draw_bar()
    with row.document:
        opened, tools = documents.choose(row.more)
    problems = frame.stable_slot()
    with row.strategy:
        lane_settings.carry(strategy_settings.now())
        settings = choose(problems)
        user_chunks = own_chunks.choose(opened)
    with row.more:
        counted_by = controls.tokenizer(tools)
        projector.offer_here()
    state.address().write()
    with frame.stable_slot():
        add_documents.read_waiting()
        workspace = documents.workspace(opened, tools).with_tokenizer(counted_by)
        embedding.ready(workspace, windows(workspace, settings))  # those that are not are left out
    with row.actions, exports.popover("_compare_export") as popover:
        if popover.open and (entries := entries_of(workspace, settings, user_chunks)):
            compared = make(workspace, entries, own_chunks.reference_of(opened))
            views.exports_of(opened, workspace, compared)
    return partial(work, opened, workspace, user_chunks, lane_settings.refusal())


def work(
    opened: OpenDocument, workspace: DocumentAnalysis, user_chunks: OwnChunks, refusal: ChunkscopeError | None
) -> None:
    """Show the present lanes in the workbench and the views below it; above it, the error of a refused change."""
    if not documents.is_open(opened) or lane_settings.refusal() is not refusal:
        st.rerun()
    settings = lane_settings.settings()
    with frame.stable_slot():
        entries = entries_of(workspace, settings, user_chunks)
        if not entries:
            frame.show_empty("No lane can be shown.", "Change a lane, or add one under “Strategies” above.")
            return
    compared = make(workspace, entries, own_chunks.reference_of(opened))
    with frame.stable_slot():
        lanes.show(workspace, compared, settings)
    with st.container(key="_below"):
        views.below(opened, workspace, compared)


def choose(problems: DeltaGenerator) -> list[Setting]:
    """Show the lanes and the controls of one of them in a popover."""
    with frame.popover("Strategies", "_strategies", icon="segment", help="The lanes, and their parameters"):
        return lane_settings.choose(problems=problems)


def entries_of(workspace: DocumentAnalysis, settings: list[Setting], user_chunks: OwnChunks) -> list[ComparisonEntry]:
    """Return the lanes that can be shown: strategies whose vectors are there, then the user's own chunks."""
    ready = [(number, setting) for number, setting in enumerate(settings, 1) if not windows(workspace, [setting])]
    entries: list[ComparisonEntry] = [*segmented(workspace, ready)]
    for number, entry in enumerate(own_chunks.entries(workspace, user_chunks), len(settings) + 1):
        entries.append(lanes.with_number(entry, number))
    return entries


def windows(workspace: DocumentAnalysis, settings: list[Setting]) -> list[int]:
    """Return the windows that still need vectors, for segmentations that are not cached."""
    find = results.of(workspace).find
    unknown = [setting for setting in settings if find(workspace, setting) is None]
    needed_windows = {window for setting in unknown for window in setting.windows}
    return sorted(window for window in needed_windows if not workspace.has_vectors(window))


def segmented(workspace: DocumentAnalysis, settings: list[tuple[int, Setting]]) -> list[NumberedEntry]:
    """Return the segmentation of each strategy, given with its number; show the error of one that fails."""
    entries = []
    cache = results.of(workspace)
    for number, setting in settings:
        try:
            with nullcontext() if cache.find(workspace, setting) else st.spinner(f"{markup.plain(setting.title)}…"):
                entries.append(lanes.with_number(cache.get(workspace, setting), number))
        except ChunkscopeError as error:
            frame.show_error(ChunkscopeError(f"{setting.title}: {error.problem}", error.remedy))
    return entries


frame.run(main, sidebar=False)
