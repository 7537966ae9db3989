"""The workbench in a real browser: every frame of a drag, with all parts following, on documents of several lengths."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page

from benchmarks import made
from benchmarks.timing import table
from chunking import samples, strategies
from chunking.comparison import report
from chunking.standalone import StandalonePage
from chunking.workspace import DocumentAnalysis
from tests.browser.server import chromium, drawn, serve, settled, uploader
from tests.loading.binary.pdf.making import Pen
from tests.loading.binary.pdf.making import drawn as drawn_pdf

SIZES = (1_000, 5_000, 20_000)
FRAMES = 180

_WATCH = """
const frame = window.requestAnimationFrame.bind(window);
window.plainFrame = frame;
window.scriptTimes = [];
window.requestAnimationFrame = (callback) => frame((time) => {
  const start = performance.now();
  callback(time);
  scriptTimes.push(performance.now() - start);
});
"""
"""Notes how long the page's own work of each frame takes."""

_DRAG = """
(slider, frames) => new Promise((done) => {
  const [low, high, step] = [slider.min, slider.max, slider.step].map(Number);
  const intervals = [];
  let last = 0;
  let count = 0;
  scriptTimes.length = 0;
  slider.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  const next = (time) => {
    if (last) intervals.push(time - last);
    last = time;
    if (count++ > frames) {
      slider.dispatchEvent(new Event("change", { bubbles: true }));
      return done({ intervals, script: [...scriptTimes] });
    }
    const share = 0.5 + 0.45 * Math.sin(count / 11);
    slider.value = low + Math.round((share * (high - low)) / step) * step;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    plainFrame(next);
  };
  plainFrame(next);
})
"""
"""Moves a slider to another value in every frame, as a hand that holds it; returns the frames' lengths."""


@dataclass(frozen=True)
class Screen:
    """A window, and how many times slower than here its processor is."""

    title: str
    width: int
    height: int
    slower: int = 1
    sharpness: float = 1.0


DESK, PHONE = Screen("1440 px", 1440, 900), Screen("390 px, a quarter of the speed", 390, 844, 4, 3.0)


def write(folder: Path, name: str, workspace: DocumentAnalysis) -> Path:
    """Write the page of a document and return its path."""
    setting = strategies.parse("structural")
    compared = report.make(workspace, [report.entry(setting, setting.run(workspace))])
    return StandalonePage(workspace, compared, f"{name}.md").save(folder / f"{name}.html")


def dragged(browser: Browser, path: Path, screen: Screen, key: str) -> tuple[float, dict[str, Any]]:
    """Open a page, drag a slider, and return the seconds until it was drawn and the frames of the drag."""
    size = {"width": screen.width, "height": screen.height}
    with browser.new_context(viewport=size, device_scale_factor=screen.sharpness) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.add_init_script(_WATCH)
        page.goto(path.as_uri())
        page.locator(".wb-pane[data-chunks]").wait_for(timeout=120_000)
        opened: float = page.evaluate("performance.now() / 1000")
        page.wait_for_timeout(1_000)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": screen.slower})
        return opened, _frames(page, key)


def _frames(page: Page, key: str) -> dict[str, Any]:
    """Drag a slider."""
    slider = page.locator(f"input[data-key={key}]").first
    slider.evaluate(_DRAG, 20)
    frames: dict[str, Any] = slider.evaluate(_DRAG, FRAMES)
    return frames


def printed(browser: Browser, folder: Path) -> list[tuple[str, ...]]:
    """Drag the sliders on the pages of a PDF, in the app; return rows of the table."""
    file = folder / "report.pdf"
    file.write_bytes(drawn_pdf(*(partial(_draw_page, number=number) for number in range(PAGES))))
    rows = []
    with serve(folder) as server, browser.new_context(viewport={"width": DESK.width, "height": DESK.height}) as context:
        page = context.new_page()
        page.add_init_script(_WATCH)
        page.goto(server.address)
        drawn(page)
        uploader(page).set_input_files(file)
        page.get_by_role("button", name="Pages", exact=True).wait_for(timeout=120_000)
        page.keyboard.press("Escape")
        settled(page)
        start = time.perf_counter()
        page.get_by_role("button", name="Pages", exact=True).click()
        page.locator(".wb-sheet img:not([hidden])").first.wait_for(timeout=60_000)
        opened = time.perf_counter() - start
        settled(page)
        for key in ("alpha", "amount"):
            rows.append(row(f"{PAGES} pages of a PDF", DESK, key, opened, _frames(page, key)))
    return rows


PAGES = 40


def _draw_page(canvas: Any, number: int) -> None:
    pen = Pen(canvas).text(f"{number + 1} Part {number + 1}", 16, "Times-Bold")
    for paragraph in range(6):
        words = " ".join(f"The number {number} stands in line {line} of paragraph {paragraph}." for line in range(5))
        pen.text(words)


def row(title: str, screen: Screen, key: str, opened: float, frames: dict[str, Any]) -> tuple[str, ...]:
    """Return a row of the table."""
    script, intervals = np.percentile(frames["script"], [50, 95]), np.percentile(frames["intervals"], [50, 95, 100])
    return (
        *(title, screen.title, key, f"{opened:.2f} s", f"{script[0]:.1f} / {script[1]:.1f} ms"),
        f"{intervals[0]:.1f} / {intervals[1]:.1f} / {intervals[2]:.1f} ms",
    )


def run() -> None:
    """All of it."""
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        sample = samples.load("field-guide-to-backups")
        pages = {"sample": write(folder, "sample", DocumentAnalysis(sample.document))}
        pages |= {f"{size:,} sentences": write(folder, str(size), made.workspace(size)) for size in SIZES}
        rows = [
            row(title, screen, key, *dragged(browser, path, screen, key))
            for title, path in pages.items()
            for screen in ((DESK, PHONE) if title in ("sample", "1,000 sentences") else (DESK,))
            for key in ("alpha", "amount")
        ]
        rows += printed(browser, folder)
    table(
        "A slider at another value in every frame, all parts following (targets at 1440 px: 95th percentile of frames "
        "≤ 16.8, 16.8, 33.4 ms and script ≤ 4, 6, 12 ms at 1,000, 5,000, 20,000; phone ≤ 33.4 ms)",
        ("document", "window", "slider", "opened", "script, median / p95", "frame, median / p95 / longest"),
        rows,
    )
