"""What goes to a process and comes back: the same objects, or a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.isolation import TooMuch, WireError, codec
from chunking.runtime.arrays import Float64, Int64


class Pair(NamedTuple):
    left: int
    right: str


@dataclass(frozen=True)
class Sent:
    name: str
    values: Float64
    spans: Int64 | None = None
    pairs: tuple[Pair, ...] = ()
    more: dict[str, Any] | None = None


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@st.composite
def objects(draw: st.DrawFn) -> Sent:
    rows, columns = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    spans = draw(st.none() | st.just(np.arange(2 * rows).reshape(rows, 2)))
    pairs = tuple(draw(st.lists(st.builds(Pair, st.integers(-5, 5), TEXTS), max_size=3)))
    more = draw(st.none() | st.dictionaries(TEXTS, st.integers(-5, 5) | st.booleans() | TEXTS, max_size=3))
    return Sent(draw(TEXTS), np.arange(float(rows * columns)).reshape(rows, columns), spans, pairs, more)


def plain(sent: Sent) -> object:
    arrays = [None if array is None else (array.shape, array.tolist()) for array in (sent.values, sent.spans)]
    return sent.name, arrays, sent.pairs, sent.more


@given(objects())
def test_what_is_encoded_comes_out(sent: Sent) -> None:
    assert plain(codec.decode(codec.encode(sent), Sent)) == plain(sent)


@given(objects(), st.data())
def test_what_was_changed_on_the_way_is_refused_or_valid(sent: Sent, data: st.DataObject) -> None:
    encoded = bytearray(codec.encode(sent))
    encoded[data.draw(st.integers(0, len(encoded) - 1))] = data.draw(st.integers(0, 255))
    try:
        received = codec.decode(bytes(encoded), Sent)
    except WireError:
        return
    assert isinstance(received, Sent)
    assert received.values.dtype == np.float64
    assert received.spans is None or received.spans.dtype == np.int64
    assert all(isinstance(pair.left, int) and isinstance(pair.right, str) for pair in received.pairs)


@given(objects(), st.integers(1, 40))
def test_half_an_object_and_more_than_one_are_refused(sent: Sent, lost: int) -> None:
    encoded = codec.encode(sent)
    for data in (encoded[:-lost], encoded + b"\0"):
        with pytest.raises(WireError):
            codec.decode(data, Sent)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(2),
        ["<f8", [2], bytes(16)],
        ["<i8", [3], bytes(16)],
        ["<i8", [-2, -1], bytes(16)],
        ["<i8", [1, 1, 2], bytes(16)],
        ["<i8", [True, 2], bytes(16)],
        ["<i8", [2**40, 2**40], b""],
        ["|O1", [16], bytes(16)],
        ["<i8", 2, bytes(16)],
        "<i8",
        None,
    ],
    ids=str,
)
def test_an_array_of_another_kind_is_refused(array: object) -> None:
    assert codec.decode(codec.encode(np.zeros(2, dtype=np.int32)), Int64).tolist() == [0, 0]
    with pytest.raises(WireError):
        codec.decode(codec.encode(array), Int64)


def test_an_object_nested_without_end_is_refused() -> None:
    for kind in (Any, Sent, list[Any]):
        with pytest.raises(WireError):
            codec.decode(b"\x91" * 1_000_000, kind)


def test_lone_surrogates_are_replaced_one_by_one() -> None:
    sent = Sent("a\ud800b", np.zeros(1), np.ones(1, dtype=np.int64), (Pair(1, "\ud83d\ude00"),), {"\udfff": ["\udfff"]})
    received = codec.decode(codec.encode(sent), Sent)
    assert (received.name, received.pairs, received.more) == (
        "a\ufffdb",
        (Pair(1, "\ufffd\ufffd"),),
        {"\ufffd": ["\ufffd"]},
    )
    assert received.spans.tolist() == [1]


def test_an_object_over_the_limit_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "MAX_FRAME", 10)
    with pytest.raises(TooMuch):
        codec.encode("a" * 20)
