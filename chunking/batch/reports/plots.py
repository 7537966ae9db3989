"""The figures of a run as SVG files that need nothing else, in the colours of the page, light and dark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from chunking.batch.reports.sizes import expanded
from chunking.figures import svg
from chunking.figures.cells import percent
from chunking.retrieval.reports.figures import pareto
from chunking.retrieval.reports.table import ranked

__all__ = ["bins", "comparison", "pareto", "sizes"]

_ROW = 26
_HIGH = 44
"""Height of a row of a distribution."""


def comparison(found: dict[str, Any], measure: str) -> str:
    """Return a measure of every strategy, the best first, a dot with its 95 % interval each.

    Args:
        found: what :func:`chunking.retrieval.reports.summary.as_dict` gives.
        measure: its name.
    """
    rows = found["strategies"]
    names = ranked(found)
    ends = [end for row in rows.values() for end in (row[measure], *(row[f"{measure}_interval"] or ()))]
    step, scale = svg.axis([0.0, *ends])
    height = svg.TOP + _ROW * len(names) + svg.FOOT
    parts = svg.ticks(step, scale, height, percent)
    for place, name in enumerate(names):
        middle = svg.TOP + _ROW * (place + 0.5)
        value, interval = rows[name][measure], rows[name][f"{measure}_interval"]
        parts.append(svg.label(name, middle))
        if interval:
            low, high = (scale(end) for end in interval)
            parts.append(f'<path class="bar" d="M{low:.1f} {middle:.1f}H{high:.1f}"/>')
        parts.append(f'<circle class="dot" cx="{scale(value):.1f}" cy="{middle:.1f}" r="4"/>')
        edge = scale(max((value, *(interval or ()))))
        parts.append(f'<text class="quiet" x="{edge + 9:.1f}" y="{middle + 4:.1f}">{percent(value)}</text>')
    return svg.figure(height, f"{measure} of each strategy in %, with 95 % intervals", parts)


def sizes(rows: Mapping[str, Counter[int]]) -> str:
    """Return the tokens of the chunks of every strategy: a histogram each, on one axis of two bins a doubling.

    Args:
        rows: by strategy, how many chunks have how many tokens.
    """
    edges = bins(max((max(counts, default=0) for counts in rows.values()), default=0))
    scale = svg.Scale(0, len(edges) - 1)
    height = svg.TOP + _HIGH * len(rows) + svg.FOOT
    parts = []
    for place, edge in enumerate(edges):
        if edge & (edge - 1) == 0:
            parts.append(f'<path class="grid" d="M{scale(place):.1f} {svg.TOP}V{height - svg.FOOT}"/>')
            parts.append(svg.below(scale(place), height, svg.short(edge)))
    for number, (name, counts) in enumerate(rows.items()):
        floor = svg.TOP + _HIGH * (number + 1) - 4
        parts.append(svg.label(name, floor - _HIGH / 2 + 4))
        parts += _distribution(counts, edges, scale, floor)
    return svg.figure(height, "Tokens of the chunks of each strategy; dashed: median; right: median · chunks", parts)


def _distribution(counts: Counter[int], edges: Sequence[int], scale: svg.Scale, floor: float) -> Iterator[str]:
    """Yield bars, the median and two numbers."""
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
    yield f'<text class="quiet" x="{svg.WIDTH - svg.RIGHT + 6}" y="{floor - 8}">{median:,.0f} · {len(tokens):,}</text>'


def bins(largest: int) -> list[int]:
    """Return the edges of a histogram, two a doubling (0, 1, 2, 3, 4, 6, 8, 12, …), the last above ``largest``;
    half-open.
    """
    edges = [0, 1, 2]
    while edges[-1] <= largest:
        edges.append(edges[-1] * 3 // 2 if edges[-1] & (edges[-1] - 1) == 0 else edges[-1] * 4 // 3)
    return edges


def _bin(value: float, edges: Sequence[int]) -> float:
    """Return a value as a place among bins of equal width."""
    place = next(place for place in range(len(edges) - 1) if value < edges[place + 1])
    return place + (value - edges[place]) / (edges[place + 1] - edges[place])
