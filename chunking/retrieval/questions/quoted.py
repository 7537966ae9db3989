"""Sets that quote the words of an answer, so that its place in the documents is searched for.

- **chunklab** (Ludovico-Chieffallo/chunklab): ``questions.yaml`` beside documents of any format. ``questions`` is a
  list of records with ``id``, ``query`` and ``gold_snippets``: passages that answer the question, copied from a
  document. A snippet may be a list of passages of which each would do. chunklab looks for the snippet in retrieved
  chunks; here it is located in the documents once, so that the truth is a span. If a snippet occurs at several places,
  or several of its passages are found, all of them are the answer: recall then requires more than in chunklab, which
  accepts any.
- **Facts**: ``spans.json`` or ``ground_truth.json`` beside documents, as in personal-library-manager (LichHunter).
  ``queries`` is a list of records with ``id`` and ``query`` (or ``original_query``). ``relevant_spans`` (``doc_id``,
  ``start``, ``end``) are the answer. Without them, it is every place in ``expected_docs`` where one of the
  ``key_facts`` occurs, or the text nearest to it. A document's id is that of ``corpus_metadata.json``, or its file's
  name. Further wordings of a question (``human_queries``) are not used: the same answer would count several times.
- **Chroma** (brandonstarxel/chunking_evaluation): corpora as text files, and a CSV of questions. A row has a
  ``question``, its ``references`` (a JSON list of ``content``, ``start_index``, ``end_index``) and a ``corpus_id``, the
  name of a text file anywhere in the folder, with or without its ending. As in Chroma's program, line ends of corpora
  are ``\\n``, and only the corpora that the questions name are searched. The indices of a reference count, not its
  ``content``; if the two differ and the content occurs elsewhere, the answer is there, with a remark.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from io import StringIO
from pathlib import PurePosixPath
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.loading import FORMATS
from chunking.retrieval.questions.data import Answer, CorpusDocument, Question, QuestionSet, merge_answers
from chunking.retrieval.questions.reader import PLAIN, FolderReader, Row, as_record, index_names, is_whole_number
from chunking.runtime import structured
from chunking.runtime.patterns import compile_pattern

SNIPPET_FILES = ("questions.yaml", "questions.yml")
FACT_FILES = ("spans.json", "ground_truth.json")
CHROMA_COLUMNS = ("question", "references", "corpus_id")

_METADATA = "corpus_metadata.json"

_YAML_DEPTH = 20
"""Nested lists and records; a set of questions has five."""

_LONGEST_HEAD = 10_000
"""Characters of the head of a CSV, at most."""

NEAR = 90.0
"""Similarity of a stretch of text to a quote, in per cent, from which it stands for it: ``partial_ratio`` of rapidfuzz,
the measure and threshold of chunklab."""

_SPACES = compile_pattern(r"\s+")


# --- chunklab --------------------------------------------------------------------------------------------------------


def read_snippets(reader: FolderReader, file: str) -> QuestionSet:
    """Return the set of documents and chunklab's file of questions.

    Raises:
        ChunkscopeError: the file is no YAML, or has no list of questions.
    """
    content = parse_yaml(reader.text(file), file)
    records = content if isinstance(content, list) else as_record(content).get("questions")
    if not isinstance(records, list):
        raise ChunkscopeError(
            f"{reader.path_of(file)} has no list of questions.", "Write questions: with id, query and gold_snippets."
        )
    documents = reader.load_documents(file, in_corpus_folder=True)
    finder = QuoteFinder(documents)
    questions: list[Question] = []
    for row in reader.identify_list(file, records):
        snippets = row.values.get("gold_snippets")
        answers: list[Answer] = []
        for snippet in snippets if isinstance(snippets, list) else []:
            passages = snippet if isinstance(snippet, list) else [snippet]
            if passages and all(isinstance(passage, str) and passage.strip() for passage in passages):
                answers += _locate(reader, row, "gold snippet", [finder.find(passage) for passage in passages])
            else:
                reader.remark_row(row, "gold snippet that is no text left out")
        questions += reader.make_question(row, row.values.get("query"), merge_answers(answers))
    return reader.make_set(documents, questions)


def _locate(reader: FolderReader, row: Row, what: str, matches: Sequence[QuoteMatch]) -> list[Answer]:
    """Return the answers of the matches of a quote, with remarks on a doubtful one."""
    answers = [answer for match in matches for answer in match.answers]
    if not answers:
        reader.remark_row(row, f"{what} that stands in no {'expected ' * (what == _FACT)}document left out")
    if any(match.near for match in matches):
        reader.remark_row(row, f"{what} without exact match, located approximately")
    if len(answers) > 1:
        reader.remark_row(row, f"{what} found in several places, all of which count as answers")
    return answers


def parse_yaml(text: str, name: str) -> Any:
    """Return the value of a YAML text: lists, records and scalars, all scalars as they are written.

    Aliases are refused: a few of them can stand for more than any memory holds.

    Raises:
        ChunkscopeError: it is no YAML, has aliases, or is nested too deep.
    """
    yaml: Any = import_module("yaml")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    depth = 0
    try:
        for event in yaml.parse(text, Loader=loader):
            kind = type(event).__name__
            depth += kind in ("MappingStartEvent", "SequenceStartEvent")
            depth -= kind in ("MappingEndEvent", "SequenceEndEvent")
            if kind == "AliasEvent":
                raise ChunkscopeError(f"{name} has aliases (*{event.anchor}).", "Write out what they stand for.")
            if depth > _YAML_DEPTH:
                raise ChunkscopeError(f"{name} is nested deeper than {_YAML_DEPTH} levels.")
        return yaml.load(text, Loader=loader)  # the base loader makes strings, lists and dictionaries
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, ChunkscopeError):
            raise
        problem = " ".join(str(error).split())
        raise ChunkscopeError(f"{name} is no YAML: {problem:.200}.", "Correct it.") from error


# --- facts -----------------------------------------------------------------------------------------------------------

_FACT = "key fact"


def read_facts(reader: FolderReader, file: str) -> QuestionSet:
    """Return the set of documents and a file of :data:`FACT_FILES`.

    Raises:
        ChunkscopeError: the file is no JSON, or has no list of queries.
    """
    records = as_record(reader.json(file)).get("queries")
    if not isinstance(records, list):
        raise ChunkscopeError(f"{reader.path_of(file)} has no list of queries.", "Write queries: with id and query.")
    documents = reader.load_documents(*FACT_FILES, _METADATA, in_corpus_folder=True)
    indices = _index_metadata(reader, documents)
    finder = QuoteFinder(documents)
    questions: list[Question] = []
    for row in reader.identify_list(file, records):
        if "relevant_spans" in row.values:
            answers = _fact_spans(reader, row, documents, indices)
        else:
            answers = _key_facts(reader, row, finder, indices)
        text = row.values.get("query", row.values.get("original_query"))
        questions += reader.make_question(row, text, merge_answers(answers))
        wordings = row.values.get("human_queries")
        for _ in wordings if isinstance(wordings, list) else []:
            reader.remark_row(row, "further wording of a question not asked")
    return reader.make_set(documents, questions)


def _index_metadata(reader: FolderReader, documents: Sequence[CorpusDocument]) -> Mapping[str, int]:
    """Return the indices of documents by the ids of the metadata, and by the names of their files."""
    by_name = index_names([document.id for document in documents])
    indices = dict(by_name)
    if _METADATA not in reader.names():
        return indices
    records = reader.json(_METADATA)
    for record in records if isinstance(records, list) else []:
        id, file = as_record(record).get("id"), as_record(record).get("filename")
        paths = (name for name in by_name if isinstance(file, str) and (name == file or name.endswith(f"/{file}")))
        path = next(paths, None)
        if isinstance(id, str) and path is not None:
            indices[id] = by_name[path]
        else:
            reader.remark(_METADATA, 0, str(id), "document that is not there left out")
    return indices


def _fact_spans(
    reader: FolderReader, row: Row, documents: Sequence[CorpusDocument], indices: Mapping[str, int]
) -> list[Answer]:
    """Return the answers that are given as spans."""
    spans = row.values["relevant_spans"]
    answers: list[Answer] = []
    for span in map(as_record, spans if isinstance(spans, list) else []):
        document = span.get("doc_id")
        if not (is_whole_number(span.get("start")) and is_whole_number(span.get("end"))):
            reader.remark_row(row, "span without start and end left out")
        elif not isinstance(document, str) or document not in indices:
            reader.remark_row(row, "span in a document that is not there left out")
        else:
            answers += reader.check_answer(row, Answer(indices[document], span["start"], span["end"]), documents)
    return answers


def _key_facts(reader: FolderReader, row: Row, finder: QuoteFinder, indices: Mapping[str, int]) -> list[Answer]:
    """Return the answers that are given as words."""
    facts, expected = row.values.get("key_facts"), row.values.get("expected_docs")
    documents: set[int] = set()
    for document in expected if isinstance(expected, list) else []:
        if isinstance(document, str) and document in indices:
            documents.add(indices[document])
        else:
            reader.remark_row(row, "expected document that is not there left out")
    within = sorted(documents) if isinstance(expected, list) and expected else None
    answers: list[Answer] = []
    for fact in facts if isinstance(facts, list) else []:
        if isinstance(fact, str) and fact.strip():
            answers += _locate(reader, row, _FACT, [finder.find(fact, within)])
        else:
            reader.remark_row(row, "key fact that is no text left out")
    return answers


# --- Chroma ----------------------------------------------------------------------------------------------------------


def find_chroma_table(reader: FolderReader) -> str | None:
    """Return the first CSV in the folder that has :data:`CHROMA_COLUMNS`, with remarks on further ones."""
    names = [name for name in reader.names() if name.lower().endswith(".csv")]
    matching = [name for name in names if set(CHROMA_COLUMNS) <= set(_csv_head(reader, name))]
    for name in matching[1:]:
        reader.remark(name, 0, "", "further table of questions left out")
    return matching[0] if matching else None


def _csv_head(reader: FolderReader, name: str) -> list[str]:
    _, line = next(reader.lines(name), (0, ""))
    return next(csv.reader([line[:_LONGEST_HEAD]]), [])


def read_chroma(reader: FolderReader, file: str) -> QuestionSet:
    """Return the corpora and questions of a CSV, see :func:`find_chroma_table`.

    Raises:
        ChunkscopeError: it cannot be read as CSV.
    """
    table = csv.DictReader(StringIO(reader.text(file), newline=""))
    rows: list[Row] = []
    try:
        for number, record in enumerate(table):
            rows.append(Row(file, table.line_num, str(number), record))
    except csv.Error as error:
        raise ChunkscopeError(f"{reader.path_of(file)} cannot be read as CSV: {error}.", "Correct it.") from error
    documents, indices = _read_corpora(reader, file, [str(row.values.get("corpus_id") or "") for row in rows])
    finder = QuoteFinder(documents)
    questions: list[Question] = []
    for row in rows:
        document = indices.get(str(row.values.get("corpus_id") or ""))
        if document is None:
            reader.remark_row(row, "question on a corpus that is not there left out")
        else:
            answers = _references(reader, row, document, documents[document].text, finder)
            questions += reader.make_question(row, row.values.get("question"), answers)
    return reader.make_set(documents, questions)


def _read_corpora(
    reader: FolderReader, table: str, names: Sequence[str]
) -> tuple[tuple[CorpusDocument, ...], dict[str, int]]:
    """Return the corpora with these names, and their indices by these names."""
    files = [name for name in reader.files() if name != table and not name.lower().endswith(".csv")]
    by_name = index_names(files)
    documents: dict[str, CorpusDocument | None] = {}
    file_of: dict[str, str] = {}
    for name in dict.fromkeys(names):
        path = PurePosixPath(name.replace("\\", "/"))
        file = next((files[by_name[key]] for key in (str(path), path.name, path.stem) if key in by_name), None)
        if file is not None:
            file_of[name] = file
            if file not in documents:
                documents[file] = _read_corpus(reader, file)
    readable = [file for file, document in documents.items() if document is not None]
    indices = {name: readable.index(file) for name, file in file_of.items() if file in readable}
    return tuple(document for document in documents.values() if document is not None), indices


def _read_corpus(reader: FolderReader, file: str) -> CorpusDocument | None:
    try:
        text = reader.content(file).decode("utf-8")
    except UnicodeDecodeError:
        reader.remark(file, 0, "", "corpus that is not UTF-8 left out")
        return None
    path = PurePosixPath(file)
    format = "markdown" if path.suffix.lower() in FORMATS["markdown"].suffixes else PLAIN
    return CorpusDocument(path.stem, text.replace("\r\n", "\n").replace("\r", "\n"), format, corpus=path.stem)


def _references(reader: FolderReader, row: Row, document: int, text: str, finder: QuoteFinder) -> tuple[Answer, ...]:
    """Return the answers of a row of Chroma's CSV."""
    references = structured.json_or_none(str(row.values.get("references")))
    if not isinstance(references, list):
        reader.remark_row(row, "references that are no JSON list left out")
        return ()
    answers: list[Answer] = []
    for reference in map(as_record, references):
        start, end, content = (reference.get(name) for name in ("start_index", "end_index", "content"))
        quote = content if isinstance(content, str) and content.strip() else None
        is_span = is_whole_number(start) and is_whole_number(end)
        span = Answer(document, reference["start_index"], reference["end_index"]) if is_span else None
        if span and not 0 <= span.start < span.end <= len(text):
            span = None
        if span and (quote is None or normalize(text[span.start : span.end]) == normalize(quote)):
            answers.append(span)
            continue
        quote_answers = finder.find(quote, [document]).answers if quote else ()
        if quote_answers:
            reader.remark_row(row, "reference whose content stands elsewhere than its indices say, taken from there")
            answers.append(quote_answers[0])
        elif span:
            reader.remark_row(row, "reference whose content is not what stands there, its indices taken")
            answers.append(span)
        else:
            reader.remark_row(row, "reference outside the text left out")
    return merge_answers(answers)


# --- quotes in documents ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QuoteMatch:
    """The places of a quote.

    Attributes:
        answers: every place where it occurs, or the one most similar to it; in order, empty if there is none.
        near: whether it is only similar.
    """

    answers: tuple[Answer, ...] = ()
    near: bool = False


@dataclass(frozen=True)
class _FoldedText:
    """A text in lower case, with each run of white space as one space.

    Attributes:
        text: the folded text.
        starts: the offset of each of its characters in the source, and the source's length.
    """

    text: str
    starts: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source of a span of this text."""
        return self.starts[start], self.starts[end - 1] + 1


def normalize(text: str) -> str:
    """Return the form in which quotes are compared: lower case, white space folded and stripped."""
    return _fold(text).text.strip()


def _fold(text: str) -> _FoldedText:
    letters: list[str] = []
    starts: list[int] = []
    offset = 0
    for space in _SPACES.finditer(text):
        letters += text[offset : space.start()]
        starts += range(offset, space.start())
        letters.append(" ")
        starts.append(space.start())
        offset = space.end()
    letters += text[offset:]
    starts += range(offset, len(text))
    # A letter whose lower case is two (İ) stays, so that offsets do not shift.
    lower = [letter.lower() if len(letter.lower()) == 1 else letter for letter in letters]
    return _FoldedText("".join(lower), (*starts, len(text)))


class QuoteFinder:
    """Finds quotes in documents, in any case and with any white space.

    Args:
        documents: the documents.
    """

    def __init__(self, documents: Sequence[CorpusDocument]) -> None:
        self._documents = documents

    @cached_property
    def _texts(self) -> list[_FoldedText]:
        return [_fold(document.text) for document in self._documents]

    def find(self, quote: str, documents: Sequence[int] | None = None) -> QuoteMatch:
        """Return the places of a quote as whole words; if there is none, the stretch most similar to it.

        Args:
            quote: the words.
            documents: indices of the documents to search; all by default.
        """
        words = normalize(quote)
        searched = range(len(self._documents)) if documents is None else documents
        if not words:
            return QuoteMatch()
        before = f"(?<!{_SPACED})" if _is_spaced(words[0]) else ""
        after = f"(?!{_SPACED})" if _is_spaced(words[-1]) else ""
        pattern = compile_pattern(before + re.escape(words) + after)
        answers = [
            Answer(document, *self._texts[document].span(*match.span()))
            for document in searched
            for match in pattern.finditer(self._texts[document].text)
        ]
        return QuoteMatch(tuple(answers)) if answers else self._find_near(words, searched)

    def _find_near(self, words: str, documents: Sequence[int]) -> QuoteMatch:
        fuzz = import_module("rapidfuzz.fuzz")
        best, answer = NEAR, None
        for document in documents:
            text = self._texts[document]
            if len(text.text) < len(words):
                continue
            match = fuzz.partial_ratio_alignment(words, text.text, score_cutoff=best)
            if match is not None and match.dest_start < match.dest_end and (answer is None or match.score > best):
                best = match.score
                answer = Answer(document, *text.span(*_to_words(text.text, match.dest_start, match.dest_end, words)))
        return QuoteMatch() if answer is None else QuoteMatch((answer,), near=True)


_UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u3005-\u3007\u3021-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""Thai, Lao, Tibetan, Burmese, Khmer, Japanese and Chinese, which are written without spaces between words."""

_SPACED = rf"[^\W{_UNSPACED}]"
"""A letter or digit of a word that ends at a space or mark."""

_IS_SPACED = compile_pattern(_SPACED)


def _is_spaced(letter: str) -> bool:
    return _IS_SPACED.match(letter) is not None


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _to_words(text: str, start: int, end: int, words: str) -> tuple[int, int]:
    """Return a span that begins and ends with a whole word, if the quote does."""
    middle = (start + end) // 2
    while start < middle and not _is_word(text[start]) and (_is_word(words[0]) or text[start].isspace()):
        start += 1
    while end > middle + 1 and not _is_word(text[end - 1]) and (_is_word(words[-1]) or text[end - 1].isspace()):
        end -= 1
    while start > 0 and _is_spaced(text[start]) and _is_spaced(text[start - 1]):
        start -= 1
    while end < len(text) and _is_spaced(text[end - 1]) and _is_spaced(text[end]):
        end += 1
    return start, end
