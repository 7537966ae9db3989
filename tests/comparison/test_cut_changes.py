"""Cuts of several segmentations: the nearest gaps, consensus, what changed."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunking import run
from chunking.comparison import cut_changes
from tests.comparison.made import PROSE, ints, made, percentile, workspace


def test_cuts_are_the_starts_of_chunks() -> None:
    text = "one two three four"
    nested = made(text, [(0, 18), (0, 8), (4, 8), (8, 18), (8, 13)])
    assert cut_changes.cut_offsets(nested).tolist() == [4, 8]
    assert cut_changes.cut_offsets(made("", [])).dtype == np.int64
    known = workspace(PROSE)
    segmentation = run("percentile", known, percentile())
    cuts = cut_changes.cut_offsets(segmentation)
    assert cuts.tolist() == [chunk.start for chunk in segmentation.chunks[1:]]
    gaps = cut_changes.unit_cuts(cuts, known.offsets)
    assert gaps.gaps.tolist() == [cut.cut.gap for cut in segmentation.chunks[1:] if cut.cut]
    assert gaps.inside == 0


ascending = st.sets(st.integers(0, 60), max_size=15).map(sorted)


@given(ascending, ascending)
def test_the_nearest_gap_is_nearest(offsets: list[int], gaps: list[int]) -> None:
    nearest, distance = cut_changes.nearest_gaps(ints(offsets), ints(gaps))
    for offset, gap, away in zip(offsets, nearest.tolist(), distance.tolist(), strict=True):
        if not gaps:
            assert (gap, away) == (-1, -1)
            continue
        assert away == min(abs(offset - known) for known in gaps)
        assert gap == next(place for place, known in enumerate(gaps) if abs(offset - known) == away)


def test_cuts_inside_sentences_are_told() -> None:
    found = cut_changes.unit_cuts(ints([8, 10, 11, 37]), ints([10, 20, 30]))
    assert found.gaps.tolist() == [0, 2]
    assert found.inside == 3
    none = cut_changes.unit_cuts(ints([8, 10]), ints([]))
    assert (none.gaps.tolist(), none.inside) == ([], 0)


def test_consensus_is_the_share_that_cuts() -> None:
    shares = cut_changes.consensus([ints([0, 2]), ints([2]), ints([]), ints([2, 2, 3])], 5)
    assert shares.tolist() == [0.25, 0, 0.75, 0.25, 0]
    assert cut_changes.consensus([], 2).tolist() == [0, 0]


@given(ascending, ascending)
def test_changes_are_what_only_one_side_cuts(before: list[int], after: list[int]) -> None:
    found = cut_changes.changes(ints(before), ints(after))
    assert found.kept.tolist() == sorted(set(before) & set(after))
    assert found.appeared.tolist() == sorted(set(after) - set(before))
    assert found.gone.tolist() == sorted(set(before) - set(after))
