"""Any strategy inside another library's pipeline: what was tuned is what runs.

:mod:`chunking.adapters.langchain` is a ``TextSplitter`` for LangChain, :mod:`chunking.adapters.llama_index` a
``NodeParser`` for LlamaIndex. Each imports its library, and nothing else here does; nothing in the engine imports
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from chunking import embedding, export, sentences, strategies, tokens
from chunking.chunks import Chunk
from chunking.document import Span
from chunking.embedding.vector_cache import VectorCache, default_cache
from chunking.errors import ChunkscopeError
from chunking.loading import FORMATS, TEXT_FORMATS, format_of, from_text
from chunking.params import Parameters, Value
from chunking.settings import load_settings
from chunking.strategies import Segmentation, Setting
from chunking.workspace import DocumentAnalysis, Models

_BYTE_ORDER_MARK = "\ufeff"


def setting(text: str, params: Parameters | Mapping[str, Value] | None = None) -> Setting:
    """Return the setting that an adapter is made with.

    Args:
        text: ``NAME`` or ``NAME:KEY=VALUE;KEY=VALUE``, as :func:`chunking.strategies.parse` takes it.
        params: the parameters of the strategy, or values that change those of ``text``.

    Raises:
        ChunkscopeError: there is no such strategy or parameter, or a value is not allowed.
    """
    parsed_setting = strategies.parse(text)
    if params is None:
        return parsed_setting
    kind = parsed_setting.strategy.params
    if isinstance(params, Parameters):
        if not isinstance(params, kind):
            type_name = type(params).__name__
            raise ChunkscopeError(
                f"{type_name} are no parameters of {parsed_setting.strategy.name}.", f"Give {kind.__name__}."
            )
        return replace(parsed_setting, params=params)
    for name in params:
        kind.lookup(name)  # says which there are
    return replace(parsed_setting, params=kind.parse({}, parsed_setting.params.values() | dict(params)))


class FromConfig:
    """An adapter that a settings file can make."""

    @classmethod
    def from_config(cls, path: str | Path, name: str | None = None, **options: Any) -> Self:
        """Return the adapter of a setting in a settings file.

        Args:
            path: the file, see :func:`chunking.load_settings`.
            name: the setting; ``None`` for the only one.
            options: further arguments, which win over the file.

        Raises:
            ChunkscopeError: the file cannot be read or is wrong, or it has no such setting.
        """
        file = load_settings(path)
        defaults = {"setting": file.setting(name).text, **vars(file.tools), "language": file.language}
        return cls(**(defaults | options))


@dataclass(frozen=True)
class SplitText:
    """What a strategy made of a text.

    Attributes:
        segmentation: its document is the text without a byte order mark at its start.
        before: characters of the text that the document has not: 1 where there was a mark, else 0.
    """

    segmentation: Segmentation
    before: int = 0

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """The chunks, with spans of the text as it was given."""
        chunks = self.segmentation.chunks
        return tuple(_move_offsets(chunk, self.before) for chunk in chunks) if self.before else chunks

    @property
    def texts(self) -> list[str]:
        """What is indexed of each chunk: see :func:`chunking.export.indexed_text`."""
        return [export.indexed_text(self.segmentation, chunk) for chunk in self.segmentation.chunks]

    @property
    def metadata(self) -> list[dict[str, Any]]:
        """The metadata of each chunk: see :func:`chunking.export.chunk_metadata`."""
        return export.chunk_metadata(replace(self.segmentation, chunks=self.chunks))


def _move_offsets(chunk: Chunk, by: int) -> Chunk:
    overlap = chunk.overlap and Span(chunk.overlap.start + by, chunk.overlap.end + by)
    return replace(chunk, start=chunk.start + by, end=chunk.end + by, overlap=overlap)


@dataclass(frozen=True)
class SplitPlan:
    """How texts are split: the same for every text of a pipeline.

    Attributes:
        setting: the strategy and its parameters.
        tools: encoder, tokenizer and sentence splitter.
        language: ISO 639-1 code; ``None`` to detect it in each text.
        format: one of :data:`chunking.loading.TEXT_FORMATS`; ``None`` for what a file of the text's name would be, and
            for Markdown where a text has no name.

    Raises:
        ChunkscopeError: there is no such encoder, tokenizer, splitter or format.
    """

    setting: Setting
    tools: Models
    language: str | None = None
    format: str | None = None

    def __post_init__(self) -> None:
        embedding.get_encoder(self.tools.retrieval_encoder)
        for option, options in (
            (self.tools.tokenizer, tokens.tokenizer_names()),
            (self.tools.splitter, (None, *sentences.SPLITTERS)),
            (self.format, (None, *TEXT_FORMATS)),
        ):
            if option not in options:
                names = ", ".join(name for name in options if name)
                raise ChunkscopeError(f"There is no {option!r:.40} to split with.", f"Choose one of {names}.")

    def run(self, texts: Iterable[tuple[str, str]]) -> Iterator[SplitText]:
        """Split texts, each given with its name; vectors are looked up in and added to the user's cache."""
        with closing(default_cache()) as cache:
            for text, name in texts:
                yield self._split(text, name, cache)

    def _split(self, text: str, name: str, cache: VectorCache) -> SplitText:
        mark = text.startswith(_BYTE_ORDER_MARK)
        document = from_text(text, name or "untitled", self._format(name, text), self.language)
        return SplitText(self.setting.run(DocumentAnalysis(document, self.tools, cache)), int(mark))

    def _format(self, name: str, text: str) -> str:
        if self.format:
            return self.format
        file_format = format_of(text.encode("utf-8", "replace")[:400], name) if name else FORMATS["markdown"]
        return file_format.name if file_format.kind == "text" else "text"
