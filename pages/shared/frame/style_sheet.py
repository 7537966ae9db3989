"""The style sheet of every page, inside the HTML that the browser begins with.

An element of the page with the sheet would come after the first elements that it styles, which then jump: Streamlit
fetches a script before it shows any HTML.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.frame import markup

_END_OF_BODY = b"</body>"
"""Behind the styles that Streamlit adds to the head, so that of rules of equal weight ours hold."""
_CONDITIONS = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
"""What a request may carry that has it answered with less than the text of the file."""


class _Response:
    """A response whose HTML gets the sheet; any other passes as it is."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self._start = message
        elif self._start is None or message["type"] != "http.response.body":
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish(self._start)

    async def _finish(self, start: Message) -> None:
        sheet = f"<style>{markup.sheet()}</style>".encode()
        # A page without a body, as for HEAD, keeps none.
        body = self._body.replace(_END_OF_BODY, sheet + _END_OF_BODY, 1)
        headers = MutableHeaders(scope=start)
        if body:
            headers["Content-Length"] = str(len(body))
        # They are of the file alone: a browser would keep an older sheet.
        for name in ("ETag", "Last-Modified", "Accept-Ranges"):
            del headers[name]
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


def _is_page(message: Message) -> bool:
    kind = MutableHeaders(scope=message).get("content-type", "")
    return bool(message["status"] == 200) and kind.startswith("text/html")


class StyleSheet:
    """Adds the style sheet to the page that a browser opens."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; one for a page without its conditions, to add the sheet to the answer."""
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self._app(scope, receive, send)
            return
        kept = [(name, value) for name, value in scope["headers"] if name not in _CONDITIONS]
        await self._app({**scope, "headers": kept}, receive, _Response(send))


MIDDLEWARE = (Middleware(StyleSheet),)
