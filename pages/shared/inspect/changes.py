"""What the last change of a setting did to the boundaries, in words."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from chunking.params import Value
from chunking.runtime.wording import plural
from chunking.strategies import Segmentation
from chunking.workspace import Workspace
from pages.shared import state
from pages.shared.state import session


@dataclass(frozen=True)
class Outcome:
    """A setting with the boundaries that it produces.

    Attributes:
        document: its key.
        strategy: name of the strategy.
        params: values of its parameters.
        tools: what else decides: encoder and sentence splitter, by their names on the page.
        boundaries: offsets of the cuts.
    """

    document: str
    strategy: str
    params: Mapping[str, Value]
    tools: Mapping[str, str]
    boundaries: frozenset[int]


@dataclass(frozen=True)
class _Memory:
    """The last outcome, the one that its words compare it with, and when it was made, in seconds."""

    outcome: Outcome
    before: Outcome | None = None
    made: float = 0.0


_LAST: state.Slot[_Memory | None] = state.Slot("_last_outcome", session.empty)
_ONE_MOVE_SECONDS = 3.0
"""Within which two changes of the same parameters count as one move: a slider reports several on its way."""


def outcome(workspace: Workspace, segmentation: Segmentation) -> Outcome:
    """Return the outcome of a setting on a document."""
    return Outcome(
        workspace.document.key,
        segmentation.strategy,
        dict(segmentation.params.values()),
        {"encoder": workspace.encoder.name, "sentence splitter": workspace.sentences.splitter},
        frozenset(chunk.start for chunk in segmentation.chunks if chunk.cut is not None),
    )


def follow(now: Outcome) -> tuple[str, frozenset[str]]:
    """Note the outcome that is shown.

    Returns:
        What the last change did, in words, empty before the first on this document; and the names of the parameters
        that this run changed.
    """
    last = _LAST.get()
    if last is None or last.outcome.document != now.document:
        _LAST.set(_Memory(now))
        return "", frozenset()
    if last.outcome == now:
        return (words(last.before, now) if last.before else ""), frozenset()
    changed = frozenset(_changed(last.outcome, now))
    moment = time.monotonic()
    goes_on = last.before and moment - last.made < _ONE_MOVE_SECONDS and changed == {*_changed(last.before, now)}
    before = last.before if goes_on and last.before else last.outcome
    _LAST.set(_Memory(now, before, moment))
    return words(before, now), changed


def words(before: Outcome, now: Outcome) -> str:
    """Return what was changed and what that did, such as "α 0.4 → 0.55: 2 boundaries added, 1 removed"."""
    return f"{_cause(before, now)}: {_effect(before, now)}"


def _cause(before: Outcome, now: Outcome) -> str:
    if before.strategy != now.strategy:
        return f"{before.strategy} → {now.strategy}"
    parts = [
        f"{title} {before.tools[title]} → {now.tools[title]}"
        for title in now.tools
        if before.tools[title] != now.tools[title]
    ]
    parts += [
        f"{_title(name)} {_text(before.params[name])} → {_text(now.params[name])}" for name in _changed(before, now)
    ]
    return ", ".join(parts)


def _effect(before: Outcome, now: Outcome) -> str:
    added, removed = len(now.boundaries - before.boundaries), len(before.boundaries - now.boundaries)
    parts = []
    if added:
        parts.append(f"{plural(added, 'boundary', 'boundaries')} added")
    if removed:
        parts.append(f"{removed:,} removed" if added else f"{plural(removed, 'boundary', 'boundaries')} removed")
    if parts:
        return ", ".join(parts)
    if "overlap" in _changed(before, now):
        return "no boundary moves; overlap is shaded in the text and not drawn in the chart"
    return "no boundary changed"


def _changed(before: Outcome, now: Outcome) -> list[str]:
    """Return the names of the parameters that differ; none between two strategies, whose parameters differ."""
    if before.strategy != now.strategy:
        return []
    return [name for name in now.params if before.params[name] != now.params[name]]


def _title(name: str) -> str:
    return "α" if name == "alpha" else name.replace("_", " ")


def _text(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (tuple, frozenset, list)):
        return " + ".join(map(str, value)) or "none"
    return str(value) or "none"
