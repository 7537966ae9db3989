"""The results of an evaluation of retrieval, in numbers and as JSON; see :mod:`chunking.retrieval.reports.summary`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from chunking.retrieval.questions.data import QuestionSetRemark, Truth
from chunking.retrieval.score import Score
from chunking.retrieval.search.index import SearchReport
from chunking.retrieval.search.ranking import Method
from chunking.retrieval.significance import Difference
from chunking.runtime.arrays import AnyInts

Rank = Literal["measure", "score"]
RANKS: tuple[Rank, ...] = get_args(Rank)

DIGITS = 12
"""Of a mean or a difference, after the point."""

_RANGES = 20
"""Bars of a histogram at most."""


class Estimate(NamedTuple):
    """A mean over questions with its 95 % interval, which needs more than one question."""

    mean: float
    interval: tuple[float, float] | None


Estimates = Mapping[str, Estimate]
"""Means by measure."""


class Histogram(NamedTuple):
    """Sizes by ranges of equal width.

    Attributes:
        start: of the first range.
        width: of each: 1, 2 or 5 times a power of ten.
        counts: of all ranges up to that of the largest size.
    """

    start: int
    width: int
    counts: tuple[int, ...]

    @classmethod
    def of(cls, tokens: AnyInts) -> Histogram:
        """Count ``(n,)`` integers, at least one, in at most 20 ranges."""
        low, high = int(tokens.min()), int(tokens.max())
        widths = (step * 10**power for power in count() for step in (1, 2, 5))
        width = next(width for width in widths if high // width - low // width < _RANGES)
        return cls(low // width * width, width, tuple(np.bincount(tokens // width - low // width).tolist()))


@dataclass(frozen=True)
class Sizes:
    """The number of passages and their sizes in tokens; all 0 without passages.

    Attributes:
        number: how many there are.
        mean, median, deviation, min, max: of the size of one; the deviation is that of the population.
        tokens: of all together.
        histogram: how sizes are distributed.
    """

    number: int = 0
    mean: float = 0.0
    median: float = 0.0
    deviation: float = 0.0
    min: int = 0
    max: int = 0
    tokens: int = 0
    histogram: Histogram | None = None

    @classmethod
    def of(cls, tokens: AnyInts) -> Sizes:
        """Return the figures of ``(n,)`` sizes."""
        if not len(tokens):
            return cls()
        mean, deviation = round(float(tokens.mean()), 3), round(float(tokens.std()), 3)
        ends = int(tokens.min()), int(tokens.max())
        return cls(
            len(tokens), mean, float(np.median(tokens)), deviation, *ends, int(tokens.sum()), Histogram.of(tokens)
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as JSON has them; only the number if there are no passages."""
        return vars(self) | {"histogram": self.histogram._asdict()} if self.histogram else {"number": 0}


@dataclass(frozen=True)
class DataFacts:
    """The question set of an evaluation.

    Attributes:
        name: of the set.
        sha256: of documents and questions; ``None`` if it was not computed.
        truth: what is known to be true.
        documents, questions: how many there are.
        remarks: the first of those on what was corrected or left out.
        remarks_in_all: how many there are.
    """

    name: str
    sha256: str | None
    truth: Truth
    documents: int
    questions: int
    remarks: tuple[QuestionSetRemark, ...]
    remarks_in_all: int


@dataclass(frozen=True)
class RowSummary:
    """A strategy with a way to search.

    Attributes:
        setting: the strategy with its parameters, in one line.
        retriever: the way to search.
        search: how vectors were compared; ``None`` for BM25.
        measures: the mean of each measure.
        score: of the sizes and the retrieval.
        chunks: the sizes of its passages.
        truncated: how many of them the encoder does not read to the end.
        seconds: by step; empty if they are not reported.
        failed: the documents that could not be cut.
        per_question: the values of each measure.
    """

    setting: str
    retriever: Method
    search: SearchReport | None
    measures: Estimates
    score: Score
    chunks: Sizes
    truncated: int
    seconds: Mapping[str, float]
    failed: tuple[QuestionSetRemark, ...]
    per_question: Mapping[str, tuple[float, ...]]

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON has it."""
        optional = {"seconds": dict(self.seconds)} if self.seconds else {}
        return {
            "setting": self.setting,
            "retriever": self.retriever,
            "search": self.search.as_dict() if self.search else {},
            **flat(self.measures),
            "score": self.score.as_dict(),
            "chunks": self.chunks.as_dict(),
            "truncated": self.truncated,
            **optional,
            "failed": failures(self.failed),
            "per_question": dict(self.per_question),
        }


@dataclass(frozen=True)
class RetrieverComparison:
    """Ways to search, each averaged over all strategies.

    Attributes:
        measure: what they are compared by.
        means: by way to search.
        pairs: their differences.
        verdict: on the best of them.
    """

    measure: str
    means: Mapping[Method, float]
    pairs: tuple[Difference, ...]
    verdict: str


@dataclass(frozen=True)
class EqualSizes:
    """Pairs of strategies with chunks of about equal size, searched alike.

    Attributes:
        ratio: of their mean tokens, at most.
        pairs: how many there are.
        different: how many differ significantly.
        beyond: what the others differ by at most.
    """

    ratio: float
    pairs: int
    different: int
    beyond: float


@dataclass(frozen=True)
class CorpusSummary:
    """The questions of one corpus: how many there are, and the means of each row over them."""

    questions: int
    rows: Mapping[str, Estimates]


@dataclass(frozen=True)
class RetrievalSummary:
    """The results of an evaluation.

    Attributes:
        data: the question set.
        encoder: the name of the encoder that searched; ``None`` if none did.
        boundary_encoders: the names of those that strategies cut with.
        tokenizer: what counts tokens.
        versions: of libraries.
        top_k: passages that are evaluated.
        budgets: in tokens.
        primary: the main measure.
        search: how vectors were compared: ``asked``, the index that was requested, and ``dense``, in words; empty if
            they were not.
        rank: what rows are put in order by.
        score: the formula of the score.
        method: how intervals were computed.
        seconds: by step; empty if they are not reported.
        strategies: the rows by their names.
        retrievers: the comparison of several ways to search.
        equal_sizes: the comparison of strategies with chunks of equal size.
        corpora: the results by corpus, where there are several.
        questions: their ids.
        pairs: the differences of all pairs of rows, by measure.
        verdict: on the best row.
        notes: what a reader should know.
        language_notes: those on documents in a language that the encoder was not trained on.
    """

    data: DataFacts
    encoder: str | None
    boundary_encoders: tuple[str, ...]
    tokenizer: str
    versions: Mapping[str, str]
    top_k: int
    budgets: tuple[int, ...]
    primary: str
    search: Mapping[str, str]
    rank: Rank
    score: str
    method: Mapping[str, Any]
    seconds: Mapping[str, float]
    strategies: Mapping[str, RowSummary]
    retrievers: RetrieverComparison | None
    equal_sizes: EqualSizes
    corpora: Mapping[str, CorpusSummary]
    questions: tuple[str, ...]
    pairs: Mapping[str, tuple[Difference, ...]]
    verdict: str
    notes: tuple[str, ...]
    language_notes: tuple[str, ...]

    @property
    def scored(self) -> bool:
        """Whether rows are put in order by the score of sizes and retrieval."""
        return self.rank == "score"

    @property
    def ranked(self) -> list[str]:
        """The rows, the best first."""
        rows = self.strategies
        return sorted(rows, key=lambda name: -(rows[name].score.total if self.scored else self.main(name).mean))

    @property
    def measures(self) -> list[str]:
        """The names of the measures, the main one first."""
        names = list(next(iter(self.strategies.values())).measures) if self.strategies else []
        return sorted(names, key=lambda name: name != self.primary)

    def main(self, row: str) -> Estimate:
        """Return the main measure of a row."""
        return self.strategies[row].measures[self.primary]

    def against(self, measure: str, other: str) -> dict[str, Difference]:
        """Return the difference of every other row from ``other`` in a measure, the best row first."""
        pairs = self.pairs.get(measure, ())
        by_row = {pair.one: pair for pair in pairs if pair.other == other}
        by_row |= {pair.other: pair.turned for pair in pairs if pair.one == other}
        return {name: by_row[name] for name in self.ranked if name in by_row}

    def as_dict(self) -> dict[str, Any]:
        """Return the results as JSON has them."""
        retrievers = self.retrievers
        data = {name: value for name, value in asdict(self.data).items() if value is not None}
        values = vars(self) | {
            "data": data,
            "strategies": {name: row.as_dict() for name, row in self.strategies.items()},
            "retrievers": vars(retrievers) | {"pairs": list(map(_retriever_pair, retrievers.pairs))}
            if retrievers
            else {},
            "equal_sizes": vars(self.equal_sizes),
            "corpora": {
                name: {row: flat(means) | {"questions": corpus.questions} for row, means in corpus.rows.items()}
                for name, corpus in self.corpora.items()
            },
            "pairs": {name: list(map(pair_dict, pairs)) for name, pairs in self.pairs.items()},
        }
        return {name: value for name, value in values.items() if name != "seconds" or value}


def failures(remarks: Sequence[QuestionSetRemark]) -> list[dict[str, str]]:
    """Return documents that could not be cut, with the reasons, as JSON has them."""
    return [{"id": remark.id, "what": remark.what} for remark in remarks]


def flat(measures: Estimates) -> dict[str, Any]:
    """Return the means, then their intervals."""
    means = {name: estimate.mean for name, estimate in measures.items()}
    return means | {f"{name}_interval": estimate.interval for name, estimate in measures.items()}


def _retriever_pair(pair: Difference) -> dict[str, Any]:
    return {"one": pair.one, "other": pair.other, "difference": pair.mean, "simultaneous": pair.simultaneous}


def pair_dict(pair: Difference) -> dict[str, Any]:
    """Return a difference as JSON has it."""
    return {
        "one": pair.one,
        "other": pair.other,
        "difference": round(pair.mean, DIGITS),
        "interval": [round(end, DIGITS) for end in pair.interval],
        "simultaneous": [round(end, DIGITS) for end in pair.simultaneous],
        "verdict": pair.verdict,
    }
