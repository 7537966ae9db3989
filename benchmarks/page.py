"""The page in a real browser: a fresh server's first sample, and slider moves from key press to paint."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page

from benchmarks import made
from benchmarks.timing import table
from chunking import embedding, load, sentences
from chunking.vector_cache import default_cache
from tests.browser.server import chromium, drawn, serve, settled

FRESH = 5
MOVES = 20
SIZES = (2_000, 20_000)

_PRESS = """
(key) => new Promise(done => {
  const slider = [...document.querySelectorAll('input[type=range]')].find(input => input.ariaLabel === 'α');
  const start = performance.now();
  const painted = () => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now() - start);
    channel.port2.postMessage(0);
  });
  document.querySelector('.cs-chart').addEventListener('chunkscope:painted', painted, { once: true });
  slider.focus();
  slider.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true }));
})
"""


def fresh_server(browser: Browser, folder: Path) -> None:
    """From the request to the drawn chart, each time on a server that nobody has visited."""
    times, torch = [], 0
    for _ in range(FRESH):
        with serve(folder) as server:
            page = browser.new_page()
            start = time.perf_counter()
            page.goto(server.address)
            page.locator(".js-plotly-plot .main-svg").first.wait_for()
            times.append(time.perf_counter() - start)
            settled(page)
            torch += "libtorch" in Path(f"/proc/{server.pid}/maps").read_text()
            page.close()
    table(
        "A fresh server's first sample (target ≤ 3 s, without torch)",
        ("median", "fastest", "slowest", "servers that loaded torch"),
        [(f"{median(times):.2f} s", f"{min(times):.2f} s", f"{max(times):.2f} s", f"{torch} of {FRESH}")],
    )


def slider_moves(browser: Browser, folder: Path) -> None:
    """α by one step, with every vector in the cache."""
    rows = []
    with serve(folder) as server:
        for size in SIZES:
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(server.address)
            drawn(page)
            _open(page, _prepared(folder, size))
            times = sorted(_move(page, number) for number in range(MOVES))
            rows.append((f"{size:,}", f"{median(times):.0f} ms", f"{times[0]:.0f} ms", f"{times[-1]:.0f} ms"))
            page.close()
    table(
        f"Slider to painted curve, {MOVES} moves (targets: median ≤ 250 ms at 2,000, ≤ 400 ms at 20,000)",
        ("sentences", "median", "fastest", "slowest"),
        rows,
    )


def _prepared(folder: Path, size: int) -> Path:
    """A document whose vectors are in the cache that the server uses."""
    path = folder / f"made-{size}.md"
    path.write_text(made.text(size), encoding="utf-8")
    units = sentences.split(load(path.read_bytes(), path.name))
    default_cache().put_many(embedding.get_encoder().key, units.texts, made.vectors(len(units)))
    return path


def _open(page: Page, path: Path) -> None:
    page.get_by_role("button", name="Add your own").click()
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_text(path.name, exact=True).first.wait_for(timeout=180_000)
    page.keyboard.press("Escape")
    settled(page)


def _move(page: Page, number: int) -> float:
    page.wait_for_timeout(600)
    key = "ArrowRight" if number % 4 < 2 else "ArrowLeft"
    found: float = page.evaluate(_PRESS, key)
    settled(page)
    return found


def run() -> None:
    """All of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["CHUNKSCOPE_CACHE"] = name
        with chromium() as browser:
            fresh_server(browser, folder)
            slider_moves(browser, folder)
