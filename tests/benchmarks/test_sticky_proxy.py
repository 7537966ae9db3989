"""The proxy of the measurements sends each visitor to one process, and passes on what is said unchanged."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from benchmarks.sticky_proxy import COOKIE, node_of, sticky_proxy


@contextmanager
def answering(name: str) -> Iterator[int]:
    """A server that answers with its name, what it was sent, and a cookie of its own; its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("Set-Cookie", "own=1")
            self.end_headers()
            self.wfile.write(name.encode() + b" " + body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()


def test_a_visitor_stays_with_the_process_that_she_came_to_first() -> None:
    big = b"x" * 300_000
    with answering("a") as first, answering("b") as second, sticky_proxy([first, second]) as address:
        seen = []
        for _ in range(4):
            with httpx.Client(base_url=address) as visitor:
                answers = [visitor.post("/", content=big) for _ in range(3)]
                assert visitor.cookies["own"] == "1" and visitor.cookies[COOKIE] in "01"
                assert all(each.content.endswith(big) for each in answers)
                (name,) = {each.text.split(" ")[0] for each in answers}
                seen.append(name)
        assert seen == ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("head", "node"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", None),
        (b"GET / HTTP/1.1\r\nCookie: a=2; measured_node=1\r\n\r\n", 1),
        (b"GET / HTTP/1.1\r\ncookie: measured_node=0; b=1\r\n\r\n", 0),
        (b"GET / HTTP/1.1\r\nCookie: measured_node=7\r\n\r\n", None),
        (b"GET / HTTP/1.1\r\nCookie: unmeasured_node=1\r\n\r\n", None),
        (b"GET /?measured_node=1 HTTP/1.1\r\n\r\n", None),
    ],
)
def test_the_cookie_names_the_process(head: bytes, node: int | None) -> None:
    assert node_of(head, 2) == node
