"""Tuning: what every setting at once costs by length, and which setting gold supports.

The made curves have a semantic distance of ten decimals and a structural one of few values, as real ones have, and a
true boundary in every twelfth gap that lifts both a little. Of such curves the setting that is truly best is known from
many more of them: how often the region holds it, and by how much the apparent score flatters, is counted. Then, for the
samples and for the public gold sets in several layouts (see :mod:`benchmarks.structure`), the best setting, what it
honestly is worth by nested cross-validation, and how that compares with the default.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.structure import DATA, Layout, bare, cases, headings, levels, measured, plain, printed, prose
from benchmarks.timing import ms, seconds, table
from chunking import samples
from chunking.comparison.agreement import METRICS
from chunking.embedding.vector_cache import default_cache
from chunking.reference import reference_gaps
from chunking.strategies.gaps import StructuralParameters, structural_signals
from chunking.tokens import SpanTokens, get_tokenizer
from chunking.tuning.choice import USUAL, Choice, choose
from chunking.tuning.landscape import ALPHAS, PERCENTILES, landscape, plateau
from chunking.tuning.plane import plane
from chunking.tuning.units import Measure, ReferenceCurves
from chunking.workspace import DocumentAnalysis

LENGTHS = (500, 5_000, 20_000)
KINDS = ((20, 60), (8, 60), (1, 600))
"""Documents and their gaps."""
RUNS = 40
LAYOUTS: tuple[tuple[str, Layout], ...] = (
    ("plain", plain),
    ("bare", bare),
    ("headings", headings),
    ("levels", levels),
    ("printed", printed),
    ("prose", prose),
)
SETS = ("choi", "peps", "fastapi_en", "tiage")


def made(gaps: int, seed: int = 0) -> ReferenceCurves:
    """Return the curves that are like real ones."""
    random = np.random.default_rng(seed)
    gold = np.sort(random.choice(gaps, max(1, gaps // 12), replace=False))
    true = np.zeros(gaps)
    true[gold] = 1
    structural = random.choice([0.0, 0.0, 0.1, 0.25, 0.45], gaps) + 0.15 * true * (random.random(gaps) < 0.5)
    semantic = 0.6 * random.random(gaps) + 0.2 * true
    return ReferenceCurves(f"made {seed}", semantic.round(10), structural.round(12), gold)


def main() -> None:
    """Print the tables."""
    growth()
    trusted()
    supported("Samples", [_sample(name) for name in samples.names()], "f1")
    if not (DATA / "peps.jsonl").is_file():
        print("\nWhat gold supports: the data is not beside the repository, so this part is left out.")
        return
    for layout, how in LAYOUTS:
        for name in SETS if layout == "plain" else SETS[1:3]:
            curves = list(_curves(name, how))
            supported(f"{name}, {layout}", curves, "f1")
            if layout == "plain":  # where more cuts hit more, which is not what Pk rewards
                supported(f"{name}, {layout}", curves, "pk")


def growth() -> None:
    """Time by length."""
    rows = []
    for gaps in LENGTHS:
        one = made(gaps)
        known, tokens = landscape(one.semantic, one.structural), _tokens(gaps)
        times = 3 if gaps > 5_000 else 5
        runs = (
            partial(landscape, one.semantic, one.structural),
            partial(plane, known, tokens=tokens, reference=one.reference),
            partial(plane, known, reference=one.reference),
            partial(plateau, one.semantic, one.structural, 0.4, 90.0),
            partial(choose, [one]),
        )
        rows.append([f"{gaps:,}", *(ms(seconds(run, times)) for run in runs)])
    head = ("gaps", "landscape", "plane of sizes", "plane", "plateau", "choose")
    table(f"Every setting at once: {len(ALPHAS)} values of α, {len(PERCENTILES)} percentiles", head, rows)
    many = [made(100, seed) for seed in range(50)]
    found = [["f1", ms(seconds(lambda: choose(many, "f1"), 3))], ["pk", ms(seconds(lambda: choose(many, "pk"), 3))]]
    table("The setting that 50 documents of 100 gaps support", ("measure", "choose"), found)


def trusted() -> None:
    """How far what is said of the best setting can be believed, on made documents whose best is known."""
    rows = []
    for documents, gaps in KINDS:
        many = [made(gaps, 1_000_000 + seed) for seed in range(36_000 // gaps)]
        # What documents of this length score on average; of one alone that is what it scores as a whole.
        mean = np.mean([choose(some).mean for some in (many[at : at + 60] for at in range(0, len(many), 60))], axis=0)
        true = np.unravel_index(int(mean.argmax()), mean.shape)
        runs = [choose([made(gaps, 1_000 * run + seed) for seed in range(documents)]) for run in range(RUNS)]
        rows.append(
            [
                f"{documents} of {gaps} gaps",
                f"{ALPHAS[true[0]]:g}, {PERCENTILES[true[1]]:g}",
                f"{100 * np.mean([run.region[true] for run in runs]):.0f} %",
                f"{100 * np.mean([run.region.mean() for run in runs]):.0f} %",
                f"{100 * np.mean([run.apparent for run in runs]):.1f}",
                f"{100 * np.mean([run.honest.value for run in runs]):.1f}",
                f"{100 * mean[true]:.1f}",
            ]
        )
    head = ("documents", "best: α, percentile", "region holds it", "its size", "apparent F1", "honest F1", "true F1")
    table(f"What is said of the best setting, {RUNS} made sets of each kind", head, rows)


def _tokens(gaps: int) -> SpanTokens:
    sentence = "The harbour office keeps a record of every crossing. "
    return SpanTokens(sentence * (gaps + 1), np.arange(gaps + 2) * len(sentence), get_tokenizer())


def _sample(name: str) -> ReferenceCurves:
    sample = samples.load(name)
    workspace = DocumentAnalysis(sample.document)
    signals = structural_signals(workspace, StructuralParameters())
    gold = reference_gaps(sample.boundaries, workspace.offsets, workspace.sentences)
    return ReferenceCurves(name, signals.semantic, signals.structural, gold)


def _curves(name: str, how: Layout) -> Iterator[ReferenceCurves]:
    for place, each in enumerate(measured(cases(name, how), default_cache())):
        yield ReferenceCurves(f"{name} {place}", each.semantic, each.form.distances(), each.case.gold)


def supported(title: str, curves: list[ReferenceCurves], measure: Measure) -> None:
    """Evaluate the settings against gold."""
    found = choose(curves, measure)
    rows = [
        ["best", *_setting(found.best), f"{100 * found.apparent:.1f}, apparent", ""],
        ["honest", *_spread(found), f"{100 * found.honest.value:.1f}", _span(found.honest.low, found.honest.high)],
        ["default", *_setting(USUAL), f"{100 * found.usual_score:.1f}", ""],
        ["honest − default", "", "", f"{100 * found.difference.value:+.1f}", _difference(found)],
        ["as good as the best", *_region(found), f"{100 * found.region.mean():.1f} % of settings", ""],
    ]
    table(
        f"{title}: {found.units} {found.unit}s, {found.n_boundaries:,} true boundaries, in %: {found.verdict}",
        ("", "α", "percentile", METRICS[measure].title, "95 %"),
        rows,
    )


def _setting(setting: tuple[float, float]) -> tuple[str, str]:
    return f"{setting[0]:g}", f"{setting[1]:g}"


def _span(low: float, high: float) -> str:
    return f"[{100 * low:.1f}, {100 * high:.1f}]"


def _difference(found: Choice) -> str:
    return f"{_span(found.difference.low, found.difference.high)}, p = {found.p:.3f}"


def _spread(found: Choice) -> tuple[str, str]:
    """Return the range of what the folds chose."""
    alphas, percentiles = zip(*(fold.setting for fold in found.folds), strict=True)
    return f"{min(alphas):g}–{max(alphas):g}", f"{min(percentiles):g}–{max(percentiles):g}"


def _region(found: Choice) -> tuple[str, str]:
    rows, columns = np.flatnonzero(found.region.any(axis=1)), np.flatnonzero(found.region.any(axis=0))
    alphas, percentiles = found.alphas[rows], found.percentiles[columns]
    return f"{alphas[0]:g}–{alphas[-1]:g}", f"{percentiles[0]:g}–{percentiles[-1]:g}"
