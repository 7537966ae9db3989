"""A visitor of a server with log-in who speaks HTTP and WebSocket without a browser, and so does what none would.

She waits as long as a slow machine needs: what never comes is ended by the limit of a test.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlencode

import httpx
from joserfc import jwt
from joserfc.jwk import OctKey
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

SECRET = "a secret of the tests, 0123456789 and longer than 32"
USER, TOKENS, XSRF = "_streamlit_user", "_streamlit_user_tokens", "_streamlit_xsrf"


@dataclass(frozen=True)
class Shown:
    """What the server sent in one run.

    Attributes:
        messages: all of them.
        session: the number of the session.
    """

    messages: tuple[ForwardMsg, ...]
    session: str

    @property
    def data(self) -> bytes:
        """Everything, as one."""
        return b"".join(message.SerializeToString() for message in self.messages)

    @property
    def fields(self) -> list[str]:
        """The labels of the fields for a line of text."""
        return [message.delta.new_element.text_input.label for message in self.messages]

    @property
    def is_log_in_page(self) -> bool:
        """Whether there is the log-in page, and no more than it has."""
        return b"This server is for people with an account." in self.data and len(self.data) < 60_000


class Socket:
    """An open WebSocket."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def send(self, message: BackMsg) -> None:
        self.connection.send(message.SerializeToString())

    def run(self, page: str = "", query: Mapping[str, str] | None = None, fragment: str = "") -> Shown:
        """Run a page, and return all that comes until it is done."""
        message = BackMsg()
        message.rerun_script.query_string = urlencode(query or {})
        message.rerun_script.page_name = page
        message.rerun_script.fragment_id = fragment
        self.send(message)
        return self.shown()

    def shown(self) -> Shown:
        messages: list[ForwardMsg] = []
        session = ""
        while True:
            messages.append(ForwardMsg.FromString(self.connection.recv()))
            session = messages[-1].new_session.initialize.session_id or session
            if messages[-1].WhichOneof("type") == "script_finished" and messages[-1].script_finished in (
                ForwardMsg.FINISHED_SUCCESSFULLY,
                ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
                ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
            ):
                return Shown(tuple(messages), session)


class Visitor:
    """Somebody who visits a server, with the cookies that she has.

    Args:
        address: of the server.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.http = httpx.Client(base_url=address, timeout=None)
        self.http.get("/_stcore/host-config")
        self.http.get("/_stcore/health")

    @property
    def xsrf(self) -> str:
        return self.http.cookies.get(XSRF) or ""

    @property
    def is_logged_in(self) -> bool:
        """Whether the server gave her the cookie of a log-in."""
        return bool(self.http.cookies.get(USER))

    def log_in(self, person: str, provider: str = "mock") -> Visitor:
        self.http.get(self.callback(person, provider))
        return self

    def callback(self, person: str, provider: str = "mock") -> str:
        """Go to the provider as a person, and return the address that it sends the browser back to."""
        claims = {"provider": provider, "exp": int(time.time()) + 100}
        token = jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET))
        there = self.http.get("/auth/login", params={"provider": token}).headers["location"]
        return httpx.post(there, data={"sub": person}, timeout=None).headers["location"]

    def cookie_header(self) -> str:
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.http.cookies.jar)

    @contextmanager
    def socket(self, origin: str | None = "", session: str = "") -> Iterator[Socket]:
        """An open WebSocket of an origin (the app's own, another, or none), which continues a session."""
        where = self.address.replace("http", "ws", 1) + "/_stcore/stream"
        protocols = ["streamlit", self.xsrf, *([session] if session else [])]
        with connect(
            where,
            origin=self.address if origin == "" else origin,  # type: ignore[arg-type]
            subprotocols=protocols,  # type: ignore[arg-type]
            additional_headers={"Cookie": self.cookie_header()},
            max_size=None,
            open_timeout=None,
        ) as connection:
            yield Socket(connection)

    def run(self, page: str = "", query: Mapping[str, str] | None = None) -> Shown:
        with self.socket() as socket:
            return socket.run(page, query)
