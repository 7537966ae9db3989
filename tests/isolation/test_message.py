from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.isolation import WireError, message
from chunking.isolation.message import Message

TYPES: message.Types = {"spans": ("<i8", (2,)), "values": ("<f8", (-1,)), "block": ("<i8", ())}
TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=3)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    rows, columns = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    arrays = {
        "spans": np.arange(2 * rows).reshape(rows, 2),
        "values": np.arange(float(rows * columns)).reshape(rows, columns),
        "block": np.arange(rows),
    }
    sent = draw(st.sets(st.sampled_from(list(arrays))))
    header = draw(st.dictionaries(st.text("abc", max_size=3), st.integers() | st.booleans() | st.none(), max_size=3))
    return Message(header, tuple(draw(TEXTS)), {name: arrays[name] for name in sorted(sent)})


def plain(given: Message) -> object:
    return given.header, list(given.texts), {name: (rows.shape, rows.tolist()) for name, rows in given.arrays.items()}


@given(messages())
def test_what_is_packed_comes_out(sent: Message) -> None:
    assert plain(message.unpack(message.pack(sent, TYPES), TYPES)) == plain(sent)


@given(messages(), st.data())
def test_what_was_changed_on_the_way_is_refused_or_valid(sent: Message, data: st.DataObject) -> None:
    packed = bytearray(message.pack(sent, TYPES))
    packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = message.unpack(bytes(packed), TYPES)
    except WireError:
        return
    for name, rows in found.arrays.items():
        assert rows.dtype == TYPES[name][0] and rows.ndim == 1 + len(TYPES[name][1])


@given(messages(), st.integers(1, 40))
def test_half_a_message_and_more_than_one_are_refused(sent: Message, lost: int) -> None:
    packed = message.pack(sent, TYPES)
    for given_bytes in (packed[:-lost], packed + b"\0"):
        with pytest.raises(WireError):
            message.unpack(given_bytes, TYPES)


def test_an_array_that_nobody_expects_is_refused() -> None:
    packed = message.pack(Message({}, (), {"spans": np.zeros((1, 2))}), TYPES)
    for types in ({}, {"spans": ("<i8", (3,))}, {"spans": ("<i8", ())}):
        with pytest.raises(WireError):
            message.unpack(packed, types)
