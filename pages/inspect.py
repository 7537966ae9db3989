"""Inspect: the curves of one document, where it is cut and why."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import streamlit as st

from chunking import explain
from chunking.chunks import NO_OVERLAP, SHORT_OVERLAP, Chunk
from chunking.curves.signals import Signals
from chunking.document import Document
from chunking.figures.plots import Curves
from chunking.gold import gold_gaps, partial_score
from chunking.params import Parameters
from chunking.strategies import Segmentation
from chunking.workspace import Workspace
from pages.shared import state
from pages.shared.components.chunk_reader import ReaderChunks, chunk_reader, reader_event
from pages.shared.components.curve_chart import chart_event, curve_chart
from pages.shared.components.document_store import document_store
from pages.shared.documents import about_document, documents, embedding, exports, own_documents, results, stand_in
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.inspect import ledger_view, paper
from pages.shared.reference import own_chunks, partial
from pages.shared.settings import controls, live, places, strategy_settings
from pages.shared.settings.curve_words import curve_words

frame.routed("pages/inspect.py")


def main() -> None:
    markup.style()
    with st.sidebar:
        opened, tools = documents.choose()
        setting, told = strategy_settings.choose()
        counted_by = controls.tokenizer()
    state.current().write()
    with frame.part():
        for problem in (*told, *places.problems(("gap", "page", "view"))):
            frame.show_error(problem)
        own_documents.read_waiting()
        windows = (window_of(setting.params),)
        workspace = documents.workspace(opened, tools).with_tokenizer(counted_by)
        workspace = stand_in.choose(opened, workspace, windows)
        if not embedding.ready(workspace, windows):
            return
        segmentation = results.segmentation(workspace, setting)
        head(opened, workspace, segmentation)
    with frame.part():
        picture(opened, workspace, segmentation)


def window_of(params: Parameters) -> int:
    """Return the number of neighbours on either side that are embedded with each sentence."""
    return cast(int, params.values().get("window", 0))


def head(opened: Opened, workspace: Workspace, segmentation: Segmentation) -> None:
    """Show title, key figures, exports, and warnings."""
    left, right = st.columns([6, 1], vertical_alignment="center")
    with left:
        title = markup.escape(opened.title)
        teaches = f'<div class="cs-quiet">{markup.escape(opened.teaches)}</div>' if opened.teaches else ""
        kind = about_document.kind(workspace)
        about = f' <span class="cs-quiet cs-kind">{markup.escape(kind)}</span>'
        markup.show(f"<b>{title}</b>{about}{teaches}{figures(segmentation, workspace)}")
    with right:
        exports.show(opened, workspace.tools, segmentation, lambda: curves(opened, segmentation))
    warnings = workspace.warnings(window_of(segmentation.params))
    about_document.notes((*opened.document.notes, *segmentation.warnings, *warnings))
    reference = own_chunks.reference_of(opened)
    if reference.partial:
        cuts = [chunk.cut.gap for chunk in leaves(segmentation) if chunk.cut and chunk.cut.gap is not None]
        score = partial_score(reference, cuts, workspace.offsets, workspace.sentences)
        markup.show(partial.html(reference, {segmentation.strategy: score}))
    about_document.set_aside(opened.document)


def figures(segmentation: Segmentation, workspace: Workspace) -> str:
    """Return counts, token sizes, effects of the size limits and of the encoder limit, as a line of HTML."""
    chunks, signals = leaves(segmentation), cast(Signals, segmentation.signals)
    parents = len(segmentation.chunks) - len(chunks)
    sizes = np.array([chunk.tokens for chunk in chunks] or [0])
    reasons = [chunk.cut.reason for chunk in chunks if chunk.cut]
    forced = len(reasons) - reasons.count("distance")
    shown = [
        markup.figure(len(signals.sentences), "sentence"),
        markup.figure(reasons.count("distance"), "boundary", "boundaries"),
        markup.figure(len(chunks), "chunk"),
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


def leaves(segmentation: Segmentation) -> tuple[Chunk, ...]:
    """Return the chunks that contain no others; they tile the text."""
    holders = {chunk.parent for chunk in segmentation.chunks}
    return tuple(chunk for chunk in segmentation.chunks if chunk.index not in holders)


def picture(opened: Opened, workspace: Workspace, segmentation: Segmentation) -> None:
    """Show the chart, the text and the explanation panel."""
    document, signals = opened.document, cast(Signals, segmentation.signals)
    key = f"{document.key}-{len(signals.sentences)}"
    document_store(key, document.text, signals.sentences.spans, signals.sentences.kinds)
    gap = places.chosen_gap(document, len(signals))

    def take() -> None:
        event, read = (
            chart_event("_chart", key, view=places.wanted_view(document, len(signals))),
            reader_event("_reader", key),
        )
        printed = paper.event(key)
        chosen = next((each.gap for each in (event, read, printed) if each.gap is not None), None)
        if chosen is not None:
            places.put_gap(chosen, document)
            if printed.gap is None:
                state.current().put("page", None)  # the page is that of the gap
        elif event.cleared or read.cleared or printed.cleared:
            places.put_gap(None, document)
        if printed.page is not None and document.pages and printed.page < len(document.pages):
            state.current().put("page", f"{printed.page + 1}@{document.key[:4]}")
        places.put_view(event.view, document)

    curve_chart(
        "_chart",
        key,
        curves(opened, segmentation),
        selected=gap,
        view=places.wanted_view(document, len(signals)),
        live=live.curves(workspace, segmentation, strategy_settings.key_of, later=True),
        on_event=take,
    )
    left, right = st.columns([3, 2])
    with left:
        if document.pages and as_pages():
            page = shown_page(document, signals, gap)
            paper.show(
                opened, key, workspace, replace(segmentation, chunks=leaves(segmentation)),
                gap=gap, page=page, height=markup.PAGE_HEIGHT, on_event=take,
            )  # fmt: skip
        else:
            chunk_reader("_reader", key, columns(segmentation), selected=gap, height=markup.TEXT_HEIGHT, on_event=take)
    with right:
        panel = how(segmentation) if gap is None else why(workspace, segmentation, gap)
        markup.show(f'<div class="cs-ledger" tabindex="0" role="region" aria-label="Explanation">{panel}</div>')
    live.send_later("_chart", workspace, segmentation)


def as_pages() -> bool:
    """Return whether a document with pages is shown on its pages."""
    views = ("Pages", "Text")
    return (
        st.segmented_control("Show", views, default="Pages", key="_as", label_visibility="collapsed", required=True)
        == "Pages"
    )


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
    ledger = explain.ledger(segmentation, gap)
    return ledger_view.render(ledger, segmentation, (left, right), workspace.encoder.max_tokens)


def how(segmentation: Segmentation) -> str:
    """Return how to use the page, and what the curves are."""
    description = curve_words(cast(Signals, segmentation.signals)).description
    return (
        "<b>Select a gap</b><p>Click the chart, or a place between two sentences: this panel then shows why the text "
        "is or is not cut there, with both sentences, every number in the decision, and the settings at which it flips."
        f"</p><p>{description}</p><p class='cs-quiet'>In the chart: ← → move to the next gap, with Shift to the next "
        "boundary; drag to zoom, double-click to reset.</p>"
    )


def curves(opened: Opened, segmentation: Segmentation) -> Curves:
    """Return what the chart draws."""
    signals = cast(Signals, segmentation.signals)
    words = curve_words(signals)
    cuts = [chunk.cut for chunk in leaves(segmentation) if chunk.cut and chunk.cut.gap is not None]
    return Curves(
        semantic=signals.semantic,
        structural=signals.structural if signals.structure else None,
        fused=signals.fused,
        score=signals.threshold.score,
        threshold=signals.threshold.value,
        threshold_label=signals.threshold.label,
        boundaries=np.array([cut.gap for cut in cuts], dtype=np.int64),
        drivers=tuple(cut.driver or "limit" for cut in cuts),
        suppressed=np.array(segmentation.suppressed_gaps, dtype=np.int64),
        gold=gold_gaps(own_chunks.reference_of(opened).boundaries, signals.offsets, signals.sentences),
        fused_title=words.fused,
        threshold_title=words.threshold,
        suppressed_title=words.merged,
    )


def columns(segmentation: Segmentation) -> ReaderChunks:
    """Return what the text view shows."""
    chunks = leaves(segmentation)
    words = curve_words(cast(Signals, segmentation.signals))

    def numbers(values: list[int]) -> np.ndarray:
        return np.array(values, dtype=np.int64)

    return ReaderChunks(
        start=numbers([chunk.start for chunk in chunks]),
        end=numbers([chunk.end for chunk in chunks]),
        overlap_start=numbers([chunk.reach for chunk in chunks]),
        tokens=numbers([chunk.tokens for chunk in chunks]),
        overlap_tokens=numbers([chunk.overlap_tokens for chunk in chunks]),
        gap=numbers([-1 if chunk.cut is None or chunk.cut.gap is None else chunk.cut.gap for chunk in chunks]),
        driver=tuple((chunk.cut and chunk.cut.driver) or "" for chunk in chunks),
        reason=tuple(reason(chunk, words.forced) for chunk in chunks),
        heading_path=tuple(chunk.heading_path for chunk in chunks),
        note=tuple("; ".join(chunk.notes) for chunk in chunks),
        place=tuple(about_document.place(segmentation.document, chunk.start, chunk.end) for chunk in chunks),
    )


def reason(chunk: Chunk, forced: str) -> str:
    """Return why a chunk begins where it does; ``forced`` names the effect of the size limits."""
    cut = chunk.cut
    if cut is None:
        return ""
    if cut.reason == "distance":
        opens = ", opens a topic" if cut.detail == "topic" else ""
        return f"{cut.score:.3f} > {cut.threshold:.3f}{opens}"
    return forced if cut.reason == "token_limit" else "inside a sentence over the maximum size"


frame.run(main)
