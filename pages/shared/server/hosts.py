"""Where the server is reached: by this machine alone or by others, and below which path."""

from __future__ import annotations

import streamlit as st
from streamlit import config

from pages.shared import identity

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def is_local() -> bool:
    """Return whether the server is for this machine alone, so that users may enter folders.

    A server behind a proxy may listen on this machine alone too, and is then told the names that visitors use.
    """
    names = st.get_option("server.allowedHosts")
    return st.get_option("server.address") in _LOOPBACK and set(names) <= set(_LOOPBACK)


def may_name_paths() -> bool:
    """Return whether the person of this session may name files and folders of the server.

    A server for this machine alone may have a log-in too: then whoever can log in is not whoever owns its files.
    """
    person = identity.current()
    return is_local() and (identity.login() is None or (person.is_known and person.may("admin")))


def restrict() -> None:
    """Let a server for this machine alone be reached by the names of this machine alone.

    A site whose own name is made to lead to this machine is of one origin with the server in the eyes of a browser:
    without this, any site that the user visits could open a session.
    """
    if is_local():
        config.set_option("server.allowedHosts", list(_LOOPBACK))


def base_path() -> str:
    """Return the beginning of every path of the app, such as ``/chunks``; empty where the app has a host to itself."""
    path = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""
