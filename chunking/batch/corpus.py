"""A corpus as parts: stretches of files with a document a row, found in one pass and read one by one.

A corpus in JSON Lines or Parquet stays where it is, and no process holds more than some parts of it. Documents that are
files are listed in such a file first, by their names and hashes, and loaded where their part is made; only to be listed
are they all read by one process, whose memory their texts must fit.
"""

from __future__ import annotations

import functools
import hashlib
import json
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, overload

from chunking.batch.storage import storage
from chunking.errors import ChunkscopeError
from chunking.export import jsonl
from chunking.loading import load
from chunking.retrieval.questions import folders, tables
from chunking.retrieval.questions.data import CorpusDocument, QuestionSet, QuestionSetRemark
from chunking.retrieval.questions.reader import REPEATED, FolderReader, TextOf
from chunking.retrieval.search.passages import group_documents
from chunking.runtime import remote

PART_BYTES = 500_000
"""Size of a part in its file: some hundred pages, which a worker cuts in seconds."""


@dataclass(frozen=True)
class CorpusPart:
    """Consecutive documents of a corpus.

    Attributes:
        number: from 0, in the order of the corpus.
        file: with a document a row, of a form that :mod:`chunking.retrieval.questions.tables` reads.
        start, stop: half-open, its bytes in the file, once unpacked; of Parquet its rows.
        line: number of its first line or row, from 1.
        first: index of its first document in the corpus.
        documents: number of documents.
        digest: of all that its documents depend on.
        repeated: ids in it that an earlier part has, whose rows are left out.
        text_of: returns the text of a row; ``None`` if the rows list files of ``folder``.
        folder: of the data set.
    """

    number: int
    file: str
    start: int
    stop: int
    line: int
    first: int
    documents: int
    digest: str
    repeated: tuple[str, ...]
    text_of: TextOf | None
    folder: str


@dataclass(frozen=True, eq=False)
class PartitionedCorpus:
    """A data set whose documents are read part by part.

    Attributes:
        name: of the set.
        parts: in order.
        question_set: its questions, whose ``sources`` are :class:`StoredDocuments`; ``None`` if they are not needed.
        remarks: what was corrected or left out.
    """

    name: str
    parts: tuple[CorpusPart, ...]
    question_set: QuestionSet | None
    remarks: tuple[QuestionSetRemark, ...]

    @property
    def documents(self) -> int:
        """The number of documents."""
        return sum(part.documents for part in self.parts)

    @property
    def digest(self) -> str:
        """Of all documents and of their division into parts."""
        return fingerprint([part.digest for part in self.parts])


def fingerprint(value: object) -> str:
    """Return 16 hexadecimal digits of the hash of a value as JSON, which identify what is made of it."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


class StoredDocuments(Sequence[CorpusDocument]):
    """The documents of parts, read when they are needed.

    Args:
        parts: in order.
    """

    def __init__(self, parts: Sequence[CorpusPart]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return sum(part.documents for part in self._parts)

    def __iter__(self) -> Iterator[CorpusDocument]:
        for part in self._parts:
            yield from documents(part)

    @overload
    def __getitem__(self, index: int) -> CorpusDocument: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[CorpusDocument]: ...
    def __getitem__(self, index: int | slice) -> CorpusDocument | Sequence[CorpusDocument]:
        if isinstance(index, slice):
            return [self[item] for item in range(*index.indices(len(self)))]
        part = self._parts[part_of(self._parts, index)]
        return documents(part)[index - part.first]


def part_of(parts: Sequence[CorpusPart], document: int) -> int:
    """Return the index of the part that has a document."""
    return bisect_right(parts, document, key=lambda part: part.first) - 1


@functools.lru_cache(maxsize=8)
def documents(part: CorpusPart) -> tuple[CorpusDocument, ...]:
    """Return the documents of a part.

    Raises:
        ChunkscopeError: they do not exist any more, or have changed.
    """
    try:
        with storage.opened(part.file) as file:
            data = tables.stretch(file, part.file, part.start, part.stop)
    except OSError as error:
        raise _unreadable(part.file, error) from error
    if _digest(data, part.repeated) != part.digest:
        raise _change_error(part.file)
    if part.text_of is None:
        return tuple(_load_listed(json.loads(line), part.folder) for line in data.splitlines())
    reader = FolderReader(Path(part.folder))
    name = PurePosixPath(part.file).name
    part_documents = _parse_documents(reader, name, data, part.line, set(), set(part.repeated), part.text_of)
    if len(part_documents) != part.documents:
        raise _change_error(part.file)
    return tuple(part_documents)


def _unreadable(file: str, error: OSError) -> ChunkscopeError:
    return ChunkscopeError(f"{file} cannot be read: {error.strerror or error}.", "Check the folder.")


def _change_error(file: str) -> ChunkscopeError:
    return ChunkscopeError(f"{file} has changed while the run was going on.", "Start the run again.")


def _digest(data: bytes, repeated: Sequence[str]) -> str:
    digest = hashlib.sha256(data)
    digest.update(json.dumps(list(repeated)).encode())
    return digest.hexdigest()[:32]


def _parse_documents(
    reader: FolderReader,
    file: str,
    data: bytes,
    line: int,
    seen_ids: set[str],
    earlier: Collection[str],
    text_of: TextOf,
) -> list[CorpusDocument]:
    """Return the documents of lines, the first of which has the number ``line``; see :meth:`FolderReader.identify`."""
    lines = reader.decode(file, enumerate(data.split(b"\n"), line))  # as a file is iterated: no other end of a line
    rows = reader.identify(file, reader.parse(file, lines), seen_ids, earlier, with_doc_id=True)
    return list(reader.make_documents(rows, text_of))


class _PartitionReader(FolderReader):
    """Reads a folder, or an address, and leaves the documents of a table where they are.

    Args:
        folder: of the set.
        size: of a part, in bytes.
    """

    def __init__(self, folder: Path, size: int) -> None:
        super().__init__(folder)
        self.parts: tuple[CorpusPart, ...] = ()
        self._size = size

    def open(self, file: str) -> IO[bytes]:
        """Return a file, opened to be read."""
        return storage.opened(self.path_of(file))

    def names(self, within: str = "") -> list[str]:
        """Return the sorted names of the visible files directly in the folder, or in a subfolder of it."""
        return [path for path in self._list_paths(within, recursive=False) if "/" not in path]

    def files(self, within: str = "") -> list[str]:
        """Return the sorted paths of all visible files in the folder or in a subfolder, at any depth."""
        return [f"{within}/{path}".removeprefix("/") for path in self._list_paths(within, recursive=True)]

    def _list_paths(self, within: str, recursive: bool) -> list[str]:
        folder = f"{self.folder}/{within}".rstrip("/")
        paths = [path.removeprefix(f"{folder}/") for path in storage.listed(folder, recursive)]
        return sorted(path for path in paths if not PurePosixPath(path).name.startswith("."))

    def read_documents(self, files: Sequence[str], text_of: TextOf) -> Sequence[CorpusDocument]:
        """Return the documents of a table, to be read when they are needed."""
        parts: list[CorpusPart] = []
        earlier: set[str] = set()
        for file in files:
            path, line = self.path_of(file), 1
            for start, stop, lines in _read_blocks(path, self._size):
                data = b"".join(lines)
                seen_ids: set[str] = set()
                remarks = len(self.remarks)
                documents = _parse_documents(self, file, data, line, seen_ids, earlier, text_of)
                repeats = (remark.id for remark in self.remarks[remarks:] if remark.what == REPEATED)
                repeated = tuple(id for id in repeats if id in earlier)
                earlier |= seen_ids
                if documents:
                    stretch = _Stretch(path, start, stop, line)
                    parts.append(_part(parts, stretch, documents, data, str(self.folder), repeated, text_of))
                line += len(lines)
        self.parts = tuple(parts)
        return StoredDocuments(self.parts)


class _Stretch(NamedTuple):
    """A stretch of whole lines of a file; see :class:`CorpusPart`."""

    file: str
    start: int
    stop: int
    line: int = 1


def _part(
    before: Sequence[CorpusPart],
    stretch: _Stretch,
    documents: Sequence[CorpusDocument],
    data: bytes,
    folder: str,
    repeated: tuple[str, ...] = (),
    text_of: TextOf | None = None,
) -> CorpusPart:
    """Return the part that follows others."""
    first = before[-1].first + before[-1].documents if before else 0
    digest = _digest(data, repeated)
    return CorpusPart(len(before), *stretch, first, len(documents), digest, repeated, text_of, folder)


def _read_blocks(path: str, size: int) -> Iterator[tuple[int, int, list[bytes]]]:
    """Yield the stretches of a file, each of at least ``size`` bytes except the last: start, stop and lines."""
    try:
        with storage.opened(path) as file:
            size = max(size, tables.smallest(file, path))
            start = stop = length = 0
            lines: list[bytes] = []
            for line in tables.lines(file, path, ("_id", "text")):
                lines.append(line)
                length += len(line)
                stop += tables.units(path, line)
                if length >= size:
                    yield start, stop, lines
                    start, lines, length = stop, [], 0
            if lines:
                yield start, stop, lines
    except OSError as error:
        raise _unreadable(path, error) from error


# --- documents that are files --------------------------------------------------------------------------------------


def _list_documents(
    reader: FolderReader, documents: Sequence[CorpusDocument], path: str, size: int
) -> tuple[CorpusPart, ...]:
    """Return the parts of documents that were read from files or made of them, listed in the file ``path``.

    Args:
        reader: of the folder.
        documents: the documents.
        path: of the list.
        size: of a part, in characters.
    """
    parts: list[CorpusPart] = []
    start = 0
    with storage.replacing(path) as file:
        for _, group in group_documents(documents, size):
            data = jsonl([_list_row(reader, document) for document in group]).encode()
            file.write(data)
            stretch = _Stretch(path, start, start + len(data))
            parts.append(_part(parts, stretch, group, data, str(reader.folder)))
            start += len(data)
    return tuple(parts)


def _list_row(reader: FolderReader, document: CorpusDocument) -> dict[str, Any]:
    """Return a document in the list: its file with a hash if it was loaded from one, else its text."""
    if document.document is None:
        return {"_id": document.id, "text": document.text, "format": document.format, "lang": document.language}
    return {"_id": document.id, "sha256": hashlib.sha256(reader.content(document.id)).hexdigest()}


def _load_listed(row: dict[str, Any], folder: str) -> CorpusDocument:
    """Return the document of a row of the list."""
    if "sha256" not in row:
        return CorpusDocument(row["_id"], row["text"], row["format"], row["lang"])
    path = str(Path(folder) / row["_id"])
    data = storage.read(path)
    if data is None or hashlib.sha256(data).hexdigest() != row["sha256"]:
        raise _change_error(path)
    document = load(data, row["_id"])
    return CorpusDocument(row["_id"], document.text, document.format, document.language, document)


# --- data sets -----------------------------------------------------------------------------------------------------


def read(
    folder: Path, list_path: str, with_questions: bool, split: str | None = None, size: int = PART_BYTES
) -> PartitionedCorpus:
    """Return a data set, in any layout of :func:`chunking.retrieval.questions.folders.read`, in parts.

    Args:
        folder: of the set, or its address.
        list_path: where documents that are files are listed.
        with_questions: whether its questions are needed; if not, a folder of documents, or a table ``corpus`` or
            ``docs`` alone, suffices.
        split: name of the judgements.
        size: of a part, in bytes of its file or characters of its documents.

    Raises:
        ChunkscopeError: it is no such folder, or nothing of it can be used.
    """
    far = remote.is_address(str(folder))
    layouts = f"Name folders with {', or '.join(folders.LAYOUTS)}"
    if not far and not folder.is_dir():
        raise ChunkscopeError(f"{folder} is no folder.", f"{layouts}; commas part them.")
    reader = _PartitionReader(folder, size)
    if table := folders.table_of(reader):
        corpus = _read_rows(reader, table, with_questions, split)
    elif far and not reader.files():
        raise ChunkscopeError(f"{folder} is no folder with files.", f"{layouts}.")
    else:
        corpus = _read_files(reader, list_path, with_questions, split, size)
    if not corpus.documents:
        raise folders.no_document(reader, corpus.remarks)
    return corpus


def _read_rows(reader: _PartitionReader, table: str, with_questions: bool, split: str | None) -> PartitionedCorpus:
    try:
        question_set = folders.read_layout(reader, split)
    except ChunkscopeError:
        if with_questions or not reader.parts:
            raise
        question_set = None
    if question_set is None or not with_questions:
        files = reader.table(table)  # remarks on questions do not matter then
        remarks: Iterable[QuestionSetRemark] = (remark for remark in reader.remarks if remark.file in files)
        return PartitionedCorpus(reader.name, reader.parts, None, tuple(remarks))
    folders.check_set(reader, question_set)
    _refuse_hidden(question_set)
    return PartitionedCorpus(reader.name, reader.parts, question_set, question_set.remarks)


def _refuse_hidden(question_set: QuestionSet) -> None:
    """Raise if text is hidden from the search of a set, since a batch searches all text.

    Raises:
        ChunkscopeError: a question has hidden spans.
    """
    if question := next((question for question in question_set.questions if question.hidden), None):
        raise ChunkscopeError(
            f"Question {question.id!r:.40} of {question_set.name} is a proxy, and a batch searches its source text.",
            "Evaluate proxies with: chunkscope evaluate retrieval.",
        )


def _read_files(
    reader: _PartitionReader, list_path: str, with_questions: bool, split: str | None, size: int
) -> PartitionedCorpus:
    try:
        question_set = folders.read_set(reader, split)
    except ChunkscopeError:
        if with_questions:
            raise
        reader.remarks = []
        sources: Sequence[CorpusDocument] = reader.load_documents(folders.QUESTIONS)
        return PartitionedCorpus(
            reader.name, _list_documents(reader, sources, list_path, size), None, tuple(reader.remarks)
        )
    if with_questions:
        _refuse_hidden(question_set)
    parts = _list_documents(reader, question_set.sources, list_path, size)
    questions = replace(question_set, sources=StoredDocuments(parts)) if with_questions else None
    return PartitionedCorpus(reader.name, parts, questions, question_set.remarks)
