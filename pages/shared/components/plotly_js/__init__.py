"""Plotly.js, loaded once for all components that draw with it."""

from pages.shared.components.plotly_js.loader import plotly_path, preload

__all__ = ["plotly_path", "preload"]
