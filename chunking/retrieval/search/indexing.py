"""What is indexed for the chunks of a document, and which of them belong to one parent."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from chunking.chunks import Chunk
from chunking.chunks.chunks import first_word
from chunking.document import Document
from chunking.retrieval.search.returned import NO_PARENT
from chunking.strategies.context import EMBED_HEADINGS, EMBED_TITLE
from chunking.tokens import TokenCounter

JOINT = " › "
"""Between the titles of a heading path."""


def disjoint(chunks: Sequence[Chunk], text: str, counter: TokenCounter) -> Iterator[tuple[int, int, int, int]]:
    """Yield start, end, start and tokens of what is returned for each chunk, so that no text is in two of them.

    Overlap is left out. Where chunks themselves overlap, a later one begins where the earlier ones end.

    Args:
        chunks: in order of their starts.
        text: of the document.
        counter: counts tokens.
    """
    covered = 0
    for chunk in chunks:
        start = min(max(chunk.start, covered), chunk.end)
        counted = chunk.tokens if start == chunk.start else int(counter.count([text[start : chunk.end]])[0])
        yield start, chunk.end, start, counted
        covered = max(covered, chunk.end)


def prefixes(chunks: Sequence[Chunk], document: Document, embed: str, named: str = "") -> list[str]:
    """Return what is indexed before the text of each chunk.

    Args:
        chunks: of the document.
        document: the document.
        embed: one of the values of ``embed``, see :mod:`chunking.strategies.context`.
        named: the title that the corpus has for the document; empty if it has none.
    """
    if embed == EMBED_TITLE:
        words = named or title(document)
        return [_before("" if _opens_with(document, chunk, words) else words) for chunk in chunks]
    if embed != EMBED_HEADINGS:
        return [""] * len(chunks)
    begins = {heading.start for heading in document.headings}
    return [_before(JOINT.join(_above(chunk, document, begins))) for chunk in chunks]


def _opens_with(document: Document, chunk: Chunk, words: str) -> bool:
    """Return whether a chunk begins with the title itself, as the text of a corpus may."""
    begins = first_word(document.text, chunk.start, chunk.end)
    return document.text[begins : begins + len(words)] == words and begins + len(words) <= chunk.end


def _above(chunk: Chunk, document: Document, begins: set[int]) -> tuple[str, ...]:
    """Return the titles above a chunk, without that of a heading with which it begins itself."""
    itself = first_word(document.text, chunk.start, chunk.end) in begins
    return chunk.heading_path[:-1] if itself else chunk.heading_path


def _before(words: str) -> str:
    return f"{words}\n\n" if words.strip() else ""


def title(document: Document) -> str:
    """Return the title of a document: its first heading of the highest level, else its name without the suffix."""
    if not document.headings:
        return PurePath(document.name).stem
    highest = min(document.headings, key=lambda heading: heading.level)  # the first of them
    path = document.heading_path(highest.start)
    return path[-1] if path else PurePath(document.name).stem


def parents(chunks: Sequence[Chunk], document: Document) -> list[int]:
    """Return the parent of each chunk, numbered from 0, or :data:`~chunking.retrieval.search.returned.NO_PARENT`.

    Of a strategy that makes parents it is that chunk, of others the section: the chunks whose first word is under the
    same heading.

    Args:
        chunks: without those that are parents.
        document: the document.
    """
    nested = [chunk.parent for chunk in chunks]
    if any(parent is not None for parent in nested):
        return _numbered(nested)
    begins = [heading.start for heading in document.headings]
    sections = [bisect_right(begins, first_word(document.text, chunk.start, chunk.end)) for chunk in chunks]
    return _numbered([section or None for section in sections])


def _numbered(keys: Sequence[int | None]) -> list[int]:
    """Return a number from 0 for each key, in order of their first place."""
    known = {key: number for number, key in enumerate(dict.fromkeys(key for key in keys if key is not None))}
    return [NO_PARENT if key is None else known[key] for key in keys]
