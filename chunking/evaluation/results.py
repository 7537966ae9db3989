"""The results of an evaluation of segmentation, in numbers and as JSON; see :mod:`chunking.evaluation.summary`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from chunking.evaluation.data import Remark
from chunking.evaluation.segmentation import BASELINES, Granularity
from chunking.reference.precision import Interval

RATIO = "boundaries_per_gold"
"""All cuts ÷ all reference boundaries."""


class Estimate(NamedTuple):
    """A mean over documents with its 95 % interval; ``None`` where a number has no meaning."""

    mean: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Means:
    """What a row has as means over documents.

    Attributes:
        documents: how many count.
        measures: the mean of each measure, and the ratio :data:`RATIO`.
    """

    documents: int
    measures: Mapping[str, Estimate]

    def as_dict(self) -> dict[str, Any]:
        """Return the means, then their intervals, as JSON has them."""
        means = {name: estimate.mean for name, estimate in self.measures.items()}
        intervals = {f"{name}_interval": estimate.interval for name, estimate in self.measures.items()}
        return means | {"documents": self.documents} | intervals


@dataclass(frozen=True)
class RowSummary:
    """A strategy, or a baseline.

    Attributes:
        kind: which of the two.
        setting: the strategy with its parameters, in one line; empty of a baseline.
        granularity: ``"gold"`` where it was given the number of reference boundaries.
        means: over all documents.
        boundaries: how many it cut in all.
        cuts_inside_units: how many of them were inside units.
        seconds: spent on all documents, without their embedding.
        failed: the documents that it failed on, with the reason.
        per_document: each measure, and the number of boundaries, of each document.
    """

    kind: str
    setting: str
    granularity: Granularity
    means: Means
    boundaries: int
    cuts_inside_units: int
    seconds: float
    failed: tuple[Remark, ...]
    per_document: Mapping[str, tuple[float | None, ...]]

    @property
    def measures(self) -> Mapping[str, Estimate]:
        """The mean of each measure."""
        return self.means.measures

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON has it."""
        return {
            "kind": self.kind,
            "setting": self.setting,
            "granularity": self.granularity,
            **self.means.as_dict(),
            "boundaries": self.boundaries,
            "cuts_inside_units": self.cuts_inside_units,
            "seconds": self.seconds,
            "failed": list(map(asdict, self.failed)),
            "per_document": dict(self.per_document),
        }


@dataclass(frozen=True)
class PairedTest:
    """A measure of one row minus that of another, over the documents that both could do.

    Attributes:
        difference: the mean.
        interval: of this difference alone.
        simultaneous: of all differences of the family together: of strategies, or of one with the baselines.
        p: of a sign-flip test.
        p_adjusted: corrected for all tests of the family.
        documents: how many both could do.
    """

    difference: float | None
    interval: Interval | None
    simultaneous: Interval | None
    p: float | None
    p_adjusted: float | None
    documents: int

    @property
    def turned(self) -> PairedTest:
        """The second row minus the first."""
        difference = None if self.difference is None else -self.difference
        return replace(
            self, difference=difference, interval=_turned(self.interval), simultaneous=_turned(self.simultaneous)
        )


def _turned(interval: Interval | None) -> Interval | None:
    return interval and (-interval[1], -interval[0])


PairedTests = Mapping[str, PairedTest]
"""The tests of two rows, by measure."""


@dataclass(frozen=True)
class DataFacts:
    """The documents of an evaluation.

    Attributes:
        name: of the set.
        sha256: of its documents.
        documents: how many there are.
        documents_with_gold: how many of them have a reference boundary.
        units: in all of them.
        gold_boundaries: reference boundaries in all of them.
        left_out, repaired: remarks on documents that were excluded or corrected.
    """

    name: str
    sha256: str
    documents: int
    documents_with_gold: int
    units: int
    gold_boundaries: int
    left_out: tuple[Remark, ...]
    repaired: tuple[Remark, ...]


@dataclass(frozen=True)
class DocumentFacts:
    """A document of an evaluation.

    Attributes:
        id: unique in the set.
        group: that the file gives, else ``None``.
        language: its code.
        units, gold_boundaries: how many units and reference boundaries it has.
    """

    id: str
    group: str | None
    language: str
    units: int
    gold_boundaries: int


@dataclass(frozen=True)
class SegmentationSummary:
    """The results of an evaluation.

    Fractions are from 0 to 1; ``None`` where a number has no meaning (F1 without a reference boundary, an interval from
    one document).

    Attributes:
        data: the set of documents.
        granularity: whether the number of reference boundaries was given.
        tolerance: in gaps, of ``f1_tolerance``.
        encoder, tokenizer: their names.
        versions: of libraries.
        method: how intervals and tests were computed.
        embedding_seconds: spent on vectors.
        strategies: the rows by their names, baselines included.
        pairs: the tests of each strategy with those after it and with the baselines; ``pairs[A][B]`` is A − B.
        groups: the means of each row over the documents of each group, where there are groups.
        documents: in the order of the values of each row.
        notes: what a reader should know.
    """

    data: DataFacts
    granularity: Granularity
    tolerance: int
    encoder: str
    tokenizer: str
    versions: Mapping[str, str]
    method: Mapping[str, float | str]
    embedding_seconds: float
    strategies: Mapping[str, RowSummary]
    pairs: Mapping[str, Mapping[str, PairedTests]]
    groups: Mapping[str, Mapping[str, Means]]
    documents: tuple[DocumentFacts, ...]
    notes: tuple[str, ...]

    @property
    def ranked(self) -> list[str]:
        """The rows, the best F1 first, those without one last."""
        means = {name: row.measures["f1"].mean for name, row in self.strategies.items()}
        return sorted(means, key=lambda name: -1.0 if (mean := means[name]) is None else mean, reverse=True)

    @property
    def ranked_strategies(self) -> list[str]:
        """The rows but for the baselines, the best F1 first."""
        return [name for name in self.ranked if name not in BASELINES]

    @property
    def no_better_than_none(self) -> list[str]:
        """The strategies whose Pk is not better than that of no boundary at all, as far as the documents can tell."""
        intervals = {name: others["none"]["pk"].simultaneous for name, others in self.pairs.items()}
        return [name for name, interval in intervals.items() if interval is not None and interval[1] >= 0]

    def against(self, other: str) -> dict[str, PairedTests]:
        """Return the tests between each row and ``other``, the best F1 first.

        Rows without a paired test (of two baselines) are left out.
        """
        tests: dict[str, PairedTests] = {}
        for name in self.ranked:
            if other in self.pairs.get(name, {}):
                tests[name] = self.pairs[name][other]
            elif name in self.pairs.get(other, {}):
                tests[name] = {measure: test.turned for measure, test in self.pairs[other][name].items()}
        return tests

    def as_dict(self) -> dict[str, Any]:
        """Return the results as JSON has them."""
        return vars(self) | {
            "data": asdict(self.data),
            "strategies": {name: row.as_dict() for name, row in self.strategies.items()},
            "pairs": {
                one: {other: {name: vars(test) for name, test in tests.items()} for other, tests in others.items()}
                for one, others in self.pairs.items()
            },
            "groups": {
                name: {row: means.as_dict() for row, means in rows.items()} for name, rows in self.groups.items()
            },
            "documents": list(map(asdict, self.documents)),
        }
