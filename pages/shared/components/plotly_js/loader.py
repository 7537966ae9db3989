"""Plotly.js to the browser: its basic bundle for charts of lines and points, all of it for other figures.

The basic bundle, a quarter of the size, is what the first picture waits for. It is kept in ``vendor``, as the npm
package plotly.js-basic-dist-min has it; the complete one comes with the package ``plotly``. Declaring a (never mounted)
component makes Streamlit serve its folder, so that the browser fetches and caches it like any script: inside a
component's own code it would be serialised and hashed again in every run.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TypedDict

import streamlit as st
from streamlit.components.v1 import declare_component
from streamlit.runtime import get_instance

from pages.shared.components.base import component

_NAME = f"{__name__}.plotly"
_BASIC_NAME = f"{__name__}.plotly_basic"

BASIC = Path(__file__).with_name("vendor") / "plotly-basic.min.js"
"""The basic bundle."""


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
    if found is None or found.origin is None:
        raise ModuleNotFoundError("plotly is not installed: requirements.txt installs it")
    return Path(found.origin).parent / "package_data"


@st.cache_resource(show_spinner=False)
def version(path: Path) -> str:
    """Return the version of a Plotly.js, to keep browsers from using an older one."""
    with path.open(encoding="utf-8") as file:
        found = re.search(r"plotly\.js (?:\(basic - minified\) )?v([\d.]+)", file.read(200))
    return found[1] if found else "unknown"


def plotly_path() -> str:
    """Return where the server provides the complete Plotly.js, relative to the app's root."""
    return _served(_NAME, _folder() / "plotly.min.js")


def basic_plotly_path() -> str:
    """Return where the server provides the basic bundle, for traces of the type ``scatter`` alone."""
    return _served(_BASIC_NAME, BASIC)


def _served(name: str, path: Path) -> str:
    if get_instance().component_registry.get_component_path(name) is None:
        declare_component(name.rpartition(".")[2], path=str(path.parent))
    return f"component/{name}/{path.name}?v={version(path)}"


_preload = component("chunkscope_preload", __file__, "preload.js", isolate_styles=False)


def preload() -> None:
    """Let the browser begin to load the basic bundle; called first, since it is the largest part of a page."""
    _preload(key="preload", data=basic_plotly_path(), height="content")
