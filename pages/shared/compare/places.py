"""Places of the Compare page in its address: the lane, the chosen place, the lanes side by side, the visible part."""

from __future__ import annotations

import re

import numpy as np

from chunking.comparison import cut_changes
from chunking.comparison.report import Comparison
from chunking.workspace import Workspace
from pages.shared import state
from pages.shared.compare import data as compare_data
from pages.shared.settings import lane_settings

_OWN_LANE = state.Slot("_lane_of_own_chunks", int)
"""Number of the lane of own chunks that is shown; 0 where one of a strategy is."""


def lane(compared: Comparison) -> int:
    """Return the index of the lane that is shown."""
    numbers = compare_data.numbers(compared)
    for number in (_OWN_LANE.get(), lane_settings.lane() + 1):
        if number in numbers:
            return numbers.index(number)
    return 0


def choose_lane(compared: Comparison, place: int) -> None:
    """Show the lane at an index; in a callback."""
    entry = compared.entries[place]
    number = compare_data.number(place, entry)
    is_own = entry.kind == "yours"
    _OWN_LANE.set(number if is_own else 0)
    if not is_own and number != lane_settings.lane() + 1:
        lane_settings.select(number - 1)


def _place(name: str, workspace: Workspace) -> str:
    """Return a place from the address, unless it belongs to another document."""
    text, _, key = state.current().text(name).partition("@")
    return text if not key or workspace.document.key.startswith(key) else ""


def gap(workspace: Workspace) -> int | None:
    """Return the gap nearest to the character offset that the address names, if that is in this document."""
    text = _place("at", workspace)
    offset = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else -1
    if not 0 <= offset < len(workspace.document.text) or not len(workspace.offsets):
        return None
    nearest, _ = cut_changes.nearest_gaps(np.array([offset]), workspace.offsets)
    return int(nearest[0])


def put_offset(offset: int | None, workspace: Workspace) -> None:
    """Put a character offset into the address, or take it out."""
    state.current().put("at", None if offset is None else f"{offset}@{workspace.document.key[:4]}")


def part(workspace: Workspace) -> tuple[float, float] | None:
    """Return the part of the document that the address names, in characters; ``None`` if there is none."""
    match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", _place("part", workspace))
    if match is None:
        return None
    start, end = float(match[1]), float(match[2])
    return (start, end) if 0 <= start < end <= len(workspace.document.text) else None


def put_part(shares: tuple[float, float] | None, workspace: Workspace) -> None:
    """Put a part of the document, given as shares of its length, into the address; ``None`` for all of it."""
    length = len(workspace.document.text)
    text = shares and f"{shares[0] * length:.0f}-{shares[1] * length:.0f}@{workspace.document.key[:4]}"
    state.current().put("part", text or None)


def renew_old_link() -> None:
    """Let a link from when lanes side by side were a view below the lanes, on an axis of one's choice, show these."""
    address = state.current()
    address.put("axis", None)
    if address.text("show") == "Side by side":
        address.put("show", None)
        address.put("columns", address.text("columns", "1-2"))


def columns(compared: Comparison) -> tuple[int, ...]:
    """Return the indices of the lanes that the address names side by side; none where one text is shown."""
    numbers = compare_data.numbers(compared)
    named = re.findall(r"[0-9]{1,3}", state.current().text("columns"))
    places = tuple(dict.fromkeys(numbers.index(int(number)) for number in named if int(number) in numbers))
    return places if len(places) > 1 else ()


def put_columns(compared: Comparison, places: tuple[int, ...]) -> None:
    """Put the lanes side by side into the address, given by their indices; none for one text."""
    numbers = compare_data.numbers(compared)
    state.current().put("columns", "-".join(str(numbers[place]) for place in places if place < len(numbers)) or None)
