"""The main content of a page, as recognised by trafilatura."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.loading.markup.html.blocks import PageBlock
from chunking.runtime.patterns import compile_pattern

MAX_DEPTH = 200
"""Maximum depth of elements for trafilatura, which is recursive, as is lxml."""

_LONG = 30
"""Letters and digits from which a block is searched far ahead; short ones may occur anywhere."""

_FAR = 100_000
"""Distance of the search ahead of the last block found, in letters and digits."""

_OTHER = compile_pattern(r"[\W_]+")


def keep_main(made: Sequence[PageBlock], source: str, depth: int) -> tuple[str, ...]:
    """Mark the blocks outside the page's main content as excluded; return remarks about it.

    trafilatura returns text alone. Its words are matched in order: first long blocks, as anchors, then the short ones
    between two of them. A heading is kept if anything below it is.

    Args:
        made: the blocks, changed in place.
        source: the file.
        depth: depth of its elements.
    """
    if depth > MAX_DEPTH:
        return (f"Elements are nested more than {MAX_DEPTH} deep, so nothing was excluded.",)
    kept = _bare(_main_text(source))
    blocks = [block for block in made if not block.aside]
    # Marked navigation is excluded; its words may be those of headings further on.
    found = _found(["" if block.navigation else _bare(block.text) for block in blocks], kept)
    if not any(found):
        return ("No main content was recognized in this page, so nothing was excluded.",)
    for block, keep in zip(blocks, _with_headings(blocks, found), strict=True):
        if not keep:
            block.aside = "navigation" if block.navigation else "boilerplate"
    return ()


def _main_text(source: str) -> str:
    try:
        library: Any = import_module("trafilatura")
    except ImportError as error:
        raise ChunkscopeError(
            f"The main content of pages needs trafilatura, which cannot be used: {error}.",
            "Install it: pip install trafilatura, or load all content.",
        ) from error
    try:
        return str(library.extract(source, include_comments=False, include_tables=True, deduplicate=False) or "")
    except Exception:  # from a page on which lxml or trafilatura fails
        return ""


def _with_headings(blocks: Sequence[PageBlock], found: Sequence[bool]) -> list[bool]:
    """Also include the headings above included blocks: trafilatura omits short and repeated ones."""
    below = [False] * 10
    kept = []
    for block, keep in zip(reversed(blocks), reversed(found), strict=True):
        if block.kind == "heading" and not block.navigation:
            keep |= below[block.level]
            below[block.level :] = [False] * (10 - block.level)
        elif keep:
            below = [True] * 10
        kept.append(keep)
    return kept[::-1]


def _bare(text: str) -> str:
    return _OTHER.sub("", text).casefold()


def _found(blocks: Sequence[str], kept: str) -> list[bool]:
    """Return whether each block is in a text, in order."""
    places: list[tuple[int, int] | None] = []
    reached = 0
    for block in blocks:
        place = kept.find(block, reached, reached + _FAR + len(block)) if len(block) >= _LONG else -1
        places.append((place, place + len(block)) if place >= 0 else None)
        reached = place + len(block) if place >= 0 else reached
    following = len(kept)
    limits = []
    for found in reversed(places):
        limits.append(following)
        following = found[0] if found else following
    reached = 0
    result = []
    for block, found, limit in zip(blocks, places, reversed(limits), strict=True):
        if found is None and 0 < len(block) < _LONG:
            place = kept.find(block, reached, min(limit, reached + 10 * _LONG))
            found = (place, place + len(block)) if place >= 0 else None
        reached = found[1] if found else reached
        result.append(found is not None)
    return result
