"""Requested and actual sizes of chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, from_text, run, sentences, strategies
from chunking.alignment.pieces import Piece
from chunking.chunks import ExternalText, SizeParameters
from chunking.comparison import chunk_sizes
from chunking.comparison.report import own_entry
from chunking.document import Span
from chunking.params import Parameters, parameter
from chunking.runtime.arrays import Int64
from chunking.strategies import Segmentation
from chunking.tokens import TokenCounter, get_tokenizer, tokenizer_names
from chunking.workspace import DocumentAnalysis
from tests.comparison.made import CL100K, COUNTERS, PROSE, chunk, count, ints, made, percentile, plain, workspace


@dataclass(frozen=True, kw_only=True)
class OfALibrary(Parameters):
    """Sizes as other libraries name them."""

    chunk_size: int = parameter(20, "Size", "How large.", minimum=1, maximum=99)
    chunk_overlap: int = parameter(6, "Overlap", "How much.", minimum=0, maximum=99)
    unit: str = parameter("characters", "Counted in", "What.", choices=("characters", "tokens"))


@dataclass(frozen=True, kw_only=True)
class InLines(Parameters):
    """An overlap whose unit is fixed."""

    overlap: int = parameter(2, "Overlap", "How much.", minimum=0, maximum=99, unit="lines")


def outcome(
    segmentation: Segmentation, counters: Mapping[str, TokenCounter], gaps: Int64 | None = None
) -> chunk_sizes.SizeOutcome:
    return chunk_sizes.outcomes([segmentation], counters, gaps)[0]


def test_what_was_asked_is_found_under_its_names() -> None:
    own = SizeParameters(overlap=2, min_tokens=5, max_tokens=50)
    assert chunk_sizes.requested_sizes(own) == chunk_sizes.RequestedSizes(2, "sentences", 5, "tokens", 50, "tokens")
    library = chunk_sizes.requested_sizes(OfALibrary())
    assert (library.overlap, library.overlap_unit) == (6, "characters")
    assert (library.maximum, library.maximum_unit) == (20, "characters")
    assert library.minimum == 0
    assert chunk_sizes.requested_sizes(OfALibrary(unit="tokens")).maximum_unit == "tokens"
    lines = chunk_sizes.requested_sizes(InLines())
    assert (lines.overlap, lines.overlap_unit, lines.maximum) == (2, "lines", 0)
    for line, expected in (
        ("recursive:size=60", (60, "characters")),
        ("recursive:size=60;overlap_unit=tokens", (60, "tokens")),
        ("markdown:size=60", (60, "tokens")),
        ("markdown:size=60;max_tokens=90", (90, "tokens")),
        ("semantic_boundary:size=60;max_tokens=90;min_tokens=0", (90, "tokens")),
    ):
        sizes = chunk_sizes.requested_sizes(strategies.parse(line).params)
        assert (sizes.maximum, sizes.maximum_unit) == expected
    nothing = chunk_sizes.requested_sizes(Parameters())
    assert (nothing.overlap, nothing.minimum, nothing.maximum) == (0, 0, 0)


# --- what came out -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("overlap", [0, 1, 2])
def test_tokens_are_those_of_each_text(overlap: int) -> None:
    known = workspace(PROSE * 3)
    segmentation = run("percentile", known, percentile(overlap=overlap, max_tokens=40, min_tokens=8))
    counters = {name: get_tokenizer(name) for name in tokenizer_names()}
    found = outcome(segmentation, counters, known.offsets)
    text, chunks = known.document.text, segmentation.chunks
    assert found.chunks == len(chunks) > 3
    starts = [chunk.overlap.start if chunk.overlap else chunk.start for chunk in chunks]
    for name, counter in counters.items():
        own = counter.count([chunk.text for chunk in chunks])
        whole = counter.count([text[start : chunk.end] for start, chunk in zip(starts, chunks, strict=True)])
        reported = found.tokens[name]
        assert reported.own == chunk_sizes.sizes(own)
        assert reported.whole == chunk_sizes.sizes(whole)
        assert reported.document == counter.count([text])[0]
        assert reported.ratio == pytest.approx(whole.sum() / counter.count([text])[0])
    assert (found.lost, found.lost_text, found.duplicated) == (0, 0, 0)
    assert found.over_maximum == 0
    assert found.under_minimum == sum(chunk.tokens < 8 for chunk in chunks)
    assert found.characters == chunk_sizes.sizes(ints([len(chunk.text) for chunk in chunks]))
    told = (found.overlap.in_full, found.overlap.in_part, found.overlap.not_at_all)
    assert sum(told) == (len(chunks) - 1 if overlap else 0)
    if overlap == 1:
        alone = [chunk for chunk in chunks[1:] if chunk.overlap is None]
        assert found.overlap.not_at_all == len(alone)


def test_sizes_are_summed_up() -> None:
    found = chunk_sizes.sizes(ints([1, 2, 3, 10]))
    assert (found.total, found.minimum, found.median, found.mean, found.maximum) == (16, 1, 2.5, 4.0, 10)
    assert found.p95 == pytest.approx(8.95)
    assert chunk_sizes.sizes(ints([])) == chunk_sizes.SizeSummary(0, 0, 0.0, 0.0, 0.0, 0)


spans_of_twenty = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda pair: (min(pair), max(pair))), max_size=6
).map(sorted)


@given(spans_of_twenty, st.sets(st.integers(0, 19), max_size=6))
def test_every_character_is_accounted_for(spans: list[tuple[int, int]], blanks: set[int]) -> None:
    text = "".join(" " if place in blanks else "abcdefghijklmnopqrst"[place] for place in range(20))
    found = outcome(made(text, spans), COUNTERS)
    holders = [sum(start <= place < end for start, end in spans) for place in range(20)]
    assert found.lost == holders.count(0)
    assert found.lost_text == sum(1 for place in range(20) if not holders[place] and place not in blanks)
    assert found.duplicated == sum(number > 1 for number in holders)


def test_what_another_program_left_out_is_lost() -> None:
    text = "one two three four five"
    segmentation = made(text, [(0, 13), (13, 23)], OfALibrary(), [None, 8])
    # The first lacks "two "; the second lacks "three", which is its overlap and in the first chunk, and " four".
    first = replace(segmentation.chunks[0], foreign=ExternalText("one three", (Span(4, 8),)))
    second = replace(segmentation.chunks[1], foreign=ExternalText(" five!!", (Span(8, 18),), ("!!",)))
    found = outcome(replace(segmentation, chunks=(first, second)), COUNTERS)
    assert (found.lost, found.lost_text, found.duplicated) == (4 + 5, 3 + 4, 0)
    assert found.tokens[CL100K.name].whole.total == count("one three") + count(" five!!")
    assert found.tokens[CL100K.name].own.total == count(text[:13]) + count(text[13:])


def test_limits_count_the_overlap_and_the_unit() -> None:
    text = "one two three four five six seven eight"
    spans = [(0, 14), (14, 28), (28, 39)]
    small = SizeParameters(max_tokens=4, min_tokens=3)
    found = outcome(made(text, spans, small, [None, 8, 28 - 4]), COUNTERS)
    own = [count(text[start:end]) for start, end in spans]
    whole = [count(text[:14]), count(text[8:28]), count(text[24:39])]
    assert found.over_maximum == sum(number > 4 for number in whole) > sum(number > 4 for number in own)
    assert found.under_minimum == sum(number < 3 for number in own)
    by_character = outcome(made(text, spans, OfALibrary(chunk_size=14), [None, 8]), COUNTERS)
    assert by_character.over_maximum == 1


def test_a_parent_is_over_no_limit() -> None:
    text = "one two three four five six seven eight"
    parts = made(text, [(0, 14), (14, 28), (28, 39)], SizeParameters(max_tokens=4))
    whole = replace(chunk(text, 0, 0, len(text)), cut=None)
    leaves = [replace(part, index=part.index + 1, parent=0) for part in parts.chunks]
    found = outcome(replace(parts, chunks=(whole, *leaves)), COUNTERS)
    assert found.over_maximum == 0 == outcome(parts, COUNTERS).over_maximum
    alone = outcome(replace(parts, chunks=(whole,)), COUNTERS)
    assert alone.over_maximum == 1


def test_overlap_in_sentences_at_each_boundary() -> None:
    text = "Aa bb. Cc dd. Ee ff. Gg hh. Ii jj."
    gaps = sentences.gap_offsets(sentences.split(plain(text), "rules"))
    assert gaps.tolist() == [7, 14, 21, 28]
    spans = [(0, 7), (7, 21), (21, 28), (28, 34)]
    # Two, but only one there is; one; a part of one; none.
    found = outcome(made(text, spans, SizeParameters(overlap=2), [None, 0, 14, 24]), COUNTERS, gaps).overlap
    assert found.chunks.tolist() == [1, 2, 3]
    assert found.reached.tolist() == [1, 1, 0]
    assert found.characters.tolist() == [7, 7, 4]
    assert (found.in_full, found.in_part, found.not_at_all) == (1, 2, 0)
    none = outcome(made(text, spans, SizeParameters(overlap=1), [None, 0, 14]), COUNTERS, gaps).overlap
    assert (none.in_full, none.in_part, none.not_at_all) == (2, 0, 1)


def test_a_part_of_a_sentence_that_was_cut_counts_as_one() -> None:
    text = "Aa bb cc dd ee ff gg hh."
    spans = [(0, 6), (6, 12), (12, 24)]
    found = outcome(made(text, spans, SizeParameters(overlap=1), [None, 0, 6]), COUNTERS, ints([])).overlap
    assert found.reached.tolist() == [1, 1]
    assert found.in_full == 2


def test_overlap_in_lines() -> None:
    text = "a a\nb b\nc c\nd d\n"
    found = outcome(made(text, [(0, 12), (12, 16)], InLines(), [None, 4]), COUNTERS).overlap
    assert (found.unit, found.reached.tolist(), found.in_full) == ("lines", [2], 1)
    found = outcome(made(text, [(0, 12), (12, 16)], InLines(), [None, 8]), COUNTERS).overlap
    assert (found.reached.tolist(), found.in_part) == ([1], 1)


def test_overlap_in_characters_is_full_when_no_word_more_fits() -> None:
    text = "alpha beta gamma delta omega"
    #       0     6    11    17    23
    spans = [(0, 17), (17, 28)]

    def reached(start: int, asked: int) -> tuple[int, int, int]:
        segmentation = made(text, spans, OfALibrary(chunk_overlap=asked), [None, start])
        overlap = outcome(segmentation, COUNTERS).overlap
        assert overlap.reached.tolist() == [17 - start]
        return overlap.in_full, overlap.in_part, overlap.not_at_all

    assert reached(11, 6) == (1, 0, 0)
    assert reached(11, 10) == (1, 0, 0)  # "beta gamma " has 11
    assert reached(11, 11) == (0, 1, 0)
    assert reached(6, 11) == (1, 0, 0)
    assert reached(0, 50) == (1, 0, 0)  # there is no more text
    assert reached(17, 6) == (0, 0, 1)


def test_nested_chunks_meet_their_siblings() -> None:
    """A child has a boundary with the child before it, not with its parent."""
    text = "one two three four"
    flat = made(text, [(0, 18), (0, 8), (4, 14), (14, 18)], OfALibrary(chunk_overlap=4))
    parents = (None, 0, 0, 0)
    chunks = tuple(replace(each, parent=parent) for each, parent in zip(flat.chunks, parents, strict=True))
    found = outcome(replace(flat, chunks=chunks), COUNTERS)
    assert found.overlap.chunks.tolist() == [2, 3]
    assert found.overlap.reached.tolist() == [4, 0]
    assert found.duplicated == 18


def test_documents_without_text() -> None:
    found = outcome(made("", []), COUNTERS)
    assert (found.chunks, found.lost, found.duplicated) == (0, 0, 0)
    assert found.tokens[CL100K.name].ratio == 1
    assert chunk_sizes.outcomes([], COUNTERS) == []
    lost = outcome(made("one two ", []), COUNTERS)
    assert (lost.lost, lost.lost_text, lost.tokens[CL100K.name].ratio) == (8, 6, 0)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="tokenizer"):
        outcome(made("one", [(0, 3)]), {})
    with pytest.raises(ChunkscopeError, match="different documents"):
        chunk_sizes.outcomes([made("one", [(0, 3)]), made("two", [(0, 3)])], COUNTERS)
    with pytest.raises(ChunkscopeError, match="sentences"):
        outcome(made("one two", [(0, 4), (4, 7)], SizeParameters(overlap=1)), COUNTERS)


# --- a table -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        (" \n ", ""),
        ("one  two\nthree", "one two three"),
        ("a b c d e f g h", "a b c d e f g h"),
        (" a b c d e f g h i", "a b c d e f g h…"),
        ("x" * 60, "x" * 60),
        ("x" * 1_000, "x" * 60 + "…"),
        ("y" * 30 + " " + "z" * 30, "y" * 30 + " " + "z" * 29 + "…"),
    ],
)
def test_first_words(text: str, shown: str) -> None:
    assert chunk_sizes.first_words("before " + text + " after", 7, 7 + len(text)) == shown


def test_text_that_one_chunk_leaves_out_and_another_holds_is_not_lost() -> None:
    workspace = DocumentAnalysis(from_text("One two three four five six.", "x.txt", "text", language="en"))
    pieces = [Piece("One two three four five six."), Piece("One two five six.")]
    made = own_entry(workspace, "mine", pieces).segmentation
    assert any(chunk.foreign and chunk.foreign.missing for chunk in made.chunks)
    found = chunk_sizes.coverage(made)
    assert found.lost.tolist() == []
    assert outcome(made, {"cl100k_base": get_tokenizer()}).lost_text == 0
    held_twice = sum(end - start for start, end in found.duplicated.tolist())
    assert held_twice == outcome(made, {"cl100k_base": get_tokenizer()}).duplicated > 0
