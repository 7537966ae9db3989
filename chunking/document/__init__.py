"""Documents: a text, the blocks of its layout, and the mapping to its source and pages.

All offsets in Chunkscope refer to ``Document.text``.
"""

from chunking.document.document import BLOCK_KINDS, Aside, Block, BlockKind, Document, Span, Style, hash_of
from chunking.document.origin import Origin, Place
from chunking.document.pages import PageBox, Pages
from chunking.document.tables import first_row

__all__ = [
    "BLOCK_KINDS",
    "Aside",
    "Block",
    "BlockKind",
    "Document",
    "Origin",
    "PageBox",
    "Pages",
    "Place",
    "Span",
    "Style",
    "first_row",
    "hash_of",
]
