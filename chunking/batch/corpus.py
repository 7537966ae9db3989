"""A corpus as parts: stretches of a file with a document a line, found in one pass and read one by one.

A corpus in JSON Lines stays where it is, and no process holds more than some parts of it. Documents that are files are
listed in such a file first, by their names and hashes, and loaded where their part is made.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast, overload

from chunking.batch import remote, storage
from chunking.errors import ChunkscopeError
from chunking.export import jsonl
from chunking.loading import load
from chunking.retrieval import folders
from chunking.retrieval.data import QuestionSet, Remark, Source, told
from chunking.retrieval.folders import beir, spans
from chunking.retrieval.folders.reader import Reader

PART_BYTES = 500_000
"""Size of a part in its file: some hundred pages, which a worker cuts in seconds."""

Reads = Callable[[dict[str, Any]], str | None]
"""The text of a document from its row."""

_AGAIN = "row with an id that came before left out"


@dataclass(frozen=True)
class Part:
    """Some documents of a corpus that follow each other.

    Attributes:
        number: from 0, in the order of the corpus.
        file: with a document a line.
        start, stop: half-open, its bytes in the file.
        line: number of its first line, from 1.
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
class Corpus:
    """A data set whose documents are read part by part.

    Attributes:
        name: of the set.
        parts: in order.
        known: its questions, whose ``sources`` are a :class:`Stored`; ``None`` where they were not asked for.
        remarks: what was put right or left out.
    """

    name: str
    parts: tuple[Part, ...]
    known: QuestionSet | None
    remarks: tuple[Remark, ...]

    @property
    def documents(self) -> int:
        """How many there are."""
        return sum(part.documents for part in self.parts)

    @property
    def digest(self) -> str:
        """Of all documents and of how they are parted."""
        return fingerprint([part.digest for part in self.parts])


def fingerprint(made_of: object) -> str:
    """Identity of all that makes a result: 16 hexadecimal digits of the hash of its JSON."""
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:16]


class Stored(Sequence[Source]):
    """The documents of parts, read when they are asked for.

    Args:
        parts: in order.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return sum(part.documents for part in self._parts)

    def __iter__(self) -> Iterator[Source]:
        for part in self._parts:
            yield from documents(part)

    @overload
    def __getitem__(self, place: int) -> Source: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Source]: ...
    def __getitem__(self, place: int | slice) -> Source | Sequence[Source]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        part = self._parts[part_of(self._parts, place)]
        return documents(part)[place - part.first]


def part_of(parts: Sequence[Part], place: int) -> int:
    """The index of the part that holds the document at a place."""
    low, high = 0, len(parts)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if parts[middle].first <= place else (low, middle)
    return low


@functools.lru_cache(maxsize=8)
def documents(part: Part) -> tuple[Source, ...]:
    """The documents of a part.

    Raises:
        ChunkscopeError: they are not there any more, or have changed.
    """
    data = _stretch(part)
    if part.reads is None:
        return tuple(_listed(json.loads(line), Path(part.folder)) for line in data.splitlines())
    reader = _Stretch(Path(part.folder), _numbered(data, part.line), set(part.repeated))
    found = reader.sources(Path(part.file).name, part.reads)
    if len(found) != part.documents:
        raise _changed(part.file)
    return found


def _stretch(part: Part) -> bytes:
    try:
        with storage.opened(part.file) as file:
            file.seek(part.start)
            data = file.read(part.stop - part.start)
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


class _Stretch(Reader):
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

    def lines(self, file: str) -> Iterator[tuple[int, str]]:
        """Those that are not blank, with their numbers."""
        return self.decoded(file, self._lines)

    def named(
        self, file: str, rows: Iterable[tuple[int, dict[str, Any]]], called: str
    ) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Rows with an id that no row before has, in these lines or in those before them."""
        for number, key, row in super().named(file, rows, called):
            if key in self.seen:
                self.remark(file, number, key, _AGAIN)
                self.repeated.append(key)
                continue
            self.seen.add(key)
            yield number, key, row


class _Parting(Reader):
    """A reader that leaves the documents of a file where they are.

    Args:
        folder: of the set.
        size: of a part, in bytes.
        home: where the documents are, if not in the same folder.
    """

    def __init__(self, folder: Path, size: int, home: Path | None = None) -> None:
        super().__init__(folder)
        self.parts: tuple[Part, ...] = ()
        self._size = size
        self._home = home or folder

    def sources(self, file: str, text: Reads) -> tuple[Source, ...]:
        """The documents of a JSON Lines file, to be read when they are asked for."""
        parts: list[Part] = []
        seen: set[str] = set()
        first = 0
        for start, line, data in _blocks(str(self._home / file), self._size):
            piece = _Stretch(self.folder, _numbered(data, line), seen)
            found = piece.sources(file, text)
            self.remarks += piece.remarks
            if not found:
                continue
            repeated = tuple(piece.repeated)
            parts.append(
                Part(
                    number=len(parts),
                    file=str(self._home / file),
                    start=start,
                    stop=start + len(data),
                    line=line,
                    first=first,
                    documents=len(found),
                    characters=sum(len(source.text) for source in found),
                    digest=_digest(data, repeated),
                    repeated=repeated,
                    reads=text,
                    folder=str(self._home),
                )
            )
            first += len(found)
        self.parts = tuple(parts)
        return _stored(self.parts)


def _stored(parts: Sequence[Part]) -> tuple[Source, ...]:
    # It is indexed, counted and iterated as the tuple is, and only that is done with it.
    return cast("tuple[Source, ...]", Stored(parts))


def _blocks(path: str, size: int) -> Iterator[tuple[int, int, bytes]]:
    """Stretches of whole lines, each of at least ``size`` bytes but the last: first byte, first line, bytes."""
    try:
        with storage.opened(path) as file:
            start, first = 0, 1
            some: list[bytes] = []
            held = 0
            for line in file:
                some.append(line)
                held += len(line)
                if held >= size:
                    yield start, first, b"".join(some)
                    start, first = start + held, first + len(some)
                    some, held = [], 0
            if some:
                yield start, first, b"".join(some)
    except OSError as error:
        raise ChunkscopeError(f"{path} cannot be read: {error.strerror or error}.", "Check the folder.") from error


# --- documents that are files --------------------------------------------------------------------------------------


def _in_files(folder: Path, sources: Sequence[Source], list_: str, size: int) -> tuple[Part, ...]:
    """Parts of documents that were read from files, or made of them: a list of them is written to ``list_``."""
    parts: list[Part] = []
    at = 0
    with storage.replacing(list_) as file:
        for first, some in _groups(sources, size):
            data = jsonl([_row(folder, source) for source in some]).encode()
            file.write(data)
            parts.append(
                Part(
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
                    folder=str(folder),
                )
            )
            at += len(data)
    return tuple(parts)


def _groups(sources: Sequence[Source], size: int) -> Iterator[tuple[int, list[Source]]]:
    first, held = 0, 0
    some: list[Source] = []
    for place, source in enumerate(sources):
        some.append(source)
        held += len(source.text)
        if held >= size or place == len(sources) - 1:
            yield first, some
            first, some, held = place + 1, [], 0


def _row(folder: Path, source: Source) -> dict[str, Any]:
    """A document in the list: its file with a hash where it was loaded from one, else its text."""
    if source.document is None:
        return {"_id": source.id, "text": source.text, "format": source.format, "lang": source.language}
    return {"_id": source.id, "sha256": hashlib.sha256(_content(folder / source.id)).hexdigest()}


def _listed(row: dict[str, Any], folder: Path) -> Source:
    """The document that a row of the list stands for."""
    if "sha256" not in row:
        return Source(row["_id"], row["text"], row["format"], row["lang"])
    data = _content(folder / row["_id"])
    if hashlib.sha256(data).hexdigest() != row["sha256"]:
        raise _changed(str(folder / row["_id"]))
    document = load(data, row["_id"])
    return Source(row["_id"], document.text, document.format, document.language, document)


def _content(path: Path) -> bytes:
    found = storage.read(str(path))
    if found is None:
        raise _changed(str(path))
    return found


# --- data sets -----------------------------------------------------------------------------------------------------


def read(folder: Path, list_: str, asked: bool, split: str | None = None, size: int = PART_BYTES) -> Corpus:
    """A data set, in any layout that :func:`chunking.retrieval.folders.read` knows, with its documents in parts.

    Args:
        folder: of the set; as an address, of one whose documents are in ``corpus.jsonl`` or ``docs.jsonl``.
        list_: where documents that are files are listed.
        asked: whether its questions are needed; without them a folder of documents, or a ``corpus.jsonl`` or
            ``docs.jsonl`` alone, will do.
        split: name of the judgements.
        size: of a part, in bytes of its file or characters of its documents.

    Raises:
        ChunkscopeError: it is no such folder, or nothing of it can be used.
    """
    if remote.is_address(str(folder)):
        return _checked(folder, _far(folder, asked, split, size))
    if not folder.is_dir():
        raise ChunkscopeError(
            f"{folder} is no folder.", f"Name folders with {', or '.join(folders.LAYOUTS)}; commas part them."
        )
    in_rows = next((file for file in _IN_ROWS if (folder / file).is_file()), None)
    if in_rows:
        return _checked(folder, _of_rows(folder, in_rows, asked, split, size))
    known, remarks, sources = _of_files(folder, asked, split)
    parts = _in_files(folder, sources, list_, size)
    if known:
        known = _with_sources(known, parts)
    return _checked(folder, Corpus(folder.resolve().name, parts, known, remarks))


_IN_ROWS = ("corpus.jsonl", "docs.jsonl")


def _far(folder: Path, asked: bool, split: str | None, size: int) -> Corpus:
    """A data set that has an address: its documents stay there, its questions are read from a copy."""
    file = next((file for file in _IN_ROWS if storage.is_file(str(folder / file))), None)
    if file is None:
        raise ChunkscopeError(
            f"{folder} has no {' and no '.join(_IN_ROWS)}.", "Documents in other files are read from a folder."
        )
    with storage.nearby(str(folder), ("queries.jsonl", "qrels/*.tsv")) as copy:
        return _of_rows(copy, file, asked, split, size, folder)


def _of_rows(folder: Path, file: str, asked: bool, split: str | None, size: int, home: Path | None = None) -> Corpus:
    reader = _Parting(folder, size, home)
    known = None
    try:
        known = beir.read(reader, split) if file == "corpus.jsonl" else spans.read_rows(reader)
    except ChunkscopeError:
        if asked or not reader.parts:
            raise
    if known is None or not asked:  # what is said of questions matters to those who ask them
        return Corpus(folder.resolve().name, reader.parts, None, tuple(_of_file(reader.remarks, file)))
    if not known.questions:
        raise ChunkscopeError(f"{home or folder} has no question with a true answer.", "; ".join(known.told()[:5]))
    return Corpus(known.name, reader.parts, known, known.remarks)


def _of_file(remarks: Iterable[Remark], file: str) -> Iterator[Remark]:
    return (remark for remark in remarks if remark.file == file)


def _of_files(
    folder: Path, asked: bool, split: str | None
) -> tuple[QuestionSet | None, tuple[Remark, ...], Sequence[Source]]:
    try:
        known = folders.read(folder, split)
    except ChunkscopeError:
        if asked:
            raise
        reader = Reader(folder)
        sources = reader.opened(spans.QUESTIONS)
        return None, tuple(reader.remarks), sources
    return (known if asked else None), known.remarks, known.sources


def _with_sources(known: QuestionSet, parts: Sequence[Part]) -> QuestionSet:
    return replace(known, sources=_stored(parts))


def _checked(folder: Path, corpus: Corpus) -> Corpus:
    if not corpus.documents:
        raise ChunkscopeError(f"{folder} has no document with text.", "; ".join(told(corpus.remarks)[:5]))
    return corpus
