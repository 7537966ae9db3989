"""A server that has just started prepares for its first visitor, whose browser needs a while to load."""

from __future__ import annotations

import ast
import asyncio
import importlib
import logging
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from chunking import isolation
from chunking.runtime import files
from pages.shared.server import garbage, hosts, logs, watchdog

_FIRST_PAGE = Path(__file__).resolve().parents[2] / "inspect.py"

_LATE_MODULES = ("pandas", "sqlalchemy")
"""Modules that Streamlit and the reviews import when they are first needed."""

_FORGET_SECONDS = 20.0
"""Seconds between two looks for documents that were deleted, or whose sessions have ended."""

_THREAD = "warm-up"
_NO_SESSION = "streamlit.runtime.scriptrunner_utils.script_run_context"
"""The logger of Streamlit that warns of caches used outside a session, which is meant here."""


@asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """Prepare in a thread of its own while the server begins to answer, and collect garbage as long as it does."""
    hosts.restrict()
    isolation.keep_warm(["chunking.work.rehearsal:rehearse"], now=True)
    files.remove_abandoned()
    logs.configure()  # again: since the app was imported, the server has set up loggers of its own
    logging.getLogger(_NO_SESSION).addFilter(lambda record: record.threadName != _THREAD)
    threading.Thread(target=prepare, name=_THREAD, daemon=True).start()
    always = [asyncio.create_task(work) for work in _always()]
    yield
    for task in always:
        task.cancel()


def _always() -> Iterator[Coroutine[object, object, None]]:
    """Yield what a server does as long as it answers."""
    yield garbage.collect_forever()
    yield _forget_forever()
    yield watchdog.watch_forever(watchdog.seconds())


async def _forget_forever() -> None:
    """Remove, now and then, what was computed of documents that were deleted, or whose sessions have ended."""
    from pages.shared.documents import session_documents
    from pages.shared.storage import session_library

    while True:
        await asyncio.sleep(_FORGET_SECONDS)
        await asyncio.to_thread(session_library.forget_again)
        await asyncio.to_thread(session_documents.forget_left)


def prepare() -> None:
    """Import what the first page imports, and segment its first document once."""
    import_as(_FIRST_PAGE)
    for name in _LATE_MODULES:
        importlib.import_module(name)
    from chunking import strategies
    from chunking.workspace import DocumentAnalysis
    from pages.shared.documents import documents
    from pages.shared.storage import session_library

    opened = documents.get(documents.FIRST)
    strategies.parse("structural").run(DocumentAnalysis(opened.document, precomputed=opened.precomputed))
    session_library.prepare()
    garbage.exempt_imported()


def import_as(page: Path) -> None:
    """Import what a page imports; the page itself is a script, which importing would run."""
    tree = ast.parse(page.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    exec(compile(tree, page, "exec"), {})
