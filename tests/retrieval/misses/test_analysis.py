from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.retrieval import measures
from chunking.retrieval.evaluate import EvaluationContext, RetrievalEvaluation, RetrievalRow
from chunking.retrieval.misses import analysis, causes, retrieved
from chunking.retrieval.misses.causes import CAUSES, EncoderInput, MissAnalysis
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions.data import CorpusDocument, Question, QuestionSet
from chunking.retrieval.search import index
from chunking.retrieval.search.ranking import DEPTH, Method
from chunking.runtime.arrays import Float32
from tests.retrieval.made import LIMIT, WordCounts, any_set, evaluated, spans, word_counts

__all__ = ["word_counts"]

pytestmark = pytest.mark.usefixtures("word_counts")

PARAGRAPHS = "paragraph:min_tokens=0;max_tokens=0"
FIRST = Cutoff(1)


def analyze_misses(
    known: QuestionSet, setting: str, within: Cutoff = FIRST, method: Method = "dense"
) -> tuple[MissAnalysis, ...]:
    found, row = evaluated(known, setting, within, method)
    return analysis.analyze(found, row, within, EvaluationContext.of(found))


def filler(count: int, start: int = 0) -> str:
    """Sentences of words that stand nowhere else."""
    return " ".join(f"Filler{start + 3 * at} item{start + 3 * at} thing{start + 3 * at}." for at in range(count))


DILUTED = f"The lamp burns oil. {filler(8)}\n\nA lamp hangs high over everything."
ASKED = [("lamp oil", [(0, "The lamp burns oil.")])]
SENTENCES = "sentence:max_tokens=8;overlap=0"
WICK = "The lamp burns whale oil. Its wick wants trimming hourly. Nobody knows why."

CASES: dict[str, tuple[str, str, str, str, str | None]] = {
    "found": ("The lamp burns oil.\n\nThe boat comes on Monday.", "lamp oil", "burns oil", PARAGRAPHS, None),
    "ranked below": (
        "The lamp burns oil.\n\nIt weighs nine stone.", "lamp oil weight", "nine stone", PARAGRAPHS, "outranked"
    ),
    "in a long passage": (DILUTED, "lamp oil", "The lamp burns oil.", PARAGRAPHS, "diluted"),
    "parted, in part": (
        WICK, "lamp burns whale oil", "burns whale oil. Its wick wants trimming", SENTENCES, "cut outranked"
    ),
    "parted, as one": (
        "Alpha beta one two. Gamma delta three four. Alpha beta gamma five six.", "alpha beta gamma delta",
        "Alpha beta one two. Gamma delta three four.", "sentence:max_tokens=7;overlap=0", "cut outranked",
    ),
    "parted within a sentence": (
        "Alpha beta one two gamma delta three four.\n\nAlpha gamma five six.", "alpha beta gamma delta",
        "three four", "recursive:size=24;overlap=0", "cut outranked",
    ),
}  # fmt: skip
"""Text, question, answer and strategy, and the causes of the miss, the main one first."""


@pytest.mark.parametrize("case", CASES)
def test_the_causes_of_a_miss(case: str) -> None:
    text, question, answer, setting, causes = CASES[case]
    analyses = analyze_misses(spans([text], [(question, [(0, answer)])]), setting)
    assert [[found.cause, *found.also] for found in analyses] == ([] if causes is None else [causes.split()])


def test_what_the_encoder_does_not_read_is_out_of_reach() -> None:
    for before, cause in ((filler(11), "reach"), (f"{filler(9)} Nor fog.", "diluted")):
        known = spans([f"{before} The lamp burns oil.\n\nA lamp hangs high over everything."], ASKED)
        (found,) = analyze_misses(known, PARAGRAPHS)
        (miss,) = found.misses
        assert found.cause == cause
        begin = len(before.split())
        assert miss.read == EncoderInput(before=begin, tokens=begin + 4, limit=LIMIT)


def test_where_the_budget_ends_is_no_cut() -> None:
    text = f"{filler(3)} The lamp burns whale oil every night of the year. Its wick wants trimming hourly."
    known = spans([text], [("lamp burns whale oil", [(0, "burns whale oil every night of the year. Its wick")])])
    (found,) = analyze_misses(known, "sentence:max_tokens=40;overlap=0", Cutoff(tokens=25))
    assert {miss.cause for miss in found.misses} != {"cut"}


def test_the_cut_tells_its_distance_and_threshold() -> None:
    known = spans(
        ["Alpha beta gamma. Alpha beta delta. Omega psi chi. Omega psi phi."],
        [("alpha beta", [(0, "Alpha beta delta. Omega psi chi.")])],
    )
    (found,) = analyze_misses(known, "percentile:percentile=60;window=0")
    (cut,) = found.leading.cuts
    assert (cut.reason, cut.gap) == ("distance", 1)
    assert cut.score is not None
    assert cut.threshold is not None
    assert cut.score > cut.threshold


def test_a_document_that_could_not_be_cut_is_absent() -> None:
    known = spans(["The lamp burns oil.", "The boat comes on Monday."], [("boat Monday", [(1, "on Monday")])])
    found, row = evaluated(known, PARAGRAPHS, FIRST)
    passages = found.passages[PARAGRAPHS]
    kept = replace(
        passages, **{name: getattr(passages, name)[:1] for name in ("document", "start", "end", "reach", "tokens")}
    )
    vectors = WordCounts().encode([source.text for source in known.sources])
    asked = WordCounts().encode(["boat Monday"])
    hits, _ = index.search(asked, vectors[:1], DEPTH, False)
    found = replace(found, passages={PARAGRAPHS: kept})
    (analyzed,) = analysis.analyze(found, replace(row, hits=hits), FIRST, EvaluationContext.of(found))
    (miss,) = analyzed.misses
    assert (analyzed.cause, analyzed.rank) == ("absent", None)
    assert (miss.passage, miss.rank, miss.score, miss.tokens) == (None, None, None, 0)


def test_an_empty_ranking_is_blamed_as_any_other() -> None:
    known = spans(["The lamp burns oil."], [("zeppelin", [(0, "burns oil")])])
    (analyzed,) = analyze_misses(known, PARAGRAPHS, method="bm25")
    assert (analyzed.cause, analyzed.edge, analyzed.rank) == ("outranked", None, None)
    assert (analyzed.misses[0].rank, analyzed.misses[0].score) == (None, None)


@pytest.mark.parametrize("method", ["bm25", "hybrid"])
def test_a_search_whose_scores_cannot_be_foretold_calls_nothing_diluted(method: Method) -> None:
    known = spans(
        [WICK, f"Oil. {filler(9)}"],
        [("lamp burns whale oil", [(0, "burns whale oil. Its wick wants trimming")]), ("whale oil", [(1, "Oil.")])],
    )
    cut, outranked = analyze_misses(known, SENTENCES, method=method)
    assert (cut.cause, outranked.cause) == ("cut", "outranked")
    assert all(miss.alone is None and miss.joined is None for each in (cut, outranked) for miss in each.misses)
    assert causes.unknown(method)
    assert not causes.unknown("dense")


def test_a_passage_that_the_budget_ends_in_is_too_long_for_what_is_left() -> None:
    text = f"{filler(4)} The lamp burns oil."
    known = spans([text], ASKED)
    (found,) = analyze_misses(known, "whole", Cutoff(tokens=20))
    assert found.cause == "diluted"
    assert found.rank == 1
    assert found.leading.alone is not None
    assert found.leading.alone.tokens <= 20


def judged(texts: list[str], asked: dict[str, dict[int, int]], itself: bool = False) -> QuestionSet:
    sources = tuple(CorpusDocument(f"d{place}", text, language="en") for place, text in enumerate(texts))
    questions = tuple(Question(f"d{at}", text, grades) for at, (text, grades) in enumerate(asked.items()))
    return QuestionSet("made", "documents", sources, questions, itself=itself)


def test_relevant_documents_that_are_not_among_the_first() -> None:
    other = "A lamp hangs high over everything."
    known = judged(
        [f"The lamp burns oil. {filler(8)}", f"{filler(11, 50)} The lamp burns oil.", "It weighs nine stone.", other],
        {"lamp oil": {0: 1, 3: 0}, "the lamp oil": {1: 1}, "lamp weight": {2: 2}, "lamp hangs high": {3: 1}},
    )
    found = analyze_misses(known, "whole")
    assert [(each.question, each.cause) for each in found] == [(0, "diluted"), (1, "reach"), (2, "outranked")]
    diluted = found[0].leading
    assert known.sources[0].text[diluted.start : diluted.end] == "The lamp burns oil."
    assert diluted.answer is None
    assert diluted.alone is not None
    assert diluted.alone.rank == 1
    with pytest.raises(ChunkscopeError, match="tokens"):
        analyze_misses(known, "whole", Cutoff(tokens=100))


def test_a_document_that_is_the_question_stands_above_nothing() -> None:
    known = judged(["lamp oil", "The oil burns.", "The lamp oil burns."], {"lamp oil": {2: 1}}, itself=True)
    assert analyze_misses(known, "whole") == ()
    assert analyze_misses(replace(known, itself=False), "whole")


# --- what always holds ----------------------------------------------------------------------------------------------

SETTINGS = [
    "whole",
    PARAGRAPHS,
    "sentence:max_tokens=12;overlap=4",
    "recursive:size=40;overlap=10",
    "structural:percentile=70",
]


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.integers(0, 10**9).map(any_set),
    st.sampled_from(SETTINGS),
    st.sampled_from(["dense", "bm25", "hybrid"]),
    st.sampled_from([Cutoff(1), Cutoff(2), Cutoff(tokens=10), Cutoff(tokens=40)]),
)
def test_every_missed_question_has_one_cause_and_its_numbers_are_true(
    known: QuestionSet, setting: str, method: Method, within: Cutoff
) -> None:
    found, row = evaluated(known, setting, within, method)
    context = EvaluationContext.of(found)
    all_blames = analysis.analyze(found, row, within, context)
    missed = [number for number, question in enumerate(known.questions) if unseen(found, row, within, question, number)]
    assert [each.question for each in all_blames] == missed
    assert sum(causes.counts(all_blames).values()) == len(missed)
    values = row.values[within.measure("spans")]
    for each in all_blames:
        assert each.cause in CAUSES
        assert each.cause not in each.also
        assert each.value == pytest.approx(float(values[each.question]))
        assert each.leading.cause == each.cause
        covered = {place for miss in each.misses for place in range(miss.start, miss.end) if miss.document >= 0}
        assert covered
        check(found, row, within, each)


def unseen(
    found: RetrievalEvaluation, row: RetrievalRow, within: Cutoff, question: Question, number: int
) -> set[tuple[int, int]]:
    """Characters of the answers that are not looked at, but for white space."""
    known, passages = found.question_set, found.passages[row.strategy]
    seen = retrieved.retrieved_ranges(
        known, passages, row.hits.passages[number], within, EvaluationContext.of(found).tokenizer
    )
    within_ranges = {(document, place) for document, start, end in seen for place in range(start, end)}
    wanted = {(each.document, place) for each in question.answers for place in range(each.start, each.end)}
    return {(document, at) for document, at in wanted - within_ranges if not known.sources[document].text[at].isspace()}


def check(found: RetrievalEvaluation, row: RetrievalRow, within: Cutoff, each: MissAnalysis) -> None:
    """The evidence, computed anew."""
    known, passages = found.question_set, found.passages[row.strategy]
    question = known.questions[each.question]
    missing = {(miss.document, at) for miss in each.misses for at in range(miss.start, miss.end)}
    black = {(document, at) for document, at in missing if not known.sources[document].text[at].isspace()}
    assert black == unseen(found, row, within, question, each.question)
    asked = rounded(question.text)
    for miss in each.misses:
        text = known.sources[miss.document].text
        assert miss.passage is not None
        assert measures.ranges(passages, np.array([miss.passage]))[0][0] == miss.document
        if miss.rank is not None:
            assert row.hits.passages[each.question][miss.rank - 1] == miss.passage
        for cut in miss.cuts:
            assert miss.whole.start < cut.offset < miss.whole.end
        if row.method != "dense":
            assert miss.alone is None
            continue
        assert miss.alone is not None
        assert miss.alone.start <= miss.start < miss.end <= miss.alone.end
        assert passages.reach[miss.passage] <= miss.alone.start < miss.alone.end <= passages.end[miss.passage]
        own = float(asked @ rounded(text[miss.alone.start : miss.alone.end]))
        assert miss.alone.score == pytest.approx(own, abs=1e-5)
        others = [place for place in range(len(passages)) if place != miss.passage]
        scores = {place: float(asked @ rounded(passages.text(place, known.sources))) for place in others}
        above = [
            place
            for place in others
            if scores[place] > own + 1e-5 or (abs(scores[place] - own) <= 1e-5 and place < miss.passage)
        ]
        tokens = int(passages.tokens[above].sum()) + miss.alone.tokens if above else miss.alone.tokens
        assert miss.alone.rank == len(above) + 1
        assert miss.alone.within == (tokens <= within.tokens if within.tokens else len(above) < within.passages)
        assert ("diluted" in (miss.cause, *miss.also)) == miss.alone.within
        assert ("outranked" in (miss.cause, *miss.also)) == (not miss.alone.within)


def rounded(text: str) -> Float32:
    vector: Float32 = WordCounts().encode([text])[0].astype(np.float16).astype(np.float32)
    return vector
