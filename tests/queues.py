"""The queues of a server in tests."""

from __future__ import annotations

import threading

from pages.shared.frame.runs import Kind, Queue, runs


def held(queue: Queue, kind: Kind) -> threading.Event:
    """Keep a queue busy with a job that has begun; return what lets it go on."""
    go, begun = threading.Event(), threading.Event()

    def hold(_: object) -> None:
        begun.set()
        assert go.wait(60)

    runs(queue).start(kind, "held", "held", hold)
    assert begun.wait(120)
    return go
