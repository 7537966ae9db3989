"""Processes that split sentences in parallel: a model keeps one core busy, and a corpus takes minutes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import NamedTuple, Self

from chunking.isolation.workers import PoolError, TaskLimits, WorkerPool, WorkerProcess
from chunking.runtime import processes
from chunking.runtime.progress import Progress
from chunking.sentences.contract import Ranges
from chunking.sentences.splitting import RULES, split_sentences

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
        """Split each text into sentences, as :func:`chunking.sentences.splitting.split_sentences` does.

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
