"""The shortest ways from a text to its chunks, and to a picture of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chunking import strategies
from chunking.chunks import Chunk
from chunking.chunks.edits import Edit
from chunking.document import Document
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.loading import from_text
from chunking.strategies import Setting
from chunking.workspace import DocumentAnalysis, Models

if TYPE_CHECKING:
    from chunking.standalone import StandalonePage


def split(
    source: str | Document,
    setting: str | Setting = "structural",
    tools: Models | None = None,
    cache: VectorCache | None = None,
    edits: Sequence[Edit] = (),
) -> tuple[Chunk, ...]:
    """Split a text or a document into chunks.

    Args:
        source: a document, or a text, which is read as Markdown; for other formats see :func:`chunking.load`.
        setting: a strategy with its parameters: ``NAME`` or ``NAME:KEY=VALUE;KEY=VALUE``, or a setting of a file
            (:func:`chunking.load_settings`).
        tools: encoder, tokenizer and sentence splitter.
        cache: where vectors and sentences are kept, such as
            :func:`chunking.embedding.vector_cache.default_cache`; ``None`` keeps nothing.
        edits: by hand, see :mod:`chunking.chunks.edits`; those of a settings file are ``file.edits_for(path)``.

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
    parsed_setting = strategies.parse(setting) if isinstance(setting, str) else setting
    return parsed_setting.run(DocumentAnalysis(document, tools, cache).with_edits(edits)).chunks


def inspect(
    source: str | Document,
    setting: str | Setting = "structural",
    tools: Models | None = None,
    cache: VectorCache | None = None,
) -> StandalonePage:
    """Return where a document breaks, and why, as a page: a notebook shows it, and ``save`` writes it.

    Args:
        source: a document, or a text, as for :func:`split`.
        setting: a strategy with its parameters.
        tools: as for :func:`split`.
        cache: as for :func:`split`.

    Raises:
        ChunkscopeError: there is no such strategy or parameter, or what the strategy needs is not installed.

    >>> tools = Models("char-ngrams", splitter="rules")
    >>> text = "# Tea\\n\\nBoil water. Wait.\\n\\n# Bread\\n\\nKnead it.\\n"
    >>> page = inspect(text, "structural:min_tokens=0", tools)
    >>> [chunk.start for chunk in page.segmentations[0].chunks]
    [0, 26]
    """
    return compare(source, [setting], tools, cache)


def compare(
    source: str | Document,
    settings: Sequence[str | Setting],
    tools: Models | None = None,
    cache: VectorCache | None = None,
) -> StandalonePage:
    """Return what several settings make of a document, as a page; see :func:`inspect`.

    Args:
        source: a document, or a text, as for :func:`split`.
        settings: strategies with their parameters; the first is shown first.
        tools: as for :func:`split`.
        cache: as for :func:`split`.

    Raises:
        ChunkscopeError: no setting is given, there is no such strategy or parameter, or what one needs is not
            installed.
    """
    # Only pages need these, and whoever splits does not wait for them.
    from chunking.comparison import report
    from chunking.standalone import StandalonePage

    if not settings:
        raise ChunkscopeError("No setting is given.", "Name one or more strategies, such as 'structural'.")
    document = from_text(source) if isinstance(source, str) else source
    workspace = DocumentAnalysis(document, tools, cache)
    parsed_settings = [strategies.parse(setting) if isinstance(setting, str) else setting for setting in settings]
    entries = [report.entry(setting, setting.run(workspace)) for setting in parsed_settings]
    return StandalonePage(workspace, report.make(workspace, entries), document.name)
