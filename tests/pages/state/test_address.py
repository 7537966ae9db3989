"""A control is told its value again where a run that built it may not have reached the browser."""

from __future__ import annotations

from typing import Any

import pytest

from pages.shared.state import address, session


class Widgets:
    """What stands for Streamlit's values of widgets; it notes which were set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.values: dict[str, Any] = {}
        self.set: list[str] = []
        monkeypatch.setattr(session, "has_widget", self.values.__contains__)
        monkeypatch.setattr(session, "widget_value", lambda key, default=None: self.values.get(key, default))
        monkeypatch.setattr(session, "set_widget", self.put)

    def put(self, key: str, value: object) -> None:
        self.values[key] = value
        self.set.append(key)


@pytest.fixture
def widgets(monkeypatch: pytest.MonkeyPatch) -> Widgets:
    return Widgets(monkeypatch)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr("time.monotonic", found)
    return found


def run(shown: address.Address, widgets: Widgets, *, finished: bool = True, key: str = "name") -> list[str]:
    """One run of a page with one control; the controls that it tells their value."""
    widgets.set.clear()
    shown.arrive("pages/review.py", {})
    shown.settle(key, "Lea", lambda value: str(value))
    if finished:
        shown.finish()
    return list(widgets.set)


def test_a_control_that_the_browser_has_received_is_told_once(widgets: Widgets, clock: Clock) -> None:
    shown = address.Address()
    assert run(shown, widgets) == ["name"]
    clock.now += 1
    assert run(shown, widgets) == run(shown, widgets) == []


def test_a_control_of_a_run_that_was_broken_off_is_told_again(widgets: Widgets, clock: Clock) -> None:
    shown = address.Address()
    assert run(shown, widgets, finished=False) == ["name"]
    clock.now += 1
    assert run(shown, widgets, finished=False) == ["name"]
    clock.now += 1
    assert run(shown, widgets) == ["name"]
    clock.now += 1
    assert run(shown, widgets, finished=False) == run(shown, widgets) == []


def test_a_control_of_a_run_that_has_only_just_ended_is_told_again(widgets: Widgets, clock: Clock) -> None:
    shown = address.Address()
    assert run(shown, widgets) == ["name"]
    assert run(shown, widgets) == ["name"]
    clock.now += 1
    assert run(shown, widgets) == []


def test_what_the_user_has_moved_meanwhile_is_kept(widgets: Widgets, clock: Clock) -> None:
    shown = address.Address()
    run(shown, widgets, finished=False)
    widgets.values["name"] = "Max"
    widgets.set.clear()
    shown.arrive("pages/review.py", {})
    assert shown.settle("name", "Lea", lambda value: str(value)) == ("Max", True)
    assert not widgets.set, "a value on its way would replace what the user does next"
