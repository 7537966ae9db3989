"""What a review says of a strategy: by counting."""

from __future__ import annotations

import numpy as np
import pytest

from chunking.reference.state import Judgement, Review, Verdict
from chunking.review.candidates import Candidate
from chunking.review.estimates import of_blind


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
