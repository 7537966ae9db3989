"""Results of a review: the strategy's precision, the reviewers and their agreement, and the reference, out and in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath

import numpy as np
import streamlit as st

from chunking import ChunkscopeError, export, strategies
from chunking.comparison import report as comparison
from chunking.document import Document
from chunking.reference import lines
from chunking.reference.precision import precision as precision_of
from chunking.reference.state import Review, decisions, reviews
from chunking.report.html import explained
from chunking.review import agreement as of_reviewers
from chunking.review import candidates, estimates, exchange, report, summary
from chunking.review.agreement import AgreementEstimate, Kappa, Pair
from chunking.review.candidates import Candidate, Order, Progress
from chunking.review.exchange import ExistingReviews, Imported
from chunking.review.reviewed import FinalReference, ReviewedDocument
from chunking.review.summary import ReviewOptions
from chunking.runtime.wording import plural
from chunking.store.review_rights import visible_events
from chunking.strategies import Segmentation, Setting
from chunking.work import inputs
from pages.shared import identity
from pages.shared.components import review_desk as desk
from pages.shared.components.glossary import term
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.documents.uploads import Files, UploadField
from pages.shared.frame import frame, markup
from pages.shared.reference import review_store
from pages.shared.server import audit
from pages.shared.state import SessionValue, widget_value
from pages.shared.storage import forgetting

_UPLOAD = UploadField("_review_file")
_IMPORT: SessionValue[tuple[str, ChunkscopeError | None, Imported | None]] = SessionValue(
    "_review_import", lambda: ("", None, None)
)
_FEW_GAPS, _FEW_REVIEWERS = 1500, 5
"""Above which agreement is shown on request, and as pairs of the current reviewer alone."""
POINTS = 0.05
"""Half the width of the interval that "how many more" aims at."""


@dataclass(frozen=True, eq=False)
class ReviewContext(ReviewedDocument):
    """A document with its reviews, under the strategy that is judged.

    Attributes:
        setting, segmentation: the strategy, and its result.
        candidates: places to judge, in order.
        order, blind, reviewer: manner of the review, and the current reviewer.
    """

    setting: Setting
    segmentation: Segmentation
    candidates: tuple[Candidate, ...]
    order: Order
    blind: bool
    reviewer: str

    @property
    def own(self) -> Review:
        """The review of the current reviewer."""
        return self.reviews.get(self.reviewer, Review())

    @property
    def existing(self) -> ExistingReviews:
        """Judgements that no import overwrites."""
        return ExistingReviews(self.reviews, self.decisions)

    def progress(self, name: str) -> Progress:
        """Return the progress of a reviewer with these candidates."""
        return candidates.progress(self.candidates, self.reviews.get(name, Review()))

    @property
    def is_hidden(self) -> bool:
        """Whether the strategy's reasons and the verdicts of others are still hidden from the current reviewer."""
        return self.blind and self.progress(self.reviewer).open > 0


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
        reference_of_reviews(opened, context)
        with st.container(horizontal=True):
            download(opened, context)
            download_report(opened, context)
            upload(opened.document, context)
        _show_import(opened.document)
        if problem is None:
            _offer_older(opened.document, context)
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


# ---- the reference, out and in


def reference_of_reviews(opened: OpenDocument, context: ReviewContext) -> None:
    """Show the reference that results, and where it is used."""
    final = context.reference
    figures = [
        markup.figure(len(final.boundaries), "boundary", "boundaries"),
        markup.figure(len(final.rejected), "non-boundary", "non-boundaries"),
    ]
    if final.open:
        figures.append(markup.figure(len(final.open), "disagreement"))
    content = "".join(figures)
    body = f'<div class="cs-figures">{content}</div><p class="cs-quiet">{_completeness(final)}</p>'
    markup.show(f"<b>{explained('Reference')}</b>{body}")
    key = f"_gold_of_reviews_{opened.document.text_hash[:12]}"
    st.toggle(
        "Use as the reference of this document",
        review_store.is_reference_from_reviews(opened.document, bool(opened.boundaries)),
        key=key,
        help="On Inspect, Compare, Tune, Evaluate and Collection, in your session, unless you upload others there."
        + (" Otherwise the boundaries that came with this document are used." if opened.boundaries else ""),
        on_change=lambda: review_store.let_count(opened.document, widget_value(key)),
    )


def _completeness(final: FinalReference) -> str:
    """Return what the reference is good for, as HTML."""
    if final.reference.complete:
        return f"{explained('Complete')}: all other gaps count as non-boundaries."
    if final.open:
        return f"{explained('Partial')}: decide the disagreements to complete it."
    return (
        f"{explained('Partial')}: gaps that nobody judged are unknown, so F1, Pk and a best setting are not available. "
        "It is complete when a reviewer has judged all candidates and marks the document as complete."
    )


def download_report(opened: OpenDocument, context: ReviewContext) -> None:
    """Offer the review as a report, with the names of the reviewers or without; it is made at the press of a button."""
    popover = st.popover(
        "Report",
        icon=":material/description:",
        key="_review_report",
        on_change="rerun",
        disabled=context.is_hidden or not context.reviews,
    )
    if not popover.open or context.is_hidden:
        return
    with popover:
        st.caption(
            "Agreement, reference and what the judgements say of each strategy, with settings, versions and the hash "
            "of the text. Print it in a browser for a PDF."
        )
        names = st.toggle("Names of the reviewers, and their notes", value=True, key="_review_report_names")
        st.download_button(
            "Report, HTML",
            audit.exported("reviews", opened.document.text_hash, lambda: _report(opened, visible(context), names)),
            f"{PurePath(opened.document.name).stem}-review.html",
            "text/html",
            key="_review_report_html",
            on_click="ignore",
        )


def _report(opened: OpenDocument, context: ReviewContext, names: bool) -> str:
    """Return the report of the strategy that is judged, and of all others whose boundaries were judged."""
    lines_of = dict.fromkeys([context.setting.text, *summary.proposing_settings(context)])
    entries, notes = [], []
    for line in lines_of:
        try:
            setting = strategies.parse(line)
            entries.append(comparison.entry(setting, setting.run(context.workspace)))
        except ChunkscopeError as error:
            notes.append(f"{line}: {error}")
    data = summary.summarize(context, entries, ReviewOptions(context.order, names), notes)
    options = ["--reviews", _exported_name(opened), "--order", context.order, *([] if names else ["--anonymous"])]
    command = export.compare_line(
        [entry.label for entry in entries],
        context.workspace.tools,
        opened.path,
        opened.document,
        ("evaluate", "review"),
        (*options, "--report", "review.html"),
    )
    return report.page(data, command)


def _exported_name(opened: OpenDocument) -> str:
    """Return the name of the file that the reviews are exported to."""
    return f"{PurePath(opened.document.name).stem}-gold.jsonl"


def download(opened: OpenDocument, context: ReviewContext) -> None:
    """Offer all judgements and the reference as a file, which can be imported and which the command line reads."""
    mine = visible(context)
    st.download_button(
        "Reference, JSONL",
        audit.exported(
            "reviews",
            opened.document.text_hash,
            lambda: lines.dump(
                [exchange.export_reviews(mine.reference, mine.reviews, mine.decisions, opened.document, mine.axis)]
            ),
        ),
        _exported_name(opened),
        "application/jsonl",
        key="_review_download",
        icon=":material/download:",
        on_click="ignore",
        disabled=not mine.reviews,
    )


def visible(context: ReviewContext) -> ReviewContext:
    """Return a review with the events alone that the person of this session may take with her now."""
    events = visible_events(context.events, identity.current())
    return replace(
        context, events=tuple(event for event in events if not context.is_hidden or event.reviewer == context.reviewer)
    )


def upload(document: Document, context: ReviewContext) -> None:
    """Import a reference from a file."""

    def receive(files: Files) -> None:
        for name, data in files:
            _bring_in(
                document, partial(inputs.import_reviews, data, name, document, context.reviewer, context.existing)
            )

    with st.popover("Import reference", icon=":material/upload_file:"):
        st.caption("JSONL exported from this page, JSON with character offsets, or the true chunks.")
        _UPLOAD.draw("Reference file", receive, label_visibility="collapsed")


def _bring_in(document: Document, make: Callable[[], Imported], carried: bool = False) -> None:
    """Store imported judgements, or those carried over, and keep the outcome to be shown."""
    try:
        imported = make()
        stored = review_store.exchange(document, imported.events, carried)
    except ChunkscopeError as error:
        _IMPORT.set((document.text_hash, error, None))
        return
    _IMPORT.set((document.text_hash, stored.problem, imported))


def _show_import(document: Document) -> None:
    """Show the outcome of the last import."""
    about, problem, imported = _IMPORT.get()
    if about != document.text_hash:
        return
    if problem:
        frame.show_error(ChunkscopeError(problem.problem, f"{problem.remedy} Then import it again."))
    elif imported:
        words = [f"{plural(imported.judgements, 'judgement')} imported.", *imported.notes]
        markup.show("".join(f"<p>{markup.escape(word)}</p>" for word in words) + _lost(imported))
    st.button("Dismiss", key="_review_dismiss", on_click=_dismiss, type="tertiary")


def _dismiss() -> None:
    _IMPORT.clear()


def _lost(imported: Imported) -> str:
    """Return the places that were not found again, with the words around them."""
    if not imported.lost:
        return ""
    lost = "".join(
        f"<p><small>{markup.escape(why)}</small> …{markup.escape(lost_place.before)}<b> ┃ </b>"
        f"{markup.escape(lost_place.after)}…</p>"
        for lost_place, why in imported.lost
    )
    title = f"{plural(len(imported.lost), 'place')} not found in this text"
    return f'<details class="cs-aside" open><summary>{title}</summary><div>{lost}</div></details>'


def _offer_older(document: Document, context: ReviewContext) -> None:
    """Offer to carry over the reviews of another text of the same name."""
    tokens = {event.token for event in context.events}
    for older in review_store.reviewed().values():
        if older.name != document.name or older.hash == document.text_hash or not review_store.may_read(older.hash):
            continue
        try:
            carried = _carried(
                older.hash,
                older.events,
                older.last,
                document.text_hash,
                len(context.events),
                _person(),
                document,
                context,
            )
        except ChunkscopeError as error:
            frame.show_error(error)
            continue
        if not any(event.token not in tokens for event in carried.events):
            continue
        by = ", ".join(older.reviewers)
        markup.show(
            f"<b>Another text of this name was reviewed</b><p>by {markup.escape(by)}, last on "
            f"{markup.escape(older.last[:10])}. {plural(carried.judgements, 'judgement')} can be carried over to this "
            f"text.</p>{_lost(carried)}"
        )
        st.button(
            "Carry over",
            key=f"_carry_{older.hash}",
            icon=":material/move_down:",
            on_click=_bring_in,
            args=(document, lambda carried=carried: carried, True),
        )


def _person() -> str:
    """Return what decides whose events a person may have."""
    who = identity.current()
    return " ".join((who.subject, *sorted(who.roles)))


@forgetting.cleared_on_deletion
@st.cache_resource(max_entries=16, show_spinner=False)
def _carried(
    older: str,
    events: int,
    last: str,
    text: str,
    own_votes: int,
    person: str,
    _document: Document,
    _context: ReviewContext,
) -> Imported:
    """Return what can be carried over, kept by both texts, the number of their events, and the person."""
    before = review_store.events_of(older)
    return inputs.relocate_reviews(ExistingReviews(reviews(before), decisions(before)), _document, _context.existing)
