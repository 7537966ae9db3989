from __future__ import annotations

import time
from collections.abc import Iterable
from types import SimpleNamespace

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from chunking.store.identity import LOCAL, STRANGER, Identity, Rules
from pages.shared.frame import login_guard
from pages.shared.frame.login_guard import LoginGuard
from pages.shared.identity import Login, visitor
from tests import loops

LOGIN = Login("https://chunks.example.org", ("default",), Rules({"reader": frozenset(["*"])}))
READER = Identity("issuer|rita", "Rita", roles=frozenset(["reader"]), expires=time.time() + 86_400)


def speak(
    patch: pytest.MonkeyPatch, identity: Identity, messages: Iterable[BackMsg | bytes], origin: str = LOGIN.origin
) -> tuple[list[list[Message]], list[Message]]:
    """Send messages through the guard, and return what each session received and what the browser did."""
    patch.setattr(visitor, "identity_of", lambda _, settings: identity)
    data = [each if isinstance(each, bytes) else each.SerializeToString() for each in messages]
    waiting: list[Message] = [{"type": "websocket.receive", "bytes": each} for each in data]
    waiting.append({"type": "websocket.disconnect", "code": 1000})
    sessions: list[list[Message]] = []
    sent: list[Message] = []

    async def receive() -> Message:
        return waiting.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        sessions.append([])
        await send({"type": "websocket.accept"})
        while not sessions[-1] or sessions[-1][-1]["type"] != "websocket.disconnect":
            sessions[-1].append(await receive())

    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [(b"origin", origin.encode())]}
    loops.run(LoginGuard(app, lambda: LOGIN)(scope, receive, send))
    return sessions, sent


def kinds(messages: Iterable[Message]) -> list[str | None]:
    return [BackMsg.FromString(each["bytes"]).WhichOneof("type") for each in messages if "bytes" in each]


def test_messages_that_the_pages_do_not_need_are_dropped_such_as_one_that_clears_the_servers_caches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rerun, upload = BackMsg(), BackMsg()
    rerun.rerun_script.page_name = "compare"
    upload.file_urls_request.request_id = "1"
    messages = [BackMsg(clear_cache=True), rerun, upload, BackMsg(set_run_on_save=True)]
    assert kinds(speak(monkeypatch, STRANGER, messages)[0][0]) == ["rerun_script"]
    assert kinds(speak(monkeypatch, READER, messages)[0][0]) == ["rerun_script", "file_urls_request"]


def test_a_message_that_cannot_be_read_is_left_to_streamlit(monkeypatch: pytest.MonkeyPatch) -> None:
    (received,), _ = speak(monkeypatch, STRANGER, [b"\xff\xff"])
    assert received[0]["bytes"] == b"\xff\xff"


def test_the_first_message_after_the_end_of_a_log_in_reaches_another_session_as_a_run_of_the_whole_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = Identity("issuer|rita", "Rita", roles=READER.roles, expires=time.time() - 1)
    late = BackMsg()
    late.rerun_script.query_string = "doc=x"
    late.rerun_script.fragment_id = "a-part"
    late.rerun_script.cached_message_hashes.append("known")
    (before, after), sent = speak(monkeypatch, ended, [late, late])
    assert [each["type"] for each in before] == ["websocket.disconnect"]
    assert [each["type"] for each in sent] == ["websocket.accept"]
    connected, first, second, _ = after
    assert connected["type"] == "websocket.connect"
    first_run = BackMsg.FromString(first["bytes"]).rerun_script
    assert (first_run.query_string, first_run.fragment_id, list(first_run.cached_message_hashes)) == ("doc=x", "", [])
    assert BackMsg.FromString(second["bytes"]) == late


def test_after_the_end_of_a_log_in_only_what_strangers_may_send_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Identity("issuer|rita", "Rita", roles=READER.roles, expires=time.time() - 1)
    upload = BackMsg()
    upload.file_urls_request.request_id = "1"
    (before, after), _ = speak(monkeypatch, ended, [upload, upload])
    assert kinds([*before, *after]) == []


def test_another_origin_reaches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions, sent = speak(monkeypatch, READER, [BackMsg()], origin="https://elsewhere.example")
    assert sessions == []
    assert [each["type"] for each in sent] == ["websocket.close"]


def answered(login: Login | None, path: str, set_cookies: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return the headers of an answer that passed the guard."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"location", b"/"), *((b"set-cookie", each.encode()) for each in set_cookies)]
        await send({"type": "http.response.start", "status": 302, "headers": headers})

    scope = {"type": "http", "method": "GET", "path": path, "headers": []}
    loops.run(LoginGuard(app, lambda: login)(scope, None, send))  # type: ignore[arg-type]
    found: dict[str, list[str]] = {}
    for name, value in sent[0]["headers"]:
        found.setdefault(name.decode(), []).append(value.decode())
    return found


def test_cookies_are_for_encrypted_connections_alone_where_the_app_is_reached_by_these() -> None:
    set_cookies = ["_streamlit_user=x; HttpOnly", "_streamlit_xsrf=y; Path=/; Secure"]
    found = answered(LOGIN, "/oauth2callback", set_cookies)["set-cookie"]
    assert found == ["_streamlit_user=x; HttpOnly; Secure", "_streamlit_xsrf=y; Path=/; Secure"]
    local = Login("http://127.0.0.1:8501", ("default",), LOGIN.rules)
    assert answered(local, "/oauth2callback", set_cookies)["set-cookie"] == set_cookies


def test_without_a_log_in_nothing_is_refused_or_changed() -> None:
    assert LOCAL.may("admin")
    assert answered(None, "/media/x", ["a=b"]) == {"location": ["/"], "set-cookie": ["a=b"]}
    assert "set-cookie" not in answered(LOGIN, "/media/x", ["a=b"])


def test_a_clock_that_is_set_back_does_not_revive_a_log_in_that_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session is over with the first message after its end, whatever the clock says then."""
    rerun, upload = BackMsg(), BackMsg()
    rerun.rerun_script.page_name = "compare"
    upload.file_urls_request.request_id = "1"
    times = iter([READER.expires or 0.0, 0.0, 0.0, 0.0])
    monkeypatch.setattr(login_guard, "time", SimpleNamespace(time=lambda: next(times)))
    (before, after), _ = speak(monkeypatch, READER, [rerun, upload, rerun])
    assert kinds(before) == []
    assert kinds(after) == ["rerun_script", "rerun_script"], "a stranger may send no file"
