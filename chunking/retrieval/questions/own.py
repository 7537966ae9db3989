"""Questions of one's own: typed on a document with the answer marked in its text, and as JSON Lines; and uploaded sets.

A line is ``{"_id": …, "text": …, "doc_id": …, "spans": [[start, end], …]}``, the same as in ``questions.jsonl`` of
:mod:`chunking.retrieval.questions.folders`; spans are half-open, in characters of the document's text. A question that
no person asked has its ``origin``, and a proxy the spans that are ``hidden`` from every search of its set.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading import clean_name, is_archive
from chunking.loading.archive import open_archive
from chunking.retrieval.questions import folders
from chunking.retrieval.questions.data import (
    CorpusDocument,
    Question,
    QuestionSet,
    QuestionSetRemark,
    describe_remarks,
    hide,
    merge_answers,
)
from chunking.retrieval.questions.reader import FolderReader, index_names
from chunking.runtime.surrogates import replace_surrogates

Span = tuple[int, int]

WORDS = 2000
"""Characters of a question, at most."""

_JUDGEMENTS = ".tsv"


def make_question(id: str, text: str, spans: Sequence[Span], document: Document) -> Question:
    """Return a question as it was typed, with its answer as it was marked in the only document.

    Raises:
        ChunkscopeError: it has no words or too many, or no answer that lies in the text.
    """
    words = " ".join(replace_surrogates(text).split())
    if not words:
        raise ChunkscopeError("The question has no words.", "Type it first.")
    if len(words) > WORDS:
        raise ChunkscopeError(f"The question has {len(words):,} characters.", f"Ask in {WORDS:,} at most.")
    length = len(document.text)
    if wrong := next((span for span in spans if not 0 <= span[0] < span[1] <= length), None):
        raise ChunkscopeError(f"The answer {list(wrong)} is not a part of the text.", "Mark it again.")
    answers = merge_answers((0, *span) for span in spans if not document.text[span[0] : span[1]].isspace())
    if not answers:
        raise ChunkscopeError("The question has no answer.", "Mark in the text what answers it.")
    return Question(id, words, answers=answers)


def next_id(ids: Sequence[str]) -> str:
    """Return an id that no question has: the lowest number from 1."""
    return next(str(number) for number in range(1, len(ids) + 2) if str(number) not in ids)


def jsonl(questions: Mapping[str, Sequence[Question]]) -> str:
    """Return questions as :func:`read` takes them, a line each.

    Args:
        questions: by the name of their document.
    """
    rows = (as_row(name, question) for name, document_questions in questions.items() for question in document_questions)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_row(document: str, question: Question) -> dict[str, Any]:
    """Return a question as a row: its columns, without those that are empty.

    Args:
        document: the name of its document.
        question: its spans are in that document.
    """
    hidden = [[start, end] for _, start, end in question.hidden]
    row = {
        "_id": question.id,
        "text": question.text,
        "doc_id": document,
        "spans": [list(span) for span in question.spans],
    }
    return row | ({"hidden": hidden} if hidden else {}) | ({"origin": question.origin} if question.origin else {})


def read(
    data: bytes, name: str, documents: Mapping[str, Document]
) -> tuple[dict[str, tuple[Question, ...]], tuple[QuestionSetRemark, ...]]:
    """Return the questions from JSON Lines.

    Args:
        data: the file.
        name: what it is called in remarks.
        documents: those that questions may be on, by name. A question may call one by its name, by its file's name,
            or by that without its ending, where only one has it.

    Returns:
        The questions by the name of their document, and what was left out of the file.

    Raises:
        ChunkscopeError: no question is left.
    """
    sources = tuple(source(document_name, document) for document_name, document in documents.items())
    by_file = index_names([document.name for document in documents.values()])
    place_of = by_file | {document_name: number for number, document_name in enumerate(documents)}
    reader = UploadReader({folders.QUESTIONS: data}, name)
    loaded_set = folders.read_spans(reader, [folders.QUESTIONS], sources, place_of)
    remarks = tuple(replace(remark, file=name) for remark in loaded_set.remarks)
    if not loaded_set.questions:
        reasons = "; ".join(describe_remarks(remarks)[:5])
        raise ChunkscopeError(f"{name:.80} has no question on a document that is open.", reasons)
    by_document: dict[str, tuple[Question, ...]] = {}
    for question in loaded_set.questions:
        document = sources[question.answers[0].document].id
        by_document[document] = (*by_document.get(document, ()), move(question, 0))
    return by_document, remarks


def on_folder(folder: Path, data: bytes, name: str) -> QuestionSet:
    """Return the set of the documents of a folder and of questions from a file of JSON Lines.

    Args:
        folder: the folder, whose own questions are not used; its documents are files or a table.
        data: the file of questions.
        name: what it is called in remarks.

    Raises:
        ChunkscopeError: the folder has no documents, or no question is on one of them.
    """
    if not folder.is_dir():
        raise ChunkscopeError(f"{folder} is no folder.", "Name the folder of the documents.")
    documents = FolderReader(folder)
    sources = folders.read_corpus(documents)
    if not sources:
        raise folders.no_document(documents, documents.remarks)
    reader = UploadReader({folders.QUESTIONS: data}, name)
    loaded_set = folders.read_spans(
        reader, [folders.QUESTIONS], sources, index_names([source.id for source in sources])
    )
    remarks = tuple(replace(remark, file=name) for remark in loaded_set.remarks)
    if not loaded_set.questions:
        reasons = "; ".join(describe_remarks(remarks)[:5])
        raise ChunkscopeError(f"{name:.80} has no question on a document of {folder}.", reasons)
    return replace(loaded_set, name=documents.name, remarks=(*documents.remarks, *remarks))


def source(name: str, document: Document) -> CorpusDocument:
    """Return a document as one of a corpus."""
    return CorpusDocument(name, document.text, document.format, document.language, document)


def question_set(
    name: str,
    documents: Mapping[str, Document],
    questions: Mapping[str, Sequence[Question]],
    remarks: Sequence[QuestionSetRemark] = (),
) -> QuestionSet:
    """Return a set of documents and the questions on them.

    Args:
        name: of the set.
        documents: by name; all of them are searched.
        questions: by the name of their document. Ids need only be unique in a document: where two are equal, the
            later one is distinguished by its document.
        remarks: what was left out when they were read.

    Raises:
        ChunkscopeError: there is no question.
    """
    indices = {document: index for index, document in enumerate(documents)}
    unique: dict[str, Question] = {}
    for document, of_document in questions.items():
        for question in of_document:
            id = question.id if question.id not in unique else f"{document}: {question.id}"
            unique[id] = replace(move(question, indices[document]), id=id)
    if not unique:
        raise ChunkscopeError("There is no question yet.", "Type one and mark its answer in the text.")
    sources = tuple(source(document_name, document) for document_name, document in documents.items())
    all_questions = tuple(unique.values())
    return QuestionSet(name, "spans", hide(sources, all_questions), all_questions, tuple(remarks))


def move(question: Question, document: int) -> Question:
    """Return a question on one document with that document at another place of the set."""
    answers, hidden = (
        tuple(span._replace(document=document) for span in spans) for spans in (question.answers, question.hidden)
    )
    return replace(question, answers=answers, hidden=hidden)


def of_files(files: Mapping[str, bytes], name: str, split: str | None = None) -> QuestionSet:
    """Return a set from files as they were uploaded, in any layout of :mod:`chunking.retrieval.questions.folders`.

    Args:
        files: by name; an archive stands for the files in it. Tables of judgements (``.tsv``) need not be in a folder
            of their own.
        name: of the set.
        split: which judgements; ``None`` for the usual ones.

    Raises:
        ChunkscopeError: they are no set.
    """
    paths = {}
    for path, data in _unpack(files):
        file = clean_name(path)
        paths[f"qrels/{file}" if file.lower().endswith(_JUDGEMENTS) else file] = data
    return folders.read_set(UploadReader(paths, name), split)


class UploadReader(FolderReader):
    """Reads files in memory as those of a folder.

    Args:
        files: content by path.
        name: of the set, which stands for the folder in errors.
    """

    def __init__(self, files: Mapping[str, bytes], name: str) -> None:
        super().__init__(Path())
        self._files = {path: data for path, data in files.items() if not PurePosixPath(path).name.startswith(".")}
        self._name = name

    @property
    def name(self) -> str:
        """The name of the set."""
        return self._name

    def path_of(self, file: str = "") -> str:
        """Return what errors call the set or a file of it."""
        return file or self._name

    def open(self, file: str) -> IO[bytes]:
        """Return a file, opened to be read."""
        return BytesIO(self._files[file])

    def files(self, within: str = "") -> list[str]:
        """Return the sorted paths of all files, or of those in a folder."""
        return sorted(path for path in self._files if not within or path.startswith(f"{within}/"))

    def names(self, within: str = "") -> list[str]:
        """Return the sorted names of the files directly in a folder."""
        folder = PurePosixPath(within)
        return sorted(PurePosixPath(path).name for path in self._files if PurePosixPath(path).parent == folder)


def _unpack(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the files, and instead of an archive those in it, without the one folder that all of them are in."""
    for name, data in files.items():
        if not is_archive(data, name):
            yield name, data
            continue
        archive = open_archive(data, name)
        names = archive.documents()
        tops = {path.partition("/")[0] for path in names}
        skip = len(tops.pop()) + 1 if len(tops) == 1 and all("/" in path for path in names) else 0
        for path in names:
            yield path[skip:], archive.read(path)
