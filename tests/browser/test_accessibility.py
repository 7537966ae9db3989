"""Pages that everybody can read: what axe-core finds, and how they fit small windows."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Tab
from tests.browser.server import answered, complete, standing

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
PAGES = ("/", "/compare", "/tune", "/evaluate", "/review", "/collection", "/library", "/learn")
_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
_OVERFLOW = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  return Math.max(main.scrollWidth - main.clientWidth, document.scrollingElement.scrollWidth - innerWidth);
}"""


def findings(page: Page) -> list[str]:
    """Return what axe-core finds on a page, one line for each element."""
    if not AXE.exists():
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("axe-core is missing: install Node.js with npm, then make test.")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate("rules => axe.run(document, rules)", _RULES)
    return [
        f"{rule['id']}: {node['html'][:150]} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(tab: Tab, server: str, path: str, scheme: str) -> None:
    page = tab(scheme, width=1280)
    page.goto(server + path)
    complete(page)
    assert findings(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_with_a_gap_selected(tab: Tab, server: str, scheme: str) -> None:
    page = tab(scheme, width=1280)
    page.goto(f"{server}/?gap=10")
    complete(page)
    expect(page.locator(".cs-verdict")).to_be_visible()
    assert findings(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/collection"])
def test_axe_finds_nothing_with_the_advice_open(tab: Tab, server: str, path: str, scheme: str) -> None:
    page = tab(scheme, width=1280)
    page.goto(server + path)
    complete(page)
    page.get_by_role("button", name="What should I use?").click()
    expect(page.locator(".cs-advice")).to_be_visible()
    expect(page.get_by_role("button", name="Compare with the second best")).to_be_enabled()
    assert findings(page) == []


@pytest.mark.parametrize(
    ("path", "width"), [*itertools.product(PAGES, (390, 768, 1024)), ("/review?doc=harbour-report&reviewer=Ada", 1280)]
)
def test_a_page_fits_a_small_window(tab: Tab, server: str, path: str, width: int) -> None:
    page = tab(width=width)
    page.goto(server + path)
    complete(page)
    page.wait_for_function(f"() => ({_OVERFLOW})() <= 0")


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True) as context:
        yield context.new_page()


def test_on_a_phone_a_gap_is_chosen_by_tap_and_a_slider_moved(phone: Page, server: str) -> None:
    phone.goto(server + "/")
    complete(phone)
    box = standing(phone.locator(".cs-stage .nsewdrag").first)
    with answered(phone):
        phone.touchscreen.tap(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2)
    expect(phone).to_have_url(re.compile("gap="))
    phone.get_by_test_id("stExpandSidebarButton").click()
    slider = phone.get_by_role("slider", name="α")
    slider.scroll_into_view_if_needed()
    with answered(phone):
        slider.press("ArrowRight")
    expect(phone).to_have_url(re.compile("alpha%3D0.51"))
    phone.wait_for_function("() => document.scrollingElement.scrollWidth <= innerWidth")
