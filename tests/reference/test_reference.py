"""What a partial reference says of a strategy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunking.reference import Reference, partial_score
from chunking.sentences import from_units, gap_offsets

UNITS = from_units([f"Sentence {number}." for number in range(13)])
OFFSETS = gap_offsets(UNITS)
gaps = st.sets(st.integers(0, len(OFFSETS) - 1))


def at(places: set[int]) -> tuple[int, ...]:
    return tuple(OFFSETS[sorted(places)].tolist())


def test_five_judged_cuts_of_a_hundred_are_no_gold() -> None:
    reference = Reference(tuple(range(10, 50, 10)), (50,), complete=False)
    assert (reference.complete_boundaries, reference.partial, reference.judgements) == ((), True, 5)
    assert Reference((10,)).complete_boundaries == (10,) and not Reference((10,)).partial
    assert not Reference().partial


@given(gaps, gaps, gaps, st.data())
def test_only_judged_gaps_count(right: set[int], wrong: set[int], cuts: set[int], data: st.DataObject) -> None:
    wrong -= right
    added = data.draw(st.sets(st.sampled_from(sorted(right)))) if right else set()
    reference = Reference(at(right), at(wrong), at(added), complete=False)
    found = partial_score(reference, np.array(sorted(cuts), dtype=np.int64), OFFSETS, UNITS)
    assert (found.precision.accepted, found.precision.judged) == (len(cuts & right), len(cuts & (right | wrong)))
    assert (found.precision.total, found.judgements) == (len(cuts), len(right | wrong))
    assert (found.added_cut, found.added) == (len(cuts & added), len(added))
    assert (found.recall is None) == (not added)
    unjudged = set(range(len(OFFSETS))) - right - wrong
    more = partial_score(reference, sorted(cuts | unjudged), OFFSETS, UNITS)
    assert (more.precision.value, more.recall) == (found.precision.value, found.recall), "unjudged gaps are unknown"
