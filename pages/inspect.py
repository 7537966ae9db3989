"""Inspect: one document in the workbench: where it is cut and why, at every setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
import streamlit as st

from chunking.chunks import NO_OVERLAP, SHORT_OVERLAP, leaves
from chunking.comparison.report import entry, make
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.reference import partial_score
from chunking.report.curves import Curves
from chunking.standalone import StandalonePage
from chunking.strategies import Segmentation, Setting, Strategy
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.advice import panel
from pages.shared.components.workbench import Rest
from pages.shared.documents import about_document, add_documents, choices, documents, embedding, exports, results
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame, markup, projector
from pages.shared.inspect import by_hand, chart, cost, edits, pdf_pages, pinned
from pages.shared.inspect.chart import curve_words
from pages.shared.inspect.pinned import Pinned
from pages.shared.reference import own_chunks
from pages.shared.reference import partial as partial_reference
from pages.shared.settings import address_positions, controls, strategy_settings
from pages.shared.workbench import workbench
from pages.shared.workbench.workbench import Selection, ShownLane

frame.require_app_frame("pages/inspect.py")


def main() -> Callable[[], None] | None:
    row = workbench.draw_bar()
    more = row.more
    with row.document:
        opened, tools = documents.choose(more)
    with row.strategy:
        setting, problems = strategy_settings.choose(more)
        choices.note(opened, setting)
    with more:
        counted_by = controls.tokenizer(tools)
        projector.offer_here()
    with frame.stable_slot():
        edits_by_hand = by_hand.of(opened)
    state.address().write()
    with frame.stable_slot():
        for problem in (*problems, *address_positions.problems(("gap", "page", "view"))):
            frame.show_error(problem)
        add_documents.read_waiting()
        windows = pinned.windows(setting)
        workspace = documents.workspace(opened, tools).with_tokenizer(counted_by).with_edits(edits_by_hand)
        if not embedding.ready(workspace, windows):
            return None
    with row.actions:
        act(opened, workspace, setting)
    return partial(work, opened, workspace, setting.strategy)


def work(opened: OpenDocument, workspace: DocumentAnalysis, strategy: Strategy) -> None:
    """Show the document in the workbench and the views below, at the present setting of the strategy."""
    if not (documents.is_shown(opened) and strategy_settings.is_shown(strategy)):
        st.rerun()
    setting = strategy_settings.moved(strategy)
    if not all(workspace.has_vectors(window) for window in pinned.windows(setting)):
        st.rerun()
    workspace = workspace.with_edits(by_hand.of(opened))
    choices.note(opened, setting, by_hand.stored_text(opened))
    with frame.stable_slot():
        segmentation = segmented(workspace, setting)
        if segmentation is None:
            return
        beside = pinned.beside(workspace, setting, segmentation)
        edited = edits.of(opened, workspace, setting, segmentation)
        edits.show(edited)
        hand = by_hand.HandEdits(opened, workspace)
        by_hand.warn(hand, segmentation)
    selected = address_positions.chosen_gap(opened.document, len(workspace.offsets))
    with frame.stable_slot():
        pinned_pair = (beside.setting, beside.entry.segmentation) if beside else None
        lane = ShownLane(setting.strategy.name, setting.title, setting, segmentation)
        reference, on_rest = own_chunks.reference_of(opened), take_rest(setting, opened.document)
        pages = pdf_pages.of(opened)
        selection = Selection(gap=selected, page=pages.shown_page if pages else None)

        def show(chosen: Selection, paper: pdf_pages.PdfPages | None = None) -> None:
            workbench.show(
                workspace, [lane], reference, chosen, on_rest, pinned=pinned_pair, paper=paper, edits=edited, hand=hand
            )  # fmt: skip

        try:
            show(selection, pages)
        except ChunkscopeError as error:  # a page that cannot be drawn
            frame.show_error(error)
            show(replace(selection, page=None))
    below(
        opened, hand, setting, segmentation, beside, selected, list(index_versions(workspace, setting, beside, edited))
    )


def index_versions(
    workspace: DocumentAnalysis, setting: Setting, beside: Pinned | None, edited: edits.DocumentEdits
) -> Iterator[tuple[str, Segmentation]]:
    """Yield the chunks that an index may have in place of those that are shown, under their titles."""
    if beside:
        yield f"Pinned: {beside.setting.text}", beside.entry.segmentation
    if edited.before:
        yield "The text before it was edited", edited.before
    if workspace.edits:
        without = segmented(workspace.with_edits(()), setting)
        if without:
            yield "Without the edits by hand", without


def segmented(workspace: DocumentAnalysis, setting: Setting) -> Segmentation | None:
    """Return what a setting makes of the document; show why it fails, where it does, and return ``None``."""
    try:
        return results.segmentation(workspace, setting)
    except ChunkscopeError as error:
        frame.show_error(error)
        return None


def take_rest(setting: Setting, document: Document) -> workbench.OnRest:
    """Return what takes the setting and the gap that the user has left in the workbench."""

    def take(rest: Rest, _: Selection) -> None:
        for change in rest.changes:
            if change.label == setting.strategy.name:
                strategy_settings.change(change.label, workbench.moved_values(change, setting))
        address_positions.put_gap(rest.gap, document)

    return take


def act(opened: OpenDocument, workspace: DocumentAnalysis, setting: Setting) -> None:
    """Show what can be done with the view: advice, and exports."""
    panel.show(opened, workspace)
    with exports.popover("_export") as popover:
        if popover.open:  # a closed one must not slow down what is above it
            export(opened, workspace, setting)


def export(opened: OpenDocument, workspace: DocumentAnalysis, setting: Setting) -> None:
    """Show the exports of the view."""
    segmentation = segmented(workspace, setting)
    if segmentation is None:
        return
    beside, _ = pinned.find(workspace, setting, segmentation)  # what is wrong with it is shown in its place
    reference = own_chunks.reference_of(opened)

    def page() -> str:
        compared = make(workspace, pinned.entries(beside) or [entry(setting, segmentation)], reference)
        return StandalonePage(workspace, compared, opened.path).html

    def curves() -> Curves:
        return chart.curves(segmentation, reference.boundaries, pinned.curves(beside))

    exports.contents(opened, workspace.tools, segmentation, curves if segmentation.signals else None, page=page)


def below(
    opened: OpenDocument,
    hand: by_hand.HandEdits,
    setting: Setting,
    segmentation: Segmentation,
    beside: Pinned | None,
    selected: int | None,
    indexed: Sequence[tuple[str, Segmentation]],
) -> None:
    """Show the views below the workbench: edits by hand, a pinned setting, costs, and facts about the document."""
    workspace = hand.workspace
    with st.container(key="_below"):
        by_hand.show(hand, segmentation)
        pinned.offer(
            f'<div class="cs-printed">{markup.escape(setting.text)} · document {opened.document.text_hash}</div>',
            setting,
            workspace,
        )
        pinned.show(beside, selected)
        cost.show(segmentation, indexed, workspace.tools.tokenizer)
        about(opened, workspace, segmentation)


def about(opened: OpenDocument, workspace: DocumentAnalysis, segmentation: Segmentation) -> None:
    """Show title, key figures, notes, and what is excluded."""
    teaches = f'<div class="cs-quiet">{markup.escape(opened.teaches)}</div>' if opened.teaches else ""
    title = markup.title(opened.title, about_document.kind(workspace))
    markup.show(f"{title}{teaches}{figures(segmentation, workspace)}")
    warnings = workspace.warnings(cast(int, segmentation.params.values().get("window", 0)))
    about_document.notes((*opened.document.notes, *segmentation.warnings, *warnings))
    reference = own_chunks.reference_of(opened)
    if reference.partial:
        cuts = [chunk.cut.gap for chunk in leaves(segmentation.chunks) if chunk.cut and chunk.cut.gap is not None]
        score = partial_score(reference, cuts, workspace.offsets, workspace.sentences)
        markup.show(partial_reference.html(reference, {segmentation.strategy: score}))
    about_document.set_aside(opened.document)


def figures(segmentation: Segmentation, workspace: DocumentAnalysis) -> str:
    """Return counts, token sizes, effects of the size limits and of the encoder limit, as a line of HTML."""
    chunks = leaves(segmentation.chunks)
    parents = len(segmentation.chunks) - len(chunks)
    sizes = np.array([chunk.tokens for chunk in chunks] or [0])
    reasons = [chunk.cut.reason for chunk in chunks if chunk.cut]
    forced = sum(reason in ("token_limit", "oversized_sentence") for reason in reasons)
    cells = [
        markup.figure(len(workspace.sentences), "sentence", term="sentence"),
        markup.figure(len(reasons), "boundary", "boundaries", term="boundary"),
        markup.figure(len(chunks), "chunk", term="chunk"),
        f"<div><span>tokens per chunk (excluding overlap): min</span><b>{sizes.min():,}</b>"
        f"<span>median</span><b>{np.median(sizes):,.0f}</b>"
        f"<span>p95</span><b>{np.percentile(sizes, 95):,.0f}</b>"
        f"<span>max</span><b>{sizes.max():,}</b></div>",
    ]
    if parents:
        cells.insert(3, markup.figure(parents, "topic"))
    overlap = np.array([chunk.overlap_tokens for chunk in chunks])
    if overlap.any():
        cells.append(
            f"<div><span>overlap tokens per chunk: median</span><b>{np.median(overlap):,.0f}</b>"
            f"<span>max</span><b>{overlap.max():,}</b></div>"
        )
    words = curve_words(segmentation.signals) if segmentation.signals else None
    if segmentation.suppressed and words:
        cells.append(markup.figure(len(segmentation.suppressed), words.merged, words.merged))
    if forced and words:
        cells.append(markup.figure(forced, words.forced, words.forced))
    overlaps = sum(note in (NO_OVERLAP, SHORT_OVERLAP) for chunk in chunks for note in chunk.notes)
    if overlaps:
        cells.append(markup.figure(overlaps, "shortened overlap"))
    unread, encoder = results.unread(segmentation, workspace.retrieval_encoder.name), workspace.retrieval_encoder
    if unread:
        help = (
            f"{encoder.name} reads {encoder.max_tokens:,} tokens; the longest chunk has {max(unread.values()):,}. The "
            "rest is truncated, so a search by meaning does not find it. Set a maximum size in tokens."
        )
        cells.append(markup.figure(len(unread), "exceeds the encoder limit", "exceed the encoder limit", help=help))
    return markup.figures(*cells)


frame.run(main, sidebar=False)
