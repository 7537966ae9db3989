"""What a page shows before any script runs, and on paper: lanes, the chart, the chunks, and tables below them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from chunking import tokens
from chunking.chunks import Chunk, leaves, reason_words
from chunking.comparison.report import Comparison, ComparisonEntry
from chunking.report import html
from chunking.report.formatting import NOTHING
from chunking.report.theme import DRIVER_TITLES, ENTRY_ROLES, GLYPHS
from chunking.runtime.arrays import AnyFloats, AnyInts, Int64
from chunking.runtime.wording import plural
from chunking.signals.signals import Signals
from chunking.strategies import REGISTRY, Segmentation
from chunking.workspace import DocumentAnalysis

# --- lanes and the chart -------------------------------------------------------------------------------------------

_HEIGHT = 1000
"""Of the coordinates of the chart; its width is the number of gaps."""


def lanes(compared: Comparison, titles: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each segmentation with its boundaries along the text, and one for the reference."""
    rows = [
        {"title": title, "role": ENTRY_ROLES[entry.kind], "offsets": entry.offsets.tolist()}
        for title, entry in zip(titles, compared.entries, strict=True)
    ]
    if compared.reference.boundaries:
        reference = list(compared.reference.boundaries)
        rows.insert(0, {"title": "Reference", "role": ENTRY_ROLES["gold"], "offsets": reference})
    return rows


def chart(segmentation: Segmentation, references: AnyInts) -> dict[str, Any] | None:
    """Return the curves of a segmentation with their threshold and boundaries; ``None`` where it has none.

    Args:
        segmentation: the one that is shown first.
        references: reference boundaries, as gaps.
    """
    signals = segmentation.signals
    if signals is None:
        return None
    low, high = _value_range(signals)
    count = max(len(signals), 1)

    def depth(value: float) -> float:
        return min(max((high - value) / (high - low), 0.0), 1.0)

    def top(value: float) -> str:
        return f"{100 * depth(value):.2f}%"

    def left_text(gap: int) -> str:
        return f"{100 * (gap + 0.5) / count:.3f}%"

    def path(values: AnyFloats) -> str:
        heights = [round(_HEIGHT * depth(value)) for value in values.tolist()]
        return "".join(f"{'L' if gap else 'M'}{gap}.5 {height}" for gap, height in enumerate(heights))

    is_penalty, is_slope = (signals.threshold.rule == rule for rule in ("penalty", "gradient"))
    curves = {"structural": signals.structural} if signals.structure is not None else {}
    curves["semantic"] = signals.semantic
    curves |= {"fused": signals.fused} if signals.structure is not None else {}
    curves |= {"slope": signals.threshold.score} if is_slope else {}
    titles = {"semantic": "semantic"}
    if signals.structure is not None:
        titles |= {"structural": "structural", "fused": "score" if is_penalty else "fused"}
    threshold = signals.threshold.value
    cuts = [chunk.cut for chunk in leaves(segmentation.chunks) if chunk.cut]
    shown = {*GLYPHS} - {"hand"} | {cut.driver for cut in cuts}
    return {
        "width": count,
        "height": _HEIGHT,
        "count": f"{len(signals):,}",
        "lines": [*titles.items(), *([("threshold", "slope")] if is_slope else [])],
        "limit": "boundary penalty" if is_penalty else "threshold",
        "drivers": [(driver, glyph, DRIVER_TITLES[driver]) for driver, glyph in GLYPHS.items() if driver in shown],
        "ticks": [(top(value), f"{value:g}") for value in _value_ticks(low, high)],
        "curves": [(name, path(values), len(curves) == 1 + is_slope) for name, values in curves.items()],
        "threshold": (top(threshold), f"{threshold:.3f}") if np.isfinite(threshold) else None,
        "marks": [
            {
                "driver": cut.driver or "",
                "left": left_text(cut.gap),
                "top": top(float(signals.fused[cut.gap])),
                "title": f"gap {cut.gap + 1}: {reason_words(cut)}",
                "glyph": GLYPHS.get(cut.driver or "", ""),
            }
            for cut in cuts
            if cut.gap is not None
        ],
        "references": [(left_text(gap), gap + 1) for gap in references.tolist()],
    }


def _value_range(signals: Signals) -> tuple[float, float]:
    """Return the lowest and the highest value of a chart, with margins."""
    curves = [signals.semantic, signals.structural, signals.fused, signals.threshold.score]
    values = np.concatenate([[0.0, 1.0], *curves, [signals.threshold.value]])
    finite = values[np.isfinite(values)]
    low, high = float(finite.min()), float(finite.max())
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _value_ticks(low: float, high: float) -> list[float]:
    """Return the values that the chart has a line for, a quarter apart or more."""
    step = 0.25 * max(1, round((high - low) / 1.1))
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


# --- chunks --------------------------------------------------------------------------------------------------------


def chunks(segmentation: Segmentation, offsets: Int64) -> Iterator[dict[str, Any]]:
    """Yield the chunks with the reasons of their cuts, and their text with a mark at each gap."""
    gaps = offsets if segmentation.signals is not None else offsets[:0]
    text = segmentation.document.text
    for number, chunk in enumerate(leaves(segmentation.chunks), 1):
        cut = chunk.cut
        driver = (cut.driver if cut else None) or ""
        yield {
            "number": f"{number:,}",
            "driver": driver,
            "glyph": GLYPHS.get(driver),
            "gap": cut.gap if cut and len(gaps) else None,
            "reason": reason_words(cut) if cut else "",
            "tokens": plural(chunk.tokens, "token"),
            "overlap_tokens": f"{chunk.overlap_tokens:,}" if chunk.overlap_tokens else "",
            "overlap": text[chunk.indexed_start : chunk.start] if chunk.overlap else "",
            "path": " › ".join(chunk.heading_path),
            "notes": "; ".join(chunk.notes),
            "pieces": _pieces(text, chunk, gaps),
        }


def _pieces(text: str, chunk: Chunk, offsets: Int64) -> Iterator[tuple[str, int | None]]:
    """Yield a chunk's own text up to each gap inside, with the gap, and up to its end."""
    first, last = np.searchsorted(offsets, [chunk.start + 1, chunk.end]).tolist()
    start = chunk.start
    for gap in range(first, last):
        offset = int(offsets[gap])
        yield text[start:offset], gap
        start = offset
    yield text[start : chunk.end], None


# --- tables --------------------------------------------------------------------------------------------------------


def about(workspace: DocumentAnalysis) -> str:
    """Return a line on a document."""
    document = workspace.document
    return (
        f"{document.format}, {plural(len(workspace.sentences), 'sentence')}, {plural(len(document.text), 'character')}"
    )


def parameters(entry: ComparisonEntry) -> Markup:
    """Return what a strategy does and where it comes from, and every parameter with its value."""
    params = entry.segmentation.params
    changed = params.changed()
    rows = [
        (parameter.title, parameter.format(value) or NOTHING, parameter.unit, "" if name in changed else "default")
        for name, value in params.values().items()
        if name not in params.inactive
        for parameter in [params.lookup(name)]
    ]
    strategy = REGISTRY.get(entry.segmentation.strategy)
    parts = [html.paragraph(strategy.summary), html.legend(f"{strategy.source}.")] if strategy else []
    return html.join([html.heading(entry.title), *parts, html.table(("Parameter", "Value", "Unit", ""), rows)])


def notes(segmentations: Sequence[Segmentation], workspace: DocumentAnalysis) -> Markup:
    """Return the warnings about the document and its segmentations."""
    warnings = [*workspace.document.notes, *(note for segmentation in segmentations for note in segmentation.warnings)]
    warnings += workspace.warnings(
        max((int(getattr(segmentation.params, "window", 0)) for segmentation in segmentations), default=0)
    )
    return html.bullets(list(dict.fromkeys(warnings)))


def sizes(workspace: DocumentAnalysis, compared: Comparison, titles: Sequence[str]) -> Markup:
    """Return the sizes of the chunks of each segmentation, and what was requested of it."""
    name = workspace.tools.tokenizer
    outcomes = compared.outcomes({name: tokens.get_tokenizer(name)})
    rows = []
    for title, entry, outcome in zip(titles, compared.entries, outcomes, strict=True):
        own_sizes = outcome.tokens[name].own
        rows.append(
            (
                title,
                f"{outcome.chunks:,}",
                *(
                    f"{value:,.0f}"
                    for value in (own_sizes.minimum, own_sizes.median, own_sizes.mean, own_sizes.maximum)
                ),
                f"{outcome.over_maximum:,}",
                f"{outcome.under_minimum:,}",
                f"{sum(chunk.overlap_tokens for chunk in entry.segmentation.chunks):,}",
            )
        )
    heads = ("Strategy", "Chunks", "Min", "Median", "Mean", "Max", "Over maximum", "Under minimum", "Overlap tokens")
    return html.table(heads, rows, "numbers")


def agreement(compared: Comparison, titles: Sequence[str]) -> Markup:
    """Return the boundary F1 of each pair, and how far it is above that of random boundaries."""
    if len(compared.entries) + bool(compared.reference.complete_boundaries) < 2 or not len(compared.offsets):
        return html.NOTHING
    _, matrix = compared.matrix("f1")
    names = ["Reference", *titles] if compared.reference.complete_boundaries else list(titles)
    pairs = [
        [f"{value:.2f} ({corrected:+.2f})" for value, corrected in zip(*row, strict=True)]
        for row in zip(matrix.values.tolist(), matrix.corrected.tolist(), strict=True)
    ]
    rows = [
        (name, *(NOTHING if row == column else cell for column, cell in enumerate(pairs[row])))
        for row, name in enumerate(names)
    ]
    legend = "Boundary F1, exact gaps; in brackets chance-corrected: 0 for random boundaries, 1 for equal ones."
    heads = ("", *(name.partition(" · ")[0] for name in names))
    return html.legend(legend) + html.table(heads, rows, "numbers")


def chunk_table(segmentation: Segmentation) -> Markup:
    """Return the chunks of a segmentation as rows, for readers without scripts and for paper."""
    text = segmentation.document.text
    rows = [
        (
            f"{index:,}",
            f"{chunk.start:,}–{chunk.end:,}",
            f"{chunk.tokens:,}",
            reason_words(chunk.cut),
            " ".join(text[chunk.start : min(chunk.end, chunk.start + 240)].split())[:80],
        )
        for index, chunk in enumerate(leaves(segmentation.chunks), 1)
    ]
    return html.table(("", "Offsets", "Tokens", "Why it begins here", "First words"), rows)
