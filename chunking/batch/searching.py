"""Search and measurement of a corpus that no single process holds.

The chunks of some parts are scored at a time, and the best of each question's ranking are kept. The best of two
rankings are those of both together, so it does not matter how the corpus is divided; equal scores keep the order of the
corpus. Rankings are searched, combined and measured by the functions of :mod:`chunking.retrieval.evaluate`.
"""

from __future__ import annotations

import json
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chunking.batch import corpus, questions
from chunking.batch.corpus import CorpusPart, StoredDocuments
from chunking.batch.cutting import DataSetFiles, read_words
from chunking.batch.engines import JobResult
from chunking.batch.storage import files, storage
from chunking.retrieval.evaluate import Measures, measure
from chunking.retrieval.measures import Cutoffs
from chunking.retrieval.questions.data import CorpusDocument
from chunking.retrieval.search import ranking
from chunking.retrieval.search.bm25 import BM25, WordStatistics, WordTable
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import DEPTH, DenseScorer, Method, PassageScorer, Rankings
from chunking.runtime.arrays import Float32, Int64

TOGETHER = 32_768
"""Texts that are scored at a time; with the last part there may be more."""

GROUP = 8 * TOGETHER
"""Texts of one job."""


@dataclass(frozen=True)
class PlacedPart:
    """A part with the place of its retrieved texts among those of the corpus.

    Attributes:
        part: the part.
        first: the number of its first text.
        texts: how many it has.
    """

    part: CorpusPart
    first: int
    texts: int


def place_parts(parts: Sequence[CorpusPart], texts: Sequence[int]) -> tuple[PlacedPart, ...]:
    """Return the parts with the numbers of their texts."""
    firsts = np.cumsum([0, *texts]).tolist()
    return tuple(PlacedPart(part, first, count) for part, first, count in zip(parts, firsts, texts, strict=False))


def group_parts(parts: Iterable[PlacedPart], size: int) -> Iterator[tuple[PlacedPart, ...]]:
    """Yield groups of consecutive parts with at least ``size`` texts each except the last."""
    group: list[PlacedPart] = []
    texts = 0
    for part in parts:
        group.append(part)
        texts += part.texts
        if texts >= size:
            yield tuple(group)
            group, texts = [], 0
    if group:
        yield tuple(group)


# --- searching -----------------------------------------------------------------------------------------------------


def embed_questions(data: DataSetFiles) -> JobResult:
    """Store the vectors of the questions."""
    vectors = data.question_vectors
    vectors.embed([question.text for question in questions.read(data.questions).questions])
    return JobResult(made=Counter(embedded=vectors.embedded))


@dataclass(frozen=True)
class SearchJob:
    """Some parts of a corpus under a setting, to be searched.

    Attributes:
        setting: the strategy, as a line.
        method: ``dense`` or ``bm25``.
        parts: the parts.
        words: sums over all texts of the corpus, if words are compared.
        path: of the rankings.
    """

    setting: str
    method: Method
    parts: tuple[PlacedPart, ...]
    words: WordStatistics | None
    path: str


def search_parts(data: DataSetFiles, job: SearchJob) -> JobResult:
    """Store the best texts of some parts for every question."""
    began = time.perf_counter()
    is_missing = read_rankings(job.path) is None
    if is_missing:
        rankings: list[Rankings] = []
        for group in group_parts(job.parts, TOGETHER):
            hits = _scorer(data, job, group).search(DEPTH)
            hits = Rankings(tuple(passages + group[0].first for passages in hits.passages), hits.scores)
            rankings = [merge_rankings([*rankings, hits])]
        _write_rankings(job.path, merge_rankings(rankings))
    return JobResult(made=Counter(searched=is_missing), seconds={"searching": time.perf_counter() - began})


def _scorer(data: DataSetFiles, job: SearchJob, group: Sequence[PlacedPart]) -> PassageScorer:
    texts = [question.text for question in questions.read(data.questions).questions]
    if job.method == "bm25":
        tables = [_words(data.words_of(job.setting, placed_part.part)) for placed_part in group]
        return BM25(texts, questions.vocabulary(data.questions), WordTable.concatenate(tables), job.words)
    return DenseScorer(
        data.question_vectors.of([files.key(text) for text in texts]).astype(np.float64),
        np.concatenate([_vectors(data, job.setting, placed_part.part) for placed_part in group]).astype(np.float64),
    )


def _words(path: str) -> WordTable:
    words = read_words(path)
    if words is None:
        raise files.lost(path)
    return words


def _vectors(data: DataSetFiles, setting: str, part: CorpusPart) -> Float32:
    """Return the vectors of a part's texts, in order."""
    table = files.chunks(data.chunks_of(setting, part), ("searchable", "key"))
    vectors = data.vectors_of(part)
    try:
        return vectors.of(table.searchable_keys)
    except KeyError as error:
        raise files.lost(vectors.folder) from error


def merge_rankings(rankings: Sequence[Rankings]) -> Rankings:
    """Return the best of rankings of different texts, those of the first before those of the next in the corpus."""
    if len(rankings) < 2:
        return rankings[0] if rankings else Rankings((), ())
    passages, scores = [], []
    for parts in zip(
        *(zip(ranking_of_part.passages, ranking_of_part.scores, strict=True) for ranking_of_part in rankings),
        strict=True,
    ):
        all_passages, all_scores = (np.concatenate(column) for column in zip(*parts, strict=True))
        best = ranking.strongest(all_scores, DEPTH)
        passages.append(all_passages[best])
        scores.append(all_scores[best])
    return Rankings(tuple(passages), tuple(scores))


def _write_rankings(path: str, rankings: Rankings) -> None:
    empty = np.zeros(0)
    files.write_arrays(
        path,
        {
            "ends": np.cumsum([len(indices) for indices in rankings.passages], dtype=np.int64),
            "passages": np.concatenate((empty, *rankings.passages)).astype(np.int64),
            "scores": np.concatenate((empty, *rankings.scores)).astype(np.float32),
        },
    )


def read_rankings(path: str) -> Rankings | None:
    """Return the rankings of some parts; ``None`` if they are missing or damaged."""
    arrays = files.read_arrays(path)
    if arrays is None:
        return None
    ends = arrays["ends"][:-1]
    return Rankings(tuple(np.split(arrays["passages"], ends)), tuple(np.split(arrays["scores"], ends)))


# --- measuring -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MeasureJob:
    """A ranking of a corpus, to be measured.

    Attributes:
        setting: the strategy, as a line.
        method: the search method.
        rankings: paths of the rankings of the groups of parts, for each ranking that the method combines.
        parts: all parts.
        path: of the measures.
    """

    setting: str
    method: Method
    rankings: tuple[tuple[str, ...], ...]
    parts: tuple[PlacedPart, ...]
    path: str


@dataclass(frozen=True, eq=False)
class MeasureResult(JobResult):
    """A ranking, measured.

    Attributes:
        setting, method: of the job.
        measures: of the ranking.
    """

    setting: str
    method: Method
    measures: Measures


def measure_ranking(data: DataSetFiles, job: MeasureJob) -> MeasureResult:
    """Measure a ranking, or read its measures."""
    began = time.perf_counter()
    stored = _read_measures(job.path)
    measures = stored or _measure(data, job)
    if stored is None:
        lists = {name: column.tolist() for name, column in measures.values.items()}
        storage.write(job.path, json.dumps({"values": lists, "score": measures.score}).encode())
    seconds = {"measuring": time.perf_counter() - began}
    return MeasureResult(job.setting, job.method, measures, made=Counter(measured=stored is None), seconds=seconds)


def _measure(data: DataSetFiles, job: MeasureJob) -> Measures:
    """Return the measures of a ranking, for which no more of the corpus is read than they need."""
    question_set = questions.read(data.questions)
    hits = ranking.combine([_merge_files(paths) for paths in job.rankings])
    answers = {answer.document for question in question_set.questions for answer in question.answers}
    numbers, passages, ids = _passages(data, job, hits, answers)
    hits = Rankings(
        tuple(np.searchsorted(numbers, numbers_of_question) for numbers_of_question in hits.passages), hits.scores
    )
    sources = _RankedDocuments(ids)  # of judged documents only the ids are needed, which came with the chunks
    if question_set.truth == "spans":
        read = set().union(
            *(
                _read_documents(passages, numbers_of_question, data.options.kept)
                for numbers_of_question in hits.passages
            )
        )
        sources = _RankedDocuments(
            ids, StoredDocuments([placed_part.part for placed_part in job.parts]), answers | read
        )
    return measure(replace(question_set, sources=sources), passages, hits, data.options)


def _read_measures(path: str) -> Measures | None:
    data = storage.read(path)
    try:
        stored = None if data is None else json.loads(data)
    except ValueError:
        return None
    return stored and Measures({name: np.array(column) for name, column in stored["values"].items()}, stored["score"])


def _read_documents(passages: Passages, hits: Int64, cutoffs: Cutoffs) -> set[int]:
    """Return the documents whose text a measure may read: of the first passages, and of what fits into the budgets."""
    within = np.searchsorted(np.cumsum(passages.tokens[hits]), max(cutoffs.budgets, default=0), side="right")
    return set(passages.document[hits[: max(10, cutoffs.passages, int(within) + 1)]].tolist())


def _merge_files(paths: Sequence[str]) -> Rankings:
    """Return the ranking of the whole corpus, of which no more than that of one group of parts is read at a time."""
    merged: list[Rankings] = []
    for path in paths:
        rankings = read_rankings(path)
        if rankings is None:
            raise files.lost(path)
        merged = [merge_rankings([*merged, rankings])]
    return merge_rankings(merged)


def _passages(
    data: DataSetFiles, job: MeasureJob, hits: Rankings, answers: set[int]
) -> tuple[Int64, Passages, dict[int, str]]:
    """Return the texts that were found and those of the documents that hold answers, in the order of the corpus.

    Returns:
        Their numbers, the texts themselves, and the ids of their documents by index.
    """
    all_ranked = np.unique(np.concatenate((np.zeros(0, dtype=np.int64), *hits.passages)))
    firsts = [placed_part.first for placed_part in job.parts]
    needed = {bisect_right(firsts, number) - 1 for number in all_ranked.tolist()}
    parts = [placed_part.part for placed_part in job.parts]
    needed |= {corpus.part_of(parts, document) for document in answers}
    holding = np.array(sorted(answers), dtype=np.int64)
    numbers: list[Int64] = []
    columns: list[list[Int64]] = []
    ids: dict[int, str] = {}
    for index in sorted(needed):
        placed_part = job.parts[index]
        table = files.chunks(data.chunks_of(job.setting, placed_part.part), _COLUMNS)
        part_numbers = placed_part.first + np.arange(placed_part.texts)
        rows = [getattr(table, name)[table.searchable] for name in _COLUMNS[:5]]
        is_needed = np.isin(part_numbers, all_ranked) | np.isin(rows[0], holding)
        numbers.append(part_numbers[is_needed])
        columns.append([row[is_needed] for row in rows])
        ids |= dict(zip(table.document.tolist(), table.id, strict=True))
    if not numbers:
        empty = np.zeros(0, dtype=np.int64)
        return empty, Passages(job.setting, empty, empty, empty, empty, empty), ids
    document, start, end, reach, size = (np.concatenate(arrays) for arrays in zip(*columns, strict=True))
    return np.concatenate(numbers), Passages(job.setting, document, start, end, reach, size), ids


_COLUMNS = ("document", "start", "end", "reach", "size", "searchable", "id")


class _RankedDocuments(Sequence[CorpusDocument]):
    """The documents that a measure needs, by their indices in the corpus.

    Args:
        ids: by index.
        stored: all documents, which are read when they are needed; ``None`` if the ids suffice.
        first: those that are read at once, in order, so that each part is read once.
    """

    def __init__(
        self, ids: Mapping[int, str], stored: StoredDocuments | None = None, first: Iterable[int] = ()
    ) -> None:
        self._ids = ids
        self._stored = stored
        self._read = {index: stored[index] for index in sorted(first)} if stored else {}

    def __len__(self) -> int:
        return len(self._stored) if self._stored else len(self._ids)

    def __getitem__(self, index: Any) -> Any:
        if self._stored is None:
            return CorpusDocument(self._ids[index], "")
        return self._read[index] if index in self._read else self._stored[index]
