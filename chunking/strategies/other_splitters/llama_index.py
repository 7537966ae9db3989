"""LlamaIndex: its node parsers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Any

from chunking.alignment.pieces import Piece
from chunking.errors import ChunkscopeError
from chunking.params import Parameters, parameter
from chunking.strategies.other_splitters import base
from chunking.strategies.other_splitters.base import Peer
from chunking.syntax import syntax
from chunking.workspace import DocumentAnalysis

_PARSERS = "llama_index.core.node_parser"

_TAGS = ("p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "b", "i", "u", "section")

_SUFFIXES: dict[str, tuple[str, ...]] = {
    "bash": (".sh", ".bash"),
    "c": (".c", ".h"),
    "cpp": (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx"),
    "csharp": (".cs",),
    "go": (".go",),
    "html": (".html", ".htm", ".xhtml"),
    "java": (".java",),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "json": (".json",),
    "php": (".php",),
    "python": (".py", ".pyi"),
    "ruby": (".rb",),
    "rust": (".rs",),
    "tsx": (".tsx",),
    "typescript": (".ts", ".mts", ".cts"),
}
"""File name suffixes of each language with a grammar."""

_LANGUAGE_OF_SUFFIX = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes}

_FROM_NAME = "by file name"

_EMBED_BATCH = 2048
"""The maximum that LlamaIndex allows: its default of 10 would make the encoder's batches small."""


@dataclass(frozen=True, kw_only=True)
class LlamaIndexSentenceParameters(Parameters):
    """Parameters of ``SentenceSplitter``."""

    chunk_size: int = base.chunk_size(1024, "tokens")
    chunk_overlap: int = base.chunk_overlap(200, "tokens")

    def validate(self) -> None:
        """Check that the overlap does not exceed the chunk."""
        base.check_overlap(self.chunk_size, self.chunk_overlap, equal=True)


@dataclass(frozen=True, kw_only=True)
class LlamaIndexSemanticParameters(Parameters):
    """Parameters of ``SemanticSplitterNodeParser``."""

    breakpoint_percentile_threshold: int = base.integer_parameter(
        95, "Percentile", "Gaps with a distance above this percentile of all distances are cut.", minimum=0, maximum=100
    )
    buffer_size: int = base.integer_parameter(
        1,
        "Buffer",
        "Neighbours on either side that are embedded together with each sentence.",
        minimum=0,
        maximum=10,
        unit="sentences",
    )


@dataclass(frozen=True, kw_only=True)
class LlamaIndexMarkdownParameters(Parameters):
    """Parameters of ``MarkdownNodeParser``: none changes a chunk."""


@dataclass(frozen=True, kw_only=True)
class LlamaIndexHTMLParameters(Parameters):
    """Parameters of ``HTMLNodeParser``."""

    tags: tuple[str, ...] = parameter(
        _TAGS,
        "Tags",
        "Elements whose text is kept; text in no other element is lost.",
        choices=(*_TAGS, "article", "blockquote", "code", "dd", "div", "dt", "pre", "span", "td", "th", "title"),
    )


@dataclass(frozen=True, kw_only=True)
class LlamaIndexJSONParameters(Parameters):
    """Parameters of ``JSONNodeParser``: none changes a chunk."""


@dataclass(frozen=True, kw_only=True)
class LlamaIndexCodeParameters(Parameters):
    """Parameters of ``CodeSplitter``, without its numbers of lines, which have no effect."""

    language: str = parameter(
        _FROM_NAME,
        "Language",
        "Language of the code; by default from the suffix of the document's name.",
        choices=(_FROM_NAME, *_SUFFIXES),
    )
    count_mode: str = parameter(
        "char", "Unit", "Whether characters or tokens limit a chunk.", choices=("char", "token")
    )
    max_chars: int = base.integer_parameter(
        1500,
        "Maximum in characters",
        "Used if the unit is characters.",
        minimum=1,
        maximum=100_000,
        step=50,
        unit="characters",
    )
    max_tokens: int = base.integer_parameter(
        512, "Maximum in tokens", "Used if the unit is tokens.", minimum=1, maximum=32_000, step=16, unit="tokens"
    )

    @property
    def inactive(self) -> frozenset[str]:
        """The maximum in the other unit."""
        return frozenset({"max_tokens" if self.count_mode == "char" else "max_chars"})


@dataclass(frozen=True, kw_only=True)
class LlamaIndexHierarchicalParameters(Parameters):
    """Parameters of ``HierarchicalNodeParser``."""

    chunk_size_1: int = base.chunk_size(2048, "tokens")
    chunk_size_2: int = base.chunk_size(512, "tokens")
    chunk_size_3: int = base.chunk_size(128, "tokens")
    chunk_overlap: int = base.chunk_overlap(20, "tokens")

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The sizes of the levels, outermost first."""
        return self.chunk_size_1, self.chunk_size_2, self.chunk_size_3

    def validate(self) -> None:
        """Check that the overlap fits the smallest chunk, and that each level is smaller than its parent."""
        base.check_overlap(min(self.sizes), self.chunk_overlap, equal=True)
        if not self.chunk_size_1 > self.chunk_size_2 > self.chunk_size_3:
            raise ChunkscopeError(
                "The chunk sizes do not decrease.", "Set each level to a smaller size than the one before."
            )


def _sentence_splitter(workspace: DocumentAnalysis, size: int, overlap: int) -> Any:
    count = base.token_counter(workspace)
    return base.import_module(_PARSERS).SentenceSplitter(
        chunk_size=size,
        chunk_overlap=overlap,
        # Only the number of tokens is used, so a range replaces the list of tokens.
        tokenizer=lambda text: range(count(text)),
        chunking_tokenizer_fn=_punkt_splitter(),
    )


def _punkt_splitter() -> Callable[[str], list[str]]:
    """Return LlamaIndex's default sentence splitter: Punkt without training data.

    The default also reads stop words, which it does not use: it downloads them where they are missing, and NLTK refuses
    them where they are hard links, as uv installs the files of a package.
    """
    split = base.import_module("llama_index.core.node_parser.text.utils").split_by_sentence_tokenizer_internal
    punkt = base.import_module("nltk.tokenize").PunktSentenceTokenizer()

    def sentences(text: str) -> list[str]:
        spans: list[str] = split(text, punkt)
        return spans

    return sentences


def _nodes(text: str, parser: Any) -> list[Any]:
    document = base.import_module("llama_index.core.schema").Document(text=text)
    nodes: list[Any] = parser.get_nodes_from_documents([document])
    return nodes


def _pieces(workspace: DocumentAnalysis, parser: Any) -> list[Piece]:
    return [
        Piece(node.text, node.start_char_idx, node.end_char_idx)
        for node in _nodes(base.readable_text(workspace), parser)
    ]


def _sentence(workspace: DocumentAnalysis, params: LlamaIndexSentenceParameters) -> list[Piece]:
    return _pieces(workspace, _sentence_splitter(workspace, params.chunk_size, params.chunk_overlap))


def _semantic(workspace: DocumentAnalysis, params: LlamaIndexSemanticParameters) -> list[Piece]:
    return _pieces(
        workspace,
        base.import_module(_PARSERS).SemanticSplitterNodeParser(
            embed_model=_embed_model(workspace),
            sentence_splitter=_punkt_splitter(),
            breakpoint_percentile_threshold=params.breakpoint_percentile_threshold,
            buffer_size=params.buffer_size,
        ),
    )


def _embed_model(workspace: DocumentAnalysis) -> Any:
    embed = base.embed_function(workspace)

    class LlamaIndexEmbedding(base.import_module("llama_index.core.embeddings").BaseEmbedding):  # type: ignore[misc]
        """The workspace's encoder with LlamaIndex's interface."""

        def _get_text_embedding(self, text: str) -> list[float]:
            return embed([text])[0]

        def _get_text_embeddings(self, texts: Sequence[str]) -> list[list[float]]:
            return embed(texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

    return LlamaIndexEmbedding(embed_batch_size=_EMBED_BATCH)


def _default(parser: str, workspace: DocumentAnalysis, params: Parameters) -> list[Piece]:
    """Return the pieces of a parser without parameters that change them."""
    return _pieces(workspace, getattr(base.import_module(_PARSERS), parser)())


def _html(workspace: DocumentAnalysis, params: LlamaIndexHTMLParameters) -> list[Piece]:
    text = base.html_source(workspace)
    parser = base.import_module(_PARSERS).HTMLNodeParser(tags=list(params.tags))
    if text is None:
        return _pieces(workspace, parser)
    # Its offsets refer to the file, not to the document.
    return [Piece(node.text) for node in _nodes(text, parser)]


def _code(workspace: DocumentAnalysis, params: LlamaIndexCodeParameters) -> list[Piece]:
    language = _language(workspace.document.name) if params.language == _FROM_NAME else params.language
    count = base.token_counter(workspace)
    splitter = base.import_module(_PARSERS).CodeSplitter(
        language=language,
        count_mode=params.count_mode,
        max_chars=params.max_chars,
        max_tokens=params.max_tokens,
        tokenizer=lambda text: range(count(text)),
        parser=base.import_module("tree_sitter").Parser(syntax.grammar(language)),
    )
    return _pieces(workspace, splitter)


def _language(name: str) -> str:
    """Return the language of a file by the suffix of its name."""
    suffix = PurePath(name).suffix.lower()
    if suffix not in _LANGUAGE_OF_SUFFIX:
        raise ChunkscopeError(
            f"The language of {name!r:.60} is not known from its name.",
            f"Set language to one of {', '.join(_SUFFIXES)}.",
        )
    return _LANGUAGE_OF_SUFFIX[suffix]


def _hierarchical(workspace: DocumentAnalysis, params: LlamaIndexHierarchicalParameters) -> list[Piece]:
    levels = {f"chunk_size_{size}": _sentence_splitter(workspace, size, params.chunk_overlap) for size in params.sizes}
    parser = base.import_module(_PARSERS).HierarchicalNodeParser.from_defaults(
        node_parser_ids=list(levels), node_parser_map=levels
    )
    pieces = []
    starts: dict[str, int | None] = {}
    for node in _nodes(base.readable_text(workspace), parser):
        # A child's offsets refer to the text of its parent, which precedes it in the list.
        around = 0 if node.parent_node is None else starts[node.parent_node.node_id]
        start = None if around is None or node.start_char_idx is None else around + node.start_char_idx
        starts[node.node_id] = start
        pieces.append(base.piece_from(node.text, start))
    return pieces


_peer = partial(Peer, library="LlamaIndex", licence="MIT", package="llama-index-core", modules=("llama_index.core",))

PEERS: tuple[Peer, ...] = (
    _peer(
        name="llamaindex_sentence",
        title="LlamaIndex SentenceSplitter",
        summary="SentenceSplitter: whole sentences up to a number of tokens, with overlap.",
        params=LlamaIndexSentenceParameters,
        call=_sentence,
    ),
    _peer(
        name="llamaindex_semantic",
        title="LlamaIndex SemanticSplitter",
        summary="SemanticSplitterNodeParser: cuts where sentences with their neighbours are far apart in meaning.",
        params=LlamaIndexSemanticParameters,
        call=_semantic,
    ),
    _peer(
        name="llamaindex_markdown",
        title="LlamaIndex Markdown",
        summary="MarkdownNodeParser: one chunk for each heading and its section.",
        params=LlamaIndexMarkdownParameters,
        call=partial(_default, "MarkdownNodeParser"),
    ),
    _peer(
        name="llamaindex_html",
        title="LlamaIndex HTML",
        summary="HTMLNodeParser: the text of chosen elements; neighbours of one kind are joined.",
        params=LlamaIndexHTMLParameters,
        call=_html,
        modules=("llama_index.core", "bs4"),
    ),
    _peer(
        name="llamaindex_json",
        title="LlamaIndex JSON",
        summary="JSONNodeParser: each value with the path to it, rewritten as lines.",
        params=LlamaIndexJSONParameters,
        call=partial(_default, "JSONNodeParser"),
    ),
    _peer(
        name="llamaindex_code",
        title="LlamaIndex Code",
        summary="CodeSplitter: parts of the syntax tree up to a size.",
        params=LlamaIndexCodeParameters,
        call=_code,
        modules=("llama_index.core", "tree_sitter"),
    ),
    _peer(
        name="llamaindex_hierarchical",
        title="LlamaIndex Hierarchical",
        summary="HierarchicalNodeParser: sentences in three sizes, the smaller inside the larger.",
        params=LlamaIndexHierarchicalParameters,
        call=_hierarchical,
        nests=True,
    ),
)
