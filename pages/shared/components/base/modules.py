"""The scripts and style sheets of the pages, as files that a browser fetches once and keeps.

Their addresses mirror the source tree, so that the modules import each other as they do there, also where the app and
the library are installed in different folders. The address of the tree contains a hash of every file: whatever
changes has another address, and a browser never mixes two versions.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from chunking import web
from chunking.report.theme import PALETTES
from pages.shared.server.hosts import base_path

FOLDER = "modules"
"""First part of the path of the addresses."""

PALETTES_SHEET = "pages/shared/palettes.css"
"""Path of a style sheet without a file: the colours of the figures as variables ``--cs-<role>``."""

_SHARED = Path(__file__).parents[2]
_FOLDERS = {"chunking/web": web.FOLDER, "pages/shared": _SHARED}
"""The parts of the tree, and where they are."""

_TYPES = {".js": "text/javascript", ".css": "text/css"}
_LEFT_OUT = {"standalone"}
"""Folders of scripts that are for the HTML file alone."""

_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
_NEVER = {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class WebFile:
    """A file as browsers get it.

    Attributes:
        content: the file.
        media_type: its type, as in the header of a response.
    """

    content: bytes
    media_type: str

    @cached_property
    def compressed(self) -> bytes:
        """The content with gzip, the same on every server."""
        return gzip.compress(self.content, mtime=0)


@dataclass(frozen=True)
class ModuleTree:
    """The files by their paths in the tree, such as ``chunking/web/engine/cuts.js``."""

    files: Mapping[str, WebFile]

    @cached_property
    def version(self) -> str:
        """A hash of all paths and contents."""
        digest = hashlib.sha256()
        for path, file in sorted(self.files.items()):
            for part in (path.encode(), file.content):
                digest.update(len(part).to_bytes(8))
                digest.update(part)
        return digest.hexdigest()[:16]

    def address(self, path: str) -> str:
        """Return the address of a file, relative to the app's root."""
        if path not in self.files:
            raise KeyError(f"{path} is not among the files that browsers get")
        return f"{FOLDER}/{self.version}/{path}"


@cache
def tree() -> ModuleTree:
    """Return the files of this version; they are read once."""
    files = {
        f"{part}/{path.relative_to(folder).as_posix()}": WebFile(path.read_bytes(), _TYPES[path.suffix])
        for part, folder in _FOLDERS.items()
        for path in sorted(folder.rglob("*"))
        if path.suffix in _TYPES and not _LEFT_OUT & set(path.relative_to(folder).parts)
    }
    return ModuleTree({**files, PALETTES_SHEET: WebFile(_palettes().encode(), _TYPES[".css"])})


def path_in_tree(path: Path) -> str:
    """Return the path in the tree of a file that browsers get."""
    resolved = path.resolve()
    for part, folder in _FOLDERS.items():
        if resolved.is_relative_to(folder.resolve()):
            return f"{part}/{resolved.relative_to(folder.resolve()).as_posix()}"
    raise KeyError(f"{path} is not among the files that browsers get")


def _palettes() -> str:
    """Return the palettes as CSS variables, chosen by the attribute ``data-cs-theme`` of a component."""
    rules = (
        f"[data-cs-theme={theme}] {{ {' '.join(f'--cs-{role}: {color};' for role, color in asdict(palette).items())} }}"
        for theme, palette in PALETTES.items()
    )
    return "\n".join(rules) + "\n"


def routes() -> list[BaseRoute]:
    """Return the route of the files. It asks for no log-in: there is nothing of a person in them."""
    return [Route(f"{base_path()}/{FOLDER}/{{version}}/{{path:path}}", _serve, methods=["GET"])]


async def _serve(request: Request) -> Response:
    modules = tree()
    file = modules.files.get(request.path_params["path"])
    if file is None or request.path_params["version"] != modules.version:
        return PlainTextResponse("No such file in this version of Chunkscope. Reload the page.", 404, _NEVER)
    headers = {**_FOR_EVER, "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return Response(file.compressed, headers={**headers, "Content-Encoding": "gzip"}, media_type=file.media_type)
    return Response(file.content, headers=headers, media_type=file.media_type)
