"""Fit the weights of :mod:`chunking.signals.boundary_model` to labelled documents: ``python -m tools.boundaries DATA``.

Two logistic regressions. The first tells which gaps of a document are boundaries: its inputs are deviations from the
document's own means, and the share of boundaries in each document is given, so it learns nothing from some kinds of
text having more boundaries than others. The second tells how many there are, from the sum that the first has found, the
number of gaps and the length of the sentences. Every kind of text counts the same, however much there is of it.

Sums are rounded before they are written, so the table is the same on every machine.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from chunking.embedding import get_encoder
from chunking.runtime.arrays import Float64
from chunking.sentences import from_units
from chunking.signals import scales, wording
from chunking.signals.boundary_model import LearnedTerm, NumberTerms, centres, deviations, log_gaps, weighted

KINDS = ("textbook", "technical", "task_dialogue", "meeting")
"""Files of ``boundaries/``."""

MOSAICS = {"textbook": 400, "technical": 250, "task_dialogue": 120, "meeting": 150}
"""Documents put together from stretches of others, by the kind of those."""

_MOSAIC_SHARE = 0.25
"""What all mosaics of one kind count, where a kind counts 1."""

_STRETCHES = (6, 15)
_LENGTHS = ((3, 11), (3, 5), (6, 8), (9, 11), (3, 20), (10, 30))
"""Units of the stretches of a mosaic, one range for each mosaic."""

_SEED = 20
_RIDGE = 1000.0
"""Penalty of a squared weight, in boundaries: strong, since what holds for one kind must hold for the next."""

_NUMBER_RIDGE = 5.0
WEIGHTS = Path(__file__).parents[1] / "chunking" / "signals" / "boundary_weights.toml"
_MIN_UNITS = 4
_EQUIVALENT = 20_000
"""Observations that all documents together count as."""

ENCODER = "static"


@dataclass(frozen=True)
class Table:
    """All that was learned.

    Attributes:
        wording: by the name of a measurement of :mod:`chunking.signals.wording`.
        scales: by the name of a measurement of :mod:`chunking.signals.scales`.
        number: how many boundaries a document has.
        habits: what :data:`HABITS` are worth where questions open a segment; empty if that was not fitted.
    """

    wording: Mapping[str, LearnedTerm]
    scales: Mapping[str, LearnedTerm]
    number: NumberTerms
    habits: Mapping[str, LearnedTerm] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Labelled:
    """A document with its true boundaries and what is measured on its gaps.

    Attributes:
        kind: kind of text; ``mosaic_`` and a kind for stretches of several documents.
        units: its sentences, blocks or turns.
        gold: ``(n_gaps,)`` bool.
        wording, scales: the measurements, ``(n_gaps, n)`` float64.
        length: mean of ``ln(1 + characters)`` of its units.
    """

    kind: str
    units: tuple[str, ...]
    gold: Float64
    wording: Float64
    scales: Float64
    length: float


def read(folder: Path) -> list[Labelled]:
    """Return the documents of all kinds, and mosaics of them.

    Raises:
        FileNotFoundError: a file is missing.
    """
    found = []
    random = np.random.default_rng(_SEED)
    for kind in KINDS:
        with gzip.open(folder / "boundaries" / f"{kind}.jsonl.gz", "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        whole = [(tuple(unit if unit.strip() else "." for unit in row["units"]), row["boundaries"]) for row in rows]
        mosaics = [_mosaic([units for units, _ in whole], random) for _ in range(MOSAICS[kind])]
        found += [measured(kind, units, starts) for units, starts in whole if len(units) >= _MIN_UNITS]
        found += [measured(f"mosaic_{kind}", units, starts) for units, starts in mosaics if len(units) >= _MIN_UNITS]
    return found


def _mosaic(sources: Sequence[tuple[str, ...]], random: np.random.Generator) -> tuple[tuple[str, ...], list[int]]:
    """Return stretches of random documents, one after the other, and where each begins."""
    units: list[str] = []
    starts: list[int] = []
    low, high = _LENGTHS[random.integers(len(_LENGTHS))]
    for _ in range(random.integers(*_STRETCHES)):
        source, length = sources[int(random.integers(len(sources)))], int(random.integers(low, high + 1))
        if len(source) > length:
            first = int(random.integers(len(source) - length))
            starts.append(len(units))
            units += source[first : first + length]
    return tuple(units), starts


def measured(kind: str, units: tuple[str, ...], starts: Collection[int]) -> Labelled:
    """Return a document with its measurements."""
    gold = np.zeros(len(units) - 1)
    gold[[start - 1 for start in starts if 0 < start < len(units)]] = 1.0
    vectors = get_encoder(ENCODER).encode(units)
    length = float(np.log1p([len(unit) for unit in units]).mean())
    form = wording.values(from_units(units, language="en"))
    return Labelled(kind, units, gold, form, scales.values(vectors), length)


# The fit -----------------------------------------------------------------------------------------------------------


def fit(documents: Sequence[Labelled], wording_off: Collection[str] = ()) -> Table:
    """Return the weights that were learned from documents.

    Args:
        documents: of as many kinds as there are.
        wording_off: measurements that are left out, to see what they are worth.
    """
    names = list(wording.MEASURES)
    both = _fit_terms(
        documents,
        [*names, *scales.NAMES],
        [np.hstack((one.wording, one.scales)) for one in documents],
        wording_off,
    )
    found = Table(
        {name: both[name] for name in names},
        {name: both[name] for name in scales.NAMES},
        NumberTerms(0.0, 0.0, 0.0, 0.0),
    )
    return Table(found.wording, found.scales, _fit_number(documents, found))


HABITS = ("question", "answer")
"""Measurements that no general weight is learned for: whether questions open a segment is a habit of who annotated."""

HABIT_KIND = "task_dialogue"
"""The kind of text with that habit; the set of features ``questions`` has its weights of :data:`HABITS`."""


def fit_habits(documents: Sequence[Labelled], table: Table) -> dict[str, LearnedTerm]:
    """Return the terms of :data:`HABITS`, learned from :data:`HABIT_KIND` alone, mosaics included.

    Means and spreads are those of the table of all documents, so that a deviation means the same in both.
    """
    own = fit([one for one in documents if one.kind.removeprefix("mosaic_") == HABIT_KIND]).wording
    known = table.wording
    worth = {name: own[name].log_odds / own[name].spread * known[name].spread for name in HABITS}
    return {name: known[name]._replace(log_odds=round(worth[name], 3)) for name in HABITS}


def evidence(document: Labelled, table: Table) -> Float64:
    """Return the sum of all terms of each gap."""
    form = weighted(deviations(document.wording, table.wording), table.wording)
    return form + weighted(deviations(document.scales, table.scales), table.scales)


def _fit_terms(
    documents: Sequence[Labelled], names: Sequence[str], values: Sequence[Float64], off: Collection[str]
) -> dict[str, LearnedTerm]:
    means = np.mean([each.mean(axis=0) for each in values], axis=0)
    level = {name: LearnedTerm(_round(mean), 1.0, 0.0) for name, mean in zip(names, means, strict=True)}
    apart = [each - centres(each, means) for each in values]
    spreads = np.concatenate(apart).std(axis=0)
    level = {
        name: LearnedTerm(term.mean, _round(max(spread, 1e-6)), 0.0)
        for (name, term), spread in zip(level.items(), spreads, strict=True)
    }
    inputs = np.vstack([deviations(each, level) for each in values])
    inputs[:, [place for place, name in enumerate(names) if name in off]] = 0.0
    gold = np.concatenate([one.gold for one in documents])
    offsets = np.concatenate([np.full(len(one.gold), _log_odds(one.gold)) for one in documents])
    weights = np.concatenate(list(_weights(documents, [one.gold.sum() for one in documents], per_gap=False)))
    weights *= gold.sum() / (weights * gold).sum()
    found = _logistic(inputs, gold, weights, offsets, _RIDGE)
    return {
        name: LearnedTerm(term.mean, term.spread, round(float(weight), 3))
        for (name, term), weight in zip(level.items(), found[:-1], strict=True)
    }


def _fit_number(documents: Sequence[Labelled], table: Table) -> NumberTerms:
    inputs = np.vstack(
        [
            np.column_stack((evidence(one, table), np.tile((log_gaps(len(one.gold)), one.length), (len(one.gold), 1))))
            for one in documents
        ]
    )
    gold = np.concatenate([one.gold for one in documents])
    weights = np.concatenate(list(_weights(documents, [1.0] * len(documents), per_gap=True)))
    weights *= _EQUIVALENT / weights.sum()
    found = _logistic(inputs, gold, weights, np.zeros(len(gold)), _NUMBER_RIDGE)
    factor, gaps, length, intercept = (round(float(weight), 3) for weight in found)
    return NumberTerms(intercept, factor, gaps, length)


def _weights(documents: Sequence[Labelled], counts: Sequence[float], per_gap: bool) -> Iterator[Float64]:
    """Yield the weight of every gap of each document: a kind counts the same, whatever the sum of its counts."""
    totals: dict[str, float] = {}
    for one, count in zip(documents, counts, strict=True):
        totals[one.kind] = totals.get(one.kind, 0.0) + count
    for one in documents:
        share = (_MOSAIC_SHARE if one.kind.startswith("mosaic") else 1.0) / totals[one.kind]
        yield np.full(len(one.gold), share / len(one.gold) if per_gap else share)


def _log_odds(gold: Float64) -> float:
    cuts = gold.sum()
    return float(np.log((cuts + 0.5) / (len(gold) - cuts + 0.5)))


def _round(value: float) -> float:
    return float(f"{value:.6g}")


def _logistic(inputs: Float64, gold: Float64, weights: Float64, offsets: Float64, ridge: float) -> Float64:
    """Return the weights of a logistic regression, the constant last, by Newton's method."""
    design = np.column_stack((inputs, np.ones(len(inputs))))
    penalties = np.append(np.full(inputs.shape[1], ridge), 1e-6)
    found = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-(design @ found + offsets)))
        slope = design.T @ (weights * (gold - chance)) - penalties * found
        curvature = (design * (weights * chance * (1 - chance))[:, None]).T @ design + np.diag(penalties)
        step = np.linalg.solve(curvature, slope)
        found += step
        if np.abs(step).max() < _SETTLED:
            break
    return found


_STEPS = 50
_SETTLED = 1e-7


def written(table: Table) -> str:
    """Return the file of a table."""
    parts = [_HEAD]
    for key, terms in (("wording", table.wording), ("habits", table.habits), ("scales", table.scales)):
        rows = [f"{name} = [{term.mean!r}, {term.spread!r}, {term.log_odds!r}]\n" for name, term in terms.items()]
        parts.append(f"[{key}] # {_ABOUT[key]}\n{''.join(rows)}\n")
    rows = [f"{name} = {value!r}\n" for name, value in table.number._asdict().items()]
    return "".join([*parts, "[number]\n", *rows])


_HEAD = "# Learned weights, made by `make boundaries`: mean, spread, and log-odds of one spread.\n\n"
_ABOUT = {
    "wording": "By the name of a measurement of chunking/signals/wording.py.",
    "habits": "Of texts in which questions open a part: the measurements that have no weight above.",
    "scales": "By the name of a measurement of chunking/signals/scales.py.",
}


def main() -> None:
    """Fit the weights and write them."""
    documents = read(Path(sys.argv[1]))
    table = fit(documents, HABITS)
    data = written(replace(table, habits=fit_habits(documents, table)))
    WEIGHTS.write_text(data, encoding="utf-8")
    print(f"{WEIGHTS}: {len(data):,} characters, SHA-256 {hashlib.sha256(data.encode()).hexdigest()}")


if __name__ == "__main__":
    main()
