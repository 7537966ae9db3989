"""Results of a review: the strategy's precision, and the reviewers with their agreement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from chunking import ChunkscopeError
from chunking.reference.precision import precision as precision_of
from chunking.reference.state import Review
from chunking.report.html import explained
from chunking.review import agreement as of_reviewers
from chunking.review import candidates, estimates
from chunking.review.agreement import AgreementEstimate, Kappa, Pair
from chunking.runtime.wording import plural
from pages.shared.components import review_desk as desk
from pages.shared.components.glossary import term
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import markup
from pages.shared.review import hand, reference
from pages.shared.review.context import ReviewContext

_FEW_GAPS, _FEW_REVIEWERS = 1500, 5
"""Above which agreement is shown on request, and as pairs of the current reviewer alone."""
POINTS = 0.05
"""Half the width of the interval that "how many more" aims at."""


def disputes(context: ReviewContext) -> list[desk.ReviewDispute]:
    """Return the places that reviewers do not agree on, those to decide first."""
    if context.is_hidden:
        return []
    judged = {*context.own.votes, *context.own.skipped}
    rows: list[desk.ReviewDispute] = [
        {
            "offset": dispute.offset,
            "votes": [
                {"reviewer": vote.reviewer, "says": _says(vote.boundary), "note": vote.note} for vote in dispute.votes
            ],
            "choices": [("Boundary", "accept", dispute.offset), ("No boundary", "reject", dispute.offset)],
            "decided": "" if dispute.outcome == "open" else f"{dispute.outcome}: {_says(dispute.boundary)}",
            "judged": any(vote.reviewer == context.reviewer for vote in dispute.votes) or dispute.offset in judged,
        }
        for dispute in context.reference.disagreements
    ]
    return sorted(rows, key=lambda dispute: (bool(dispute["decided"]), dispute["offset"]))


def _says(boundary: bool | None) -> str:
    return "skipped" if boundary is None else "boundary" if boundary else "no boundary"


def show(opened: OpenDocument, context: ReviewContext, problem: ChunkscopeError | None) -> None:
    """Show everything below the desk."""
    left, right = st.columns(2, gap="medium")
    with left:
        precision(context)
        reference.show(opened, context)
        with st.container(horizontal=True):
            reference.download(opened, context)
            reference.download_report(opened, context)
            reference.upload(opened.document, context)
            hand.show(opened, context)
        reference.show_import(opened.document)
        if problem is None:
            reference.offer_older(opened.document, context)
    with right:
        who(context)
    agreement(context)


# ---- the strategy


def precision(context: ReviewContext) -> None:
    """Show the share of the strategy's cuts that are correct, as far as they were judged."""
    title = f"<b>{term('precision', 'Precision')} of {markup.escape(context.setting.title)}</b>"
    if context.is_hidden:
        markup.show(f'{title}<p class="cs-quiet">Hidden in a blind review until all candidates are judged.</p>')
        return
    progress, accepted = context.settled(context.candidates)
    estimate = precision_of(accepted, progress.decided - accepted, progress.total)
    if not estimate.total:
        remedy = "Choose another strategy under “Boundaries of” in the sidebar, or add boundaries in the text."
        markup.show(title + markup.empty("This strategy sets no boundary here.", remedy))
        return
    if estimate.value is None:
        markup.show(
            f'{title}<p class="cs-quiet">None of its {plural(estimate.total, "boundary", "boundaries")} is judged yet: '
            "accept or reject some above.</p>"
        )
        return
    # The rest of the cuts may be like those that were judged only where these were not chosen by what they are.
    fair = context.blind or context.order == "random" or progress.finished
    interval = f"<span>{_span(estimate.interval)}</span>" if fair else ""
    parts = [
        f'<div class="cs-figures"><div><b>{_percent(estimate.value)}</b>{interval}</div>'
        f"<div><b>{estimate.accepted:,}</b><span>correct of</span><b>{estimate.judged:,}</b><span>judged, of</span>"
        f"<b>{estimate.total:,}</b></div></div>"
    ]
    needed = estimate.needed_for(POINTS) if fair else 0
    if needed:
        parts.append(f"<p>About {needed:,} more judgements for ± {100 * POINTS:.0f} points.</p>")
    caution = candidates.caution(context.order, context.blind, progress)
    if caution:
        parts.append(f'<p class="cs-quiet">{markup.escape(caution)}</p>')
    markup.show(title + "".join(parts) + _blind(context))


def _blind(context: ReviewContext) -> str:
    """Return recall and F1, which only a blind review can estimate."""
    review = context.reviews.get(context.reviewer)
    if not context.blind or review is None:
        return ""
    measures = estimates.of_blind(context.candidates, review, len(context.workspace.offsets))
    rows = []
    for name, estimate in (("Recall", measures.recall), ("F1", measures.f1)):
        if estimate.value is None:
            rows.append(f'<p class="cs-quiet">{explained(name)}: {markup.escape(estimate.why)}</p>')
        else:
            rows.append(
                f"<p>{explained(name)}, {term('blind', 'judged blind')}: <b>{_percent(estimate.value)}</b> "
                f"{_span(estimate.interval)}</p>"
            )
    return "".join(rows)


# ---- the reviewers


def who(context: ReviewContext) -> None:
    """Show each reviewer with her progress."""
    names = list(context.reviews)
    if context.reviewer not in names:
        names.append(context.reviewer)
    rows = []
    for name in names:
        review, progress = context.reviews.get(name, Review()), context.progress(name)
        done = progress.decided + progress.skipped
        you = ' <span class="cs-quiet">you</span>' if name == context.reviewer else ""
        counts = (review.boundaries, review.rejected, review.skipped, review.notes)
        judged = f"{done:,} of {progress.total:,}"
        rows.append((markup.escape(name) + you, judged, *(f"{len(marks):,}" for marks in counts)))
    markup.show(_table(("Reviewer", "Judged", "Boundaries", "Non-boundaries", "Skipped", "Notes"), rows))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return f'<div class="cs-wide">{markup.table(map(explained, heads), rows)}</div>'


def agreement(context: ReviewContext) -> None:
    """Show how far reviewers agree beyond chance, which no strategy can be measured to exceed."""
    if context.is_hidden or len(context.reviews) < 2:
        words = (
            "Hidden in a blind review until all candidates are judged."
            if context.is_hidden
            else "Shown when a second reviewer has judged this document: under another name, or by “Import reference”."
        )
        markup.show(f'<b>{explained("Agreement")}</b><p class="cs-quiet">{words}</p>')
        return
    box = st.expander(
        "Agreement between reviewers",
        expanded=len(context.workspace.offsets) <= _FEW_GAPS,
        key="_review_agreement",
        on_change="rerun",
    )
    if box.open:  # on a long document it takes a second, which no judgement should wait for
        with box:
            _agreement(context)


def _agreement(context: ReviewContext) -> None:
    finished = [name for name, review in context.reviews.items() if review.complete]
    measured = of_reviewers.agreement_of(context.reviews, context.axis)
    if not measured.pairs:
        markup.show(f'<p class="cs-quiet">{markup.escape(measured.why)}</p>')
        return
    heads = ("Two reviewers", "Same", "κ", "Boundary similarity", "F1")
    several = len(measured.reviewers) > _FEW_REVIEWERS
    rows = [_pair(pair) for pair in measured.pairs if not several or context.reviewer in (pair.left, pair.right)]
    if len(measured.reviewers) > 2:
        rows.append((f"All {len(measured.reviewers)}", "", _kappa(measured.kappa), "", ""))
    markup.show(
        f'{_table(heads, rows)}{_ceiling(context, finished)}<p class="cs-quiet">Corrected '
        f"for {term('chance')}: 0 is chance level, 1 is identical; on places that both judged, and on all gaps (*) "
        "where both marked the document as complete.</p>"
    )


def _pair(pair: Pair) -> tuple[str, ...]:
    shared, star = (pair.whole, "*") if pair.whole else (pair.judged, "")
    agreed = f"{pair.agreed:,} of {pair.kappa.places:,}"
    measures = (_measured(shared.get(name), star) for name in of_reviewers.METRICS)
    return (f"{markup.escape(pair.left)} · {markup.escape(pair.right)}", agreed, _kappa(pair.kappa), *measures)


def _ceiling(context: ReviewContext, finished: Sequence[str]) -> str:
    """Return the agreement of people with each other and with the strategy, where two reviews are complete."""
    if len(finished) < 2:
        return ""
    people = {name: context.gaps(context.reviews[name].boundaries) for name in finished}
    cuts = np.unique([candidate.gap for candidate in context.candidates if candidate.proposed]).astype(np.int64)
    ceiling = of_reviewers.ceiling(people, {context.setting.text: cuts}, len(context.workspace.sentences))
    if ceiling.people is None:
        return ""
    return (
        f"<p>In boundary similarity, people reach <b>{_measured(ceiling.people)}</b> with each other: the ceiling of "
        f"any strategy. This one reaches <b>{_measured(ceiling.strategies[context.setting.text])}</b> with them.</p>"
    )


def _kappa(kappa: Kappa) -> str:
    if kappa.value is None:
        return f'<span title="{markup.escape(kappa.why)}">–</span>'
    return f"{_two(kappa.value)} {_numbers(kappa.interval)}"


def _measured(estimate: AgreementEstimate | None, star: str = "") -> str:
    return "–" if estimate is None else f"{_two(estimate.corrected)}{star} {_numbers(estimate.corrected_interval)}"


def _numbers(interval: tuple[float, float] | None) -> str:
    return f"<small>[{_two(interval[0])}, {_two(interval[1])}]</small>" if interval else ""


def _two(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _span(interval: tuple[float, float]) -> str:
    return f"[{100 * interval[0]:.0f}, {100 * interval[1]:.0f}]"
