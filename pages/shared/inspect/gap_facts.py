"""What only Python knows of a gap: what was compared, how many boundaries a text supports, what would change it.

The workbench shows it beside what it computes itself, as long as the setting and the gap are those it was made for.
"""

from __future__ import annotations

from chunking import explain
from chunking.chunks import Cut
from chunking.explain import AlphaFlips, CountFlips, GapExplanation
from chunking.runtime.wording import plural
from chunking.signals.signals import Signals
from chunking.strategies import Segmentation
from chunking.strategies.changepoint import ChangepointParameters

Row = tuple[str, str]
"""A term and its words."""


def rows(segmentation: Segmentation, gap: int | None) -> list[Row]:
    """Return the facts on a gap; none without curves or without a gap."""
    signals = segmentation.signals
    if signals is None or gap is None or not 0 <= gap < len(signals):
        return []
    facts = [("Compared", compared)] if (compared := _compared(segmentation)) else []
    if signals.threshold.rule != "penalty":
        return facts
    gap_explanation = explain.explain_gap(segmentation, gap)
    return [
        *facts,
        *_supported(segmentation, signals),
        *_topic(gap_explanation, segmentation),
        ("What it saves", _cost_words(gap_explanation)),
        ("Number of boundaries", _count_words(gap_explanation.count_flips, gap_explanation.verdict == "cut")),
        ("Decision flips at", _alpha_words(gap_explanation.alpha_flips)),
    ]


def _compared(segmentation: Segmentation) -> str:
    """Return what the semantic distance compares, where that is more than the two sentences shown."""
    block = getattr(segmentation.params, "block", 1)
    window = getattr(segmentation.params, "window", 0)
    parts = {0: [_SCALES], 1: []}.get(block, [f"the {block} sentences before and the {block} after"])
    if window:
        parts.append(f"each sentence with {plural(window, 'neighbour')} on either side")
    return ", ".join(parts)


_SCALES = "1 to 12 sentences on each side, at several scales, by how far this gap stands out from those around it"


def _supported(segmentation: Segmentation, signals: Signals) -> list[Row]:
    """Return how many boundaries the text supports, and what the setting makes of that."""
    params = segmentation.params
    if signals.supported is None or not isinstance(params, ChangepointParameters):
        return []
    supported = signals.supported
    why = (
        f"learned {supported.learned:,}; one per 550 bytes of a text with paragraphs {supported.passages:,}; "
        "the larger counts"
    )
    why += "; another number is given" * bool(params.inactive)
    finer = f" × 2^{params.fineness:g}" if params.fineness and not params.inactive else ""
    low, high = supported.range
    return [
        ("Supported", f"{plural(supported.number, 'boundary', 'boundaries')}{finer} ({why})"),
        ("Between", f"{low:,} and {high:,} in eight of ten documents whose gaps tell as much"),
    ]


def _topic(gap_explanation: GapExplanation, segmentation: Segmentation) -> list[Row]:
    """Return whether a cut of a tree opens a topic or only a sub-topic."""
    cuts = [chunk.cut for chunk in segmentation.chunks if chunk.cut and chunk.cut.gap == gap_explanation.gap]
    levels = {cut.detail: cut for cut in reversed(cuts)}
    topic: Cut | None = levels.get("topic")
    if topic is not None and topic.score is not None and topic.threshold is not None:
        return [("Opens", f"a topic: {topic.score:.3f} > {topic.threshold:.3f} (topic penalty)")]
    return [("Opens", "a sub-topic only")] if "sub-topic" in levels else []


def _cost_words(gap_explanation: GapExplanation) -> str:
    """Return the meaning of the score of a change point strategy."""
    change = "lower" if gap_explanation.margin > 0 else "higher"
    return (
        f"the cost is {abs(gap_explanation.margin):.3f} {change} in the best segmentation with a cut here than in the "
        "best without"
    )


_NOT_COMPUTED = "not computed for a document of this length"


def _alpha_words(flips: AlphaFlips | None) -> str:
    if flips is None:
        return _NOT_COMPUTED
    about = "" if flips.exact else "about "
    sides = [
        f"α {sign} {about}{value:.3f}" for sign, value in (("<", flips.below), (">", flips.above)) if value is not None
    ]
    return " or ".join(sides) or ("no α from 0 to 1" if flips.exact else "no α found from 0 to 1")


def _count_words(flips: CountFlips | None, cut: bool) -> str:
    """Return the numbers of boundaries at which the decision on a gap of a change point strategy flips."""
    if flips is None:
        return _NOT_COMPUTED
    numbers = [_with_percentile(number, flips) for number in (flips.fewer, flips.more) if number is not None]
    state = "not cut" if cut else "cut"
    flips_at = f"{state} with {' or '.join(numbers)}" if numbers else f"no other number found at which it is {state}"
    return f"{flips_at}; now {flips.now:,}"


def _with_percentile(number: int, flips: CountFlips) -> str:
    """Return a number of boundaries and its percentile; 0 is automatic, so only other numbers have one."""
    if not 0 < number < flips.gaps:
        return f"{number:,}"
    return f"{number:,} (percentile {flips.percentile(number):.1f})"
