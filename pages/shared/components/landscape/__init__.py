"""The landscape: at each gap and α the percentile at which the gap becomes a boundary."""

from pages.shared.components.landscape.component import (
    LandscapeEvent,
    Present,
    landscape_chart,
    landscape_event,
    landscape_field,
)

__all__ = ["LandscapeEvent", "Present", "landscape_chart", "landscape_event", "landscape_field"]
