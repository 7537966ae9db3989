from __future__ import annotations

import threading
from functools import partial

import httpx
import pytest
from prometheus_client import generate_latest

from benchmarks import served
from chunking.jobs.queue import Job, JobQueue, ServerHooks
from pages.shared.server import metrics
from tests import loops
from tests.browser.server import Server


def test_jobs_of_all_processes_are_counted_by_state_without_those_that_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_end, begun = threading.Event(), threading.Event()

    def work(_: object) -> None:
        begun.set()
        assert may_end.wait(60)

    def watch(run: Job) -> None:
        if not run.live:
            metrics.JOBS_ENDED.labels(run.kind, run.state).inc()

    runs = JobQueue(hooks=ServerHooks(watch=watch))
    ended = runs.start("causes", "ended", "Ended", lambda _: None)
    assert ended.wait(60)
    held = [runs.start("causes", key, key, work) for key in ("first", "second")]
    assert begun.wait(60)
    monkeypatch.setattr(metrics, "QUEUES", {runs})
    page = generate_latest(metrics.REGISTRY).decode()
    transport = httpx.MockTransport(lambda _: httpx.Response(200, text=page))
    monkeypatch.setattr(httpx, "AsyncClient", partial(httpx.AsyncClient, transport=transport))
    on = served.Served("http://proxy", (Server("http://one", 1), Server("http://two", 2)), "")
    assert loops.run(on.jobs()) == {"running": 2, "waiting": 2, "done": 2}
    may_end.set()
    assert all(run.wait(60) for run in held)
