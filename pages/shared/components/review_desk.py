"""The desk of a reviewer: candidates one by one, judged by a key, kept in the browser until they are stored.

Everything that a key does happens in the browser. What it comes to is an event with a token of its own; the browser
keeps each event in its own storage, sends all that are not confirmed whenever one is added, and again after a while
and after a reload, until :func:`review_desk` was called with the token among ``stored`` (or ``refused``). So nothing is
lost by a closed tab or a server that ends, and since the token tells, nothing counts twice.

Offsets are characters (Unicode code points) of the document's text; the text itself comes from
:func:`pages.shared.components.document_store`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeGuard, cast, get_args

import numpy as np
import numpy.typing as npt
import streamlit as st

from chunking.errors import ChunkscopeError
from chunking.figures.plots import GLYPHS
from chunking.gold.events import NAME_LIMIT, NOTE_LIMIT, Action, Event
from pages.shared.components.base import component, ignore, pack

__all__ = ["Candidate", "Dispute", "Known", "Sent", "Vote", "named", "review_desk", "sent"]

Ints = npt.NDArray[np.integer[Any]]
Sendable = Literal["accept", "reject", "skip", "add", "move", "note", "undo"]

BATCH = 200
"""Events that the browser sends at once."""

_TOKEN = re.compile(r"[0-9a-f]{32}")
_LOT_LIMIT = 1000
"""Characters of the setting that proposed a place."""

_desk = component("chunkscope_review_desk", __file__, "review_desk.js", "review_desk.css")


@dataclass(frozen=True)
class Candidate:
    """A place to judge.

    Attributes:
        offset: of the place.
        why: why the strategy cuts there, in words; empty where it is not to be seen.
        driver: what moved the cut, one of ``chunking.figures.plots.DRIVERS``, or ``""``.
    """

    offset: int
    why: str = ""
    driver: str = ""


@dataclass(frozen=True)
class Known:
    """An event of the reviewer that is stored and counts."""

    token: str
    action: Action
    offset: int
    target: int | None = None
    note: str = ""
    undoes: str = ""


@dataclass(frozen=True)
class Vote:
    """What a reviewer said of a place, in words, and the note beside it."""

    reviewer: str
    says: str
    note: str = ""


@dataclass(frozen=True)
class Dispute:
    """A place that reviewers do not agree on.

    Attributes:
        offset: of the place.
        votes: who said what.
        choices: what can be decided: title of the button, action, offset.
        decided: what was decided, in words; empty while it is open.
    """

    offset: int
    votes: tuple[Vote, ...]
    choices: tuple[tuple[str, Action, int], ...]
    decided: str = ""


@dataclass(frozen=True)
class Sent:
    """What the browser sent.

    Attributes:
        events: in the order in which they were made; without ``before``, ``after`` and ``at``. ``proposed`` is what the
            browser calls the lot of the candidate.
        refused: token of what was sent and can never be stored, and why.
        at: offset of the candidate that is looked at; ``None`` for none.
    """

    events: tuple[Event, ...] = ()
    refused: tuple[tuple[str, str], ...] = field(default=())
    at: int | None = None


def review_desk(
    key: str,
    document: str,
    text: str,
    *,
    reviewer: str,
    desk: str = "",
    lot: str = "",
    blind: bool = False,
    candidates: Sequence[Candidate] = (),
    places: Ints | None = None,
    events: Sequence[Known] = (),
    disputes: Sequence[Dispute] = (),
    stored: Sequence[str] = (),
    refused: Sequence[tuple[str, str]] = (),
    problem: ChunkscopeError | None = None,
    at: int | None = None,
    mono: bool = False,
    height: str = "420px",
    on_event: Callable[[], None] | None = None,
) -> None:
    """The desk; without a reviewer it asks for a name.

    Args:
        key: Streamlit key of the element.
        document: key given to :func:`pages.shared.components.document_store`.
        text: hash of the document's text, to which events belong.
        reviewer: whose desk it is; empty where that is not known yet.
        desk: what the order of the candidates depends on: with another one, or other candidates, the desk begins anew.
        lot: sent back with every event as its ``proposed``.
        blind: whether nothing of the strategy is to be seen; candidates then carry neither reason nor driver.
        candidates: in the order in which they are judged.
        places: ``(n_gaps,)`` integers, ascending: where a boundary can be moved to or added.
        events: of the reviewer that are stored and count, in their order; decisions are not among them.
        disputes: places to decide.
        stored: tokens of what was sent and is stored.
        refused: tokens of what was sent and will never be, and why.
        problem: why nothing can be stored now.
        at: offset of the candidate to begin with.
        mono: whether the whole text is shown in a monospaced face, and not its code and tables alone.
        height: of the text, a CSS length.
        on_event: called before the script runs when something was sent; read :func:`sent` and :func:`named` in it.

    Raises:
        ChunkscopeError: a blind desk is given reasons.
    """
    if blind and any(each.why or each.driver for each in candidates):
        raise ChunkscopeError("A blind desk shows no reasons.")
    offsets = np.array([each.offset for each in candidates], dtype=np.int64)
    head = {
        "document": document,
        "text": text,
        "reviewer": reviewer,
        "name_limit": NAME_LIMIT,
        "desk": f"{text} {reviewer} {desk} {zlib.crc32(offsets.tobytes())}",
        "stored": list(stored),
        "refused": [list(each) for each in refused],
        "problem": [problem.problem, problem.remedy] if problem else None,
        "at": at,
    }
    body = {
        "candidates": offsets,
        "why": [each.why for each in candidates],
        "driver": [each.driver for each in candidates],
        "glyphs": dict(GLYPHS),
        "places": np.zeros(0, dtype=np.int64) if places is None else places,
        "lot": lot,
        "blind": blind,
        "events": [[e.token, e.action, e.offset, e.target, e.note, e.undoes] for e in events],
        "disputes": [_dispute(each) for each in disputes],
        "note_limit": NOTE_LIMIT,
        "mono": mono,
        "height": height,
    }
    callback = on_event or ignore
    _desk(key=key, data=pack(head, body), on_sent_change=callback, on_name_change=callback)


def _dispute(dispute: Dispute) -> dict[str, Any]:
    return {
        "offset": dispute.offset,
        "votes": [vars(vote) for vote in dispute.votes],
        "choices": [list(choice) for choice in dispute.choices],
        "decided": dispute.decided,
    }


def named(key: str) -> str | None:
    """The name that a reviewer just gave, or ``None``; may be asked before the desk is drawn in this run."""
    state = st.session_state.get(key) or {}
    name = state.get("name")
    if not isinstance(name, str):
        return None
    return " ".join(name.split())[:NAME_LIMIT].strip() or None


def sent(key: str, text: str, length: int) -> Sent:
    """What the browser sent of a document; may be asked before the desk is drawn in this run.

    What comes from a browser is not trusted to have its form: what has no token is passed over, what has one and can
    never be stored is refused.

    Args:
        key: as given to :func:`review_desk`.
        text: hash of the document's text; what belongs to another one is left where it is.
        length: characters of the text.
    """
    state = st.session_state.get(key) or {}
    message = state.get("sent")
    if not isinstance(message, Mapping) or message.get("document") != text:
        return Sent()
    given = message.get("events")
    events: list[Event] = []
    refused: list[tuple[str, str]] = []
    for each in given[:BATCH] if isinstance(given, list) else []:
        if not isinstance(each, Mapping) or not _is_token(each.get("token")) or each.get("document") != text:
            continue
        try:
            events.append(_event(each, length))
        except ChunkscopeError as error:
            refused.append((each["token"], str(error)))
    at = message.get("at")
    return Sent(tuple(events), tuple(refused), at if _is_whole(at) and at <= length else None)


def _is_token(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and _TOKEN.fullmatch(value) is not None


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _event(given: Mapping[str, Any], length: int) -> Event:
    action = given.get("action")
    if action not in get_args(Sendable):
        raise ChunkscopeError("It is no action that there is.")
    offset, target = given.get("offset"), given.get("target")
    places = [offset] if target is None else [offset, target]
    inside = all(_is_whole(place) and (0 < place < length or action == "undo") for place in places)
    if not inside:
        raise ChunkscopeError("Its place lies outside the text.")
    undoes = given.get("undoes")
    if undoes and not _is_token(undoes):
        raise ChunkscopeError("It takes nothing back.")
    return Event(
        token=given["token"],
        document=given["document"],
        reviewer=_text(given.get("reviewer"), NAME_LIMIT),
        action=cast(Action, action),
        offset=cast(int, offset),
        target=cast("int | None", target),
        note=_text(given.get("note"), NOTE_LIMIT),
        undoes=undoes or "",
        proposed=_text(given.get("lot"), _LOT_LIMIT),
        blind=given.get("blind") is True,
        decides=given.get("decides") is True,
    )


def _text(value: Any, limit: int) -> str:
    """A text cut to its limit, without lone surrogates, which no message could bring back."""
    return value.encode("utf-8", "replace").decode("utf-8")[:limit] if isinstance(value, str) else ""
