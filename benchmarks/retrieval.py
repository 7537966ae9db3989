"""Retrieval over a corpus: SciFact under twelve strategies, and the same done as the reference programs do it.

Each figure comes from a process of its own. ``RETRIEVAL_DOCUMENTS=600`` takes the first documents alone;
``RETRIEVAL_COLD=no`` leaves out the run that embeds everything (ten minutes and more) and asks the cache of the user.
"""

from __future__ import annotations

import heapq
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.batch import Peaks
from benchmarks.known import DATA
from benchmarks.timing import table
from chunking import embedding, sentences, strategies
from chunking.embedding.vector_cache import VectorCache, default_cache
from chunking.retrieval import evaluate
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalOptions
from chunking.retrieval.questions import folders
from chunking.retrieval.questions.data import CorpusDocument, QuestionSet
from chunking.sentences.corpus import CorpusSplitter
from tests.oracles import reference_loop

STRATEGIES = (
    "whole",
    "fixed_size",
    "recursive",
    "sentence",
    "paragraph",
    "section",
    "percentile",
    "standard_deviation",
    "gradient",
    "structural",
    "changepoint",
    "semantic_boundary",
)
ALLOWED = 60.0
"""Seconds that all of it may take but for embedding."""

MEMORY = 3 * 1024.0
"""MB that the process may take."""

RACED = ("percentile:window=0", "structural:preset=reference")
RACE = (300, 50)
"""Documents and questions on which both ways are timed."""

_SCIFACT = DATA / "beir" / "scifact"
_ALPHA = 0.05
_WEIGHTS = 0.82
"""What the weights of the reference program's features sum to."""

Parts = dict[str, float]


def main() -> None:
    """Print both tables."""
    if not _SCIFACT.is_dir():
        print("\nRetrieval over a corpus: SciFact is not beside the repository, so this is left out.")
        return
    limit = int(os.environ.get("RETRIEVAL_DOCUMENTS", "0"))
    if os.environ.get("RETRIEVAL_COLD", "yes") == "no":
        _print("what the cache has", *_in_process(["corpus", str(limit)], None))
    else:
        with tempfile.TemporaryDirectory() as folder:
            for title in ("embeddings cold", "embeddings warm"):
                _print(title, *_in_process(["corpus", str(limit)], folder))
    with tempfile.TemporaryDirectory() as folder:
        _print_race(_in_process(["race", str(limit)], folder)[0])


def _in_process(arguments: Sequence[str], cache: str | None) -> tuple[dict[str, Any], float, float]:
    """Run this module in another process; return its output, its seconds and its peak in MB."""
    environment = os.environ | ({"CHUNKSCOPE_CACHE": cache} if cache else {})
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.retrieval", *arguments], env=environment, stdout=subprocess.PIPE, text=True
    )
    peaks = Peaks(process.pid)
    printed, _ = process.communicate()
    seconds, (peak, _) = time.perf_counter() - began, peaks.end()
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with {process.returncode}.")
    found: dict[str, Any] = json.loads(printed)
    return found, seconds, peak


# --- twelve strategies ---------------------------------------------------------------------------------------------


def corpus(limit: int) -> dict[str, Any]:
    """Evaluate all strategies; seconds by step, and of each strategy its passages and seconds."""
    spent: Parts = {}
    with ExitStack() as watched:
        for owner, name, what in _STEPS:
            watched.enter_context(_timed(owner, name, what, spent))
        began = time.perf_counter()
        known = _first(limit)
        settings = {name: strategies.parse(name) for name in STRATEGIES}
        found = evaluate.evaluate(known, settings, RetrievalOptions(), default_cache())
        total = time.perf_counter() - began
    spent["strategies"] = sum(each.seconds for each in found.passages.values())
    spent |= {step: seconds for step, seconds in found.seconds.items() if step in ("searching", "measuring")}
    return {
        "documents": len(known.sources),
        "questions": len(known.questions),
        "total": total,
        "steps": spent | {"the rest": total - sum(spent.values())},
        "strategies": {name: (len(each), each.seconds) for name, each in found.passages.items()},
    }


_EMBEDDING = "embedding"
_STEPS: tuple[tuple[Any, str, str], ...] = (
    (CorpusDocument, "open", "opening documents"),
    (CorpusSplitter, "split", "splitting into sentences"),
    (type(embedding.get_encoder()), "encode", _EMBEDDING),
    (VectorCache, "get_many", "looking vectors up"),
    (VectorCache, "put_many", "keeping vectors"),
    (embedding, "truncated", "what the encoder does not read"),
)


@contextmanager
def _timed(owner: Any, name: str, what: str, spent: Parts) -> Iterator[None]:
    """Add up the time that a function takes."""
    real: Callable[..., Any] = getattr(owner, name)

    def timed(*args: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return real(*args, **named)
        finally:
            spent[what] = spent.get(what, 0.0) + time.perf_counter() - began

    setattr(owner, name, timed)
    try:
        yield
    finally:
        setattr(owner, name, real)


def _first(limit: int, asked: int = 0) -> QuestionSet:
    """SciFact, or its first documents with the questions that they answer."""
    known = folders.read(_SCIFACT)
    if 0 < limit < len(known.sources):
        cut = (replace(each, grades=_below(each.grades, limit)) for each in known.questions)
        answered = tuple(each for each in cut if any(each.grades.values()))
        known = replace(known, sources=known.sources[:limit], questions=answered)
    return replace(known, questions=known.questions[:asked]) if asked else known


def _below(grades: Any, limit: int) -> dict[int, int]:
    return {place: grade for place, grade in grades.items() if place < limit}


def _print(title: str, found: dict[str, Any], seconds: float, peak: float) -> None:
    documents, total = found["documents"], found["total"]
    rows = [(f"{name}", f"{spent:.1f}") for name, spent in found["steps"].items()]
    table(
        f"SciFact, {documents:,} documents, {found['questions']} questions, {len(STRATEGIES)} strategies, {title}",
        ("step", "seconds"),
        [*rows, ("all", f"{total:.1f}"), ("with the start of the process", f"{seconds:.1f}")],
    )
    table(
        f"Cutting, {title}",
        ("strategy", "passages", "seconds", "documents/s"),
        [
            (name, f"{count:,}", f"{spent:.2f}", f"{documents / spent:,.0f}")
            for name, (count, spent) in found["strategies"].items()
        ],
    )
    without = total - found["steps"].get(_EMBEDDING, 0.0)
    print(f"  without embedding {without:.1f} s: {_told(without, ALLOWED, 's')}")
    print(f"  peak memory {peak:,.0f} MB: {_told(peak, MEMORY, 'MB')}", flush=True)


def _told(value: float, allowed: float, unit: str) -> str:
    by = f"by {abs(allowed - value):,.0f} {unit}"
    return f"target {allowed:,.0f} {unit} {'met' if value <= allowed else 'missed'} {by}"


# --- as the reference programs do it -------------------------------------------------------------------------------


def race(limit: int) -> dict[str, Any]:
    """Return the seconds of both ways by part, and how many of the questions have the same ten passages in the same
    order.
    """
    documents, asked = RACE
    known = _first(min(limit or documents, documents), asked)
    embedding.get_encoder().encode(["warm"])
    sentences.split(known.sources[0].open())
    cold, found = _ours(known)
    warm, _ = _ours(known)
    theirs: dict[str, Parts] = {}
    same: dict[str, int] = {}
    for name in RACED:
        theirs[name], rankings = _theirs(known, name)
        same[name] = sum(a == b for a, b in zip(rankings, _ranked(found, name), strict=True))
    return {
        "documents": len(known.sources),
        "questions": len(known.questions),
        "ours": {"an empty cache": cold, "once more": warm},
        "theirs": {part: sum(each[part] for each in theirs.values()) for part in next(iter(theirs.values()))},
        "same": same,
    }


Place = tuple[int, int, int]
"""A passage: its document, start and end."""


def _ours(known: QuestionSet) -> tuple[Parts, RetrievalEvaluation]:
    spent: Parts = {}
    settings = {name: strategies.parse(name) for name in RACED}
    with ExitStack() as watched:
        for owner, name, what in _STEPS[1:3]:
            watched.enter_context(_timed(owner, name, what, spent))
        began = time.perf_counter()
        found = evaluate.evaluate(known, settings, RetrievalOptions(), default_cache())
        total = time.perf_counter() - began
    return _parts(total, spent), found


def _parts(total: float, spent: Parts) -> Parts:
    split, embed = (spent.get(what, 0.0) for what in (_STEPS[1][2], _EMBEDDING))
    return {_EMBEDDING: embed, "splitting": split, "the rest": total - split - embed, "all": total}


def _ranked(found: RetrievalEvaluation, name: str) -> list[list[Place]]:
    cut = found.passages[name]
    row = next(row for row in found.rows if row.strategy == name)
    places = list(zip(cut.document.tolist(), cut.start.tolist(), cut.end.tolist(), strict=True))
    return [[places[place] for place in some[:10].tolist()] for some in row.hits.passages]


def _theirs(known: QuestionSet, name: str) -> tuple[Parts, list[list[Place]]]:
    """Return a strategy and a search as the reference programs have them: document by document, chunk by chunk, no
    cache.
    """
    spent: Parts = {}
    began = time.perf_counter()
    with ExitStack() as watched:
        encoder = embedding.get_encoder()
        watched.enter_context(_timed(type(encoder), "encode", _EMBEDDING, spent))
        watched.enter_context(_timed(sentences, "split", _STEPS[1][2], spent))
        chunks: list[tuple[Place, Any]] = []
        for number, source in enumerate(known.sources):
            spans = _their_chunks(source, name)
            vectors = embedding.embed([source.text[start:end] for start, end in spans], encoder)
            chunks += [((number, *span), vector) for span, vector in zip(spans, vectors, strict=True)]
        rankings = []
        for question in known.questions:
            (asked,) = embedding.embed([question.text], encoder)
            scored = [(_cosine(asked, vector), place) for place, vector in chunks]
            rankings.append([place for _, place in heapq.nlargest(10, scored, key=lambda pair: pair[0])])
    return _parts(time.perf_counter() - began, spent), rankings


def _their_chunks(source: CorpusDocument, name: str) -> list[tuple[int, int]]:
    units = sentences.split(source.open())
    vectors = embedding.embed(units.texts, embedding.get_encoder())
    far = []
    for gap in range(len(units) - 1):
        apart = 1 - _cosine(vectors[gap], vectors[gap + 1])
        if name.startswith("structural"):
            raw = reference_loop.distance(units.texts[gap], units.texts[gap + 1])
            apart = _ALPHA * apart + (1 - _ALPHA) * (raw - (1 - _WEIGHTS)) / _WEIGHTS
        far.append(apart)
    threshold = float(np.percentile(far, 95)) if far else 0.0
    offsets = sentences.gap_offsets(units).tolist()
    bounds = [0, *(offset for offset, apart in zip(offsets, far, strict=True) if apart > threshold), len(source.text)]
    return list(pairwise(bounds))


def _cosine(one: Any, other: Any) -> float:
    return float(np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other)))


def _print_race(found: dict[str, Any]) -> None:
    theirs = found["theirs"]
    rows = [
        ("theirs", *(f"{theirs[part]:.1f}" for part in _PARTS), "", ""),
        *(
            (f"ours, {title}", *(f"{ours[part]:.2f}" for part in _PARTS), *_ratios(theirs, ours))
            for title, ours in found["ours"].items()
        ),
    ]
    table(
        f"As the reference programs do it: {found['documents']} documents, {found['questions']} questions, "
        f"{' and '.join(RACED)}; seconds",
        ("", *_PARTS, "theirs ÷ ours, all", "without embedding"),
        rows,
    )
    for name, same in found["same"].items():
        print(f"  {name}: the same ten passages in the same order for {same} of {found['questions']} questions")
    sys.stdout.flush()


_PARTS = (_EMBEDDING, "splitting", "the rest", "all")


def _ratios(theirs: Parts, ours: Parts) -> tuple[str, str]:
    without = [each["all"] - each[_EMBEDDING] for each in (theirs, ours)]
    return f"{theirs['all'] / ours['all']:.1f}", f"{without[0] / without[1]:.1f}"


if __name__ == "__main__":
    print(json.dumps({"corpus": corpus, "race": race}[sys.argv[1]](int(sys.argv[2]))))
