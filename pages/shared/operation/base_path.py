"""The path below which the app is served."""

from __future__ import annotations

from streamlit import config


def base_path() -> str:
    """Return the beginning of every path of the app, such as ``/chunks``; empty where the app has a host to itself."""
    path = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""
