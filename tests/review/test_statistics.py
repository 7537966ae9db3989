"""What reviews say of a strategy and of reviewers: against scipy, scikit-learn, segeval's values, and by counting."""

from __future__ import annotations

import importlib
import json
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunking import ChunkscopeError
from chunking.comparison import agreement
from chunking.gold.state import Judgement, Review, Verdict
from chunking.review import statistics
from chunking.review.candidates import Candidate
from chunking.review.statistics import agreement_of, ceiling, cohen, fleiss, of_blind, precision
from chunking.runtime.arrays import Int64
from chunking.sentences import from_units, gap_offsets

FOLDER = (Path(__file__).resolve().parents[2] / "../shared/data/segmentation/stargazers").resolve()


# --- of a strategy -------------------------------------------------------------------------------------------------


@given(st.integers(1, 40), st.data())
def test_the_interval_holds_what_both_tails_leave_possible(total: int, data: st.DataObject) -> None:
    judged = data.draw(st.integers(1, total))
    right = data.draw(st.integers(0, judged))

    def chance(among: int, drawn: int) -> float:
        return comb(among, drawn) * comb(total - among, judged - drawn) / comb(total, judged)

    possible = [
        among
        for among in range(total + 1)
        if sum(chance(among, each) for each in range(right, judged + 1)) > 0.025
        and sum(chance(among, each) for each in range(right + 1)) > 0.025
    ]
    found = precision(right, judged - right, total)
    assert found.value == right / judged
    assert found.interval == pytest.approx((possible[0] / total, possible[-1] / total))


@pytest.mark.parametrize(("total", "judged"), [(30, 10), (60, 25)])
def test_the_interval_holds_the_truth_as_often_as_it_says(total: int, judged: int) -> None:
    for true in range(0, total + 1, 5):
        held = 0.0
        for right in range(max(0, judged - total + true), min(true, judged) + 1):
            low, high = precision(right, judged - right, total).interval
            held += (low <= true / total <= high) * comb(true, right) * comb(total - true, judged - right)
        assert held / comb(total, judged) >= 0.95


def test_of_many_cuts_it_is_clopper_and_pearsons() -> None:
    found = precision(41, 9, 1_000_000)
    exact = importlib.import_module("scipy.stats").binomtest(41, 50).proportion_ci(0.95, "exact")
    assert found.interval == pytest.approx((exact.low, exact.high), abs=1e-4)


def test_all_judged_leaves_nothing_to_guess_and_none_judged_everything() -> None:
    assert precision(7, 3, 10).interval == (0.7, 0.7)
    assert precision(7, 3, 10).needed_for() == 0
    nothing = precision(0, 0, 10)
    assert (nothing.value, nothing.interval, nothing.needed_for()) == (
        None,
        (0.0, 1.0),
        9,
    )  # the last can only be 1 of 10
    assert precision(0, 0, 0).needed_for() == 0
    for wrong in ((6, 6, 10), (-1, 2, 10)):
        with pytest.raises(ChunkscopeError):
            precision(*wrong)


@given(st.integers(1, 300), st.data())
def test_what_is_needed_is_enough(total: int, data: st.DataObject) -> None:
    judged = data.draw(st.integers(1, total))
    share = data.draw(st.floats(0, 1))
    found = precision(round(share * judged), judged - round(share * judged), total)
    more = found.needed_for(0.05)
    assert 0 <= more <= total - judged
    assert (more == 0) == (found.half_width <= 0.05)
    assert found.value is not None
    right = round(found.value * (judged + more))
    assert precision(right, judged + more - right, total).half_width <= 0.05 + 1e-9


def test_the_figures_of_a_review() -> None:
    found = precision(30, 10, 200)
    assert found.value == 0.75
    assert found.interval == (0.605, 0.86)
    assert found.needed_for(0.05) == 79


def judged(verdicts: dict[int, Verdict]) -> Review:
    return Review("Ada", "d", {offset: Judgement(offset, verdict) for offset, verdict in verdicts.items()})


CANDIDATES = [
    *(Candidate(offset, offset, "percentile") for offset in range(0, 20)),
    *(Candidate(offset, offset, "") for offset in range(20, 40)),
]


def test_a_blind_review_tells_what_is_missed() -> None:
    review = judged({each.offset: "accept" if each.offset in (*range(15), 21) else "reject" for each in CANDIDATES})
    found = of_blind(CANDIDATES, review, 120)
    assert (found.precision.value, found.precision.interval) == (0.75, (0.75, 0.75))
    assert (found.missed.value, found.missed.total) == (0.05, 100)
    assert found.recall.value == pytest.approx(15 / (15 + 100 / 20))
    assert found.f1.value == pytest.approx(2 * 15 / (20 + 15 + 5))
    low, high = found.recall.interval
    assert low < 0.75 < high == 15 / 16  # the one that was seen is missed for sure
    complete = of_blind(CANDIDATES, review, 40)
    assert complete.recall.value == complete.recall.interval[0] == complete.recall.interval[1] == 15 / 16


def test_what_is_missed_cannot_be_told_from_cuts_alone() -> None:
    cuts = CANDIDATES[:20]
    found = of_blind(cuts, judged(dict.fromkeys(range(20), "accept")), 120)
    assert (found.precision.value, found.recall.value, found.f1.value) == (1.0, None, None)
    assert "blind" in found.recall.why
    assert of_blind(cuts, judged({}), 120).recall.why == "No cut was judged."
    assert "No boundary" in of_blind(CANDIDATES, judged(dict.fromkeys(range(40), "reject")), 120).recall.why
    assert of_blind(cuts, judged(dict.fromkeys(range(20), "accept")), 20).recall.value == 1.0


def test_the_interval_of_recall_holds_the_truth() -> None:
    random = np.random.default_rng(1)
    cuts, others, right, missed = 12, 40, 9, 6
    truth = right / (right + missed)
    held = 0
    for _ in range(200):
        boundary = np.concatenate(
            [random.permutation(np.arange(cuts) < right), random.permutation(np.arange(others) < missed)]
        )
        asked = [Candidate(each, each, "s" if each < cuts else "") for each in (*range(cuts), *range(cuts, cuts + 20))]
        told: dict[int, Verdict] = {
            each: "accept" if boundary[each] else "reject" for each in (*range(8), *range(12, 32))
        }
        low, high = of_blind(asked, judged(told), cuts + others).recall.interval
        held += low <= truth <= high
    assert held >= 190


# --- of reviewers --------------------------------------------------------------------------------------------------

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
    assert agreement_of({"Ada": judged({5: "accept"})}, axis).why == statistics.ALONE
    assert agreement_of({}, axis).why == statistics.ALONE
    found = ceiling({"Ada": np.array([1])}, {"s": np.array([1, 2])}, 5)
    assert (found.people, found.why, found.differences) == (None, statistics.ALONE, {})
    assert found.strategies["s"].value == 0.5
    assert ceiling({}, {"s": np.array([1])}, 5).strategies == {}
    with pytest.raises(ChunkscopeError, match="no measure"):
        ceiling({}, {}, 5, "pk")


def _axis(units: int) -> tuple[Any, Int64]:
    known = from_units([f"Sentence number {each}." for each in range(units)])
    return known, gap_offsets(known)


cuts = st.sets(st.integers(0, 18), max_size=12).map(lambda found: np.array(sorted(found), dtype=np.int64))


@given(cuts, cuts, st.sampled_from(statistics.METRICS))
def test_the_parts_of_a_measure_make_the_measure(one: Int64, other: Int64, metric: str) -> None:
    credit, edits = statistics._parts(one, other, 19, metric)
    whole = agreement.METRICS[metric].function(one, other, 20, 0)
    assert float(statistics._ratio(credit.sum(), edits.sum())) == pytest.approx(whole)


def _stargazers() -> dict[str, Int64]:
    if not FOLDER.exists():
        pytest.skip("the annotations are not here")
    found = json.loads((FOLDER / "segeval_hearst1997.json").read_text(encoding="utf-8"))["items"]["stargazer"]
    return {name: np.cumsum(masses[:-1], dtype=np.int64) - 1 for name, masses in found.items()}


def test_seven_annotators_of_one_text_agree_as_segeval_says() -> None:
    people = _stargazers()
    pairs = json.loads((FOLDER / "expected_pk_wd.json").read_text(encoding="utf-8"))["pairs"]
    expected = {(each["reference"], each["hypothesis"]): each["boundary_similarity"] for each in pairs}
    units, offsets = _axis(21)
    reviews = {
        name: judged({int(offset): "accept" if gap in gaps else "reject" for gap, offset in enumerate(offsets)})
        for name, gaps in people.items()
    }
    found = agreement_of(reviews, (units, offsets), finished=reviews)
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


@given(cuts, cuts, st.sampled_from(statistics.METRICS))
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
    assert agreement_of(reviews, (units, offsets), ["Ada", "Bob"]).pairs[0].whole["f1"].value == pytest.approx(2 / 5)


@pytest.mark.parametrize(("units", "metric"), [*product((0, 1, 2), statistics.METRICS)])
def test_tiny_documents_work(units: int, metric: str) -> None:
    none: Int64 = np.zeros(0, dtype=np.int64)
    found = ceiling({"a": none, "b": none}, {"s": none}, units, metric)
    assert found.people is not None and found.people.value == found.strategies["s"].value == 1
    assert found.people.interval is None
    assert agreement_of({"a": judged({0: "accept"}), "b": judged({0: "reject"})}, _axis(units), ["a", "b"]).pairs
