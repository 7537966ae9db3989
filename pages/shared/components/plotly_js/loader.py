"""Plotly.js, from the ``plotly`` package to the browser.

The file comes with the package. Declaring a (never mounted) component makes Streamlit serve its folder, so that the
browser fetches and caches it like any script: 4.8 MB inside a component's own code would be serialised and hashed
again in every run.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TypedDict

import streamlit as st
from streamlit.components.v1 import declare_component
from streamlit.runtime import get_instance

from pages.shared.components.scripts import joined_script

_NAME = f"{__name__}.plotly"


class PlotHead(TypedDict):
    """The part of a chart's message that is read each time.

    Attributes:
        document: key of what the chart is about.
        selected: the chosen gap, or character offset.
        view: the range with which the chart opens.
        plotly: path of Plotly.js.
    """

    document: str
    selected: int | None
    view: tuple[float, float] | None
    plotly: str


@st.cache_resource(show_spinner=False)
def _folder() -> Path:
    """Where the package keeps the file; found without importing the package."""
    found = importlib.util.find_spec("plotly")
    assert found is not None and found.origin is not None, "requirements.txt installs plotly"
    return Path(found.origin).parent / "package_data"


@st.cache_resource(show_spinner=False)
def _version() -> str:
    """Version of the Plotly.js in the package, to keep browsers from using an older one."""
    with (_folder() / "plotly.min.js").open(encoding="utf-8") as file:
        found = re.search(r"plotly\.js v([\d.]+)", file.read(200))
    return found[1] if found else "unknown"


def plotly_path() -> str:
    """Return where the server provides Plotly.js, relative to the app's root."""
    if get_instance().component_registry.get_component_path(_NAME) is None:
        declare_component("plotly", path=str(_folder()))
    return f"component/{_NAME}/plotly.min.js?v={_version()}"


_preload = st.components.v2.component(
    "chunkscope_preload", js=joined_script(Path(__file__).with_name("preload.js")), isolate_styles=False
)


def preload() -> None:
    """Let the browser begin to load Plotly.js; called first, since it is the largest part of a page."""
    _preload(key="preload", data=plotly_path(), height="content")
