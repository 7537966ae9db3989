"""A session of the app without a browser: the messages that one would send and read, over a WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import FileURLs, FileURLsRequest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from pages.shared.state.address import HISTORY

Check = Callable[[bytes], str | None]

_LARGEST = 256 * 2**20
_VALUES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "slider": lambda widget: {"double_array_value": {"data": list(widget.value)}},
    "number_input": lambda widget: {"double_value": widget.value},
    "selectbox": lambda widget: {"string_value": widget.raw_value},
    "text_input": lambda widget: {"string_value": widget.value},
}
"""How a browser reports the value that the server sets, by the kind of the widget."""


class SessionClosed(Exception):
    """The server closed the connection, or did not answer in time."""


class WebSession:
    """What one browser knows: the widgets of the page, its address, and which large messages it keeps.

    Attributes:
        received: bytes read so far.
        problems: texts of exceptions and of lost messages.
    """

    def __init__(self, socket: ClientConnection, http: httpx.AsyncClient, check: Check) -> None:
        self._socket, self._http, self._check = socket, http, check
        self._widgets: dict[str, str] = {}
        self._states: dict[str, WidgetState] = {}
        self._kept: dict[str, tuple[str, str] | None] = {}
        self._drawn: set[str] = set()
        self._pages: dict[str, str] = {}
        self._page = ""
        self._session = ""
        self._query = ""
        self.received = 0
        self.problems: list[str] = []

    # ---- what a person does

    async def open(self, query: str, within: float) -> float:
        """Open the first page with an address, and return the seconds until it was drawn."""
        self._query = query
        return await self._run(within)

    async def go(self, path: str, within: float, query: str = "") -> float:
        """Open another page by the menu, or by an address as if from the history; return the seconds until drawn."""
        mark = f"&{HISTORY}={uuid.uuid4().hex}" if query else ""
        self._page, self._query = self._pages[path], query + mark
        return await self._run(within)

    async def again(self, within: float) -> float:
        """Run the page as it is, and return the seconds until it was drawn."""
        return await self._run(within)

    async def set(self, key: str, within: float, **value: Any) -> float:
        """Set a widget by its key, and return the seconds until the page was drawn; value as of ``WidgetState``."""
        id_ = self._widgets[key]
        self._states[id_] = WidgetState(id=id_, **value)
        return await self._run(within)

    async def upload(self, key: str, name: str, data: bytes, within: float) -> float:
        """Upload a file, and return the seconds until the page was drawn with it."""
        start = time.perf_counter()
        request = uuid.uuid4().hex
        asked = FileURLsRequest(request_id=request, file_names=[name], session_id=self._session)
        await self._socket.send(BackMsg(file_urls_request=asked).SerializeToString())
        urls = await self._urls(within)
        token = self._http.cookies.get("_streamlit_xsrf") or ""
        files = {"file": (name, data)}
        (await self._http.put(urls.upload_url, files=files, headers={"X-Xsrftoken": token})).raise_for_status()
        info = {"name": name, "size": len(data), "file_id": urls.file_id, "file_urls": urls}
        await self.set(key, within, file_uploader_state_value={"uploaded_file_info": [info]})
        return time.perf_counter() - start

    def has(self, key: str) -> bool:
        """Return whether the page has a widget."""
        return key in self._widgets

    def key_like(self, beginning: str) -> str:
        """Return the key of a widget that begins with a text."""
        return next(key for key in self._widgets if key.startswith(beginning))

    async def report(self, key: str, name: str, value: object, within: float) -> float:
        """Set a value of a component, and return the seconds until the page was drawn."""
        return await self.set(key, within, json_value=json.dumps({name: value}))

    async def rest(self, seconds: float) -> None:
        """Read what the server sends, and do nothing."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    self._read(await self._message())

    # ---- messages

    async def _run(self, within: float) -> float:
        start = time.perf_counter()
        state = ClientState(query_string=self._query, page_script_hash=self._page, cached_message_hashes=self._kept)
        state.widget_states.widgets.extend(self._states.values())
        await self._socket.send(BackMsg(rerun_script=state).SerializeToString())
        try:
            async with asyncio.timeout(within):
                while not self._read(await self._message()):
                    pass
        except TimeoutError:
            raise SessionClosed(f"no answer within {within:.0f} s") from None
        return time.perf_counter() - start

    async def _urls(self, within: float) -> FileURLs:
        async with asyncio.timeout(within):
            while True:
                message = await self._message()
                if message.HasField("file_urls_response"):
                    urls: FileURLs = message.file_urls_response.file_urls[0]
                    return urls
                self._read(message)

    async def _message(self) -> ForwardMsg:
        data = await self._socket.recv(decode=False)
        self.received += len(data)
        problem = self._check(data)
        if problem:
            self.problems.append(problem)
        message = ForwardMsg()
        message.ParseFromString(data)
        return message

    def _read(self, message: ForwardMsg) -> bool:
        """Take in a message, and return whether the page is drawn."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._drawn.clear()
            self._session = self._session or message.new_session.initialize.session_id
            self._page = self._page or message.new_session.page_script_hash
        elif kind == "navigation":
            self._pages = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
            self._page = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "ref_hash":
            self._refer(message.ref_hash)
        elif kind == "delta":
            self._draw(message)
        elif kind == "script_finished":
            return self._finished(message)
        return False

    def _draw(self, message: ForwardMsg) -> None:
        element = message.delta.new_element
        kind = element.WhichOneof("type") or ""
        widget = getattr(element, kind, None)
        if kind == "exception":
            self.problems.append(f"{element.exception.type}: {element.exception.message}")
        id_ = str(getattr(widget, "id", ""))
        found = (id_, id_.split("-", 2)[-1]) if id_.startswith("$$ID-") else None
        if message.metadata.cacheable:
            self._kept[message.hash] = found
        if found is None:
            return
        self._place(found)
        if getattr(widget, "set_value", False) and kind in _VALUES:
            self._states[id_] = WidgetState(id=id_, **_VALUES[kind](widget))

    def _refer(self, hash_: str) -> None:
        found = self._kept.get(hash_)
        if hash_ not in self._kept:
            self.problems.append("a message that the browser does not have")
        if found:
            self._place(found)

    def _place(self, found: tuple[str, str]) -> None:
        id_, key = found
        self._drawn.add(id_)
        self._widgets[key] = id_

    def _finished(self, message: ForwardMsg) -> bool:
        if message.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
            return False
        self._widgets = {key: id_ for key, id_ in self._widgets.items() if id_ in self._drawn}
        self._states = {id_: state for id_, state in self._states.items() if id_ in self._drawn}
        return True


@asynccontextmanager
async def web_session(address: str, check: Check = lambda _: None) -> AsyncIterator[WebSession]:
    """Yield a session at the address of a server; its page is not open yet.

    Args:
        address: of the server.
        check: returns what is wrong with the bytes of a message, or ``None``.
    """
    async with httpx.AsyncClient(base_url=address, timeout=60) as http:
        await http.get("/_stcore/health")  # sets the cookie that uploads need
        socket = "ws" + address.removeprefix("http") + "/_stcore/stream"
        sent = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        async with connect(
            socket,
            origin=Origin(address),
            subprotocols=[Subprotocol("streamlit")],
            max_size=_LARGEST,
            ping_interval=None,  # a browser sends none, and a busy server answers late
            additional_headers={"Cookie": sent},
        ) as connection:
            yield WebSession(connection, http, check)
