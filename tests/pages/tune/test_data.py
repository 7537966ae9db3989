"""What the Tune page sets when a gap is taken: the setting at which it is just a boundary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunking.curves import thresholds
from chunking.curves.distances import fuse
from chunking.tuning.landscape import ALPHAS, PERCENTILES, landscape
from pages.shared.tune.data import just_below, smaller

CURVES = st.integers(2, 60).flatmap(
    lambda gaps: st.tuples(*(st.lists(st.integers(0, 40), min_size=gaps, max_size=gaps) for _ in range(2)))
)


def curves(drawn: tuple[list[int], list[int]]) -> tuple[np.ndarray, np.ndarray]:
    semantic, structural = (np.array(values) / 40 for values in drawn)
    return semantic, structural


@given(CURVES, st.integers(0, 100))
def test_the_counts_are_those_of_smaller_distances(drawn: tuple[list[int], list[int]], row: int) -> None:
    semantic, structural = curves(drawn)
    fused = fuse(semantic, structural, float(ALPHAS[row]))
    counts = smaller(landscape(semantic, structural))[row]
    assert counts.tolist() == [int((fused < value).sum()) for value in fused]


@given(CURVES, st.integers(0, 100), st.data())
def test_a_taken_gap_is_a_boundary_and_one_step_more_of_the_percentile_makes_it_none(
    drawn: tuple[list[int], list[int]], row: int, data: st.DataObject
) -> None:
    semantic, structural = curves(drawn)
    gap = data.draw(st.integers(0, len(semantic) - 1))
    fused = fuse(semantic, structural, float(ALPHAS[row]))
    percentile = just_below(int(smaller(landscape(semantic, structural))[row, gap]), len(fused))

    def cut(at: float) -> bool:
        return bool(thresholds.apply("percentile", at, fused).exceeded[gap])

    if percentile is None:
        assert not cut(PERCENTILES[0])
    else:
        at = PERCENTILES.tolist().index(percentile)
        assert cut(percentile)
        assert at + 1 == len(PERCENTILES) or not cut(PERCENTILES[at + 1])


def test_the_highest_gap_takes_the_highest_percentile_of_the_control() -> None:
    assert just_below(200, 201) == PERCENTILES[-1]
    assert just_below(100, 201) is None, "50 itself cuts it no more"
    assert just_below(101, 201) == 50.4
