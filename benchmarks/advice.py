"""How often ``chunkscope suggest`` advises a strategy where another is clearly better.

The documents are those of the gold sets, in several layouts (see :mod:`benchmarks.structure`): units as they are, turns
with speakers, paragraphs split as the app does (without headings, with half of them, with all of them), and headings
that type and space alone set apart. On each, all candidates run at their own number of cuts, with the sizes that the
product advises. A choice is wrong where another candidate has more than five points more boundary F1.

The rule (:mod:`chunking.advice.profile`) has a strategy for each kind of document, and two thresholds that separate
kinds.
Both are chosen anew without each set, whole (the two languages of one documentation are one set), and that set is
judged by the result: nothing is judged by what it chose. Kinds of text weigh alike in the choice, and so do the sets of
a kind. The rates that the product shows are those, written to ``chunking/advice/rates.csv``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from pathlib import Path

import numpy as np

from benchmarks import structure
from benchmarks.structure import Case, Layout, Row
from benchmarks.timing import table
from chunking import evaluation
from chunking.advice import profile, rates
from chunking.advice.profile import (
    BASELINE,
    CANDIDATES,
    RANKINGS,
    THRESHOLDS,
    UNMEASURED,
    DocumentProfile,
    Kind,
    KindThresholds,
)
from chunking.advice.rates import MARGIN, MAXIMUM, wilson
from chunking.advice.results import MeasuredRate
from chunking.advice.trials import setting_of
from chunking.evaluation import DataSet, SegmentationOptions, SegmentedDocument
from chunking.runtime.arrays import Bools, Float64
from chunking.workspace import DocumentAnalysis, Models

TOOLS = Models(encoder="static")


def partly(row: Row, random: np.random.Generator) -> Case:
    """Return about half of the headings, and paragraphs split into sentences; all boundaries are true."""
    kept = {unit for unit in (0, *row.boundaries) if random.random() < 0.5}
    return structure.prose(replace(row, titles=tuple(title for title in row.titles if title.unit in kept)), random)


_WITH_HEADINGS: tuple[tuple[str, Layout], ...] = (
    ("plain", structure.plain),
    ("paragraphs", structure.bare),
    ("half of the headings", partly),
    ("headings", structure.prose),
    ("type and space", structure.printed),
)
_PLAIN = (("plain", structure.plain),)
_TURNS = (("speakers", structure.dialogue),)


@dataclass(frozen=True)
class GoldSource:
    """A set of documents with true boundaries.

    Attributes:
        name: of its file.
        text: the kind of its text.
        layouts: what it is measured in.
        left_out: the name under which it is left out, the same for translations of one set.
    """

    name: str
    text: str
    layouts: tuple[tuple[str, Layout], ...]
    left_out: str


SOURCES = (
    GoldSource("choi", "mosaic", _PLAIN, "choi"),
    GoldSource("lectures_physics", "lecture", _PLAIN, "lectures_physics"),
    GoldSource("tiage", "dialogue", _TURNS, "tiage"),
    GoldSource("dialseg711_dev", "dialogue", _TURNS, "dialseg711_dev"),
    GoldSource("peps", "technical", _WITH_HEADINGS, "peps"),
    GoldSource("fastapi_en", "technical", _WITH_HEADINGS, "fastapi"),
    GoldSource("fastapi_ko", "technical", _WITH_HEADINGS, "fastapi"),
    GoldSource("k8s_docs_dev", "technical", _WITH_HEADINGS, "k8s_docs_dev"),
)

LONG_SECTIONS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7)
MARKED = (0.02, 0.05, 0.1, 0.2, 1.0)
"""Thresholds to choose from. One list in a long text is to make no text technical, so 0 is none of them."""


@dataclass(frozen=True, eq=False)
class JudgedDocument:
    """A document in a layout, with what each candidate makes of it.

    Attributes:
        source: its set.
        layout: the name of the layout.
        profile: the facts that the rule reads.
        f1: ``(n_candidates,)`` boundary F1, in the order of :data:`CANDIDATES`.
    """

    source: GoldSource
    layout: str
    profile: DocumentProfile
    f1: Float64

    @property
    def wrong(self) -> Bools:
        """``(n_candidates,)``: whether another candidate has more than the margin more."""
        found: Bools = self.f1.max() - self.f1 > MARGIN
        return found


@dataclass(frozen=True)
class ChosenRule:
    """A rule that some sets have chosen: the thresholds, and the best two strategies of each kind of document."""

    thresholds: KindThresholds
    rankings: dict[Kind, tuple[str, str]]

    def kind(self, one: JudgedDocument) -> Kind:
        """Return the kind of a document."""
        return one.profile.kind(self.thresholds)

    def places(self, one: JudgedDocument) -> tuple[int, int]:
        """Return the places of the advised strategy and of the second best among the candidates."""
        first, second = self.rankings[self.kind(one)]
        return CANDIDATES.index(first), CANDIDATES.index(second)


# Measuring --------------------------------------------------------------------------------------------------------


def measured(source: GoldSource, folder: Path) -> list[JudgedDocument]:
    """Return the documents of a set in all of its layouts."""
    found: list[JudgedDocument] = []
    for layout, how in source.layouts:
        cases = structure.cases(source.name, how, folder)
        scores = _scores(source.name, cases)
        found += [JudgedDocument(source, layout, _profile(case), f1) for case, f1 in zip(cases, scores, strict=True)]
    return found


def _profile(case: Case) -> DocumentProfile:
    return profile.measure(DocumentAnalysis(case.sentences.document, TOOLS, None, (case.sentences,)), MAXIMUM)


def _scores(name: str, cases: Sequence[Case]) -> Float64:
    """Return ``(n_documents, n_candidates)`` boundary F1."""
    documents = tuple(
        SegmentedDocument(str(place), 0, case.sentences.texts, case.gold, sentences=case.sentences)
        for place, case in enumerate(cases)
    )
    settings = {candidate: setting_of(candidate, MAXIMUM) for candidate in CANDIDATES}
    found = evaluation.evaluate(DataSet(name, documents), settings, SegmentationOptions(tools=TOOLS))
    rows = {row.name: row.values["f1"] for row in found.rows}
    return np.nan_to_num(np.stack([rows[candidate] for candidate in CANDIDATES], axis=1))


# The rule ---------------------------------------------------------------------------------------------------------


def chosen(documents: Sequence[JudgedDocument]) -> ChosenRule:
    """Return the rule with the lowest error rate on some documents."""
    weights = _weights(documents)
    wrong = np.array([one.wrong for one in documents]) * weights[:, None]
    found = [_with(KindThresholds(*pair), documents, wrong) for pair in product(LONG_SECTIONS, MARKED)]
    return min(found, key=lambda pair: round(pair[1], 9))[0]


def _with(thresholds: KindThresholds, documents: Sequence[JudgedDocument], wrong: Float64) -> tuple[ChosenRule, float]:
    """Return the best strategies under some thresholds, and their error rate."""
    kinds = np.array([one.profile.kind(thresholds) for one in documents])
    overall = _best_two(wrong.sum(axis=0))
    rankings: dict[Kind, tuple[str, str]] = {}
    total = 0.0
    for kind in profile.KINDS:
        errors = wrong[kinds == kind].sum(axis=0)
        rankings[kind] = _best_two(errors) if (kinds == kind).any() and kind not in UNMEASURED else overall
        total += float(errors[CANDIDATES.index(rankings[kind][0])])
    return ChosenRule(thresholds, rankings), total


def _best_two(errors: Float64) -> tuple[str, str]:
    first, second = np.argsort(errors.round(9), kind="stable")[:2].tolist()
    return CANDIDATES[first], CANDIDATES[second]


def _weights(documents: Sequence[JudgedDocument]) -> Float64:
    """Return the weight of each document: kinds of text weigh alike, the sets of a kind, and the documents of a set."""
    sources = {one.source.name: one.source for one in documents}
    texts = [source.text for source in sources.values()]
    sizes = {name: sum(one.source.name == name for one in documents) for name in sources}
    return np.array(
        [
            1 / (len(set(texts)) * texts.count(one.source.text) * sizes[one.source.name])
            for one in documents
        ]
    )  # fmt: skip


def held_out(documents: Sequence[JudgedDocument]) -> dict[str, ChosenRule]:
    """Return the rule for each set, chosen without it."""
    names = dict.fromkeys(one.source.left_out for one in documents)
    return {name: chosen([one for one in documents if one.source.left_out != name]) for name in names}


# Tables -----------------------------------------------------------------------------------------------------------


def judged(documents: Sequence[JudgedDocument], rules: dict[str, ChosenRule]) -> list[MeasuredRate]:
    """Return the rates of each kind of document, by set and layout."""

    def cell(one: JudgedDocument) -> tuple[int, str, str]:
        kind = rules[one.source.left_out].kind(one)
        return profile.KINDS.index(kind), one.source.name, one.layout

    cells = groupby(sorted(documents, key=cell), key=cell)
    return [_rate(profile.KINDS[kind], list(some), rules) for (kind, *_), some in cells]


def _rate(kind: Kind, some: Sequence[JudgedDocument], rules: dict[str, ChosenRule]) -> MeasuredRate:
    one, rule = some[0], rules[some[0].source.left_out]
    wrong, f1 = np.array([each.wrong for each in some]), np.array([each.f1 for each in some])
    first, second = rule.places(one)
    errors = dict(zip(CANDIDATES, wrong.sum(axis=0).tolist(), strict=True))
    return MeasuredRate(
        kind, one.source.name, one.layout, len(some), errors[CANDIDATES[first]],
        errors["changepoint"], errors[BASELINE], round(float(wrong.mean(axis=1).sum()), 2),
        round(float(f1[:, first].mean()), 4), round(float(f1[:, second].mean()), 4),
    )  # fmt: skip


def main(folder: Path = structure.DATA) -> None:
    """Measure the rule, print the tables, and write the table that the product shows."""
    if not (folder / "peps.jsonl").is_file():
        print("\nHow often the advice is wrong: the data is not beside the repository, so this part is left out.")
        return
    documents = [one for source in SOURCES for one in measured(source, folder)]
    rules = held_out(documents)
    everything = chosen(documents)
    _show_rules({**rules, "nothing": everything})
    found = judged(documents, rules)
    _show_rates(found)
    _show_sets(found)
    rates.write([rate for rate in found if rate.kind not in UNMEASURED])
    same = everything.thresholds == THRESHOLDS and all(
        everything.rankings[kind] == ranking for kind, ranking in RANKINGS.items() if kind not in UNMEASURED
    )
    print(
        "\nThe rule of the package is the one that all sets choose." if same else "\nTHE RULE OF THE PACKAGE DIFFERS."
    )


def _show_rules(rules: dict[str, ChosenRule]) -> None:
    kinds = [kind for kind in profile.KINDS if kind not in UNMEASURED]
    rows = [
        [name, rule.thresholds.long_sections, rule.thresholds.marked, *(", ".join(rule.rankings[k]) for k in kinds)]
        for name, rule in rules.items()
    ]
    table("The rule that is chosen without a set: best and second best", ["without", "long", "marked", *kinds], rows)


def _show_rates(found: Sequence[MeasuredRate]) -> None:
    rows = [[rate.kind, rate.set, rate.layout, rate.documents, *_shares(rate), *_means(rate)] for rate in found]
    head = ["kind", "set", "layout", "documents", "advised", "changepoint", "recursive", "random"]
    table("Documents in % on which another candidate is better by more than 5 points of boundary F1; F1 in %",
          [*head, "F1", "F1 of the second"], rows)  # fmt: skip


def _shares(rate: MeasuredRate) -> list[str]:
    low, high = wilson(rate.advised, rate.documents)
    first = f"{100 * rate.advised / rate.documents:.0f} [{100 * low:.0f}, {100 * high:.0f}]"
    others = (rate.changepoint, rate.recursive, rate.random)
    return [first, *(f"{100 * errors / rate.documents:.0f}" for errors in others)]


def _means(rate: MeasuredRate) -> list[str]:
    return [f"{100 * rate.f1:.1f}", f"{100 * rate.second_f1:.1f}"]


def _show_sets(found: Sequence[MeasuredRate]) -> None:
    """Print the rates of each set, all layouts together, and their mean over the sets."""
    rows = []
    groups = {source.name: [rate for rate in found if rate.set == source.name] for source in SOURCES}
    for name, known in [*groups.items(), ("mean over sets", list(found))]:
        means = (rates.mean_rate(known, each) for each in ("advised", "changepoint", "recursive", "random"))
        rows.append([name, sum(each.documents for each in known), *(f"{100 * m:.1f}" for m in means)])
    head = ["set", "documents", "advised", "changepoint", "recursive", "random"]
    table("The same by set, in %", head, rows)


run = main

if __name__ == "__main__":
    main()
