"""Any Plotly figure, in the colours of the theme and with the Plotly.js that the page has loaded anyway."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.shared.components import _palette_css, _read, _script
from pages.shared.components.wire import pack
from pages.shared.frame import plotly_js

_figure = st.components.v2.component(
    "chunkscope_figure",
    # In the page itself, not in a shadow root: Plotly puts its own styles there.
    isolate_styles=False,
    css=_palette_css() + _read("chart.css"),
    js=_script("figure.js"),
)


def figure(key: str, drawn: dict[str, Any]) -> None:
    """Draw a figure.

    Args:
        key: Streamlit key of the element.
        drawn: ``{"data": …, "layout": …}`` with a height, in the colours of ``chunking.figures.plots.ROLES``.
    """
    _figure(key=key, data=pack({"plotly": plotly_js.path()}, {"figure": drawn}))
