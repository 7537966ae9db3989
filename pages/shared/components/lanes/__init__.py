"""The lanes: boundaries of many strategies on one axis."""

from pages.shared.components.lanes.component import EditedLane, LaneEvent, lane_chart, lane_event

__all__ = ["EditedLane", "LaneEvent", "lane_chart", "lane_event"]
