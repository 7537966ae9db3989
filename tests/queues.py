"""The queues of a server in tests."""

from __future__ import annotations

import threading
from typing import get_args

from chunking.jobs.queue import Kind
from pages.shared.frame.runs import Queue, runs


def wait() -> None:
    """Wait until everything that is queued has been done."""
    for queue in get_args(Queue):
        for run in list(runs(queue)._jobs.values()):
            run.wait()


def held(queue: Queue, kind: Kind) -> threading.Event:
    """Keep a queue busy with a job that has begun; return what lets it go on."""
    go, begun = threading.Event(), threading.Event()

    def hold(_: object) -> None:
        begun.set()
        assert go.wait(60)

    runs(queue).start(kind, "held", "held", hold)
    assert begun.wait(120)
    return go
