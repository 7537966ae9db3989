"""A real server of the app and a real Chromium, for the browser tests and the benchmark."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    FloatRect,
    Locator,
    Page,
    TimeoutError,
    expect,
    sync_playwright,
)
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg, ForwardMsgMetadata, RunIdentity
from streamlit.proto.NewSession_pb2 import NewSession

from benchmarks.processes import processor_seconds
from chunking.commands.app import STREAMLIT

ROOT = Path(__file__).resolve().parent.parent.parent
_NAMES = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_RUNS = Path(__file__).with_name("runs.js")
_QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")

_START_SECONDS = 60.0
"""Processor seconds that a server may use before it answers: on a slow machine they take longer."""

_IDLE_SECONDS = 60.0
"""Seconds for which a server that does not answer may use no processor time: it hangs."""

PARTS = {
    "": (".wb-pane[data-chunks]", ".st-key-_below .cs-figures"),
    "compare": (".wb-pane[data-chunks]", ".st-key-_below [data-testid=stButtonGroup]"),
    "tune": (".wb-map", ".st-key-_below .cs-figures"),
    "evaluate": (".cs-v-rows table",),
    "review": (".cs-mark:visible, #cs-name:visible",),
    "collection": (".cs-row .cs-curve",),
    "library": (".cs-empty, [data-testid='stDataFrame'] canvas",),
    "learn": (".cs-picker-piece",),
}
"""What each page draws last, by its path."""
_SETTLED = """([asked, call]) => {
  const runs = globalThis.chunkscopeRuns;
  const done = () => {
    const { testConnectionState, testScriptState } = document.querySelector("[data-testid='stApp']")?.dataset ?? {};
    return testConnectionState === "CONNECTED" && testScriptState === "notRunning"
      && runs.asked > asked && runs.waiting === null && !runs.running;
  };
  // The end of a run comes over the socket: what it brought is drawn in tasks after that, so it must hold for frames.
  const count = () => {
    if (runs.call !== call) return;
    runs.frames = done() ? runs.frames + 1 : 0;
    if (runs.frames > 0 && runs.frames < 4) requestAnimationFrame(count);
  };
  if (runs.call !== call || (runs.frames === 4 && !done())) Object.assign(runs, { call, frames: 0 });
  if (runs.frames === 0) count();
  return runs.frames === 4;
}"""
"""A plain function: Playwright takes a promise for true and does not wait for what it comes to."""
_CALLS = itertools.count()
_OFTEN = 40
"""Milliseconds from one look to the next. To look in every frame would make the browser draw one all the time."""
_STANDING = """async node => {
  await document.fonts.ready;
  const place = () => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return { x, y, width, height };
  };
  let last = place();
  for (let still = 0; still < 6; ) {
    await new Promise(requestAnimationFrame);
    const now = place();
    still = JSON.stringify(now) === JSON.stringify(last) ? still + 1 : 0;
    last = now;
  }
  return node.isConnected ? last : null;
}"""


@dataclass(frozen=True)
class Server:
    """A running server: its address and its process."""

    address: str
    pid: int


@contextmanager
def serve(folder: Path, script: str = "app.py", options: Sequence[str] = ()) -> Iterator[Server]:
    """A fresh server of the app, or of another script. What it said is shown where it dies early."""
    # Memory that is free in one of many arenas cannot be told from memory that is kept.
    environment = {**os.environ, "MALLOC_ARENA_MAX": "2"}
    with serve_command(
        [sys.executable, "-c", STREAMLIT, "run", script, *options], folder, ROOT, environment
    ) as running:
        yield running


@contextmanager
def serve_command(command: Sequence[str], folder: Path, work: Path, environment: Mapping[str, str]) -> Iterator[Server]:
    """A fresh server that a command opens, run in the folder ``work``; its log is kept in ``folder``."""
    port = _free_port()
    log = folder / f"server-{port}.log"
    options = [f"--server.port={port}", "--server.headless=true"]
    options += ["--server.address=127.0.0.1", "--browser.serverAddress=127.0.0.1"]
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, *options], cwd=work, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
        try:
            server = Server(f"http://127.0.0.1:{port}{_base_path(command)}", process.pid)
            _wait(process, server.address, log)
            yield server
        finally:
            process.terminate()
            process.wait()


@contextmanager
def serve_source(folder: Path, source: str) -> Iterator[Server]:
    """A fresh server of a script of the test's own, which may import what the app does."""
    script = folder / "shown.py"
    script.write_text(f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{source}", encoding="utf-8")
    with serve(folder, str(script)) as running:
        yield running


def _base_path(command: Sequence[str]) -> str:
    """Return the path below which a server with these options serves the app."""
    paths = [option.partition("=")[2] for option in command if option.startswith("--server.baseUrlPath=")]
    return f"/{paths[-1]}" if paths else ""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Wait until a server answers; it may take as long as the machine is slow, but not use or be idle for too much."""
    used, since = -1.0, time.monotonic()
    while used < _START_SECONDS and time.monotonic() < since + _IDLE_SECONDS:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=_IDLE_SECONDS):
                return
        except OSError:
            pass
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
            raise RuntimeError(f"the server ended early:\n{log.read_text()}")
        if (now := processor_seconds(process.pid)) > used:
            used, since = now, time.monotonic()
    raise RuntimeError(f"the server did not answer after {used:.2f} processor seconds:\n{log.read_text()}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser: one that is installed and answers, else Playwright's own."""
    found = next((path for name in _NAMES if name and (path := shutil.which(name)) and _answers(path)), None)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=list(_QUIET))
        started.on("context", _watch)
        yield started
        started.close()


def _watch(context: BrowserContext) -> None:
    """Let every page of a browser note which runs it asks for, see ``runs.js``, and give it time on a busy machine."""
    context.set_default_timeout(60_000)
    fields = (
        _numbers(BackMsg, "rerun_script")
        | _numbers(ClientState, "fragment_id", "is_auto_rerun", "page_script_hash")
        | _numbers(ForwardMsg, "metadata", "new_session", "script_finished")
        | _numbers(ForwardMsgMetadata, "run")
        | _numbers(RunIdentity, "fragment_ids")
        | {"shown_page": _numbers(NewSession, "page_script_hash")["page_script_hash"]}
        | {"early": ForwardMsg.FINISHED_EARLY_FOR_RERUN}
    )
    context.add_init_script(f"({_RUNS.read_text(encoding='utf-8')})({json.dumps(fields)})")


def _numbers(message: Any, *names: str) -> dict[str, int]:
    """The numbers that fields of a Protobuf message have on the wire."""
    return {name: message.DESCRIPTOR.fields_by_name[name].number for name in names}


def _answers(path: str) -> bool:
    """Whether it is a browser: some systems have a stub of that name, which only says where to get one."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


_DRAWN = ".js-plotly-plot .main-svg, .wb-pane[data-chunks]:visible, .wb-side-pane:visible, .wb-map"


def drawn(page: Page) -> None:
    """Wait until the script has run, and the chart or the workbench stands."""
    settled(page)
    page.locator(_DRAWN).first.wait_for(timeout=60_000)


def complete(page: Page) -> None:
    """Wait until every part of a page of the app is drawn."""
    settled(page)
    for part in PARTS[urlsplit(page.url).path.strip("/")]:
        page.locator(part).first.wait_for(timeout=90_000)
    expect(page.locator("[data-testid='stSkeleton']")).to_have_count(0, timeout=90_000)


def settled(page: Page) -> None:
    """Wait until the script has run for all that the page has asked for so far."""
    _wait_for_answers(page, 0)


@contextmanager
def answered(page: Page) -> Iterator[None]:
    """Wait until the script has run for what is done inside, also where the page asks for it only after a while.

    A slider waits until it is at rest, and a chart until the pointer is: for these :func:`settled` would be too early.
    """
    asked = page.evaluate("chunkscopeRuns.asked")
    yield
    _wait_for_answers(page, asked)


def _wait_for_answers(page: Page, asked: int) -> None:
    page.wait_for_function(_SETTLED, arg=[asked, next(_CALLS)], polling=_OFTEN, timeout=90_000)


_HAS_COLOURS = """scheme => getComputedStyle(document.querySelector('.stApp')).colorScheme === scheme
  && [...document.querySelectorAll('[data-cs-theme]')].every(({ dataset }) => dataset.csTheme === scheme)"""


def recolour(page: Page, scheme: str) -> None:
    """Show a page of the app as a browser that prefers this colour scheme, and wait until it has its colours."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.wait_for_function(_HAS_COLOURS, arg=scheme)
    settled(page)


def standing(locator: Locator) -> FloatRect:
    """Return where an element is, once it stands still: what is above it may be drawn after it, and fonts come late."""
    found: FloatRect | None = None
    while found is None:  # it was replaced meanwhile
        found = locator.evaluate(_STANDING)
    return found


def grid_drawn(table: Locator) -> FloatRect:
    """Return where a table of Streamlit stands, once its rows are drawn; before, a click on a row is lost."""
    table.locator("canvas [role=gridcell]").first.wait_for(state="attached")
    return standing(table)


def uploader(page: Page) -> Locator:
    """Open the popover for documents of one's own and return its field for files."""
    page.get_by_role("button", name="Add your own").click()
    return page.locator("[class*=st-key-_upload_files] input[type=file]")


def label_of(page: Page, role: Literal["radio", "switch"], name: str) -> Locator:
    """Return the label of a control, which is what a person clicks; the page may have the same words elsewhere."""
    return page.locator("label").filter(has=page.get_by_role(role, name=name, exact=True))


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of a list by its exact words."""
    field = page.get_by_role("combobox", name=label, exact=True)
    # The list closes where an answer of the server sets its value, also under a pressed button: then nothing is chosen,
    # and no run is requested. A person opens it again.
    for _ in range(5):
        field.click()
        asked = page.evaluate("chunkscopeRuns.asked")
        try:
            page.get_by_role("option", name=option, exact=True).click(timeout=5_000)
        except TimeoutError:
            continue
        if page.evaluate("chunkscopeRuns.asked") > asked or field.input_value() == option:
            return
    raise AssertionError(f"{option} could not be chosen")
