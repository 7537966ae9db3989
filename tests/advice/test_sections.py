"""How long the sections of a kind of document are is learned from documents that people divided."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import DocumentAnalysis, from_text, parse
from chunking.advice import advise, advise_all, shared
from chunking.advice.sections import DividedDocument, number_in_words, section_length, with_sections
from chunking.advice.summary import in_words
from chunking.chunks import NO_LIMITS
from chunking.reference import Reference
from chunking.sentences import gap_offsets
from chunking.workspace import Models

TOPICS = ("The boat sails with the tide.", "The dough rests under a cloth.", "A train leaves the station at noon.")
TOOLS = Models("static", splitter="rules")


def article(topics: int, sentences: int) -> tuple[DocumentAnalysis, Reference]:
    """Prose without layout whose subject changes every so many sentences, with the boundaries that people set."""
    text = " ".join(TOPICS[at % 3] for at in range(topics) for _ in range(sentences))
    workspace = DocumentAnalysis(from_text(text, f"{topics}.txt", format="text"), TOOLS)
    gaps = [sentences * at - 1 for at in range(1, topics)]
    offsets = tuple(gap_offsets(workspace.sentences)[gaps].tolist())
    return workspace, Reference(offsets, added=offsets)


@given(st.lists(st.tuples(st.integers(1, 500), st.integers(1, 40)), max_size=8))
def test_the_length_is_between_those_of_the_documents(counts: list[tuple[int, int]]) -> None:
    documents = [DividedDocument(sentences + sections, sections, sentences % 9) for sentences, sections in counts]
    length = section_length(documents)
    assert (length is None) == (len(documents) < 3)
    if length is not None:
        assert 1 < length.shortest <= length.sentences <= length.longest
        assert length.documents == len(documents)
        share = float(str(with_sections(parse("structural"), length).values()["percentile"]))
        assert 1 / (1 - share / 100) == pytest.approx(max(length.sentences, 2.0), rel=0.5)
        assert -3 <= float(str(with_sections(parse("changepoint"), length).values()["fineness"])) <= 3


def test_three_divided_documents_decide_how_many_sections_are_cut() -> None:
    articles = [article(topics, 12) for topics in (4, 6, 8)]
    workspaces, references = zip(*articles, strict=True)
    advice = advise_all(workspaces, references)
    length = section_length([one.divided for one in advice.documents if one.divided])
    assert length is not None and length.sentences == 12
    assert advice.setting == with_sections(parse(advice.setting), length).text
    assert advice.strategy == "changepoint" and "times as often as the text itself supports" in in_words(advice.setting)
    statement = next(one for one in advice.evidence if one.name == "section length")
    assert statement.values["sentences"] == 12 and statement.values["documents"] == 3


def test_strategies_of_a_fixed_share_cut_sections_of_the_learned_length() -> None:
    length = section_length([DividedDocument(60, 5, 4)] * 3)
    assert length is not None
    setting = with_sections(parse("structural"), length)
    assert setting.values()["percentile"] == 91.7
    assert in_words(setting.text).startswith(
        "Cut at headings and where the topic changes, about 12 sentences a section"
    )
    other, _ = article(10, 12)
    unlimited = setting.with_values(setting.values() | NO_LIMITS)
    assert len(unlimited.run(other).chunks) in (10, 11)


@pytest.mark.parametrize("known", [0, 2])
def test_fewer_documents_leave_the_number_to_the_text(known: int) -> None:
    articles = [article(topics, 12) for topics in (4, 6, 8)]
    documents = [advise(*one) if at < known else advise(one[0]) for at, one in enumerate(articles)]
    advice = shared(documents)
    assert "fineness" not in advice.setting
    assert "section length" not in {one.name for one in advice.evidence}


def test_a_strategy_without_a_number_of_cuts_stays_as_it_is() -> None:
    length = section_length([DividedDocument(60, 5, 4)] * 3)
    assert length is not None
    assert with_sections(parse("heading"), length) == parse("heading")
    assert number_in_words(parse("heading")) == number_in_words(parse("changepoint")) == ""


def test_a_partial_reference_says_nothing_of_the_number() -> None:
    workspace, reference = article(4, 12)
    assert advise(workspace, replace(reference, complete=False)).divided is None
    divided = advise(workspace, reference).divided
    assert divided is not None and (divided.sentences, divided.sections) == (48, 4)
