"""Plotly.js in the browser."""

from pages.shared.components.plotly_js.loader import plotly_path

__all__ = ["plotly_path"]
