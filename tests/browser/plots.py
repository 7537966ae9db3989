"""Charts of Plotly in a browser: what they show, and how they are zoomed."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.server import standing

PLOT = ".js-plotly-plot"


def axis_range(page: Page) -> list[float]:
    """Return the visible range of the first chart."""
    found: list[float] = page.locator(PLOT).evaluate("plot => plot._fullLayout.xaxis.range")
    return found


def zoom(page: Page, start: float, end: float) -> None:
    """Drag over a share of the chart's width."""
    box = standing(page.locator(f"{PLOT} .nsewdrag").first)
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + start * box["width"], height)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], height, steps=5)
    page.mouse.up()
