"""The curve chart: distances, threshold and boundaries of a document."""

from pages.shared.components.curve_chart.component import ChartEvent, chart_event, curve_chart

__all__ = ["ChartEvent", "chart_event", "curve_chart"]
