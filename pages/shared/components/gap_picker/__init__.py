"""A text whose gaps a reader picks, and what others picked."""

from pages.shared.components.gap_picker.component import GapMarks, GapWords, PickedGaps, gap_picker, picked_gaps

__all__ = ["GapMarks", "GapWords", "PickedGaps", "gap_picker", "picked_gaps"]
