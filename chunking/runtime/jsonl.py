"""Reading of JSON Lines: one object per line, with the line number in every error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.runtime import structured


def rows(data: bytes, name: str) -> Iterator[tuple[int, dict[str, Any], str]]:
    """Yield each line that is not blank: its number from 1, its object, and its place in words.

    Args:
        data: the whole file in UTF-8; a byte order mark is skipped.
        name: name of the file, for messages.

    Raises:
        ChunkscopeError: a line is not UTF-8, not JSON, or not an object.
    """
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{name:.80}, line {number}"
        try:
            row = structured.load_json(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ChunkscopeError(f"{where} is not UTF-8.", "Save the file as JSON Lines in UTF-8.") from error
        except (ValueError, RecursionError) as error:
            raise ChunkscopeError(f"{where} is not JSON.", "Write one JSON object per line.") from error
        if not isinstance(row, dict):
            raise ChunkscopeError(f"{where} is not a JSON object.", "Write one JSON object per line.")
        yield number, row, where
