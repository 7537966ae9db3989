"""Sentences as LangChain's SemanticChunker splits them, for comparison."""

from __future__ import annotations

import numpy as np

from chunking.document import Document
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.sentences.contract import Sentences

LANGCHAIN = "langchain"

_AFTER_STOP = compile_pattern(r"(?<=[.?!])\s+")


def split_like_langchain(document: Document, progress: Progress | None) -> Sentences:
    """Split the whole text at white space after ``.``, ``?`` or ``!``, as LangChain's SemanticChunker does.

    If white space after a stop ends the text, LangChain has an empty last sentence, which counts in its windows and
    thresholds; here its span is that white space. A document without blocks has no sentences.
    """
    text = document.text
    spaces = [space.span() for space in _AFTER_STOP.finditer(text)] if document.blocks else []
    starts = [0, *(end for _, end in spaces)] if document.blocks else []
    ends = [*(start for start, _ in spaces), len(text)] if document.blocks else []
    if spaces and spaces[-1][1] == len(text):
        starts[-1] = spaces[-1][0]
    spans = np.array([starts, ends], dtype=np.int64).T.reshape(-1, 2)
    block_starts = np.fromiter((block.start for block in document.blocks), dtype=np.int64, count=len(document.blocks))
    block = np.maximum(np.searchsorted(block_starts, spans[:, 0], side="right") - 1, 0)
    if progress:
        progress(len(text), len(text))
    return Sentences(document, spans, block, LANGCHAIN)
