"""A corpus as parts: stretches of files with a document a row, found in one pass and read one by one.

A corpus in JSON Lines or Parquet stays where it is, and no process holds more than some parts of it. Documents that are
files are listed in such a file first, by their names and hashes, and loaded where their part is made; only to be listed
are they all looked at by one process, whose memory their texts must fit.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, cast, overload

from chunking.batch.storage import remote, storage
from chunking.errors import ChunkscopeError
from chunking.export import jsonl
from chunking.loading import load
from chunking.retrieval.questions import folders
from chunking.retrieval.questions.data import CorpusDocument, QuestionSet, QuestionSetRemark
from chunking.retrieval.questions.folders import beir, spans, tables
from chunking.retrieval.questions.folders.reader import FolderReader

PART_BYTES = 500_000
"""Size of a part in its file: some hundred pages, which a worker cuts in seconds."""

Reads = Callable[[dict[str, Any]], str | None]
"""The text of a document from its row."""

_AGAIN = "row with an id that came before left out"


@dataclass(frozen=True)
class CorpusPart:
    """Some documents of a corpus that follow each other.

    Attributes:
        number: from 0, in the order of the corpus.
        file: with a document a row, of a form that :mod:`chunking.retrieval.questions.folders.tables` reads.
        start, stop: half-open, its bytes in the file, once unpacked; of Parquet its rows.
        line: number of its first line or row, from 1.
        first: place of its first document in the corpus.
        documents: how many there are.
        characters: of their texts.
        digest: of all that its documents depend on.
        repeated: ids in it that an earlier part has, whose rows are left out.
        reads: makes the text of a row; ``None`` where the rows list files of ``folder``.
        folder: of the data set.
    """

    number: int
    file: str
    start: int
    stop: int
    line: int
    first: int
    documents: int
    characters: int
    digest: str
    repeated: tuple[str, ...]
    reads: Reads | None
    folder: str


@dataclass(frozen=True, eq=False)
class PartitionedCorpus:
    """A data set whose documents are read part by part.

    Attributes:
        name: of the set.
        parts: in order.
        known: its questions, whose ``sources`` are a :class:`StoredDocuments`; ``None`` where they were not asked for.
        remarks: what was put right or left out.
    """

    name: str
    parts: tuple[CorpusPart, ...]
    known: QuestionSet | None
    remarks: tuple[QuestionSetRemark, ...]

    @property
    def documents(self) -> int:
        """How many there are."""
        return sum(part.documents for part in self.parts)

    @property
    def digest(self) -> str:
        """Of all documents and of how they are parted."""
        return fingerprint([part.digest for part in self.parts])


def fingerprint(made_of: object) -> str:
    """Return identity of all that makes a result: 16 hexadecimal digits of the hash of its JSON."""
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:16]


class StoredDocuments(Sequence[CorpusDocument]):
    """The documents of parts, read when they are asked for.

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
    def __getitem__(self, place: int) -> CorpusDocument: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[CorpusDocument]: ...
    def __getitem__(self, place: int | slice) -> CorpusDocument | Sequence[CorpusDocument]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        part = self._parts[part_of(self._parts, place)]
        return documents(part)[place - part.first]


def part_of(parts: Sequence[CorpusPart], place: int) -> int:
    """Return the index of the part that holds the document at a place."""
    low, high = 0, len(parts)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if parts[middle].first <= place else (low, middle)
    return low


@functools.lru_cache(maxsize=8)
def documents(part: CorpusPart) -> tuple[CorpusDocument, ...]:
    """Return the documents of a part.

    Raises:
        ChunkscopeError: they are not there any more, or have changed.
    """
    data = _stretch(part)
    if part.reads is None:
        return tuple(_listed(json.loads(line), Path(part.folder)) for line in data.splitlines())
    reader = _LineRange(Path(part.folder), _numbered(data, part.line), set(part.repeated))
    found = reader.sources(PurePosixPath(part.file).name, part.reads)
    if len(found) != part.documents:
        raise _changed(part.file)
    return found


def _stretch(part: CorpusPart) -> bytes:
    try:
        with storage.opened(part.file) as file:
            data = tables.stretch(file, part.file, part.start, part.stop)
    except OSError as error:
        raise ChunkscopeError(f"{part.file} cannot be read: {error.strerror or error}.", "Check the folder.") from error
    if _digest(data, part.repeated) != part.digest:
        raise _changed(part.file)
    return data


def _changed(file: str) -> ChunkscopeError:
    return ChunkscopeError(f"{file} has changed while the run was going on.", "Start the run again.")


def _digest(data: bytes, repeated: Iterable[str]) -> str:
    found = hashlib.sha256(data)
    found.update(json.dumps(list(repeated)).encode())
    return found.hexdigest()[:32]


def _numbered(data: bytes, first: int) -> list[tuple[int, bytes]]:
    return list(enumerate(data.split(b"\n"), first))  # as a file is iterated, which knows no other end of a line


class _LineRange(FolderReader):
    """Rows of some lines of a file, whatever file is named.

    Args:
        folder: of the set.
        lines: with their numbers.
        seen: ids of rows before, whose repetition is left out; those of these lines are added.
    """

    def __init__(self, folder: Path, lines: Sequence[tuple[int, bytes]], seen: set[str]) -> None:
        super().__init__(folder)
        self.seen = seen
        self.repeated: list[str] = []
        self._lines = lines

    def lines(self, file: str, needs: Collection[str] = ()) -> Iterator[tuple[int, str]]:
        """Return those that are not blank, with their numbers."""
        return self.decoded(file, self._lines)

    def named(
        self, file: str, rows: Iterable[tuple[int, dict[str, Any]]], called: str, known: set[str] | None = None
    ) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Yield the rows with an id that no row before has, in these lines or in those before them."""
        for number, key, row in super().named(file, rows, called, known):
            if key in self.seen:
                self.remark(file, number, key, _AGAIN)
                self.repeated.append(key)
                continue
            self.seen.add(key)
            yield number, key, row


class _PartitionReader(FolderReader):
    """A reader that leaves the documents of a table where they are.

    Args:
        folder: of the set.
        size: of a part, in bytes.
        home: where the documents are, if not in the same folder; files of questions are in both, by the same names.
    """

    def __init__(self, folder: Path, size: int, home: Path | None = None) -> None:
        super().__init__(folder, home)
        self.parts: tuple[CorpusPart, ...] = ()
        self._size = size

    def names(self, within: str) -> list[str]:
        """Return the names of the files right in the home of the documents or in a folder of it, none that is
        hidden.
        """
        there = [PurePosixPath(path).name for path in storage.listed(f"{self.home}/{within}".rstrip("/"))]
        return sorted(name for name in there if not name.startswith("."))

    def sources(self, table: str | tuple[str, ...], text: Reads) -> tuple[CorpusDocument, ...]:
        """Return the documents of a table, to be read when they are asked for."""
        parts: list[CorpusPart] = []
        seen: set[str] = set()
        first = 0
        for file in (table,) if isinstance(table, str) else table:
            for block in _blocks(f"{self.home}/{file}", self._size):
                piece = _LineRange(self.folder, _numbered(block.data, block.line), seen)
                found = piece.sources(file, text)
                self.remarks += piece.remarks
                if not found:
                    continue
                repeated = tuple(piece.repeated)
                parts.append(
                    CorpusPart(
                        number=len(parts),
                        file=f"{self.home}/{file}",
                        start=block.start,
                        stop=block.stop,
                        line=block.line,
                        first=first,
                        documents=len(found),
                        characters=sum(len(source.text) for source in found),
                        digest=_digest(block.data, repeated),
                        repeated=repeated,
                        reads=text,
                        folder=str(self.home),
                    )
                )
                first += len(found)
        self.parts = tuple(parts)
        return _stored(self.parts)


def _stored(parts: Sequence[CorpusPart]) -> tuple[CorpusDocument, ...]:
    # It is indexed, counted and iterated as the tuple is, and only that is done with it.
    return cast("tuple[CorpusDocument, ...]", StoredDocuments(parts))


@dataclass(frozen=True)
class _LineBlock:
    """A stretch of whole lines.

    Attributes:
        start, stop: as a part has them.
        line: number of the first, from 1.
        data: the lines.
    """

    start: int
    stop: int
    line: int
    data: bytes


def _blocks(path: str, size: int) -> Iterator[_LineBlock]:
    """Yield the stretches of a file, each of at least ``size`` bytes but the last."""
    try:
        with storage.opened(path) as file:
            size = max(size, tables.smallest(file, path))
            start, stop, first = 0, 0, 1
            some: list[bytes] = []
            held = 0
            for line in tables.lines(file, path, ("_id", "text")):
                some.append(line)
                held += len(line)
                stop += tables.units(path, line)
                if held >= size:
                    yield _LineBlock(start, stop, first, b"".join(some))
                    start, first = stop, first + len(some)
                    some, held = [], 0
            if some:
                yield _LineBlock(start, stop, first, b"".join(some))
    except OSError as error:
        raise ChunkscopeError(f"{path} cannot be read: {error.strerror or error}.", "Check the folder.") from error


# --- documents that are files --------------------------------------------------------------------------------------


def _in_files(
    folder: Path, sources: Sequence[CorpusDocument], list_: str, size: int, home: Path
) -> tuple[CorpusPart, ...]:
    """Return the parts of documents that were read from files, or made of them: a list of them is written to ``list_``.

    Args:
        folder: with the files.
        sources: the documents.
        list_: path of the list.
        size: of a part, in characters.
        home: where the files will be read from.
    """
    parts: list[CorpusPart] = []
    at = 0
    with storage.replacing(list_) as file:
        for first, some in _groups(sources, size):
            data = jsonl([_row(folder, source) for source in some]).encode()
            file.write(data)
            parts.append(
                CorpusPart(
                    number=len(parts),
                    file=list_,
                    start=at,
                    stop=at + len(data),
                    line=1,
                    first=first,
                    documents=len(some),
                    characters=sum(len(source.text) for source in some),
                    digest=_digest(data, ()),
                    repeated=(),
                    reads=None,
                    folder=str(home),
                )
            )
            at += len(data)
    return tuple(parts)


def _groups(sources: Sequence[CorpusDocument], size: int) -> Iterator[tuple[int, list[CorpusDocument]]]:
    first, held = 0, 0
    some: list[CorpusDocument] = []
    for place, source in enumerate(sources):
        some.append(source)
        held += len(source.text)
        if held >= size or place == len(sources) - 1:
            yield first, some
            first, some, held = place + 1, [], 0


def _row(folder: Path, source: CorpusDocument) -> dict[str, Any]:
    """Return a document in the list: its file with a hash where it was loaded from one, else its text."""
    if source.document is None:
        return {"_id": source.id, "text": source.text, "format": source.format, "lang": source.language}
    return {"_id": source.id, "sha256": hashlib.sha256(_content(folder / source.id)).hexdigest()}


def _listed(row: dict[str, Any], folder: Path) -> CorpusDocument:
    """Return the document that a row of the list stands for."""
    if "sha256" not in row:
        return CorpusDocument(row["_id"], row["text"], row["format"], row["lang"])
    data = _content(folder / row["_id"])
    if hashlib.sha256(data).hexdigest() != row["sha256"]:
        raise _changed(str(folder / row["_id"]))
    document = load(data, row["_id"])
    return CorpusDocument(row["_id"], document.text, document.format, document.language, document)


def _content(path: Path) -> bytes:
    found = storage.read(str(path))
    if found is None:
        raise _changed(str(path))
    return found


# --- data sets -----------------------------------------------------------------------------------------------------


def read(folder: Path, list_: str, asked: bool, split: str | None = None, size: int = PART_BYTES) -> PartitionedCorpus:
    """Return a data set, in any layout of :func:`chunking.retrieval.questions.folders.read`, in parts.

    Args:
        folder: of the set, or its address.
        list_: where documents that are files are listed.
        asked: whether its questions are needed; without them a folder of documents, or a table ``corpus`` or ``docs``
            alone, will do.
        split: name of the judgements.
        size: of a part, in bytes of its file or characters of its documents.

    Raises:
        ChunkscopeError: it is no such folder, or nothing of it can be used.
    """
    if remote.is_address(str(folder)):
        return _checked(folder, _far(folder, list_, asked, split, size))
    if not folder.is_dir():
        raise ChunkscopeError(
            f"{folder} is no folder.", f"Name folders with {', or '.join(folders.LAYOUTS)}; commas part them."
        )
    reader = _PartitionReader(folder, size)
    if table := folders.table_of(reader):
        return _checked(folder, _of_rows(reader, table, asked, split))
    return _checked(folder, _of_files(folder, list_, asked, split, size))


def _far(folder: Path, list_: str, asked: bool, split: str | None, size: int) -> PartitionedCorpus:
    """Return a data set that has an address: rows stay there and are read by parts, files are loaded from it by parts;
    what must be looked at at once (the questions; files, for what is in them) is read from a copy.
    """
    table = folders.table_of(_PartitionReader(folder, size))
    with storage.nearby(str(folder), _ASKED if table else ("*",)) as copy:
        if table:
            return _of_rows(_PartitionReader(copy, size, folder), table, asked, split)
        if not any(copy.iterdir()):
            raise ChunkscopeError(
                f"{folder} is no folder with files.", f"Name folders with {', or '.join(folders.LAYOUTS)}."
            )
        return _of_files(copy, list_, asked, split, size, folder)


_ASKED = ("queries.*", "queries/*", "qrels/*")
"""Files of questions on documents that are rows."""


def _of_rows(reader: _PartitionReader, table: str, asked: bool, split: str | None) -> PartitionedCorpus:
    known = None
    try:
        known = beir.read(reader, split) if table == "corpus" else spans.read_rows(reader)
    except ChunkscopeError:
        if asked or not reader.parts:
            raise
    name = reader.folder.resolve().name
    if known is None or not asked:  # what is said of questions matters to those who ask them
        return PartitionedCorpus(name, reader.parts, None, tuple(_of_file(reader.remarks, reader.table(table))))
    if not known.questions:
        raise ChunkscopeError(f"{reader.home} has no question with a true answer.", "; ".join(known.told()[:5]))
    return PartitionedCorpus(known.name, reader.parts, known, known.remarks)


def _of_file(remarks: Iterable[QuestionSetRemark], files: Sequence[str]) -> Iterator[QuestionSetRemark]:
    return (remark for remark in remarks if remark.file in files)


def _of_files(
    folder: Path, list_: str, asked: bool, split: str | None, size: int, home: Path | None = None
) -> PartitionedCorpus:
    known, remarks, sources = _loaded(folder, asked, split)
    parts = _in_files(folder, sources, list_, size, home or folder)
    if known:
        known = _with_sources(known, parts)
    return PartitionedCorpus(folder.resolve().name, parts, known, remarks)


def _loaded(
    folder: Path, asked: bool, split: str | None
) -> tuple[QuestionSet | None, tuple[QuestionSetRemark, ...], Sequence[CorpusDocument]]:
    try:
        known = folders.read(folder, split)
    except ChunkscopeError:
        if asked:
            raise
        reader = FolderReader(folder)
        sources = reader.opened(spans.QUESTIONS)
        return None, tuple(reader.remarks), sources
    return (known if asked else None), known.remarks, known.sources


def _with_sources(known: QuestionSet, parts: Sequence[CorpusPart]) -> QuestionSet:
    return replace(known, sources=_stored(parts))


def _checked(folder: Path, corpus: PartitionedCorpus) -> PartitionedCorpus:
    if not corpus.documents:
        raise folders.empty(_PartitionReader(folder, 1), corpus.remarks)
    return corpus
