"""What only a browser shows of projector mode: sizes, and what is out of sight."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.server import answered, drawn, recolour, settled, standing

_NOTHING_OVERFLOWS = """() => {
  const { scrollWidth, clientWidth } = document.querySelector("[data-testid='stMain']");
  return scrollWidth <= clientWidth && document.scrollingElement.scrollWidth <= innerWidth;
}"""


def sizes(page: Page) -> list[float]:
    """The type of the text, the explanation, the verdict and the labels of the sliders, in pixels."""
    places = (".wb-text", ".wb-panel", ".wb-caption", ".wb-gutter b")
    found = [page.locator(place).first for place in places]
    return [each.evaluate("each => parseFloat(getComputedStyle(each).fontSize)") for each in found]


def test_all_type_grows_and_only_the_page_is_left(visit: Visit) -> None:
    page = visit("/?gap=23")
    node = page.locator(".wb-pane").element_handle()
    for scheme, width, height in (("light", 1280, 720), ("dark", 1920, 1080)):
        recolour(page, scheme)
        page.set_viewport_size({"width": width, "height": height})
        settled(page)
        before = sizes(page)
        page.get_by_role("button", name="More").click()
        with answered(page):
            page.get_by_role("button", name="Projector mode (Alt+P)").click()
        page.keyboard.press("Escape")
        leave = page.get_by_role("button", name="Leave projector mode")
        expect(leave).to_be_visible()
        grown = [after / was for after, was in zip(sizes(page), before, strict=True)]
        assert grown == pytest.approx([0.026 * height / 16] * 4), height
        assert page.evaluate("node => node.isConnected", node), "the text is still the same"
        page.wait_for_function(_NOTHING_OVERFLOWS)
        box = standing(leave)
        assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] >= 0, width
        with answered(page):
            leave.click()
        expect(leave).to_have_count(0)
        assert sizes(page) == before, height
    # The keys switch it, and it stays from page to page.
    with answered(page):
        page.keyboard.press("Alt+p")
    expect(page.get_by_role("button", name="Leave projector mode")).to_be_visible()
    page.get_by_role("link", name="Compare", exact=True).click()
    page.wait_for_url("**/compare*projector=true*")
    drawn(page)
    expect(page.get_by_role("button", name="Leave projector mode")).to_be_visible()
    page.wait_for_function(_NOTHING_OVERFLOWS)
    with answered(page):
        page.keyboard.press("Alt+p")
    expect(page.get_by_role("button", name="Leave projector mode")).to_have_count(0)
