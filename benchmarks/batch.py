"""How the batch experiment grows: 1,000, 10,000 and 100,000 documents, and what more of them would cost."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

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
    """Print growth of both modes and the cost of a million and a hundred million documents."""
    workers = len(os.sched_getaffinity(0))
    for mode, (most, options) in _MODES.items():
        rows = []
        with tempfile.TemporaryDirectory() as folder:
            for size in (each for each in sizes if each <= most):
                data = _corpus(Path(folder) / f"made-{size}", size)
                rows.append(_measured(size, data, Path(folder) / f"out-{size}", mode.split(",")[0], options))
        _print(f"run --mode {mode}; {METHODS}; {workers} workers", rows)


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
    """A data set of documents that are mixed from abstracts: a sentence of one, the next of another, and so on."""
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
    """Abstracts of SciFact with its claims; where it is not there, paragraphs of the samples and their beginnings."""
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


def _measured(size: int, data: Path, out: Path, mode: str, options: tuple[str, ...]) -> Measured:
    line = [sys.executable, "-m", "chunking", "run", "--mode", mode, "--datasets", str(data), "--method", METHODS]
    line += ["--splitter", "rules", "--out", str(out), *options]
    before = _computed()
    began = time.perf_counter()
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    peaks = _Peaks(process.pid)
    printed, _ = process.communicate()
    seconds = time.perf_counter() - began
    driver, worker = peaks.end()
    if process.returncode:
        raise RuntimeError(f"{' '.join(line)} ended with {process.returncode}.")
    steps = {step: spent for step, spent in json.loads(printed)["seconds"].items() if step != "in all"}
    disk = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 1e6
    return Measured(size, seconds, _computed() - before, steps, driver, worker, disk)


def _computed() -> float:
    """Seconds of a core that ended processes below this one have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Peaks:
    """The peaks of the memory of a process and of those below it (Linux), looked at while they run.

    Args:
        process: its number.
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._driver = self._worker = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def end(self) -> tuple[float, float]:
        """Of the process, and of the largest below it, in MB; what they share counts in each."""
        self._over.set()
        self._thread.join()
        return self._driver, self._worker

    def _watch(self) -> None:
        while not self._over.wait(_EVERY):
            self._driver = max(self._driver, _peak(self._process))
            self._worker = max([self._worker, *map(_peak, _below(self._process))])


def _below(process: int) -> Iterator[int]:
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        found = {int(each) for task in tasks for each in (task / "children").read_text().split()}
    except OSError:
        return
    for each in found:
        yield each
        yield from _below(each)


def _peak(process: int) -> float:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)
