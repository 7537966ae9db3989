"""Sets of questions from folders, in the layouts that are in use; see :func:`read`.

Nothing is dropped silently: what cannot be used is left out with a remark, and a folder without any usable question is
refused. Lines that are not JSON, or rows without the columns they need, are such remarks too, since one broken line
should not cost a set of thousands. The layouts of which answers must be searched for are in
:mod:`~chunking.retrieval.questions.quoted`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.retrieval.questions import quoted, tables
from chunking.retrieval.questions.data import (
    Answer,
    CorpusDocument,
    Question,
    QuestionSet,
    QuestionSetRemark,
    describe_remarks,
    merge_answers,
)
from chunking.retrieval.questions.reader import FolderReader, Row, index_ids, index_names, is_whole_number
from chunking.runtime.surrogates import replace_surrogates

LAYOUTS = (
    "corpus.jsonl, queries.jsonl and qrels/*.tsv (BEIR), or the same as Parquet",
    "docs.jsonl and queries.jsonl with spans, or the same as Parquet",
    "documents as files and questions.jsonl with spans",
    "documents and questions.yaml with quoted answers (chunklab)",
    "documents and spans.json or ground_truth.json with spans or key facts",
    "text files and a CSV of question, references and corpus_id (Chroma)",
)
"""The kinds of data that a folder may contain."""

TABLES = ("corpus", "docs")
"""The tables of the documents of a set: as in BEIR, and with spans."""

QUESTIONS = "questions.jsonl"
"""The questions on documents that are files."""

SPLITS = ("test", "dev", "train")
"""Names of judgements in order of preference."""

_QUESTION_FILES = (QUESTIONS, *quoted.SNIPPET_FILES, *quoted.FACT_FILES)
"""Files of questions on documents that are files, which may lie in folders with the names of tables."""


def read(folder: Path, split: str | None = None) -> QuestionSet:
    """Return the set of a folder, in the first of these layouts that it has.

    - BEIR: ``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``, ``text``) and ``qrels/*.tsv``
      (query, document, grade, with or without a head; four columns as TREC has them; in the other forms of a table
      ``query-id``, ``corpus-id``, ``score``). The text of a document is its title, a blank line and its text.
    - Spans: ``docs.jsonl`` (``_id``, ``text``, optional ``format`` and ``lang``) and ``queries.jsonl`` (``_id``,
      ``text``, ``doc_id``, ``spans`` as half-open character spans of that document's text). Without any ``spans`` the
      documents are judged: that of ``doc_id`` is relevant. A document's id may be called ``doc_id`` as well, and it may
      name its ``corpus``, for results by corpus. Optional ``hidden`` has spans that repeat the question and are not
      searched, and ``origin`` names what made it, if that was no person.
    - Files: documents of any format, and ``questions.jsonl`` with the same columns, whose ``doc_id`` is a file's name,
      with its folder or without its ending where that is enough. Spans are counted in :attr:`Document.text`.
    - chunklab, facts and Chroma: see :mod:`~chunking.retrieval.questions.quoted`.

    Rows may be ``.jsonl.gz`` or ``.parquet`` as well, and lie in several files of a folder: ``corpus/*.parquet`` for
    ``corpus.parquet``; see :mod:`~chunking.retrieval.questions.tables`.

    Args:
        folder: the folder.
        split: name of the judgements, ``test`` of ``qrels/test.tsv``; ``None`` takes the first of :data:`SPLITS`.

    Raises:
        ChunkscopeError: it is no such folder, a file cannot be read, or it has no question with a true answer.
    """
    if not folder.is_dir():
        raise ChunkscopeError(f"{folder} is no folder.", f"Name a folder with {', or '.join(LAYOUTS)}.")
    return read_set(FolderReader(folder), split)


def read_set(reader: FolderReader, split: str | None = None) -> QuestionSet:
    """Return the set of a reader, see :func:`read`."""
    return check_set(reader, read_layout(reader, split))


def check_set(reader: FolderReader, question_set: QuestionSet) -> QuestionSet:
    """Return a set, or raise if it has no document or no question."""
    if not question_set.sources:
        raise no_document(reader, question_set.remarks)
    if not question_set.questions:
        raise ChunkscopeError(
            f"{reader.path_of()} has no question with a true answer.",
            "; ".join(describe_remarks(question_set.remarks)[:5]),
        )
    return question_set


def read_layout(reader: FolderReader, split: str | None) -> QuestionSet:
    """Return the set of a reader, even without documents or questions."""
    if table := table_of(reader):
        return read_beir(reader, split) if table == "corpus" else read_span_tables(reader)
    names = reader.names()
    if QUESTIONS in names:
        documents = reader.load_documents(QUESTIONS)
        return read_spans(reader, [QUESTIONS], documents, index_names([document.id for document in documents]))
    for read_quoted, files in ((quoted.read_snippets, quoted.SNIPPET_FILES), (quoted.read_facts, quoted.FACT_FILES)):
        if file := next((name for name in files if name in names), None):
            return read_quoted(reader, file)
    if file := quoted.find_chroma_table(reader):
        return quoted.read_chroma(reader, file)
    raise ChunkscopeError(f"{reader.path_of()} is not a set of questions.", f"It needs {', or '.join(LAYOUTS)}.")


def read_corpus(reader: FolderReader) -> Sequence[CorpusDocument]:
    """Return the documents of a folder without its questions: those of its table, else its files."""
    table = table_of(reader)
    if table is None:
        return reader.load_documents(*_QUESTION_FILES)
    return reader.read_documents(reader.required_table(table), _titled_text if table == "corpus" else _text)


def table_of(reader: FolderReader) -> str | None:
    """Return the table of the documents of a set; ``None`` if they are files."""
    names = set(reader.names())
    single = next((name for name in TABLES for ending in tables.ENDINGS if f"{name}{ending}" in names), None)
    if single or names & set(_QUESTION_FILES):
        return single
    return next((name for name in TABLES if _has_only_tables(reader.names(name))), None)


def _has_only_tables(files: list[str]) -> bool:
    return bool(files) and all(name.endswith(tables.ENDINGS) for name in files)


def no_document(reader: FolderReader, remarks: Sequence[QuestionSetRemark]) -> ChunkscopeError:
    """Return the error for a set without a document."""
    table = table_of(reader)
    lacking = [f"No row of {', '.join(reader.table(table))} can be used"] if table else []
    return ChunkscopeError(
        f"{reader.path_of()} has no document with text.", "; ".join(lacking + describe_remarks(remarks)[:5])
    )


# --- BEIR: judged documents ------------------------------------------------------------------------------------------

_TABS = ".tsv"
_LONGEST_GRADE = 20
"""Characters of a grade, at most."""
_JUDGEMENT = ("query-id", "corpus-id", "score")


def read_beir(reader: FolderReader, split: str | None) -> QuestionSet:
    """Return the set of the tables ``corpus`` and ``queries``, and of the judgements in ``qrels``.

    Args:
        reader: of the folder.
        split: name of the judgements; ``None`` takes the first of :data:`SPLITS`.

    Raises:
        ChunkscopeError: there are no judgements, or none of that name.
    """
    documents = reader.read_documents(reader.required_table("corpus"), _titled_text)
    files = reader.required_table("queries")
    texts: dict[str, str] = {}
    for row in reader.rows(files):
        text = row.values.get("text")
        if isinstance(text, str) and text.strip():
            texts[row.id] = replace_surrogates(text)
        else:
            reader.remark_row(row, "question without words left out")
    judgements = _judgement_files(reader, split)
    grades = _read_grades(reader, judgements, texts, index_ids(documents))
    for id in texts:
        if id not in grades:
            reader.remark(files[0], 0, id, f"question without a judgement in {judgements[0]} left out")
    questions = []
    for id, text in texts.items():
        if id in grades and not any(grade > 0 for grade in grades[id].values()):
            reader.remark(judgements[0], 0, id, "question without a relevant document left out")
        elif id in grades:
            questions.append(Question(id, text, grades[id]))
    return replace(reader.make_set(documents, questions), truth="documents", itself=True)


def _titled_text(record: dict[str, Any]) -> str | None:
    title, text = record.get("title") or "", record.get("text")
    if not isinstance(text, str) or not isinstance(title, str):
        return None
    return "\n\n".join(part for part in (title.strip(), text) if part)


def _judgement_files(reader: FolderReader, split: str | None) -> tuple[str, ...]:
    """Return the files of the judgements."""
    files = [name for name in reader.names("qrels") if name.endswith((_TABS, *tables.ENDINGS))]
    splits = sorted({tables.split_of(name) for name in files})
    if not splits:
        raise ChunkscopeError(
            f"{reader.path_of()} has no judgements.", "Put them into qrels/test.tsv: query, document, grade."
        )
    if split is not None and split not in splits:
        raise ChunkscopeError(
            f"{reader.path_of()} has no judgements {split!r:.40}.", f"There are: {', '.join(splits)}."
        )
    chosen_split = split or next((name for name in SPLITS if name in splits), splits[0])
    of_split = [name for name in files if tables.split_of(name) == chosen_split]
    # The same judgements may be there in two forms.
    return tuple(f"qrels/{name}" for name in [name for name in of_split if name.endswith(_TABS)] or of_split)


def _judgement_cells(reader: FolderReader, file: str) -> Iterator[tuple[int, list[str]]]:
    if file.endswith(_TABS):
        yield from ((number, line.split("\t")) for number, line in reader.lines(file))
    else:
        for number, record in reader.records(file, _JUDGEMENT):
            yield number, [str(record.get(name, "")) for name in _JUDGEMENT]


def _read_grades(
    reader: FolderReader, files: Sequence[str], texts: Mapping[str, str], indices: Mapping[str, int]
) -> dict[str, dict[int, int]]:
    """Return the grades of each question by the index of the document."""
    grades: dict[str, dict[int, int]] = {}
    for file in files:
        for number, cells in _judgement_cells(reader, file):
            if len(cells) not in (3, 4) or not (cells[0] and cells[-2] and cells[-1]):
                reader.remark(file, number, "", "row without query, document and grade left out")
                continue
            question, document, grade = cells[0], cells[-2], cells[-1]
            if not _is_grade(grade):
                if number > 1 or not file.endswith(_TABS):  # else it is the head
                    reader.remark(file, number, question, "judgement whose grade is no whole number left out")
            elif question not in texts:
                reader.remark(file, number, question, "judgement of a question that is not there left out")
            elif document not in indices:
                reader.remark(file, number, document, "judgement of a document that is not there left out")
                grades.setdefault(question, {})
            elif indices[document] in grades.setdefault(question, {}):
                reader.remark(file, number, question, "judgement that came before left out")
            else:
                grades[question][indices[document]] = max(int(grade.strip().removesuffix(".0")), 0)
    return grades


def _is_grade(text: str) -> bool:
    """Return whether a cell is a whole number, which a column of numbers may contain as 1.0."""
    return len(text) < _LONGEST_GRADE and text.strip().removeprefix("-").removesuffix(".0").isdecimal()


# --- spans as rows ---------------------------------------------------------------------------------------------------


def read_span_tables(reader: FolderReader) -> QuestionSet:
    """Return the set of the tables ``docs`` and ``queries``; without any spans, the documents are the answers."""
    documents = reader.read_documents(reader.required_table("docs"), _text)
    files = reader.required_table("queries")
    indices = index_ids(documents)
    if any("spans" in record for file in files for _, record in reader.peek().records(file)):
        return read_spans(reader, files, documents, indices)
    questions = [
        Question(row.id, replace_surrogates(row.values["text"]), {document: 1})
        for row, document in _rows_on_documents(reader, files, ("text", "doc_id"), indices)
    ]
    return replace(reader.make_set(documents, questions), truth="documents")


def _text(record: dict[str, Any]) -> str | None:
    text = record.get("text")
    return text if isinstance(text, str) else None


def read_spans(
    reader: FolderReader, files: Sequence[str], documents: Sequence[CorpusDocument], indices: Mapping[str, int]
) -> QuestionSet:
    """Return the set of questions with spans on some documents.

    Args:
        reader: of the folder.
        files: the files of the questions.
        documents: the documents.
        indices: their indices by what a question may call them.
    """
    questions: list[Question] = []
    for row, document in _rows_on_documents(reader, files, ("text", "doc_id", "spans"), indices):
        answers, hidden = (_spans(reader, row, column, document, documents) for column in ("spans", "hidden"))
        questions += reader.make_question(row, row.values["text"], answers, hidden)
    return reader.make_set(documents, questions)


def _spans(
    reader: FolderReader, row: Row, column: str, document: int, documents: Sequence[CorpusDocument]
) -> tuple[Answer, ...]:
    """Return the spans in a column of a row, merged."""
    spans = row.values.get(column)
    answers: list[Answer] = []
    for span in spans if isinstance(spans, list) else []:
        if isinstance(span, list) and len(span) == 2 and all(map(is_whole_number, span)):
            answers += reader.check_answer(row, Answer(document, span[0], span[1]), documents)
        else:
            reader.remark_row(row, "span that is not [start, end] left out")
    return merge_answers(answers)


def _rows_on_documents(
    reader: FolderReader, files: Sequence[str], columns: tuple[str, ...], indices: Mapping[str, int]
) -> Iterator[tuple[Row, int]]:
    """Yield the rows of questions that have words and a document that exists, with its index."""
    for row in reader.rows(files, columns):
        text, document = row.values.get("text"), str(row.values.get("doc_id"))
        if not isinstance(text, str) or not text.strip():
            reader.remark_row(row, "question without words left out")
        elif document not in indices:
            reader.remark_row(row, "question on a document that is not there left out")
        else:
            yield row, indices[document]
