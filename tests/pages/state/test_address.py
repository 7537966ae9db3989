"""What a run of a page that the user's next message stops has taken up is not lost, wherever it is stopped."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from pages.shared import state
from pages.shared.settings import strategy_settings
from pages.shared.state import session

address = importlib.import_module("pages.shared.state.address")
PAGE = "pages/inspect.py"
FIRST, MOVED = "structural:alpha=0.8;percentile=80.0", "structural:alpha=0.9;percentile=80.0"


class StoppedError(Exception):
    """Streamlit stops a run that a newer message replaces, at the next look into the session state."""


class SessionState(dict[str, Any]):
    """The state of a session, where a run can be stopped before any look into it."""

    def __init__(self) -> None:
        self.looks = 0
        self.last = 0

    def look(self) -> None:
        self.looks += 1
        if self.looks == self.last:
            raise StoppedError

    def __getitem__(self, key: str) -> Any:
        self.look()
        return super().__getitem__(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self.look()
        super().__setitem__(key, value)

    def __contains__(self, key: object) -> bool:
        self.look()
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.look()
        return super().get(key, default)


class Session:
    """A session of Inspect, of which only the controls of the strategy are drawn."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.values = SessionState()
        self.written: dict[str, list[str]] = {}
        query_params = SimpleNamespace(from_dict=self._write)
        patch.setattr(session, "st", SimpleNamespace(session_state=self.values))
        patch.setattr(address, "st", SimpleNamespace(query_params=query_params, text_input=lambda *_, **__: ""))
        self._patch = patch

    def _write(self, query: dict[str, list[str]]) -> None:
        self.written = query

    def run(self, query: Mapping[str, str], controls: Mapping[str, Any], *, back: bool = False, last: int = 0) -> int:
        """Run the page for a message of the browser; return how often it looked into the session state.

        Args:
            query: the address that the browser reports.
            controls: their values there; none where the user went back or forward.
            back: whether the user did.
            last: the look at which the run is stopped, from 1; 0 for none.
        """
        incoming = {name: [text] for name, text in query.items()}
        self._patch.setattr(address, "unread", lambda: incoming)
        self._patch.setattr(address, "get_script_run_ctx", lambda: SimpleNamespace(is_history_navigation=back))
        if not back:
            for key in [key for key in self.values if key not in ("_address", "_strategy_now", "_kept_settings")]:
                del self.values[key]
            dict.update(self.values, controls)
        self.values.looks, self.values.last = 0, last
        try:
            state.arrive(PAGE)
            strategy_settings.choose()
            state.address().write()
            state.address().send_number()
        except StoppedError:
            assert last
        self.values.last = 0
        return self.values.looks

    @property
    def number(self) -> dict[str, str]:
        """What the hidden control reports of a browser that shows all that was sent."""
        return {"_number_sent": self.values["_number_sent"]}

    @property
    def strategy(self) -> str:
        return "".join(self.written.get("strategy", ["structural"]))

    def open_and_choose(self) -> dict[str, str]:
        """Open a setting, move α, and choose another strategy; return what the browser shows then."""
        self.run({"strategy": FIRST}, {})
        sliders = {"structural_alpha": 0.9, "structural_percentile": 80.0}
        self.run({"strategy": FIRST}, {"strategy": "structural", **sliders, **self.number})
        assert self.strategy == MOVED
        self.run({"strategy": MOVED}, {"strategy": "changepoint", **sliders, **self.number})
        assert self.strategy == "changepoint"
        return {"strategy": "changepoint", **self.number}


@pytest.fixture(scope="module")
def looks() -> int:
    """The number of looks of a run that nothing stops."""
    with pytest.MonkeyPatch.context() as patch:
        visit = Session(patch)
        visit.open_and_choose()
        return visit.run({"strategy": FIRST, "back": "1"}, {}, back=True)


@pytest.mark.parametrize("answered", [False, True], ids=["before the answer", "after the answer"])
def test_wherever_a_choice_stops_the_run_of_a_step_back_neither_is_lost(
    monkeypatch: pytest.MonkeyPatch, looks: int, answered: bool
) -> None:
    for last in range(1, looks + 1):
        visit = Session(monkeypatch)
        shown = visit.open_and_choose()
        visit.run({"strategy": FIRST, "back": "1"}, {}, back=True, last=last)
        # Without the mark the browser got the new address of a run that was stopped after it had written that.
        marked = {} if answered and visit.written == {"strategy": [FIRST]} else {"back": "1"}
        visit.run({"strategy": FIRST, **marked}, {**shown, "strategy": "percentile"})
        assert visit.strategy == "percentile", last
        visit.run({"strategy": "percentile"}, {"strategy": "structural", **visit.number})
        assert visit.strategy == FIRST, last


def test_wherever_another_message_stops_the_run_of_a_choice_it_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    for last in range(1, looks + 1):
        visit = Session(monkeypatch)
        shown = visit.open_and_choose()
        visit.run({"strategy": FIRST, "back": "1"}, {}, back=True)
        chosen = {**shown, "strategy": "percentile"}
        visit.run({"strategy": FIRST, "back": "1"}, chosen, last=last)
        visit.run({"strategy": FIRST, "back": "1"}, chosen)
        assert visit.strategy == "percentile", last
        assert visit.values["strategy"] == "percentile", last


def test_two_steps_back_and_a_move_at_once_lose_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    visit = Session(monkeypatch)
    shown = visit.open_and_choose()
    visit.run({"strategy": "changepoint"}, {**shown, "strategy": "percentile"})
    shown = {"strategy": "percentile", **visit.number}
    visit.run({"strategy": "changepoint", "back": "1"}, {}, back=True)
    visit.run({"strategy": MOVED, "back": "2"}, {}, back=True)
    visit.run({"strategy": MOVED, "back": "2"}, {**shown, "percentile_window": 2})  # before any answer
    assert visit.strategy == MOVED


def test_a_part_of_a_page_suffices_unless_another_page_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    visit = Session(monkeypatch)
    visit.open_and_choose()
    assert state.address().resume()
    state.go("pages/compare.py", {"lanes": "structural"})
    assert not state.address().resume()
