"""The verdict on boundaries: which strategy agrees best with people, what is certain of that, and where two differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from chunking.evaluation.data import SegmentedDocument
from chunking.evaluation.results import PairedTest, SegmentationSummary
from chunking.evaluation.segmentation import MEASURES, SegmentationRow
from chunking.report.formatting import percent
from chunking.report.html import explained
from chunking.runtime.arrays import Int64
from chunking.runtime.wording import plural
from pages.shared.evaluate import passages, verdict_rows
from pages.shared.evaluate.boundary_jobs import SegmentationResult
from pages.shared.evaluate.verdict_rows import VerdictRow
from pages.shared.frame import markup
from pages.shared.settings import controls

_MEASURE = "f1"
_CHANCE = "random"
"""The baseline that cuts as often as the references, anywhere."""
_MOST_DOCUMENTS, _MOST_PLACES = 12, 20
_FEWEST = 5
"""Documents below which nothing is said about differences."""
_LONGEST = 240
"""Characters of a sentence that are shown beside a place."""


@dataclass(frozen=True)
class Found:
    """How the cuts of a strategy agree with the references of all documents.

    Attributes:
        found: reference boundaries that it cuts.
        missed: those that it does not.
        wrong: cuts at other gaps.
    """

    found: int
    missed: int
    wrong: int


@dataclass(frozen=True, eq=False)
class Verdict:
    """The results that the verdict is made of.

    Attributes:
        result: of the evaluation.
    """

    result: SegmentationResult

    @property
    def summary(self) -> SegmentationSummary:
        """The figures."""
        return self.result.summary

    @cached_property
    def names(self) -> list[str]:
        """The strategies with a score, the best first."""
        strategies = self.summary.strategies
        return [name for name in self.summary.ranked_strategies if strategies[name].measures[_MEASURE].mean is not None]

    @cached_property
    def rows(self) -> Mapping[str, SegmentationRow]:
        """The results of each strategy by document."""
        return {row.name: row for row in self.result.evaluation.rows}

    def gaps(self, name: str, document: int) -> Int64 | None:
        """Return the gaps that a strategy cuts in a document; ``None`` if it failed."""
        return self.rows[name].gaps[document]

    def found(self, name: str) -> Found:
        """Return how a strategy agrees with the references."""
        hits = missed = wrong = 0
        for index, document in enumerate(self.result.evaluation.data.documents):
            gaps = self.gaps(name, index)
            if gaps is None:
                continue
            right = int(np.isin(document.reference, gaps).sum())
            hits += right
            missed += len(document.reference) - right
            wrong += len(gaps) - right
        return Found(hits, missed, wrong)

    def against(self, name: str) -> PairedTest | None:
        """Return a strategy minus the best; ``None`` of the best itself."""
        tests = self.summary.against(self.names[0]).get(name)
        return tests[_MEASURE] if tests else None


def show(result: SegmentationResult) -> SegmentedDocument | None:
    """Show the verdict; return the document whose places are shown, if any."""
    verdict = Verdict(result)
    passages.style()
    if not verdict.names:
        st.caption("No strategy has a score: no document has a reference boundary, or all strategies failed.")
        return None
    markup.show(f'<p class="cs-v-sentence">{sentence(verdict)}</p>{rows_html(verdict)}')
    return _show_differing(verdict) if len(verdict.names) > 1 else None


def sentence(verdict: Verdict) -> str:
    """Return which strategy agrees best, by what is counted, and what is certain about the others, as HTML."""
    summary, best = verdict.summary, verdict.names[0]
    counted = verdict.found(best)
    mean = summary.strategies[best].measures[_MEASURE].mean
    most = "" if len(verdict.names) == 1 else "best "
    chance = summary.strategies[_CHANCE].measures[_MEASURE].mean if _CHANCE in summary.strategies else None
    words = (
        f"<b>{markup.escape(best)}</b> agrees {most}with the reference: F1 <b>{percent(mean)} %</b> on average"
        f"{'' if chance is None else f' (cuts at random: {percent(chance)} %)'}. It finds "
        f"<b>{counted.found:,} of {plural(counted.found + counted.missed, 'boundary', 'boundaries')}</b> and makes "
        f"{plural(counted.wrong, 'other cut')}. "
    )
    return words + _certain(verdict)


def _certain(verdict: Verdict) -> str:
    """Return how many of the others differ significantly from the best."""
    tests = [test for name in verdict.names[1:] if (test := verdict.against(name))]
    if not tests:
        return ""
    if max(test.documents for test in tests) < _FEWEST:
        return f"{plural(tests[0].documents, 'document')} cannot decide about the others: take {_FEWEST} at least."
    return verdict_rows.standing([_is_worse(test) for test in tests])


def _is_worse(test: PairedTest) -> bool:
    return test.simultaneous is not None and test.simultaneous[1] < 0


def words_against(test: PairedTest | None) -> str:
    """Return how a strategy differs from the best one, in words."""
    if test is None:
        return "the best"
    if test.documents < _FEWEST or test.simultaneous is None or test.difference is None:
        return "too few documents"
    if _is_worse(test):
        return verdict_rows.points(test.difference, test.simultaneous)
    return "no significant difference"


def rows_html(verdict: Verdict) -> str:
    """Return a row for each strategy: its mean with the interval, the difference from the best, and what it cuts."""
    summary, rows = verdict.summary, []
    for name in verdict.names:
        row, counted = summary.strategies[name], verdict.found(name)
        estimate = row.measures[_MEASURE]
        after = "".join(
            f"<td>{cell}</td>"
            for cell in (
                markup.escape(words_against(verdict.against(name))),
                *(f"{number:,}" for number in (counted.found, counted.missed, counted.wrong)),
            )
        )
        rows.append(VerdictRow(name, row.setting, estimate.mean or 0.0, estimate.interval, after=after))
    heads = [
        *verdict_rows.heads(MEASURES[_MEASURE].title, verdict.names[0]),
        verdict_rows.head(explained("found", "boundaries found")),
        verdict_rows.head(explained("missed", "boundaries missed")),
        verdict_rows.head(explained("other cuts")),
    ]
    return verdict_rows.table("Strategies by boundary F1", heads, rows)


# ---- the places where two strategies differ


def _show_differing(verdict: Verdict) -> SegmentedDocument | None:
    """Show the documents in which the best strategy and another differ, and the places of one in its text."""
    documents = verdict.result.evaluation.data.documents
    best = verdict.names[0]
    other = controls.select("Compared with", verdict.names[1:], name="versus", default=verdict.names[1], width=320)
    places = {index: _places(verdict, (best, other), index) for index in range(len(documents))}
    order = sorted((index for index in places if len(places[index])), key=lambda index: -len(places[index]))
    total = sum(map(len, places.values()))
    st.caption(
        markup.plain(
            f"{best} and {other} cut differently at {plural(total, 'gap')} of {plural(len(order), 'document')}."
        )
    )
    if not order:
        return None
    by_id = {documents[index].id: index for index in order[:_MOST_DOCUMENTS]}
    left, right = st.columns([2, 3], gap="large")
    with left, st.container(key="_verdict_list"):

        def title(id: str) -> str:
            return f"{markup.plain(id[:80])}  \n{plural(len(places[by_id[id]]), 'gap')}"

        chosen = controls.listed("Documents", tuple(by_id), name="differs", titles=title, label_visibility="collapsed")
    index = by_id[chosen]
    with right:
        markup.show(places_html(verdict, (best, other), index, places[index]))
    return documents[index]


def _places(verdict: Verdict, names: tuple[str, str], document: int) -> list[int]:
    """Return the gaps of a document that one of two strategies cuts and the other does not."""
    one, two = (verdict.gaps(name, document) for name in names)
    if one is None or two is None:
        return []
    differing: list[int] = np.setxor1d(one, two).tolist()
    return differing


def places_html(verdict: Verdict, names: tuple[str, str], document: int, places: Sequence[int]) -> str:
    """Return the sentences on both sides of places, with what people and two strategies make of each, as HTML."""
    segmented = verdict.result.evaluation.data.documents[document]
    reference = {int(gap) for gap in segmented.reference}
    cut_by = {name: {int(gap) for gap in gaps} for name in names if (gaps := verdict.gaps(name, document)) is not None}
    parts = []
    for gap in places[:_MOST_PLACES]:
        is_boundary = gap in reference
        cutter = next(name for name in names if gap in cut_by[name])
        says = "people cut here" if is_boundary else "people do not cut here"
        mark = (
            f'<i class="cs-v-cut{"" if is_boundary else " cs-v-breaks"}">✂ {markup.escape(cutter)} alone · {says}</i>'
        )
        before, after = segmented.units[gap][-_LONGEST:].strip(), segmented.units[gap + 1][:_LONGEST].strip()
        parts.append(f'<div class="cs-v-text">{markup.escape(before)}{mark}{markup.escape(after)}</div>')
    more = len(places) - _MOST_PLACES
    note = f'<p class="cs-quiet">{plural(more, "further gap")} in this document.</p>' if more > 0 else ""
    return f'<div class="cs-r-list" tabindex="0" role="region" aria-label="Places">{"".join(parts)}{note}</div>'
