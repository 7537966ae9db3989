"""What the Inspect page is made of in the browser: document store, curve chart and chunk reader.

The three talk to each other there, without the server: the store keeps the text and the sentence spans of a document
under its key, the chart and the reader look them up, and hovering or choosing a gap in one shows it in the other.
A choice is also reported to Python, which answers with the same choice in ``selected``.

Offsets are characters (Unicode code points) of the document's text throughout; the browser turns them into its own.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from chunking.document import BLOCK_KINDS
from chunking.errors import ChunkscopeError
from chunking.figures.plots import (
    DRIVER_TITLES,
    DRIVERS,
    GLYPHS,
    HEIGHT,
    PALETTES,
    ROLES,
    Curves,
    curve_figure,
    selection_shape,
)
from pages.shared.components.wire import pack
from pages.shared.frame import plotly_js

__all__ = [
    "ChartEvent",
    "ReaderChunks",
    "ReaderEvent",
    "chart_event",
    "chunk_reader",
    "curve_chart",
    "document_store",
    "reader_event",
]

IntArray = npt.NDArray[np.integer[Any]]

_HERE = Path(__file__).parent

NO_KIND = len(BLOCK_KINDS)
"""Kind code of a sentence that lies in no block."""


@dataclass(frozen=True)
class ChartEvent:
    """What a user did with the chart.

    Attributes:
        gap: the gap just chosen, from 0; ``None`` in every run that was not caused by a choice.
        cleared: whether the choice was just taken back.
        view: the visible range in gap numbers as shown (gap 0 stands at 1.0), ``None`` for all. It lasts until the
            user zooms again or the document changes.
    """

    gap: int | None = None
    cleared: bool = False
    view: tuple[float, float] | None = None


@dataclass(frozen=True)
class ReaderEvent:
    """What a user did with the text: ``gap`` and ``cleared`` as in :class:`ChartEvent`."""

    gap: int | None = None
    cleared: bool = False


def _no_notes() -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, eq=False)
class ReaderChunks:
    """Chunks as columns, in the order of the text.

    Attributes:
        start, end: ``(n_chunks,)`` integers, half-open spans that tile the document.
        overlap_start: ``(n_chunks,)`` integers, where the repeated text before ``start`` begins; equal to ``start``
            where nothing is repeated.
        tokens, overlap_tokens: ``(n_chunks,)`` integers, tokens of the chunk and of its overlap.
        gap: ``(n_chunks,)`` integers, the gap of the cut that opens each chunk; −1 where no gap does (the first
            chunk, a cut inside a sentence).
        driver: of the opening cut, one of ``chunking.figures.plots.DRIVERS``, or ``""`` for none.
        reason: why the chunk begins here, in words; ``""`` for none.
        heading_path: titles of the headings a chunk stands under, outermost first.
        note: what the limits did to the chunk (``"merged 2 cuts"``, ``"forced at 512 tokens"``); empty tuple or one
            string a chunk, ``""`` for none.
        place: where in the file each chunk stands (``"pages 3–4"``); empty tuple for nothing, or one string a chunk.

    Raises:
        ChunkscopeError: the columns have different lengths.
    """

    start: IntArray
    end: IntArray
    overlap_start: IntArray
    tokens: IntArray
    overlap_tokens: IntArray
    gap: IntArray
    driver: tuple[str, ...]
    reason: tuple[str, ...]
    heading_path: tuple[tuple[str, ...], ...]
    note: tuple[str, ...] = field(default_factory=_no_notes)
    place: tuple[str, ...] = field(default_factory=_no_notes)

    def __post_init__(self) -> None:
        lengths = {name: len(value) for name, value in vars(self).items() if name not in ("note", "place") or value}
        if len(set(lengths.values())) > 1:
            raise ChunkscopeError(f"The columns have different lengths: {lengths}.", "Give each one value a chunk.")

    def __len__(self) -> int:
        return len(self.start)


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _script(name: str) -> str:
    """One ES module out of ``shared.js`` and the component's own file: a component cannot import another's files."""
    return _read("shared.js") + "\n" + _read(name)


def _palette_css() -> str:
    """The palettes as CSS variables ``--cs-<role>``, chosen by the attribute ``data-cs-theme`` of a component."""
    rules = (
        f"[data-cs-theme={theme}] {{ {' '.join(f'--cs-{role}: {color};' for role, color in asdict(palette).items())} }}"
        for theme, palette in PALETTES.items()
    )
    return "\n".join(rules) + "\n"


_store = st.components.v2.component("chunkscope_document_store", js=_script("store.js"), isolate_styles=False)
_chart = st.components.v2.component(
    "chunkscope_curve_chart",
    # In the page itself, not in a shadow root: Plotly puts its own styles there.
    isolate_styles=False,
    css=_palette_css() + _read("chart.css"),
    js=_script("chart.js"),
)
_reader = st.components.v2.component(
    "chunkscope_chunk_reader", css=_palette_css() + _read("reader.css"), js=_script("reader.js")
)


def document_store(
    key: str, text: str, spans: IntArray, kinds: IntArray | None = None, *, component_key: str = "document-store"
) -> None:
    """Give the browser a document. Draws nothing; call it once a run, before the chart and the reader.

    The message depends on ``key`` alone and is made once for it, so a run in which only a slider moved sends a
    reference of a few bytes.

    Args:
        key: content hash of text, spans and kinds; what the other components call ``document``.
        text: the document.
        spans: ``(n_sentences, 2)`` integers, half-open character spans, in order.
        kinds: ``(n_sentences,)`` integers, index of each sentence's block kind in ``chunking.document.BLOCK_KINDS``,
            or :data:`NO_KIND`. Code and tables are shown in a monospaced face, headings bold.
        component_key: Streamlit key of the element.
    """
    _store(key=component_key, data=_document_message(key, text, spans, kinds), height="content")


@st.cache_resource(max_entries=8, show_spinner=False)
def _document_message(key: str, _text: str, _spans: IntArray, _kinds: IntArray | None) -> bytes:
    # UTF-16 with "surrogatepass" keeps the length of the text even where it holds lone surrogates.
    code_points = np.frombuffer(_text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kinds = np.full(len(_spans), NO_KIND) if _kinds is None else _kinds
    inner = pack(
        {},
        {
            "text": np.frombuffer(_text.encode("utf-16-le", "surrogatepass"), dtype=np.uint8),
            "spans": np.asarray(_spans, dtype=np.int32).reshape(-1, 2),
            "kinds": kinds.astype(np.uint8),
            "astral": np.flatnonzero(code_points > 0xFFFF).astype(np.int32),
            "kind_names": [*BLOCK_KINDS, ""],
        },
    )
    return pack({"document": key}, {"deflated": np.frombuffer(zlib.compress(inner, 1), dtype=np.uint8)})


def curve_chart(
    key: str,
    document: str,
    curves: Curves,
    *,
    selected: int | None = None,
    view: tuple[float, float] | None = None,
    height: int = HEIGHT,
    on_event: Callable[[], None] | None = None,
) -> ChartEvent:
    """The three distances, the threshold and the boundaries. Zoom and pan survive every call with the same document.

    Args:
        key: Streamlit key of the element.
        document: key given to :func:`document_store`.
        curves: what to draw.
        selected: the chosen gap; a choice the user made meanwhile in the browser wins until Python confirms it.
        view: range to show when the chart appears or its document changes; later values are ignored.
        height: in pixels.
        on_event: called before the script runs when the user chose a gap or zoomed; read :func:`chart_event` in it.

    Returns:
        What the user did; the same as :func:`chart_event`.
    """
    figure = curve_figure(curves, palette=ROLES)
    figure["layout"]["height"] = height
    body = {
        "figure": figure,
        "shape": selection_shape(0, ROLES),
        "columns": {
            "semantic": curves.semantic,
            **({} if curves.structural is None else {"structural": curves.structural}),
            "fused": curves.fused,
            "score": curves.score,
            # Told apart here: rounded to float32, a score that equals the threshold may seem to exceed it.
            "exceeds": (curves.score > curves.threshold).astype(np.uint8),
            "boundaries": curves.boundaries,
            "drivers": np.array([DRIVERS.index(driver) for driver in curves.drivers], dtype=np.uint8),
            "suppressed": curves.suppressed,
            "gold": curves.gold,
        },
        "threshold": float(curves.threshold) if np.isfinite(curves.threshold) else None,
        "threshold_label": curves.threshold_label,
        "scored_apart": curves.scored_apart,
        "titles": {"fused": curves.main_title, "suppressed": curves.suppressed_title},
        "drivers": [{"role": name, "title": DRIVER_TITLES[name], "glyph": GLYPHS[name]} for name in DRIVERS],
    }
    head = {
        "document": document,
        "selected": selected,
        "view": None if view is None else [float(view[0]), float(view[1])],
        "plotly": plotly_js.path(),
    }
    callback = on_event or _nothing
    _chart(key=key, data=pack(head, body), on_gap_change=callback, on_view_change=callback)
    return chart_event(key, document, view=view)


def chunk_reader(
    key: str,
    document: str,
    chunks: ReaderChunks,
    *,
    selected: int | None = None,
    height: str = "560px",
    on_event: Callable[[], None] | None = None,
) -> ReaderEvent:
    """The document as chunked text.

    Args:
        key: Streamlit key of the element.
        document: key given to :func:`document_store`.
        chunks: what to show.
        selected: the chosen gap, as in :func:`curve_chart`.
        height: of the scrolling text, a CSS length.
        on_event: called before the script runs when the user chose a gap; read :func:`reader_event` in it.

    Returns:
        What the user did; the same as :func:`reader_event`.
    """
    paths: dict[tuple[str, ...], int] = {}
    path = np.array([paths.setdefault(titles, len(paths)) for titles in chunks.heading_path], dtype=np.int32)
    driver = np.array([DRIVERS.index(name) + 1 if name else 0 for name in chunks.driver], dtype=np.uint8)
    body = {
        "columns": {
            "start": chunks.start,
            "end": chunks.end,
            "overlap_start": chunks.overlap_start,
            "tokens": chunks.tokens,
            "overlap_tokens": chunks.overlap_tokens,
            "gap": chunks.gap,
            "driver": driver,
            "path": path,
        },
        "reason": chunks.reason,
        "note": chunks.note,
        "place": chunks.place,
        "paths": list(paths),
        "drivers": [{"role": name, "glyph": GLYPHS[name]} for name in DRIVERS],
        "height": height,
    }
    _reader(
        key=key,
        data=pack({"document": document, "selected": selected}, body),
        on_gap_change=on_event or _nothing,
    )
    return reader_event(key, document)


def chart_event(key: str, document: str, *, view: tuple[float, float] | None = None) -> ChartEvent:
    """What the user did with a chart; may be asked before the chart is drawn in this run.

    Args:
        key, document: as given to :func:`curve_chart`.
        view: the range the chart is opened with; it is the current one until the user changes it.
    """
    state = st.session_state.get(key) or {}
    gap, cleared = _choice(state, document)
    reported = state.get("view")
    if not isinstance(reported, dict) or reported.get("document") != document:
        return ChartEvent(gap, cleared, view)
    return ChartEvent(gap, cleared, _range(reported.get("range")))


def reader_event(key: str, document: str) -> ReaderEvent:
    """What the user did with a text; may be asked before the text is drawn in this run."""
    return ReaderEvent(*_choice(st.session_state.get(key) or {}, document))


def _choice(state: Any, document: str) -> tuple[int | None, bool]:
    """Gap and "cleared" of a component's state; what comes from a browser is not trusted to have its form."""
    choice = state.get("gap")
    if not isinstance(choice, dict) or choice.get("document") != document:
        return None, False
    gap = choice.get("gap")
    if gap is None:
        return None, True
    return (gap, False) if isinstance(gap, int) and not isinstance(gap, bool) and gap >= 0 else (None, False)


def _range(value: Any) -> tuple[float, float] | None:
    """A visible range as the browser reports it; ``None`` for all, or where it has not that form."""
    if not (isinstance(value, list) and len(value) == 2):
        return None
    if not all(isinstance(edge, int | float) and not isinstance(edge, bool) for edge in value) or value[0] >= value[1]:
        return None
    return float(value[0]), float(value[1])


def _nothing() -> None:
    """Streamlit reports a component's values only if something listens."""
