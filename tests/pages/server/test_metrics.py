"""Measurements in Prometheus' format: who may read them, and what they count."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.jobs.queue import JobQueue, ServerHooks
from chunking.runtime.caches import LRUCache
from pages.shared.server import metrics

TOKEN = "a token that is long enough"


def client(monkeypatch: pytest.MonkeyPatch, token: str) -> TestClient:
    monkeypatch.setenv(metrics.TOKEN, token)
    own = [
        Route(path, lambda request: PlainTextResponse("open")) for path in ("/_stcore/metrics", "/a/_stcore/metrics")
    ]
    app = Starlette(routes=[*metrics.routes(), *own], middleware=list(metrics.MIDDLEWARE))
    return TestClient(app, client=("127.0.0.1", 50_000))


def values() -> dict[tuple[str, ...], float]:
    """All samples by name and the values of their labels, which are in the order of the labels' names."""
    text = generate_latest(metrics.REGISTRY).decode()
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_only_who_has_the_token_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    server = client(monkeypatch, TOKEN)
    for header in ("", TOKEN, "Bearer", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "é"):
        refused = server.get("/metrics", headers=[(b"Authorization", header.encode())])
        assert refused.status_code == 401 and "chunkscope" not in refused.text
    found = server.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert found.status_code == 200 and found.headers["Content-Type"].startswith("text/plain; version=")
    assert "chunkscope_script_run_seconds" in found.text
    accept = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/openmetrics-text; version=1.0.0"}
    assert server.get("/metrics", headers=accept).text.endswith("# EOF\n")


def test_an_address_of_this_machine_is_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    headers = {"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1", "Forwarded": "for=127.0.0.1"}
    assert client(monkeypatch, TOKEN).get("/metrics", headers=headers).status_code == 401


def test_without_a_token_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert client(monkeypatch, "").get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    monkeypatch.setenv(metrics.TOKEN, "short")
    with pytest.raises(ChunkscopeError, match="16 characters"):
        metrics.routes()


def test_what_streamlit_shows_to_everybody_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    server = client(monkeypatch, TOKEN)
    for path in ("/_stcore/metrics", "/_stcore/metrics/", "/_stcore/%6detrics", "/a/_stcore/metrics"):
        assert server.get(path).status_code == 404, path


def test_jobs_are_counted_by_state() -> None:
    before, begun, release = values(), threading.Event(), threading.Event()
    queue = JobQueue(hooks=ServerHooks(watch=metrics.watch))
    metrics.QUEUES.add(queue)

    def work(tell: object) -> None:
        begun.set()
        release.wait(30)

    first = queue.start("evaluation", "a", "A", work)
    queue.start("evaluation", "b", "B", lambda tell: None)
    assert begun.wait(30)

    def more(state: str) -> float:
        key = ("chunkscope_jobs", "evaluation", state)
        return values().get(key, 0) - before.get(key, 0)

    assert (more("running"), more("waiting"), more("done")) == (1, 1, 0)
    release.set()
    assert first.wait(30) and queue.start("evaluation", "b", "B", lambda tell: None).wait(30)
    assert (more("running"), more("waiting"), more("done")) == (0, 0, 2)


def test_hits_and_misses_of_caches_are_counted(tmp_path: Path) -> None:
    before = values()
    kept: LRUCache[str, int] = LRUCache(2, "counted")
    kept.put("a", 1)
    for key in "aab":
        kept.get(key)
    cache = VectorCache(tmp_path / "vectors.sqlite")
    cache.write_many({b"one": bytes(8)})
    cache.read_many([b"one", b"two", b"three"])
    found = values()

    def more(cache: str, result: str) -> float:
        key = ("chunkscope_cache_lookups_total", cache, result)
        return found[key] - before.get(key, 0)

    assert (more("counted", "hit"), more("counted", "miss")) == (2, 1)
    assert (more("vectors", "hit"), more("vectors", "miss")) == (1, 2)
    assert found["chunkscope_cache_bytes", "vectors"] == cache.size > 0
    del cache
    assert values()["chunkscope_cache_bytes", "vectors"] >= 0


def test_runs_and_errors_are_counted() -> None:
    before = values()
    with metrics.measured():
        pass
    with pytest.raises(ValueError, match="gone wrong"), metrics.measured():
        raise ValueError("gone wrong")
    metrics.count_problem(ChunkscopeError("It is no document.", "Choose another."))
    metrics.count_internal(ValueError())
    found = values()
    for key in (
        ("chunkscope_script_run_seconds_count", "done", ""),
        ("chunkscope_script_run_seconds_count", "failed", ""),
        ("chunkscope_errors_shown_total", "problem"),
        ("chunkscope_errors_shown_total", "internal"),
    ):
        assert found[key] - before.get(key, 0) == 1, key
    assert found["process_resident_memory_bytes",] > 1e7
