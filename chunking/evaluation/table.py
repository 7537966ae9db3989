"""An evaluation as a table of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf

from chunking.evaluation.results import RATIO, Means, PairedTest, SegmentationSummary
from chunking.evaluation.segmentation import BASELINES, MEASURES
from chunking.report.formatting import NOTHING, aligned, harmless, p_value, percent
from chunking.strategies import setting


def headline(summary: SegmentationSummary) -> str:
    """Return a line that says what was evaluated."""
    data = summary.data
    how = "the number of boundaries is given" if summary.granularity == "gold" else "every strategy's own granularity"
    return (
        f"{data.name}: {data.documents:,} documents, {data.units:,} units, {data.gold_boundaries:,} true "
        f"boundaries; {how}; encoder {summary.encoder}"
    )


def named(summary: SegmentationSummary) -> list[str]:
    """Return one text with the settings of the rows that were given a name; empty without any."""
    lines = setting.named_rows({name: row.setting for name, row in summary.strategies.items()})
    return ["\n".join(lines)] if lines else []


def columns(summary: SegmentationSummary) -> list[str]:
    """Return the heads of the main table."""
    return [
        "strategy",
        "F1",
        f"F1 ±{summary.tolerance}",
        "B",
        "Pk",
        "(none)",
        "WD",
        "(none)",
        "cuts/ref.",
        "docs",
        "s",
    ]


def cells(summary: SegmentationSummary) -> list[list[str]]:
    """Return the rows of the main table, the best F1 first."""
    none = summary.strategies["none"].measures
    rows = []
    for name in summary.ranked:
        row = summary.strategies[name]
        measures, ratio = row.measures, row.measures[RATIO].mean
        rows.append(
            [
                name,
                percent(*measures["f1"]),
                percent(measures["f1_tolerance"].mean),
                percent(measures["boundary_similarity"].mean),
                percent(*measures["pk"]),
                percent(none["pk"].mean),
                percent(measures["window_diff"].mean),
                percent(none["window_diff"].mean),
                NOTHING if ratio is None else f"{ratio:.2f}",
                f"{row.means.documents:,}",
                f"{row.seconds:.1f}",
            ]
        )
    return rows


def pair_cells(summary: SegmentationSummary, baselines: bool) -> list[list[str]]:
    """Return the paired tests, a pair a row: two names, then difference with simultaneous interval and adjusted p-value
    of each measure.
    """
    return [
        [one, other, *(_test(tests[name]) for name in MEASURES)]
        for one, others in summary.pairs.items()
        for other, tests in others.items()
        if baselines or other not in BASELINES
    ]


def against_cells(summary: SegmentationSummary, other: str) -> list[list[str]]:
    """Return table rows of the differences from ``other``: name, then difference, simultaneous interval and adjusted
    p-value by measure.
    """
    return [[name, *(_test(tests[measure]) for measure in MEASURES)] for name, tests in summary.against(other).items()]


def _test(test: PairedTest) -> str:
    if test.difference is None:
        return NOTHING
    return f"{percent(test.difference, test.simultaneous, '+')} p {p_value(test.p_adjusted)}"


def group_cells(summary: SegmentationSummary) -> list[list[str]]:
    """Return F1 and Pk with their intervals by group, a strategy a row."""
    return [[name, *(_group_cell(rows[name]) for rows in summary.groups.values())] for name in summary.ranked]


def _group_cell(means: Means) -> str:
    return " / ".join(percent(*means.measures[name]) for name in ("f1", "pk"))


def group_heads(summary: SegmentationSummary) -> list[str]:
    """Return the groups with their numbers of documents."""
    counts = Counter(document.group for document in summary.documents)
    return [f"{name} ({counts[name]:,})" for name in summary.groups]


def document_cells(summary: SegmentationSummary, names: Sequence[str]) -> list[list[str]]:
    """Return the F1 of each document, the worst by the mean over rows first; those without a value come last.

    Args:
        summary: the evaluation.
        names: the rows that have a column.
    """
    values = [summary.strategies[name].per_document["f1"] for name in names]
    documents = zip(summary.documents, zip(*values, strict=True), strict=True)
    return [
        [document.id, f"{document.units:,}", f"{document.gold_boundaries:,}", *map(percent, column)]
        for document, column in sorted(documents, key=lambda pair: _mean(pair[1]))
    ]


def _mean(values: Sequence[float | None]) -> float:
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else inf


def text(summary: SegmentationSummary) -> str:
    """Return the tables and notes, for a terminal; characters that would steer it are shown as ``?``."""
    parts = [
        headline(summary),
        "In %: mean over documents and its 95 % interval. Pk and WindowDiff (WD) are errors, lower is better;\n"
        "in parentheses their values for no boundary.",
        aligned([columns(summary), *cells(summary)]),
        *named(summary),
    ]
    pairs = pair_cells(summary, baselines=False)
    if pairs:
        heads = ["strategy", "less", *(measure.title for measure in MEASURES.values())]
        legend = (
            "Paired differences in points, 95 % interval and p of a sign-flip test, both corrected for all pairs:\n"
        )
        parts.append(legend + aligned([heads, *pairs]))
    if summary.groups:
        parts.append("F1 / Pk by group:\n" + aligned([["strategy", *group_heads(summary)], *group_cells(summary)]))
    if summary.notes:
        parts.append("\n".join(f"note: {note}" for note in summary.notes))
    return "\n\n".join(harmless(part) for part in parts) + "\n"
