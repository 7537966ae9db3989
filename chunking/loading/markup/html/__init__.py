"""HTML and XHTML: what a reader of the page sees, as blocks, each character with its place in the file.

The tree is that of selectolax (Lexbor), which repairs broken markup like browsers. It is read from its serialised form,
which is regular even if the source is not, and turned into blocks (:mod:`.blocks`). Marks inserted into the source
before parsing map the text back to it (:mod:`.source`).

The text includes everything displayed, also navigation, with white space collapsed like in browsers. It excludes the
``title`` and the rest of the head, scripts, styles, templates, fallbacks for scripts, frames and media, elements hidden
by attribute or inline style, alternative texts of images, numbers and bullets of lists (they are not in the source),
and decoration: text without letters or digits that is hidden from screen readers or links to a place on the page
(``¶`` after a heading). The words of form controls and the readings of ruby are reported as excluded text. A formula is
its TeX if the page has it, also where MathML is hidden beside a picture, else MathML as TeX (:mod:`.formulas`).

========== ============================================================================================================
heading    ``h1`` to ``h6``, the role heading with its level (2 by default), and on pages without them short bold
           lines (:mod:`.headings`)
list item  each paragraph in ``li``, ``dt`` and, one level deeper, ``dd``
table      a table of data, cells joined by `` | `` in their columns; one that lays out a page (its role says so; a
           heading, ``pre`` or tables in it, unless these are in a few cells below a header; blocks in a single column)
           is looked through
caption    ``caption``, ``figcaption``
code       ``pre``
quote      each paragraph in ``blockquote``
footnote   elements with such a role, EPUB type or class
paragraph  everything else, also text divided by two line breaks
========== ============================================================================================================

Collapsed white space has no run in the origin; it is between two runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from chunking.document import Block
from chunking.errors import ChunkscopeError
from chunking.loading.markup.html.blocks import Builder
from chunking.loading.markup.html.headings import promote_headings
from chunking.loading.markup.html.page_block import PageBlock, Run
from chunking.loading.markup.html.source import ATTRIBUTES, CHANGED, check_cost, is_xhtml, mark, serialised
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.writer import DocumentWriter
from chunking.runtime.patterns import compile_pattern

_HTML_TAG = compile_pattern(rf"<html{ATTRIBUTES}>")
_CODE = compile_pattern(r' (?:xml:)?lang="\s*([A-Za-z]{2,3})(?![A-Za-z])')


def parse(text: str, name: str, params: LoadParameters) -> Parsed:
    """Read an HTML or XHTML file.

    Args:
        text: the decoded file; XHTML is recognised by its beginning or by ``name``.
        name: name of the file.
        params: ``content="main"`` excludes everything but the page's main content, as recognised by trafilatura.

    Raises:
        ChunkscopeError: the nesting of elements or the number of attributes exceeds the limits.
    """
    marked = mark(text, is_xhtml(text, name))
    check_cost(marked.text)
    page = serialised(marked.text)
    builder = Builder(marked, page)
    blocks = builder.run()
    promote_headings(blocks)
    notes = _keep_main(blocks, text, builder.depth) if params.content == "main" else ()
    return _assemble(blocks, text, notes, _language(page))


def _assemble(page_blocks: list[PageBlock], source: str, notes: tuple[str, ...], language: str) -> Parsed:
    writer = DocumentWriter("characters of the file")
    part = writer.add_part("", source)
    changed = bool(CHANGED.search(source))
    for block in page_blocks:
        if block.aside:
            writer.exclude(block.aside, block.text, part)
            continue
        if writer.blocks:
            writer.append("\n" if block.close else "\n\n")
        mark = f"{block.mark} " if block.mark else ""
        before = writer.append(mark)
        content = writer.length + len(block.text) - len(block.text.lstrip())
        start = before if mark else content
        runs = _without_changes(block.runs, block.text, source) if changed else block.runs
        writer.copy_runs(block.text, part, runs)
        writer.blocks.append(_block_of(block, start, content, writer.length))
    return writer.parsed(notes, language=language)


def _block_of(block: PageBlock, start: int, content: int, end: int) -> Block:
    is_title = block.is_title and block.kind == "paragraph"
    return Block(block.kind, start, end, block.level, content, tags=block.tags, is_title=is_title)


def _without_changes(runs: list[Run], text: str, source: str) -> list[Run]:
    """Return the runs without the characters that were changed for the parser: CR, NUL and lone surrogates."""
    unchanged: list[Run] = []
    for start, length, begins, size in runs:
        original = source[begins : begins + size]
        if length != size or text[start : start + length] == original:
            unchanged.append((start, length, begins, size))
            continue
        offset = 0
        for change in (*CHANGED.finditer(original), None):
            end = change.start() if change else size
            if end > offset:
                unchanged.append((start + offset, end - offset, begins + offset, end - offset))
            offset = end + 1
    return unchanged


def _language(page: str) -> str:
    tag = _HTML_TAG.search(page, 0, 5_000)
    code = _CODE.search(tag[1]) if tag else None
    return code[1].lower() if code else ""


# Main content -------------------------------------------------------------------------------------------------------

MAX_DEPTH = 200
"""Maximum depth of elements for trafilatura, which is recursive, as is lxml."""

_LONG = 30
"""Letters and digits from which a block is searched far ahead; short ones may occur anywhere."""

_FAR = 100_000
"""Distance of the search ahead of the last block found, in letters and digits."""

_OTHER = compile_pattern(r"[\W_]+")


def _keep_main(page_blocks: Sequence[PageBlock], source: str, depth: int) -> tuple[str, ...]:
    """Mark the blocks outside the page's main content as excluded; return remarks about it.

    trafilatura returns text alone. Its words are matched in order: first long blocks, as anchors, then the short ones
    between two of them. A heading is kept if anything below it is.

    Args:
        page_blocks: the blocks, changed in place.
        source: the file.
        depth: depth of its elements.
    """
    if depth > MAX_DEPTH:
        return (f"Elements are nested more than {MAX_DEPTH} deep, so nothing was excluded.",)
    main_text = _bare(_main_text(source))
    blocks = [block for block in page_blocks if not block.aside]
    # Marked navigation is excluded; its words may be those of headings further on.
    matches = _find_blocks(["" if block.navigation else _bare(block.text) for block in blocks], main_text)
    if not any(matches):
        return ("No main content was recognized in this page, so nothing was excluded.",)
    for block, keep in zip(blocks, _with_headings(blocks, matches), strict=True):
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


def _with_headings(blocks: Sequence[PageBlock], matches: Sequence[bool]) -> list[bool]:
    """Also include the headings above included blocks: trafilatura omits short and repeated ones."""
    below = [False] * 10
    is_kept = []
    for block, keep in zip(reversed(blocks), reversed(matches), strict=True):
        if block.kind == "heading" and not block.navigation:
            keep |= below[block.level]
            below[block.level :] = [False] * (10 - block.level)
        elif keep:
            below = [True] * 10
        is_kept.append(keep)
    return is_kept[::-1]


def _bare(text: str) -> str:
    return _OTHER.sub("", text).casefold()


def _find_blocks(blocks: Sequence[str], text: str) -> list[bool]:
    """Return whether each block is in a text, in order."""
    spans: list[tuple[int, int] | None] = []
    end = 0
    for block in blocks:
        start = text.find(block, end, end + _FAR + len(block)) if len(block) >= _LONG else -1
        spans.append((start, start + len(block)) if start >= 0 else None)
        end = start + len(block) if start >= 0 else end
    following = len(text)
    limits = []
    for match in reversed(spans):
        limits.append(following)
        following = match[0] if match else following
    end = 0
    result = []
    for block, match, limit in zip(blocks, spans, reversed(limits), strict=True):
        if match is None and 0 < len(block) < _LONG:
            start = text.find(block, end, min(limit, end + 10 * _LONG))
            match = (start, start + len(block)) if start >= 0 else None
        end = match[1] if match else end
        result.append(match is not None)
    return result
