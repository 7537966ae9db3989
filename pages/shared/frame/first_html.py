"""What the first HTML of a page holds so that nothing jumps: the style sheet, and links to what the page begins with.

An element of the page with the sheet would come after the first elements that it styles. And Streamlit fetches the
script of an element, even that of HTML, when the first one comes: until then it shows a grey bar of another height.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chunking import web
from pages.shared.components.base import modules
from pages.shared.components.base.component import LOADER
from pages.shared.frame import markup
from pages.shared.server.hosts import base_path

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
    names = (path.name for element in _ELEMENTS for path in sorted(scripts.glob(f"{element}.*.js")))
    links = "".join(f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in names)
    sheets = (
        markup.sheet(),
        markup.read_sheet(Path(__file__), "workbench_pages"),
        _WITHOUT_SIDEBAR if page in ("", "compare", "tune") else "",
    )
    styles = "".join(f"<style>{sheet}</style>" for sheet in sheets)
    return f"{links}{preload_links(page)}{styles}".encode()


_WITHOUT_SIDEBAR = """
html:not(:has(.st-key-_with_sidebar)) [data-testid="stSidebar"]:not(:has(.st-key-_login_name)) { display: none; }
[data-testid="stApp"]:not([data-test-script-state="notRunning"])
  [data-testid="stAppViewContainer"]:not(:has([data-testid="stSidebar"])):not(:has(.x)) { padding-left: 0; }
"""
"""Of the pages with a workbench, which hide the sidebar: until another page is opened, it takes no room."""


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
        headers = [(name, value) for name, value in scope["headers"] if name not in _CONDITIONS]
        page = scope["path"].removeprefix(base_path()).strip("/")
        await self._app({**scope, "headers": headers}, receive, _Response(send, page if page in PAGE_FILES else ""))


MIDDLEWARE = (Middleware(FirstHtml),)


# ---- preloads


FRAME_FILES = (
    LOADER,
    "pages/shared/components/glossary/glossary.js",
    "pages/shared/frame/history.js",
    modules.PALETTES_SHEET,
)
"""Files of every page."""

_WORKBENCH = ("workbench/data.js", "workbench/workbench_part.js", "/chunking/web/workbench/workbench.css")

PAGE_FILES = {
    "": _WORKBENCH,
    "compare": _WORKBENCH,
    "tune": (
        "workbench/data.js",
        "tuner/tuner_part.js",
        "/chunking/web/workbench/workbench.css",
        "/chunking/web/tuning/tuner.css",
    ),
    "review": ("workbench/data.js", "review_desk/review_desk.js", "review_desk/review_desk.css"),
    "evaluate": (),
    "library": (),
    "collection": ("document_list/document_list.js", "document_list/document_list.css"),
    "learn": (
        "browser_store/browser_store.js",
        "gap_picker/gap_picker.js",
        "/chunking/web/workbench/workbench.css",
        "gap_picker/gap_picker.css",
    ),
}
"""Files of every page by its path, from the folder of the components or, with a slash before it, from the root of the
tree: what it draws first, to which a test holds them. Any other path shows the first page."""


@cache
def preload_links(page: str) -> str:
    """Return the HTML elements that preload what a page begins with, by its path."""
    return "".join(map(_link, _files(page)))


def _files(page: str) -> dict[str, None]:
    """Return the paths in the tree of the files and of all modules that they import, each once."""
    paths = (*FRAME_FILES, *(posixpath.join("/pages/shared/components", name)[1:] for name in PAGE_FILES.get(page, ())))
    return dict.fromkeys(path for first in paths for path in _with_imports(first))


def _with_imports(path: str) -> Iterator[str]:
    files = modules.tree().files
    yield path
    if path.endswith(".js"):
        yield from web.with_imports(path, lambda name: files[name].content.decode())


def _link(path: str) -> str:
    address = f"./{modules.tree().address(path)}"
    kind = 'rel="modulepreload"' if path.endswith(".js") else 'rel="preload" as="fetch"'
    return f'<link {kind} crossorigin href="{address}">'
