"""A control keeps what the user did last, however late messages are."""

from __future__ import annotations

from typing import Literal, TypeVar

from hypothesis import given
from hypothesis import strategies as st

from pages.shared.state.echo_filter import EchoFilter, Received

T = TypeVar("T")


def settle(shown: EchoFilter, key: str, value: T, reported: T | None) -> Received[T]:
    """Settle a control in a run that is not stopped before it has recorded it."""
    settled = shown.receive(key, value, reported)
    shown.record(key, settled)
    return settled


def test_a_value_that_the_server_never_sent_is_a_move_of_the_user() -> None:
    shown = EchoFilter()
    shown.first_shown("alpha", 0.4)
    settled = settle(shown, "alpha", 0.4, 0.7)
    assert (settled.value, settled.moved, settled.send) == (0.7, True, False)


def test_an_older_value_that_comes_back_changes_nothing() -> None:
    shown = EchoFilter()
    shown.first_shown("alpha", 0.4)
    sent = settle(shown, "alpha", 0.05, 0.4)  # a preset, of which the browser does not know yet
    assert (sent.value, sent.moved, sent.send) == (0.05, False, True)
    again = settle(shown, "alpha", 0.05, 0.4)
    assert (again.value, again.moved) == (0.05, False)
    assert not settle(shown, "alpha", 0.05, 0.05).send
    assert settle(shown, "alpha", 0.05, 0.4).moved, "the browser had shown the preset, so this is the user"


def test_a_move_while_a_value_is_on_its_way_is_sent_behind_it() -> None:
    shown = EchoFilter()
    shown.first_shown("alpha", 0.4)
    settle(shown, "alpha", 0.05, 0.4)
    moved = settle(shown, "alpha", 0.05, 0.7)
    assert (moved.value, moved.moved, moved.send) == (0.7, True, True)
    assert settle(shown, "alpha", 0.7, 0.05).value == 0.7, "the older value arrived in the browser and comes back"


def test_a_number_confirms_only_what_was_sent_before_it() -> None:
    shown = EchoFilter()
    number = shown.send()
    assert not shown.is_shown(number)
    shown.confirm(number)
    assert shown.is_shown(number)
    assert not shown.is_shown(shown.send())


def test_a_value_that_is_not_allowed_is_replaced() -> None:
    shown = EchoFilter()
    shown.first_shown("choice", "one")
    settled = settle(shown, "choice", "one", None)
    assert (settled.value, settled.moved, settled.send) == ("one", False, True)


class Line:
    """A control in a server and in a browser, with the messages between them, which keep their order but come late."""

    def __init__(self) -> None:
        self.shown = EchoFilter()
        self.value = self.browser = 0
        self.number = 0  # that the browser shows
        self.reports: list[tuple[int, int]] = []
        self.under_way: list[tuple[str, int]] = []
        self.shown.first_shown("key", 0)

    def move(self, value: int) -> None:
        """The user moves the control."""
        self.browser = value
        self.reports.append((value, self.number))

    def preset(self, value: int) -> None:
        """The server sets the control, and the browser reports with the click that asks for it."""
        self.value = value
        self.reports.append((self.browser, self.number))

    def read(self, until: Literal["decided", "recorded", "drawn", "complete"] = "complete") -> None:
        """A report reaches the server, which draws the control and then the number, unless the run is stopped."""
        reported, number = self.reports.pop(0)
        self.shown.confirm(number)
        settled = self.shown.receive("key", self.value, reported)
        if until == "decided":
            return
        self.shown.record("key", settled)
        self.value = settled.value
        if until == "recorded":
            return
        if settled.send:
            self.under_way.append(("value", self.value))
        if until == "complete":
            self.under_way.append(("number", self.shown.number))

    def arrive(self) -> None:
        """A message reaches the browser."""
        kind, what = self.under_way.pop(0)
        if kind == "value":
            self.browser = what
        else:
            self.number = what

    def rest(self) -> None:
        """All messages arrive, and further interactions report what the browser shows."""
        for _ in range(6):
            while self.reports:
                self.read()
            while self.under_way:
                self.arrive()
            self.reports.append((self.browser, self.number))
        self.read()


STOPPED = ("decided", "recorded", "drawn")
Steps = st.lists(
    st.tuples(st.sampled_from(("move", "preset", "read", "arrive", *STOPPED)), st.integers(0, 3)), max_size=40
)


def act(line: Line, steps: list[tuple[str, int]]) -> None:
    for kind, value in steps:
        if kind == "move":
            line.move(value)
        elif kind == "preset":
            line.preset(value)
        elif kind == "read" and line.reports:
            line.read()
        elif kind == "arrive" and line.under_way:
            line.arrive()
        elif kind in STOPPED and len(line.reports) > 1:  # by the next report
            line.read(kind)  # type: ignore[arg-type]


@given(Steps, st.integers(0, 3))
def test_server_and_browser_agree_once_all_messages_have_arrived(steps: list[tuple[str, int]], last: int) -> None:
    line = Line()
    act(line, steps)
    line.rest()
    assert line.browser == line.value
    line.move(last)  # also to a value that was there before
    line.rest()
    assert line.value == line.browser == last


@given(Steps, st.integers(0, 3))
def test_the_browser_shows_the_value_of_the_server_after_the_last_message(
    steps: list[tuple[str, int]], last: int
) -> None:
    line = Line()
    act(line, steps)
    line.move(last)
    while line.reports:
        line.read()
    while line.under_way:
        line.arrive()
    assert line.browser == line.value


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.data())
def test_no_move_of_the_user_is_lost_however_late_its_report(moves: list[int], data: st.DataObject) -> None:
    """Without a value of the server's on its way, the last report is what the control shows, skipped ones or not."""
    shown, value = EchoFilter(), moves[0]
    shown.first_shown("key", value)
    for move in moves[1:]:
        if data.draw(st.booleans()):  # else the run was stopped before it reached the control
            value = settle(shown, "key", value, move).value
            assert value == move
    assert settle(shown, "key", value, moves[-1]).value == moves[-1]
