"""Spans of a text, and blocks moved with the text that they are in."""

from __future__ import annotations

from dataclasses import replace

from chunking.document import Block, Span


def trim_span(text: str, start: int, end: int) -> Span:
    """Return a span without the white space at its ends; of white space alone, an empty one at its start."""
    words = text[start:end]
    left = len(words) - len(words.lstrip())
    return Span(start + left, start + len(words.rstrip())) if left < len(words) else Span(start, start)


def shifted(block: Block, offset: int) -> Block:
    """Return a block of a text that begins at an offset of another."""
    return replace(block, start=block.start + offset, end=block.end + offset, content=block.content + offset)
