"""A real server and a real Chromium."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
_NAMES = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """A fresh server of the app; gives its address. What it said is shown where it dies early."""
    port = free_port()
    log = folder / f"server-{port}.log"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1", "--browser.serverAddress=127.0.0.1"]
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(process, address, log)
            yield address
        finally:
            process.terminate()
            process.wait(20)


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended early:\n{log.read_text()}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server did not answer:\n{log.read_text()}")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve(tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """A server that nobody has visited yet."""
    with serve(tmp_path) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next((path for name in _NAMES if name and (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=list(_QUIET))
        yield started
        started.close()


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


def drawn(page: Page) -> None:
    """Wait until the script has run and the chart stands."""
    settled(page)
    page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=30_000)


def settled(page: Page) -> None:
    """Wait until the script has run."""
    page.locator("[data-testid='stApp'][data-test-connection-state='CONNECTED']").wait_for(timeout=30_000)
    page.locator("[data-test-script-state='notRunning']").wait_for(timeout=60_000)
