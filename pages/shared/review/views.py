"""Results of a review: the strategy's precision, the reviewers and their agreement, and the reference, out and in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import PurePath

import numpy as np
import streamlit as st

from chunking import ChunkscopeError
from chunking.document import Document
from chunking.gold import gaps_of, lines
from chunking.gold.events import Event
from chunking.gold.precision import precision as precision_of
from chunking.gold.state import Judgement, Review, decisions, reviews
from chunking.review import agreement as of_reviewers
from chunking.review import candidates, estimates, exchange, final
from chunking.review.agreement import AgreementEstimate, Kappa, Pair
from chunking.review.candidates import Candidate, Order, Progress
from chunking.review.exchange import ExistingReviews, Imported
from chunking.runtime.arrays import Int64
from chunking.runtime.wording import plural
from chunking.sentences import Sentences
from chunking.strategies import Segmentation, Setting
from chunking.workspace import Workspace
from pages.shared.components import review_desk as desk
from pages.shared.documents import uploaders
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.reference import review_store
from pages.shared.state import Slot, widget_value

_UPLOADS = Slot("_review_uploads", int)
_IMPORT: Slot[tuple[str, ChunkscopeError | None, Imported | None]] = Slot("_review_import", lambda: ("", None, None))
_FEW_GAPS, _FEW_REVIEWERS = 1500, 5
"""Above which agreement is shown on request, and as pairs of the current reviewer alone."""
POINTS = 0.05
"""Half the width of the interval that "how many more" aims at."""


@dataclass(frozen=True, eq=False)
class Reviewed:
    """A document with its reviews, under the strategy that is judged.

    Attributes:
        workspace, setting, segmentation: the document, the strategy, and its result.
        candidates: places to judge, in order.
        order, blind, reviewer: manner of the review, and the current reviewer.
        events: of all reviewers, in the order in which they were stored.
    """

    workspace: Workspace
    setting: Setting
    segmentation: Segmentation
    candidates: tuple[Candidate, ...]
    order: Order
    blind: bool
    reviewer: str
    events: tuple[Event, ...]

    @cached_property
    def reviews(self) -> dict[str, Review]:
        """By reviewer."""
        return reviews(self.events)

    @cached_property
    def decisions(self) -> dict[int, Judgement]:
        """Decisions that count for all reviewers, by offset."""
        return decisions(self.events)

    @property
    def own(self) -> Review:
        """The review of the current reviewer."""
        return self.reviews.get(self.reviewer, Review())

    @property
    def known(self) -> ExistingReviews:
        """Judgements that no import overwrites."""
        return ExistingReviews(self.reviews, self.decisions)

    @property
    def axis(self) -> tuple[Sentences, Int64]:
        """Sentences, and where gaps cut."""
        return self.workspace.sentences, self.workspace.offsets

    @cached_property
    def gold(self) -> final.Gold:
        """The reference that results, and the disagreements."""
        return final.resolve(self.reviews, self.decisions, self.axis)

    def progress(self, name: str) -> Progress:
        """Return the progress of a reviewer with these candidates."""
        return candidates.progress(self.candidates, self.reviews.get(name, Review()))

    @property
    def hidden(self) -> bool:
        """Whether the strategy's reasons and the verdicts of others are still hidden from the current reviewer."""
        return self.blind and self.progress(self.reviewer).open > 0

    def gaps(self, offsets: Sequence[int]) -> Int64:
        """Return the gaps of places, ascending, each once."""
        sentences, gap_offsets = self.axis
        return np.unique(gaps_of(offsets, gap_offsets, sentences)) if len(offsets) else np.zeros(0, np.int64)


def disputes(seen: Reviewed) -> list[desk.Dispute]:
    """Return the places that reviewers do not agree on, those to decide first."""
    if seen.hidden:
        return []
    own = {*seen.own.votes, *seen.own.skipped}
    found = [
        desk.Dispute(
            each.offset,
            tuple(desk.Vote(vote.reviewer, _says(vote.boundary), vote.note) for vote in each.votes),
            (("Boundary", "accept", each.offset), ("No boundary", "reject", each.offset)),
            "" if each.outcome == "open" else f"{each.outcome}: {_says(each.boundary)}",
            judged=any(vote.reviewer == seen.reviewer for vote in each.votes) or each.offset in own,
        )
        for each in seen.gold.disagreements
    ]
    return sorted(found, key=lambda each: (bool(each.decided), each.offset))


def _says(boundary: bool | None) -> str:
    return "skipped" if boundary is None else "boundary" if boundary else "no boundary"


def show(opened: Opened, seen: Reviewed, problem: ChunkscopeError | None) -> None:
    """Show everything below the desk."""
    left, right = st.columns(2, gap="medium")
    with left:
        precision(seen)
        reference_of_reviews(opened, seen)
        with st.container(horizontal=True):
            download(opened, seen)
            upload(opened.document, seen)
        _show_import(opened.document)
        if problem is None:
            _offer_older(opened.document, seen)
    with right:
        who(seen)
    agreement(seen)


# ---- the strategy


def precision(seen: Reviewed) -> None:
    """Show the share of the strategy's cuts that are correct, as far as they were judged."""
    title = f"<b>Precision of {markup.escape(seen.setting.title)}</b>"
    if seen.hidden:
        markup.show(f'{title}<p class="cs-quiet">Hidden in a blind review until all candidates are judged.</p>')
        return
    progress, accepted = settled(seen)
    found = precision_of(accepted, progress.decided - accepted, progress.total)
    if found.value is None:
        markup.show(
            f'{title}<p class="cs-quiet">None of its {plural(found.total, "boundary", "boundaries")} is judged yet.</p>'
        )
        return
    # The rest of the cuts may be like those that were judged only where these were not chosen by what they are.
    fair = seen.blind or seen.order == "random" or progress.finished
    interval = f"<span>{_span(found.interval)}</span>" if fair else ""
    said = [
        f'<div class="cs-figures"><div><b>{_percent(found.value)}</b>{interval}</div>'
        f"<div><b>{found.accepted:,}</b><span>correct of</span><b>{found.judged:,}</b><span>judged, of</span>"
        f"<b>{found.total:,}</b></div></div>"
    ]
    needed = found.needed_for(POINTS) if fair else 0
    if needed:
        said.append(f"<p>About {needed:,} more judgements for ± {100 * POINTS:.0f} points.</p>")
    caution = candidates.caution(seen.order, seen.blind, progress)
    if caution:
        said.append(f'<p class="cs-quiet">{markup.escape(caution)}</p>')
    markup.show(title + "".join(said) + _blind(seen))


def settled(seen: Reviewed) -> tuple[Progress, int]:
    """Return how many of the strategy's boundaries are settled by any reviewer, and how many of these are correct.

    A verdict on the very place counts before one on its gap.
    """
    right, wrong = set(seen.gold.boundaries), set(seen.gold.rejected)
    right_gaps, wrong_gaps = set(seen.gaps(seen.gold.boundaries).tolist()), set(seen.gaps(seen.gold.rejected).tolist())
    passed = {offset for own in seen.reviews.values() for offset in own.skipped}
    accepted = rejected = skipped = total = 0
    for each in seen.candidates:
        if not each.proposed:
            continue
        total += 1
        if each.offset in right or (each.offset not in wrong and each.gap in right_gaps):
            accepted += 1
        elif each.offset in wrong or each.gap in wrong_gaps:
            rejected += 1
        elif each.offset in passed:
            skipped += 1
    return Progress(accepted + rejected, skipped, total - accepted - rejected - skipped), accepted


def _blind(seen: Reviewed) -> str:
    """Return recall and F1, which only a blind review can estimate."""
    own = seen.reviews.get(seen.reviewer)
    if not seen.blind or own is None:
        return ""
    found = estimates.of_blind(seen.candidates, own, len(seen.workspace.offsets))
    rows = []
    for name, estimate in (("Recall", found.recall), ("F1", found.f1)):
        if estimate.value is None:
            rows.append(f'<p class="cs-quiet">{name}: {markup.escape(estimate.why)}</p>')
        else:
            rows.append(f"<p>{name}, judged blind: <b>{_percent(estimate.value)}</b> {_span(estimate.interval)}</p>")
    return "".join(rows)


# ---- the reviewers


def who(seen: Reviewed) -> None:
    """Show each reviewer with her progress."""
    names = list(seen.reviews)
    if seen.reviewer not in names:
        names.append(seen.reviewer)
    rows = []
    for name in names:
        own, progress = seen.reviews.get(name, Review()), seen.progress(name)
        done = progress.decided + progress.skipped
        you = ' <span class="cs-quiet">you</span>' if name == seen.reviewer else ""
        rows.append(
            f"<tr><td>{markup.escape(name)}{you}</td><td>{done:,} of {progress.total:,}</td>"
            f"<td>{len(own.boundaries):,}</td><td>{len(own.rejected):,}</td><td>{len(own.skipped):,}</td>"
            f"<td>{len(own.notes):,}</td></tr>"
        )
    heads = ("Reviewer", "Judged", "Boundaries", "Non-boundaries", "Skipped", "Notes")
    markup.show(f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{''.join(rows)}</table>")


def agreement(seen: Reviewed) -> None:
    """Show how far reviewers agree beyond chance, which no strategy can be measured to exceed."""
    if seen.hidden or len(seen.reviews) < 2:
        words = (
            "Hidden in a blind review until all candidates are judged."
            if seen.hidden
            else "Shown when a second reviewer has judged this document."
        )
        markup.show(f'<b>Agreement</b><p class="cs-quiet">{words}</p>')
        return
    box = st.expander(
        "Agreement between reviewers",
        expanded=len(seen.workspace.offsets) <= _FEW_GAPS,
        key="_review_agreement",
        on_change="rerun",
    )
    if box.open:  # on a long document it takes a second, which no judgement should wait for
        with box:
            _agreement(seen)


def _agreement(seen: Reviewed) -> None:
    finished = [name for name, own in seen.reviews.items() if own.complete]
    found = of_reviewers.agreement_of(seen.reviews, seen.axis)
    if not found.pairs:
        markup.show(f'<p class="cs-quiet">{markup.escape(found.why)}</p>')
        return
    heads = ("Two reviewers", "Same", "κ", "Boundary similarity", "F1")
    several = len(found.reviewers) > _FEW_REVIEWERS
    rows = [_pair(pair) for pair in found.pairs if not several or seen.reviewer in (pair.left, pair.right)]
    if len(found.reviewers) > 2:
        rows.append(
            f"<tr><td>All {len(found.reviewers)}</td><td></td><td>{_kappa(found.kappa)}</td><td></td><td></td></tr>"
        )
    markup.show(
        f'<div class="cs-wide"><table><tr>{"".join(f"<th>{head}</th>" for head in heads)}'
        f'</tr>{"".join(rows)}</table></div>{_ceiling(seen, finished)}<p class="cs-quiet">Corrected '
        "for chance: 0 is chance level, 1 is identical; on places that both judged, and on all gaps (*) where both "
        "marked the document as complete.</p>"
    )


def _pair(pair: Pair) -> str:
    shared, star = (pair.whole, "*") if pair.whole else (pair.judged, "")
    cells = "".join(f"<td>{_measured(shared.get(name), star)}</td>" for name in of_reviewers.METRICS)
    return (
        f"<tr><td>{markup.escape(pair.left)} · {markup.escape(pair.right)}</td>"
        f"<td>{pair.agreed:,} of {pair.kappa.places:,}</td><td>{_kappa(pair.kappa)}</td>{cells}</tr>"
    )


def _ceiling(seen: Reviewed, finished: Sequence[str]) -> str:
    """Return the agreement of people with each other and with the strategy, where two reviews are complete."""
    if len(finished) < 2:
        return ""
    people = {name: seen.gaps(seen.reviews[name].boundaries) for name in finished}
    cuts = np.unique([each.gap for each in seen.candidates if each.proposed]).astype(np.int64)
    found = of_reviewers.ceiling(people, {seen.setting.text: cuts}, len(seen.workspace.sentences))
    if found.people is None:
        return ""
    return (
        f"<p>In boundary similarity, people reach <b>{_measured(found.people)}</b> with each other: the ceiling of any "
        f"strategy. This one reaches <b>{_measured(found.strategies[seen.setting.text])}</b> with them.</p>"
    )


def _kappa(kappa: Kappa) -> str:
    if kappa.value is None:
        return f'<span title="{markup.escape(kappa.why)}">–</span>'
    return f"{_two(kappa.value)} {_numbers(kappa.interval)}"


def _measured(found: AgreementEstimate | None, star: str = "") -> str:
    return "–" if found is None else f"{_two(found.corrected)}{star} {_numbers(found.corrected_interval)}"


def _numbers(interval: tuple[float, float] | None) -> str:
    return f"<small>[{_two(interval[0])}, {_two(interval[1])}]</small>" if interval else ""


def _two(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _span(interval: tuple[float, float]) -> str:
    return f"[{100 * interval[0]:.0f}, {100 * interval[1]:.0f}]"


# ---- the reference, out and in


def reference_of_reviews(opened: Opened, seen: Reviewed) -> None:
    """Show the reference that results, and where it is used."""
    found = seen.gold
    figures = [
        (len(found.boundaries), "boundary", "boundaries"),
        (len(found.rejected), "non-boundary", "non-boundaries"),
    ]
    if found.open:
        figures.append((len(found.open), "disagreement", "disagreements"))
    shown = "".join(
        f"<div><b>{count:,}</b><span>{one if count == 1 else many}</span></div>" for count, one, many in figures
    )
    markup.show(f'<b>Reference</b><div class="cs-figures">{shown}</div><p class="cs-quiet">{_completeness(found)}</p>')
    key = f"_gold_of_reviews_{opened.document.text_hash[:12]}"
    st.toggle(
        "Use as the reference of this document",
        review_store.counts(opened.document, bool(opened.gold)),
        key=key,
        help="On Inspect, Compare, Tune, Evaluate and Collection, in your session, unless you upload others there."
        + (" Otherwise the boundaries that came with this document are used." if opened.gold else ""),
        on_change=lambda: review_store.let_count(opened.document, widget_value(key)),
    )


def _completeness(found: final.Gold) -> str:
    """Return what the reference is good for, in words."""
    if found.reference.complete:
        return "Complete: all other gaps count as non-boundaries."
    if found.open:
        return "Partial: decide the disagreements to complete it."
    return (
        "Partial: gaps that nobody judged are unknown, so F1, Pk and a best setting are not available. It is "
        "complete when a reviewer has judged all candidates and marks the document as complete."
    )


def download(opened: Opened, seen: Reviewed) -> None:
    """Offer all judgements and the reference as a file, which can be imported and which the command line reads."""
    found = seen.gold
    st.download_button(
        "Reference, JSONL",
        lambda: lines.dump([exchange.exported(found, seen.reviews, seen.decisions, opened.document, seen.axis)]),
        f"{PurePath(opened.document.name).stem}-gold.jsonl",
        "application/jsonl",
        key="_review_download",
        icon=":material/download:",
        on_click="ignore",
        disabled=not seen.reviews,
    )


def upload(document: Document, seen: Reviewed) -> None:
    """Import a reference from a file."""
    with st.popover("Import reference", icon=":material/upload_file:"):
        st.caption("JSONL exported from this page, JSON with character offsets, or the true chunks.")
        key = f"_review_file_{_UPLOADS.get()}"
        st.file_uploader(
            "Reference file",
            key=key,
            label_visibility="collapsed",
            on_change=_take_file,
            args=(key, document, seen),
        )


def _take_file(key: str, document: Document, seen: Reviewed) -> None:
    for name, data in uploaders.contents(key):
        # A new key for each upload clears the widget.
        _UPLOADS.set(_UPLOADS.get() + 1)
        _bring_in(document, partial(exchange.imported, data, name, document, seen.reviewer, seen.known))


def _bring_in(document: Document, make: Callable[[], Imported], carried: bool = False) -> None:
    """Store imported judgements, or those carried over, and keep the outcome to be shown."""
    try:
        found = make()
        kept = review_store.exchange(document, found.events, carried)
    except ChunkscopeError as error:
        _IMPORT.set((document.text_hash, error, None))
        return
    _IMPORT.set((document.text_hash, kept.problem, found))


def _show_import(document: Document) -> None:
    """Show the outcome of the last import."""
    about, problem, found = _IMPORT.get()
    if about != document.text_hash:
        return
    if problem:
        frame.show_error(ChunkscopeError(problem.problem, f"{problem.remedy} Then import it again."))
    elif found:
        words = [f"{plural(found.judgements, 'judgement')} imported.", *found.notes]
        markup.show("".join(f"<p>{markup.escape(word)}</p>" for word in words) + _lost(found))
    st.button("Dismiss", key="_review_dismiss", on_click=_dismiss, type="tertiary")


def _dismiss() -> None:
    _IMPORT.clear()


def _lost(found: Imported) -> str:
    """Return the places that were not found again, with the words around them."""
    if not found.lost:
        return ""
    places = "".join(
        f"<p><small>{markup.escape(why)}</small> …{markup.escape(place.before)}<b> ┃ </b>"
        f"{markup.escape(place.after)}…</p>"
        for place, why in found.lost
    )
    title = f"{plural(len(found.lost), 'place')} not found in this text"
    return f'<details class="cs-aside" open><summary>{title}</summary><div>{places}</div></details>'


def _offer_older(document: Document, seen: Reviewed) -> None:
    """Offer to carry over the reviews of another text of the same name."""
    known = {event.token for event in seen.events}
    for older in review_store.reviewed().values():
        if older.name != document.name or older.hash == document.text_hash:
            continue
        try:
            found = _carried(older.hash, older.events, older.last, document.text_hash, len(seen.events), document, seen)
        except ChunkscopeError as error:
            frame.show_error(error)
            continue
        if not any(event.token not in known for event in found.events):
            continue
        by = ", ".join(older.reviewers)
        markup.show(
            f"<b>Another text of this name was reviewed</b><p>by {markup.escape(by)}, last on "
            f"{markup.escape(older.last[:10])}. {plural(found.judgements, 'judgement')} can be carried over to this "
            f"text.</p>{_lost(found)}"
        )
        st.button(
            "Carry over",
            key=f"_carry_{older.hash}",
            icon=":material/move_down:",
            on_click=_bring_in,
            args=(document, lambda found=found: found, True),
        )


@st.cache_resource(max_entries=16, show_spinner=False)
def _carried(older: str, events: int, last: str, text: str, own: int, _document: Document, _seen: Reviewed) -> Imported:
    """Return what can be carried over, kept by both texts and the number of their events."""
    before = review_store.connected().events(older)
    return exchange.relocated(ExistingReviews(reviews(before), decisions(before)), _document, _seen.known)
