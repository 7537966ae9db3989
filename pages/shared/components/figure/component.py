"""Any Plotly figure, in the colours of the theme and with the Plotly.js that the page has loaded anyway."""

from __future__ import annotations

from typing import Any

from pages.shared.components.base import component, pack
from pages.shared.components.plotly_js import plotly_path

_figure = component("chunkscope_figure", __file__, "figure.js", "../plotly_js/chart.css", isolate_styles=False)


def figure(key: str, drawn: dict[str, Any]) -> None:
    """Draw a figure.

    Args:
        key: Streamlit key of the element.
        drawn: ``{"data": …, "layout": …}`` with a height, in the colours of ``chunking.figures.theme.ROLES``.
    """
    _figure(key=key, data=pack({"plotly": plotly_path()}, {"figure": drawn}))
