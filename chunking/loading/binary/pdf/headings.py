"""Which drafts of blocks look like headings; headings of several lines; entries of printed contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from chunking.loading.binary.pdf.blocks import BlockDraft, has_leaders
from chunking.loading.binary.pdf.body_style import BodyStyle
from chunking.loading.binary.pdf.layout import ColumnEdges, Line
from chunking.loading.binary.pdf.title_numbers import NUMBERING, split_number
from chunking.runtime.patterns import compile_pattern

MAX_HEADING = 200
"""Characters that a heading may have."""

MAX_LINES = 4
"""Lines that it may have."""

MAX_WORD = 40
"""Letters that a title of one word may have."""

MIN_SMALL = 4
"""Characters of a bold title that is smaller than the body."""

MIN_SPACED = 5
"""Letters of a title that is spaced out."""

MAX_CHAPTER = 40
"""Number up to which a number alone before a title is that of a chapter rather than of a page."""

MAX_FRAGMENTS = 2
"""Stretches of words between wide gaps that a line of it may have."""

MIN_ENTRIES = 3
"""Entries in order from which a table of contents or a list is recognised."""

MIN_PROSE = 100
"""Characters of the paragraph below a heading that has no space around it."""

MAX_WORDS = 12
"""Words of a heading that only its number, its slant or a slightly larger size tells from text."""

_DOTTED = compile_pattern(r"(?:\d{1,3}|[A-Z])(?:\.\d{1,3})+\.?\s+(?=[^\W\d_a-z])")
_ADDRESS = compile_pattern(r"(?:https?:|www\.)\S*|[^\s@]+@[^\s@]+|[\w-]+(?:\.[\w-]+)+/\S*", re.IGNORECASE)
_CODE = compile_pattern(r"[=_{}<>;|\\]|\w\((?!s\))")
_SYNTAX = compile_pattern(r"[=<>{};\\]")
_HEBREW = "\u0590"
"""The first letter after those of Latin, Greek and Cyrillic."""
_PAGE = compile_pattern(r"(?P<number>\d{1,4})|[ivxlc]{1,7}")
_NO_END = tuple(",;。、，")
_STOPS = tuple(".:")
_SENTENCE_ENDS = tuple(".:!?")


def is_heading(drafts: Sequence[BlockDraft], number: int, body: BodyStyle) -> bool:
    """Return whether a draft looks like a heading.

    It is larger than the body, or apart from it and bold, in capitals, numbered, slanted or slightly larger.
    """
    draft = drafts[number]
    text = draft.text
    is_bullet = draft.marker is not None and not draft.marker.value
    if is_bullet or len(draft.lines) > MAX_LINES or not _may_be_title(text):
        return False
    if _are_cells(draft) or _has_page_number(drafts, number):
        return False
    size = max(line.size for line in draft.lines)
    if size > 1.08 * body.size + 0.3:
        is_code = size < 1.3 * body.size and _SYNTAX.search(text) and not all(line.bold for line in draft.lines)
        return not is_code and _is_large_title(draft, text, size, body)
    letters = sum(map(str.isalpha, text))
    max_lines = MAX_LINES if _has_text_beside(drafts, number) else 2
    is_long = len(draft.lines) > max_lines or len(text) > MAX_HEADING * 2 // 3
    if is_long or 3 * letters < len(text) or _CODE.search(text):
        return False
    if not body.bold and all(line.bold for line in draft.lines):
        return _is_bold_title(drafts, number, body, size)
    if size < 0.95 * body.size or text.endswith(_STOPS) or not _is_apart(drafts, number, body):
        return False
    is_upper = text.isupper() and letters >= 4
    if len(draft.lines) > 1 and not (is_upper and NUMBERING.match(text)):
        return False
    if is_upper:
        return draft.layout == "text"
    return text.count(" ") < MAX_WORDS and not text.endswith(_SENTENCE_ENDS) and _stands_out(drafts, number, body)


def is_typewritten_title(edge: ColumnEdges, drafts: Sequence[BlockDraft], number: int, body: BodyStyle) -> bool:
    """Return whether a line in monospaced type is a title: centred between paragraphs, and not code by its signs."""
    draft, line = drafts[number], drafts[number].lines[0]
    following = drafts[number + 1] if number + 1 < len(drafts) else None
    if len(draft.lines) > 1 or following is None or following.layout != "text" or len(following.text) < MIN_PROSE:
        return False
    margins = line.left - edge.left, edge.right - line.right
    is_centred = min(margins) > 2 * line.size and abs(margins[0] - margins[1]) < line.size
    is_apart = draft.space < 0 or draft.step > 1.5 * body.pitch(line.size)
    text = line.text
    is_name = text[:1].isupper() and not text.isupper() and text.count(" ") < MAX_WORDS and not text.endswith(_STOPS)
    return is_centred and is_apart and is_name and not _CODE.search(text) and _may_be_title(text)


def find_contents(drafts: Sequence[BlockDraft]) -> set[int]:
    """Return the drafts that are entries of a printed table of contents: titles that end with pages in order."""
    entries: set[int] = set()
    run: list[int] = []
    last = 0
    for number, draft in enumerate(drafts):
        match = _page_at_end(draft)
        page = int(match["number"] or last) if match else -1
        if page < last:
            run = []
        last = max(page, 0)
        if match:
            run.append(number)
            if len(run) >= MIN_ENTRIES:
                entries.update(run[-MIN_ENTRIES:])
    return entries


def _page_at_end(draft: BlockDraft) -> re.Match[str] | None:
    """Return the match of the number of a page that follows a title, or the last of several titles with leaders."""
    last = draft.lines[-1].text
    if draft.layout == "grid" and has_leaders(last):
        text = last
    elif len(draft.lines) <= 2 and draft.layout in ("text", "item"):
        text = draft.text
    else:
        return None
    title, _, page = text.rpartition(" ")
    return _PAGE.fullmatch(page) if len(title) <= MAX_HEADING and any(map(str.isalpha, title)) else None


def merge_titles(drafts: Sequence[BlockDraft], body: BodyStyle) -> list[BlockDraft]:
    """Join headings of several lines that were set too far apart to be one paragraph."""
    merged: list[BlockDraft] = []
    for draft in drafts:
        if merged and _is_beside_number(merged[-1], draft):
            merged[-1].lines = _with_number_first(merged[-1].lines[0], draft.lines)
        elif merged and _is_next_line(merged[-1], draft, body):
            merged[-1].lines.extend(draft.lines)
        else:
            merged.append(draft)
    return merged


def _is_next_line(title: BlockDraft, draft: BlockDraft, body: BodyStyle) -> bool:
    """Return whether a heading continues the one above: as large, close below, without a number of its own."""
    if not title.kind == draft.kind == "heading" or title.depth or draft.depth:
        return False
    last, first = title.lines[-1], draft.lines[0]
    size = max(last.size, first.size)
    return (
        last.region == first.region
        and len(title.lines) + len(draft.lines) <= MAX_LINES
        and abs(last.size - first.size) < 0.1 * size
        and last.bold == first.bold
        and size > 1.08 * body.size + 0.3
        and 0 < first.bottom - last.bottom < 1.5 * size
        and not title.text.endswith(_SENTENCE_ENDS)
        and not split_number(draft.text)[0]
    )


def _is_beside_number(title: BlockDraft, draft: BlockDraft) -> bool:
    """Return whether a heading is the first of two lines whose number, half as high, seems to begin the second."""
    if not title.kind == draft.kind == "heading" or title.depth or draft.depth or len(title.lines) > 1:
        return False
    above, line = title.lines[0], draft.lines[0]
    return (
        above.region == line.region
        and len(line.fragments) > 1
        and line.first.isdecimal()
        and abs(line.inner - above.left) < 0.25 * line.size
        and line.bottom - above.bottom < 1.5 * line.size
        and (above.bold, round(above.size)) == (line.bold, round(line.size))
        and not split_number(title.text)[0]
    )


def _with_number_first(above: Line, lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a heading whose number has been found on its second line."""
    line = lines[0]
    number, _, rest = line.text.partition(" ")
    first = replace(
        above,
        fragments=(line.fragments[0], *above.fragments),
        text=f"{number} {above.text}",
        first=number,
        left=line.left,
        first_width=line.first_width,
        inner=above.left,
    )
    second = replace(line, fragments=line.fragments[1:], text=rest, first=rest.partition(" ")[0], left=line.inner)
    return [first, second, *lines[1:]]


def _may_be_title(text: str) -> bool:
    """Return whether a text can be a title at all: not too long, with letters, and no part of a sentence."""
    return (
        len(text) <= MAX_HEADING
        and any(map(str.isalpha, text))
        and not text.endswith(_NO_END)
        and not has_leaders(text)
        and not _ADDRESS.fullmatch(text)
        and not _are_letters(text)
    )


def _are_letters(text: str) -> bool:
    """Return whether a text is single letters, such as the labels of a drawing, or all letters of a font."""
    words = text.split()
    if len(words) == 1:
        return len(text) > MAX_WORD and text.isascii()
    # Scripts without spaces have words of one letter.
    singles = sum(len(word) == 1 and word.isalpha() and word < _HEBREW for word in words)
    # A title may be spaced out, letter by letter.
    is_spaced = len(words) >= MIN_SPACED and all(len(word) <= 2 for word in words)
    return 2 * singles > len(words) and not is_spaced


def _are_cells(draft: BlockDraft) -> bool:
    """Return whether a line has more wide gaps than one, which may be behind a number: the names of columns."""
    return any(len(line.fragments) > MAX_FRAGMENTS for line in draft.lines)


def _has_page_number(drafts: Sequence[BlockDraft], number: int) -> bool:
    """Return whether a line at the top or foot of a column has the number of the page behind or before it."""
    draft = drafts[number]
    line = draft.lines[0]
    if len(draft.lines) > 1 or len(line.fragments) != 2:
        return False
    following = drafts[number + 1].lines[0] if number + 1 < len(drafts) else None
    if draft.space >= 0 and following and following.region == line.region:
        return False
    last = line.text.rpartition(" ")[2]
    return last.isdecimal() or (line.first.isdecimal() and int(line.first) > MAX_CHAPTER)


def _is_large_title(draft: BlockDraft, text: str, size: float, body: BodyStyle) -> bool:
    """Return whether a text larger than the body is a title: no single large sign, and no introduction."""
    if size >= 2 * body.size and sum(map(str.isalpha, text)) < 2:
        return False
    words = text.count(" ") + 1
    return words <= MAX_WORDS + 1 or not (text.endswith(".") or (size < 1.3 * body.size and words > 2 * MAX_WORDS))


def _is_bold_title(drafts: Sequence[BlockDraft], number: int, body: BodyStyle, size: float) -> bool:
    text = drafts[number].text
    numbering = NUMBERING.match(text)
    if text.endswith(_STOPS) and not (numbering and numbering.end() == len(text)):
        return False
    if numbering:
        return True
    is_small = size <= 0.85 * body.size and not _is_above_prose(drafts, number, size)
    return not is_small and _is_apart(drafts, number, body)


def _is_above_prose(drafts: Sequence[BlockDraft], number: int, size: float) -> bool:
    """Return whether a draft is above a paragraph that is no larger, such as a title in small print."""
    draft, following = drafts[number], drafts[number + 1] if number + 1 < len(drafts) else None
    if following is None or following.layout != "text" or len(following.lines) < 2 or len(following.text) < MIN_PROSE:
        return False
    line, below = draft.lines[-1], following.lines[0]
    is_name = len(draft.lines) == 1 and len(line.text) >= MIN_SMALL and not line.text[:1].islower()
    is_near = below.region == line.region and below.bottom - line.bottom < 2 * size
    return is_name and is_near and below.size < 1.05 * size and not below.bold


def _stands_out(drafts: Sequence[BlockDraft], number: int, body: BodyStyle) -> bool:
    """Return whether a line of text apart is numbered, or slanted or slightly larger above text that is not."""
    line = drafts[number].lines[0]
    if _DOTTED.match(line.text):
        return True
    if line.text[:1].islower() or drafts[number].layout == "code":
        return False
    following = drafts[number + 1]
    below = following.lines[0]
    plain = following.layout in ("text", "item") and abs(below.size - body.size) < 0.04 * body.size + 0.1
    larger = line.size > 1.04 * body.size + 0.2
    # "Source: …" and the like stand below a table or figure.
    is_label = ": " in line.text or drafts[number].layout != "text"
    slanted = line.italic and not below.italic and len(following.lines) > 1 and not is_label
    return plain and not line.mono and (larger or slanted)


def _is_apart(drafts: Sequence[BlockDraft], number: int, body: BodyStyle) -> bool:
    """Return whether a draft has more space above than lines have, or begins its column, and text follows it."""
    draft = drafts[number]
    last = draft.lines[-1]
    following = drafts[number + 1] if number + 1 < len(drafts) else None
    if following is None or following.layout == "rotated":
        return False
    first = draft.lines[0]
    if draft.space < 0:
        return True
    if draft.step > 1.15 * body.pitch(first.size) + 0.5:
        return True
    below = following.lines[0]
    if below.region != last.region:
        return _has_text_beside(drafts, number)
    return below.bottom - last.bottom > 1.3 * body.pitch(last.size) or _is_own_paragraph(
        drafts[number - 1], draft, following
    )


def _has_text_beside(drafts: Sequence[BlockDraft], number: int) -> bool:
    """Return whether a draft ends its region, and the text of the next begins beside its last line or above."""
    if number + 1 == len(drafts):
        return False
    line, beside = drafts[number].lines[-1], drafts[number + 1].lines[0]
    is_next = line.page == beside.page and line.region != beside.region
    return is_next and beside.left > line.right and beside.top < line.bottom


def _is_own_paragraph(before: BlockDraft, draft: BlockDraft, following: BlockDraft) -> bool:
    """Return whether a line is a paragraph of its own between two of prose, set without space between them."""
    line, above, below = draft.lines[0], before.lines[-1], following.lines[0]
    return (
        len(draft.lines) == 1
        and before.layout in ("text", "item")
        and above.text.endswith(_SENTENCE_ENDS)
        and (above.bold, above.italic) != (line.bold, line.italic) != (below.bold, below.italic)
        and abs(below.left - line.left) < 2 * line.size
        and below.right > line.right + 2 * line.size
        and len(following.text) > MIN_PROSE
        and following.text[:1].isupper()
        and line.text[:1].isupper()
    )
