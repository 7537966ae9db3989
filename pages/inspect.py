"""Inspect: one document, its curves, where it breaks and why."""

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
from chunking.gold import gold
from chunking.params import Parameters
from chunking.strategies import Segmentation
from chunking.workspace import Workspace
from pages.shared.components.chunk_reader import ReaderChunks, chunk_reader, reader_event
from pages.shared.components.curve_chart import chart_event, curve_chart
from pages.shared.components.document_store import document_store
from pages.shared.documents import about_document, documents, embedding, exports, own_documents, results
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.inspect import ledger_view, paper
from pages.shared.reference import own_chunks
from pages.shared.settings import controls, curve_words, places, strategy_settings

frame.routed("pages/inspect.py")
frame.recall("pages/inspect.py", ("gap", "page", "view"))


def main() -> None:
    markup.style()
    with st.sidebar:
        opened, tools = documents.choose()
        setting, told = strategy_settings.choose()
        counted_by = controls.tokenizer()
    for problem in (*told, *places.problems(("gap", "page", "view"))):
        frame.show_error(problem)
    own_documents.read_waiting()
    workspace = documents.workspace(opened, tools).with_tokenizer(counted_by)
    if not embedding.ready(workspace, (window_of(setting.params),)):
        return
    segmentation = results.segmentation(workspace, setting)
    head(opened, workspace, segmentation)
    picture(opened, workspace, segmentation)


def window_of(params: Parameters) -> int:
    """Neighbours on either side that are embedded with each sentence."""
    return cast(int, params.values().get("window", 0))


def head(opened: Opened, workspace: Workspace, segmentation: Segmentation) -> None:
    """Title, figures at a glance, warnings, and the exports."""
    left, right = st.columns([6, 1], vertical_alignment="center")
    with left:
        title = markup.escape(opened.title)
        teaches = f'<div class="cs-quiet">{markup.escape(opened.teaches)}</div>' if opened.teaches else ""
        kind = about_document.kind(opened.document, workspace.sentences.splitter)
        about = f' <span class="cs-quiet cs-kind">{markup.escape(kind)}</span>'
        markup.show(f"<b>{title}</b>{about}{teaches}{figures(segmentation, workspace)}")
    with right:
        exports.show(opened, workspace.tools, segmentation, lambda: curves(opened, segmentation))
    warnings = workspace.warnings(window_of(segmentation.params))
    about_document.notes((*opened.document.notes, *segmentation.warnings, *warnings))
    about_document.set_aside(opened.document)


def figures(segmentation: Segmentation, workspace: Workspace) -> str:
    """Counts, token sizes, what the limits did and what the encoder does not read, in one line."""
    chunks, signals = leaves(segmentation), cast(Signals, segmentation.signals)
    parents = len(segmentation.chunks) - len(chunks)
    sizes = np.array([chunk.tokens for chunk in chunks] or [0])
    reasons = [chunk.cut.reason for chunk in chunks if chunk.cut]
    forced = len(reasons) - reasons.count("distance")
    shown = [
        _figure(len(signals.sentences), "sentences"),
        _figure(reasons.count("distance"), "boundaries"),
        _figure(len(chunks), f"chunks</span><span>in</span><b>{parents:,}</b><span>topics" if parents else "chunks"),
        f"<div><span>own tokens a chunk: min</span><b>{sizes.min():,}</b>"
        f"<span>median</span><b>{np.median(sizes):,.0f}</b>"
        f"<span>95 %</span><b>{np.percentile(sizes, 95):,.0f}</b>"
        f"<span>max</span><b>{sizes.max():,}</b></div>",
    ]
    repeated = np.array([chunk.overlap_tokens for chunk in chunks])
    if repeated.any():
        shown.append(
            f"<div><span>repeated tokens a chunk: median</span><b>{np.median(repeated):,.0f}</b>"
            f"<span>max</span><b>{repeated.max():,}</b></div>"
        )
    words = curve_words.words(signals)
    if segmentation.suppressed:
        shown.append(_figure(len(segmentation.suppressed), words.given_up))
    if forced:
        shown.append(_figure(forced, words.forced_figure))
    overlaps = sum(note in (NO_OVERLAP, SHORT_OVERLAP) for chunk in chunks for note in chunk.notes)
    if overlaps:
        shown.append(_figure(overlaps, "overlaps shortened"))
    unread, encoder = results.unread(segmentation, workspace.tools.encoder), workspace.encoder
    if unread:
        told = (
            f"{encoder.name} reads {encoder.max_tokens:,} of its tokens, and the longest chunk has "
            f"{max(unread.values()):,}: a search by meaning would not see the ends. Set a maximum of tokens."
        )
        shown.append(_figure(len(unread), "beyond the encoder", told))
    return f'<div class="cs-figures">{"".join(shown)}</div>'


def leaves(segmentation: Segmentation) -> tuple[Chunk, ...]:
    """The chunks that hold no others: they tile the text."""
    holders = {chunk.parent for chunk in segmentation.chunks}
    return tuple(chunk for chunk in segmentation.chunks if chunk.index not in holders)


def _figure(number: int, words: str, told: str = "") -> str:
    title = f' title="{markup.escape(told)}"' if told else ""
    return f"<div{title}><b>{number:,}</b><span>{words}</span></div>"


def picture(opened: Opened, workspace: Workspace, segmentation: Segmentation) -> None:
    """Chart, text and ledger."""
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
                st.query_params.pop("page", None)  # the page is that of the gap
        elif event.cleared or read.cleared or printed.cleared:
            places.put_gap(None, document)
        if printed.page is not None and document.pages and printed.page < len(document.pages):
            st.query_params["page"] = f"{printed.page + 1}@{document.key[:4]}"
        places.put_view(event.view, document)

    curve_chart(
        "_chart",
        key,
        curves(opened, segmentation),
        selected=gap,
        view=places.wanted_view(document, len(signals)),
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
        told = how(segmentation) if gap is None else why(workspace, segmentation, gap)
        markup.show(f'<div class="cs-ledger">{told}</div>')


def as_pages() -> bool:
    """Whether the document is shown on its pages, where it has some."""
    views = ("Pages", "Text")
    return (
        st.segmented_control("Show", views, default="Pages", key="_as", label_visibility="collapsed", required=True)
        == "Pages"
    )


def shown_page(document: Document, signals: Signals, gap: int | None) -> int:
    """The page that the address names, else that of the chosen gap, else the first."""
    pages = document.pages
    asked = places.place("page", document)
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 6 else 0
    if pages and 1 <= number <= len(pages):
        return number - 1
    on = pages.of(*signals.sentences.spans[gap + 1].tolist()) if pages and gap is not None else range(0)
    return on[0] if on else 0


def why(workspace: Workspace, segmentation: Segmentation, gap: int) -> str:
    """The ledger of a gap."""
    left, right = workspace.truncated(window_of(segmentation.params))[gap : gap + 2].tolist()
    ledger = explain.ledger(segmentation, gap)
    return ledger_view.render(ledger, segmentation, (left, right), workspace.encoder.max_tokens)


def how(segmentation: Segmentation) -> str:
    """What can be done here, and what the curves are."""
    meaning = curve_words.words(cast(Signals, segmentation.signals)).meaning
    return (
        "<b>Choose a gap</b><p>Click the chart or a place between two sentences, and this ledger shows why the text "
        "is, or is not, cut there: both sentences, every number that decides, and the settings at which it would "
        f"change.</p><p>{meaning}</p><p class='cs-quiet'>In the chart: ← → go from gap to gap, with shift from "
        "boundary to boundary; drag to zoom, double-click to see all.</p>"
    )


def curves(opened: Opened, segmentation: Segmentation) -> Curves:
    """What the chart draws."""
    signals = cast(Signals, segmentation.signals)
    words = curve_words.words(signals)
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
        gold=gold.gold_gaps(own_chunks.gold_of(opened), signals.offsets, signals.sentences),
        fused_title=words.fused,
        threshold_title=words.threshold,
        suppressed_title=words.given_up,
    )


def columns(segmentation: Segmentation) -> ReaderChunks:
    """What the text view shows."""
    chunks = leaves(segmentation)
    words = curve_words.words(cast(Signals, segmentation.signals))

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
    """Why a chunk begins where it does, in words; ``forced`` is what the limits are called."""
    cut = chunk.cut
    if cut is None:
        return ""
    if cut.reason == "distance":
        opens = ", opens a topic" if cut.detail == "topic" else ""
        return f"{cut.score:.3f} > {cut.threshold:.3f}{opens}"
    return forced if cut.reason == "token_limit" else "inside a sentence over the maximum size"


main()
