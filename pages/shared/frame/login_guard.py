"""What a server with log-in serves to whom, in front of everything that Streamlit serves.

Streamlit asks nobody who fetches a media file or a component, or who sends a file to a session whose number is known.
A stranger gets what the log-in page needs: Streamlit's own frontend, the health of the server, the ways to the provider
and back, and the WebSocket, on which the log-in page is drawn; and the scripts and style sheets of the pages, which are
the same for everybody. All else requires a reader's cookie.

A WebSocket is opened for the app's own origin alone. A cookie that does not count any more is removed from it before
Streamlit reads it, so that no session of before is continued. Once the log-in of an open one has expired, the next
message ends its session, and reaches a new one, which shows the log-in page. Messages of kinds that the pages do not
need are dropped.

A log-in is in the audit log before the browser has its cookie.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from http.cookies import SimpleCookie

from google.protobuf.message import DecodeError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from chunking.store.audit import AuditEvent
from chunking.store.identity import STRANGER, Identity
from pages.shared.identity import visitor
from pages.shared.identity.settings import CALLBACK, Login, login
from pages.shared.identity.visitor import EXPIRED, return_address
from pages.shared.server import audit
from pages.shared.server.hosts import base_path

_PROTECTED = ("_stcore", "media", "component", "app", "archive")
"""First parts of the paths that are no page and no part of Streamlit's frontend."""

_LOGOUT = "/auth/logout"
_OPEN = ("/_stcore/health", "/_stcore/host-config")
_READING = ("GET", "HEAD", "OPTIONS")
_REFUSED = 1008
_KINDS_OF_ALL = frozenset((None, "rerun_script", "stop_script", "app_heartbeat"))
_KINDS_OF_READERS = _KINDS_OF_ALL | {"file_urls_request", "backend_operation_request"}
"""Messages that are passed on. Among the others is one that clears the caches of the whole server."""


class LoginGuard:
    """Refuses what requires a log-in, see the module; without a log-in it does nothing.

    Args:
        app: what it stands before.
        settings: returns the log-in of the server.
    """

    def __init__(self, app: ASGIApp, settings: Callable[[], Login | None] = login) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        settings = self._settings()
        if settings is None or scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(settings, scope, receive, send)
        else:
            await self._connect(settings, scope, receive, send)

    async def _answer(self, settings: Login, scope: Scope, receive: Receive, send: Send) -> None:
        path, request = _path(scope), HTTPConnection(scope)
        origin = request.headers.get("origin")
        if origin is not None and origin != settings.origin and scope["method"] not in _READING:
            await PlainTextResponse("Another origin.", 403)(scope, receive, send)
        elif _is_protected(path) and not visitor.identity_of(request.cookies, settings).may("reader"):
            await PlainTextResponse("Log in first.", 401)(scope, receive, send)
        else:
            back = return_address(request.cookies) if path == CALLBACK else ""
            answer = _Answer(send, settings, back, partial(self._record, settings, path, request))
            await self._app(scope, receive, answer.send)

    async def _record(
        self, settings: Login, path: str, request: HTTPConnection, new_cookies: Mapping[str, str]
    ) -> None:
        """Add a log-in, one that was refused, or a log-out to the audit log; nothing for any other request.

        Args:
            settings: the log-in of the server.
            path: of the request.
            request: the request.
            new_cookies: the cookies that the answer sets.
        """
        if path == _LOGOUT:
            who, event, provider = visitor.identity_of(request.cookies, settings), AuditEvent("log out"), ""
            if not who.subject:
                return
        elif path != CALLBACK:
            return
        elif visitor.USER_COOKIE in new_cookies:
            who = visitor.identity_of(new_cookies, settings)
            provider = str(visitor.claims_of(new_cookies).get("provider", ""))
            refusal = AuditEvent("refuse log in", detail={"reason": _reason(who)})
            event = AuditEvent("log in") if who.may("reader") else refusal
        elif request.query_params.keys() & {"state", "error"}:
            who, event, provider = STRANGER, AuditEvent("refuse log in", detail={"reason": "not completed"}), ""
        else:
            return  # the way back from a log-out at the provider
        await run_in_threadpool(audit.append, who, event, provider)

    async def _connect(self, settings: Login, scope: Scope, receive: Receive, send: Send) -> None:
        if Headers(scope=scope).get("origin") != settings.origin:
            await send({"type": "websocket.close", "code": _REFUSED})
            return
        cookies = HTTPConnection(scope).cookies
        identity = visitor.identity_of(cookies, settings)
        if identity.subject:
            incoming = _Incoming(receive, identity)
            await self._app(scope, incoming.receive, send)
            if incoming.late is not None:
                renewed = _Renewed(receive, send, incoming.late)
                await self._app(_without_login(scope, expired=True), renewed.receive, renewed.send)
        else:
            expired = bool(visitor.claims_of(cookies))
            await self._app(_without_login(scope, expired), _Incoming(receive, identity).receive, send)


class _Incoming:
    """The messages of a browser on an open WebSocket, as long as its log-in lasts.

    Args:
        receive: returns the next one.
        identity: who opened the WebSocket.

    Attributes:
        late: the first message after the end of the log-in; ``None`` before.
    """

    def __init__(self, receive: Receive, identity: Identity) -> None:
        self._receive = receive
        self._expires = identity.expires
        self._kinds = _KINDS_OF_READERS if identity.may("reader") else _KINDS_OF_ALL
        self.late: Message | None = None

    async def receive(self) -> Message:
        """Return the next message that is allowed, or the end of the connection once the log-in has expired."""
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            if _kind(message.get("bytes") or b"") not in self._kinds:
                continue
            if self._expires is not None and time.time() >= self._expires:
                self.late = message
                return {"type": "websocket.disconnect", "code": _REFUSED}
            return message


class _Renewed:
    """An open WebSocket for a new session, in place of one whose log-in has expired.

    Args:
        receive: returns the next message of the browser.
        send: sends it one.
        late: the message that came after the end of the log-in.
    """

    def __init__(self, receive: Receive, send: Send, late: Message) -> None:
        self._waiting: list[Message] = [{"type": "websocket.connect"}, late]
        self._browser = receive
        self._incoming = _Incoming(self._next, STRANGER)
        self._send = send
        self._has_run = False

    async def _next(self) -> Message:
        return self._waiting.pop(0) if self._waiting else await self._browser()

    async def receive(self) -> Message:
        """Return the next message; the first run is that of the whole page, and knows nothing of the session before."""
        message = await self._incoming.receive()
        data = message.get("bytes") or b""
        if self._has_run or _kind(data) != "rerun_script":
            return message
        self._has_run = True
        rerun = BackMsg.FromString(data).rerun_script
        first = BackMsg()
        first.rerun_script.query_string = rerun.query_string
        first.rerun_script.page_script_hash = rerun.page_script_hash
        first.rerun_script.page_name = rerun.page_name
        first.rerun_script.context_info.CopyFrom(rerun.context_info)
        return {"type": "websocket.receive", "bytes": first.SerializeToString()}

    async def send(self, message: Message) -> None:
        """Send a message to the browser, whose WebSocket is open already."""
        if message["type"] != "websocket.accept":
            await self._send(message)


def _kind(data: bytes) -> str | None:
    """Return what a message asks for; ``None`` if it cannot be read, which Streamlit answers by closing."""
    try:
        kind: str | None = BackMsg.FromString(data).WhichOneof("type")
    except DecodeError:
        return None
    return kind


class _Answer:
    """The answer to a request on its way to the browser.

    Args:
        send: sends it.
        settings: the log-in.
        back: the address to go to instead of the first page, where the answer completes a log-in.
        record: adds what the cookies that the browser is given mean to the audit log, before it is given them.
    """

    def __init__(
        self, send: Send, settings: Login, back: str, record: Callable[[Mapping[str, str]], Awaitable[None]]
    ) -> None:
        self._send = send
        self._settings = settings
        self._back = back
        self._record = record

    async def send(self, message: Message) -> None:
        """Send a part of the answer, its cookies for encrypted connections alone where the app is reached by these."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            set_cookies = headers.getlist("set-cookie")
            new_cookies = _given(set_cookies)
            completed = visitor.USER_COOKIE in new_cookies
            await self._record(new_cookies)
            if self._back and completed and "location" in headers:
                headers["location"] = self._back
            if self._settings.is_secure and set_cookies:
                del headers["set-cookie"]
                for cookie in set_cookies:
                    headers.append("set-cookie", cookie if "; secure" in cookie.lower() else f"{cookie}; Secure")
        await self._send(message)


def _given(set_cookies: Iterable[str]) -> dict[str, str]:
    """Return the cookies that a browser has from an answer, without those that it deletes."""
    parsed = [SimpleCookie(header) for header in set_cookies]
    return {name: morsel.value for cookies in parsed for name, morsel in cookies.items() if morsel["max-age"] != "0"}


def _reason(who: Identity) -> str:
    """Return why a log-in that the provider completed is refused."""
    return "no role" if who.subject else "expired or incomplete token"


def _path(scope: Scope) -> str:
    """Return the path of a request below the app's own."""
    path: str = scope["path"]
    return path.removeprefix(base_path())


def _is_protected(path: str) -> bool:
    return path.strip("/").partition("/")[0] in _PROTECTED and path not in _OPEN


def _without_login(scope: Scope, expired: bool) -> Scope:
    """Return a connection as that of a browser that is not logged in."""
    cookies = HTTPConnection(scope).cookies.items()
    other_cookies = "; ".join(f"{name}={text}" for name, text in cookies if not name.startswith(visitor.USER_COOKIE))
    raw = [(name, value) for name, value in scope["headers"] if name not in (b"cookie", EXPIRED.encode())]
    raw.append((b"cookie", other_cookies.encode("latin-1", "replace")))
    if expired:
        raw.append((EXPIRED.encode(), b"1"))
    return {**scope, "headers": raw}


MIDDLEWARE = (Middleware(LoginGuard),)
