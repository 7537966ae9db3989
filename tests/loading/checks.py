"""What holds of the blocks of every loader."""

from __future__ import annotations

from collections.abc import Iterable

from chunking.document import BLOCK_KINDS, Block, Document


def check_blocks(text: str, blocks: Iterable[Block]) -> list[Block]:
    """The blocks, in order and not overlapping, each of them sound."""
    found = list(blocks)
    before = 0
    for block in found:
        assert block.kind in BLOCK_KINDS
        assert before <= block.start < block.end <= len(text)
        assert block.start <= block.content <= block.end
        if block.kind != "page_break":
            assert not text[block.start].isspace()
            assert text[block.end - 1] not in "\r\n"
        assert (block.level >= 1) == (block.kind in ("heading", "list_item", "quote"))
        before = block.end
    return found


def check_document(document: Document) -> None:
    """That the blocks of a document are sound."""
    check_blocks(document.text, document.blocks)
