"""The agreement of reviewers: against scikit-learn, segeval's values, and by counting."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunking import ChunkscopeError
from chunking.reference.state import Judgement, Review, Verdict
from chunking.review import agreement as of_people
from chunking.review.agreement import agreement_of, ceiling, cohen, fleiss
from chunking.runtime.arrays import Int64
from chunking.sentences import from_units, gap_offsets
from tests import shared_data
from tests.comparison.made import measure_pair

FOLDER = (Path(__file__).resolve().parents[2] / "../shared/data/segmentation/stargazers").resolve()


def judged(verdicts: dict[int, Verdict], complete: bool = False) -> Review:
    judgements = {offset: Judgement(offset, verdict) for offset, verdict in verdicts.items()}
    return Review("Ada", "d", judgements, complete=complete)


votes = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


@given(votes)
def test_cohens_kappa_is_that_of_scikit_learn(pairs: list[tuple[bool, bool]]) -> None:
    cohen_kappa_score = importlib.import_module("sklearn.metrics").cohen_kappa_score
    left, right = zip(*pairs, strict=True)
    found = cohen(pairs)
    if {*left, *right} in ({True}, {False}):
        assert found.value is None and found.why
        return
    assert found.value == pytest.approx(cohen_kappa_score(left, right))
    if len(pairs) > 1:
        assert found.interval is not None and -1 <= found.interval[0] <= found.interval[1] <= 1


def test_fleiss_kappa_is_that_of_a_table_by_hand() -> None:
    # Three people, four places: 3, 2, 1 and 0 of them say yes.
    people = [
        dict(enumerate(row))
        for row in ([True, True, True, False], [True, True, False, False], [True, False, False, False])
    ]
    observed = np.mean([1, 1 / 3, 1 / 3, 1])
    found = fleiss(people)
    assert found.value == pytest.approx((observed - 0.5) / 0.5)
    assert found.places == 4
    assert fleiss([*people, {9: True}]) == found  # judged by one alone


@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=2, max_size=5))
def test_fleiss_kappa_without_gaps_is_the_classical_one(rows: list[list[bool]]) -> None:
    yes = np.array(rows).sum(axis=0)
    n = len(rows)
    share = yes.mean() / n
    assume(0 < share < 1)
    observed = ((yes * (yes - 1) + (n - yes) * (n - yes - 1)) / (n * (n - 1))).mean()
    by_chance = share**2 + (1 - share) ** 2
    assert fleiss([dict(enumerate(row)) for row in rows]).value == pytest.approx(
        (observed - by_chance) / (1 - by_chance)
    )


def test_one_alone_or_none_says_so() -> None:
    axis = _axis(5)
    assert agreement_of({"Ada": judged({5: "accept"})}, axis).why == of_people.ALONE
    assert agreement_of({}, axis).why == of_people.ALONE
    found = ceiling({"Ada": np.array([1])}, {"s": np.array([1, 2])}, 5)
    assert (found.people, found.why, found.differences) == (None, of_people.ALONE, {})
    assert found.strategies["s"].value == 0.5
    assert ceiling({}, {"s": np.array([1])}, 5).strategies == {}
    with pytest.raises(ChunkscopeError, match="no measure"):
        ceiling({}, {}, 5, "pk")


def _axis(units: int) -> tuple[Any, Int64]:
    known = from_units([f"Sentence number {each}." for each in range(units)])
    return known, gap_offsets(known)


cuts = st.sets(st.integers(0, 18), max_size=12).map(lambda found: np.array(sorted(found), dtype=np.int64))


@given(cuts, cuts, st.sampled_from(of_people.METRICS))
def test_the_parts_of_a_measure_make_the_measure(one: Int64, other: Int64, metric: str) -> None:
    credit, edits = of_people._parts(one, other, 19, metric)
    whole = measure_pair(metric, one, other, 20)
    assert float(of_people._ratio(credit.sum(), edits.sum())) == pytest.approx(whole)


def _stargazers() -> dict[str, Int64]:
    if not FOLDER.exists():
        pytest.skip(shared_data.MISSING)
    found = json.loads((FOLDER / "segeval_hearst1997.json").read_text(encoding="utf-8"))["items"]["stargazer"]
    return {name: np.cumsum(masses[:-1], dtype=np.int64) - 1 for name, masses in found.items()}


def test_seven_annotators_of_one_text_agree_as_segeval_says() -> None:
    people = _stargazers()
    pairs = json.loads((FOLDER / "expected_pk_wd.json").read_text(encoding="utf-8"))["pairs"]
    expected = {(each["reference"], each["hypothesis"]): each["boundary_similarity"] for each in pairs}
    units, offsets = _axis(21)
    reviews = {
        name: judged({int(offset): "accept" if gap in gaps else "reject" for gap, offset in enumerate(offsets)}, True)
        for name, gaps in people.items()
    }
    found = agreement_of(reviews, (units, offsets))
    assert len(found.pairs) == 21
    for pair in found.pairs:
        whole = pair.whole["boundary_similarity"]
        assert whole.value == pytest.approx(expected[pair.left, pair.right])
        assert pair.judged["boundary_similarity"].value == whole.value
        assert whole.interval is not None and whole.interval[0] <= whole.value <= whole.interval[1]
    everyone = ceiling(people, {}, 21)
    assert everyone.people is not None
    assert everyone.people.value == pytest.approx(np.mean([*expected.values()]))
    for name, own in everyone.reviewers.items():
        assert own.value == pytest.approx(np.mean([value for key, value in expected.items() if key[0] == name]))
    assert found.kappa.value is not None and 0.2 < found.kappa.value < 0.6


def test_a_strategy_that_cuts_as_one_of_them_does_is_not_above_people() -> None:
    people = _stargazers()
    none: Int64 = np.zeros(0, dtype=np.int64)
    found = ceiling({name: gaps for name, gaps in people.items() if name != "7"}, {"7": people["7"], "none": none}, 21)
    everyone = ceiling(people, {}, 21)
    assert found.strategies["7"].value == pytest.approx(everyone.reviewers["7"].value)
    assert found.people is not None
    assert found.differences["7"].value == pytest.approx(found.strategies["7"].value - found.people.value)
    assert found.strategies["none"].value == 0
    low, high = found.differences["none"].interval or (0.0, 0.0)
    assert low <= high < 0


@given(cuts, cuts, st.sampled_from(of_people.METRICS))
def test_nothing_depends_on_the_order_of_people(one: Int64, other: Int64, metric: str) -> None:
    left = ceiling({"a": one, "b": other}, {}, 20, metric).people
    right = ceiling({"b": other, "a": one}, {}, 20, metric).people
    assert left is not None and right is not None
    assert left.value == right.value
    assert left.corrected == pytest.approx(right.corrected)


def test_where_only_some_gaps_were_judged_chance_is_among_them() -> None:
    places = np.arange(0, 40, 4, dtype=np.int64)
    one, other = places[[0, 2, 4, 6, 8]], places[[1, 3, 5, 7, 9]]
    found = ceiling({"a": one, "b": other}, {"s": np.arange(41, dtype=np.int64)}, 42, "f1", places)
    assert found.people is not None
    assert found.people.value == 0
    assert found.people.corrected == pytest.approx(-1, abs=0.25)  # half of five of ten meet by chance
    assert found.strategies["s"].value == pytest.approx(2 / 3)
    assert found.strategies["s"].corrected == pytest.approx(0)  # it cuts everywhere: nothing but chance


def test_pairs_are_over_what_both_judged() -> None:
    units, offsets = _axis(9)
    said = [int(offset) for offset in offsets]
    reviews = {
        "Ada": judged({said[0]: "accept", said[1]: "reject", said[2]: "accept", said[3]: "skip"}),
        "Bob": judged({said[0]: "accept", said[1]: "accept", said[3]: "accept", said[2]: "reject"}),
        "Cho": judged({}),
    }
    found = agreement_of(reviews, (units, offsets))
    assert found.reviewers == ("Ada", "Bob")
    [pair] = found.pairs
    assert (pair.agreed, pair.kappa.places, pair.whole) == (1, 3, {})
    assert pair.judged["f1"].value == pytest.approx(2 / 4)
    whole = {name: replace(own, complete=True) for name, own in reviews.items()}
    assert agreement_of(whole, (units, offsets)).pairs[0].whole["f1"].value == pytest.approx(2 / 5)


@pytest.mark.parametrize(("units", "metric"), [*product((0, 1, 2), of_people.METRICS)])
def test_tiny_documents_work(units: int, metric: str) -> None:
    none: Int64 = np.zeros(0, dtype=np.int64)
    found = ceiling({"a": none, "b": none}, {"s": none}, units, metric)
    assert found.people is not None and found.people.value == found.strategies["s"].value == 1
    assert found.people.interval is None
    reviews = {"a": judged({0: "accept"}, True), "b": judged({0: "reject"}, True)}
    assert agreement_of(reviews, _axis(units)).pairs
