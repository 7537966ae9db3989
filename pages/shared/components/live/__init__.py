"""What lets a chart follow Streamlit's controls while they are moved, before Python answers."""

from pages.shared.components.live.component import Live, LiveCurves, LiveSetting, LiveSource, send

__all__ = ["Live", "LiveCurves", "LiveSetting", "LiveSource", "send"]
