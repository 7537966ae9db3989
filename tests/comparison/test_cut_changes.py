"""Cuts of several segmentations: the nearest gaps, consensus, what changed."""

from __future__ import annotations

from itertools import pairwise, product

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
    assert (gaps.inside, gaps.merged, gaps.dropped, gaps.farthest) == (0, 0, 0, 0)


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
    assert (found.inside, found.merged, found.dropped, found.farthest) == (3, 2, 0, 7)
    none = cut_changes.unit_cuts(ints([8, 10]), ints([]))
    assert none.gaps.tolist() == []
    assert (none.inside, none.merged, none.dropped, none.farthest) == (0, 0, 2, 0)


def test_consensus_is_the_share_that_cuts() -> None:
    shares = cut_changes.consensus([ints([0, 2]), ints([2]), ints([]), ints([2, 2, 3])], 5)
    assert shares.tolist() == [0.25, 0, 0.75, 0.25, 0]
    assert cut_changes.consensus([], 2).tolist() == [0, 0]


# --- what changed --------------------------------------------------------------------------------------------------


def plain_changes(before: list[int], after: list[int], tolerance: int) -> list[tuple[int, int]]:
    """Moves by going through all pairs, the nearest first, and asking each whether anything stands in its way."""
    old, new = set(before) - set(after), set(after) - set(before)
    walls = set(before) & set(after)
    every = sorted(product(old, new), key=lambda pair: (abs(pair[0] - pair[1]), min(pair)))
    moves: list[tuple[int, int]] = []
    for one, other in every:
        low, high = sorted((one, other))
        if one in old and other in new and high - low <= tolerance and not any(low < wall < high for wall in walls):
            moves.append((one, other))
            old.discard(one)
            new.discard(other)
            walls |= {one, other}
    return sorted(moves)


@given(ascending, ascending, st.integers(0, 12))
def test_changes_pair_the_nearest(before: list[int], after: list[int], tolerance: int) -> None:
    found = cut_changes.changes(ints(before), ints(after), tolerance)
    assert sorted(map(tuple, found.moved.tolist())) == plain_changes(before, after, tolerance)
    assert found.kept.tolist() == sorted(set(before) & set(after))
    moved_from, moved_to = found.moved[:, 0].tolist(), found.moved[:, 1].tolist()
    assert sorted([*found.kept.tolist(), *moved_from, *found.gone.tolist()]) == before
    assert sorted([*found.kept.tolist(), *moved_to, *found.appeared.tolist()]) == after
    # Moves neither cross one another nor turn back.
    for (one, two), (three, four) in pairwise(found.moved.tolist()):
        assert one < three
        assert two < four


def test_changes_by_example() -> None:
    found = cut_changes.changes(ints([10, 20, 30, 40]), ints([10, 22, 31, 33, 60]), 3)
    assert found.kept.tolist() == [10]
    assert found.moved.tolist() == [[20, 22], [30, 31]]
    assert found.appeared.tolist() == [33, 60]
    assert found.gone.tolist() == [40]


def test_no_move_goes_past_a_cut_that_stayed() -> None:
    found = cut_changes.changes(ints([10, 12]), ints([12, 14]), 10)
    assert found.moved.tolist() == []
    assert (found.gone.tolist(), found.appeared.tolist()) == ([10], [14])
