"""Structured files from outside: their limits hold before anything is parsed."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from chunking import ChunkscopeError, load
from chunking.alignment import uploads
from chunking.reference import files as reference_files
from chunking.review import exchange
from chunking.runtime import structured
from chunking.runtime.structured import SizeLimit, StructureError
from chunking.settings.settings_file import read_settings

DOCUMENT = load(b"One sentence. Another one.", "two.txt")
SMALL = SizeLimit(1000, 50)


@dataclass(frozen=True)
class Point:
    x: int
    name: str = ""


def test_an_object_is_decoded_into_its_type() -> None:
    assert structured.decode(b'\xef\xbb\xbf{"x": 1, "y": [[]]}', Point, SMALL) == Point(1)
    assert list(structured.decode_lines(b'{"x":1}\n\n {"x":2}', Point, SMALL, 100)) == [Point(1), Point(2)]


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"[]", b"null", b'{"x": "1"}', b'{"x": true}', b'{"x": 1.5}', b'{"x": NaN}',
        b'{"x": 1, "name": "\xff"}',
        b'{"x": 1, "y": ' + b"[" * 40, b'{"x": 1, "name": "' + b"a" * 1000 + b'"}',
    ],
)  # fmt: skip
def test_what_has_another_form_is_an_error(data: bytes) -> None:
    with pytest.raises(StructureError):
        structured.decode(data, Point, SMALL)


def test_depth_does_not_end_the_stack() -> None:
    with pytest.raises(StructureError, match="nested too deeply"):
        structured.decode(b'{"x": 1, "y": ' + b"[" * 10**5 + b"]" * 10**5 + b"}", Point, SizeLimit(2**20))


@pytest.mark.parametrize(("kind", "one"), [(list[int], b"1"), (list[list[int]], b"[]"), (list[dict[str, int]], b"{}")])
def test_values_are_counted_before_they_are_decoded(kind: Any, one: bytes) -> None:
    few, many = (b"[" + b",".join([one] * count) + b"]" for count in (20, 60))
    limit = SizeLimit(1000, 50)
    assert len(structured.decode(few, kind, limit)) == 20
    with pytest.raises(StructureError, match="more than 50 values"):
        structured.decode(many, kind, limit)
    with pytest.raises(StructureError, match="more than 50 values"):
        list(structured.decode_lines(few + b"\n" + many, kind, limit, 1000))


def test_a_line_has_a_limit_of_its_own() -> None:
    with pytest.raises(StructureError, match="line is longer"):
        list(structured.decode_lines(b'{"x": 1, "name": "' + b"a" * 200 + b'"}', Point, SMALL, 100))


BOMB = b"[" + b"[]," * 4_000_000 + b"[]]"
READERS: dict[str, Callable[[bytes], object]] = {
    "own chunks": lambda data: uploads.read(data, "chunks.json"),
    "a reference": lambda data: reference_files.read(data, "gold.json", DOCUMENT),
    "reviews": lambda data: exchange.import_reviews(data, "gold.jsonl", DOCUMENT, "Ada"),
}


@pytest.mark.parametrize("name", READERS)
def test_a_small_file_becomes_no_gigabytes_of_objects(name: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ChunkscopeError):
            READERS[name](BOMB)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12 * len(BOMB)


def test_files_above_their_limits_are_refused_unread() -> None:
    text = json.dumps({"text": "x" * 100}).encode()
    for read, limit in (
        (READERS["own chunks"], uploads.LIMIT),
        (READERS["a reference"], reference_files.LIMIT),
        (READERS["reviews"], reference_files.LIMIT),
        (lambda data: read_settings(data, "chunkscope.toml"), SizeLimit(2**20)),
    ):
        with pytest.raises(ChunkscopeError, match="larger than"):
            read(text + b" " * limit.bytes)


def test_lines_of_json_are_numbered_as_they_stand() -> None:
    found = list(structured.json_lines(b'\xef\xbb\xbf{"a": 1}\r\n\n  \n{"b": "\xc3\xa4"}', "x.jsonl"))
    assert found == [(1, {"a": 1}, "x.jsonl, line 1"), (4, {"b": "ä"}, "x.jsonl, line 4")]
    assert list(structured.json_lines(b"", "x")) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "x, line 2 is not JSON"),
        (b"[1]", "x, line 2 is not a JSON object"),
        (b'{"a": "\xff"}', "x, line 2 is not UTF-8"),
        (b"[" * 100_000, "x, line 2 is not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "x, line 2 is not JSON"),
    ],
)
def test_what_is_no_object_is_refused_with_its_line(line: bytes, said: str) -> None:
    with pytest.raises(ChunkscopeError, match=said):
        list(structured.json_lines(b"{}\n" + line, "x"))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "9" * 5000, "[" + "0," * 2_000_001 + "0]"])
def test_what_may_be_json_and_is_not_has_no_value(text: str) -> None:
    assert structured.json_or_none(text) is None
    assert structured.json_or_none('{"a": 1}') == {"a": 1}
