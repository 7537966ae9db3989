"""Inspect: one document, its curves, where it breaks and why."""

from __future__ import annotations

import re
from typing import Any, cast

import numpy as np
import streamlit as st

from chunking import ChunkscopeError, explain, gold, strategies
from chunking.chunks import NO_OVERLAP, SHORT_OVERLAP, Chunk
from chunking.document import Document
from chunking.plots import Curves
from chunking.signals import Signals
from chunking.strategies import Segmentation
from chunking.strategies.gaps import AMOUNT_OF, StructuralParameters
from chunking.structure import FEATURES, FeatureSet
from chunking.thresholds import Rule
from chunking.workspace import Workspace
from pages.shared import controls, documents, embedding, exports, frame, ledger_view, markup
from pages.shared.components import (
    ReaderChunks,
    chart_event,
    chunk_reader,
    curve_chart,
    document_store,
    reader_event,
)
from pages.shared.documents import Opened

frame.routed("pages/inspect.py")
frame.recall("pages/inspect.py", ("gap", "view"))

STRATEGY = strategies.get("structural")


def main() -> None:
    markup.style()
    told = controls.refused(STRATEGY.params.describe())
    with st.sidebar:
        opened = documents.choose()
        params = settings()
        counted_by = controls.tokenizer()
    for problem in (*told, *place_problems()):
        frame.show_error(problem)
    workspace = documents.workspace(opened).counted_by(counted_by)
    if not embedding.ready(workspace, (params.window,)):
        return
    segmentation = strategies.run(STRATEGY.name, workspace, params)
    head(opened, workspace, segmentation)
    picture(opened, workspace, segmentation)


# How the address ties a place to a document: by the beginning of the document's key.
_OF_DOCUMENT = r"(@[0-9a-f]{4})?"


def place_problems() -> list[ChunkscopeError]:
    """What the address says of a gap or a view that is no such thing; it is taken out of the address."""
    problems = []
    for name, form in (("gap", r"[1-9][0-9]{0,8}"), ("view", r"[0-9.]{1,12}-[0-9.]{1,12}")):
        if name in st.query_params and not re.fullmatch(form + _OF_DOCUMENT, st.query_params[name]):
            problems.append(
                ChunkscopeError(
                    f"The address names a {name} that is none: {st.query_params[name]:.40}.", "It was left out."
                )
            )
            del st.query_params[name]
    return problems


def settings() -> StructuralParameters:
    """All controls of the strategy, and the setting they make."""
    top = st.container()
    show = {known.name: known for known in STRATEGY.params.describe()}
    values = {}

    def put(name: str, **options: object) -> None:
        values[name] = controls.control(show[name], **options)  # type: ignore[arg-type]

    put("alpha")
    put("threshold")
    put(AMOUNT_OF[cast(Rule, values["threshold"])])
    with st.expander("Meaning", icon=":material/psychology:"):
        put("block")
        put("window")
    with st.expander("Structure", icon=":material/account_tree:"):
        put("structure")
        features = FEATURES[cast(FeatureSet, values["structure"])]
        put("features_off", choices=tuple(feature.name for feature in features))
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        put("overlap")
    with right:
        put("overlap_unit", label_visibility="collapsed")
    left, right = st.columns(2)
    with left:
        put("min_tokens")
    with right:
        put("max_tokens")
    params, problem = allowed(values)
    if problem:
        frame.show_error(problem)
    with top:
        presets(params)
    return params


def allowed(values: dict[str, Any]) -> tuple[StructuralParameters, ChunkscopeError | None]:
    """The setting; where its sizes contradict each other, without the minimum, else without the overlap, and why.

    The same values always give the same view, whatever was shown before.
    """
    problem = None
    for without in ((), ("min_tokens",), ("overlap",), ("min_tokens", "overlap")):
        try:
            params = StructuralParameters(**{name: value for name, value in values.items() if name not in without})
        except ChunkscopeError as error:
            problem = problem or error
            continue
        if problem:
            shown = f"Until then the view is without {' and '.join(without)}."
            problem = ChunkscopeError(problem.problem, f"{problem.remedy} {shown}")
        return params, problem
    raise AssertionError("without minimum and overlap no sizes contradict each other")


def presets(params: StructuralParameters) -> None:
    """Buttons that set every control of the method at once."""
    st.caption("Preset")
    for column, name in zip(st.columns(len(STRATEGY.presets)), STRATEGY.presets, strict=True):
        same = controls.matching_preset(STRATEGY, params) == name
        column.button(
            name.capitalize(),
            key=f"_preset_{name}",
            type="primary" if same else "secondary",
            width="stretch",
            help="The paper's method with its program's settings: 95 % surface structure, single sentences. The "
            "program fuses the distance before it is rescaled; its own cuts come at α = 0.06."
            if name == "reference"
            else "Chunkscope's own setting.",
            on_click=controls.apply_preset,
            args=(STRATEGY, name),
        )


def head(opened: Opened, workspace: Workspace, segmentation: Segmentation) -> None:
    """Title, figures at a glance, warnings, and the exports."""
    left, right = st.columns([6, 1], vertical_alignment="center")
    with left:
        title = markup.escape(opened.title)
        teaches = f'<div class="cs-quiet">{markup.escape(opened.teaches)}</div>' if opened.teaches else ""
        kind = f"{opened.document.format}, {opened.document.language}, sentences by {workspace.sentences.splitter}"
        about = f' <span class="cs-quiet cs-kind">{markup.escape(kind)}</span>'
        markup.show(f"<b>{title}</b>{about}{teaches}{figures(segmentation)}")
    with right:
        exports.show(opened, workspace.tools, segmentation, lambda: curves(opened, segmentation))
    params = cast(StructuralParameters, segmentation.params)
    for note in (*opened.document.notes, *segmentation.warnings, *workspace.warnings(params.window)):
        markup.show(f'<span class="cs-quiet">⚠ {markup.escape(note)}</span>')


def figures(segmentation: Segmentation) -> str:
    """Counts, token sizes and what the limits did, in one line."""
    chunks, signals = segmentation.chunks, cast(Signals, segmentation.signals)
    sizes = np.array([chunk.tokens for chunk in chunks] or [0])
    reasons = [chunk.cut.reason for chunk in chunks if chunk.cut]
    forced = len(reasons) - reasons.count("distance")
    shown = [
        _figure(len(signals.sentences), "sentences"),
        _figure(reasons.count("distance"), "boundaries"),
        _figure(len(chunks), "chunks"),
        f"<div><span>own tokens a chunk: min</span><b>{sizes.min():,}</b>"
        f"<span>median</span><b>{np.median(sizes):,.0f}</b>"
        f"<span>95th percentile</span><b>{np.percentile(sizes, 95):,.0f}</b>"
        f"<span>max</span><b>{sizes.max():,}</b></div>",
    ]
    repeated = np.array([chunk.overlap_tokens for chunk in chunks])
    if repeated.any():
        shown.append(
            f"<div><span>repeated tokens a chunk: median</span><b>{np.median(repeated):,.0f}</b>"
            f"<span>max</span><b>{repeated.max():,}</b></div>"
        )
    if segmentation.suppressed:
        shown.append(_figure(len(segmentation.suppressed), "merged away by the minimum"))
    if forced:
        shown.append(_figure(forced, "forced by the maximum"))
    overlaps = sum(note in (NO_OVERLAP, SHORT_OVERLAP) for chunk in chunks for note in chunk.notes)
    if overlaps:
        shown.append(_figure(overlaps, "overlaps shortened"))
    return f'<div class="cs-figures">{"".join(shown)}</div>'


def _figure(number: int, words: str) -> str:
    return f"<div><b>{number:,}</b><span>{words}</span></div>"


def picture(opened: Opened, workspace: Workspace, segmentation: Segmentation) -> None:
    """Chart, text and ledger."""
    document, signals = opened.document, cast(Signals, segmentation.signals)
    key = f"{document.key}-{len(signals.sentences)}"
    document_store(key, document.text, signals.sentences.spans, signals.sentences.kinds)
    gap = chosen_gap(document, len(signals))

    def take() -> None:
        event, read = chart_event("_chart", key, view=wanted_view(document, len(signals))), reader_event("_reader", key)
        if event.gap is not None or read.gap is not None:
            number = (event.gap if event.gap is not None else cast(int, read.gap)) + 1
            st.query_params["gap"] = f"{number}@{document.key[:4]}"
        elif event.cleared or read.cleared:
            st.query_params.pop("gap", None)
        if event.view:
            st.query_params["view"] = f"{event.view[0]:.6g}-{event.view[1]:.6g}@{document.key[:4]}"
        else:
            st.query_params.pop("view", None)

    curve_chart(
        "_chart",
        key,
        curves(opened, segmentation),
        selected=gap,
        view=wanted_view(document, len(signals)),
        on_event=take,
    )
    left, right = st.columns([3, 2])
    with left:
        chunk_reader("_reader", key, columns(segmentation), selected=gap, height=markup.TEXT_HEIGHT, on_event=take)
    with right:
        told = _HOW if gap is None else why(workspace, segmentation, gap)
        markup.show(f'<div class="cs-ledger">{told}</div>')


def why(workspace: Workspace, segmentation: Segmentation, gap: int) -> str:
    """The ledger of a gap."""
    signals, window = cast(Signals, segmentation.signals), cast(StructuralParameters, segmentation.params).window
    left, right = workspace.truncated(window)[gap : gap + 2].tolist()
    ledger = explain.ledger(segmentation, gap)
    return ledger_view.render(ledger, workspace.document, signals, (left, right), workspace.encoder.max_tokens)


_HOW = (
    "<b>Choose a gap</b><p>Click the chart or a place between two sentences, and this ledger shows why the text is, "
    "or is not, cut there: both sentences, each distance, what every structural feature adds, and the α and "
    "percentile at which it would change.</p><p class='cs-quiet'>In the chart: ← → go from gap to gap, with shift "
    "from boundary to boundary; drag to zoom, double-click to see all.</p>"
)


def place(name: str, document: Document) -> str:
    """What the address says of a place, unless it says that this was in another document.

    Going back in the browser can bring the place of one document together with the name of another.
    """
    asked, _, key = st.query_params.get(name, "").partition("@")
    return asked if not key or document.key.startswith(key) else ""


def chosen_gap(document: Document, gaps: int) -> int | None:
    """The gap that the address names, where this document has it."""
    asked = place("gap", document)
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 0
    return number - 1 if 1 <= number <= gaps else None


def wanted_view(document: Document, gaps: int) -> tuple[float, float] | None:
    """The part of the chart that the address names, where it is one."""
    try:
        start, end = (float(edge) for edge in place("view", document).split("-"))
    except ValueError:
        return None
    return (start, end) if 0 <= start < end <= gaps + 1 else None


def curves(opened: Opened, segmentation: Segmentation) -> Curves:
    """What the chart draws."""
    signals = cast(Signals, segmentation.signals)
    cuts = [chunk.cut for chunk in segmentation.chunks if chunk.cut and chunk.cut.gap is not None]
    return Curves(
        semantic=signals.semantic,
        structural=signals.structural,
        fused=signals.fused,
        score=signals.threshold.score,
        threshold=signals.threshold.value,
        threshold_label=signals.threshold.label,
        boundaries=np.array([cut.gap for cut in cuts], dtype=np.int64),
        drivers=tuple(cut.driver or "limit" for cut in cuts),
        suppressed=np.array(segmentation.suppressed_gaps, dtype=np.int64),
        gold=gold.gold_gaps(opened.gold, signals.offsets, signals.sentences),
    )


def columns(segmentation: Segmentation) -> ReaderChunks:
    """What the text view shows."""
    chunks = segmentation.chunks

    def numbers(values: list[int]) -> np.ndarray:
        return np.array(values, dtype=np.int64)

    return ReaderChunks(
        start=numbers([chunk.start for chunk in chunks]),
        end=numbers([chunk.end for chunk in chunks]),
        overlap_start=numbers([chunk.overlap.start if chunk.overlap else chunk.start for chunk in chunks]),
        tokens=numbers([chunk.tokens for chunk in chunks]),
        overlap_tokens=numbers([chunk.overlap_tokens for chunk in chunks]),
        gap=numbers([-1 if chunk.cut is None or chunk.cut.gap is None else chunk.cut.gap for chunk in chunks]),
        driver=tuple((chunk.cut and chunk.cut.driver) or "" for chunk in chunks),
        reason=tuple(reason(chunk) for chunk in chunks),
        heading_path=tuple(chunk.heading_path for chunk in chunks),
        note=tuple("; ".join(chunk.notes) for chunk in chunks),
    )


def reason(chunk: Chunk) -> str:
    """Why a chunk begins where it does, in words."""
    cut = chunk.cut
    if cut is None:
        return ""
    if cut.reason == "distance":
        return f"{cut.score:.3f} > {cut.threshold:.3f}"
    return "the maximum size" if cut.reason == "token_limit" else "inside a sentence over the maximum size"


main()
