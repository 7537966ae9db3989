"""Connections that are cut where a browser takes nothing any more, or a request does not arrive.

uvicorn pings every browser (``server.websocketPingInterval``), and closes a connection on which no pong comes. Closing
waits until the browser has taken all that was sent before: where it vanished, or stopped reading, with something on its
way, that is never, and the session stayed open with all its memory. Where a browser is only slow, the pong waits behind
what it still has to read, and the connection was closed in the middle of that.

Streamlit gives up a session for which 500 messages wait, and discards what its browser says from then on, but leaves
the WebSocket open: the page looked alive and did nothing. It is cut, so that the browser connects again, and its
session continues.

uvicorn waits for the rest of a request without end. Whoever opens many connections and sends half a request on each
would hold them all, and what the app keeps for them. A request has :data:`SECONDS` from its first byte, or from the
opening of the connection, and more only for what it sends at :data:`SLOWEST_REQUEST` or faster. The time in which the
server itself takes no more is not counted. Answers have the time that they take.
"""

from __future__ import annotations

import asyncio
import logging
import struct
import sys
from typing import TYPE_CHECKING, Any, cast

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketState
from streamlit import runtime
from streamlit.runtime.session_manager import SessionClient
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient
from uvicorn.lifespan.on import LifespanOn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

_LOG = logging.getLogger(__name__)
_CONNECTION = "chunkscope.connection"
"""Key in the scope of a WebSocket."""

SLOWEST = 1024
"""Bytes per second that a browser must take at least, while something waits for it."""


class Connection(WebSocketsSansIOProtocol):
    """A WebSocket to a browser, see the module."""

    _sent = 0
    _received_before = 0

    async def send(self, message: Any) -> None:
        """Send a message, and count its bytes."""
        self._sent += len(message.get("bytes") or b"")
        await super().send(message)

    def send_keepalive_ping(self) -> None:
        """Ping the browser, and note how much it has taken."""
        self._received_before = self._count_received()
        super().send_keepalive_ping()

    def keepalive_timeout(self) -> None:
        """Cut the connection, unless the browser takes what was sent before the ping."""
        received, seconds = self._count_received(), self.ping_timeout or 0
        if received - self._received_before >= SLOWEST * seconds and not self.transport.is_closing():
            self._received_before = received
            self.pong_timer = self.loop.call_later(seconds, self.keepalive_timeout)
            return
        _LOG.info("A browser that answered and took nothing for %d seconds was disconnected.", seconds)
        super().keepalive_timeout()
        self.transport.abort()

    def cut(self) -> None:
        """Cut the connection, unless it is being closed."""
        if not self.close_sent and not self.transport.is_closing():
            self.transport.abort()

    def _count_received(self) -> int:
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


SECONDS = 30.0
"""Time for a request without much of a body."""

SLOWEST_REQUEST = 8 * 1024
"""Bytes of a request per second that give it more time: a file of the largest size has less than two hours."""

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as HttpProtocol
else:
    HttpProtocol = object


class RequestDeadline(HttpProtocol):
    """Mixed into a class of uvicorn for HTTP connections: it cuts those whose request does not arrive in time.

    Attributes:
        request_seconds: as :data:`SECONDS`.
    """

    request_seconds = SECONDS
    _timer: asyncio.TimerHandle | None = None
    _began = 0.0
    _received = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin with the time of the first request."""
        super().connection_made(transport)
        self._begin()

    def data_received(self, data: bytes) -> None:
        """Take what came, and begin with the time of a request, or end it."""
        if self._timer is None:
            self._begin()
        self._received += len(data)
        super().data_received(data)
        if not self._is_request_incomplete():
            self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the time of a request that will not arrive."""
        self._end()
        super().connection_lost(exc)

    def _is_request_incomplete(self) -> bool:
        """Return whether the rest of an HTTP request is still to come; false for a WebSocket."""
        is_whole = self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete
        return not is_whole and self.transport.get_protocol() is self

    def _begin(self) -> None:
        self._began, self._received = self.loop.time(), 0
        self._set_timer(self.request_seconds)

    def _set_timer(self, seconds: float) -> None:
        self._timer = self.loop.call_later(seconds, self._check)

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        """Cut the connection if its time is over."""
        self._timer = None
        if self.transport.is_closing() or not self._is_request_incomplete():
            return
        if self.flow.read_paused:
            self._begin()
            return
        remaining = self._began + self.request_seconds + self._received / SLOWEST_REQUEST - self.loop.time()
        if remaining > 0:
            self._set_timer(remaining)
            return
        _LOG.info("A connection whose request did not arrive in %d seconds was cut.", self.loop.time() - self._began)
        self.transport.abort()


class Deadlines:
    """Lets the HTTP connections of uvicorn be those of :class:`RequestDeadline`; another server is left as it is.

    Args:
        app: what answers.
        seconds: as :data:`SECONDS`.
    """

    def __init__(self, app: ASGIApp, seconds: float = SECONDS) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a connection on; before the first one, when the server starts, change the class of connections."""
        lifespan = getattr(send, "__self__", None)
        if scope["type"] == "lifespan" and isinstance(lifespan, LifespanOn):
            # Streamlit makes the configuration before it imports the app, so that no other class can be named.
            lifespan.config.http_protocol_class = _with_deadline(lifespan.config.http_protocol_class, self._seconds)
        await self._app(scope, receive, send)


def _with_deadline(protocol: Any, seconds: float) -> Any:
    """Return a class of connections that has deadlines, whichever parser of HTTP it uses."""
    return type(f"{protocol.__name__}WithDeadline", (RequestDeadline, protocol), {"request_seconds": seconds})


MIDDLEWARE = (Middleware(Connections), Middleware(Deadlines))
