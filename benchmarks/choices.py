"""Our settings beside what users would pick instead: whole processes, and boundary F1 beside the time.

*Cold* is a new process from its start to the chunks of a file (imports, model, tokenizer, sentences, vectors; our cache
empty), *warm* a second file of the same size in that process, of which nothing is cached. All semantic chunkers use
all-MiniLM-L6-v2, except ours with ``static``. F1 is the mean over documents of each development set, at the number
of cuts that each chunker makes at its defaults, and for ours at the true number as well.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks import peers
from benchmarks.encoders import DATA as SETS
from benchmarks.timing import table
from chunking import evaluation, from_text, strategies
from chunking.embedding.vector_cache import default_cache
from chunking.evaluation import SegmentationOptions, read, read_settings
from chunking.evaluation.segmentation import Granularity
from chunking.runtime.arrays import Float64
from chunking.strategies.other_splitters import base
from chunking.tokens import minilm_folder
from chunking.workspace import Models

SIZES = (10_000, 170_000, 5_000_000)
PATIENCE = 60.0
"""Seconds that a document may be expected to take; longer runs are left out and said so."""
SHORT = 20.0
"""Seconds below which a process is measured in all rounds."""
ROUNDS = 3
SAMPLES = {"choi": 16, "peps": 6, "fastapi_en": 16, "tiage": 40}
"""Documents of each development set, drawn once."""
DRAWS = 2_000

PROSE = ("sociology", "smith", "darwin", "meetings", "austen", "holmes", "18f_handbook", "python_devguide")
DEFAULT, GIVEN, MINILM = "changepoint, static", "changepoint, static, English given", "changepoint, MiniLM"
ALIKE, RECURSIVE = "percentile:window=1, MiniLM", "recursive"
SEMANTIC = ("langchain_semantic", "llamaindex_semantic", "chonkie_semantic")
BY_SIZE = (
    "langchain_recursive",
    "llamaindex_sentence",
    "chonkie_recursive",
    "chonkie_token",
    "semchunk",
    "semantic_text_splitter",
)
OURS = (DEFAULT, GIVEN, MINILM, ALIKE, RECURSIVE)
CONTENDERS = (*OURS, *SEMANTIC, *BY_SIZE)

_SETTINGS = {
    DEFAULT: "changepoint",
    MINILM: "changepoint",
    ALIKE: "percentile:window=1",
    RECURSIVE: "recursive",
    "langchain_recursive": "langchain_recursive:chunk_size=1000;chunk_overlap=50",
    "llamaindex_sentence": "llamaindex_sentence:chunk_size=250;chunk_overlap=20",
    "chonkie_recursive": "chonkie_recursive:chunk_size=1000",
    "chonkie_token": "chonkie_token:chunk_size=1000",
    "semchunk": "semchunk:chunk_size=250",
    "semantic_text_splitter": "semantic_text_splitter:capacity=1000",
}
"""The setting that F1 is measured with; the name itself where there is none."""


@dataclass(frozen=True)
class Timing:
    """The processes of a chunker on a size.

    Attributes:
        cold, warm: seconds of each round.
        chunks: number of chunks of the first file.
        cuts: digest of the chunks without white space.
        expected: seconds that a document would take, where it was left out.
        problem: why there is no figure.
    """

    cold: tuple[float, ...] = ()
    warm: tuple[float, ...] = ()
    chunks: int = 0
    cuts: str = ""
    expected: float = 0.0
    problem: str = ""

    @property
    def taken(self) -> float:
        """Median of the cold seconds; the estimate where it was left out; NaN where there is no figure."""
        return median(self.cold) if self.cold else self.expected or math.nan


Timings = Mapping[int, Mapping[str, Timing]]
Scores = Mapping[str, Mapping[str, Float64]]
"""F1 of each document by the name of the chunker and the set."""


def main() -> None:
    """All of it."""
    for needed in (SETS, peers.DATA):
        if not needed.exists():
            print(f"skipped: there is no {needed}")
            return
    scores = quality()
    timings: dict[int, dict[str, Timing]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            timings[size] = measured(Path(folder), size, timings)
            show(size, timings[size], scores)
    print("\n  Chonkie's usual model is not here, so it uses the same all-MiniLM-L6-v2.")
    targets(timings, scores)


# --- time ----------------------------------------------------------------------------------------------------------


def texts(size: int) -> tuple[str, str]:
    """Return two plain texts of a size without a common part: the public documents, and prose after them."""
    parts = [json.loads(line)["text"] for line in peers.DATA.read_text(encoding="utf-8").splitlines()]
    length = sum(map(len, parts))
    for name in PROSE:
        if length > 2 * size + 2 * len(parts):
            break
        with gzip.open(SETS.parent / "text" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            found = [json.loads(line)["text"] for line in lines]
        parts, length = parts + found, length + sum(map(len, found))
    whole = "\n\n".join(parts)
    return whole[:size], whole[size : 2 * size]


def measured(folder: Path, size: int, before: Timings) -> dict[str, Timing]:
    """Return the timings of all chunkers on a size, the rounds of each after the others' so that all feel the same."""
    files = [folder / f"{place}-{size}.txt" for place in range(2)]
    for file, text in zip(files, texts(size), strict=True):
        file.write_text(text, encoding="utf-8", newline="")
    found = dict[str, Timing]()
    for number in range(ROUNDS):
        for name in CONTENDERS:
            known = found.get(name, Timing())
            if known.problem or known.expected or (known.cold and known.cold[0] + known.warm[0] > SHORT):
                continue
            expected = 0.0 if number else _expected(name, size, before)
            found[name] = Timing(expected=expected) if expected > PATIENCE else _again(known, _process(name, files))
        print(f"  {size:,} characters, round {number + 1} of {ROUNDS}", file=sys.stderr, flush=True)
    return found


def _again(known: Timing, new: Timing) -> Timing:
    return replace(new, cold=(*known.cold, *new.cold), warm=(*known.warm, *new.warm))


def _process(name: str, files: Sequence[Path]) -> Timing:
    """Return the timing of one process."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, **base._QUIET, "CHUNKSCOPE_CACHE": cache}
        command = [sys.executable, "-m", "benchmarks.contenders", name, repr(time.time()), str(minilm_folder())]
        done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, env=environment)
    if done.returncode:
        return Timing(problem=(done.stderr.strip().splitlines() or ["failed"])[-1][:80])
    known: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    cold, warm = known["seconds"]
    return Timing((cold,), (warm,), known["chunks"], known["cuts"])


def _expected(name: str, size: int, before: Timings) -> float:
    """Return the seconds that a document will take, by the growth of the warm runs so far, at least in proportion."""
    known = [(length, median(each[name].warm)) for length, each in before.items() if each[name].warm]
    if not known:
        return 0.0
    length, seconds = known[-1]
    power = 1.0
    if len(known) > 1:
        power = max(1.0, math.log(seconds / known[0][1]) / math.log(length / known[0][0]))
    return float(seconds * (size / length) ** power)


def show(size: int, found: Mapping[str, Timing], scores: Scores) -> None:
    """Print the timings of a size, with F1 beside."""
    rows = []
    for name in CONTENDERS:
        each, f1 = found[name], _mean(scores, name)
        if not each.cold:
            why = each.problem or f"left out: about {each.expected:.0f} s"
            rows.append((name, why, _times(each.taken, found[DEFAULT].taken), "", "", "", f1))
            continue
        cold, warm = _times(each.taken, found[DEFAULT].taken), _times(median(each.warm), median(found[DEFAULT].warm))
        rows.append((name, _spread(each.cold), cold, _spread(each.warm), warm, f"{each.chunks:,}", f1))
    head = ("who", "cold", "÷ our default", "warm", "÷ our default", "chunks", "F1 in %, own number of cuts")
    table(
        f"From file to chunks, {size:,} characters: median [fastest – slowest], one run where that takes long",
        head,
        rows,
    )


def _spread(values: Sequence[float]) -> str:
    middle = _seconds(median(values))
    return f"{middle} [{_seconds(min(values))} – {_seconds(max(values))}]" if len(values) > 1 else middle


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 0.1 else f"{1000 * value:.3g} ms"


def _times(theirs: float, ours: float) -> str:
    ratio = theirs / ours
    return "" if math.isnan(ratio) else f"{ratio:.3g}"


# --- quality -------------------------------------------------------------------------------------------------------


def quality() -> Scores:
    """Print boundary F1 of all chunkers on a fixed sample of each set; return that at their own number of cuts."""
    scores: dict[str, dict[str, Float64]] = {}
    minilm = [MINILM, ALIKE, *SEMANTIC]
    static = [DEFAULT, RECURSIVE, *BY_SIZE]
    for set_, count in SAMPLES.items():
        data = read((SETS / f"{set_}.jsonl").read_bytes(), set_)
        data = replace(data, documents=tuple(random.Random(0).sample(data.documents, count)))
        for encoder, names in (("static", static), ("all-MiniLM-L6-v2", minilm)):
            for name, found in _scored(data, encoder, names, "default").items():
                scores.setdefault(name, {})[set_] = found
        for encoder, name in (("static", DEFAULT), ("all-MiniLM-L6-v2", MINILM)):
            for given, found in _scored(data, encoder, [name], "gold").items():
                scores.setdefault(given if given == "random" else f"{given}, true number", {})[set_] = found
        print(f"  F1 on {set_}", file=sys.stderr, flush=True)
    rows = [(name, *(_percent(each[set_]) for set_ in SAMPLES), _mean(scores, name)) for name, each in scores.items()]
    counts = ", ".join(f"{count} of {name}" for name, count in SAMPLES.items())
    table(f"Boundary F1 in % with 95 % bootstrap intervals, documents: {counts}", ("who", *SAMPLES, "mean"), rows)
    print(
        "  Own number of cuts at the defaults (by size: 1,000 characters or 250 tokens) unless it says true number;"
        "\n  a cut inside a unit counts at the nearest gap. percentile:window=1 has the units of the sets as its"
        "\n  sentences, and langchain_semantic its own."
    )
    return {**scores, GIVEN: scores[DEFAULT]}


def _scored(
    data: evaluation.DataSet, encoder: str, names: Sequence[str], granularity: Granularity
) -> dict[str, Float64]:
    """Return F1 of each document, by name; at the true number of random cuts as well."""
    lines = {name: _SETTINGS.get(name, name) for name in names}
    installed = {name: line for name, line in lines.items() if strategies.parse(line).strategy.installed()}
    options = SegmentationOptions(granularity, tools=Models(encoder), language="en")
    found = evaluation.evaluate(data, read_settings(",".join(installed.values()), {}), options, default_cache())
    rows = {row.name: row.values["f1"] for row in found.rows}
    random_cuts = {"random": rows["random"]} if granularity == "gold" and encoder == "static" else {}
    return {name: rows[line] for name, line in installed.items()} | random_cuts


def _draws(values: Sequence[Float64]) -> Float64:
    """Return the mean over sets of the mean over documents, for documents drawn again within each set."""
    generator = np.random.default_rng(0)
    means = []
    for each in values:
        known = each[~np.isnan(each)]
        means.append(known[generator.integers(0, len(known), (DRAWS, len(known)))].mean(axis=1))
    drawn: Float64 = np.mean(means, axis=0)
    return drawn


def _percent(*values: Float64) -> str:
    low, high = np.percentile(_draws(values), [2.5, 97.5])
    return f"{100 * np.mean([np.nanmean(each) for each in values]):.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _mean(scores: Scores, name: str) -> str:
    return _percent(*scores[name].values()) if name in scores else ""


# --- targets -------------------------------------------------------------------------------------------------------


def targets(timings: Timings, scores: Scores) -> None:
    """Print whether each target is reached."""
    rows = []
    for size, found in timings.items():
        known = [name for name in SEMANTIC if not math.isnan(found[name].taken)]
        if not known:
            continue
        fastest = min(known, key=lambda name: found[name].taken)
        pairs = ((DEFAULT, fastest, 20), (GIVEN, fastest, 20), (MINILM, fastest, 3), (ALIKE, SEMANTIC[0], 2))
        for name, other, least in pairs:
            ours, theirs = found[name], found[other]
            guessed = "" if ours.cold and theirs.cold else " (estimated)"
            same = "" if name != ALIKE or guessed else ", the same cuts" if ours.cuts == theirs.cuts else ", OTHER CUTS"
            what = f"cold, {size:,} characters: {name} against {other}{same}{guessed}"
            rows.append((what, f"≥ {least}", *_judged(theirs.taken / ours.taken, least)))
    for size in (peers.SMALL, peers.LARGE):
        match = peers.MATCHES[0]
        document = from_text(peers.text_of(match, size), "made", match.kind, "en")
        peers.race(match, document, strategies.parse(match.theirs[0][0]))
        ratio = float(peers.race(match, document, strategies.parse(match.theirs[0][0]))[2])
        what = f"in process, {size:,} characters: recursive against langchain_recursive, the same cuts"
        rows.append((what, "≥ 1", *_judged(ratio, 1)))
    table("Targets: theirs ÷ ours", ("what", "target", "ratio", ""), rows)
    _compare(scores)


def _judged(ratio: float, least: float) -> tuple[str, str]:
    if math.isnan(ratio):
        return "", "not measured"
    return f"{ratio:.3g}", "ok" if ratio >= least else f"missed by {least - ratio:.3g}"


def _compare(scores: Scores) -> None:
    """Print the difference of F1 between ours and each semantic library, document by document."""
    rows = []
    for name in (DEFAULT, MINILM):
        for other in SEMANTIC:
            if other in scores:
                gains = [scores[name][set_] - scores[other][set_] for set_ in SAMPLES]
                mean = float(np.mean([np.nanmean(each) for each in gains]))
                rows.append(
                    (f"{name} − {other}", _percent(*gains), "ok" if mean > 0 else f"missed by {-100 * mean:.1f}")
                )
    table(
        "Boundary F1, difference in percentage points (target: higher), own number of cuts", ("what", "mean", ""), rows
    )
