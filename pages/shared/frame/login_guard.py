"""What a server with log-in serves to whom, in front of everything that Streamlit serves.

Streamlit asks nobody who fetches a media file or a component, or who sends a file to a session whose number is known.
A stranger gets what the log-in page needs: Streamlit's own frontend, the health of the server, the ways to the provider
and back, and the WebSocket, on which the log-in page is drawn. All else requires a reader's cookie.

A WebSocket is opened for the app's own origin alone. A cookie that does not count any more is removed from it before
Streamlit reads it, so that no session of before is continued; and once the log-in of an open one has expired, the next
message closes it. The browser then connects again, to the log-in page. Messages of kinds that the pages do not need
are dropped.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from google.protobuf.message import DecodeError
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg

from chunking.access import Identity
from pages.shared.identity import cookies as login_cookies
from pages.shared.identity.settings import CALLBACK, Login, login
from pages.shared.identity.visitor import EXPIRED, return_address

_PROTECTED = ("_stcore", "media", "component", "app")
"""First parts of the paths that are no page and no part of Streamlit's frontend."""

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
        path, cookies = _path(scope), HTTPConnection(scope).cookies
        origin = Headers(scope=scope).get("origin")
        if origin is not None and origin != settings.origin and scope["method"] not in _READING:
            await PlainTextResponse("Another origin.", 403)(scope, receive, send)
        elif _is_protected(path) and not login_cookies.identity_of(cookies, settings).may("reader"):
            await PlainTextResponse("Log in first.", 401)(scope, receive, send)
        else:
            answer = _Answer(send, settings, return_address(cookies) if path == CALLBACK else "")
            await self._app(scope, receive, answer.send)

    async def _connect(self, settings: Login, scope: Scope, receive: Receive, send: Send) -> None:
        if Headers(scope=scope).get("origin") != settings.origin:
            await send({"type": "websocket.close", "code": _REFUSED})
            return
        cookies = HTTPConnection(scope).cookies
        identity = login_cookies.identity_of(cookies, settings)
        if not identity.subject:
            scope = _without_login(scope, expired=bool(login_cookies.claims_of(cookies)))
        await self._app(scope, _Incoming(receive, send, identity).receive, send)


class _Incoming:
    """The messages of a browser on an open WebSocket.

    Args:
        receive: returns the next one.
        send: sends an answer.
        identity: who opened the WebSocket.
    """

    def __init__(self, receive: Receive, send: Send, identity: Identity) -> None:
        self._receive = receive
        self._send = send
        self._identity = identity
        self._kinds = _KINDS_OF_READERS if identity.may("reader") else _KINDS_OF_ALL

    async def receive(self) -> Message:
        """Return the next message that is allowed, or the end of the connection once the log-in has expired."""
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            if self._identity.expires is not None and time.time() >= self._identity.expires:
                await self._send({"type": "websocket.close", "code": _REFUSED})
                return {"type": "websocket.disconnect", "code": _REFUSED}
            if _kind(message.get("bytes") or b"") in self._kinds:
                return message


def _kind(data: bytes) -> str | None:
    """Return what a message asks for; ``None`` if it cannot be read, which Streamlit answers by closing."""
    try:
        return BackMsg.FromString(data).WhichOneof("type")
    except DecodeError:
        return None


class _Answer:
    """The answer to a request on its way to the browser.

    Args:
        send: sends it.
        settings: the log-in.
        back: the address to go to instead of the first page, where the answer completes a log-in.
    """

    def __init__(self, send: Send, settings: Login, back: str) -> None:
        self._send = send
        self._settings = settings
        self._back = back

    async def send(self, message: Message) -> None:
        """Send a part of the answer, its cookies for encrypted connections alone where the app is reached by these."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            set_cookies = headers.getlist("set-cookie")
            completed = any(_logs_in(each) for each in set_cookies)
            if self._back and completed and "location" in headers:
                headers["location"] = self._back
            if self._settings.is_secure and set_cookies:
                del headers["set-cookie"]
                for each in set_cookies:
                    headers.append("set-cookie", each if "; secure" in each.lower() else f"{each}; Secure")
        await self._send(message)


def _logs_in(set_cookie: str) -> bool:
    return set_cookie.startswith(f"{login_cookies.USER_COOKIE}=") and "max-age=0" not in set_cookie.lower()


def _path(scope: Scope) -> str:
    """Return the path of a request below the app's own."""
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    path: str = scope["path"]
    return path.removeprefix(f"/{base}") if base else path


def _is_protected(path: str) -> bool:
    return path.strip("/").partition("/")[0] in _PROTECTED and path not in _OPEN


def _without_login(scope: Scope, expired: bool) -> Scope:
    """Return a connection as that of a browser that is not logged in."""
    cookies = HTTPConnection(scope).cookies.items()
    kept = "; ".join(f"{name}={text}" for name, text in cookies if not name.startswith(login_cookies.USER_COOKIE))
    raw = [(name, value) for name, value in scope["headers"] if name not in (b"cookie", EXPIRED.encode())]
    raw.append((b"cookie", kept.encode("latin-1", "replace")))
    if expired:
        raw.append((EXPIRED.encode(), b"1"))
    return {**scope, "headers": raw}


MIDDLEWARE = (Middleware(LoginGuard),)
