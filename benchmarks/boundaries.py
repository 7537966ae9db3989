"""How well boundaries are found in kinds of text that nothing was learned from.

The weights of :mod:`chunking.signals.boundary_model` are fitted anew without one kind of text, whole, and that kind is
measured. So each figure is what a text of an unknown kind may expect. Kinds: mosaics (Choi), technical (PEPs, FastAPI,
Kubernetes), dialogues (TIAGE, DialSeg711, SuperDialseg), textbooks, meetings, lectures (of which nothing is learned at
any time). Those of ``boundaries/`` are measured on documents that no fit has seen.

Reported is the mean over documents with its 95 % bootstrap interval: boundary F1 at the true number of boundaries, F1
at the number that the text supports, Pk there minus Pk of no boundary (negative is better than cutting nothing), and
the ratio of all cuts to all true boundaries. Beside them: what meaning alone gives (α = 1, no learned scales), the
overlapping windows of LangChain's SemanticChunker, and random cuts.

Also shown: reliability of the probabilities, each kind left out, with the Brier score beside that of the plain rate;
and what each measurement of the wording is worth, as the mean change and the worst loss over the sets without it.

Tried as well, with each kind left out, mean F1 at the true number over these sets (``static``): weights fitted across
documents instead of within each 36.6 (the linear model then learns which documents have many boundaries), additive
trees on the same 168 measurements 40.8, trees with interactions 41.7, 24 and 9 measurements within documents 41.7 to
42.1, and that in the division 43.9. With vectors brought to length 1 after centring, scatter alone finds 39.3; left at
their own length 40.5, in Kubernetes' documentation 27.7 and 38.7: sentences that say little no longer weigh as much.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.structure import DATA as SEGMENTATION
from benchmarks.structure import f1, percent
from benchmarks.timing import table
from chunking.comparison import agreement
from chunking.embedding import get_encoder
from chunking.runtime.arrays import Float64, Int64
from chunking.signals import change_points, distances, wording
from chunking.signals.boundary_model import EXPECTED_SHARE, probabilities
from chunking.signals.change_points import SegmentCosts
from chunking.strategies.changepoint import SCATTER_PER_LOG_ODDS
from tools import boundaries
from tools.boundaries import HABITS, Labelled, Table

DATA = SEGMENTATION.parent

SETS = {
    "choi": "mosaic",
    "peps": "technical",
    "fastapi_en": "technical",
    "k8s_docs_dev": "technical",
    "technical": "technical",
    "tiage": "task_dialogue",
    "dialseg711_dev": "task_dialogue",
    "task_dialogue": "task_dialogue",
    "textbook": "textbook",
    "lectures_physics": "lecture",
    "meeting": "meeting",
}
"""The kind of text of each set."""

HELD = {"technical": 150, "task_dialogue": 250, "textbook": 100, "meeting": 25}
"""Documents of ``boundaries/`` that are measured and never fitted here: the last ones."""

BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)


@dataclass(frozen=True, eq=False)
class Known:
    """A gold document that is ready to be divided.

    Attributes:
        labelled: the document with its measurements.
        parts: the scatter of its parts.
        windows: ``(n_gaps,)`` distances of overlapping triples of sentences.
    """

    labelled: Labelled
    parts: SegmentCosts
    windows: Float64

    @property
    def gold(self) -> Int64:
        """The gaps of the true boundaries."""
        return np.flatnonzero(self.labelled.gold)


def fitted(documents: Sequence[Labelled], kind: str, off: Sequence[str] = ()) -> Table:
    """Return the weights learned without a kind of text."""
    return boundaries.fit(without(documents, kind), (*HABITS, *off))


def without(documents: Sequence[Labelled], kind: str) -> list[Labelled]:
    """Return the documents that are not of a kind of text, nor mosaics of it."""
    return [
        one for one in documents if kind not in (one.kind, one.kind.removeprefix("mosaic_"), one.kind.split("_")[0])
    ]


def at_number(one: Known, credit: Float64, number: int) -> Int64:
    """Return so many cuts of the division with that credit for each gap, in units of scatter."""
    penalty = change_points.penalty_for(one.parts, credit, number)
    found = change_points.divide(one.parts, penalty - credit)
    return change_points.thin(one.parts, penalty - credit, found, number)


def evidence(table: Table, one: Known) -> Float64:
    """Return the log-odds of each gap."""
    return boundaries.evidence(one.labelled, table)


def chances(table: Table, one: Known) -> Float64:
    """Return the probability of each gap."""
    return probabilities(evidence(table, one), one.labelled.length, table.number)


def supported(table: Table, one: Known) -> int:
    """Return the number of boundaries that the text supports."""
    return round(EXPECTED_SHARE * float(chances(table, one).sum()))


def _highest(curve: Float64, number: int) -> Int64:
    found: Int64 = np.sort(np.argsort(-curve, kind="stable")[:number])
    return found


def read(folder: Path) -> tuple[list[Labelled], dict[str, list[Known]]]:
    """Return the documents to learn from, and those of each set."""
    rows = {name: _rows(folder, name) for name in SETS}
    held = {units for name in HELD for units, _ in rows[name]}
    learned = [one for one in boundaries.read(folder) if one.units not in held]
    return learned, {name: [_known(SETS[name], *row) for row in known] for name, known in rows.items()}


def _rows(folder: Path, name: str) -> list[tuple[tuple[str, ...], list[int]]]:
    path = folder / "boundaries" / f"{name}.jsonl.gz" if name in HELD else folder / "segmentation" / f"{name}.jsonl"
    with gzip.open(path, "rt", encoding="utf-8") if name in HELD else path.open(encoding="utf-8") as file:
        known = [json.loads(line) for line in file]
    found = [(tuple(unit if unit.strip() else "." for unit in row["units"]), row["boundaries"]) for row in known]
    some = [(units, starts) for units, starts in found if any(starts) and len(units) > 3]
    return some[-HELD[name] :] if name in HELD else some


def _known(kind: str, units: tuple[str, ...], starts: Sequence[int]) -> Known:
    encoder = get_encoder(boundaries.ENCODER)
    windows = encoder.encode(distances.windows(units, 1))
    parts = change_points.segment_costs(change_points.normalize(encoder.encode(units)))
    return Known(boundaries.measured(kind, units, starts), parts, distances.semantic_distances(windows))


def main(folder: Path = DATA) -> None:
    """Print the tables."""
    if not (folder / "boundaries").is_dir():
        print("\nKinds of text left out: the data is not beside the repository, so this part is left out.")
        return
    documents, sets = read(folder)

    @cache
    def kept(kind: str, *off: str) -> Table:
        return fitted(documents, kind, off)

    tables = {name: kept(kind) for name, kind in SETS.items()}
    _scores(sets, tables)
    _reliability(sets, tables)
    _worth(sets, tables, lambda name, off: kept(SETS[name], off))


def _scores(sets: dict[str, list[Known]], tables: dict[str, Table]) -> None:
    def division(name: str, one: Known, number: int) -> Int64:
        return at_number(one, SCATTER_PER_LOG_ODDS * evidence(tables[name], one), number)

    def local(name: str, one: Known, number: int) -> Int64:
        return _highest(evidence(tables[name], one), number)

    ways: dict[str, Callable[[str, Known, int], Int64]] = {
        "changepoint": division,
        "structural (sum of the evidence)": local,
        "scatter alone": lambda name, one, number: at_number(one, np.zeros_like(one.labelled.gold), number),
        "overlapping windows of three": lambda name, one, number: _highest(one.windows, number),
    }
    rows = [
        [
            label,
            *(
                percent(np.array([f1(one.gold, cut(name, one, len(one.gold))) for one in known]))
                for name, known in sets.items()
            ),
        ]
        for label, cut in ways.items()
    ]
    rows.append(
        [
            "random cuts",
            *(percent(np.array([len(one.gold) / len(one.labelled.gold) for one in known])) for known in sets.values()),
        ]
    )
    table("F1 in % at the true number of boundaries, the kind left out", ["", *sets], rows)
    for label in ("changepoint", "structural (sum of the evidence)"):
        found = {
            name: [ways[label](name, one, supported(tables[name], one)) for one in known]
            for name, known in sets.items()
        }
        table(f"{label} at the number that the text supports, the kind left out", ["", *sets], _own(sets, found))


def _own(sets: dict[str, list[Known]], found: dict[str, list[Int64]]) -> list[list[str]]:
    rows: dict[str, list[str]] = {"F1 in %": [], "Pk − Pk of no boundary": [], "cuts ÷ true": []}
    none = np.zeros(0, dtype=np.int64)
    for name, known in sets.items():
        pairs = list(zip(known, found[name], strict=True))
        units = [len(one.labelled.units) for one in known]
        errors = [
            agreement.METRICS["pk"].of(one.gold, cuts, n) - agreement.METRICS["pk"].of(one.gold, none, n)
            for (one, cuts), n in zip(pairs, units, strict=True)
        ]
        rows["F1 in %"].append(percent(np.array([f1(one.gold, cuts) for one, cuts in pairs])))
        rows["Pk − Pk of no boundary"].append(percent(np.array(errors), "+"))
        rows["cuts ÷ true"].append(f"{sum(map(len, found[name])) / sum(len(one.gold) for one in known):.2f}")
    return [[label, *cells] for label, cells in rows.items()]


def _reliability(sets: dict[str, list[Known]], tables: dict[str, Table]) -> None:
    rows, brier = [], ["Brier score; of the plain rate"]
    columns = {}
    for name, known in sets.items():
        chance = np.concatenate([chances(tables[name], one) for one in known])
        gold = np.concatenate([one.labelled.gold for one in known])
        columns[name] = (chance, gold)
        brier.append(f"{((chance - gold) ** 2).mean():.3f}; {gold.mean() * (1 - gold.mean()):.3f}")
    for low, high in pairwise(BINS):
        cells = []
        for chance, gold in columns.values():
            some = (chance >= low) & (chance < high)
            cells.append(f"{gold[some].mean():.2f} ({some.sum():,})" if some.sum() >= 20 else "")
        rows.append([f"{low:.2f} to {high:.2f}", *cells])
    table(
        "Share of true boundaries by their probability, the kind left out (number of gaps)",
        ["probability", *sets],
        [*rows, brier],
    )


def _worth(sets: dict[str, list[Known]], tables: dict[str, Table], without: Callable[[str, str], Table]) -> None:
    def scores(name: str, known: Table) -> float:
        return 100 * float(np.mean([f1(one.gold, _highest(evidence(known, one), len(one.gold))) for one in sets[name]]))

    whole = {name: scores(name, tables[name]) for name in sets}
    rows = []
    for measurement in wording.MEASURES:
        if measurement in HABITS:
            continue
        gains = {name: whole[name] - scores(name, without(name, measurement)) for name in sets}
        worst = min(gains, key=lambda name: gains[name])
        rows.append([measurement, f"{np.mean(list(gains.values())):+.2f}", f"{gains[worst]:+.2f} ({worst})"])
    table("What each measurement adds to F1 of the evidence at the true number, in points", ["", "mean", "worst"], rows)


run = main

if __name__ == "__main__":
    main()
