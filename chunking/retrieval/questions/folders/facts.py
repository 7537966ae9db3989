"""Documents with ``spans.json`` or ``ground_truth.json``, as personal-library-manager (LichHunter) has them.

``queries`` is a list of records with ``id`` and ``query`` (or ``original_query``). With ``relevant_spans`` (``doc_id``,
``start``, ``end``) these are the answer. Without, it is every place in ``expected_docs`` where one of the ``key_facts``
stands, or the text nearest to it. A document's id is that of ``corpus_metadata.json``, or its file's name. Further
wordings of a question (``human_queries``) are not asked: the same answer several times over would count as that many
questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.retrieval.questions.data import Answer, CorpusDocument, Question, QuestionSet, merged
from chunking.retrieval.questions.folders.quotes import QuoteFinder
from chunking.retrieval.questions.folders.reader import FolderReader, is_number, names, records
from chunking.retrieval.questions.folders.spans import inside
from chunking.runtime import structured

FILES = ("spans.json", "ground_truth.json")
_METADATA = "corpus_metadata.json"


def read(reader: FolderReader, file: str) -> QuestionSet:
    """Return documents and a file of questions.

    Args:
        reader: of the folder.
        file: one of :data:`FILES`.

    Raises:
        ChunkscopeError: the file is no JSON, or has no list of queries.
    """
    rows = records(_json(reader, file)).get("queries")
    if not isinstance(rows, list):
        raise ChunkscopeError(f"{reader.folder / file} has no list of queries.", "Write queries: with id and query.")
    sources = reader.opened(*FILES, _METADATA, corpora=True)
    set_ = _AnswerSet(reader, file, sources)
    questions: list[Question] = []
    for _, key, row in reader.listed(file, rows):
        answers = set_.spans(key, row["relevant_spans"]) if "relevant_spans" in row else set_.facts(key, row)
        questions += reader.asked(file, 0, key, row.get("query", row.get("original_query")), answers)
        wordings = row.get("human_queries")
        for _ in wordings if isinstance(wordings, list) else []:
            reader.remark(file, 0, key, "further wording of a question not asked")
    return reader.done(sources, questions)


def _json(reader: FolderReader, file: str) -> Any:
    try:
        return structured.load_json(reader.words(file))
    except (ValueError, RecursionError) as error:
        if isinstance(error, ChunkscopeError):
            raise
        raise ChunkscopeError(f"{reader.folder / file} is no JSON.", "Correct it.") from error


class _AnswerSet:
    """The answers of questions on some documents."""

    def __init__(self, reader: FolderReader, file: str, sources: tuple[CorpusDocument, ...]) -> None:
        self.reader, self.file, self.sources = reader, file, sources
        self.quotes = QuoteFinder(sources)
        self.place_of = self._places()

    def _places(self) -> Mapping[str, int]:
        """Return documents by the ids of the metadata, and by the names of their files."""
        by_name = names([source.id for source in self.sources])
        found = dict(by_name)
        if not (self.reader.folder / _METADATA).is_file():
            return found
        rows = _json(self.reader, _METADATA)
        for row in rows if isinstance(rows, list) else []:
            id, file = records(row).get("id"), records(row).get("filename")
            place = next((at for name, at in by_name.items() if isinstance(file, str) and _ends(name, file)), None)
            if isinstance(id, str) and place is not None:
                found[id] = place
            else:
                self.reader.remark(_METADATA, 0, str(id), "document that is not there left out")
        return found

    def spans(self, key: str, spans: object) -> tuple[Answer, ...]:
        """Return the answers that are given as spans."""
        found: list[Answer] = []
        for span in spans if isinstance(spans, list) else []:
            known = records(span)
            start, end, document = known.get("start"), known.get("end"), known.get("doc_id")
            if not (is_number(start) and is_number(end)):
                self.reader.remark(self.file, 0, key, "span without start and end left out")
            elif not isinstance(document, str) or document not in self.place_of:
                self.reader.remark(self.file, 0, key, "span in a document that is not there left out")
            else:
                answer = Answer(self.place_of[document], known["start"], known["end"])
                found += inside(self.reader, self.file, 0, key, answer, self.sources)
        return merged(found)

    def facts(self, key: str, row: Mapping[str, Any]) -> tuple[Answer, ...]:
        """Return the answers that are given as words."""
        facts = row.get("key_facts")
        documents = self._expected(key, row.get("expected_docs"))
        found: list[Answer] = []
        for fact in facts if isinstance(facts, list) else []:
            if not isinstance(fact, str) or not fact.strip():
                self.reader.remark(self.file, 0, key, "key fact that is no text left out")
                continue
            known = self.quotes.find(fact, documents)
            if not known.answers:
                self.reader.remark(self.file, 0, key, "key fact that stands in no expected document left out")
            elif known.near:
                self.reader.remark(self.file, 0, key, "key fact without exact match, located approximately")
            elif len(known.answers) > 1:
                self.reader.remark(self.file, 0, key, "key fact found in several places, all of which count as answers")
            found += known.answers
        return merged(found)

    def _expected(self, key: str, asked: object) -> Sequence[int] | None:
        """Return the documents that are expected; all where none are named."""
        if not isinstance(asked, list) or not asked:
            return None
        found = []
        for document in asked:
            if isinstance(document, str) and document in self.place_of:
                found.append(self.place_of[document])
            else:
                self.reader.remark(self.file, 0, key, "expected document that is not there left out")
        return sorted(set(found))


def _ends(name: str, file: str) -> bool:
    return name == file or name.endswith(f"/{file}")
