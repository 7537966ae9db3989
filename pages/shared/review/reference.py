"""The reference that results from the reviews of a document: shown, exported, and imported."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import PurePath

import streamlit as st

from chunking import ChunkscopeError, export, strategies
from chunking.comparison import report as comparison
from chunking.document import Document
from chunking.reference import lines
from chunking.reference.state import decisions, reviews
from chunking.report.html import explained
from chunking.review import exchange, report, summary
from chunking.review.exchange import ExistingReviews, Imported
from chunking.review.reviewed import FinalReference
from chunking.review.summary import ReviewOptions
from chunking.runtime.wording import plural
from chunking.work import inputs
from pages.shared import identity
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.documents.uploads import Files, UploadField
from pages.shared.frame import frame, markup
from pages.shared.reference import review_store
from pages.shared.review.context import ReviewContext, visible
from pages.shared.server import audit
from pages.shared.state import SessionValue, widget_value
from pages.shared.storage import forgetting

_UPLOAD = UploadField("_review_file")
_IMPORT: SessionValue[tuple[str, ChunkscopeError | None, Imported | None]] = SessionValue(
    "_review_import", lambda: ("", None, None)
)


def show(opened: OpenDocument, context: ReviewContext) -> None:
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
            setting = strategies.parse(line).before_limits
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


def show_import(document: Document) -> None:
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


def offer_older(document: Document, context: ReviewContext) -> None:
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
