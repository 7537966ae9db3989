"""What reviewers did, one event each: the only thing that is stored, and never changed once it is.

A review is what the events of a reviewer on a document come to, see :mod:`chunking.gold.state`. Since events are only
ever added, two reviewers who write at the same time cannot overwrite each other, nothing is lost by taking something
back, and an event that is sent twice (after a lost connection) counts once: its token tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from chunking.errors import ChunkscopeError

Action = Literal["accept", "reject", "skip", "add", "move", "note", "complete", "undo"]
ACTIONS: tuple[Action, ...] = get_args(Action)

CONTEXT = 80
"""Characters of the text on either side of a place that are kept with it, so that it can be found again in a text that
has changed."""

NOTE_LIMIT = 2000
"""Characters of a note."""

NAME_LIMIT = 60
"""Characters of a reviewer's name."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that a reviewer did.

    Attributes:
        token: made where the event is made, unique; an event of a known token is the same event.
        document: :attr:`chunking.document.Document.text_hash` of the text that the offsets belong to.
        reviewer: who did it.
        action: ``accept``: a boundary belongs at ``offset``. ``reject``: none does. ``skip``: not decided. ``add``: a
            boundary belongs at ``offset``, which nobody had proposed. ``move``: the boundary at ``offset`` belongs at
            ``target``. ``note``: words about ``offset``. ``complete``: the reviewer has judged the whole text, so that
            places of which she said nothing are no boundaries. ``undo``: the event ``undoes`` does not count.
        offset: character offset of the place in the text; 0 of ``complete`` and ``undo``.
        target: of ``move``, where the boundary belongs; else ``None``.
        note: words of the reviewer; of ``note`` they replace those before.
        undoes: token of the event that is taken back; empty but of ``undo``.
        proposed: the setting that had proposed the place, in one line; empty where none had.
        blind: whether the reviewer judged without seeing what the strategy said.
        decides: whether it settles a disagreement between reviewers: it then counts for all of them.
        before, after: up to :data:`CONTEXT` characters of the text on either side of the place (of ``move``: of
            ``target``).
        at: when it was stored, ISO 8601 in UTC; empty until then.
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
