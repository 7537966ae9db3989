from __future__ import annotations

import io
import sys
from types import FrameType

from benchmarks import watched_server
from chunking import strategies
from chunking.isolation import framing


def _frame_inside(function: object) -> list[FrameType]:
    """Return a list that gets the frames of a function while a profiler is set."""
    found: list[FrameType] = []
    code = function.__code__  # type: ignore[attr-defined]

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is code:
            found.append(frame)

    sys.setprofile(note)
    return found


def test_code_belongs_to_the_innermost_part_of_ours_or_of_streamlit() -> None:
    frames = _frame_inside(strategies.get)
    try:
        strategies.get("structural")
    finally:
        sys.setprofile(None)
    assert watched_server.part(frames[0], of_server=False) == "chunking/strategies"
    assert watched_server.part(frames[0], of_server=True) == "server: messages and requests"


def test_a_thread_that_reads_from_a_worker_waits() -> None:
    found = _frame_inside(framing.read)
    try:
        assert framing.read(io.BytesIO()) is None
    finally:
        sys.setprofile(None)
    assert watched_server.is_waiting(found[0])
    assert not watched_server.is_waiting(sys._getframe())
