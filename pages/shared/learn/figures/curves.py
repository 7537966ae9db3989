"""Chapters 4 to 7: the structural distance, its balance with the semantic one, and thresholds."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import streamlit as st

from chunking import strategies
from chunking.runtime.arrays import Int64
from chunking.signals.features import Structure
from chunking.signals.thresholds import AMOUNT_OF, RULES, apply
from chunking.strategies import Segmentation
from pages.shared.components.stepped_table import SteppedTable, stepped_table
from pages.shared.learn.figures.scene import Scene, bar, chart, choose
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
    structural = made.signals.structural
    strongest = int(np.argmax(structural)) + 1
    gap = controls.number(scene.texts["gap"], 1, len(structural), strongest, name="gap", slider=True)
    tables = {float(each): _evidence_at(scene, made.signals.structure, each) for each in range(1, len(structural) + 1)}
    stepped_table("_learn_evidence", "gap", gap, tables)


def _evidence_at(scene: Scene, structure: Structure, gap: int) -> SteppedTable:
    """Return the strongest evidence at a gap, which counts from 1."""
    shares = structure.gap_shares(gap - 1)
    order = [place for place in np.argsort(-np.abs(shares), kind="stable").tolist() if shares[place]][:_FEATURES]
    largest = float(np.abs(shares).max()) or 1.0
    rows = [
        (
            structure.features[place].title,
            f"{shares[place]:+.3f}",
            bar(abs(shares[place]) / largest, "" if shares[place] > 0 else "cs-minus"),
        )
        for place in order
    ]
    return {"caption": scene.texts["feature"].format(gap=gap), "lead": "", "head": (), "rows": rows}


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
    counts = tuple(sorted({*_COUNTS, len(scene.lesson) - 1}))
    head = (scene.texts["gaps"], scene.texts["cuts"])
    tables: dict[float, SteppedTable] = {
        value: {"caption": scene.texts["always"], "lead": "", "head": head, "rows": rows}
        for value, rows in _cuts_table(counts).items()
    }
    stepped_table("_learn_always", "share", percentile, tables)
    return cuts_of(made)


@lru_cache(maxsize=64)
def _cuts_table(counts: tuple[int, ...]) -> dict[float, list[tuple[str, str]]]:
    """Return how many of so many gaps a percentile cuts, by the percentiles from which on it is another number."""
    known = strategies.get("percentile").params.lookup("percentile")
    low, high, step = (float(each or 0) for each in (known.minimum, known.maximum, known.step))
    tables: dict[float, list[tuple[str, str]]] = {}
    last: list[tuple[str, str]] = []
    for percentile in np.arange(low, high + step / 2, step).round(6).tolist():
        rows = [(f"{gaps}", f"{cuts_by_percentile(gaps, percentile)}") for gaps in counts]
        if rows != last:
            tables[percentile] = last = rows
    return tables


def cuts_by_percentile(gaps: int, percentile: float) -> int:
    """Return how many of ``gaps`` different distances a percentile cuts, by applying the rule to them."""
    return int(apply("percentile", percentile, np.arange(gaps, dtype=np.float64)).exceeded.sum())
