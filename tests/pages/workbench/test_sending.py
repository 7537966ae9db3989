"""The data of a workbench are sent with the page, and not again by a part of it that runs by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pages.shared import state
from pages.shared.state import session
from pages.shared.workbench import workbench


class Browser:
    """What is sent to a browser, and whether the last of it has arrived."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.number = 0
        self.arrived = 0
        self.is_part = False

    def begin_message(self) -> int:
        self.number += 1
        return self.number

    def has_arrived(self, number: int) -> bool:
        return number <= self.arrived


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    made, held = Browser(), dict[str, Any]()

    def send(messages: Sequence[bytes]) -> None:
        made.sent = list(messages)

    monkeypatch.setattr("pages.shared.state.session.st.session_state", held)
    monkeypatch.setattr(workbench, "send_data", send)
    monkeypatch.setattr(session, "is_part_run", lambda: made.is_part)
    monkeypatch.setattr(state, "address", lambda: made)
    return made


def test_a_part_sends_only_what_the_page_has_not_sent(browser: Browser) -> None:
    workbench.send({"document": b"d", "lane": b"l"})
    assert browser.sent == [b"d", b"l"]
    browser.arrived, browser.is_part = browser.number, True
    workbench.send({"document": b"d", "lane": b"l", "page": b"p"})
    assert browser.sent == [b"p"]
    workbench.send({"document": b"d", "other lane": b"o"})
    assert browser.sent == [b"o"]
    browser.is_part = False
    workbench.send({"document": b"d"})
    assert browser.sent == [b"d"]


def test_what_may_not_have_arrived_is_sent_again(browser: Browser) -> None:
    workbench.send({"document": b"d"})
    browser.is_part = True
    workbench.send({"document": b"d"})
    assert browser.sent == [b"d"]
