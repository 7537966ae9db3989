"""What the layout features are worth: boundaries found with and without them, on gold whose layout was put back.

The documents are those of four public gold sets. Their headings were taken out; here they are put back, whole or in
part, as headings or as type and space alone, and the document is loaded by the product's own loader. Each unit and each
heading is one sentence. A true boundary is the gap before the heading (or heading and subheading) that opens a segment.

- ``plain``: units alone, a paragraph each; of a dialogue also as turns of two speakers.
- ``headings``: every heading, as a heading.
- ``half``: each heading with probability one half; only the boundaries that got none are looked for.
- ``levels``: every heading, but only those of the highest level that repeats are true.
- ``printed``: every heading as a paragraph that is set apart: larger, bold, by space, or by several of these, one way a
  document; with body text, lists, space and page ends as on paper.
- ``prose``: every heading, paragraphs split into sentences as the app does. ``bare``: the same without any heading.

Measured is boundary F1 in % at the true number of boundaries and at the strategy's own threshold: mean over documents
and its 95 % bootstrap interval; differences are paired. Chance is the expectation of as many random cuts.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.timing import table
from chunking import sentences
from chunking.document import Block, Document, Style
from chunking.embedding import embed, get_encoder
from chunking.embedding.vector_cache import VectorCache, default_cache
from chunking.loading import from_text
from chunking.runtime.arrays import Bools, Float64, Int64
from chunking.sentences import Sentences
from chunking.signals import distances, features, thresholds
from chunking.strategies.gaps import StructuralParameters

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "segmentation"
DEFAULT = StructuralParameters()
ALPHAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
RESAMPLES = 2000
SEED = 7


class Title(NamedTuple):
    """A heading of a gold document: it stands before a unit; level 1 is the highest that the document has."""

    unit: int
    level: int
    text: str
    mark: str


@dataclass(frozen=True)
class Row:
    """A gold document: units, first units of its segments, headings, and the format that units are written in."""

    name: str
    language: str
    units: tuple[str, ...]
    boundaries: tuple[int, ...]
    titles: tuple[Title, ...]
    format: str


@dataclass(frozen=True, eq=False)
class Case:
    """A document to cut: its sentences, the gaps of the true boundaries, and the gaps that are looked at."""

    sentences: Sentences
    gold: Int64
    asked: Bools


@dataclass(frozen=True, eq=False)
class Measured:
    """A case with its distances: semantic ``(n_gaps,)`` and the values of the structural features."""

    case: Case
    semantic: Float64
    form: features.Structure

    def fused(self, alpha: float, off: tuple[str, ...] = ()) -> Float64:
        """Return the curve that is cut."""
        return distances.fuse(self.semantic, self.form.distances(off), alpha)


def read(path: Path) -> list[Row]:
    """Return the documents of a set that have a boundary."""
    with path.open(encoding="utf-8") as file:
        rows = [_row(json.loads(line)) for line in file]
    return [row for row in rows if row.boundaries]


def _row(given: dict[str, Any]) -> Row:
    titles = given.get("titles", [])
    ranks = {mark: rank for rank, mark in enumerate(_marks(titles), 1)}
    return Row(
        str(given["id"]),
        given["lang"],
        tuple(given["units"]),
        tuple(unit for unit in given["boundaries"] if unit),
        tuple(Title(unit, ranks[mark], text, str(mark)) for unit, mark, text in titles),
        "rst" if titles and isinstance(titles[0][1], str) else "markdown",
    )


def _marks(titles: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the marks of levels, highest first: numbers by size, underlines by their first appearance."""
    marks = list(dict.fromkeys(mark for _, mark, _ in titles))
    return marks if titles and isinstance(marks[0], str) else sorted(marks)


# Layouts ----------------------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """A stretch of a rebuilt document: where its words stand, and the heading it is, if any."""

    start: int
    end: int
    unit: int
    title: Title | None


def plain(row: Row, _: np.random.Generator) -> Case:
    """Return the units as they are."""
    return _every(sentences.from_units(row.units, row.name, row.language), np.array(row.boundaries) - 1)


def dialogue(row: Row, random: np.random.Generator) -> Case:
    """Return the units as turns of two who speak in turn."""
    case = plain(row, random)
    document = case.sentences.document
    turns = [replace(block, kind="speaker_turn", title="AB"[place % 2]) for place, block in enumerate(document.blocks)]
    return replace(case, sentences=replace(case.sentences, document=replace(document, blocks=tuple(turns))))


def headings(row: Row, _: np.random.Generator) -> Case:
    """Return every heading, as a heading."""
    document, parts = _loaded(row, row.titles)
    return _case(row, document, parts, row.boundaries)


def half(row: Row, random: np.random.Generator) -> Case:
    """Return about half of the headings; the gaps beside them are not looked at."""
    kept = {unit for unit in (0, *row.boundaries) if random.random() < 0.5}
    titles = tuple(title for title in row.titles if title.unit in kept)
    document, parts = _loaded(row, titles)
    case = _case(row, document, parts, [unit for unit in row.boundaries if unit not in kept])
    heads = np.isin(case.sentences.spans[:, 0], [part.start for part in parts if part.title])
    return replace(case, asked=~(heads[1:] | heads[:-1]))


def levels(row: Row, _: np.random.Generator) -> Case:
    """Return every heading; true are those of the highest level that repeats below it."""
    document, parts = _loaded(row, row.titles)
    return _case(row, document, parts, highest(row))


def highest(row: Row) -> list[int]:
    """Return the units that a heading of the highest level stands above that repeats inside the document."""
    inner = [title for title in row.titles if title.unit]
    levels = [title.level for title in inner]
    top = min((level for level in levels if levels.count(level) > 1), default=1)
    return sorted({title.unit for title in inner if title.level <= top})


def printed(row: Row, random: np.random.Generator) -> Case:
    """Return every heading as a paragraph that type or space sets apart."""
    document, parts = _loaded(row, row.titles, bare=True)
    return _case(row, _set(document, parts, random), parts, row.boundaries)


def prose(row: Row, _: np.random.Generator) -> Case:
    """Return every heading, and paragraphs split into sentences."""
    return _split(row, row.titles)


def bare(row: Row, _: np.random.Generator) -> Case:
    """Return no heading, and paragraphs split into sentences."""
    return _split(row, ())


def _split(row: Row, titles: Sequence[Title]) -> Case:
    document, parts = _loaded(row, titles)
    found = sentences.split(document)
    return _every(found, _before(found, parts, row.boundaries))


def _loaded(row: Row, titles: Sequence[Title], bare: bool = False) -> tuple[Document, list[Part]]:
    """Return the document with headings before its units, loaded; ``bare`` headings have no mark that makes
    them one.
    """
    pieces: list[str] = []
    parts: list[Part] = []
    offset = 0
    for unit, text in enumerate(row.units):
        for title in (title for title in titles if title.unit == unit):
            words = " ".join(title.text.split())
            lead = "#" * int(title.mark) + " " if row.format == "markdown" and not bare else ""
            line = "\n" + title.mark * (len(words) + 1) if row.format == "rst" and not bare else ""
            parts.append(Part(offset + len(lead), offset + len(lead) + len(words), unit, title))
            pieces.append(lead + words + line)
            offset += len(pieces[-1]) + len(_BETWEEN)
        indent = len(text) - len(text.lstrip())
        parts.append(Part(offset + indent, offset + len(text.rstrip()), unit, None))
        pieces.append(text)
        offset += len(text) + len(_BETWEEN)
    return from_text(_BETWEEN.join(pieces), row.name, row.format, row.language), parts


_BETWEEN = "\n\n\n\n"
"""Wide enough for a page break between two parts."""


def _case(row: Row, document: Document, parts: Sequence[Part], true: Sequence[int]) -> Case:
    """Return each part that is in a block as a sentence; the others (link targets, comments) are in none, as in the
    app.
    """
    starts = [block.start for block in document.blocks]
    places = [bisect_right(starts, part.start) - 1 for part in parts]
    inside = [place >= 0 and part.start < document.blocks[place].end for part, place in zip(parts, places, strict=True)]
    spans = np.array([(part.start, part.end) for part in parts], dtype=np.int64)[inside]
    found = Sentences(document, spans, np.array(places, dtype=np.int64)[inside], "units")
    return _every(found, _before(found, parts, true))


def _before(found: Sentences, parts: Sequence[Part], true: Sequence[int]) -> Int64:
    """Return the gaps before the first sentences of what stands with the units that open a segment."""
    wanted = set(true)
    opens = [part.start for place, part in enumerate(parts) if part.unit in wanted and _first(parts, place)]
    first = np.searchsorted(found.spans[:, 0], opens)
    gaps: Int64 = np.unique(first[(first > 0) & (first < len(found))]) - 1
    return gaps


def _first(parts: Sequence[Part], place: int) -> bool:
    """Return whether a part is the first that stands with its unit."""
    return place == 0 or parts[place - 1].unit != parts[place].unit


def _every(found: Sentences, gold: npt.ArrayLike) -> Case:
    return Case(found, np.asarray(gold, dtype=np.int64), np.ones(max(len(found) - 1, 0), dtype=np.bool_))


# On paper ---------------------------------------------------------------------------------------------------------

_BODY = 10.0
_PAGE_LINES = 48
_LINE_CHARACTERS = 90
_LARGER = (6.0, 4.0, 2.0, 1.0)
_WAYS: tuple[tuple[bool, bool, bool], ...] = (
    (True, True, True),
    (False, True, True),
    (True, False, True),
    (False, False, True),
    (False, True, False),
    (True, False, False),
)
"""How the headings of a document are set: larger, bold, with space above."""


def _set(document: Document, parts: Sequence[Part], random: np.random.Generator) -> Document:
    """Return every block with a style, headings as paragraphs, and page ends."""
    titles = {part.start: part.title for part in parts if part.title}
    way = _WAYS[random.integers(len(_WAYS))]
    blocks: list[Block] = []
    lines, above = 0, ""
    for block in document.blocks:
        title = titles.get(block.start)
        size, bold, space = _type(block, title, way, above, random)
        lines += 1 + (block.end - block.start) // _LINE_CHARACTERS
        if lines > _PAGE_LINES and block.start >= 3:
            blocks.append(Block("page_break", block.start - 3, block.start - 2))
            lines, space = 0, -1.0
        kind = "paragraph" if title else block.kind
        blocks.append(
            replace(block, kind=kind, level=0 if title else block.level, style=Style(size, bold, False, space))
        )
        above = block.kind
    return replace(document, blocks=tuple(blocks))


def _type(
    block: Block, title: Title | None, way: tuple[bool, bool, bool], above: str, random: np.random.Generator
) -> tuple[float, bool, float]:
    """Return size, weight and space above of a block: body text now and then has more space, or a bold line, without
    cause.
    """
    larger, bold, apart = way
    if title:
        step = _LARGER[min(title.level, len(_LARGER)) - 1]
        return _BODY + step * larger, bold, (14.0 + step if apart else 6.0)
    space = 2.0 if block.kind == above == "list_item" else float(random.choice((5.5, 6.0, 6.5)))
    if random.random() < 0.05:
        space += 6.0
    short = block.end - block.start < _LINE_CHARACTERS
    return (9.0 if block.kind == "code" else _BODY), bool(short and random.random() < 0.05), space


# Measures ---------------------------------------------------------------------------------------------------------

Layout = Callable[[Row, np.random.Generator], Case]
CONDITIONS: tuple[tuple[str, str, Layout], ...] = (
    ("choi", "plain", plain),
    ("tiage", "plain", plain),
    ("tiage", "dialogue", dialogue),
    *((name, how.__name__, how) for how in (plain, bare) for name in ("peps", "fastapi_en")),
    ("fastapi_ko", "plain", plain),
    *((name, how.__name__, how) for how in (headings, half, levels, printed, prose) for name in ("peps", "fastapi_en")),
    ("fastapi_ko", "headings", headings),
)
"""Set, name of the layout, and what makes it; those without any layout first."""


def cases(name: str, how: Layout, folder: Path = DATA) -> list[Case]:
    """Return the documents of a set in a layout that have a boundary and a choice."""
    random = np.random.default_rng(SEED)
    made = [how(row, random) for row in read(folder / f"{name}.jsonl")]
    return [case for case in made if len(case.gold) and case.asked.sum() > len(case.gold)]


def measured(
    found: Sequence[Case],
    cache: VectorCache | None,
    block: int = DEFAULT.block,
    feature_set: features.FeatureSet = "layout",
) -> Iterator[Measured]:
    """Yield the cases with their distances."""
    encoder = get_encoder()
    for case in found:
        vectors = embed(case.sentences.texts, encoder, cache)
        semantic = distances.semantic_distances(vectors, block)
        yield Measured(case, semantic, features.measure(case.sentences, feature_set))


def f1(gold: Int64, cut: Int64) -> float:
    """Return boundary F1 of two sets of gaps."""
    return 2 * len(np.intersect1d(gold, cut)) / (len(gold) + len(cut))


def strongest(one: Measured, curve: Float64) -> float:
    """Return F1 of as many gaps as there are true boundaries, the largest distances first, of equal ones the first."""
    seen = np.flatnonzero(one.case.asked)
    order = np.argsort(-curve[seen], kind="stable")[: len(one.case.gold)]
    return f1(one.case.gold, seen[order])


def over(one: Measured, curve: Float64) -> float:
    """Return F1 of the gaps over the default threshold."""
    cut = thresholds.apply("percentile", DEFAULT.percentile, curve).exceeded
    return f1(one.case.gold, np.flatnonzero(cut & one.case.asked))


def chance(one: Measured, _: Float64) -> float:
    """Return expected F1 of as many random cuts as there are true boundaries."""
    return len(one.case.gold) / int(one.case.asked.sum())


def interval(values: Float64) -> tuple[float, float, float]:
    """Return mean over documents in %, and the 95 % interval of a bootstrap over them."""
    rows = np.random.default_rng(0).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.quantile(values[rows].mean(axis=1), (0.025, 0.975)).tolist()
    return 100 * float(values.mean()), 100 * low, 100 * high


def percent(values: Float64, sign: str = "") -> str:
    """Return an interval in words."""
    mean, low, high = interval(values)
    return f"{mean:{sign}.1f} [{low:{sign}.1f}, {high:{sign}.1f}]"


def scores(
    found: Sequence[Measured],
    alpha: float,
    score: Callable[[Measured, Float64], float] = strongest,
    off: tuple[str, ...] = (),
) -> Float64:
    """Return ``(n_documents,)`` scores at an α."""
    return np.array([score(one, one.fused(alpha, off)) for one in found])


def _cells(found: Sequence[Measured], score: Callable[[Measured, Float64], float]) -> list[str]:
    alone, ours = scores(found, 1.0, score), scores(found, DEFAULT.alpha, score)
    return [*map(percent, (alone, scores(found, 0.0, score), ours)), percent(ours - alone, "+")]


def _worth(found: Sequence[Measured]) -> Iterator[str]:
    """Measure the gain of each feature at the default α: the paired difference to the curve without it."""
    ours = scores(found, DEFAULT.alpha)
    for feature in features.FEATURES["layout"]:
        lost = ours - scores(found, DEFAULT.alpha, off=(feature.name,))
        yield percent(lost, "+") if lost.any() else ""


_SETTINGS: tuple[tuple[str, int, features.FeatureSet, float], ...] = (
    ("preset reference", 1, "reference", 0.05),
    ("neighbouring sentences, α = 1", 1, "layout", 1.0),
    ("blocks of three, α = 1", 3, "layout", 1.0),
    (f"blocks of {DEFAULT.block}, α = {DEFAULT.alpha:g} (default)", DEFAULT.block, "layout", DEFAULT.alpha),
    (f"blocks of five, α = {DEFAULT.alpha:g}", 5, "layout", DEFAULT.alpha),
)
"""Name, block, structural features, α."""


def _settings(cache: VectorCache | None, folder: Path) -> None:
    """Whole settings on the plain units."""
    sets = {name: cases(name, plain, folder) for name in ("choi", "peps", "fastapi_en", "tiage")}
    random = [scores(list(measured(found, cache)), 1.0, chance) for found in sets.values()]
    rows = [["random cuts", *map(percent, random)]]
    for label, block, feature_set, alpha in _SETTINGS:
        found = [scores(list(measured(known, cache, block, feature_set)), alpha) for known in sets.values()]
        rows.append([label, *map(percent, found)])
    table("Boundary F1 in % at the true number of boundaries, plain units", ["setting", *sets], rows)


def main(cache: VectorCache | None = None, folder: Path = DATA) -> None:
    """Print the tables."""
    if not (folder / "peps.jsonl").is_file():
        print("\nWhat layout is worth: the data is not beside the repository, so this part is left out.")
        return
    cache = cache or default_cache()
    _settings(cache, folder)
    known = {(name, label): list(measured(cases(name, how, folder), cache)) for name, label, how in CONDITIONS}
    chosen = f"α = {DEFAULT.alpha:g}"
    for title, score in (("at the true number of boundaries", strongest), ("at the default threshold", over)):
        # Of "half" the headings that are there take most of what the threshold leaves, and are not what is asked for.
        shown = {name: found for name, found in known.items() if score is strongest or name[1] != "half"}
        table(
            f"Boundary F1 in % {title}",
            ["set", "layout", "documents", "chance", "α = 1", "α = 0", chosen, f"{chosen} less α = 1"],
            [
                [*name, len(found), f"{100 * scores(found, 1.0, chance).mean():.1f}", *_cells(found, score)]
                for name, found in shown.items()
            ],
        )
    table(
        "Boundary F1 in % at the true number of boundaries, by α",
        ["set", "layout", *(f"{alpha:g}" for alpha in ALPHAS)],
        [[*name, *(f"{100 * scores(found, alpha).mean():.1f}" for alpha in ALPHAS)] for name, found in known.items()],
    )
    worth = {name: list(_worth(found)) for name, found in known.items() if name[1] not in ("plain", "dialogue")}
    table(
        "What each feature adds, in points of F1",
        ["feature", *(" ".join(name) for name in worth)],
        [
            [feature.name, *(column[place] for column in worth.values())]
            for place, feature in enumerate(features.FEATURES["layout"])
        ],
    )


run = main

if __name__ == "__main__":
    main()
