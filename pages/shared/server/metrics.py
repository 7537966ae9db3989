"""Measurements of the server in Prometheus' format, at ``/metrics``.

They are served where :data:`TOKEN` names a token, to requests that carry it. The address that a request comes from
decides nothing: behind a proxy on the same machine every visitor has the address of this machine.
"""

from __future__ import annotations

import hmac
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager, nullcontext
from typing import Protocol
from weakref import WeakSet

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.scriptrunner import RerunException, StopException
from streamlit.runtime.stats import CounterStat, GaugeStat

from chunking.errors import ChunkscopeError
from chunking.jobs.queue import Job
from chunking.runtime.caches import cache_uses
from chunking.runtime.log_fields import fields
from pages.shared.server import logs
from pages.shared.state import session

TOKEN = "CHUNKSCOPE_METRICS_TOKEN"
"""The environment variable of the token; without it nothing is served."""

_SHORTEST = 16
"""Characters of a token that cannot be guessed."""

_OPEN = "/_stcore/metrics"
"""Where Streamlit shows its own measurements to everybody."""

_STREAMLIT_FAMILIES = (
    "active_sessions",
    "session_events",
    "session_duration_seconds",
    "cache_lookups",
    "cache_evictions",
)
"""Without the bytes of its caches, for which it walks through every object that they and the sessions hold."""

disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()

RUN_SECONDS = Histogram(
    "chunkscope_script_run_seconds",
    "Duration of a run of a page, by how it ended: done, failed, or interrupted by the user's next move.",
    ["page", "outcome"],
    buckets=(0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60),
    registry=REGISTRY,
)

ERRORS = Counter(
    "chunkscope_errors_shown",
    "Errors that visitors saw: problems with their input, and internal errors.",
    ["kind"],
    registry=REGISTRY,
)
for _kind in ("problem", "internal"):
    ERRORS.labels(_kind)

WAIT_SECONDS = Histogram(
    "chunkscope_job_wait_seconds",
    "Seconds that a background job waited in its queue.",
    ["kind"],
    buckets=(0.1, 1, 5, 15, 60, 300, 900, 3600),
    registry=REGISTRY,
)

JOBS_ENDED = Counter(
    "chunkscope_jobs_ended",
    "Background jobs that have ended, by result: done, failed, or stopped.",
    ["kind", "result"],
    registry=REGISTRY,
)


def watch(run: Job) -> None:
    """Measure a background job that starts, or that has ended."""
    if run.live:
        WAIT_SECONDS.labels(run.kind).observe(run.waited)
    else:
        JOBS_ENDED.labels(run.kind, run.state).inc()


class Jobs(Protocol):
    """A queue of background work."""

    def counts(self) -> Mapping[tuple[str, str], int]:
        """Return the number of jobs by kind and state."""


QUEUES: WeakSet[Jobs] = WeakSet()
"""The queues of this server."""

POOLS: WeakSet[Sized] = WeakSet()
"""The workers of this server."""


class _Queues(Collector):
    def collect(self) -> Iterator[Metric]:
        jobs = GaugeMetricFamily("chunkscope_jobs", "Background jobs by state.", labels=["kind", "state"])
        sums: dict[tuple[str, str], int] = {}
        for queue in list(QUEUES):
            for key, count in queue.counts().items():
                sums[key] = sums.get(key, 0) + count
        for key, count in sorted(sums.items()):
            jobs.add_metric(key, count)
        yield jobs
        workers = GaugeMetricFamily("chunkscope_workers", "Workers that hold memory: busy, or idle for a while.")
        workers.add_metric((), sum(map(len, list(POOLS))))
        yield workers


class _Caches(Collector):
    def collect(self) -> Iterator[Metric]:
        lookups = CounterMetricFamily(
            "chunkscope_cache_lookups", "Look-ups in the caches of the engine.", labels=["cache", "result"]
        )
        size = GaugeMetricFamily("chunkscope_cache_bytes", "Size of the caches on disk.", labels=["cache"])
        for name, use in sorted(cache_uses().items()):
            lookups.add_metric((name, "hit"), use.hits)
            lookups.add_metric((name, "miss"), use.misses)
            if use.size is not None:
                size.add_metric((name,), use.size())
        yield from (lookups, size)


class _Streamlit(Collector):
    """Streamlit's own measurements: sessions, and the look-ups of cached functions."""

    def collect(self) -> Iterator[Metric]:
        if not runtime.exists():
            return
        for stats in runtime.get_instance().stats_mgr.get_stats(_STREAMLIT_FAMILIES).values():
            usable = [stat for stat in stats if isinstance(stat, CounterStat | GaugeStat)]
            if usable:
                yield _translated(usable)


def _translated(stats: Sequence[CounterStat | GaugeStat]) -> Metric:
    """Return measurements of Streamlit that belong together as one of Prometheus."""
    first = stats[0]
    labels = sorted(first.labels or {})
    family = CounterMetricFamily if isinstance(first, CounterStat) else GaugeMetricFamily
    metric = family(f"streamlit_{first.family_name}", first.help, labels=labels)
    for stat in stats:
        metric.add_metric([(stat.labels or {})[label] for label in labels], stat.value)
    return metric


ProcessCollector(registry=REGISTRY)
for _collector in (_Queues(), _Caches(), _Streamlit()):
    REGISTRY.register(_collector)


def routes() -> list[BaseRoute]:
    """Return the route of the measurements; none without a token.

    Raises:
        ChunkscopeError: the token is too short.
    """
    token = os.environ.get(TOKEN, "")
    if not token:
        return []
    if len(token) < _SHORTEST:
        raise ChunkscopeError(
            f"{TOKEN} is shorter than {_SHORTEST} characters.", "Set it to a random text: openssl rand -hex 32."
        )
    wanted = f"Bearer {token}".encode()

    async def serve(request: Request) -> Response:
        if not hmac.compare_digest(request.headers.get("Authorization", "").encode(), wanted):
            return PlainTextResponse("Unauthorized", 401, {"WWW-Authenticate": "Bearer"})
        encode, media_type = choose_encoder(request.headers.get("Accept", ""))
        body = await run_in_threadpool(encode, REGISTRY)
        return Response(body, headers={"Content-Type": media_type, "Cache-Control": "no-store"})

    return [Route("/metrics", serve, methods=["GET"])]


class _Closed:
    """Hides Streamlit's own measurements, which need no token."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass every other request on."""
        hidden = scope["type"] == "http" and scope["path"].rstrip("/").endswith(_OPEN)
        await (PlainTextResponse("Not Found", 404) if hidden else self._app)(scope, receive, send)


MIDDLEWARE = (Middleware(_Closed),)


# ---- runs of pages


_LOG = logging.getLogger(__name__)


@contextmanager
def measured() -> Iterator[None]:
    """Measure a run of ``app.py`` and of the page, and log it."""
    began, outcome = time.perf_counter(), "failed"
    try:
        yield
        outcome = "done"
    except (RerunException, StopException):
        outcome = "interrupted"
        raise
    finally:
        seconds = time.perf_counter() - began
        RUN_SECONDS.labels(logs.page(), outcome).observe(seconds)
        _LOG.info("A page ran.", extra=fields(seconds=round(seconds, 3), outcome=outcome))


@contextmanager
def measured_part() -> Iterator[bool]:
    """Measure and log a run of a part of a page, where it runs by itself; say whether it does."""
    by_itself = session.is_part_run()
    with measured() if by_itself else nullcontext():
        yield by_itself


def count_problem(error: ChunkscopeError) -> None:
    """Count and log a problem that is shown; its words may quote a document, so the log has the place alone."""
    ERRORS.labels("problem").inc()
    _LOG.info("A problem was shown.", extra=fields(at=logs.origin(error)))


def count_internal(_error: Exception) -> None:
    """Count an internal error; Streamlit logs and shows it."""
    ERRORS.labels("internal").inc()
