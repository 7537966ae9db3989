"""Who a session and a request belong to."""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from chunking.store.identity import LOCAL, STRANGER, Identity
from pages.shared.identity.settings import Login, login

EXPIRED = "x-chunkscope-expired"
"""Header that the server adds to a connection whose log-in has expired, so that the page can say so."""

_BROWSER = "_streamlit_xsrf"
_MOST_RETURNS = 10_000
_returns: OrderedDict[str, str] = OrderedDict()


def current() -> Identity:
    """Return who uses this session: the local identity without a log-in, a stranger before it and after its end."""
    settings = login()
    if settings is None:
        return LOCAL
    claims = st.user.to_dict()
    return settings.rules.identity(claims, time.time()) if claims.get("is_logged_in") is True else STRANGER


def person() -> str:
    """Return whose turn it is in a queue: the subject of the log-in, or without one a digest that a browser has."""
    identity = current()
    browser = "" if identity.is_known else _key(st.context.cookies.get(_BROWSER, ""))
    return hashlib.sha256(browser.encode()).hexdigest() if browser else identity.subject


def has_expired() -> bool:
    """Return whether this browser was logged in, and the log-in has expired."""
    return st.user.get("is_logged_in") is True or EXPIRED in st.context.headers


def is_guest_allowed() -> bool:
    """Return whether people without an account may open class exercises."""
    settings = login()
    return settings is None or settings.rules.class_exercises


def log_in(provider: str, back: str) -> None:
    """Send the browser to a provider, and from there back to an address of the app."""
    browser = _key(st.context.cookies.get(_BROWSER, ""))
    if browser:
        _returns[browser] = back
        while len(_returns) > _MOST_RETURNS:
            _returns.popitem(last=False)
    st.login(None if provider == "default" else provider)


def log_out() -> None:
    """End the log-in of this browser."""
    st.logout()


def return_address(cookies: Mapping[str, str]) -> str:
    """Return the address that a browser logged in from, once; empty if it is unknown."""
    return _returns.pop(_key(cookies.get(_BROWSER, "")), "")


def _key(cookie: str) -> str:
    """Return the token in Streamlit's cookie, which masks it anew with each response."""
    from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string

    token, _ = decode_xsrf_token_string(cookie)
    return token.hex() if token else ""


USER_COOKIE = USER_COOKIE_NAME
"""Streamlit's name for it; further parts of a long one, and the tokens, have names that begin with it."""


def identity_of(cookies: Mapping[str, str], login: Login) -> Identity:
    """Return who the cookies of a request belong to; a stranger if they are missing, changed, or have expired."""
    claims = claims_of(cookies)
    if claims.get("is_logged_in") is not True or claims.get("origin") != login.origin:
        return STRANGER
    return login.rules.identity(claims, time.time())


def claims_of(cookies: Mapping[str, str]) -> dict[str, Any]:
    """Return the claims in the cookies of a request; none if there are no cookies, or somebody has changed them."""

    def read(name: str) -> bytes | None:
        value = cookies.get(name)
        return decode_signed_value(get_cookie_secret(), name, value.encode("latin-1", "replace")) if value else None

    try:
        claims = json.loads(get_cookie_with_chunks(read, USER_COOKIE) or b"{}")
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}
