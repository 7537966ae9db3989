"""A server for this machine alone takes no session under another name, and one for others names no folders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
import streamlit as st
from streamlit import config

from chunking.store import Library
from chunking.store.folders import Scan, WatchedFolders
from chunking.store.identity import Identity, Role
from pages.shared import identity
from pages.shared.library import folders
from pages.shared.server import hosts


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
    assert hosts.is_local() == local
    hosts.restrict()
    assert config.get_option("server.allowedHosts") == allowed
    assert hosts.is_local() == local


@pytest.mark.parametrize(
    ("roles", "may"),
    [(None, True), ((), False), (("reader", "reviewer"), False), (("reader", "reviewer", "admin"), True)],
)
def test_with_a_log_in_only_an_administrator_names_folders(
    monkeypatch: pytest.MonkeyPatch, roles: tuple[Role, ...] | None, may: bool
) -> None:
    config.set_option("server.address", "127.0.0.1")
    config.set_option("server.allowedHosts", [])
    if roles is not None:
        monkeypatch.setattr(identity, "login", lambda: object())
        monkeypatch.setattr(identity, "current", lambda: Identity("idp|rita", "Rita", roles=frozenset(roles)))
    assert hosts.may_name_paths() == may
    config.set_option("server.address", "0.0.0.0")
    assert not hosts.may_name_paths()


def test_a_reader_who_sends_a_folder_watches_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(hosts, "may_name_paths", lambda: False)
    watched: list[str] = []
    monkeypatch.setattr(folders, "library", lambda: watched.append("library"))
    st.session_state["_library_folder"] = str(tmp_path)
    folders._take()
    assert watched == []


def test_a_folder_that_is_watched_is_not_scanned_for_who_may_name_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "may_name_paths", lambda: False)
    watched = Watched()
    assert folders._scan(cast(Library, None), cast(WatchedFolders, watched), "notes")
    assert watched.scanned == []
    assert folders._REPORTS.get()["notes"] == [str(folders._NO_FOLDERS)]


class Watched:
    """Folders that note which of them are scanned."""

    def __init__(self) -> None:
        self.scanned: list[str] = []

    def scan(self, id: str) -> Scan:
        self.scanned.append(id)
        return Scan((), (), (), 0)
