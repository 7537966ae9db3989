from __future__ import annotations

import base64
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunking import from_text, loading, strategies
from chunking.chunks import NO_OVERLAP, SHORT_OVERLAP, Chunk
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Int64
from chunking.strategies import recursive, size
from chunking.strategies.base import Segmentation
from chunking.strategies.recursive import RecursiveParameters, recursive_pieces
from chunking.strategies.sections import sections
from chunking.strategies.size import (
    FixedSizeParameters,
    SentenceParameters,
    WholeParameters,
)
from chunking.tokens import Cl100k, get_tokenizer
from chunking.workspace import DocumentAnalysis, Models
from tests.strategies import checks
from tests.strategies.checks import count

BY_NAME = {strategy.name: strategy for strategy in (*size.STRATEGIES, *recursive.STRATEGIES, *sections.STRATEGIES)}
PROSE = " ".join(f"Sentence number {place} tells of a river, a bridge and a boat." for place in range(60))


def run(name: str, text: str, **values: Any) -> Segmentation:
    strategy = BY_NAME[name]
    workspace = DocumentAnalysis(from_text(text), Models(splitter="rules"))
    return strategy.run(workspace, strategy.params(**values))


def with_overlap(result: Segmentation, chunk: Chunk) -> str:
    return result.document.text[chunk.overlap.start if chunk.overlap else chunk.start : chunk.end]


def check(result: Segmentation, maximum: int = 0) -> None:
    checks.check(result, BY_NAME[result.strategy], maximum)


# --- whole -----------------------------------------------------------------------------------------------------


def test_whole_is_one_chunk_and_limits_still_apply() -> None:
    result = run("whole", PROSE)
    assert [(chunk.start, chunk.end, chunk.cut) for chunk in result.chunks] == [(0, len(PROSE), None)]
    cut = run("whole", PROSE, max_tokens=100)
    check(cut, 100)
    assert {chunk.cut.reason for chunk in cut.chunks if chunk.cut} == {"token_limit"}


# --- fixed size ------------------------------------------------------------------------------------------------


def test_fixed_size_is_full_between_words_with_the_text_just_before_repeated() -> None:
    words = " ".join(f"word{place % 7}" for place in range(900))
    result = run("fixed_size", words, max_tokens=100, overlap=20, sentence_share=0)
    check(result, 100)
    assert result.chunks[0].overlap is None
    assert result.chunks[0].tokens >= 97
    for left, right in zip(result.chunks, result.chunks[1:], strict=False):
        assert right.start == left.end
        assert words[right.start - 1] == " "
        assert right.overlap
        assert words[right.overlap.start - 1] == " "
        assert 17 <= right.overlap_tokens <= 20
        next_word = words.find(" ", right.start) + 1 or len(words)
        assert count(with_overlap(result, left) + words[right.start : next_word]) > 100
        assert right.cut
        assert right.cut.reason == "size"
        assert right.cut.detail == f"{count(with_overlap(result, left))} of 100 tokens"


def test_fixed_size_moves_a_cut_back_to_a_sentence_end_in_the_last_fifth() -> None:
    result = run("fixed_size", PROSE, max_tokens=100, overlap=10)
    check(result, 100)
    assert len(result.chunks) > 8
    for left, right in zip(result.chunks, result.chunks[1:], strict=False):
        assert right.text.startswith("Sentence number")
        assert right.cut
        assert right.cut.reason == "sentence"
        assert right.cut.gap is not None
        assert 80 <= count(with_overlap(result, left)) <= 100


def test_fixed_size_asks_for_no_sentence_where_none_is_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("sentences were split")

    monkeypatch.setattr("chunking.sentences.split", refuse)
    for name, values in (("fixed_size", {"sentence_share": 0}), ("recursive", {}), ("whole", {})):
        check(run(name, PROSE, **values))
    with pytest.raises(AssertionError, match="sentences were split"):
        run("fixed_size", PROSE)


def test_fixed_size_cuts_inside_a_word_only_if_the_word_alone_is_too_long() -> None:
    text = "few words " + "x" * 4000 + " and more words"
    result = run("fixed_size", text, max_tokens=50, overlap=10, sentence_share=0)
    check(result, 50)
    inside = [chunk.cut for chunk in result.chunks if chunk.cut and "inside a word" in chunk.cut.detail]
    assert len(inside) > 5
    assert all(cut.reason == "size" and text[cut.offset - 1 : cut.offset + 1] == "xx" for cut in inside)
    assert all(chunk.overlap and chunk.overlap_tokens >= 9 for chunk in result.chunks[2:-1])


def test_fixed_size_shortens_the_overlap_before_a_word_that_needs_the_room() -> None:
    long_word = "y z".replace(" ", "") * 60
    size_of_word = count(long_word)
    text = "some few words come before it " + long_word + " end"
    result = run("fixed_size", text, max_tokens=size_of_word + 2, overlap=size_of_word, sentence_share=0)
    check(result, size_of_word + 2)
    assert any(long_word in chunk.text for chunk in result.chunks)
    assert any(note in (SHORT_OVERLAP, NO_OVERLAP) for chunk in result.chunks for note in chunk.notes)


def test_fixed_size_repeats_whole_sentences_when_asked() -> None:
    result = run("fixed_size", PROSE, max_tokens=100, overlap=2, overlap_unit="sentences")
    check(result, 100)
    for chunk in result.chunks[1:]:
        repeated = PROSE[chunk.overlap.start : chunk.start] if chunk.overlap else ""
        assert repeated.count("Sentence number") == 2
        assert repeated.startswith("Sentence number")


# --- sentence --------------------------------------------------------------------------------------------------


def test_sentence_fills_chunks_with_whole_sentences() -> None:
    result = run("sentence", PROSE, max_tokens=100, overlap=12)
    check(result, 100)
    gaps = DocumentAnalysis(from_text(PROSE), Models(splitter="rules")).offsets.tolist()
    for left, right in zip(result.chunks, result.chunks[1:], strict=False):
        assert right.cut
        assert (right.cut.reason, right.cut.gap) == ("sentence", gaps.index(right.start))
        assert right.cut.detail == f"{count(with_overlap(result, left))} of 100 tokens"
        following = next((gap for gap in gaps if gap > right.start), len(PROSE))
        assert count(with_overlap(result, left) + PROSE[right.start : following]) > 100
        assert right.overlap
        assert 8 <= right.overlap_tokens <= 12


def test_sentence_repeats_whole_sentences_when_asked_but_no_more_than_half() -> None:
    result = run("sentence", PROSE, max_tokens=100, overlap=1, overlap_unit="sentences")
    check(result, 100)
    for chunk in result.chunks[1:]:
        assert chunk.overlap
        assert PROSE[chunk.overlap.start : chunk.start].count("Sentence number") == 1
    many = run("sentence", PROSE, max_tokens=100, overlap=50, overlap_unit="sentences")
    check(many, 100)
    assert all(SHORT_OVERLAP in chunk.notes for chunk in many.chunks[1:-1])
    assert len(many.chunks) <= 2.5 * len(result.chunks)


def test_an_oversized_sentence_is_split_at_clauses_and_its_parts_keep_the_maximum() -> None:
    clauses = "; ".join(f"the clause with number {place} goes on for some words" for place in range(40))
    text = f"A short one. {clauses}. Another short one."
    result = run("sentence", text, max_tokens=64, overlap=8)
    check(result, 64)
    forced = [chunk.cut for chunk in result.chunks if chunk.cut and chunk.cut.reason == "oversized_sentence"]
    assert len(forced) > 5
    assert all(text[: cut.offset].endswith("; ") and cut.gap is None and cut.driver == "limit" for cut in forced)


# --- recursive -------------------------------------------------------------------------------------------------


def test_recursive_white_space_goes_with_a_neighbour() -> None:
    result = run("recursive", "a b", size=1, overlap=0)
    assert [chunk.text for chunk in result.chunks] == ["a", " b"]
    assert [chunk.text for chunk in run("recursive", " \n ", size=1, overlap=0).chunks] == [" \n "]


def test_recursive_keeps_a_maximum_that_is_asked_for() -> None:
    for unit in ("characters", "tokens"):
        result = run("recursive", PROSE, size=200, overlap=20, overlap_unit=unit, max_tokens=30)
        check(result, 30)
        assert any(chunk.cut.reason == "token_limit" for chunk in result.chunks if chunk.cut)


def test_pieces_are_as_many_as_the_text_is_long_whatever_the_overlap() -> None:
    text = "ab " * 20_000
    pieces = recursive_pieces(text, recursive.SEPARATORS["text"], 3000, 2990)
    assert len(pieces) == pytest.approx((len(text) - 3000) / 9, rel=0.5)


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
@pytest.mark.parametrize("separators", ["text", "sentences", "markdown", "python"])
def test_recursive_cuts_at_line_ends_of_any_system(line_end: str, separators: str) -> None:
    text = "# Tea\n\nHot. Is it?\nYes.\n\n\n```\ncode = 1\n```\n---\n\nclass A:\n\tdef f():\n\ndef g(): 1\n" * 3
    for most, overlap in ((12, 0), (40, 15)):
        results = [
            run("recursive", source, size=most, overlap=overlap, separators=separators)
            for source in (text, text.replace("\n", line_end))
        ]
        unix, other = [
            [(chunk.text.replace(line_end, "\n"), chunk.cut and chunk.cut.detail) for chunk in result.chunks]
            for result in results
        ]
        assert other == unix


_SEAMLESS = {
    "base64": base64.b64encode(random.Random(0).randbytes(12_000)).decode(),
    "one letter": "a" * 16_000,
    "Chinese": "".join(map(chr, random.Random(0).choices(range(0x4E00, 0x9FFF), k=8_000))),
    "spaces": " " * 16_000,
    "commas": ",;" * 5_000,
    "marks": "a" + "\u0301" * 5_000,
    "beside words": "Words, then. " * 40 + "ab1" * 4_000 + "\n\nMore words." * 40,
}


def record_counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that the length of every text joins whose tokens are counted from now on."""
    counted: list[int] = []
    count = Cl100k.count

    def record(self: Cl100k, texts: Sequence[str]) -> Int64:
        counted.extend(map(len, texts))
        return count(self, texts)

    monkeypatch.setattr(Cl100k, "count", record)
    return counted


@pytest.mark.parametrize("text", _SEAMLESS.values(), ids=_SEAMLESS)
@pytest.mark.parametrize("strategy", ["fixed_size", "sentence", "recursive"])
def test_the_work_grows_with_a_text_without_separators_as_with_any(
    monkeypatch: pytest.MonkeyPatch, strategy: str, text: str
) -> None:
    counted, work = record_counts(monkeypatch), []
    for source in (text[: len(text) // 3], text):
        counted.clear()
        assert run(strategy, source, max_tokens=60, overlap=10).chunks
        work.append(sum(counted))
    assert work[1] < 5 * work[0] + 20 * len(text)


def test_many_commas_are_not_counted_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    counted, text = record_counts(monkeypatch), "," * 8_000
    assert len(run("recursive", text, max_tokens=100).chunks) > 8
    assert sum(counted) < 60 * len(text)


CUES = [
    (f"00:00:{second:02}.000 --> 00:00:{second + 1:02}.500", f"This is cue {second}, of a film. It goes on.")
    for second in range(0, 58, 2)
]


@pytest.mark.parametrize("name", ["film.srt", "film.vtt"])
@pytest.mark.parametrize("strategy", ["fixed_size", "sentence", "recursive"])
def test_no_overlap_begins_inside_the_number_or_times_of_a_cue(name: str, strategy: str) -> None:
    cues = "".join(f"{number}\n{times}\n{words}\n\n" for number, (times, words) in enumerate(CUES, 1))
    text = cues.replace(".000 ", ",000 ").replace(".500\n", ",500\n") if name.endswith("srt") else f"WEBVTT\n\n{cues}"
    document = loading.load(text.encode(), name)
    marks = [(block.start, block.content) for block in document.blocks]
    assert len(marks) == len(CUES) and all(text[start].isdigit() for start, _ in marks)
    for overlap in range(3, 60, 4):
        setting = f"{strategy}:max_tokens=120;overlap={overlap};overlap_unit=tokens"
        chunks = strategies.parse(setting).run(DocumentAnalysis(document, Models(splitter="rules"))).chunks
        begins = [chunk.overlap.start for chunk in chunks if chunk.overlap]
        assert begins
        assert not [begin for begin in begins if any(start < begin < content for start, content in marks)], overlap


def test_white_space_is_no_chunk_of_its_own() -> None:
    text = "\u1019\u103c\u1014\u103a\u1019\u102c" * 20 + " \n" + "x" * 200 + " " + "word" * 60 + "\n"
    for strategy in ("whole", "fixed_size", "sentence", "section", "recursive"):
        for maximum in range(12, 40, 3):
            result = run(strategy, text, max_tokens=maximum, overlap=0)
            assert not [chunk.text for chunk in result.chunks if chunk.text.isspace()], (strategy, maximum)


# --- all -------------------------------------------------------------------------------------------------------

PIECES = [
    "a",
    "word",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    ". ",
    "。",
    "; ",
    "字",
    "é",
    "😀",
    "\ud800",
    "\x00",
    "End. Next",
    "x" * 40,
]


@settings(max_examples=60)
@given(st.lists(st.sampled_from(PIECES) | st.characters(), max_size=60).map("".join), st.data())
@example("a\u0301" * 30, None)
def test_any_text_is_tiled_within_the_maximum(text: str, data: st.DataObject | None) -> None:
    maximum = data.draw(st.integers(1, 30)) if data else 3
    overlap = data.draw(st.integers(0, maximum - 1)) if data else 2
    unit = data.draw(st.sampled_from(["tokens", "sentences"])) if data else "tokens"
    share = data.draw(st.sampled_from([0.0, 0.2, 0.5])) if data else 0.0
    sizes: dict[str, Any] = {"max_tokens": maximum, "overlap": overlap, "overlap_unit": unit}
    check(run("whole", text, **sizes), maximum)
    check(run("fixed_size", text, sentence_share=share, **sizes), maximum)
    check(run("sentence", text, **sizes), maximum)


def test_word_pieces_count_too() -> None:
    counter = get_tokenizer("all-MiniLM-L6-v2")
    workspace = DocumentAnalysis(from_text(PROSE), Models(tokenizer="all-MiniLM-L6-v2", splitter="rules"))
    for name in ("fixed_size", "sentence"):
        strategy = BY_NAME[name]
        result = strategy.run(workspace, strategy.params(max_tokens=100, overlap=10))  # type: ignore[call-arg]
        sizes = counter.count([with_overlap(result, chunk) for chunk in result.chunks])
        assert sizes.max() <= 100
        assert np.median(sizes) > 80


@pytest.mark.parametrize(
    ("params", "values", "message"),
    [
        (RecursiveParameters, {"size": 50, "overlap": 50}, "must be smaller than the size"),
        (RecursiveParameters, {"max_tokens": 20, "min_tokens": 30}, "min_tokens"),
        (FixedSizeParameters, {"max_tokens": 50, "overlap": 50}, "leaves no room"),
        (FixedSizeParameters, {"max_tokens": 0}, "max_tokens cannot be 0"),
        (SentenceParameters, {"max_tokens": 20}, "leaves no room"),
        (SentenceParameters, {"min_tokens": 2000}, "larger than max_tokens"),
        (WholeParameters, {"max_tokens": 5, "overlap": 9, "overlap_unit": "tokens"}, "leaves no room"),
    ],
)
def test_contradictions_are_refused(params: Any, values: dict[str, Any], message: str) -> None:
    with pytest.raises(ChunkscopeError, match=message):
        params(**values)


def test_a_minimum_takes_the_last_cut_away_where_there_is_room() -> None:
    # The second chunk has room for the last sentence but for its overlap.
    text = "The cat sat on the mat. The dog ran to the car. The man and his dog came in. We all had some tea.\n"
    workspace = DocumentAnalysis(from_text(text, format="text", language="en"), Models(splitter="rules"))
    line = "sentence:overlap=1;overlap_unit=sentences;max_tokens=20"
    without = strategies.parse(line).run(workspace)
    with_minimum = strategies.parse(f"{line};min_tokens=8").run(workspace)
    assert [chunk.tokens for chunk in without.chunks] == [15, 9, 6]
    assert len(with_minimum.chunks) == len(without.chunks) - 1
    assert [cut.offset for cut in with_minimum.suppressed] == [without.chunks[-1].start]
    assert "removed to reach 8 tokens" in with_minimum.chunks[-1].notes[0]


@pytest.mark.parametrize("strategy", ["fixed_size", "sentence"])
def test_a_soft_minimum_removes_no_cut_before_a_heading_and_a_minimum_does(strategy: str) -> None:
    sentences = (2, 2, 9, 2, 9, 2, 9, 1)
    parts = ("# Part\n\n" + " ".join(["Rivers run to the sea."] * number) for number in sentences)
    source = DocumentAnalysis(from_text("\n\n".join(parts), format="markdown"), Models(splitter="rules"))
    removed = []
    for limit in ("soft_min_tokens", "min_tokens"):
        values = {"max_tokens": 60, "overlap": 3, "overlap_unit": "sentences", "keep_together": "yes", limit: 30}
        result = BY_NAME[strategy].run(source, BY_NAME[strategy].params(**values))
        offsets = np.array([cut.offset for cut in result.suppressed], dtype=np.int64)
        removed.append(int(source.constraints.before_heading(offsets).sum()))
    assert removed[0] == 0 < removed[1]


def test_a_minimum_over_the_size_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="min_tokens.*larger than size"):
        strategies.parse("recursive:size=100;overlap=10;overlap_unit=tokens;min_tokens=200")
