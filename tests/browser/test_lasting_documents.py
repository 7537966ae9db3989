"""A document that was opened is there after the server was killed, and in another browser of the same person."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Tab
from tests.browser.server import drawn, serve, settled

TEA = "# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Bake it.\n"


def chosen(page: Page) -> None:
    """Wait until the document is open."""
    expect(page.get_by_role("combobox", name="Document")).to_have_value(re.compile(r"^tea\.md \("))
    drawn(page)


def test_a_document_outlives_the_server_and_the_browser(
    tab: Tab, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "own" / "reviews.sqlite"))
    page = tab()
    with serve(tmp_path) as first:
        page.goto(first.address)
        drawn(page)
        page.get_by_text("Add your own", exact=True).click()
        page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(
            {"name": "tea.md", "mimeType": "text/markdown", "buffer": TEA.encode()}
        )
        chosen(page)
        link = page.url.removeprefix(first.address)
        page.reload()
        chosen(page)
        os.kill(first.pid, signal.SIGKILL)
    with serve(tmp_path) as second, browser.new_context() as elsewhere:
        page.goto(second.address + link)
        chosen(page)
        other = elsewhere.new_page()
        other.goto(second.address)
        settled(other)
        other.get_by_role("combobox", name="Document").click()
        other.get_by_role("option", name="tea.md (").click()
        chosen(other)
        expect(other.locator(".cs-chunk").first).to_contain_text("Boil the water.")
