"""The exact interval of precision: against scipy, and by counting."""

from __future__ import annotations

import importlib
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError
from chunking.reference.precision import precision


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
