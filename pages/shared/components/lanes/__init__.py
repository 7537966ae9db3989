"""The lanes: boundaries of many strategies on one axis."""

from pages.shared.components.lanes.component import LaneEvent, lane_chart, lane_event

__all__ = ["LaneEvent", "lane_chart", "lane_event"]
