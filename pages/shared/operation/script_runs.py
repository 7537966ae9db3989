"""Runs of pages, measured and logged."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from streamlit.runtime.scriptrunner import RerunException, StopException

from chunking.errors import ChunkscopeError
from pages.shared.operation import logs, metrics
from pages.shared.state import session

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
        metrics.RUN_SECONDS.labels(logs.page(), outcome).observe(seconds)
        _LOG.info("A page ran.", extra=logs.fields(seconds=round(seconds, 3), outcome=outcome))


@contextmanager
def measured_part() -> Iterator[bool]:
    """Measure and log a run of a part of a page, where it runs by itself; say whether it does."""
    by_itself = session.is_part_run()
    with measured() if by_itself else nullcontext():
        yield by_itself


def count_problem(error: ChunkscopeError) -> None:
    """Count and log a problem that is shown; its words may quote a document, so the log has the place alone."""
    metrics.ERRORS.labels("problem").inc()
    _LOG.info("A problem was shown.", extra=logs.fields(at=logs.origin(error)))


def count_internal(_error: Exception) -> None:
    """Count an internal error; Streamlit logs and shows it."""
    metrics.ERRORS.labels("internal").inc()
