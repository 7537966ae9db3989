"""The scripts and style sheets with which a page begins, for a browser to fetch while Streamlit's own load.

Otherwise it would learn of them one after the other: of a component when Python has drawn it, of a module when the one
that imports it is there.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import cache

from chunking import web
from pages.shared.components.base import modules
from pages.shared.components.base.component import LOADER

FRAME = (
    LOADER,
    "pages/shared/components/glossary/glossary.js",
    "pages/shared/frame/history.js",
    modules.PALETTES_SHEET,
)
"""Files of every page."""

_DOCUMENT = "document_store/document_store.js"

_WORKBENCH = ("workbench/data.js", "workbench/workbench_part.js", "/chunking/web/workbench/workbench.css")

PAGES = {
    "": _WORKBENCH,
    "compare": _WORKBENCH,
    "tune": (
        "workbench/data.js",
        "tuner/tuner_part.js",
        "/chunking/web/workbench/workbench.css",
        "/chunking/web/tuning/tuner.css",
    ),
    "review": (_DOCUMENT, "review_desk/review_desk.js", "review_desk/review_desk.css"),
    "collection": ("document_list/document_list.js", "document_list/document_list.css"),
    "learn": ("browser_store/browser_store.js", "gap_picker/gap_picker.js", "gap_picker/gap_picker.css"),
}
"""Files of a page by its path, from the folder of the components or, with a slash before it, from the root of the tree:
what it draws first, to which a test holds them."""


@cache
def links(page: str) -> str:
    """Return the HTML elements that preload what a page begins with, by its path."""
    return "".join(map(_link, _files(page)))


def _files(page: str) -> dict[str, None]:
    """Return the paths in the tree of the files and of all modules that they import, each once."""
    paths = (*FRAME, *(posixpath.join("/pages/shared/components", name)[1:] for name in PAGES.get(page, ())))
    return dict.fromkeys(path for first in paths for path in _with_imports(first))


def _with_imports(path: str) -> Iterator[str]:
    files = modules.tree().files
    yield path
    if path.endswith(".js"):
        yield from web.with_imports(path, lambda name: files[name].content.decode())


def _link(path: str) -> str:
    address = f"./{modules.tree().address(path)}"
    kind = 'rel="modulepreload"' if path.endswith(".js") else 'rel="preload" as="fetch"'
    return f'<link {kind} crossorigin href="{address}">'
