"""Figures of an evaluation of retrieval: sizes against quality, recall by tokens of context, how sizes are distributed.

They are HTML and SVG for :mod:`chunking.figures.page`, made from the result of
:func:`chunking.retrieval.reports.as_dict`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log2
from typing import Any, Literal

from chunking.figures import page, svg
from chunking.figures.cells import percent
from chunking.figures.page import ChartAxis
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


def pareto(found: dict[str, Any], measure: str, size: Literal["median", "mean"] = "median") -> str:
    """Return the tokens of a passage against a measure, a numbered point a row; a line joins those that none betters.

    Args:
        found: the evaluation.
        measure: its name.
        size: of ``chunks``: what stands for the size of passages.
    """
    rows = {name: found["strategies"][name] for name in ranked(found) if found["strategies"][name]["chunks"]["number"]}
    points = {name: (max(float(row["chunks"][size]), 1.0), float(row[measure])) for name, row in rows.items()}
    height = max(360, svg.TOP + _LINE * len(rows) + svg.FOOT)
    sizes_ = [point[0] for point in points.values()] or [1.0]
    across = svg.Scale(floor(log2(min(sizes_))), ceil(log2(max(sizes_)) + 0.01))
    ends = [end for name, row in rows.items() for end in (points[name][1], *(row[f"{measure}_interval"] or ()))]
    rise, upward = svg.axis(ends or [0.0])
    bottom = height - svg.FOOT

    def up(value: float) -> float:
        return bottom - (bottom - svg.TOP - 10) * (value - upward.low) / (upward.high - upward.low)

    parts = svg.ticks(1.0, across, height, lambda power: svg.short(2 ** round(power)))
    parts += svg.levels(rise, upward, up, percent)
    ahead = set(front(points))
    best = sorted({points[name] for name in ahead})
    line = " L".join(f"{across(log2(tokens)):.1f} {up(value):.1f}" for tokens, value in best)
    parts.append(f'<path class="bar" d="M{line}"/>' if line else "")
    taken: list[tuple[float, float]] = []
    for number, (name, (tokens, value)) in enumerate(points.items(), 1):
        x, y = across(log2(tokens)), up(value)
        interval = rows[name][f"{measure}_interval"]
        if interval:
            parts.append(f'<path class="reach" d="M{x:.1f} {up(interval[0]):.1f}V{up(interval[1]):.1f}"/>')
        said = f"<title>{svg.text(f'{name}: {percent(value, interval)} %, {tokens:,.0f} tokens')}</title>"
        faint = "" if name in ahead else ' fill-opacity="0"'
        parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4"{faint}>{said}</circle>')
        taken.append(_free(x, y, taken))
        parts.append(f'<text class="small" x="{taken[-1][0]:.1f}" y="{taken[-1][1]:.1f}">{number}</text>')
        parts.append(svg.label(f"{number} {name}", svg.TOP + _LINE * number - 8))
    return svg.figure(height, f"{measure} in % (up) against the {size} tokens of a chunk (right, doubling)", parts)


def _free(x: float, y: float, taken: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Where the number of a point stands: beside it, on a side where none stands yet."""
    sides = [(x + 6, y - 5), (x + 6, y + 12), (x - 16, y - 5), (x - 16, y + 12)]
    free = (side for side in sides if all(abs(side[0] - a) > 12 or abs(side[1] - b) > 9 for a, b in taken))
    return next(free, sides[0])


def within(found: dict[str, Any], quiet: frozenset[str] = frozenset()) -> str:
    """Return recall within each number of tokens, a line a row with a dot for each, the larger for more tokens.

    Args:
        found: the evaluation.
        quiet: names of rows that are quieter.

    Returns:
        HTML; empty with fewer than two numbers of tokens.
    """
    budgets = sorted(found["budgets"])
    names = [BUDGET_TITLE.format(budget) for budget in budgets]
    rows = {name: found["strategies"][name] for name in ranked(found)}
    if len(budgets) < 2 or any(name not in row for name in names for row in rows.values()):
        return ""
    axis = ChartAxis.of(0.0, max((row[name] for row in rows.values() for name in names), default=1.0))
    lines = []
    for row, known in rows.items():
        values = [known[name] for name in names]
        dots = "".join(
            f'<i class="dot {_grown(place, len(values))}" style="left:{axis.at(value)}"></i>'
            for place, value in enumerate(values)
        )
        ends = min(values), max(values)
        shown = f'<b style="left:{axis.at(ends[1])}">{percent(values[0])} – {percent(values[-1])}</b>'
        said = ", ".join(f"{percent(value)} within {each:,}" for each, value in zip(budgets, values, strict=True))
        lines.append(page.row(row, said, axis.bar(*ends) + dots + shown, row in quiet))
    return page.framed(lines, axis, f"Recall of {len(rows)} rows by context budget", percent)


def _grown(place: int, of: int) -> str:
    """Return the class of a dot: the first of all is small, the last large."""
    return "small" if place == 0 else "large" if place == of - 1 else "middle"


def sizes(found: dict[str, Any]) -> str:
    """How large the passages of each strategy are, as HTML: a strip of counts and its figures."""
    seen: dict[str, Mapping[str, Any]] = {}
    for name in ranked(found):
        row = found["strategies"][name]
        seen.setdefault(row["setting"], row["chunks"])
    return f'<div class="strips">{"".join(_sizes(name, known) for name, known in seen.items())}</div>'


def _sizes(name: str, known: Mapping[str, Any]) -> str:
    title = f'<b title="{page.text(name)}">{page.text(name)}</b>'
    if not known["number"]:
        return f"<div>{title}<small>no passage</small></div>"
    histogram = known["histogram"]
    start, width, counts = histogram["start"], histogram["width"], histogram["counts"]
    most = max(counts)
    strip = "".join(
        f'<i style="height:{100 * count / most:.1f}%" title="{_range(first, width)} tokens: {count:,}"></i>'
        for first, count in zip(range(start, start + width * len(counts), width), counts, strict=True)
    )
    said = f"{known['number']:,} passages, mean {known['mean']:,.0f}, median {known['median']:,.0f}, "
    said += f"deviation {known['deviation']:,.0f}"
    ends = f"<small><span>{start:,}</span><span>{start + width * len(counts):,} tokens</span></small>"
    small = f"<small>{said}</small><small>min {known['min']:,}, max {known['max']:,}, index {known['tokens']:,}</small>"
    return f'<div>{title}<div class="strip">{strip}</div>{ends}{small}</div>'


def _range(start: int, width: int) -> str:
    return f"{start:,}" if width == 1 else f"{start:,}–{start + width - 1:,}"
