"""The ledger of a gap as HTML."""

from __future__ import annotations

from chunking.chunks import Cut
from chunking.curves.signals import Signals
from chunking.curves.thresholds import AMOUNT_OF, Rule
from chunking.document import Document, Span
from chunking.explain import AlphaFlips, CountFlips, Ledger, Share
from chunking.strategies import Segmentation
from chunking.strategies.gaps import StructuralParameters
from pages.shared.frame.markup import escape
from pages.shared.settings.curve_words import words

_AMOUNTS = {
    "percentile": "Percentile",
    "gradient": "Percentile",
    "standard_deviation": "Standard deviations",
    "interquartile": "Interquartile ranges",
}
_LONGEST = 1200


def render(ledger: Ledger, segmentation: Segmentation, unread: tuple[bool, bool], limit: int) -> str:
    """The whole ledger.

    Args:
        ledger: what to show.
        segmentation: what it was read from.
        unread: whether the encoder does not read the left and the right sentence to the end.
        limit: the tokens it reads.

    Raises:
        ValueError: the strategy has no curves.
    """
    document, signals = segmentation.document, segmentation.signals
    if signals is None:
        raise ValueError(f"{segmentation.strategy} has no curves")
    told = f"What is embedded here is longer than the {limit} tokens the encoder reads; the rest is not seen."
    note = f'<p class="cs-quiet">⚠ {told}</p>'
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
        )
    )


def _verdict(ledger: Ledger, signals: Signals) -> str:
    driver = ledger.driver if ledger.verdict == "cut" else "limit" if ledger.verdict == "forced" else "muted"
    named = words(signals)
    verdict = {"merged": named.given_up, "forced": f"cut by {named.forced}"}.get(ledger.verdict, ledger.verdict)
    by = {"semantic": " · by meaning", "structural": " · by structure", "both": " · by both"}
    why = by.get(driver, "") if signals.structure else ""
    return (
        f'<div class="cs-verdict"><b>Gap {ledger.gap + 1:,}</b>'
        f'<span class="cs-tag" style="color: var(--cs-{driver})">{verdict}{why}</span></div>'
    )


def _side(document: Document, span: Span) -> str:
    text = document.slice(span)
    shown = escape(text[:_LONGEST]) + ("…" if len(text) > _LONGEST else "")
    fixed = " cs-fixed" if document.block_at(span.start) in ("code", "table") else ""
    return f'<div class="cs-side{fixed}" dir="auto">{shown}</div>'


def _scale(ledger: Ledger, signals: Signals) -> str:
    """The score as a bar from 0, with the threshold as a mark."""
    top = max(float(signals.threshold.score.max()), ledger.threshold, 1e-9)
    if signals.threshold.rule == "gradient":
        return ""
    meaning = max(0.0, ledger.semantic * signals.alpha) / top
    form = max(0.0, ledger.structural * (1 - signals.alpha)) / top
    parts = f"{words(signals).fused}: meaning, then structure" if signals.structure else "the semantic distance"
    limit = "boundary penalty" if signals.threshold.rule == "penalty" else "threshold"
    return (
        f'<div class="cs-scale" title="{parts}; the mark is the {limit}">'
        f'<i style="width: {100 * meaning:.2f}%; background: var(--cs-semantic)"></i>'
        f'<i style="left: {100 * meaning:.2f}%; width: {100 * form:.2f}%; background: var(--cs-structural)"></i>'
        f'<u style="left: calc({100 * ledger.threshold / top:.2f}% - 2px)"></u></div>'
    )


def _facts(ledger: Ledger, segmentation: Segmentation, signals: Signals) -> str:
    rule = signals.threshold.rule
    rows = [*_score_rows(ledger, segmentation, signals), ("Rank", f"{ledger.rank:,} of {len(signals):,}")]
    if ledger.alpha_flips:
        rows.append(("α flips it", _alpha_words(ledger.alpha_flips)))
    elif rule == "penalty":
        rows.append(("α flips it", _UNSEARCHED))
    if rule == "penalty":
        told = _count_words(ledger.count_flips, ledger.margin > 0) if ledger.count_flips else _UNSEARCHED
        rows += [("Boundaries", told), ("Means", _worth_words(ledger)), *_topic_row(ledger, segmentation)]
    else:
        rows.append((_AMOUNTS[rule], _amount_words(ledger, rule, signals.threshold.amount)))
    cells = "".join(f'<div class="cs-quiet">{term}</div><div>{told}</div>' for term, told in rows)
    return f'<div class="cs-facts">{cells}</div>'


Row = tuple[str, str]
"""A term, and the HTML that is said of it."""


def _score_rows(ledger: Ledger, segmentation: Segmentation, signals: Signals) -> list[Row]:
    """How the score comes about, and what it is compared with, each step under the name of the strategy."""
    rule, alpha, rows = signals.threshold.rule, signals.alpha, list[Row]()
    compared = _compared(segmentation)
    if compared:
        rows.append(("Compared", compared))
    if signals.structure:
        sum_ = f"{alpha:g} · {ledger.semantic:.3f} + {1 - alpha:g} · {ledger.structural:.3f}"
        rows.append((words(signals).fused.capitalize(), f"{sum_} = <b>{ledger.fused:.3f}</b>"))
    elif rule == "gradient":
        rows.append(("Distance", f"{ledger.semantic:.3f}"))
    sign = "&gt;" if ledger.margin > 0 else "≤"
    against = f'{ledger.score:.3f} {sign} {ledger.threshold:.3f} <span class="cs-quiet">'
    against += f"({escape(signals.threshold.label)})</span>, margin {ledger.margin:+.3f}"
    name = {"gradient": "Slope", "penalty": "Penalty"}.get(rule, "Score" if signals.structure else "Distance")
    return [*rows, (name, f"{_rise(signals, ledger.gap)}{against}")]


def _compared(segmentation: Segmentation) -> str:
    """What the semantic distance is between, where that is more than the two sentences shown."""
    block = getattr(segmentation.params, "block", 1)
    window = getattr(segmentation.params, "window", 0)
    parts = [f"the {block} sentences before with the {block} after"] if block > 1 else []
    if window:
        neighbours = "its neighbours" if window == 1 else f"{window} neighbours"
        parts.append(f"each sentence together with {neighbours} on either side")
    return ", ".join(parts)


def _rise(signals: Signals, gap: int) -> str:
    """How the slope of a curve comes about at a gap, by ``numpy.gradient``."""
    if signals.threshold.rule != "gradient" or len(signals) < 2:
        return ""
    before, after = max(gap - 1, 0), min(gap + 1, len(signals) - 1)
    rise = f"{signals.fused[after]:.3f} − {signals.fused[before]:.3f}"
    return f"({rise}) ÷ 2 = " if after - before == 2 else f"{rise} = "


def _topic_row(ledger: Ledger, segmentation: Segmentation) -> list[Row]:
    """Of a tree: whether the cut opens a topic or only a sub-topic."""
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
        sides.append(f"below {about}{flips.below:.3f}")
    if flips.above is not None:
        sides.append(f"above {about}{flips.above:.3f}")
    none = "no value of α from 0 to 1" if flips.exact else "no value found from 0 to 1"
    return " or ".join(sides) or f'<span class="cs-quiet">{none}</span>'


_UNSEARCHED = '<span class="cs-quiet">not searched in so long a document</span>'


def _count_words(flips: CountFlips, cut: bool) -> str:
    """With how many boundaries a change point's gap was found to be left out, or cut."""
    found = [_with_percentile(number, flips) for number in (flips.fewer, flips.more) if number is not None]
    state = "left out" if cut else "cut"
    told = f"{state} with {' or with '.join(found)}" if found else f"not found {state} with any other number"
    return f'{told}; <span class="cs-quiet">now {flips.now:,}</span>'


def _with_percentile(number: int, flips: CountFlips) -> str:
    """A number of boundaries, and the percentile that asks for it: 0 is automatic, and none leaves out all gaps."""
    if not 0 < number < flips.gaps:
        return f"{number:,}"
    return f'{number:,} <span class="cs-quiet">(percentile {flips.percentile(number):.1f})</span>'


def _worth_words(ledger: Ledger) -> str:
    """What the score of a change point says."""
    less = "less" if ledger.margin > 0 else "more"
    return f"the best division that cuts here costs {abs(ledger.margin):.3f} {less} than the best that does not"


def _amount_words(ledger: Ledger, rule: Rule, now: float) -> str:
    if ledger.amount_flip is None:
        return '<span class="cs-quiet">none decides here</span>'
    flip = f"{ledger.amount_flip:.2f}"
    known = StructuralParameters.lookup(AMOUNT_OF[rule])
    low, high = known.minimum or 0.0, known.maximum or 0.0
    if ledger.amount_flip <= low:
        return f'flips at {flip} <span class="cs-quiet">(under {low:g}, the least that can be set)</span>'
    if ledger.amount_flip > high:
        return f'flips at {flip} <span class="cs-quiet">(over {high:g}, the most that can be set)</span>'
    return f'over the threshold below {flip} <span class="cs-quiet">(now {now:g})</span>'


def _features(ledger: Ledger) -> str:
    if not ledger.shares:
        return ""
    told = [share for share in ledger.shares if abs(share.share) >= 5e-4]
    largest = max((abs(share.share) for share in told), default=1)
    rows = "".join(_feature(share, largest) for share in sorted(told, key=lambda share: -abs(share.share)))
    silent = ", ".join(share.title for share in ledger.shares if share not in told and share.weight)
    off = ", ".join(share.title for share in ledger.shares if not share.weight)
    clip = f"<tr><td>Brought to 0–1</td><td></td><td></td><td>{ledger.clipped:+.3f}</td><td></td></tr>"
    return (
        "<table><thead><tr><th>Structure</th><th>Value</th><th>Weight</th><th>Share</th><th></th></tr></thead><tbody>"
        + rows
        + (clip if abs(ledger.clipped) > 5e-4 else "")
        + f"<tr><td><b>Structural distance</b></td><td></td><td></td><td><b>{ledger.structural:.3f}</b></td>"
        + f'<td class="cs-quiet">raw {ledger.structural_raw:.3f}</td></tr></tbody></table>'
        + (f'<p class="cs-quiet">Adds nothing here: {escape(silent)}.</p>' if silent else "")
        + (f'<p class="cs-quiet">Switched off: {escape(off)}.</p>' if off else "")
    )


def _feature(share: Share, largest: float) -> str:
    width = 100 * abs(share.share) / largest
    kind = ' class="cs-minus"' if share.share < 0 else ""
    return (
        f"<tr><td>{escape(share.title)}</td><td>{share.value:.2f}</td><td>{share.weight:.2f}</td>"
        f'<td>{share.share:.3f}</td><td class="cs-bar"><i{kind} style="width: {width:.1f}%"></i></td></tr>'
    )
