"""Word documents (DOCX): opened by python-docx, read from its trees.

python-docx finds the parts and parses their XML; the kind of a paragraph follows from styles (with inheritance),
outline levels and numbering. No relationship to an outside target is ever followed.

=============== =======================================================================================================
in Word         here
=============== =======================================================================================================
outline level   heading, also from styles based on one; the style *Title* has level 1
numbering       list item with the mark that Word displays, if its format is decimal, letters, Roman or bullets;
                the number of a heading likewise
table           one block, a row a line, cells by `` | ``, merged cells once, tables inside flattened; a table of one
                cell is a frame: its paragraphs are blocks
caption, quote  by style
code            by style, or if all is in a monospaced font that is not the document's own; consecutive lines
                are one block
notes           ``[1]`` at the reference, and a footnote block after that paragraph
page break      a form feed: manual breaks, and sections that begin a page
headers, footers, text boxes, comments, hidden text: excluded
=============== =======================================================================================================

Tracked deletions are left out, insertions kept.

=========  ===========================================================================================================
source     the file: opened with its XML checked; its parts and metadata
names      names of elements and attributes, and parsing of attribute values
tree       paragraphs, tables, rows and cells in order, through all wrappers
properties formatting properties of characters and paragraphs
styles     styles with inheritance: heading, quote, code, caption, or plain paragraph; formatting of characters
numbering  lists: counts and marks
reader     the characters of a paragraph: runs, fields, hidden text, text boxes, references to notes
pieces     those characters in pieces of equal formatting: split at page breaks, stripped, joined
blocks     the document under construction: text, blocks, origin, and separators
walk       the body from top to bottom: paragraphs and their kinds; sections
tables     tables, row by row
notes      footnotes and endnotes, after their references
excluded   headers, footers and comments
=========  ===========================================================================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from chunking.document.origin import Origin
from chunking.loading.archive import Archive, open_archive
from chunking.loading.binary.docx import excluded
from chunking.loading.binary.docx.source import Source
from chunking.loading.binary.docx.walk import Walk
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.runtime.progress import Progress

UNIT = "characters of the paragraph"


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """Return the text, blocks and origin of a Word document.

    Args:
        data: the whole file.
        name: its name, for messages.
        params: not used.
        progress: called with the elements of the body done and the total.

    Raises:
        ChunkscopeError: the file is not a Word document, or is damaged, protected or malicious.
    """
    archive = open_archive(data, name)
    source = Source.of(archive, name)
    walk = Walk(source)
    walk.body(progress or (lambda done, total: None))
    excluded.add(source, walk.reader, walk.made)
    made = walk.made
    return Parsed(
        text="".join(made.text),
        blocks=tuple(made.blocks),
        notes=tuple(_remarks(archive, source, walk.reader.left_out)),
        origin=Origin(UNIT, tuple(made.parts), np.array(made.runs, dtype=np.int64).reshape(-1, 5)),
        aside=tuple(made.asides),
        language=source.language(),
    )


def _remarks(archive: Archive, source: Source, left_out: Counter[str]) -> Iterator[str]:
    """Yield remarks about the loading."""
    outside = source.outside()
    if outside:
        yield f"It refers to {outside:,} outside file{'s' * (outside > 1)} (templates, images); none was opened."
    if any(entry.lower().endswith("vbaproject.bin") for entry in archive.entries):
        yield "It has macros; they were left out."
    embedded = sum("/embeddings/" in entry for entry in archive.entries)
    if embedded:
        yield f"{embedded:,} embedded object{'s were' if embedded > 1 else ' was'} left out."
    if archive.ignored:
        yield f"{archive.ignored:,} file{'s' * (archive.ignored > 1)} with paths that lead out of it left out."
    words = {
        "picture": ("picture was left out.", "pictures were left out."),
        "formula": ("formula was read as a line of characters.", "formulas were read as lines of characters."),
        "deletion": ("tracked deletion was left out.", "tracked deletions were left out."),
        "import": ("part of another file was left out.", "parts of other files were left out."),
    }
    for what, (one, several) in words.items():
        if left_out[what]:
            yield f"{left_out[what]:,} {several if left_out[what] > 1 else one}"
