"""Figures of an evaluation of retrieval: sizes against quality, recall by tokens of context, how sizes are distributed.

They are made from the result of :func:`chunking.retrieval.reports.as_dict`.
"""

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
from chunking.retrieval.reports.table import ranked

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


def pareto(summary: dict[str, Any], measure: str, size: Literal["median", "mean"] = "median") -> SvgFigure:
    """Return the tokens of a passage against a measure, a numbered point a row; a line joins those that none betters.

    Args:
        summary: the evaluation.
        measure: its name.
        size: of ``chunks``: what stands for the size of passages.
    """
    rows = {
        name: summary["strategies"][name] for name in ranked(summary) if summary["strategies"][name]["chunks"]["number"]
    }
    points = {name: (max(float(row["chunks"][size]), 1.0), float(row[measure])) for name, row in rows.items()}
    height = max(360, svg.TOP + _LINE * len(rows) + svg.FOOT)
    powers = [log2(tokens) for tokens, _ in points.values()] or [0.0]
    across = Axis(1.0, floor(min(powers)), ceil(max(powers) + 0.01))
    ends = [end for name, row in rows.items() for end in (points[name][1], *(row[f"{measure}_interval"] or ()))]
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
        interval = rows[name][f"{measure}_interval"]
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


def within(summary: dict[str, Any], quiet: Collection[str] = ()) -> Markup:
    """Return recall within each number of tokens, a line a row with a dot for each, the larger for more tokens.

    Args:
        summary: the evaluation.
        quiet: names of rows that are quieter.

    Returns:
        HTML; empty with fewer than two numbers of tokens.
    """
    budgets = sorted(summary["budgets"])
    names = [BUDGET_TITLE.format(budget) for budget in budgets]
    rows = {name: summary["strategies"][name] for name in ranked(summary)}
    if len(budgets) < 2 or any(name not in row for name in names for row in rows.values()):
        return html.NOTHING
    axis = Axis.of([0.0, *(row[name] for row in rows.values() for name in names)], most=10)
    looks = ["small", *["middle"] * (len(budgets) - 2), "large"]
    drawn = []
    for row, means in rows.items():
        values = [means[name] for name in names]
        words = ", ".join(f"{percent(value)} within {tokens:,}" for tokens, value in zip(budgets, values, strict=True))
        low, high = axis.at(min(values)), axis.at(max(values))
        dots = [(axis.at(value), look) for value, look in zip(values, looks, strict=True)]
        ends = f"{percent(values[0])} – {percent(values[-1])}"
        drawn.append(ChartRow(row, words, dots, (low, high), high, ends, row in quiet))
    return charts.draw(drawn, axis, f"Recall of {len(rows)} rows by context budget", percent)


def sizes(summary: dict[str, Any]) -> Markup:
    """Return how large the passages of each strategy are: a strip of counts and its figures."""
    settings: dict[str, Mapping[str, Any]] = {}
    for name in ranked(summary):
        row = summary["strategies"][name]
        settings.setdefault(row["setting"], row["chunks"])
    return html.strips([_strip(name, chunks) for name, chunks in settings.items()])


def _strip(name: str, chunks: Mapping[str, Any]) -> dict[str, Any]:
    if not chunks["number"]:
        return {"name": name, "bars": (), "ends": (), "lines": ("no passage",)}
    start, width, counts = (chunks["histogram"][key] for key in ("start", "width", "counts"))
    most = max(counts)
    bars = [
        {"height": f"{100 * count / most:.1f}", "title": f"{_range(first, width)} tokens: {count:,}"}
        for first, count in zip(range(start, start + width * len(counts), width), counts, strict=True)
    ]
    lines = (
        f"{chunks['number']:,} passages, mean {chunks['mean']:,.0f}, median {chunks['median']:,.0f}, "
        f"deviation {chunks['deviation']:,.0f}",
        f"min {chunks['min']:,}, max {chunks['max']:,}, index {chunks['tokens']:,}",
    )
    ends = (f"{start:,}", f"{start + width * len(counts):,} tokens")
    return {"name": name, "bars": bars, "ends": ends, "lines": lines}


def _range(start: int, width: int) -> str:
    return f"{start:,}" if width == 1 else f"{start:,}–{start + width - 1:,}"
