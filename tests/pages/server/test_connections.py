"""WebSockets of browsers that vanish, stop reading, or read slowly."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
import uvicorn
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocketState
from streamlit import runtime
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient
from websockets.frames import Frame
from websockets.sync.client import ClientConnection, connect

from pages.shared.server import connections
from pages.shared.server.connections import Connection, Connections
from tests.servers import WAIT_SECONDS, serving

PING_SECONDS = 3600
"""Between two pings, and until one must be answered: tests say when that time is over, not the clock."""
BLOCK = 64 * 1024
"""Bytes of a message, so that few of them fit where a browser reads nothing."""
QUEUED = 4
"""Blocks of which a browser that reads nothing takes only the first."""


@dataclass
class App:
    """An app that sends a browser so many blocks, and then listens.

    Attributes:
        blocks: how many.
        queued: set once ``QUEUED`` blocks, or all, are on their way.
        ended: set when the app was told that a browser is gone.
        scopes: those of the connections.
    """

    blocks: int = 0
    queued: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    scopes: list[Scope] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return
        self.scopes.append(scope)
        assert (await receive())["type"] == "websocket.connect"
        await send({"type": "websocket.accept"})
        sender = asyncio.create_task(self._send(send))
        message: Message = {"type": ""}
        while message["type"] != "websocket.disconnect":
            message = await receive()
        self.ended.set()
        sender.cancel()

    async def _send(self, send: Send) -> None:
        for number in range(1, self.blocks + 1):
            await send({"type": "websocket.send", "bytes": bytes(BLOCK)})
            if number == min(QUEUED, self.blocks):
                self.queued.set()


class Line:
    """The server's end of a connection to a browser, driven from the thread of the test."""

    def __init__(self, app: App, monkeypatch: pytest.MonkeyPatch) -> None:
        assert app.queued.wait(WAIT_SECONDS)
        self._connection: Connection = app.scopes[0][connections._CONNECTION]
        self._answered = threading.Event()
        answer = self._connection.handle_pong

        def handle_pong(event: Frame) -> None:
            waited = self._connection.pending_ping_payload is not None
            answer(event)
            if waited and self._connection.pending_ping_payload is None:  # the last ping, not one before it
                self._answered.set()

        monkeypatch.setattr(self._connection, "handle_pong", handle_pong)

    def ping(self) -> None:
        """Ping the browser."""

        def send() -> None:
            self._answered.clear()  # in the thread that hears answers: one to an earlier ping may just come
            self._connection.send_keepalive_ping()

        self._run(send)

    def wait_for_answer(self) -> None:
        """Wait until the browser has answered the last ping, and nothing waits for that any more."""
        assert self._answered.wait(WAIT_SECONDS)
        assert self._connection.pong_timer is None

    def let_time_be_over(self) -> None:
        """Do what is done where a ping was not answered in time."""
        self._run(self._connection.keepalive_timeout)

    def _run(self, function: Callable[[], None]) -> None:
        async def run() -> None:
            function()

        asyncio.run_coroutine_threadsafe(run(), self._connection.loop).result(WAIT_SECONDS)


@contextmanager
def served(app: App) -> Iterator[int]:
    """The port of a server that is set as Streamlit sets it, but pings when the test says so."""
    config = uvicorn.Config(
        Connections(app), port=0, ws="websockets-sansio", ws_ping_interval=PING_SECONDS, ws_ping_timeout=PING_SECONDS,
        ws_per_message_deflate=False, lifespan="off", log_level="warning",
    )  # fmt: skip
    with serving(config) as port:
        yield port


@contextmanager
def browser(port: int) -> Iterator[ClientConnection]:
    """A browser that takes a message when it is asked to, and little beforehand."""
    line = socket.create_connection(("127.0.0.1", port))
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    with connect(
        f"ws://127.0.0.1:{port}", sock=line, max_size=None, max_queue=1, ping_interval=None, close_timeout=0.1
    ) as connection:
        yield connection


@pytest.mark.parametrize("blocks", [8, 100, 400])
def test_a_browser_that_takes_nothing_is_cut_and_its_session_ends(blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Little and much on its way: in the system's memory, beyond that, and with more that waits."""
    app = App(blocks)
    with served(app) as port, browser(port):
        line = Line(app, monkeypatch)
        line.ping()
        assert not app.ended.is_set()
        line.let_time_be_over()
        assert app.ended.wait(WAIT_SECONDS)


def test_a_browser_that_reads_slowly_keeps_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SLOWEST", BLOCK / PING_SECONDS)
    app = App(blocks=100)
    with served(app) as port, browser(port) as slow:
        line = Line(app, monkeypatch)
        for _ in range(10):
            line.ping()
            for _ in range(10):
                assert len(slow.recv(WAIT_SECONDS)) == BLOCK
            line.let_time_be_over()
        line.ping()
        line.wait_for_answer()
        assert not app.ended.is_set()


def test_a_browser_that_reads_almost_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SLOWEST", 40 * BLOCK / PING_SECONDS)
    app = App(blocks=400)
    with served(app) as port, browser(port) as slow:
        line = Line(app, monkeypatch)
        line.ping()
        for _ in range(8):
            slow.recv(WAIT_SECONDS)
        assert not app.ended.is_set()
        line.let_time_be_over()
        with pytest.raises(Exception, match="no close frame"):
            for _ in range(app.blocks):
                slow.recv(WAIT_SECONDS)
        assert app.ended.wait(WAIT_SECONDS)


def test_an_idle_browser_keeps_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    app = App(blocks=1)
    with served(app) as port, browser(port) as idle:
        idle.recv(WAIT_SECONDS)
        line = Line(app, monkeypatch)
        for _ in range(5):
            line.ping()
            line.wait_for_answer()
        assert not app.ended.is_set()


def test_the_connection_of_a_session_that_is_given_up_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    app = App(blocks=1)
    given_up: list[str] = []
    server = SimpleNamespace(disconnect_session=lambda session, client=None: given_up.append(session))
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: server)
    with served(app) as port, browser(port) as idle:
        idle.recv(WAIT_SECONDS)
        line = Line(app, monkeypatch)
        client = object.__new__(StarletteSessionClient)
        server.disconnect_session("a", client=None)
        for session, state in (("b", WebSocketState.DISCONNECTED), ("c", WebSocketState.CONNECTED)):
            line.ping()
            line.wait_for_answer()
            assert not app.ended.is_set()
            client._websocket = SimpleNamespace(scope=app.scopes[0], client_state=state)  # type: ignore[assignment]
            server.disconnect_session(session, client=client)
        assert app.ended.wait(WAIT_SECONDS)
        assert given_up == ["a", "b", "c"]
