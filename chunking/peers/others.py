"""semchunk and semantic-text-splitter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from chunking import tokens
from chunking.alignment.pieces import Piece
from chunking.errors import ChunkscopeError
from chunking.params import Parameters, parameter
from chunking.peers import base
from chunking.peers.base import Peer
from chunking.workspace import Workspace

_REMEMBERED = 65_536  # counts


@dataclass(frozen=True, kw_only=True)
class SemchunkParameters(Parameters):
    """Parameters of ``semchunk.chunkerify``."""

    chunk_size: int = base.whole(
        512,
        "Chunk size",
        "The size that no chunk exceeds; semchunk has no default, its documentation uses small ones.",
        minimum=1,
        maximum=100_000,
        step=10,
        unit="tokens",
    )
    overlap: int = base.chunk_overlap(0, "tokens")

    def check_together(self) -> None:
        """The overlap must be smaller than the chunk."""
        base.check_overlap(self.chunk_size, self.overlap, equal=False, names=("chunk_size", "overlap"))

    @property
    def piece(self) -> int:
        """Tokens that semchunk splits down to before it merges: with an overlap, what the overlaps divide evenly."""
        return min(self.overlap, self.chunk_size - self.overlap) if self.overlap else self.chunk_size


@dataclass(frozen=True, kw_only=True)
class SemanticTextSplitterParameters(Parameters):
    """Parameters of ``semantic_text_splitter.TextSplitter`` and ``MarkdownSplitter``."""

    capacity: int = base.whole(
        1000,
        "Capacity",
        "The size that no chunk exceeds; the library has no default, its documentation uses 1,000.",
        minimum=1,
        maximum=100_000,
        step=10,
    )
    overlap: int = base.chunk_overlap(0)
    unit: str = base.unit_choice()
    syntax: str = parameter(
        "text", "Syntax", "Whether the elements of Markdown are kept together.", choices=("text", "markdown")
    )
    trim: str = parameter(
        "yes", "Trim", "Whether white space at the ends of a chunk is left out.", choices=("yes", "no")
    )

    def check_together(self) -> None:
        """The overlap must be smaller than the capacity."""
        base.check_overlap(self.capacity, self.overlap, equal=False, names=("capacity", "overlap"))


def _semchunk(workspace: Workspace, params: SemchunkParameters) -> list[Piece]:
    _check_characters(workspace, params)
    chunker = base.load("semchunk").chunkerify(
        _remembering(base.counting(workspace)),
        params.chunk_size,
        max_token_chars=_longest_token(workspace.tools.tokenizer),
        # Its own memory of counts keeps every text of every call for as long as the process lives.
        memoize=False,
    )
    texts, spans = chunker(base.given(workspace), offsets=True, overlap=params.overlap or None)
    return [Piece(text, start, end) for text, (start, end) in zip(texts, spans, strict=True)]


def _check_characters(workspace: Workspace, params: SemchunkParameters) -> None:
    """Refuse sizes that a character of the document exceeds: semchunk splits such a one again and again, for ever."""
    letters = sorted(letter for letter in set(base.given(workspace)) if not letter.isspace())
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


def _remembering(count: Callable[[str], int]) -> Callable[[str], int]:
    return lru_cache(maxsize=_REMEMBERED)(count)


def _longest_token(tokenizer: str) -> int | None:
    """Characters of the longest token, which saves semchunk from counting long texts whole."""
    return 128 if tokenizer == "cl100k_base" else None


def _semantic_text_splitter(workspace: Workspace, params: SemanticTextSplitterParameters) -> list[Piece]:
    library = base.load("semantic_text_splitter")
    splitter = library.MarkdownSplitter if params.syntax == "markdown" else library.TextSplitter
    options = {"overlap": params.overlap, "trim": params.trim == "yes"}
    if params.unit == "characters":
        made = splitter(params.capacity, **options)
    elif workspace.tools.tokenizer == "cl100k_base":
        made = splitter.from_tiktoken_model("gpt-4", params.capacity, **options)  # its data is inside the library
    else:
        made = splitter.from_callback(base.counting(workspace), params.capacity, **options)
    return [base.place(text, start) for start, text in made.chunk_indices(base.given(workspace))]


PEERS: tuple[Peer, ...] = (
    Peer(
        name="semchunk",
        title="semchunk",
        summary="Splits at the most meaningful separator there is, again and again, and merges what fits.",
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
