"""The settings of the log-in, read once and checked in one place: ``[auth]`` and ``[chunkscope]`` of the secrets file.

Without ``[auth]`` there is no log-in, and nothing else of it is imported. What was read holds until the server ends, so
that no later change of the file can open a running server to everybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit import config

from chunking import ChunkscopeError
from chunking.installation import optional
from chunking.store.identity import Rules

CALLBACK = "/oauth2callback"
SECRET_LENGTH = 32
_LOCAL = ("localhost", "127.0.0.1", "::1")
_CLIENT = ("client_id", "client_secret", "server_metadata_url")
_DEFAULT = "default"
_MAKE_SECRET = 'python -c "import secrets; print(secrets.token_urlsafe(48))"'


@dataclass(frozen=True)
class Login:
    """The log-in of this server.

    Attributes:
        origin: scheme and host of the app's address, as browsers name it.
        providers: name of each provider's section; ``default`` where there is but one.
        rules: what the claims of a log-in are worth.
    """

    origin: str
    providers: tuple[str, ...]
    rules: Rules

    @property
    def is_secure(self) -> bool:
        """Return whether browsers reach the app by HTTPS."""
        return self.origin.startswith("https:")


@cache
def login() -> Login | None:
    """Return the log-in of this server, or ``None`` where there is none.

    Raises:
        ChunkscopeError: a setting is missing or invalid.
    """
    secrets = _secrets()
    auth, chunkscope = secrets.get("auth"), secrets.get("chunkscope", {})
    if auth is None:
        if chunkscope.get("roles") or chunkscope.get("access"):
            raise ChunkscopeError(
                "The secrets file gives roles in [chunkscope], but has no log-in.",
                "Add the section [auth], or remove [chunkscope.roles] and [chunkscope.access].",
            )
        return None
    _check_packages()
    _check_server()
    _check_secret(auth)
    origin = _origin(auth)
    providers = _providers(auth)
    return Login(origin, providers, Rules.read(chunkscope.get("roles", {}), chunkscope.get("access", {})))


def check_at_start() -> None:
    """End a server whose log-in has an invalid setting before it answers anybody."""
    try:
        login()
    except ChunkscopeError as error:
        raise SystemExit(f"Chunkscope does not start: {error}") from None


def _secrets() -> Mapping[str, Any]:
    return st.secrets.to_dict() if st.secrets.load_if_toml_exists() else {}


def _invalid(problem: str, remedy: str) -> ChunkscopeError:
    return ChunkscopeError(f"{problem}.", f"{remedy} See docs/guide/login.md.")


def _check_packages() -> None:
    for module in ("authlib", "httpx", "joserfc"):
        optional(module, "app", "The log-in")


def _check_server() -> None:
    for name in ("server.enableXsrfProtection", "server.enableCORS"):
        if not config.get_option(name):
            raise _invalid(f"{name} is off, which a log-in needs", f"Remove {name} from Streamlit's settings.")
    if config.get_option("server.trustedUserHeaders"):
        raise _invalid(
            "server.trustedUserHeaders would replace what the log-in says", "Remove it from Streamlit's settings."
        )


def _check_secret(auth: Mapping[str, Any]) -> None:
    secret = auth.get("cookie_secret")
    if not secret:
        raise _invalid("cookie_secret is missing in [auth]", f"Make one: {_MAKE_SECRET}")
    if not isinstance(secret, str) or len(secret) < SECRET_LENGTH or len(set(secret)) < 8:
        raise _invalid(
            f"cookie_secret in [auth] can be guessed: it needs {SECRET_LENGTH} random characters",
            f"Make one: {_MAKE_SECRET}",
        )


def _origin(auth: Mapping[str, Any]) -> str:
    url = str(auth.get("redirect_uri", "")).replace("{port}", str(config.get_option("server.port")))
    address = urlsplit(url)
    if not url.endswith(CALLBACK) or not address.hostname:
        raise _invalid(
            f"redirect_uri in [auth] is {url!r:.80}", f"It must be https://, the host of the app, and {CALLBACK}."
        )
    _check_encrypted("redirect_uri", url)
    return f"{address.scheme}://{address.netloc}"


def _check_encrypted(name: str, address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL):
        raise _invalid(f"{name} in [auth] is not encrypted", "Use https://, except on this machine alone.")


def _providers(auth: Mapping[str, Any]) -> tuple[str, ...]:
    sections = {
        name: content for name, content in auth.items() if isinstance(content, Mapping) and name != "client_kwargs"
    }
    if any(name in auth for name in _CLIENT):
        sections = {_DEFAULT: auth} | sections
    if not sections:
        raise _invalid("[auth] names no provider", f"Add {', '.join(_CLIENT)}.")
    for name, section in sections.items():
        missing = [key for key in _CLIENT if not section.get(key)]
        if missing:
            where = "[auth]" if name == _DEFAULT else f"[auth.{name}]"
            raise _invalid(f"{', '.join(missing)} is missing in {where}", "The provider's own pages show it.")
        if "_" in name:
            raise _invalid(f"The provider [auth.{name}] has an underscore in its name", "Rename it.")
        _check_encrypted("server_metadata_url", str(section["server_metadata_url"]))
    return tuple(sections)
