"""Sum up an evaluation of segmentation: means with their intervals, paired tests, groups, and notes on them.

``python -m chunking evaluate segmentation`` prints it as JSON; the table and the report are made from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from chunking import embedding
from chunking.evaluation.data import Remark, groups
from chunking.evaluation.intervals import LEVEL, PERMUTATIONS, RESAMPLES, SEED, bootstrap, holm, joint, sign_flip
from chunking.evaluation.results import (
    RATIO,
    DataFacts,
    DocumentFacts,
    Estimate,
    Means,
    PairedTest,
    PairedTests,
    RowSummary,
    SegmentationSummary,
)
from chunking.evaluation.segmentation import BASELINES, DRAWS, MEASURES, OUTER, SegmentationEvaluation, SegmentationRow
from chunking.installation import versions
from chunking.reference.precision import Interval
from chunking.report.formatting import percent
from chunking.runtime.arrays import Float64, Int64

_DIGITS = 12
"""Decimals that are kept: below them sums differ by processor."""


def summarize(evaluation: SegmentationEvaluation) -> SegmentationSummary:
    """Return the summary of an evaluation."""
    data, options = evaluation.data, evaluation.options
    reference_counts = np.array([len(document.reference) for document in data.documents], dtype=np.float64)
    summary = SegmentationSummary(
        data=DataFacts(
            name=data.name,
            sha256=data.content_hash,
            documents=len(data.documents),
            documents_with_gold=int(np.count_nonzero(reference_counts)),
            units=sum(len(document.units) for document in data.documents),
            gold_boundaries=int(reference_counts.sum()),
            left_out=data.left_out,
            repaired=data.repaired,
        ),
        granularity=options.granularity,
        tolerance=options.tolerance,
        encoder=", ".join(sorted({options.tools.boundary_encoder(language) for language in evaluation.languages})),
        tokenizer=options.tools.tokenizer,
        versions=versions(),
        method={
            "interval": LEVEL,
            "resamples": RESAMPLES,
            "permutations": PERMUTATIONS,
            "random_draws": DRAWS,
            "seed": SEED,
            "correction": "max-T",
            "p_correction": "Holm",
        },
        embedding_seconds=round(evaluation.embedding, 3),
        strategies={row.name: _summarize_row(row, reference_counts) for row in evaluation.rows},
        pairs=_pairs(evaluation.rows),
        groups={
            name: {row.name: _means(row, reference_counts, np.array(indices)) for row in evaluation.rows}
            for name, indices in groups(data.documents).items()
        },
        documents=_documents(evaluation),
        notes=tuple(_notes(evaluation)),
    )
    return replace(summary, notes=(*summary.notes, *_pk_notes(summary)))


def _documents(evaluation: SegmentationEvaluation) -> tuple[DocumentFacts, ...]:
    return tuple(
        DocumentFacts(document.id, document.group, language, len(document.units), len(document.reference))
        for document, language in zip(evaluation.data.documents, evaluation.languages, strict=True)
    )


def per_document(evaluation: SegmentationEvaluation) -> list[dict[str, Any]]:
    """Return the result of each row on each document; ``None`` where the document does not count."""
    return [
        {"document": document.id}
        | {name: value for name, value in asdict(document).items() if name != "id"}
        | {"strategy": row.name, "boundaries": _number(row.cuts[index])}
        | {name: _number(values[index]) for name, values in row.values.items()}
        for index, document in enumerate(_documents(evaluation))
        for row in evaluation.rows
    ]


PER_DOCUMENT = ("document", "group", "language", "units", "gold_boundaries", "strategy", "boundaries", *MEASURES)
"""The columns of :func:`per_document`, in this order."""


def _number(value: float, digits: int = _DIGITS) -> float | None:
    return None if np.isnan(value) else round(float(value), digits)


def _interval(low: float, high: float) -> Interval | None:
    return None if np.isnan(low) else (round(float(low), _DIGITS), round(float(high), _DIGITS))


def _means(row: SegmentationRow, reference_counts: Float64, indices: Int64 | None = None) -> Means:
    """Return the means of a row over some documents, or all, with their intervals.

    Args:
        row: the row.
        reference_counts: ``(n_documents,)`` float64, the number of reference boundaries of each document.
        indices: the documents.
    """
    selected = slice(None) if indices is None else indices
    is_run = np.isfinite(row.cuts)
    values = np.nan_to_num(np.stack([*row.values.values(), row.cuts], 1))[selected]
    counted = [np.isfinite(column).astype(np.float64) for column in row.values.values()]
    weights = np.stack([*counted, reference_counts * is_run], 1)[selected]
    sums, counts = values.sum(axis=0), weights.sum(axis=0)
    means = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0).tolist()
    intervals = map(_interval, *bootstrap(values, weights))
    estimates = map(Estimate, map(_number, means), intervals)
    return Means(int(is_run[selected].sum()), dict(zip([*row.values, RATIO], estimates, strict=True)))


def _summarize_row(row: SegmentationRow, reference_counts: Float64) -> RowSummary:
    columns = {**row.values, "boundaries": row.cuts}
    return RowSummary(
        kind="baseline" if row.name in BASELINES else "strategy",
        setting=row.setting,
        granularity=row.granularity,
        means=_means(row, reference_counts),
        boundaries=int(np.nansum(row.cuts)),
        cuts_inside_units=row.inside,
        seconds=round(row.seconds, 4),
        failed=tuple(row.failed),
        per_document={name: tuple(_number(value, 6) for value in values) for name, values in columns.items()},
    )


def _pairs(rows: Sequence[SegmentationRow]) -> dict[str, dict[str, PairedTests]]:
    """Return each strategy against those after it and against the baselines."""
    pairs = [(one, other) for index, one in enumerate(rows) if one.name not in BASELINES for other in rows[index + 1 :]]
    differences = np.stack([one.values[name] - other.values[name] for one, other in pairs for name in MEASURES], 1)
    is_counted = np.isfinite(differences)
    values = np.nan_to_num(differences)
    # Equal values of different sums part in the last digits; that is no difference.
    values[np.abs(values) < 10.0**-_DIGITS] = 0.0
    families = np.repeat([other.name in BASELINES for _, other in pairs], len(MEASURES)) * len(MEASURES)
    families += np.tile(np.arange(len(MEASURES)), len(pairs))
    intervals = joint(values, is_counted.astype(np.float64), families)
    p = sign_flip(values)
    adjusted = holm(np.where(is_counted.any(axis=0), p, np.nan), families)
    tests_by_pair: dict[str, dict[str, PairedTests]] = {}
    for index, (one, other) in enumerate(pairs):
        tests = {}
        for column, name in enumerate(MEASURES, index * len(MEASURES)):
            count = int(is_counted[:, column].sum())
            tests[name] = PairedTest(
                difference=_number(values[:, column].sum() / count) if count else None,
                interval=_interval(intervals.low[column], intervals.high[column]),
                simultaneous=_interval(intervals.joint_low[column], intervals.joint_high[column]),
                p=_number(p[column]) if count else None,
                p_adjusted=_number(adjusted[column]),
                documents=count,
            )
        tests_by_pair.setdefault(one.name, {})[other.name] = tests
    return tests_by_pair


# --- what to know --------------------------------------------------------------------------------------------------


def _notes(evaluation: SegmentationEvaluation) -> list[str]:
    documents = evaluation.data.documents
    notes = []
    without = sum(not len(document.reference) for document in documents)
    if without:
        notes.append(
            f"{without:,} of {len(documents):,} documents {'has' if without == 1 else 'have'} no reference boundary: "
            "they count for Pk and WindowDiff, and not for F1 and boundary similarity."
        )
    if len(documents) - without < 2:
        notes.append("Fewer than two documents with a reference boundary: F1 has no interval.")
    for what, remarks in (("left out", evaluation.data.left_out), ("put right", evaluation.data.repaired)):
        several = evaluation.data.several
        notes += [f"{_position_of(remark, several)} was {what}: {remark.what}." for remark in remarks[:_SHOWN]]
        if len(remarks) > _SHOWN:
            notes.append(f"{len(remarks) - _SHOWN:,} more were {what}.")
    return [
        *notes,
        *_encoder_notes(evaluation),
        *(note for row in evaluation.rows for note in _row_notes(row, evaluation)),
    ]


def _position_of(remark: Remark, several: bool) -> str:
    """Return a line of the file, or a document that is from none; of several files with its name."""
    if not remark.line:
        return remark.id
    return f"{remark.id} (line {remark.line})" if several else f"Line {remark.line}"


_SHOWN = 5
"""Lines that are listed one by one; all are among the data."""


def _encoder_notes(evaluation: SegmentationEvaluation) -> list[str]:
    name = evaluation.options.tools.encoder
    if not evaluation.embedded or name is None:  # one that is chosen by the language fits it, and has no limit
        return []
    encoder = embedding.get_encoder(name)
    notes = []
    if evaluation.truncated:
        notes.append(
            f"{evaluation.truncated:,} of {evaluation.embedded:,} embedded texts are longer than the "
            f"{encoder.max_tokens} tokens of the encoder limit; the rest is truncated."
        )
    foreign = [code for code in evaluation.languages if encoder.languages and code not in (*encoder.languages, "und")]
    if foreign:
        codes = ", ".join(f"{code} {count:,}" for code, count in sorted(Counter(foreign).items()))
        notes.append(
            f"The encoder {encoder.name} was made for {', '.join(encoder.languages)}; documents in other languages "
            f"({codes}) have semantic distances that mean less."
        )
    return notes


def _row_notes(row: SegmentationRow, evaluation: SegmentationEvaluation) -> list[str]:
    if row.name.endswith(OUTER):
        return []  # its strategy has a row with the same notes
    notes = []
    for why, count in Counter(remark.what for remark in row.failed).items():
        notes.append(
            f"{row.name} could not do {count:,} of {len(evaluation.data.documents):,} documents, which its means "
            f"leave out: {why}"
        )
    if (
        row.name not in BASELINES
        and row.granularity != evaluation.options.granularity
        and len(row.failed) < len(row.cuts)
    ):
        notes.append(f"{row.name} has no curve, so it cannot be given the number of boundaries; it ran as it is.")
    if row.inside:
        notes.append(f"{row.name} cut {row.inside:,} times inside units; such a cut counts at the nearest gap.")
    return notes


def _pk_notes(summary: SegmentationSummary) -> list[str]:
    notes = []
    none = summary.strategies["none"].measures["pk"].mean
    for name in summary.no_better_than_none:
        test = summary.pairs[name]["none"]["pk"]
        notes.append(
            f"Pk of {name} is not better than that of no boundary at all, {percent(none)} %: the difference is "
            f"{percent(test.difference, test.simultaneous, '+')} points."
        )
    return notes
