"""Do proxy questions rank strategies as the questions of people do?

On each set of questions of people, the same documents are searched with proxies (:mod:`chunking.retrieval.questions.
proxies`), and the means of strategies on both are compared by Kendall's τ-b. Its interval is the 95 % bootstrap over
the questions of both; resampling adds noise to both orders, so that it lies rather below τ. Two columns tell what it is
to be held against: *halves*, the mean τ between random halves of the questions of people, and *size*, τ between their
order and that by the median of tokens, the smallest first, which needs no questions. *top* is how many points people's
questions lose by the strategy that is best on the proxies, against the one that is best on their own.

``PROXIES_SETS=cloudflow,samples`` takes these sets alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.known import DATA
from benchmarks.timing import table
from chunking import samples, strategies
from chunking.embedding.vector_cache import default_cache
from chunking.errors import ChunkscopeError
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalOptions, evaluate
from chunking.retrieval.questions import folders, proxies
from chunking.retrieval.questions.data import QuestionSet, hide
from chunking.retrieval.search.ranking import Method
from chunking.runtime.arrays import Float64

STRATEGIES = (
    "whole",
    "fixed_size",
    "fixed_size:max_tokens=128;overlap=0",
    "recursive",
    "sentence",
    "sentence:max_tokens=256",
    "paragraph",
    "section",
    "heading",
    "percentile",
    "standard_deviation",
    "structural",
    "changepoint",
    "semantic_boundary",
)
METHODS: tuple[Method, ...] = ("dense", "bm25")
MEASURE = "recall@1000"
RESAMPLES = 1000
LEVEL = 95
LEAST = 10
"""Questions that a set must have."""


def main() -> None:
    """Print the table."""
    wanted = [name for name in os.environ.get("PROXIES_SETS", "").split(",") if name]
    rows: list[list[str]] = []
    for name, question_set in _sets():
        if wanted and name not in wanted:
            continue
        people = _evaluate(question_set)
        for kind in proxies.KINDS:
            made = _proxies(question_set, kind)
            if made is None or len(made.questions) < LEAST:
                continue
            rows += _rows(name, kind, people, _evaluate(made))
    if not rows:
        print("\nProxy questions: no set is beside the repository, so this is left out.")
        return
    table(
        f"Kendall's tau between people's order of {len(STRATEGIES)} strategies and others, by {MEASURE}",
        ("set", "people", "kind", "proxies", "retriever", "tau", "top", "halves", "size"),
        rows,
    )


def _sets() -> Iterator[tuple[str, QuestionSet]]:
    """Yield the sets whose answers are spans, by name."""
    paths: dict[str, Path] = {"samples": samples.FOLDER}
    paths |= {name: DATA / name for name in ("cloudflow", "realistic", "chroma_dev", "xquad_en")}
    for name, path in paths.items():
        if path.is_dir():
            yield name, folders.read(path)


def _proxies(question_set: QuestionSet, kind: proxies.Kind) -> QuestionSet | None:
    """Return the set with proxies in the place of its questions; ``None`` if none can be made."""
    documents = {source.id: source.open() for source in question_set.sources}
    try:
        made = proxies.make(documents, kind)
    except ChunkscopeError:
        return None
    questions = proxies.on_documents(made, {name: index for index, name in enumerate(documents)})
    return replace(question_set, sources=hide(question_set.sources, questions), questions=questions)


def _evaluate(question_set: QuestionSet) -> RetrievalEvaluation:
    settings = {setting.text: setting for setting in strategies.parse_all(",".join(STRATEGIES), True)}
    return evaluate(question_set, settings, RetrievalOptions(METHODS), default_cache())


def _rows(name: str, kind: str, people: RetrievalEvaluation, made: RetrievalEvaluation) -> Iterator[list[str]]:
    for method in METHODS:
        asked, proxied = _values(people, method), _values(made, method)
        means = asked.mean(axis=1)
        sizes = np.array([np.median(cut.tokens) for cut in people.passages.values()])
        tau, low, high = interval(asked, proxied)
        best = int(np.argmax(proxied.mean(axis=1)))
        loss = 100 * float(means.max() - means[best])
        yield [
            name,
            str(asked.shape[1]),
            kind,
            str(proxied.shape[1]),
            method,
            f"{tau:+.2f} [{low:+.2f}, {high:+.2f}]",
            f"-{loss:.1f}",
            f"{halves(asked):+.2f}",
            f"{kendall(means, -sizes):+.2f}",
        ]


def _values(evaluation: RetrievalEvaluation, method: Method) -> Float64:
    """Return the measure: ``(n_strategies, n_questions)``."""
    return np.stack([row.values[MEASURE] for row in evaluation.rows if row.method == method])


def kendall(one: Float64, other: Float64) -> float:
    """Return Kendall's τ-b of two orders of the same things; 0 where one has no order."""
    upper = np.triu_indices(len(one), 1)
    first, second = (np.sign(np.subtract.outer(values, values))[upper] for values in (one, other))
    ties = float(np.sqrt(np.abs(first).sum() * np.abs(second).sum()))
    return float((first * second).sum()) / ties if ties else 0.0


def interval(asked: Float64, proxied: Float64, seed: int = 0) -> tuple[float, float, float]:
    """Return τ between the means of two tables, and its bootstrap interval over the questions of both.

    Args:
        asked, proxied: ``(n_strategies, n_questions)`` each.
        seed: of the resamples.
    """
    rng = np.random.default_rng(seed)
    resampled = [kendall(_resample(asked, rng), _resample(proxied, rng)) for _ in range(RESAMPLES)]
    low, high = np.percentile(resampled, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return kendall(asked.mean(axis=1), proxied.mean(axis=1)), float(low), float(high)


def _resample(values: Float64, rng: np.random.Generator) -> Float64:
    means: Float64 = values[:, rng.integers(0, values.shape[1], values.shape[1])].mean(axis=1)
    return means


def halves(asked: Float64, seed: int = 0) -> float:
    """Return the mean τ between random halves of the questions: how well people's own questions agree."""
    rng = np.random.default_rng(seed)
    taus = []
    for _ in range(200):
        order = rng.permutation(asked.shape[1])
        middle = len(order) // 2
        taus.append(kendall(asked[:, order[:middle]].mean(axis=1), asked[:, order[middle:]].mean(axis=1)))
    return float(np.mean(taus))


if __name__ == "__main__":
    main()
