"""Curve, threshold and boundaries follow a control while it is moved, before Python answers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.server import drawn, settled
from tests.browser.test_inspect import boundaries

_RECORD = """
() => {
  window.csSeen = [];
  const note = () => window.csSeen.push(document.querySelector('.cs-thinned').textContent);
  addEventListener('chunkscope:previewed', note, true);
}
"""


def opened(page: Page) -> None:
    drawn(page)
    settled(page)
    page.evaluate(_RECORD)


def thumb(page: Page, name: str) -> tuple[float, float]:
    box = page.locator(f".st-key-structural_{name} [data-testid=stSliderThumbValue]").locator("..").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def previewed(page: Page) -> list[str]:
    found: list[str] = page.evaluate("window.csSeen")
    return found


def next_frame(page: Page) -> None:
    page.evaluate("() => new Promise(requestAnimationFrame)")


def chart(page: Page) -> Locator:
    return page.locator(".cs-chart").first


def counted(words: str) -> int:
    """The number of boundaries in what is written below the chart."""
    found = re.match(r"([\d,]+) boundar", words)
    assert found, words
    return int(found[1].replace(",", ""))


@pytest.mark.parametrize(("name", "pixels"), [("alpha", 60), ("percentile", -40)])
def test_a_dragged_slider_moves_the_boundaries_before_it_is_released(visit: Visit, name: str, pixels: int) -> None:
    page = visit("")
    opened(page)
    before = boundaries(page)
    x, y = thumb(page, name)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 11):
        page.mouse.move(x + pixels * step / 10, y)
        next_frame(page)
    expect(chart(page)).to_have_class(re.compile("cs-previewing"))
    assert boundaries(page) == before, "Plotly's own picture waits for Python"
    drawn_live = counted(page.locator(".cs-thinned").first.inner_text())
    page.mouse.up()
    expect(chart(page)).not_to_have_class(re.compile("cs-previewing"))
    settled(page)
    assert boundaries(page) == drawn_live, "Python finds what was drawn while the slider moved"
    assert len(previewed(page)) >= 5


def test_keys_on_a_slider_do_the_same(visit: Visit) -> None:
    page = visit("")
    opened(page)
    page.locator(".st-key-structural_percentile input").focus()
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowLeft")
    expect(chart(page)).not_to_have_class(re.compile("cs-previewing"))
    settled(page)
    assert previewed(page)
    assert counted(previewed(page)[-1]) == boundaries(page)


def test_a_number_is_dragged_by_its_label(visit: Visit) -> None:
    page = visit("")
    opened(page)
    before = boundaries(page)
    box = page.locator(".st-key-structural_min_tokens label p").bounding_box()
    assert box
    x, y = box["x"] + 5, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(x + 10 * step, y)
        next_frame(page)
    expect(chart(page)).to_have_class(re.compile("cs-previewing"))
    page.mouse.up()
    expect(chart(page)).not_to_have_class(re.compile("cs-previewing"))
    settled(page)
    assert int(page.locator(".st-key-structural_min_tokens input").input_value()) > 50
    assert boundaries(page) < before
