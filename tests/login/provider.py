"""An OpenID Connect provider that runs in a test, and the ways in which one can be impersonated."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import flask
import oidc_provider_mock
import werkzeug.serving
from joserfc import jwt
from joserfc.jwk import RSAKey
from werkzeug.wrappers import Response

USERS: dict[str, dict[str, object]] = {
    "ada": {"name": "Ada Lovelace", "email": "ada@example.org", "email_verified": True},
    "other-ada": {"name": "Ada Lovelace", "email": "ada@example.com", "email_verified": True},
    "rita": {"name": "Rita Reader", "email": "rita@example.org", "email_verified": True},
    "grace": {"name": "Grace Hopper", "groups": ["staff", "chunk-admins"]},
    "mallory": {"name": "Mallory", "email": "ada@example.org", "email_verified": False},
}
"""The people of the provider; Mallory's address is one that she only claims."""

Change = Callable[[dict[str, Any], dict[str, Any]], str]
"""Returns another ID token, made of the header and the claims of the provider's."""


@dataclass
class Provider:
    """A running provider.

    Attributes:
        address: of its metadata.
        key: with which it signs.
        change: what replaces its next ID tokens; ``None``: nothing.
    """

    address: str
    key: RSAKey = field(repr=False)
    change: Change | None = field(default=None, repr=False)


@contextmanager
def run_provider(lasts: timedelta) -> Iterator[Provider]:
    """A provider whose tokens last for a while, on a free port of this machine."""
    users = [oidc_provider_mock.User(sub=sub, claims=dict(claims)) for sub, claims in USERS.items()]
    app = oidc_provider_mock.app(access_token_max_age=lasts, user_claims=users)
    provider = Provider("", _key_of(app))

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if provider.change is None or environ["PATH_INFO"] != "/oauth2/token":
            return list(app.wsgi_app(environ, start))
        made = Response.from_app(app.wsgi_app, environ)
        made.set_data(_with_another_token(made.get_data(), provider.change))
        return list(made(environ, start))

    server = werkzeug.serving.make_server("localhost", 0, answer, threaded=True)
    provider.address = f"http://localhost:{server.server_port}/.well-known/openid-configuration"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join(5)


def _key_of(app: flask.Flask) -> RSAKey:
    with app.test_request_context():
        app.preprocess_request()
        return RSAKey.import_key(flask.g.oidc_provider_mock_storage.jwk.as_dict(is_private=True))


def _with_another_token(answer: bytes, change: Change) -> bytes:
    found = json.loads(answer)
    if "id_token" in found:
        header, claims = (json.loads(_decoded(part)) for part in found["id_token"].split(".")[:2])
        found["id_token"] = change(header, claims)
    return json.dumps(found).encode()


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _encoded(part: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


_FOREIGN_KEY = RSAKey.generate_key(2048)


def signed_by_another_key(header: dict[str, Any], claims: dict[str, Any]) -> str:
    """The token as somebody signs it who does not have the provider's key, but names it."""
    return jwt.encode(header, {**claims, "sub": "grace", "groups": ["chunk-admins"]}, _FOREIGN_KEY)


def unsigned(header: dict[str, Any], claims: dict[str, Any]) -> str:
    """The token without a signature, under the algorithm "none"."""
    return f"{_encoded({**header, 'alg': 'none'})}.{_encoded(claims)}."
