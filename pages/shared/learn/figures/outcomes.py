"""Chapters 8 to 10: size limits, strategies beside each other, and agreement beyond chance."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import streamlit as st

from chunking import ChunkscopeError
from chunking.comparison.agreement import boundary_f1, dense_rows, get_metric, random_cuts
from chunking.report.theme import ENTRY_ROLES, ROLES, axis_style, axis_title, frame_style
from chunking.runtime.arrays import Float64, Int64
from pages.shared.components.figure import figure
from pages.shared.frame import frame, markup
from pages.shared.learn import lanes
from pages.shared.learn.figures.scene import Scene, chart, choose
from pages.shared.learn.lesson import cuts_of
from pages.shared.learn.measure import corrected_f1
from pages.shared.settings import controls

STRATEGIES = {
    "changepoint": "changepoint",
    "structural": "structural:alpha=1",
    "percentile": "percentile:window=1;percentile=85",
    "paragraph": "paragraph:min_tokens=1;max_tokens=100",
    "sentence": "sentence:max_tokens=80",
    "fixed_size": "fixed_size:max_tokens=80",
}
"""What the chapter on strategies compares, by name."""

DRAWS = 1_000
"""Random divisions of the chapter on chance."""


def limits(scene: Scene) -> Int64:
    """Show the chunks under a minimum, a maximum and an overlap."""
    columns = st.columns(3)
    with columns[0]:
        largest = choose(scene, "structural", "max_tokens", default=60, minimum=0, maximum=400, step=5)
    with columns[1]:
        least = choose(scene, "structural", "min_tokens", default=0, minimum=0, maximum=200, step=5)
    with columns[2]:
        overlap = choose(scene, "structural", "overlap", default=1, minimum=0, maximum=5)
    line = f"structural:alpha=1;max_tokens={largest};min_tokens={least};overlap={overlap}"
    try:
        made = scene.run(line)
    except ChunkscopeError as error:
        frame.show_error(error)
        return np.empty(0, dtype=np.int64)
    chart(scene, made, text=True)
    return cuts_of(made)


def strategies_beside(scene: Scene) -> Int64:
    """Show the cuts of several strategies on one axis; return the gaps that at least half of them cut."""
    texts, lesson = scene.texts, scene.lesson
    names = controls.several(
        texts["strategies"], tuple(STRATEGIES), name="strategies", default=tuple(STRATEGIES), kind="pills"
    )
    found = {name: cuts_of(scene.run(STRATEGIES[name])) for name in names}
    gold, gaps = lesson.gold_gaps, len(lesson) - 1
    rows = (
        []
        if gold is None
        else [(lanes.boundaries(markup.escape(texts["gold"]), gold, gaps, "gold"), f"{len(gold)}", "")]
    )
    for name, cuts in found.items():
        title = f"<code>{markup.escape(STRATEGIES[name])}</code>"
        rows.append((lanes.boundaries(title, cuts, gaps), f"{len(cuts)}", _beyond(scene, cuts)))
    lanes.table(texts["strategies"], rows, (texts["cuts"], texts["beyond"]))
    votes = np.bincount(np.concatenate([*found.values(), np.empty(0, np.int64)]), minlength=len(lesson) - 1)
    return np.flatnonzero(2 * votes >= max(len(found), 1)).astype(np.int64)


def _beyond(scene: Scene, cuts: Int64) -> str:
    gold = scene.lesson.gold_gaps
    return "" if gold is None else f"{corrected_f1(gold, cuts, len(scene.lesson)).corrected:.2f}"


def chance_beside(scene: Scene) -> Int64:
    """Show what random divisions reach, with the learner and a strategy in the same picture."""
    texts, lesson = scene.texts, scene.lesson
    name = controls.select(texts["engine"], tuple(STRATEGIES), name="measured")
    cuts = cuts_of(scene.run(STRATEGIES[name]))
    reference = cuts if lesson.gold_gaps is None else lesson.gold_gaps
    own = scene.picked
    values = random_f1(reference, own, len(lesson))
    marks = {texts["own"]: boundary_f1(reference, own)}
    if lesson.gold_gaps is not None:
        marks[texts["engine"]] = boundary_f1(reference, cuts)
    caption = texts["chance_curve"].format(draws=f"{DRAWS:,}")
    st.caption(caption)
    label = "; ".join([caption, *(f"{name} {value:.2f}" for name, value in marks.items())])
    figure(
        "_learn_chance", chance_figure(values, marks, texts["f1"], texts["divisions"]), label,
        chance_table(values, texts["f1"], texts["divisions"]), texts["figure_table"],
    )  # fmt: skip
    return cuts


def random_f1(reference: Int64, cuts: Int64, units: int) -> Float64:
    """Return the ``(DRAWS,)`` F1 of random divisions with as many cuts and the same lengths of segments."""
    rows = dense_rows(list(random_cuts(cuts, units, DRAWS, 0)), units)
    found: Float64 = get_metric("f1").table([reference], rows, 0)[0]
    return found


def _histogram(values: Float64) -> tuple[Int64, Float64]:
    """Return how many of the values lie in each of 20 steps from 0 to 1, and the edges of the steps."""
    heights, edges = np.histogram(values, bins=20, range=(0.0, 1.0))
    return heights.astype(np.int64), edges


def chance_table(values: Float64, title: str, count: str) -> dict[str, list[Any]]:
    """Return the distribution of :func:`chance_figure` as columns."""
    heights, edges = _histogram(values)
    steps = [f"{low:.2f} – {high:.2f}" for low, high in pairwise(edges.tolist())]
    return {title: steps, count: heights.tolist()}


def chance_figure(values: Float64, marks: dict[str, float], title: str, count: str) -> dict[str, Any]:
    """Return the distribution of random values as a figure, with marked values above it."""
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
            "x": value, "y": 1 - 0.12 * place, "yref": "paper", "text": f"{name} {value:.2f}", "showarrow": False,
            "xanchor": "left" if value < 0.8 else "right", "font": {"color": color, "size": 12},
        }
        for place, ((name, value), color) in enumerate(zip(marks.items(), colors, strict=False))
    ]  # fmt: skip
    layout = {
        **frame_style(ROLES),
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
