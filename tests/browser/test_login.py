"""Logging in, reviewing under that name, and logging out, as a browser shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from joserfc import jwt
from playwright.sync_api import BrowserContext, Page, expect

from chunking import samples
from chunking.reference.events import Event
from chunking.store.database.location import engine_options
from chunking.store.reviews import ReviewStore
from tests.browser.conftest import Tab
from tests.browser.server import settled
from tests.login.clock import Clock
from tests.login.conftest import LASTS, clock, provider, served_with_login
from tests.login.provider import Provider

__all__ = ["clock", "provider", "served_with_login"]

SAMPLE = "community-garden-faq"
LINK = f"/review?doc={SAMPLE}&judged=changepoint"
PATIENCE = 90_000


def log_in(page: Page, person: str) -> None:
    page.get_by_role("button", name="Log in with mock").click(timeout=PATIENCE)
    page.wait_for_url("**/oauth2/authorize**")
    page.get_by_role("button", name=person, exact=True).click()
    page.wait_for_url("**/review**", timeout=PATIENCE)
    settled(page)
    expect(page.locator(".cs-mark")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".cs-where")).to_contain_text(" of ")
    assert f"doc={SAMPLE}" in page.url and "judged=changepoint" in page.url


def saved(page: Page) -> None:
    expect(page.locator(".cs-saved")).to_have_text("✓ All saved", timeout=PATIENCE)


def stored(file: Path) -> list[Event]:
    url = f"sqlite:///{file}"
    engine = sa.create_engine(url, **engine_options(url))
    try:
        return ReviewStore(engine).events(samples.load(SAMPLE).document.text_hash)
    finally:
        engine.dispose()


@pytest.fixture
def link(served_with_login: tuple[str, Path], profile: BrowserContext) -> Iterator[str]:
    """A link into the app, in a browser that has no cookie of its server."""
    yield served_with_login[0] + LINK
    profile.clear_cookies()


def test_log_in_from_a_link_review_under_that_name_and_log_out(
    tab: Tab, link: str, served_with_login: tuple[str, Path]
) -> None:
    page = tab()
    page.goto(link)
    expect(page.get_by_role("heading", name="Chunkscope")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("link", name="Compare")).to_have_count(0)
    log_in(page, "ada")
    expect(page.get_by_label("Reviewer name")).to_be_hidden()
    page.keyboard.press("a")
    saved(page)
    event = stored(served_with_login[1])[-1]
    assert (event.reviewer.partition(" (")[0], event.action) == ("Ada Lovelace", "accept")
    assert re.fullmatch(r"http://localhost:\d+\|ada", event.subject)

    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="End session").click(timeout=PATIENCE)
    expect(page.get_by_role("button", name="Log in with mock")).to_be_visible(timeout=PATIENCE)
    page.goto(link)
    expect(page.get_by_role("button", name="Log in with mock")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text("Ada Lovelace")).to_have_count(0)


def test_a_judgement_after_the_end_of_a_log_in_is_kept_and_stored_with_the_next_one(
    tab: Tab, link: str, served_with_login: tuple[str, Path], provider: Provider, clock: Clock
) -> None:
    later = 2 * int(LASTS.total_seconds())

    def by_that_clock(header: dict[str, Any], claims: dict[str, Any]) -> str:
        return jwt.encode(header, {**claims, "exp": claims["exp"] + later}, provider.key)

    page = tab()
    page.goto(link)
    log_in(page, "other-ada")
    clock.put_forward(later)
    before = len(stored(served_with_login[1]))
    page.keyboard.press("r")
    expect(page.get_by_text("Your log-in has expired.")).to_be_visible(timeout=PATIENCE)
    assert len(stored(served_with_login[1])) == before
    expect(page.get_by_role("link", name="Compare")).to_have_count(0)

    provider.change = by_that_clock
    try:
        log_in(page, "other-ada")
    finally:
        provider.change = None
    saved(page)
    last = stored(served_with_login[1])[before:]
    assert [(event.reviewer.partition(" (")[0], event.action) for event in last] == [("Ada Lovelace", "reject")]
    assert last[0].subject.endswith("|other-ada")
