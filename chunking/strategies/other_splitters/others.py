"""semchunk and semantic-text-splitter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from chunking import tokens
from chunking.alignment.pieces import Piece
from chunking.errors import ChunkscopeError
from chunking.params import Parameters, parameter
from chunking.strategies.other_splitters import base
from chunking.strategies.other_splitters.base import Peer
from chunking.workspace import DocumentAnalysis

_CACHED_COUNTS = 65_536  # counts


@dataclass(frozen=True, kw_only=True)
class SemchunkParameters(Parameters):
    """Parameters of ``semchunk.chunkerify``."""

    chunk_size: int = base.integer_parameter(
        512,
        "Chunk size",
        "Limit of the size of a chunk. semchunk has no default; its documentation uses small sizes.",
        minimum=1,
        maximum=100_000,
        step=10,
        unit="tokens",
    )
    overlap: int = base.chunk_overlap(0, "tokens")

    def validate(self) -> None:
        """Check that the overlap is smaller than the chunk."""
        base.check_overlap(self.chunk_size, self.overlap, equal=False, names=("chunk_size", "overlap"))

    @property
    def piece(self) -> int:
        """Limit of the pieces, in tokens, that semchunk merges: smaller than the chunk if there is an overlap."""
        return min(self.overlap, self.chunk_size - self.overlap) if self.overlap else self.chunk_size


@dataclass(frozen=True, kw_only=True)
class SemanticTextSplitterParameters(Parameters):
    """Parameters of ``semantic_text_splitter.TextSplitter`` and ``MarkdownSplitter``."""

    capacity: int = base.integer_parameter(
        1000,
        "Capacity",
        "Limit of the size of a chunk. The library has no default; its documentation uses 1,000.",
        minimum=1,
        maximum=100_000,
        step=10,
    )
    overlap: int = base.chunk_overlap(0)
    unit: str = base.unit_choice()
    syntax: str = parameter(
        "text", "Syntax", "Whether Markdown elements are kept together.", choices=("text", "markdown")
    )
    trim: str = parameter(
        "yes", "Trim", "Whether white space at the ends of a chunk is removed.", choices=("yes", "no")
    )

    def validate(self) -> None:
        """Check that the overlap is smaller than the capacity."""
        base.check_overlap(self.capacity, self.overlap, equal=False, names=("capacity", "overlap"))


def _semchunk(workspace: DocumentAnalysis, params: SemchunkParameters) -> list[Piece]:
    _check_characters(workspace, params)
    chunker = base.import_module("semchunk").chunkerify(
        lru_cache(maxsize=_CACHED_COUNTS)(base.token_counter(workspace)),
        params.chunk_size,
        max_token_chars=_longest_token(workspace.tools.tokenizer),
        # Its own cache of counts keeps every text until the process ends.
        memoize=False,
    )
    texts, spans = chunker(base.readable_text(workspace), offsets=True, overlap=params.overlap or None)
    return [Piece(text, start, end) for text, (start, end) in zip(texts, spans, strict=True)]


def _check_characters(workspace: DocumentAnalysis, params: SemchunkParameters) -> None:
    """Refuse sizes smaller than a character of the document: semchunk would split it in an endless loop."""
    letters = sorted(letter for letter in set(base.readable_text(workspace)) if not letter.isspace())
    counts = tokens.get_tokenizer(workspace.tools.tokenizer).count(letters)
    if not letters or counts.max() <= params.piece:
        return
    letter, most, size = letters[int(counts.argmax())], int(counts.max()), params.chunk_size
    if params.overlap:
        problem = f"With an overlap of {params.overlap} in {size}, semchunk makes pieces of {params.piece}"
        remedy = f"Choose an overlap from {most} to {size - most}, or none." if size >= 2 * most else ""
    else:
        problem = f"semchunk cannot make pieces of {size}"
        remedy = ""
    raise ChunkscopeError(
        f"{problem}, but the character {letter!r} has {most} tokens.", remedy or f"Raise chunk_size to {2 * most}."
    )


def _longest_token(tokenizer: str) -> int | None:
    """Characters of the longest token, which saves semchunk from counting long texts whole."""
    return 128 if tokenizer == "cl100k_base" else None


def _semantic_text_splitter(workspace: DocumentAnalysis, params: SemanticTextSplitterParameters) -> list[Piece]:
    library = base.import_module("semantic_text_splitter")
    splitter = library.MarkdownSplitter if params.syntax == "markdown" else library.TextSplitter
    options = {"overlap": params.overlap, "trim": params.trim == "yes"}
    if params.unit == "characters":
        configured_splitter = splitter(params.capacity, **options)
    elif workspace.tools.tokenizer == "cl100k_base":
        configured_splitter = splitter.from_tiktoken_model(
            "gpt-4", params.capacity, **options
        )  # its data is part of the library
    else:
        configured_splitter = splitter.from_callback(base.token_counter(workspace), params.capacity, **options)
    return [
        base.piece_from(text, start) for start, text in configured_splitter.chunk_indices(base.readable_text(workspace))
    ]


PEERS: tuple[Peer, ...] = (
    Peer(
        name="semchunk",
        title="semchunk",
        summary="Splits recursively at the most meaningful separator, then merges pieces that fit.",
        library="semchunk",
        licence="MIT",
        package="semchunk",
        modules=("semchunk",),
        params=SemchunkParameters,
        call=_semchunk,
    ),
    Peer(
        name="semantic_text_splitter",
        title="semantic-text-splitter",
        summary="The largest units of text or Markdown, from headings to characters, that fit the capacity.",
        library="semantic-text-splitter",
        licence="MIT",
        package="semantic-text-splitter",
        modules=("semantic_text_splitter",),
        params=SemanticTextSplitterParameters,
        call=_semantic_text_splitter,
    ),
)
