"""Connections that are cut where a request does not arrive: uvicorn waits for the rest of one without end.

Whoever opens many connections and sends half a request on each would hold them all, and what the app keeps for them.
A request has :data:`SECONDS` from its first byte, or from the opening of the connection, and more only for what it
sends at :data:`SLOWEST` or faster. The time in which the server itself takes no more is not counted.

WebSockets have pings, see :mod:`pages.shared.operation.connections`, and answers have the time that they take.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.lifespan.on import LifespanOn

_LOG = logging.getLogger(__name__)

SECONDS = 30.0
"""Time for a request without much of a body."""

SLOWEST = 8 * 1024
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
        if not self._waits():
            self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the time of a request that will not arrive."""
        self._end()
        super().connection_lost(exc)

    def _waits(self) -> bool:
        """Return whether more of a request is to come; what a WebSocket says is none."""
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
        if self.transport.is_closing() or not self._waits():
            return
        if self.flow.read_paused:
            self._begin()
            return
        left = self._began + self.request_seconds + self._received / SLOWEST - self.loop.time()
        if left > 0:
            self._set_timer(left)
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


MIDDLEWARE = (Middleware(Deadlines),)
