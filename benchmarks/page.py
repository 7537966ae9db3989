"""The app in a real browser: a fresh server's first sample, what goes over the socket, and a long document."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import numpy as np
from playwright.sync_api import Browser, Page

from benchmarks import made
from benchmarks.processes import peak_mb, processor_seconds
from benchmarks.timing import table
from chunking import load, sentences, strategies, tokens
from chunking.comparison import report as comparing
from chunking.standalone.data import lane_data
from tests.browser import server as serving
from tests.browser.server import answered, chromium, complete, drawn, serve, settled

FRESH = 5
MOVES = 20
LONG, LONG_ROUNDS = 100_000, 3
BOOKS = Path(__file__).resolve().parents[2] / "shared" / "data" / "text"

COMPARED = 5_000
LANES = (
    "structural,structural:alpha=0.8,percentile,standard_deviation,interquartile,gradient,section_semantic,"
    "fixed_size,recursive,section,paragraph,heading"
)
_NAME = "made-document"


def starts(browser: Browser, folder: Path) -> None:
    """To the drawn workbench of the first sample: on a server that nobody has visited, on one in use, and again."""
    rows: dict[str, list[float]] = {}
    torch = 0
    for _ in range(FRESH):
        start = time.perf_counter()
        with serve(folder) as server:
            rows.setdefault("command to answering server", []).append(time.perf_counter() - start)
            for what in ("that server, new browser", "the same server, another new browser"):
                with browser.new_context() as context:
                    page = context.new_page()
                    rows.setdefault(what, []).append(_seconds_to_chart(page, server.address))
                    settled(page)
                    if what.startswith("the same"):
                        rows.setdefault("the same, reloaded", []).append(_seconds_to_chart(page))
                        settled(page)
            torch += "libtorch" in Path(f"/proc/{server.pid}/maps").read_text()
    table(
        f"Start, {FRESH} servers, of which {torch} loaded torch (targets: command to chart ≤ 2 s, reload ≤ 0.7 s)",
        ("", "median", "fastest", "slowest"),
        [(what, *(f"{each(times):.2f} s" for each in (median, min, max))) for what, times in rows.items()],
    )


def _seconds_to_chart(page: Page, address: str | None = None) -> float:
    start = time.perf_counter()
    page.goto(address) if address else page.reload()
    page.locator(_WORKBENCH).wait_for()
    return time.perf_counter() - start


_WORKBENCH = ".wb-pane[data-chunks]"


def socket_bytes(browser: Browser, folder: Path) -> None:
    """Bytes that the server sends over the socket for the first sample, and for moves of α by one step."""
    messages: list[str | bytes] = []
    rows = []

    def note(what: str, times: int = 1) -> None:
        size = sum(len(data.encode() if isinstance(data, str) else data) for data in messages) / times
        rows.append((what, f"{size / 1000:.0f} kB", f"{len(messages) / times:.0f}"))
        messages.clear()

    with serve(folder) as server, browser.new_context() as context:
        page = context.new_page()
        page.on("websocket", lambda socket: socket.on("framereceived", lambda data: messages.append(data)))
        page.goto(server.address)
        complete(page)
        note("the page in a new browser")
        page.reload()
        complete(page)
        note("reloaded")
        slider = page.get_by_role("slider", name="α")
        box = slider.bounding_box()
        assert box
        y = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] / 2, y)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.9 * box["width"], y, steps=60)
        page.wait_for_timeout(600)
        note("while α is dragged")
        with answered(page):
            page.mouse.up()
        note("at rest after it")
        spent = [_moved(page, server.pid)]
        note("a move of α, at rest", MOVES)
        for title, path in (("Compare", "compare"), ("Tune", "tune")):
            page.goto(f"{server.address}/{path}")
            complete(page)
            note(f"{title}, the page")
            spent.append(_moved(page, server.pid))
            note(f"{title}, a move of α at rest", MOVES)
    table(
        "Over the socket to the browser (targets: page load ≤ 120 kB, dragging 0, a move at rest ≤ 10 kB)",
        ("", "bytes", "messages"),
        rows,
    )
    print(f"  processor time of the server for a move at rest: {', '.join(spent)} (target ≤ 20 ms)")


def _moved(page: Page, server: int) -> str:
    """Move α to values that the browser has not seen: what it has seen comes as a reference."""
    before = processor_seconds(server)
    slider = page.get_by_role("slider", name="α").first
    for _ in range(MOVES):
        with answered(page):
            slider.press("ArrowLeft")
    return f"{1000 * (processor_seconds(server) - before) / MOVES:.0f} ms"


def long_document(browser: Browser, folder: Path) -> None:
    """Open a book of 100,000 sentences with the encoder static, drag α, and read the server's memory."""
    if not BOOKS.exists():
        print("The public texts are not beside the repository: the long document is left out.")
        return
    path = folder / "book.md"
    path.write_text(_book(LONG), encoding="utf-8")
    rows = []
    for _ in range(LONG_ROUNDS):
        with serve(folder) as server:
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(server.address)
            drawn(page)
            start = time.perf_counter()
            _upload(page, path)
            page.locator(".cs-kind", has_text="encoder: static").wait_for(timeout=180_000)
            page.locator(_WORKBENCH).wait_for()
            page.locator("[data-verdict]", has_text="chunk").wait_for()
            settled(page)
            drawn_after = time.perf_counter() - start
            memory = peak_mb(server.pid) * 1024 / 1e6
            rows.append((f"{drawn_after:.1f} s", f"{memory:.2f} GB"))
            page.close()
    table(
        f"A book of {LONG:,} sentences, {path.stat().st_size / 1e6:.0f} MB of Markdown "
        "(targets: drawn ≤ 15 s, memory ≤ 1.5 GB)",
        ("drawn", "most memory of the server"),
        rows,
    )


def _book(count: int) -> str:
    """Return Markdown of about ``count`` sentences of public books, a heading every forty paragraphs."""
    paragraphs = []
    for name in ("austen", "darwin", "holmes", "smith"):
        with gzip.open(BOOKS / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            paragraphs += [str(json.loads(line)["text"]) for line in lines]
    parts, known = list[str](), 0
    for number, paragraph in enumerate(itertools.cycle(paragraphs)):
        if known >= count:
            break
        if number % 40 == 0:
            parts.append(f"# Chapter {number // 40 + 1}")
        parts.append(paragraph)
        known += paragraph.count(". ") + 1
    return "\n\n".join(parts)


def _upload(page: Page, path: Path) -> None:
    """Choose a file as one's own document; the dialog stays open."""
    page.get_by_role("button", name="Add your own").click()
    page.locator("input[type=file]").first.set_input_files(path)


def compare(browser: Browser, folder: Path) -> None:
    """Twelve strategies on a document whose vectors are there: the address opened, and a parameter moved."""
    _print_parts(folder)
    with _with_sample(folder / "checkout"), serve(folder) as server:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(f"{server.address}/compare?lanes={LANES}")
        page.locator(_WORKBENCH).wait_for(timeout=60_000)
        settled(page)
        rows = [("document chosen in an open tab, nothing of it known", _chosen(page))]
        page.close()
        for what in ("address opened in a new browser", "the same again"):
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            start = time.perf_counter()
            page.goto(f"{server.address}/compare?doc={_NAME}&lanes={LANES}")
            page.locator(_WORKBENCH).wait_for(timeout=60_000)
            rows.append((what, f"{time.perf_counter() - start:.2f} s"))
            settled(page)
            if what == "the same again":
                rows.append(("back from Inspect", _come_back(page)))
                times = sorted(_moved_lane(page, number) for number in range(9))
                moved = f"{median(times):.0f} ms, {times[0]:.0f} to {times[-1]:.0f}"
            page.close()
    table(
        f"Compare, {len(LANES.split(','))} strategies on {COMPARED:,} sentences (target ≤ 1.5 s to drawn)",
        ("", "drawn"),
        rows,
    )
    print(f"  a lane's parameter moved → lanes and text painted: median {moved}")


def _chosen(page: Page) -> str:
    """From the choice of the made document to its lanes."""
    page.get_by_label("Document").first.click()
    option = page.get_by_role("option").filter(has_text=_NAME)
    option.wait_for()
    start = time.perf_counter()
    option.click()
    page.get_by_text("A made document").first.wait_for(timeout=60_000)
    found = f"{time.perf_counter() - start:.2f} s"
    settled(page)
    return found


def _come_back(page: Page) -> str:
    """From Inspect to Compare in an open tab: without what a browser needs to open any page of the app."""
    link = page.get_by_test_id("stTopNavLink")
    link.filter(has_text="Inspect").click()
    page.locator(".wb-strip").wait_for(timeout=60_000)
    settled(page)
    page.wait_for_timeout(600)
    start = time.perf_counter()
    link.filter(has_text="Compare").click()
    page.locator(".wb-lane-name").first.wait_for(timeout=60_000)
    return f"{time.perf_counter() - start:.2f} s"


def _print_parts(folder: Path) -> None:
    """Time the work of the server in this process: strategies, comparison, lanes for the browser."""
    workspace = made.workspace(COMPARED)
    tokens.get_tokenizer().count(["The table is loaded."])
    workspace._put(("vectors", 1), made.vectors(len(workspace.sentences)))
    parts, marks = [], [time.perf_counter()]
    entries = []
    for setting in strategies.parse_all(LANES):
        entries.append(comparing.entry(setting, setting.run(workspace)))
        marks.append(time.perf_counter())
        parts.append((f"  {setting.text}", f"{1000 * (marks[-1] - marks[-2]):.0f} ms"))
    ran = marks[-1]
    compared = comparing.make(workspace, entries)
    _ = compared.cuts, compared.consensus
    done = time.perf_counter()
    for entry in entries:
        lane_data(workspace, entry.segmentation, (), entry.title)
    lanes = time.perf_counter()
    rows = [("strategies, cold", f"{1000 * (ran - marks[0]):.0f} ms"), *parts]
    rows += [("comparison", f"{1000 * (done - ran):.0f} ms"), ("lanes as data", f"{1000 * (lanes - done):.0f} ms")]
    table("Compare on the server", ("part", "time"), rows)


@contextmanager
def _with_sample(root: Path) -> Iterator[None]:
    """Yield a checkout that has one more sample, with its vectors, and is otherwise this one; servers run it."""
    root.mkdir()
    real = serving.ROOT
    for name in ("app.py", "pages", "chunking", ".streamlit"):
        if name == "chunking":  # the samples are looked for beside the code, so that code is copied
            shutil.copytree(real / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (root / name).symlink_to(real / name)
    shutil.copytree(real / "sample_docs", root / "sample_docs")
    samples = root / "sample_docs"
    (samples / f"{_NAME}.md").write_text(made.text(COMPARED), encoding="utf-8")
    about = {"title": "A made document", "teaches": "Nothing.", "language": "en", "gold": []}
    (samples / f"{_NAME}.json").write_text(json.dumps(about), encoding="utf-8")
    document = load((samples / f"{_NAME}.md").read_bytes(), f"{_NAME}.md", language="en")
    units = sentences.split(document, "rules")
    vectors = made.vectors(len(units)).astype(np.float16)
    np.savez(
        samples / f"{_NAME}.npz",
        document=document.key,
        splitter=units.splitter,
        spans=units.spans.astype(np.int32),
        block=units.block.astype(np.int32),
        vectors=vectors,
        windows=vectors,
    )
    serving.ROOT = root
    try:
        yield
    finally:
        serving.ROOT = real


_MOVE = """
(slider, step) => new Promise((done) => {
  const start = performance.now();
  slider.value = Number(slider.value) + step;
  slider.dispatchEvent(new Event('input', { bubbles: true }));
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
})
"""


def _moved_lane(page: Page, number: int) -> float:
    page.wait_for_timeout(600)
    slider = page.get_by_role("slider", name="α")
    found: float = slider.evaluate(_MOVE, 0.01 if number % 4 < 2 else -0.01)
    settled(page)
    return found


def run() -> None:
    """All of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["CHUNKSCOPE_CACHE"] = name
        with chromium() as browser:
            starts(browser, folder)
            socket_bytes(browser, folder)
            long_document(browser, folder)
            compare(browser, folder)
