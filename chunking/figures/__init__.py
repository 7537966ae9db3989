"""Figures as pure functions of their data, and the parts that all reports share: tables, HTML pages, SVG."""

from chunking.figures.lanes import lanes_figure
from chunking.figures.plots import curve_figure
from chunking.figures.sizes import sizes_figure

__all__ = ["curve_figure", "lanes_figure", "sizes_figure"]
