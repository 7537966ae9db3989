"""Chroma's evaluation (brandonstarxel/chunking_evaluation): corpora as text files, and a CSV of questions.

A row of the CSV has a ``question``, its ``references`` (a JSON list of ``content``, ``start_index``, ``end_index``) and
a ``corpus_id``, the name of a text file anywhere below the folder, with or without its ending. As Chroma's program
reads them, corpora are text whose line ends are ``\\n``, and nothing but the corpora that the questions name is
searched. The place of a reference counts, not its ``content``; where the two differ and the content stands elsewhere,
that is told, and it is taken from there.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from pathlib import PurePosixPath

from chunking.errors import ChunkscopeError
from chunking.loading import FORMATS
from chunking.retrieval.questions.data import Answer, CorpusDocument, Question, QuestionSet, merged
from chunking.retrieval.questions.folders.quotes import QuoteFinder, plain
from chunking.retrieval.questions.folders.reader import PLAIN, FolderReader, is_number, names, records
from chunking.runtime import structured

COLUMNS = ("question", "references", "corpus_id")

_LONGEST = 10_000
"""Characters of a first line that are looked at."""


def table(reader: FolderReader) -> str | None:
    """Return the CSV right in the folder that has the columns, the first of several; further ones are told."""
    there = sorted(path.name for path in reader.folder.iterdir() if path.suffix.lower() == ".csv" and path.is_file())
    found = [name for name in there if set(COLUMNS) <= set(_head(reader, name))]
    for name in found[1:]:
        reader.remark(name, 0, "", "further table of questions left out")
    return found[0] if found else None


def _head(reader: FolderReader, name: str) -> list[str]:
    _, line = next(reader.lines(name), (0, ""))
    return next(csv.reader([line[:_LONGEST]]), [])


def read(reader: FolderReader, file: str) -> QuestionSet:
    """Return the corpora and questions of a CSV.

    Args:
        reader: of the folder.
        file: what :func:`table` found.

    Raises:
        ChunkscopeError: it cannot be read as CSV.
    """
    rows = csv.DictReader(StringIO(reader.words(file), newline=""))
    asked: list[tuple[int, str, Mapping[str, object]]] = []
    try:
        for number, row in enumerate(rows):
            asked.append((rows.line_num, str(number), row))
    except csv.Error as error:
        raise ChunkscopeError(f"{reader.folder / file} cannot be read as CSV: {error}.", "Correct it.") from error
    sources, place_of = _corpora(reader, file, [str(row.get("corpus_id") or "") for _, _, row in asked])
    quotes = QuoteFinder(sources)
    questions: list[Question] = []
    for line, key, cells in asked:
        place = place_of.get(str(cells.get("corpus_id") or ""))
        if place is None:
            reader.remark(file, line, key, "question on a corpus that is not there left out")
            continue
        answers = _answers(reader, (file, line, key), cells.get("references"), place, sources, quotes)
        questions += reader.asked(file, line, key, cells.get("question"), answers)
    return reader.done(sources, questions)


def _corpora(reader: FolderReader, table: str, wanted: list[str]) -> tuple[tuple[CorpusDocument, ...], dict[str, int]]:
    """Return the corpora that are named, and their places by those names."""
    files = [name for name in reader.files() if name != table and not name.lower().endswith(".csv")]
    by_name = names(files)
    sources: list[CorpusDocument] = []
    place_of: dict[str, int] = {}
    known: dict[int, int | None] = {}
    for name in dict.fromkeys(wanted):
        path = PurePosixPath(name.replace("\\", "/"))
        at = next((by_name[some] for some in (str(path), path.name, path.stem) if some in by_name), None)
        if at is None:
            continue
        if at not in known:
            source = _corpus(reader, files[at])
            known[at] = len(sources) if source else None
            sources += [source] if source else []
        place = known[at]
        if place is not None:
            place_of[name] = place
    return tuple(sources), place_of


def _corpus(reader: FolderReader, file: str) -> CorpusDocument | None:
    try:
        text = reader.content(file).decode("utf-8")
    except UnicodeDecodeError:
        reader.remark(file, 0, "", "corpus that is not UTF-8 left out")
        return None
    suffix = PurePosixPath(file).suffix.lower()
    format = "markdown" if suffix in FORMATS["markdown"].suffixes else PLAIN
    stem = PurePosixPath(file).stem
    return CorpusDocument(stem, text.replace("\r\n", "\n").replace("\r", "\n"), format, corpus=stem)


def _answers(
    reader: FolderReader,
    where: tuple[str, int, str],
    references: object,
    place: int,
    sources: tuple[CorpusDocument, ...],
    quotes: QuoteFinder,
) -> tuple[Answer, ...]:
    try:
        given = structured.load_json(str(references))
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, list):
        reader.remark(*where, "references that are no JSON list left out")
        return ()
    text = sources[place].text
    found: list[Answer] = []
    for reference in given:
        known = records(reference)
        start, end, content = known.get("start_index"), known.get("end_index"), known.get("content")
        inside = is_number(start) and is_number(end) and 0 <= known["start_index"] < known["end_index"] <= len(text)
        said = content if isinstance(content, str) and content.strip() else None
        if inside and (said is None or plain(text[known["start_index"] : known["end_index"]]) == plain(said)):
            found.append(Answer(place, known["start_index"], known["end_index"]))
            continue
        quoted = quotes.find(said, [place]).answers if said else ()
        if quoted:
            reader.remark(*where, "reference whose content stands elsewhere than its indices say, taken from there")
            found += quoted[:1]
        elif inside:
            reader.remark(*where, "reference whose content is not what stands there, its indices taken")
            found.append(Answer(place, known["start_index"], known["end_index"]))
        else:
            reader.remark(*where, "reference outside the text left out")
    return merged(found)
