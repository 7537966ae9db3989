"""WebSockets that are cut where the browser takes nothing any more, so that its session ends.

uvicorn pings every browser (``server.websocketPingInterval``), and closes a connection on which no pong comes. Closing
waits until the browser has taken all that was sent before: where it vanished, or stopped reading, with something on its
way, that is never, and the session stayed open with all its memory. Where a browser is only slow, the pong waits behind
what it still has to read, and the connection was closed in the middle of that.

Streamlit gives up a session for which 500 messages wait, and discards what its browser says from then on, but leaves
the WebSocket open: the page looked alive and did nothing. It is cut, so that the browser connects again, and its
session continues.
"""

from __future__ import annotations

import logging
import struct
import sys
from typing import Any, cast

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketState
from streamlit import runtime
from streamlit.runtime.session_manager import SessionClient
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

_LOG = logging.getLogger(__name__)
_CONNECTION = "chunkscope.connection"
"""Key in the scope of a WebSocket."""

SLOWEST = 1024
"""Bytes per second that a browser must take at least, while something waits for it."""


class Connection(WebSocketsSansIOProtocol):
    """A WebSocket to a browser, see the module."""

    _sent = 0
    _taken_before = 0

    async def send(self, message: Any) -> None:
        """Send a message, and count its bytes."""
        self._sent += len(message.get("bytes") or b"")
        await super().send(message)

    def send_keepalive_ping(self) -> None:
        """Ping the browser, and note how much it has taken."""
        self._taken_before = self._taken()
        super().send_keepalive_ping()

    def keepalive_timeout(self) -> None:
        """Cut the connection, unless the browser takes what was sent before the ping."""
        taken, seconds = self._taken(), self.ping_timeout or 0
        if taken - self._taken_before >= SLOWEST * seconds and not self.transport.is_closing():
            self._taken_before = taken
            self.pong_timer = self.loop.call_later(seconds, self.keepalive_timeout)
            return
        _LOG.info("A browser that answered and took nothing for %d seconds was disconnected.", seconds)
        super().keepalive_timeout()
        self.transport.abort()

    def cut(self) -> None:
        """Cut the connection, unless it is being closed."""
        if not self.close_sent and not self.transport.is_closing():
            self.transport.abort()

    def _taken(self) -> int:
        """Return the bytes of messages that the browser has taken."""
        waiting = self.transport.get_write_buffer_size() + _unacknowledged(self.transport.get_extra_info("socket"))
        return self._sent - waiting


def _unacknowledged(connection: Any) -> int:
    """Return the bytes that the system still has for a browser; 0 where it does not say."""
    if connection is None or sys.platform != "linux":
        return 0
    import fcntl
    import termios

    (count,) = struct.unpack("i", fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4)))
    return int(count)


class Connections:
    """Lets uvicorn's WebSockets be those of :class:`Connection`; those of another server are left as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._runtime: runtime.Runtime | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a connection on."""
        if runtime.exists() and self._runtime is not runtime.get_instance():
            self._runtime = runtime.get_instance()
            _cut_abandoned(self._runtime)
        # Streamlit chooses the class before it imports the app, so that no other one can be named.
        protocol = getattr(send, "__self__", None)
        if type(protocol) is WebSocketsSansIOProtocol:
            protocol.__class__ = Connection
            send = cast(Send, protocol.send)
            scope = {**scope, _CONNECTION: protocol}
        await self._app(scope, receive, send)


def _cut_abandoned(server: runtime.Runtime) -> None:
    """Let a server cut the WebSocket of each session that it gives up, see the module."""
    disconnect = server.disconnect_session

    def disconnect_and_cut(session_id: str, *, client: SessionClient | None = None) -> None:
        disconnect(session_id, client=client)
        # One that ended, or was ended by the guard of the log-in, has told its session so.
        if isinstance(client, StarletteSessionClient) and client._websocket.client_state == WebSocketState.CONNECTED:
            connection = client._websocket.scope.get(_CONNECTION)
            if isinstance(connection, Connection):
                connection.cut()

    server.disconnect_session = disconnect_and_cut  # type: ignore[method-assign]


MIDDLEWARE = (Middleware(Connections),)
