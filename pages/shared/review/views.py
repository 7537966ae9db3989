"""What judgements come to: the strategy's precision, the reviewers and their agreement, and gold, out and in."""

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
from chunking.review.agreement import Kappa, Measured, Pair
from chunking.review.candidates import Candidate, Order, Progress
from chunking.review.exchange import Imported, Known
from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences
from chunking.strategies import Segmentation, Setting
from chunking.workspace import Workspace
from pages.shared.components import review_desk as desk
from pages.shared.documents import uploaders
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.review import store as review_store
from pages.shared.state import Slot, widget_value

_UPLOADS = Slot("_review_uploads", int)
_TOLD: Slot[tuple[str, ChunkscopeError | None, Imported | None]] = Slot("_review_told", lambda: ("", None, None))
_FEW_GAPS, _FEW_REVIEWERS = 1500, 5
"""Above which agreement is told when it is asked for, and pairs are those of the one who sits here."""
POINTS = 0.05
"""Half the width of the interval that "how many more" aims at."""


@dataclass(frozen=True, eq=False)
class Reviewed:
    """A document with what reviewers said of it, under the strategy that is judged.

    Attributes:
        workspace, setting, segmentation: the document, the strategy, and what that made of it.
        candidates: what is judged, in order.
        order, blind, reviewer: how, and by whom who sits here.
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
        """What was decided for all, by offset."""
        return decisions(self.events)

    @property
    def own(self) -> Review:
        """What the one who sits here said."""
        return self.reviews.get(self.reviewer, Review())

    @property
    def known(self) -> Known:
        """What nothing that comes in overwrites."""
        return Known(self.reviews, self.decisions)

    @property
    def axis(self) -> tuple[Sentences, Int64]:
        """Sentences, and where gaps cut."""
        return self.workspace.sentences, self.workspace.offsets

    @cached_property
    def gold(self) -> final.Gold:
        """What all of it comes to."""
        return final.decided(self.reviews, self.decisions, self.axis)

    def progress(self, name: str) -> Progress:
        """How far a reviewer is with these candidates."""
        return candidates.progress(self.candidates, self.reviews.get(name, Review()))

    @property
    def hidden(self) -> bool:
        """Whether the one who sits here must not see yet what the strategy or others said."""
        return self.blind and self.progress(self.reviewer).open > 0

    def gaps(self, offsets: Sequence[int]) -> Int64:
        """The gaps of places, ascending, each once."""
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
    """All that stands below the desk."""
    left, right = st.columns(2, gap="medium")
    with left:
        precision(seen)
        gold_out(opened, seen)
        with st.container(horizontal=True):
            download(opened, seen)
            upload(opened.document, seen)
        _tell(opened.document)
        if problem is None:
            _offer_older(opened.document, seen)
    with right:
        who(seen)
    agreement(seen)


# ---- the strategy


def precision(seen: Reviewed) -> None:
    """The share of its cuts that are right, as far as they were judged."""
    title = f"<b>Precision of {markup.escape(seen.setting.title)}</b>"
    if seen.hidden:
        markup.show(f'{title}<p class="cs-quiet">Shown when all are judged, since you judge blind.</p>')
        return
    progress, accepted = settled(seen)
    found = precision_of(accepted, progress.decided - accepted, progress.total)
    if found.value is None:
        markup.show(f'{title}<p class="cs-quiet">None of its {found.total:,} boundaries is judged yet.</p>')
        return
    # The rest of the cuts may be like those that were judged only where these were not chosen by what they are.
    fair = seen.blind or seen.order == "random" or progress.finished
    interval = f"<span>{_span(found.interval)}</span>" if fair else ""
    said = [
        f'<div class="cs-figures"><div><b>{_percent(found.value)}</b>{interval}</div>'
        f"<div><b>{found.accepted:,}</b><span>right of</span><b>{found.judged:,}</b><span>judged, of</span>"
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
    """How many of the strategy's boundaries are settled, by whomever, and how many of these are right.

    What was said of the very place counts, else what was said of its gap.
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
    """What only a blind review can tell: how many boundaries the strategy misses."""
    own = seen.reviews.get(seen.reviewer)
    if not seen.blind or own is None:
        return ""
    found = estimates.of_blind(seen.candidates, own, len(seen.workspace.offsets))
    rows = []
    for name, estimate in (("Recall", found.recall), ("F1", found.f1)):
        if estimate.value is None:
            rows.append(f'<p class="cs-quiet">{name}: {markup.escape(estimate.why)}</p>')
        else:
            rows.append(
                f"<p>{name}, by what you judged blind: <b>{_percent(estimate.value)}</b> {_span(estimate.interval)}</p>"
            )
    return "".join(rows)


# ---- the reviewers


def who(seen: Reviewed) -> None:
    """Each reviewer with what she did."""
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
    heads = ("Reviewer", "Of these", "Boundaries", "None", "Skipped", "Notes")
    markup.show(f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{''.join(rows)}</table>")


def agreement(seen: Reviewed) -> None:
    """How far reviewers agree, beyond chance: what any strategy can be measured to reach."""
    if seen.hidden or len(seen.reviews) < 2:
        words = "Shown when all are judged." if seen.hidden else "Told when a second reviewer has judged this document."
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
        f'</tr>{"".join(rows)}</table></div>{_ceiling(seen, finished)}<p class="cs-quiet">Beyond chance: 0 is what '
        "chance gives, 1 is the same; on places that both judged, and on all gaps (*) of those who have judged all.</p>"
    )


def _pair(pair: Pair) -> str:
    shared, star = (pair.whole, "*") if pair.whole else (pair.judged, "")
    cells = "".join(f"<td>{_measured(shared.get(name), star)}</td>" for name in of_reviewers.METRICS)
    return (
        f"<tr><td>{markup.escape(pair.left)} · {markup.escape(pair.right)}</td>"
        f"<td>{pair.agreed:,} of {pair.kappa.places:,}</td><td>{_kappa(pair.kappa)}</td>{cells}</tr>"
    )


def _ceiling(seen: Reviewed, finished: Sequence[str]) -> str:
    """What people reach among themselves, and the strategy with them, where two have judged all."""
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


def _measured(found: Measured | None, star: str = "") -> str:
    return "–" if found is None else f"{_two(found.corrected)}{star} {_numbers(found.corrected_interval)}"


def _numbers(interval: tuple[float, float] | None) -> str:
    return f"<small>[{_two(interval[0])}, {_two(interval[1])}]</small>" if interval else ""


def _two(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _span(interval: tuple[float, float]) -> str:
    return f"[{100 * interval[0]:.0f}, {100 * interval[1]:.0f}]"


# ---- gold, out and in


def gold_out(opened: Opened, seen: Reviewed) -> None:
    """The gold that results, and where it is used."""
    found = seen.gold
    open_ = f"<div><b>{len(found.open):,}</b><span>to decide</span></div>" if found.open else ""
    markup.show(
        f'<b>Gold</b><div class="cs-figures"><div><b>{len(found.boundaries):,}</b><span>boundaries</span></div>'
        f"<div><b>{len(found.rejected):,}</b><span>places that are none</span></div>{open_}</div>"
    )
    key = f"_gold_of_reviews_{opened.document.text_hash[:12]}"
    st.toggle(
        "The true boundaries of this document",
        review_store.counts(opened.document, bool(opened.gold)),
        key=key,
        help="On Inspect, Compare, Tune, Evaluate and Collection, in your session, unless you upload others there."
        + (" This document came with boundaries of its own, which count otherwise." if opened.gold else ""),
        on_change=lambda: review_store.let_count(opened.document, widget_value(key)),
    )


def download(opened: Opened, seen: Reviewed) -> None:
    """All judgements and what they come to, as a file that comes in again and that the command line reads."""
    found = seen.gold
    st.download_button(
        "Gold, JSONL",
        lambda: lines.dump([exchange.exported(found, seen.reviews, seen.decisions, opened.document, seen.axis)]),
        f"{PurePath(opened.document.name).stem}-gold.jsonl",
        "application/jsonl",
        key="_review_download",
        icon=":material/download:",
        on_click="ignore",
        disabled=not seen.reviews,
    )


def upload(document: Document, seen: Reviewed) -> None:
    """Gold from a file."""
    with st.popover("Bring gold in", icon=":material/upload_file:"):
        st.caption("JSONL that was downloaded here, JSON with character offsets, or the true chunks.")
        key = f"_review_file_{_UPLOADS.get()}"
        st.file_uploader(
            "A file of gold",
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


def _bring_in(document: Document, make: Callable[[], Imported]) -> None:
    """Store what was brought, and keep what is to be said of it."""
    try:
        found = make()
        kept = review_store.exchange(document, found.events)
    except ChunkscopeError as error:
        _TOLD.set((document.text_hash, error, None))
        return
    _TOLD.set((document.text_hash, kept.problem, found))


def _tell(document: Document) -> None:
    """What came of the last that was brought in."""
    about, problem, found = _TOLD.get()
    if about != document.text_hash:
        return
    if problem:
        frame.show_error(ChunkscopeError(problem.problem, f"{problem.remedy} Then bring it in again."))
    elif found:
        words = [f"{_count(found.events, 'judgement')} brought in.", *found.notes]
        markup.show("".join(f"<p>{markup.escape(word)}</p>" for word in words) + _lost(found))
    st.button("Dismiss", key="_review_dismiss", on_click=_dismiss, type="tertiary")


def _dismiss() -> None:
    _TOLD.clear()


def _lost(found: Imported) -> str:
    """The places that were not found again, with the words around them."""
    if not found.lost:
        return ""
    places = "".join(
        f"<p><small>{markup.escape(why)}</small> …{markup.escape(place.before)}<b> ┃ </b>"
        f"{markup.escape(place.after)}…</p>"
        for place, why in found.lost
    )
    title = f"{_count(found.lost, 'place')} not found in this text"
    return f'<details class="cs-aside" open><summary>{title}</summary><div>{places}</div></details>'


def _count(things: Sequence[object], noun: str) -> str:
    return f"{len(things):,} {noun}{'' if len(things) == 1 else 's'}"


def _offer_older(document: Document, seen: Reviewed) -> None:
    """Where another text of this name was reviewed: what of that can be carried over."""
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
            f"{markup.escape(older.last[:10])}. {_count(found.events, 'judgement')} can be carried over to this text."
            f"</p>{_lost(found)}"
        )
        st.button(
            "Carry over",
            key=f"_carry_{older.hash}",
            icon=":material/move_down:",
            on_click=_bring_in,
            args=(document, lambda found=found: found),
        )


@st.cache_resource(max_entries=16, show_spinner=False)
def _carried(older: str, events: int, last: str, text: str, own: int, _document: Document, _seen: Reviewed) -> Imported:
    """Keyed by both texts and how many events each has."""
    before = review_store.connected().events(older)
    return exchange.carried(Known(reviews(before), decisions(before)), _document, _seen.known)
