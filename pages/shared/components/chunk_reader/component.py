"""The chunk reader: a document as chunked text, as written or as laid out, in which a gap can be chosen.

Hovering or choosing a gap is shown by the other components of the same document without the server. A choice is also
reported to Python, which answers with the same choice in ``selected``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.figures.theme import DRIVERS, GLYPHS
from chunking.runtime.arrays import AnyInts
from pages.shared.components.base import Bytes, Callback, Int32s, chosen, component, ignore, pack, reported

_reader = component("chunkscope_chunk_reader", __file__, "chunk_reader.js", "chunk_reader.css")


class ReaderColumns(TypedDict):
    """Numbers of each chunk; a driver is an index from 1, 0 for none."""

    start: Int32s
    end: Int32s
    overlap_start: Int32s
    tokens: Int32s
    overlap_tokens: Int32s
    gap: Int32s
    driver: Bytes
    path: Int32s


class Mark(TypedDict):
    """What moved a cut: colour and glyph."""

    role: str
    glyph: str


class ChunkReaderHead(TypedDict):
    """The part of a message that is read each time."""

    document: str
    selected: int | None


class ChunkReaderBody(TypedDict):
    """What a reader shows."""

    columns: ReaderColumns
    reason: Sequence[str]
    note: Sequence[str]
    place: Sequence[str]
    paths: list[tuple[str, ...]]
    drivers: list[Mark]
    height: str
    reading: bool


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
        driver: of the opening cut, one of ``chunking.figures.theme.DRIVERS``, or ``""`` for none.
        reason: why the chunk begins here, in words; ``""`` for none.
        heading_path: titles of the headings a chunk stands under, outermost first.
        note: what the limits did to the chunk (``"merged 2 cuts"``, ``"forced at 512 tokens"``); empty tuple or one
            string a chunk, ``""`` for none.
        place: where in the file each chunk stands (``"pages 3–4"``); empty tuple for nothing, or one string a chunk.

    Raises:
        ChunkscopeError: the columns have different lengths.
    """

    start: AnyInts
    end: AnyInts
    overlap_start: AnyInts
    tokens: AnyInts
    overlap_tokens: AnyInts
    gap: AnyInts
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


def chunk_reader(
    key: str,
    document: str,
    chunks: ReaderChunks,
    *,
    selected: int | None = None,
    height: str = "560px",
    reading: bool = False,
    on_event: Callback | None = None,
) -> ReaderEvent:
    """Draw the document as chunked text.

    Args:
        key: Streamlit key of the element.
        document: key given to :func:`document_store`.
        chunks: what to show.
        selected: the chosen gap, as in :func:`curve_chart`.
        height: of the scrolling text, a CSS length.
        reading: whether the text is shown as its reader sees it, by the layout given to :func:`layout_store`; else
            every character is shown.
        on_event: called before the script runs when the user chose a gap; read :func:`reader_event` in it.

    Returns:
        What the user did; the same as :func:`reader_event`.
    """
    paths: dict[tuple[str, ...], int] = {}
    path = np.array([paths.setdefault(titles, len(paths)) for titles in chunks.heading_path], dtype=np.int32)
    driver = np.array([DRIVERS.index(name) + 1 if name else 0 for name in chunks.driver], dtype=np.uint8)
    body: ChunkReaderBody = {
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
        "reading": reading,
    }
    head: ChunkReaderHead = {"document": document, "selected": selected}
    _reader(
        key=key,
        data=pack(head, body),
        on_gap_change=on_event or ignore,
    )
    return reader_event(key, document)


def reader_event(key: str, document: str) -> ReaderEvent:
    """Return what the user did with a text; may be called before the text is drawn in this run."""
    return ReaderEvent(*chosen(reported(key, "gap", document), "gap"))
