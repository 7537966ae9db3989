from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request

from tests.browser.server import chromium, drawn, serve


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve(tmp_path_factory.mktemp("server")) as running:
        yield running.address


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """A server that nobody has visited yet."""
    with serve(tmp_path) as running:
        yield running.address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


Visit = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, server: str) -> Iterator[Visit]:
    """Opens an address of the app and waits until it is drawn; at the end, fails if the page asked another host."""
    pages: list[Page] = []
    elsewhere: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            elsewhere.append(request.url)

    def go(path: str = "/", at: str = server, scheme: str = "light") -> Page:
        page = browser.new_page(viewport={"width": 1400, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
        pages.append(page)
        page.on("request", note)
        page.goto(at + path)
        drawn(page)
        return page

    yield go
    for page in pages:
        page.close()
    assert elsewhere == []
