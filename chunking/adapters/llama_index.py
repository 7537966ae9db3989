"""Any strategy as a node parser of LlamaIndex.

>>> from chunking.adapters.llama_index import ChunkscopeNodeParser
>>> parser = ChunkscopeNodeParser("heading:level=2")
>>> pipeline = IngestionPipeline(transformations=[parser, embed_model])  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from chunking.adapters import FromConfig, SplitPlan, SplitText
from chunking.adapters import setting as read_setting
from chunking.errors import ChunkscopeError
from chunking.export import children, neighbours
from chunking.export.records import excluded_from_embedding
from chunking.installation import optional
from chunking.params import Parameters, Value
from chunking.workspace import Models

_library = partial(optional, extra="peers", purpose="The adapter for LlamaIndex")

_parsers: Any = _library("llama_index.core.node_parser")
_schema: Any = _library("llama_index.core.schema")
_utils: Any = _library("llama_index.core.node_parser.node_utils")
_bridge: Any = _library("llama_index.core.bridge.pydantic")

_ID_FUNC = "id_func"


class ChunkscopeNodeParser(FromConfig, _parsers.NodeParser):  # type: ignore[misc]
    """Parses documents into nodes as a strategy of Chunkscope does.

    A node's text has its overlap before it, and ``start_char_idx`` and ``end_char_idx`` are the span of both in the
    text of what was parsed. Its metadata are those of the document and ``start_index``, ``end_index`` (the span of
    the node's text), ``chunk_start``, ``chunk_end`` (without its overlap), ``heading_path``, ``tokens`` and
    ``cut_reason``: see :func:`chunking.export.chunk_metadata`; the chunk's own are kept out of what is embedded and
    shown to a model. Offsets are the strategy's own; nothing is searched for. Relationships are as the library's own
    parsers set them: source, previous and next among the parts of the same chunk, and parent and children where the
    strategy nests.

    Args:
        setting: a strategy with its parameters, such as ``"structural:alpha=0.3"``.
        params: parameters of the strategy, or values that change those of ``setting``.
        encoder, tokenizer, splitter: names of what embeds, counts tokens and splits sentences.
        language: ISO 639-1 code; detected in each document where it is ``None``.
        format: ``"markdown"`` or ``"text"``; where it is ``None``, the suffix of the ``file_name`` or ``file_path`` in
            a document's metadata says it, and a document without one is Markdown.
        include_metadata, include_prev_next_rel, callback_manager, id_func: as of every node parser.

    Raises:
        ChunkscopeError: something that was named does not exist, or a value is not allowed.
    """

    setting: str = _bridge.Field(default="structural", description="A strategy with its parameters.")
    encoder: str | None = _bridge.Field(default=None, description="What embeds sentences; by language if absent.")
    tokenizer: str = _bridge.Field(default="", description="What counts tokens; by encoder if empty.")
    splitter: str | None = _bridge.Field(default=None, description="What splits sentences; by language if absent.")
    language: str | None = _bridge.Field(default=None, description="ISO 639-1 code; detected if absent.")
    format: str | None = _bridge.Field(default=None, description="markdown or text; by the file's name if absent.")

    def __init__(
        self, setting: str = "structural", params: Parameters | Mapping[str, Value] | None = None, **fields: Any
    ) -> None:
        # Read here and not by a validator, whose errors pydantic would wrap.
        super().__init__(setting=read_setting(setting, params).text, **fields)
        self._plan()

    @classmethod
    def class_name(cls) -> str:
        """Return the name that serialised parsers carry."""
        return "ChunkscopeNodeParser"

    @classmethod
    def from_dict(cls, data: dict[str, Any], **options: Any) -> ChunkscopeNodeParser:
        """Return the parser that ``to_dict`` described.

        Raises:
            ChunkscopeError: it made its ids by a function of its own, which no dictionary holds, and ``id_func`` is
                not given.
        """
        fields = dict(data)
        id_function = fields.get(_ID_FUNC)
        if isinstance(id_function, dict):
            name = id_function.get("id_func_name")
            if name != _utils.default_id_func.__name__ and _ID_FUNC not in options:
                raise ChunkscopeError(
                    f"The parser made its ids by {name!r:.60}, which a dictionary cannot hold.",
                    "Give the function: from_dict(data, id_func=…).",
                )
            del fields[_ID_FUNC]
        parser: ChunkscopeNodeParser = super().from_dict(fields, **options)
        return parser

    def _plan(self) -> SplitPlan:
        tools = Models(self.encoder, self.tokenizer, self.splitter)
        return SplitPlan(read_setting(self.setting), tools, self.language, self.format)

    def _parse_nodes(self, nodes: Sequence[Any], show_progress: bool = False, **_: Any) -> list[Any]:
        bar = _library("llama_index.core.utils").get_tqdm_iterable
        texts = [(_text(node), _name(node)) for node in nodes]
        splits = self._plan().run(texts)
        return [
            chunk_node
            for node, split in zip(bar(nodes, show_progress, "Parsing nodes"), splits, strict=True)
            for chunk_node in self._nodes(node, split)
        ]

    def _postprocess_parsed_nodes(self, nodes: list[Any], parent_doc_map: dict[str, Any]) -> list[Any]:
        """Skip the library's search for offsets: they are known."""
        return nodes

    def _nodes(self, source: Any, split: SplitText) -> list[Any]:
        chunk_nodes = _utils.build_nodes_from_splits(split.texts, source, id_func=self.id_func)
        origin = source.source_node or source.as_related_node_info()
        kind = _schema.NodeRelationship
        for node, chunk, chunk_metadata in zip(chunk_nodes, split.chunks, split.metadata, strict=True):
            node.metadata = {**(source.metadata if self.include_metadata else {}), **chunk_metadata}
            for excluded, names in (
                (node.excluded_embed_metadata_keys, excluded_from_embedding(chunk_metadata)),
                (node.excluded_llm_metadata_keys, list(chunk_metadata)),
            ):
                excluded.extend(name for name in names if name not in excluded)
            node.embedding = None  # that of the whole document is not the chunk's
            node.start_char_idx, node.end_char_idx = chunk.indexed_start, chunk.end
            node.relationships = {kind.SOURCE: origin}
        # A related node is given with its metadata and hash, so all nodes must be whole before the first is related.
        infos = [node.as_related_node_info() for node in chunk_nodes]
        parts = children(split.chunks)
        for index, ((before, after), chunk) in enumerate(zip(neighbours(split.chunks), split.chunks, strict=True)):
            related = {kind.PARENT: chunk.parent}
            if self.include_prev_next_rel:
                related |= {kind.PREVIOUS: before, kind.NEXT: after}
            relations = {name: infos[other] for name, other in related.items() if other is not None}
            if index in parts:
                relations[kind.CHILD] = [infos[part] for part in parts[index]]
            chunk_nodes[index].relationships = {**chunk_nodes[index].relationships, **relations}
        return list(chunk_nodes)


def _text(node: Any) -> str:
    return str(node.get_content(metadata_mode=_schema.MetadataMode.NONE))


def _name(node: Any) -> str:
    candidates = (node.metadata.get(name) for name in ("file_name", "file_path"))
    return next((name for name in candidates if isinstance(name, str)), "")
