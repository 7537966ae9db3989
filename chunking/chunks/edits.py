"""Edits by hand: places where a chunk must begin, or must not, whatever the strategy says.

An edit is anchored to the text on both sides of its place, so that it survives another setting and an edited document.
Where that text is gone, the edit is lost and listed with the reason; it is never moved to a place that merely looks
likely.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, cast, get_args

import msgspec
import numpy as np

from chunking.alignment.relocation import AMBIGUOUS, CONTEXT, GONE, Anchor, anchor, relocate
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Int64
from chunking.runtime.surrogates import replace_surrogates
from chunking.runtime.wording import MAX_NAME, shorten

Action = Literal["cut", "join"]
"""``cut``: a chunk begins there. ``join``: none does."""

ACTIONS: tuple[Action, ...] = get_args(Action)

BETWEEN = "no sentence begins there"
"""Why an edit is lost whose place is inside a sentence."""

MOST = 2000
"""Limit of the edits of a document."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A decision by hand about one place.

    Attributes:
        action: see :data:`Action`.
        before, after: the text on either side of the place, up to
            :data:`~chunking.alignment.relocation.CONTEXT` characters each.
        offset: where the place was, in characters, which tells copies of that text apart; 0 if it is not known.
    """

    action: Action
    before: str
    after: str
    offset: int = 0

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise ChunkscopeError(f"Unknown action {self.action!r:.40} of an edit.", f"Use {' or '.join(ACTIONS)}.")
        if not self.before.strip() or not self.after.strip():
            raise ChunkscopeError("An edit needs text on both sides of its place.", "Quote some words of each.")
        if self.offset < 0:
            raise ChunkscopeError(f"An edit is at {self.offset}.", "Leave its offset out, or count it from 1.")

    @property
    def quote(self) -> str:
        """The words after its place, as many as a line holds."""
        return shorten(" ".join(self.after.split()))

    @property
    def quote_before(self) -> str:
        """The words before its place, as many as a line holds."""
        words = " ".join(self.before.split())
        return words if len(words) <= MAX_NAME else "…" + words[1 - MAX_NAME :]


def edit_at(text: str, action: Action, offset: int) -> Edit:
    """Return the edit of a place in a text.

    Raises:
        ChunkscopeError: nothing but white space is on one side of it.
    """
    context = anchor(text, offset)
    return Edit(action, context.before, context.after, offset)


@dataclass(frozen=True)
class LocatedEdits:
    """Where edits are in a text.

    Attributes:
        offsets: the place of each that was found, by its position among the edits.
        lost: why each of the others was not.
    """

    offsets: Mapping[int, int] = field(default_factory=dict)
    lost: Mapping[int, str] = field(default_factory=dict)

    def decided(self, edits: Sequence[Edit]) -> dict[Action, list[int]]:
        """Return the places of each action, ascending; of two edits of a place, the last one counts."""
        actions = {offset: edits[number].action for number, offset in sorted(self.offsets.items())}
        return {action: sorted(offset for offset in actions if actions[offset] == action) for action in ACTIONS}


NOWHERE = LocatedEdits()
"""The places of no edits."""


def locate(edits: Sequence[Edit], text: str, gap_offsets: Int64) -> LocatedEdits:
    """Find the places of edits in a text.

    Args:
        edits: any.
        text: the text.
        gap_offsets: ``(n_gaps,)`` int64, ascending, where a sentence begins: an edit is at one of them.
    """
    positions, lost = _positions(edits, text)
    offsets: dict[int, int] = {}
    for number, position in positions.items():
        gap_offset = _gap_at(position, text, gap_offsets)
        if gap_offset is None:
            lost[number] = BETWEEN
        else:
            offsets[number] = gap_offset
    return LocatedEdits(offsets, lost)


def _positions(edits: Sequence[Edit], text: str) -> tuple[dict[int, int], dict[int, str]]:
    """Return the position of each edit that is found, and why others are not, by their numbers."""
    anchors = {edit.offset: Anchor(edit.offset, edit.before[-CONTEXT:], edit.after[:CONTEXT]) for edit in edits}
    anchors.pop(0, None)
    relocation = relocate(list(anchors.values()), text)
    reasons = {lost_anchor.offset: reason for lost_anchor, reason in relocation.lost}
    quoted = _Quoted(text)
    positions: dict[int, int] = {}
    lost: dict[int, str] = {}
    for number, edit in enumerate(edits):
        result = relocation.offsets.get(edit.offset, reasons.get(edit.offset)) if edit.offset else quoted.place(edit)
        if isinstance(result, int):
            positions[number] = result
        elif result is not None:
            lost[number] = result
    return positions, lost


class _Quoted:
    """A text in which the places of edits are looked up by their words alone, whatever white space is between them."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _offsets(self) -> list[int]:
        return [offset for offset, character in enumerate(self.text) if not character.isspace()]

    @cached_property
    def _squeezed(self) -> str:
        return _without_white_space(self.text)

    def place(self, edit: Edit) -> int | str:
        """Return the offset of the place of an edit, or why it is lost."""
        before, after = _without_white_space(edit.before), _without_white_space(edit.after)
        position = self._squeezed.find(before + after)
        if position < 0:
            return GONE
        if self._squeezed.find(before + after, position + 1) >= 0:
            return AMBIGUOUS
        return self._offsets[position + len(before)]


def _without_white_space(text: str) -> str:
    return "".join(text.split())


def _gap_at(position: int, text: str, gap_offsets: Int64) -> int | None:
    """Return the gap that only white space parts from a position; ``None`` if there is none."""
    right = int(np.searchsorted(gap_offsets, position))
    for index in (right, right - 1):
        if 0 <= index < len(gap_offsets):
            offset = int(gap_offsets[index])
            if not text[min(position, offset) : max(position, offset)].strip():
                return offset
    return None


def digest(edits: Sequence[Edit]) -> str:
    """Return a hash of edits, the same in every process."""
    parts = (f"{edit.action}\0{edit.before}\0{edit.after}\0{edit.offset}" for edit in edits)
    return hashlib.blake2b("\1".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def outcome(edit: Edit, offset: int | None, starts: Collection[int], lost: str = "") -> str:
    """Return what became of an edit in a segmentation, in words; empty where it was followed.

    Args:
        edit: the edit.
        offset: its place; ``None`` where that is lost.
        starts: where chunks start.
        lost: why its place is lost.
    """
    if offset is None:
        return f"lost: {lost}"
    if edit.action == "join" and offset in starts:
        return "not followed: the maximum, or a section of this strategy, forces a cut there"
    if edit.action == "cut" and offset not in starts:
        return "not followed: this strategy takes no edits"
    return ""


_QUOTED = 32
"""Characters on either side of a place that a link holds."""

_LARGEST = 2**20
"""Limit of the bytes of unpacked edits."""


def packed(edits: Sequence[Edit]) -> str:
    """Return edits as a text for a link: URL-safe, with some of the text on both sides of each place."""
    rows = [(edit.action, edit.offset, edit.before[-_QUOTED:], edit.after[:_QUOTED]) for edit in edits]
    data = replace_surrogates(json.dumps(rows, ensure_ascii=False, separators=(",", ":"))).encode()
    return base64.urlsafe_b64encode(zlib.compress(data, 9)).rstrip(b"=").decode() if edits else ""


def unpacked(text: str) -> tuple[Edit, ...]:
    """Return the edits of a text that :func:`packed` has made.

    Raises:
        ChunkscopeError: it is none.
    """
    if not text:
        return ()
    try:
        data = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        rows = msgspec.json.decode(
            zlib.decompressobj().decompress(data, _LARGEST), type=list[tuple[str, int, str, str]]
        )
        return tuple(Edit(cast(Action, action), before, after, offset) for action, offset, before, after in rows[:MOST])
    except (ValueError, zlib.error, msgspec.MsgspecError, ChunkscopeError) as error:
        raise ChunkscopeError("The edits by hand in the link are damaged.", "They were ignored.") from error
