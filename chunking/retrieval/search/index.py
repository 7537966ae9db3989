"""Which passages are compared with a question: all of them, or those that a vector index takes to be near.

All are compared unless there are so many that an index pays: :func:`chosen`. What the index returns is scored as
exactly as without it, and how much of the exact ranking it finds is measured on the questions themselves.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, get_args

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.installation import install_command
from chunking.retrieval.search import ranking
from chunking.retrieval.search.ranking import DenseScorer, Rankings
from chunking.runtime.arrays import Float32, Int64
from chunking.runtime.progress import Progress

Choice = Literal["auto", "exact", "faiss"]
CHOICES: tuple[Choice, ...] = get_args(Choice)


@dataclass(frozen=True)
class IndexThresholds:
    """From where on an index pays.

    Attributes:
        passages: how many must be searched.
        questions: how many must be asked of them.
    """

    passages: int
    questions: int


# Measured with 384 numbers a vector. Where all questions are asked at once, comparing everything is one product of
# matrices: up to 500,000 passages that is faster than an index that finds ENOUGH, and beyond it making the index takes
# as long as comparing some thousand questions. Asked one by one, each question has all vectors read from memory: from
# 250,000 on that takes 30 ms, of which an index leaves a fifth, and 200 questions pay for it.
AT_ONCE = IndexThresholds(1_000_000, 5_000)
ONE_BY_ONE = IndexThresholds(250_000, 1)

CHECKED = 100
"""Questions at most on which it is measured what the index finds."""

ENOUGH = {10: 0.98, 100: 0.95}
"""The share of the exact best that must be found of those questions, by how many are the best."""

_SAMPLE = 64
"""Passages for each list that the lists are made from."""

_ROUNDS = 10
_SEED = 20_240_229
_SPARE = 64
"""Passages more than are wanted, so that what float32 takes for equal can be distinguished."""


@dataclass(frozen=True)
class SearchReport:
    """A report on how vectors were compared.

    Attributes:
        lists: of the index, 0 without one.
        probed: lists that are looked through for a question.
        recall: the share of the exact ranking that it finds, by how many are its best. A passage that scores as much as
            the last of those counts as found.
        checked: questions on which that was measured.
        own: whether those were passages of the index itself, which are found more easily.
    """

    lists: int = 0
    probed: int = 0
    recall: tuple[tuple[int, float], ...] = ()
    checked: int = 0
    own: bool = False

    def as_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        if not self.lists:
            return {"dense": "exact"}
        return {
            "dense": "index",
            "index": NAME,
            "lists": self.lists,
            "probed": self.probed,
            **{f"recall_of_exact@{depth}": round(share, 6) for depth, share in self.recall},
            "checked": self.checked,
            "checked_on": "passages" if self.own else "questions",
            "said": self.text,
        }

    @property
    def text(self) -> str:
        """The report in words."""
        if not self.lists:
            return "every passage is compared"
        shares = ", ".join(f"{100 * share:.1f} % of the best {depth:,}" for depth, share in self.recall)
        unit = "passages, asked as questions" if self.own else "questions"
        return (
            f"{NAME}, {self.probed:,} of {self.lists:,} lists are looked through, which finds {shares} of an exact "
            f"search, measured on {self.checked:,} {unit}"
        )


NAME = "FAISS IVF"
"""The index: inverted lists, by FAISS (Douze et al. 2024)."""

EXACT = SearchReport()


def check(choice: str) -> None:
    """See that there is such a choice, and what it needs.

    Raises:
        ChunkscopeError: there is not.
    """
    if choice not in CHOICES:
        raise ChunkscopeError(f"There is no index {choice!r:.40}.", f"Choose one of {', '.join(CHOICES)}.")
    if choice == "faiss" and not usable():
        raise ChunkscopeError(
            "FAISS cannot be used here.",
            "Search exactly: on macOS it crashes beside PyTorch."
            if sys.platform == "darwin"
            else f"Install it ({install_command('cluster')}), or search exactly.",
        )


def usable() -> bool:
    """Return whether FAISS can be used.

    On macOS it is not: its wheel and that of PyTorch bring an OpenMP each, and a process that has both is ended.
    """
    return sys.platform != "darwin" and find_spec("faiss") is not None


def uses_index(choice: Choice, passages: int, questions: int | None) -> bool:
    """Return whether an index is to be used.

    Args:
        choice: what was asked for.
        passages: how many there are.
        questions: how many are asked at once; ``None`` where they come one by one, and nobody knows how many.

    Raises:
        ChunkscopeError: FAISS was asked for and is not there.
    """
    check(choice)
    if choice != "auto":
        return choice == "faiss"
    pays = ONE_BY_ONE if questions is None else AT_ONCE
    return passages >= pays.passages and (questions or 1) >= pays.questions and usable()


class InvertedLists:
    """Passages in lists around centres, of which the nearest few are looked through: FAISS's IVF, of inner products.

    Vectors are kept in float16, which is what they are of, so nothing is lost. The same passages come into the same
    lists, and the same lists are looked through, whatever else is asked with them and by how many threads: centres are
    found by one thread from a fixed seed and rounded to float16, and what is nearest is decided exactly, as in
    :class:`~chunking.retrieval.search.ranking.DenseScorer`.

    Args:
        passages: ``(n_passages, dim)`` float32 of float16 values, at least one.
        questions: ``(n_questions, dim)`` of the same kind: recall is measured on a sample of them, and as many lists
            are probed as it requires. ``None`` takes the passages themselves as questions.
        depth: of the rankings.
        progress: receives how many vectors are in lists; may raise to stop.

    Raises:
        ChunkscopeError: FAISS is not there.
    """

    def __init__(
        self, passages: Float32, questions: Float32 | None, depth: int, progress: Progress | None = None
    ) -> None:
        check("faiss")
        self._faiss = import_module("faiss")
        self._passages = np.ascontiguousarray(passages, dtype=np.float32)
        self._dense = DenseScorer(self._passages[:0], self._passages)
        self._depth = depth
        self._centres = DenseScorer(self._passages[:0], self._find_centres())
        self._index = self._build_index(progress or (lambda *_: None))
        sample = self._passages if questions is None else questions
        self.searched = self._calibrate(sample[_spread(len(sample))], questions is None)

    def search(self, questions: Float32) -> Rankings:
        """Return the best passages of the lists that are nearest to each question, scored exactly."""
        results = []
        dense = self._dense.asking(questions)
        lists = np.array(self._centres.asking(questions).search(self._index.nprobe).passages, dtype=np.int64)
        lists = lists.reshape(len(questions), self._index.nprobe)
        for first in range(0, len(questions), _TOGETHER):
            last = first + _TOGETHER
            near = self._near(np.ascontiguousarray(questions[first:last]), lists[first:last], 2 * dense.error)
            results += [
                dense.ranked(number, np.sort(indices), self._depth) for number, indices in enumerate(near, first)
            ]
        return Rankings(tuple(indices for indices, _ in results), tuple(scores for _, scores in results))

    def _near(self, questions: Float32, lists: Int64, doubt: float) -> Iterator[Int64]:
        """Yield the passages of each question that may be the best of its lists.

        Two whose scores are less than ``doubt`` apart may be the other way round.
        """
        depth = min(self._depth, len(self._passages))
        count = min(depth + _SPARE, len(self._passages))
        scores, all_indices = self._index.search_preassigned(questions, count, lists, None)
        for row, score, indices in zip(range(len(questions)), scores, all_indices, strict=True):
            edge = float(score[depth - 1]) - doubt
            if indices[-1] >= 0 and count < len(self._passages) and score[-1] >= edge:  # there may be more such
                _, _, extra_indices = self._index.range_search_preassigned(
                    questions[row : row + 1],
                    np.nextafter(np.float32(edge), np.float32(-np.inf)),
                    lists[row : row + 1],
                    None,
                )
                yield extra_indices
            else:
                yield indices[indices >= 0]

    def _find_centres(self) -> Float32:
        """Return ``(n_lists, dim)`` by k-means, as many as the root of the number of passages."""
        count = max(round(math.sqrt(len(self._passages))), 1)
        kmeans = self._faiss.Kmeans(
            self._passages.shape[1], count, niter=_ROUNDS, seed=_SEED, spherical=True,
            min_points_per_centroid=1, max_points_per_centroid=_SAMPLE,
        )  # fmt: skip
        with self._one_thread():
            kmeans.train(self._passages)
        centres: Float32 = np.nan_to_num(kmeans.centroids).astype(np.float16).astype(np.float32)
        return centres

    def _build_index(self, progress: Progress) -> Any:
        faiss, (count, size) = self._faiss, self._centres.passages.shape
        self._quantizer = faiss.IndexFlatIP(size)  # held here: the index only points to it
        self._quantizer.add(self._centres.passages)
        kind, metric = faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        index = faiss.IndexIVFScalarQuantizer(self._quantizer, size, count, kind, metric, False)
        index.train(self._passages[:1])  # no more is to be learned: the centres are there
        index.parallel_mode = _BY_QUESTION
        for part in ranking.parts(len(self._passages)):
            progress(part.start, len(self._passages))
            block = self._passages[part]
            lists = self._nearest(block)
            index.add_core(len(block), faiss.swig_ptr(block), None, faiss.swig_ptr(lists))
        return index

    def _nearest(self, passages: Float32) -> Int64:
        """Return the list of each passage, the first of those that are equally near."""
        if self._quantizer.ntotal == 1:
            return np.zeros(len(passages), dtype=np.int64)
        scores, lists = self._quantizer.search(passages, 2)
        nearest: Int64 = np.ascontiguousarray(lists[:, 0])
        error = self._centres.asking(passages).error
        doubtful = np.flatnonzero(scores[:, 0] - scores[:, 1] <= 2 * error)
        exact = self._centres.asking(passages[doubtful]).search(1)
        nearest[doubtful] = np.array([nearest_lists[0] for nearest_lists in exact.passages], dtype=np.int64)
        return nearest

    def _calibrate(self, questions: Float32, own: bool) -> SearchReport:
        """Probe more lists until enough of the exact rankings is found."""
        exact = self._dense.asking(questions).search(self._depth)
        count = self._quantizer.ntotal
        self._index.nprobe = math.ceil(count / 32)
        while True:
            rankings = self.search(questions)
            recall = {
                depth: agreement(exact, rankings, depth) for depth in (*ENOUGH, self._depth) if depth <= self._depth
            }
            enough = all(recall.get(depth, 1.0) >= least for depth, least in ENOUGH.items())
            if enough or self._index.nprobe == count:
                return SearchReport(count, self._index.nprobe, tuple(recall.items()), len(questions), own)
            self._index.nprobe = min(math.ceil(1.5 * self._index.nprobe), count)

    @contextmanager
    def _one_thread(self) -> Iterator[None]:
        threads = self._faiss.omp_get_max_threads()
        self._faiss.omp_set_num_threads(1)
        try:
            yield
        finally:
            self._faiss.omp_set_num_threads(threads)


_TOGETHER = 256
"""Questions that are searched at once."""

_BY_QUESTION = 3
"""FAISS's parallel mode that gives each question to one thread."""


def agreement(exact: Rankings, approximate: Rankings, depth: int) -> float:
    """Return the share of the best of exact rankings that others find, the mean over questions; 1 of none.

    A passage counts that scores at least as much as the last of the exact ones, be it another one of the same score.
    """
    shares = []
    for true, score in zip(exact.scores, approximate.scores, strict=True):
        n_exact = min(depth, len(true))
        if n_exact:
            shares.append(min(int((score >= true[n_exact - 1]).sum()), n_exact) / n_exact)
    return float(np.mean(shares)) if shares else 1.0


def _spread(count: int) -> Int64:
    """Return the places of at most :data:`CHECKED` questions, evenly over all."""
    return np.unique(np.linspace(0, count - 1, min(count, CHECKED)).round().astype(np.int64))


def search(
    questions: Float32, passages: Float32, depth: int, use: bool, progress: Progress | None = None
) -> tuple[Rankings, SearchReport]:
    """Return the best passages of each question.

    Args:
        questions: ``(n_questions, dim)`` float32.
        passages: ``(n_passages, dim)`` float32.
        depth: how many, at most.
        use: whether an index is made of them, see :func:`chosen`; of nothing there is none.
        progress: called while it is made; may raise to stop.

    Returns:
        The rankings, and how they came to be.
    """
    if not use or not len(questions) or not len(passages):
        return DenseScorer(questions, passages).search(depth), EXACT
    lists = InvertedLists(passages, questions, depth, progress)
    return lists.search(questions), lists.searched
