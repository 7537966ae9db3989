"""The chart and the lanes of a page as they are before any script runs; ``chart.js`` draws the same."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from chunking.chunks import Cut, leaves
from chunking.comparison.report import Comparison
from chunking.curves.signals import Signals
from chunking.figures import page
from chunking.figures.theme import DRIVER_TITLES, ENTRY_ROLES, GLYPHS
from chunking.runtime.arrays import AnyFloats, AnyInts, Int64
from chunking.standalone.lane import ValueRange, value_ticks
from chunking.strategies import Segmentation
from chunking.strategies.reasons import words

_HEIGHT = 1000
"""Of the coordinates of the chart; its width is the number of gaps."""


def chart(segmentation: Segmentation, values: ValueRange, gold: AnyInts) -> str:
    """Return the curves of a segmentation with their threshold and boundaries, as HTML.

    Args:
        segmentation: the one that is shown first; its chart is hidden if it has no curves.
        values: the lowest and the highest value of the chart.
        gold: reference boundaries, as gaps.
    """
    signals = segmentation.signals
    hidden = "" if signals is not None else " hidden"
    content = _empty_canvas() if signals is None else _canvas(segmentation, signals, values, gold)
    return (
        f'<figure id="chart"{hidden}>{_keys(signals, bool(len(gold)))}'
        f'<div id="plot" tabindex="0" role="application" aria-label="Distances of the gaps: arrow keys select a gap">'
        f'{content}</div><div class="axis-words"><span>gap 1</span><span id="readout"></span>'
        f"<span>{0 if signals is None else len(signals):,}</span></div></figure>"
    )


def _canvas(segmentation: Segmentation, signals: Signals, values: ValueRange, gold: AnyInts) -> str:
    low, high = values
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
        f'<div style="top:{100 * depth(value):.2f}%"><span>{value:g}</span></div>' for value in value_ticks(values)
    )
    return _canvas_of(ticks, paths, marks, line, triangles, count)


def _empty_canvas() -> str:
    """Return a chart for a script to fill, where the strategy that is shown first has no curves."""
    paths = "".join(f'<path id="curve-{name}"/>' for name in ("structural", "semantic", "fused", "slope"))
    return _canvas_of("", paths, "", "hidden><span></span>", "")


def _mark(cut: Cut, x: float, y: float) -> str:
    driver, gap = cut.driver or "", (cut.gap or 0) + 1
    title = f"gap {gap}: {page.text(words(cut))}"
    return f'<i class="{driver}" style="left:{x:.3f}%;top:{y:.2f}%" title="{title}">{GLYPHS.get(driver, "")}</i>'


def _canvas_of(ticks: str, paths: str, marks: str, line: str, gold: str, count: int = 1) -> str:
    return (
        f'<div id="canvas"><div id="ticks">{ticks}</div>'
        f'<svg id="curves" viewBox="0 0 {count} {_HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="Semantic, structural and fused distance of every gap">{paths}</svg>'
        f'<div id="threshold" {line}</div><div id="cursor" hidden></div>'
        f'<div id="selected" hidden></div><div id="marks">{marks}</div><div id="gold">{gold}</div></div>'
    )


def _keys(signals: Signals | None, gold: bool) -> str:
    """Return the legend: colours with words, shapes with words."""
    lines = [("semantic", "semantic")]
    if signals is None or signals.structure is not None:
        lines += [("structural", "structural"), ("fused", "score" if _is_penalty(signals) else "fused")]
    if signals is not None and signals.threshold.rule == "gradient":
        lines.append(("threshold", "slope"))
    keys = [f'<span><i class="line-key" style="color:var(--{role})"></i>{title}</span>' for role, title in lines]
    limit = "boundary penalty" if _is_penalty(signals) else "threshold"
    keys.append(f'<span><i class="line-key dashed" style="color:var(--threshold)"></i>{limit}</span>')
    keys += [
        f'<span><i style="color:var(--{driver})">{glyph}</i> {DRIVER_TITLES[driver]}</span>'
        for driver, glyph in GLYPHS.items()
    ]
    keys += ['<span><i style="color:var(--gold)">▲</i> reference</span>'] if gold else []
    zoom = (
        '<span id="zoom"><button type="button" data-factor="0.5" aria-label="Zoom out">−</button>'
        '<button type="button" data-factor="2" aria-label="Zoom in">+</button></span>'
    )
    return f'<figcaption class="keys">{"".join(keys)}{zoom}</figcaption>'


def _is_penalty(signals: Signals | None) -> bool:
    return signals is not None and signals.threshold.rule == "penalty"


def lanes(compared: Comparison, titles: Sequence[str]) -> str:
    """Return a row for each segmentation with its boundaries along the text, and one for a complete reference."""
    end = max(len(compared.sentences.document.text), 1)
    rows = []
    if compared.reference.boundaries:
        gold = np.array(compared.reference.boundaries, dtype=np.int64)
        rows.append(_row("<span>Reference (human)</span>", gold, end, ENTRY_ROLES["gold"]))
    for number, (title, entry) in enumerate(zip(titles, compared.entries, strict=True)):
        name = escape(title)
        label = (
            f'<button type="button" data-lane="{number}" aria-pressed="{str(not number).lower()}" title="{name}">{name}'
            f"</button><span>{name}</span>"
        )
        rows.append(_row(label, entry.offsets, end, ENTRY_ROLES[entry.kind]))
    return f'<div id="lanes" class="lanes">{"".join(rows)}</div>'


def _row(label: str, offsets: Int64, end: int, role: str) -> str:
    ticks = "".join(f"M{offset} 0V1" for offset in offsets.tolist())
    return (
        f'<div class="lane {role}">{label}<svg viewBox="0 0 {end} 1" preserveAspectRatio="none" role="img" '
        f'aria-label="{len(offsets)} boundaries"><path d="{ticks}"/></svg></div>'
    )
