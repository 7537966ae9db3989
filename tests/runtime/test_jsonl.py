"""JSON Lines as they are read."""

from __future__ import annotations

import pytest

from chunking import ChunkscopeError
from chunking.runtime import jsonl


def test_lines_are_numbered_as_they_stand() -> None:
    found = list(jsonl.rows(b'\xef\xbb\xbf{"a": 1}\r\n\n  \n{"b": "\xc3\xa4"}', "x.jsonl"))
    assert found == [(1, {"a": 1}, "x.jsonl, line 1"), (4, {"b": "ä"}, "x.jsonl, line 4")]
    assert list(jsonl.rows(b"", "x")) == []


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
        list(jsonl.rows(b"{}\n" + line, "x"))
