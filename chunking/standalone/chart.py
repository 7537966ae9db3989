"""The chart and the lanes of a page as they are before any script runs, and on paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from chunking.chunks import Cut, leaves, reason_words
from chunking.comparison.report import Comparison
from chunking.curves.signals import Signals
from chunking.figures import page
from chunking.figures.theme import DRIVER_TITLES, ENTRY_ROLES, GLYPHS
from chunking.runtime.arrays import AnyFloats, AnyInts, Int64
from chunking.strategies import Segmentation

ValueRange = tuple[float, float]

_HEIGHT = 1000
"""Of the coordinates of the chart; its width is the number of gaps."""


def chart(segmentation: Segmentation, gold: AnyInts) -> str:
    """Return the curves of a segmentation with their threshold and boundaries, as HTML.

    Args:
        segmentation: the one that is shown first; without curves it has no chart.
        gold: reference boundaries, as gaps.
    """
    signals = segmentation.signals
    if signals is None:
        return ""
    return (
        f'<figure id="chart">{_keys(signals, bool(len(gold)))}'
        f'<div id="plot">{_canvas(segmentation, signals, gold)}</div>'
        f'<div class="axis-words"><span>gap 1</span><span>{len(signals):,}</span></div></figure>'
    )


def _canvas(segmentation: Segmentation, signals: Signals, gold: AnyInts) -> str:
    low, high = values = _value_range(signals)
    count = max(len(signals), 1)

    def depth(value: float) -> float:
        return min(max((high - value) / (high - low), 0.0), 1.0)

    def path(name: str, values: AnyFloats | None) -> str:
        steps = [] if values is None else [round(_HEIGHT * depth(value)) for value in values.tolist()]
        line = "".join(f"{'L' if gap else 'M'}{gap}.5 {place}" for gap, place in enumerate(steps))
        alone = ' class="alone"' if name == "semantic" and signals.structure is None else ""
        return f'<path id="curve-{name}"{alone} d="{line}"/>'

    structure = signals.structure is not None
    paths = (
        path("structural", signals.structural if structure else None)
        + path("semantic", signals.semantic)
        + path("fused", signals.fused if structure else None)
        + path("slope", signals.threshold.score if signals.threshold.rule == "gradient" else None)
    )
    marks = "".join(
        _mark(chunk.cut, 100 * (chunk.cut.gap + 0.5) / count, 100 * depth(float(signals.fused[chunk.cut.gap])))
        for chunk in leaves(segmentation.chunks)
        if chunk.cut and chunk.cut.gap is not None
    )
    known = np.isfinite(signals.threshold.value)
    place = f"{100 * depth(signals.threshold.value):.2f}%" if known else "0"
    line = f'style="top:{place}"{"" if known else " hidden"}><span>{signals.threshold.value:.3f}</span>'
    triangles = "".join(
        f'<i style="left:{100 * (gap + 0.5) / count:.3f}%" title="gap {gap + 1}: reference boundary">▲</i>'
        for gap in gold.tolist()
    )
    ticks = "".join(
        f'<div style="top:{100 * depth(value):.2f}%"><span>{value:g}</span></div>' for value in _value_ticks(values)
    )
    return (
        f'<div id="canvas"><div id="ticks">{ticks}</div>'
        f'<svg id="curves" viewBox="0 0 {count} {_HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="Semantic, structural and fused distance of every gap">{paths}</svg>'
        f'<div id="threshold" {line}</div><div id="marks">{marks}</div><div id="gold">{triangles}</div></div>'
    )


def _mark(cut: Cut, x: float, y: float) -> str:
    driver, gap = cut.driver or "", (cut.gap or 0) + 1
    title = f"gap {gap}: {page.text(reason_words(cut))}"
    return f'<i class="{driver}" style="left:{x:.3f}%;top:{y:.2f}%" title="{title}">{GLYPHS.get(driver, "")}</i>'


def _keys(signals: Signals, gold: bool) -> str:
    """Return the legend: colours with words, shapes with words."""
    lines = [("semantic", "semantic")]
    if signals.structure is not None:
        lines += [("structural", "structural"), ("fused", "score" if _is_penalty(signals) else "fused")]
    if signals.threshold.rule == "gradient":
        lines.append(("threshold", "slope"))
    keys = [f'<span><i class="line-key" style="color:var(--{role})"></i>{title}</span>' for role, title in lines]
    limit = "boundary penalty" if _is_penalty(signals) else "threshold"
    keys.append(f'<span><i class="line-key dashed" style="color:var(--threshold)"></i>{limit}</span>')
    keys += [
        f'<span><i style="color:var(--{driver})">{glyph}</i> {DRIVER_TITLES[driver]}</span>'
        for driver, glyph in GLYPHS.items()
    ]
    keys += ['<span><i style="color:var(--gold)">▲</i> reference</span>'] if gold else []
    return f'<figcaption class="keys">{"".join(keys)}</figcaption>'


def _is_penalty(signals: Signals) -> bool:
    return signals.threshold.rule == "penalty"


def lanes(compared: Comparison, titles: Sequence[str]) -> str:
    """Return a row for each segmentation with its boundaries along the text, and one for a complete reference."""
    end = max(len(compared.sentences.document.text), 1)
    rows = []
    if compared.reference.boundaries:
        gold = np.array(compared.reference.boundaries, dtype=np.int64)
        rows.append(_row("<span>Reference</span>", gold, end, ENTRY_ROLES["gold"]))
    for title, entry in zip(titles, compared.entries, strict=True):
        name = escape(title)
        rows.append(_row(f'<span title="{name}">{name}</span>', entry.offsets, end, ENTRY_ROLES[entry.kind]))
    return f'<div id="lanes" class="lanes">{"".join(rows)}</div>'


def _row(label: str, offsets: Int64, end: int, role: str) -> str:
    ticks = "".join(f"M{offset} 0V1" for offset in offsets.tolist())
    return (
        f'<div class="lane {role}">{label}<svg viewBox="0 0 {end} 1" preserveAspectRatio="none" role="img" '
        f'aria-label="{len(offsets)} boundaries"><path d="{ticks}"/></svg></div>'
    )


def _value_range(signals: Signals) -> ValueRange:
    """Return the lowest and the highest value of a chart, with margins."""
    extremes = [0.0, 1.0, *_extremes(signals)]
    low, high = min(extremes), max(extremes)
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _extremes(signals: Signals) -> list[float]:
    """Return the values that the curves lie between."""
    curves = [signals.semantic, signals.structural, signals.fused, signals.threshold.score]
    values = [float(value) for curve in curves if len(curve) for value in (curve.min(), curve.max())]
    return [*values, signals.threshold.value] if np.isfinite(signals.threshold.value) else values


def _value_ticks(values: ValueRange) -> list[float]:
    """Return the values that the chart has a line for, a quarter apart or more."""
    low, high = values
    step = 0.25 * max(1, round((high - low) / 1.1))
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
