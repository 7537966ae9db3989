"""Chunks as Parquet files: of one document, and of many, a row group at a time."""

from __future__ import annotations

import io
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Any, Self

from chunking.chunks import Chunk
from chunking.export.identity import chunk_ids
from chunking.export.origin import origin_of
from chunking.export.tables import Row, encodable, page_numbers, speech_fields, table_fields
from chunking.installation import optional
from chunking.strategies.base import Segmentation

_GROUP = 20_000
"""Rows that are collected before they are written."""


def parquet(segmentation: Segmentation) -> bytes:
    """Return the chunks as a Parquet file, a row each, with the same columns for every strategy.

    ``index``, ``start``, ``end``, ``tokens``, ``overlap_tokens`` (int64), ``id``, ``text`` (string), ``heading_path``
    and ``notes`` (lists of strings); and, null where a chunk has none, ``overlap_start``, ``overlap_end``, ``parent``
    (int64), ``cut_score``, ``cut_threshold``, ``start_time``, ``end_time`` (float64, the times in seconds),
    ``speakers`` (list of strings), ``cut_reason``, ``cut_detail``, ``table_header`` and ``library_text`` (string), the
    last with what another library made of the span where that is not exactly its text. The file's own metadata name the
    document, the strategy and its parameters.
    """
    # Only who wants this format should wait for its import.
    arrow, files = (optional(name, "evaluation", "A Parquet file") for name in ("pyarrow", "pyarrow.parquet"))
    about = {name: encodable(value) for name, value in origin_of(segmentation).items()}
    out = io.BytesIO()
    schema = _schema(arrow).with_metadata(about)
    files.write_table(arrow.Table.from_pylist(parquet_rows(segmentation), schema), out)
    return out.getvalue()


def _schema(arrow: Any) -> Any:
    """Return the columns of the chunks of one document."""
    integer, real, text = arrow.int64(), arrow.float64(), arrow.string()
    types = {
        **dict.fromkeys(("index", "start", "end"), integer),
        "text": text,
        **dict.fromkeys(("overlap_start", "overlap_end", "tokens", "overlap_tokens"), integer),
        **dict.fromkeys(("heading_path", "notes"), arrow.list_(text)),
        **{"cut_reason": text, "cut_score": real, "cut_threshold": real, "cut_detail": text},
        **{"parent": integer, "library_text": text, "table_header": text},
        **{"start_time": real, "end_time": real, "speakers": arrow.list_(text)},
        "id": text,
    }
    always = {"index", "start", "end", "text", "tokens", "overlap_tokens", "heading_path", "notes", "id"}
    return arrow.schema([arrow.field(name, kind, name not in always) for name, kind in types.items()])


def parquet_rows(segmentation: Segmentation) -> list[Row]:
    """Return the chunks as rows of :func:`parquet`."""
    document = segmentation.document
    return [
        _row(chunk) | table_fields(chunk, document) | speech_fields(chunk, document) | {"id": chunk_id}
        for chunk, chunk_id in zip(segmentation.chunks, chunk_ids(segmentation), strict=True)
    ]


def _row(chunk: Chunk) -> Row:
    overlap, cut = chunk.overlap, chunk.cut
    return {
        "index": chunk.index,
        "start": chunk.start,
        "end": chunk.end,
        "text": encodable(chunk.text),
        "overlap_start": overlap.start if overlap else None,
        "overlap_end": overlap.end if overlap else None,
        "tokens": chunk.tokens,
        "overlap_tokens": chunk.overlap_tokens,
        "heading_path": [encodable(title) for title in chunk.heading_path],
        "notes": list(chunk.notes),
        "cut_reason": cut.reason if cut else None,
        "cut_score": cut.score if cut else None,
        "cut_threshold": cut.threshold if cut else None,
        "cut_detail": encodable(cut.detail) if cut and cut.detail else None,
        "parent": chunk.parent,
        "library_text": encodable(chunk.foreign.text) if chunk.foreign else None,
    }


class ParquetTable:
    """A Parquet file of the chunks of many documents, of which only one row group is in memory.

    It has the columns of :func:`parquet` and, before them, ``document``, ``document_hash``, ``setting``, ``encoder``;
    null where a document has no pages, ``first_page`` and ``last_page``. With changes there is a ``change`` first, and
    a removed chunk has ``document`` and ``id`` alone.

    Args:
        file: where it is written.
        changes: whether rows have a ``change``.
    """

    def __init__(self, file: IO[bytes], *, changes: bool = False) -> None:
        self._arrow = optional("pyarrow", "evaluation", "A Parquet file")
        field, text, integer = self._arrow.field, self._arrow.string(), self._arrow.int64()
        names = [*(["change"] if changes else []), "document", "document_hash", "setting", "encoder"]
        columns = [*(field(name, text) for name in names), *_schema(self._arrow)]
        columns += [field(name, integer) for name in ("first_page", "last_page")]
        self._schema = self._arrow.schema([column.with_nullable(True) for column in columns])
        writer = optional("pyarrow.parquet", "evaluation", "A Parquet file").ParquetWriter
        self._writer, self._rows = writer(file, self._schema), list[Row]()

    def write(self, rows: Sequence[Row]) -> None:
        """Add rows."""
        self._rows += rows
        if len(self._rows) >= _GROUP:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(self._arrow.Table.from_pylist(self._rows, self._schema))
        self._rows = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._rows:
            self._flush()
        self._writer.close()


def several_rows(segmentation: Segmentation) -> list[Row]:
    """Return the chunks of a document as rows of :class:`ParquetTable`, without what names the document."""
    rows = zip(parquet_rows(segmentation), segmentation.chunks, strict=True)
    return [row | page_numbers(chunk, segmentation.document) for row, chunk in rows]
