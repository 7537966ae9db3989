from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

from pages.shared.server import part_reports


def asked(page: str, part: str = "", **triggers: str) -> ClientState:
    """What a browser sends: a request for a run of a page or a part, with what was reported."""
    state = ClientState(page_script_hash=page, fragment_id=part)
    for id, value in triggers.items():
        state.widget_states.widgets.append(WidgetState(id=id, json_trigger_value=value))
    return state


def reported(state: ClientState) -> dict[str, str]:
    return {widget.id: widget.json_trigger_value for widget in state.widget_states.widgets}


class Session:
    """A session of Streamlit that shows a page and runs something, with what has reached it."""

    def __init__(self, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached: list[ClientState | None] = []
        self.requests = ScriptRequests()

        def request_rerun(_: object, state: ClientState | None) -> None:
            self.reached.append(state)

        monkeypatch.setattr(AppSession, "request_rerun", request_rerun)
        part_reports.settle()
        self._session: Any = SimpleNamespace(
            _pages_manager=SimpleNamespace(current_page_script_hash=page),
            _scriptrunner=SimpleNamespace(_requests=self.requests),
        )

    def run_later(self, state: ClientState) -> None:
        """Let a request wait for the present run."""
        self.requests.request_rerun(
            RerunData(
                page_script_hash=state.page_script_hash,
                fragment_id=state.fragment_id or None,
                widget_states=state.widget_states,
            )
        )

    def request(self, state: ClientState | None) -> None:
        AppSession.request_rerun(self._session, state)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    return Session("inspect", monkeypatch)


def test_a_report_that_waits_goes_along_with_a_request_for_the_whole_page(session: Session) -> None:
    session.run_later(asked("inspect", "part", rest="[1]", edit="[2]"))
    whole = asked("inspect", chosen="[3]", edit="[4]")
    session.request(whole)
    assert session.reached == [whole]
    assert reported(whole) == {"chosen": "[3]", "edit": "[4]", "rest": "[1]"}


def test_it_does_not_with_one_for_another_page_where_its_component_is_gone(session: Session) -> None:
    session.run_later(asked("inspect", "part", rest="[1]"))
    other = asked("compare")
    session.request(other)
    assert session.reached == [other] and reported(other) == {}


def test_a_report_of_a_page_that_is_left_or_will_be_is_discarded(session: Session) -> None:
    session.request(asked("compare", "part", rest="[1]"))
    session.run_later(asked("compare"))
    session.request(asked("inspect", "part", rest="[1]"))
    assert session.reached == []


def test_all_else_reaches_the_session_as_it_is(session: Session) -> None:
    part, whole = asked("inspect", "part", rest="[1]"), asked("inspect")
    for state in (part, whole, None):
        session.request(state)
    assert session.reached == [part, whole, None]
    assert reported(part) == {"rest": "[1]"} and reported(whole) == {}


def test_each_session_is_changed_but_once(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session("inspect", monkeypatch)
    part_reports.settle()
    session.request(None)
    assert session.reached == [None]
