"""Chapters 4 to 7: the structural distance, its balance with the semantic one, and thresholds."""

from __future__ import annotations

import numpy as np
import streamlit as st

from chunking.curves.thresholds import AMOUNT_OF, RULES, apply
from chunking.runtime.arrays import Int64
from chunking.strategies import Segmentation
from pages.shared.frame import markup
from pages.shared.learn.figures.scene import Scene, bar, chart, choose, table
from pages.shared.learn.lesson import cuts_of
from pages.shared.settings import controls

_FEATURES = 6
_COUNTS = (5, 10, 20, 50, 100)
"""Numbers of gaps in the table of what a percentile cuts."""


def form(scene: Scene) -> Int64:
    """Show the structural distance, and the evidence at a chosen gap."""
    percentile = choose(scene, "structural", "percentile", default=85.0)
    made = scene.run(f"structural:alpha=0;percentile={percentile}")
    chart(scene, made)
    _evidence(scene, made)
    return cuts_of(made)


def _evidence(scene: Scene, made: Segmentation) -> None:
    assert made.signals is not None and made.signals.structure is not None
    structure, structural = made.signals.structure, made.signals.structural
    strongest = int(np.argmax(structural)) + 1
    gap = controls.number(scene.texts["gap"], 1, len(structural), strongest, name="gap", slider=True)
    shares = structure.gap_shares(gap - 1)
    order = [place for place in np.argsort(-np.abs(shares), kind="stable").tolist() if shares[place]][:_FEATURES]
    largest = float(np.abs(shares).max()) or 1.0
    rows = [
        (
            markup.escape(structure.features[place].title),
            f"{shares[place]:+.3f}",
            bar(abs(float(shares[place])) / largest, "" if shares[place] > 0 else "cs-minus"),
        )
        for place in order
    ]
    table(scene.texts["feature"].format(gap=gap), rows)


def balance(scene: Scene) -> Int64:
    """Show both distances and their fusion under a moving α."""
    columns = st.columns(2)
    with columns[0]:
        alpha = choose(scene, "structural", "alpha", default=0.5)
    with columns[1]:
        percentile = choose(scene, "structural", "percentile", default=85.0)
    made = scene.run(f"structural:alpha={alpha};percentile={percentile}")
    chart(scene, made)
    return cuts_of(made)


def threshold(scene: Scene) -> Int64:
    """Show the line of a threshold rule on the fused distance."""
    rule = controls.segments(
        scene.texts["param_threshold"], RULES, name="rule", titles=lambda name: scene.texts[f"rule_{name}"]
    )
    name = AMOUNT_OF[rule]
    default = 85.0 if name == "percentile" else 1.5
    amount = choose(scene, "structural", name, default=default)
    made = scene.run(f"structural:alpha=0.8;threshold={rule};{name}={amount}")
    chart(scene, made)
    return cuts_of(made)


def share(scene: Scene) -> Int64:
    """Show what a percentile cuts in a text of one subject, and in any text."""
    percentile = float(str(choose(scene, "percentile", "percentile", key="share", default=90.0)))
    made = scene.run(f"percentile:window=0;percentile={percentile}")
    chart(scene, made, lambda name: "share" if name == "percentile" else name)
    counts = sorted({*_COUNTS, len(scene.lesson) - 1})
    rows = [(f"{gaps}", f"{cuts_by_percentile(gaps, percentile)}") for gaps in counts]
    table(scene.texts["always"], rows, (scene.texts["gaps"], scene.texts["cuts"]))
    return cuts_of(made)


def cuts_by_percentile(gaps: int, percentile: float) -> int:
    """Return how many of ``gaps`` different distances a percentile cuts, by applying the rule to them."""
    return int(apply("percentile", percentile, np.arange(gaps, dtype=np.float64)).exceeded.sum())
