"""The page in a real browser: a fresh server's first sample, and slider moves from key press to paint."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
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
from tests.browser import server as serving
from tests.browser.server import Server, chromium, complete, drawn, serve, settled

FRESH = 5
MOVES = 20
SIZES = (2_000, 20_000)
DRAGGED = (2_000, 5_000, 20_000)
FRAMES = 120
LONG, LONG_ROUNDS = 100_000, 3
BOOKS = Path(__file__).resolve().parents[2] / "shared" / "data" / "text"

COMPARED = 5_000
LANES = (
    "structural,structural:alpha=0.8,percentile,standard_deviation,interquartile,gradient,section_semantic,"
    "fixed_size,recursive,section,paragraph,heading"
)
_NAME = "made-document"

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


def starts(browser: Browser, folder: Path) -> None:
    """To the drawn chart of the first sample: on a server that nobody has visited, on one in use, and again."""
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
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    return time.perf_counter() - start


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
        for _ in range(MOVES):
            _move(page, 0)  # to a value that the browser has not seen: Streamlit sends what it has seen as a reference
        note("a move of α, at rest", MOVES)
    table(
        "Over the socket to the browser (targets: page load ≤ 120 kB, a move at rest ≤ 10 kB)",
        ("", "bytes", "messages"),
        rows,
    )


def slider_moves(browser: Browser, folder: Path) -> None:
    """α by one step, with every vector in the cache."""
    rows = []
    for size, page, server in _opened(browser, folder, SIZES):
        before = processor_seconds(server.pid)
        times = sorted(_move(page, number) for number in range(MOVES))
        spent = f"{1000 * (processor_seconds(server.pid) - before) / MOVES:.0f} ms"
        rows.append((f"{size:,}", f"{median(times):.0f} ms", f"{times[0]:.0f} ms", f"{times[-1]:.0f} ms", spent))
    table(
        f"Slider to painted curve, {MOVES} moves (targets: median ≤ 250 ms at 2,000, ≤ 400 ms at 20,000; processor "
        "time of the server ≤ 60 ms at 2,000)",
        ("sentences", "median", "fastest", "slowest", "processor time of the server"),
        rows,
    )


def _opened(browser: Browser, folder: Path, sizes: Sequence[int]) -> Iterator[tuple[int, Page, Server]]:
    """Yield a page of a fresh server's Inspect for each size, with a document that has its vectors."""
    with serve(folder) as server:
        for size in sizes:
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(server.address)
            drawn(page)
            _open(page, made.file(folder, size))
            yield size, page, server
            page.close()


_FRAMES = """
() => {
  window.csFrames = [];
  let began = null;
  addEventListener('pointermove', event => { began ??= event.timeStamp; }, true);
  addEventListener('chunkscope:previewed', () => {
    const start = began;
    began = null;
    if (start === null) return;
    const channel = new MessageChannel();
    channel.port1.onmessage = () => window.csFrames.push(performance.now() - start);
    channel.port2.postMessage(0);
  }, true);
}
"""


def drags(browser: Browser, folder: Path) -> None:
    """α and percentile dragged: from each movement of the pointer to the painted frame."""
    rows = []
    for size, page, _ in _opened(browser, folder, DRAGGED):
        page.evaluate(_FRAMES)
        for name in ("alpha", "percentile"):
            frames = _dragged(page, name)
            middle, late = np.percentile(frames, [50, 95])
            rows.append((f"{size:,}", name, str(len(frames)), f"{middle:.1f} ms", f"{late:.1f} ms"))
    table(
        "A control dragged: pointer to painted frame (targets: ≤ 16 ms at 5,000, ≤ 33 ms at 20,000)",
        ("sentences", "control", "frames", "median", "95th percentile"),
        rows,
    )


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
            page.locator(".js-plotly-plot .main-svg").first.wait_for()
            head = time.perf_counter() - start
            settled(page)
            whole = time.perf_counter() - start
            page.keyboard.press("Escape")
            page.get_by_role("button", name="Keep static").click()
            settled(page)
            page.evaluate(_FRAMES)
            middle, late = np.percentile(_dragged(page, "alpha"), [50, 95])
            memory = peak_mb(server.pid) * 1024 / 1e6
            rows.append((f"{head:.1f} s", f"{whole:.1f} s", f"{middle:.1f} ms", f"{late:.1f} ms", f"{memory:.2f} GB"))
            page.close()
    table(
        f"A book of {LONG:,} sentences, {path.stat().st_size / 1e6:.0f} MB of Markdown "
        "(targets: drawn ≤ 15 s, a frame of a drag ≤ 33 ms, memory ≤ 1.5 GB)",
        ("curves drawn", "text drawn", "frame of a drag", "95th percentile", "most memory"),
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


def _dragged(page: Page, name: str) -> list[float]:
    """Drag a slider to and fro, and return the milliseconds of each frame."""
    thumb = page.locator(f".st-key-structural_{name} [data-testid=stSliderThumbValue]").locator("..")
    box = thumb.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate("window.csFrames.length = 0")
    page.mouse.move(x, y)
    page.mouse.down()
    for number in range(FRAMES):
        page.mouse.move(x + 40 * np.sin(number / 9), y)
    page.mouse.up()
    settled(page)
    found: list[float] = page.evaluate("window.csFrames")
    return found


def _upload(page: Page, path: Path) -> None:
    """Choose a file as one's own document; the dialog stays open."""
    page.get_by_role("button", name="Add your own").click()
    page.locator("input[type=file]").first.set_input_files(path)


def _open(page: Page, path: Path) -> None:
    """Open a file as one's own document, and wait until the page is drawn."""
    _upload(page, path)
    page.get_by_text(path.name, exact=True).first.wait_for(timeout=180_000)
    page.locator(".cs-overview").wait_for(timeout=180_000)  # the chart is that of the long document, not of the sample
    page.keyboard.press("Escape")
    settled(page)


def _move(page: Page, number: int) -> float:
    page.wait_for_timeout(600)
    key = "ArrowRight" if number % 4 < 2 else "ArrowLeft"
    found: float = page.evaluate(_PRESS, key)
    settled(page)
    return found


def compare(browser: Browser, folder: Path) -> None:
    """Twelve strategies on a document whose vectors are there: the address opened, and a parameter moved."""
    _print_parts(folder)
    with _with_sample(folder / "checkout"), serve(folder) as server:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(f"{server.address}/compare?lanes={LANES}")
        page.locator(".cs-lanes .js-plotly-plot .main-svg").first.wait_for(timeout=60_000)
        settled(page)
        rows = [("document chosen in an open tab, nothing of it known", _chosen(page), "")]
        page.close()
        for what in ("address opened in a new browser", "the same again"):
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            start = time.perf_counter()
            page.goto(f"{server.address}/compare?doc={_NAME}&lanes={LANES}")
            page.locator(".cs-lanes .js-plotly-plot .main-svg").first.wait_for(timeout=60_000)
            of_lanes = time.perf_counter() - start
            page.locator(".cs-side :text-matches('\\\\S')").first.wait_for(timeout=60_000)
            rows.append((what, f"{of_lanes:.2f} s", f"{time.perf_counter() - start:.2f} s"))
            settled(page)
            if what == "the same again":
                times = sorted(_moved_lane(page, number) for number in range(9))
                moved = f"{median(times):.0f} ms, {times[0]:.0f} to {times[-1]:.0f}"
                rows.append(("back from Inspect", *_come_back(page)))
            page.close()
    table(
        f"Compare, {len(LANES.split(','))} strategies on {COMPARED:,} sentences (target ≤ 1.5 s to drawn)",
        ("", "lanes drawn", "columns drawn"),
        rows,
    )
    print(f"  a lane's parameter moved → lanes painted: median {moved}")


_PAINTED = """
() => { window.csPainted = new Promise(done => document.querySelector('.cs-lanes').addEventListener(
  'chunkscope:painted', () => requestAnimationFrame(() => done(performance.now())), { once: true })); }
"""


def _chosen(page: Page) -> str:
    """From the choice of the made document to its lanes."""
    page.get_by_label("Document").first.click()
    option = page.get_by_role("option").filter(has_text=_NAME)
    option.wait_for()
    page.evaluate(_PAINTED)
    start: float = page.evaluate("performance.now()")
    option.click()
    painted: float = page.evaluate("window.csPainted")
    page.get_by_text("A made document").first.wait_for(timeout=60_000)
    settled(page)
    return f"{(painted - start) / 1000:.2f} s"


def _come_back(page: Page) -> tuple[str, str]:
    """From Inspect to Compare in an open tab: without what a browser needs to open any page of the app."""
    link = page.get_by_test_id("stTopNavLink")
    link.filter(has_text="Inspect").click()
    page.locator(".cs-ledger").first.wait_for(timeout=60_000)
    settled(page)
    page.wait_for_timeout(600)
    start = time.perf_counter()
    link.filter(has_text="Compare").click()
    page.locator(".cs-lanes .js-plotly-plot .main-svg").first.wait_for(timeout=60_000)
    of_lanes = time.perf_counter() - start
    page.locator(".cs-side :text-matches('\\\\S')").first.wait_for(timeout=60_000)
    return f"{of_lanes:.2f} s", f"{time.perf_counter() - start:.2f} s"


def _print_parts(folder: Path) -> None:
    """Time the work of the server in this process: strategies, comparison, lanes for the browser."""
    from pages.shared.compare import data as compare_data

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
    compare_data.lanes(workspace, compared, "sentences")
    lanes = time.perf_counter()
    for number in range(2):
        compare_data.column(number, entries[number])
    columns = time.perf_counter()
    rows = [("strategies, cold", f"{1000 * (ran - marks[0]):.0f} ms"), *parts]
    rows += [("comparison", f"{1000 * (done - ran):.0f} ms"), ("lanes as data", f"{1000 * (lanes - done):.0f} ms")]
    rows.append(("two columns as data", f"{1000 * (columns - lanes):.0f} ms"))
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
(key) => new Promise((done, failed) => {
  const slider = [...document.querySelectorAll('input[type=range]')].find(input => input.ariaLabel === 'α');
  if (!slider) { failed(new Error('there is no slider of α')); return; }
  const start = performance.now();
  document.querySelector('.cs-lanes').addEventListener(
    'chunkscope:painted', () => requestAnimationFrame(() => done(performance.now() - start)), { once: true });
  slider.focus();
  slider.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true }));
})
"""


def _moved_lane(page: Page, number: int) -> float:
    page.wait_for_timeout(600)
    found: float = page.evaluate(_MOVE, "ArrowRight" if number % 4 < 2 else "ArrowLeft")
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
            slider_moves(browser, folder)
            drags(browser, folder)
            long_document(browser, folder)
            compare(browser, folder)
