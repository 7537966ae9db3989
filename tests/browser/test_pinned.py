"""What only a browser shows of a pinned setting: what differs from it, while the other one moves."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.server import answered, drawn


def counts(page: Page) -> list[int]:
    """Boundaries that the words count: in both settings, only in the shown one, only in the pinned one."""
    numbers = page.locator(".st-key-_pinned .cs-figures > div > b")
    expect(numbers).to_have_count(5)  # with the chunks and the tokens of the pinned one
    return [int(number.inner_text()) for number in numbers.all()[:3]]


def expect_difference(page: Page, added: int, removed: int) -> None:
    """Wait until the workbench says how many cuts differ from the pinned setting."""
    parts = [f"\\+{added} cuts?" if added else "", f"−{removed} cuts?" if removed else "", "from the pinned setting"]
    expect(page.locator(".wb-change")).to_have_text(re.compile("^" + "".join(parts)))


def test_what_differs_from_a_pinned_setting_is_shown_while_the_other_moves(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    with answered(page):
        page.get_by_role("button", name="Pin this setting").click()
    expect(page.locator(".wb-change")).to_contain_text("same cuts")
    with answered(page):
        page.get_by_role("slider", name="α").press("End")
    expect(page.locator(".cs-pinned")).to_contain_text("α 1.0 shown, 0.5 pinned")
    _, only_shown, only_pinned = counts(page)
    assert only_shown and only_pinned
    expect_difference(page, only_shown, only_pinned)
    page.reload()
    drawn(page)
    expect_difference(page, only_shown, only_pinned)
    with answered(page):
        page.get_by_role("button", name="Swap").click()
    expect(page.get_by_role("slider", name="α")).to_have_value("0.5")
    expect_difference(page, only_pinned, only_shown)
    with answered(page):
        page.get_by_role("button", name="Unpin").click()
    expect(page.locator(".st-key-_pinned")).to_have_count(0)
    expect(page.locator(".wb-change")).not_to_contain_text("pinned")
