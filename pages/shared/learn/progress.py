"""What a learner has done, kept in the browser alone: predictions, answers, and a text of the learner's own."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Sequence

from pages.shared.components.browser_store import browser_store, stored_items
from pages.shared.components.gap_picker import PickedGaps
from pages.shared.learn.texts import CHAPTERS
from pages.shared.state import SessionValue, session

_KEY, _TOPIC = "_learn_store", "chunkscope.learn"
OWN_TEXT, _STUDENT = "text", "student"
_SET: SessionValue[dict[str, str]] = SessionValue("_learn_set", dict)
_STORED: SessionValue[dict[str, str] | None] = SessionValue("_learn_stored", session.empty)
_FINAL = "!"


def begin() -> None:
    """Read what the browser holds, once in a session; to be called before anything is read."""
    if _STORED.get() is None:
        stored = stored_items(_KEY, _TOPIC)
        _STORED.set(stored)
        if stored and stored.get(_STUDENT):
            _SET.get().pop(_STUDENT, None)  # or this browser would predict a second time


def is_loaded() -> bool:
    """Return whether the browser has reported what it holds."""
    return _STORED.get() is not None


def keep() -> None:
    """Let the browser keep what this session has set; to be called once, at the end of a run."""
    browser_store(_KEY, _TOPIC, _SET.get(), is_loaded())


def get(name: str) -> str:
    """Return an item; empty where there is none."""
    return _SET.get().get(name, (_STORED.get() or {}).get(name, ""))


def put(name: str, text: str) -> None:
    """Set an item; an empty text removes it."""
    _SET.get()[name] = text


def forget() -> None:
    """Remove the predictions and answers; the learner's own text stays."""
    for name in [*(_STORED.get() or {}), *_SET.get()]:
        if name.startswith(("cuts.", "answer.", "done.")):
            put(name, "")


def student() -> str:
    """Return the random token under which this browser sends its predictions."""
    if not get(_STUDENT):
        put(_STUDENT, secrets.token_urlsafe(24))
    return get(_STUDENT)


# ---- predictions and answers


def prediction(key: str, gaps: int) -> PickedGaps:
    """Return the prediction under a key, such as ``3.1a2b3c4d`` for a chapter and its text.

    Args:
        key: under which it is kept.
        gaps: number of gaps; what comes from a browser is not trusted to lie among them.
    """
    text = get(f"cuts.{key}")
    numbers = [part for part in text.removesuffix(_FINAL).split(",") if part.isascii() and part.isdigit()]
    gaps_picked: list[int] = []
    with contextlib.suppress(ValueError):  # digits beyond what Python reads
        gaps_picked = [number for digits in numbers if (number := int(digits)) < gaps]
    return PickedGaps(tuple(sorted(set(gaps_picked))), text.endswith(_FINAL))


def predict(key: str, gaps: Sequence[int], final: bool) -> None:
    """Keep a prediction."""
    put(f"cuts.{key}", ",".join(map(str, gaps)) + (_FINAL if final else ""))


def withdraw(key: str) -> None:
    """Remove a prediction."""
    put(f"cuts.{key}", "")


def finish(chapter: str) -> bool:
    """Note that a chapter is done, and return whether that is new."""
    new = not get(f"done.{chapter}")
    if new:
        put(f"done.{chapter}", "1")
    return new


def done() -> list[str]:
    """Return the chapters that are done."""
    return [chapter for chapter in CHAPTERS if get(f"done.{chapter}")]
