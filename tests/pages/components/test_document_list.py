"""What the list of documents sends to a browser, and what it believes of its answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from chunking.errors import ChunkscopeError
from pages.shared.components import document_list as module
from pages.shared.components.document_list import ListEvent, Row, _message, document_list, list_event
from tests.pages.components.test_wire import unpack


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", kept)
    return kept


def row(key: str = "a", **more: Any) -> Row:
    values: dict[str, Any] = {
        "title": "<b>a</b>.pdf",
        "about": "PDF, 3 pages · en",
        "state": "done",
        "sentences": 5,
        "chunks": 2,
        "boundaries": 1,
        "tokens": (20, 30, 40),
        "score": np.array([0.1, 1 / 3, 0.9, 0.2]),
        "threshold": 1 / 3,
        "cuts": np.array([2]),
        "gold": np.array([1, 2]),
        "sizes": np.array([40, 20]),
        "f1": 2 / 3,
    }
    return Row(key, **values | more)


def message(rows: list[Row], chosen: str | None = None, limit: int | None = 256) -> tuple[dict[str, Any], list[Any]]:
    head, body = unpack(_message("list", rows, chosen, limit, "640px"))
    return {**head, "limit": body["limit"], "height": body["height"]}, [unpack(sent.tobytes()) for sent in body["rows"]]


def test_a_row_travels_with_all_that_is_shown() -> None:
    own = row()
    frame, [(head, body)] = message([own], chosen="a")
    assert (frame["list"], frame["chosen"], frame["limit"], frame["height"]) == ("list", "a", 256, "640px")
    assert head["key"] == "a"
    for name in ("title", "about", "state", "problem", "sentences", "chunks", "boundaries", "f1"):
        assert body[name] == getattr(own, name)
    assert body["tokens"] == [20, 30, 40]
    assert np.allclose(body["score"], own.score)
    assert body["exceeds"].tolist() == [0, 0, 1, 0], "a third does not exceed a third"
    assert [body[name].tolist() for name in ("cuts", "gold", "sizes")] == [[2], [1, 2], [40, 20]]


def test_a_row_that_waits_or_failed_needs_no_numbers() -> None:
    _, [(_, waiting), (_, failed)] = message(
        [Row("w", "w.md", "", "waiting"), Row("f", "\udcff.md", "", "failed", "It is encrypted.")]
    )
    assert (waiting["state"], waiting["threshold"], waiting["f1"], len(waiting["score"])) == ("waiting", None, None, 0)
    assert (failed["title"], failed["problem"]) == ("\udcff.md", "It is encrypted.")


def content(own: Row) -> str:
    _, [(head, _)] = message([own])
    return str(head["content"])


def test_rows_that_were_made_alike_have_one_content() -> None:
    assert content(row()) == content(row("another key"))
    _, [(first, _), (second, _)] = message([row("a"), row("b", f1=0.5)])
    assert first["content"] == content(row()) and second["content"] == content(row(f1=0.5))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "b.pdf"),
        ("about", ""),
        ("state", "failed"),
        ("problem", "2 pages hold no text"),
        ("boundaries", 2),
        ("tokens", (20, 31, 40)),
        ("score", np.array([0.1, 1 / 3, 0.8, 0.2])),
        ("threshold", 0.34),
        ("cuts", np.array([1])),
        ("gold", np.array([1])),
        ("sizes", np.array([20, 40])),
        ("f1", None),
    ],
)
def test_whatever_changes_in_a_row_changes_its_content(name: str, value: object) -> None:
    assert content(row()) != content(row("a", **{name: value}))


def test_the_content_of_the_list_is_that_of_its_rows_and_its_limit_not_of_the_choice() -> None:
    plain = message([row("a"), row("b")])[0]["content"]
    assert message([row("a"), row("b")], chosen="b")[0]["content"] == plain
    assert message([row("b"), row("a")])[0]["content"] != plain
    assert message([row("a"), row("b")], limit=None)[0]["content"] != plain
    assert message([row("a")])[0]["content"] != plain


@pytest.mark.parametrize("name", ["threshold", "f1"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_is_none_travels_as_none(name: str, value: float) -> None:
    _, [(_, body)] = message([row("a", **{name: value})])
    assert body[name] is None


@given(some.integers(2, 40), some.data())
def test_arrays_of_any_length_arrive(sentences: int, data: some.DataObject) -> None:
    score = np.array(data.draw(some.lists(some.floats(0, 1), min_size=sentences - 1, max_size=sentences - 1)))
    cuts = np.array(sorted(data.draw(some.sets(some.integers(0, sentences - 2)))), dtype=np.int64)
    sizes = np.arange(len(cuts) + 1) + 1
    own = row(sentences=sentences, score=score, cuts=cuts, gold=cuts, chunks=len(sizes), sizes=sizes)
    _, [(_, first), (_, second)] = message([own, row("b")])
    assert np.allclose(first["score"], score) and first["cuts"].tolist() == cuts.tolist()
    assert first["sizes"].tolist() == sizes.tolist()
    assert second["sizes"].tolist() == [40, 20]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"state": "ready"}, "ready"),
        ({"sentences": 6}, "score"),
        ({"chunks": 3}, "sizes"),
        ({"cuts": np.array([4])}, "cuts"),
        ({"gold": np.array([-1])}, "gold"),
        ({"score": np.array([])}, "cuts"),
    ],
)
def test_what_contradicts_itself_is_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ChunkscopeError, match=says):
        row(**wrong)


def test_numbers_may_come_without_their_arrays() -> None:
    assert row(score=np.array([]), cuts=np.array([], int), gold=np.array([], int), sizes=np.array([])).chunks == 2


def test_two_rows_of_one_key_are_refused(state: dict[str, Any]) -> None:
    with pytest.raises(ChunkscopeError, match="same key"):
        document_list("list", [row("a"), row("a")])


@pytest.fixture
def mounted(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the component was mounted with."""
    given: dict[str, Any] = {}
    monkeypatch.setattr(module, "_list", lambda **more: given.update(more))
    return given


def test_the_list_answers_with_a_document_that_it_has(state: dict[str, Any], mounted: dict[str, Any]) -> None:
    assert document_list("list", [row("a"), row("b")]) == ListEvent()
    state["list"] = {"chosen": "b"}
    assert document_list("list", [row("a"), row("b")]) == ListEvent("b")
    assert document_list("list", [row("a")]) == ListEvent()
    assert mounted["key"] == "list" and callable(mounted["on_chosen_change"])


def test_who_wants_to_know_is_called(state: dict[str, Any], mounted: dict[str, Any]) -> None:
    calls: list[int] = []
    document_list("list", [row()], on_event=lambda: calls.append(1))
    mounted["on_chosen_change"]()
    assert calls == [1]


def test_nothing_was_chosen(state: dict[str, Any]) -> None:
    assert list_event("list") == ListEvent()
    state["list"] = {"chosen": None}
    assert list_event("list") == ListEvent()


@pytest.mark.parametrize("chosen", [7, True, ["a"], {"key": "a"}])
def test_a_key_that_is_none_is_not_one(state: dict[str, Any], chosen: object) -> None:
    state["list"] = {"chosen": chosen}
    assert list_event("list") == ListEvent()
