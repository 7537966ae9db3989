"""Excluded text: text boxes and hidden text in place; headers, footers and comments at the end."""

from __future__ import annotations

from typing import Any

from chunking.document import Aside
from chunking.loading.binary.docx.blocks import Blocks
from chunking.loading.binary.docx.names import R, W
from chunking.loading.binary.docx.reader import Reader
from chunking.loading.binary.docx.source import Source


def add(source: Source, reader: Reader, made: Blocks) -> None:
    """Add headers, footers and comments; headers shared by several sections are added once."""
    for kind, tag in (("running head", "headerReference"), ("running foot", "footerReference")):
        seen = set()
        for section in source.sections:
            for reference in section.iterchildren(W + tag):
                found = source.part(reference.get(R + "id") or "")
                if found is not None and found.partname not in seen:
                    seen.add(found.partname)
                    _add(kind, source.root(found), reader, made)
    for comment in source.by_id("comment").values():
        _add("comment", comment, reader, made)


def _add(kind: str, root: Any, reader: Reader, made: Blocks) -> None:
    text = "\n".join(reader.words(root))
    if text:
        made.asides.append(Aside(kind, text, made.part(kind)))
    move(reader, made, kind)


def move(reader: Reader, made: Blocks, name: str) -> None:
    """Add the text that the reader excluded at the place of that name."""
    if reader.asides:
        part = made.part(name)
        made.asides.extend(Aside(kind, text, part) for kind, text in reader.asides)
        reader.asides.clear()
