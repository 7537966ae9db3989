"""Inspect: the curves of one document, where it is cut and why."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import streamlit as st

from chunking import explain
from chunking.chunks import NO_OVERLAP, SHORT_OVERLAP, leaves
from chunking.comparison.report import entry, make
from chunking.curves.signals import Signals
from chunking.document import Document
from chunking.gold import partial_score
from chunking.params import Parameters
from chunking.standalone import StandalonePage
from chunking.strategies import Segmentation, Setting
from chunking.strategies.changepoint import FINEST, ChangepointParameters
from chunking.workspace import Workspace
from pages.shared import state
from pages.shared.advice import panel
from pages.shared.components.chunk_reader import chunk_reader, reader_event
from pages.shared.components.curve_chart import chart_event, curve_chart
from pages.shared.components.document_store import document_store, layout_store
from pages.shared.documents import (
    about_document,
    choices,
    documents,
    embedding,
    exports,
    own_documents,
    results,
    stand_in,
)
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.inspect import changes, drawing, introduction, ledger_view, paper, pinned, text_views
from pages.shared.inspect.pinned import Pinned
from pages.shared.reference import own_chunks, partial
from pages.shared.settings import controls, live, places, strategy_settings
from pages.shared.settings.curve_words import curve_words

frame.routed("pages/inspect.py")


def main() -> None:
    with st.sidebar:
        opened, tools = documents.choose()
        setting, told = strategy_settings.choose()
        choices.note(opened.own, setting)
        counted_by = controls.tokenizer(tools.encoder)
    state.current().write()
    with frame.part():
        if state.current().text("gap"):
            introduction.chose()
        for problem in (*told, *places.problems(("gap", "page", "view"))):
            frame.show_error(problem)
        own_documents.read_waiting()
        windows = pinned.windows(window_of(setting.params))
        workspace = documents.workspace(opened, tools).with_tokenizer(counted_by)
        workspace = stand_in.choose(opened, workspace, windows)
        if not embedding.ready(workspace, windows):
            return
        segmentation = results.segmentation(workspace, setting)
        beside = pinned.beside(workspace, setting, segmentation)
        said, changed = changes.follow(changes.outcome(workspace, segmentation))
        selected = places.chosen_gap(opened.document, len(cast(Signals, segmentation.signals)))
        introduction.show_steps(changed, selected, opened.name in own_documents.kept())
        head(opened, workspace, setting, segmentation, beside)
        pinned.offer(
            f'<div class="cs-change" role="status">{markup.escape(said) or introduction.PURPOSE}</div>'
            f'<div class="cs-printed">{markup.escape(setting.text)} · document {opened.document.text_hash}</div>',
            setting,
            workspace,
        )
    with frame.part():
        picture(opened, workspace, segmentation, selected, beside)


def window_of(params: Parameters) -> int:
    """Return the number of neighbours on either side that are embedded with each sentence."""
    return cast(int, params.values().get("window", 0))


def head(
    opened: Opened, workspace: Workspace, setting: Setting, segmentation: Segmentation, beside: Pinned | None
) -> None:
    """Show title, key figures, advice, exports, and warnings."""
    left, right = st.columns([4, 1], vertical_alignment="center")

    def page() -> str:
        entries = pinned.entries(beside) or [entry(setting, segmentation)]
        compared = make(workspace, entries, own_chunks.reference_of(opened))
        return StandalonePage(workspace, compared, opened.path).html

    with left:
        title = markup.escape(opened.title)
        teaches = f'<div class="cs-quiet">{markup.escape(opened.teaches)}</div>' if opened.teaches else ""
        kind = about_document.kind(workspace)
        about = f' <span class="cs-quiet cs-kind">{markup.escape(kind)}</span>'
        markup.show(f"<b>{title}</b>{about}{teaches}{figures(segmentation, workspace)}")
    with right, st.container(key="_head_actions"):
        panel.show(opened, workspace)
        exports.show(
            opened,
            workspace.tools,
            segmentation,
            lambda: drawing.curves(segmentation, own_chunks.reference_of(opened).boundaries, pinned.curves(beside)),
            page=page,
        )
    warnings = workspace.warnings(window_of(segmentation.params))
    about_document.notes((*opened.document.notes, *segmentation.warnings, *warnings))
    reference = own_chunks.reference_of(opened)
    if reference.partial:
        cuts = [chunk.cut.gap for chunk in leaves(segmentation.chunks) if chunk.cut and chunk.cut.gap is not None]
        score = partial_score(reference, cuts, workspace.offsets, workspace.sentences)
        markup.show(partial.html(reference, {segmentation.strategy: score}))
    about_document.set_aside(opened.document)


def figures(segmentation: Segmentation, workspace: Workspace) -> str:
    """Return counts, token sizes, effects of the size limits and of the encoder limit, as a line of HTML."""
    chunks, signals = leaves(segmentation.chunks), cast(Signals, segmentation.signals)
    parents = len(segmentation.chunks) - len(chunks)
    sizes = np.array([chunk.tokens for chunk in chunks] or [0])
    reasons = [chunk.cut.reason for chunk in chunks if chunk.cut]
    forced = len(reasons) - reasons.count("distance")
    shown = [
        markup.figure(len(signals.sentences), "sentence", term="sentence"),
        markup.figure(reasons.count("distance"), "boundary", "boundaries", term="boundary"),
        markup.figure(len(chunks), "chunk", term="chunk"),
        f"<div><span>tokens per chunk (excluding overlap): min</span><b>{sizes.min():,}</b>"
        f"<span>median</span><b>{np.median(sizes):,.0f}</b>"
        f"<span>p95</span><b>{np.percentile(sizes, 95):,.0f}</b>"
        f"<span>max</span><b>{sizes.max():,}</b></div>",
    ]
    if parents:
        shown.insert(3, markup.figure(parents, "topic"))
    overlap = np.array([chunk.overlap_tokens for chunk in chunks])
    if overlap.any():
        shown.append(
            f"<div><span>overlap tokens per chunk: median</span><b>{np.median(overlap):,.0f}</b>"
            f"<span>max</span><b>{overlap.max():,}</b></div>"
        )
    words = curve_words(signals)
    if segmentation.suppressed:
        shown.append(markup.figure(len(segmentation.suppressed), words.merged, words.merged))
    if forced:
        shown.append(markup.figure(forced, words.forced, words.forced))
    overlaps = sum(note in (NO_OVERLAP, SHORT_OVERLAP) for chunk in chunks for note in chunk.notes)
    if overlaps:
        shown.append(markup.figure(overlaps, "shortened overlap"))
    unread, encoder = results.unread(segmentation, workspace.tools.encoder), workspace.encoder
    if unread:
        help = (
            f"{encoder.name} reads {encoder.max_tokens:,} tokens; the longest chunk has {max(unread.values()):,}. The "
            "rest is truncated, so a search by meaning does not find it. Set a maximum size in tokens."
        )
        shown.append(markup.figure(len(unread), "exceeds the encoder limit", "exceed the encoder limit", help=help))
    return f'<div class="cs-figures">{"".join(shown)}</div>'


def picture(
    opened: Opened, workspace: Workspace, segmentation: Segmentation, selected: int | None, beside: Pinned | None
) -> None:
    """Show the chart, the text and the explanation panel of the selected gap, or of one as an example."""
    document, signals = opened.document, cast(Signals, segmentation.signals)
    key = f"{document.key}-{len(signals.sentences)}"
    document_store(key, document.text, signals.sentences.spans, signals.sentences.kinds)
    offered = introduction.gap_to_explain(key, leaves(segmentation.chunks)) if selected is None else None
    gap = selected if offered is None else offered

    def take() -> None:
        event, read = (
            chart_event("_chart", key, view=places.wanted_view(document, len(signals))),
            reader_event("_reader", key),
        )
        printed = paper.event(key)
        chosen = next((each.gap for each in (event, read, printed) if each.gap is not None), None)
        if event.level is not None:
            take_level(segmentation, event.level)
        if chosen is not None:
            introduction.chose()
            places.put_gap(chosen, document)
            if printed.gap is None:
                state.current().put("page", None)  # the page is that of the gap
        elif event.cleared or read.cleared or printed.cleared:
            introduction.chose()
            places.put_gap(None, document)
        if printed.page is not None and document.pages and printed.page < len(document.pages):
            state.current().put("page", f"{printed.page + 1}@{document.key[:4]}")
        places.put_view(event.view, document)

    curve_chart(
        "_chart",
        key,
        drawing.curves(segmentation, own_chunks.reference_of(opened).boundaries, pinned.curves(beside)),
        selected=gap,
        view=places.wanted_view(document, len(signals)),
        live=live.curves(workspace, segmentation, strategy_settings.key_of, later=True),
        on_event=take,
    )
    with frame.part():
        pinned.show(beside, gap)
    left, right = st.columns([3, 2])
    with left:
        view = text_views.choose(opened)
        if view.name == "pages":
            page = shown_page(document, signals, gap)
            paper.show(
                opened, key, workspace, replace(segmentation, chunks=leaves(segmentation.chunks)),
                gap=gap, page=page, height=view.height, on_event=take,
            )  # fmt: skip
        else:
            if view.name == "reading":
                layout_store(key, document)
            chunk_reader(
                "_reader", key, drawing.columns(segmentation), selected=gap, height=view.height,
                reading=view.name == "reading", on_event=take,
            )  # fmt: skip
    with right:
        words = how(segmentation) if gap is None else pinned.verdict(beside, gap) + why(workspace, segmentation, gap)
        if offered is not None:
            words = f'<p class="cs-quiet">One gap as an example: select any other, in the chart or the text.</p>{words}'
        markup.show(f'<div class="cs-ledger" tabindex="0" role="region" aria-label="Explanation">{words}</div>')
    live.send_later("_chart", workspace, segmentation)


def take_level(segmentation: Segmentation, level: float) -> None:
    """Set how finely change points divide; a percentile and a number of boundaries would override it."""
    if isinstance(segmentation.params, ChangepointParameters) and abs(level) <= FINEST:
        strategy_settings.change(segmentation.strategy, {"fineness": level, "percentile": 0.0, "boundaries": 0})


def shown_page(document: Document, signals: Signals, gap: int | None) -> int:
    """Return the page that the address names, else that of the selected gap, else the first."""
    pages = document.pages
    asked = places.place("page", document)
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 6 else 0
    if pages and 1 <= number <= len(pages):
        return number - 1
    on = pages.of(*signals.sentences.spans[gap + 1].tolist()) if pages and gap is not None else range(0)
    return on[0] if on else 0


def why(workspace: Workspace, segmentation: Segmentation, gap: int) -> str:
    """Return the explanation of a gap."""
    left, right = workspace.truncated(window_of(segmentation.params))[gap : gap + 2].tolist()
    ledger = explain.explain_gap(segmentation, gap)
    return ledger_view.render(ledger, segmentation, (left, right), workspace.encoder.max_tokens)


def how(segmentation: Segmentation) -> str:
    """Return how to use the page, and what the curves are."""
    signals = cast(Signals, segmentation.signals)
    if not len(signals):
        return markup.empty("This document has no gap to explain.", "Open one with at least two sentences.")
    description = curve_words(signals).description
    return (
        "<b>Select a gap</b><p>Click the chart, or a place between two sentences: this panel then shows why the text "
        "is or is not cut there, with both sentences, every number in the decision, and the settings at which it flips."
        f"</p><p>{description}</p><p class='cs-quiet'>In the chart: ← → move to the next gap, with Shift to the next "
        "boundary; drag to zoom, double-click to reset.</p>"
    )


frame.run(main)
