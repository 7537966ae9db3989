"""What a class predicted: votes at each gap, and agreement beyond chance."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunking.comparison.agreement import corrected, dense_rows, get_metric, random_cuts
from chunking.evaluation.intervals import bootstrap
from chunking.export import csv_line
from chunking.review.agreement import Kappa, fleiss
from chunking.runtime.arrays import Int64

DRAWS, SEED = 200, 0
"""Random divisions by which the chance of each prediction is known, and the seed of them."""


@dataclass(frozen=True)
class ClassAgreement:
    """How well the students of a class agree with boundaries: means over the students.

    Attributes:
        f1: boundary F1.
        beyond_chance: what remains of it beyond chance.
        interval: of ``beyond_chance``, 95 % by bootstrap over the students; ``None`` for fewer than two.
    """

    f1: float
    beyond_chance: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class ClassResults:
    """The predictions of a class beside the reference and strategies.

    Attributes:
        votes: ``(n_gaps,)`` int64, how many picked each gap.
        predictions: the picked gaps of each, ascending.
        against: the agreement by the name of what the class is compared with; empty where nobody has predicted.
        among: agreement of the class with each other, Fleiss' kappa.
    """

    votes: Int64
    predictions: tuple[Int64, ...]
    against: Mapping[str, ClassAgreement]
    among: Kappa


def measure(predictions: Sequence[Sequence[int]], gaps: int, others: Mapping[str, Int64]) -> ClassResults:
    """Return the results of a class.

    Args:
        predictions: the picked gaps of each student; what is no gap is left out.
        gaps: number of gaps.
        others: boundaries to compare with, as ascending gaps, by their name.
    """
    boundaries = tuple(
        np.array(sorted({gap for gap in prediction if 0 <= gap < gaps}), dtype=np.int64) for prediction in predictions
    )
    votes = np.bincount(np.concatenate([*boundaries, np.empty(0, dtype=np.int64)]), minlength=gaps).astype(np.int64)
    yes_no = [dict.fromkeys(range(gaps), False) | dict.fromkeys(prediction.tolist(), True) for prediction in boundaries]
    return ClassResults(votes, boundaries, _agreement(boundaries, gaps + 1, others), fleiss(yes_no))


def _agreement(boundaries: Sequence[Int64], units: int, others: Mapping[str, Int64]) -> dict[str, ClassAgreement]:
    """Return the agreement of the students with each of others; the random divisions are drawn once for a student."""
    if not boundaries or not others:
        return {}
    metric = get_metric("f1")
    f1 = np.empty((len(boundaries), len(others)))
    beyond_chance = np.empty_like(f1)
    for student, cuts in enumerate(boundaries):
        rows = dense_rows([cuts, *random_cuts(cuts, units, DRAWS, SEED)], units)
        values = metric.table([*others.values()], rows, 0)
        f1[student] = values[:, 0]
        beyond_chance[student] = corrected(values[:, 0], values[:, 1:].mean(axis=1), metric.best)
    low, high = bootstrap(beyond_chance, np.ones_like(beyond_chance))
    ends = [None if np.isnan(interval[0]) else interval for interval in zip(low.tolist(), high.tolist(), strict=True)]
    means = zip(f1.mean(axis=0).tolist(), beyond_chance.mean(axis=0).tolist(), ends, strict=True)
    return {name: ClassAgreement(*figures) for name, figures in zip(others, means, strict=True)}


def as_csv(results: ClassResults, words: Sequence[str], others: Mapping[str, Int64]) -> str:
    """Return a row for each gap: its number, the words before it, the votes, and 1 where others cut."""
    rows: list[list[object]] = [["gap", "after", "votes", *others]]
    for gap, votes in enumerate(results.votes.tolist()):
        rows.append([gap + 1, words[gap], votes, *(int(gap in cuts) for cuts in others.values())])
    return "".join(csv_line(row, spreadsheet=True) for row in rows)


def as_json(results: ClassResults, others: Mapping[str, Int64]) -> str:
    """Return predictions, votes and agreement; gaps count from 0."""
    content = {
        "predictions": [prediction.tolist() for prediction in results.predictions],
        "votes": results.votes.tolist(),
        "boundaries": {name: cuts.tolist() for name, cuts in others.items()},
        "agreement": {
            name: {"f1": result.f1, "beyond_chance": result.beyond_chance, "interval": result.interval}
            for name, result in results.against.items()
        },
        "fleiss_kappa": {"value": results.among.value, "interval": results.among.interval},
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
