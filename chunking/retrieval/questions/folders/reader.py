"""What all layouts share: rows and documents from files, and the remarks on them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.loading import FORMATS, TEXT_FORMATS, load
from chunking.retrieval.questions.data import Answer, CorpusDocument, Question, QuestionSet, QuestionSetRemark
from chunking.retrieval.questions.folders import tables
from chunking.runtime import structured

PLAIN = "text"

CORPORA = ("documents", "docs", "corpus")
"""Folders that hold the documents and nothing else, where one of them is there."""

_SUFFIXES = frozenset(suffix for format in FORMATS.values() for suffix in format.suffixes)


class FolderReader:
    """Rows of files, and the remarks on them.

    Args:
        folder: of the set.
        home: what errors call it, where it is a copy.
    """

    def __init__(self, folder: Path, home: Path | None = None) -> None:
        self.folder = folder
        self.home = home or folder
        self.remarks: list[QuestionSetRemark] = []

    def remark(self, file: str, line: int, id: str, what: str) -> None:
        """Tell what was put right or left out."""
        self.remarks.append(QuestionSetRemark(file, line, id, what))

    def content(self, file: str) -> bytes:
        """Return the bytes of a file."""
        path = self.folder / file
        try:
            return path.read_bytes()
        except OSError as error:
            raise _unreadable(path, error) from error

    def words(self, file: str) -> str:
        """Return a file of text in UTF-8, with or without a mark at its beginning."""
        try:
            return self.content(file).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ChunkscopeError(f"{self.folder / file} is not UTF-8.", "Save it as UTF-8.") from error

    def names(self, within: str) -> list[str]:
        """Return the names of the files right in the folder or in a folder of it, in order, none that is hidden."""
        base = self.folder / within
        there = base.iterdir() if base.is_dir() else ()
        return sorted(path.name for path in there if path.is_file() and not path.name.startswith("."))

    def table(self, name: str) -> tuple[str, ...]:
        """Return the files of a table, see :func:`tables.files`; none if it is missing."""
        return tables.files(name, self.names)

    def needed(self, name: str) -> tuple[str, ...]:
        """Return the files of a table that must be there."""
        found = self.table(name)
        if not found:
            ways = ", ".join(f"{name}{ending}" for ending in tables.ENDINGS)
            raise ChunkscopeError(f"{self.home} has no {name}.jsonl.", f"Put it there: {ways}, or a folder {name}.")
        return found

    def lines(self, file: str, needs: Collection[str] = ()) -> Iterator[tuple[int, str]]:
        """Yield the lines of a file that are not blank, with their numbers; those of a table's file as JSON.

        Args:
            file: where they stand.
            needs: columns that Parquet must have.
        """
        path = self.folder / file
        try:
            with path.open("rb") as opened:
                yield from self.decoded(file, enumerate(tables.lines(opened, f"{self.home}/{file}", needs), 1))
        except OSError as error:
            raise _unreadable(path, error) from error

    def decoded(self, file: str, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, str]]:
        """Yield numbered lines as text, but for blank ones."""
        for number, line in lines:
            if not line.strip():
                continue
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                self.remark(file, number, "", "line that is not UTF-8 left out")

    def rows(
        self,
        table: str | tuple[str, ...],
        needs: tuple[str, ...] = ("text",),
        ids: tuple[str, ...] = ("_id", "id"),
    ) -> Iterator[tuple[str, int, str, dict[str, Any]]]:
        """Yield the rows of a table with an id of their own: file, line, id, row.

        Args:
            table: a file, or the files of it.
            needs: columns that Parquet must have beside the id.
            ids: columns of the id, of which the first that is there counts.
        """
        known: set[str] = set()
        for file in (table,) if isinstance(table, str) else table:
            records = self.records(file, ("_id", *needs))
            identified = ((number, _identified(row, ids)) for number, row in records)
            for number, key, row in self.named(file, identified, "_id", known):
                yield file, number, key, row

    def records(self, file: str, needs: Collection[str] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows of a table's file: line, row."""
        for number, line in self.lines(file, needs):
            try:
                row = structured.load_json(line)
            except (ValueError, RecursionError):
                row = None
            if isinstance(row, dict):
                yield number, row
            else:
                self.remark(file, number, "", "line that is not a JSON object left out")

    def listed(self, file: str, rows: Iterable[object]) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Yield the rows of a list with an id of their own: 0, since they have no line, id, row."""

        def records() -> Iterator[tuple[int, dict[str, Any]]]:
            for row in rows:
                if isinstance(row, dict):
                    yield 0, row
                else:
                    self.remark(file, 0, "", "entry that is no record left out")

        yield from self.named(file, records(), "id")

    def named(
        self,
        file: str,
        rows: Iterable[tuple[int, dict[str, Any]]],
        called: str,
        known: set[str] | None = None,
    ) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Yield the rows with an id that no row before has: line, id, row.

        Args:
            file: where they stand.
            rows: line and row.
            called: what the id is called in remarks; ``_id`` and ``id`` are both taken.
            known: ids of rows in files before; those of these rows are added.
        """
        known = set() if known is None else known
        for number, row in rows:
            name = row.get("_id", row.get("id"))
            if isinstance(name, bool) or not isinstance(name, str | int):
                self.remark(file, number, "", f"row without {called} left out")
                continue
            key = str(name)
            if key in known:
                self.remark(file, number, key, "row with an id that came before left out")
                continue
            known.add(key)
            yield number, key, row

    def sources(
        self, table: str | tuple[str, ...], text: Callable[[dict[str, Any]], str | None]
    ) -> tuple[CorpusDocument, ...]:
        """Return the documents of a table."""
        found = []
        for file, number, key, row in self.rows(table, ids=("_id", "id", "doc_id")):
            words = text(row)
            if words is None:
                self.remark(file, number, key, "document whose text is no text left out")
                continue
            if not words.strip():
                self.remark(file, number, key, "empty document, which nothing can find")
            format, language = row.get("format", PLAIN), row.get("lang")
            if format not in TEXT_FORMATS:
                self.remark(file, number, key, "unknown format, read as plain text")
                format = PLAIN
            code = language if isinstance(language, str) else None
            title = row.get("title")
            title = title.strip() if isinstance(title, str) else ""
            corpus = row.get("corpus", row.get("group"))
            corpus = whole(corpus) if isinstance(corpus, str) and corpus.strip() else None
            found.append(CorpusDocument(key, whole(words), format, code, title=title, corpus=corpus))
        return tuple(found)

    def files(self, within: str = "") -> list[str]:
        """Return the files of the folder or of a folder in it, those below included, in order, none that is hidden."""
        base = self.folder / within
        return sorted(
            path.relative_to(self.folder).as_posix()
            for path in base.rglob("*")
            if path.is_file() and not path.name.startswith(".")
        )

    def opened(self, *besides: str, corpora: bool = False) -> tuple[CorpusDocument, ...]:
        """Return the documents of the folder, of any format. A file of JSON that describes another is none.

        Args:
            besides: files that are no documents.
            corpora: whether one of :data:`CORPORA` holds them all, where it is there.
        """
        within = next((name for name in CORPORA if corpora and (self.folder / name).is_dir()), "")
        paths = [PurePosixPath(name) for name in self.files(within)]
        described = {path.with_suffix("") for path in paths if path.suffix.lower() != ".json"}
        found = []
        for path in paths:
            if path.suffix.lower() not in _SUFFIXES or str(path) in besides:
                continue
            if path.suffix.lower() == ".json" and path.with_suffix("") in described:
                continue
            try:
                document = load(self.content(str(path)), str(path))
            except ChunkscopeError as error:
                self.remark(str(path), 0, "", f"document that cannot be read left out: {error.problem}")
                continue
            found.append(CorpusDocument(str(path), document.text, document.format, document.language, document))
        return tuple(found)

    def done(self, sources: tuple[CorpusDocument, ...], questions: Sequence[Question]) -> QuestionSet:
        """Return the set, of questions whose answers are spans."""
        return QuestionSet(self.folder.resolve().name, "spans", sources, tuple(questions), tuple(self.remarks))

    def asked(self, file: str, number: int, key: str, text: object, answers: Sequence[Answer]) -> Iterator[Question]:
        """Yield a question whose answers are spans, where it has both words and an answer."""
        if not isinstance(text, str) or not text.strip():
            self.remark(file, number, key, "question without words left out")
        elif not answers:
            self.remark(file, number, key, "question without a span left out")
        else:
            yield Question(key, whole(text), answers=tuple(answers))


def _identified(row: dict[str, Any], ids: Sequence[str]) -> dict[str, Any]:
    """Return a row whose id is called ``_id``, from the first of some columns that it has."""
    name = next((each for each in ids if each in row), "_id")
    return row if name == "_id" else row | {"_id": row[name]}


def _unreadable(path: Path, error: OSError) -> ChunkscopeError:
    return ChunkscopeError(f"{path} cannot be read: {error.strerror}.", "Check the folder.")


def whole(text: str) -> str:
    """Return the text with halves of surrogate pairs, which nothing can encode, replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def places(sources: Sequence[CorpusDocument]) -> dict[str, int]:
    """Return the places of documents by their ids."""
    return {source.id: place for place, source in enumerate(sources)}


def names(ids: Sequence[str]) -> dict[str, int]:
    """Return the places of files by what a question may call them: their path, and their name where only one has it."""
    found = {id: place for place, id in enumerate(ids)}
    paths = [PurePosixPath(id) for id in ids]
    for some in ([path.name for path in paths], [path.stem for path in paths]):
        for place, name in enumerate(some):
            if some.count(name) == 1:
                found.setdefault(name, place)
    return found


def is_number(value: object) -> bool:
    """Return whether a value of JSON is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def records(value: object) -> Mapping[str, Any]:
    """Return a value of JSON that should be a record; an empty one where it is not."""
    return value if isinstance(value, dict) else {}
