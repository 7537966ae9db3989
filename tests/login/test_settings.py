"""What the log-in's settings may be, and that a server with wrong ones does not start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit import config

from chunking import ChunkscopeError
from pages.shared.identity import login
from tests.login.conftest import start

GOOD: dict[str, Any] = {
    "redirect_uri": "https://chunks.example.org/oauth2callback",
    "cookie_secret": "0123456789abcdef0123456789abcdef",
    "client_id": "chunkscope",
    "client_secret": "between the two",
    "server_metadata_url": "https://login.example.org/.well-known/openid-configuration",
}
ROLES = {"roles": {"reader": ["*"]}}


@pytest.fixture(autouse=True)
def _read_anew() -> Iterator[None]:
    login.cache_clear()
    yield
    login.cache_clear()


def put(patch: pytest.MonkeyPatch, secrets: dict[str, Any]) -> None:
    patch.setattr(type(st.secrets), "load_if_toml_exists", lambda self: True)
    patch.setattr(type(st.secrets), "to_dict", lambda self: secrets)


def test_without_a_secrets_file_there_is_no_log_in() -> None:
    assert login() is None


def test_secrets_of_something_else_are_no_log_in(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, {"database": {"password": "x"}})
    assert login() is None


def test_a_log_in_with_one_provider_and_with_several(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, {"auth": GOOD, "chunkscope": ROLES})
    found = login()
    assert found is not None
    assert (found.origin, found.providers, found.is_secure) == ("https://chunks.example.org", ("default",), True)
    login.cache_clear()
    client = {name: GOOD[name] for name in ("client_id", "client_secret", "server_metadata_url")}
    shared = {name: GOOD[name] for name in ("redirect_uri", "cookie_secret")}
    put(monkeypatch, {"auth": {**shared, "one": client, "two": client}, "chunkscope": ROLES})
    found = login()
    assert found is not None and found.providers == ("one", "two")


@pytest.mark.parametrize(
    "change, word",
    [
        ({"cookie_secret": None}, "cookie_secret is missing"),
        ({"cookie_secret": ""}, "cookie_secret is missing"),
        ({"cookie_secret": "short"}, "can be guessed"),
        ({"cookie_secret": "x" * 64}, "can be guessed"),
        ({"redirect_uri": None}, "redirect_uri"),
        ({"redirect_uri": "https://chunks.example.org/"}, "redirect_uri"),
        ({"redirect_uri": "http://chunks.example.org/oauth2callback"}, "not encrypted"),
        ({"server_metadata_url": "http://login.example.org/x"}, "not encrypted"),
        ({"client_id": None}, "client_id is missing"),
        ({"client_secret": None}, "client_secret is missing"),
        ({"two": {"client_id": "x"}}, "client_secret, server_metadata_url is missing in [auth.two]"),
    ],
)
def test_a_setting_that_is_missing_or_weak_is_refused(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], word: str
) -> None:
    auth = {name: value for name, value in {**GOOD, **change}.items() if value is not None}
    put(monkeypatch, {"auth": auth, "chunkscope": ROLES})
    with pytest.raises(ChunkscopeError, match=word.replace("[", r"\[")) as error:
        login()
    assert error.value.remedy
    assert "between the two" not in str(error.value) and str(change.get("cookie_secret") or "?") not in str(error.value)


def test_a_log_in_under_which_nobody_has_a_role_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, {"auth": GOOD})
    with pytest.raises(ChunkscopeError, match="nobody has a role"):
        login()


def test_roles_without_a_log_in_are_refused_since_they_would_protect_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, {"chunkscope": ROLES})
    with pytest.raises(ChunkscopeError, match="no log-in"):
        login()


@pytest.mark.parametrize("name, value", [("server.enableXsrfProtection", False), ("server.enableCORS", False)])
def test_a_server_without_streamlits_own_protection_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    put(monkeypatch, {"auth": GOOD, "chunkscope": ROLES})
    before = config.get_option
    monkeypatch.setattr(config, "get_option", lambda asked: value if asked == name else before(asked))
    with pytest.raises(ChunkscopeError, match=name):
        login()


def test_a_server_whose_cookie_secret_is_short_ends_with_the_reason(tmp_path: Path) -> None:
    secrets = tmp_path / "secrets.toml"
    lines = [f'{name} = "{value}"' for name, value in {**GOOD, "cookie_secret": "short"}.items()]
    secrets.write_text("\n".join(["[auth]", *lines, "[chunkscope.roles]", 'reader = ["*"]']))
    with pytest.raises(RuntimeError, match="Chunkscope does not start: cookie_secret"), start(tmp_path, secrets):
        pass
