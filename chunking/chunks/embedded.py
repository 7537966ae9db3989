"""What is embedded before a chunk: its heading path, and the header of a table that it continues.

It is separate context like the overlap, never part of a chunk's span, but an encoder reads it with the chunk, so it
takes part of what the encoder reads.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.document import Document
from chunking.runtime.arrays import Int64
from chunking.tokens import TokenCounter

JOINT = " › "
"""Between the titles of a heading path."""


def before_chunk(path: Sequence[str]) -> str:
    """Return a heading path as it is embedded before a chunk: its titles on a line of their own; empty without any."""
    return as_line(JOINT.join(path))


def as_line(words: str) -> str:
    """Return words as a line of their own before a chunk; empty without any."""
    return f"{words}\n\n" if words.strip() else ""


def first_word(document: Document, start: int, end: int) -> int:
    """Return the offset of the first word of a chunk.

    What precedes its first block belongs to that block: blank lines, comments, rules. So does what a file has before
    its title that no reader sees: front matter, imports and raw HTML.
    """
    while start < end - 1 and document.text[start].isspace():
        start += 1
    blocks = document.blocks
    index = bisect_right(blocks, start, key=lambda block: block.start)
    if index and start < blocks[index - 1].end:
        index -= 1
    below = blocks[index : index + 1]
    while index < len(blocks) and blocks[index].start < end and _is_head_matter(document, index):
        index += 1
    title = [block for block in blocks[index : index + 1] if block.kind == "heading"]
    return next((max(start, block.start) for block in (*title, *below) if block.start < end), start)


def _is_head_matter(document: Document, index: int) -> bool:
    """Return whether a block before the first heading of Markdown is code that is not fenced."""
    block = document.blocks[index]
    is_before = document.is_markdown and bool(document.headings) and block.start < document.headings[0].start
    return is_before and block.kind == "code" and document.text[block.start] not in "`~"


def titles_above(document: Document, word: int) -> tuple[str, ...]:
    """Return the titles above a chunk, outermost first, without that of a heading with which it begins itself.

    Args:
        document: the document.
        word: offset of the chunk's first word, see :func:`first_word`.
    """
    path, headings = document.heading_path(word), document.headings
    index = bisect_left(headings, word, key=lambda heading: heading.start)
    begins_itself = index < len(headings) and headings[index].start == word
    return path[:-1] if begins_itself else path


def header_above(document: Document, word: int) -> str:
    """Return the header of the table that a chunk continues, verbatim, by its first word; empty for other chunks."""
    header = document.table_header(word)
    return document.slice(header).rstrip("\r\n") if header else ""


def embedded_before(titles: Sequence[str], header: str) -> str:
    """Return what is embedded before the indexed text of a chunk: its heading path, and the header of its table."""
    return f"{before_chunk(titles)}{header}\n" if header else before_chunk(titles)


@dataclass(frozen=True, eq=False)
class ContextTokens:
    """The tokens that are embedded before a chunk, by where it starts.

    Attributes:
        starts: ``(n_steps,)`` int64, ascending, the first 0: from each offset on the number stays the same.
        tokens: ``(n_steps,)`` int64.
    """

    starts: Int64
    tokens: Int64

    def at(self, offsets: Int64) -> Int64:
        """Return the tokens before chunks that start at some offsets, ``(n,)`` int64."""
        tokens: Int64 = self.tokens[np.searchsorted(self.starts, offsets, side="right") - 1]
        return tokens


NO_CONTEXT = ContextTokens(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
"""Nothing is embedded before any chunk."""


def context_tokens(document: Document, counter: TokenCounter) -> ContextTokens:
    """Count what is embedded before the chunks of a document: it changes at headings and in tables alone."""
    length = len(document.text)
    starts = sorted(start for start in _changes(document) if start < max(length, 1))
    words = [first_word(document, start, length) for start in starts]
    texts = [embedded_before(titles_above(document, word), header_above(document, word)) for word in words]
    distinct = {text: index for index, text in enumerate(dict.fromkeys(texts))}
    counts = counter.count(list(distinct))
    tokens = counts[[distinct[text] for text in texts]]
    is_change = np.concatenate(([True], tokens[1:] != tokens[:-1]))
    return ContextTokens(np.array(starts, dtype=np.int64)[is_change], tokens[is_change])


def _changes(document: Document) -> set[int]:
    """Return the offsets from which another text may be embedded before a chunk."""
    changes, before = {0}, 0
    for block in document.blocks:
        if block.kind == "heading":  # what stands between two blocks belongs to the second
            changes |= {before, block.start + 1}
        elif block.kind == "table":
            changes |= {before, block.end}
        before = block.end
    changes.update(document.table_rows)
    return changes
