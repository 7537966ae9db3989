"""Figures of an evaluation of retrieval: sizes against quality, recall by context budget, the sizes of passages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import ceil, floor, log2
from typing import Any, Literal

from markupsafe import Markup

from chunking.report import charts, html, svg
from chunking.report.charts import Axis, ChartRow
from chunking.report.formatting import percent
from chunking.report.svg import SvgFigure
from chunking.retrieval.measures import BUDGET_TITLE
from chunking.retrieval.reports.results import RetrievalSummary, Sizes

SizeName = Literal["mean", "median", "tokens"]
"""The attribute that represents the size of passages, of :class:`~chunking.retrieval.reports.results.Sizes`."""

_LINE = 20
"""Height of a name beside the points."""


def front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the rows that no other beats: none is at least as small and as good, and better in one of both.

    Args:
        points: size and value by row.
    """
    return [
        name
        for name, (size, value) in points.items()
        if not any(
            other_size <= size and other >= value and (other_size, other) != (size, value)
            for other_size, other in points.values()
        )
    ]


def size_and_quality(summary: RetrievalSummary, size: SizeName, measure: str) -> dict[str, tuple[float, float]]:
    """Return the size of the passages of each row that has some, the best row first, and its mean in a measure."""
    rows = {name: summary.strategies[name] for name in summary.ranked}
    return {
        name: (float(getattr(row.chunks, size)), row.measures[measure].mean)
        for name, row in rows.items()
        if row.chunks.number
    }


def pareto(summary: RetrievalSummary, measure: str, size: SizeName = "median") -> SvgFigure:
    """Return the tokens of a passage against a measure, a numbered point a row; a line joins those that none betters.

    Args:
        summary: the evaluation.
        measure: its name.
        size: what stands for the size of passages.
    """
    sizes = size_and_quality(summary, size, measure)
    points = {name: (max(tokens, 1.0), value) for name, (tokens, value) in sizes.items()}
    intervals = {name: summary.strategies[name].measures[measure].interval for name in points}
    height = max(360, svg.TOP + _LINE * len(points) + svg.FOOT)
    powers = [log2(tokens) for tokens, _ in points.values()] or [0.0]
    across = Axis(1.0, floor(min(powers)), ceil(max(powers) + 0.01))
    ends = [end for name, (_, value) in points.items() for end in (value, *(intervals[name] or ()))]
    upward = Axis.of(ends or [0.0])
    bottom = height - svg.FOOT

    def y(value: float) -> float:
        return bottom - (bottom - svg.TOP - 10) * upward.share(value)

    parts = svg.columns(across, height, lambda power: svg.short(2 ** round(power)))
    parts += svg.levels(upward, y, percent)
    ahead = set(front(points))
    best = sorted({points[name] for name in ahead})
    line = " L".join(f"{svg.x_of(across, log2(tokens)):.1f} {y(value):.1f}" for tokens, value in best)
    parts.append(f'<path class="bar" d="M{line}"/>' if line else "")
    labels: list[tuple[float, float]] = []
    for number, (name, (tokens, value)) in enumerate(points.items(), 1):
        x = svg.x_of(across, log2(tokens))
        interval = intervals[name]
        if interval:
            parts.append(f'<path class="reach" d="M{x:.1f} {y(interval[0]):.1f}V{y(interval[1]):.1f}"/>')
        words = f"<title>{svg.text(f'{name}: {percent(value, interval)} %, {tokens:,.0f} tokens')}</title>"
        faint = "" if name in ahead else ' fill-opacity="0"'
        parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{y(value):.1f}" r="4"{faint}>{words}</circle>')
        labels.append(_free(x, y(value), labels))
        parts.append(f'<text class="small" x="{labels[-1][0]:.1f}" y="{labels[-1][1]:.1f}">{number}</text>')
        parts.append(svg.label(f"{number} {name}", svg.TOP + _LINE * number - 8))
    return svg.figure(height, f"{measure} in % (up) against the {size} tokens of a chunk (right, doubling)", parts)


def _free(x: float, y: float, labels: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the position of the number of a point: beside it, on a side where there is no other number yet."""
    sides = [(x + 6, y - 5), (x + 6, y + 12), (x - 16, y - 5), (x - 16, y + 12)]
    free = (side for side in sides if all(abs(side[0] - a) > 12 or abs(side[1] - b) > 9 for a, b in labels))
    return next(free, sides[0])


def within(summary: RetrievalSummary, quiet: Collection[str] = ()) -> Markup:
    """Return recall within each number of tokens, a line a row with a dot for each, the larger for more tokens.

    Args:
        summary: the evaluation.
        quiet: names of rows that are quieter.

    Returns:
        HTML; empty with fewer than two numbers of tokens.
    """
    budgets = sorted(summary.budgets)
    names = [BUDGET_TITLE.format(budget) for budget in budgets]
    rows = {name: summary.strategies[name].measures for name in summary.ranked}
    if len(budgets) < 2 or any(name not in row for name in names for row in rows.values()):
        return html.NOTHING
    axis = Axis.of([0.0, *(row[name].mean for row in rows.values() for name in names)], most=10)
    looks = ["small", *["middle"] * (len(budgets) - 2), "large"]
    entries = []
    for row, means in rows.items():
        values = [means[name].mean for name in names]
        words = ", ".join(f"{percent(value)} within {tokens:,}" for tokens, value in zip(budgets, values, strict=True))
        low, high = axis.at(min(values)), axis.at(max(values))
        dots = [(axis.at(value), look) for value, look in zip(values, looks, strict=True)]
        ends = f"{percent(values[0])} – {percent(values[-1])}"
        entries.append(ChartRow(row, words, dots, (low, high), high, ends, row in quiet))
    return charts.draw(entries, axis, f"Recall of {len(rows)} rows by context budget", percent)


def sizes(summary: RetrievalSummary) -> Markup:
    """Return how large the passages of each strategy are: a strip of counts and its figures."""
    rows = [summary.strategies[name] for name in summary.ranked]
    by_setting = {row.setting: row.chunks for row in reversed(rows)}
    return html.strips([_strip(name, by_setting[name]) for name in dict.fromkeys(row.setting for row in rows)])


def _strip(name: str, chunks: Sizes) -> dict[str, Any]:
    if chunks.histogram is None:
        return {"name": name, "bars": (), "ends": (), "lines": ("no passage",)}
    start, width, counts = chunks.histogram
    stop = start + width * len(counts)
    bars = [
        {"height": f"{100 * count / max(counts):.1f}", "title": f"{_range(first, width)} tokens: {count:,}"}
        for first, count in zip(range(start, stop, width), counts, strict=True)
    ]
    lines = (
        f"{chunks.number:,} passages, mean {chunks.mean:,.0f}, median {chunks.median:,.0f}, "
        f"deviation {chunks.deviation:,.0f}",
        f"min {chunks.min:,}, max {chunks.max:,}, index {chunks.tokens:,}",
    )
    return {"name": name, "bars": bars, "ends": (f"{start:,}", f"{stop:,} tokens"), "lines": lines}


def _range(start: int, width: int) -> str:
    return f"{start:,}" if width == 1 else f"{start:,}–{start + width - 1:,}"
