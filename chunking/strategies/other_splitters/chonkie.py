"""Chonkie: chunkers by token, sentence, recursion and meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from chunking import tokens
from chunking.alignment.pieces import Piece
from chunking.errors import ChunkscopeError
from chunking.params import Parameters, parameter
from chunking.strategies.other_splitters import base
from chunking.strategies.other_splitters.base import Peer
from chunking.workspace import DocumentAnalysis


def _sentence_minimum(default: int) -> int:
    help = "Shorter sentences are joined with a neighbour."
    return base.integer_parameter(default, "Minimum sentence length", help, minimum=1, maximum=1000, unit="characters")


def _delimiter_side() -> str:
    help = "Which sentence a delimiter belongs to: the previous or the next."
    return cast(str, parameter("prev", "Delimiter belongs to", help, choices=("prev", "next")))


_MIN_SENTENCES = ("Minimum sentences", "Minimum number of sentences in a chunk.")


@dataclass(frozen=True, kw_only=True)
class ChonkieTokenParameters(Parameters):
    """Parameters of ``TokenChunker``."""

    chunk_size: int = base.chunk_size(2048)
    chunk_overlap: int = base.chunk_overlap(0)
    unit: str = base.unit_choice()

    def validate(self) -> None:
        """Check that the overlap is smaller than the chunk."""
        base.check_overlap(self.chunk_size, self.chunk_overlap, equal=False)


@dataclass(frozen=True, kw_only=True)
class ChonkieSentenceParameters(Parameters):
    """Parameters of ``SentenceChunker``."""

    chunk_size: int = base.chunk_size(2048)
    chunk_overlap: int = base.chunk_overlap(0)
    unit: str = base.unit_choice()
    min_sentences_per_chunk: int = base.integer_parameter(1, *_MIN_SENTENCES, minimum=1, maximum=100)
    min_characters_per_sentence: int = _sentence_minimum(12)
    include_delim: str = _delimiter_side()

    def validate(self) -> None:
        """Check that the overlap is smaller than the chunk."""
        base.check_overlap(self.chunk_size, self.chunk_overlap, equal=False)


@dataclass(frozen=True, kw_only=True)
class ChonkieRecursiveParameters(Parameters):
    """Parameters of ``RecursiveChunker``."""

    chunk_size: int = base.chunk_size(2048)
    unit: str = base.unit_choice()
    min_characters_per_chunk: int = base.integer_parameter(
        24,
        "Minimum part length",
        "Shorter parts are joined with a neighbour.",
        minimum=1,
        maximum=1000,
        unit="characters",
    )


@dataclass(frozen=True, kw_only=True)
class ChonkieSemanticParameters(Parameters):
    """Parameters of ``SemanticChunker``."""

    threshold: float = parameter(
        0.8,
        "Threshold",
        "Percentile, from 0 to 1, below which a minimum of the similarity is cut.",
        minimum=0.01,
        maximum=0.99,
        step=0.01,
    )
    chunk_size: int = base.chunk_size(2048, "tokens")
    similarity_window: int = base.integer_parameter(
        3, "Window", "Number of sentences that are compared with the next one.", minimum=1, maximum=20, unit="sentences"
    )
    min_sentences_per_chunk: int = base.integer_parameter(1, *_MIN_SENTENCES, minimum=1, maximum=100)
    min_characters_per_sentence: int = _sentence_minimum(24)
    include_delim: str = _delimiter_side()
    skip_window: int = base.integer_parameter(
        0, "Skip", "How many chunks may lie between two that are merged; 0 disables merging.", minimum=0, maximum=20
    )
    filter_window: int = base.integer_parameter(
        5, "Filter length", "Length of the Savitzky-Golay filter that smooths the curve.", minimum=1, maximum=51, step=2
    )
    filter_polyorder: int = base.integer_parameter(
        3, "Filter order", "Degree of the filter's polynomial.", minimum=0, maximum=10
    )
    filter_tolerance: float = parameter(
        0.2,
        "Filter tolerance",
        "How flat the smoothed curve must be to count as a minimum.",
        minimum=0.01,
        maximum=0.99,
        step=0.01,
    )

    def validate(self) -> None:
        """Check that the filter is longer than the degree of its polynomial."""
        if self.filter_polyorder >= self.filter_window:
            raise ChunkscopeError(
                f"filter_polyorder {self.filter_polyorder} is too large for filter_window {self.filter_window}.",
                f"Set it to at most {self.filter_window - 1}.",
            )


def _tokenizer(workspace: DocumentAnalysis, unit: str) -> Any:
    """Return a tokenizer for Chonkie: a name that needs no download, or an object that encodes and decodes tokens."""
    if unit == "characters":
        return "character"
    counter = tokens.get_tokenizer(workspace.tools.tokenizer)
    if isinstance(counter, tokens.Cl100k):
        return counter._encoding
    if isinstance(counter, tokens.WordPieces):
        return counter._tokenizer
    raise ChunkscopeError(
        f"Chonkie cannot use the tokenizer {counter.name}.", "Choose another tokenizer, or the unit characters."
    )


class _TokenCounter:
    """The workspace's token counter with Chonkie's interface."""

    def __init__(self, counter: tokens.TokenCounter) -> None:
        self._counter = counter

    def __call__(self, text: str) -> int:
        return int(self._counter.count([text])[0])

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return self(text)

    def count_tokens_batch(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        return cast(list[int], self._counter.count(texts).tolist())


def _pieces(workspace: DocumentAnalysis, chunker: Any) -> list[Piece]:
    chunks = chunker.chunk(base.readable_text(workspace))
    return [Piece(chunk.text, chunk.start_index, chunk.end_index) for chunk in chunks]


def _by_size(chunker: str) -> Callable[[DocumentAnalysis, Parameters], list[Piece]]:
    """Return what splits by a chunker of sizes, whose parameters but for the unit have Chonkie's names."""

    def call(workspace: DocumentAnalysis, params: Parameters) -> list[Piece]:
        options = params.values()
        tokenizer = _tokenizer(workspace, str(options.pop("unit")))
        return _pieces(workspace, getattr(base.import_module("chonkie"), chunker)(tokenizer=tokenizer, **options))

    return call


def _semantic(workspace: DocumentAnalysis, params: ChonkieSemanticParameters) -> list[Piece]:
    chunker = base.import_module("chonkie").SemanticChunker(embedding_model=_embeddings(workspace), **params.values())
    return _pieces(workspace, chunker)


def _embeddings(workspace: DocumentAnalysis) -> Any:
    counter = _TokenCounter(tokens.get_tokenizer(workspace.tools.tokenizer))

    class ChonkieEmbeddings(base.import_module("chonkie.embeddings").BaseEmbeddings):  # type: ignore[misc]
        """The workspace's encoder and tokenizer with Chonkie's interface."""

        def embed(self, text: str) -> Any:
            """Embed a text."""
            return workspace.embed([text])[0]

        def embed_batch(self, texts: list[str]) -> list[Any]:
            """Embed texts."""
            return list(workspace.embed(texts))

        @property
        def dimension(self) -> int:
            """Length of a vector."""
            return workspace.encoder.dimension

        def get_tokenizer(self) -> Any:
            """Return the token counter."""
            return counter

    return ChonkieEmbeddings()


_peer = partial(Peer, library="Chonkie", licence="MIT", package="chonkie", modules=("chonkie",))

PEERS: tuple[Peer, ...] = (
    _peer(
        name="chonkie_token",
        title="Chonkie token",
        summary="TokenChunker: a fixed number of tokens.",
        params=ChonkieTokenParameters,
        call=_by_size("TokenChunker"),
    ),
    _peer(
        name="chonkie_sentence",
        title="Chonkie sentence",
        summary="SentenceChunker: whole sentences up to a size.",
        params=ChonkieSentenceParameters,
        call=_by_size("SentenceChunker"),
    ),
    _peer(
        name="chonkie_recursive",
        title="Chonkie recursive",
        summary="RecursiveChunker: paragraphs, sentences, clauses, words or tokens, the coarsest that fit.",
        params=ChonkieRecursiveParameters,
        call=_by_size("RecursiveChunker"),
    ),
    _peer(
        name="chonkie_semantic",
        title="Chonkie semantic",
        summary="SemanticChunker: cuts at minima of the smoothed similarity of a sentence to the preceding ones.",
        params=ChonkieSemanticParameters,
        call=_semantic,
    ),
)
