"""A control keeps what the user did last, however late messages are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pages.shared.state.controls_shown import ControlsShown


def test_a_value_that_the_server_never_sent_is_a_move_of_the_user() -> None:
    shown = ControlsShown()
    assert shown.mount("alpha", 0.4).send
    settled = shown.settle("alpha", 0.4, 0.7)
    assert (settled.value, settled.moved, settled.send) == (0.7, True, False)


def test_an_older_value_that_comes_back_changes_nothing() -> None:
    shown = ControlsShown()
    shown.mount("alpha", 0.4)
    sent = shown.settle("alpha", 0.05, 0.4)  # a preset, of which the browser does not know yet
    assert (sent.value, sent.moved, sent.send) == (0.05, False, True)
    again = shown.settle("alpha", 0.05, 0.4)
    assert (again.value, again.moved) == (0.05, False)
    assert not shown.settle("alpha", 0.05, 0.05).send
    assert shown.settle("alpha", 0.05, 0.4).moved, "the browser had shown the preset, so this is the user"


def test_a_move_while_a_value_is_on_its_way_is_sent_behind_it() -> None:
    shown = ControlsShown()
    shown.mount("alpha", 0.4)
    shown.settle("alpha", 0.05, 0.4)
    moved = shown.settle("alpha", 0.05, 0.7)
    assert (moved.value, moved.moved, moved.send) == (0.7, True, True)
    assert shown.settle("alpha", 0.7, 0.05).value == 0.7, "the older value arrived in the browser and comes back"


def test_a_value_that_was_shown_before_can_be_chosen_once_the_browser_reports_the_address() -> None:
    shown = ControlsShown()
    shown.mount("strategy", "changepoint")
    shown.settle("strategy", "structural", "changepoint")  # the user went back
    shown.wrote()
    moved = shown.settle("strategy", "structural", "percentile")  # and chose at once
    assert (moved.value, moved.send) == ("percentile", True)
    shown.confirm()
    assert shown.settle("strategy", "percentile", "structural").value == "percentile", "not yet: sent after the address"
    shown.wrote()
    shown.confirm()
    assert shown.settle("strategy", "percentile", "structural").moved


def test_a_value_that_is_not_allowed_is_replaced() -> None:
    shown = ControlsShown()
    shown.mount("choice", "one")
    settled = shown.settle("choice", "one", None)
    assert (settled.value, settled.moved, settled.send) == ("one", False, True)


Steps = st.lists(
    st.one_of(
        st.tuples(st.just("move"), st.integers()),  # the user moves the control
        st.tuples(st.just("set"), st.integers()),  # the server sets it: a preset, a link
        st.tuples(st.just("report"), st.just(0)),  # a message reaches the server
        st.tuples(st.just("arrive"), st.just(0)),  # what the server sent reaches the browser
    ),
    max_size=40,
)


@given(Steps)
def test_server_and_browser_agree_once_all_messages_have_arrived(steps: list[tuple[str, int]]) -> None:
    shown, value, browser = ControlsShown(), 0, 0
    reports: list[int] = []
    under_way: list[int] = []
    shown.mount("key", value)

    def report() -> None:
        nonlocal value
        settled = shown.settle("key", value, reports.pop(0))
        value = settled.value
        if settled.send:
            under_way.append(value)

    def arrive() -> None:
        nonlocal browser
        browser = under_way.pop(0)

    fresh = 1
    for kind, _ in steps:
        if kind == "move":
            browser, fresh = fresh, fresh + 1
            reports.append(browser)
        elif kind == "set":
            value, fresh = fresh, fresh + 1
            reports.append(browser)  # the browser reports with the click that sets it
        elif kind == "report" and reports:
            report()
        elif kind == "arrive" and under_way:
            arrive()
    for _ in range(6):  # further interactions, one at a time
        while reports:
            report()
        while under_way:
            arrive()
        reports.append(browser)
    report()
    assert browser == value


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.data())
def test_no_move_of_the_user_is_lost_however_late_its_report(moves: list[int], data: st.DataObject) -> None:
    """Without a value of the server's on its way, the last report is what the control shows, skipped ones or not."""
    shown, value = ControlsShown(), moves[0]
    shown.mount("key", value)
    for move in moves[1:]:
        if data.draw(st.booleans()):  # else the run was stopped before it reached the control
            value = shown.settle("key", value, move).value
            assert value == move
    assert shown.settle("key", value, moves[-1]).value == moves[-1]
