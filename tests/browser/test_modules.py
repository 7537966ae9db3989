"""Scripts and style sheets reach the browser as files, and a page of another version asks for a reload."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from pages.shared.components.base import modules
from tests.browser.conftest import Tab
from tests.browser.server import complete, serve, settled

_WORKBENCH = ".wb-pane[data-chunks]"
_OTHER = "0" * 16
_RELOAD = "Reload the page."
_CONTINUED = """globalThis.__chunkscope = {
  documents: new Map(), layouts: new Map(), selections: new Map(), parts: new Map(), scripts: new Map(),
  kept: new Map([["modules", "http://127.0.0.1/modules/other/"]]),
};"""
"""What the components of another version have left in a page."""


@pytest.mark.parametrize("path", ["", "review"])
def test_no_message_holds_the_source_of_a_component(server: str, tab: Tab, path: str) -> None:
    page: Page = tab()
    messages: list[bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: messages.append(_bytes(data))))
    page.goto(f"{server}/{path}")
    complete(page)
    sent = b"".join(messages)
    assert b"loader.load(" in sent
    for name, file in modules.tree().files.items():
        assert max(file.content.splitlines(), key=len) not in sent, name


def _bytes(data: str | bytes) -> bytes:
    return data if isinstance(data, bytes) else data.encode()


def test_a_file_is_fetched_once_and_used(server: str, tab: Tab) -> None:
    """What is preloaded in another way than it is imported would be fetched twice."""
    page: Page = tab()
    fetched: Counter[str] = Counter()
    page.on("request", lambda request: fetched.update([request.url]))
    page.goto(server)
    complete(page)
    ours = {url: count for url, count in fetched.items() if f"/{modules.FOLDER}/" in url}
    assert len(ours) > 30
    assert set(ours.values()) == {1}


def test_a_part_of_another_version_says_that_the_page_must_be_reloaded(server: str, tab: Tab) -> None:
    page: Page = tab()

    def of_another_version(route: Route) -> None:
        route.continue_(url=route.request.url.replace(modules.tree().version, _OTHER))

    page.route("**/review_desk.js", of_another_version)
    page.goto(f"{server}/review")
    settled(page)
    expect(page.get_by_text(_RELOAD).first).to_be_visible()
    page.unroute("**/review_desk.js")
    page.reload()
    complete(page)
    expect(page.get_by_text(_RELOAD)).to_have_count(0)


def test_a_page_that_another_version_has_drawn_is_not_drawn_over(server: str, tab: Tab) -> None:
    """After an update of the server, Streamlit continues an open page with the scripts of the new version."""
    page: Page = tab()
    page.add_init_script(f"if (location.search.includes('continued')) {_CONTINUED}")
    page.goto(f"{server}/?continued=1")
    settled(page)
    expect(page.get_by_text(_RELOAD).filter(visible=True).first).to_be_visible()
    expect(page.locator(_WORKBENCH)).to_have_count(0)


def test_scripts_are_loaded_below_the_path_of_the_app(tmp_path: Path, tab: Tab) -> None:
    with serve(tmp_path, options=["--server.baseUrlPath=chunks"]) as running:
        page: Page = tab()
        for path in ("", "/", "/compare"):
            page.goto(running.address + path)
            settled(page)
            part = ".wb-lane-name" if path == "/compare" else _WORKBENCH
            expect(page.locator(part).first).to_be_visible()
        page.get_by_role("link", name="Inspect").click()
        expect(page.locator(_WORKBENCH).first).to_be_visible()
