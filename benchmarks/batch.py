"""How the batch experiment grows: 1,000, 10,000 and 100,000 documents, and what more of them would cost.

On this machine, and on a Ray cluster of two nodes with a core each, both of them on this machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.processes import descendants, peak_mb, processor_seconds
from benchmarks.timing import table

SIZES = (1_000, 10_000, 100_000)
QUESTIONS = 300
METHODS = "recursive,sentence"

_SOURCE = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "retrieval" / "beir" / "scifact"
_SAMPLES = Path(__file__).resolve().parent.parent / "sample_docs"
_EVERY = 0.2
"""Seconds between looks at the memory of the processes."""


@dataclass(frozen=True)
class Measured:
    """A run of the command line.

    Attributes:
        documents: how many.
        seconds: by the clock.
        cores: seconds that all processes computed.
        steps: seconds by the clock, of all workers together.
        driver, worker: peaks of the process that was begun, and of the largest of its own, in MB.
        disk: of all that it wrote, in MB.
    """

    documents: int
    seconds: float
    cores: float
    steps: dict[str, float]
    driver: float
    worker: float
    disk: float


def main(sizes: tuple[int, ...] = SIZES) -> None:
    """Print growth of both modes, on this machine and a cluster, and the cost of a million and a hundred million."""
    workers = len(os.sched_getaffinity(0))
    for mode, (most, options) in _MODES.items():
        rows = []
        with tempfile.TemporaryDirectory() as folder:
            for size in (each for each in sizes if each <= most):
                out = Path(folder) / f"out-{size}"
                line = _line(_corpus(Path(folder) / f"made-{size}", size), out, mode.split(",")[0], options)
                rows.append(_measured(size, line, out))
        _print(f"run --mode {mode}; {METHODS}; {workers} workers", rows)
    clustered(sizes)


def clustered(sizes: tuple[int, ...] = SIZES) -> None:
    """Print growth of ``--engine ray``, where Ray is installed."""
    if find_spec("ray") is None:
        print("Ray is not installed (requirements-cluster.txt): nothing is measured on a cluster.", flush=True)
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder, _cluster() as address:
        for size in (each for each in sizes if each <= _MOST_CLUSTERED):
            data = _corpus(Path(folder) / f"made-{size}", size)
            line = _line(data, Path(folder) / f"out-{size}", "chunk", ("--engine", "ray", "--address", address))
            rows.append(_measured(size, line, Path(folder) / f"out-{size}", os.getpid()))
    _print(f"run --mode chunk --engine ray; {METHODS}; a cluster of 2 nodes with a core each", rows)


_MOST_CLUSTERED = SIZES[1]


@contextlib.contextmanager
def _cluster() -> Iterator[str]:
    """Yield the address of a cluster of two nodes on this machine."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    utils: Any = import_module("ray.cluster_utils")
    # By itself Ray gives its workers the least of a machine that has other work to do.
    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": {"worker_niceness": 0}}
    cluster = utils.Cluster(initialize_head=True, head_node_args=head)
    try:
        cluster.add_node(num_cpus=1)
        yield cluster.address
    finally:
        cluster.shutdown()


_MODES = {
    "chunk": (SIZES[-1], ()),
    "eval, bm25": (SIZES[-1], ("--retriever", "bm25")),
    "eval, dense by char-ngrams": (SIZES[-2], ("--retriever", "dense", "--encoder", "char-ngrams")),
}
"""With the most documents that are measured."""


def _print(title: str, rows: list[Measured]) -> None:
    head = (
        "documents",
        "seconds",
        "documents/s",
        "core s",
        "steps, s of all workers",
        "driver, MB",
        "worker, MB",
        "disk, MB",
    )
    table(
        title,
        head,
        [
            (
                f"{row.documents:,}",
                f"{row.seconds:.1f}",
                f"{row.documents / row.seconds:.0f}",
                f"{row.cores:.1f}",
                ", ".join(f"{step} {spent:.1f}" for step, spent in row.steps.items()),
                f"{row.driver:.0f}",
                f"{row.worker:.0f}",
                f"{row.disk:.1f}",
            )
            for row in rows
        ],
    )
    if len(rows) < 2:
        return
    few, many = rows[-2:]
    more = many.documents - few.documents
    each = (many.cores - few.cores) / more
    held = (many.driver - few.driver) / more
    disk = (many.disk - few.disk) / more
    for documents in (10**6, 10**8):
        print(
            f"  {documents:,} documents: {each * documents / 3600:,.1f} core hours, {disk * documents / 1e6:,.3f} TB "
            f"on disk, driver {held * (documents - many.documents) + many.driver:,.0f} MB"
        )
    print(f"  (as from {few.documents:,} to {many.documents:,}: {1000 * each:.2f} ms of a core a document)", flush=True)


# --- data ----------------------------------------------------------------------------------------------------------


def _corpus(folder: Path, size: int) -> Path:
    """Return a data set of documents that are mixed from abstracts: a sentence of one, the next of another, and
    so on.
    """
    texts, asked = _known()
    (folder / "qrels").mkdir(parents=True)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for number in range(size):
            turn, place = divmod(number, len(texts))
            pair = [texts[(place + step) % len(texts)].split(". ") for step in (0, 7 * turn)]
            text = ". ".join(pair[at % 2][at % len(pair[at % 2])] for at in range(len(pair[0])))
            file.write(json.dumps({"_id": f"{place}-{turn}", "title": "", "text": text}) + "\n")
    some = list(islice(enumerate(asked), QUESTIONS))
    rows = [json.dumps({"_id": str(number), "text": text}) for number, text in some]
    (folder / "queries.jsonl").write_text("\n".join(rows), encoding="utf-8")
    judged = [f"{number}\t{number}-0\t1" for number, _ in some]
    (folder / "qrels" / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judged]), encoding="utf-8")
    return folder


def _known() -> tuple[list[str], list[str]]:
    """Return the abstracts of SciFact with its claims; where it is not there, paragraphs of the samples and their
    beginnings.
    """
    if (_SOURCE / "corpus.jsonl").is_file():
        texts = [row["text"] for row in _rows(_SOURCE / "corpus.jsonl")]
        return texts, [row["text"] for row in _rows(_SOURCE / "queries.jsonl")]
    read = [path.read_text(encoding="utf-8") for path in sorted(_SAMPLES.glob("*.md"))]
    texts = [part for text in read for part in text.split("\n\n") if len(part) > 200]
    return texts, [text[:80] for text in texts]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


# --- measuring -----------------------------------------------------------------------------------------------------


def _line(data: Path, out: Path, mode: str, options: tuple[str, ...]) -> list[str]:
    line = [sys.executable, "-m", "chunking", "run", "--mode", mode, "--datasets", str(data), "--method", METHODS]
    return [*line, "--splitter", "rules", "--out", str(out), *options]


def _measured(size: int, line: list[str], out: Path, within: int | None = None) -> Measured:
    """Run a line.

    Args:
        size: documents.
        line: what to run.
        out: where it writes.
        within: the process below which all work is done, where that is not the one that is begun.
    """
    began = time.perf_counter()
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    peaks = Peaks(process.pid, within)
    printed, _ = process.communicate()
    seconds = time.perf_counter() - began
    driver, worker = peaks.end()
    if process.returncode:
        raise RuntimeError(f"{' '.join(line)} ended with {process.returncode}.")
    steps = {step: spent for step, spent in json.loads(printed)["seconds"].items() if step != "in all"}
    disk = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 1e6
    return Measured(size, seconds, peaks.computed, steps, driver, worker, disk)


class Peaks:
    """The peaks of the memory of a process and of those below it, and what they computed (Linux), looked at while they
    run.

    Args:
        process: its number.
        within: number of another process, below which all are that are looked at.
    """

    def __init__(self, process: int, within: int | None = None) -> None:
        self._driver, self._within = process, within or process
        self._peaks: dict[int, float] = {}
        self._spent: dict[int, float] = {}
        self._before = {each: processor_seconds(each) for each in descendants(self._within) if each != process}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def end(self) -> tuple[float, float]:
        """Of the process, and of the largest of the others, in MB; what they share counts in each."""
        self._over.set()
        self._thread.join()
        worker = max((peak for each, peak in self._peaks.items() if each != self._driver), default=0.0)
        return self._peaks.get(self._driver, 0.0), worker

    @property
    def computed(self) -> float:
        """Seconds of a core that all of them used since the first look, each but for what it did after the last."""
        return sum(spent - self._before.get(each, 0.0) for each, spent in self._spent.items())

    def _watch(self) -> None:
        while not self._over.wait(_EVERY):
            for each in {self._driver, *descendants(self._within)}:
                self._peaks[each] = max(self._peaks.get(each, 0.0), peak_mb(each))
                self._spent[each] = max(self._spent.get(each, 0.0), processor_seconds(each))
