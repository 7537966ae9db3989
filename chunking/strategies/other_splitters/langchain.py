"""LangChain: the recursive splitter, the Markdown header splitter and the SemanticChunker."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from chunking.alignment.pieces import Piece
from chunking.params import Parameters, parameter
from chunking.signals.thresholds import AMOUNT_OF, RULES, Rule
from chunking.strategies.other_splitters import base
from chunking.strategies.other_splitters.base import Peer
from chunking.workspace import DocumentAnalysis

_LANGUAGES = (
    *("cpp", "go", "java", "kotlin", "js", "ts", "php", "proto", "python", "r", "rst", "ruby", "rust", "scala"),
    *("swift", "markdown", "latex", "html", "sol", "csharp", "cobol", "c", "lua", "haskell", "elixir", "powershell"),
    "visualbasic6",
)
"""The languages for which LangChain has separators."""


@dataclass(frozen=True, kw_only=True)
class LangChainRecursiveParameters(Parameters):
    """Parameters of ``RecursiveCharacterTextSplitter``."""

    chunk_size: int = base.chunk_size(4000)
    chunk_overlap: int = base.chunk_overlap(200)
    unit: str = base.unit_choice()
    separators: str = parameter(
        "text",
        "Separators",
        "Blank lines, line ends, spaces and characters for text; for a language, LangChain's own list.",
        choices=("text", *_LANGUAGES),
    )
    keep_separator: str = parameter(
        "start",
        "Keep separators",
        "Which chunk keeps the separator: the next one (start), the previous one (end) or none.",
        choices=("start", "end", "none"),
    )

    def validate(self) -> None:
        """Check that the overlap does not exceed the chunk."""
        base.check_overlap(self.chunk_size, self.chunk_overlap, equal=True)


@dataclass(frozen=True, kw_only=True)
class LangChainMarkdownParameters(Parameters):
    """Parameters of ``MarkdownHeaderTextSplitter``."""

    level: int = base.integer_parameter(
        3,
        "Deepest heading",
        "Headings up to this level begin a chunk. LangChain has no default; its documentation uses 3.",
        minimum=1,
        maximum=6,
    )
    headings: str = parameter(
        "strip", "Headings", "Whether the text of a chunk includes its heading.", choices=("strip", "keep")
    )


@dataclass(frozen=True, kw_only=True)
class LangChainSemanticParameters(Parameters):
    """Parameters of ``SemanticChunker``."""

    threshold: str = parameter(
        "percentile", "Threshold rule", "How the threshold is computed from the distances.", choices=RULES
    )
    percentile: float = parameter(
        95.0,
        "Percentile",
        "Percentile of the distances, or of their slopes; used by the rules percentile and gradient.",
        minimum=0.0,
        maximum=100.0,
        step=0.1,
    )
    deviations: float = parameter(
        3.0,
        "Standard deviations",
        "Standard deviations above the mean; used by the rule standard_deviation.",
        minimum=0.0,
        maximum=6.0,
        step=0.1,
    )
    iqr_factor: float = parameter(
        1.5,
        "Interquartile ranges",
        "Interquartile ranges above the mean; used by the rule interquartile.",
        minimum=0.0,
        maximum=6.0,
        step=0.1,
    )
    buffer: int = base.integer_parameter(
        1,
        "Buffer",
        "Neighbours on either side that are embedded together with each sentence.",
        minimum=0,
        maximum=10,
        unit="sentences",
    )
    min_chunk_size: int = base.integer_parameter(
        0,
        "Minimum",
        "Cuts that would end a shorter chunk are skipped; 0 for no minimum.",
        minimum=0,
        maximum=100_000,
        step=10,
        unit="characters",
    )

    @property
    def amount(self) -> float:
        """The value of the parameter that the threshold rule uses."""
        return cast(float, getattr(self, AMOUNT_OF[cast(Rule, self.threshold)]))


def _recursive(workspace: DocumentAnalysis, params: LangChainRecursiveParameters) -> list[Piece]:
    library = base.import_module("langchain_text_splitters")
    options = {
        "chunk_size": params.chunk_size,
        "chunk_overlap": params.chunk_overlap,
        "length_function": base.token_counter(workspace) if params.unit == "tokens" else len,
        "keep_separator": False if params.keep_separator == "none" else params.keep_separator,
        "add_start_index": True,
    }
    splitter = library.RecursiveCharacterTextSplitter
    if params.separators == "text":
        configured_splitter = splitter(**options)
    else:
        configured_splitter = splitter.from_language(library.Language(params.separators), **options)
    page = base.html_source(workspace) if params.separators == "html" else None
    if page is not None:
        # Its offsets refer to the file, not to the document.
        return [Piece(text) for text in configured_splitter.split_text(page)]
    return _with_start(configured_splitter.create_documents([base.readable_text(workspace)]))


def _with_start(documents: list[Any]) -> list[Piece]:
    pieces = []
    for document in documents:
        start = document.metadata["start_index"]
        pieces.append(base.piece_from(document.page_content, start if start >= 0 else None))
    return pieces


def _markdown(workspace: DocumentAnalysis, params: LangChainMarkdownParameters) -> list[Piece]:
    library = base.import_module("langchain_text_splitters")
    headers = [("#" * level, f"Header {level}") for level in range(1, params.level + 1)]
    splitter = library.MarkdownHeaderTextSplitter(headers, strip_headers=params.headings == "strip")
    return [Piece(document.page_content, None, None) for document in splitter.split_text(base.readable_text(workspace))]


def semantic_chunker(workspace: DocumentAnalysis, params: LangChainSemanticParameters) -> Any:
    """Return LangChain's ``SemanticChunker`` with the workspace's encoder."""
    embed = base.embed_function(workspace)

    class LangChainEmbeddings(base.import_module("langchain_core.embeddings").Embeddings):  # type: ignore[misc]
        """The workspace's encoder with LangChain's interface."""

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            """Embed texts."""
            return embed(texts)

        def embed_query(self, text: str) -> list[float]:
            """Embed a text."""
            return embed([text])[0]

    return base.import_module("langchain_experimental.text_splitter").SemanticChunker(
        LangChainEmbeddings(),
        buffer_size=params.buffer,
        add_start_index=True,
        breakpoint_threshold_type=params.threshold,
        breakpoint_threshold_amount=params.amount,
        min_chunk_size=params.min_chunk_size or None,
    )


def _semantic(workspace: DocumentAnalysis, params: LangChainSemanticParameters) -> list[Piece]:
    # Its start_index sums the lengths of the chunks without the white space lost between them, so it is too small from
    # the second chunk on: no hint is better.
    documents = semantic_chunker(workspace, params).create_documents([base.readable_text(workspace)])
    return [Piece(document.page_content, None, None) for document in documents]


_peer = partial(
    Peer,
    library="LangChain",
    licence="MIT",
    package="langchain-text-splitters",
    modules=("langchain_text_splitters",),
)

PEERS: tuple[Peer, ...] = (
    _peer(
        name="langchain_recursive",
        title="LangChain recursive",
        summary="RecursiveCharacterTextSplitter: splits at the coarsest separator that yields pieces of the size.",
        params=LangChainRecursiveParameters,
        call=_recursive,
    ),
    _peer(
        name="langchain_markdown",
        title="LangChain Markdown headers",
        summary="MarkdownHeaderTextSplitter: one chunk for each section under a heading.",
        params=LangChainMarkdownParameters,
        call=_markdown,
    ),
    _peer(
        name="langchain_semantic",
        title="LangChain SemanticChunker",
        summary="SemanticChunker: cuts where sentences with their neighbours are unusually far apart in meaning.",
        package="langchain-experimental",
        modules=("langchain_experimental", "langchain_core"),
        params=LangChainSemanticParameters,
        call=_semantic,
    ),
)
