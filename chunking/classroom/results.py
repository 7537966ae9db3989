"""What a class predicted: votes at each gap, and agreement beyond chance."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunking.comparison.agreement import chance
from chunking.review.agreement import Kappa, fleiss
from chunking.runtime.arrays import Int64

DRAWS = 200
"""Random divisions by which the chance of each prediction is known."""


@dataclass(frozen=True, eq=False)
class ClassResults:
    """The predictions of a class beside the reference and strategies.

    Attributes:
        votes: ``(n_gaps,)`` int64, how many picked each gap.
        predictions: the picked gaps of each, ascending.
        against: mean boundary F1 of the class and what remains beyond chance, by the name of what it is compared with.
        among: agreement of the class with each other, Fleiss' kappa.
    """

    votes: Int64
    predictions: tuple[Int64, ...]
    against: Mapping[str, tuple[float, float]]
    among: Kappa


def measure(predictions: Sequence[Sequence[int]], gaps: int, others: Mapping[str, Int64]) -> ClassResults:
    """Return the results of a class.

    Args:
        predictions: the picked gaps of each student; what is no gap is left out.
        gaps: number of gaps.
        others: boundaries to compare with, as ascending gaps, by their name.
    """
    given = tuple(np.array(sorted({gap for gap in each if 0 <= gap < gaps}), dtype=np.int64) for each in predictions)
    votes = np.bincount(np.concatenate([*given, np.empty(0, dtype=np.int64)]), minlength=gaps).astype(np.int64)
    against = {}
    for name, cuts in others.items():
        found = [chance(cuts, each, gaps + 1, "f1", draws=DRAWS) for each in given]
        if found:
            mean = np.mean([(each.value, each.corrected) for each in found], axis=0)
            against[name] = (float(mean[0]), float(mean[1]))
    yes_no = [dict.fromkeys(range(gaps), False) | dict.fromkeys(each.tolist(), True) for each in given]
    return ClassResults(votes, given, against, fleiss(yes_no))


def as_csv(results: ClassResults, words: Sequence[str], others: Mapping[str, Int64]) -> str:
    """Return a row for each gap: its number, the words before it, the votes, and 1 where others cut."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["gap", "after", "votes", *others])
    for gap, votes in enumerate(results.votes.tolist()):
        after = words[gap]
        # A spreadsheet would take these for a formula.
        shown = f"'{after}" if after.startswith(("=", "+", "-", "@")) else after
        rows.writerow([gap + 1, shown, votes, *(int(gap in cuts) for cuts in others.values())])
    return out.getvalue()


def as_json(results: ClassResults, others: Mapping[str, Int64]) -> str:
    """Return predictions, votes and agreement; gaps count from 0."""
    content = {
        "predictions": [each.tolist() for each in results.predictions],
        "votes": results.votes.tolist(),
        "boundaries": {name: cuts.tolist() for name, cuts in others.items()},
        "agreement": {
            name: {"f1": value, "beyond_chance": corrected} for name, (value, corrected) in results.against.items()
        },
        "fleiss_kappa": results.among.value,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
