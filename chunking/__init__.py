"""Chunkscope's engine: where a document breaks into chunks, and why.

    >>> from chunking import Models, split
    >>> text = "# Tea\\n\\nBoil the water. Wait.\\n\\n# Bread\\n\\nKnead the dough. Bake it.\\n"
    >>> [chunk.text for chunk in split(text, "heading")]
    ['# Tea\\n\\nBoil the water. Wait.\\n\\n', '# Bread\\n\\nKnead the dough. Bake it.\\n']

A :class:`DocumentAnalysis` keeps what is measured on a document; a :class:`Segmentation` has the reason of every cut:

    >>> from chunking import DocumentAnalysis, from_text, parse
    >>> workspace = DocumentAnalysis(from_text(text), Models(encoder="char-ngrams", splitter="rules"))
    >>> result = parse("structural:alpha=0.3;percentile=90;min_tokens=0").run(workspace)
    >>> [(chunk.start, chunk.cut.reason) for chunk in result.chunks if chunk.cut]
    [(30, 'distance')]

Data flows one way: :func:`load` → :mod:`chunking.sentences` → :mod:`chunking.embedding` and
:mod:`chunking.signals.features` → :mod:`chunking.signals.distances` → :mod:`chunking.signals.thresholds` →
:mod:`chunking.chunks` → :mod:`chunking.explain` and :mod:`chunking.export`. Nothing here imports Streamlit.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chunking.api import compare, inspect, split
    from chunking.chunks import Chunk, Cut
    from chunking.document import Block, Document, Span
    from chunking.errors import ChunkscopeError
    from chunking.explain import GapExplanation, explain_gap
    from chunking.loading import from_text, load
    from chunking.settings import SettingsFile, load_settings
    from chunking.strategies import REGISTRY, Segmentation, Setting, Strategy, parse, run
    from chunking.workspace import DocumentAnalysis, Models

__all__ = [
    "REGISTRY",
    "Block",
    "Chunk",
    "ChunkscopeError",
    "Cut",
    "Document",
    "DocumentAnalysis",
    "GapExplanation",
    "Models",
    "Segmentation",
    "Setting",
    "SettingsFile",
    "Span",
    "Strategy",
    "compare",
    "explain_gap",
    "from_text",
    "inspect",
    "load",
    "load_settings",
    "parse",
    "run",
    "split",
]

__version__ = "0.2.0"

_HOMES = {
    "api": ("compare", "inspect", "split"),
    "chunks": ("Chunk", "Cut"),
    "document": ("Block", "Document", "Span"),
    "errors": ("ChunkscopeError",),
    "explain": ("GapExplanation", "explain_gap"),
    "loading": ("from_text", "load"),
    "settings": ("SettingsFile", "load_settings"),
    "strategies": ("REGISTRY", "Segmentation", "Setting", "Strategy", "parse", "run"),
    # Tools and Workspace are old names, which warn.
    "workspace": ("DocumentAnalysis", "Models", "Tools", "Workspace"),
}

if not TYPE_CHECKING:  # so that a type checker refuses a name that does not exist

    def __getattr__(name):
        # On first use: the process that reads a PDF needs no strategy.
        for home, names in _HOMES.items():
            if name in names:
                return getattr(import_module(f"chunking.{home}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted([*globals(), *__all__])
