"""The explanation panel of a gap, as HTML."""

from __future__ import annotations

from chunking.chunks import Cut
from chunking.curves.signals import Signals
from chunking.curves.thresholds import AMOUNT_OF, Rule
from chunking.document import Document, Span
from chunking.explain import AlphaFlips, Contribution, CountFlips, GapExplanation
from chunking.runtime.wording import plural
from chunking.strategies import Segmentation
from chunking.strategies.changepoint import ChangepointParameters
from chunking.strategies.gaps import StructuralParameters
from pages.shared.components.glossary import explained
from pages.shared.frame.markup import escape, text_color
from pages.shared.settings.curve_words import curve_words

_AMOUNTS = {
    "percentile": "Percentile",
    "gradient": "Percentile",
    "standard_deviation": "Standard deviations",
    "interquartile": "Interquartile ranges",
}
_LONGEST = 1200


def render(ledger: GapExplanation, segmentation: Segmentation, unread: tuple[bool, bool], limit: int) -> str:
    """Return the whole panel.

    Args:
        ledger: what to show.
        segmentation: of the document.
        unread: whether the left and the right text exceed the encoder limit.
        limit: of the encoder, in tokens.

    Raises:
        ValueError: the strategy has no curves.
    """
    document, signals = segmentation.document, segmentation.signals
    if signals is None:
        raise ValueError(f"{segmentation.strategy} has no curves")
    note = f'<p class="cs-quiet">⚠ This text exceeds the encoder limit of {limit} tokens; the rest is truncated.</p>'
    return "".join(
        (
            _verdict(ledger, signals),
            _side(document, ledger.left),
            note * unread[0],
            '<div class="cs-place"></div>',
            _side(document, ledger.right),
            note * unread[1],
            _scale(ledger, signals),
            _facts(ledger, segmentation, signals),
            _features(ledger),
            _meaning(ledger, signals),
        )
    )


def _verdict(ledger: GapExplanation, signals: Signals) -> str:
    driver = ledger.driver if ledger.verdict == "cut" else "limit" if ledger.verdict == "forced" else "muted"
    named = curve_words(signals)
    verdict = {"merged": named.merged, "forced": named.forced}.get(ledger.verdict, ledger.verdict)
    by = {"semantic": " · by meaning", "structural": " · by structure", "both": " · by both"}
    why = by.get(driver, "") if signals.structure else ""
    return (
        f'<div class="cs-verdict"><b>Gap {ledger.gap + 1:,}</b>'
        f'<span class="cs-tag" style="color: {text_color(driver)}">{verdict}{why}</span></div>'
    )


def _side(document: Document, span: Span) -> str:
    text = document.slice(span)
    shown = escape(text[:_LONGEST]) + ("…" if len(text) > _LONGEST else "")
    fixed = " cs-fixed" if document.block_at(span.start) in ("code", "table") else ""
    return f'<div class="cs-side{fixed}" dir="auto" tabindex="0">{shown}</div>'


def _scale(ledger: GapExplanation, signals: Signals) -> str:
    """Return the score as a bar from 0, with the threshold as a mark."""
    top = max(float(signals.threshold.score.max()), ledger.threshold, 1e-9)
    if signals.threshold.rule == "gradient":
        return ""
    meaning = max(0.0, ledger.semantic * signals.alpha) / top
    form = max(0.0, ledger.structural * (1 - signals.alpha)) / top
    fused = f"{curve_words(signals).fused}: semantic, then structural part"
    parts = fused if signals.structure else "the semantic distance"
    limit = "boundary penalty" if signals.threshold.rule == "penalty" else "threshold"
    return (
        f'<div class="cs-scale" title="{parts}; the mark is the {limit}">'
        f'<i style="width: {100 * meaning:.2f}%; background: var(--cs-semantic)"></i>'
        f'<i style="left: {100 * meaning:.2f}%; width: {100 * form:.2f}%; background: var(--cs-structural)"></i>'
        f'<u style="left: calc({100 * ledger.threshold / top:.2f}% - 2px)"></u></div>'
    )


def _facts(ledger: GapExplanation, segmentation: Segmentation, signals: Signals) -> str:
    rule = signals.threshold.rule
    rows = [*_score_rows(ledger, segmentation, signals), ("Rank", f"{ledger.rank:,} of {len(signals):,}")]
    if ledger.probability is not None and signals.probabilities is not None:
        expected = (
            f'<span class="cs-quiet">(this document: {signals.probabilities.sum():.1f} boundaries expected)</span>'
        )
        rows.append(("Probability", f"{100 * ledger.probability:.0f} % {expected}"))
    if ledger.alpha_flips:
        rows.append(("Decision flips at", _alpha_words(ledger.alpha_flips)))
    elif rule == "penalty":
        rows.append(("Decision flips at", _UNSEARCHED))
    if rule == "penalty":
        boundaries = _count_words(ledger.count_flips, ledger.margin > 0) if ledger.count_flips else _UNSEARCHED
        rows += [*_number_row(segmentation, signals), ("Boundaries", boundaries), ("Cost", _cost_words(ledger))]
        rows += _topic_row(ledger, segmentation)
    else:
        rows.append((_AMOUNTS[rule], _amount_words(ledger, rule, signals.threshold.amount)))
    cells = "".join(f'<div class="cs-quiet">{explained(name)}</div><div>{value}</div>' for name, value in rows)
    return f'<div class="cs-facts">{cells}</div>'


Row = tuple[str, str]
"""A term and its value as HTML."""


def _score_rows(ledger: GapExplanation, segmentation: Segmentation, signals: Signals) -> list[Row]:
    """Return how the score is computed and compared, one row per step."""
    rule, alpha, rows = signals.threshold.rule, signals.alpha, list[Row]()
    compared = _compared(segmentation)
    if compared:
        rows.append(("Compared", compared))
    if signals.structure:
        sum_ = f"{alpha:g} · {ledger.semantic:.3f} + {1 - alpha:g} · {ledger.structural:.3f}"
        rows.append((curve_words(signals).fused.capitalize(), f"{sum_} = <b>{ledger.fused:.3f}</b>"))
    elif rule == "gradient":
        rows.append(("Distance", f"{ledger.semantic:.3f}"))
    sign = "&gt;" if ledger.margin > 0 else "≤"
    against = f'{ledger.score:.3f} {sign} {ledger.threshold:.3f} <span class="cs-quiet">'
    against += f"({escape(signals.threshold.label)})</span>, margin {ledger.margin:+.3f}"
    name = {"gradient": "Slope", "penalty": "Penalty"}.get(rule, "Score" if signals.structure else "Distance")
    return [*rows, (name, f"{_rise(signals, ledger.gap)}{against}")]


def _compared(segmentation: Segmentation) -> str:
    """Return what the semantic distance compares, where that is more than the two sentences shown."""
    block = getattr(segmentation.params, "block", 1)
    window = getattr(segmentation.params, "window", 0)
    parts = {0: [_SCALES], 1: []}.get(block, [f"the {block} sentences before and the {block} after"])
    if window:
        neighbours = plural(window, "neighbour")
        parts.append(f"each sentence with {neighbours} on either side")
    return ", ".join(parts)


_SCALES = "1 to 12 sentences on each side, at several scales, by how far this gap stands out from those around it"


def _rise(signals: Signals, gap: int) -> str:
    """Return how the slope of a curve at a gap is computed, as by ``numpy.gradient``."""
    if signals.threshold.rule != "gradient" or len(signals) < 2:
        return ""
    before, after = max(gap - 1, 0), min(gap + 1, len(signals) - 1)
    rise = f"{signals.fused[after]:.3f} − {signals.fused[before]:.3f}"
    return f"({rise}) ÷ 2 = " if after - before == 2 else f"{rise} = "


def _number_row(segmentation: Segmentation, signals: Signals) -> list[Row]:
    """Return how many boundaries the text supports, and what the setting makes of that."""
    params = segmentation.params
    if signals.supported is None or not isinstance(params, ChangepointParameters):
        return []
    known = signals.supported
    number = plural(known.number, "boundary", "boundaries")
    why = (
        f"learned {known.learned:,}; one per 550 bytes of a text with paragraphs {known.passages:,}; the larger counts"
    )
    why += "; another number is given" * bool(params.idle)
    fine = f" × 2<sup>{params.fineness:g}</sup>" if params.fineness and not params.idle else ""
    return [("Supported", f'{number}{fine} <span class="cs-quiet">({why})</span>')]


def _topic_row(ledger: GapExplanation, segmentation: Segmentation) -> list[Row]:
    """Return whether a cut of a tree opens a topic or only a sub-topic."""
    cuts = [chunk.cut for chunk in segmentation.chunks if chunk.cut and chunk.cut.gap == ledger.gap]
    levels = {cut.detail: cut for cut in reversed(cuts)}
    topic: Cut | None = levels.get("topic")
    if topic is not None and topic.score is not None and topic.threshold is not None:
        penalty = '<span class="cs-quiet">(topic penalty)</span>'
        return [("Opens", f"a topic: {topic.score:.3f} &gt; {topic.threshold:.3f} {penalty}")]
    return [("Opens", "a sub-topic only")] if "sub-topic" in levels else []


def _alpha_words(flips: AlphaFlips) -> str:
    about = "" if flips.exact else "about "
    sides = []
    if flips.below is not None:
        sides.append(f"α &lt; {about}{flips.below:.3f}")
    if flips.above is not None:
        sides.append(f"α &gt; {about}{flips.above:.3f}")
    none = "no α from 0 to 1" if flips.exact else "no α found from 0 to 1"
    return " or ".join(sides) or f'<span class="cs-quiet">{none}</span>'


_UNSEARCHED = '<span class="cs-quiet">not computed for a document of this length</span>'


def _count_words(flips: CountFlips, cut: bool) -> str:
    """Return the numbers of boundaries at which the decision on a gap of a change point strategy flips."""
    found = [_with_percentile(number, flips) for number in (flips.fewer, flips.more) if number is not None]
    state = "not cut" if cut else "cut"
    flips_at = f"{state} with {' or '.join(found)}" if found else f"no other number found at which it is {state}"
    return f'{flips_at}; <span class="cs-quiet">now {flips.now:,}</span>'


def _with_percentile(number: int, flips: CountFlips) -> str:
    """Return a number of boundaries and its percentile; 0 is automatic, so only other numbers have one."""
    if not 0 < number < flips.gaps:
        return f"{number:,}"
    return f'{number:,} <span class="cs-quiet">(percentile {flips.percentile(number):.1f})</span>'


def _cost_words(ledger: GapExplanation) -> str:
    """Return the meaning of the score of a change point strategy."""
    change = "lower" if ledger.margin > 0 else "higher"
    return f"{abs(ledger.margin):.3f} {change} in the best segmentation with a cut here than in the best without"


def _amount_words(ledger: GapExplanation, rule: Rule, now: float) -> str:
    if ledger.amount_flip is None:
        return '<span class="cs-quiet">no value changes the decision</span>'
    flip = f"{ledger.amount_flip:.2f}"
    known = StructuralParameters.lookup(AMOUNT_OF[rule])
    low, high = known.minimum or 0.0, known.maximum or 0.0
    if ledger.amount_flip <= low:
        return f'flips at {flip} <span class="cs-quiet">(below the minimum of {low:g})</span>'
    if ledger.amount_flip > high:
        return f'flips at {flip} <span class="cs-quiet">(above the maximum of {high:g})</span>'
    return f'cut below {flip} <span class="cs-quiet">(now {now:g})</span>'


def _features(ledger: GapExplanation) -> str:
    if not ledger.shares:
        return ""
    active = [share for share in ledger.shares if abs(share.share) >= 5e-4]
    largest = max((abs(share.share) for share in active), default=1)
    rows = "".join(_feature(share, largest) for share in sorted(active, key=lambda share: -abs(share.share)))
    silent = ", ".join(share.title for share in ledger.shares if share not in active and share.weight)
    off = ", ".join(share.title for share in ledger.shares if not share.weight)
    clip = f"<tr><td>Clipped to 0–1</td><td></td><td></td><td>{ledger.clipped:+.3f}</td><td></td></tr>"
    return (
        _table_head("Feature")
        + rows
        + (clip if abs(ledger.clipped) > 5e-4 else "")
        + _sum("Structural distance", ledger.structural)
        + f'<td class="cs-quiet">raw {ledger.structural_raw:.3f}</td></tr></tbody></table>'
        + (_DEVIATIONS if any(share.name == _LEARNED for share in ledger.shares) else "")
        + (f'<p class="cs-quiet">{explained("Inactive features")}: {escape(silent)}.</p>' if silent else "")
        + (f'<p class="cs-quiet">{explained("Disabled features")}: {escape(off)}.</p>' if off else "")
    )


def _table_head(what: str) -> str:
    """Return the beginning of a table of what adds up to a distance."""
    heads = "".join(f"<th>{explained(head)}</th>" for head in (what, "Value", "Weight", "Contribution", ""))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>"


def _sum(distance: str, value: float) -> str:
    """Return the beginning of the row of a distance, up to its value."""
    return f"<tr><td><b>{explained(distance)}</b></td><td></td><td></td><td><b>{value:.3f}</b></td>"


def _meaning(ledger: GapExplanation, signals: Signals) -> str:
    """Return what the measurements at several scales add to the semantic distance."""
    if not ledger.scales:
        return ""
    shares = sorted(ledger.scales, key=lambda share: -abs(share.share))
    largest = max(abs(share.share) for share in shares) or 1.0
    rows = "".join(_feature(share, largest, "cs-meaning") for share in shares)
    rest = ledger.semantic - sum(share.share for share in shares)
    # At α = 0 no division depends on meaning, so its distance is that of another one.
    what = "Scatter saved" if signals.threshold.rule == "penalty" else "Baseline"
    return (
        f"{_table_head('Meaning')}{rows}"
        f"<tr><td>{what}, and clipping</td><td></td><td></td><td>{rest:.3f}</td><td></td></tr>"
        f"{_sum('Semantic distance', ledger.semantic)}<td></td></tr></tbody></table>{_SIDES}"
    )


_SIDES = (
    '<p class="cs-quiet">Distance of so many sentences on each side. Rise: above the mean of the gaps around; peak: '
    "above the highest neighbour; both as deviations from the mean of this document, in usual spreads.</p>"
)
"""Said below the measurements of meaning."""

_LEARNED = "shared_words"
_DEVIATIONS = (
    '<p class="cs-quiet">Wording: the value is the deviation from the mean of this document, in usual spreads, and the '
    "weight was learned. A distance of 0.5 says nothing; 1/16 more raises the odds of a boundary 2.7 times.</p>"
)
"""Said below features whose weights are learned."""


def _feature(share: Contribution, largest: float, kind: str = "") -> str:
    width = 100 * abs(share.share) / largest
    kind = "cs-minus" if share.share < 0 else kind
    return (
        f"<tr><td>{escape(share.title)}</td><td>{share.value:.2f}</td><td>{share.weight:.4f}</td>"
        f'<td>{share.share:.3f}</td><td class="cs-bar"><i class="{kind}" style="width: {width:.1f}%"></i></td></tr>'
    )
