"""Actions of reviewers, one event each: the only thing that is stored, and never changed afterwards.

A review is derived from the events of a reviewer on a document, see :mod:`chunking.reference.state`. Since events are
only ever appended, two reviewers who write at the same time cannot overwrite each other, nothing is lost by an undo,
and an event that is sent twice (after a lost connection) counts once: its token identifies it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from chunking.alignment.relocation import anchor
from chunking.errors import ChunkscopeError

Action = Literal["accept", "reject", "skip", "add", "move", "note", "complete", "undo"]
ACTIONS: tuple[Action, ...] = get_args(Action)

NOTE_LIMIT = 2000
"""Maximum length of a note, in characters."""

NAME_LIMIT = 60
"""Maximum length of a reviewer's name, in characters."""


@dataclass(frozen=True, slots=True)
class Event:
    """One action of a reviewer.

    Attributes:
        token: unique identifier made with the event; an event with a known token is the same event.
        document: :attr:`chunking.document.Document.text_hash` of the text that the offsets belong to.
        reviewer: name.
        action: ``accept``: ``offset`` is a boundary. ``reject``: it is none. ``skip``: undecided. ``add``: ``offset``
            is a boundary that nobody had proposed. ``move``: the boundary at ``offset`` belongs at ``target``.
            ``note``: a note on ``offset``. ``complete``: the reviewer has judged the whole text, so that positions
            without a judgement are non-boundaries. ``undo``: the event ``undoes`` does not count.
        offset: character offset in the text; 0 for ``complete`` and ``undo``.
        target: for ``move``, where the boundary belongs; else ``None``.
        note: text of the reviewer; that of a ``note`` replaces the one before.
        undoes: token of the event that is undone; empty except for ``undo``.
        proposed: the setting that had proposed the position, in one line; empty if none had.
        blind: whether the reviewer judged without seeing the strategy's decision.
        decides: whether it settles a disagreement between reviewers, and so counts for all of them.
        before, after: up to :data:`~chunking.alignment.relocation.CONTEXT` characters of the text on either side of
            ``offset`` (of ``target`` for ``move``).
        at: when it was stored, ISO 8601 in UTC; empty until then.
        subject: :attr:`chunking.store.identity.Identity.subject` of the reviewer on a server with log-in; empty where
            the name was typed, or comes from a file.
    """

    token: str
    document: str
    reviewer: str
    action: Action
    offset: int
    target: int | None = None
    note: str = ""
    undoes: str = ""
    proposed: str = ""
    blind: bool = False
    decides: bool = False
    before: str = ""
    after: str = ""
    at: str = ""
    subject: str = ""

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise ChunkscopeError(f"Unknown action {self.action!r:.40}.", f"Use one of: {', '.join(ACTIONS)}.")
        if not self.token or not self.document:
            raise ChunkscopeError("An event needs a token and a document.")
        if not self.reviewer.strip() or len(self.reviewer) > NAME_LIMIT:
            raise ChunkscopeError("A review needs a name.", f"Type a name of 1 to {NAME_LIMIT} characters.")
        if len(self.note) > NOTE_LIMIT:
            raise ChunkscopeError(
                f"The note has {len(self.note):,} characters.", f"Shorten it to {NOTE_LIMIT:,} at most."
            )
        if self.offset < 0 or (self.target is not None and self.target < 0):
            raise ChunkscopeError("A place in the text cannot be negative.")
        if (self.action == "move") != (self.target is not None):
            raise ChunkscopeError("A move, and nothing else, has a target.")
        if (self.action == "undo") != bool(self.undoes):
            raise ChunkscopeError("Taking back, and nothing else, names the event that is taken back.")


def with_context(event: Event, text: str) -> Event:
    """Return an event with the text on either side of its position, by which it is found in an edited text."""
    if event.action in ("complete", "undo"):
        return replace(event, before="", after="")
    position = event.offset if event.target is None else event.target
    context = anchor(text, position)
    return replace(event, before=context.before, after=context.after)
