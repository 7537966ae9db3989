"""The built-in encoders: boundary F1 at the true number of boundaries on the development sets, and speed on one core.

``f1`` is the mean over documents with its 95 % bootstrap interval. The vectors of all-MiniLM-L6-v2 are kept in the
cache, so that only the first run takes its ten minutes. Speed is that of the encoder alone, on
sentences it has not seen, with cutting them into word pieces; ``static`` remembers words, as in use.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.timing import table
from chunking import evaluation
from chunking.embedding.vector_cache import default_cache
from chunking.evaluation import SegmentationOptions, read, read_settings
from chunking.evaluation.results import RowSummary
from chunking.report.formatting import percent
from chunking.workspace import Models

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "segmentation"
SETS = ("choi", "peps", "fastapi_en", "tiage", "dialseg711_dev", "k8s_docs_dev", "lectures_physics", "fastapi_ko")
ENCODERS = ("static", "all-MiniLM-L6-v2", "char-ngrams")
STRATEGIES = ("changepoint", "structural")
THREADS = ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_SPEED = """
import sys, time
from chunking.embedding import get_encoder
texts = [line for line in sys.stdin.read().split("\\n") if line]
encoder = get_encoder(sys.argv[1])
encoder.encode(["The first call loads what is needed."])
for _ in range(2):
    start = time.perf_counter()
    encoder.encode(texts)
    print(len(texts) / (time.perf_counter() - start))
"""


def main() -> None:
    """All of it."""
    if not DATA.is_dir():
        print(f"skipped: there is no {DATA}")
        return
    quality()
    speed()


def quality() -> None:
    """Boundary F1 of every encoder on every set."""
    rows = []
    for name in SETS:
        data = read((DATA / f"{name}.jsonl").read_bytes(), name)
        found = {encoder: _measured(data, encoder, name[-2:] if name.endswith("_ko") else "en") for encoder in ENCODERS}
        for strategy in STRATEGIES:
            rows.append((name, strategy, *(_percent(found[encoder][strategy]) for encoder in ENCODERS)))
        rows.append((name, "random cuts", _percent(found[ENCODERS[0]]["random"]), "", ""))
    table("Boundary F1 in %, at the true number of boundaries", ("set", "strategy", *ENCODERS), rows)


def _measured(data: evaluation.DataSet, encoder: str, language: str) -> Mapping[str, RowSummary]:
    options = SegmentationOptions("gold", tools=Models(encoder), language=language)
    found = evaluation.evaluate(data, read_settings(",".join(STRATEGIES), {}), options, default_cache())
    return evaluation.summarize(found).strategies


def _percent(row: RowSummary) -> str:
    return percent(*row.measures["f1"])


def speed() -> None:
    """Sentences a second of a process that may use one core."""
    sets = [read((DATA / f"{name}.jsonl").read_bytes(), name) for name in SETS if not name.endswith("_ko")]
    units = [unit for each in sets for document in each.documents for unit in document.units]
    texts = list(dict.fromkeys(" ".join(unit.split()) for unit in units))
    rows = []
    for encoder in ENCODERS:
        some = texts if encoder != "all-MiniLM-L6-v2" else texts[:500]
        command = ["taskset", "-c", "0", sys.executable, "-c", _SPEED, encoder]
        environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
        given = "\n".join(some)
        done = subprocess.run(command, input=given, stdout=subprocess.PIPE, text=True, env=environment, check=True)
        first, again = map(float, done.stdout.split())
        rows.append((encoder, f"{len(some):,}", f"{first:,.0f}", f"{again:,.0f}"))
    table("Sentences a second on one core", ("encoder", "sentences", "first time", "words known"), rows)
