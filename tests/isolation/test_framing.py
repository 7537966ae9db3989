from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.isolation import framing


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=1), st.binary(max_size=30)), max_size=5))
def test_frames_go_through_a_stream(sent: list[tuple[bytes, bytes]]) -> None:
    stream = io.BytesIO()
    for kind, payload in sent:
        framing.write(stream, kind, payload)
    stream.seek(0)
    assert [framing.read(stream) for _ in sent] == sent
    assert framing.read(stream) is None


@pytest.mark.parametrize("lost", [1, 5, 12])
def test_half_a_frame_is_an_error(lost: int) -> None:
    stream = io.BytesIO()
    framing.write(stream, b"R", b"1234")
    with pytest.raises(framing.WireError):
        framing.read(io.BytesIO(stream.getvalue()[:-lost]))


def test_too_large_a_frame_is_not_read() -> None:
    with pytest.raises(framing.TooMuch):
        framing.read(io.BytesIO(struct.pack(">cQ", b"R", 2**60)))
