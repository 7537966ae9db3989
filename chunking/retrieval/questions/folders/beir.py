"""The layout of BEIR: documents judged for questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.retrieval.questions.data import Question, QuestionSet
from chunking.retrieval.questions.folders import tables
from chunking.retrieval.questions.folders.reader import FolderReader, places, whole

SPLITS = ("test", "dev", "train")
"""Judgements that are taken where a folder has several, the first that is there."""


def read(reader: FolderReader, split: str | None) -> QuestionSet:
    """Return the tables ``corpus`` and ``queries``, and judgements in ``qrels``.

    Args:
        reader: of the folder.
        split: name of the judgements; ``None`` takes the first of :data:`SPLITS`.

    Raises:
        ChunkscopeError: there are no judgements, or none of that name.
    """
    sources = reader.sources(reader.needed("corpus"), _titled)
    queries = reader.needed("queries")
    words = dict(_words(reader, queries))
    judged = _qrels(reader, split)
    grades = _grades(reader, judged, words, places(sources))
    for key in words:
        if key not in grades:
            reader.remark(queries[0], 0, key, f"question without a judgement in {judged[0]} left out")
    questions = []
    for key, text in words.items():
        if key in grades and not any(grade > 0 for grade in grades[key].values()):
            reader.remark(judged[0], 0, key, "question without a relevant document left out")
        elif key in grades:
            questions.append(Question(key, text, grades[key]))
    name = reader.folder.resolve().name
    return QuestionSet(name, "documents", sources, tuple(questions), tuple(reader.remarks), itself=True)


def _titled(row: dict[str, Any]) -> str | None:
    title, text = row.get("title") or "", row.get("text")
    if not isinstance(text, str) or not isinstance(title, str):
        return None
    return "\n\n".join(part for part in (title.strip(), text) if part)


def _words(reader: FolderReader, files: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for file, number, key, row in reader.rows(files):
        text = row.get("text")
        if isinstance(text, str) and text.strip():
            yield key, whole(text)
        else:
            reader.remark(file, number, key, "question without words left out")


def _qrels(reader: FolderReader, split: str | None) -> tuple[str, ...]:
    """Return the files of the judgements."""
    files = [name for name in reader.names("qrels") if name.endswith((_TABS, *tables.ENDINGS))]
    there = sorted({tables.split_of(name) for name in files})
    if not there:
        raise ChunkscopeError(
            f"{reader.home} has no judgements.", "Put them into qrels/test.tsv: query, document, grade."
        )
    if split is not None and split not in there:
        raise ChunkscopeError(f"{reader.home} has no judgements {split!r:.40}.", f"There are: {', '.join(there)}.")
    chosen = split or next((name for name in SPLITS if name in there), there[0])
    own = [name for name in files if tables.split_of(name) == chosen]
    some = [name for name in own if name.endswith(_TABS)] or own  # the same in two forms is said once
    return tuple(f"qrels/{name}" for name in some)


_TABS = ".tsv"
_LONG = 20
"""Characters that no grade has."""
_JUDGED = ("query-id", "corpus-id", "score")


def _judgements(reader: FolderReader, file: str) -> Iterator[tuple[int, str, str, int]]:
    """Yield line, question, document and grade of each row that has them."""
    for number, row in _cells(reader, file):
        if len(row) not in (3, 4) or not (row[0] and row[-2] and row[-1]):
            reader.remark(file, number, "", "row without query, document and grade left out")
        elif _is_whole(row[-1]):
            yield number, row[0], row[-2], int(row[-1].strip().removesuffix(".0"))
        elif number > 1 or not file.endswith(_TABS):  # else the head
            reader.remark(file, number, row[0], "judgement whose grade is no whole number left out")


def _cells(reader: FolderReader, file: str) -> Iterator[tuple[int, list[str]]]:
    if file.endswith(_TABS):
        yield from ((number, line.split("\t")) for number, line in reader.lines(file))
    else:
        for number, row in reader.records(file, _JUDGED):
            yield number, [str(row.get(name, "")) for name in _JUDGED]


def _grades(
    reader: FolderReader, files: tuple[str, ...], words: Mapping[str, str], place_of: Mapping[str, int]
) -> dict[str, dict[int, int]]:
    """Return the grades of each question by the place of the document."""
    found: dict[str, dict[int, int]] = {}
    for file in files:
        for number, query, document, grade in _judgements(reader, file):
            if query not in words:
                reader.remark(file, number, query, "judgement of a question that is not there left out")
            elif document not in place_of:
                reader.remark(file, number, document, "judgement of a document that is not there left out")
                found.setdefault(query, {})
            elif place_of[document] in found.setdefault(query, {}):
                reader.remark(file, number, query, "judgement that came before left out")
            else:
                found[query][place_of[document]] = max(grade, 0)
    return found


def _is_whole(text: str) -> bool:
    """Return whether it is a whole number, which a column of numbers may hold as 1.0."""
    return len(text) < _LONG and text.strip().removeprefix("-").removesuffix(".0").isdecimal()
