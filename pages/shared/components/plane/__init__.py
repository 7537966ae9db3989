"""The plane of settings: one value for each α and percentile."""

from pages.shared.components.plane.component import PlaneEvent, Point, digits, plane_chart, plane_event, plane_field

__all__ = ["PlaneEvent", "Point", "digits", "plane_chart", "plane_event", "plane_field"]
