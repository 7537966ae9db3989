"""Collection: many documents with one setting, a figure for each, to see where the setting fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
import streamlit as st

from chunking import ChunkscopeError, samples
from chunking.comparison import agreement
from chunking.loading import FORMATS
from chunking.reference import partial_score, reference_gaps
from chunking.runtime.wording import plural
from chunking.signals.signals import Signals
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.advice import panel
from pages.shared.components.document_list import Row, chosen_document, document_list
from pages.shared.documents import add_documents, documents, embedding, session_documents
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
    problems = embedding.ready_all(workspaces, params.window)
    rows = [row(opened, workspaces[opened.name], params, problems) for opened in open_documents]
    with left:
        head(rows)
    with right:
        panel.show_all(open_documents, workspaces, opened.name)
    limit = next(iter(workspaces.values())).retrieval_encoder.max_tokens
    document_list("_list", rows, chosen=opened.name, height="calc(100vh - 9rem)", limit=limit, on_event=take)


def take() -> None:
    """Open the document that was chosen in the list on Inspect, under this page's setting."""
    name = chosen_document("_list")
    if name is not None and name in {*documents.names(), *(opened.name for opened in _SHOWN.get())}:
        line = strategy_settings.text(STRUCTURAL.name)
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
    params: StructuralParameters,
    problems: Mapping[str, ChunkscopeError],
) -> Row:
    """Return the row of a document."""
    document = opened.document
    pages = f", {len(document.pages)} pages" if document.pages else ""
    about = f"{FORMATS[document.format].title}{pages} · {document.language}"
    if opened.name in problems:
        return Row(opened.name, opened.title, about, "failed", problem=str(problems[opened.name]))
    if not workspace.has_vectors(params.window):
        return Row(opened.name, opened.title, about, "waiting")
    try:
        segmentation = STRUCTURAL.run(workspace, params)
    except ChunkscopeError as error:
        return Row(opened.name, opened.title, about, "failed", problem=str(error))
    signals = cast(Signals, segmentation.signals)
    cuts = np.array(
        [chunk.cut.gap for chunk in segmentation.chunks if chunk.cut and chunk.cut.gap is not None], dtype=np.int64
    )
    reference = own_chunks.reference_of(opened)
    true = reference_gaps(reference.boundaries, signals.offsets, signals.sentences)
    remarks = [*document.notes, *segmentation.warnings]
    if reference.partial:
        score = partial_score(reference, cuts, signals.offsets, signals.sentences)
        remarks.append(f"{partial.sentence(reference)} {partial.words(score).capitalize()}.")
    sizes = np.array([chunk.tokens for chunk in segmentation.chunks], dtype=np.int64)
    spread = (int(sizes.min()), int(np.median(sizes)), int(sizes.max())) if len(sizes) else (0, 0, 0)
    return Row(
        opened.name,
        opened.title,
        about,
        "done",
        problem="; ".join(remarks),
        sentences=len(signals.sentences),
        chunks=len(sizes),
        boundaries=len(cuts),
        tokens=spread,
        score=signals.fused,
        threshold=float(signals.threshold.value),
        cuts=cuts,
        gold=true,
        sizes=sizes,
        f1=agreement.boundary_f1(true, cuts) if reference.complete_boundaries else None,
    )


frame.run(main)
