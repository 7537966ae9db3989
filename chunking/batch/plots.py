"""The figures of a run: a measure of each strategy, and how large its chunks are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from chunking.report import svg
from chunking.report.charts import Axis
from chunking.report.formatting import percent
from chunking.report.svg import SvgFigure, x_of
from chunking.retrieval.reports.results import RetrievalSummary

_ROW = 26
_HEIGHT = 44
"""Height of a row of a distribution."""


def comparison(summary: RetrievalSummary) -> SvgFigure:
    """Return the main measure of every strategy, the best first, a dot with its 95 % interval each."""
    estimates = {name: summary.main(name) for name in summary.ranked}
    axis = Axis.of([0.0, *(end for mean, interval in estimates.values() for end in (mean, *(interval or ())))])
    height = svg.TOP + _ROW * len(estimates) + svg.FOOT
    parts = svg.columns(axis, height, percent)
    for number, (name, (value, interval)) in enumerate(estimates.items()):
        y = svg.TOP + _ROW * (number + 0.5)
        parts.append(svg.label(name, y))
        if interval:
            low, high = (x_of(axis, end) for end in interval)
            parts.append(f'<path class="bar" d="M{low:.1f} {y:.1f}H{high:.1f}"/>')
        parts.append(f'<circle class="dot" cx="{x_of(axis, value):.1f}" cy="{y:.1f}" r="4"/>')
        end = x_of(axis, max((value, *(interval or ()))))
        parts.append(f'<text class="quiet" x="{end + 9:.1f}" y="{y + 4:.1f}">{percent(value)}</text>')
    return svg.figure(height, f"{summary.primary} of each strategy in %, with 95 % intervals", parts)


def sizes(rows: Mapping[str, Counter[int]]) -> SvgFigure:
    """Return the tokens of the chunks of every strategy: a histogram each, on one axis of two bins a doubling.

    Args:
        rows: by strategy, how many chunks have how many tokens.
    """
    edges = bins(max((max(counts, default=0) for counts in rows.values()), default=0))
    axis = Axis(1.0, 0, len(edges) - 1)
    height = svg.TOP + _HEIGHT * len(rows) + svg.FOOT
    parts = []
    for index, edge in enumerate(edges):
        if edge & (edge - 1) == 0:
            parts += svg.column(x_of(axis, index), height, svg.short(edge))
    for number, (name, counts) in enumerate(rows.items(), 1):
        bottom = svg.TOP + _HEIGHT * number - 4
        parts.append(svg.label(name, bottom - _HEIGHT / 2 + 4))
        parts += _distribution(counts, edges, axis, bottom)
    return svg.figure(height, "Tokens of the chunks of each strategy; dashed: median; right: median · chunks", parts)


def _distribution(counts: Counter[int], edges: Sequence[int], axis: Axis, bottom: float) -> Iterator[str]:
    """Yield bars, the median and two numbers."""
    tokens = expand(counts)
    if not len(tokens):
        return
    bars = np.histogram(tokens, edges)[0].tolist()
    width = x_of(axis, 1) - x_of(axis, 0) - 1
    for index, count in enumerate(bars):
        if count:
            height = max((_HEIGHT - 10) * count / max(bars), 0.5)
            title = f"<title>{edges[index]:,}–{edges[index + 1] - 1:,} tokens: {count:,} chunks</title>"
            box = (
                f'x="{x_of(axis, index) + 0.5:.1f}" y="{bottom - height:.1f}" width="{width:.1f}" height="{height:.1f}"'
            )
            yield f'<rect class="held" {box}>{title}</rect>'
    median = float(np.median(tokens))
    yield f'<path class="mark" d="M{x_of(axis, _bin(median, edges)):.1f} {bottom - _HEIGHT + 8}V{bottom}"/>'
    x, words = svg.WIDTH - svg.RIGHT + 6, f"{median:,.0f} · {len(tokens):,}"
    yield f'<text class="quiet" x="{x}" y="{bottom - 8}">{words}</text>'


def expand(counts: Counter[int]) -> npt.NDArray[Any]:
    """Return a value a chunk, ascending, in the smallest type that holds them.

    Args:
        counts: how many chunks have how many tokens; such counts add up over the parts of a corpus.
    """
    values = sorted(counts)
    kind = np.min_scalar_type(values[-1] if values else 0)
    return np.repeat(np.array(values, dtype=kind), [counts[value] for value in values])


def bins(largest: int) -> list[int]:
    """Return the edges of a histogram, two a doubling (0, 1, 2, 3, 4, 6, 8, 12, …), the last above ``largest``;
    half-open.
    """
    edges = [0, 1, 2]
    while edges[-1] <= largest:
        edges.append(edges[-1] * 3 // 2 if edges[-1] & (edges[-1] - 1) == 0 else edges[-1] * 4 // 3)
    return edges


def _bin(value: float, edges: Sequence[int]) -> float:
    """Return a value as a position among bins of equal width."""
    index = next(index for index in range(len(edges) - 1) if value < edges[index + 1])
    return index + (value - edges[index]) / (edges[index + 1] - edges[index])
