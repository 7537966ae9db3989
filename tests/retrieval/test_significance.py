from __future__ import annotations

import numpy as np
import pytest

from chunking.retrieval.significance import differences, more_questions, winner


def test_with_no_real_difference_a_winner_is_named_seldom() -> None:
    """Of 8 rows that are equally good a naive comparison of the best with the worst finds a winner most of the time."""
    named = naive = 0
    rounds = 60
    for seed in range(rounds):
        values = np.random.default_rng(seed).normal(0.5, 0.2, (8, 50))
        found = differences({str(place): row for place, row in enumerate(values)})
        named += any(each.better for each in found)
        naive += any(each.interval[0] > 0 or each.interval[1] < 0 for each in found)
    assert naive > rounds / 3
    assert named <= 8  # of 60 at 5 %: 3 expected, and 8 or fewer in 99.4 % of such runs


def test_a_real_difference_is_found_and_named() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(0.5, 0.2, 200)
    values = {"good": base + 0.1 + rng.normal(0, 0.05, 200), "same": base, "twin": base.copy()}
    found = {(each.one, each.other): each for each in differences(values)}
    assert found["good", "same"].better == "good"
    assert found["good", "same"].verdict == "good is better"
    assert found["same", "twin"].verdict == "the same on every question"
    assert winner(values, list(found.values())) == "good is significantly better than all others"


def test_an_open_question_says_how_many_questions_would_decide_it() -> None:
    rng = np.random.default_rng(2)
    base = rng.normal(0.5, 0.2, 60)
    values = {"a": base, "b": base + rng.normal(0.02, 0.2, 60)}
    (found,) = differences(values)
    assert found.better is None
    assert found.needed
    assert f"about {found.needed:,} more questions" in found.verdict
    # With so many questions of the same kind the interval would just leave out 0.
    low, high = found.simultaneous
    reach = (high - low) / 2 * np.sqrt(60 / (60 + found.needed))
    assert reach == pytest.approx(abs(found.mean), rel=0.02)


def test_simultaneous_intervals_hold_the_single_ones_width() -> None:
    values = {name: np.random.default_rng(place).random(40) for place, name in enumerate("abcd")}
    for each in differences(values):
        assert each.simultaneous[1] - each.simultaneous[0] > each.interval[1] - each.interval[0]


def test_fewer_than_two_rows_or_questions_are_not_compared() -> None:
    assert differences({}) == []
    assert differences({"a": np.ones(5)}) == []
    assert differences({"a": np.ones(1), "b": np.zeros(1)}) == []
    assert winner({}, []) == "nothing was compared"
    assert winner({"a": np.ones(5)}, []) == "a is the only row"


@pytest.mark.parametrize("questions", [1, 3, 9])
def test_a_handful_of_questions_says_nothing_of_a_difference(questions: int) -> None:
    values = {"a": np.ones(questions), "b": np.linspace(0, 0.4, questions)}
    found = differences(values)
    assert all(each.verdict == "too few questions: 10 at least" for each in found)
    assert winner(values, found).startswith("a has the highest mean, but ")
    assert "cannot decide: ask 10 at least" in winner(values, found)


def test_a_number_of_questions_that_nobody_will_ask_is_capped() -> None:
    assert more_questions(1) == "about 1 more question"
    assert more_questions(1_234) == "about 1,234 more questions"
    assert more_questions(591_468) == "more than 100,000 more questions"


def test_questions_that_differ_between_corpora_alone_leave_no_doubt() -> None:
    corpora = np.repeat([0, 1], 20)
    values = {"a": np.repeat([0.9, 0.5], 20), "b": np.repeat([0.5, 0.6], 20)}
    (open_,), (found,) = differences(values), differences(values, corpora)
    assert open_.interval[1] - open_.interval[0] > 0.1
    assert found.interval == pytest.approx((0.15, 0.15))
