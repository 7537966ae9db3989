"""Files that are no documents, read in processes of their own: tables of documents, settings, chunks, references and
reviews.

Their formats are as hostile as those of documents, and what is in them is matched with the text of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any, TypeVar

from chunking import isolation
from chunking.alignment import Piece, uploads
from chunking.alignment.relocation import Anchor, Relocation, relocate
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.isolation import Call, Limits, demand, errors
from chunking.loading import dataset
from chunking.loading.dataset import Member
from chunking.reference import Reference
from chunking.reference import files as reference_files
from chunking.review import exchange
from chunking.review.exchange import ExistingReviews, Imported
from chunking.runtime import structured
from chunking.settings import settings_file
from chunking.work.measures import bare

LIMITS = Limits(wall=60.0, cpu=30, niceness=5, slots="measure")
"""Limits of what is read here."""

Result = TypeVar("Result")


def read_chunks(data: bytes, name: str) -> tuple[Piece, ...]:
    """Return the pieces in a file, as :func:`chunking.alignment.uploads.read` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: as of that function, or the process failed.
    """
    structured.check_file(data, name, uploads.LIMIT)
    return isolation.run(Call(uploads.read, (data, name), _libraries(data, name)), name, LIMITS)


def _libraries(data: bytes, name: str) -> tuple[str, ...]:
    """Return what reads a file, to be imported before the limits are set."""
    return ("pyarrow.parquet", "pyarrow.ipc") if dataset.is_table(data, name) else ()


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
    call = Call(_read_collection, (data, name, in_dataset), _libraries(data, name))
    return isolation.run(call, name, LIMITS) or None


def find_dataset_folders(cards: Sequence[tuple[str, bytes]]) -> frozenset[str]:
    """Return the folders that are data sets, as :func:`chunking.loading.dataset.dataset_folders` does; a card that
    cannot be read makes none.
    """
    folders: set[str] = set()
    for path, data in cards:
        with suppress(ChunkscopeError):
            if isolation.run(Call(_is_card, (path, data[: dataset.HEAD])), path, LIMITS):
                folders.add(PurePosixPath(path).parent.as_posix())
    return frozenset(folders)


def parse_toml(data: bytes, name: str) -> dict[str, Any]:
    """Return the table of a settings file, as :func:`chunking.settings.settings_file.parse_toml` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: it is not TOML, or the process failed.
    """
    return isolation.run(Call(settings_file.parse_toml, (data, name)), name, LIMITS)


def read_reference(data: bytes, name: str, document: Document) -> Reference:
    """Return the reference of a document from a file, as :func:`chunking.reference.read` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: as of that function, or the process failed.
    """
    structured.check_file(data, name, reference_files.LIMIT)
    reference = isolation.run(Call(reference_files.read, (data, name, bare(document))), name, LIMITS)
    with errors.checked(name):
        for offset in (*reference.boundaries, *reference.rejected, *reference.added):
            demand(0 <= offset <= len(document.text))
    return reference


def import_reviews(
    data: bytes, name: str, document: Document, reviewer: str, existing: ExistingReviews | None = None
) -> Imported:
    """Return the events that import a file, as :func:`chunking.review.exchange.import_reviews` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: as of that function, or the process failed.
    """
    structured.check_file(data, name, reference_files.LIMIT)
    call = Call(exchange.import_reviews, (data, name, bare(document), reviewer, existing))
    return _check_imported(isolation.run(call, name, LIMITS), document)


def relocate_reviews(older: ExistingReviews, document: Document, existing: ExistingReviews | None = None) -> Imported:
    """Return the events that transfer reviews, as :func:`chunking.review.exchange.relocate_reviews` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    return _check_imported(
        _search(Call(exchange.relocate_reviews, (older, bare(document), existing)), document), document
    )


def relocate_anchors(anchors: Sequence[Anchor], document: Document) -> Relocation:
    """Return the places of anchors in a document, as :func:`chunking.alignment.relocation.relocate` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    relocation = _search(Call(relocate, (tuple(anchors), document.text)), document)
    with errors.checked(document.name):
        demand(all(0 <= offset <= len(document.text) for offset in relocation.offsets.values()))
    return relocation


def _search(call: Call[Result], document: Document) -> Result:
    with errors.reworded("The search for the places of the reviews", document.name, "Judge this text again."):
        return isolation.run(call, document.name, LIMITS)


def _check_imported(imported: Imported, document: Document) -> Imported:
    with errors.checked(document.name):
        for event in imported.events:
            demand(event.document == document.text_hash, 0 <= event.offset <= len(document.text))
            demand(event.target is None or 0 <= event.target <= len(document.text))
    return imported


# The functions below run in a process of their own.


def _read_collection(data: bytes, name: str, in_dataset: bool) -> tuple[Member, ...]:
    return dataset.documents(data, name) if dataset.is_collection(data, name, in_dataset) else ()


def _is_card(path: str, data: bytes) -> bool:
    return bool(dataset.dataset_folders([(path, data)]))
