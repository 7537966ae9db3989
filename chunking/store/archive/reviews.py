"""Reviews that come into a library and leave it: whose they are, and who may have them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from chunking.errors import ChunkscopeError
from chunking.reference.events import Event
from chunking.runtime import structured
from chunking.store import accounts
from chunking.store.audit import Act, record
from chunking.store.database.tables import encode_text
from chunking.store.documents import Choices, LibraryDocument
from chunking.store.identity import LOCAL
from chunking.store.library import Library
from chunking.store.reviews import ReviewStore, append_events, check_size
from chunking.store.visibility import visible_events

if TYPE_CHECKING:
    from sqlalchemy import Connection


def visible(library: Library, documents: Iterable[LibraryDocument]) -> Iterator[Event]:
    """Yield the events of documents that the person of a library may have now.

    Those of others belong to a text, and she has it only if her file has it: what the library noted as its hash may
    come from an archive, and is no proof.

    Args:
        library: of the person.
        documents: that she may read.
    """
    store = ReviewStore(library.storage.database.engine)
    by_text: dict[str, list[LibraryDocument]] = {}
    for each in documents:
        by_text.setdefault(each.text_hash, []).append(each)
    for text_hash, copies in by_text.items():
        events = visible_events(store.events(text_hash), library.identity)
        own = [event for event in events if event.subject == library.identity.subject]
        is_open = library.identity == LOCAL or len(own) == len(events) or any(_has_text(library, one) for one in copies)
        yield from events if is_open else own


def _has_text(library: Library, entry: LibraryDocument) -> bool:
    """Return whether a file has the text that the library noted, as it was read when it was added."""
    try:
        read = library.read(replace(entry, choices=Choices()))
    except ChunkscopeError:
        return False
    return read.document.text_hash == entry.text_hash


class AttributedEvents(NamedTuple):
    """Events that may be stored.

    Attributes:
        events: as those of who stores them, or unverified.
        problems: why events were left out.
    """

    events: list[Event]
    problems: tuple[ChunkscopeError, ...]


def attribute(library: Library, events: Sequence[Event]) -> AttributedEvents:
    """Return the events of a file as the person of a library may store them; see :func:`accounts.attribute`.

    An event that is stored already keeps its token, and so changes nothing when it is stored again. A token that
    stands for something else there is replaced.

    Raises:
        ChunkscopeError: an event is too large, or the database cannot be used.
    """
    if not events:
        return AttributedEvents([], ())
    identity = library.identity
    try:
        identity.require("reviewer", "A judgement")
    except ChunkscopeError as error:
        return AttributedEvents([], (ChunkscopeError(f"The reviews were left out. {error.problem}", error.remedy),))
    store = ReviewStore(library.storage.database.engine)
    own_name = store.register_account(identity) if identity.is_known else ""
    known = store.accounts({each.reviewer for each in events})
    attributed = accounts.attribute(events, identity, own_name, known)
    return AttributedEvents(_with_tokens(attributed, store), ())


def _with_tokens(events: Sequence[Event], store: ReviewStore) -> list[Event]:
    """Return the events that are not stored yet, with tokens that stand for nothing else."""
    for event in events:
        check_size(event)
    there = store.by_token([event.token for event in events])
    clashing = [_renamed(each) for each in events if each.token in there and not _says_same(each, there[each.token])]
    there |= store.by_token([event.token for event in clashing])
    tokens: dict[str, str] = {}
    found: list[Event] = []
    for event in events:
        given = event.token
        if event.undoes in tokens:
            event = replace(event, undoes=tokens[event.undoes])
        if given in there and not _says_same(event, there[given]):
            event = _renamed(event)
        tokens[given] = event.token
        if event.token not in there:
            there[event.token] = event
            found.append(event)
    return found


def _says_same(event: Event, stored: Event) -> bool:
    """Return whether an event is the stored one, or says no more than that without a subject."""
    if event.subject or (not stored.subject and event.reviewer == stored.reviewer):
        return _bare(event) == _bare(stored)
    return _unsigned(event) == _unsigned(stored)


def _bare(event: Event) -> Event:
    """Return an event without what the store and the text add to it."""
    return replace(event, at="", before="", after="")


def _unsigned(event: Event) -> Event:
    return replace(_bare(event), reviewer=accounts.unverified(event.reviewer), subject="", decides=False)


def _renamed(event: Event) -> Event:
    """Return an event with a token that follows from what it says."""
    content = structured.encode([encode_text(str(each)) for each in astuple(_bare(event))])
    return replace(event, token=hashlib.sha256(content).hexdigest()[:32])


def store(library: Library, events: Sequence[Event], act: Act) -> int:
    """Store events and the act that they belong to in one transaction; return how many are new."""
    return library.storage.database.run(partial(_store, events=events, library=library, act=act), writes=True)


def _store(connection: Connection, events: Sequence[Event], library: Library, act: Act) -> int:
    append_events(connection, events)
    record(connection, library.identity, replace(act, detail={**act.detail, "reviews": len(events)}))
    return len(events)
