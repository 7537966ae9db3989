"""The summary of an evaluation: means with their intervals, paired tests, groups, and notes on them.

``python -m chunking evaluate segmentation`` prints :func:`as_dict`; the table and the report are made from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from chunking import embedding
from chunking.evaluation.data import Remark, groups
from chunking.evaluation.intervals import LEVEL, PERMUTATIONS, RESAMPLES, SEED, bootstrap, holm, joint, sign_flip
from chunking.evaluation.segmentation import BASELINES, DRAWS, MEASURES, OUTER, SegmentationEvaluation, SegmentationRow
from chunking.installation import versions
from chunking.report.formatting import percent
from chunking.runtime.arrays import Float64, Int64

RATIO = "boundaries_per_gold"
"""All cuts ÷ all reference boundaries."""

_DIGITS = 12
"""Decimals that are kept: below them sums differ by processor."""


def as_dict(evaluation: SegmentationEvaluation) -> dict[str, Any]:
    """Return the results of an evaluation, as JSON can hold them.

    Fractions are from 0 to 1; ``None`` where a number has no meaning (F1 without a reference boundary, an interval from
    one document). Of ``pairs[A][B]``, ``difference`` is A − B over the documents that both could do; baselines come
    second; ``simultaneous`` and ``p_adjusted`` account for all pairs of strategies, or for all of a strategy and a
    baseline. ``per_document`` of a strategy has a value for each of ``documents``. ``seconds`` of a strategy is all its
    documents without their embedding, but with what it had to load first.
    """
    documents = evaluation.data.documents
    means = _Means(evaluation)
    summary: dict[str, Any] = {
        "data": {
            "name": evaluation.data.name,
            "sha256": evaluation.data.content_hash,
            "documents": len(documents),
            "documents_with_gold": int(np.count_nonzero(means.gold)),
            "units": sum(len(document.units) for document in documents),
            "gold_boundaries": int(means.gold.sum()),
            "left_out": _remarks(evaluation.data.left_out),
            "repaired": _remarks(evaluation.data.repaired),
        },
        "granularity": evaluation.options.granularity,
        "tolerance": evaluation.options.tolerance,
        "encoder": evaluation.options.tools.encoder,
        "tokenizer": evaluation.options.tools.tokenizer,
        "versions": versions(),
        "method": {
            "interval": LEVEL,
            "resamples": RESAMPLES,
            "permutations": PERMUTATIONS,
            "random_draws": DRAWS,
            "seed": SEED,
            "correction": "max-T",
            "p_correction": "Holm",
        },
        "embedding_seconds": round(evaluation.embedding, 3),
        "strategies": {row.name: _row(row, means) for row in evaluation.rows},
        "pairs": _pairs(evaluation.rows),
        "groups": {
            name: {row.name: means.of(row, indices) | _intervals(row, means, indices) for row in evaluation.rows}
            for name, indices in ((name, np.array(indices)) for name, indices in groups(documents).items())
        },
        "documents": [
            {"id": document.id, "group": document.group, "language": language, "units": len(document.units)}
            | {"gold_boundaries": len(document.gold)}
            for document, language in zip(documents, evaluation.languages, strict=True)
        ],
    }
    return summary | {"notes": [*_notes(evaluation), *_pk_notes(summary)]}


def per_document(evaluation: SegmentationEvaluation) -> list[dict[str, Any]]:
    """Yield the result of each row on each document; ``None`` where the document does not count."""
    return [
        {"document": document.id, "group": document.group, "language": language, "units": len(document.units)}
        | {"gold_boundaries": len(document.gold), "strategy": row.name, "boundaries": _number(row.cuts[index])}
        | {name: _number(values[index]) for name, values in row.values.items()}
        for index, (document, language) in enumerate(zip(evaluation.data.documents, evaluation.languages, strict=True))
        for row in evaluation.rows
    ]


PER_DOCUMENT = ("document", "group", "language", "units", "gold_boundaries", "strategy", "boundaries", *MEASURES)
"""The columns of :func:`per_document`, in this order."""


def _remarks(remarks: Iterable[Remark]) -> list[dict[str, Any]]:
    return [asdict(remark) for remark in remarks]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), _DIGITS)


class _Means:
    """Means of rows over documents."""

    def __init__(self, evaluation: SegmentationEvaluation) -> None:
        self.gold = np.array([len(document.gold) for document in evaluation.data.documents], dtype=np.float64)

    def columns(self, row: SegmentationRow) -> tuple[list[str], Float64, Float64]:
        """Return the measures, and what their means are ratios of: ``(n_documents, n_measures)`` twice."""
        is_run = np.isfinite(row.cuts)
        above = [*row.values.values(), row.cuts]
        below = [np.isfinite(values).astype(np.float64) for values in row.values.values()]
        return [*row.values, RATIO], np.nan_to_num(np.stack(above, 1)), np.stack([*below, self.gold * is_run], 1)

    def of(self, row: SegmentationRow, indices: Int64 | None = None) -> dict[str, Any]:
        """Return means over some documents, or all, and how many they are."""
        names, above, below = self.columns(row)
        selected = slice(None) if indices is None else indices
        sums, counts = above[selected].sum(axis=0), below[selected].sum(axis=0)
        means = np.divide(sums, counts, out=np.full(len(names), np.nan), where=counts > 0)
        numbers: dict[str, Any] = {name: _number(mean) for name, mean in zip(names, means.tolist(), strict=True)}
        return numbers | {"documents": int(np.isfinite(row.cuts[selected]).sum())}


def _intervals(row: SegmentationRow, means: _Means, indices: Int64 | None = None) -> dict[str, Any]:
    """Return the intervals of the means over some documents, or all."""
    names, above, below = means.columns(row)
    selected = slice(None) if indices is None else indices
    low, high = bootstrap(above[selected], below[selected])
    return {f"{name}_interval": _interval(*ends) for name, *ends in zip(names, low, high, strict=True)}


def _row(row: SegmentationRow, means: _Means) -> dict[str, Any]:
    return {
        "kind": "baseline" if row.name in BASELINES else "strategy",
        "setting": row.setting,
        "granularity": row.granularity,
        **means.of(row),
        **_intervals(row, means),
        "boundaries": int(np.nansum(row.cuts)),
        "cuts_inside_units": row.inside,
        "seconds": round(row.seconds, 4),
        "failed": _remarks(row.failed),
        "per_document": {
            name: [None if np.isnan(value) else round(float(value), 6) for value in values]
            for name, values in {**row.values, "boundaries": row.cuts}.items()
        },
    }


def _interval(low: float, high: float) -> list[float] | None:
    return None if np.isnan(low) else [round(float(low), _DIGITS), round(float(high), _DIGITS)]


def _pairs(rows: Sequence[SegmentationRow]) -> dict[str, dict[str, dict[str, Any]]]:
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
    tests_by_pair: dict[str, dict[str, dict[str, Any]]] = {}
    for index, (one, other) in enumerate(pairs):
        tests = {}
        for column, name in enumerate(MEASURES, index * len(MEASURES)):
            count = int(is_counted[:, column].sum())
            tests[name] = {
                "difference": _number(values[:, column].sum() / count) if count else None,
                "interval": _interval(intervals.low[column], intervals.high[column]),
                "simultaneous": _interval(intervals.joint_low[column], intervals.joint_high[column]),
                "p": _number(p[column]) if count else None,
                "p_adjusted": _number(adjusted[column]),
                "documents": count,
            }
        tests_by_pair.setdefault(one.name, {})[other.name] = tests
    return tests_by_pair


# --- what to know --------------------------------------------------------------------------------------------------


def _notes(evaluation: SegmentationEvaluation) -> list[str]:
    documents = evaluation.data.documents
    notes = []
    without = sum(not len(document.gold) for document in documents)
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
    if not evaluation.embedded:
        return []
    encoder = embedding.get_encoder(evaluation.options.tools.encoder)
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


def no_better_than_none(summary: dict[str, Any]) -> list[str]:
    """Return the strategies whose Pk is not better than that of no boundary at all, as far as the documents can
    tell.
    """
    intervals = {name: others["none"]["pk"]["simultaneous"] for name, others in summary["pairs"].items()}
    return [name for name, interval in intervals.items() if interval is not None and interval[1] >= 0]


def _pk_notes(summary: dict[str, Any]) -> list[str]:
    notes = []
    none = summary["strategies"]["none"]["pk"]
    for name in no_better_than_none(summary):
        test = summary["pairs"][name]["none"]["pk"]
        notes.append(
            f"Pk of {name} is not better than that of no boundary at all, {percent(none)} %: the difference is "
            f"{percent(test['difference'], test['simultaneous'], '+')} points."
        )
    return notes
