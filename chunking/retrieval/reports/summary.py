"""Sum up an evaluation of retrieval: means with their intervals, differences, and what a reader should know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from chunking import embedding
from chunking.errors import ChunkscopeError
from chunking.evaluation.intervals import LEVEL, RESAMPLES, SEED, bootstrap, strata_of
from chunking.installation import versions
from chunking.loading.language import LANGUAGES
from chunking.retrieval import score
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalRow
from chunking.retrieval.questions.data import corpora, describe_proxies, describe_remarks
from chunking.retrieval.reports.results import (
    DIGITS,
    RANKS,
    CorpusSummary,
    DataFacts,
    EqualSizes,
    Estimate,
    Rank,
    RetrievalSummary,
    RetrieverComparison,
    RowSummary,
    Sizes,
)
from chunking.retrieval.score import Score
from chunking.retrieval.search.index import NAME
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import DEPTH
from chunking.retrieval.significance import Difference, differences, winner
from chunking.runtime.arrays import Float64, Int64
from chunking.runtime.progress import Tell

_REMARKS = 1000
"""Remarks that are listed one by one; all of them are counted in the notes."""

EQUAL = 1.25
"""Ratio of the mean tokens of two strategies up to which their chunks are of about equal size."""


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
    """Return the summary of an evaluation.

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
        encoder=evaluation.encoder,
        boundary_encoders=evaluation.boundary_encoders,
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
        seconds={step: round(duration, 3) for step, duration in evaluation.seconds.items()},
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


def estimates(names: Sequence[str], table: Float64, strata: Int64 | None = None) -> dict[str, Estimate]:
    """Return the means of columns by their names."""
    low, high = bootstrap(table, np.ones_like(table), strata)
    means = (round(mean, DIGITS) for mean in table.mean(axis=0).tolist())
    return {name: Estimate(mean, _interval(*ends)) for name, mean, *ends in zip(names, means, low, high, strict=True)}


def _interval(low: float, high: float) -> tuple[float, float] | None:
    return None if np.isnan(low) else (round(float(low), DIGITS), round(float(high), DIGITS))


def _by_corpus(rows: Sequence[RetrievalRow], names: Sequence[str], labels: Sequence[str]) -> dict[str, CorpusSummary]:
    """Return the means of each row over the questions of each corpus."""
    columns = [(row, name) for row in rows for name in names]
    keys = [f"{row.name}\0{name}" for row, name in columns]
    summaries = {}
    for corpus in sorted(set(labels)):
        questions = np.flatnonzero([label == corpus for label in labels])
        means = estimates(keys, np.stack([row.values[name][questions] for row, name in columns], axis=1))
        by_row = {row.name: {name: means[f"{row.name}\0{name}"] for name in names} for row in rows}
        summaries[corpus] = CorpusSummary(len(questions), by_row)
    return summaries


def _summarize_row(row: RetrievalRow, evaluation: RetrievalEvaluation, strata: Int64 | None) -> RowSummary:
    passages = evaluation.passages[row.strategy]
    seconds = {step: round(duration, 4) for step, duration in row.seconds.items()}
    values = {name: tuple(round(value, 6) for value in row.values[name].tolist()) for name in row.values}
    return RowSummary(
        setting=evaluation.settings[row.strategy].text,
        retriever=row.method,
        search=None if row.method == "bm25" else row.searched,
        measures=estimates(list(row.values), np.stack(list(row.values.values()), axis=1), strata),
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
    means = {method: round(float(values[method].mean()), DIGITS) for method in methods}
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
        same = _is_cut_alike(passages[one.strategy], passages[other.strategy])
        if one.method == other.method and not same and 0 < large <= EQUAL * small:
            alike.append(pair)
    beyond = max((pair.beyond for pair in alike if pair.better is None), default=0.0)
    return EqualSizes(EQUAL, len(alike), sum(pair.better is not None for pair in alike), beyond)


def _search(evaluation: RetrievalEvaluation) -> dict[str, str]:
    dense = [row for row in evaluation.rows if row.method != "bm25"]
    indexed = any(row.searched.lists for row in dense)
    words = f"by an index, {NAME}" if indexed else "exact"
    return {"asked": evaluation.options.index, "dense": words} if dense else {}


def _is_cut_alike(one: Passages, other: Passages) -> bool:
    """Return whether two settings differ in nothing but what is embedded or returned."""
    return np.array_equal(one.start, other.start) and np.array_equal(one.end, other.end)


def _notes(evaluation: RetrievalEvaluation, language_notes: Sequence[str]) -> list[str]:
    question_set = evaluation.question_set
    notes = [*describe_proxies(question_set.questions), *describe_remarks(question_set.remarks), *language_notes]
    notes += [f"Dense search of {row.name}: {row.searched.text}." for row in evaluation.rows if row.searched.lists]
    if rerank := evaluation.options.rerank:
        notes.append(f"The first {rerank.top:,} passages of every ranking are reranked by {rerank.model}.")
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
    name = evaluation.encoder or evaluation.options.tools.encoder
    if name is None or not evaluation.passages or not (evaluation.encoder or evaluation.boundary_encoders):
        return []
    encoder = embedding.get_encoder(name)
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
