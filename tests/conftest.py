from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from chunking import isolation
from tests.examples import QUICK, THOROUGH

settings.register_profile(QUICK, derandomize=True, deadline=None)
settings.register_profile(THOROUGH, derandomize=True, deadline=None, max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or QUICK)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Return three workers for two cores: a third of the time, a worker waits for a browser, a server or a process."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None  # which pytest-xdist reads itself
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + (cores + 1) // 2


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """List at the very end which tests were skipped: a line for every reason, with the count of tests in each file."""
    yield
    reasons: dict[str, Counter[str]] = {}
    for report in terminalreporter.stats.get("skipped", []):
        path, _, message = report.longrepr
        reason = " ".join(message.removeprefix("Skipped: ").split())
        file = report.nodeid.partition("::")[0] or path
        reasons.setdefault(reason, Counter())[file] += 1
    if reasons:
        terminalreporter.section("skipped tests")
    for reason, files in sorted(reasons.items()):
        counts = ", ".join(f"{file}: {count}" for file, count in sorted(files.items()))
        terminalreporter.line(f"{files.total()} skipped: {reason} ({counts})")


@pytest.fixture(autouse=True, scope="session")
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither read nor change the user's cache of vectors and reviews, and start no workers by default."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHUNKSCOPE_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("CHUNKSCOPE_WORKERS", "0")  # workers have tests of their own
        patch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path_factory.mktemp("reviews") / "reviews.sqlite"))
        yield


@pytest.fixture(autouse=True, scope="session")
def _process_that_is_ready() -> Iterator[None]:
    """Reading in a process of its own takes milliseconds, as in a server."""
    isolation.keep_warm(["chunking.work.rehearsal:rehearse"])
    yield
    isolation.keep_warm([])


@pytest.fixture(autouse=True)
def _own_main() -> Iterator[None]:
    """Streamlit runs a page as the main module and leaves it there: a process that is started later would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of ``app.py``."""
    return Path(__file__).resolve().parent.parent
