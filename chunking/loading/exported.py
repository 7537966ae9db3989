"""Recognition of documents that another program has parsed, by their content: their names are those of any JSON file.

Every check is cheap for other files: JSON is parsed only if it has the marks of such a document.
"""

from __future__ import annotations

import json
from typing import Any

from chunking.loading.decode import MAX_BYTES
from chunking.runtime.patterns import compile_pattern

_DOCLING = compile_pattern(rb'"schema_name"\s{0,9}:\s{0,9}"DoclingDocument"')
_ELEMENTS = compile_pattern(rb'"(?:element_id|metadata)"')
_CONTENTS = compile_pattern(rb'"page_idx"')
_SEPARATED = compile_pattern(rb"(?:\xef\xbb\xbf)?\s{0,200}\{[0-9]{1,6}\}-{48}\s")

_CHECKED = 200
"""Rows of a file that are checked."""


def exported_format(data: bytes, suffix: str) -> str | None:
    """Return the name of the format of a parsed document; ``None`` for any other file.

    Args:
        data: the file.
        suffix: the format that its name states: ``json``, ``markdown`` or ``text``.
    """
    if suffix != "json":
        return "marker" if _SEPARATED.match(data) else None
    if len(data) > MAX_BYTES:
        return None
    if _DOCLING.search(data):
        value = _value(data)
        right = isinstance(value, dict) and value.get("schema_name") == "DoclingDocument"
        return "docling" if right and isinstance(value.get("body"), dict) else None
    if _CONTENTS.search(data) and _all(_value(data), _is_entry):
        return "mineru"
    if _ELEMENTS.search(data) and _all(_value(data), _is_element):
        return "unstructured"
    return None


def _value(data: bytes) -> Any:
    """Return the value of a JSON file, the list of the first values of JSON Lines, or ``None``."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        try:
            lines = (line for line in data.split(b"\n", _CHECKED)[:_CHECKED] if line.strip())
            return [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            return None


def _all(value: Any, test: Any) -> bool:
    """Return whether a value is a list whose first items pass a test."""
    return isinstance(value, list) and bool(value) and all(map(test, value[:_CHECKED]))


def _is_entry(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("type"), str) and isinstance(row.get("page_idx"), int)


def _is_element(row: Any) -> bool:
    from chunking.loading.markup.unstructured import TYPES

    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        return False
    type_ = row.get("type")
    return isinstance(type_, str) and type_ in TYPES and ("element_id" in row or isinstance(row.get("metadata"), dict))
