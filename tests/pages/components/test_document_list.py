"""What the list of documents sends to a browser, and what it believes of its answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from chunking.errors import ChunkscopeError
from pages.shared.components.document_list import Row, _message, chosen_document, document_list
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
    assert body["score"][1] == np.float32(body["threshold"]), "a third does not exceed a third"
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


@pytest.mark.parametrize("change", [{"title": "b.pdf"}, {"threshold": 0.34}, {"cuts": np.array([1])}, {"f1": None}])
def test_whatever_changes_in_a_row_changes_its_content_alone(change: dict[str, Any]) -> None:
    assert content(row()) == content(row()) != content(row("a", **change))
    _, [(first, _), (second, _)] = message([row("a"), row("b", **change)])
    assert first["content"] == content(row()) and second["content"] == content(row("b", **change))


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


def test_two_rows_of_one_key_are_refused(state: dict[str, Any]) -> None:
    with pytest.raises(ChunkscopeError, match="same key"):
        document_list("list", [row("a"), row("a")])


@pytest.mark.parametrize(("given", "chosen"), [("b", "b"), (None, None), (7, None), (["a"], None)])
def test_only_a_text_is_the_key_of_a_document(state: dict[str, Any], given: object, chosen: str | None) -> None:
    assert chosen_document("list") is None
    state["list"] = {"chosen": given}
    assert chosen_document("list") == chosen
