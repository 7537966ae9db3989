"""Segmentations side by side: places, changes, and what came out against what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, from_text, run, sentences
from chunking.alignment.pieces import Piece
from chunking.chunks import Chunk, Cut, Foreign, SizeParameters
from chunking.comparison import comparison
from chunking.comparison.report import own_entry
from chunking.document import Document, Span
from chunking.params import Parameters, parameter
from chunking.runtime.arrays import Int64
from chunking.strategies import get
from chunking.strategies.base import Segmentation
from chunking.tokens import TokenCounter, get_tokenizer, tokenizer_names
from chunking.workspace import Tools, Workspace

CL100K = get_tokenizer()
COUNTERS: dict[str, TokenCounter] = {CL100K.name: CL100K}


def ints(values: object) -> Int64:
    return np.array(values, dtype=np.int64).reshape(-1)


def count(text: str) -> int:
    return int(CL100K.count([text])[0])


def plain(text: str) -> Document:
    return from_text(text, format="text", language="en")


def chunk(text: str, index: int, start: int, end: int, overlap: int | None = None) -> Chunk:
    """A chunk by hand; ``overlap`` is where its overlap begins."""
    before = Span(overlap, start) if overlap is not None else None
    own = text[start:end]
    repeated = count(text[overlap:start]) if overlap is not None else 0
    indexed = count(text[start if overlap is None else overlap : end])
    cut = Cut(start, "size") if start else None
    return Chunk(index, start, end, own, count(own), before, repeated, indexed, (), cut)


def made(
    text: str, spans: Sequence[tuple[int, int]], params: Parameters | None = None, overlaps: Sequence[int | None] = ()
) -> Segmentation:
    starts = [*overlaps, *[None] * (len(spans) - len(overlaps))]
    chunks = tuple(chunk(text, place, *span, starts[place]) for place, span in enumerate(spans))
    return Segmentation(plain(text), "made", params or SizeParameters(), chunks)


PROSE = (
    "Tea is made of leaves. Water must be hot. Some add milk. Bread is made of flour. It needs time to rise. "
    "An oven must be hot as well. Rain fell on Monday. On Tuesday it was dry. Nobody went out on either day. "
)


def workspace(text: str) -> Workspace:
    """A document whose vectors are made up, so that no model is asked."""
    document = plain(text)
    known = sentences.split(document, "rules")
    vectors = np.random.default_rng(3).normal(size=(len(known), 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Workspace(document, Tools(splitter="rules"), precomputed=(known, vectors))


def percentile(**values: int | str) -> Parameters:
    return get("percentile").params(percentile=60.0, window=0, **values)  # type: ignore[call-arg]


# --- where they cut ------------------------------------------------------------------------------------------------


def test_cuts_are_the_starts_of_chunks() -> None:
    text = "one two three four"
    nested = made(text, [(0, 18), (0, 8), (4, 8), (8, 18), (8, 13)])
    assert comparison.cut_offsets(nested).tolist() == [4, 8]
    assert comparison.cut_offsets(made("", [])).dtype == np.int64
    known = workspace(PROSE)
    segmentation = run("percentile", known, percentile())
    cuts = comparison.cut_offsets(segmentation)
    assert cuts.tolist() == [chunk.start for chunk in segmentation.chunks[1:]]
    gaps = comparison.unit_cuts(cuts, known.offsets)
    assert gaps.gaps.tolist() == [cut.cut.gap for cut in segmentation.chunks[1:] if cut.cut]
    assert (gaps.inside, gaps.merged, gaps.dropped, gaps.farthest) == (0, 0, 0, 0)


ascending = st.sets(st.integers(0, 60), max_size=15).map(sorted)


@given(ascending, ascending)
def test_the_nearest_gap_is_nearest(offsets: list[int], gaps: list[int]) -> None:
    nearest, distance = comparison.nearest_gaps(ints(offsets), ints(gaps))
    for offset, gap, away in zip(offsets, nearest.tolist(), distance.tolist(), strict=True):
        if not gaps:
            assert (gap, away) == (-1, -1)
            continue
        assert away == min(abs(offset - known) for known in gaps)
        assert gap == next(place for place, known in enumerate(gaps) if abs(offset - known) == away)


def test_cuts_inside_sentences_are_told() -> None:
    found = comparison.unit_cuts(ints([8, 10, 11, 37]), ints([10, 20, 30]))
    assert found.gaps.tolist() == [0, 2]
    assert (found.inside, found.merged, found.dropped, found.farthest) == (3, 2, 0, 7)
    none = comparison.unit_cuts(ints([8, 10]), ints([]))
    assert none.gaps.tolist() == []
    assert (none.inside, none.merged, none.dropped, none.farthest) == (0, 0, 2, 0)


def test_consensus_is_the_share_that_cuts() -> None:
    shares = comparison.consensus([ints([0, 2]), ints([2]), ints([]), ints([2, 2, 3])], 5)
    assert shares.tolist() == [0.25, 0, 0.75, 0.25, 0]
    assert comparison.consensus([], 2).tolist() == [0, 0]


# --- what changed --------------------------------------------------------------------------------------------------


def plain_changes(before: list[int], after: list[int], tolerance: int) -> list[tuple[int, int]]:
    """Moves by going through all pairs, the nearest first, and asking each whether anything stands in its way."""
    old, new = set(before) - set(after), set(after) - set(before)
    walls = set(before) & set(after)
    every = sorted(product(old, new), key=lambda pair: (abs(pair[0] - pair[1]), min(pair)))
    moves: list[tuple[int, int]] = []
    for one, other in every:
        low, high = sorted((one, other))
        if one in old and other in new and high - low <= tolerance and not any(low < wall < high for wall in walls):
            moves.append((one, other))
            old.discard(one)
            new.discard(other)
            walls |= {one, other}
    return sorted(moves)


@given(ascending, ascending, st.integers(0, 12))
def test_changes_pair_the_nearest(before: list[int], after: list[int], tolerance: int) -> None:
    found = comparison.changes(ints(before), ints(after), tolerance)
    assert sorted(map(tuple, found.moved.tolist())) == plain_changes(before, after, tolerance)
    assert found.kept.tolist() == sorted(set(before) & set(after))
    moved_from, moved_to = found.moved[:, 0].tolist(), found.moved[:, 1].tolist()
    assert sorted([*found.kept.tolist(), *moved_from, *found.gone.tolist()]) == before
    assert sorted([*found.kept.tolist(), *moved_to, *found.appeared.tolist()]) == after
    # Moves neither cross one another nor turn back.
    for (one, two), (three, four) in pairwise(found.moved.tolist()):
        assert one < three
        assert two < four


def test_changes_by_example() -> None:
    found = comparison.changes(ints([10, 20, 30, 40]), ints([10, 22, 31, 33, 60]), 3)
    assert found.kept.tolist() == [10]
    assert found.moved.tolist() == [[20, 22], [30, 31]]
    assert found.appeared.tolist() == [33, 60]
    assert found.gone.tolist() == [40]


def test_no_move_goes_past_a_cut_that_stayed() -> None:
    found = comparison.changes(ints([10, 12]), ints([12, 14]), 10)
    assert found.moved.tolist() == []
    assert (found.gone.tolist(), found.appeared.tolist()) == ([10], [14])


# --- what was asked ------------------------------------------------------------------------------------------------


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


def test_what_was_asked_is_found_under_its_names() -> None:
    own = SizeParameters(overlap=2, min_tokens=5, max_tokens=50)
    assert comparison.requested_sizes(own) == comparison.RequestedSizes(2, "sentences", 5, "tokens", 50, "tokens")
    library = comparison.requested_sizes(OfALibrary())
    assert (library.overlap, library.overlap_unit) == (6, "characters")
    assert (library.maximum, library.maximum_unit) == (20, "characters")
    assert library.minimum == 0
    assert comparison.requested_sizes(OfALibrary(unit="tokens")).maximum_unit == "tokens"
    lines = comparison.requested_sizes(InLines())
    assert (lines.overlap, lines.overlap_unit, lines.maximum) == (2, "lines", 0)
    nothing = comparison.requested_sizes(Parameters())
    assert (nothing.overlap, nothing.minimum, nothing.maximum) == (0, 0, 0)


# --- what came out -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("overlap", [0, 1, 2])
def test_tokens_are_those_of_each_text(overlap: int) -> None:
    known = workspace(PROSE * 3)
    segmentation = run("percentile", known, percentile(overlap=overlap, max_tokens=40, min_tokens=8))
    counters = {name: get_tokenizer(name) for name in tokenizer_names()}
    found = comparison.outcome(segmentation, counters, known.offsets)
    text, chunks = known.document.text, segmentation.chunks
    assert found.chunks == len(chunks) > 3
    starts = [chunk.overlap.start if chunk.overlap else chunk.start for chunk in chunks]
    for name, counter in counters.items():
        own = counter.count([chunk.text for chunk in chunks])
        whole = counter.count([text[start : chunk.end] for start, chunk in zip(starts, chunks, strict=True)])
        reported = found.tokens[name]
        assert reported.own == comparison.sizes(own)
        assert reported.whole == comparison.sizes(whole)
        assert reported.document == counter.count([text])[0]
        assert reported.ratio == pytest.approx(whole.sum() / counter.count([text])[0])
    assert (found.lost, found.lost_text, found.duplicated) == (0, 0, 0)
    assert found.over_maximum == 0
    assert found.under_minimum == sum(chunk.tokens < 8 for chunk in chunks)
    assert found.characters == comparison.sizes(ints([len(chunk.text) for chunk in chunks]))
    told = (found.overlap.in_full, found.overlap.in_part, found.overlap.not_at_all)
    assert sum(told) == (len(chunks) - 1 if overlap else 0)
    if overlap == 1:
        alone = [chunk for chunk in chunks[1:] if chunk.overlap is None]
        assert found.overlap.not_at_all == len(alone)


def test_sizes_are_summed_up() -> None:
    found = comparison.sizes(ints([1, 2, 3, 10]))
    assert (found.total, found.minimum, found.median, found.mean, found.maximum) == (16, 1, 2.5, 4.0, 10)
    assert found.p95 == pytest.approx(8.95)
    assert comparison.sizes(ints([])) == comparison.SizeSummary(0, 0, 0.0, 0.0, 0.0, 0)


spans_of_twenty = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda pair: (min(pair), max(pair))), max_size=6
).map(sorted)


@given(spans_of_twenty, st.sets(st.integers(0, 19), max_size=6))
def test_every_character_is_accounted_for(spans: list[tuple[int, int]], blanks: set[int]) -> None:
    text = "".join(" " if place in blanks else "abcdefghijklmnopqrst"[place] for place in range(20))
    found = comparison.outcome(made(text, spans), COUNTERS)
    holders = [sum(start <= place < end for start, end in spans) for place in range(20)]
    assert found.lost == holders.count(0)
    assert found.lost_text == sum(1 for place in range(20) if not holders[place] and place not in blanks)
    assert found.duplicated == sum(number > 1 for number in holders)


def test_what_another_program_left_out_is_lost() -> None:
    text = "one two three four five"
    segmentation = made(text, [(0, 13), (13, 23)], OfALibrary(), [None, 8])
    # The first lacks "two "; the second lacks "three", which is its overlap and in the first chunk, and " four".
    first = replace(segmentation.chunks[0], foreign=Foreign("one three", (Span(4, 8),)))
    second = replace(segmentation.chunks[1], foreign=Foreign(" five!!", (Span(8, 18),), ("!!",)))
    found = comparison.outcome(replace(segmentation, chunks=(first, second)), COUNTERS)
    assert (found.lost, found.lost_text, found.duplicated) == (4 + 5, 3 + 4, 0)
    assert found.tokens[CL100K.name].whole.total == count("one three") + count(" five!!")
    assert found.tokens[CL100K.name].own.total == count(text[:13]) + count(text[13:])


def test_limits_count_the_overlap_and_the_unit() -> None:
    text = "one two three four five six seven eight"
    spans = [(0, 14), (14, 28), (28, 39)]
    small = SizeParameters(max_tokens=4, min_tokens=3)
    found = comparison.outcome(made(text, spans, small, [None, 8, 28 - 4]), COUNTERS)
    own = [count(text[start:end]) for start, end in spans]
    whole = [count(text[:14]), count(text[8:28]), count(text[24:39])]
    assert found.over_maximum == sum(number > 4 for number in whole) > sum(number > 4 for number in own)
    assert found.under_minimum == sum(number < 3 for number in own)
    by_character = comparison.outcome(made(text, spans, OfALibrary(chunk_size=14), [None, 8]), COUNTERS)
    assert by_character.over_maximum == 1


def test_a_parent_is_over_no_limit() -> None:
    text = "one two three four five six seven eight"
    parts = made(text, [(0, 14), (14, 28), (28, 39)], SizeParameters(max_tokens=4))
    whole = replace(chunk(text, 0, 0, len(text)), cut=None)
    leaves = [replace(part, index=part.index + 1, parent=0) for part in parts.chunks]
    found = comparison.outcome(replace(parts, chunks=(whole, *leaves)), COUNTERS)
    assert found.over_maximum == 0 == comparison.outcome(parts, COUNTERS).over_maximum
    alone = comparison.outcome(replace(parts, chunks=(whole,)), COUNTERS)
    assert alone.over_maximum == 1


def test_overlap_in_sentences_at_each_boundary() -> None:
    text = "Aa bb. Cc dd. Ee ff. Gg hh. Ii jj."
    gaps = sentences.gap_offsets(sentences.split(plain(text), "rules"))
    assert gaps.tolist() == [7, 14, 21, 28]
    spans = [(0, 7), (7, 21), (21, 28), (28, 34)]
    # Two, but only one there is; one; a part of one; none.
    found = comparison.outcome(made(text, spans, SizeParameters(overlap=2), [None, 0, 14, 24]), COUNTERS, gaps).overlap
    assert found.chunks.tolist() == [1, 2, 3]
    assert found.reached.tolist() == [1, 1, 0]
    assert found.characters.tolist() == [7, 7, 4]
    assert (found.in_full, found.in_part, found.not_at_all) == (1, 2, 0)
    none = comparison.outcome(made(text, spans, SizeParameters(overlap=1), [None, 0, 14]), COUNTERS, gaps).overlap
    assert (none.in_full, none.in_part, none.not_at_all) == (2, 0, 1)


def test_a_part_of_a_sentence_that_was_cut_counts_as_one() -> None:
    text = "Aa bb cc dd ee ff gg hh."
    spans = [(0, 6), (6, 12), (12, 24)]
    found = comparison.outcome(made(text, spans, SizeParameters(overlap=1), [None, 0, 6]), COUNTERS, ints([])).overlap
    assert found.reached.tolist() == [1, 1]
    assert found.in_full == 2


def test_overlap_in_lines() -> None:
    text = "a a\nb b\nc c\nd d\n"
    found = comparison.outcome(made(text, [(0, 12), (12, 16)], InLines(), [None, 4]), COUNTERS).overlap
    assert (found.unit, found.reached.tolist(), found.in_full) == ("lines", [2], 1)
    found = comparison.outcome(made(text, [(0, 12), (12, 16)], InLines(), [None, 8]), COUNTERS).overlap
    assert (found.reached.tolist(), found.in_part) == ([1], 1)


def test_overlap_in_characters_is_full_when_no_word_more_fits() -> None:
    text = "alpha beta gamma delta omega"
    #       0     6    11    17    23
    spans = [(0, 17), (17, 28)]

    def reached(start: int, asked: int) -> tuple[int, int, int]:
        segmentation = made(text, spans, OfALibrary(chunk_overlap=asked), [None, start])
        overlap = comparison.outcome(segmentation, COUNTERS).overlap
        assert overlap.reached.tolist() == [17 - start]
        return overlap.in_full, overlap.in_part, overlap.not_at_all

    assert reached(11, 6) == (1, 0, 0)
    assert reached(11, 10) == (1, 0, 0)  # "beta gamma " has 11
    assert reached(11, 11) == (0, 1, 0)
    assert reached(6, 11) == (1, 0, 0)
    assert reached(0, 50) == (1, 0, 0)  # there is no more text
    assert reached(17, 6) == (0, 0, 1)


def test_overlap_in_tokens_is_counted_by_the_first_tokenizer() -> None:
    text = "alpha beta gamma delta omega"
    params = SizeParameters(overlap=3, overlap_unit="tokens")
    counters = {name: get_tokenizer(name) for name in tokenizer_names()}
    for names in (tokenizer_names(), tuple(reversed(tokenizer_names()))):
        chosen = {name: counters[name] for name in names}
        found = comparison.outcome(made(text, [(0, 17), (17, 28)], params, [None, 11]), chosen).overlap
        main = counters[names[0]]
        stretch, longer = main.count([text[11:17], text[6:17]]).tolist()
        assert found.reached.tolist() == [stretch]
        assert found.in_full == int(stretch >= 3 or longer > 3)


def test_every_overlap_the_engine_makes_in_tokens_is_as_long_as_words_allow() -> None:
    known = workspace(PROSE * 2)
    segmentation = run("percentile", known, percentile(overlap=6, overlap_unit="tokens"))
    found = comparison.outcome(segmentation, COUNTERS).overlap
    assert found.in_full == len(segmentation.chunks) - 1 > 2
    assert found.reached.tolist() == [chunk.overlap_tokens for chunk in segmentation.chunks[1:]]


def test_without_an_asked_overlap_none_is_missed() -> None:
    found = comparison.outcome(made("one two", [(0, 4), (4, 7)]), COUNTERS).overlap
    assert (found.requested, found.in_full, found.in_part, found.not_at_all) == (0, 0, 0, 0)
    assert found.characters.tolist() == [0]


def test_nested_chunks_meet_their_siblings() -> None:
    """A child has a boundary with the child before it, not with its parent."""
    text = "one two three four"
    flat = made(text, [(0, 18), (0, 8), (4, 14), (14, 18)], OfALibrary(chunk_overlap=4))
    parents = (None, 0, 0, 0)
    chunks = tuple(replace(each, parent=parent) for each, parent in zip(flat.chunks, parents, strict=True))
    found = comparison.outcome(replace(flat, chunks=chunks), COUNTERS)
    assert found.overlap.chunks.tolist() == [2, 3]
    assert found.overlap.reached.tolist() == [4, 0]
    assert found.duplicated == 18


def test_documents_without_text() -> None:
    found = comparison.outcome(made("", []), COUNTERS)
    assert (found.chunks, found.lost, found.duplicated) == (0, 0, 0)
    assert found.tokens[CL100K.name].ratio == 1
    assert comparison.outcomes([], COUNTERS) == []
    lost = comparison.outcome(made("one two ", []), COUNTERS)
    assert (lost.lost, lost.lost_text, lost.tokens[CL100K.name].ratio) == (8, 6, 0)


def test_several_at_once_are_as_one_by_one() -> None:
    known = workspace(PROSE)
    several = [
        run("percentile", known, percentile()),
        run("percentile", known, percentile(overlap=1, max_tokens=30)),
        made(known.document.text, [(0, 33), (20, 90)]),
    ]
    together = comparison.outcomes(several, COUNTERS, known.offsets)
    for one, of_all in zip(several, together, strict=True):
        alone = comparison.outcome(one, COUNTERS, known.offsets)
        np.testing.assert_array_equal(alone.overlap.reached, of_all.overlap.reached)
        assert replace(alone, overlap=of_all.overlap).__dict__ == of_all.__dict__


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="tokenizer"):
        comparison.outcome(made("one", [(0, 3)]), {})
    with pytest.raises(ChunkscopeError, match="different documents"):
        comparison.outcomes([made("one", [(0, 3)]), made("two", [(0, 3)])], COUNTERS)
    with pytest.raises(ChunkscopeError, match="sentences"):
        comparison.outcome(made("one two", [(0, 4), (4, 7)], SizeParameters(overlap=1)), COUNTERS)


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
    assert comparison.first_words("before " + text + " after", 7, 7 + len(text)) == shown


def test_text_that_one_chunk_leaves_out_and_another_holds_is_not_lost() -> None:
    workspace = Workspace(from_text("One two three four five six.", "x.txt", "text", language="en"))
    pieces = [Piece("One two three four five six."), Piece("One two five six.")]
    made = own_entry(workspace, "mine", pieces).segmentation
    assert any(chunk.foreign and chunk.foreign.missing for chunk in made.chunks)
    found = comparison.coverage(made)
    assert found.lost.tolist() == []
    assert comparison.outcome(made, {"cl100k_base": get_tokenizer()}).lost_text == 0
    held_twice = sum(end - start for start, end in found.duplicated.tolist())
    assert held_twice == comparison.outcome(made, {"cl100k_base": get_tokenizer()}).duplicated > 0
