"""What holds of the blocks of every loader, and archives for the tests."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping

from chunking.document import BLOCK_KINDS, Block, Document
from chunking.loading import isolated
from chunking.loading.parsed import Parsed
from chunking.loading.superscripts import fold_scripts


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


def check_parsed(parsed: Parsed) -> list[bool]:
    """Check what a process may send, and each run that stands for characters one by one.

    Returns:
        For each character of the text whether it comes from the source.
    """
    isolated.check(parsed)
    check_blocks(parsed.text, parsed.blocks)
    assert parsed.origin is not None
    covered = [False] * len(parsed.text)
    for start, length, part, source, source_length in parsed.origin.runs.tolist():
        covered[start : start + length] = [True] * length
        if parsed.origin.texts and length == source_length:
            assert _on_line(parsed.text[start : start + length]) == _on_line(
                parsed.origin.texts[part][source : source + length]
            )
    return covered


def _on_line(text: str) -> str:
    """A text whose superscripts and subscripts are plain characters, and its minus signs hyphens."""
    return fold_scripts(text).replace("−", "-").replace("–", "-")


def shapes(of: Document | Parsed) -> list[tuple[str, int, str]]:
    """Kind, level and text of each block."""
    return [(block.kind, block.level, of.text[block.start : block.end]) for block in of.blocks]


def packed(
    files: Mapping[str, str | bytes] | Iterable[tuple[str, str | bytes]], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """An archive of files by name; a file of type ``mimetype`` is stored, as that of an EPUB must be."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items() if isinstance(files, Mapping) else files:
            archive.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else None)
    return out.getvalue()
