"""Files that the server has prepared for one person, each at an address that nobody can guess, for an hour.

A download button of Streamlit would hold the whole file in memory; these are sent from the disk.
"""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from chunking.runtime.files import ScratchFolder
from pages.shared.server.hosts import base_path

FOLDER = "archive"
"""First part of the path of the addresses."""

SECONDS = 3600.0


@dataclass(frozen=True)
class PreparedFile:
    """A file that can be downloaded.

    Attributes:
        token: the last part of its address.
        owner: for whom it was prepared.
        path: where it is; a file in a folder of its own.
        name: that the browser gives it.
        until: when it is deleted, by :func:`time.monotonic`.
    """

    token: str
    owner: str
    path: Path
    name: str
    until: float

    @property
    def address(self) -> str:
        """The address, from that of a page."""
        return f"{FOLDER}/{self.token}"


class PreparedFiles:
    """The prepared files of this server; safe to share between threads.

    They are deleted at its end, or at the next start where it was killed.
    """

    def __init__(self) -> None:
        self._folder: ScratchFolder | None = None
        self._known: dict[str, PreparedFile] = {}
        self._lock = threading.Lock()

    def prepare(self, owner: str, name: str) -> PreparedFile:
        """Return a place for a file, to be written by the caller; earlier ones of the person are deleted."""
        now = time.monotonic()
        with self._lock:
            for earlier in list(self._known.values()):
                if earlier.owner == owner or earlier.until < now:
                    self._delete(earlier)
            if self._folder is None:
                self._folder = ScratchFolder()
            token = secrets.token_urlsafe(24)
            prepared = PreparedFile(token, owner, self._folder.path / token, name, now + SECONDS)
            self._known[token] = prepared
        return prepared

    def get(self, token: str) -> PreparedFile | None:
        """Return the file of an address; ``None`` where there is none any more."""
        with self._lock:
            file = self._known.get(token)
            if file is not None and file.until < time.monotonic():
                self._delete(file)
                file = None
        return file if file is not None and file.path.exists() else None

    def _delete(self, file: PreparedFile) -> None:
        file.path.unlink(missing_ok=True)
        del self._known[file.token]


PREPARED = PreparedFiles()


def routes() -> list[BaseRoute]:
    """Return the route of the prepared files."""
    return [Route(f"{base_path()}/{FOLDER}/{{token}}", _serve, methods=["GET"])]


async def _serve(request: Request) -> Response:
    file = PREPARED.get(request.path_params["token"])
    if file is None:
        return PlainTextResponse("This archive is not here any more. Prepare it again on the Library page.", 404)
    return FileResponse(
        file.path, media_type="application/zip", filename=file.name, headers={"Cache-Control": "no-store"}
    )
