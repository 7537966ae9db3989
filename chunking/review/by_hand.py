"""Judgements and edits by hand, each made of the other.

A boundary that a reviewer accepted, added or moved is where a chunk begins by hand; one that was rejected is where none
does. The other way round, an edit by hand is a judgement of its place.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping

from chunking.chunks.edits import Action, Edit, edit_at
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.reference.events import Action as EventAction
from chunking.reference.events import Event, with_context


def edits_of(votes: Mapping[int, bool], text: str) -> tuple[Edit, ...]:
    """Return the edits by hand that say what judgements say, in the order of the text.

    Args:
        votes: whether each judged position is a boundary, see :attr:`chunking.reference.state.Review.votes`.
        text: of the document. A position that has nothing but white space on one side is no place of an edit.
    """
    edits = []
    for offset, is_boundary in sorted(votes.items()):
        try:
            edits.append(edit_at(text, "cut" if is_boundary else "join", offset))
        except ChunkscopeError:  # the start or the end of the text
            continue
    return tuple(edits)


def events_of(
    decided: Mapping[Action, Collection[int]],
    votes: Mapping[int, bool],
    proposals: Mapping[int, str],
    document: Document,
    reviewer: str,
) -> tuple[Event, ...]:
    """Return the judgements that say what edits by hand say, without those that the reviewer has made.

    Args:
        decided: offsets of the edits, by their action.
        votes: of the reviewer.
        proposals: the setting that proposed an offset, in one line, by the offset.
        document: that is reviewed.
        reviewer: name.

    Returns:
        Events in the order of the text: ``accept`` where a chunk begins by hand at a proposed place, ``add`` at
        another, ``reject`` where none does.
    """
    events = []
    for offset, is_boundary in sorted((offset, action == "cut") for action in decided for offset in decided[action]):
        if votes.get(offset) is is_boundary:
            continue
        verb: EventAction = "reject" if not is_boundary else "accept" if offset in proposals else "add"
        token, proposed = uuid.uuid4().hex, proposals.get(offset, "")
        event = Event(token, document.text_hash, reviewer, verb, offset, proposed=proposed)
        events.append(with_context(event, document.text))
    return tuple(events)
