"""Chunks of up to four strategies side by side over one text."""

from pages.shared.components.side_by_side.component import MAX_COLUMNS, Column, SideEvent, side_by_side, side_event

__all__ = ["MAX_COLUMNS", "Column", "SideEvent", "side_by_side", "side_event"]
