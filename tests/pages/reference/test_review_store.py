"""Judgements are stored for those who may judge, under their own names."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st

from chunking import loading
from chunking.reference.events import Event
from chunking.store import NewDocument
from chunking.store.identity import LOCAL, STRANGER, Identity
from pages.shared import identity
from pages.shared.reference import review_store
from pages.shared.storage import session_library

ADA = Identity("issuer|ada", "Ada", roles=frozenset(["reader", "reviewer"]))
RITA = Identity("issuer|rita", "Rita", roles=frozenset(["reader"]))
TEXT = loading.load(b"One sentence. Another one.", "two.txt", "en")
Be = Callable[[Identity], None]


@pytest.fixture
def be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Be]:
    """Changes who is logged in, with a database of the test's own."""
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "reviews.sqlite"))
    st.session_state.clear()
    yield lambda who: monkeypatch.setattr(identity, "current", lambda: who)
    st.session_state.clear()


def event(reviewer: str) -> Event:
    return Event(uuid.uuid4().hex, TEXT.text_hash, reviewer, "accept", 14)


def test_without_a_log_in_the_typed_name_is_stored(be: Be) -> None:
    be(LOCAL)
    kept = review_store.exchange(TEXT, [event("Ada")])
    assert [(each.reviewer, each.subject) for each in kept.events] == [("Ada", "")]


def test_a_judgement_carries_who_was_logged_in(be: Be) -> None:
    be(ADA)
    kept = review_store.exchange(TEXT, [event(review_store.own_name())])
    assert [(each.reviewer, each.subject) for each in kept.events] == [("Ada", "issuer|ada")]


@pytest.mark.parametrize("who", [RITA, STRANGER])
def test_who_may_not_judge_stores_nothing_whatever_her_browser_sends(be: Be, who: Identity) -> None:
    be(who)
    kept = review_store.exchange(TEXT, [event("Ada")])
    assert kept.events == () and kept.stored == ()
    assert kept.problem is not None and "requires" in kept.problem.problem


def test_nobody_judges_under_the_name_of_somebody_else(be: Be) -> None:
    be(ADA)
    review_store.exchange(TEXT, [event(review_store.own_name())])
    be(Identity("issuer|eve", "Ada", roles=ADA.roles))
    assert review_store.own_name() == "Ada (2)"
    kept = review_store.exchange(TEXT, [event("Ada"), event("Ada (2)")])
    found = [(each.reviewer, each.subject) for each in kept.events]
    assert found == [("Ada", "issuer|ada"), ("Ada (unverified)", ""), ("Ada (2)", "issuer|eve")]


def test_reviews_from_before_the_log_in_stay_and_belong_to_nobody_who_logs_in(be: Be) -> None:
    be(LOCAL)
    review_store.exchange(TEXT, [event("Ada")])
    be(ADA)
    assert review_store.own_name() == "Ada (2)"
    kept = review_store.exchange(TEXT, [event("Ada (2)")])
    assert [each.reviewer for each in kept.events] == ["Ada", "Ada (2)"]


def test_reviews_that_the_server_carries_over_stay_those_of_their_reviewers(be: Be) -> None:
    be(ADA)
    assert review_store.own_name() == "Ada"
    be(Identity("issuer|eve", "Eve", roles=ADA.roles))
    kept = review_store.exchange(TEXT, [event("Ada"), event("Bob")], carried=True)
    assert [(each.reviewer, each.subject) for each in kept.events] == [("Ada", "issuer|ada"), ("Bob (unverified)", "")]


def test_reviews_of_a_text_that_one_may_not_read_are_not_offered(be: Be, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "login", lambda: object())
    with monkeypatch.context() as patch:
        patch.setenv("CHUNKSCOPE_LIBRARY", "memory://offered")
        be(ADA)
        review_store.exchange(TEXT, [event(review_store.own_name())])
        session_library.library().add(NewDocument(b"One sentence. Another one.", TEXT))
        eve = Identity("issuer|eve", "Eve", roles=ADA.roles)
        assert review_store.may_read(TEXT.text_hash) and len(review_store.events_of(TEXT.text_hash)) == 1
        be(eve)
        assert not review_store.may_read(TEXT.text_hash) and review_store.events_of(TEXT.text_hash) == []
        entry = session_library.library().add(NewDocument(b"One sentence. Another one.", TEXT))
        assert review_store.may_read(TEXT.text_hash)
        assert review_store.events_of(TEXT.text_hash) == [], "she has judged nothing yet"
        review_store.exchange(TEXT, [event(review_store.own_name())])
        assert len(review_store.events_of(TEXT.text_hash)) == 2
        session_library.library().delete(entry.id)
        assert review_store.events_of(TEXT.text_hash) == [], "she has the text no more"
        be(STRANGER)
        assert not review_store.may_read(TEXT.text_hash)


def test_a_decision_under_another_name_decides_nothing(be: Be) -> None:
    be(ADA)
    kept = review_store.exchange(TEXT, [replace(event("Bob"), decides=True)])
    assert [(each.reviewer, each.decides) for each in kept.events] == [("Bob (unverified)", False)]
