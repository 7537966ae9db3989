"""Collection: many documents with one setting, a figure for each, to see where the setting fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from chunking import ChunkscopeError, samples
from chunking.comparison import agreement
from chunking.comparison.report import at_gaps
from chunking.loading import FORMATS
from chunking.reference import partial_score, reference_gaps
from chunking.runtime.arrays import Int64
from chunking.runtime.wording import plural
from chunking.signals.signals import Signals
from chunking.strategies import Setting
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.advice import panel
from pages.shared.collection import cost, own_settings
from pages.shared.components.document_list import Row, chosen_document, document_list
from pages.shared.documents import add_documents, documents, embedding, results, session_documents
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame, markup
from pages.shared.library import document_sets
from pages.shared.library.document_sets import SetDocuments
from pages.shared.reference import own_chunks, partial
from pages.shared.settings import controls, strategy_settings
from pages.shared.settings.strategy_settings import STRUCTURAL

frame.require_app_frame("pages/collection.py")

YOURS, SAMPLES = "Your documents", "Samples"


def main() -> None:
    with st.sidebar:
        opened, tools = documents.choose()
        add_documents.offer_latest()
        params, errors = strategy_settings.choose_structural()
        counted_by = controls.tokenizer(tools)
    state.address().write()
    for problem in errors:
        frame.show_error(problem)
    add_documents.read_waiting()
    left, right = st.columns([3, 2], vertical_alignment="center")
    with right:
        set_documents = choose_documents()
    open_documents = list(set_documents.opened)
    with frame.stable_slot():
        for _, problem in set_documents.problems:
            frame.show_error(problem)
    if not open_documents:
        frame.show_empty("The set has no documents.", "Add some to it on the Library page, or choose another one.")
        return
    workspaces = {
        opened.name: documents.workspace(opened, tools).with_tokenizer(counted_by) for opened in open_documents
    }
    page_setting = Setting(STRUCTURAL, params)
    own = own_settings.of()
    settings = {opened.name: own.get(own_settings.key_of(opened), page_setting) for opened in open_documents}
    problems = ready(workspaces, settings)
    rows = [
        row(opened, workspaces[opened.name], settings[opened.name], page_setting, problems) for opened in open_documents
    ]
    with left:
        head(rows)
    with st.container(horizontal=True, key="_collection_actions"):
        panel.show_all(open_documents, workspaces, opened.name)
        own_settings.show(open_documents, workspaces, page_setting)
        cost.show(open_documents, workspaces, settings, page_setting)
    limit = next(iter(workspaces.values())).retrieval_encoder.max_tokens
    document_list("_list", rows, chosen=opened.name, height="calc(100vh - 12rem)", limit=limit, on_event=take)


def ready(workspaces: Mapping[str, DocumentAnalysis], settings: Mapping[str, Setting]) -> dict[str, ChunkscopeError]:
    """Embed what the settings of the documents need; return the problems by name."""
    problems: dict[str, ChunkscopeError] = {}
    for window in sorted({window for setting in settings.values() for window in setting.windows}):
        of_window = {name: workspaces[name] for name, setting in settings.items() if window in setting.windows}
        problems |= embedding.ready_all(of_window, window)
    return problems


def take() -> None:
    """Open the document that was chosen in the list on Inspect, under this page's setting."""
    name = chosen_document("_list")
    if name is not None and name in {*documents.names(), *(opened.name for opened in _SHOWN.get())}:
        by_name = {opened.name: opened for opened in _SHOWN.get()}
        own = own_settings.of().get(own_settings.key_of(by_name[name])) if name in by_name else None
        line = own.text if own else strategy_settings.text(STRUCTURAL.name)
        state.go("pages/inspect.py", {session_documents.CHOICE: name, strategy_settings.KEY: line})


_SHOWN: state.SessionValue[tuple[OpenDocument, ...]] = state.SessionValue("_collection_set", tuple)


def choose_documents() -> SetDocuments:
    """Draw the choice of the documents, and return them: the user's own, the samples, or a set of the library."""
    own_names = list(session_documents.kept())
    sets = document_sets.offered()
    options = [*([YOURS] if own_names else []), SAMPLES, *sets.titles]
    document_sets.show_missing(sets, options)
    which = SAMPLES
    if len(options) > 1:
        which = controls.select(
            "Documents", options, name=document_sets.CHOICE, titles=sets.title, label_visibility="collapsed"
        )
    names = own_names if which == YOURS else samples.names() if which == SAMPLES else None
    set_documents = document_sets.open_set(which) if names is None else SetDocuments(tuple(map(documents.get, names)))
    _SHOWN.set(set_documents.opened)
    return set_documents


def head(rows: list[Row]) -> None:
    """Show the number of documents and their totals."""
    done = [row for row in rows if row.state == "done"]
    parts = [
        markup.figure(len(rows), "document"),
        markup.figure(sum(row.sentences for row in done), "sentence"),
        markup.figure(sum(row.chunks for row in done), "chunk"),
    ]
    scored = [row.f1 for row in done if row.f1 is not None]
    if scored:
        of = f"mean boundary F1 of {plural(len(scored), 'document')} with a reference"
        parts.append(markup.figure(f"{np.mean(scored):.2f}", of, of, term="boundary F1"))
    markup.show(markup.figures(*parts))


def row(
    opened: OpenDocument,
    workspace: DocumentAnalysis,
    setting: Setting,
    page_setting: Setting,
    problems: Mapping[str, ChunkscopeError],
) -> Row:
    """Return the row of a document under its setting."""
    document = opened.document
    pages = f", {len(document.pages)} pages" if document.pages else ""
    about = f"{FORMATS[document.format].title}{pages} · {document.language}"
    about += f" · {setting.text}" if setting != page_setting else ""
    if opened.name in problems:
        return Row(opened.name, opened.title, about, "failed", problem=str(problems[opened.name]))
    if not all(workspace.has_vectors(window) for window in setting.windows):
        return Row(opened.name, opened.title, about, "waiting")
    try:
        entry = results.of(workspace).get(workspace, setting)
    except ChunkscopeError as error:
        return Row(opened.name, opened.title, about, "failed", problem=str(error))
    segmentation, sentences, offsets = entry.segmentation, workspace.sentences, workspace.offsets
    cut_offsets = at_gaps(entry.offsets, sentences, offsets)
    cuts = np.flatnonzero(np.isin(offsets, cut_offsets))
    reference = own_chunks.reference_of(opened)
    true = reference_gaps(reference.boundaries, offsets, sentences)
    remarks = [*document.notes, *segmentation.warnings]
    if reference.partial:
        score = partial_score(reference, cuts, offsets, sentences)
        remarks.append(f"{partial.sentence(reference)} {partial.words(score).capitalize()}.")
    signals = segmentation.signals
    sizes = np.array([chunk.tokens for chunk in segmentation.chunks], dtype=np.int64)
    spread = (int(sizes.min()), int(np.median(sizes)), int(sizes.max())) if len(sizes) else (0, 0, 0)
    return Row(
        opened.name,
        opened.title,
        about,
        "done",
        problem="; ".join(remarks),
        sentences=len(sentences),
        chunks=len(sizes),
        boundaries=len(cut_offsets),
        tokens=spread,
        **({} if signals is None else _curve(signals, cuts, true)),
        sizes=sizes,
        f1=agreement.boundary_f1(true, cuts) if reference.complete_boundaries else None,
    )


def _curve(signals: Signals, cuts: Int64, true: Int64) -> dict[str, Any]:
    """Return what is drawn of a strategy with a curve."""
    return {
        "score": signals.fused,
        "threshold": float(signals.threshold.value),
        "cuts": cuts,
        "gold": true,
    }


frame.run(main)
