"""Sets of questions from folders, in the layouts that are in use; see :func:`read`.

Nothing is dropped silently: what cannot be used is left out with a remark, and a folder of which nothing can be used is
refused. Lines that are not JSON, or rows without the columns they need, are such remarks too, since one broken line
should not cost a set of thousands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.loading import FORMATS, TEXT_FORMATS, load
from chunking.retrieval.data import Answer, Question, QuestionSet, Remark, Source, merged

LAYOUTS = (
    "corpus.jsonl, queries.jsonl and qrels/*.tsv (BEIR)",
    "docs.jsonl and queries.jsonl with spans",
    "documents as files and questions.jsonl with spans",
)
"""What a folder may hold."""

SPLITS = ("test", "dev", "train")
"""Judgements that are taken where a folder has several, the first that is there."""


def read(folder: Path, split: str | None = None) -> QuestionSet:
    """The set of a folder.

    - BEIR: ``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``, ``text``) and ``qrels/*.tsv``
      (query, document, grade, with or without a head; four columns as TREC has them). The text of a document is its
      title, a blank line and its text.
    - Spans: ``docs.jsonl`` (``_id``, ``text``, optional ``format`` and ``lang``) and ``queries.jsonl`` (``_id``,
      ``text``, ``doc_id``, ``spans`` as half-open character spans of that document's text).
    - Files: documents of any format, and ``questions.jsonl`` with the same columns, whose ``doc_id`` is a file's name,
      with its folder or without its ending where that is enough. Spans are counted in :attr:`Document.text`.

    Args:
        folder: where the files are.
        split: name of the judgements, ``test`` of ``qrels/test.tsv``; ``None`` takes the first of :data:`SPLITS`.

    Raises:
        ChunkscopeError: it is no such folder, a file cannot be read, or no question is left that could be asked.
    """
    if not folder.is_dir():
        raise ChunkscopeError(f"{folder} is no folder.", f"Name a folder with {', or '.join(LAYOUTS)}.")
    if (folder / "corpus.jsonl").is_file():
        found = _beir(folder, split)
    elif (folder / "docs.jsonl").is_file():
        reader = _Reader(folder)
        sources = reader.sources("docs.jsonl", _text)
        found = _asked(reader, "queries.jsonl", sources, _places(sources))
    elif (folder / _QUESTIONS).is_file():
        reader = _Reader(folder)
        sources = _opened(reader)
        found = _asked(reader, _QUESTIONS, sources, _names(sources))
    else:
        raise ChunkscopeError(f"{folder} is not a set of questions.", f"It needs {', or '.join(LAYOUTS)}.")
    if not found.sources:
        raise ChunkscopeError(f"{folder} has no document with text.", "; ".join(found.told()[:5]))
    if not found.questions:
        raise ChunkscopeError(f"{folder} has no question with a true answer.", "; ".join(found.told()[:5]))
    return found


class _Reader:
    """Rows of files, and the remarks on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remarks: list[Remark] = []

    def remark(self, file: str, line: int, id: str, what: str) -> None:
        self.remarks.append(Remark(file, line, id, what))

    def lines(self, file: str) -> Iterator[tuple[int, str]]:
        """The lines of a file that are not blank, with their numbers."""
        path = self.folder / file
        try:
            with path.open("rb") as opened:
                for number, line in enumerate(opened, 1):
                    if not line.strip():
                        continue
                    try:
                        yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                    except UnicodeDecodeError:
                        self.remark(file, number, "", "line that is not UTF-8 left out")
        except OSError as error:
            raise ChunkscopeError(f"{path} cannot be read: {error.strerror}.", "Check the folder.") from error

    def rows(self, file: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """The rows of a JSONL file with an id of their own: line, id, row."""
        known: set[str] = set()
        for number, line in self.lines(file):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                self.remark(file, number, "", "line that is not a JSON object left out")
                continue
            name = row.get("_id", row.get("id"))
            if isinstance(name, bool) or not isinstance(name, str | int):
                self.remark(file, number, "", "row without _id left out")
                continue
            key = str(name)
            if key in known:
                self.remark(file, number, key, "row with an id that came before left out")
                continue
            known.add(key)
            yield number, key, row

    def sources(self, file: str, text: Callable[[dict[str, Any]], str | None]) -> tuple[Source, ...]:
        """The documents of a JSONL file."""
        found = []
        for number, key, row in self.rows(file):
            words = text(row)
            if words is None:
                self.remark(file, number, key, "document whose text is no text left out")
                continue
            if not words.strip():
                self.remark(file, number, key, "empty document, which nothing can find")
            format, language = row.get("format", _PLAIN), row.get("lang")
            if format not in TEXT_FORMATS:
                self.remark(file, number, key, "unknown format, read as plain text")
                format = _PLAIN
            found.append(Source(key, _whole(words), format, language if isinstance(language, str) else None))
        return tuple(found)


_PLAIN = "text"


def _whole(text: str) -> str:
    """The text with halves of surrogate pairs, which nothing can encode, replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _places(sources: tuple[Source, ...]) -> dict[str, int]:
    return {source.id: place for place, source in enumerate(sources)}


# --- BEIR ----------------------------------------------------------------------------------------------------------


def _beir(folder: Path, split: str | None) -> QuestionSet:
    reader = _Reader(folder)
    sources = reader.sources("corpus.jsonl", _titled)
    words = dict(_words(reader))
    file = _qrels(folder, split)
    grades = _grades(reader, file, words, _places(sources))
    unjudged = [key for key in words if key not in grades]
    if unjudged:
        for key in unjudged:
            reader.remark("queries.jsonl", 0, key, f"question without a judgement in {file} left out")
    questions = []
    for key, text in words.items():
        if key in grades and not any(grade > 0 for grade in grades[key].values()):
            reader.remark(file, 0, key, "question without a relevant document left out")
        elif key in grades:
            questions.append(Question(key, text, grades[key]))
    return QuestionSet(
        folder.resolve().name, "documents", sources, tuple(questions), tuple(reader.remarks), itself=True
    )


def _titled(row: dict[str, Any]) -> str | None:
    title, text = row.get("title") or "", row.get("text")
    if not isinstance(text, str) or not isinstance(title, str):
        return None
    return "\n\n".join(part for part in (title.strip(), text) if part)


def _words(reader: _Reader) -> Iterator[tuple[str, str]]:
    for number, key, row in reader.rows("queries.jsonl"):
        text = row.get("text")
        if isinstance(text, str) and text.strip():
            yield key, _whole(text)
        else:
            reader.remark("queries.jsonl", number, key, "question without words left out")


def _qrels(folder: Path, split: str | None) -> str:
    there = sorted(path.stem for path in (folder / "qrels").glob("*.tsv"))
    if not there:
        raise ChunkscopeError(f"{folder} has no judgements.", "Put them into qrels/test.tsv: query, document, grade.")
    if split is not None and split not in there:
        raise ChunkscopeError(f"{folder} has no judgements {split!r:.40}.", f"There are: {', '.join(there)}.")
    chosen = split or next((name for name in SPLITS if name in there), there[0])
    return f"qrels/{chosen}.tsv"


def _grades(
    reader: _Reader, file: str, words: Mapping[str, str], places: Mapping[str, int]
) -> dict[str, dict[int, int]]:
    """The grades of each question by the place of the document."""
    found: dict[str, dict[int, int]] = {}
    for number, line in reader.lines(file):
        row = line.split("\t")
        if len(row) not in (3, 4):
            reader.remark(file, number, "", "row without query, document and grade left out")
            continue
        query, document, grade = row[0], row[-2], row[-1]
        if not _is_whole(grade):
            if number > 1:  # the first is the head
                reader.remark(file, number, query, "judgement whose grade is no whole number left out")
            continue
        if query not in words:
            reader.remark(file, number, query, "judgement of a question that is not there left out")
        elif document not in places:
            reader.remark(file, number, document, "judgement of a document that is not there left out")
            found.setdefault(query, {})
        elif places[document] in found.setdefault(query, {}):
            reader.remark(file, number, query, "judgement that came before left out")
        else:
            found[query][places[document]] = max(int(grade), 0)
    return found


def _is_whole(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()


# --- spans ---------------------------------------------------------------------------------------------------------

_QUESTIONS = "questions.jsonl"


def _opened(reader: _Reader) -> tuple[Source, ...]:
    """The documents of a folder, the folders in it included; a file of JSON that describes another is none."""
    paths = sorted(path for path in reader.folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    described = {path.with_suffix("") for path in paths if path.suffix.lower() != ".json"}
    found = []
    for path in paths:
        name = path.relative_to(reader.folder).as_posix()
        if path.suffix.lower() not in _SUFFIXES or name == _QUESTIONS:
            continue
        if path.suffix.lower() == ".json" and path.with_suffix("") in described:
            continue
        try:
            document = load(path.read_bytes(), name)
        except OSError as error:
            raise ChunkscopeError(f"{path} cannot be read: {error.strerror}.", "Check the folder.") from error
        except ChunkscopeError as error:
            reader.remark(name, 0, "", f"document that cannot be read left out: {error.problem}")
            continue
        found.append(Source(name, document.text, document.format, document.language, document))
    return tuple(found)


_SUFFIXES = frozenset(suffix for format in FORMATS.values() for suffix in format.suffixes)


def _names(sources: tuple[Source, ...]) -> dict[str, int]:
    """Places of documents by what a question may call them: their path, and their name where only one has it."""
    found = _places(sources)
    paths = [PurePosixPath(source.id) for source in sources]
    for names in ([path.name for path in paths], [path.stem for path in paths]):
        for place, name in enumerate(names):
            if names.count(name) == 1:
                found.setdefault(name, place)
    return found


def _asked(reader: _Reader, file: str, sources: tuple[Source, ...], places: Mapping[str, int]) -> QuestionSet:
    """Questions whose answers are spans."""
    questions = []
    for number, key, row in reader.rows(file):
        text, document = row.get("text"), str(row.get("doc_id"))
        if not isinstance(text, str) or not text.strip():
            reader.remark(file, number, key, "question without words left out")
        elif document not in places:
            reader.remark(file, number, key, "question on a document that is not there left out")
        else:
            answers = _answers(reader, file, number, key, row.get("spans"), places[document], sources)
            if answers:
                questions.append(Question(key, _whole(text), answers=answers))
            else:
                reader.remark(file, number, key, "question without a span left out")
    return QuestionSet(reader.folder.resolve().name, "spans", sources, tuple(questions), tuple(reader.remarks))


def _text(row: dict[str, Any]) -> str | None:
    text = row.get("text")
    return text if isinstance(text, str) else None


def _answers(
    reader: _Reader, file: str, number: int, key: str, spans: object, place: int, sources: tuple[Source, ...]
) -> tuple[Answer, ...]:
    """The spans of a row that lie in its document."""
    length = len(sources[place].text)
    found = []
    for span in spans if isinstance(spans, list) else []:
        if not _is_span(span):
            reader.remark(file, number, key, "span that is not [start, end] left out")
        elif not 0 <= span[0] < span[1] <= length:
            reader.remark(file, number, key, "span outside the text left out")
        else:
            found.append(Answer(place, span[0], span[1]))
    return merged(found)


def _is_span(span: object) -> bool:
    return (
        isinstance(span, list)
        and len(span) == 2
        and all(isinstance(end, int) and not isinstance(end, bool) for end in span)
    )
