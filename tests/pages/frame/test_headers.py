"""What the headers allow a browser: this server, and what the page itself makes."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.shared.frame import headers

OWN = {"'self'", "'none'", "data:", "blob:"}


@pytest.fixture(scope="module")
def client() -> TestClient:
    def answer(request: object) -> PlainTextResponse:
        return PlainTextResponse("tea", headers={"X-Frame-Options": "ALLOWALL", "Referrer-Policy": "unsafe-url"})

    return TestClient(Starlette(routes=[Route("/", answer)], middleware=list(headers.MIDDLEWARE)))


def policy(client: TestClient) -> dict[str, list[str]]:
    parts = (part.split() for part in client.get("/").headers["Content-Security-Policy"].split(";"))
    return {name: sources for name, *sources in parts}


def test_no_address_outside_the_server_may_be_loaded(client: TestClient) -> None:
    for name, sources in policy(client).items():
        allowed = OWN | ({"'unsafe-inline'"} if name == "style-src" else set())
        others = set(sources) - allowed
        assert others == set() or name == "script-src"
        assert all(re.fullmatch("'sha256-[A-Za-z0-9+/=]{44}'", each) for each in others), name


def test_what_does_not_follow_the_default_is_named(client: TestClient) -> None:
    found = policy(client)
    assert found["default-src"] == ["'self'"]
    assert found["frame-ancestors"] == found["form-action"] == found["object-src"] == ["'none'"]
    assert found["base-uri"] == ["'self'"]
    assert "data:" not in found["script-src"]


@pytest.mark.parametrize("path", ["/", "/none"])
def test_another_site_neither_reads_an_answer_nor_shows_it_in_a_frame(client: TestClient, path: str) -> None:
    found = client.get(path, headers={"Origin": "http://elsewhere.invalid"}).headers
    assert found["X-Frame-Options"] == "DENY"
    assert found["Referrer-Policy"] == "no-referrer"
    assert found["X-Content-Type-Options"] == "nosniff"
    assert found["Cross-Origin-Opener-Policy"] == found["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in found


def test_a_page_may_use_no_device(client: TestClient) -> None:
    allowed = client.get("/").headers["Permissions-Policy"].split(", ")
    assert {each.partition("=")[0] for each in allowed} >= {"camera", "microphone", "geolocation"}
    assert all(each.endswith("=()") for each in allowed)
