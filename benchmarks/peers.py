"""Other libraries beside ours, in one run and as ratios: theirs ÷ ours, above 1 where ours is faster.

Each pair runs in turn on the same text. Theirs is what the library does to a string: its chunks, with its offsets where
it gives any, not yet brought back to true spans. Ours is the whole strategy: chunks with heading paths and reasons,
whose exact token counts of cl100k_base are made when the first is read. Two more ratios stand beside: with the tokens
of the chunks counted on both sides, and theirs to our cutting alone. Markdown is parsed in ours too.
*Cold* is the first setting on a document, *warm* a second one.
"""

from __future__ import annotations

import functools
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

import numpy as np

from benchmarks import made
from benchmarks.timing import Run, ms, table
from chunking import from_text, strategies, tokens
from chunking.document import Document
from chunking.strategies import other_splitters
from chunking.strategies.setting import Setting
from chunking.workspace import DocumentAnalysis, Models

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval" / "chroma_dev" / "docs.jsonl"
SMALL, MIDDLE, LARGE = 168_000, 1_000_000, 10_000_000
PATIENCE = 12.0
"""Seconds that one run may be expected to take; longer ones are left out and said so."""
ENOUGH = 6.0
"""Seconds after which no further run of a pair is begun."""
SEMANTIC = 30_000
ROUNDS = 3

Kind = Literal["text", "markdown"]


@dataclass(frozen=True)
class Match:
    """One of our settings, and the settings of other libraries that do the same job.

    Attributes:
        ours: the setting.
        warm: another of the same strategy.
        theirs: setting, whether its offsets are true, whether its cuts are ours.
        kind: of the text.
        splitter: of sentences.
        largest: text that it is run on, in characters.
    """

    ours: str
    warm: str
    theirs: tuple[tuple[str, bool, bool], ...]
    kind: Kind = "text"
    splitter: str = "rules"
    largest: int = LARGE


_SENTENCE = (
    ("chonkie_sentence:chunk_size=512;unit=tokens", True, False),
    ("llamaindex_sentence:chunk_size=512;chunk_overlap=0", True, False),
)

MATCHES = (
    Match(
        "recursive",
        "recursive:size=900",
        (
            ("langchain_recursive:chunk_size=1000;chunk_overlap=50", True, True),
            ("chonkie_recursive:chunk_size=1000", True, False),
            ("semchunk:chunk_size=250", True, False),
            ("semantic_text_splitter:capacity=1000", True, False),
        ),
    ),
    Match(
        "fixed_size:overlap=0;sentence_share=0.0",
        "fixed_size:overlap=0;sentence_share=0.0;max_tokens=400",
        (("chonkie_token:chunk_size=512;unit=tokens", True, False),),
    ),
    Match("sentence:max_tokens=512;overlap=0", "sentence:max_tokens=400;overlap=0", _SENTENCE),
    Match(
        "sentence:max_tokens=512;overlap=0",
        "sentence:max_tokens=400;overlap=0",
        _SENTENCE,
        splitter="spacy/en_core_web_sm",
        largest=SMALL,
    ),
    Match(
        "markdown",
        "markdown:max_tokens=800",
        (
            ("langchain_markdown", False, False),
            ("llamaindex_markdown", True, False),
            ("semantic_text_splitter:syntax=markdown;capacity=1000;unit=tokens", True, False),
        ),
        kind="markdown",
    ),
)


@functools.cache
def plain(size: int) -> str:
    """Return the public documents where they are and are large enough, else generated text."""
    if size <= SMALL and DATA.exists():
        return "\n\n".join(json.loads(line)["text"] for line in DATA.read_text(encoding="utf-8").splitlines())[:size]
    return made.text(size // 100)[:size]


def text_of(match: Match, size: int) -> str:
    """Return the text that a match is run on."""
    return plain(size) if match.kind == "text" else made.text(size // 100)[:size]


def workspace(match: Match, document: Document) -> DocumentAnalysis:
    """Return a document of which nothing is known yet, tokens included."""
    tokens.spans._seams.cache_clear()
    return DocumentAnalysis(document, tools=Models(splitter=match.splitter))


def once(run: Run) -> float:
    """Return the seconds of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


@contextmanager
def building() -> Iterator[list[float]]:
    """Yield collects the seconds that :func:`chunking.chunks.build` takes in the strategies."""
    spent: list[float] = []
    modules = [importlib.import_module(f"chunking.strategies.{name}") for name in ("cutting", "size", "gaps")]
    real = modules[0].build

    def timed(*args: Any, **named: Any) -> object:
        start = time.perf_counter()
        try:
            return real(*args, **named)
        finally:
            spent.append(time.perf_counter() - start)

    for module in modules:
        vars(module)["build"] = timed
    try:
        yield spent
    finally:
        for module in modules:
            vars(module)["build"] = real


def ours_in_parts(match: Match, document: Document) -> tuple[str, ...]:
    """Cold, of which cutting and building, and warm."""
    found: list[tuple[float, float, float]] = []
    first, second = strategies.parse(match.ours), strategies.parse(match.warm)
    begin = time.perf_counter()
    while len(found) < ROUNDS and (not found or time.perf_counter() - begin < ENOUGH):
        made_new = workspace(match, document)
        with building() as spent:
            cold = once(lambda work=made_new: first.run(work))  # type: ignore[misc]
        found.append((cold, sum(spent), once(lambda work=made_new: second.run(work))))  # type: ignore[misc]
    cold, build, warm = (median(column) for column in zip(*found, strict=True))
    return ms(cold), ms(cold - build), ms(build), ms(warm)


def race(match: Match, document: Document, theirs: Setting) -> tuple[str, ...]:
    """Return the medians of theirs and ours, run in turn, and of the ratios of the table."""
    ours, peer = strategies.parse(match.ours), other_splitters.get(theirs.strategy.name)
    pairs: list[tuple[float, float, float, float, float]] = []
    counter = tokens.get_tokenizer()
    begin = time.perf_counter()
    while len(pairs) < ROUNDS and (not pairs or time.perf_counter() - begin < ENOUGH):
        start = time.perf_counter()
        pieces = peer.split(workspace(match, document), theirs.params)
        of_theirs = time.perf_counter() - start
        count = once(lambda texts=[piece.text for piece in pieces]: counter.count(texts))  # type: ignore[misc]
        load = once(lambda: from_text(document.text, document.name, match.kind, "en")) if match.kind != "text" else 0.0
        with building() as spent:
            start = time.perf_counter()
            chunks = ours.run(workspace(match, document)).chunks
            of_ours = load + time.perf_counter() - start
        read = once(lambda some=chunks: [chunk.indexed_tokens for chunk in some])  # type: ignore[misc]
        pairs.append((of_theirs, of_ours, of_ours - sum(spent), count, read))
    theirs_take, ours_take, cutting, counting, reading = (np.array(column) for column in zip(*pairs, strict=True))
    ratios = (theirs_take / ours_take, (theirs_take + counting) / (ours_take + reading), theirs_take / cutting)
    times = ms(float(np.median(theirs_take))), ms(float(np.median(ours_take)))
    return *times, *(f"{float(np.median(ratio)):.2f}" for ratio in ratios)


def expected(match: Match, theirs: Setting, size: int) -> float:
    """Return the seconds that a library will take for a large text, by its growth from a small to a middling one."""
    peer = other_splitters.get(theirs.strategy.name)
    small, middle = (
        once(lambda known=known: peer.split(workspace(match, known), theirs.params))  # type: ignore[misc]
        for known in (from_text(text_of(match, length), "made", match.kind, "en") for length in (SMALL, MIDDLE))
    )
    growth = max((middle / small) / (MIDDLE / SMALL), 1.0)
    return middle * size / MIDDLE * growth


def speed(size: int) -> None:
    """Every match on a text of a size."""
    parts, rows = list[tuple[str, ...]](), list[tuple[str, ...]]()
    for match in MATCHES:
        if size > match.largest:
            continue
        document = from_text(text_of(match, size), "made", match.kind, "en")
        name = f"{match.ours} ({match.splitter})" if match.ours.startswith("sentence") else match.ours
        strategies.parse(match.ours).run(DocumentAnalysis(from_text("One. Two.", "warm", match.kind, "en")))
        parts.append((name, *ours_in_parts(match, document)))
        for line, true_offsets, same in match.theirs:
            theirs = strategies.parse(line)
            if not theirs.strategy.installed():
                rows.append((name, line, "not installed", *[""] * 6))
                continue
            other_splitters.get(theirs.strategy.name).split(
                DocumentAnalysis(from_text("One. Two.", "warm", "text", "en")), theirs.params
            )
            seconds = expected(match, theirs, size) if size > MIDDLE else 0.0
            if seconds > PATIENCE:
                rows.append((name, line, f"left out: about {seconds:.0f} s", *[""] * 4, _yes(true_offsets), _yes(same)))
                continue
            rows.append((name, line, *race(match, document, theirs), _yes(true_offsets), _yes(same)))
    what = "the public documents" if size <= SMALL and DATA.exists() else "generated text"
    shown = f"{size / 1e6:g} million characters of {what} (Markdown: generated)"
    table(f"Ours on {shown}", ("ours", "cold", "of it cutting", "of it building", "warm"), parts)
    head = (
        "ours",
        "theirs",
        "theirs takes",
        "ours takes",
        "÷ ours",
        "both counted",
        "÷ our cutting",
        "true offsets",
        "same result",
    )
    table(f"Ratios on {shown}; target ≥ 1 where offsets are true and the result is the same", head, rows)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def semantic() -> None:
    """SemanticChunker and SemanticSplitter end to end, embedding included: each run in a process of its own."""
    names = ("ours", "langchain, usual", "langchain, our encoder", "llamaindex, usual", "llamaindex, our encoder")
    rounds: list[dict[str, dict[str, float]]] = []
    for _ in range(ROUNDS):
        rounds.append({})
        for name in names:
            command = [sys.executable, "-m", "benchmarks.semantic", name, str(SEMANTIC)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode == 0:
                rounds[-1][name] = json.loads(done.stdout.splitlines()[-1])
            elif len(rounds) == 1:
                print(f"  {name}: {(done.stderr.strip().splitlines() or ['failed'])[-1]:.200}")
    rows = []
    for name in names:
        known = [(each[name], each["ours"]) for each in rounds if name in each and "ours" in each]
        if known:
            columns = [
                (median(a[part] for a, _ in known), median(a[part] / b[part] for a, b in known))
                for part in ("whole", "rest")
            ]
            rows.append((name, *(cell for value, ratio in columns for cell in (ms(value), f"{ratio:.2f}"))))
    table(
        f"percentile:window=1 by LangChain's sentences on {SEMANTIC:,} characters, fresh cache, the model loaded "
        "(target: usual ÷ ours ≥ 2)",
        ("who", "with embedding", "÷ ours", "without embedding", "÷ ours"),
        rows,
    )
    print(
        "  usual: SentenceTransformer.encode of all windows at its defaults, as LangChain's HuggingFaceEmbeddings does;"
        "\n  for LlamaIndex in batches of 10, as its HuggingFaceEmbedding does. langchain and ours cut alike."
    )


def run() -> None:
    """All of it."""
    if not DATA.exists():
        print("The public documents are not beside the repository: generated text of the same size instead.")
    for size in (SMALL, LARGE):
        speed(size)
    semantic()
