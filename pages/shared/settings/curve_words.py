"""What the curves of a strategy are called, and what they mean, for the chart, the text and the ledger alike."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.curves.signals import Signals


@dataclass(frozen=True)
class Words:
    """The words of a strategy.

    Attributes:
        fused: the curve that decides.
        meaning: HTML, what the curves and the line are.
        threshold: the line, before its label; empty where the label says it.
        given_up: what the limits did to a gap that the strategy would cut.
        forced: why the limits cut a gap that it would not.
        forced_figure: the same behind a number.
    """

    fused: str
    meaning: str
    threshold: str = "threshold"
    given_up: str = "merged away by the limits"
    forced: str = "the maximum size"
    forced_figure: str = "forced by the maximum"


def words(signals: Signals) -> Words:
    """The words for curves."""
    if signals.threshold.rule == "penalty":
        return _CHANGE_POINTS
    if signals.structure is not None:
        return _SLOPE_FUSED if signals.threshold.rule == "gradient" else _FUSED
    return _SLOPE if signals.threshold.rule == "gradient" else _SEMANTIC


def _line(role: str, title: str) -> str:
    return f'<b style="color: var(--cs-{role})">{title}</b>'


_SEMANTIC_IS = f"{_line('semantic', 'Semantic')}: how far the meanings on the two sides are apart"
_STRUCTURAL_IS = f"{_line('structural', 'structural')}: what the form of the text says"
_FUSED_IS = f"{_SEMANTIC_IS}; {_STRUCTURAL_IS}; {_line('fused', 'fused')} = α · semantic + (1 − α) · structural"
_SLOPE_IS = (
    f"{_line('threshold', 'slope')}: how steeply that curve rises there, half of the way from the gap before to that "
    f"after. A gap is cut where the slope, not the distance, exceeds the {_line('threshold', 'threshold')}"
)
_OVER = f"A gap is cut where it exceeds the {_line('threshold', 'threshold')}"
_ALONE = "structure plays no part"

_FUSED = Words("fused", f"{_FUSED_IS}. {_OVER}.")
_SLOPE_FUSED = Words("fused", f"{_FUSED_IS}; {_SLOPE_IS}.")
_SEMANTIC = Words("semantic", f"{_SEMANTIC_IS}. {_OVER}; {_ALONE}.")
_SLOPE = Words("semantic", f"{_SEMANTIC_IS}; {_SLOPE_IS}; {_ALONE}.")
_CHANGE_POINTS = Words(
    "worth",
    f"{_line('semantic', 'Semantic')}: half of the scatter of meanings within chunks that a cut here saves; "
    f"{_STRUCTURAL_IS}; {_line('fused', 'worth')} = α · semantic + (1 − α) · structural: how much less the best "
    "division with a cut here costs than the best without, before the penalty. A gap is cut where this exceeds the "
    f"{_line('threshold', 'boundary penalty')}.",
    threshold="",
    given_up="given up to keep the limits",
    forced="the limits",
    forced_figure="forced by the limits",
)
