"""Pages that everybody can read: what axe-core finds, and how they fit small windows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit
from tests.browser.server import answered, complete, settled, standing

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
PAGES = ("/", "/compare", "/tune", "/evaluate", "/review", "/collection", "/library", "/learn")
_ALL_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")
_RULES_OF_COLOUR = ("color-contrast", "link-in-text-block")
_FINDINGS = """async rules => {
  const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 150)} ${failureSummary}`));
}"""
_OVERFLOW = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  return Math.max(main.scrollWidth - main.clientWidth, document.scrollingElement.scrollWidth - innerWidth);
}"""


def findings(page: Page, rules: Sequence[str] = _ALL_RULES) -> list[str]:
    """Return what axe-core finds on a page, one line for each element."""
    if not AXE.exists():
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("axe-core is missing: install Node.js with npm, then make test.")
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    lines: list[str] = page.evaluate(_FINDINGS, rules)
    return lines


def findings_in_both_themes(page: Page) -> dict[str, list[str]]:
    """Return what axe-core finds in a light page, and what it finds of its colours in the dark."""
    light = findings(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => getComputedStyle(document.querySelector('.stApp')).colorScheme === 'dark'")
    settled(page)
    dark = findings(page, _RULES_OF_COLOUR)
    page.emulate_media(color_scheme="light")
    return {"light": light, "dark": dark}


@pytest.mark.parametrize("path", PAGES)
def test_everybody_can_read_a_page_and_it_fits_a_small_window(visit: Visit, path: str) -> None:
    page = visit(path, ready=complete)
    page.set_viewport_size({"width": 1280, "height": 900})
    settled(page)
    assert findings_in_both_themes(page) == {"light": [], "dark": []}
    if path in ("/", "/collection"):
        page.get_by_role("button", name="What should I use?").click()
        expect(page.locator(".cs-advice")).to_be_visible()
        expect(page.get_by_role("button", name="Compare with the second best")).to_be_enabled()
        assert findings_in_both_themes(page) == {"light": [], "dark": []}, "with the advice open"
        page.keyboard.press("Escape")
        expect(page.locator(".cs-advice")).to_have_count(0)
    for width in (390, 768, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        settled(page)
        page.wait_for_function(f"() => ({_OVERFLOW})() <= 0")


def test_axe_finds_nothing_with_a_gap_selected(visit: Visit) -> None:
    page = visit("/?gap=10", ready=complete)
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator(".cs-verdict")).to_be_visible()
    assert findings_in_both_themes(page) == {"light": [], "dark": []}


def test_a_document_under_review_fits_a_window(visit: Visit) -> None:
    page = visit("/review?doc=harbour-report&reviewer=Ada", ready=complete)
    page.set_viewport_size({"width": 1280, "height": 900})
    settled(page)
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
