"""What the first HTML of a page holds so that nothing jumps: the style sheet, and links to what the page begins with.

An element of the page with the sheet would come after the first elements that it styles. And Streamlit fetches the
script of an element, even that of HTML, when the first one comes: until then it shows a grey bar of another height.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.frame import markup, preloads
from pages.shared.operation.base_path import base_path

_END_OF_BODY = b"</body>"
"""Behind the styles that Streamlit adds to the head, so that of rules of equal weight ours hold."""
_ELEMENTS = ("Html", "BidiComponent", "Button", "ButtonGroup", "Checkbox", "NumberInput", "Selectbox", "Slider")
"""Streamlit's names of the elements whose scripts are fetched from the start."""

_CONDITIONS = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
"""What a request may carry that has it answered with less than the text of the file."""


@cache
def _addition(page: str) -> bytes:
    """Return the HTML that is added to a page, by its path."""
    scripts = Path(streamlit.__file__).parent / "static" / "static" / "js"
    names = (found.name for element in _ELEMENTS for found in sorted(scripts.glob(f"{element}.*.js")))
    links = "".join(f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in names)
    sheets = (markup.sheet(), _WITH_BAR, _WITHOUT_SIDEBAR if page in ("", "compare", "tune") else "")
    styles = "".join(f"<style>{sheet}</style>" for sheet in sheets)
    return f"{links}{preloads.links(page)}{styles}".encode()


_WITHOUT_SIDEBAR = """
html:not(:has(.st-key-_with_sidebar)) [data-testid="stSidebar"]:not(:has(.st-key-_login_name)) { display: none; }
[data-testid="stApp"]:not([data-test-script-state="notRunning"])
  [data-testid="stAppViewContainer"]:not(:has([data-testid="stSidebar"])):not(:has(.x)) { padding-left: 0; }
"""
"""Of the pages with a workbench, which hide the sidebar: until another page is opened, it takes no room."""


_WITH_BAR = """
[data-testid="stAppViewContainer"]:has(.st-key-_bar) [data-testid="stSidebar"]:not(:has(.st-key-_login_name)),
  [data-testid="stApp"]:has(.st-key-_bar) [data-testid="stExpandSidebarButton"] { display: none; }
[data-testid="stMainBlockContainer"].stMainBlockContainer:has(.st-key-_bar) { padding: 2.6rem 0 1rem; }
.st-key-_bar { padding: 0 1.25rem; min-height: 2.6rem; flex-wrap: wrap; }
[data-testid="stMain"] :is(.st-key-_bar, .st-key-_bar_document, .st-key-_bar_strategy) { gap: 0.45rem; }
@media (max-width: 1200px) { .st-key-_bar .st-key-doc { max-width: 13rem; } }
@media (max-width: 1100px) {
  .st-key-_bar .st-key-doc { max-width: 10.5rem; }
  .st-key-_bar .st-key-strategy { max-width: 9.5rem; }
}
.st-key-_bar :is(.st-key-_bar_document, .st-key-_bar_strategy, .st-key-_head_actions)
  { flex-wrap: nowrap; width: auto; }
.st-key-_bar [data-testid="stLayoutWrapper"]:has(> .st-key-_head_actions) { margin-left: auto; }
.st-key-_bar [data-testid="stLayoutWrapper"] { width: auto; flex: 0 0 auto; }
[data-testid="stMain"] [data-testid="stVerticalBlock"]:has(> :is(.st-key-_workbench, .st-key-_tuner),
  > [data-testid="stLayoutWrapper"] > :is(.st-key-_bar, .st-key-_below, .st-key-_number_frame)) { gap: 0; }
@media (max-width: 700px) {
  .st-key-_bar { padding: 0 0.75rem; flex-wrap: nowrap; overflow-x: auto; gap: 0.4rem; scrollbar-width: none; }
  .st-key-_bar .st-key-doc { flex: 0 0 11rem; }
}
@media screen { html:has(.st-key-_leave_projector):has(.st-key-_bar)
  { font-size: clamp(18px, min(2.6vh, 1.64vw), 36px) !important; } }
.st-key-_below { padding: 0.6rem 1.25rem; }
.st-key-_workbench_data { display: none; }
.st-key-_workbench, .st-key-_tuner { min-height: calc(100dvh - 5.15rem); }
"""
"""Of the pages with a workbench, whose row of choices stands above it: they take the whole window."""


class _Response:
    """A response whose HTML is added to; any other passes as it is."""

    def __init__(self, send: Send, page: str) -> None:
        self._send = send
        self._page = page
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
        # A page without a body, as for HEAD, keeps none.
        body = self._body.replace(_END_OF_BODY, _addition(self._page) + _END_OF_BODY, 1)
        headers = MutableHeaders(scope=start)
        if body:
            headers["Content-Length"] = str(len(body))
        # They are of the file alone: a browser would keep an older addition.
        for name in ("ETag", "Last-Modified", "Accept-Ranges"):
            del headers[name]
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


def _is_page(message: Message) -> bool:
    kind = MutableHeaders(scope=message).get("content-type", "")
    return bool(message["status"] == 200) and kind.startswith("text/html")


class FirstHtml:
    """Adds to the HTML of every page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; one for a page without its conditions, to add to the answer."""
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self._app(scope, receive, send)
            return
        kept = [(name, value) for name, value in scope["headers"] if name not in _CONDITIONS]
        page = scope["path"].removeprefix(base_path()).strip("/")
        await self._app({**scope, "headers": kept}, receive, _Response(send, page if page in preloads.PAGES else ""))


MIDDLEWARE = (Middleware(FirstHtml),)
