"""What an evaluation of retrieval comes to, as JSON can hold it; see :func:`as_dict`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Literal, get_args

import numpy as np

from chunking import embedding
from chunking.errors import ChunkscopeError
from chunking.evaluation.intervals import LEVEL, RESAMPLES, SEED, bootstrap, strata_of
from chunking.installation import versions
from chunking.loading.language import LANGUAGES
from chunking.retrieval import score
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalRow
from chunking.retrieval.questions.data import corpora, describe_remarks
from chunking.retrieval.search.index import NAME
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import DEPTH
from chunking.retrieval.significance import Difference, differences, winner
from chunking.runtime.arrays import AnyInts, Int64
from chunking.runtime.progress import Tell

Rank = Literal["measure", "score"]
RANKS: tuple[Rank, ...] = get_args(Rank)

_DIGITS = 12


def primary(evaluation: RetrievalEvaluation) -> str:
    """Return the measure by which rows are put in order: equal context for spans, nDCG@10 for documents."""
    if evaluation.known.truth == "documents" or not evaluation.options.kept.budgets:
        return "nDCG@10" if evaluation.known.truth == "documents" else "recall"
    budgets = evaluation.options.kept.budgets
    return f"recall@{budgets[len(budgets) // 2]}"


def as_dict(
    evaluation: RetrievalEvaluation,
    each: bool = True,
    rank: Rank = "measure",
    tell: Tell | None = None,
    hashed: bool = True,
) -> dict[str, Any]:
    """Return everything that is known of an evaluation.

    Args:
        evaluation: the evaluation.
        each: whether the values of every question are there.
        rank: what rows are put in order by: the primary measure, or the score of :mod:`chunking.retrieval.score`.
        tell: receives what is being done and how far it is; may raise to stop.
        hashed: whether the hash of the set is there, for which every document is read.

    Raises:
        ChunkscopeError: ``rank`` is something else.
    """
    if rank not in RANKS:
        raise ChunkscopeError(f"Rows are not ranked by {rank!r:.40}.", f"Choose one of {', '.join(RANKS)}.")
    question_set = evaluation.known
    main = primary(evaluation)
    names = list(evaluation.rows[0].values) if evaluation.rows else []
    say = tell or (lambda *_: None)
    pairs = {}
    labels = corpora(question_set)
    strata = strata_of(labels)
    for place, name in enumerate(names):
        say("differences, by measure", place, len(names))
        pairs[name] = differences({row.name: row.values[name] for row in evaluation.rows}, strata)
    rows = {}
    for place, row in enumerate(evaluation.rows):
        say("intervals, by row", place, len(evaluation.rows))
        rows[row.name] = _row(row, evaluation, each, strata)
    return {
        "data": {
            "name": question_set.name,
            **({"sha256": question_set.content_hash} if hashed else {}),
            "truth": question_set.truth,
            "documents": len(question_set.sources),
            "questions": len(question_set.questions),
            "remarks": [vars_of(remark) for remark in question_set.remarks[:_REMARKS]],
            "remarks_in_all": len(question_set.remarks),
        },
        "encoder": evaluation.options.tools.encoder if evaluation.embeds else None,
        "tokenizer": evaluation.options.tools.tokenizer,
        "versions": versions(),
        "top_k": evaluation.options.kept.passages,
        "budgets": list(evaluation.options.kept.budgets),
        "primary": main,
        "search": search(evaluation),
        "rank": rank,
        "score": score.FORMULA,
        "method": {
            "interval": LEVEL,
            "resamples": RESAMPLES,
            "seed": SEED,
            "correction": "max-T",
            "depth": DEPTH,
            "resampled": "questions" if strata is None else "questions within corpora",
        },
        "seconds": {step: round(spent, 3) for step, spent in evaluation.seconds.items()},
        "strategies": rows,
        "retrievers": by_retriever(evaluation.rows, main, strata) if evaluation.rows else {},
        "equal_sizes": equal_sizes(evaluation.rows, evaluation.passages, pairs.get(main, [])),
        "corpora": _by_corpus(evaluation.rows, names, labels),
        "questions": [question.id for question in question_set.questions] if each else [],
        "pairs": {name: [_pair(difference) for difference in some] for name, some in pairs.items()},
        "verdict": winner({row.name: row.values[main] for row in evaluation.rows}, pairs.get(main, [])),
        "notes": _notes(evaluation),
        "language_notes": language_notes(evaluation),
    }


_REMARKS = 1000
"""Remarks that are listed one by one; all of them are counted in the notes."""


def vars_of(remark: Any) -> dict[str, Any]:
    """Return the fields of a remark."""
    return {name: getattr(remark, name) for name in ("file", "line", "id", "what")}


def _by_corpus(
    rows: Sequence[RetrievalRow], names: Sequence[str], labels: Sequence[str]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the means of each row over the questions of each corpus, with intervals, and how many questions it has."""
    means: dict[str, dict[str, dict[str, Any]]] = {}
    for corpus in sorted(set(labels)):
        places = np.flatnonzero([label == corpus for label in labels])
        table = np.stack([row.values[name][places] for row in rows for name in names], axis=1)
        low, high = bootstrap(table, np.ones_like(table))
        columns = iter(zip(table.mean(axis=0).tolist(), map(_interval, low, high), strict=True))
        means[corpus] = {row.name: _means(names, columns) | {"questions": len(places)} for row in rows}
    return means


def _means(names: Sequence[str], columns: Iterator[tuple[float, list[float] | None]]) -> dict[str, Any]:
    """Return the next means and intervals, one of each measure."""
    columns_by_name = {name: next(columns) for name in names}
    means = {name: round(mean, _DIGITS) for name, (mean, _) in columns_by_name.items()}
    return means | {f"{name}_interval": interval for name, (_, interval) in columns_by_name.items()}


def _interval(low: float, high: float) -> list[float] | None:
    return None if np.isnan(low) else [round(float(low), _DIGITS), round(float(high), _DIGITS)]


def _row(row: RetrievalRow, evaluation: RetrievalEvaluation, each: bool, strata: Int64 | None) -> dict[str, Any]:
    table = np.stack(list(row.values.values()), axis=1)
    low, high = bootstrap(table, np.ones_like(table), strata)
    fields: dict[str, Any] = {
        "setting": evaluation.settings[row.strategy].text,
        "retriever": row.method,
        "search": row.searched.as_dict() if row.method != "bm25" else {},
        **{name: round(float(values.mean()), _DIGITS) for name, values in row.values.items()},
        **{f"{name}_interval": _interval(start, end) for name, start, end in zip(row.values, low, high, strict=True)},
        "score": score.of(evaluation, row).as_dict(),
        "chunks": sizes(evaluation.passages[row.strategy].tokens),
        "truncated": evaluation.truncated.get(row.strategy, 0),
        "seconds": {step: round(spent, 4) for step, spent in row.seconds.items()}
        | {"cutting": round(evaluation.passages[row.strategy].seconds, 4)},
        "failed": [{"id": remark.id, "what": remark.what} for remark in evaluation.passages[row.strategy].failed],
    }
    if each:
        fields["per_question"] = {name: [round(float(value), 6) for value in row.values[name]] for name in row.values}
    return fields


def sizes(tokens: AnyInts) -> dict[str, Any]:
    """Return how many passages there are and how large they are, in tokens; the deviation is that of the population."""
    if not len(tokens):
        return {"number": 0}
    return {
        "number": len(tokens),
        "mean": round(float(tokens.mean()), 3),
        "median": float(np.median(tokens)),
        "deviation": round(float(tokens.std()), 3),
        "min": int(tokens.min()),
        "max": int(tokens.max()),
        "tokens": int(tokens.sum()),
        "histogram": histogram(tokens),
    }


def histogram(tokens: AnyInts) -> dict[str, Any]:
    """Return sizes by ranges of equal width, at most :data:`_RANGES`.

    Args:
        tokens: ``(n,)`` integers, at least one.

    Returns:
        ``start`` of the first range, their ``width`` (1, 2 or 5 times a power of ten), and the ``counts`` of all up to
        the largest size.
    """
    low, high = int(tokens.min()), int(tokens.max())
    widths = (step * 10**power for power in count() for step in (1, 2, 5))
    width = next(width for width in widths if high // width - low // width < _RANGES)
    counts = np.bincount(tokens // width - low // width)
    return {"start": low // width * width, "width": width, "counts": counts.tolist()}


_RANGES = 20


def _pair(difference: Difference) -> dict[str, Any]:
    return {
        "one": difference.one,
        "other": difference.other,
        "difference": round(difference.mean, _DIGITS),
        "interval": [round(end, _DIGITS) for end in difference.interval],
        "simultaneous": [round(end, _DIGITS) for end in difference.simultaneous],
        "verdict": difference.verdict,
    }


# --- ways to search, and chunks of equal size ------------------------------------------------------------------------

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


# --- what to know ----------------------------------------------------------------------------------------------------


def search(evaluation: RetrievalEvaluation) -> dict[str, Any]:
    """How vectors were compared, the same in all rows; empty where they were not."""
    dense = [row for row in evaluation.rows if row.method != "bm25"]
    if not dense:
        return {}
    indexed = any(row.searched.lists for row in dense)
    return {"asked": evaluation.options.index, "dense": f"by an index, {NAME}" if indexed else "exact"}


def _notes(evaluation: RetrievalEvaluation) -> list[str]:
    notes = [*describe_remarks(evaluation.known.remarks), *language_notes(evaluation)]
    notes += [f"Dense search of {row.name}: {row.searched.text}." for row in evaluation.rows if row.searched.lists]
    for name, passages in evaluation.passages.items():
        if passages.failed:
            notes.append(
                f"{name} failed on {len(passages.failed):,} of {len(evaluation.known.sources):,} documents, in which "
                f"no passage can be found: {passages.failed[0].what}"
            )
        if evaluation.truncated.get(name):
            notes.append(
                f"{evaluation.truncated[name]:,} of {len(passages):,} passages of {name} exceed the encoder limit; "
                "the rest is truncated in dense search."
            )
    if evaluation.known.truth == "documents" and any(
        not passages.rule.alone for passages in evaluation.passages.values()
    ):
        notes.append("Judged documents are ranked by their chunks: return has no effect on their measures.")
    if len(evaluation.known.questions) < 30:
        notes.append(f"{len(evaluation.known.questions)} questions are few: intervals from so few are rough.")
    return notes


def language_notes(evaluation: RetrievalEvaluation) -> list[str]:
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
