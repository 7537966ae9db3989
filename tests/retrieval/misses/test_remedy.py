from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import strategies
from chunking.retrieval.evaluate import EvaluationContext, RetrievalEvaluation, RetrievalRow
from chunking.retrieval.misses import analysis, remedy
from chunking.retrieval.misses.causes import MissAnalysis
from chunking.retrieval.misses.remedy import Remedy
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.search.ranking import METHODS, Method
from tests.retrieval.made import any_set, evaluated, spans, word_counts
from tests.retrieval.misses.test_analysis import filler, judged

__all__ = ["word_counts"]

pytestmark = pytest.mark.usefixtures("word_counts")

FIRST = Cutoff(1)


def tried(known: QuestionSet, setting: str, within: Cutoff = FIRST, method: Method = "dense") -> tuple[Remedy, ...]:
    """What was tried for the first question that is blamed."""
    found, row = evaluated(known, setting, within, method)
    context = EvaluationContext.of(found)
    first = analysis.analyze(found, row, within, context)[0]
    return remedy.remedies(found, row, first, within, context)


def test_a_cut_through_the_answer_goes_at_the_first_stop_that_takes_it_away() -> None:
    text = (
        "Harbour rope winch. Alpha beta gamma. Alpha beta delta. Alpha omega sigma. Zenith quill mast. "
        "Zenith quill rope. Zenith quill tar. Zenith quill oak."
    )
    known = spans(
        [text],
        [
            ("alpha beta delta", [(0, "Alpha beta delta. Alpha omega sigma.")]),
            ("zenith quill mast", [(0, "Zenith quill mast.")]),
        ],
    )
    found, row = evaluated(known, "percentile:percentile=50;window=0", FIRST)
    (analyzed,) = analysis.analyze(found, row, FIRST, EvaluationContext.of(found))
    assert analyzed.cause == "cut"
    (change,) = remedy.remedies(found, row, analyzed, FIRST, EvaluationContext.of(found))
    # Of 7 gaps the guilty one has 4 below it: it is cut while the percentile is under 66.67.
    assert (change.parameter, change.before, change.after) == ("percentile", 50.0, 66.7)
    assert change.mended
    assert (change.value_before, change.value_after) == (analyzed.value, 1.0)
    assert change.worse == change.better == ()
    assert change.mean == pytest.approx((1 - analyzed.value) / 2)
    assert change.passages == (4, 3)


def test_an_answer_that_is_diluted_is_parted_from_what_dilutes_it() -> None:
    hills = " ".join(f"Hill stone {bird}." for bird in ("crow", "jay", "wren", "owl", "rook", "tern"))
    known = spans(
        [f"The lamp burns oil. {hills} Zinc copper tin.", "A lamp over everything."],
        [("lamp oil", [(0, "The lamp burns oil.")]), ("zinc copper hill stone", [(0, "tern. Zinc copper")])],
    )
    found, row = evaluated(known, "structural:preset=unlimited;alpha=1;percentile=99.9;block=1;structure=layout", FIRST)
    context = EvaluationContext.of(found)
    (analyzed,) = analysis.analyze(found, row, FIRST, context)
    assert analyzed.cause == "diluted"
    (change,) = remedy.remedies(found, row, analyzed, FIRST, context)
    # The gaps behind the answer and before the last sentence are as far apart; of 7 gaps, 5 are below them: 83.33.
    assert (change.parameter, change.after, change.mended) == ("percentile", 83.3, True)
    assert [(each.question, each.before) for each in change.worse] == [(1, 1.0)]
    assert change.better == ()


def test_sizes_are_halved_or_doubled() -> None:
    text = "The lamp burns whale oil. Its wick wants trimming hourly. Nobody knows why."
    cut = spans([text], [("lamp burns whale oil", [(0, "burns whale oil. Its wick wants trimming")])])
    (change,) = tried(cut, "sentence:max_tokens=8;overlap=0")
    assert (change.parameter, change.before, change.after, change.mended) == ("max_tokens", 8, 16, True)
    diluted = spans(
        [f"The lamp burns oil. {filler(8)}", "A lamp hangs high over everything."], [("lamp oil", [(0, "lamp burns")])]
    )
    (change,) = tried(diluted, "recursive:size=240;overlap=0")
    assert (change.parameter, change.after) == ("size", 120)


def test_judged_documents_are_mended_too() -> None:
    known = judged(
        [f"{filler(11)} The lamp burns oil.", "A lamp hangs high over everything."],
        {"lamp oil": {0: 1}, "lamp hangs high": {1: 1}},
    )
    (change,) = tried(known, "whole")
    assert change.measure == "R@1"
    assert (change.mended, change.value_before, change.value_after) == (True, 0.0, 1.0)


def test_nothing_is_tried_where_nothing_can_be_changed() -> None:
    known = spans(["The lamp burns oil.", "It weighs nine stone."], [("lamp oil weight", [(1, "nine stone")])])
    assert tried(known, "whole") == ()


def test_no_more_is_tried_than_was_said() -> None:
    rest = "Lamp jay crow oil. Wick boat mast oil. Wick fog horn oil. Wick fog horn tar."
    known = spans(
        [f"{'Zinc copper tin lead. ' * 6}{rest}", "Nine stone."], [("nine stone fog", [(0, "Wick fog horn tar.")])]
    )
    found, row = evaluated(known, "percentile:percentile=99.9;window=0", FIRST)
    context = EvaluationContext.of(found)
    (analyzed,) = analysis.analyze(found, row, FIRST, context)
    all_tried = remedy.remedies(found, row, analyzed, FIRST, context, tries=50)
    assert [(each.after, each.mended) for each in all_tried] == [(87.4, False), (74.9, False), (62.4, False)]
    assert remedy.remedies(found, row, analyzed, FIRST, context, tries=2) == all_tried[:2]


def same_as_anew(
    found: RetrievalEvaluation, row: RetrievalRow, analyzed: MissAnalysis, within: Cutoff, change: Remedy
) -> None:
    """What is said of a change is what an evaluation of the changed setting gives."""
    changed = strategies.parse(change.setting)
    differing = {name for name, value in changed.params.values().items() if value != before(found, row)[name]}
    assert differing == {change.parameter}
    again, other = evaluated(found.question_set, change.setting, within, row.method)
    name = within.measure("spans")
    old, new = row.values[name], other.values[name]
    assert (change.value_before, change.value_after) == pytest.approx((old[analyzed.question], new[analyzed.question]))
    moved = {int(place) for place in np.flatnonzero(np.abs(new - old) > 1e-9)} - {analyzed.question}
    assert {each.question for each in (*change.worse, *change.better)} == moved
    assert all(new[each.question] < old[each.question] for each in change.worse)
    assert change.mean == pytest.approx(float((new - old).mean()))
    still = {each.question: each for each in analysis.analyze(again, other, within, EvaluationContext.of(again))}
    if change.mended:
        gone = {
            (miss.document, at)
            for miss in analyzed.misses
            if miss.cause == analyzed.cause
            for at in range(miss.start, miss.end)
        }
        left = still[analyzed.question].misses if analyzed.question in still else ()
        assert not gone & {(miss.document, at) for miss in left for at in range(miss.start, miss.end)}
    if analyzed.question not in still:
        assert change.mended


def before(found: RetrievalEvaluation, row: RetrievalRow) -> dict[str, object]:
    return dict(found.settings[row.strategy].params.values())


SETTINGS = [
    "whole",
    "sentence:max_tokens=12;overlap=0",
    "structural:percentile=70",
    "percentile:percentile=60;window=0",
    "interquartile:iqr_factor=0.5;window=0",
    "changepoint",
]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.integers(0, 10**9).map(any_set),
    st.sampled_from(SETTINGS),
    st.sampled_from(METHODS),
    st.sampled_from([FIRST, Cutoff(tokens=10)]),
)
def test_what_is_said_of_changes_is_what_they_do(
    known: QuestionSet, setting: str, method: Method, within: Cutoff
) -> None:
    found, row = evaluated(known, setting, within, method)
    context = EvaluationContext.of(found)
    for analyzed in analysis.analyze(found, row, within, context)[:1]:
        offered = remedy.candidates(found.settings[setting], analyzed.leading, context)
        assert [each.share for each in offered] == sorted(each.share for each in offered)
        changes = remedy.remedies(found, row, analyzed, within, context)
        assert not any(each.mended for each in changes[:-1])
        assert [(each.parameter, each.after) for each in changes] == [
            (each.parameter, each.after) for each in offered[: len(changes)]
        ]
        for change in changes:
            same_as_anew(found, row, analyzed, within, change)
