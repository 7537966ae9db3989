"""Whose the events of reviews are that come into a database, and which of them a person may take with her.

Both are decided here alone. Nobody writes in the name of somebody else: see :func:`attribute`.

Whoever uses Chunkscope without a log-in has all events of a document that she may read. With one, a person has her own.
Those of others are shown to reviewers alone, on the Review page; they leave it no earlier than they can no longer sway
her own judgement:

- of a place, once she has judged it herself;
- all of them, once she has marked the document as complete;
- none before that, where she judges blind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace

from chunking.errors import ChunkscopeError
from chunking.reference.events import NAME_LIMIT, Event
from chunking.reference.state import review
from chunking.runtime import structured
from chunking.runtime.surrogates import encode_text
from chunking.store.documents import DocumentSettings, LibraryDocument
from chunking.store.identity import LOCAL, Identity
from chunking.store.library import Library
from chunking.store.reviews import UNVERIFIED, ReviewStore, check_size


def unverified(name: str) -> str:
    """Return a name that nobody vouches for as a server with log-in shows it."""
    return name if name.endswith(UNVERIFIED) else name[: NAME_LIMIT - len(UNVERIFIED)] + UNVERIFIED


def attribute(
    events: Iterable[Event], identity: Identity, own_name: str, accounts: Mapping[str, str], carried: bool = False
) -> list[Event]:
    """Return events as those of the person who stores them, or marked as unverified.

    Nobody writes in the name of somebody else. What a person brings in belongs to her if it bears her subject, or no
    subject and her own name. Anything else gets a name that nobody vouches for, no subject, and decides nothing: its
    undos reach only events under that name. On one's own machine, names are typed, and stay as they are.

    Args:
        events: from a file or a browser.
        identity: who stores them.
        own_name: under which she reviews; empty without a log-in.
        accounts: the subject of each name that belongs to an identity.
        carried: whether this server made the events of stored ones, so that they remain those of their reviewers.
    """
    return [_attribute(event, identity, own_name, accounts, carried) for event in events]


def _attribute(event: Event, identity: Identity, own_name: str, accounts: Mapping[str, str], carried: bool) -> Event:
    if identity.is_known:
        if event.subject == identity.subject or (event.reviewer == own_name and not event.subject):
            return replace(event, reviewer=own_name, subject=identity.subject)
    elif not event.subject and event.reviewer not in accounts:
        return event
    if carried and event.reviewer in accounts:
        return replace(event, subject=accounts[event.reviewer])
    return replace(event, reviewer=unverified(event.reviewer), subject="", decides=False)


def visible_events(events: Sequence[Event], identity: Identity) -> list[Event]:
    """Return the events that a person may have now, in their order.

    Args:
        events: of one document that she may read, in the order in which they were stored.
        identity: the person.
    """
    if identity == LOCAL:
        return list(events)
    own_events = [event for event in events if identity.subject and event.subject == identity.subject]
    own_review = review(own_events)
    if not identity.may("reviewer"):
        return own_events
    if own_review.complete:
        return list(events)
    if any(judgement.blind for judgement in own_review.judgements.values()):
        return own_events
    judged_offsets = {*own_review.votes, *own_review.skipped}
    tokens = {event.token for event in own_events}
    visible: list[Event] = []
    for event in events:
        is_about = event.action not in ("complete", "undo") and event.offset in judged_offsets
        if is_about or event.token in tokens or event.undoes in tokens:
            tokens.add(event.token)
            visible.append(event)
    return visible


def events_to_export(library: Library, documents: Iterable[LibraryDocument]) -> Iterator[Event]:
    """Yield the events of documents that the person of a library may have now.

    Those of others belong to a text, and she has it only if her file has it: what the library noted as its hash may
    come from an archive, and is no proof.

    Args:
        library: of the person.
        documents: that she may read.
    """
    store = ReviewStore(library.storage.database.engine)
    by_text: dict[str, list[LibraryDocument]] = {}
    for document in documents:
        by_text.setdefault(document.text_hash, []).append(document)
    for text_hash, copies in by_text.items():
        events = visible_events(store.events(text_hash), library.identity)
        own_events = [event for event in events if event.subject == library.identity.subject]
        has_all = library.identity == LOCAL or len(own_events) == len(events)
        yield from events if has_all or any(_has_text(library, copy) for copy in copies) else own_events


def _has_text(library: Library, entry: LibraryDocument) -> bool:
    """Return whether a file has the text that the library noted, as it was read when it was added."""
    try:
        text = library.read(replace(entry, choices=DocumentSettings())).document
    except ChunkscopeError:
        return False
    return text.text_hash == entry.text_hash


def attribute_imported(library: Library, events: Sequence[Event]) -> tuple[list[Event], tuple[ChunkscopeError, ...]]:
    """Return the events of a file as the person of a library may store them, see :func:`attribute`.

    An event that is stored already keeps its token, and so changes nothing when it is stored again. A token that
    belongs to another event there is replaced.

    Returns:
        The events that are not stored yet, and why others were left out.

    Raises:
        ChunkscopeError: an event is too large, or the database cannot be used.
    """
    if not events:
        return [], ()
    identity = library.identity
    try:
        identity.require("reviewer", "A judgement")
    except ChunkscopeError as error:
        return [], (ChunkscopeError(f"The reviews were left out. {error.problem}", error.remedy),)
    store = ReviewStore(library.storage.database.engine)
    own_name = store.register_account(identity) if identity.is_known else ""
    accounts = store.accounts({event.reviewer for event in events})
    return _with_tokens(attribute(events, identity, own_name, accounts), store), ()


def _with_tokens(events: Sequence[Event], store: ReviewStore) -> list[Event]:
    """Return the events that are not stored yet, with tokens that stand for nothing else."""
    for event in events:
        check_size(event)
    stored = store.by_token([event.token for event in events])
    clashing = [event for event in events if event.token in stored and not _says_same(event, stored[event.token])]
    stored |= store.by_token([_with_other_token(event).token for event in clashing])
    new_tokens: dict[str, str] = {}
    new: list[Event] = []
    for event in events:
        token = event.token
        if event.undoes in new_tokens:
            event = replace(event, undoes=new_tokens[event.undoes])
        if token in stored and not _says_same(event, stored[token]):
            event = _with_other_token(event)
        new_tokens[token] = event.token
        if event.token not in stored:
            stored[event.token] = event
            new.append(event)
    return new


def _says_same(event: Event, stored: Event) -> bool:
    """Return whether an event is the stored one, or says no more than that without a subject."""
    if event.subject or (not stored.subject and event.reviewer == stored.reviewer):
        return _bare(event) == _bare(stored)
    return _without_signature(event) == _without_signature(stored)


def _bare(event: Event) -> Event:
    """Return an event without what the store and the text add to it."""
    return replace(event, at="", before="", after="")


def _without_signature(event: Event) -> Event:
    return replace(_bare(event), reviewer=unverified(event.reviewer), subject="", decides=False)


def _with_other_token(event: Event) -> Event:
    """Return an event with a token that follows from what it says."""
    content = structured.encode([encode_text(str(value)) for value in astuple(_bare(event))])
    return replace(event, token=hashlib.sha256(content).hexdigest()[:32])
