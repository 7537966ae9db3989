"""The app on a real server that is killed, while people judge boundaries and documents come into the library."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import sqlite3
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from benchmarks.web_session import SessionClosed, WebSession, web_session
from chunking import samples
from chunking.document import Document
from chunking.library.inspection import inspect
from tests.browser.server import Server, serve
from tests.library.places import place_of
from tests.library.test_faults import ADD_FOR_EVER
from tests.review.databases import process, store_of

WITHIN = 120.0
NAMES = ("Ada", "Ben", "Cleo")
SAMPLE = samples.names()[0]
TOKEN = re.compile(rb"[0-9a-f]{32}")


@dataclass
class Reviewer:
    """Somebody who judges one boundary after another, whose browser keeps what is not confirmed and sends it again.

    Attributes:
        name: of the reviewer.
        document: what is reviewed.
        sent: the events, by their token.
        confirmed: tokens that the server has said are stored.
    """

    name: str
    document: Document
    sent: dict[str, dict[str, Any]] = field(default_factory=dict)
    confirmed: set[str] = field(default_factory=set)

    async def judge(self, address: str, begun: asyncio.Event, number: int = 10_000) -> None:
        """Judge until the server is gone, or so many times."""
        with suppress(ConnectionClosed, ConnectionError, SessionClosed, EOFError):
            async with web_session(address, self._read) as session:
                await open_review(session, self.name)
                for _ in range(number):
                    before = len(self.confirmed)
                    self._add()
                    waiting = [event for token, event in self.sent.items() if token not in self.confirmed]
                    message = {"document": self.document.text_hash, "events": waiting[:200], "attempt": len(self.sent)}
                    await session.report("_desk", "sent", message, WITHIN)
                    assert session.problems == []
                    if len(self.confirmed) > before:
                        begun.set()

    def _add(self) -> None:
        token = uuid.uuid4().hex
        self.sent[token] = {
            "token": token,
            "document": self.document.text_hash,
            "reviewer": self.name,
            "action": "accept",
            "offset": 1 + len(self.sent) % (len(self.document.text) - 1),
        }

    def _read(self, message: bytes) -> None:
        """Note which tokens come back: the desk names those that are stored, and no others."""
        self.confirmed |= {found.decode() for found in TOKEN.findall(message)} & set(self.sent)


async def open_review(session: WebSession, name: str) -> None:
    await session.open(f"doc={SAMPLE}", WITHIN)
    await session.go("review", WITHIN, f"doc={SAMPLE}&reviewer={name}")


@contextmanager
def adding(url: str, files: Path, name: str) -> Iterator[subprocess.Popen[str]]:
    """A process that adds documents to the library for ever."""
    running = process(ADD_FOR_EVER, url, str(files), name)
    try:
        yield running
    finally:
        running.kill()
        running.communicate(timeout=60)


async def judge_until_killed(server: Server, everybody: list[Reviewer], after: float) -> None:
    """Let all judge; kill the server a moment after each has had something confirmed."""
    begun = [asyncio.Event() for _ in everybody]
    judging = [
        asyncio.create_task(each.judge(server.address, event)) for each, event in zip(everybody, begun, strict=True)
    ]
    async with asyncio.timeout(WITHIN):
        await asyncio.gather(*(event.wait() for event in begun))
    await asyncio.sleep(after)
    os.kill(server.pid, signal.SIGKILL)
    await asyncio.gather(*judging)


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At moments by chance, again and again; what was sent and not confirmed counts once, however often it is sent."""
    database, files = tmp_path / "reviews.sqlite", tmp_path / "library"
    url = f"sqlite:///{database}"
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(database))
    everybody = [Reviewer(name, samples.load(SAMPLE).document) for name in NAMES]
    chance = random.Random(11)
    added: dict[str, bytes] = {}
    for turn in range(3):
        with serve(tmp_path) as server, adding(url, files, f"turn{turn}") as library:
            assert library.stdout
            heard = [library.stdout.readline()]
            asyncio.run(judge_until_killed(server, everybody, chance.uniform(0, 0.5)))
            library.send_signal(signal.SIGKILL)
            heard += library.stdout.readlines()
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
