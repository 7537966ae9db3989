"""Files that are no documents, read in processes of their own: tables of documents, settings, chunks, references and
reviews.

Their formats are as hostile as those of documents, and what is in them is matched with the text of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Any, TypeVar

import numpy as np

from chunking import isolation
from chunking.alignment import Piece, uploads
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.isolation import Call, Limits, errors, message, typed
from chunking.isolation.message import Message, demand, strings
from chunking.loading import dataset, tables, wire
from chunking.loading.dataset import Member
from chunking.reference import Reference
from chunking.reference import files as gold
from chunking.reference.relocation import Anchor, Relocation, relocate
from chunking.review import exchange
from chunking.review.exchange import ExistingReviews, Imported
from chunking.runtime import structured
from chunking.settings import reading
from chunking.work import measures

LIMITS = Limits(wall=60.0, cpu=30, niceness=5, slots="measure")
"""Limits of what is read here."""

T = TypeVar("T")


def read_chunks(data: bytes, name: str) -> tuple[Piece, ...]:
    """Return the pieces in a file, as :func:`chunking.alignment.uploads.read` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: as of that function, or the process failed.
    """
    structured.check_file(data, name, uploads.LIMIT)
    kind = tuple[Piece, ...]
    found: tuple[Piece, ...] = _run("_read_chunks", {"name": name}, data, name, kind, _libraries(data, name))
    return found


def _libraries(data: bytes, name: str) -> tuple[str, ...]:
    """Return what reads a file, to be imported before the limits are set."""
    return ("pyarrow.parquet", "pyarrow.ipc") if tables.is_table(data, name) else ()


def read_collection(data: bytes, name: str, in_dataset: bool) -> tuple[Member, ...] | None:
    """Return the documents in a file that holds several, see :mod:`chunking.loading.dataset`; ``None`` for any other.

    Args:
        data: the file.
        name: its name.
        in_dataset: whether it is in a folder of a data set.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the file is damaged or has no text, or the process failed.
    """
    if not dataset.may_be_collection(data, name):
        return None
    call = Call(f"{__name__}:_read_collection", {"name": name, "in_dataset": in_dataset}, _libraries(data, name))
    answer = isolation.run(call, data, name, LIMITS)
    with errors.checked(name):
        received = message.unpack(answer, {})
        names = strings(received.header.get("names", []))
        demand(len(names) == len(received.texts))
    members = tuple(Member(each, text.encode()) for each, text in zip(names, received.texts, strict=True))
    return members or None


def find_dataset_folders(cards: Sequence[tuple[str, bytes]]) -> frozenset[str]:
    """Return the folders that are data sets, as :func:`chunking.loading.dataset.dataset_folders` does; a card that
    cannot be read makes none.
    """
    folders: set[str] = set()
    for path, data in cards:
        with suppress(ChunkscopeError):
            found: bool = _run("_is_card", {"path": path}, data[: dataset.HEAD], path, bool)
            folders |= {PurePosixPath(path).parent.as_posix()} if found else set()
    return frozenset(folders)


def parse_toml(data: bytes, name: str) -> dict[str, Any]:
    """Return the table of a settings file, as :func:`chunking.settings.reading.parse_toml` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: it is not TOML, or the process failed.
    """
    found: dict[str, Any] = _run("_parse_toml", {"name": name}, data, name, dict[str, Any])
    return found


def read_reference(data: bytes, name: str, document: Document) -> Reference:
    """Return the reference of a document from a file, as :func:`chunking.reference.read` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: as of that function, or the process failed.
    """
    structured.check_file(data, name, gold.LIMIT)
    found: Reference = _run("_read_reference", {"name": name}, _pack(document, data), name, Reference)
    with errors.checked(name):
        for offset in (*found.boundaries, *found.rejected, *found.added):
            demand(0 <= offset <= len(document.text))
    return found


def import_reviews(
    data: bytes, name: str, document: Document, reviewer: str, known: ExistingReviews | None = None
) -> Imported:
    """Return the events that import a file, as :func:`chunking.review.exchange.imported` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: as of that function, or the process failed.
    """
    structured.check_file(data, name, gold.LIMIT)
    arguments = {"name": name, "reviewer": reviewer, "known": _encode(known)}
    return _checked(_run("_import_reviews", arguments, _pack(document, data), name, Imported), document)


def relocate_reviews(older: ExistingReviews, document: Document, known: ExistingReviews | None = None) -> Imported:
    """Return the events that transfer reviews, as :func:`chunking.review.exchange.relocated` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    arguments = {"older": _encode(older), "known": _encode(known)}
    return _checked(_search("_relocate_reviews", arguments, document, Imported), document)


def relocate_anchors(anchors: Sequence[Anchor], document: Document) -> Relocation:
    """Return the places of anchors in a document, as :func:`chunking.reference.relocation.relocate` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    given = {"anchors": [asdict(each) for each in anchors]}
    found: Relocation = _search("_relocate_anchors", given, document, Relocation)
    with errors.checked(document.name):
        demand(all(0 <= offset <= len(document.text) for offset in found.found.values()))
    return found


def _search(function: str, arguments: Mapping[str, Any], document: Document, kind: type[T]) -> T:
    with errors.reworded("The search for the places of the reviews", document.name, "Judge this text again."):
        return _run(function, arguments, _pack(document), document.name, kind)


def _checked(found: Imported, document: Document) -> Imported:
    with errors.checked(document.name):
        for event in found.events:
            demand(event.document == document.text_hash, 0 <= event.offset <= len(document.text))
            demand(event.target is None or 0 <= event.target <= len(document.text))
    return found


def _run(
    function: str, arguments: Mapping[str, Any], data: bytes, name: str, kind: type[T], libraries: Sequence[str] = ()
) -> T:
    answer = isolation.run(Call(f"{__name__}:{function}", arguments, libraries), data, name, LIMITS)
    with errors.checked(name):
        found: T = typed.decode(answer, kind)
        return found


def _pack(document: Document, data: bytes = b"") -> bytes:
    return measures.pack_document(document, file=np.frombuffer(data, dtype=np.uint8))


def _encode(reviews: ExistingReviews | None) -> str:
    return typed.encode(reviews).decode()


# The functions below run in a process of their own.


def _unpack(data: bytes) -> tuple[Document, bytes]:
    received = message.unpack(data, measures.TYPES)
    return wire.document_of(received), received.array("file").tobytes()


def _decode(reviews: str) -> ExistingReviews | None:
    data = reviews.encode()
    decoded: ExistingReviews | None = typed.decode(data, ExistingReviews | None)
    return decoded


def _read_chunks(data: bytes, name: str) -> bytes:
    return typed.encode(uploads.read(data, name))


def _read_collection(data: bytes, name: str, in_dataset: bool) -> bytes:
    members = dataset.documents(data, name) if dataset.is_collection(data, name, in_dataset) else ()
    names = [member.name for member in members]
    return message.pack(Message({"names": names}, [member.data.decode() for member in members]), {})


def _is_card(data: bytes, path: str) -> bytes:
    return typed.encode(bool(dataset.dataset_folders([(path, data)])))


def _parse_toml(data: bytes, name: str) -> bytes:
    return typed.encode(reading.parse_toml(data, name))


def _read_reference(data: bytes, name: str) -> bytes:
    document, file = _unpack(data)
    return typed.encode(gold.read(file, name, document))


def _import_reviews(data: bytes, name: str, reviewer: str, known: str) -> bytes:
    document, file = _unpack(data)
    return typed.encode(exchange.imported(file, name, document, reviewer, _decode(known)))


def _relocate_reviews(data: bytes, older: str, known: str) -> bytes:
    document, _ = _unpack(data)
    given = _decode(older)
    return typed.encode(exchange.relocated(given, document, _decode(known)) if given else Imported(()))


def _relocate_anchors(data: bytes, anchors: Sequence[Mapping[str, Any]]) -> bytes:
    document, _ = _unpack(data)
    return typed.encode(relocate([Anchor(**each) for each in anchors], document.text))
