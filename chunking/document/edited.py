"""A document with a passage replaced, for formats whose layout does not follow from the text."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

import numpy as np

from chunking.document.document import Block, Document
from chunking.document.origin import Origin
from chunking.runtime.arrays import Int64


def with_passage(document: Document, start: int, end: int, words: str) -> Document:
    """Return a document with other words in place of a passage; every block beside them keeps its kind.

    The block in which the passage begins takes its new words; what else the passage contained goes. The new words come
    from nowhere in the source, and no positions on pages are kept.

    Args:
        document: the document.
        start, end: half-open span of the passage, in characters.
        words: its new words; may be empty.

    Raises:
        ValueError: the passage is no part of the text.
    """
    if not 0 <= start <= end <= len(document.text):
        raise ValueError(f"no passage from {start} to {end} in {len(document.text)} characters")
    change = len(words) - (end - start)
    text = document.text[:start] + words + document.text[end:]
    owner = next((block for block in document.blocks if block.start <= start <= block.end), None)
    blocks = [Block("paragraph", start, start + len(words))] if owner is None else []
    for block in document.blocks:
        if block is owner:
            title = "" if block.kind == "heading" else block.title
            blocks.append(replace(block, end=max(block.end, end) + change, title=title))
        elif block.end <= start:
            blocks.append(block)
        elif block.end > end:
            first = max(block.start, end)
            content = max(block.content, first) + change
            blocks.append(replace(block, start=first + change, end=block.end + change, content=content))
    return replace(
        document,
        text=text,
        blocks=tuple(
            trimmed for block in sorted(blocks, key=attrgetter("start")) if (trimmed := _trimmed(block, text))
        ),
        origin=document.origin and replace(document.origin, runs=_moved_runs(document.origin, start, end, change)),
        pages=None,
    )


def _trimmed(block: Block, text: str) -> Block | None:
    """Return a block without white space at its ends; ``None`` where it has nothing else."""
    words = text[block.start : block.end]
    start, end = block.start + len(words) - len(words.lstrip()), block.start + len(words.rstrip())
    return replace(block, start=start, end=end, content=min(max(block.content, start), end)) if start < end else None


def _moved_runs(origin: Origin, start: int, end: int, change: int) -> Int64:
    """Return the runs of the text beside the passage; a run that corresponds as a whole goes where it is touched."""
    runs: list[list[int]] = []
    for run in origin.runs.tolist():
        first, length, part, source, source_length = run
        if first + length <= start:
            runs.append(run)
        elif first >= end:
            runs.append([first + change, length, part, source, source_length])
        elif length == source_length:
            before, after = start - first, first + length - end
            if before > 0:
                runs.append([first, before, part, source, before])
            if after > 0:
                runs.append([end + change, after, part, source + length - after, after])
    return np.array(runs, dtype=np.int64).reshape(-1, 5)
