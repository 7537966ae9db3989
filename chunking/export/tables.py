"""Chunks and gaps as rows, tables and files.

A lone surrogate, which no UTF-8 can hold, leaves as U+FFFD in every format, as loading would have read it: one
character for one, so that every offset stays true.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from chunking.chunks import NO_OVERLAP, SHORT_OVERLAP, Chunk, leaves, table_header
from chunking.document import Document
from chunking.explain import verdicts
from chunking.export.identity import chunk_ids
from chunking.runtime.surrogates import replace_surrogates
from chunking.runtime.wording import plural
from chunking.strategies.base import Segmentation

Row = dict[str, Any]


def encodable(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, so that UTF-8 can hold it; as long as it was."""
    return replace_surrogates(text)


def nests(segmentation: Segmentation) -> bool:
    """Return whether chunks are parts of others."""
    return any(chunk.parent is not None for chunk in segmentation.chunks)


def chunk_row(chunk: Chunk, *, nested: bool = False, document: Document | None = None) -> Row:
    """Return a chunk as the command line prints it.

    ``text`` is the chunk's own span, without its overlap, which ``overlap.in_text`` says as well.

    Args:
        chunk: the chunk.
        nested: add the index of its parent.
        document: add the header of the table that the chunk continues, where in the file the chunk comes from and its
            pages, if its format is not text, and its times and speakers, if it has any.
    """
    row = {
        "index": chunk.index,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
        "overlap": {"start": chunk.overlap.start, "end": chunk.overlap.end, "in_text": False}
        if chunk.overlap
        else None,
        "tokens": chunk.tokens,
        "heading_path": list(chunk.heading_path),
        "cut": {"reason": chunk.cut.reason, "score": chunk.cut.score, "threshold": chunk.cut.threshold}
        if chunk.cut
        else None,
    }
    row |= {"parent": chunk.parent} if nested else {}
    return row | (table_fields(chunk, document) | _source_fields(chunk, document) if document else {})


def table_fields(chunk: Chunk, document: Document) -> Row:
    """Return the header of the table that a chunk continues; nothing for other chunks."""
    header = table_header(document, chunk)
    return {"table_header": encodable(header)} if header else {}


def _source_fields(chunk: Chunk, document: Document) -> Row:
    """Return the origin of a chunk: stretches of the source's parts, and its first and last page, counted from 1."""
    row: Row = {}
    if document.origin:
        parts, stretches = document.origin.parts, document.origin.places(chunk.start, chunk.end)
        row["source"] = [{"part": parts[part], "start": start, "end": end} for part, start, end in stretches]
    speech = speech_fields(chunk, document)
    return row | page_numbers(chunk, document) | speech


def page_numbers(chunk: Chunk, document: Document) -> Row:
    """Return the first and last page of a chunk, from 1; nothing for a document without pages."""
    on = document.pages.of(chunk.start, chunk.end) if document.pages else range(0)
    return {"first_page": on[0] + 1, "last_page": on[-1] + 1} if on else {}


def speech_fields(chunk: Chunk, document: Document) -> Row:
    """Return when a chunk begins and ends, in seconds of the recording, and who speaks; nothing for other documents."""
    times = document.timeline.between(chunk.start, chunk.end)
    row: Row = {}
    if times:
        row = {"start_time": times[0]} | ({} if times[1] is None else {"end_time": times[1]})
    if document.has_speakers:
        row["speakers"] = [encodable(name) for name in document.speakers(chunk.start, chunk.end)]
    return row


def chunk_rows(segmentation: Segmentation) -> list[Row]:
    """Return all chunks, in order, each with its ``id`` (:func:`chunk_ids`); each has a ``parent`` where some have one,
    and where it comes from, where that is not the text itself.
    """
    nested = nests(segmentation)
    return [
        chunk_row(chunk, nested=nested, document=segmentation.document) | {"id": chunk_id}
        for chunk, chunk_id in zip(segmentation.chunks, chunk_ids(segmentation), strict=True)
    ]


def gap_rows(segmentation: Segmentation) -> Iterator[Row]:
    """Yield all gaps, in order; ``boundary`` is what came out after the limits."""
    signals = segmentation.signals
    if signals is None:
        return
    spans = signals.sentences.spans.tolist()
    names = [feature.name for feature in signals.structure.features] if signals.structure else []
    chances = signals.probabilities
    for gap, verdict in enumerate(verdicts(segmentation)):
        values = signals.structure.values[gap].tolist() if signals.structure else []
        yield {
            "gap": gap,
            "offset": int(signals.offsets[gap]),
            "left": spans[gap],
            "right": spans[gap + 1],
            "semantic": float(signals.semantic[gap]),
            "structural": float(signals.structural[gap]),
            "structural_raw": float(signals.structural_raw[gap]),
            "fused": float(signals.fused[gap]),
            "threshold": signals.threshold.value,
            "boundary": verdict in ("cut", "forced", "by hand"),
            "probability": None if chances is None else float(chances[gap]),
            "features": dict(zip(names, values, strict=True)),
        }


def limits_in_words(segmentation: Segmentation) -> str:
    """Return what the limits and the constraints did to the cuts, as a sentence; empty for nothing."""
    chunks = leaves(segmentation.chunks)
    forced = sum(chunk.cut is not None and chunk.cut.driver == "limit" for chunk in chunks)
    overlaps = sum(note in (NO_OVERLAP, SHORT_OVERLAP) for chunk in chunks for note in chunk.notes)
    counts = {
        "removed by the limits": len(segmentation.suppressed),
        "added by the maximum": forced,
        "left out, to keep together what belongs together": len(segmentation.kept),
    }
    words = [f"{plural(count, 'cut')} {what}" for what, count in counts.items() if count]
    words += [f"{plural(overlaps, 'overlap')} shortened by the maximum"] if overlaps else []
    return "; ".join(words)


def jsonl(rows: Iterable[Row]) -> str:
    """Return a JSON object a line, in UTF-8 without escapes."""
    return "".join(encodable(json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)


GAP_COLUMNS = (
    *("gap", "offset", "left_start", "left_end", "right_start", "right_end", "semantic", "structural"),
    *("structural_raw", "fused", "threshold", "boundary", "probability"),
)
"""Columns of the table of gaps, before those of the features."""

CHUNK_COLUMNS = (
    *("index", "start", "end", "text", "overlap_start", "overlap_end", "tokens", "heading_path"),
    *("cut_reason", "cut_score", "cut_threshold", "id"),
)
"""Columns of the table of chunks."""


def table(rows: Sequence[Row], empty: Sequence[str], *, spreadsheet: bool = False) -> str:
    """Return CSV with a header; nested values are spread over columns (``overlap_start``, ``cut_reason``, …).

    Args:
        rows: what to write.
        empty: the columns where there is no row.
        spreadsheet: see :func:`csv_line`.
    """
    columns = list(dict.fromkeys(name for row in rows for name in _flat(row))) or list(empty)
    return csv_line(columns, spreadsheet=spreadsheet) + "".join(table_lines(rows, columns, spreadsheet=spreadsheet))


def table_lines(rows: Iterable[Row], columns: Sequence[str], *, spreadsheet: bool = False) -> Iterator[str]:
    """Yield rows as lines of CSV with these columns."""
    for row in map(_flat, rows):
        yield csv_line((row.get(name) for name in columns), spreadsheet=spreadsheet)


def _flat(row: Row) -> Row:
    flat: Row = {}
    for name, value in row.items():
        if name in ("overlap", "cut"):
            keys = ("start", "end") if name == "overlap" else ("reason", "score", "threshold")
            flat |= {f"{name}_{key}": (value or {}).get(key) for key in keys}
        elif name in ("left", "right"):
            flat |= {f"{name}_start": value[0], f"{name}_end": value[1]}
        elif isinstance(value, dict):
            flat |= value
        elif name == "source":
            flat[name] = "; ".join(
                f"{stretch['part']} {stretch['start']}–{stretch['end']}".strip() for stretch in value
            )
        elif name == "speakers":
            flat[name] = "; ".join(value)
        elif isinstance(value, list):
            flat[name] = " › ".join(value)
        else:
            flat[name] = value
    return flat


_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_line(cells: Iterable[Any], *, spreadsheet: bool = False) -> str:
    """Return a line of CSV.

    Args:
        cells: the values.
        spreadsheet: whether an apostrophe before each text that begins like a formula keeps a spreadsheet from running
            it; a program would read another text.
    """
    out = io.StringIO(newline="")
    # Not every Python puts a carriage return in quotes that does not end its lines: the words after it would be a row.
    csv.writer(out, lineterminator="\r\n").writerow(_cell(value, spreadsheet) for value in cells)
    return out.getvalue().removesuffix("\r\n") + "\n"


def _cell(value: Any, spreadsheet: bool) -> Any:
    if not isinstance(value, str):
        return value
    return encodable(f"'{value}" if spreadsheet and value.startswith(_FORMULA) else value)
