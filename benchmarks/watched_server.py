"""The app's server with a clock on its runs: ``python -m benchmarks.watched_server run app.py``, as ``streamlit run``.

It adds to what ``/metrics`` shows: the processor time of the threads that run scripts, that of garbage collections, and
which code ran when the process was looked at some hundred times a second.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import streamlit
from prometheus_client.core import CounterMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.web import cli

from chunking.isolation import framing
from pages.shared.server import metrics

ROOT = Path(__file__).resolve().parents[1]
SPLIT = "CHUNKSCOPE_BENCHMARK_SPLIT"
"""The environment variable that lets the process be looked at, which costs time itself."""

_EVERY = 0.002
_SWITCH = 0.0005
"""Seconds after which the interpreter lets another thread run: as short as this, or most looks would come late."""

_STREAMLIT = Path(streamlit.__file__).parent
_PARTS = {
    "runtime/state": "Streamlit: session state",
    "runtime/caching": "Streamlit: cached functions",
    "runtime/scriptrunner": "Streamlit: run of the script",
    "runtime": "Streamlit: messages",
    "elements": "Streamlit: elements",
    "components": "Streamlit: elements",
    "delta_generator": "Streamlit: elements",
    "navigation": "Streamlit: elements",
    "commands": "Streamlit: elements",
}
_WAITING = frozenset(("select", "wait", "get", "_worker", "task", "_wait_for_tstate_lock"))
"""Functions that wait; ``task`` is that of Streamlit's watcher of files, and see :func:`is_waiting`."""


class Watch(Collector):
    """What was seen of the process since it began."""

    def __init__(self) -> None:
        self.runs = 0
        self.script_seconds = 0.0
        self.collection_seconds = 0.0
        self.parts: Counter[str] = Counter()
        self._began = 0.0

    def collect(self) -> Iterator[Metric]:
        """Yield the measurements."""
        yield _counter("watched_runs", self.runs)
        yield _counter("watched_script_seconds", self.script_seconds)
        yield _counter("watched_collection_seconds", self.collection_seconds)
        yield _counter("watched_process_seconds", time.process_time())
        looks = CounterMetricFamily("watched_looks", "Looks at running code.", labels=["part"])
        for part, count in list(self.parts.items()):
            looks.add_metric([part], count)
        yield looks

    def time_scripts(self) -> None:
        """Measure every run of a script from now on."""
        run = ScriptRunner._run_script

        def timed(runner: ScriptRunner, rerun_data: RerunData) -> None:
            began = time.thread_time()
            try:
                run(runner, rerun_data)
            finally:
                self.script_seconds += time.thread_time() - began
                self.runs += 1

        ScriptRunner._run_script = timed  # type: ignore[method-assign, assignment]

    def time_collections(self) -> None:
        """Measure every garbage collection from now on."""

        def note(phase: str, _: dict[str, int]) -> None:
            now = time.thread_time()
            if phase == "stop":
                self.collection_seconds += now - self._began
            self._began = now

        gc.callbacks.append(note)

    def look(self) -> None:
        """Look at what runs, as long as the process does."""
        own = threading.get_ident()
        main = threading.main_thread().ident
        while True:
            time.sleep(_EVERY)
            for thread, frame in sys._current_frames().items():
                if thread != own and not is_waiting(frame):
                    self.parts[part(frame, of_server=thread == main)] += 1


def is_waiting(frame: FrameType) -> bool:
    """Return whether the innermost frame of a thread does nothing."""
    return frame.f_code.co_name in _WAITING or frame.f_code is framing.read.__code__


def part(frame: FrameType | None, *, of_server: bool) -> str:
    """Return the part of the app that a frame belongs to: of ours or of Streamlit, whatever library they call.

    Args:
        frame: the innermost.
        of_server: whether it is of the thread that sends messages and answers requests.
    """
    if of_server:
        return "server: messages and requests"
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(_STREAMLIT):
            within = path.relative_to(_STREAMLIT).as_posix()
            return next((title for start, title in _PARTS.items() if within.startswith(start)), "Streamlit: other")
        if path.is_relative_to(ROOT) and "site-packages" not in path.parts:
            parts = path.relative_to(ROOT).parts
            return "/".join(parts[:3]) if parts[:2] == ("pages", "shared") else "/".join(parts[:2])
        frame = frame.f_back
    return "other threads"


def _counter(name: str, value: float) -> Metric:
    counter = CounterMetricFamily(name, name)
    counter.add_metric([], value)
    return counter


def main() -> None:
    """Run the server."""
    watch = Watch()
    metrics.REGISTRY.register(watch)
    watch.time_scripts()
    watch.time_collections()
    if os.environ.get(SPLIT):
        sys.setswitchinterval(_SWITCH)
        threading.Thread(target=watch.look, name="watch", daemon=True).start()
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
