"""Titles and descriptions of the curves of a strategy, shared by the chart, the text and the explanation panel."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.signals.signals import Signals
from pages.shared.frame import markup


@dataclass(frozen=True)
class CurveWords:
    """The texts of a strategy with curves.

    Attributes:
        fused: title of the curve that decides.
        description: of the curves and the line, as HTML.
        threshold: title of the line, before its label; empty where the label contains it.
        merged: of gaps over the threshold that the size limits leave uncut.
        forced: of gaps under the threshold that the size limits cut.
    """

    fused: str
    description: str
    threshold: str = "threshold"
    merged: str = "merged (min size)"
    forced: str = "split (max size)"


def curve_words(signals: Signals) -> CurveWords:
    """Return the texts for the curves of a strategy."""
    if signals.threshold.rule == "penalty":
        return _CHANGE_POINTS
    if signals.structure is not None:
        return _SLOPE_FUSED if signals.threshold.rule == "gradient" else _FUSED
    return _SLOPE if signals.threshold.rule == "gradient" else _SEMANTIC


def _line(role: str, title: str) -> str:
    return f'<b style="color: {markup.text_color(role)}">{title}</b>'


_SEMANTIC_IS = f"{_line('semantic', 'Semantic')}: distance in meaning between the two sides"
_STRUCTURAL_IS = f"{_line('structural', 'structural')}: distance in form: layout and wording"
_FUSED_IS = f"{_SEMANTIC_IS}; {_STRUCTURAL_IS}; {_line('fused', 'fused')} = α · semantic + (1 − α) · structural"
_SLOPE_IS = (
    f"{_line('threshold', 'slope')}: half the rise of that curve from the previous gap to the next. A gap is cut where "
    f"the slope, not the distance, exceeds the {_line('threshold', 'threshold')}"
)
_OVER = f"A gap is cut where its distance exceeds the {_line('threshold', 'threshold')}"
_ALONE = "structure is not used"

_FUSED = CurveWords("fused", f"{_FUSED_IS}. {_OVER}.")
_SLOPE_FUSED = CurveWords("fused", f"{_FUSED_IS}; {_SLOPE_IS}.")
_SEMANTIC = CurveWords("semantic", f"{_SEMANTIC_IS}. {_OVER}; {_ALONE}.")
_SLOPE = CurveWords("semantic", f"{_SEMANTIC_IS}; {_SLOPE_IS}; {_ALONE}.")
_CHANGE_POINTS = CurveWords(
    "score",
    f"{_line('semantic', 'Semantic')}: a quarter of the scatter of meaning within chunks that a cut here removes, with "
    "what distances at several scales add; "
    f"{_STRUCTURAL_IS}; {_line('fused', 'score')} = α · semantic + (1 − α) · structural: how much lower the cost of "
    "the best segmentation with a cut here is than without, before the penalty. A gap is cut where its score exceeds "
    f"the {_line('threshold', 'boundary penalty')}.",
    threshold="",
    merged="removed (size limits)",
    forced="added (size limits)",
)
