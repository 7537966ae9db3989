"""What change points are worth: boundaries found on public gold sets, and what was tried.

The units of the sets are taken as they are, without headings. Reported is the mean over documents with its 95 %
bootstrap interval; differences are paired. Five things are shown:

- at the true number of boundaries, F1 of the strategy and of its parts, beside ``structural``;
- at their own granularity, F1, Pk and boundaries per true boundary of it and of every other strategy that comes with
  Chunkscope, beside no boundaries and even ones;
- what each cue adds, and what other vectors and other structure give;
- the two levels of ``changepoint_tree`` against headings of the highest level and of all, with the headings put back
  and without them, beside cuts by chance, even ones, as many of its own sub-topics drawn by lot, and ``changepoint``
  asked for the number of topics; in Choi, which has one level, what the topics leave of it;
- seconds by length, after embedding.

Tried as well and left out, with the mean of F1 over Choi, PEPs, FastAPI and TIAGE at the true number of boundaries,
against 51.3 for kernel change points over centred vectors without any structure (every third document of Choi):
vectors with the letters' vectors beside them (``char-ngrams``, 20, 35, 50 %) 51.4, 51.5, 50.2; neighbours mixed in by
10, 25, 50 % 51.9, 51.6, 49.3; principal components raised to powers from 0.5 to 1.5 50.7 to 51.5. With structure, on
the last three sets, against 49.5: triples of sentences embedded together 40.3, averaged with the sentences 47.2, beside
them 49.6 at twice the cost of embedding. New words on the right side (−0.5 over the four sets), short and long sides,
missing full stops and equal first words helped no set without hurting another. Small initial letters are a true
boundary in 99 % of cases in Choi's excerpts and in 1 % elsewhere: an artefact of how those were made, left alone.

Weights of cues that were set by hand on these sets, and a penalty that is the same for all texts, came before what is
learned now; both fitted these sets and failed on others (``benchmarks/boundaries.py``).

Of two levels, F1 against the highest headings at their true number on PEPs and FastAPI, first as plain units, then with
the headings put back: the same scatter of sentences with a higher penalty 24, 31 and 65, 67; sub-topics by their means,
each counting once, 27, 33 and 83, 78; structure counting four times as well 27, 31 and 94, 88; of structure only
layout, four times, 30, 32 and 97, 98. By lot it is 26, 28 and 51, 49: without headings the text says little of how
large a part is. The topic penalty was tried at 0.30 to 0.75 beside the mean, the median, the middle of the largest
step and the mean weighted by itself of structure at the cuts: the last gives F1 89 and 90 with headings at its own
number, where the mean gives 84 and 82, and the same without. From 0.40 to 0.50 the topics per true one (geometric mean
over the sets, FastAPI in Korean with the letters' vectors among them, with headings and without, documents of one level
and of two) fall from 1.14 to 0.85; 0.45 is the step nearest 1, whichever set is left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks import structure as layouts
from benchmarks.structure import DATA, SEED, Case, Layout, cases, f1, percent, plain
from benchmarks.timing import table
from chunking import strategies
from chunking.comparison import agreement
from chunking.embedding import embed, get_encoder
from chunking.embedding.vector_cache import VectorCache, default_cache
from chunking.params import Parameters
from chunking.runtime.arrays import Float32, Float64, Int64
from chunking.signals import change_points, features
from chunking.strategies.changepoint import SEMANTIC_PER_SCATTER, ChangepointParameters
from chunking.strategies.changepoint_tree import topics
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import DocumentAnalysis

SETS = ("choi", "peps", "fastapi_en", "tiage")
LENGTHS = (1_000, 3_000, 10_000, 30_000, 100_000)
OTHERS = ("structural", "percentile", "standard_deviation", "interquartile", "gradient", "section_semantic", "sentence")
"""Other strategies that ask the text where it breaks; of the rest, ``paragraph`` cuts at every unit or at none."""


@dataclass(frozen=True, eq=False)
class Known:
    """A gold document that is ready to be cut."""

    case: Case
    workspace: DocumentAnalysis

    @property
    def gaps(self) -> int:
        """How many gaps it has."""
        return len(self.case.sentences) - 1


def read(name: str, cache: VectorCache | None, folder: Path = DATA) -> list[Known]:
    """Return the documents of a set, embedded."""
    encoder, found = get_encoder(), cases(name, plain, folder)
    vectors = [embed(case.sentences.texts, encoder, cache) for case in found]
    return [
        Known(case, DocumentAnalysis(case.sentences.document, cache=cache, precomputed=(case.sentences, each)))
        for case, each in zip(found, vectors, strict=True)
    ]


def cuts(one: Known, name: str, params: Parameters) -> Int64:
    """Return the gaps that a strategy cuts; a cut inside a unit is at none."""
    offsets = [chunk.cut.offset for chunk in strategies.run(name, one.workspace, params).chunks if chunk.cut]
    gaps: Int64 = np.flatnonzero(np.isin(one.workspace.offsets, offsets))
    return gaps


def given(one: Known, **changes: float | str | tuple[str, ...]) -> float:
    """Return F1 of the strategy at the true number of boundaries."""
    params = ChangepointParameters(boundaries=len(one.case.gold), **changes)  # type: ignore[arg-type]
    return f1(one.case.gold, cuts(one, "changepoint", params))


def ranked(one: Known) -> float:
    """Return F1 of as many gaps as there are true boundaries, those with the highest scores at the automatic
    penalty.
    """
    signals = strategies.run("changepoint", one.workspace).signals
    return _highest(one, signals.fused if signals else np.zeros(0))


def structural(one: Known) -> float:
    """Return F1 of the highest fused distances of ``structural``."""
    signals = strategies.run("structural", one.workspace, StructuralParameters()).signals
    return _highest(one, signals.fused if signals else np.zeros(0))


def _highest(one: Known, curve: Float64) -> float:
    return f1(one.case.gold, np.sort(np.argsort(-curve, kind="stable")[: len(one.case.gold)]))


def divided(one: Known, vectors: Float64, share: float = 0.0) -> float:
    """Return F1 of other vectors at the true number of boundaries, with a share of the strategy's structure."""
    known = change_points.segment_costs(vectors)
    credit = share * one.workspace.structure("cues").distances()
    penalty = change_points.penalty_for(known, credit, len(one.case.gold))
    found = change_points.divide(known, penalty - credit)
    return f1(one.case.gold, change_points.thin(known, penalty - credit, found, len(one.case.gold)))


def chance(one: Known) -> float:
    """Return expected F1 of as many random cuts as there are true boundaries."""
    return len(one.case.gold) / one.gaps


def _even(one: Known) -> Int64:
    units, segments = one.gaps + 1, len(one.case.gold) + 1
    return np.unique(np.round(np.arange(1, segments) * units / segments).astype(np.int64) - 1)


def _own(one: Known, found: Int64) -> tuple[float, float, float]:
    return (
        f1(one.case.gold, found),
        agreement.METRICS["pk"].of(one.case.gold, found, one.gaps + 1),
        len(found) / len(one.case.gold),
    )


def _mean(score: Callable[[Known], float], documents: Sequence[Known]) -> Float64:
    return np.array([score(one) for one in documents])


def _settings() -> Iterator[tuple[str, Callable[[Known], float]]]:
    yield "random cuts", chance
    yield "structural", structural
    yield "changepoint, α = 1", lambda one: given(one, alpha=1.0)
    yield "changepoint, layout alone", lambda one: given(one, structure="layout")
    for alpha in (0.2, 0.3, 0.4, 0.5, 0.7):
        yield f"changepoint, α = {alpha:g}", lambda one, alpha=alpha: given(one, alpha=alpha)  # type: ignore[misc]
    yield "changepoint (default)", given
    yield "the same, highest scores at the automatic penalty", ranked


def _vectors() -> Iterator[tuple[str, Callable[[Known], Float64]]]:
    def raw(one: Known) -> Float64:
        return one.workspace.vectors().astype(np.float64)

    def centred(one: Known) -> Float64:
        vectors = raw(one) - raw(one).mean(axis=0)
        found: Float64 = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return found

    yield "as they are", raw
    yield "centred, length 1", centred
    yield "with letters, 4 : 1", lambda one: np.hstack((np.sqrt(0.8) * centred(one), np.sqrt(0.2) * _letters(one)))
    yield "with neighbours, centred (default)", _prepared


def _prepared(one: Known) -> Float64:
    return change_points.normalize(one.workspace.vectors()).astype(np.float64)


def _letters(one: Known) -> Float64:
    return get_encoder("char-ngrams").encode(one.case.sentences.texts).astype(np.float64)


def _worth(sets: dict[str, list[Known]]) -> None:
    whole = {name: _mean(given, documents) for name, documents in sets.items()}
    rows = []
    for feature in features.FEATURES["cues"]:
        lost = [
            whole[name] - _mean(lambda one: given(one, features_off=(feature.name,)), documents)  # noqa: B023
            for name, documents in sets.items()
        ]
        if any(each.any() for each in lost):
            rows.append([feature.name, *(percent(each, "+") if each.any() else "" for each in lost)])
    table("What each cue adds, in points of F1 at the true number of boundaries", ["cue", *sets], rows)


def _granularity(sets: dict[str, list[Known]]) -> None:
    def row(label: str, find: Callable[[Known], Int64]) -> list[str]:
        found = [np.array([_own(one, find(one)) for one in documents]) for documents in sets.values()]
        return [label, *(f"{percent(each[:, 0])}, {percent(each[:, 1])}, {each[:, 2].mean():.2f}" for each in found)]

    rows = [row("none", lambda _: np.zeros(0, dtype=np.int64)), row("even, as many as are true", _even)]
    for name in (*OTHERS, "changepoint"):
        params = strategies.get(name).params()
        rows.append(row(name, lambda one: cuts(one, name, params)))  # noqa: B023
    table("F1, Pk in % and boundaries per true boundary at their own granularity", ["strategy", *sets], rows)


# Topics and sub-topics ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Levelled:
    """A document with two levels of headings: with all true boundaries, and the gaps of those of the highest level."""

    every: Known
    highest: Int64

    @property
    def topics(self) -> Known:
        """The same document, with the boundaries of the highest level alone."""
        return replace(self.every, case=replace(self.every.case, gold=self.highest))


def levelled(name: str, how: Layout, cache: VectorCache | None, folder: Path = DATA) -> list[Levelled]:
    """Return the documents of a set that have two levels, in a layout."""
    encoder, random = get_encoder(), np.random.default_rng(SEED)
    rows = [(row, tuple(layouts.highest(row))) for row in layouts.read(folder / f"{name}.jsonl")]
    found = []
    for row, top in rows:
        if 0 < len(top) < len(row.boundaries):
            every, upper = how(row, random), how(replace(row, boundaries=top), random)
            vectors = embed(every.sentences.texts, encoder, cache)
            workspace = DocumentAnalysis(every.sentences.document, cache=cache, precomputed=(every.sentences, vectors))
            found.append(Levelled(Known(every, workspace), upper.gold))
    return found


def two_levels(one: Known, wanted: int | None = None) -> tuple[Int64, Int64]:
    """Return the gaps before sub-topics, and those before topics: as many as the strategy finds, or as are wanted."""
    result = strategies.run("changepoint_tree", one.workspace)
    leaves = [chunk.cut.gap for chunk in result.chunks if chunk.parent is not None and chunk.cut]
    parents = [chunk.cut.gap for chunk in result.chunks if chunk.parent is None and chunk.cut]
    fine, coarse = np.array(leaves, dtype=np.int64), np.array(parents, dtype=np.int64)
    if wanted is not None and len(fine) and result.signals:
        coarse = np.array(sorted(topics(one.workspace, result.signals, fine, result.signals.alpha, wanted)[1]))
    return fine, coarse.astype(np.int64)


def by_lot(gold: Int64, fine: Int64, wanted: int) -> float:
    """Return expected F1 of so many of some cuts, or all of them where they are fewer, drawn by lot."""
    drawn = min(wanted, len(fine))
    hits = drawn * len(np.intersect1d(gold, fine)) / max(len(fine), 1)
    return 2 * hits / (drawn + len(gold))


def _levels(cache: VectorCache, folder: Path) -> None:
    rows: dict[str, list[str]] = {}
    names = [(name, how) for how in (plain, layouts.headings) for name in ("peps", "fastapi_en")]
    for name, how in names:
        documents = levelled(name, how, cache, folder)
        upper = [one.topics for one in documents]
        given_number = [two_levels(one, len(one.case.gold)) for one in upper]
        own = [two_levels(one) for one in upper]
        found = {
            "topics: random cuts, as many as are true": _mean(chance, upper),
            "topics: even ones": _mean(lambda one: f1(one.case.gold, _even(one)), upper),
            "topics: changepoint asked for so many": _mean(given, upper),
            "topics: so many of the sub-topics by lot": np.array(
                [by_lot(one.case.gold, fine, len(one.case.gold)) for one, (fine, _) in zip(upper, own, strict=True)]
            ),
            "topics: changepoint_tree asked for so many": np.array(
                [f1(one.case.gold, coarse) for one, (_, coarse) in zip(upper, given_number, strict=True)]
            ),
            "topics: its own number of the sub-topics by lot": np.array(
                [by_lot(one.case.gold, fine, len(coarse)) for one, (fine, coarse) in zip(upper, own, strict=True)]
            ),
            "topics: changepoint_tree, its own number": np.array(
                [f1(one.case.gold, coarse) for one, (_, coarse) in zip(upper, own, strict=True)]
            ),
        }
        found["the same, less by lot"] = (
            found["topics: changepoint_tree, its own number"] - found["topics: its own number of the sub-topics by lot"]
        )
        found["sub-topics, all headings"] = np.array(
            [f1(one.every.case.gold, fine) for one, (fine, _) in zip(documents, own, strict=True)]
        )
        for label, values in found.items():
            rows.setdefault(label, [label]).append(percent(values, "+" if "less" in label else ""))
        for label, place in (("sub-topics against the highest", 0), ("topics", 1)):
            known = np.array([_own(one, each[place]) for one, each in zip(upper, own, strict=True)])
            cell = f"{100 * known[:, 1].mean():.1f}, {known[:, 2].mean():.2f}"
            rows.setdefault(label, [f"{label}: Pk in %, boundaries per true boundary"]).append(cell)
    table(
        "Two levels: F1 in % against the highest headings, and of the sub-topics against all",
        ["", *(f"{name}, {how.__name__}" for name, how in names)],
        list(rows.values()),
    )
    one_level = read("choi", cache, folder)
    levels = [two_levels(one) for one in one_level]
    whole = [
        [
            label,
            *(
                percent(np.array([_own(one, each[place])[part] for one, each in zip(one_level, levels, strict=True)]))
                for part in (0, 1)
            ),
        ]
        for place, label in enumerate(("sub-topics", "topics"))
    ]
    table("Choi, which has one level", ["", "F1 in %", "Pk in %"], whole)


def _timings() -> None:
    rows = []
    for length in LENGTHS:
        vectors = _walk(length)
        start = time.perf_counter()
        known = change_points.segment_costs(change_points.normalize(vectors))
        measured = time.perf_counter()
        change_points.gains(known, np.full(length - 1, 1.5))
        solved = time.perf_counter()
        change_points.penalty_for(known, np.zeros(length - 1), length // 10)
        sought = time.perf_counter()
        steps = (measured - start, solved - measured, sought - solved)
        memory = known.scatter.nbytes / 2**20
        rows.append([f"{length:,}", known.window, f"{memory:.0f}", *(f"{step:.2f}" for step in steps)])
    table(
        "Seconds by length, after embedding",
        ["sentences", "window", "MiB", "scatter of all parts", "division and scores", "penalty for a percentile"],
        rows,
    )


def _walk(length: int) -> Float32:
    """Return made-up vectors: topics of ten sentences on average, and noise."""
    random = np.random.default_rng(length)
    topics = np.cumsum(random.random(length) < 0.1)
    vectors = random.standard_normal((int(topics[-1]) + 1, 384))[topics] + random.standard_normal((length, 384))
    unit: Float32 = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def main(cache: VectorCache | None = None, folder: Path = DATA) -> None:
    """Print the tables."""
    _timings()
    if not (folder / "peps.jsonl").is_file():
        print("\nWhat change points are worth: the data is not beside the repository, so this part is left out.")
        return
    sets = {name: read(name, cache or default_cache(), folder) for name in SETS}
    table(
        "Boundary F1 in % at the true number of boundaries",
        ["setting", *sets],
        [[label, *(percent(_mean(score, known)) for known in sets.values())] for label, score in _settings()],
    )
    _granularity(sets)
    _levels(cache or default_cache(), folder)
    _worth(sets)
    params = ChangepointParameters()
    share = (1 - params.alpha) / (SEMANTIC_PER_SCATTER * params.alpha)
    table(
        "Boundary F1 in % of other vectors, at the true number of boundaries, without structure and with it",
        ["vectors", *sets],
        [[label, *(_pair(known, make, share) for known in sets.values())] for label, make in _vectors()],
    )


def _pair(documents: Sequence[Known], make: Callable[[Known], Float64], share: float) -> str:
    alone, joined = (_mean(lambda one: divided(one, make(one), each), documents) for each in (0.0, share))  # noqa: B023
    return f"{100 * alone.mean():.1f} / {100 * joined.mean():.1f}"


run = main

if __name__ == "__main__":
    main()
