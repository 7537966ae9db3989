"""JSON from outside, decoded into types, with limits that hold before any of it is parsed.

A decoder is a pure function of bytes. What has no fixed form is decoded as plain values; the number of its values is
bounded by the commas and brackets in it, which are counted first, so that a small file cannot become gigabytes of
objects. Depth is bounded by the decoder: nesting without end is an error and never the end of the stack.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from chunking.errors import ChunkscopeError

Type = TypeVar("Type")


@dataclass(frozen=True)
class SizeLimit:
    """How large a structured file may be.

    Attributes:
        bytes: of the file.
        values: commas and opening brackets, which are at least as many as the values less one.
    """

    bytes: int
    values: int = 2_000_000


class StructureError(ValueError):
    """The error for bytes that are too many, that are no JSON, or that have another form than expected."""


MOST_VALUES = 2_000_000
"""Limit of the values of JSON without a fixed form, which take about a hundred bytes each once they are parsed."""


def load_json(text: str | bytes, **how: Any) -> Any:
    """Return the value of JSON that has no fixed form, as :func:`json.loads` with the same options.

    Raises:
        StructureError: it has too many values.
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    if len(text) > MOST_VALUES:
        marks: tuple[Any, ...] = (",", "[", "{") if isinstance(text, str) else (b",", b"[", b"{")
        if sum(map(text.count, marks)) > MOST_VALUES:
            raise StructureError(f"it has more than {MOST_VALUES:,} values")
    return json.loads(text, **how)


def json_or_none(text: str | bytes) -> Any:
    """Return the value of a text, or ``None`` if it is not JSON, is nested too deeply or has too many values."""
    try:
        return load_json(text)
    except (ValueError, RecursionError):
        return None


def check_file(data: bytes, name: str, limit: SizeLimit) -> None:
    """Check the size of a file before anything is done with it.

    Raises:
        ChunkscopeError: it is too large.
    """
    if len(data) > limit.bytes:
        raise ChunkscopeError(f"“{name:.80}” is larger than {_size(limit.bytes)}.", "Split it into several files.")


def check(data: bytes, limit: SizeLimit) -> None:
    """Check the size of a file before it is parsed.

    Raises:
        StructureError: it is too large.
    """
    if len(data) > limit.bytes:
        raise StructureError(f"it is larger than {_size(limit.bytes)}")
    if len(data) > limit.values and sum(map(data.count, (b",", b"[", b"{"))) > limit.values:
        raise StructureError(f"it has more than {limit.values:,} values")


def decode(data: bytes, kind: type[Type], limit: SizeLimit) -> Type:
    """Return the object that a file describes.

    Args:
        data: UTF-8, with or without a byte order mark.
        kind: a dataclass, or any type that :mod:`msgspec` decodes. A field that it does not have is ignored.
        limit: of the file.

    Raises:
        StructureError: it is too large, no JSON, or of another form.
        ChunkscopeError: the type refuses a value.
    """
    check(data, limit)
    return _decode(data, msgspec.json.Decoder(kind))


def decode_lines(data: bytes, kind: type[Type], limit: SizeLimit, line_limit: int) -> Iterator[Type]:
    """Yield the object of each line that is not empty, see :func:`decode`.

    Args:
        data: UTF-8.
        kind: of each line.
        limit: of the file.
        line_limit: bytes of a line.
    """
    check(data, limit)
    decoder = msgspec.json.Decoder(kind)
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if end - start > line_limit:
            raise StructureError(f"a line is longer than {_size(line_limit)}")
        if line := data[start:end].strip():
            yield _decode(line, decoder)
        start = end + 1


def json_lines(data: bytes, name: str) -> Iterator[tuple[int, dict[str, Any], str]]:
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
            row = load_json(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ChunkscopeError(f"{where} is not UTF-8.", "Save the file as JSON Lines in UTF-8.") from error
        except (ValueError, RecursionError) as error:
            raise ChunkscopeError(f"{where} is not JSON.", "Write one JSON object per line.") from error
        if not isinstance(row, dict):
            raise ChunkscopeError(f"{where} is not a JSON object.", "Write one JSON object per line.")
        yield number, row, where


def _decode(data: bytes, decoder: msgspec.json.Decoder[Type]) -> Type:
    try:
        return decoder.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except RecursionError:
        raise StructureError("it is nested too deeply") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StructureError(str(error)) from None


def encode(value: Any) -> bytes:
    """Return a value as JSON in UTF-8, for :func:`decode`. No text in it may have a lone surrogate."""
    return msgspec.json.encode(value)


def _size(count: int) -> str:
    return f"{count // 2**20:,} MiB" if count >= 2**20 else f"{count // 2**10:,} KiB"
