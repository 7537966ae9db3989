from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Request, expect
from sqlalchemy import Connection

from chunking import ChunkscopeError
from chunking.store import Library, open_storage
from chunking.store.database import tables
from chunking.store.sets import Drafts
from tests.browser.server import Server, chromium, drawn, serve

expect.set_options(timeout=60_000)  # a busy machine may need it; what comes at once is not waited for


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


_TABS = pytest.StashKey[list[Page]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what the open tabs showed to the report of a test that failed."""
    report = yield
    if report.when == "call" and report.failed:
        for node in item.listchain():
            tabs = [page for page in node.stash.get(_TABS, []) if not page.is_closed()]
            report.sections += [("a tab", _shown(page)) for page in tabs]
            if node is not item:  # the next test that shares it opens a new one
                for page in tabs:
                    page.close()
    return report


_RUNS_OF_PAGE = """() => {
  const { keys = [], told = [], ...state } = globalThis.chunkscopeRuns ?? {};
  return JSON.stringify({ ...state, keys: keys.slice(-40), told: told.slice(-40) }, null, 1);
}"""


def _shown(page: Page) -> str:
    try:
        app = page.evaluate("JSON.stringify(document.querySelector(`[data-testid='stApp']`)?.dataset ?? {})")
        stored = page.evaluate("JSON.stringify({ ...localStorage })")
        runs = page.evaluate(_RUNS_OF_PAGE)
        said = [f"{message.type}: {message.text}" for message in page.console_messages()]
        shown = page.locator("body").aria_snapshot(timeout=5_000)
        about = f"local storage: {stored:.2000}\nruns: {runs}\nconsole: {said}"
        return f"{page.url}\n{app}\n{about}\n{shown:.20000}"
    except Error as error:
        return f"{page.url}\n{error}"


@pytest.fixture(autouse=True)
def _empty_database() -> Iterator[None]:
    """What a test has opened or judged is unknown to the next one, which has the same server."""
    yield
    place = Path(os.environ["CHUNKSCOPE_REVIEWS"])
    if not place.exists():
        return
    with suppress(ChunkscopeError):  # a database that the test has spoiled
        library = Library(open_storage())
        for each in library.own():
            library.delete(each.id)
        drafts = Drafts(library)
        for key in drafts.all():
            drafts.put(key, "")
        library.storage.database.run(_forget_reviews, writes=True)
        library.storage.database.engine.dispose()


def _forget_reviews(connection: Connection) -> None:
    known = tables
    for table in (known.events, known.predictions, known.exercises):
        connection.execute(table.delete())


@pytest.fixture(scope="session")
def server_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server of all tests that need none of their own, with its process."""
    with serve(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="session")
def server(server_process: Server) -> str:
    """The address of the server of all tests that need none of their own."""
    return server_process.address


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """A server that nobody has visited yet."""
    with serve(tmp_path) as running:
        yield running.address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """The browser of one user, for all tests: the app's scripts, some megabytes, are fetched and compiled but once."""
    with browser.new_context() as made:
        yield made


@pytest.fixture(scope="session")
def forget(profile: BrowserContext) -> Callable[[str], None]:
    """Empties what the pages of a server stored in the browser; what it fetched and compiled stays."""
    tools = profile.new_cdp_session(profile.new_page())

    def go(origin: str) -> None:
        kinds = "cookies,local_storage,indexeddb,cache_storage,service_workers"
        tools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": kinds})

    return go


@pytest.fixture(scope="session")
def parked() -> list[Page]:
    """Tabs for the next tests, at an address of the server that is no page of the app.

    A page that is opened there takes a third less processor time than in a new tab: the process that shows it has
    compiled its scripts before.
    """
    return []


Tab = Callable[..., Page]


@pytest.fixture
def tab(
    request: pytest.FixtureRequest, profile: BrowserContext, parked: list[Page], forget: Callable[[str], None]
) -> Iterator[Tab]:
    """Opens an empty tab, or takes one that is given; at the end the browser has forgotten what was in them."""
    tabs = request.node.stash.setdefault(_TABS, [])

    def go(scheme: str = "light", width: int = 1400, height: int = 900, page: Page | None = None) -> Page:
        page = page or profile.new_page()
        tabs.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        return page

    yield go
    for page in tabs:
        if page not in parked:
            page.close()
    for scheme, host in {urlsplit(page.url)[:2] for page in tabs}:
        forget(f"{scheme}://{host}")


def _park(page: Page) -> None:
    """Leave the app, and empty what the tab keeps beside it: what it holds back of the server's answers, its session
    storage, its history, where its pointer is.
    """
    address = urlsplit(page.url)
    page.unroute_all(behavior="ignoreErrors")
    page.goto(f"{address.scheme}://{address.netloc}/_stcore/health")
    page.evaluate("sessionStorage.clear()")
    page.mouse.move(0, 0)
    tools = page.context.new_cdp_session(page)
    tools.send("Page.resetNavigationHistory")
    tools.detach()


Visit = Callable[..., Page]


@contextmanager
def _no_other_host(profile: BrowserContext) -> Iterator[None]:
    """Fail at the end if a page has requested something of another host."""
    elsewhere: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            elsewhere.append(request.url)

    profile.on("request", note)
    yield
    profile.remove_listener("request", note)
    assert elsewhere == []


@pytest.fixture
def visit(tab: Tab, profile: BrowserContext, server: str, parked: list[Page]) -> Iterator[Visit]:
    """Opens an address of the app and waits until it is ready; at the end, fails if a page asked another host."""
    visited: list[Page] = []

    def go(path: str = "/", at: str = server, scheme: str = "light", ready: Callable[[Page], None] = drawn) -> Page:
        page = tab(scheme, page=parked.pop() if parked else None)
        visited.append(page)
        page.bring_to_front()  # a tab behind another one paints late, and its transitions stand still
        page.goto(at + path)
        ready(page)
        return page

    with _no_other_host(profile):
        yield go
        for page in visited:
            if not page.is_closed() and page.url.startswith(f"{server}/"):
                _park(page)
                parked.append(page)


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest, profile: BrowserContext, server: str) -> Iterator[Visit]:
    """Opens an address once for all tests of a file: each leaves the page as it was."""
    tabs = request.node.stash.setdefault(_TABS, [])
    opened: dict[str, Page] = {}

    def go(path: str = "/", ready: Callable[[Page], None] = drawn) -> Page:
        page = opened.get(path)
        if page is None or page.is_closed():
            page = opened[path] = profile.new_page()
            tabs.append(page)
            page.set_viewport_size({"width": 1400, "height": 900})
            page.goto(server + path)
            ready(page)
        page.bring_to_front()
        return page

    with _no_other_host(profile):
        yield go
        for page in tabs:
            page.close()
