"""What always holds of chunks: they tile the text, keep the limits, and say why."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import ChunkscopeError, from_text, sentences
from chunking.chunks import Chunk, Cut, Limited, Maximum, SizeParameters, build, limited, limits
from chunking.chunks.cut_points import CutPoints
from chunking.document import Document
from chunking.tokens import get_tokenizer
from tests.examples import examples

COUNTER = get_tokenizer()


def grid_of(document: Document) -> CutPoints:
    offsets = sentences.gap_offsets(sentences.split(document, "rules"))
    return CutPoints(document, offsets, np.arange(len(offsets)), COUNTER)


def chunked(
    document: Document, wanted: set[int], sizes: SizeParameters
) -> tuple[CutPoints, tuple[Chunk, ...], tuple[int, ...]]:
    cut_points = grid_of(document)
    strength = np.abs(np.sin(np.arange(len(cut_points.offsets)) + 1.0))
    cuts = [
        Cut(int(cut_points.offsets[gap]), "distance", "both", gap, float(strength[gap]), 0.1)
        for gap in sorted(wanted)
        if gap < len(cut_points.offsets)
    ]
    found = limited(cut_points, cuts, strength, sizes)
    return cut_points, build(found, sizes), tuple(cut.gap for cut in found.suppressed if cut.gap is not None)


def count(text: str) -> int:
    return int(COUNTER.count([text])[0])


line = st.one_of(
    st.text(st.sampled_from("ab cd.!?,;:\tàéß字다。 #-*>|`'\"0123456789\u200f\U0001f600"), max_size=40),
    st.lists(
        st.sampled_from(["Tea is hot.", "It rains!", "Is it so?", "# Head", "- item one.", "| a | b |", "```"])
    ).map(" ".join),
)
texts = st.lists(line, max_size=14).flatmap(
    lambda lines: st.sampled_from(["\n", "\n\n", "\r\n", "\r"]).map(lambda end: end.join(lines))
)
size_parameters = st.builds(
    lambda overlap, unit, low, room: SizeParameters(
        overlap=overlap, overlap_unit=unit, min_tokens=low, max_tokens=room and max(room, low + overlap, overlap + 1)
    ),
    st.integers(0, 12),
    st.sampled_from(["sentences", "tokens"]),
    st.integers(0, 20),
    st.integers(0, 40),
)


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts, st.sampled_from(["markdown", "text"]), st.sets(st.integers(0, 40)), size_parameters)
def test_chunks_tile_the_text_and_keep_the_limits(
    text: str, kind: str, wanted: set[int], sizes: SizeParameters
) -> None:
    document = from_text(text, format=kind, language="und")
    cut_points, chunks, suppressed = chunked(document, wanted, sizes)
    text = document.text

    assert "".join(chunk.text for chunk in chunks) == text
    cut_inside = [chunk.index for chunk in chunks if chunk.cut and chunk.cut.gap is None]
    inside_sentence = {*cut_inside, *(index - 1 for index in cut_inside)}
    for place, chunk in enumerate(chunks):
        assert chunk.index == place
        assert text[chunk.start : chunk.end] == chunk.text != ""
        assert chunk.tokens == count(chunk.text)
        assert (chunk.cut is None) == (place == 0)
        if chunk.cut:
            assert chunk.cut.offset == chunk.start
            assert chunk.cut.gap is None or cut_points.offsets[chunk.cut.gap] == chunk.start
            assert (chunk.cut.gap is None) == (chunk.cut.reason == "oversized_sentence")
        if chunk.overlap:
            assert chunk.overlap.start < chunk.overlap.end == chunk.start
            assert chunk.overlap_tokens == count(text[chunk.overlap.start : chunk.start])
            if sizes.overlap_unit == "tokens":
                assert chunk.overlap_tokens <= sizes.overlap
        if sizes.max_tokens and len(chunk.text) > 1:
            start = chunk.overlap.start if chunk.overlap else chunk.start
            assert count(text[start : chunk.end]) <= sizes.max_tokens

    # Only a maximum may leave a chunk small: together with its neighbour it would exceed it.
    room = sizes.max_tokens - (sizes.overlap if sizes.overlap_unit == "tokens" else 0)
    for left, right in pairwise(chunks):
        if min(left.tokens, right.tokens) < sizes.min_tokens and not inside_sentence & {left.index, right.index}:
            assert sizes.max_tokens
            assert count(text[left.start : right.end]) > room

    # Every wanted cut is there, or was removed and reported.
    kept = {chunk.cut.gap for chunk in chunks if chunk.cut and chunk.cut.reason == "distance"}
    assert kept | set(suppressed) == {gap for gap in wanted if gap < len(cut_points.offsets)}
    assert not kept & set(suppressed)
    noted = sum(int(note.split()[0]) for chunk in chunks for note in chunk.notes if "removed" in note)
    assert noted >= len(suppressed)


NUMBERS = ("one", "two", "three", "four", "five", "six", "seven")
PROSE = " ".join(f"Sentence number {word} says a little more." for word in NUMBERS)


def prose(wanted: set[int], sizes: SizeParameters) -> tuple[Chunk, ...]:
    return chunked(from_text(PROSE, format="text", language="und"), wanted, sizes)[1]


def test_overlap_in_sentences_repeats_the_last_ones() -> None:
    chunks = prose({2, 3}, SizeParameters(overlap=2))
    assert chunks[0].overlap is None
    second = chunks[1].overlap
    assert second is not None
    assert PROSE[second.start : second.end] == (
        "Sentence number two says a little more. Sentence number three says a little more. "
    )
    third = chunks[2].overlap
    assert third is not None
    assert PROSE[third.start :].startswith("Sentence number three"), "overlap reaches across the chunk before"


def test_overlap_in_tokens_is_the_longest_run_of_whole_words_that_fits() -> None:
    assert prose({3}, SizeParameters(overlap=2, overlap_unit="tokens"))[1].overlap is None, "'more. ' has three tokens"
    for wanted in range(3, 25):
        overlap = prose({3}, SizeParameters(overlap=wanted, overlap_unit="tokens"))[1].overlap
        assert overlap is not None
        assert PROSE[overlap.start - 1] == " " != PROSE[overlap.start]
        longer = PROSE.rfind(" ", 0, overlap.start - 1) + 1
        assert count(PROSE[overlap.start : overlap.end]) <= wanted < count(PROSE[longer : overlap.end])


def test_the_weakest_cuts_go_first_when_chunks_are_too_small() -> None:
    cut_points = grid_of(from_text(PROSE, format="text", language="und"))
    strength = np.array([0.9, 0.2, 0.5, 0.8, 0.3, 0.7])
    cuts = [Cut(int(cut_points.offsets[gap]), "distance", "both", gap, strength[gap], 0.1) for gap in range(6)]
    _, kept, suppressed, _ = limited(cut_points, cuts, strength, SizeParameters(min_tokens=12))
    # 8 tokens a sentence: each chunk needs two. 1, then 4, then 2 is kept (both sides have two), then 5, 3 is kept.
    assert [cut.gap for cut in kept] == [3]
    assert [cut.gap for cut in suppressed] == [0, 1, 2, 4, 5]
    sizes = [chunk.tokens for chunk in build(Limited(cut_points, kept, suppressed), SizeParameters(min_tokens=12))]
    assert min(sizes) >= 12


def test_the_maximum_cuts_at_the_strongest_gap_that_fits() -> None:
    cut_points = grid_of(from_text(PROSE, format="text", language="und"))
    strength = np.array([0.9, 0.2, 0.5, 0.1, 0.3, 0.7])
    _, kept, *_ = limited(cut_points, [], strength, SizeParameters(max_tokens=33))
    # Four of seven sentences fit, so the cut is after the third or fourth: another one would be needed elsewhere.
    assert [cut.gap for cut in kept] == [2]
    assert kept[0].reason == "token_limit"
    assert kept[0].driver == "limit"


@given(
    words=st.lists(st.integers(1, 9), min_size=2, max_size=30),
    maximum=st.integers(6, 40),
    seed=st.integers(0, 2**32 - 1),
)
def test_an_oversized_chunk_is_divided_into_as_few_as_fit(words: list[int], maximum: int, seed: int) -> None:
    sentences_of = (" ".join(["Boats", *["sail"] * (number - 1)]) + "." for number in words)
    cut_points = grid_of(from_text(" ".join(sentences_of), format="text", language="und"))
    strength = np.random.default_rng(seed).random(len(cut_points.offsets))
    forced = limits.split_large([], strength, cut_points.tokens, 0, cut_points.rooms(Maximum(maximum)))
    filled, first, last = 0, 0, len(cut_points.tokens.cuts) - 1
    while not cut_points.tokens.is_within(first, last, maximum) and last - first > 1:
        counts = cut_points.tokens.counts_to(first, first + 1, last + 1)
        first += max(1, int((counts <= maximum).sum()))
        filled += 1
    assert len(forced) == filled


def test_of_the_cuts_that_leave_as_few_chunks_the_strongest_is_taken() -> None:
    cut_points = grid_of(from_text(" ".join(["Boats sail out."] * 12), format="text", language="und"))
    strength = np.full(11, 0.1)
    strength[[0, 4, 6]] = 0.9, 0.8, 0.7
    eight, six = cut_points.tokens.count(0, 8), cut_points.tokens.count(6, 12)
    assert limits.split_large([], strength, cut_points.tokens, 0, cut_points.rooms(Maximum(eight))) == [4]
    assert limits.split_large([], strength, cut_points.tokens, six, cut_points.rooms(Maximum(eight))) == [5]


def test_a_forced_cut_leaves_room_for_the_overlap() -> None:
    cut_points = grid_of(from_text(PROSE, format="text", language="und"))
    level = np.full(len(cut_points.offsets), 0.5)
    for overlap in (0, 1, 2):
        sizes = SizeParameters(max_tokens=33, overlap=overlap)
        chunks = build(limited(cut_points, [], level, sizes), sizes)
        assert len(chunks) > 1
        for chunk in chunks[1:]:
            assert (chunk.overlap is not None) == bool(overlap)
            start = chunk.overlap.start if chunk.overlap else chunk.start
            assert count(PROSE[start : chunk.end]) <= 33
        full = [chunk for chunk in chunks[1:-1] if overlap]
        assert all(cut_points.document.slice(chunk.overlap or (0, 0)).count(".") == overlap for chunk in full)


def test_an_oversized_sentence_is_cut_at_clauses_then_words_then_anywhere() -> None:
    long_sentence = "the first clause goes on for a while, " * 3 + "and then it ends"
    document = from_text(long_sentence, format="text", language="und")
    chunks = chunked(document, set(), SizeParameters(max_tokens=12))[1]
    assert [chunk.text[-2:] for chunk in chunks[:3]] == [", ", ", ", ", "]
    assert {chunk.cut.reason for chunk in chunks if chunk.cut} == {"oversized_sentence"}
    repeated = chunked(document, set(), SizeParameters(max_tokens=24, overlap=1))[1]
    assert [chunk.notes for chunk in repeated[1:]] == [("no room for an overlap",)]
    word = from_text("x" * 5000, format="text", language="und")
    pieces = chunked(word, set(), SizeParameters(max_tokens=10))[1]
    assert len(pieces) > 10
    assert max(chunk.tokens for chunk in pieces) <= 10


def test_heading_paths_name_what_a_chunk_stands_under() -> None:
    text = "# Tea\n\nHot.\n\n## Green\n\nMild.\n\n# Bread\n\nWarm.\n"
    chunks = chunked(from_text(text, language="und"), {1, 3}, SizeParameters())[1]
    assert [chunk.heading_path for chunk in chunks] == [("Tea",), ("Tea", "Green"), ("Bread",)]
    assert [chunk.text[:4] for chunk in chunks] == ["# Te", "## G", "# Br"]


@pytest.mark.parametrize(
    ("before", "path"),
    [
        ("<!-- a comment -->\n", ("Tea",)),
        ("***\n\n", ("Tea",)),
        ("[link]: http://a.b\n\n", ("Tea",)),
        ('<p align="center">\n<b>Fast</b> tea\n</p>\n\n', ("Tea",)),
        ("---\ntitle: Tea\n---\n", ("Tea",)),
        ("+++\ntitle = 'Tea'\n+++\n<!-- toc -->\n\n", ("Tea",)),
        ("import A from '@a'\n\n", ("Tea",)),
        ("Words above the title.\n\n", ()),
        ("```\nprogram\n```\n\n", ()),
        ("---\na: b\n---\n\nWords.\n\n", ()),
    ],
)
def test_what_shows_nothing_before_a_title_takes_no_path(before: str, path: tuple[str, ...]) -> None:
    document = from_text(f"{before}# Tea\n\nHot.\n", format="markdown", language="und")
    (chunk,) = chunked(document, set(), SizeParameters())[1]
    assert chunk.heading_path == path


@pytest.mark.parametrize("text", ["", " ", "\n\n\t\n", "\0", "word"])
def test_documents_of_one_sentence_or_none_have_one_chunk_or_none(text: str) -> None:
    document = from_text(text, format="text", language="und")
    chunks = chunked(document, {0, 1}, SizeParameters(overlap=1, min_tokens=5, max_tokens=50))[1]
    assert [chunk.text for chunk in chunks] == ([document.text] if document.text else [])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"min_tokens": 60, "max_tokens": 50}, "larger than max_tokens"),
        ({"overlap": 50, "overlap_unit": "tokens", "max_tokens": 50}, "leaves no room"),
    ],
)
def test_contradictions_are_refused_with_one_message(values: dict[str, int], words: str) -> None:
    with pytest.raises(ChunkscopeError, match=words) as caught:
        SizeParameters(**values)  # type: ignore[arg-type]
    assert caught.value.remedy
    with pytest.raises(ChunkscopeError, match=words):
        replace(SizeParameters(max_tokens=0), **values)  # type: ignore[arg-type]
