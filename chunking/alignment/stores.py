"""Chunks in exports of vector stores, as rows: Chroma, Qdrant, and tables of pgvector.

- Chroma (``collection.get()``, ``collection.query()``): lists of ids, documents and metadata, side by side.
- Qdrant (``scroll``, its HTTP response, or points): the fields of a chunk are in its payload; the Python client gives
  pairs of the points and the next offset.
- pgvector: rows, with their metadata as an object or as its JSON.
- LlamaIndex keeps a node as JSON in ``_node_content``, in any of them.

Embeddings are ignored. Stores keep no order, so the alignment with the document restores it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from chunking.runtime import structured

_JSON_FIELDS = ("metadata", "cmetadata", "langchain_metadata", "metadata_", "payload", "_node_content")
_LISTS = ("documents", "metadatas")


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
        return points if points and all(isinstance(each, dict) and "payload" in each for each in points) else None
    return None


def opened(row: Any) -> Any:
    """Return a row with the objects in it that are stored as JSON; anything else unchanged."""
    if not isinstance(row, dict):
        return row
    found = dict(row)
    for field, value in row.items():
        if field in _JSON_FIELDS:
            inner = _parsed(value) if isinstance(value, str) else value
            found[field] = opened(inner) if isinstance(inner, dict) else value
    return found


def pages_as_rows(values: Sequence[Any]) -> list[Any]:
    """Return the rows of several values, each of which may be a page of an export."""
    found: list[Any] = []
    for value in values:
        page = columns_as_rows(value)
        points = _points(value)
        found += page if page is not None else points if points is not None else [value]
    return found


def _points(value: Any) -> list[Any] | None:
    """Return the points of a response of Qdrant."""
    inner = value.get("result", value) if isinstance(value, Mapping) else None
    points = inner.get("points") if isinstance(inner, Mapping) else None
    return points if isinstance(points, list) else None


def _flat(value: Any) -> list[Any]:
    """Return a list, or one of the lists in it, one for each query."""
    values = value if isinstance(value, list) else []
    return [each for inner in values for each in (inner if isinstance(inner, list) else [inner])]


def _parsed(text: str) -> Any:
    try:
        return structured.load_json(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None
