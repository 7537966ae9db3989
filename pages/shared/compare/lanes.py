"""The lanes of the Compare page: their numbers and titles, their places in the address, and the workbench."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.comparison import cut_changes
from chunking.comparison.report import Comparison, ComparisonEntry
from chunking.strategies import Setting
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.components.workbench import Rest
from pages.shared.settings import address_positions, lane_settings, strategy_settings
from pages.shared.state import go
from pages.shared.workbench import workbench
from pages.shared.workbench.workbench import Selection, ShownLane


@dataclass(frozen=True, eq=False)
class NumberedEntry(ComparisonEntry):
    """An entry with the number of its lane, which stays the same where an earlier lane failed.

    Attributes:
        number: of the lane, from 1, as among the strategies.
    """

    number: int


def with_number(entry: ComparisonEntry, number: int) -> NumberedEntry:
    """Return the entry as the lane of that number."""
    return NumberedEntry(entry.label, entry.title, entry.kind, entry.segmentation, number)


def lane_number(index: int, entry: ComparisonEntry) -> int:
    """Return the number of a lane from its index among those shown."""
    return entry.number if isinstance(entry, NumberedEntry) else index + 1


def lane_numbers(compared: Comparison) -> list[int]:
    """Return the numbers of all lanes that are shown."""
    return [lane_number(index, entry) for index, entry in enumerate(compared.entries)]


def lane_title(index: int, entry: ComparisonEntry) -> str:
    """Return the number and the title of a lane."""
    return f"{lane_number(index, entry)} · {entry.title}"


def lane_titles(compared: Comparison) -> list[str]:
    """Return the numbers and titles of all lanes that are shown."""
    return [lane_title(index, entry) for index, entry in enumerate(compared.entries)]


_OWN_LANE = state.SessionValue("_lane_of_own_chunks", int)
"""Number of the lane of own chunks that is shown; 0 where one of a strategy is."""


def shown_lane(compared: Comparison) -> int:
    """Return the index of the lane that is shown."""
    numbers = lane_numbers(compared)
    for number in (_OWN_LANE.get(), lane_settings.lane() + 1):
        if number in numbers:
            return numbers.index(number)
    return 0


def choose_lane(compared: Comparison, index: int) -> None:
    """Show the lane at an index; in a callback."""
    entry = compared.entries[index]
    number = lane_number(index, entry)
    is_own = entry.kind == "yours"
    _OWN_LANE.set(number if is_own else 0)
    if not is_own and number != lane_settings.lane() + 1:
        lane_settings.select(number - 1)


def chosen_gap(workspace: DocumentAnalysis) -> int | None:
    """Return the gap nearest to the character offset that the address names, if that is in this document."""
    text = address_positions.position("at", workspace.document)
    offset = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else -1
    if not 0 <= offset < len(workspace.document.text) or not len(workspace.offsets):
        return None
    nearest, _ = cut_changes.nearest_gaps(np.array([offset]), workspace.offsets)
    return int(nearest[0])


def put_offset(offset: int | None, workspace: DocumentAnalysis) -> None:
    """Put a character offset into the address, or take it out."""
    state.address().put("at", None if offset is None else f"{offset}@{workspace.document.key[:4]}")


def visible_part(workspace: DocumentAnalysis) -> tuple[float, float] | None:
    """Return the part of the document that the address names, in characters; ``None`` if there is none."""
    match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", address_positions.position("part", workspace.document))
    if match is None:
        return None
    start, end = float(match[1]), float(match[2])
    return (start, end) if 0 <= start < end <= len(workspace.document.text) else None


def put_visible_part(shares: tuple[float, float] | None, workspace: DocumentAnalysis) -> None:
    """Put a part of the document, given as shares of its length, into the address; ``None`` for all of it."""
    length = len(workspace.document.text)
    text = shares and f"{shares[0] * length:.0f}-{shares[1] * length:.0f}@{workspace.document.key[:4]}"
    state.address().put("part", text or None)


def renew_old_link() -> None:
    """Let a link from when lanes side by side were a view below the lanes, on an axis of one's choice, show these."""
    address = state.address()
    address.put("axis", None)
    if address.text("show") == "Side by side":
        address.put("show", None)
        address.put("columns", address.text("columns", "1-2"))


def chosen_columns(compared: Comparison) -> tuple[int, ...]:
    """Return the indices of the lanes that the address names side by side; none where one text is shown."""
    numbers = lane_numbers(compared)
    named = re.findall(r"[0-9]{1,3}", state.address().text("columns"))
    indices = tuple(dict.fromkeys(numbers.index(int(number)) for number in named if int(number) in numbers))
    return indices if len(indices) > 1 else ()


def put_columns(compared: Comparison, indices: tuple[int, ...]) -> None:
    """Put the lanes side by side into the address, given by their indices; none for one text."""
    numbers = lane_numbers(compared)
    state.address().put("columns", "-".join(str(numbers[index]) for index in indices if index < len(numbers)) or None)


def show(workspace: DocumentAnalysis, compared: Comparison, settings: Sequence[Setting]) -> None:
    """Draw the workbench with a lane for each entry; ``settings`` are those of the strategies, by their numbers."""
    lanes = [
        ShownLane(
            f"{number}/{entry.segmentation.strategy}",
            lane_title(index, entry),
            None if entry.kind == "yours" else settings[number - 1],
            entry.segmentation,
        )
        for index, (number, entry) in enumerate(zip(lane_numbers(compared), compared.entries, strict=True))
    ]
    selection = Selection(
        shown_lane(compared), chosen_gap(workspace), chosen_columns(compared), _visible_shares(workspace)
    )
    by_label = {lane.label: lane for lane in lanes}

    def take(rest: Rest, before: Selection) -> None:
        for change in rest.changes:
            lane = by_label.get(change.label)
            if lane and lane.setting:
                number = int(change.label.partition("/")[0])
                lane_settings.move(number - 1, lane.setting.strategy.name, workbench.moved_values(change, lane.setting))
        if rest.lane != before.lane and rest.lane < len(compared.entries):
            choose_lane(compared, rest.lane)
        if rest.gap != before.gap:
            is_gap = rest.gap is not None and rest.gap < len(workspace.offsets)
            put_offset(int(workspace.offsets[rest.gap]) if is_gap else None, workspace)
        if rest.columns != before.columns:
            put_columns(compared, rest.columns)
        if rest.view != before.view:
            put_visible_part(rest.view, workspace)

    def open_in_inspect(label: str) -> None:
        number = int(label.partition("/")[0])
        new_settings = lane_settings.settings()  # with what was changed just now
        if number <= len(new_settings) and by_label[label].setting:
            setting = new_settings[number - 1]
            strategy_settings.open_(setting)
            go("pages/inspect.py", {strategy_settings.KEY: setting.text})

    workbench.show(workspace, lanes, compared.reference, selection, take, on_open=open_in_inspect)


def _visible_shares(workspace: DocumentAnalysis) -> tuple[float, float] | None:
    """Return the part of the document that the address names, as shares of its length."""
    part, length = visible_part(workspace), max(len(workspace.document.text), 1)
    return part and (part[0] / length, part[1] / length)
