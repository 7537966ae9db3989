"""Words and figures of a partial reference, on whichever page compares a strategy with it."""

from __future__ import annotations

from collections.abc import Mapping

from chunking.reference import PartialScore, Reference
from chunking.runtime.wording import plural
from pages.shared.frame import markup


def sentence(reference: Reference) -> str:
    """Return on what the figures rest, and why there are no others."""
    by = f" by {', '.join(reference.reviewers)}" if reference.reviewers else ""
    return (
        f"Partial reference: {plural(reference.judgements, 'judgement')}{by}. Gaps that nobody judged are unknown, so "
        "F1, Pk and a best setting need a complete review."
    )


def words(score: PartialScore) -> str:
    """Return the figures of a strategy in one line."""
    return f"precision {precision(score)}; recall of added boundaries {recall(score)}"


def precision(score: PartialScore) -> str:
    """Return the share of right cuts among those that were judged, with its interval and counts."""
    estimate = score.precision
    if estimate.value is None:
        return f"unknown, none of its {plural(estimate.total, 'cut')} is judged"
    low, high = (f"{100 * end:.0f}" for end in estimate.interval)
    return f"{100 * estimate.value:.0f} % [{low}, {high}], {estimate.accepted:,} of {estimate.judged:,} judged cuts"


def recall(score: PartialScore) -> str:
    """Return the share of the added boundaries that are cut, with counts."""
    if score.recall is None:
        return "unknown, none was added"
    return f"{100 * score.recall:.0f} %, {score.added_cut:,} of {score.added:,}"


def html(reference: Reference, scores: Mapping[str, PartialScore]) -> str:
    """Return strategies by their title against a partial reference, as markup."""
    heads = ("Strategy", "Precision", "Recall of added boundaries", "Cuts")
    rows = [
        (markup.escape(title), precision(score), recall(score), f"{score.precision.total:,}")
        for title, score in scores.items()
    ]
    return (
        f'<p class="cs-quiet">{markup.escape(sentence(reference))}</p>'
        f'<div class="cs-wide">{markup.table(heads, rows)}</div>'
        '<p class="cs-quiet">The 95 % interval holds if the judged cuts are a fair sample of all.</p>'
    )
