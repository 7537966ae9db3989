"""Spans and lines of a text, and blocks moved with the text that they are in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chunking.document import Block, Span
from chunking.runtime.patterns import compile_pattern

_LINE_END = compile_pattern(r"\r\n?|\n")


def trim_span(text: str, start: int, end: int) -> Span:
    """Return a span without the white space at its ends; of white space alone, an empty one at its start."""
    words = text[start:end]
    lead = len(words) - len(words.lstrip())
    return Span(start + lead, start + len(words.rstrip())) if lead < len(words) else Span(start, start)


def shifted(block: Block, offset: int) -> Block:
    """Return a block of a text that begins at an offset of another."""
    return replace(block, start=block.start + offset, end=block.end + offset, content=block.content + offset)


def line_spans(text: str) -> list[tuple[int, int]]:
    """Return the lines of a text without their ends (LF, CR or CR LF); the last one is empty after a line end."""
    ends = [match.span() for match in _LINE_END.finditer(text)]
    return list(zip([0, *(start for _, start in ends)], [*(end for end, _ in ends), len(text)], strict=True))


def runs(numbers: Sequence[int]) -> list[Span]:
    """Return the half-open spans that ascending numbers form."""
    breaks = [index for index in range(1, len(numbers)) if numbers[index] != numbers[index - 1] + 1]
    edges = zip([0, *breaks], [*breaks, len(numbers)], strict=True)
    return [Span(numbers[begin], numbers[end - 1] + 1) for begin, end in edges] if numbers else []
