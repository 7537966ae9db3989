"""Rows and documents from the files of a folder, with remarks on what was corrected or left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from chunking.errors import ChunkscopeError
from chunking.loading import FORMATS, TEXT_FORMATS, load
from chunking.retrieval.questions import tables
from chunking.retrieval.questions.data import (
    Answer,
    CorpusDocument,
    Question,
    QuestionSet,
    QuestionSetRemark,
    hide,
)
from chunking.runtime import structured
from chunking.runtime.surrogates import replace_surrogates

PLAIN = "text"

CORPUS_FOLDERS = ("documents", "docs", "corpus")
"""Folders that contain all documents, and nothing else, if one of them exists."""

_ORIGIN = 200
"""Characters of the origin of a question, at most."""

REPEATED = "row with an id that came before left out"

_SUFFIXES = frozenset(suffix for format in FORMATS.values() for suffix in format.suffixes)

TextOf = Callable[[dict[str, Any]], str | None]
"""Returns the text of a document from its row; ``None`` if it has none."""


class Row(NamedTuple):
    """A row with an id.

    Attributes:
        file: its file.
        line: from 1; 0 where rows have no lines.
        id: unique in its table.
        values: by column.
    """

    file: str
    line: int
    id: str
    values: dict[str, Any]


class FolderReader:
    """Reads a folder and collects remarks. Subclasses read files that are elsewhere.

    Args:
        folder: the folder of the set.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remarks: list[QuestionSetRemark] = []

    @property
    def name(self) -> str:
        """The name of the set."""
        return self.folder.resolve().name

    def path_of(self, file: str = "") -> str:
        """Return what errors call the folder or a file in it."""
        return str(self.folder / file)

    def open(self, file: str) -> IO[bytes]:
        """Return a file, opened to be read."""
        return (self.folder / file).open("rb")

    def names(self, within: str = "") -> list[str]:
        """Return the sorted names of the visible files directly in the folder, or in a subfolder of it."""
        base = self.folder / within
        paths = base.iterdir() if base.is_dir() else ()
        return sorted(path.name for path in paths if path.is_file() and not path.name.startswith("."))

    def files(self, within: str = "") -> list[str]:
        """Return the sorted paths of all visible files in the folder or in a subfolder, at any depth."""
        return sorted(
            path.relative_to(self.folder).as_posix()
            for path in (self.folder / within).rglob("*")
            if path.is_file() and not path.name.startswith(".")
        )

    def peek(self) -> FolderReader:
        """Return a reader of the same files whose remarks are its own."""
        other = copy(self)
        other.remarks = []
        return other

    def remark(self, file: str, line: int, id: str, what: str) -> None:
        """Add a remark."""
        self.remarks.append(QuestionSetRemark(file, line, id, what))

    def remark_row(self, row: Row, what: str) -> None:
        """Add a remark on a row."""
        self.remark(row.file, row.line, row.id, what)

    # --- files ---

    def content(self, file: str) -> bytes:
        """Return the bytes of a file."""
        try:
            with self.open(file) as stream:
                return stream.read()
        except OSError as error:
            raise self._unreadable(file, error) from error

    def _unreadable(self, file: str, error: OSError) -> ChunkscopeError:
        return ChunkscopeError(f"{self.path_of(file)} cannot be read: {error.strerror or error}.", "Check the folder.")

    def text(self, file: str) -> str:
        """Return a file of text in UTF-8, with or without a byte order mark."""
        try:
            return self.content(file).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ChunkscopeError(f"{self.path_of(file)} is not UTF-8.", "Save it as UTF-8.") from error

    def json(self, file: str) -> Any:
        """Return the value of a JSON file."""
        text = self.text(file)
        try:
            return structured.load_json(text)
        except (ValueError, RecursionError) as error:
            raise ChunkscopeError(f"{self.path_of(file)} is no JSON.", "Correct it.") from error

    # --- rows of tables ---

    def table(self, name: str) -> tuple[str, ...]:
        """Return the files of a table, see :func:`tables.files`; none if it is missing."""
        return tables.files(name, self.names)

    def required_table(self, name: str) -> tuple[str, ...]:
        """Return the files of a table, or raise if it is missing."""
        files = self.table(name)
        if not files:
            ways = ", ".join(f"{name}{ending}" for ending in tables.ENDINGS)
            raise ChunkscopeError(
                f"{self.path_of()} has no {name}.jsonl.", f"Put it there: {ways}, or a folder {name}."
            )
        return files

    def lines(self, file: str, columns: Collection[str] = ()) -> Iterator[tuple[int, str]]:
        """Yield number and text of each line that is not blank; rows of Parquet are lines of JSON.

        Args:
            file: its path in the folder.
            columns: the columns that Parquet must have.
        """
        try:
            with self.open(file) as stream:
                yield from self.decode(file, enumerate(tables.lines(stream, self.path_of(file), columns), 1))
        except OSError as error:
            raise self._unreadable(file, error) from error

    def decode(self, file: str, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, str]]:
        """Yield numbered lines as text, without blank ones."""
        for number, line in lines:
            if not line.strip():
                continue
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                self.remark(file, number, "", "line that is not UTF-8 left out")

    def parse(self, file: str, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield numbered lines of JSON as records."""
        for number, line in lines:
            record = structured.json_or_none(line)
            if isinstance(record, dict):
                yield number, record
            else:
                self.remark(file, number, "", "line that is not a JSON object left out")

    def records(self, file: str, columns: Collection[str] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield line number and record of each row of a file."""
        yield from self.parse(file, self.lines(file, columns))

    def rows(
        self, files: Sequence[str], columns: tuple[str, ...] = ("text",), with_doc_id: bool = False
    ) -> Iterator[Row]:
        """Yield the rows of a table that have an id of their own.

        Args:
            files: of the table.
            columns: the columns that Parquet must have besides the id.
            with_doc_id: whether the id may be called ``doc_id`` as well.
        """
        seen_ids: set[str] = set()
        for file in files:
            yield from self.identify(file, self.records(file, ("_id", *columns)), seen_ids, with_doc_id=with_doc_id)

    def identify(
        self,
        file: str,
        records: Iterable[tuple[int, object]],
        seen_ids: set[str],
        earlier: Collection[str] = (),
        *,
        name: str = "_id",
        with_doc_id: bool = False,
    ) -> Iterator[Row]:
        """Yield the records with an id that no earlier one has.

        Args:
            file: their file.
            records: line number and record of each.
            seen_ids: ids of this table; those of the records are added.
            earlier: further ids that are taken.
            name: what remarks call the id; ``_id`` and ``id`` are both accepted.
            with_doc_id: whether the id may be called ``doc_id`` as well.
        """
        for line, record in records:
            if not isinstance(record, dict):
                self.remark(file, line, "", "entry that is no record left out")
                continue
            value = record.get("_id", record.get("id", record.get("doc_id") if with_doc_id else None))
            if isinstance(value, bool) or not isinstance(value, str | int):
                self.remark(file, line, "", f"row without {name} left out")
                continue
            key = str(value)
            if key in seen_ids or key in earlier:
                self.remark(file, line, key, REPEATED)
                continue
            seen_ids.add(key)
            yield Row(file, line, key, record)

    def identify_list(self, file: str, records: Sequence[object]) -> Iterator[Row]:
        """Yield the records of a list that have an id of their own."""
        yield from self.identify(file, ((0, record) for record in records), set(), name="id")

    # --- documents ---

    def read_documents(self, files: Sequence[str], text_of: TextOf) -> Sequence[CorpusDocument]:
        """Return the documents of a table."""
        return tuple(self.make_documents(self.rows(files, with_doc_id=True), text_of))

    def make_documents(self, rows: Iterable[Row], text_of: TextOf) -> Iterator[CorpusDocument]:
        """Yield the documents of rows."""
        for row in rows:
            text = text_of(row.values)
            if text is None:
                self.remark_row(row, "document whose text is no text left out")
                continue
            if not text.strip():
                self.remark_row(row, "empty document, which nothing can find")
            format, language, title = (row.values.get(name) for name in ("format", "lang", "title"))
            if "format" not in row.values:
                format = PLAIN
            elif format not in TEXT_FORMATS:
                self.remark_row(row, "unknown format, read as plain text")
                format = PLAIN
            corpus = row.values.get("corpus", row.values.get("group"))
            yield CorpusDocument(
                row.id,
                replace_surrogates(text),
                format,
                language if isinstance(language, str) else None,
                title=title.strip() if isinstance(title, str) else "",
                corpus=replace_surrogates(corpus) if isinstance(corpus, str) and corpus.strip() else None,
            )

    def load_documents(self, *others: str, in_corpus_folder: bool = False) -> tuple[CorpusDocument, ...]:
        """Return the documents of the folder, of any format, without files of JSON that describe another file.

        Args:
            others: files that are no documents.
            in_corpus_folder: whether to look only into one of :data:`CORPUS_FOLDERS`, if it exists.
        """
        within = next((name for name in CORPUS_FOLDERS if in_corpus_folder and self.files(name)), "")
        paths = [PurePosixPath(name) for name in self.files(within)]
        described = {path.with_suffix("") for path in paths if path.suffix.lower() != ".json"}
        documents = []
        for path in paths:
            if path.suffix.lower() not in _SUFFIXES or str(path) in others:
                continue
            if path.suffix.lower() == ".json" and path.with_suffix("") in described:
                continue
            try:
                document = load(self.content(str(path)), str(path))
            except ChunkscopeError as error:
                self.remark(str(path), 0, "", f"document that cannot be read left out: {error.problem}")
                continue
            documents.append(CorpusDocument(str(path), document.text, document.format, document.language, document))
        return tuple(documents)

    # --- questions ---

    def check_answer(self, row: Row, answer: Answer, documents: Sequence[CorpusDocument]) -> list[Answer]:
        """Return the answer in a list; an empty one with a remark if it is not within its document."""
        if 0 <= answer.start < answer.end <= len(documents[answer.document].text):
            return [answer]
        self.remark_row(row, "span outside the text left out")
        return []

    def make_question(
        self, row: Row, text: object, answers: Sequence[Answer], hidden: Sequence[Answer] = ()
    ) -> Iterator[Question]:
        """Yield a question whose answers are spans, if it has both words and an answer."""
        if not isinstance(text, str) or not text.strip():
            self.remark_row(row, "question without words left out")
        elif not answers:
            self.remark_row(row, "question without a span left out")
        else:
            origin = row.values.get("origin")
            yield Question(
                row.id,
                replace_surrogates(text),
                answers=tuple(answers),
                hidden=tuple(hidden),
                origin=replace_surrogates(origin)[:_ORIGIN] if isinstance(origin, str) else "",
            )

    def make_set(self, documents: Sequence[CorpusDocument], questions: Sequence[Question]) -> QuestionSet:
        """Return the set of questions whose answers are spans."""
        return QuestionSet(self.name, "spans", hide(documents, questions), tuple(questions), tuple(self.remarks))


def index_ids(documents: Sequence[CorpusDocument]) -> dict[str, int]:
    """Return the index of each document by its id."""
    return {document.id: index for index, document in enumerate(documents)}


def index_names(ids: Sequence[str]) -> dict[str, int]:
    """Return the index of each file by what a question may call it: its path, and its name or stem if unique."""
    indices = {id: index for index, id in enumerate(ids)}
    paths = [PurePosixPath(id) for id in ids]
    for names in ([path.name for path in paths], [path.stem for path in paths]):
        for index, name in enumerate(names):
            if names.count(name) == 1:
                indices.setdefault(name, index)
    return indices


def is_whole_number(value: object) -> bool:
    """Return whether a value of JSON is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def as_record(value: object) -> Mapping[str, Any]:
    """Return a value of JSON that should be a record; an empty record if it is not one."""
    return value if isinstance(value, dict) else {}
