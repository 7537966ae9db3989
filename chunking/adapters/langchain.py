"""Any strategy as a text splitter of LangChain.

>>> from chunking.adapters.langchain import ChunkscopeTextSplitter
>>> splitter = ChunkscopeTextSplitter("sentence:max_tokens=200;overlap=1")
>>> documents = splitter.split_documents(loader.load())  # doctest: +SKIP
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from chunking.adapters import FromConfig, SplitPlan, SplitText, setting
from chunking.installation import optional
from chunking.params import Parameters, Value
from chunking.workspace import Models

_library = partial(optional, extra="peers", purpose="The adapter for LangChain")

_splitters: Any = _library("langchain_text_splitters")
_documents: Any = _library("langchain_core.documents")


class ChunkscopeTextSplitter(FromConfig, _splitters.TextSplitter):  # type: ignore[misc]
    """Splits texts as a strategy of Chunkscope does.

    The text of a chunk has its overlap before it. Its metadata are those of the text it comes from and
    ``start_index``, ``end_index`` (the span of that text, overlap included), ``chunk_start``, ``chunk_end`` (the span
    without the overlap), ``heading_path``, ``tokens`` and ``cut_reason``: see
    :func:`chunking.export.chunk_metadata`. Offsets are the strategy's own; nothing is searched for.

    Args:
        setting: a strategy with its parameters, such as ``"structural:alpha=0.3"``.
        params: parameters of the strategy, or values that change those of ``setting``.
        encoder, tokenizer, splitter: names of what embeds, counts tokens and splits sentences.
        language: ISO 639-1 code; detected in each text where it is ``None``.
        format: ``"markdown"`` or ``"text"``; where it is ``None``, the suffix of the ``source`` in a text's metadata
            says it, and a text without one is Markdown.

    Raises:
        ChunkscopeError: something that was named does not exist, or a value is not allowed.
    """

    def __init__(
        self,
        setting: str = "structural",
        params: Parameters | Mapping[str, Value] | None = None,
        *,
        encoder: str | None = None,
        tokenizer: str = "",
        splitter: str | None = None,
        language: str | None = None,
        format: str | None = None,
    ) -> None:
        super().__init__(add_start_index=True, strip_whitespace=False)
        self._plan = SplitPlan(_setting(setting, params), Models(encoder, tokenizer, splitter), language, format)

    @property
    def setting(self) -> str:
        """The strategy with its parameters, as a line."""
        return self._plan.setting.text

    def split_text(self, text: str) -> list[str]:
        """Return the texts of the chunks, each with its overlap before it."""
        return [part for split in self._plan.run([(text, "")]) for part in split.texts]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Any]:
        """Return a ``Document`` for each chunk of each text, with the text's metadata and the chunk's own."""
        all_metadata = metadatas or [{} for _ in texts]
        named_texts = [(text, _name(metadata)) for text, metadata in zip(texts, all_metadata, strict=True)]
        return [
            document
            for split, metadata in zip(self._plan.run(named_texts), all_metadata, strict=True)
            for document in _documents_of(split, metadata)
        ]


_setting = setting
"""Under another name, since the argument of the constructor is called so too."""


def _name(metadata: Mapping[Any, Any]) -> str:
    source = metadata.get("source")
    return source if isinstance(source, str) else ""


def _documents_of(split: SplitText, metadata: Mapping[Any, Any]) -> Iterable[Any]:
    for text, chunk_metadata in zip(split.texts, split.metadata, strict=True):
        yield _documents.Document(page_content=text, metadata=copy.deepcopy(dict(metadata)) | chunk_metadata)
