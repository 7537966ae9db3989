"""The security headers of every response, which keep a browser to this server and this page."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def _own_scripts() -> str:
    """Return the hashes of the inline scripts in Streamlit's page, so that no other inline script may run."""
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    digests = (hashlib.sha256(script.encode()).digest() for script in _INLINE_SCRIPT.findall(page))
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


POLICY: dict[str, str] = {
    "default-src": "'self'",
    # Components are modules that the browser makes of blobs.
    "script-src": f"'self' blob: {_own_scripts()}",
    "worker-src": "'self' blob:",
    # Streamlit sets its styles from scripts.
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "media-src": "'self' blob:",
    "frame-src": "'self' blob:",
    "frame-ancestors": "'none'",
    "form-action": "'none'",
    "base-uri": "'self'",
    "object-src": "'none'",
}

"""The allowed sources of each kind of content: this server, and what the page itself makes."""

HEADERS: dict[str, str] = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Headers:
    """Adds :data:`HEADERS` to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the headers to its response."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


MIDDLEWARE = (Middleware(Headers),)
