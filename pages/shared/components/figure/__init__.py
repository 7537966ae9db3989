"""Any Plotly figure, in the colours of the theme."""

from pages.shared.components.figure.component import figure

__all__ = ["figure"]
