"""The app on a real server: killed while people judge and documents come in, without its files, and with bad lines."""

from __future__ import annotations

import asyncio
import itertools
import math
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from benchmarks.web_session import SessionClosed, WebSession, web_session
from chunking import samples
from chunking.document import Document
from chunking.store.removal import inspect
from tests import loops
from tests.browser.server import Server, serve
from tests.browser.test_harm import resident
from tests.browser.test_operation import measured
from tests.login.visitors import Visitor
from tests.store.databases import process, store_of
from tests.store.places import place_of
from tests.store.test_faults import ADD_FOR_EVER

FOREVER = math.inf
"""A server may be slow: what hangs is ended by the limit of a test."""

NAMES = ("Ada", "Ben", "Cleo")
SAMPLE = samples.names()[0]
TOKEN_OF_METRICS = "0123456789abcdef"
TOKEN = re.compile(rb"[0-9a-f]{32}")


@dataclass
class Reviewer:
    """Somebody who judges one boundary after another, whose browser keeps what is not confirmed and sends it again.

    Attributes:
        name: of the reviewer.
        document: what is reviewed.
        sent: the events, by their token.
        confirmed: tokens that the server has said are stored.
        heard: what the server sent for the last judgement.
        on_message: called for each message of the server.
        attempts: how often events were sent.
    """

    name: str
    document: Document
    sent: dict[str, dict[str, Any]] = field(default_factory=dict)
    confirmed: set[str] = field(default_factory=set)
    heard: list[bytes] = field(default_factory=list)
    on_message: Callable[[], None] = lambda: None
    attempts: int = 0

    async def judge(self, address: str, begun: asyncio.Event) -> None:
        """Judge until the server is gone."""
        with suppress(ConnectionClosed, ConnectionError, SessionClosed, EOFError):
            async with web_session(address, self.read) as session:
                await open_review(session, self.name)
                while True:
                    before = len(self.confirmed)
                    await self.send_one_more(session)
                    if len(self.confirmed) > before:
                        begun.set()

    async def send_one_more(self, session: WebSession) -> None:
        """Judge a boundary, and send all that is not confirmed."""
        self.add()
        await self.send_again(session)

    async def send_again(self, session: WebSession) -> None:
        """Send all that is not confirmed."""
        self.attempts += 1
        self.heard.clear()
        waiting = [event for token, event in self.sent.items() if token not in self.confirmed]
        message = {"document": self.document.text_hash, "events": waiting[:200], "attempt": self.attempts}
        await session.report("_desk", "sent", message, FOREVER)
        assert session.problems == []

    def add(self) -> None:
        """Judge a boundary."""
        token = uuid.uuid4().hex
        self.sent[token] = {
            "token": token,
            "document": self.document.text_hash,
            "reviewer": self.name,
            "action": "accept",
            "offset": 1 + len(self.sent) % (len(self.document.text) - 1),
        }

    def read(self, message: bytes) -> None:
        """Note which tokens come back: the desk names those that are stored, and no others."""
        self.on_message()
        self.heard.append(message)
        self.confirmed |= {found.decode() for found in TOKEN.findall(message)} & set(self.sent)


async def open_review(session: WebSession, name: str) -> None:
    await session.open(f"doc={SAMPLE}", FOREVER)
    await session.go("review", FOREVER, f"doc={SAMPLE}&reviewer={name}")


@contextmanager
def adding(url: str, files: Path, name: str) -> Iterator[subprocess.Popen[str]]:
    """A process that adds documents to the library for ever."""
    running = process(ADD_FOR_EVER, url, str(files), name)
    try:
        yield running
    finally:
        running.kill()
        running.communicate(timeout=60)


async def judge_until_killed(server: Server, everybody: list[Reviewer], messages: int) -> None:
    """Let all judge; once each has had something confirmed, kill the server after so many more of its messages."""
    begun = [asyncio.Event() for _ in everybody]
    judging = [
        asyncio.create_task(each.judge(server.address, event)) for each, event in zip(everybody, begun, strict=True)
    ]
    await asyncio.gather(*(event.wait() for event in begun))
    enough = asyncio.Event()
    numbers = itertools.count(1)

    def count() -> None:
        if next(numbers) >= messages:
            enough.set()

    for reviewer in everybody:
        reviewer.on_message = count
    await enough.wait()
    os.kill(server.pid, signal.SIGKILL)
    await asyncio.gather(*judging)


@pytest.mark.parametrize("kills", [1, pytest.param(6, marks=pytest.mark.extended)])
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kills: int
) -> None:
    """At moments by chance, again and again; what was sent and not confirmed counts once, however often it is sent."""
    database, files = tmp_path / "reviews.sqlite", tmp_path / "library"
    url = f"sqlite:///{database}"
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(database))
    everybody = [Reviewer(name, samples.load(SAMPLE).document) for name in NAMES]
    chance = random.Random(11)
    added: dict[str, bytes] = {}
    with place_of(url, str(files)):
        pass  # the tables are there before the first process
    for turn in range(kills):
        with serve(tmp_path) as server, adding(url, files, f"turn{turn}") as library:
            assert library.stdout
            heard = [library.stdout.readline()]
            loops.run(judge_until_killed(server, everybody, chance.randrange(1, 60)))
            library.send_signal(signal.SIGKILL)
            heard += library.stdout.readlines()
            assert library.wait() == -signal.SIGKILL, "it added until then"
        for number, id in (line.split() for line in heard if line.endswith("\n")):
            added[id] = f"turn{turn} {number}. ".encode() * 2000
    check(database, url, files, everybody, added)


def check(database: Path, url: str, files: Path, everybody: list[Reviewer], added: dict[str, bytes]) -> None:
    """Compare what is there with what was acknowledged."""
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    with store_of(url) as store:
        stored = [event.token for event in store.events(everybody[0].document.text_hash)]
    assert len(stored) == len(set(stored)), "each counts once"
    assert all(each.confirmed for each in everybody)
    assert {token for each in everybody for token in each.confirmed} <= set(stored)
    assert set(stored) <= {token for each in everybody for token in each.sent}
    with place_of(url, str(files)) as place:
        found = place.library()
        assert added
        assert all(found.open(found.get(id)).data == data for id, data in added.items())
        assert inspect(place.storage).damaged == ()


@dataclass(frozen=True)
class Kept:
    """A running server with what it keeps.

    Attributes:
        server: the server.
        database: file of the reviews.
        cache: folder of the caches.
    """

    server: Server
    database: Path
    cache: Path


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    folder = tmp_path_factory.mktemp("faults")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHUNKSCOPE_REVIEWS", str(folder / "reviews.sqlite"))
        patch.setenv("CHUNKSCOPE_CACHE", str(folder / "cache"))
        patch.setenv("CHUNKSCOPE_METRICS_TOKEN", TOKEN_OF_METRICS)
        patch.setenv("STREAMLIT_SERVER_WEBSOCKET_PING_INTERVAL", "1")
        patch.setenv("STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL", "1")
        with serve(folder) as server:
            yield Kept(server, folder / "reviews.sqlite", folder / "cache")


def test_a_database_that_is_spoiled_is_told_and_goes_on_where_it_was(kept: Kept, tmp_path: Path) -> None:
    async def judge() -> None:
        async with web_session(kept.server.address, ada.read) as session:
            await open_review(session, ada.name)
            await ada.send_one_more(session)
            assert len(ada.confirmed) == 1
            copy = kept.database.rename(tmp_path / "copy")
            kept.database.write_bytes(b"what a text editor left here " * 50)
            await ada.send_one_more(session)
            assert len(ada.confirmed) == 1
            said = b"".join(ada.heard)
            assert b"is not a sound SQLite database." in said
            assert b"Put a sound copy in its place" in said
            copy.replace(kept.database)
            ada.add()
            while len(ada.confirmed) < 3:  # the database is left alone for as long as it took to fail
                await ada.send_again(session)

    ada = Reviewer("Ada", samples.load(SAMPLE).document)
    loops.run(judge())
    with store_of(f"sqlite:///{kept.database}") as store:
        assert [event.token for event in store.events(ada.document.text_hash)] == list(ada.sent)


def test_the_app_works_on_without_its_cache_folder(kept: Kept) -> None:
    """It is deleted, and then replaced by a file: each page is drawn, and nothing is said that a visitor cannot use."""

    async def read() -> None:
        async with web_session(kept.server.address) as session:
            for number, spoil in enumerate((lambda: None, delete, replace_by_file, kept.cache.unlink)):
                spoil()
                # Another setting each time, whose vectors nobody has computed yet.
                await session.open(f"doc={SAMPLE}&encoder=char-ngrams&structural_alpha=0.{number + 1}", FOREVER)
                assert session.problems == []

    def delete() -> None:
        shutil.rmtree(kept.cache, ignore_errors=True)

    def replace_by_file() -> None:
        delete()
        kept.cache.write_text("a file")

    loops.run(read())


@pytest.mark.skipif(sys.platform != "linux", reason="/proc of Linux")
def test_browsers_that_stop_reading_end_and_others_are_served(kept: Kept) -> None:
    """They ask for page after page and take none: what waits for them is bounded, and is dropped with them."""
    other = Visitor(kept.server.address)
    other.run("tune")
    before = resident(kept.server.pid)
    message = BackMsg()
    message.rerun_script.page_name = "tune"  # more than a megabyte, so that the system cannot hold it all
    few, many = stopped(other), stopped(other)
    for number in range(10):
        ran = runs(kept.server)
        # Fewer messages wait for the first than a server keeps, and more for the second.
        for line in (few, many) if number < 5 else (many,):
            with suppress(OSError):  # it may have been cut already
                line.sendall(Frame(Opcode.BINARY, message.SerializeToString()).serialize(mask=True))
        until(lambda: runs(kept.server) > ran or sessions(kept.server) < 2)  # noqa: B023 (called at once)
    assert other.run().session
    until(lambda: sessions(kept.server) == 0)
    assert resident(kept.server.pid) - before < 64 * 2**20
    few.close()
    many.close()


def stopped(visitor: Visitor) -> socket.socket:
    """A WebSocket of a browser that never reads."""
    host, port = visitor.address.removeprefix("http://").split(":")
    line = socket.create_connection((host, int(port)))
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    lines = (
        "GET /_stcore/stream HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==", "Sec-WebSocket-Version: 13", f"Origin: {visitor.address}",
        f"Sec-WebSocket-Protocol: streamlit, {visitor.xsrf}", f"Cookie: {visitor.cookie_header()}", "", "",
    )  # fmt: skip
    line.sendall("\r\n".join(lines).encode())
    assert line.recv(12) == b"HTTP/1.1 101"
    return line


def sessions(server: Server) -> float:
    """How many sessions a server has."""
    return measured(server.address, TOKEN_OF_METRICS)["streamlit_active_sessions",]


def runs(server: Server) -> float:
    """How many times a server has run a page."""
    metrics = measured(server.address, TOKEN_OF_METRICS)
    return sum(value for (name, *_), value in metrics.items() if name == "chunkscope_script_run_seconds_count")


def until(happens: Callable[[], object]) -> None:
    """Ask a server until it says so: it may be slow, and what never happens is ended by the limit of a test."""
    while not happens():
        time.sleep(0.05)
