from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.retrieval.search import index
from chunking.retrieval.search.index import AT_ONCE, EXACT, ONE_BY_ONE, Choice, InvertedLists
from chunking.retrieval.search.ranking import DenseScorer, Rankings
from chunking.runtime.arrays import Float32

pytestmark = pytest.mark.skipif(not index.usable(), reason="FAISS is not here")


def unit(rows: npt.NDArray[np.floating]) -> Float32:
    """Normalised, of float16, as an encoder has them."""
    normalised = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    rounded: Float32 = normalised.astype(np.float16).astype(np.float32)
    return rounded


def heaped(seed: int, count: int, size: int = 24, heaps: int = 12) -> Float32:
    """Vectors around some centres, a few of them twice."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(heaps, size))
    made = unit(centres[random.integers(heaps, size=count)] + 0.5 * random.normal(size=(count, size)))
    twice = random.integers(count, size=count // 10)
    made[twice] = made[np.roll(twice, 1)]
    return made


def listed(hits: Rankings) -> list[tuple[list[int], list[float]]]:
    pairs = zip(hits.passages, hits.scores, strict=True)
    return [(places.tolist(), scores.tolist()) for places, scores in pairs]


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """All lists are looked through."""
    monkeypatch.setattr(index, "ENOUGH", {1: 2.0})


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("count", [1, 2, 3, 70, 900])
@pytest.mark.parametrize("depth", [1, 10, 100])
def test_looking_through_all_lists_is_an_exact_search(count: int, depth: int) -> None:
    passages, asked = heaped(3, count), heaped(5, 20)
    lists = InvertedLists(passages, asked, depth)
    assert lists.searched.probed == lists.searched.lists
    assert {share for _, share in lists.searched.recall} <= {1.0}
    assert listed(lists.search(asked)) == listed(DenseScorer(asked, passages).search(depth))


@pytest.mark.usefixtures("everything")
@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=400), st.integers(1, 40))
def test_equal_passages_keep_the_order_of_the_corpus(kinds: list[int], depth: int) -> None:
    # Far more passages are equal than the index is asked for beside those that are wanted.
    passages, asked = unit(np.eye(4, 8) + 0.25)[kinds], unit(np.eye(2, 8) + 0.1)
    assert listed(InvertedLists(passages, asked, depth).search(asked)) == listed(
        DenseScorer(asked, passages).search(depth)
    )


def test_scores_are_true_and_in_order_whatever_is_found() -> None:
    passages, asked = heaped(1, 3000), heaped(2, 30)
    hits = InvertedLists(passages, asked, 200).search(asked)
    for vector, places, scores in zip(asked, hits.passages, hits.scores, strict=True):
        exact = (passages[places].astype(np.float64) @ vector.astype(np.float64)).astype(np.float32)
        assert scores.tolist() == exact.tolist()
        assert sorted(zip((-scores).tolist(), places.tolist(), strict=True)) == list(
            zip((-scores).tolist(), places.tolist(), strict=True)
        )


def test_what_is_told_of_its_recall_is_so() -> None:
    passages, asked = heaped(1, 3000), heaped(2, 60)
    lists = InvertedLists(passages, asked, 200)
    exact, found = DenseScorer(asked, passages).search(200), lists.search(asked)
    told = dict(lists.searched.recall)
    assert list(told) == [10, 100, 200]
    for depth, share in told.items():
        shares = [
            len(set(true[:depth].tolist()) & set(places.tolist())) / depth
            for true, places in zip(exact.passages, found.passages, strict=True)
        ]
        assert share == pytest.approx(np.mean(shares), abs=0.01)  # of equal passages, any counts
    assert told[10] >= index.ENOUGH[10] and told[100] >= index.ENOUGH[100]
    assert 0 < lists.searched.probed < lists.searched.lists
    assert lists.searched.as_dict()["recall_of_exact@10"] == round(told[10], 6)
    assert f"{100 * told[10]:.1f} % of the best 10" in lists.searched.text


@contextmanager
def threads(count: int) -> Iterator[None]:
    faiss = import_module("faiss")
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(count)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def test_the_same_vectors_give_the_same_ranking_with_any_number_of_threads_and_questions() -> None:
    passages, asked = heaped(1, 4000), heaped(2, 40)
    with threads(1):
        first = InvertedLists(passages, asked, 300)
        together = listed(first.search(asked))
    with threads(4):
        again = InvertedLists(passages.copy(), asked, 300)
        assert again.searched == first.searched
        assert listed(again.search(asked)) == together
        assert [listed(again.search(asked[at : at + 1]))[0] for at in range(len(asked))] == together
        assert import_module("faiss").omp_get_max_threads() == 4


def test_without_questions_its_own_passages_are_asked() -> None:
    lists = InvertedLists(heaped(1, 2000), None, 50)
    assert (lists.searched.checked, lists.searched.own) == (index.CHECKED, True)
    assert lists.searched.as_dict()["checked_on"] == "passages"


def test_whoever_is_told_can_stop_it() -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        InvertedLists(heaped(1, 50), None, 5, stop)


@pytest.mark.parametrize(("passages", "asked"), [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("use", [False, True])
def test_of_nothing_there_is_no_index(passages: int, asked: int, use: bool) -> None:
    hits, searched = index.search(heaped(1, 3)[:asked], heaped(2, 3)[:passages], 10, use)
    assert [len(each) for each in hits.passages] == [passages] * asked
    assert searched == EXACT
    assert searched.as_dict() == {"dense": "exact"}


@pytest.mark.parametrize(
    ("choice", "passages", "questions", "indexed"),
    [
        ("auto", AT_ONCE.passages, AT_ONCE.questions, True),
        ("auto", AT_ONCE.passages - 1, AT_ONCE.questions, False),
        ("auto", AT_ONCE.passages, AT_ONCE.questions - 1, False),
        ("auto", ONE_BY_ONE.passages, None, True),
        ("auto", ONE_BY_ONE.passages - 1, None, False),
        ("exact", 10**9, 10**9, False),
        ("faiss", 1, 1, True),
    ],
)
def test_when_it_is_used(choice: Choice, passages: int, questions: int | None, indexed: bool) -> None:
    assert index.uses_index(choice, passages, questions) is indexed


@pytest.mark.parametrize("missing", ["package", "system"])
def test_where_faiss_cannot_be_used(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing == "package":
        monkeypatch.setattr(index, "find_spec", lambda name: None)
    else:
        monkeypatch.setattr(sys, "platform", "darwin")
    assert not index.uses_index("auto", 10**9, 10**9)
    assert not index.uses_index("exact", 10**9, 10**9)
    with pytest.raises(ChunkscopeError, match="FAISS") as caught:
        index.uses_index("faiss", 1, 1)
    assert "xact" in caught.value.remedy
    with pytest.raises(ChunkscopeError, match="FAISS"):
        InvertedLists(heaped(1, 5), None, 5)
