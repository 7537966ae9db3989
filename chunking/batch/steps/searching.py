"""What the questions find in a corpus that no process holds, and how good that is.

The chunks of some parts are scored at a time, and of each question's ranking the best are kept. The best of two
rankings are those of both together, so it does not matter how the corpus is divided; equal scores keep the order of the
corpus.
"""

from __future__ import annotations

import json
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from chunking.batch import corpus
from chunking.batch.corpus import CorpusPart, StoredDocuments
from chunking.batch.steps import questions, words
from chunking.batch.steps.splitting import PartFolders
from chunking.batch.steps.vectors import VectorFiles
from chunking.batch.storage import files, storage
from chunking.retrieval import score
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalOptions, RetrievalRow, measured
from chunking.retrieval.measures import Cutoffs
from chunking.retrieval.questions.data import CorpusDocument, QuestionSet
from chunking.retrieval.search import ranking
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import DEPTH, Method, PassageScorer, Rankings
from chunking.runtime.arrays import Float32, Float64, Int64

TOGETHER = 32_768
"""Texts that are scored at a time, and what the last part has more."""

GROUP = 8 * TOGETHER
"""Texts of one job."""


@dataclass(frozen=True)
class PartPlace:
    """A part and where its retrieved texts are among those of the corpus.

    Attributes:
        part: the part.
        first: the number of its first text.
        texts: how many it has.
    """

    part: CorpusPart
    first: int
    texts: int


def placed(parts: Sequence[CorpusPart], texts: Sequence[int]) -> tuple[PartPlace, ...]:
    """Return the parts with the numbers of their texts."""
    firsts = np.cumsum([0, *texts]).tolist()
    return tuple(PartPlace(part, first, count) for part, first, count in zip(parts, firsts, texts, strict=False))


def grouped(places: Iterable[PartPlace], size: int) -> Iterator[tuple[PartPlace, ...]]:
    """Yield the runs of parts with at least ``size`` texts each but the last; at least one, be it empty."""
    some: list[PartPlace] = []
    held = 0
    for place in places:
        some.append(place)
        held += place.texts
        if held >= size:
            yield tuple(some)
            some, held = [], 0
    if some:
        yield tuple(some)


# --- questions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EmbeddingJob:
    """The questions of a set, to be embedded.

    Attributes:
        questions: path of them.
        encoder: name of the encoder.
        folder: of their vectors.
    """

    questions: str
    encoder: str
    folder: str


def embed(job: EmbeddingJob) -> int:
    """Have the vectors of the questions; how many texts were embedded."""
    store = VectorFiles(job.folder, job.encoder)
    store.embed([question.text for question in questions.read(job.questions).questions])
    return store.embedded


# --- searching -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SearchJob:
    """Some parts of a corpus under a setting, to be searched.

    Attributes:
        setting: the strategy, as a line.
        method: ``dense`` or ``bm25``.
        places: the parts.
        folders: where their files are.
        encoder: name of the encoder.
        asked: of the questions: their path, the folder of their vectors.
        counts: of all texts of the corpus, where words are compared.
        path: of what is found.
    """

    setting: str
    method: Method
    places: tuple[PartPlace, ...]
    folders: PartFolders
    encoder: str
    asked: tuple[str, str]
    counts: words.WordCounts | None
    path: str


@dataclass(frozen=True)
class SearchResult:
    """Some parts, searched.

    Attributes:
        made: whether it had to be done.
        seconds: that it took.
    """

    made: bool
    seconds: float


def search(job: SearchJob) -> SearchResult:
    """Have the best texts of some parts for every question."""
    began = time.perf_counter()
    if read_hits(job.path) is not None:
        return SearchResult(False, time.perf_counter() - began)
    found: Rankings | None = None
    for some in grouped(job.places, TOGETHER):
        hits = ranking.search(_scorer(job, some), DEPTH, 0.0 if job.method == "bm25" else None)
        hits = Rankings(tuple(each + some[0].first for each in hits.passages), hits.scores)
        found = hits if found is None else best([found, hits])
    _write_hits(job.path, found or Rankings((), ()))
    return SearchResult(True, time.perf_counter() - began)


def _scorer(job: SearchJob, some: Sequence[PartPlace]) -> PassageScorer:
    path, vectors = job.asked
    asked = [question.text for question in questions.read(path).questions]
    if job.method == "bm25":
        known = words.vocabulary(path)
        there = words.joined([_words(job.folders.words_of(job.setting, place.part.number)) for place in some])
        return words.WordScorer(
            [ranking.words(text) for text in asked], known, there, cast(words.WordCounts, job.counts)
        )
    return ranking.DenseScorer(
        VectorFiles(vectors, job.encoder).of([files.key(text) for text in asked]).astype(np.float64),
        np.concatenate([_vectors(job, place.part) for place in some]).astype(np.float64),
    )


def _words(path: str) -> words.WordTable:
    found = words.read(path)
    if found is None:
        raise files.lost(path)
    return found


def _vectors(job: SearchJob, part: CorpusPart) -> Float32:
    """Return the vectors of a part's texts, in order."""
    chunks = files.chunks(job.folders.chunks_of(job.setting, part.number), ("found", "key"))
    folder = job.folders.vectors_of(part)
    try:
        keys = [key for key, found in zip(chunks.key, chunks.found.tolist(), strict=True) if found]
        return VectorFiles(folder, job.encoder).of(keys)
    except KeyError as error:
        raise files.lost(folder) from error


def best(rankings: Sequence[Rankings]) -> Rankings:
    """Return the best of rankings of different texts, those of the first before those of the next in the corpus."""
    passages, scores = [], []
    for some in zip(*(zip(each.passages, each.scores, strict=True) for each in rankings), strict=True):
        all_ = np.concatenate([found for found, _ in some])
        row = np.concatenate([score for _, score in some])
        kept = ranking.strongest(row, DEPTH)
        passages.append(all_[kept])
        scores.append(row[kept])
    return Rankings(tuple(passages), tuple(scores))


def _write_hits(path: str, hits: Rankings) -> None:
    ends = np.cumsum([len(each) for each in hits.passages], dtype=np.int64)
    none = np.zeros(0)
    files.write_arrays(
        path,
        {
            "ends": ends,
            "passages": np.concatenate((none, *hits.passages)).astype(np.int64),
            "scores": np.concatenate((none, *hits.scores)).astype(np.float32),
        },
    )


def read_hits(path: str) -> Rankings | None:
    """Return the results of some parts; ``None`` if any is missing."""
    found = files.read_arrays(path)
    if found is None:
        return None
    ends = found["ends"][:-1]
    return Rankings(tuple(np.split(found["passages"], ends)), tuple(np.split(found["scores"], ends)))


# --- measuring -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MeasureJob:
    """A ranking of a corpus, to be measured.

    Attributes:
        setting: the strategy, as a line.
        method: the way to search.
        found: paths of what the groups of parts found, by the ways to search that it joins.
        places: all parts.
        folders: where their files are.
        questions: path of the questions.
        options: how much is looked at, and the tokenizer that counts it.
        path: of the measures.
    """

    setting: str
    method: Method
    found: tuple[tuple[str, ...], ...]
    places: tuple[PartPlace, ...]
    folders: PartFolders
    questions: str
    options: RetrievalOptions
    path: str


@dataclass(frozen=True, eq=False)
class MeasureResult:
    """A ranking, measured.

    Attributes:
        path: of the job.
        values: by measure, a value a question.
        score: what retrieval adds to the score of :mod:`chunking.retrieval.score`.
        made: whether it had to be done.
        seconds: that it took.
    """

    path: str
    values: dict[str, Float64]
    score: float
    made: bool
    seconds: float


def measure(job: MeasureJob) -> MeasureResult:
    """Measure a ranking, or read how it was measured."""
    began = time.perf_counter()
    known = _read_measures(job.path)
    if known is not None:
        return MeasureResult(job.path, *known, False, time.perf_counter() - began)
    hits = _hits(job)
    asked = questions.read(job.questions)
    answers = {answer.document for question in asked.questions for answer in question.answers}
    numbers, passages, ids = _passages(job, hits, answers)
    hits = Rankings(tuple(np.searchsorted(numbers, each) for each in hits.passages), hits.scores)
    sources = _CorpusDocuments(ids)  # of judged documents only the ids are looked at, which came with the chunks
    if asked.truth == "spans":
        seen = set().union(*(_looked_at(passages, each, job.options.kept) for each in hits.passages))
        sources = _CorpusDocuments(ids, StoredDocuments([place.part for place in job.places]), answers | seen)
    set_ = QuestionSet(
        asked.name, asked.truth, cast("tuple[CorpusDocument, ...]", sources), asked.questions, itself=asked.itself
    )
    values = dict(measured(set_, passages, hits, job.options))
    row = RetrievalRow("", "", job.method, values, hits, {})
    scored = score.of(RetrievalEvaluation(set_, job.options, {}, {"": passages}, (row,), {}, {}), row).retrieval
    kept = {"values": {name: each.tolist() for name, each in values.items()}, "score": scored}
    storage.write(job.path, json.dumps(kept).encode())
    return MeasureResult(job.path, values, scored, True, time.perf_counter() - began)


def _read_measures(path: str) -> tuple[dict[str, Float64], float] | None:
    data = storage.read(path)
    try:
        kept = None if data is None else json.loads(data)
    except ValueError:
        return None
    return kept and ({name: np.array(each) for name, each in kept["values"].items()}, kept["score"])


def _looked_at(passages: Passages, places: Int64, kept: Cutoffs) -> set[int]:
    """Return the documents whose text a measure may look at: of the first passages, and of what fits into the
    budgets.
    """
    within = np.searchsorted(np.cumsum(passages.tokens[places]), max(kept.budgets, default=0), side="right")
    return set(passages.document[places[: max(10, kept.passages, int(within) + 1)]].tolist())


def _hits(job: MeasureJob) -> Rankings:
    """Merge the results of the questions over the whole corpus, one group of parts after another."""
    rankings = []
    for paths in job.found:
        whole: Rankings | None = None
        for path in paths:
            hits = read_hits(path)
            if hits is None:
                raise files.lost(path)
            whole = hits if whole is None else best([whole, hits])
        rankings.append(whole or Rankings((), ()))
    return rankings[0] if len(rankings) == 1 else ranking.fused(rankings, DEPTH)


def _passages(job: MeasureJob, hits: Rankings, answers: set[int]) -> tuple[Int64, Passages, dict[int, str]]:
    """Return the texts that were found and those of the documents that hold answers, in the order of the corpus.

    Returns:
        Their numbers, the texts themselves, and the ids of their documents by place.
    """
    wanted = np.unique(np.concatenate((np.zeros(0, dtype=np.int64), *hits.passages)))
    firsts = [place.first for place in job.places]
    parts = {bisect_right(firsts, number) - 1 for number in wanted.tolist()}
    all_parts = [place.part for place in job.places]
    parts |= {corpus.part_of(all_parts, document) for document in answers}
    holding = np.array(sorted(answers), dtype=np.int64)
    numbers: list[Int64] = []
    columns: list[list[Int64]] = []
    ids: dict[int, str] = {}
    for at in sorted(parts):
        place = job.places[at]
        there = files.chunks(job.folders.chunks_of(job.setting, place.part.number), _COLUMNS)
        own = place.first + np.arange(place.texts)
        rows = [getattr(there, name)[there.found] for name in _COLUMNS[:5]]
        kept = np.isin(own, wanted) | np.isin(rows[0], holding)
        numbers.append(own[kept])
        columns.append([row[kept] for row in rows])
        ids |= dict(zip(there.document.tolist(), there.id, strict=True))
    if not numbers:
        none = np.zeros(0, dtype=np.int64)
        return none, Passages(job.setting, none, none, none, none, none), ids
    document, start, end, reach, size = (np.concatenate(some) for some in zip(*columns, strict=True))
    return np.concatenate(numbers), Passages(job.setting, document, start, end, reach, size), ids


_COLUMNS = ("document", "start", "end", "reach", "size", "found", "id")


class _CorpusDocuments:
    """Documents by their places.

    Args:
        ids: by place.
        stored: where they are read; ``None`` where the ids will do.
        soon: those that are read at once, in order, so that each part is read once.
    """

    def __init__(self, ids: dict[int, str], stored: StoredDocuments | None = None, soon: Iterable[int] = ()) -> None:
        self._ids = ids
        self._stored = stored
        self._read = {place: stored[place] for place in sorted(soon)} if stored else {}

    def __getitem__(self, place: int) -> CorpusDocument:
        if self._stored is None:
            return CorpusDocument(self._ids[place], "")
        return self._read[place] if place in self._read else self._stored[place]
