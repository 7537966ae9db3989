from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest

from pages.shared.components.base import pack


def unpack(message: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """What ``wire.js`` does with a message."""
    head_size, body_size = struct.unpack_from("<II", message)
    head = json.loads(message[8 : 8 + head_size])
    end = 8 + head_size + body_size
    columns = end + -end % 8

    def revive(value: dict[str, Any]) -> Any:
        if list(value) != ["$"]:
            return value
        dtype, offset, length = value["$"]
        return np.frombuffer(message, dtype=f"<{dtype}", count=length, offset=columns + offset)

    return head, json.loads(message[8 + head_size : end], object_hook=revive)


def test_a_message_is_read_back_as_it_was() -> None:
    curve = np.linspace(0, 1, 7)
    body = {
        "curve": curve,
        "again": curve,
        "gaps": np.array([3, 5]),
        "kinds": np.array([1], dtype=np.uint8),
        "é": ["▲", None],
    }
    head, read = unpack(pack({"document": "k", "selected": 4}, body))
    assert (head["document"], head["selected"]) == ("k", 4)
    assert np.allclose(read["curve"], curve)
    assert read["curve"].dtype == np.float32
    assert read["gaps"].tolist() == [3, 5]
    assert read["gaps"].dtype == np.int32
    assert read["kinds"].dtype == np.uint8
    assert read["é"] == ["▲", None]


def test_an_array_that_occurs_twice_travels_once() -> None:
    long = np.zeros(10_000)
    assert len(pack({}, {"a": long, "b": long})) < len(pack({}, {"a": long})) + 100


def test_the_content_names_the_body_and_not_the_head() -> None:
    def content(head: dict[str, Any], body: dict[str, Any]) -> str:
        return str(unpack(pack(head, body))[0]["content"])

    body = {"curve": np.arange(5.0)}
    assert content({"selected": 1}, body) == content({"selected": 2}, {"curve": np.arange(5.0)})
    assert content({}, body) != content({}, {"curve": np.arange(5.0) + 1})
    assert content({}, {"words": "a"}) != content({}, {"words": "b"})


def test_columns_are_aligned_whatever_stands_before_them() -> None:
    for length in range(12):
        _, read = unpack(
            pack(
                {"pad": "x" * length}, {"words": "y" * (length % 5), "odd": np.ones(3, dtype=np.uint8), "f": np.ones(2)}
            )
        )
        assert read["f"].tolist() == [1, 1]


def test_other_arrays_are_refused() -> None:
    with pytest.raises(TypeError):
        pack({}, {"words": np.array(["a"])})
