"""The layout of BEIR: documents judged for questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.retrieval.data import Question, QuestionSet
from chunking.retrieval.folders.reader import Reader, places, whole

SPLITS = ("test", "dev", "train")
"""Judgements that are taken where a folder has several, the first that is there."""


def read(reader: Reader, split: str | None) -> QuestionSet:
    """``corpus.jsonl``, ``queries.jsonl`` and ``qrels/*.tsv``.

    Args:
        reader: of the folder.
        split: name of the judgements; ``None`` takes the first of :data:`SPLITS`.

    Raises:
        ChunkscopeError: there are no judgements, or none of that name.
    """
    sources = reader.sources("corpus.jsonl", _titled)
    words = dict(_words(reader))
    file = _qrels(reader.folder, split)
    grades = _grades(reader, file, words, places(sources))
    for key in words:
        if key not in grades:
            reader.remark("queries.jsonl", 0, key, f"question without a judgement in {file} left out")
    questions = []
    for key, text in words.items():
        if key in grades and not any(grade > 0 for grade in grades[key].values()):
            reader.remark(file, 0, key, "question without a relevant document left out")
        elif key in grades:
            questions.append(Question(key, text, grades[key]))
    name = reader.folder.resolve().name
    return QuestionSet(name, "documents", sources, tuple(questions), tuple(reader.remarks), itself=True)


def _titled(row: dict[str, Any]) -> str | None:
    title, text = row.get("title") or "", row.get("text")
    if not isinstance(text, str) or not isinstance(title, str):
        return None
    return "\n\n".join(part for part in (title.strip(), text) if part)


def _words(reader: Reader) -> Iterator[tuple[str, str]]:
    for number, key, row in reader.rows("queries.jsonl"):
        text = row.get("text")
        if isinstance(text, str) and text.strip():
            yield key, whole(text)
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
    reader: Reader, file: str, words: Mapping[str, str], place_of: Mapping[str, int]
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
        elif document not in place_of:
            reader.remark(file, number, document, "judgement of a document that is not there left out")
            found.setdefault(query, {})
        elif place_of[document] in found.setdefault(query, {}):
            reader.remark(file, number, query, "judgement that came before left out")
        else:
            found[query][place_of[document]] = max(int(grade), 0)
    return found


def _is_whole(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()
