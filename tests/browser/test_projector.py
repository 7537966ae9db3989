"""What only a browser shows of projector mode: sizes, and what is out of sight."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.server import answered, drawn, recolour, settled, standing

_AXES = "() => document.querySelector('.cs-chart .cs-plot')._fullLayout.font.size"

_NOTHING_OVERFLOWS = """() => {
  const { scrollWidth, clientWidth } = document.querySelector("[data-testid='stMain']");
  return scrollWidth <= clientWidth && document.scrollingElement.scrollWidth <= innerWidth;
}"""


def sizes(page: Page) -> list[float]:
    """The type of the text, the explanation, the legend and the axes, in pixels."""
    found = [page.locator(place).first for place in (".cs-chunk", ".cs-ledger", ".cs-legend")]
    return [*(each.evaluate("each => parseFloat(getComputedStyle(each).fontSize)") for each in found), axes(page)]


def axes(page: Page) -> float:
    size: float = page.evaluate(_AXES)
    return size


def test_all_type_grows_and_only_the_page_is_left(visit: Visit) -> None:
    page = visit("/?gap=23")
    page.evaluate("document.querySelector('.cs-chart .cs-plot').known = true")
    for scheme, width, height in (("light", 1280, 720), ("dark", 1920, 1080)):
        recolour(page, scheme)
        page.set_viewport_size({"width": width, "height": height})
        settled(page)
        before = sizes(page)
        with answered(page):
            page.get_by_role("button", name="Projector mode").click()
        expect(page.get_by_test_id("stSidebar")).not_to_be_visible()
        expect(page.locator(".st-key-_first_steps")).not_to_be_visible()
        page.wait_for_function(f"size => ({_AXES})() > size * 1.3", arg=before[-1])
        grown = [after / was for after, was in zip(sizes(page), before, strict=True)]
        assert grown == pytest.approx([0.03 * height / 16] * 4), height
        assert page.evaluate("document.querySelector('.cs-chart .cs-plot').known"), "the chart is still the same"
        page.wait_for_function(_NOTHING_OVERFLOWS)
        leave = page.get_by_role("button", name="Leave projector mode")
        box = standing(leave)
        assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] >= 0, width
        with answered(page):
            leave.click()
        expect(page.get_by_test_id("stSidebar")).to_be_visible()
        page.wait_for_function(f"size => ({_AXES})() === size", arg=before[-1])
        assert sizes(page) == before, height
    # The keys switch it, and it stays from page to page.
    expect(page.get_by_role("button", name="Projector mode")).to_be_visible()  # it takes the keys
    with answered(page):
        page.keyboard.press("Alt+p")
    expect(page.get_by_test_id("stSidebar")).not_to_be_visible()
    page.get_by_role("link", name="Compare", exact=True).click()
    page.wait_for_url("**/compare*projector=true*")
    drawn(page)
    expect(page.get_by_role("button", name="Leave projector mode")).to_be_visible()
    page.wait_for_function(_NOTHING_OVERFLOWS)
    with answered(page):
        page.keyboard.press("Alt+p")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
