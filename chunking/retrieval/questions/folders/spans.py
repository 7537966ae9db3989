"""Questions whose answers are spans of a document, or the document as a whole, as rows of JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from chunking.retrieval.questions.data import Answer, CorpusDocument, Question, QuestionSet, merged
from chunking.retrieval.questions.folders.reader import FolderReader, is_number, names, places, whole

QUESTIONS = "questions.jsonl"
"""The questions on documents that are files."""


def read_rows(reader: FolderReader) -> QuestionSet:
    """Return the tables ``docs`` and ``queries``. Where no question has spans, its document is the answer."""
    sources = reader.sources(reader.needed("docs"), _text)
    queries = reader.needed("queries")
    if not any("spans" in row for file in queries for _, row in FolderReader(reader.folder).records(file)):
        return _judged(reader, queries, sources)
    return asked(reader, queries, sources, places(sources))


def _judged(reader: FolderReader, table: tuple[str, ...], sources: tuple[CorpusDocument, ...]) -> QuestionSet:
    """Return the set of questions that name the document that answers them, and no span of it."""
    place_of = places(sources)
    questions: list[Question] = []
    for _, _, key, row, place in _on_documents(reader, table, ("text", "doc_id"), place_of):
        questions.append(Question(key, whole(row["text"]), {place: 1}))
    return replace(reader.done(sources, questions), truth="documents")


def read_files(reader: FolderReader) -> QuestionSet:
    """Return the documents of any format and ``questions.jsonl``."""
    sources = reader.opened(QUESTIONS)
    return asked(reader, QUESTIONS, sources, names([source.id for source in sources]))


def _text(row: dict[str, Any]) -> str | None:
    text = row.get("text")
    return text if isinstance(text, str) else None


def asked(
    reader: FolderReader, table: str | tuple[str, ...], sources: tuple[CorpusDocument, ...], place_of: Mapping[str, int]
) -> QuestionSet:
    """Return the set of questions on some documents.

    Args:
        reader: of the folder.
        table: the file of the questions, or the files.
        sources: the documents.
        place_of: their places by what a question may call them.
    """
    questions: list[Question] = []
    for file, number, key, row, place in _on_documents(reader, table, ("text", "doc_id", "spans"), place_of):
        answers = _answers(reader, file, number, key, row.get("spans"), place, sources)
        questions += reader.asked(file, number, key, row["text"], answers)
    return reader.done(sources, questions)


def _on_documents(
    reader: FolderReader, table: str | tuple[str, ...], fields: tuple[str, ...], place_of: Mapping[str, int]
) -> Iterator[tuple[str, int, str, dict[str, Any], int]]:
    """Yield the rows of questions with words on a document that is there: file, line, key, row, place of the document.

    The others are left out with a remark.
    """
    for file, number, key, row in reader.rows(table, fields):
        text, document = row.get("text"), str(row.get("doc_id"))
        if not isinstance(text, str) or not text.strip():
            reader.remark(file, number, key, "question without words left out")
        elif document not in place_of:
            reader.remark(file, number, key, "question on a document that is not there left out")
        else:
            yield file, number, key, row, place_of[document]


def _answers(
    reader: FolderReader,
    file: str,
    number: int,
    key: str,
    spans: object,
    place: int,
    sources: tuple[CorpusDocument, ...],
) -> tuple[Answer, ...]:
    """Return the spans of a row that lie in its document."""
    found = []
    for span in spans if isinstance(spans, list) else []:
        if not _is_span(span):
            reader.remark(file, number, key, "span that is not [start, end] left out")
            continue
        found += inside(reader, file, number, key, Answer(place, span[0], span[1]), sources)
    return merged(found)


def inside(
    reader: FolderReader, file: str, number: int, key: str, answer: Answer, sources: tuple[CorpusDocument, ...]
) -> list[Answer]:
    """Return the answer, where it lies in its document; else none and a remark."""
    if 0 <= answer.start < answer.end <= len(sources[answer.document].text):
        return [answer]
    reader.remark(file, number, key, "span outside the text left out")
    return []


def _is_span(span: object) -> bool:
    return isinstance(span, list) and len(span) == 2 and all(is_number(end) for end in span)
