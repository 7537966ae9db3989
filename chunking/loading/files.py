"""Files on disk, where a path may lead into an archive or a table: ``papers.zip/guide.md``, ``set.parquet/Tea.txt``."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from pathlib import Path, PurePath, PurePosixPath

from chunking.errors import ChunkscopeError
from chunking.loading import DOCUMENT_SUFFIXES, dataset, is_archive
from chunking.loading.archive import open_archive
from chunking.loading.dataset import Member

_SHOWN = 10
_HERE = PurePath()

File = tuple[str, Callable[[], bytes]]
"""Path of a file, and what reads it."""

OnFailure = Callable[[ChunkscopeError], None]
"""Takes the error of a file, after which the others are read."""


@dataclass(frozen=True, eq=False)
class Search:
    """Which files of folders are documents, and what becomes of the others.

    Attributes:
        include: patterns of the files that are taken, of their path in the folder or their name, where ``*`` stands for
            slashes too; empty for the suffixes of documents.
        exclude: patterns of files that are left out.
        on_failure: takes the error of a file that cannot be read; ``None`` raises it.
        skipped: how many files were left out, by the reason.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    on_failure: OnFailure | None = None
    skipped: Counter[str] = field(default_factory=Counter)

    def takes(self, path: PurePath, *, in_dataset: bool) -> bool:
        """Return whether a file of a folder is taken, by its path in it; count it if not."""
        if _is_hidden(path):
            reason = "hidden"
        elif _matches(path, self.exclude):
            reason = "excluded"
        elif self.include:
            reason = "" if _matches(path, self.include) else "not included"
        else:
            reason = "" if path.suffix.lower() in DOCUMENT_SUFFIXES or in_dataset else "not a document"
        if reason:
            self.skipped[reason] += 1
        return not reason


def _is_hidden(path: PurePath) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _matches(path: PurePath, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(path.as_posix(), pattern) or fnmatchcase(path.name, pattern) for pattern in patterns)


def _guarded(members: Iterator[Member], on_failure: OnFailure | None) -> Iterator[Member]:
    """Yield members until one cannot be read."""
    try:
        yield from members
    except ChunkscopeError as error:
        if on_failure is None:
            raise
        on_failure(error)


def read(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        ChunkscopeError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ChunkscopeError(
            f"{path} cannot be read: {error.strerror}.", "Check the path and its permissions."
        ) from error


def read_document(path: Path) -> tuple[str, bytes]:
    """Return the name and bytes of a document: of a file, of one in an archive or table, or of the only one in it.

    Raises:
        ChunkscopeError: it cannot be read, or there are several documents and the path names none of them.
    """
    outer = next((parent for parent in path.parents if parent.is_file()), path)
    data = read(outer)
    if is_archive(data, outer.name):
        archive = open_archive(data, outer.name)
        name = _document_name(path, outer, archive.documents(), "an archive")
        return name, archive.read(name)
    if dataset.is_collection(data, outer.name, outer != path):
        members = dict(dataset.documents(data, outer.name))
        name = _document_name(path, outer, list(members), "a table")
        return name, members[name]
    return path.name, read(path) if outer != path else data


def read_documents(path: Path, search: Search | None = None) -> Iterator[Member]:
    """Yield the name and bytes of each document of a file, an archive, a table or a folder.

    Raises:
        ChunkscopeError: it cannot be read, or has none.
    """
    search = search or Search()
    if path.is_dir():
        yield from _in_folder(path, search)
        return
    if not path.is_file():
        yield Member(*read_document(path))
        return
    yield from unpacked([(path.name, partial(read, path))], on_failure=search.on_failure)


def unpacked(
    files: Iterable[File],
    folders: frozenset[str] | None = None,
    on_failure: OnFailure | None = None,
    *,
    archives: bool = True,
) -> Iterator[Member]:
    """Yield files as documents, each archive and table as those in it, without the cards of data sets.

    Args:
        files: path and contents of each file.
        folders: those that are data sets; ``None`` to find them by the cards among the files.
        on_failure: takes the error of a file that cannot be read.
        archives: whether archives are opened; those in an archive never are.

    Raises:
        ChunkscopeError: one cannot be read, and there is no ``on_failure``.
    """
    if folders is None:
        files = tuple(files)
        folders = _dataset_folders(files)
    for path, read_ in files:
        if not dataset.is_auxiliary(path, folders):
            yield from _guarded(_members(path, read_, folders, on_failure, archives), on_failure)


def _members(
    path: str, read_: Callable[[], bytes], folders: frozenset[str], on_failure: OnFailure | None, archives: bool
) -> Iterator[Member]:
    """Yield the documents of a file."""
    data = read_()
    if archives and is_archive(data, path):
        archive = open_archive(data, path)
        members = [(name, partial(archive.read, name)) for name in archive.documents()]
        yield from unpacked(members, on_failure=on_failure, archives=False)
    elif dataset.is_collection(data, path, dataset.in_dataset(path, folders)):
        yield from dataset.documents(data, path)
    else:
        yield Member(path, data)


def _dataset_folders(files: Sequence[File]) -> frozenset[str]:
    return dataset.dataset_folders((path, read_()) for path, read_ in files if PurePosixPath(path).name == dataset.CARD)


def find_documents(paths: Iterable[Path], search: Search | None = None) -> Iterator[tuple[Path, str, bytes]]:
    """Yield path, name and bytes of the documents that paths name, each once, in order.

    A folder stands for the documents in it and below, without hidden files, data (JSON, YAML, CSV) and source code
    outside data sets, which a pattern reaches (``docs/**/*.json``). A path that does not exist and has ``*``, ``?`` or
    ``[`` is a pattern. An archive or a table stands for the documents in it.

    Args:
        paths: of files, folders, patterns, archives and tables.
        search: what is a document in a folder, and what becomes of errors.

    Raises:
        ChunkscopeError: a folder holds no document, no file matches a pattern, or a file cannot be read, and there is
            no ``on_failure``.
    """
    search = search or Search()
    documents: set[Path] = set()
    roots = tuple(dict.fromkeys(match for pattern in paths for match in _matching(pattern)))
    for path in roots:
        folder = path.parent if path.is_dir() else path
        for name, data in _guarded(read_documents(path, search), search.on_failure):
            document = path if name == path.name else folder / name
            if document in documents:
                continue
            if len(roots) > 1 or not path.is_dir():  # in one folder, no file is found twice
                documents.add(document)
            yield document, name, data


def _matching(path: Path) -> list[Path]:
    if path.exists() or not glob.has_magic(str(path)):
        return [path]
    matches = sorted(file for file in map(Path, glob.iglob(str(path), recursive=True)) if file.is_file())
    if not matches:
        raise ChunkscopeError(f"No file matches {path}.", "Check the pattern and the folder that it begins in.")
    return matches


def _in_folder(path: Path, search: Search) -> Iterator[Member]:
    # Looked through twice rather than kept: a folder may have more files than there is memory for.
    cards = [file for file in _files_in(path) if file.name == dataset.CARD and not _is_hidden(file)]
    folders = _dataset_folders([_in_parent(path, file) for file in cards])
    entries = ((_in_parent(path, file), file) for file in _files_in(path))
    members = (entry for entry, file in entries if search.takes(file, in_dataset=dataset.in_dataset(entry[0], folders)))
    first = next(members, None)
    if first is None:
        raise ChunkscopeError(f"{path} holds no document.", "Name files, or a pattern such as 'docs/**/*.json'.")
    yield from unpacked(chain((first,), members), folders, search.on_failure)


def _files_in(folder: Path, below: PurePath = _HERE) -> Iterator[PurePath]:
    """Yield the files in a folder and below, by their paths in it, in the order of these paths."""
    try:
        with os.scandir(folder / below) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except PermissionError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _files_in(folder, below / entry.name)
        elif entry.is_file():
            yield below / entry.name


def _in_parent(folder: Path, file: PurePath) -> File:
    """Return a file of a folder, by its path in the folder above that."""
    path = folder / file
    return path.relative_to(folder.parent).as_posix(), partial(read, path)


def _document_name(path: Path, outer: Path, names: Sequence[str], container: str) -> str:
    """Return the name of the document that a path leads to.

    Raises:
        ChunkscopeError: it leads to none.
    """
    name = path.relative_to(outer).as_posix() if outer != path else names[0] if len(names) == 1 else ""
    if name not in names:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise ChunkscopeError(
            f"{outer} is {container} with {', '.join(names[:_SHOWN])}{more}.", f"Name one of them: {outer}/{names[0]}"
        )
    return name


def write(path: Path, content: bytes, *, folders: bool = True) -> None:
    """Write a file.

    Args:
        path: of the file.
        content: its bytes.
        folders: whether folders above it that are missing are made.

    Raises:
        ChunkscopeError: it cannot be written.
    """
    try:
        if folders:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> ChunkscopeError:
    """Return the error for a file that cannot be written."""
    return ChunkscopeError(f"{path} cannot be written: {error.strerror}.", "Check the path and its permissions.")
