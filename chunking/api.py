"""The shortest way from a text to its chunks."""

from __future__ import annotations

from chunking import strategies
from chunking.chunks import Chunk
from chunking.document import Document
from chunking.embedding.vector_cache import VectorCache
from chunking.loading import from_text
from chunking.workspace import Tools, Workspace


def split(
    source: str | Document,
    setting: str = "structural",
    tools: Tools | None = None,
    cache: VectorCache | None = None,
) -> tuple[Chunk, ...]:
    """Split a text or a document into chunks.

    Args:
        source: a document, or a text, which is read as Markdown; for other formats see :func:`chunking.load`.
        setting: a strategy with its parameters: ``NAME`` or ``NAME:KEY=VALUE;KEY=VALUE``.
        tools: encoder, tokenizer and sentence splitter.
        cache: where vectors and sentences are kept, such as
            :func:`chunking.embedding.vector_cache.default_cache`; ``None`` keeps nothing.

    Returns:
        The chunks in order. ``chunk.text == document.text[chunk.start:chunk.end]``.

    Raises:
        ChunkscopeError: there is no such strategy or parameter, or what the strategy needs is not installed.

    >>> for chunk in split("# Tea\\n\\nBoil water.\\n\\n# Bread\\n\\nKnead dough.\\n", "heading:level=1"):
    ...     print(chunk.start, chunk.end, chunk.heading_path)
    0 20 ('Tea',)
    20 42 ('Bread',)
    """
    document = from_text(source) if isinstance(source, str) else source
    return strategies.parse(setting).run(Workspace(document, tools, cache)).chunks
