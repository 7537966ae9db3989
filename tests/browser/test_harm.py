"""What hostile files, requests and users can do to a server, its other users and a browser: tried on real ones."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Dialog, FilePayload, Locator, Page, TimeoutError, expect

from benchmarks.processes import processor_seconds
from tests.browser.conftest import Visit
from tests.browser.server import Server, drawn, serve, settled, uploader
from tests.loading.binary import test_docx, test_epub
from tests.loading.binary.pdf.making import PROSE, Pen
from tests.loading.binary.pdf.making import drawn as printed
from tests.loading.checks import packed

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
LIMIT = 50 * 2**20
FOREIGN = "http://elsewhere.invalid"
NOTE = "# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Bake it.\n"


def payload(name: str, content: str | bytes) -> FilePayload:
    data = content.encode() if isinstance(content, str) else content
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def bring(page: Page, *files: FilePayload) -> None:
    """Choose files in the uploader, as a user does; its popover is closed when all are sent."""
    upload(page, files)


def upload(page: Page, files: Sequence[FilePayload] | Sequence[Path]) -> None:
    """Choose files in the uploader, of the disk or not: those of the disk take it less processor time."""
    while True:
        settled(page)
        field = uploader(page)
        node = field.element_handle()
        try:
            with page.expect_request(lambda request: request.method == "PUT", timeout=30_000):
                field.set_input_files(files)
        except TimeoutError:  # a run has replaced the uploader just then: a person sees it, and chooses again
            page.keyboard.press("Escape")
            continue
        # What was sent is taken, and the uploader is another.
        page.wait_for_function("node => !node.isConnected", arg=node, timeout=120_000)
        page.keyboard.press("Escape")
        return


def opened(page: Page, words: str) -> None:
    """Wait until the open document is the one with these words."""
    expect(page.locator(".wb-text")).to_contain_text(words, timeout=90_000)
    settled(page)


# Requests ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Door:
    """Where a session's uploads go, and what a request there must carry."""

    host: str
    path: str
    headers: dict[str, str]

    def put(self, name: str, body: bytes | Iterator[bytes] = b"", **headers: str) -> tuple[int, str]:
        """Send a file past the page; status and answer."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        try:
            chunked = "Transfer-Encoding" in headers
            connection.request("PUT", f"{self.path}/{name}", body, {**self.headers, **headers}, encode_chunked=chunked)
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused before all was sent; the answer is there all the same
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text


def form(content: bytes) -> bytes:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n'
    return head + content + b"\r\n--x--\r\n"


def door(page: Page) -> Door:
    """The session's upload address, as the browser uses it."""
    with page.expect_request(lambda request: request.method == "PUT") as sent:
        bring(page, payload("tea.md", NOTE))
    opened(page, "Knead the dough.")
    address = re.fullmatch(r"http://([^/]+)(/.*)/[^/]+", sent.value.url)
    assert address
    token = sent.value.header_value("x-xsrftoken")
    assert token
    cookie = f"_streamlit_xsrf={token}"
    headers = {"X-Xsrftoken": token, "Cookie": cookie, "Content-Type": "multipart/form-data; boundary=x"}
    return Door(address[1], address[2], headers)


def goes_on(page: Page, number: int) -> None:
    """Another upload is read."""
    bring(page, payload(f"after-{number}.md", f"# After\n\nNumber {number} is read. It ends.\n"))
    opened(page, f"Number {number} is read.")


def test_an_upload_over_the_limit_is_refused_by_the_server_itself(visit: Visit) -> None:
    page = visit("/")
    to = door(page)
    assert to.put("small", form(b"Tea.")) == (204, "")
    assert to.put("told", b"", **{"Content-Length": str(LIMIT + 1)})[0] == 413
    untold = iter([form(b"").removesuffix(b"\r\n--x--\r\n"), *[bytes(2**20)] * (LIMIT // 2**20 + 3)])
    assert to.put("untold", untold, **{"Transfer-Encoding": "chunked"})[0] == 413
    assert to.put("number", b"", **{"Content-Length": "many"})[0] == 400
    goes_on(page, 1)


def test_uploads_from_elsewhere_are_refused(visit: Visit) -> None:
    to = door(visit("/"))
    without = {name: value for name, value in to.headers.items() if name != "X-Xsrftoken"}
    assert Door(to.host, to.path, without).put("a", form(b"Tea."))[0] == 403
    other = f"2|00000000|{'00' * 16}|0"
    assert to.put("a", form(b"Tea."), **{"X-Xsrftoken": other})[0] == 403
    parent, _, _ = to.path.rpartition("/")
    assert Door(to.host, f"{parent}/no-such-session", to.headers).put("a", form(b"Tea."))[0] == 400


def descriptors(pid: int) -> list[str]:
    """Sockets and files without a name (uploads in the making) that a process has open."""
    found = []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.append(os.readlink(path))
        except OSError:
            continue  # closed meanwhile
    return [name for name in found if "(deleted)" in name or name.startswith("socket:")]


def threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def until(what: str, holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, what


@ON_LINUX
def test_half_sent_uploads_leave_nothing(visit: Visit, server_process: Server) -> None:
    page = visit("/")
    to = door(page)
    host, _, port = to.host.partition(":")
    lines = "".join(f"{name}: {value}\r\n" for name, value in to.headers.items())
    begun = form(bytes(3 * 2**20))[:-20]  # more than is kept in memory, so that a temporary file is begun

    def half_sent(count: int) -> None:
        for number in range(count):
            with socket.create_connection((host, int(port)), timeout=30) as half:
                head = f"PUT {to.path}/half-{number} HTTP/1.1\r\nHost: {to.host}\r\n{lines}Content-Length: {4 * 2**20}"
                half.sendall(f"{head}\r\n\r\n".encode() + (begun if number % 2 else begun[:999]))

    before = len(descriptors(server_process.pid))
    half_sent(20)  # by then the threads that the server keeps for any work are there
    goes_on(page, 1)
    running = threads(server_process.pid)
    half_sent(40)
    with socket.create_connection((host, int(port)), timeout=30) as slow:  # and one that stays, and says no more
        slow.sendall(
            f"PUT {to.path}/slow HTTP/1.1\r\nHost: {to.host}\r\n{lines}Content-Length: 99999\r\n\r\n--x".encode()
        )
        goes_on(page, 2)
    until("sockets and files are closed", lambda: len(descriptors(server_process.pid)) <= before)
    assert threads(server_process.pid) <= running + 20, "a thread for each upload stays"


def upgraded(host: str, origin: str, port: int) -> str:
    """The first line of the answer to a browser that asks for a session."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        line.sendall(
            f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            f"Sec-WebSocket-Protocol: streamlit\r\nOrigin: {origin}\r\n\r\n".encode()
        )
        return line.recv(4096).decode("utf-8", "replace").split("\r\n")[0]


def test_a_websocket_from_elsewhere_is_refused(server_process: Server) -> None:
    host = server_process.address.removeprefix("http://")
    port = int(host.split(":")[1])
    assert " 101 " in upgraded(host, server_process.address, port)
    for origin in (FOREIGN, "null", "http://127.0.0.1.elsewhere.invalid", f"http://elsewhere.invalid/{host}"):
        assert " 403 " in upgraded(host, origin, port), origin
    for name in ("elsewhere.invalid", f"elsewhere.invalid:{port}"):  # a site whose name is bound anew to this machine
        assert " 403 " in upgraded(name, f"http://{name}", port), name


@pytest.mark.extended
def test_a_request_that_does_not_arrive_is_cut(server_process: Server) -> None:
    host, _, port = server_process.address.removeprefix("http://").partition(":")
    upload = f"POST /_stcore/upload_file/a/b HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 9\r\n\r\nab".encode()
    for begun in (b"", upload[:40], upload):
        with socket.create_connection((host, int(port)), timeout=300) as half:
            half.sendall(begun)
            with suppress(ConnectionResetError):
                while half.recv(4096):
                    pass


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/_stcore/host-config", "/_stcore/upload_file/a/b"])
def test_no_answer_may_be_read_from_elsewhere(server_process: Server, path: str) -> None:
    connection = http.client.HTTPConnection(server_process.address.removeprefix("http://"), timeout=30)
    connection.request("OPTIONS" if "upload" in path else "GET", path, headers={"Origin": FOREIGN})
    answer = connection.getresponse()
    assert answer.headers.get("Access-Control-Allow-Origin") not in ("*", FOREIGN, "null")
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    connection.close()


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd", "/static/../../../app.py", "/static/%2e%2e/%2e%2e/app.py", "/media/..%2f..%2fapp.py",
        "/app/static/../app.py", "//etc/passwd", "/%00", "/component/x/../../app.py", "/_stcore/%2e%2e/app.py",
        "/static/..\\..\\app.py", "/" + "a" * 30_000, "/.streamlit/config.toml", "/pages/inspect.py",
    ],
)  # fmt: skip
def test_no_path_leads_to_a_file(server_process: Server, path: str) -> None:
    host, _, port = server_process.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 ")
    for secret in (b"root:", b"def main() -> None", b"maxUploadSize", b"Traceback"):
        assert secret not in answer


def test_what_is_no_request_leaves_the_server_answering(server_process: Server) -> None:
    host, _, port = server_process.address.removeprefix("http://").partition(":")
    for said in (
        b"\0" * 100,
        b"GET\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"x" * 200_000,
        b"GET / HTTP/9\r\n\r\n",
    ):
        # The server may hang up at any point of it.
        with socket.create_connection((host, int(port)), timeout=30) as line, suppress(OSError):
            line.sendall(said)
            line.shutdown(socket.SHUT_WR)
            while line.recv(65536):
                pass
    connection = http.client.HTTPConnection(host, int(port), timeout=30)
    connection.request("GET", "/_stcore/health")
    assert connection.getresponse().status == 200


# Files that break their reader ------------------------------------------------------------------------------------


def children(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found.extend(map(int, path.read_text().split()))
        except OSError:
            continue  # the thread ended
    return found


def descendants(pid: int) -> set[int]:
    own = children(pid)
    return {*own}.union(*map(descendants, own))


@pytest.fixture
def endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server whose reader of Markdown takes for ever for texts that begin so."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).with_name("endless")))
    with serve(tmp_path) as running:
        yield running


def healthy(server: Server) -> bool:
    with urlopen(f"{server.address}/_stcore/health", timeout=10) as answer:
        return bool(answer.status == 200)


@ON_LINUX
def test_a_text_that_takes_for_ever_disturbs_nobody(visit: Visit, endless: Server) -> None:
    """The server answers health checks, other sessions and SIGTERM; who brought the text reads which limit it met."""
    first, second = visit("/", endless.address), visit("/", endless.address)
    before = descendants(endless.pid)

    def busy() -> list[int]:
        """The processes that have worked on something for a while."""
        return [pid for pid in descendants(endless.pid) - before if processor_seconds(pid) > 0.5]

    def begin() -> int:
        """Bring the text, and return the process that reads it."""
        first.bring_to_front()
        settled(first)
        uploader(first).set_input_files([payload("endless.md", "never-ends")])
        until("it is read in a process", lambda: bool(busy()))
        return busy()[0]

    begin()
    assert healthy(endless)
    second.bring_to_front()
    goes_on(second, 3)
    first.bring_to_front()
    expect(first.locator(".cs-problem").first).to_contain_text("“endless.md” took longer to read than 2 seconds")
    first.keyboard.press("Escape")
    goes_on(first, 4)
    until("its processes are gone", lambda: descendants(endless.pid) == before)

    os.kill(begin(), signal.SIGSEGV)
    expect(first.locator(".cs-problem", has_text="crashed its parser (SIGSEGV)")).to_be_visible()
    first.keyboard.press("Escape")

    reader = begin()
    os.kill(endless.pid, signal.SIGTERM)
    until("the server and all its processes end", lambda: not any(map(runs, [endless.pid, reader, *before])))


def runs(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_crafted_files_are_told_and_the_page_goes_on(visit: Visit) -> None:
    page = visit("/")
    cases = list(test_docx.BOMBS.items())[:3]
    files = [payload(f"{number}.docx", data) for number, (_, (data, _)) in enumerate(cases)]
    bring(page, *files, payload("4.pdf", b"%PDF-1.7 nothing"), payload("5.epub", b"PK\3\4 nothing"))
    expect(page.locator(".cs-problem")).to_have_count(5, timeout=60_000)
    for number, (_, (_, words)) in enumerate(cases):
        expect(page.locator(".cs-problem", has_text=f"“{number}.docx”")).to_contain_text(re.compile(words))
    page.keyboard.press("Escape")
    goes_on(page, 5)


def resident(pid: int) -> int:
    """Bytes of memory that a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@ON_LINUX
def test_memory_returns_after_many_uploads(visit: Visit, server_process: Server, tmp_path: Path) -> None:
    """The same files again and again, so that the session keeps no more after all than after the first of them."""
    page = visit("/?encoder=char-ngrams&splitter=rules")
    # Short texts in large files, so that it is uploads that take time and memory.
    filling, turns = f"<!-- {'x' * 1_500_000} -->", 5
    files = [tmp_path / f"{number}.html" for number in range(8)]
    for number, path in enumerate(files):
        path.write_text(f"<p>Page {number}. It ends.</p>{filling}<p>Word {number}.</p>", encoding="utf-8")
    seen: list[int] = []
    for turn in range(turns):
        mark = tmp_path / f"turn-{turn}.txt"
        mark.write_text(f"Turn {turn} begins. It ends.", encoding="utf-8")
        upload(page, [mark, *files])
        opened(page, f"Turn {turn} begins.")
        seen.append(resident(server_process.pid))
    # What was sent after the first turn is 48 MB at least, and twice that in the making. On a busy machine single
    # values rise and fall by 30 MB with what has not been collected yet.
    last = turns * 2 // 5
    assert min(seen[-last:]) - min(seen[:last]) < 30 * 2**20, seen


# Documents full of markup -----------------------------------------------------------------------------------------

MARK = "smuggled"
MARKUP = f"""<script>window.{MARK} = 1; alert(1)</script><style>* {{ display: none !important }}</style>
<img class="{MARK}" src="{FOREIGN}/a.png" onerror="window.{MARK} = 2"><iframe class="{MARK}" src="{FOREIGN}"></iframe>
<form class="{MARK}" action="{FOREIGN}"><input name="q"><button class="{MARK}">Send</button></form>
<meta http-equiv="refresh" content="0; url={FOREIGN}"><base href="{FOREIGN}/">
<link rel="stylesheet" href="{FOREIGN}/s.css">
<a class="{MARK}" href="javascript:window.{MARK}=3">a link</a> <object class="{MARK}" data="{FOREIGN}/o"></object>
<svg class="{MARK}" onload="window.{MARK}=4"><script>window.{MARK}=5</script><image href="{FOREIGN}/i.png"/></svg>
<title>{MARK}</title><video class="{MARK}" src="{FOREIGN}/v" autoplay></video>
<p onclick="alert(2)">A word. Two of them.</p>
<details class="{MARK}" open ontoggle="window.{MARK}=6">More of it. And more.</details>"""
MARKDOWN = f"""# A [link](javascript:window.{MARK}=1) and ![picture]({FOREIGN}/m.png)

Text with <b class="{MARK}">markup</b>. A second one. [here]({FOREIGN}) <{FOREIGN}> :material/home: $\\alpha$ :red[x]

{MARKUP}

[ref]: {FOREIGN} "title"
"""
ESCAPED = MARKUP.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
FORMULA = f'=HYPERLINK("{FOREIGN}","a")'


def _notebook() -> str:
    html = {"output_type": "display_data", "data": {"text/html": MARKUP, "image/svg+xml": MARKUP, "text/plain": MARKUP}}
    cells = [
        {"cell_type": "markdown", "source": MARKDOWN},
        {"cell_type": "code", "source": f"# {MARKUP}\nprint(1)", "outputs": [html]},
    ]
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": cells})


def _escaped_page(canvas: object) -> None:
    lines = [line[:90] for line in MARKUP.splitlines()]
    Pen(canvas).lines(lines).skip(20).text(PROSE)


def hostile() -> dict[str, FilePayload]:
    """A document of each format, with the markup as source and as words."""
    docx = packed(
        test_docx.files(
            test_docx.p(ESCAPED) + test_docx.p("It ends. It does."),
            relations=f'<Relationship Id="t" Type="{test_docx.OFFICE}/attachedTemplate" Target="{FOREIGN}/t.dotm" '
            'TargetMode="External"/>',
        )
    )
    epub = test_epub.book(test_epub.chapter(f"<h1>Tea</h1><p>{ESCAPED}</p><p>It ends.</p><script>alert(3)</script>"))
    both = f"<html><head>{MARKUP}</head><body>{MARKUP}<h1>Words</h1><p>{ESCAPED}</p></body></html>"
    made: dict[str, str | bytes] = {
        "page.html": both,
        "drawing.svg": f'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">{MARKUP}'
        "<text>Words. More.</text></svg>",
        "note.md": MARKDOWN,
        "text.txt": f"{MARKUP}\n\nWords. More.\n",
        "paper.rst": f"{MARKUP}\n\n.. raw:: html\n\n   {MARKUP.splitlines()[0]}"
        f"\n\n.. image:: {FOREIGN}/r.png\n\n.. include:: /etc/passwd\n",
        "paper.tex": f"\\section{{{MARKUP.splitlines()[1]}}} Words. More."
        f"\n\n\\input{{/etc/passwd}} \\href{{javascript:alert(1)}}{{a}}\n",
        "data.json": json.dumps({"html": MARKUP, MARKUP.splitlines()[1]: ["Words. More.", FORMULA]}),
        "data.yaml": f"html: |\n  {MARKUP.splitlines()[1]}\nmore:\n  text: Words. More.\n  other: It ends.\n",
        "data.csv": f'name,"{MARKUP.splitlines()[5][:40].replace(chr(34), "")}"\n{FORMULA!r},1\n@SUM(1),2\n',
        "talk.vtt": f"WEBVTT\n\n00:01.000 --> 00:02.000\n<v {MARKUP.splitlines()[1]}>Good morning."
        f"\n\n00:03.000 --> 00:04.000\n{MARKUP.splitlines()[1]}\n",
        "room.chat": f"{MARKUP.splitlines()[1][:30]}: Hello.\nBob: {MARKUP.splitlines()[1]}\n",
        "tool.py": f'"""{MARKDOWN}"""\n\n\ndef one():\n    return "{MARKUP.splitlines()[0]}"\n',
        "book.ipynb": _notebook(),
        "print.pdf": printed(_escaped_page),
        "word.docx": docx,
        "book.epub": epub,
    }  # fmt: skip
    return {name: payload(name, content) for name, content in made.items()}


def _watch(page: Page) -> list[str]:
    """What a page must not do, as it happens."""
    seen: list[str] = []

    def asked(dialog: Dialog) -> None:
        seen.append(f"dialog {dialog.message}")
        dialog.dismiss()

    page.on("dialog", asked)
    page.on("popup", lambda popup: seen.append(f"popup {popup.url}"))
    page.on("download", lambda download: seen.append(f"download {download.suggested_filename}"))
    page.on("console", lambda message: seen.append(message.text) if "Security Policy" in message.text else None)
    page.on("pageerror", lambda error: seen.append(str(error)))
    return seen


def _nothing_of_theirs(page: Page, title: str) -> None:
    assert page.evaluate(f"window.{MARK}") is None
    assert page.locator(f".{MARK}, iframe, object, base, meta[http-equiv=refresh], [onload], [onerror]").count() == 0
    assert page.locator("[src*='elsewhere.invalid'], [href*='elsewhere.invalid'], [action]").count() == 0
    assert page.locator("[href^='javascript:'], .wb form, .wb img, .cs form, .cs script").count() == 0
    assert page.title() == title


def _chooser(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Document", exact=True)


def _stepped(page: Page, name: str) -> None:
    """Wait until the chooser shows a document."""
    expect(_chooser(page)).to_have_value(re.compile(re.escape(name)), timeout=90_000)
    settled(page)


def _choose_a_gap(page: Page) -> None:
    """Go to a gap until it is explained: the text may still be that of the document before."""
    for last in (False, False, False, True):
        page.locator(".wb-pane").press("j")
        try:
            expect(page.locator(".wb-panel h2")).to_contain_text("chunk", timeout=6_000)
            return
        except AssertionError:
            if last:
                raise


def test_documents_full_of_markup_are_only_text_on_every_page(visit: Visit, server: str) -> None:
    page = visit("/?encoder=char-ngrams&splitter=rules")
    title, files, seen = page.title(), hostile(), _watch(page)
    bring(page, *files.values())
    explained = 0
    for number, name in enumerate(files):
        if number:
            page.get_by_role("button", name="Next", exact=True).click()
        _stepped(page, name)
        drawn(page)
        source = page.locator(".wb-view[data-view=source]")
        if source.count():
            source.click()
        if int(page.locator(".cs-figures b").first.inner_text()) > 1:  # else there is no gap to choose
            _choose_a_gap(page)
            explained += 1
        _nothing_of_theirs(page, title)
    assert explained >= 12, "most have a gap to choose"
    page.get_by_role("button", name="Table", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("Begins with")
    _nothing_of_theirs(page, title)
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    assert page.locator(".cs-problem").count() == 0
    page.get_by_role("link", name="Collection").click()
    expect(page.locator(".cs-row")).to_have_count(len(files), timeout=60_000)
    settled(page)
    _nothing_of_theirs(page, title)
    for name, part in (("Compare", ".wb-lane-name"), ("Tune", ".wb-tuner")):
        page.get_by_role("link", name=name).click()
        page.locator(part).first.wait_for(timeout=60_000)
        settled(page)
        _nothing_of_theirs(page, title)
    assert page.url.startswith(server)
    assert seen == []


NAMES = (
    "../../../etc/passwd.md",
    "C:\\Windows\\system.md",
    "a\u202egnp.md",
    "b\nc\r\td\x07.md",
    f"<img src={FOREIGN}/n.png onerror=window.{MARK}=7>.md",
    "**bold** [link](javascript:alert(1)) $x$ :red[y].md",
    "\"quoted\" 'twice'.md",
    "x" * 300 + ".md",
    "..",
    "%2e%2e%2f%00.md",
    "=cmd|' /C calc'!A1.md",
)


def test_names_are_only_names(visit: Visit) -> None:
    page = visit("/?encoder=char-ngrams&splitter=rules")
    title, seen = page.title(), _watch(page)
    bring(page, *(payload(name, f"Document {number} is here. It ends.") for number, name in enumerate(NAMES)))
    for number in range(len(NAMES)):
        if number:
            page.get_by_role("button", name="Next", exact=True).click()
        opened(page, f"Document {number} is here.")
        shown = _chooser(page).input_value()
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\\\\]|\\.\\./", shown)
        _nothing_of_theirs(page, title)
    assert seen == []


def test_what_is_downloaded_of_a_hostile_document_holds_no_markup_that_runs(
    visit: Visit, browser: Browser, tmp_path: Path
) -> None:
    page = visit("/?encoder=char-ngrams&splitter=rules")
    body = f"<p>{ESCAPED}</p><p>{FORMULA} is a formula. It ends.</p>"
    bring(page, payload(f"<img class={MARK}>.html", f"<html><title>{ESCAPED}</title><body>{body}</body></html>"))
    opened(page, "is a formula.")
    page.get_by_role("button", name="Export").click()
    saved: dict[str, Path] = {}
    for label in ("Chart, HTML", "The text itself", "Chunks, CSV"):
        with page.expect_download() as coming:
            page.get_by_role("button", name=label, exact=True).click()
        saved[label] = tmp_path / f"{len(saved)}{Path(coming.value.suggested_filename).suffix}"
        coming.value.save_as(saved[label])
        assert "/" not in coming.value.suggested_filename and "\\" not in coming.value.suggested_filename
    assert saved["The text itself"].suffix == ".txt", "a page's words are no page: as one they would run"
    asked: list[str] = []
    away = browser.new_page()
    away.on("request", lambda request: asked.append(request.url))
    away.goto(saved["Chart, HTML"].as_uri())
    away.locator(".main-svg").first.wait_for()
    assert away.evaluate(f"window.{MARK}") is None and away.locator(f".{MARK}").count() == 0
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked)
    away.close()
