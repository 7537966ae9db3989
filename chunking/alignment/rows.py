"""Rows of chunks: the fields of their texts and offsets, under the names that other programs and vector stores use.

- Chroma (``collection.get()``, ``collection.query()``): lists of ids, documents and metadata, side by side.
- Qdrant (``scroll``, its HTTP response, or points): the fields of a chunk are in its payload; the Python client gives
  pairs of the points and the next offset.
- pgvector: rows, with their metadata as an object or as its JSON.
- LlamaIndex keeps a node as JSON in ``_node_content``, in any of them.

Embeddings are ignored. Stores keep no order, so the alignment with the document restores it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from chunking.alignment.pieces import Piece
from chunking.errors import ChunkscopeError
from chunking.runtime import structured
from chunking.runtime.patterns import compile_pattern

_WORD_SEPARATORS = compile_pattern(r"[\s_-]+")

TEXT_FIELDS: tuple[str, ...] = (
    "text",
    "page_content",
    "pagecontent",
    "chunk_text",
    "chunk",
    "chunk_content",
    "content",
    "contents",
    "body",
    "passage",
    "passage_text",
    "segment",
    "paragraph",
    "sentence",
    "document",
    "raw_text",
    "value",
)
"""Names of a text field, the likeliest first, compared without case and with ``-`` and space as ``_``."""

START_FIELDS: tuple[str, ...] = (
    "start",
    "start_index",
    "start_char_idx",
    "start_char",
    "char_start",
    "start_offset",
    "offset_start",
    "start_idx",
    "startindex",
    "begin",
    "offset",
)
"""Names of the start offset."""

END_FIELDS: tuple[str, ...] = (
    "end",
    "end_index",
    "end_char_idx",
    "end_char",
    "char_end",
    "end_offset",
    "offset_end",
    "end_idx",
    "endindex",
    "stop",
)
"""Names of the end offset."""

WRAPPERS: tuple[str, ...] = (
    "kwargs",
    "__data__",
    "node",
    "document",
    "doc",
    "payload",
    "metadata",
    "cmetadata",
    "langchain_metadata",
    "_node_content",
    "extra_info",
)
"""Objects inside a row that may hold its fields, searched after the row itself."""

_JSON_FIELDS = ("metadata", "cmetadata", "langchain_metadata", "metadata_", "payload", "_node_content")
_LISTS = ("documents", "metadatas")

Row = Mapping[str, Any]


def from_rows(rows: Sequence[Any], name: str) -> tuple[Piece, ...]:
    """Return pieces from texts and objects."""
    rows = [parse_row(row) for row in rows]
    for number, row in enumerate(rows, 1):
        if row is not None and not isinstance(row, (str, dict)):
            raise ChunkscopeError(
                f"Chunk {number} of “{name}” is neither a text nor an object, but {row!r:.40}.",
                "Write each chunk as a text, or as an object with a text field.",
            )
    tables = [row for row in rows if isinstance(row, dict)]
    other = "" if any(find_field(row, TEXT_FIELDS, str) is not None for row in tables) else _longest_field(tables)
    if tables and not other and all(find_field(row, TEXT_FIELDS, str) is None for row in tables):
        raise _no_text(name, tables)
    return tuple(_piece(row, other) for row in rows if row is not None)


def _piece(row: str | Row, other: str) -> Piece:
    if isinstance(row, str):
        return Piece(row)
    text = row.get(other) if other else find_field(row, TEXT_FIELDS, str)
    start, end = (find_field(row, names, int) for names in (START_FIELDS, END_FIELDS))
    return Piece(text if isinstance(text, str) else "", start, end)


def find_field(row: Row, names: Sequence[str], kind: type) -> Any:
    """Return the first field with one of these names and that type, in the row or an object in it, or ``None``."""
    for inner in _unwrap(row):
        plain = {plain_name(key): key for key in reversed(list(inner))}
        for name in names:
            value = inner.get(plain[name]) if name in plain else None
            if isinstance(value, kind) and not isinstance(value, bool):
                return value
    return None


def _unwrap(row: Row) -> Iterator[Row]:
    """Yield the row, then the objects in it that may hold its fields, and those in them."""
    level: list[Row] = [row]
    for _ in range(3):
        yield from level
        level = [
            inner[key] for inner in level for wrapper in WRAPPERS for key in inner
            if plain_name(key) == plain_name(wrapper) and isinstance(inner[key], dict)
        ]  # fmt: skip


def plain_name(name: str) -> str:
    """Return a field's name in lower case with ``_`` between words: ``"Chunk Text"`` → ``"chunk_text"``."""
    return _WORD_SEPARATORS.sub("_", name.strip().strip("\"'\ufeff").lower()).strip("_")


def _longest_field(rows: Sequence[Row]) -> str:
    """Return the field with the longest texts on average over all rows; empty if no field has text."""
    total: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        for key, value in row.items():
            if isinstance(value, str) and value.strip():
                total[key] += len(value)
    return max(total, key=lambda key: total[key], default="")


def _no_text(name: str, rows: Sequence[Row]) -> ChunkscopeError:
    fields = ", ".join(list(dict.fromkeys(key for row in rows[:100] for key in row))[:20]) or "none"
    return ChunkscopeError(
        f"No field of “{name}” contains text; its fields are: {fields}.",
        f"Rename the field with the chunk's text to “{TEXT_FIELDS[0]}”.",
    )


def columns_as_rows(value: Any) -> list[Any] | None:
    """Return the rows of a value of Chroma, or of a page of Qdrant's Python client; ``None`` for any other."""
    if isinstance(value, dict) and isinstance(value.get("ids"), list) and isinstance(value.get("documents"), list):
        documents, metadata = (_flat(value.get(field)) for field in _LISTS)
        pairs = zip_longest(documents, metadata[: len(documents)])
        return [
            {"text": text} | ({"metadata": about} if isinstance(about, dict) else {})
            for text, about in pairs
            if isinstance(text, str)
        ]
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], list) and not isinstance(value[1], list):
        points = value[0]
        return points if points and all(isinstance(point, dict) and "payload" in point for point in points) else None
    return None


def parse_row(row: Any) -> Any:
    """Return a row with the objects in it that are stored as JSON text; anything else unchanged."""
    if not isinstance(row, dict):
        return row
    row_with_objects = dict(row)
    for field, value in row.items():
        if field in _JSON_FIELDS:
            inner = _parse_object(value) if isinstance(value, str) else value
            row_with_objects[field] = parse_row(inner) if isinstance(inner, dict) else value
    return row_with_objects


def pages_as_rows(values: Sequence[Any]) -> list[Any]:
    """Return the rows of several values, each of which may be a page of an export."""
    rows: list[Any] = []
    for value in values:
        page = columns_as_rows(value)
        points = _points(value)
        rows += page if page is not None else points if points is not None else [value]
    return rows


def _points(value: Any) -> list[Any] | None:
    """Return the points of a response of Qdrant."""
    inner = value.get("result", value) if isinstance(value, Mapping) else None
    points = inner.get("points") if isinstance(inner, Mapping) else None
    return points if isinstance(points, list) else None


def _flat(value: Any) -> list[Any]:
    """Return a list, or one of the lists in it, one for each query."""
    values = value if isinstance(value, list) else []
    return [item for inner in values for item in (inner if isinstance(inner, list) else [inner])]


def _parse_object(text: str) -> Any:
    return structured.json_or_none(text) if text.lstrip().startswith("{") else None
