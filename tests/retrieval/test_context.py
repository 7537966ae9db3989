"""What is returned, through the whole evaluation: true spans, a budget that is kept, and no text twice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import ChunkscopeError, strategies, tokens
from chunking.retrieval.evaluate import EvaluationContext, RetrievalEvaluation, RetrievalOptions, evaluate
from chunking.retrieval.measures import Cutoffs
from chunking.retrieval.misses import analysis, passage_index, remedy, retrieved
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions.data import QuestionSet, merge_answers
from chunking.retrieval.reports.summary import summarize
from chunking.retrieval.search.passages import Passages
from tests.retrieval.made import TOOLS, any_set, spans, word_counts
from tests.retrieval.misses.test_analysis import judged

__all__ = ["word_counts"]

pytestmark = pytest.mark.usefixtures("word_counts")

SETTINGS = (
    "sentence:max_tokens=9;overlap=0;return=window",
    "sentence:max_tokens=9;overlap=2;overlap_unit=sentences;return=window;neighbours=2",
    "changepoint_tree:max_tokens=24;return=parent",
    "changepoint_tree:max_tokens=24;embed=title;return=window",
)
COUNTER = tokens.get_tokenizer(TOOLS.tokenizer)


WITHIN = Cutoff(2, 20)


def run(known: QuestionSet, line: str, within: Cutoff = WITHIN) -> RetrievalEvaluation:
    options = RetrievalOptions(("dense",), within.kept, TOOLS)
    return evaluate(known, {line: strategies.parse(line, retrieval=True)}, options)


@pytest.mark.parametrize("line", SETTINGS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 5000), budget=st.integers(1, 60))
def test_what_is_returned_is_true_within_the_budget_and_never_twice(line: str, seed: int, budget: int) -> None:
    known = any_set(seed)
    found = run(known, line, Cutoff(2, budget))
    passages: Passages = found.passages[line]
    for number, places in enumerate(found.rows[0].hits.passages):
        for within in (Cutoff(2, budget), Cutoff(3)):
            seen = retrieved.retrieved_ranges(known, passages, places, within, COUNTER)
            covered: set[tuple[int, int]] = set()
            for document, start, end in seen:
                assert 0 <= start <= end <= len(known.sources[document].text)
                characters = {(document, place) for place in range(start, end)}
                assert not covered & characters
                covered |= characters
            if within.tokens:
                counts = COUNTER.count([known.sources[document].text[start:end] for document, start, end in seen])
                assert int(counts.sum()) <= budget
        listed = passage_index.of_question(found, found.rows[0], number, depth=5)
        assert [hit.before for hit in listed] == np.cumsum([0, *(hit.tokens for hit in listed[:-1])])[
            : len(listed)
        ].tolist()
        every = [span for hit in listed for span in [(hit.document, *each) for each in hit.spans]]
        assert sum(end - start for _, start, end in every) == sum(end - start for _, start, end in merge_answers(every))


def test_a_window_brings_the_answer_that_stands_beside_the_chunk_that_is_found() -> None:
    text = "The lamp burns oil. It lasts nine hours. Nobody sleeps meanwhile. A boat comes."
    known = spans([text], [("lamp oil", [(0, "nine hours")])])
    alone = run(known, "sentence:max_tokens=6;overlap=0", Cutoff(1, 12))
    window = run(known, "sentence:max_tokens=6;overlap=0;return=window", Cutoff(1, 12))
    for measure, before, after in (("recall", 0.0, 1.0), ("hit@1", 0.0, 1.0), ("holds@1", 0.0, 1.0)):
        assert alone.rows[0].values[measure][0] == before
        assert window.rows[0].values[measure][0] == after
    assert window.rows[0].values["rr"][0] == 1.0
    assert window.rows[0].values["recall@12"][0] == 1.0


def test_only_chunks_without_parts_are_searched_where_their_parents_are_returned() -> None:
    known = any_set(3)
    line = "changepoint_tree:max_tokens=24"
    nested, merged = run(known, line).passages[line], run(known, f"{line};return=parent").passages
    (leaves,) = merged.values()
    flat = run(known, "changepoint:max_tokens=24").passages["changepoint:max_tokens=24"]
    assert len(leaves) < len(nested)
    assert leaves.start.tolist() == flat.start.tolist() and leaves.end.tolist() == flat.end.tolist()


def test_parents_that_are_not_there_are_missed_with_what_to_do() -> None:
    known = spans(["No heading is here. None at all."], [("heading", [(0, "heading")])])
    with pytest.raises(ChunkscopeError, match="Use return=window, or a strategy with parents"):
        run(known, "sentence:max_tokens=6;overlap=0;return=parent")


def test_late_chunking_is_refused_before_anything_is_cut() -> None:
    known = any_set(1)

    def tell(step: str, done: int, total: int) -> None:
        raise AssertionError(step)

    with pytest.raises(ChunkscopeError, match="embed=late"):
        evaluate(
            known, {"": strategies.parse("whole:embed=late", retrieval=True)}, RetrievalOptions(tools=TOOLS), None, tell
        )
    by_words = RetrievalOptions(("bm25",), tools=TOOLS)
    assert evaluate(known, {"": strategies.parse("whole:embed=late", retrieval=True)}, by_words).rows


@pytest.mark.parametrize(("line", "seed"), list(zip(SETTINGS, [2, 9, 31, 9], strict=True)))
def test_misses_are_traced_and_changes_keep_what_is_embedded_and_returned(line: str, seed: int) -> None:
    found = run(any_set(seed), line)
    context, within = EvaluationContext.of(found), Cutoff(2, 20)
    for analyzed in analysis.analyze(found, found.rows[0], within, context):
        assert 0 <= analyzed.value < 1
        tried = remedy.remedies(found, found.rows[0], analyzed, within, context, tries=1)
        for each in tried:
            changed = strategies.parse(each.setting, retrieval=True)
            assert changed.context == found.settings[line].context


def test_of_judged_documents_a_note_says_that_return_has_no_effect() -> None:
    known = judged(["The lamp burns oil.", "A boat comes."], {"oil": {0: 1}})
    found = evaluate(
        known,
        {"s": strategies.parse("sentence:return=window", retrieval=True)},
        RetrievalOptions(kept=Cutoffs(1), tools=TOOLS),
    )
    assert any("return has no effect" in note for note in summarize(found).notes)
