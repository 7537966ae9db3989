"""Plotly.js to the browser, as the package ``plotly`` has it.

Declaring a (never mounted) component makes Streamlit serve its folder, so that the browser fetches and caches it like
any script: inside a component's own code it would be serialised and hashed again in every run.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import streamlit as st
from streamlit.components.v1 import declare_component
from streamlit.runtime import get_instance

_NAME = f"{__name__}.plotly"


@st.cache_resource(show_spinner=False)
def _file() -> Path:
    """Return the file of the package, found without importing it."""
    spec = importlib.util.find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("plotly is not installed: requirements.txt installs it")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


@st.cache_resource(show_spinner=False)
def _version() -> str:
    """Return the version of the file, to keep browsers from using an older one."""
    with _file().open(encoding="utf-8") as file:
        match = re.search(r"plotly\.js v([\d.]+)", file.read(200))
    return match[1] if match else "unknown"


def plotly_path() -> str:
    """Return where the server provides Plotly.js, relative to the app's root."""
    if get_instance().component_registry.get_component_path(_NAME) is None:
        declare_component(_NAME.rpartition(".")[2], path=str(_file().parent))
    return f"component/{_NAME}/{_file().name}?v={_version()}"
