"""What holds of the blocks of every loader, and archives for the tests."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping

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


def packed(
    files: Mapping[str, str | bytes] | Iterable[tuple[str, str | bytes]], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """An archive of files by name; a file of type ``mimetype`` is stored, as that of an EPUB must be."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items() if isinstance(files, Mapping) else files:
            archive.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else None)
    return out.getvalue()
