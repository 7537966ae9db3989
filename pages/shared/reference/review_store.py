"""The reviews of this server: the connection to their database, what reviewers did on a document, and its gold.

A database that is locked, read-only or gone never stops a page: the problem is reported,
and the next run queries the database again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from chunking import ChunkscopeError
from chunking.document import Document
from chunking.reference import NO_REFERENCE, Reference
from chunking.reference.events import Event
from chunking.reference.state import decisions, reviews
from chunking.review.reviewed import resolve
from chunking.store.database.location import address, engine_options
from chunking.store.review_rights import attribute, visible_events
from chunking.store.reviews import ReviewedText, ReviewStore
from pages.shared import identity
from pages.shared.state import SessionValue, session
from pages.shared.storage import session_library

_PREPARED = SessionValue("_reviews_prepared", str)
_LAST: SessionValue[dict[str, tuple[Event, ...]]] = SessionValue("_reviews_last", dict)
_DOWN: SessionValue[tuple[float, ChunkscopeError] | None] = SessionValue("_reviews_down", session.empty)
_LONGEST_REST_SECONDS = 20.0
_GLANCE_SECONDS, _PATIENCE_SECONDS = 20.0, 300.0
"""How old the list of reviewed documents may be on pages that only use their gold; where the database did not answer,
how long it is left alone."""


@dataclass(frozen=True)
class StoredReviews:
    """The reviews of a document as far as they are known.

    Attributes:
        events: all stored ones, in order; if the database does not answer, those it last returned.
        stored: tokens of the submitted events that are stored.
        problem: why the database does not answer, or did not store; else ``None``.
    """

    events: tuple[Event, ...] = ()
    stored: tuple[str, ...] = ()
    problem: ChunkscopeError | None = None


def connected() -> ReviewStore:
    """Return the store, ready for use.

    Raises:
        ChunkscopeError: its address cannot be read, or the database cannot be used.
    """
    store = _store()
    if _PREPARED.get() != store.place:
        store.prepare()
        _PREPARED.set(store.place)
    return store


def _store() -> ReviewStore:
    url = address()
    return ReviewStore(st.connection("chunkscope_reviews", type="sql", url=url, **engine_options(url)).engine)


def exchange(document: Document, new: Sequence[Event], carried: bool = False) -> StoredReviews:
    """Store what is new, and read all there is of a document.

    An event that is stored already stays as it is, whatever comes with its token now.

    Args:
        document: the document.
        new: events; on a server with log-in only those under the reviewer's own name remain hers, see
            :func:`_attributed`.
        carried: whether this server made the events of stored ones, so that they remain those of their reviewers.
    """
    last, down = _LAST.get(), _DOWN.get()
    start = time.monotonic()
    if down and start < down[0]:
        return StoredReviews(last.get(document.text_hash, ()), (), down[1])
    stored: tuple[str, ...] = ()
    if new and (refused := _refusal()):
        return StoredReviews(last.get(document.text_hash, ()), (), refused)
    try:
        store = connected()
        if new:
            stored_before = store.stored(event.token for event in new)
            fresh = [event for event in new if event.token not in stored_before]
            if fresh:
                store.register(document)
                store.append(_attributed(fresh, store, carried))
            stored = tuple(event.token for event in new)
        events = tuple(store.events(document.text_hash))
        if len(events) != len(last.get(document.text_hash, ())):
            look_again()
        last[document.text_hash] = events
    except ChunkscopeError as error:
        _PREPARED.clear()
        # A database that is long in failing is left alone for as long: the page would only wait for it.
        now = time.monotonic()
        _DOWN.set((now + min(now - start, _LONGEST_REST_SECONDS), error))
        # What was stored counts as stored only with the events that say so.
        return StoredReviews(last.get(document.text_hash, ()), (), error)
    _DOWN.clear()
    return StoredReviews(last[document.text_hash], stored)


_NAME: SessionValue[tuple[str, str]] = SessionValue("_reviewer_account", lambda: ("", ""))


def own_name() -> str:
    """Return the name under which who is logged in reviews; empty where there is no log-in.

    Raises:
        ChunkscopeError: the database cannot be used.
    """
    who = identity.current()
    if not who.is_known:
        return ""
    subject, name = _NAME.get()
    if subject != who.subject:
        name = connected().register_account(who)
        _NAME.set((who.subject, name))
    return name


def _refusal() -> ChunkscopeError | None:
    """Return why who is logged in may not judge; what the browser has sent stays in the browser then."""
    try:
        identity.current().require("reviewer", "A judgement")
    except ChunkscopeError as error:
        return error
    return None


def _attributed(events: Sequence[Event], store: ReviewStore, carried: bool) -> list[Event]:
    """Return events with the subjects of their reviewers, on a server with log-in."""
    who = identity.current()
    if not who.is_known:
        return list(events)
    accounts = store.accounts({event.reviewer for event in events})
    return attribute(events, who, own_name(), accounts, carried)


@dataclass
class ReviewedDocuments:
    """The documents that have reviews, by their hash, as of a moment ago.

    Attributes:
        documents: the documents; empty if the database did not answer.
        until: when to query again, by :func:`time.monotonic`.
    """

    documents: Mapping[str, ReviewedText] = field(default_factory=dict)
    until: float = 0.0


@st.cache_resource(max_entries=1, show_spinner=False)
def _glance() -> ReviewedDocuments:
    return ReviewedDocuments()


def reviewed() -> Mapping[str, ReviewedText]:
    """Return the documents that have reviews, by their hash; none if the database does not answer."""
    glance, now = _glance(), time.monotonic()
    if now >= glance.until:
        try:
            glance.documents, wait = _look(), _GLANCE_SECONDS
        except ChunkscopeError:
            # The Review page says so; a page that only asks for gold waits for the database once in a while.
            glance.documents, wait = {}, _PATIENCE_SECONDS
        glance.until = time.monotonic() + wait
    return glance.documents


def may_read(text_hash: str) -> bool:
    """Return whether the person of this session may read a text, and so what reviewers said of it."""
    if not identity.current().is_known:
        return identity.login() is None
    try:
        return session_library.library().has_text(text_hash)
    except ChunkscopeError:
        return False


def events_of(text_hash: str) -> list[Event]:
    """Return the events of another text that the person of this session may have now.

    Raises:
        ChunkscopeError: the database cannot be used.
    """
    return visible_events(connected().events(text_hash), identity.current()) if may_read(text_hash) else []


def look_again() -> None:
    """Discard the list of reviewed documents, which has changed."""
    _glance().until = 0.0


def _look() -> dict[str, ReviewedText]:
    store = _store()
    url = store.engine.url
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        return {}  # asking would make the file
    return {document.hash: document for document in store.documents() if document.events}


_COUNTS: SessionValue[dict[str, bool]] = SessionValue("_reviews_count", dict)
_HERE: SessionValue[set[str]] = SessionValue("_reviewers_of_session", set)


def sit_down(reviewer: str) -> None:
    """Remember that someone reviews under this name in this session."""
    _HERE.get().add(reviewer)


def is_reference_from_reviews(document: Document, has_gold: bool) -> bool:
    """Return whether reviews are this session's reference of a document.

    Without a choice they are where the document came without a reference, and the reviews are complete or partly this
    session's own: what others have not finished is nobody else's default.
    """
    choices = _COUNTS.get()
    if document.text_hash in choices:
        return choices[document.text_hash]
    reviewed_reference = reference(document)
    return not has_gold and (reviewed_reference.complete or not _HERE.get().isdisjoint(reviewed_reference.reviewers))


def let_count(document: Document, is_counted: bool) -> None:
    """Choose whether reviews are this session's reference of a document."""
    _COUNTS.get()[document.text_hash] = is_counted


def reference(document: Document) -> Reference:
    """Return the reference that the reviews of a document lead to; an empty one where there are none."""
    document_reviews = reviewed().get(document.text_hash)
    try:
        return (
            _reference(document_reviews.hash, document_reviews.events, document_reviews.last)
            if document_reviews
            else NO_REFERENCE
        )
    except ChunkscopeError:
        return NO_REFERENCE


@st.cache_resource(max_entries=256, show_spinner=False)
def _reference(document: str, events: int, last: str) -> Reference:
    """Keyed by the number of events and the time of the last too, since these change when there are new ones."""
    stored_events = _store().events(document)
    return resolve(reviews(stored_events), decisions(stored_events)).reference
