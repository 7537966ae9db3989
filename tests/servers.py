"""A server of uvicorn in a thread of the tests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

WAIT_SECONDS = 120
"""Only reached where something hangs."""


class Server(uvicorn.Server):
    """A server that says when it has started."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@contextmanager
def serving(config: uvicorn.Config) -> Iterator[int]:
    """The port of a server that runs in this block."""
    server = Server(config)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        assert server.ready.wait(WAIT_SECONDS)
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(WAIT_SECONDS)
    assert not thread.is_alive()
