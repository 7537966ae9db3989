"""Documents read from their files: what is quick at once, the rest as a task."""

from __future__ import annotations

from functools import partial

from chunking import loading
from chunking.document import Document
from chunking.embedding.vector_cache import VectorCache
from chunking.library.contract import LibraryDocument
from chunking.library.reading import read_again
from chunking.loading import FORMATS, LoadParameters
from chunking.runtime.progress import Tell
from chunking.work.task import Task

_SHORT = 2**20
"""Bytes of a text below which it is read at once: at most half a second."""

_WHAT = "reading"


def is_quick(format: str, size: int) -> bool:
    """Return whether a file of a format is read at once: a text that is not long."""
    return FORMATS[format].kind != "binary" and size < _SHORT


def loading_task(data: bytes, name: str) -> Task:
    """Return the task that loads a file with the parameters that it has by default."""
    return Task(_load, (data, name), portable=_is_portable(loading.format_of(data, name).name))


def library_task(entry: LibraryDocument, data: bytes) -> Task:
    """Return the task that reads a document of the library from its file."""
    return Task(_read_again, (entry, data), portable=_is_portable(entry.format))


def _is_portable(format: str) -> bool:
    # A binary format is read by a process that may do nothing else; a worker would only wait for it.
    return FORMATS[format].kind != "binary"


def _load(data: bytes, name: str, _: VectorCache | None, tell: Tell) -> Document:
    return loading.load(data, name, params=LoadParameters(), progress=partial(tell, _WHAT))


def _read_again(entry: LibraryDocument, data: bytes, _: VectorCache | None, tell: Tell) -> Document:
    return read_again(entry, data, partial(tell, _WHAT))
