"""Which events of a document a person may take with her: the one place that decides.

Whoever uses Chunkscope without a log-in has all of them. With one, a person has her own. Those of others are shown to
reviewers alone, on the Review page; they leave it no earlier than they can no longer sway her own judgement:

- of a place, once she has judged it herself;
- all of them, once she has marked the document as complete;
- none before that, where she judges blind.
"""

from __future__ import annotations

from collections.abc import Sequence

from chunking.reference.events import Event
from chunking.reference.state import review
from chunking.store.identity import LOCAL, Identity


def visible_events(events: Sequence[Event], identity: Identity) -> list[Event]:
    """Return the events that a person may have now, in their order.

    Args:
        events: of one document that she may read, in the order in which they were stored.
        identity: the person.
    """
    if identity == LOCAL:
        return list(events)
    own = [event for event in events if identity.subject and event.subject == identity.subject]
    mine = review(own)
    if not identity.may("reviewer"):
        return own
    if mine.complete:
        return list(events)
    if any(each.blind for each in mine.judgements.values()):
        return own
    return _at_places(events, own, {*mine.votes, *mine.skipped})


def _at_places(events: Sequence[Event], own: Sequence[Event], places: set[int]) -> list[Event]:
    """Return one's own events and those about places, with what undoes them."""
    found = {event.token for event in own}
    kept: list[Event] = []
    for event in events:
        is_about = event.action not in ("complete", "undo") and event.offset in places
        if is_about or event.token in found or event.undoes in found:
            found.add(event.token)
            kept.append(event)
    return kept
