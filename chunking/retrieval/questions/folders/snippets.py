"""chunklab's questions (Ludovico-Chieffallo/chunklab): ``questions.yaml`` beside documents of any format.

``questions`` is a list of records with ``id``, ``query`` and ``gold_snippets``: passages that answer the question,
copied from a document. A snippet may be a list of passages of which each would do. chunklab looks for the snippet in
retrieved chunks; here its places in the documents are looked for once, so that the truth is a span. Where a snippet
stands at several places, or several of its passages are found, all of them are the answer: recall then asks for more
than chunklab, which is content with one.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.retrieval.questions.data import Answer, Question, QuestionSet, merged
from chunking.retrieval.questions.folders.quotes import QuoteFinder
from chunking.retrieval.questions.folders.reader import FolderReader, records

FILES = ("questions.yaml", "questions.yml")

_DEPTH = 20
"""Nested lists and records; a set of questions has five."""


def read(reader: FolderReader, file: str) -> QuestionSet:
    """Return documents and a file of questions.

    Args:
        reader: of the folder.
        file: one of :data:`FILES`.

    Raises:
        ChunkscopeError: the file is no YAML, or has no list of questions.
    """
    content = parsed(reader.words(file), file)
    rows = content if isinstance(content, list) else records(content).get("questions")
    if not isinstance(rows, list):
        raise ChunkscopeError(
            f"{reader.folder / file} has no list of questions.", "Write questions: with id, query and gold_snippets."
        )
    sources = reader.opened(file, corpora=True)
    quotes = QuoteFinder(sources)
    questions: list[Question] = []
    for _, key, row in reader.listed(file, rows):
        answers = _answers(reader, file, key, row.get("gold_snippets"), quotes)
        questions += reader.asked(file, 0, key, row.get("query"), answers)
    return reader.done(sources, questions)


def _answers(reader: FolderReader, file: str, key: str, snippets: object, quotes: QuoteFinder) -> tuple[Answer, ...]:
    found: list[Answer] = []
    for snippet in snippets if isinstance(snippets, list) else []:
        passages = snippet if isinstance(snippet, list) else [snippet]
        if not passages or not all(isinstance(passage, str) and passage.strip() for passage in passages):
            reader.remark(file, 0, key, "gold snippet that is no text left out")
            continue
        known = [each for each in (quotes.find(passage) for passage in passages) if each.answers]
        places = [answer for each in known for answer in each.answers]
        if not places:
            reader.remark(file, 0, key, "gold snippet that stands in no document left out")
        if any(each.near for each in known):
            reader.remark(file, 0, key, "gold snippet without exact match, located approximately")
        if len(places) > 1:
            reader.remark(file, 0, key, "gold snippet found in several places, all of which count as answers")
        found += places
    return merged(found)


def parsed(text: str, name: str) -> Any:
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
            if depth > _DEPTH:
                raise ChunkscopeError(f"{name} is nested deeper than {_DEPTH} levels.")
        return yaml.load(text, Loader=loader)  # the base loader makes strings, lists and dictionaries
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, ChunkscopeError):
            raise
        problem = " ".join(str(error).split())
        raise ChunkscopeError(f"{name} is no YAML: {problem:.200}.", "Correct it.") from error
