"""Requests that do not arrive, and what must stay open although it takes long."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from websockets.sync.client import connect

from pages.shared.server import connections
from pages.shared.server.connections import Deadlines
from tests.servers import WAIT_SECONDS, serving

SECONDS = 0.2
"""Time of a request in these tests."""


class App:
    """An app that answers a request with the number of bytes of its body, once it may."""

    def __init__(self) -> None:
        self.may_read = threading.Event()
        self.may_answer = threading.Event()
        for event in (self.may_read, self.may_answer):
            event.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            while (message := await receive())["type"] == "websocket.receive":
                await send({"type": "websocket.send", "text": message["text"]})
        elif scope["type"] == "http":
            await self._answer(receive, send)

    async def _answer(self, receive: Receive, send: Send) -> None:
        await _wait(self.may_read)
        count, more = 0, True
        while more:
            message = await receive()
            count, more = count + len(message.get("body", b"")), message.get("more_body", False)
        await _wait(self.may_answer)
        body = str(count).encode()
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


async def _wait(event: threading.Event) -> None:
    await asyncio.to_thread(event.wait, WAIT_SECONDS)


@pytest.fixture
def app() -> App:
    return App()


@pytest.fixture
def port(app: App) -> Iterator[int]:
    config = uvicorn.Config(Deadlines(app, SECONDS), port=0, ws="websockets-sansio", log_level="warning")
    with serving(config) as number:
        yield number


@contextmanager
def line(port: int, sent: bytes = b"") -> Iterator[socket.socket]:
    """A connection on which something was sent."""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS) as connection:
        connection.sendall(sent)
        yield connection


def is_cut(connection: socket.socket) -> bool:
    """Wait for something, and return whether that is the end of the connection."""
    try:
        return connection.recv(4096) == b""
    except ConnectionResetError:
        return True


def answer(connection: socket.socket) -> bytes:
    """The body of the answer on a connection."""
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response.read()


def let_time_be_over(port: int) -> None:
    """Wait until the time of a request that begins now is over."""
    with line(port) as silent:
        assert is_cut(silent)


def post(size: int) -> bytes:
    return f"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: {size}\r\n\r\n".encode()


@pytest.mark.parametrize("sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: here\r\n", post(5), post(5) + b"abcd"])
def test_a_connection_whose_request_does_not_arrive_is_cut(port: int, sent: bytes) -> None:
    with line(port, sent) as half:
        assert is_cut(half)


def test_the_next_request_of_a_connection_has_a_deadline_too(port: int) -> None:
    with line(port, post(3) + b"abc") as kept:
        assert answer(kept) == b"3"
        kept.sendall(b"GET / HTTP")
        assert is_cut(kept)


def test_many_half_sent_requests_are_all_cut_and_others_are_answered(port: int) -> None:
    halves = [socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS) for _ in range(100)]
    try:
        for half in halves:
            half.sendall(post(5))
        with line(port, post(3) + b"abc") as other:
            assert answer(other) == b"3"
        assert all(is_cut(half) for half in halves)
    finally:
        for half in halves:
            half.close()


def test_a_file_that_comes_slowly_arrives(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SLOWEST_REQUEST", 1 / WAIT_SECONDS)
    with line(port, post(3) + b"a") as slow:
        for rest in (b"b", b"c"):
            let_time_be_over(port)
            slow.sendall(rest)
        assert answer(slow) == b"3"


def test_an_answer_has_the_time_that_it_takes(app: App, port: int) -> None:
    app.may_answer.clear()
    with line(port, post(3) + b"abc") as patient:
        let_time_be_over(port)
        app.may_answer.set()
        assert answer(patient) == b"3"


def test_time_in_which_the_server_reads_nothing_is_not_counted(
    app: App, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SLOWEST_REQUEST", 2**40)
    app.may_read.clear()
    with line(port, post(300_001) + bytes(300_000)) as waiting:
        let_time_be_over(port)
        let_time_be_over(port)
        waiting.sendall(b"x")
        app.may_read.set()
        assert answer(waiting) == b"300001"


def test_a_websocket_stays_open(port: int) -> None:
    with connect(f"ws://127.0.0.1:{port}", ping_interval=None) as browser:
        let_time_be_over(port)
        let_time_be_over(port)
        browser.send("still here")
        assert browser.recv(WAIT_SECONDS) == "still here"
