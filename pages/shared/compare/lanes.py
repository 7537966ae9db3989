"""The lanes of the Compare page in the workbench."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.comparison.report import Comparison
from chunking.strategies import Setting
from chunking.workspace import Workspace
from pages.shared.compare import data as compare_data
from pages.shared.compare import places
from pages.shared.components.workbench import Rest
from pages.shared.settings import lane_settings, strategy_settings
from pages.shared.state import go
from pages.shared.workbench import workbench
from pages.shared.workbench.workbench import Chosen, ShownLane


def show(workspace: Workspace, compared: Comparison, settings: Sequence[Setting]) -> None:
    """Draw the workbench with a lane for each entry; ``settings`` are those of the strategies, by their numbers."""
    lanes = [
        ShownLane(
            f"{number}/{entry.segmentation.strategy}",
            compare_data.numbered(place, entry),
            None if entry.kind == "yours" else settings[number - 1],
            entry.segmentation,
        )
        for place, (number, entry) in enumerate(zip(compare_data.numbers(compared), compared.entries, strict=True))
    ]
    chosen = Chosen(places.lane(compared), places.gap(workspace), places.columns(compared), _shares(workspace))
    by_label = {lane.label: lane for lane in lanes}

    def take(rest: Rest, before: Chosen) -> None:
        for moved in rest.changes:
            lane = by_label.get(moved.label)
            if lane and lane.setting:
                number = int(moved.label.partition("/")[0])
                lane_settings.move(number - 1, lane.setting.strategy.name, workbench.moved_values(moved, lane.setting))
        if rest.lane != before.lane and rest.lane < len(compared.entries):
            places.choose_lane(compared, rest.lane)
        if rest.gap != before.gap:
            is_gap = rest.gap is not None and rest.gap < len(workspace.offsets)
            places.put_offset(int(workspace.offsets[rest.gap]) if is_gap else None, workspace)
        if rest.columns != before.columns:
            places.put_columns(compared, rest.columns)
        if rest.view != before.view:
            places.put_part(rest.view, workspace)

    def open_in_inspect(label: str) -> None:
        number = int(label.partition("/")[0])
        moved = lane_settings.settings()  # with what was changed just now
        if number <= len(moved) and by_label[label].setting:
            setting = moved[number - 1]
            strategy_settings.open_(setting)
            go("pages/inspect.py", {strategy_settings.KEY: setting.text})

    workbench.show(workspace, lanes, compared.reference, chosen, take, on_open=open_in_inspect)


def _shares(workspace: Workspace) -> tuple[float, float] | None:
    """Return the part of the document that the address names, as shares of its length."""
    part, length = places.part(workspace), max(len(workspace.document.text), 1)
    return part and (part[0] / length, part[1] / length)
