"""The plane of settings: one value for each α and percentile."""

from pages.shared.components.plane.component import (
    PlaneEvent,
    PlaneView,
    Point,
    digits,
    plane_chart,
    plane_event,
    plane_field,
)

__all__ = ["PlaneEvent", "PlaneView", "Point", "digits", "plane_chart", "plane_event", "plane_field"]
