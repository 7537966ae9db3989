"""Plotly.js, loaded once for all components that draw with it."""

from pages.shared.components.plotly_js.loader import PlotHead, plotly_path, preload

__all__ = ["PlotHead", "plotly_path", "preload"]
