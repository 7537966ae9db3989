"""What the tests of the layout strategies share."""

from __future__ import annotations

from collections.abc import Callable

from chunking.chunks import Chunk
from chunking.document import Block
from chunking.loading.text import markdown, plain
from chunking.strategies.base import Segmentation
from chunking.tokens import get_tokenizer

BLOCKS: dict[str, Callable[[str], tuple[Block, ...]]] = {"text": plain.blocks, "markdown": markdown.blocks}
"""How the blocks of a text are found, for texts that no loader may touch (lone surrogates, byte order marks)."""


def texts(result: Segmentation) -> list[str]:
    return [chunk.text for chunk in result.chunks]


def details(result: Segmentation) -> list[str]:
    return [chunk.cut.detail for chunk in result.chunks if chunk.cut]


def check(result: Segmentation, text: str, reasons: set[str], maximum: int = 0) -> None:
    chunks: tuple[Chunk, ...] = result.chunks
    assert "".join(chunk.text for chunk in chunks) == text
    for place, chunk in enumerate(chunks):
        assert chunk.index == place
        assert text[chunk.start : chunk.end] == chunk.text != ""
        assert (chunk.cut is None) == (place == 0)
        if chunk.cut:
            assert chunk.cut.offset == chunk.start
            assert chunk.cut.reason in reasons | ({"token_limit", "oversized_sentence"} if maximum else set())
        if maximum and len(chunk.text) > 1:
            start = chunk.overlap.start if chunk.overlap else chunk.start
            assert get_tokenizer().count([text[start : chunk.end]])[0] <= maximum
