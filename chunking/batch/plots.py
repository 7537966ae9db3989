"""The figures of a run as SVG files that need nothing else, in the colours of the page, light and dark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from math import ceil, log2
from math import floor as floor_
from typing import Any

import numpy as np

from chunking.batch.sizes import expanded
from chunking.evaluation.table import percent
from chunking.plots import PALETTES
from chunking.retrieval.table import ranked

_WIDTH, _LEFT, _RIGHT = 860, 280, 90
_ROW, _TOP, _FOOT = 26, 10, 44
_HIGH = 44
"""Height of a row of a distribution."""

_LETTERS = 40
"""Of a name that has room beside the figure."""


@dataclass(frozen=True)
class _Scale:
    """Values as places between the left and the right edge.

    Attributes:
        low, high: the values at the edges.
    """

    low: float
    high: float

    def __call__(self, value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (value - self.low) / (self.high - self.low)


def comparison(found: dict[str, Any], measure: str) -> str:
    """A measure of every strategy, the best first, a dot with its 95 % interval each.

    Args:
        found: what :func:`chunking.retrieval.summary.as_dict` gives.
        measure: its name.
    """
    rows = found["strategies"]
    names = ranked(found)
    ends = [end for row in rows.values() for end in (row[measure], *(row[f"{measure}_interval"] or ()))]
    step, scale = _axis([0.0, *ends])
    height = _TOP + _ROW * len(names) + _FOOT
    parts = _ticks(step, scale, height, percent)
    for place, name in enumerate(names):
        middle = _TOP + _ROW * (place + 0.5)
        value, interval = rows[name][measure], rows[name][f"{measure}_interval"]
        parts.append(_label(name, middle))
        if interval:
            low, high = (scale(end) for end in interval)
            parts.append(f'<path class="bar" d="M{low:.1f} {middle:.1f}H{high:.1f}"/>')
        parts.append(f'<circle class="dot" cx="{scale(value):.1f}" cy="{middle:.1f}" r="4.5"/>')
        edge = scale(max((value, *(interval or ()))))
        parts.append(f'<text class="quiet" x="{edge + 9:.1f}" y="{middle + 4:.1f}">{percent(value)}</text>')
    return _svg(height, f"{measure} of each strategy in %, with 95 % intervals", parts)


def pareto(found: dict[str, Any], measure: str) -> str:
    """Median tokens of a chunk against a measure, a numbered point a strategy; a line joins those that none betters.

    Args:
        found: what :func:`chunking.retrieval.summary.as_dict` gives.
        measure: its name.
    """
    rows = {name: found["strategies"][name] for name in ranked(found) if found["strategies"][name]["chunks"]["number"]}
    height = max(360, _TOP + 20 * len(rows) + _FOOT)
    sizes_ = [max(row["chunks"]["median"], 1.0) for row in rows.values()] or [1.0]
    across = _Scale(floor_(log2(min(sizes_))), ceil(log2(max(sizes_)) + 0.01))
    rise, upward = _axis([0.0, *(row[measure] for row in rows.values())])
    floor = height - _FOOT

    def up(value: float) -> float:
        return floor - (floor - _TOP - 10) * (value - upward.low) / (upward.high - upward.low)

    parts = _ticks(1.0, across, height, lambda power: _short(2 ** round(power)))
    for number in range(round((upward.high - upward.low) / rise) + 1):
        value = upward.low + rise * number
        parts.append(f'<path class="grid" d="M{_LEFT} {up(value):.1f}H{_WIDTH - _RIGHT}"/>')
        label = percent(value).removesuffix(".0")
        parts.append(f'<text class="quiet" x="{_WIDTH - _RIGHT + 6}" y="{up(value) + 4:.1f}">{label}</text>')
    frontier: list[str] = []
    highest = -1.0
    points = {name: (size, float(row[measure])) for (name, row), size in zip(rows.items(), sizes_, strict=False)}
    for name in sorted(points, key=lambda name: (points[name][0], -points[name][1])):
        if points[name][1] > highest:
            highest = points[name][1]
            frontier.append(f"{across(log2(points[name][0])):.1f} {up(highest):.1f}")
    parts.append(f'<path class="bar" d="M{" L".join(frontier)}"/>' if frontier else "")
    for number, (name, (size, value)) in enumerate(points.items(), 1):
        x, y = across(log2(size)), up(value)
        said = f"<title>{_text(f'{name}: {percent(value)} %, {size:,.0f} tokens')}</title>"
        parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4.5">{said}</circle>')
        parts.append(f'<text class="small" x="{x + 6:.1f}" y="{y - 5:.1f}">{number}</text>')
        parts.append(_label(f"{number} {name}", _TOP + 20 * number - 8))
    return _svg(height, f"{measure} in % (up) against the median tokens of a chunk (right, doubling)", parts)


def sizes(rows: Mapping[str, Counter[int]]) -> str:
    """The tokens of the chunks of every strategy: a histogram each, on one axis of two bins a doubling.

    Args:
        rows: by strategy, how many chunks have how many tokens.
    """
    edges = bins(max((max(counts, default=0) for counts in rows.values()), default=0))
    scale = _Scale(0, len(edges) - 1)
    height = _TOP + _HIGH * len(rows) + _FOOT
    parts = []
    for place, edge in enumerate(edges):
        if edge & (edge - 1) == 0:
            parts.append(f'<path class="grid" d="M{scale(place):.1f} {_TOP}V{height - _FOOT}"/>')
            parts.append(
                f'<text class="quiet middle" x="{scale(place):.1f}" y="{height - _FOOT + 16}">{_short(edge)}</text>'
            )
    for number, (name, counts) in enumerate(rows.items()):
        floor = _TOP + _HIGH * (number + 1) - 4
        parts.append(_label(name, floor - _HIGH / 2 + 4))
        parts += _distribution(counts, edges, scale, floor)
    return _svg(height, "Tokens of the chunks of each strategy; dashed: median; right: median · chunks", parts)


def _distribution(counts: Counter[int], edges: Sequence[int], scale: _Scale, floor: float) -> Iterator[str]:
    """Bars, the median and two numbers."""
    tokens = expanded(counts)
    if not len(tokens):
        return
    held = np.histogram(tokens, edges)[0].tolist()
    width = scale(1) - scale(0) - 1
    for place, count in enumerate(held):
        if count:
            tall = max((_HIGH - 10) * count / max(held), 0.5)
            says = f"<title>{edges[place]:,}–{edges[place + 1] - 1:,} tokens: {count:,} chunks</title>"
            box = f'x="{scale(place) + 0.5:.1f}" y="{floor - tall:.1f}" width="{width:.1f}" height="{tall:.1f}"'
            yield f'<rect class="held" {box}>{says}</rect>'
    median = float(np.median(tokens))
    middle = scale(_bin(median, edges))
    yield f'<path class="mark" d="M{middle:.1f} {floor - _HIGH + 8}V{floor}"/>'
    yield f'<text class="quiet" x="{_WIDTH - _RIGHT + 6}" y="{floor - 8}">{median:,.0f} · {len(tokens):,}</text>'


def bins(largest: int) -> list[int]:
    """Edges of a histogram, two a doubling (0, 1, 2, 3, 4, 6, 8, 12, …), the last above ``largest``; half-open."""
    edges = [0, 1, 2]
    while edges[-1] <= largest:
        edges.append(edges[-1] * 3 // 2 if edges[-1] & (edges[-1] - 1) == 0 else edges[-1] * 4 // 3)
    return edges


def _bin(value: float, edges: Sequence[int]) -> float:
    """A value as a place among bins of equal width."""
    place = next(place for place in range(len(edges) - 1) if value < edges[place + 1])
    return place + (value - edges[place]) / (edges[place + 1] - edges[place])


def _short(value: int) -> str:
    return f"{value // 1024}k" if value >= 1024 else str(value)


# --- parts of a figure ---------------------------------------------------------------------------------------------


def _text(value: object) -> str:
    return escape("".join(each if each.isprintable() else "\ufffd" for each in str(value)))


def _label(name: str, middle: float) -> str:
    shown = name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"
    return f'<text class="end" x="{_LEFT - 12}" y="{middle + 4:.1f}"><title>{_text(name)}</title>{_text(shown)}</text>'


def _axis(values: Sequence[float]) -> tuple[float, _Scale]:
    """A step of 1, 2 or 5 times a power of ten, and an axis of at most ten of them that holds all values."""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    step = next(base * 10.0**power for power in range(-6, 12) for base in (1, 2, 5) if base * 10.0**power * 8 >= span)
    return step, _Scale(step * (low // step), step * max(-(-high // step), low // step + 1))


def _ticks(step: float, scale: _Scale, height: float, shown: Callable[[float], str]) -> list[str]:
    parts = []
    for number in range(round((scale.high - scale.low) / step) + 1):
        value = scale.low + step * number
        parts.append(f'<path class="grid" d="M{scale(value):.1f} {_TOP}V{height - _FOOT}"/>')
        label = shown(value).removesuffix(".0")
        parts.append(f'<text class="quiet middle" x="{scale(value):.1f}" y="{height - _FOOT + 16}">{label}</text>')
    return parts


def _svg(height: float, title: str, parts: Sequence[str]) -> str:
    caption = f'<text class="quiet" x="{_LEFT}" y="{height - 8:.0f}">{_text(title)}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" class="figure" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12"><title>{_text(title)}</title><style>{_STYLE}</style>'
        f'<rect class="behind" width="{_WIDTH}" height="{height:.0f}"/>{"".join(parts)}{caption}</svg>\n'
    )


def _style() -> str:
    rules = {
        "text": "fill:{text}",
        ".quiet,.small": "fill:{muted}",
        ".behind": "fill:{surface}",
        ".grid": "stroke:{grid};fill:none",
        ".bar": "stroke:{semantic};stroke-width:2;fill:none",
        ".dot": "fill:{semantic}",
        ".held": "fill:{semantic};fill-opacity:.65",
        ".mark": "stroke:{structural};stroke-width:2;stroke-dasharray:3 2;fill:none",
    }

    def themed(name: str) -> str:
        colours = asdict(PALETTES[name])
        return "".join(f"{_scoped(selector)}{{{body.format(**colours)}}}" for selector, body in rules.items())

    always = _scoped(".end") + "{text-anchor:end}" + _scoped(".middle") + "{text-anchor:middle}"
    always += _scoped(".small") + "{font-size:10px}"
    return f"{always}{themed('light')}@media(prefers-color-scheme:dark){{{themed('dark')}}}"


def _scoped(selectors: str) -> str:
    return ",".join(f".figure {each}" for each in selectors.split(","))


_STYLE = _style()
