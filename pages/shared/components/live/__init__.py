"""What lets a chart follow Streamlit's controls while they are moved, before Python answers."""

from pages.shared.components.live.component import (
    Live,
    LiveCurves,
    LiveDivisions,
    LiveLadder,
    LiveSetting,
    LiveSource,
    send,
    send_source,
)

__all__ = ["Live", "LiveCurves", "LiveDivisions", "LiveLadder", "LiveSetting", "LiveSource", "send", "send_source"]
