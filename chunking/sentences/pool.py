"""Processes that split sentences in parallel: a model keeps one core busy, and a corpus takes minutes.

Each process is a fresh Python that runs :func:`main`. It is not a fork, which would inherit threads and locks, and not
one of ``multiprocessing``, which would run the caller's main module again (under a web server, a page). It reads texts
as lines of JSON and writes the answers in the same way. It ends when its pipe closes, because the pool was closed or
its parent is gone. The caller repeats the work of a process that failed, so errors are raised in the caller.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import IO, Any, NamedTuple, Self

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

_TICK_SECONDS = 0.2
"""Seconds between two calls of ``progress`` while no job ends."""

_active_pool = threading.Lock()
"""Held by the one pool of this process that has processes; others work without any meanwhile."""


class _Job(NamedTuple):
    first: int
    texts: Sequence[str]
    name: str
    language: str
    done: _Answers


_Answers = queue.SimpleQueue[tuple[_Job, list[Ranges] | None]]
"""Queue of answers; ``None`` where the process failed."""


class SplitterPool:
    """Processes that split sentences. They are started when there is enough to do and killed when the block is left.

    Args:
        size: number of processes; ``None`` for one per available core. Below two, no process is started.
        min_characters: characters from which processes are started; ``None`` for :data:`MIN_CHARACTERS`.
    """

    def __init__(self, size: int | None = None, min_characters: int | None = None) -> None:
        self._size = min(MAX_PROCESSES, processes.cores() if size is None else size)
        self._min_characters = MIN_CHARACTERS if min_characters is None else min_characters
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if not self._processes:
            return
        for process in self._processes:
            process.kill()
            process.wait()
        # The pipes are broken now, so no thread is blocked any more.
        with suppress(queue.Empty):
            while True:
                self._jobs.get_nowait()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(timeout=5)
        for process in self._processes:
            for stream in (process.stdin, process.stdout):
                if stream:
                    with suppress(OSError):
                        stream.close()
        self._processes, self._threads = [], []
        _active_pool.release()

    def split_sentences(
        self, texts: Sequence[str], name: str, language: str, progress: Progress | None
    ) -> Iterator[Ranges]:
        """Split each text into sentences, as :func:`chunking.sentences.splitting.split_sentences` does.

        ``progress`` is called now and then, also while no job ends, and may raise to stop.
        """
        if name == RULES or not self._ensure_started(sum(map(len, texts))):
            return iter(split_sentences(texts, name, language, progress))
        return iter(self._split_in_parallel(texts, name, language, progress or (lambda *_: None)))

    def _ensure_started(self, characters: int) -> bool:
        """Start the processes if there is enough to do. Return whether there are any."""
        if self._processes:
            return True
        if characters < self._min_characters or self._size < 2 or not _active_pool.acquire(blocking=False):
            return False
        try:
            for _ in range(self._size):
                process = _start()
                self._processes.append(process)
                thread = threading.Thread(target=self._serve, args=(process,), daemon=True, name="sentences")
                thread.start()
                self._threads.append(thread)
        except (OSError, RuntimeError):  # no resources for another process or thread: use those that started
            if not self._threads:
                for process in self._processes:
                    process.kill()
                    process.wait()
                self._processes = []
                _active_pool.release()
        return bool(self._processes)

    def _split_in_parallel(self, texts: Sequence[str], name: str, language: str, progress: Progress) -> list[Ranges]:
        answers: _Answers = queue.SimpleQueue()
        jobs = list(_jobs(texts, name, language, answers))
        for job in jobs:
            self._jobs.put(job)
        found: list[Ranges] = [[] for _ in texts]
        total = sum(map(len, texts))
        done = 0
        for _ in jobs:
            job, answer = self._next(answers, partial(progress, done, total))
            if answer is None:
                answer = list(split_sentences(job.texts, name, language, None))
            found[job.first : job.first + len(job.texts)] = answer
            done += sum(map(len, job.texts))
            progress(done, total)
        return found

    def _next(self, answers: _Answers, wait: Callable[[], None]) -> tuple[_Job, list[Ranges] | None]:
        while True:
            with suppress(queue.Empty):
                return answers.get(timeout=_TICK_SECONDS)
            if not any(thread.is_alive() for thread in self._threads):
                with suppress(queue.Empty):
                    if job := self._jobs.get_nowait():
                        return job, None
            wait()

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        while (job := self._jobs.get()) is not None:
            answer = _answer_of(process, job)
            job.done.put((job, answer))
            if answer is None:  # the process has ended; the other threads continue
                return


def _jobs(texts: Sequence[str], name: str, language: str, done: _Answers) -> Iterator[_Job]:
    first = size = 0
    for place, text in enumerate(texts):
        size += len(text)
        if size >= _JOB_CHARACTERS or place == len(texts) - 1:
            yield _Job(first, texts[first : place + 1], name, language, done)
            first, size = place + 1, 0


def _start() -> subprocess.Popen[bytes]:
    return processes.fresh(["-c", "from chunking.sentences.pool import main; main()"], os.environ)


def _answer_of(process: subprocess.Popen[bytes], job: _Job) -> list[Ranges] | None:
    """Return the answer of a process; ``None`` if it failed."""
    assert process.stdin and process.stdout
    try:
        process.stdin.write(json.dumps([job.name, job.language, list(job.texts)]).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
    except (OSError, ValueError):
        return None
    if len(answer) != len(job.texts):
        return None
    return [[(start, end) for start, end in ranges] for ranges in answer]


# The functions below run in a process of the pool.


def main() -> None:
    """Answer the lines of standard input on standard output, until the input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep what a library prints out of the answers
    # thinc imports torch if it is installed, which takes two seconds. No pipeline here needs it.
    sys.modules["torch"] = None  # type: ignore[assignment]
    _answer(sys.stdin.buffer, out)


def _answer(stream: IO[bytes], out: IO[bytes]) -> None:
    for line in stream:
        job: list[Any] = json.loads(line)
        name, language, texts = job
        out.write(json.dumps(list(split_sentences(texts, name, language, None))).encode() + b"\n")
        with suppress(BrokenPipeError):  # the reader is gone: the loop ends at the next line
            out.flush()
