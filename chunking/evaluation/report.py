"""An evaluation of segmentation as one HTML file that needs nothing else; see :mod:`chunking.report.html`.

Its tables and figures stand alone as well, for a page: :func:`results`, :func:`figure` and so on.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from chunking.evaluation.data import Remark
from chunking.evaluation.results import RATIO, DataFacts, SegmentationSummary
from chunking.evaluation.segmentation import BASELINES, MEASURES, SegmentationOptions
from chunking.evaluation.table import (
    against_cells,
    cells,
    columns,
    document_cells,
    group_cells,
    group_heads,
    headline,
    named,
    pair_cells,
)
from chunking.report import charts, html
from chunking.report.definitions import measure_definitions
from chunking.report.formatting import NOTHING, percent
from chunking.strategies import Setting
from chunking.workspace import Models

DEFINITIONS = measure_definitions("segmentation")
"""Definitions of the measures."""

LEGEND = (
    "In %: mean over documents and its 95 % interval. Pk and WindowDiff (WD) are errors, lower is better; (none) is "
    "their value for no boundary. B is boundary similarity, s seconds without embedding."
)
NO_BETTER = "⚠: Pk is not better than with no boundary at all."

TITLES = {name: measure.title for name, measure in MEASURES.items()} | {RATIO: "Cuts ÷ reference boundaries"}
"""Titles of the figures, by name."""

_REFERENCE = {name: "none" if measure.error else "random" for name, measure in MEASURES.items()}
"""The baseline that the line through each figure stands for."""

MARKS = {name: f"value of {row}" for name, row in _REFERENCE.items()} | {RATIO: "as many as in the reference"}
"""Meaning of the line through each figure."""


def page(summary: SegmentationSummary, command: str) -> str:
    """Return the report of an evaluation.

    Args:
        summary: the evaluation.
        command: the line that made it, shown as it is.
    """
    figures = html.grid(
        html.heading(title) + html.legend(f"Dashed: {MARKS[name]}.") + figure(summary, name)
        for name, title in TITLES.items()
    )
    best = summary.ranked_strategies[0]
    sections = html.sections(
        [
            ("Results", results(summary)),
            ("Data, settings and versions", html.definitions(facts(summary), facts=True)),
            ("Notes", html.bullets(summary.notes)),
            ("Figures", html.paragraph("Dot: mean; bar: 95 % interval.") + figures),
            (
                f"Boundary F1: difference vs. {best}",
                html.paragraph("Points, simultaneous 95 % interval.") + difference_figure(summary, "f1", best),
            ),
            (
                "Pairs",
                html.paragraph("Differences in points, with their simultaneous 95 % interval.") + _pairs(summary),
            ),
            ("By group: F1 / Pk", groups(summary)),
            ("Boundary F1 by document", documents(summary)),
            ("Failures", failures(summary)),
            ("Corrected or excluded documents", lines(summary.data)),
            ("Make it again", html.command(command) + html.paragraph(method(summary))),
            ("Definitions", definitions()),
        ]
    )
    title = f"Segmentation: {summary.data.name}"
    return html.page(title, html.heading(title, 1) + html.paragraph(f"{headline(summary)}.") + sections)


def command_line(path: str, settings: Mapping[str, Setting], options: SegmentationOptions) -> str:
    """Return the command that evaluates the same from the file at ``path``."""
    path = f"./{path}" if path.startswith("-") else path
    words = ["python", "-m", "chunking", "evaluate", "segmentation", path, "--strategies", ",".join(settings)]
    values = {
        "granularity": (options.granularity, SegmentationOptions.granularity),
        "tolerance": (str(options.tolerance), str(SegmentationOptions.tolerance)),
        "encoder": (options.tools.encoder, None),
        "tokenizer": (options.tools.tokenizer, Models(options.tools.encoder).tokenizer),
        "language": (options.language, None),
    }
    for name, (value, usual) in values.items():
        if value is not None and value != usual:
            words += [f"--{name}", value]
    return shlex.join(words)


def facts(summary: SegmentationSummary) -> dict[str, str]:
    """Return what the results depend on, by name."""
    return {
        "Data set": summary.data.name,
        "SHA-256 of its documents": summary.data.sha256,
        "Documents": f"{summary.data.documents:,}",
        "Granularity": summary.granularity,
        "Tolerance": f"{summary.tolerance:,}",
        "Encoder": summary.encoder,
        "Tokenizer": summary.tokenizer,
        "Strategies": ", ".join(row.setting for row in summary.strategies.values() if row.setting),
        **summary.versions,
    }


# --- tables --------------------------------------------------------------------------------------------------------


def results(summary: SegmentationSummary) -> Markup:
    """Return the main table with its legend; where Pk is no better than without any boundary, it says so."""
    heads, rows = columns(summary), cells(summary)
    weak = summary.no_better_than_none
    pk = heads.index("Pk")
    rows = [[*row[:pk], f"{row[pk]} ⚠", *row[pk + 1 :]] if row[0] in weak else row for row in rows]
    names = html.join(html.legend(line) for text in named(summary) for line in text.split("\n"))
    legend = html.legend(f"{LEGEND} {NO_BETTER}" if weak else LEGEND)
    return html.table(heads, rows, "numbers", BASELINES) + legend + names


def differences(summary: SegmentationSummary, other: str) -> Markup:
    """Return the differences of each row from ``other``, measure by measure, in points."""
    return _differences(["strategy"], against_cells(summary, other))


def _pairs(summary: SegmentationSummary) -> Markup:
    return _differences(["strategy", "less"], pair_cells(summary, baselines=True))


def _differences(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """Return the differences, with each p-value on a line of its own."""
    broken = [[cell.replace(" p ", "\np ") for cell in row] for row in rows]
    titles = (measure.title for measure in MEASURES.values())
    return html.table([*heads, *titles], broken, "numbers", BASELINES)


def groups(summary: SegmentationSummary) -> Markup:
    """Return F1 and Pk with their intervals by group; empty where there is no group."""
    if not summary.groups:
        return html.NOTHING
    rows = [[cell.replace(" / ", "\n/ ") for cell in row] for row in group_cells(summary)]
    return html.table(["strategy", *group_heads(summary)], rows, "numbers", BASELINES)


_DOCUMENTS = 500
"""Documents that have a row of their own."""


def documents(summary: SegmentationSummary) -> Markup:
    """Return the F1 of every document, the worst first, folded; all measures are in the results as JSON."""
    names = summary.ranked_strategies
    rows = document_cells(summary, names)
    words = f"In %, the worst first. {NOTHING}: no reference boundary, or the strategy failed."
    if len(rows) > _DOCUMENTS:
        words += f" {len(rows) - _DOCUMENTS:,} more documents are in the results as JSON."
    table = html.table(["document", "units", "reference", *names], rows[:_DOCUMENTS], "numbers", names=names)
    return html.folded("Every document", html.legend(words) + table)


def failures(summary: SegmentationSummary) -> Markup:
    """Return the documents that a strategy failed on, with the reason; empty if there are none."""
    rows = [
        [name, remark.id, _line(remark), remark.what]
        for name, row in summary.strategies.items()
        for remark in row.failed
    ]
    return html.table(["strategy", "document", "line", "why"], rows) if rows else html.NOTHING


def lines(data: DataFacts) -> Markup:
    """Return the corrected or excluded documents; empty if there are none."""
    rows = [
        [_line(remark), remark.id, outcome, remark.what]
        for remarks, outcome in ((data.left_out, "excluded"), (data.repaired, "corrected"))
        for remark in remarks
    ]
    return html.table(["line", "document", "", "what"], rows) if rows else html.NOTHING


def _line(remark: Remark) -> str:
    return f"{remark.line}" if remark.line else NOTHING


def method(summary: SegmentationSummary) -> str:
    """Return how the intervals were computed, in words."""
    settings = summary.method
    return (
        f"{settings['resamples']:,} resamples, {settings['permutations']:,} sign flips (all of them where there are no "
        f"more), up to {settings['random_draws']:,} random segmentations a document, seed {settings['seed']}. "
        f"Embedding took {summary.embedding_seconds:.1f} s and is not part of a strategy's time."
    )


def definitions() -> Markup:
    """Return the definitions of the measures."""
    return html.definitions({TITLES.get(name, name): words for name, words in DEFINITIONS.items()})


# --- figures -------------------------------------------------------------------------------------------------------


def figure(summary: SegmentationSummary, name: str) -> Markup:
    """Return a measure of every row, a dot with its interval each.

    Args:
        summary: the evaluation.
        name: a measure, or ``boundaries_per_gold``.
    """
    rows = summary.strategies
    entries = [(row, *rows[row].measures[name]) for row in summary.ranked]
    mark = rows[_REFERENCE[name]].measures[name].mean if name in _REFERENCE else 1.0
    format_value = (lambda value: f"{value:.3g}") if name == RATIO else percent
    return charts.dot_chart(entries, mark, f"{TITLES[name]} of {len(rows)} rows", format_value, BASELINES)


def difference_figure(summary: SegmentationSummary, name: str, other: str) -> Markup:
    """Return the figure of every row's difference from ``other`` in a measure, with simultaneous intervals."""
    tests = summary.against(other)
    entries = [(row, test[name].difference, test[name].simultaneous) for row, test in tests.items()]
    title = f"{TITLES[name]} of {len(entries)} rows vs. {other}"
    return charts.dot_chart(entries, 0.0, title, lambda value: percent(value, sign="+"), BASELINES)
