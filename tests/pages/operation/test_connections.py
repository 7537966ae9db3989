"""WebSockets of browsers that vanish, stop reading, or read slowly."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
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
from websockets.sync.client import ClientConnection, connect

from pages.shared.operation import connections
from pages.shared.operation.connections import Connections

PING_SECONDS = 0.4
BLOCK = 64 * 1024
"""Bytes of a message, so that few of them fit where a browser reads nothing."""


@dataclass
class App:
    """An app that sends a browser so many blocks, and then listens.

    Attributes:
        blocks: how many.
        ended: seconds, by the clock, when the app was told that a browser is gone.
        scopes: those of the connections.
    """

    blocks: int = 0
    ended: list[float] = field(default_factory=list)
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
        self.ended.append(time.monotonic())
        sender.cancel()

    async def _send(self, send: Send) -> None:
        for _ in range(self.blocks):
            await send({"type": "websocket.send", "bytes": bytes(BLOCK)})


@contextmanager
def served(app: App) -> Iterator[int]:
    """The port of a server that is set as Streamlit sets it, but pings more often."""
    config = uvicorn.Config(
        Connections(app), port=0, ws="websockets-sansio", ws_ping_interval=PING_SECONDS, ws_ping_timeout=PING_SECONDS,
        ws_per_message_deflate=False, lifespan="off", log_level="warning",
    )  # fmt: skip
    server = uvicorn.Server(config)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        until(lambda: server.started)
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(20)
    assert not thread.is_alive()


@contextmanager
def browser(port: int) -> Iterator[ClientConnection]:
    """A browser that takes a message when it is asked to, and little beforehand."""
    line = socket.create_connection(("127.0.0.1", port))
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    with connect(
        f"ws://127.0.0.1:{port}", sock=line, max_size=None, max_queue=1, ping_interval=None, close_timeout=0.1
    ) as connection:
        yield connection


def until(happens: Callable[[], object], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("blocks", [8, 100, 400])
def test_a_browser_that_takes_nothing_is_cut_and_its_session_ends(blocks: int) -> None:
    """Little and much on its way: in the system's memory, beyond that, and with more that waits."""
    app = App(blocks)
    with served(app) as port, browser(port):
        began = time.monotonic()
        until(lambda: app.ended)
        assert app.ended[0] - began >= PING_SECONDS


def test_a_browser_that_reads_slowly_keeps_its_connection() -> None:
    app = App(blocks=100)
    with served(app) as port, browser(port) as slow:
        began = time.monotonic()
        for _ in range(app.blocks):
            assert len(slow.recv(30)) == BLOCK
            time.sleep(0.03)
        assert time.monotonic() - began > 5 * PING_SECONDS
        assert not app.ended


def test_a_browser_that_reads_almost_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SLOWEST", 100 * BLOCK)
    app = App(blocks=400)
    with served(app) as port, browser(port) as slow:
        with pytest.raises(Exception, match="no close frame"):
            for _ in range(app.blocks):
                slow.recv(30)
                time.sleep(0.05)
        until(lambda: app.ended)


def test_an_idle_browser_keeps_its_connection() -> None:
    app = App(blocks=1)
    with served(app) as port, browser(port) as idle:
        idle.recv(30)
        time.sleep(5 * PING_SECONDS)
        assert not app.ended


def test_the_connection_of_a_session_that_is_given_up_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    app = App(blocks=1)
    given_up: list[str] = []
    server = SimpleNamespace(disconnect_session=lambda session, client=None: given_up.append(session))
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: server)
    with served(app) as port, browser(port) as idle:
        idle.recv(30)
        client = object.__new__(StarletteSessionClient)
        server.disconnect_session("a", client=None)
        for session, state in (("b", WebSocketState.DISCONNECTED), ("c", WebSocketState.CONNECTED)):
            time.sleep(PING_SECONDS / 2)
            assert not app.ended
            client._websocket = SimpleNamespace(scope=app.scopes[0], client_state=state)  # type: ignore[assignment]
            server.disconnect_session(session, client=client)
        until(lambda: app.ended)
        assert given_up == ["a", "b", "c"]
