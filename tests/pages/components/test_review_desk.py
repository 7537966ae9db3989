"""What the desk of a reviewer sends to a browser, and what it believes of its answers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from chunking.errors import ChunkscopeError
from chunking.reference.events import NAME_LIMIT, NOTE_LIMIT
from pages.shared.components import review_desk as module
from pages.shared.components.review_desk import (
    BATCH,
    Candidate,
    Desk,
    ReviewDeskBody,
    Sent,
    is_next_requested,
    named,
    review_desk,
    sent,
)
from tests.pages.components.test_wire import unpack

TEXT, LENGTH = "h" * 64, 500
TOKEN = "0123456789abcdef" * 2


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", kept)
    return kept


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    found: list[bytes] = []
    monkeypatch.setattr(module, "_desk", lambda **given: found.append(given["data"]))
    return found


def drawn(messages: list[bytes], **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    values: dict[str, Any] = {
        "reviewer": "Ana",
        "candidates": [Candidate(30, "0.9 > 0.5", "both"), Candidate(10)],
        "places": np.array([10, 20, 30]),
    }
    values |= more
    content = {each.name: values.pop(each.name) for each in fields(ReviewDeskBody) if each.name in values}
    review_desk("desk", Desk("doc", TEXT, **values, content=ReviewDeskBody(**content)))
    head, body = unpack(messages[-1])
    return head, body


def event(**more: Any) -> dict[str, Any]:
    values = {
        "token": TOKEN, "document": TEXT, "reviewer": "Ana", "action": "accept", "offset": 30, "target": None,
        "note": "", "undoes": "", "proposal_id": "bG90", "blind": False, "decides": False, "made": 1,
    }  # fmt: skip
    return values | more


def received(state: dict[str, Any], *events: Any, **more: Any) -> Sent:
    state["desk"] = {"sent": {"document": TEXT, "events": list(events), "attempt": 1} | more}
    return sent("desk", TEXT, LENGTH)


def test_a_desk_travels_with_all_that_is_shown(messages: list[bytes]) -> None:
    head, body = drawn(
        messages,
        events=[(TOKEN, "move", 10, 20, "n", "")],
        disputes=[
            {
                "offset": 30,
                "votes": [{"reviewer": "Ben", "says": "no boundary", "note": "<b>"}],
                "choices": [("Boundary", "accept", 30)],
                "decided": "majority",
                "judged": False,
            }
        ],
        stored=[TOKEN],
        problem=ChunkscopeError("It is locked.", "Wait."),
        at=10,
        address_key="1a2b",
        next="The other one",
    )
    assert (head["document"], head["text"], head["reviewer"], head["at"]) == ("doc", TEXT, "Ana", 10)
    assert (head["address_key"], body["next"]) == ("1a2b", "The other one")
    assert (head["stored"], head["problem"]) == ([TOKEN], ["It is locked.", "Wait."])
    assert [tuple(each.values()) for each in body["candidates"]] == [(30, "0.9 > 0.5", "both"), (10, "", "")]
    assert body["places"].tolist() == [10, 20, 30]
    assert body["events"] == [[TOKEN, "move", 10, 20, "n", ""]]
    assert body["disputes"][0]["votes"] == [{"reviewer": "Ben", "says": "no boundary", "note": "<b>"}]
    assert body["disputes"][0]["choices"] == [["Boundary", "accept", 30]]
    assert body["disputes"][0]["judged"] is False


def test_another_order_or_other_candidates_are_another_desk(messages: list[bytes]) -> None:
    same = drawn(messages)[0]["desk"]
    assert drawn(messages, stored=[TOKEN], at=10)[0]["desk"] == same
    assert drawn(messages, order="random")[0]["desk"] != same
    assert drawn(messages, candidates=[Candidate(10), Candidate(30)])[0]["desk"] != same
    assert drawn(messages, reviewer="Ben")[0]["desk"] != same


def test_a_blind_desk_is_given_no_reasons(messages: list[bytes]) -> None:
    _, body = drawn(messages, candidates=[Candidate(30), Candidate(10)], blind=True)
    assert body["blind"] and not any(each["why"] or each["driver"] for each in body["candidates"])
    for told in (Candidate(30, "0.9 > 0.5"), Candidate(30, "", "both")):
        with pytest.raises(ChunkscopeError, match="blind"):
            ReviewDeskBody(candidates=[told], blind=True)


def test_events_are_taken_as_they_were_made(state: dict[str, Any]) -> None:
    undo = event(token="f" * 32, action="undo", offset=0, undoes=TOKEN)
    move = event(token="e" * 32, action="move", target=40, note="so", blind=True, decides=True)
    found = received(state, event(), undo, move)
    assert [each.action for each in found.events] == ["accept", "undo", "move"]
    accept, _, moved = found.events
    assert (accept.token, accept.document, accept.reviewer, accept.offset) == (TOKEN, TEXT, "Ana", 30)
    assert accept.proposed == "bG90" and not accept.blind and not accept.decides
    assert (moved.target, moved.note, moved.blind, moved.decides) == (40, "so", True, True)
    assert found.events[1].undoes == TOKEN
    assert found.refused == ()


def test_a_declaration_concerns_no_place(state: dict[str, Any]) -> None:
    [found] = received(state, event(action="complete", offset=0)).events
    assert (found.action, found.offset) == ("complete", 0)


def test_an_event_that_an_older_page_kept_is_taken(state: dict[str, Any]) -> None:
    older = event() | {"lot": "b2xk"}
    del older["proposal_id"]
    assert received(state, older).events[0].proposed == "b2xk"


@pytest.mark.parametrize(("given", "wanted"), [(True, True), (None, False), ("yes", False), (1, False)])
def test_the_next_document_is_requested_by_a_click_alone(state: dict[str, Any], given: Any, wanted: bool) -> None:
    state["desk"] = {"next": given}
    assert is_next_requested("desk") is wanted


@pytest.mark.parametrize(
    "wrong",
    [
        {"action": "erase"}, {"action": None}, {"action": []}, {"offset": 0}, {"offset": LENGTH}, {"offset": -1},
        {"offset": True}, {"offset": "3"}, {"offset": 2.5}, {"action": "move"}, {"target": 40},
        {"action": "move", "target": LENGTH}, {"action": "undo"}, {"undoes": TOKEN},
        {"action": "undo", "undoes": "'; drop table"}, {"reviewer": ""}, {"reviewer": "  "}, {"reviewer": 3},
    ],
)  # fmt: skip
def test_what_can_never_be_stored_is_refused_with_its_token(state: dict[str, Any], wrong: dict[str, Any]) -> None:
    found = received(state, event(**wrong), event(token="d" * 32))
    assert [each.token for each in found.events] == ["d" * 32]
    [(token, why)] = found.refused
    assert token == TOKEN and why


def test_what_is_too_long_is_cut(state: dict[str, Any]) -> None:
    [found] = received(state, event(note="n" * 9999, reviewer="r" * 999)).events
    assert (len(found.note), len(found.reviewer)) == (NOTE_LIMIT, NAME_LIMIT)
    assert len(received(state, *(event(token=f"{number:032x}") for number in range(BATCH + 9))).events) == BATCH


@pytest.mark.parametrize("strange", [None, 3, "x", [], {"token": "short"}, {"token": TOKEN, "document": "other"}])
def test_what_has_no_token_or_is_of_another_document_is_left(state: dict[str, Any], strange: Any) -> None:
    assert received(state, strange) == Sent()


def test_what_was_sent_of_another_document_waits(state: dict[str, Any]) -> None:
    assert received(state, event(), document="other") == Sent()


json = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner),
    max_leaves=8,
)


@given(given=json, fields=some.dictionaries(some.sampled_from(sorted(event())), json))
def test_no_answer_of_a_browser_breaks_the_page(given: Any, fields: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        kept: dict[str, Any] = {}
        patch.setattr("streamlit.session_state", kept)
        for message in (given, {"document": TEXT, "events": given, "at": given}):
            kept["desk"] = {"sent": message, "name": given}
            sent("desk", TEXT, LENGTH)
            named("desk")
        found = received(kept, event(**fields))
        assert len(found.events) + len(found.refused) <= 1


@pytest.mark.parametrize(
    ("given", "taken"), [(" Ana  Li ", "Ana Li"), ("", None), ("  ", None), (3, None), (None, None)]
)
def test_a_name_is_taken_without_its_odd_spaces(state: dict[str, Any], given: Any, taken: str | None) -> None:
    state["desk"] = {"name": given}
    assert named("desk") == taken
