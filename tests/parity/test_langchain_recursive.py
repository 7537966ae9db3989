"""``recursive`` against LangChain's own splitter, chunk by chunk.

One thing alone can differ: what LangChain emits of nothing but white space (single characters that are as long as the
size) is no chunk of ours, and goes with a neighbour.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunking import from_text
from chunking.strategies import recursive
from chunking.strategies.recursive import RecursiveParameters
from chunking.tokens import get_tokenizer
from chunking.workspace import DocumentAnalysis
from tests import shared_data
from tests.examples import examples
from tests.lazy import LazyModule

splitters = LazyModule("langchain_text_splitters", "langchain-text-splitters is not installed")

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "../shared/data/documents"
CORPORA = ROOT / "../shared/data/retrieval/chroma_dev/docs.jsonl"
SIZES = [(1000, 50), (200, 0), (250, 125), (64, 16)]
CHROMA = ["\n\n", "\n", ".", "?", "!", " ", ""]
"""What RecursiveTokenChunker of Chroma's chunking_evaluation, which is LangChain's splitter otherwise, splits at."""
RECURSIVE = {strategy.name: strategy for strategy in recursive.STRATEGIES}["recursive"]


def _texts() -> Iterator[tuple[str, str]]:
    for folder in (ROOT / "sample_docs", DOCUMENTS):
        for file in sorted(folder.glob("*")):
            if file.suffix in (".txt", ".md", ".html", ".py", ".rst", ".yaml", ".xhtml"):
                yield file.name, file.read_bytes().decode("utf-8", "replace")
    if CORPORA.is_file():
        for line in CORPORA.read_text("utf-8").splitlines():
            row = json.loads(line)
            yield row["_id"], row["text"]


TEXTS = dict(_texts())


def ours(text: str, params: RecursiveParameters) -> list[str]:
    """Each chunk with its overlap, stripped as LangChain strips."""
    chunks = RECURSIVE.run(DocumentAnalysis(from_text(text)), params).chunks
    assert "".join(chunk.text for chunk in chunks) == text
    starts = [chunk.overlap.start if chunk.overlap else chunk.start for chunk in chunks]
    found = [text[start : chunk.end].strip() for start, chunk in zip(starts, chunks, strict=True)]
    return found if text.strip() else []


def theirs(text: str, params: RecursiveParameters, count: Callable[[str], int]) -> list[str]:
    lists = splitters.RecursiveCharacterTextSplitter
    separators = {
        "text": None,
        "sentences": [re.escape(separator) for separator in CHROMA],
        "markdown": lists.get_separators_for_language(splitters.Language.MARKDOWN),
        "python": lists.get_separators_for_language(splitters.Language.PYTHON),
    }[params.separators]
    splitter = splitters.RecursiveCharacterTextSplitter(
        separators=separators,
        is_separator_regex=separators is not None,
        chunk_size=params.size,
        chunk_overlap=params.overlap,
        length_function=count,
    )
    return [chunk for chunk in splitter.split_text(text) if chunk.strip()]


def length_function(unit: str, tokenizer: str = "cl100k_base") -> Callable[[str], int]:
    if unit == "characters":
        return len
    counter = get_tokenizer(tokenizer)
    known: dict[str, int] = {}

    def count(text: str) -> int:
        if text not in known:
            known[text] = int(counter.count([text])[0])
        return known[text]

    return count


@pytest.mark.parametrize("unit", ["characters", "tokens"])
@pytest.mark.parametrize("name", TEXTS)
def test_documents_are_split_as_langchain_splits_them(name: str, unit: str) -> None:
    count = length_function(unit)
    for most, overlap in SIZES:
        params = RecursiveParameters(size=most, overlap=overlap, overlap_unit=unit)
        assert ours(TEXTS[name], params) == theirs(TEXTS[name], params, count)


@pytest.mark.parametrize("unit", ["characters", "tokens"])
@pytest.mark.parametrize("name", TEXTS)
def test_documents_are_split_as_chroma_splits_them(name: str, unit: str) -> None:
    count = length_function(unit)
    for most, overlap in SIZES[1:]:
        params = RecursiveParameters(size=most, overlap=overlap, overlap_unit=unit, separators="sentences")
        assert ours(TEXTS[name], params) == theirs(TEXTS[name], params, count)


@pytest.mark.parametrize("name", [name for name in TEXTS if name.endswith((".md", ".py"))])
def test_documents_are_split_by_the_separators_of_their_language(name: str) -> None:
    separators = "markdown" if name.endswith(".md") else "python"
    for most, overlap in SIZES:
        params = RecursiveParameters(size=most, overlap=overlap, separators=separators)
        assert ours(TEXTS[name], params) == theirs(TEXTS[name], params, len)


@pytest.mark.skipif(not DOCUMENTS.is_dir(), reason=shared_data.MISSING)
def test_the_shared_documents_are_among_the_texts() -> None:
    assert len(TEXTS) > len(list((ROOT / "sample_docs").glob("*.md"))) + 8


@st.composite
def settings_of(draw: st.DrawFn) -> RecursiveParameters:
    most = draw(st.integers(1, 12))
    return RecursiveParameters(
        size=most,
        overlap=draw(st.integers(0, most - 1)),
        overlap_unit=draw(st.sampled_from(["characters", "tokens"])),
        separators=draw(st.sampled_from(["text", "text", "sentences", "markdown", "python"])),
    )


pieces = st.sampled_from(
    [" ", "a", "b", ".", "?", "!", "\n", "\n\n", "ab ", "\n# ", "```\n", "\n---\n", "\ndef ", "\n\tdef ", "é", "😀"]
)


@settings(max_examples=examples(1500))
@given(st.text(" ab.\n", max_size=60) | st.lists(pieces, max_size=25).map("".join), settings_of())
@example("a \n \n", RecursiveParameters(size=1, overlap=0))
@example("ab\n\n\n\nabababab", RecursiveParameters(size=5, overlap=3))
@example("a\x0b b 😀", RecursiveParameters(size=2, overlap=1, overlap_unit="tokens"))
def test_any_text_is_split_as_langchain_splits_it(text: str, params: RecursiveParameters) -> None:
    assert ours(text, params) == theirs(text, params, length_function(params.overlap_unit))


def test_what_is_left_out_is_white_space_as_long_as_the_size() -> None:
    splitter = splitters.RecursiveCharacterTextSplitter(chunk_size=1, chunk_overlap=0)
    assert splitter.split_text("a b") == ["a", " ", "b"]
    assert ours("a b", RecursiveParameters(size=1, overlap=0)) == ["a", "b"]
