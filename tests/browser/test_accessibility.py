"""Pages that everybody can read: what axe-core finds, and how they fit small windows."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Tab
from tests.browser.server import complete

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
PAGES = ("/", "/compare", "/tune", "/evaluate", "/review", "/collection", "/learn")
_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
_OVERFLOW = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  return main.scrollWidth - main.clientWidth;
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
    page.wait_for_function(f"({_OVERFLOW})() <= 0")
