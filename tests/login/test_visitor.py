"""What a server knows of a browser: whose turn it is in a queue, and the address that it logged in from."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from chunking.store.identity import LOCAL, STRANGER, Identity
from pages.shared.identity import visitor
from tests.login.visitors import XSRF

RITA = Identity("issuer|rita", "Rita")
ONE, OTHER = b"a browser, 16 by", b"another, 16 byte"


def cookies(browser: bytes) -> dict[str, str]:
    """The cookies of a browser, as each response writes them anew."""
    return {XSRF: generate_xsrf_token_string(browser)}


def person(monkeypatch: pytest.MonkeyPatch, identity: Identity, sent: dict[str, str]) -> str:
    monkeypatch.setattr(visitor, "current", lambda: identity)
    monkeypatch.setattr(visitor, "st", SimpleNamespace(context=SimpleNamespace(cookies=sent)))
    return visitor.person()


@pytest.mark.parametrize("identity", [LOCAL, STRANGER])
def test_without_a_log_in_a_turn_is_that_of_a_browser(monkeypatch: pytest.MonkeyPatch, identity: Identity) -> None:
    first, again = cookies(ONE), cookies(ONE)
    assert first != again
    turns = [person(monkeypatch, identity, sent) for sent in (first, again, cookies(OTHER))]
    assert turns[0] == turns[1] != turns[2]
    assert not any(ONE.hex() in turn for turn in turns), "who reads it could send a request in its name"
    assert person(monkeypatch, identity, {}) == identity.subject


def test_with_a_log_in_a_turn_is_that_of_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {person(monkeypatch, RITA, cookies(browser)) for browser in (ONE, OTHER)} == {RITA.subject}


def test_the_address_of_before_a_log_in_is_known_to_this_process_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str | None] = []
    browser = SimpleNamespace(context=SimpleNamespace(cookies=cookies(ONE)), login=sent.append)
    monkeypatch.setattr(visitor, "st", browser)
    visitor.log_in("mock", "/compare?doc=a")
    assert sent == ["mock"]
    assert visitor.return_address(cookies(OTHER)) == ""
    assert visitor.return_address(cookies(ONE)) == "/compare?doc=a"
    assert visitor.return_address(cookies(ONE)) == "", "then the first page opens"
