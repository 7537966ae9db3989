"""The sentences of many documents: looked up where they are stored, split in parallel and stored otherwise.

A model keeps one core busy, and a corpus takes minutes.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import NamedTuple, Self

from chunking.document import Document
from chunking.isolation.workers import PoolError, TaskLimits, WorkerPool, WorkerProcess
from chunking.runtime import processes
from chunking.runtime.progress import Progress
from chunking.sentences import RULES, split_all, split_sentences, splitter_of
from chunking.sentences.sentences import Ranges, Sentences
from chunking.sentences.store import SentenceStore

MAX_PROCESSES = 8
"""Limit of processes. Each holds a model: 140 MB for spaCy's English one, half a gigabyte for Kiwi."""

MIN_CHARACTERS = 400_000
"""Characters from which processes are started: some five seconds of work; to start takes one or two."""

_JOB_CHARACTERS = 40_000
"""Characters in a job, the texts that a process gets at a time: half a second of work."""

_active_pool = threading.Lock()
"""Held by the one pool of this process that has processes; others work without any meanwhile."""


class _Job(NamedTuple):
    """Texts that a process gets at a time.

    Attributes:
        first: place of the first of them among all texts.
        texts: themselves.
        name, language: of the splitter.
    """

    first: int
    texts: Sequence[str]
    name: str
    language: str


class SplitterPool:
    """Processes that split sentences. They are started when there is enough to do and killed when the block is left.

    Args:
        size: number of processes; ``None`` for one per available core. Below two, no process is started.
        min_characters: characters from which processes are started; ``None`` for :data:`MIN_CHARACTERS`.
    """

    def __init__(self, size: int | None = None, min_characters: int | None = None) -> None:
        self._size = min(MAX_PROCESSES, processes.cores() if size is None else size)
        self._min_characters = MIN_CHARACTERS if min_characters is None else min_characters
        self._workers = WorkerPool(partial(WorkerProcess, TaskLimits(0, 0, 0), threads=1))
        self._is_active = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._workers.close()
        if self._is_active:
            self._is_active = False
            _active_pool.release()

    def split_sentences(
        self, texts: Sequence[str], name: str, language: str, progress: Progress | None
    ) -> Iterator[Ranges]:
        """Split each text into sentences, as :func:`chunking.sentences.split_sentences` does.

        ``progress`` is called now and then, also while no job ends, and may raise to stop.
        """
        if name == RULES or not self._is_worthwhile(sum(map(len, texts))):
            return iter(split_sentences(texts, name, language, progress))
        return iter(self._split_in_parallel(texts, name, language, progress or (lambda *_: None)))

    def _is_worthwhile(self, characters: int) -> bool:
        """Return whether there is enough to do for processes, and no other pool has any."""
        if not self._is_active and characters >= self._min_characters and self._size > 1:
            self._is_active = _active_pool.acquire(blocking=False)
        return self._is_active

    def _split_in_parallel(self, texts: Sequence[str], name: str, language: str, progress: Progress) -> list[Ranges]:
        ranges: list[Ranges] = [[] for _ in texts]
        jobs = {job.first: job for job in _jobs(texts, name, language)}
        total = sum(map(len, texts))
        done = 0
        try:
            results = self._workers.map(_split, list(jobs.values()), self._size, lambda: progress(done, total))
            for first, answer in results:
                ranges[first : first + len(answer)] = answer
                done += sum(map(len, jobs.pop(first).texts))
                progress(done, total)
        except PoolError:  # no resources for a process, or it was killed again and again
            for job in jobs.values():
                ranges[job.first : job.first + len(job.texts)] = split_sentences(job.texts, name, language, None)
                done += sum(map(len, job.texts))
                progress(done, total)
        return ranges


def _jobs(texts: Sequence[str], name: str, language: str) -> Iterator[_Job]:
    first = size = 0
    for index, text in enumerate(texts):
        size += len(text)
        if size >= _JOB_CHARACTERS or index == len(texts) - 1:
            yield _Job(first, texts[first : index + 1], name, language)
            first, size = index + 1, 0


def _split(job: _Job) -> tuple[int, list[Ranges]]:
    """Split the texts of a job, in a process of the pool."""
    # thinc imports torch if it is installed, which takes two seconds. No pipeline here needs it.
    sys.modules.setdefault("torch", None)  # type: ignore[arg-type]
    return job.first, list(split_sentences(job.texts, job.name, job.language, None))


class CorpusSplitter:
    """Splits the documents of a corpus, block after block, as :func:`chunking.sentences.split` does.

    Use it as a context manager: its processes are ended when the block is left.

    Args:
        splitter: splitter of all documents; ``None`` chooses by the language of each.
        store: where sentences are looked up and stored; ``None`` to split all again.
        pool: splits those that are not stored.
    """

    def __init__(
        self, splitter: str | None = None, store: SentenceStore | None = None, pool: SplitterPool | None = None
    ):
        self._splitter = splitter
        self._store = store
        self._pool = pool or SplitterPool()

    def __enter__(self) -> Self:
        self._pool.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._pool.__exit__(kind, error, at)

    def split(self, documents: Sequence[Document], progress: Progress | None = None) -> list[Sentences]:
        """Return the sentences of each document.

        Args:
            documents: a block of the corpus.
            progress: called with the characters done and the total, of documents that are not stored; may raise to
                stop.

        Raises:
            ChunkscopeError: the splitter is unknown, or its model is not installed.
        """
        names = [splitter_of(document, self._splitter) for document in documents]
        stored = self._store.lookup(documents, names) if self._store is not None else [None] * len(documents)
        missing = [document for document, sentences in zip(documents, stored, strict=True) if sentences is None]
        added = split_all(missing, self._splitter, progress, self._pool.split_sentences)
        if self._store is not None:
            self._store.save(added)
        rest = iter(added)
        return [next(rest) if sentences is None else sentences for sentences in stored]
