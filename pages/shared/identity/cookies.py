"""The cookie that Streamlit keeps of a log-in, read as Streamlit reads it, but not beyond the end of the log-in."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from streamlit.auth_util import get_cookie_with_chunks
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from chunking.store.identity import STRANGER, Identity
from pages.shared.identity.settings import Login

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
        found = json.loads(get_cookie_with_chunks(read, USER_COOKIE) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
