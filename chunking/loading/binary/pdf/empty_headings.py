"""Headings that head nothing: lists, remarks, lines above a larger title or at the foot of the cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from chunking.loading.binary.pdf.blocks import BlockDraft
from chunking.loading.binary.pdf.heading_levels import cover_pages, look_of
from chunking.loading.binary.pdf.title_numbers import split_number

MIN_LIST = 3
"""Lines alike in large type, one below the other, from which they are a list."""

LARGER = 1.25
"""Size of a title from which a heading directly above it heads nothing, as a multiple of the heading's."""

FOOT = 0.7
"""Height from which nothing is below a heading at the end of a page, as a share of that of the page."""


def drop_empty_headings(drafts: Sequence[BlockDraft], heights: Sequence[float]) -> None:
    """Make paragraphs of headings that head nothing.

    As many as a list has, alike, one below the other without text, are the lines of a quotation in large type, names of
    authors or the like. A line in parentheses is a unit or a date. What is directly above a larger title, or the last
    text of the cover or of the document, is a label. Sections that have no text are recognised by their numbers, or by
    the file's outline.

    Args:
        drafts: of the document, in reading order.
        heights: of its pages, in points.
    """
    empty = [*_lists(drafts), *_above_titles(drafts), *_at_ends(drafts, heights)]
    for draft in empty:
        draft.kind = "list_item" if draft.layout == "item" else "paragraph"


def _is_known(draft: BlockDraft) -> bool:
    """Return whether a heading is certain: by the outline or its number."""
    return bool(draft.depth or split_number(draft.text)[0])


def _lists(drafts: Sequence[BlockDraft]) -> Iterator[BlockDraft]:
    for look, group in groupby(drafts, _page_look):
        run = list(group)
        is_list = len(run) >= MIN_LIST and not any(map(_is_known, run))
        yield from (draft for draft in run if look and (is_list or (not draft.depth and _is_remark(draft.text))))


def _page_look(draft: BlockDraft) -> tuple[object, ...]:
    """Return what headings of a list share: the page, and how they look; nothing for other drafts."""
    return (draft.lines[0].page, draft.lines[0].italic, *look_of(draft)) if draft.kind == "heading" else ()


def _is_remark(text: str) -> bool:
    """Return whether a text is in parentheses: a unit, a date or the like."""
    return text.startswith("(") and text.find(")") == len(text) - 1


def _above_titles(drafts: Sequence[BlockDraft]) -> Iterator[BlockDraft]:
    """Yield the headings directly above a title in much larger type."""
    for draft, below in pairwise(drafts):
        if draft.kind == below.kind == "heading" and not _is_known(draft):
            last, first = draft.lines[-1], below.lines[0]
            is_above = last.page == first.page and last.bottom <= first.bottom - first.size
            is_over = last.left < below.lines[0].right and first.left < last.right
            if is_above and is_over and LARGER * look_of(draft)[0] <= look_of(below)[0]:
                yield draft


def _at_ends(drafts: Sequence[BlockDraft], heights: Sequence[float]) -> Iterator[BlockDraft]:
    """Yield the headings at the foot of the cover, and of the document, below its text."""
    covers = cover_pages(drafts) & {0}
    for draft, below in pairwise([*drafts, None]):
        if draft is None or draft.kind != "heading" or _is_known(draft):
            continue
        page = draft.lines[-1].page
        is_end = below is None or (page in covers and below.lines[0].page != page)
        if is_end and draft.space >= 0 and draft.lines[-1].bottom > FOOT * heights[page]:
            yield draft
