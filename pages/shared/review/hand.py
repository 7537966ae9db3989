"""Judgements taken to Inspect as cuts and joins by hand, and those by hand taken as judgements."""

from __future__ import annotations

import streamlit as st

from chunking.reference.events import Event
from chunking.review import by_hand as review_by_hand
from chunking.runtime.wording import plural
from pages.shared import state
from pages.shared.documents.session_documents import CHOICE, OpenDocument
from pages.shared.inspect import by_hand
from pages.shared.reference import review_store
from pages.shared.review.context import ReviewContext


def show(opened: OpenDocument, context: ReviewContext) -> None:
    """Offer either way, where there is something to take."""
    votes = context.own.votes
    if votes:
        st.button(
            "Cut by these on Inspect", key="_review_to_hand", on_click=_open_on_inspect, args=(opened, context),
            help="Opens Inspect, where every setting then cuts at your boundaries and at none of your non-boundaries. "
            "The edits are in the link and in the settings file.",
        )  # fmt: skip
    events = _judgements(opened, context)
    if events:
        st.button(
            f"Take {plural(len(events), 'edit')} by hand", key="_review_from_hand", on_click=_take,
            args=(opened, events), help="Adds what you cut and joined on Inspect to your judgements.",
        )  # fmt: skip


def _judgements(opened: OpenDocument, context: ReviewContext) -> tuple[Event, ...]:
    edits = by_hand.kept_of(opened)
    decided = context.workspace.with_edits(edits).located_edits.decided(edits)
    proposals = {candidate.offset: candidate.proposed for candidate in context.candidates if candidate.proposed}
    return review_by_hand.events_of(decided, context.own.votes, proposals, opened.document, context.reviewer)


def _open_on_inspect(opened: OpenDocument, context: ReviewContext) -> None:
    """Open Inspect with the judgements as edits, which replace others of the same places; in a callback."""
    by_hand.add(opened, context.workspace, review_by_hand.edits_of(context.own.votes, opened.document.text))
    state.go("pages/inspect.py", {CHOICE: opened.name} | by_hand.texts(opened))


def _take(opened: OpenDocument, events: tuple[Event, ...]) -> None:
    """Store edits by hand as judgements; in a callback."""
    review_store.exchange(opened.document, events)
