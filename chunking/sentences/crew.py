"""Processes that tell sentences side by side: a model keeps one core busy, and a corpus takes minutes.

Each is a fresh Python that runs :func:`main`, not a fork (which would inherit threads and locks) and not one of
``multiprocessing`` (which runs the caller's main module again; under a web server that is a page). It gets texts as a
line of JSON and answers with one. When its pipe ends, because the crew was closed or the process that began it is gone,
it ends. What a process fails at is done by the one that asked, which so meets the error itself.
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
from chunking.sentences.contract import Progress, Ranges
from chunking.sentences.told import RULES, tell

MOST = 8
"""Most processes; each holds a model: 140 MB with spaCy's English one, half a gigabyte with Kiwi."""

WORTH = 400_000
"""Characters from which a crew is called: some five seconds of work, where it takes one or two to come."""

_JOB = 40_000
"""Characters of the texts that a process gets at a time: half a second."""

_TICK = 0.2
"""Seconds between two signs of life."""

_one = threading.Lock()
"""Held by the one crew of this process: who comes while it is out works alone."""


class _Job(NamedTuple):
    first: int
    texts: Sequence[str]
    name: str
    language: str
    done: _Done


_Done = queue.SimpleQueue[tuple[_Job, list[Ranges] | None]]
"""Where answers go; ``None`` for what a process could not do."""


class Crew:
    """Processes that tell sentences, called when there is enough to do; all gone when the block is left.

    Args:
        size: how many; ``None`` for one a core that this process may use. Below two there are none.
        worth: characters from which they are called; ``None`` for :data:`WORTH`.
    """

    def __init__(self, size: int | None = None, worth: int | None = None) -> None:
        self._size = min(MOST, processes.cores() if size is None else size)
        self._worth = WORTH if worth is None else worth
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
        # Now that the pipes are broken, nothing holds the threads.
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
        _one.release()

    def tell(self, texts: Sequence[str], name: str, language: str, progress: Progress | None) -> Iterator[Ranges]:
        """The sentences of each text, those of :func:`chunking.sentences.told.tell`.

        ``progress`` is told how far it is now and then, also while nothing moves, and may raise to stop.
        """
        if name == RULES or not self._is_out(sum(map(len, texts))):
            return iter(tell(texts, name, language, progress))
        return iter(self._side_by_side(texts, name, language, progress or (lambda *_: None)))

    def _is_out(self, characters: int) -> bool:
        """Whether there are processes; they are called if there is enough to do."""
        if self._processes:
            return True
        if characters < self._worth or self._size < 2 or not _one.acquire(blocking=False):
            return False
        try:
            for _ in range(self._size):
                process = _start()
                self._processes.append(process)
                thread = threading.Thread(target=self._serve, args=(process,), daemon=True, name="sentences")
                thread.start()
                self._threads.append(thread)
        except (OSError, RuntimeError):  # no room for another process or thread: those that are there do it
            if not self._threads:
                for process in self._processes:
                    process.kill()
                    process.wait()
                self._processes = []
                _one.release()
        return bool(self._processes)

    def _side_by_side(self, texts: Sequence[str], name: str, language: str, progress: Progress) -> list[Ranges]:
        answers: _Done = queue.SimpleQueue()
        jobs = list(_jobs(texts, name, language, answers))
        for job in jobs:
            self._jobs.put(job)
        found: list[Ranges] = [[] for _ in texts]
        total = sum(map(len, texts))
        done = 0
        for _ in jobs:
            job, answer = self._next(answers, partial(progress, done, total))
            if answer is None:
                answer = list(tell(job.texts, name, language, None))
            found[job.first : job.first + len(job.texts)] = answer
            done += sum(map(len, job.texts))
            progress(done, total)
        return found

    def _next(self, answers: _Done, wait: Callable[[], None]) -> tuple[_Job, list[Ranges] | None]:
        while True:
            with suppress(queue.Empty):
                return answers.get(timeout=_TICK)
            if not any(thread.is_alive() for thread in self._threads):
                with suppress(queue.Empty):
                    if job := self._jobs.get_nowait():
                        return job, None
            wait()

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        while (job := self._jobs.get()) is not None:
            answer = _asked(process, job)
            job.done.put((job, answer))
            if answer is None:  # it has ended; the others go on
                return


def _jobs(texts: Sequence[str], name: str, language: str, done: _Done) -> Iterator[_Job]:
    first = size = 0
    for place, text in enumerate(texts):
        size += len(text)
        if size >= _JOB or place == len(texts) - 1:
            yield _Job(first, texts[first : place + 1], name, language, done)
            first, size = place + 1, 0


def _start() -> subprocess.Popen[bytes]:
    return processes.fresh(["-c", "from chunking.sentences.crew import main; main()"], os.environ)


def _asked(process: subprocess.Popen[bytes], job: _Job) -> list[Ranges] | None:
    """What a process answers; ``None`` where it cannot."""
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


# What follows runs in a process of the crew.


def main() -> None:
    """Answer lines of standard input on standard output, until it ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    # thinc imports torch where it is there, which takes two seconds and no pipeline here has a use for.
    sys.modules["torch"] = None  # type: ignore[assignment]
    _answer(sys.stdin.buffer, out)


def _answer(asked: IO[bytes], out: IO[bytes]) -> None:
    for line in asked:
        job: list[Any] = json.loads(line)
        name, language, texts = job
        out.write(json.dumps(list(tell(texts, name, language, None))).encode() + b"\n")
        with suppress(BrokenPipeError):  # nobody listens any more: the next line is the end
            out.flush()
