"""Word documents (DOCX): opened by python-docx, read from its trees.

python-docx finds the parts and parses their XML; what a paragraph is follows here from styles (with what they inherit),
outline levels and numbering. No relationship that leads outside is ever followed.

=============== =======================================================================================================
in Word         here
=============== =======================================================================================================
outline level   heading, also from styles that are based on one; the style *Title* is of level 1
numbering       list item with the mark that Word shows, where its rules are plain (decimal, letters, Roman, bullets);
                the number of a heading likewise
table           one block, a row a line, cells by `` | ``, merged cells once, tables inside flattened; a table of one
                cell is a frame: its paragraphs are blocks
caption, quote  by style
code            by style, or where all is in a typewriter font that is not the document's own; lines that follow each
                other are one block
notes           ``[1]`` where they are referred to, and a footnote block after that paragraph
page break      a form feed: breaks that the author set, and sections that begin a page
headers, footers, text boxes, comments, hidden text: set aside
=============== =======================================================================================================

Tracked deletions are left out, insertions kept.

=========  ===========================================================================================================
source     the file: opened with its XML checked, its parts found, what it says of itself
names      names of elements and attributes, and how values of attributes are read
tree       paragraphs, tables, rows and cells in order, through whatever wraps them
looks      what the properties of characters and paragraphs say
styles     styles with what they inherit: heading, quote, code, caption, or a plain paragraph; how characters are set
numbering  lists: counts and marks
reader     the characters of a paragraph: runs, fields, hidden text, text boxes, references to notes
pieces     those characters, in pieces that look alike: split at page breaks, stripped, joined
blocks     the document as it grows: text, blocks, origin, and what stands between two blocks
walk       the body from top to bottom: paragraphs, and which kind each is; sections
tables     tables, row by row
notes      footnotes and endnotes, where they are referred to
asides     headers, footers and comments, set aside
=========  ===========================================================================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from chunking.document.origin import Origin
from chunking.loading.archive import Archive, open_archive
from chunking.loading.binary.docx import asides
from chunking.loading.binary.docx.source import Source
from chunking.loading.binary.docx.walk import Walk
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.runtime.progress import Progress

UNIT = "characters of the paragraph"


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """The text, blocks and origin of a Word document.

    Args:
        data: the whole file.
        name: its name, for people.
        params: none of them applies.
        progress: told of elements of the body.

    Raises:
        ChunkscopeError: it is no Word document, damaged, protected, or made to do harm.
    """
    archive = open_archive(data, name)
    source = Source.of(archive, name)
    walk = Walk(source)
    walk.body(progress or (lambda done, total: None))
    asides.add(source, walk.reader, walk.made)
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
    """What a person should know of the loading."""
    outside = source.outside()
    if outside:
        yield f"It refers to {outside:,} outside file{'s' * (outside > 1)} (templates, pictures); none was opened."
    if any(entry.lower().endswith("vbaproject.bin") for entry in archive.entries):
        yield "It has macros; they were left out."
    embedded = sum("/embeddings/" in entry for entry in archive.entries)
    if embedded:
        yield f"{embedded:,} embedded object{'s were' if embedded > 1 else ' was'} left out."
    if archive.ignored:
        yield f"{archive.ignored:,} file{'s' * (archive.ignored > 1)} with paths that lead out of it left out."
    words = {
        "picture": ("picture was left out.", "pictures were left out."),
        "formula": ("formula is given as its characters in a row.", "formulas are given as their characters in a row."),
        "deletion": ("tracked deletion was left out.", "tracked deletions were left out."),
        "import": ("part of another file was left out.", "parts of other files were left out."),
    }
    for what, (one, several) in words.items():
        if left_out[what]:
            yield f"{left_out[what]:,} {several if left_out[what] > 1 else one}"
