"""``percentile``, ``standard_deviation``, ``interquartile`` and ``gradient`` against LangChain's own SemanticChunker.

With windows of three sentences and LangChain's sentence rule they must give LangChain's cuts, all of them. Cuts are
compared as numbers of sentences, never by looking for texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import cast

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chunking import loading, samples, strategies
from chunking.document import Document
from chunking.embedding import embed, get_encoder
from chunking.embedding.vector_cache import default_cache
from chunking.runtime.arrays import Float32
from chunking.sentences import LANGCHAIN, split
from chunking.signals.distances import windows
from chunking.signals.thresholds import AMOUNT_OF, RULES, Rule
from chunking.strategies.other_splitters import get, installed
from chunking.workspace import DocumentAnalysis, Models
from tests.examples import examples
from tests.vectors import hashed

PEER = get("langchain_semantic")
needs_langchain = pytest.mark.skipif(not installed(PEER), reason="needs: pip install -r requirements-peers.txt")

SETTINGS: tuple[tuple[Rule, float], ...] = (
    ("percentile", 95),
    ("percentile", 80),
    ("standard_deviation", 3),
    ("standard_deviation", 1),
    ("interquartile", 1.5),
    ("interquartile", 0.5),
    ("gradient", 95),
    ("gradient", 80),
)

BY_MODEL = ("field-guide-to-backups", "seoul-tides-article")
"""The samples that the model embeds: where to cut is the same question whatever embeds, and the model is slow."""

Embedder = Callable[[Sequence[str]], Float32]


def sample(name: str) -> Document:
    return samples.load(name).document


def by_model(texts: Sequence[str]) -> Float32:
    return embed(texts, get_encoder(), default_cache())


def by_characters(texts: Sequence[str]) -> Float32:
    """Windows that share words are near each other, as they are for the model, which would take minutes."""
    return embed(texts, get_encoder("char-ngrams"))


def workspace(document: Document, embedder: Embedder) -> DocumentAnalysis:
    """A workspace whose windows have been embedded already."""
    sentences = split(document, LANGCHAIN)
    found = DocumentAnalysis(document, Models(splitter=LANGCHAIN))
    found._pieces["sentences"] = sentences
    found._pieces["vectors", 1] = embedder(windows(sentences.texts, 1))
    return found


def ours(found: DocumentAnalysis, rule: Rule, amount: float) -> set[int]:
    """The gaps that we cut, each the number of the sentence before it."""
    strategy = strategies.get(rule)
    params = strategies.parameters(strategy, {AMOUNT_OF[rule]: str(amount), "window": "1"})
    starts = [chunk.start for chunk in strategy.run(found, params).chunks]
    offsets = found.offsets.tolist()
    cuts = {offsets.index(start) for start in starts[1:]}
    assert len(cuts) == max(len(starts) - 1, 0)
    return cuts


def theirs(found: DocumentAnalysis, rule: Rule, amount: float) -> set[int]:
    """The gaps that LangChain cuts, on the very vectors that we use."""
    from langchain_core.embeddings import Embeddings
    from langchain_experimental.text_splitter import SemanticChunker

    class Given(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            # Where white space ends the text, LangChain's last sentence is empty and ours is that white space.
            expected = windows(found.sentences.texts, 1)
            assert [text.rstrip() for text in texts] == [text.rstrip() for text in expected]
            return cast(list[list[float]], found.vectors(1).tolist())

        def embed_query(self, text: str) -> list[float]:
            raise NotImplementedError

    chunker = SemanticChunker(Given(), breakpoint_threshold_type=rule, breakpoint_threshold_amount=amount)
    return cuts_of(chunker.split_text(found.document.text), chunker._get_single_sentences_list(found.document.text))


def cuts_of(chunks: Sequence[str], sentences: Sequence[str]) -> set[int]:
    """Where chunks that are sentences joined by a space were cut; each further sentence makes a chunk longer."""
    cuts = set()
    place = 0
    for chunk in chunks:
        last = place
        while len(" ".join(sentences[place : last + 1])) < len(chunk):
            last += 1
        assert " ".join(sentences[place : last + 1]) == chunk
        cuts.add(last)
        place = last + 1
    assert place == len(sentences)
    return cuts - {len(sentences) - 1}


_workspaces: dict[str, DocumentAnalysis] = {}


@pytest.fixture
def measured(name: str) -> DocumentAnalysis:
    """Each document is embedded once for all settings."""
    if name not in _workspaces:
        _workspaces[name] = workspace(sample(name), by_model if name in BY_MODEL else by_characters)
    return _workspaces[name]


@needs_langchain
@pytest.mark.parametrize(("rule", "amount"), SETTINGS, ids=[f"{rule}-{amount:g}" for rule, amount in SETTINGS])
@pytest.mark.parametrize("name", samples.names())
def test_the_cuts_are_those_of_langchain(measured: DocumentAnalysis, rule: Rule, amount: float) -> None:
    expected = theirs(measured, rule, amount)
    assert ours(measured, rule, amount) == expected
    if amount < 3:  # three deviations, and 95 % of a few gaps, may well give no cut
        assert expected


@needs_langchain
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", samples.names())
def test_the_peer_gives_the_same_cuts_by_itself(name: str, rule: Rule) -> None:
    """Also where LangChain embeds for itself, through the workspace."""
    tools = Models(splitter=LANGCHAIN) if name in BY_MODEL else Models("char-ngrams", splitter=LANGCHAIN)
    found = DocumentAnalysis(sample(name), tools, default_cache())
    pieces = PEER.split(found, PEER.params.parse({"threshold": rule}))
    sentences = re.split(r"(?<=[.?!])\s+", found.document.text)
    params = strategies.get(rule).params()
    assert cuts_of([piece.text for piece in pieces], sentences) == ours(found, rule, getattr(params, AMOUNT_OF[rule]))


SENTENCES = st.lists(st.sampled_from(["Aa.", "Bb!", "Cc?", "Dd.\n", "# Ee.", "- Ff.", "Gg"]), min_size=1, max_size=40)


@needs_langchain
@settings(max_examples=examples(150))
@given(SENTENCES, st.sampled_from(["", "\n", " "]), st.sampled_from(SETTINGS))
def test_repeated_sentences_give_the_same_cuts(texts: list[str], end: str, setting: tuple[Rule, float]) -> None:
    rule, amount = setting
    found = workspace(loading.from_text(" ".join(texts) + end), hashed)
    # The mean and one deviation of two distances is the larger of them: only the last bit says whether it is exceeded.
    assume(not (rule == "standard_deviation" and amount == 1 and len(found.sentences) == 3))
    expected = theirs(found, rule, amount)
    if rule == "gradient" and len(found.sentences) == 2:
        # LangChain has no slope to take there and returns both sentences; a rule that finds nothing cuts nothing here.
        assert expected == {0}
        expected = set()
    assert ours(found, rule, amount) == expected


# The sentence rule

PARTS = ("A", "b.", "c?", "d!", " ", "\n", "\n\n", "\r\n", "# ", "- ", "\u3000", "é", "...")
TEXTS = st.lists(st.sampled_from(PARTS)).map("".join)


@given(TEXTS)
def test_the_sentences_are_those_of_the_regular_expression(text: str) -> None:
    document = loading.from_text(text)
    sentences = split(document, LANGCHAIN)
    if document.blocks:
        expected = re.split(r"(?<=[.?!])\s+", document.text)
        assert len(sentences) == len(expected)
        assert list(sentences.texts[:-1]) == expected[:-1]
        assert sentences.texts[-1].strip() == expected[-1].strip()
        assert sentences.texts[-1] == expected[-1] or not expected[-1]
    else:
        assert len(sentences) == 0
