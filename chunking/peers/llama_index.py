"""LlamaIndex: its node parsers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from chunking.alignment.pieces import Piece
from chunking.errors import ChunkscopeError
from chunking.params import Parameters, parameter
from chunking.peers import base
from chunking.peers.base import Peer
from chunking.syntax import syntax
from chunking.workspace import Workspace

_PARSERS = "llama_index.core.node_parser"

_TAGS = ("p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "b", "i", "u", "section")

_ENDINGS: dict[str, tuple[str, ...]] = {
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
"""The endings of the files of each language that there is a grammar for."""

_BY_ENDING = {ending: language for language, endings in _ENDINGS.items() for ending in endings}

_BY_NAME = "by file name"

_EMBED_BATCH = 2048
"""The largest that LlamaIndex allows: its default of 10 would have the encoder run in small batches."""


@dataclass(frozen=True, kw_only=True)
class LlamaIndexSentenceParameters(Parameters):
    """Parameters of ``SentenceSplitter``."""

    chunk_size: int = base.chunk_size(1024, "tokens")
    chunk_overlap: int = base.chunk_overlap(200, "tokens")

    def check_together(self) -> None:
        """The overlap must not exceed the chunk."""
        base.check_overlap(self.chunk_size, self.chunk_overlap, equal=True)


@dataclass(frozen=True, kw_only=True)
class LlamaIndexSemanticParameters(Parameters):
    """Parameters of ``SemanticSplitterNodeParser``."""

    breakpoint_percentile_threshold: int = base.whole(
        95, "Percentile", "Distances above this percentile of all of them are cut.", minimum=0, maximum=100
    )
    buffer_size: int = base.whole(
        1,
        "Buffer",
        "Neighbours on either side that are embedded together with each sentence.",
        minimum=0,
        maximum=10,
        unit="sentences",
    )


@dataclass(frozen=True, kw_only=True)
class LlamaIndexMarkdownParameters(Parameters):
    """``MarkdownNodeParser`` has no parameter that changes a chunk."""


@dataclass(frozen=True, kw_only=True)
class LlamaIndexHTMLParameters(Parameters):
    """Parameters of ``HTMLNodeParser``."""

    tags: tuple[str, ...] = parameter(
        _TAGS,
        "Tags",
        "Elements whose text is taken; what stands in no other element is lost.",
        choices=(*_TAGS, "article", "blockquote", "code", "dd", "div", "dt", "pre", "span", "td", "th", "title"),
    )


@dataclass(frozen=True, kw_only=True)
class LlamaIndexJSONParameters(Parameters):
    """``JSONNodeParser`` has no parameter that changes a chunk."""


@dataclass(frozen=True, kw_only=True)
class LlamaIndexCodeParameters(Parameters):
    """Parameters of ``CodeSplitter``; its numbers of lines change nothing, so they are not offered."""

    language: str = parameter(
        _BY_NAME, "Language", "Of the code; by the ending of the document's name.", choices=(_BY_NAME, *_ENDINGS)
    )
    count_mode: str = parameter(
        "char", "Counted in", "Whether characters or tokens limit a chunk.", choices=("char", "token")
    )
    max_chars: int = base.whole(
        1500,
        "Maximum in characters",
        "Read where characters are counted.",
        minimum=1,
        maximum=100_000,
        step=50,
        unit="characters",
    )
    max_tokens: int = base.whole(
        512, "Maximum in tokens", "Read where tokens are counted.", minimum=1, maximum=32_000, step=16, unit="tokens"
    )

    @property
    def idle(self) -> frozenset[str]:
        """The maximum in what is not counted."""
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

    def check_together(self) -> None:
        """The overlap must not exceed the smallest chunk, and each level must be smaller than the one around it."""
        base.check_overlap(min(self.sizes), self.chunk_overlap, equal=True)
        if not self.chunk_size_1 > self.chunk_size_2 > self.chunk_size_3:
            raise ChunkscopeError("The chunk sizes do not decrease.", "Make each level smaller than the one before.")


def _sentence_splitter(workspace: Workspace, size: int, overlap: int) -> Any:
    count = base.counting(workspace)
    return base.load(_PARSERS).SentenceSplitter(
        chunk_size=size,
        chunk_overlap=overlap,
        # Only the number of tokens is read, so that a range is as good as a list of them.
        tokenizer=lambda text: range(count(text)),
        chunking_tokenizer_fn=_by_punkt(),
    )


def _by_punkt() -> Callable[[str], list[str]]:
    """LlamaIndex's default sentences: Punkt without training data.

    Made here because the default looks for data of nltk that it never reads, and downloads it where it is not found.
    """
    split = base.load("llama_index.core.node_parser.text.utils").split_by_sentence_tokenizer_internal
    punkt = base.load("nltk.tokenize").PunktSentenceTokenizer()

    def sentences(text: str) -> list[str]:
        found: list[str] = split(text, punkt)
        return found

    return sentences


def _nodes(text: str, parser: Any) -> list[Any]:
    document = base.load("llama_index.core.schema").Document(text=text)
    nodes: list[Any] = parser.get_nodes_from_documents([document])
    return nodes


def _pieces(workspace: Workspace, parser: Any) -> list[Piece]:
    return [Piece(node.text, node.start_char_idx, node.end_char_idx) for node in _nodes(base.given(workspace), parser)]


def _sentence(workspace: Workspace, params: LlamaIndexSentenceParameters) -> list[Piece]:
    return _pieces(workspace, _sentence_splitter(workspace, params.chunk_size, params.chunk_overlap))


def _semantic(workspace: Workspace, params: LlamaIndexSemanticParameters) -> list[Piece]:
    return _pieces(
        workspace,
        base.load(_PARSERS).SemanticSplitterNodeParser(
            embed_model=_embed_model(workspace),
            sentence_splitter=_by_punkt(),
            breakpoint_percentile_threshold=params.breakpoint_percentile_threshold,
            buffer_size=params.buffer_size,
        ),
    )


def _embed_model(workspace: Workspace) -> Any:
    embed = base.embedding(workspace)

    class WorkspaceEmbedding(base.load("llama_index.core.embeddings").BaseEmbedding):  # type: ignore[misc]
        """The workspace's encoder as LlamaIndex wants it."""

        def _get_text_embedding(self, text: str) -> list[float]:
            return embed([text])[0]

        def _get_text_embeddings(self, texts: Sequence[str]) -> list[list[float]]:
            return embed(texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

    return WorkspaceEmbedding(embed_batch_size=_EMBED_BATCH)


def _markdown(workspace: Workspace, params: LlamaIndexMarkdownParameters) -> list[Piece]:
    return _pieces(workspace, base.load(_PARSERS).MarkdownNodeParser())


def _html(workspace: Workspace, params: LlamaIndexHTMLParameters) -> list[Piece]:
    text = base.given_html(workspace)
    parser = base.load(_PARSERS).HTMLNodeParser(tags=list(params.tags))
    if text is None:
        return _pieces(workspace, parser)
    # The places that it gives are those in the file.
    return [Piece(node.text) for node in _nodes(text, parser)]


def _json(workspace: Workspace, params: LlamaIndexJSONParameters) -> list[Piece]:
    return _pieces(workspace, base.load(_PARSERS).JSONNodeParser())


def _code(workspace: Workspace, params: LlamaIndexCodeParameters) -> list[Piece]:
    language = _language(workspace.document.name) if params.language == _BY_NAME else params.language
    count = base.counting(workspace)
    splitter = base.load(_PARSERS).CodeSplitter(
        language=language,
        count_mode=params.count_mode,
        max_chars=params.max_chars,
        max_tokens=params.max_tokens,
        tokenizer=lambda text: range(count(text)),
        parser=base.load("tree_sitter").Parser(syntax.grammar(language)),
    )
    return _pieces(workspace, splitter)


def _language(name: str) -> str:
    """The language of a file, by the ending of its name."""
    ending = PurePath(name).suffix.lower()
    if ending not in _BY_ENDING:
        raise ChunkscopeError(
            f"The language of {name!r:.60} cannot be told from its name.",
            f"Choose one: language is one of {', '.join(_ENDINGS)}.",
        )
    return _BY_ENDING[ending]


def _hierarchical(workspace: Workspace, params: LlamaIndexHierarchicalParameters) -> list[Piece]:
    levels = {f"chunk_size_{size}": _sentence_splitter(workspace, size, params.chunk_overlap) for size in params.sizes}
    parser = base.load(_PARSERS).HierarchicalNodeParser.from_defaults(
        node_parser_ids=list(levels), node_parser_map=levels
    )
    pieces = []
    starts: dict[str, int | None] = {}
    for node in _nodes(base.given(workspace), parser):
        # A child's place is given in the text of its parent, which stands before it in the list.
        around = 0 if node.parent_node is None else starts[node.parent_node.node_id]
        start = None if around is None or node.start_char_idx is None else around + node.start_char_idx
        starts[node.node_id] = start
        pieces.append(base.place(node.text, start))
    return pieces


def _peer(
    name: str,
    title: str,
    summary: str,
    params: type[Parameters],
    call: Callable[[Workspace, Any], list[Piece]],
    *needs: str,
    nests: bool = False,
) -> Peer:
    return Peer(
        name=f"llamaindex_{name}",
        title=f"LlamaIndex {title}",
        summary=summary,
        library="LlamaIndex",
        licence="MIT",
        package="llama-index-core",
        modules=("llama_index.core", *needs),
        params=params,
        call=call,
        nests=nests,
    )


PEERS: tuple[Peer, ...] = (
    _peer(
        "sentence",
        "SentenceSplitter",
        "SentenceSplitter: whole sentences up to a number of tokens, with overlap.",
        LlamaIndexSentenceParameters,
        _sentence,
    ),
    _peer(
        "semantic",
        "SemanticSplitter",
        "SemanticSplitterNodeParser: cuts where sentences with their neighbours are far apart in meaning.",
        LlamaIndexSemanticParameters,
        _semantic,
    ),
    _peer(
        "markdown",
        "Markdown",
        "MarkdownNodeParser: a chunk for each heading with what follows it.",
        LlamaIndexMarkdownParameters,
        _markdown,
    ),
    _peer(
        "html",
        "HTML",
        "HTMLNodeParser: the text of chosen elements, neighbours of one kind together.",
        LlamaIndexHTMLParameters,
        _html,
        "bs4",
    ),
    _peer(
        "json",
        "JSON",
        "JSONNodeParser: each value with the path to it, rewritten as lines.",
        LlamaIndexJSONParameters,
        _json,
    ),
    _peer(
        "code",
        "Code",
        "CodeSplitter: parts of the syntax tree up to a size.",
        LlamaIndexCodeParameters,
        _code,
        "tree_sitter",
    ),
    _peer(
        "hierarchical",
        "Hierarchical",
        "HierarchicalNodeParser: sentences in three sizes, the smaller inside the larger.",
        LlamaIndexHierarchicalParameters,
        _hierarchical,
        nests=True,
    ),
)
