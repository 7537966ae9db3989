"""How often the advice was wrong on documents whose boundaries people set, and what may be claimed from that.

The table ``rates.csv`` beside this module is the output of ``python -m benchmarks advice``. Each set of documents in it
was judged by the rule that the other sets choose. Nothing else is claimed of an advice.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from math import sqrt
from pathlib import Path
from typing import cast

from chunking.advice.profile import RANKINGS, TITLES, UNMEASURED, Kind
from chunking.advice.results import MeasuredClaim, MeasuredRate
from chunking.advice.texts import percent, words
from chunking.runtime.wording import plural

FILE = Path(__file__).with_name("rates.csv")

COMMAND = "python -m benchmarks advice"
"""What measures the rates anew and writes the table."""

MARGIN = 0.05
"""Boundary F1 by which another candidate must be better for a choice to be wrong."""

MAXIMUM = 240
"""The maximum in tokens that was measured: that of all-MiniLM-L6-v2 in English."""

_Z = 1.959964
"""Standard deviations of a 95 % interval."""


def wilson(errors: float, documents: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927), from 0 to 1; all of it without documents."""
    if not documents:
        return 0.0, 1.0
    share, weight = errors / documents, _Z**2 / documents
    centre = (share + weight / 2) / (1 + weight)
    reach = _Z * sqrt(share * (1 - share) / documents + weight / (4 * documents)) / (1 + weight)
    return max(centre - reach, 0.0), min(centre + reach, 1.0)


@cache
def read(path: Path = FILE) -> tuple[MeasuredRate, ...]:
    """Return the rows of the table."""
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(_rate(row) for row in csv.DictReader(file))


def _rate(row: dict[str, str]) -> MeasuredRate:
    documents, advised, changepoint, recursive = (int(row[name]) for name in _COUNTS)
    random, f1, second_f1 = (float(row[name]) for name in ("random", "f1", "second_f1"))
    return MeasuredRate(
        cast(Kind, row["kind"]), row["set"], row["layout"], documents, advised, changepoint, recursive,
        random, f1, second_f1,
    )  # fmt: skip


_COUNTS = ("documents", "advised", "changepoint", "recursive")


def write(rates: Sequence[MeasuredRate], path: Path = FILE) -> None:
    """Write the table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(MeasuredRate.__dataclass_fields__), lineterminator="\n")
        table.writeheader()
        table.writerows(vars(rate) for rate in rates)


def measured(kind: Kind) -> tuple[MeasuredRate, ...]:
    """Return the rates of a kind of document."""
    return tuple(rate for rate in read() if rate.kind == kind)


def mean_rate(rates: Sequence[MeasuredRate], name: str) -> float:
    """Return the mean of a rate over the sets, which count alike; 0 without rows.

    Sets of fewer than :data:`FEWEST` documents count only where there are no others.
    """
    by_set: dict[str, list[MeasuredRate]] = {}
    for rate in rates:
        by_set.setdefault(rate.set, []).append(rate)
    sizes = {set_name: sum(rate.documents for rate in rates_of_set) for set_name, rates_of_set in by_set.items()}
    counted_sets = [set_name for set_name, size in sizes.items() if size >= FEWEST] or list(sizes)
    shares = [sum(getattr(rate, name) for rate in by_set[set_name]) / sizes[set_name] for set_name in counted_sets]
    return sum(shares) / len(shares) if shares else 0.0


FEWEST = 10
"""Documents from which a set counts in a mean, and from which a set in a layout counts in a range."""


def claim(kind: Kind) -> MeasuredClaim:
    """Return what may be claimed of the advice for a kind of document."""
    rates = () if kind in UNMEASURED else measured(kind)
    if not rates:
        return MeasuredClaim(words("claim", "unmeasured", kind=TITLES[kind]))
    rate = mean_rate(rates, "advised")
    shares = [100 * rate.advised / rate.documents for rate in rates if rate.documents >= FEWEST]
    spread = words("claim", "spread", low=min(shares), high=max(shares)) if len(shares) > 1 else ""
    method = words(
        "claim",
        "method",
        documents=plural(sum(rate.documents for rate in rates), "development document"),
        sets=plural(len({rate.set for rate in rates}), "set"),
        maximum=MAXIMUM,
        margin=100 * MARGIN,
        fewest=FEWEST,
    )
    other_rates = {name: percent(mean_rate(rates, name)) for name in ("changepoint", "recursive", "random")}
    sentences = [
        words("claim", "rate", rate=percent(rate), spread=spread),
        method,
        words("claim", "others", **other_rates),
    ]
    sentences += [words("claim", "by_construction")] if kind in ("headings", "long_sections") else []
    return MeasuredClaim(" ".join(sentences), rate, rates)


def second_words(kind: Kind) -> str:
    """Return how the second best compares on the development documents, in a sentence; empty if it is not measured."""
    rates = measured(kind)
    if kind in UNMEASURED or not rates:
        return ""
    gap = (
        100 * sum(rate.documents * (rate.f1 - rate.second_f1) for rate in rates) / sum(rate.documents for rate in rates)
    )
    comparison = "less" if gap >= 0 else "more"
    return words("claim", "second", strategy=RANKINGS[kind][1], points=abs(gap), comparison=comparison)
