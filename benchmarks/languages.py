"""The same pages in English and Korean: how far curves and boundaries agree between the languages, by encoder.

A curve that follows the topics of a page should be the same in a translation of it; one that follows the words a model
happens to know should not. Units are aligned one to one; pages whose two languages have different numbers of units are
left out and counted. Distances are those of the preset ``default``: blocks of three units, layout, and its α.
*Structure* is α = 0, without any encoder. Each curve is cut at as many gaps as the page has true boundaries, the
strongest first. Chance is random cuts with the same sizes. The structure of many pages is flat but for a few gaps, so
that most of its cuts are the first of equals: they agree between languages and say nothing. Means over pages, with the
95 % interval of a bootstrap.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import table
from chunking.comparison import agreement
from chunking.embedding import embed, get_encoder
from chunking.embedding.vector_cache import VectorCache, default_cache
from chunking.runtime.arrays import Float64, Int64
from chunking.sentences import Sentences, from_units
from chunking.signals import distances, features
from chunking.strategies.gaps import StructuralParameters

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "segmentation"
LANGUAGES = ("en", "ko")
ENCODERS = ("all-MiniLM-L6-v2", "static", "char-ngrams")

BLOCK = 3
ALPHA = StructuralParameters().alpha
LEAST_GAPS = 5
DRAWS = 100
RESAMPLES = 2000


@dataclass(frozen=True)
class Page:
    """One page in both languages: units, and the gaps of its true boundaries, by language."""

    name: str
    units: tuple[Sentences, Sentences]
    gold: tuple[Int64, Int64]


@dataclass(frozen=True)
class Agreement:
    """What two curves of a page have in common: values and what chance gives, one of each a page."""

    spearman: float
    f1: tuple[float, float]
    similarity: tuple[float, float]
    gold: tuple[tuple[float, float], tuple[float, float]]


def read(folder: Path = DATA) -> tuple[list[Page], int]:
    """Return the pages whose units are aligned, and how many others there are."""
    both = [_lines(folder / f"fastapi_{language}.jsonl") for language in LANGUAGES]
    pages = []
    shared = [name for name in both[0] if name in both[1]]
    for name in shared:
        given = [rows[name] for rows in both]
        if len(given[0]["units"]) != len(given[1]["units"]) or len(given[0]["units"]) <= LEAST_GAPS:
            continue
        units = [from_units(one["units"], name, code) for one, code in zip(given, LANGUAGES, strict=True)]
        gold = [np.array(one["boundaries"], dtype=np.int64) - 1 for one in given]
        pages.append(Page(name, (units[0], units[1]), (gold[0], gold[1])))
    return pages, len(shared) - len(pages)


def _lines(path: Path) -> dict[str, dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return {row["id"]: row for row in map(json.loads, file)}


def curves(page: Page, encoder: str, cache: VectorCache | None) -> Iterator[tuple[str, list[Float64]]]:
    """Yield the semantic and the fused distances of a page, in each language."""
    known = get_encoder(encoder)
    semantic = [distances.semantic_distances(embed(units.texts, known, cache), BLOCK) for units in page.units]
    yield "semantic", semantic
    both = zip(semantic, structural(page), strict=True)
    yield "fused", [distances.fuse(one, form, ALPHA) for one, form in both]


def structural(page: Page) -> list[Float64]:
    """Return the structural distances of a page, in each language."""
    return [features.measure(units, "layout").distances() for units in page.units]


def strongest(curve: Float64, count: int) -> Int64:
    """Return the gaps of the largest distances, ascending; of equal ones the first."""
    chosen: Int64 = np.sort(np.argsort(-curve, kind="stable")[:count])
    return chosen


def compare(page: Page, found: Sequence[Float64]) -> Agreement:
    """How far the curves of a page in two languages agree, with each other and with gold."""
    cuts = [strongest(curve, len(gold)) for curve, gold in zip(found, page.gold, strict=True)]
    units = len(found[0]) + 1

    def beside_chance(reference: Int64, hypothesis: Int64, metric: str) -> tuple[float, float]:
        chance = agreement.chance(reference, hypothesis, units, metric, draws=DRAWS)
        return chance.value, chance.mean

    gold = [beside_chance(true, cut, "f1") for true, cut in zip(page.gold, cuts, strict=True)]
    return Agreement(
        _spearman(found[0], found[1]),
        beside_chance(cuts[0], cuts[1], "f1"),
        beside_chance(cuts[0], cuts[1], "boundary_similarity"),
        (gold[0], gold[1]),
    )


def _spearman(one: Float64, other: Float64) -> float:
    """Spearman's rank correlation; not a number where a curve is flat."""
    stats: Any = import_module("scipy.stats")  # takes a second, and has no types
    left, right = stats.rankdata(one), stats.rankdata(other)
    if not left.std() or not right.std():
        return float("nan")
    return float(np.corrcoef(left, right)[0, 1])


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return mean over pages, and the 95 % interval of a bootstrap over them; pages without a value are left out."""
    known = np.array([value for value in values if np.isfinite(value)])
    if not known.size:
        return (float("nan"),) * 3
    rows = np.random.default_rng(0).integers(0, len(known), (RESAMPLES, len(known)))
    low, high = np.quantile(known[rows].mean(axis=1), (0.025, 0.975)).tolist()
    return float(known.mean()), low, high


def _percent(values: Sequence[tuple[float, float]]) -> str:
    mean, low, high = interval([100 * value for value, _ in values])
    return f"{mean:.1f} [{low:.1f}, {high:.1f}] ({interval([100 * chance for _, chance in values])[0]:.1f})"


def row(found: Sequence[Agreement]) -> list[str]:
    """Return the cells of a table's row."""
    mean, low, high = interval([one.spearman for one in found])
    return [
        f"{mean:.3f} [{low:.3f}, {high:.3f}]",
        _percent([one.f1 for one in found]),
        _percent([one.similarity for one in found]),
        *(_percent([one.gold[language] for one in found]) for language in range(2)),
    ]


def main() -> None:
    """Print the table."""
    if not (DATA / "fastapi_ko.jsonl").is_file():
        print("\nThe same pages in two languages: the data is not beside the repository, so this part is left out.")
        return
    pages, left_out = read()
    cache = default_cache()
    rows = [["none", "structure", *row([compare(page, structural(page)) for page in pages])]]
    for encoder in ENCODERS:
        found: dict[str, list[Agreement]] = {}
        for page in pages:
            for name, both in curves(page, encoder, cache):
                found.setdefault(name, []).append(compare(page, both))
        rows += [[encoder, name, *row(values)] for name, values in found.items()]
    head = ["encoder", "curve", "Spearman en–ko", "F1 en–ko", "B en–ko", "F1 gold en", "F1 gold ko"]
    gaps = sum(len(page.units[0]) - 1 for page in pages)
    table(
        f"The same {len(pages)} pages in English and Korean, {gaps:,} gaps ({left_out} left out, not aligned); "
        "F1 and B in %, chance in brackets",
        head,
        rows,
    )


run = main

if __name__ == "__main__":
    main()
