"""Which way to search won, and whether strategies with chunks of about equal size differ at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from chunking.retrieval.evaluate import RetrievalRow
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.significance import Difference, differences, winner
from chunking.runtime.arrays import Int64

EQUAL = 1.25
"""Ratio of the mean tokens of two strategies up to which their chunks are of about equal size."""


def by_retriever(rows: Sequence[RetrievalRow], measure: str, strata: Int64 | None) -> dict[str, Any]:
    """Return the mean of each way to search over all strategies, with their differences and the verdict.

    Args:
        rows: each strategy with each way to search.
        measure: what they are compared by.
        strata: of the questions, see :func:`chunking.evaluation.intervals.strata_of`.

    Returns:
        Empty where there is a single way to search.
    """
    methods = list(dict.fromkeys(row.method for row in rows))
    if len(methods) < 2:
        return {}
    values = {
        str(method): np.mean([row.values[measure] for row in rows if row.method == method], axis=0)
        for method in methods
    }
    pairs = differences(values, strata)
    return {
        "measure": measure,
        "means": {method: round(float(each.mean()), 12) for method, each in values.items()},
        "pairs": [
            {"one": each.one, "other": each.other, "difference": each.mean, "simultaneous": list(each.simultaneous)}
            for each in pairs
        ],
        "verdict": winner(values, pairs),
    }


def equal_sizes(
    rows: Sequence[RetrievalRow], passages: Mapping[str, Passages], pairs: Sequence[Difference]
) -> dict[str, Any]:
    """Return how many pairs of strategies have chunks of about equal size, searched alike, and how many differ.

    Args:
        rows: each strategy with each way to search.
        passages: by strategy.
        pairs: the differences of all rows in a measure.
    """
    by_name = {row.name: row for row in rows}
    sizes = {name: float(each.tokens.mean()) if len(each) else 0.0 for name, each in passages.items()}
    alike = []
    for pair in pairs:
        one, other = by_name[pair.one], by_name[pair.other]
        small, large = sorted((sizes[one.strategy], sizes[other.strategy]))
        same = _cut_alike(passages[one.strategy], passages[other.strategy])
        if one.method == other.method and not same and 0 < large <= EQUAL * small:
            alike.append(pair)
    return {
        "ratio": EQUAL,
        "pairs": len(alike),
        "different": sum(pair.better is not None for pair in alike),
        "beyond": max((pair.beyond for pair in alike if pair.better is None), default=0.0),
    }


def _cut_alike(one: Passages, other: Passages) -> bool:
    """Return whether two settings differ in nothing but what is embedded or returned."""
    return np.array_equal(one.start, other.start) and np.array_equal(one.end, other.end)
