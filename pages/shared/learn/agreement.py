"""What the agreement with a reference would be: for each weight of the meaning, and for divisions at random."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from chunking.comparison.agreement import boundary_f1, dense_rows, get_metric, random_cuts
from chunking.report.theme import ENTRY_ROLES, ROLES, axis_style, axis_title, frame_style
from chunking.runtime.arrays import Float64, Int64
from chunking.signals.distances import fuse
from chunking.signals.signals import Signals
from chunking.signals.thresholds import apply
from pages.shared.frame import markup
from pages.shared.learn.lesson import DRAWS, SEED
from pages.shared.learn.texts import Texts

ALPHAS = np.arange(101) / 100
"""The values of α that the slider has."""


def f1_by_alpha(signals: Signals, reference: Int64, percentile: float) -> Float64:
    """Return ``(101,)`` boundary F1 of what a percentile of the fused distance cuts, for each of :data:`ALPHAS`."""
    fused = (fuse(signals.semantic, signals.structural, alpha) for alpha in ALPHAS.tolist())
    cuts = (np.flatnonzero(apply("percentile", percentile, curve).exceeded) for curve in fused)
    return np.array([boundary_f1(reference, gaps.astype(np.int64)) for gaps in cuts])


def alpha_band(f1: Float64, texts: Texts) -> str:
    """Return a band below the slider of α as HTML: the darker, the higher F1; with a sentence on where it is 1."""
    edges = [0, *(np.flatnonzero(np.diff(f1)) + 1).tolist(), len(f1)]
    parts = "".join(
        f'<i style="left: {start - 0.5:.1f}%; width: {end - start}%; --cs-share: {f1[start]:.3f}"></i>'
        for start, end in pairwise(edges)
    )
    whole = np.flatnonzero(f1 == 1)
    if len(whole):
        low, high = (texts.number(ALPHAS[index], ".2f") for index in (whole[0], whole[-1]))
        sentence = texts["alpha_all"].format(low=low, high=high)
    else:
        sentence = texts["alpha_best"].format(best=texts.number(float(f1.max()), ".2f"))
    return f'<div class="cs-scale cs-learn-alpha">{parts}</div><p class="cs-quiet">{markup.escape(sentence)}</p>'


def random_f1(reference: Int64, cuts: Int64, units: int) -> Float64:
    """Return the ``(DRAWS,)`` F1 of random divisions with as many cuts and the same lengths of segments."""
    rows = dense_rows(list(random_cuts(cuts, units, DRAWS, SEED)), units)
    scores: Float64 = get_metric("f1").table([reference], rows, 0)[0]
    return scores


def _histogram(values: Float64) -> tuple[Int64, Float64]:
    """Return how many of the values lie in each of 20 steps from 0 to 1, and the edges of the steps."""
    heights, edges = np.histogram(values, bins=20, range=(0.0, 1.0))
    return heights.astype(np.int64), edges


def chance_table(values: Float64, texts: Texts) -> dict[str, list[Any]]:
    """Return the distribution of :func:`chance_figure` as columns."""
    heights, edges = _histogram(values)
    steps = [f"{texts.number(low, '.2f')} – {texts.number(high, '.2f')}" for low, high in pairwise(edges.tolist())]
    return {texts["f1"]: steps, texts["divisions"]: heights.tolist()}


def chance_figure(values: Float64, marks: dict[str, float], texts: Texts) -> dict[str, Any]:
    """Return the distribution of random values as a figure, with marked values above it."""
    title, count = texts["f1"], texts["divisions"]
    heights, edges = _histogram(values)
    bars = {
        "type": "bar",
        "x": (edges[:-1] + edges[1:]) / 2,
        "y": heights,
        "width": 0.045,
        "marker": {"color": ROLES.muted},
        "hovertemplate": f"{title} %{{x:.2f}}: %{{y}} {count}<extra></extra>",
    }
    colors = (ROLES.selected, getattr(ROLES, ENTRY_ROLES["strategy"]))
    lines = [
        {
            "type": "line", "x0": value, "x1": value, "y0": 0, "y1": 1, "yref": "paper",
            "line": {"color": color, "width": 2.5},
        }
        for value, color in zip(marks.values(), colors, strict=False)
    ]  # fmt: skip
    labels = [
        {
            "x": value, "y": 1 - 0.12 * line, "yref": "paper", "showarrow": False,
            "text": f"{name} {texts.number(value, '.2f')}",
            "xanchor": "left" if value < 0.8 else "right", "font": {"color": color, "size": 12},
        }
        for line, ((name, value), color) in enumerate(zip(marks.items(), colors, strict=False))
    ]  # fmt: skip
    layout = {
        **frame_style(ROLES),
        "separators": texts["decimal"] + texts["thousands"],
        "height": 230,
        "margin": {"l": 48, "r": 12, "t": 12, "b": 40},
        "showlegend": False,
        "shapes": lines,
        "annotations": labels,
        "xaxis": {**axis_style(ROLES), "range": [-0.02, 1.02], "title": axis_title(title, 6, ROLES)},
        # The names of the marked values stand above the bars.
        "yaxis": {**axis_style(ROLES), "title": axis_title(count, 6, ROLES), "range": [0, 1.35 * heights.max()]},
    }
    return {"data": [bars], "layout": layout}
