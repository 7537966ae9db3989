"""A move in the controls of a lane is kept, also where the run that settles it is stopped."""

from __future__ import annotations

from typing import Any

import pytest

from chunking import strategies
from pages.shared import state
from pages.shared.settings import lane_settings


class StoppedError(BaseException):
    """What Streamlit raises in a run that the next message of the browser replaces."""


def test_a_move_is_not_lost_where_the_run_is_stopped_before_the_lane_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    session = dict[str, Any]()
    monkeypatch.setattr("streamlit.session_state", session)
    monkeypatch.setattr("pages.shared.state.session.st.session_state", session)
    reported = {"alpha": 0.8}
    lanes = [strategies.parse("structural")]

    def receive(key: str, value: object, accept: object) -> tuple[object, bool]:
        name = key.rpartition("_")[2]
        if name in reported:
            return reported.pop(name), True
        if not reported and name == "percentile" and "stopped" not in session:
            session["stopped"] = True
            raise StoppedError
        return value, False

    monkeypatch.setattr(state.address(), "receive", receive)
    address = state.address()
    monkeypatch.setattr("pages.shared.settings.controls.state.address", lambda: address)
    with pytest.raises(StoppedError):
        lane_settings._settle(lanes, 0, "cutting")
    assert lane_settings._settle(lanes, 0, "cutting")["alpha"] == 0.8
    assert lanes[0].text == address.text("lanes") == "structural:alpha=0.8"
