"""An evaluation as a table of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf
from typing import Any

from chunking.evaluation.segmentation import BASELINES, MEASURES
from chunking.report.formatting import NOTHING, aligned, harmless, p_value, percent
from chunking.strategies import setting


def ranked(summary: dict[str, Any]) -> list[str]:
    """Return the names of the rows, the best F1 first, those without one last."""
    rows = summary["strategies"]
    return sorted(rows, key=lambda name: -1.0 if rows[name]["f1"] is None else rows[name]["f1"], reverse=True)


def headline(summary: dict[str, Any]) -> str:
    """Return a line that says what was evaluated."""
    data = summary["data"]
    how = (
        "the number of boundaries is given" if summary["granularity"] == "gold" else "every strategy's own granularity"
    )
    return (
        f"{data['name']}: {data['documents']:,} documents, {data['units']:,} units, {data['gold_boundaries']:,} true "
        f"boundaries; {how}; encoder {summary['encoder']}"
    )


def named(summary: dict[str, Any]) -> list[str]:
    """Return one text with the settings of the rows that were given a name; empty without any."""
    lines = setting.named_rows({name: row["setting"] for name, row in summary["strategies"].items()})
    return ["\n".join(lines)] if lines else []


def columns(summary: dict[str, Any]) -> list[str]:
    """Return the heads of the main table."""
    return [
        "strategy",
        "F1",
        f"F1 ±{summary['tolerance']}",
        "B",
        "Pk",
        "(none)",
        "WD",
        "(none)",
        "cuts/ref.",
        "docs",
        "s",
    ]


def cells(summary: dict[str, Any]) -> list[list[str]]:
    """Return the rows of the main table, the best F1 first."""
    none = summary["strategies"]["none"]
    rows = []
    for name in ranked(summary):
        row = summary["strategies"][name]
        ratio = row["boundaries_per_gold"]
        rows.append(
            [
                name,
                percent(row["f1"], row["f1_interval"]),
                percent(row["f1_tolerance"]),
                percent(row["boundary_similarity"]),
                percent(row["pk"], row["pk_interval"]),
                percent(none["pk"]),
                percent(row["window_diff"]),
                percent(none["window_diff"]),
                NOTHING if ratio is None else f"{ratio:.2f}",
                f"{row['documents']:,}",
                f"{row['seconds']:.1f}",
            ]
        )
    return rows


def pair_cells(summary: dict[str, Any], baselines: bool) -> list[list[str]]:
    """Return the paired tests, a pair a row: two names, then difference with simultaneous interval and adjusted p-value
    of each measure.
    """
    return [
        [one, other, *(_test(tests[name]) for name in MEASURES)]
        for one, others in summary["pairs"].items()
        for other, tests in others.items()
        if baselines or other not in BASELINES
    ]


def against(summary: dict[str, Any], other: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the tests of each measure between each row and ``other``, the best F1 first.

    Rows without a paired test (of two baselines) are left out.
    """
    tests = {}
    for name in ranked(summary):
        if other in summary["pairs"].get(name, {}):
            tests[name] = summary["pairs"][name][other]
        elif name in summary["pairs"].get(other, {}):
            tests[name] = {measure: _reverse_test(test) for measure, test in summary["pairs"][other][name].items()}
    return tests


def _reverse_test(test: dict[str, Any]) -> dict[str, Any]:
    """Return a test of B − A, from that of A − B."""
    difference = test["difference"]
    turned = {name: ends and [-ends[1], -ends[0]] for name in ("interval", "simultaneous") for ends in [test[name]]}
    return test | turned | {"difference": None if difference is None else -difference}


def against_cells(summary: dict[str, Any], other: str) -> list[list[str]]:
    """Return table rows of the differences from ``other``: name, then difference, simultaneous interval and adjusted
    p-value by measure.
    """
    return [[name, *(_test(tests[measure]) for measure in MEASURES)] for name, tests in against(summary, other).items()]


def _test(test: dict[str, Any]) -> str:
    if test["difference"] is None:
        return NOTHING
    return f"{percent(test['difference'], test['simultaneous'], '+')} p {p_value(test['p_adjusted'])}"


def group_cells(summary: dict[str, Any]) -> list[list[str]]:
    """Return F1 and Pk with their intervals by group, a strategy a row."""
    return [[name, *(_group_cell(rows[name]) for rows in summary["groups"].values())] for name in ranked(summary)]


def _group_cell(row: dict[str, Any]) -> str:
    return " / ".join(percent(row[name], row[f"{name}_interval"]) for name in ("f1", "pk"))


def group_heads(summary: dict[str, Any]) -> list[str]:
    """Return the groups with their numbers of documents."""
    counts = Counter(document["group"] for document in summary["documents"])
    return [f"{name} ({counts[name]:,})" for name in summary["groups"]]


def document_cells(summary: dict[str, Any], names: Sequence[str]) -> list[list[str]]:
    """Return the F1 of each document, the worst by the mean over rows first; those without a value come last.

    Args:
        summary: the evaluation.
        names: the rows that have a column.
    """
    values = [summary["strategies"][name]["per_document"]["f1"] for name in names]
    documents = zip(summary["documents"], zip(*values, strict=True), strict=True)
    return [
        [document["id"], f"{document['units']:,}", f"{document['gold_boundaries']:,}", *map(percent, column)]
        for document, column in sorted(documents, key=lambda pair: _mean(pair[1]))
    ]


def _mean(values: Sequence[float | None]) -> float:
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else inf


def text(summary: dict[str, Any]) -> str:
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
    if summary["groups"]:
        parts.append("F1 / Pk by group:\n" + aligned([["strategy", *group_heads(summary)], *group_cells(summary)]))
    if summary["notes"]:
        parts.append("\n".join(f"note: {note}" for note in summary["notes"]))
    return "\n\n".join(harmless(part) for part in parts) + "\n"
