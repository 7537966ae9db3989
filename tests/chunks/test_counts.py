"""Token counts of chunks: made together when the first is read, and the tokenizer's own."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import Chunk, DocumentAnalysis, Models, from_text, parse
from chunking.chunks import TokenCounts
from chunking.runtime.arrays import Bools, Int64
from chunking.strategies.base import Segmentation
from chunking.tokens import get_tokenizer, registry

TEXT = "\n\n".join(f"Paragraph {number} says a little. It says it twice. It ends here." for number in range(40))
UNLIMITED = (
    "recursive:size=300",
    "recursive:size=300;overlap=0",
    "changepoint:preset=unlimited",
    "percentile:window=0;overlap=1",
    "structural:preset=unlimited;overlap=2",
    "heading",
    "whole",
)
LIMITED = (
    "changepoint:min_tokens=20;max_tokens=60;overlap=3;overlap_unit=tokens",
    "fixed_size:max_tokens=40;overlap=5",
    "sentence:max_tokens=30;overlap=4",
    "recursive:size=40;overlap=5;overlap_unit=tokens",
    "paragraph",
    "hierarchical_tree",
)


class Recorder:
    """The default tokenizer, with the number of times that it was used."""

    name = "cl100k_base"

    def __init__(self) -> None:
        self.real = get_tokenizer()
        self.uses = 0

    def count(self, texts: Sequence[str]) -> Int64:
        self.uses += 1
        return self.real.count(texts)

    def seams(self, text: str) -> Bools:
        self.uses += 1
        return self.real.seams(text)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    made = Recorder()
    monkeypatch.setitem(registry._loaded, made.name, made)
    return made


def segmented(setting: str, text: str = TEXT) -> Segmentation:
    tools = Models(encoder="char-ngrams", splitter="rules")
    return parse(setting).run(DocumentAnalysis(from_text(text, language="en"), tools))


def counted(chunk: Chunk, text: str) -> tuple[int, int, int]:
    pieces = [chunk.text, text[chunk.indexed_start : chunk.start], text[chunk.indexed_start : chunk.end]]
    own, overlap, indexed = get_tokenizer().count(pieces).tolist()
    return own, overlap, indexed


def read(chunk: Chunk) -> tuple[int, int, int]:
    return chunk.tokens, chunk.overlap_tokens, chunk.indexed_tokens


@pytest.mark.parametrize("setting", UNLIMITED)
def test_nothing_is_counted_until_a_count_is_read(recorder: Recorder, setting: str) -> None:
    chunks = segmented(setting).chunks
    assert [(chunk.start, chunk.end, chunk.text, chunk.overlap, chunk.notes, chunk.cut) for chunk in chunks]
    assert recorder.uses == 0
    assert chunks[-1].indexed_tokens
    uses = recorder.uses
    assert uses
    assert [read(chunk) for chunk in chunks]
    assert recorder.uses == uses or setting != "whole", "one count is enough for a single chunk"
    uses = recorder.uses
    assert [read(chunk) for chunk in chunks]
    assert recorder.uses == uses


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([*UNLIMITED, *LIMITED]),
    st.text(st.sampled_from("ab cd.!?,;:\tàéß字다。 \n\n#-*>'0123456789\u200f\U0001f600\ud800"), max_size=400),
    st.randoms(use_true_random=False),
)
def test_counts_are_the_tokenizers_in_whatever_order_they_are_read(setting: str, text: str, order: object) -> None:
    made = segmented(setting, text)
    chunks = list(made.chunks)
    order.shuffle(chunks)  # type: ignore[attr-defined]
    for chunk in chunks:
        assert read(chunk) == counted(chunk, made.document.text)


@pytest.mark.parametrize("setting", ["recursive:size=300", "changepoint:boundaries=6", LIMITED[0]])
def test_a_chunk_that_is_copied_or_compared_has_its_counts(setting: str) -> None:
    def fresh() -> tuple[Chunk, ...]:
        return segmented(setting).chunks

    expected = [read(chunk) for chunk in fresh()]
    for copied in (pickle.loads(pickle.dumps(fresh())), copy.copy(fresh()), copy.deepcopy(fresh())):
        assert [read(chunk) for chunk in copied] == expected
        assert copied == fresh()
    assert all(type(number) is int for chunk in pickle.loads(pickle.dumps(fresh())) for number in read(chunk))
    assert TEXT[:20].encode() not in pickle.dumps(fresh()[1:]), "the numbers alone"
    assert len({hash(each) for each in (fresh(), fresh())}) == 1
    moved = [replace(chunk, index=chunk.index + 7) for chunk in fresh()]
    assert [read(chunk) for chunk in moved] == expected
    assert f"counts={expected[1]}, overlap=" in repr(fresh()[1])


def test_threads_that_read_at_once_get_the_same_counts(recorder: Recorder) -> None:
    expected = [read(chunk) for chunk in segmented("recursive:size=300").chunks]
    alone, recorder.uses = recorder.uses, 0
    chunks = segmented("recursive:size=300").chunks
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: [read(chunk) for chunk in chunks], range(32)))
    assert found == [expected] * 32
    assert recorder.uses <= alone


def test_a_count_that_is_given_is_the_chunks() -> None:
    chunk = Chunk(5, 0, 3, "One", TokenCounts((40, 0, 41)), None, (), None)
    assert read(chunk) == (40, 0, 41)
