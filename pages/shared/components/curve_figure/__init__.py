"""The curves of a setting as a figure."""

from pages.shared.components.curve_figure.component import CurveFigureHead, CurveFigureWords, curve_figure

__all__ = ["CurveFigureHead", "CurveFigureWords", "curve_figure"]
