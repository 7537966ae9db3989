"""A task: a function of a module with its arguments, which a process elsewhere can run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from chunking.embedding.vector_cache import VectorCache
from chunking.runtime.progress import Tell


@dataclass(frozen=True, eq=False)
class Task:
    """A function of a module with its arguments. All of them can be pickled.

    Attributes:
        function: called with the arguments, then the cache, then a ``tell``, which may raise to stop it.
        arguments: of the function.
        cache: of vectors; ``None`` where nothing may be read from or written to disk.
        portable: whether another process may run it; false where it depends on what only this process knows, such as
            the key of an endpoint.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    cache: VectorCache | None = None
    portable: bool = True

    def run(self, tell: Tell) -> Any:
        """Run the task here, and return its result."""
        return self.function(*self.arguments, self.cache, tell)

    def without_cache(self) -> Task:
        """Return the task for a machine that has no access to the cache."""
        return replace(self, cache=None)


@dataclass(frozen=True)
class TaskLimits:
    """Limits of a task in a worker process.

    Attributes:
        cpu: seconds of processor time from one report of its progress to the next.
        memory: bytes beyond those that the process has when it begins.
    """

    cpu: int = 900
    memory: int = 4 * 2**30


USUAL_LIMITS = TaskLimits()
"""Limits of a task where none are set."""


Call = Callable[[Task, Tell], Any]
"""Runs a task somewhere, reports its progress, and returns its result."""


def run_here(task: Task, tell: Tell) -> Any:
    """Run a task in this thread."""
    return task.run(tell)


class WorkerLost(Exception):
    """A worker ended before it answered."""


class Cancelled(Exception):
    """Raised inside a task that nobody wants any more."""
