"""What a server with log-in gives to those who are not logged in, and to those who pretend to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from websockets.exceptions import InvalidStatus

from pages.shared.components.base import modules
from tests.login.clock import Clock
from tests.login.conftest import LASTS
from tests.login.provider import Change, Provider, signed_by_another_key, unsigned
from tests.login.visitors import SECRET, TOKENS, USER, Shown, Socket, Visitor

PAGES = ["", "inspect", "compare", "tune", "evaluate", "review", "collection", "library", "learn"]
SAMPLE = {"doc": "field-guide-to-backups"}
TITLE = b"A field guide to backups"
"""The title of the sample."""
PLOTLY = "/component/pages.shared.components.plotly_js.plotly/plotly.min.js"

Make = Callable[[], Visitor]


# ---- guessed addresses


def test_a_reader_gets_the_document(reader: Visitor) -> None:
    shown = reader.run("", SAMPLE)
    assert TITLE in shown.data and b"Rita Reader" in shown.data
    assert not shown.is_log_in_page


@pytest.mark.parametrize("page", PAGES)
def test_a_stranger_gets_the_log_in_page_alone_for_every_page_and_document(stranger: Visitor, page: str) -> None:
    shown = stranger.run(page, SAMPLE)
    assert shown.is_log_in_page
    assert TITLE not in shown.data


@pytest.mark.parametrize(
    "path",
    [
        "/media/0123456789abcdef.csv",
        "/archive/0123456789abcdef",
        PLOTLY,
        "/component/unknown/index.html",
        "/_stcore/bidi-components/chunkscope_history/history.js",
        "/_stcore/metrics",
        "/_stcore/agent/openapi.json",
        "/_stcore/upload_file/session/file",
        "/app/static/anything",
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS"])
def test_a_stranger_is_refused_media_components_uploads_and_everything_else(
    stranger: Visitor, method: str, path: str
) -> None:
    answer = stranger.http.request(method, path)
    assert answer.status_code == 401
    assert len(answer.content) < 20


def test_a_stranger_gets_the_scripts_that_are_the_same_for_everybody(stranger: Visitor) -> None:
    """The first HTML, which comes before the log-in, names them."""
    path = "chunking/web/engine/cuts.js"
    answer = stranger.http.get(f"/{modules.tree().address(path)}")
    assert answer.status_code == 200
    assert answer.content == modules.tree().files[path].content


def test_a_stranger_who_knows_the_address_of_a_media_file_does_not_get_it(
    stranger: Visitor, reader: Visitor, exercise: tuple[str, str]
) -> None:
    code, teacher = exercise
    with reader.socket() as socket:
        address = downloaded(socket.run("learn", {"class": code, "teacher": teacher, "results": "true"}), socket)
        assert reader.http.get(address).status_code == 200
        assert stranger.http.get(address).status_code == 401


def test_a_stranger_who_knows_a_session_can_send_it_no_file_and_delete_none(stranger: Visitor, reader: Visitor) -> None:
    with reader.socket() as socket:
        address = f"/_stcore/upload_file/{socket.run('', SAMPLE).session}/a-file"
        file = {"file": ("note.txt", b"text")}
        for method in ("PUT", "DELETE"):
            for known, expected in ((stranger, 401), (reader, 204)):
                headers = {"X-Xsrftoken": known.xsrf}
                assert known.http.request(method, address, files=file, headers=headers).status_code == expected


# ---- the WebSocket


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "http://localhost:1", "null", None])
def test_a_websocket_of_another_origin_is_refused(reader: Visitor, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as refused, reader.socket(origin):
        pass
    assert refused.value.response.status_code == 403


def test_a_request_that_changes_something_from_another_origin_is_refused(reader: Visitor) -> None:
    headers = {"Origin": "https://elsewhere.example", "X-Xsrftoken": reader.xsrf}
    assert reader.http.put("/_stcore/upload_file/a/b", headers=headers).status_code == 403


def test_no_answer_lets_another_origin_read_it(reader: Visitor) -> None:
    answer = reader.http.get(PLOTLY, headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_a_session_of_somebody_else_is_not_continued(visitor: Make, reader: Visitor) -> None:
    with reader.socket() as socket:
        session = socket.run("", SAMPLE).session
    for other in (visitor(), visitor().log_in("ada")):
        with other.socket(session=session) as socket:
            shown = socket.run("", {})
            assert shown.session != session
            assert b"Rita Reader" not in shown.data


# ---- tokens


@pytest.fixture
def impersonated(provider: Provider) -> Iterator[Provider]:
    yield provider
    provider.change = None


@pytest.mark.parametrize("change", [signed_by_another_key, unsigned])
def test_a_forged_token_logs_nobody_in(stranger: Visitor, impersonated: Provider, change: Change) -> None:
    impersonated.change = change
    stranger.log_in("ada")
    assert not stranger.is_logged_in
    assert stranger.run("", SAMPLE).is_log_in_page


@pytest.mark.parametrize("claim, value", [("aud", "another-client"), ("iss", "http://elsewhere"), ("nonce", "old")])
def test_a_token_that_is_meant_for_somebody_else_logs_nobody_in(
    visitor: Make, impersonated: Provider, claim: str, value: str
) -> None:
    def signed(header: dict[str, Any], claims: dict[str, Any]) -> str:
        return jwt.encode(header, claims, impersonated.key)

    impersonated.change = signed
    assert visitor().log_in("ada").is_logged_in, "the provider's own key counts"
    impersonated.change = lambda header, claims: signed(header, {**claims, claim: value})
    assert not visitor().log_in("ada").is_logged_in


def test_an_expired_token_logs_nobody_in(stranger: Visitor) -> None:
    stranger.log_in("ada", "late")
    assert stranger.run("", SAMPLE).is_log_in_page
    assert stranger.http.get(PLOTLY).status_code == 401


def test_a_log_in_that_expires_ends_the_rights_of_an_open_websocket_too(visitor: Make, clock: Clock) -> None:
    rita = visitor().log_in("rita")
    with rita.socket() as socket:
        shown = socket.run("", SAMPLE)
        assert not shown.is_log_in_page
        session = shown.session
        clock.put_forward(2 * LASTS.total_seconds())
        for ended in (socket.run("", SAMPLE), socket.run("compare", SAMPLE)):
            assert ended.is_log_in_page and b"Your log-in has expired." in ended.data
            assert ended.session != session
    with rita.socket(session=session) as socket:
        again = socket.run("", SAMPLE)
    assert again.is_log_in_page and b"Your log-in has expired." in again.data
    assert again.session != session
    assert rita.http.get(PLOTLY).status_code == 401


def test_a_part_of_a_page_is_not_run_any_more_after_the_log_in_has_expired(
    visitor: Make, exercise: tuple[str, str], clock: Clock
) -> None:
    """Streamlit runs parts of a page without the page, and so without what the page asks for first."""
    rita = visitor().log_in("rita")
    with rita.socket() as socket:
        query = {"class": exercise[0], "teacher": exercise[1], "results": "true"}
        parts = {message.delta.fragment_id for message in socket.run("learn", query).messages} - {""}
        part = parts.pop()
        assert b"_learn_class_csv" in socket.run("learn", query, fragment=part).data
        clock.put_forward(2 * LASTS.total_seconds())
        assert socket.run("", SAMPLE, fragment=part).is_log_in_page


def test_an_authorisation_code_is_of_no_use_a_second_time(visitor: Make) -> None:
    ada = visitor()
    address = ada.callback("ada")
    before = dict(ada.http.cookies)
    ada.http.get(address)
    assert ada.is_logged_in
    thief = visitor()
    for name, value in before.items():  # with the state of the first time, too
        thief.http.cookies.set(name, value, domain="127.0.0.1")
    thief.http.get(address)
    assert not thief.is_logged_in
    assert thief.run("", SAMPLE).is_log_in_page


def test_an_answer_to_the_log_in_of_another_browser_logs_nobody_in(visitor: Make) -> None:
    """Or somebody could log a victim in under a name of his own, and read what she enters."""
    address = visitor().callback("mallory")
    victim = visitor()
    victim.http.get(address)
    assert not victim.is_logged_in
    state = parse_qs(urlsplit(address).query)["state"][0]
    victim.http.get("/oauth2callback", params={"state": state, "code": "guessed"})
    assert not victim.is_logged_in


# ---- cookies


def test_a_changed_cookie_is_no_log_in(visitor: Make) -> None:
    rita = visitor().log_in("rita")
    value = rita.http.cookies[USER].strip('"')
    for place in (5, 200, -3):
        put(rita, value[:place] + ("A" if value[place] != "A" else "B") + value[place:][1:])
        assert rita.http.get(PLOTLY).status_code == 401
        assert rita.run("", SAMPLE).is_log_in_page


def test_a_cookie_that_was_signed_with_another_secret_or_for_another_use_is_no_log_in(visitor: Make) -> None:
    rita = visitor().log_in("rita")
    claims = '{"iss": "x", "sub": "grace", "groups": ["chunk-admins"], "exp": 9999999999, "is_logged_in": true, '
    claims += f'"origin": "{rita.address}"}}'
    put(rita, create_signed_value(SECRET, USER, claims).decode())
    assert rita.http.get(PLOTLY).status_code == 200, "signed as the server signs, it counts"
    for secret, name in (("another secret of the same length, 0123456789", USER), (SECRET, TOKENS)):
        put(rita, create_signed_value(secret, name, claims).decode())
        assert rita.http.get(PLOTLY).status_code == 401
        assert rita.run("", SAMPLE).is_log_in_page


def test_a_cookie_of_another_server_with_the_same_secret_is_no_log_in(visitor: Make) -> None:
    rita = visitor()
    claims = '{"iss": "x", "sub": "rita", "email": "rita@example.org", "email_verified": true, "exp": 9999999999, '
    put(rita, create_signed_value(SECRET, USER, claims + '"is_logged_in": true, "origin": "http://a:1"}').decode())
    assert rita.http.get(PLOTLY).status_code == 401
    assert rita.run("", SAMPLE).is_log_in_page


# ---- roles


def test_an_address_that_nobody_verified_gives_no_role(visitor: Make) -> None:
    """Mallory's provider says that hers is Ada's."""
    assert b"Add your own" not in visitor().log_in("mallory").run("review", SAMPLE).data


def test_somebody_who_is_logged_in_without_a_role_gets_nothing(visitor: Make) -> None:
    mallory = visitor().log_in("mallory")
    assert mallory.is_logged_in
    shown = mallory.run("", SAMPLE)
    assert b"has no access to this server" in shown.data and TITLE not in shown.data
    assert mallory.http.get(PLOTLY).status_code == 401


# ---- helpers


def put(visitor: Visitor, value: str) -> None:
    """Put a cookie in place of the one of the log-in."""
    for name in (USER, TOKENS):
        visitor.http.cookies.delete(name)
    visitor.http.cookies.set(USER, value, domain="127.0.0.1")


def downloaded(shown: Shown, socket: Socket) -> str:
    """Click the first button of a page that downloads something, and return the address of the file."""
    buttons = [message.delta.new_element.download_button for message in shown.messages]
    message = BackMsg()
    message.backend_operation_request.request_id = "1"
    message.backend_operation_request.session_id = shown.session
    message.backend_operation_request.deferred_file.file_id = next(filter(None, (b.deferred_file_id for b in buttons)))
    socket.send(message)
    while True:
        answer = ForwardMsg.FromString(socket.connection.recv())
        if answer.WhichOneof("type") == "backend_operation_response":
            return str(answer.backend_operation_response.deferred_file.url)
