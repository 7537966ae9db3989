"""An endpoint that speaks OpenAI's protocol: a real server on this machine, asked over a real socket."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from chunking.embedding import Endpoint, configure_endpoint, describe_encoder, embed, get_encoder
from chunking.embedding.endpoint import OpenAIEndpoint, current
from chunking.errors import ChunkscopeError

SECRET = "sk-test-0123456789abcdef"


class Server(ThreadingHTTPServer):
    """Answers what ``plan`` says, one entry a request, the last again and again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan: list[Callable[[Handler, dict[str, Any]], None]] = [Handler.vectors]
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.gate = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hung up is no news."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append({"path": self.path, **body})
        self.server.headers.append(dict(self.headers))
        plan = self.server.plan
        (plan.pop(0) if len(plan) > 1 else plan[0])(self, body)

    do_GET = do_POST

    def log_message(self, format: str, *args: object) -> None:
        """Tests print nothing."""

    def send(self, status: int, body: bytes | object, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def vectors(self, body: dict[str, Any]) -> None:
        rows = [{"index": place, "embedding": [len(text), 1, 2]} for place, text in enumerate(body["input"])]
        self.send(200, {"data": rows[::-1]})


def answer(status: int, body: bytes | object, **headers: str) -> Callable[[Handler, dict[str, Any]], None]:
    return lambda handler, _: handler.send(status, body, **headers)


@contextmanager
def serving() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield made
    made.gate.set()
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def encoder(server: Server, waits: list[float]) -> OpenAIEndpoint:
    return OpenAIEndpoint("openai:small", Endpoint(server.url, SECRET), timeout=20, pause=waits.append)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    yield
    configure_endpoint()


def failure(encoder: OpenAIEndpoint) -> str:
    """What goes wrong, in words, which never hold the key."""
    with pytest.raises(ChunkscopeError) as caught:
        encoder.encode(["one", "two"])
    chain: list[BaseException] = [caught.value]
    while chain[-1].__cause__:
        chain.append(chain[-1].__cause__)
    assert SECRET not in "".join(map(repr, chain))
    return str(caught.value)


def test_vectors_are_unit_in_order_and_asked_in_batches(server: Server, encoder: OpenAIEndpoint) -> None:
    texts = ["x" * place for place in range(150)]
    vectors = encoder.encode(texts)
    assert vectors.dtype == np.float32
    wanted = np.array([[max(len(text), 1), 1, 2] for text in texts], dtype=np.float64)
    assert np.allclose(vectors, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), atol=1e-6)
    assert [len(asked["input"]) for asked in server.asked] == [64, 64, 22]
    assert server.asked[0]["path"] == "/v1/embeddings"
    assert server.asked[0]["model"] == "small"
    assert server.headers[0]["Authorization"] == f"Bearer {SECRET}"
    assert (encoder.dimension, len(server.asked)) == (3, 3)
    assert encoder.token_counts(texts).tolist() == [0] * 150


def test_long_texts_are_spread_over_requests(server: Server, encoder: OpenAIEndpoint) -> None:
    encoder.encode(["x" * 60_000, "y" * 60_000, "z", "\ud800"])
    assert [len(asked["input"]) for asked in server.asked] == [1, 3]
    assert server.asked[1]["input"][2] == "\ufffd"


def test_the_dimension_is_asked_for_once(server: Server, encoder: OpenAIEndpoint) -> None:
    assert encoder.encode([]).shape == (0, 3)
    assert encoder.dimension == 3
    assert [asked["input"] for asked in server.asked] == [["a"]]


def test_without_a_key_none_is_sent(server: Server) -> None:
    OpenAIEndpoint("openai:small", Endpoint(server.url)).encode(["a"])
    assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize(
    ("key", "status", "said", "words"),
    [
        (SECRET, 401, f"Incorrect API key provided: {SECRET}", "refuses the key (status 401)"),
        ("", 401, "", "requires a key"),
        (SECRET, 404, "no such model", "does not know the model 'small'"),
        (SECRET, 400, f"too many\ntokens for {SECRET} or sk-other-key", "status 400: too many tokens for … or …."),
        ("0123456789abcdef", 400, "no tokens for 0123456789abcdef", "status 400: no tokens for …."),
        ("hf_AbCdEf", 400, "no tokens for hf_AbCdEf", "status 400: no tokens for …."),
    ],
)
def test_what_it_refuses_is_told_once_and_without_the_key(
    server: Server, key: str, status: int, said: str, words: str
) -> None:
    server.plan = [answer(status, {"error": {"message": said}})]
    shown = failure(OpenAIEndpoint("openai:small", Endpoint(server.url, key)))
    assert words in shown and not (key and key in shown)
    assert len(server.asked) == 1


def test_a_busy_endpoint_is_asked_again(server: Server, encoder: OpenAIEndpoint, waits: list[float]) -> None:
    busy = answer(429, {"error": {"message": "slow down"}}, Retry_After="3")
    server.plan = [busy, answer(503, b""), answer(500, b"", Retry_After="9999"), Handler.vectors]
    assert encoder.encode(["one"]).shape == (1, 3)
    assert waits == [3.0, 1.0, 20.0]


def test_an_endpoint_that_stays_busy(server: Server, encoder: OpenAIEndpoint, waits: list[float]) -> None:
    server.plan = [answer(429, {"error": "slow down"})]
    assert "status 429: slow down" in failure(encoder)
    assert len(server.asked) == 5
    assert waits == [0.5, 1.0, 2.0, 4.0]


def test_a_connection_that_breaks_is_tried_again(server: Server, encoder: OpenAIEndpoint, waits: list[float]) -> None:
    def hang_up(handler: Handler, _: dict[str, Any]) -> None:
        handler.connection.shutdown(socket.SHUT_RDWR)

    server.plan = [hang_up, Handler.vectors]
    assert encoder.encode(["one"]).shape == (1, 3)
    assert waits == [0.5]


ROW = {"embedding": [1.0, 2.0, 3.0]}


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"[" * 100_000,
        b"\xff\xfe",
        [],
        {"data": None},
        {"data": [ROW]},
        {"data": [ROW, ROW, ROW]},
        {"data": [{"index": 0, **ROW}, {"index": 0, **ROW}]},
        {"data": [{"index": "0", **ROW}, {"index": None, **ROW}]},
        {"data": [ROW, {"embedding": [1.0]}]},
        {"data": [ROW, {"embedding": "AAAA"}]},
        {"data": [{"embedding": []}, {"embedding": []}]},
        {"data": [{"embedding": [[1]]}, {"embedding": [[1]]}]},
    ],
    ids=lambda body: str(body)[:40],
)
def test_answers_of_another_form(server: Server, encoder: OpenAIEndpoint, body: object) -> None:
    server.plan = [answer(200, body)]
    assert "did not answer with one vector for each of 2 texts" in failure(encoder)


@pytest.mark.parametrize("vector", [b"[1, NaN]", b"[1, Infinity]", b"[1, 1e999]", b"[0, 0]"])
def test_vectors_that_are_none(server: Server, encoder: OpenAIEndpoint, vector: bytes) -> None:
    server.plan = [answer(200, b'{"data": [{"embedding": %s}, {"embedding": [1, 1]}]}' % vector)]
    assert "not finite, or all zero" in failure(encoder)


def test_a_dimension_that_changes(server: Server, encoder: OpenAIEndpoint) -> None:
    encoder.encode(["one"])
    server.plan = [answer(200, {"data": [{"embedding": [1, 0]}, {"embedding": [1, 1]}]})]
    assert "vectors of 2 numbers, after 3" in failure(encoder)


def never(handler: Handler, _: dict[str, Any]) -> None:
    handler.server.gate.wait(60)


def drop_by_drop(handler: Handler, _: dict[str, Any]) -> None:
    """Each byte is in time, and the whole is not."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.gate.wait(0.02):
        handler.wfile.write(b" ")


@pytest.mark.parametrize("late", [never, drop_by_drop])
def test_an_answer_that_does_not_come(server: Server, late: Callable[[Handler, dict[str, Any]], None]) -> None:
    server.plan = [late]
    slow = OpenAIEndpoint("openai:small", Endpoint(server.url, SECRET), timeout=0.3)
    assert "did not answer in 0.3 seconds" in failure(slow)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: Server, encoder: OpenAIEndpoint, status: int) -> None:
    with serving() as other:
        server.plan = [answer(status, b"", Location=f"{other.url}/embeddings")]
        said = failure(encoder)
        assert f"redirects to 127.0.0.1:{other.server_address[1]}; redirects are not followed" in said
        assert other.asked == []


def test_a_proxy_is_not_used_for_this_machine(
    server: Server, encoder: OpenAIEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{closed.getsockname()[1]}")
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        assert encoder.encode(["one"]).shape == (1, 3)
    assert len(server.asked) == 1


def test_nobody_is_there() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        where = Endpoint(f"http://127.0.0.1:{closed.getsockname()[1]}/v1", SECRET)
        assert "cannot be reached" in failure(OpenAIEndpoint("openai:small", where))


# --- which endpoint, and what is said of it --------------------------------------------------------------------------


def test_the_key_is_never_shown(encoder: OpenAIEndpoint) -> None:
    shown = [repr(encoder), str(encoder), encoder.key, encoder.name, repr(encoder._where), repr(encoder.info)]
    assert not [text for text in shown if SECRET in text]


def test_the_environment_and_what_is_configured(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert current() == Endpoint("https://api.openai.com/v1", "")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/")
    monkeypatch.setenv("OPENAI_API_KEY", f" {SECRET}\n")
    assert current() == Endpoint(server.url, SECRET)
    configure_endpoint(key="other")
    assert current() == Endpoint(server.url, "other")
    configure_endpoint("https://example.org/v1", "other")
    assert current() == Endpoint("https://example.org/v1", "other")


def test_by_name_one_object_for_each_endpoint(server: Server) -> None:
    configure_endpoint(server.url, SECRET)
    one = get_encoder("openai:small")
    assert get_encoder("openai:small") is one
    assert embed(["a", "b", "a"], one).shape == (3, 3)
    assert server.asked[-1]["input"] == ["a", "b"]
    assert server.url in one.key
    configure_endpoint("https://example.org/v1")
    assert get_encoder("openai:small") is not one
    assert get_encoder("openai:small").key == "openai/https://example.org/v1/small"
    assert describe_encoder("openai:small").sends_to == "example.org"
    with pytest.raises(ChunkscopeError, match="has no model"):
        get_encoder("openai: ")


@pytest.mark.parametrize(
    "url", ["ftp://example.org", "example.org/v1", "https://", "https://me:pw@example.org", "https://a b/", "https://[",
            "https://example.org:99999/v1", "https://example.org/v1?key=1", "http://é/"]
)  # fmt: skip
def test_addresses_that_are_none(url: str) -> None:
    configure_endpoint(url, SECRET)
    with pytest.raises(ChunkscopeError, match="address of the embedding endpoint") as caught:
        get_encoder("openai:small")
    assert SECRET not in str(caught.value)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-a\nX-Evil: 1", "ключ", "a b"])
def test_keys_that_are_none(key: str) -> None:
    configure_endpoint("https://example.org/v1", key)
    with pytest.raises(ChunkscopeError, match="contains invalid characters") as caught:
        get_encoder("openai:small")
    assert key not in str(caught.value)


def test_a_key_is_not_sent_in_the_clear() -> None:
    configure_endpoint("http://example.org/v1", SECRET)
    with pytest.raises(ChunkscopeError, match="without encryption"):
        get_encoder("openai:small")
    configure_endpoint("http://192.168.1.5:8000/v1", SECRET)
    assert get_encoder("openai:small").name == "openai:small"
