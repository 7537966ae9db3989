"""Chunkscope's engine: where a document breaks into chunks, and why.

    >>> from chunking import from_text, run
    >>> from chunking.workspace import Workspace
    >>> document = from_text("# Tea\\n\\nBoil water.\\n\\n# Bread\\n\\nKnead dough.\\n", "note.md", "markdown")
    >>> [block.kind for block in document.blocks]
    ['heading', 'paragraph', 'heading', 'paragraph']

Data flows one way: :func:`load` → :mod:`chunking.sentences` → :mod:`chunking.embedding` and
:mod:`chunking.structure` → :mod:`chunking.curves.distances` → :mod:`chunking.curves.thresholds` →
:mod:`chunking.chunks` → :mod:`chunking.explain` and :mod:`chunking.export`. Nothing here imports Streamlit.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunking.document import Block, Document, Span
    from chunking.errors import ChunkscopeError
    from chunking.loading import from_text, load
    from chunking.strategies import REGISTRY, run

__all__ = ["REGISTRY", "Block", "ChunkscopeError", "Document", "Span", "from_text", "load", "run"]

_HOMES = {
    "document": ("Block", "Document", "Span"),
    "errors": ("ChunkscopeError",),
    "loading": ("from_text", "load"),
    "strategies": ("REGISTRY", "run"),
}


def __getattr__(name: str) -> Any:
    # Imported when it is asked for: the process that reads a PDF needs no strategy.
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"chunking.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
