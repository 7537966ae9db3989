"""The review desk: candidates one by one, judged by a key, kept in the browser until they are stored.

Every effect of a key happens in the browser. It becomes an event with a token of its own; the browser keeps each event
in its storage, sends all that are not confirmed whenever one is added, and again after a while and after a reload,
until :func:`review_desk` is called with the token among ``stored`` (or ``refused``). So nothing is lost by a closed tab
or a server that ends, and the token makes sure that nothing counts twice. Tabs of one browser share that storage and
merge their events.

Offsets are characters (Unicode code points) of the document's text; the text itself comes from
:func:`pages.shared.components.workbench.send_text`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, TypeGuard, cast

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.reference.events import ACTIONS, NAME_LIMIT, NOTE_LIMIT, Action, Event
from chunking.report.theme import GLYPHS
from pages.shared.components.base import Int32s, Message, component, ignore, pack
from pages.shared.state import widget_value

BATCH = 200
"""Events that the browser sends at once."""

_TOKEN = re.compile(r"[0-9a-f]{32}")
_PROPOSAL_LIMIT = 1000
"""Characters of a proposal's identifier."""

_desk = component("chunkscope_review_desk", __file__, "review_desk.js", "review_desk.css")


@dataclass(frozen=True)
class Candidate(Message):
    """A place to judge.

    Attributes:
        offset: of the place.
        why: why the strategy cuts there, in words; empty where it is not to be seen.
        driver: what moved the cut, one of ``chunking.report.theme.DRIVERS``, or ``""``.
    """

    offset: int
    why: str = ""
    driver: str = ""


DeskEvent = tuple[str, str, int, int | None, str, str]
"""An event of the reviewer that is stored and counts: token, action, offset, target, note and what it undoes."""


class ReviewVote(TypedDict):
    """The verdict of a reviewer on a place, in words, and her note."""

    reviewer: str
    says: str
    note: str


class ReviewDispute(TypedDict):
    """A place that reviewers do not agree on.

    Attributes:
        offset: of the place.
        votes: the verdict of each reviewer.
        choices: possible decisions: title of the button, action, offset.
        decided: the decision in words; empty while it is open.
        judged: whether the reviewer at the desk has judged the place herself; if not, she sees it on request alone.
    """

    offset: int
    votes: list[ReviewVote]
    choices: list[tuple[str, Action, int]]
    decided: str
    judged: bool


class ReviewDeskHead(TypedDict):
    """The part of a message that is read each time."""

    document: str
    text: str
    reviewer: str
    name_limit: int
    desk: str
    stored: list[str]
    refused: list[tuple[str, str]]
    problem: list[str] | None
    at: int | None
    address_key: str


@dataclass(frozen=True, eq=False)
class ReviewDeskBody(Message):
    """What is judged on a desk.

    Attributes:
        proposal_id: sent back with every event as its ``proposed``.
        blind: whether nothing of the strategy is shown; candidates then carry neither reason nor driver.
        candidates: in the order in which they are judged.
        places: ``(n_gaps,)`` integers, ascending: where a boundary can be moved to or added.
        events: those of the reviewer that are stored and count, in their order; decisions are not among them.
        disputes: places that reviewers do not agree on.
        next: title of the document to review next; empty for none.
        mono: whether the whole text is shown in a monospaced face, and not its code and tables alone.
        height: of the text, a CSS length.
        glyphs: of the drivers.
        note_limit: characters of a note.

    Raises:
        ChunkscopeError: a blind desk has candidates with reasons.
    """

    proposal_id: str = ""
    blind: bool = False
    candidates: Sequence[Candidate] = ()
    places: Int32s = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    events: Sequence[DeskEvent] = ()
    disputes: Sequence[ReviewDispute] = ()
    next: str = ""
    mono: bool = False
    height: str = "420px"
    glyphs: dict[str, str] = field(default_factory=lambda: dict(GLYPHS))
    note_limit: int = NOTE_LIMIT

    def __post_init__(self) -> None:
        if self.blind and any(candidate.why or candidate.driver for candidate in self.candidates):
            raise ChunkscopeError("A blind desk shows no reasons.", "Leave out the reasons of its candidates.")


@dataclass(frozen=True, eq=False)
class Desk:
    """A review desk; without a reviewer it is a form for the name.

    Attributes:
        document: key given to :func:`pages.shared.components.workbench.send_text`.
        text: hash of the document's text, to which events belong.
        reviewer: name of the reviewer; empty where it is not known yet.
        order: identifies the order of the candidates: with another one, or other candidates, the desk begins anew.
        stored: tokens of sent events that are stored.
        refused: tokens of sent events that can never be stored, and why.
        problem: why nothing can be stored now.
        at: offset of the candidate to begin with.
        address_key: follows the offset of a candidate in the address, to tell documents apart.
        content: what is judged.
    """

    document: str
    text: str
    reviewer: str
    order: str = ""
    stored: Sequence[str] = ()
    refused: Sequence[tuple[str, str]] = ()
    problem: ChunkscopeError | None = None
    at: int | None = None
    address_key: str = ""
    content: ReviewDeskBody = field(default_factory=ReviewDeskBody)


@dataclass(frozen=True)
class Sent:
    """Events that a browser sent.

    Attributes:
        events: in the order in which they were made; without ``before``, ``after`` and ``at``. ``proposed`` is the
            ``proposal_id`` of the desk.
        refused: tokens of events that can never be stored, and why.
    """

    events: tuple[Event, ...] = ()
    refused: tuple[tuple[str, str], ...] = field(default=())


def review_desk(key: str, desk: Desk, on_event: Callable[[], None] | None = None) -> None:
    """Draw the desk.

    Args:
        key: Streamlit key of the element.
        desk: its content.
        on_event: called before the script runs when something was sent; read :func:`sent`, :func:`named` and
            :func:`is_next_requested` in it.
    """
    offsets = np.array([candidate.offset for candidate in desk.content.candidates], dtype=np.int64)
    head: ReviewDeskHead = {
        "document": desk.document,
        "text": desk.text,
        "reviewer": desk.reviewer,
        "name_limit": NAME_LIMIT,
        "desk": f"{desk.text} {desk.reviewer} {desk.order} {zlib.crc32(offsets.tobytes())}",
        "stored": list(desk.stored),
        "refused": list(desk.refused),
        "problem": [desk.problem.problem, desk.problem.remedy] if desk.problem else None,
        "at": desk.at,
        "address_key": desk.address_key,
    }
    callback = on_event or ignore
    _desk(
        key=key,
        data=pack(head, desk.content),
        on_sent_change=callback,
        on_name_change=callback,
        on_next_change=callback,
    )


def named(key: str) -> str | None:
    """Return the name that a reviewer just entered, or ``None``; valid before the desk is drawn in this run."""
    name = _state(key).get("name")
    if not isinstance(name, str):
        return None
    return " ".join(name.split())[:NAME_LIMIT].strip() or None


def is_next_requested(key: str) -> bool:
    """Return whether the next document was just requested; valid before the desk is drawn in this run."""
    return _state(key).get("next") is True


def _state(key: str) -> Mapping[str, Any]:
    return widget_value(key) or {}


def sent(key: str, text: str, length: int) -> Sent:
    """Return the events of a document that the browser sent; valid before the desk is drawn in this run.

    The form of a message from a browser is not trusted: an event without a token is ignored, one with a token that can
    never be stored is refused.

    Args:
        key: as given to :func:`review_desk`.
        text: hash of the document's text; events of another one are left.
        length: characters of the text.
    """
    message = _state(key).get("sent")
    if not isinstance(message, Mapping) or message.get("document") != text:
        return Sent()
    entries = message.get("events")
    events: list[Event] = []
    refused: list[tuple[str, str]] = []
    for entry in entries[:BATCH] if isinstance(entries, list) else []:
        if not isinstance(entry, Mapping) or not _is_token(entry.get("token")) or entry.get("document") != text:
            continue
        try:
            events.append(_event(entry, length))
        except ChunkscopeError as error:
            refused.append((entry["token"], str(error)))
    return Sent(tuple(events), tuple(refused))


def _is_token(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and _TOKEN.fullmatch(value) is not None


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_NOWHERE = ("complete", "undo")
"""Actions that concern no place."""


def _event(entry: Mapping[str, Any], length: int) -> Event:
    action = entry.get("action")
    if action not in ACTIONS:
        raise ChunkscopeError("Unknown action.")
    offset, target = entry.get("offset"), entry.get("target")
    offsets = [offset] if target is None else [offset, target]
    inside = all(_is_whole(position) and (0 < position < length or action in _NOWHERE) for position in offsets)
    if not inside:
        raise ChunkscopeError("The place lies outside the text.")
    undoes = entry.get("undoes")
    if undoes and not _is_token(undoes):
        raise ChunkscopeError("The event to undo is unknown.")
    return Event(
        token=entry["token"],
        document=entry["document"],
        reviewer=_text(entry.get("reviewer"), NAME_LIMIT),
        action=action,
        offset=cast(int, offset),
        target=cast("int | None", target),
        note=_text(entry.get("note"), NOTE_LIMIT),
        undoes=undoes or "",
        # "lot" is what browsers may still keep of an older version.
        proposed=_text(entry.get("proposal_id", entry.get("lot")), _PROPOSAL_LIMIT),
        blind=entry.get("blind") is True,
        decides=entry.get("decides") is True,
    )


def _text(value: Any, limit: int) -> str:
    """Return a text cut to its limit, without lone surrogates, which no message can carry."""
    return value.encode("utf-8", "replace").decode("utf-8")[:limit] if isinstance(value, str) else ""
