"""Sets of questions from folders, in the layouts that are in use; see :func:`read`.

Nothing is dropped silently: what cannot be used is left out with a remark, and a folder of which nothing can be used is
refused. Lines that are not JSON, or rows without the columns they need, are such remarks too, since one broken line
should not cost a set of thousands. One module reads one layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from chunking.errors import ChunkscopeError
from chunking.retrieval.questions.data import QuestionSet, QuestionSetRemark, told
from chunking.retrieval.questions.folders import beir, chroma, facts, snippets, spans, tables
from chunking.retrieval.questions.folders.beir import SPLITS
from chunking.retrieval.questions.folders.reader import FolderReader

__all__ = ["LAYOUTS", "SPLITS", "TABLES", "empty", "read", "table_of"]

LAYOUTS = (
    "corpus.jsonl, queries.jsonl and qrels/*.tsv (BEIR), or the same as Parquet",
    "docs.jsonl and queries.jsonl with spans, or the same as Parquet",
    "documents as files and questions.jsonl with spans",
    "documents and questions.yaml with quoted answers (chunklab)",
    "documents and spans.json or ground_truth.json with spans or key facts",
    "text files and a CSV of question, references and corpus_id (Chroma)",
)
"""What a folder may hold."""

TABLES = ("corpus", "docs")
"""The tables that hold the documents of a set: as in BEIR, and with spans."""

_OTHERS = (spans.QUESTIONS, *snippets.FILES, *facts.FILES)
"""Files of questions on documents that are files, which may lie in folders with the names of tables."""


def table_of(reader: FolderReader) -> str | None:
    """Return the table that holds the documents; ``None`` where they are files."""
    own = set(reader.names(""))
    single = next((name for name in TABLES for ending in tables.ENDINGS if f"{name}{ending}" in own), None)
    if single or own & set(_OTHERS):
        return single
    return next((name for name in TABLES if _only_tables(reader.names(name))), None)


def empty(reader: FolderReader, remarks: Sequence[QuestionSetRemark]) -> ChunkscopeError:
    """Return the error for a set that has no document."""
    table = table_of(reader)
    lacking = [f"No row of {', '.join(reader.table(table))} can be used"] if table else []
    return ChunkscopeError(f"{reader.home} has no document with text.", "; ".join(lacking + told(remarks)[:5]))


def _only_tables(files: list[str]) -> bool:
    return bool(files) and all(name.endswith(tables.ENDINGS) for name in files)


def read(folder: Path, split: str | None = None) -> QuestionSet:
    """Return the set of a folder, in the first of these layouts that it has.

    - BEIR: ``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``, ``text``) and ``qrels/*.tsv``
      (query, document, grade, with or without a head; four columns as TREC has them; in the other forms of a table
      ``query-id``, ``corpus-id``, ``score``). The text of a document is its title, a blank line and its text.
    - Spans: ``docs.jsonl`` (``_id``, ``text``, optional ``format`` and ``lang``) and ``queries.jsonl`` (``_id``,
      ``text``, ``doc_id``, ``spans`` as half-open character spans of that document's text). Without any ``spans`` the
      documents are judged: that of ``doc_id`` is relevant. A document's id may be called ``doc_id`` as well, and it may
      name its ``corpus``, for results by corpus.
    - Files: documents of any format, and ``questions.jsonl`` with the same columns, whose ``doc_id`` is a file's name,
      with its folder or without its ending where that is enough. Spans are counted in :attr:`Document.text`.
    - chunklab: documents and ``questions.yaml``, see :mod:`~chunking.retrieval.questions.folders.snippets`.
    - Facts: documents and ``spans.json`` or ``ground_truth.json``, see
      :mod:`~chunking.retrieval.questions.folders.facts`.
    - Chroma: corpora as text files and a CSV, see :mod:`~chunking.retrieval.questions.folders.chroma`.

    Rows may be ``.jsonl.gz`` or ``.parquet`` as well, and lie in several files of a folder: ``corpus/*.parquet`` for
    ``corpus.parquet``; see :mod:`~chunking.retrieval.questions.folders.tables`.

    Args:
        folder: where the files are.
        split: name of the judgements, ``test`` of ``qrels/test.tsv``; ``None`` takes the first of :data:`SPLITS`.

    Raises:
        ChunkscopeError: it is no such folder, a file cannot be read, or no question is left that could be asked.
    """
    if not folder.is_dir():
        raise ChunkscopeError(f"{folder} is no folder.", f"Name a folder with {', or '.join(LAYOUTS)}.")
    reader = FolderReader(folder)
    table = table_of(reader)
    if table == "corpus":
        found = beir.read(reader, split)
    elif table == "docs":
        found = spans.read_rows(reader)
    elif (folder / spans.QUESTIONS).is_file():
        found = spans.read_files(reader)
    elif file := next((name for name in snippets.FILES if (folder / name).is_file()), None):
        found = snippets.read(reader, file)
    elif file := next((name for name in facts.FILES if (folder / name).is_file()), None):
        found = facts.read(reader, file)
    elif file := chroma.table(reader):
        found = chroma.read(reader, file)
    else:
        raise ChunkscopeError(f"{folder} is not a set of questions.", f"It needs {', or '.join(LAYOUTS)}.")
    if not found.sources:
        raise empty(reader, found.remarks)
    if not found.questions:
        raise ChunkscopeError(f"{folder} has no question with a true answer.", "; ".join(found.told()[:5]))
    return found
