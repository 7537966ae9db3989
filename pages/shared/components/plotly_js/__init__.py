"""Plotly.js, loaded once for all components that draw with it."""

from pages.shared.components.plotly_js.loader import PlotHead, basic_plotly_path, plotly_path, preload

__all__ = ["PlotHead", "basic_plotly_path", "plotly_path", "preload"]
