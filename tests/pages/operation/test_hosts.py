"""A server for this machine alone takes no session under another name, and one for others names no folders."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit import config

from pages.shared.operation import hosts


@pytest.fixture(autouse=True)
def _options() -> Iterator[None]:
    names = ("server.address", "server.allowedHosts")
    before = {name: config.get_option(name) for name in names}
    yield
    for name, value in before.items():
        config.set_option(name, value)


@pytest.mark.parametrize(
    ("address", "names", "local", "allowed"),
    [
        ("127.0.0.1", [], True, ["127.0.0.1", "localhost", "::1"]),
        ("localhost", ["localhost"], True, ["127.0.0.1", "localhost", "::1"]),
        ("127.0.0.1", ["app.example.com"], False, ["app.example.com"]),
        ("127.0.0.1", ["*"], False, ["*"]),
        ("0.0.0.0", [], False, []),
        (None, [], False, []),
    ],
)
def test_who_a_server_is_for(address: str | None, names: list[str], local: bool, allowed: list[str]) -> None:
    config.set_option("server.address", address)
    config.set_option("server.allowedHosts", names)
    assert hosts.local() == local
    hosts.restrict()
    assert config.get_option("server.allowedHosts") == allowed
    assert hosts.local() == local
