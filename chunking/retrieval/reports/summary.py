"""What an evaluation of retrieval comes to: see :func:`summarize`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from chunking import embedding
from chunking.errors import ChunkscopeError
from chunking.evaluation.intervals import LEVEL, RESAMPLES, SEED, bootstrap, strata_of
from chunking.installation import versions
from chunking.loading.language import LANGUAGES
from chunking.retrieval import score
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalRow
from chunking.retrieval.questions.data import QuestionSetRemark, Truth, corpora, describe_remarks
from chunking.retrieval.score import Score
from chunking.retrieval.search.index import NAME, SearchReport
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import DEPTH, Method
from chunking.retrieval.significance import Difference, differences, winner
from chunking.runtime.arrays import AnyInts, Float64, Int64
from chunking.runtime.progress import Tell

Rank = Literal["measure", "score"]
RANKS: tuple[Rank, ...] = get_args(Rank)

_DIGITS = 12
_RANGES = 20
"""Bars of a histogram at most."""
_REMARKS = 1000
"""Remarks that are listed one by one; all of them are counted in the notes."""

EQUAL = 1.25
"""Ratio of the mean tokens of two strategies up to which their chunks are of about equal size."""


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
    """How many passages there are and how large they are, in tokens; all 0 if there are none.

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
            **_flat(self.measures),
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
        encoder: its name; ``None`` if none was used.
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
        found = self.retrievers
        data = {name: value for name, value in asdict(self.data).items() if value is not None}
        values = vars(self) | {
            "data": data,
            "strategies": {name: row.as_dict() for name, row in self.strategies.items()},
            "retrievers": vars(found) | {"pairs": list(map(_retriever_pair, found.pairs))} if found else {},
            "equal_sizes": vars(self.equal_sizes),
            "corpora": {
                name: {row: _flat(means) | {"questions": corpus.questions} for row, means in corpus.rows.items()}
                for name, corpus in self.corpora.items()
            },
            "pairs": {name: list(map(_pair, pairs)) for name, pairs in self.pairs.items()},
        }
        return {name: value for name, value in values.items() if name != "seconds" or value}


def failures(remarks: Sequence[QuestionSetRemark]) -> list[dict[str, str]]:
    """Return documents that could not be cut, with the reasons, as JSON has them."""
    return [{"id": remark.id, "what": remark.what} for remark in remarks]


def _flat(measures: Estimates) -> dict[str, Any]:
    """Return the means, then their intervals."""
    means = {name: estimate.mean for name, estimate in measures.items()}
    return means | {f"{name}_interval": estimate.interval for name, estimate in measures.items()}


def _retriever_pair(pair: Difference) -> dict[str, Any]:
    return {"one": pair.one, "other": pair.other, "difference": pair.mean, "simultaneous": pair.simultaneous}


def _pair(pair: Difference) -> dict[str, Any]:
    return {
        "one": pair.one,
        "other": pair.other,
        "difference": round(pair.mean, _DIGITS),
        "interval": [round(end, _DIGITS) for end in pair.interval],
        "simultaneous": [round(end, _DIGITS) for end in pair.simultaneous],
        "verdict": pair.verdict,
    }


# --- summing up ------------------------------------------------------------------------------------------------------


def primary(evaluation: RetrievalEvaluation) -> str:
    """Return the measure by which rows are put in order: equal context for spans, nDCG@10 for documents."""
    if evaluation.question_set.truth == "documents" or not evaluation.options.kept.budgets:
        return "nDCG@10" if evaluation.question_set.truth == "documents" else "recall"
    budgets = evaluation.options.kept.budgets
    return f"recall@{budgets[len(budgets) // 2]}"


def summarize(
    evaluation: RetrievalEvaluation,
    rank: Rank = "measure",
    tell: Tell | None = None,
    hashed: bool = True,
) -> RetrievalSummary:
    """Return everything that is known of an evaluation.

    Args:
        evaluation: the evaluation.
        rank: what rows are put in order by: the primary measure, or the score of :mod:`chunking.retrieval.score`.
        tell: receives the progress; may raise to stop.
        hashed: whether the hash of the set is reported, for which every document is read.

    Raises:
        ChunkscopeError: ``rank`` is something else.
    """
    if rank not in RANKS:
        raise ChunkscopeError(f"Rows are not ranked by {rank!r:.40}.", f"Choose one of {', '.join(RANKS)}.")
    question_set, rows, main = evaluation.question_set, evaluation.rows, primary(evaluation)
    report = tell or (lambda *_: None)
    labels = corpora(question_set)
    strata = strata_of(labels)
    names = list(rows[0].values) if rows else []
    pairs: dict[str, tuple[Difference, ...]] = {}
    for number, name in enumerate(names):
        report("differences, by measure", number, len(names))
        pairs[name] = tuple(differences({row.name: row.values[name] for row in rows}, strata))
    summaries = {}
    for number, row in enumerate(rows):
        report("intervals, by row", number, len(rows))
        summaries[row.name] = _summarize_row(row, evaluation, strata)
    language_notes = _language_notes(evaluation)
    return RetrievalSummary(
        data=DataFacts(
            question_set.name,
            question_set.content_hash if hashed else None,
            question_set.truth,
            len(question_set.sources),
            len(question_set.questions),
            question_set.remarks[:_REMARKS],
            len(question_set.remarks),
        ),
        encoder=evaluation.options.tools.encoder if evaluation.embeds else None,
        tokenizer=evaluation.options.tools.tokenizer,
        versions=versions(),
        top_k=evaluation.options.kept.passages,
        budgets=evaluation.options.kept.budgets,
        primary=main,
        search=_search(evaluation),
        rank=rank,
        score=score.FORMULA,
        method={
            "interval": LEVEL,
            "resamples": RESAMPLES,
            "seed": SEED,
            "correction": "max-T",
            "depth": DEPTH,
            "resampled": "questions" if strata is None else "questions within corpora",
        },
        seconds={step: round(spent, 3) for step, spent in evaluation.seconds.items()},
        strategies=summaries,
        retrievers=by_retriever(rows, main, strata),
        equal_sizes=equal_sizes(rows, evaluation.passages, pairs.get(main, ())),
        corpora=_by_corpus(rows, names, labels),
        questions=tuple(question.id for question in question_set.questions),
        pairs=pairs,
        verdict=winner({row.name: row.values[main] for row in rows}, pairs.get(main, ())),
        notes=tuple(_notes(evaluation, language_notes)),
        language_notes=tuple(language_notes),
    )


def _estimates(names: Sequence[str], table: Float64, strata: Int64 | None = None) -> dict[str, Estimate]:
    """Return the means of columns by their names."""
    low, high = bootstrap(table, np.ones_like(table), strata)
    means = (round(mean, _DIGITS) for mean in table.mean(axis=0).tolist())
    return {name: Estimate(mean, _interval(*ends)) for name, mean, *ends in zip(names, means, low, high, strict=True)}


def _interval(low: float, high: float) -> tuple[float, float] | None:
    return None if np.isnan(low) else (round(float(low), _DIGITS), round(float(high), _DIGITS))


def _by_corpus(rows: Sequence[RetrievalRow], names: Sequence[str], labels: Sequence[str]) -> dict[str, CorpusSummary]:
    """Return the means of each row over the questions of each corpus."""
    columns = [(row, name) for row in rows for name in names]
    keys = [f"{row.name}\0{name}" for row, name in columns]
    summaries = {}
    for corpus in sorted(set(labels)):
        questions = np.flatnonzero([label == corpus for label in labels])
        means = _estimates(keys, np.stack([row.values[name][questions] for row, name in columns], axis=1))
        by_row = {row.name: {name: means[f"{row.name}\0{name}"] for name in names} for row in rows}
        summaries[corpus] = CorpusSummary(len(questions), by_row)
    return summaries


def _summarize_row(row: RetrievalRow, evaluation: RetrievalEvaluation, strata: Int64 | None) -> RowSummary:
    passages = evaluation.passages[row.strategy]
    seconds = {step: round(spent, 4) for step, spent in row.seconds.items()}
    values = {name: tuple(round(value, 6) for value in row.values[name].tolist()) for name in row.values}
    return RowSummary(
        setting=evaluation.settings[row.strategy].text,
        retriever=row.method,
        search=None if row.method == "bm25" else row.searched,
        measures=_estimates(list(row.values), np.stack(list(row.values.values()), axis=1), strata),
        score=Score(score.size_score(passages.tokens), row.score),
        chunks=Sizes.of(passages.tokens),
        truncated=evaluation.truncated.get(row.strategy, 0),
        seconds=seconds | {"cutting": round(passages.seconds, 4)},
        failed=passages.failed,
        per_question=values,
    )


def by_retriever(rows: Sequence[RetrievalRow], measure: str, strata: Int64 | None) -> RetrieverComparison | None:
    """Compare ways to search by a measure, each averaged over all strategies; ``None`` if there is one way.

    Args:
        rows: each strategy with each way to search.
        measure: what they are compared by.
        strata: of the questions, see :func:`chunking.evaluation.intervals.strata_of`.
    """
    methods = list(dict.fromkeys(row.method for row in rows))
    if len(methods) < 2:
        return None
    values = {
        str(method): np.mean([row.values[measure] for row in rows if row.method == method], axis=0)
        for method in methods
    }
    pairs = differences(values, strata)
    means = {method: round(float(values[method].mean()), _DIGITS) for method in methods}
    return RetrieverComparison(measure, means, tuple(pairs), winner(values, pairs))


def equal_sizes(
    rows: Sequence[RetrievalRow], passages: Mapping[str, Passages], pairs: Sequence[Difference]
) -> EqualSizes:
    """Count the pairs of strategies that have chunks of about equal size and are searched alike.

    Args:
        rows: each strategy with each way to search.
        passages: by strategy.
        pairs: the differences of all rows in a measure.
    """
    by_name = {row.name: row for row in rows}
    sizes = {name: float(cut.tokens.mean()) if len(cut) else 0.0 for name, cut in passages.items()}
    alike = []
    for pair in pairs:
        one, other = by_name[pair.one], by_name[pair.other]
        small, large = sorted((sizes[one.strategy], sizes[other.strategy]))
        same = _cut_alike(passages[one.strategy], passages[other.strategy])
        if one.method == other.method and not same and 0 < large <= EQUAL * small:
            alike.append(pair)
    beyond = max((pair.beyond for pair in alike if pair.better is None), default=0.0)
    return EqualSizes(EQUAL, len(alike), sum(pair.better is not None for pair in alike), beyond)


def _search(evaluation: RetrievalEvaluation) -> dict[str, str]:
    dense = [row for row in evaluation.rows if row.method != "bm25"]
    indexed = any(row.searched.lists for row in dense)
    words = f"by an index, {NAME}" if indexed else "exact"
    return {"asked": evaluation.options.index, "dense": words} if dense else {}


def _cut_alike(one: Passages, other: Passages) -> bool:
    """Return whether two settings differ in nothing but what is embedded or returned."""
    return np.array_equal(one.start, other.start) and np.array_equal(one.end, other.end)


def _notes(evaluation: RetrievalEvaluation, language_notes: Sequence[str]) -> list[str]:
    question_set = evaluation.question_set
    notes = [*describe_remarks(question_set.remarks), *language_notes]
    notes += [f"Dense search of {row.name}: {row.searched.text}." for row in evaluation.rows if row.searched.lists]
    for name, passages in evaluation.passages.items():
        if passages.failed:
            notes.append(
                f"{name} failed on {len(passages.failed):,} of {len(question_set.sources):,} documents, in which "
                f"no passage can be found: {passages.failed[0].what}"
            )
        if evaluation.truncated.get(name):
            notes.append(
                f"{evaluation.truncated[name]:,} of {len(passages):,} passages of {name} exceed the encoder limit; "
                "the rest is truncated in dense search."
            )
    if question_set.truth == "documents" and not all(cut.rule.alone for cut in evaluation.passages.values()):
        notes.append("Judged documents are ranked by their chunks: return has no effect on their measures.")
    if len(question_set.questions) < 30:
        notes.append(f"{len(question_set.questions)} questions are few: intervals from so few are rough.")
    return notes


def _language_notes(evaluation: RetrievalEvaluation) -> list[str]:
    """Return the warning that the encoder was not trained on the language of some documents, if that is so."""
    if not evaluation.embeds or not evaluation.passages:
        return []
    encoder = embedding.get_encoder(evaluation.options.tools.encoder)
    languages = next(iter(evaluation.passages.values())).languages
    foreign = {code: count for code, count in languages.items() if code not in (*encoder.languages, "und")}
    if not encoder.languages or not foreign:
        return []
    trained_on = " and ".join(LANGUAGES.get(code, code) for code in encoder.languages)
    counts = ", ".join(f"{LANGUAGES.get(code, code)} {count:,}" for code, count in sorted(foreign.items()))
    return [
        f"The encoder {encoder.name} was trained on {trained_on}; {sum(foreign.values()):,} of "
        f"{sum(languages.values()):,} documents are in other languages ({counts}), so dense search and semantic "
        "distances are less reliable. Choose another encoder, or compare with bm25."
    ]
