"""Where a vector store is: an address of the command line, with the keys of the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from chunking.errors import ChunkscopeError
from chunking.installation import optional
from chunking.vector_stores.base import MissingStore, VectorStore

Kind = Literal["qdrant", "chroma", "postgresql"]

FORMS = (
    "qdrant:FOLDER, qdrant+http://HOST:6333, chroma:FOLDER, chroma+http://HOST:8000 (or https), "
    "postgresql://USER@HOST:5432/DATABASE"
)
"""The forms of an address, for messages and help."""

KEYS: Mapping[Kind, str] = {"qdrant": "QDRANT_API_KEY", "chroma": "CHROMA_API_KEY", "postgresql": "PGPASSWORD"}
"""The environment variable that has the key or password of each store."""

_TITLES: Mapping[Kind, str] = {"qdrant": "Qdrant", "chroma": "Chroma", "postgresql": "PostgreSQL"}
_PORTS: Mapping[Kind, int] = {"qdrant": 6333, "chroma": 8000, "postgresql": 5432}
_OPTIONS: Mapping[Kind, tuple[str, ...]] = {
    "qdrant": (),
    "chroma": ("tenant", "database"),
    "postgresql": ("sslmode", "sslrootcert"),
}
_SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_MODULES: Mapping[Kind, tuple[str, str]] = {
    "qdrant": ("qdrant_client", "qdrant"),
    "chroma": ("chromadb", "chroma"),
    "postgresql": ("pg8000.native", "pgvector"),
}


@dataclass(frozen=True)
class StoreLocation:
    """Where a store is.

    Attributes:
        kind: which store.
        folder: of an embedded store; ``None`` for a server.
        scheme: ``"http"`` or ``"https"`` of a server that is reached by it.
        host, port: of a server.
        path: what follows the port: the prefix of a server behind a proxy, the database of PostgreSQL.
        user: of PostgreSQL.
        key: the key or password; never shown.
        options: what follows the question mark.
    """

    kind: Kind
    folder: Path | None = None
    scheme: str = ""
    host: str = ""
    port: int = 0
    path: str = ""
    user: str = ""
    key: str = field(default="", repr=False)
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def url_host(self) -> str:
        """The host as a URL has it: an IPv6 address in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host

    def __str__(self) -> str:
        """Return the store in words, without user and key."""
        if self.folder is not None:
            return f"{_TITLES[self.kind]} in {self.folder}"
        return f"{_TITLES[self.kind]} at {self.url_host}:{self.port}{f'/{self.path}' if self.path else ''}"


def parse_location(text: str) -> StoreLocation:
    """Return where a store is, see :data:`FORMS`; a key that the address lacks is taken from :data:`KEYS`.

    Raises:
        ChunkscopeError: it cannot be read, or would send a key without encryption. The message has no key.
    """
    name, colon, rest = text.partition(":")
    kind_name, plus, scheme = name.partition("+")
    kind: Kind | None = {
        "qdrant": "qdrant", "chroma": "chroma", "postgresql": "postgresql", "postgres": "postgresql",
    }.get(kind_name)  # type: ignore[assignment]  # fmt: skip
    if kind is None or not colon or not rest:
        raise _invalid("names no store that is known")
    if kind != "postgresql" and not plus:
        if rest.startswith("//"):
            raise _invalid(f"needs {kind}+http or {kind}+https before ://")
        return StoreLocation(kind, folder=Path(rest).expanduser())
    if scheme not in (("", "pg8000") if kind == "postgresql" else ("http", "https")):
        raise _invalid("has an unknown scheme")
    if not rest.startswith("//"):
        raise _invalid("has a colon without the two slashes after it")
    try:
        parts = urlsplit(f"//{rest.removeprefix('//')}")
        return _server(kind, scheme, parts, parts.port or _PORTS[kind])
    except ChunkscopeError:
        raise
    except ValueError:  # the cause may hold the key
        raise _invalid("cannot be read") from None


def _server(kind: Kind, scheme: str, parts: SplitResult, port: int) -> StoreLocation:
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if unknown := sorted(set(options) - set(_OPTIONS[kind])):
        allowed = ", ".join(_OPTIONS[kind]) or "nothing"
        raise _invalid(f"has {', '.join(unknown)} after its question mark, where only {allowed} may be")
    if options.get("sslmode", "prefer") not in _SSL_MODES:
        raise _invalid(f"has another sslmode than {', '.join(_SSL_MODES)}")
    if "sslrootcert" in options and not Path(options["sslrootcert"]).is_file():
        raise _invalid("names a file in sslrootcert that does not exist")
    user, key = unquote(parts.username or ""), unquote(parts.password or "") or os.environ.get(KEYS[kind], "").strip()
    location = StoreLocation(kind, None, scheme, parts.hostname or "localhost", port, parts.path.strip("/"), user, key,
                             options)  # fmt: skip
    if kind == "postgresql":
        if not user or not location.path:
            raise _invalid("names no user or no database")
    elif user:
        raise _invalid("has a user, where only a key after a colon may be (qdrant+https://:KEY@HOST)")
    elif key and scheme == "http" and not _is_local(location.host):
        raise ChunkscopeError(
            f"The key would be sent to {location.host} without encryption.", f"Use an address with {kind}+https://."
        )
    return location


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _invalid(why: str) -> ChunkscopeError:
    return ChunkscopeError(f"The address of the vector store {why}.", f"Give one of: {FORMS}.")


def open_store(location: StoreLocation, collection: str, *, create: bool) -> VectorStore:
    """Return a collection of a store; nothing is written yet.

    Args:
        location: where it is.
        collection: its name; a table in PostgreSQL, which may have a schema before a dot.
        create: whether the folder of an embedded store may be made; else one that does not exist is empty.

    Raises:
        ChunkscopeError: the client is not installed, or the store cannot be reached.
    """
    module, extra = _MODULES[location.kind]
    client = optional(module, extra, _TITLES[location.kind])
    if location.folder is not None and not location.folder.is_dir():
        if location.folder.exists():
            raise ChunkscopeError(f"{location.folder} is a file.", "Name the folder of the store.")
        if not create:
            return MissingStore()
    if location.kind == "qdrant":
        from chunking.vector_stores.qdrant import QdrantStore

        return QdrantStore(client, location, collection)
    if location.kind == "chroma":
        from chunking.vector_stores.chroma import ChromaStore

        return ChromaStore(client, location, collection)
    from chunking.vector_stores.postgresql import PostgresStore

    return PostgresStore(client, location, collection)
