"""Headings of pages that mark none: paragraphs that are bold as a whole, short, and on a line of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from chunking.loading.markup.html.page_block import PageBlock
from chunking.runtime.patterns import compile_pattern

_MAX_MARKED = 1
"""Headings that a page may mark: the title of one whose sections are only styled."""

_MAX_LENGTH, _MAX_WORDS = 150, 24

_MAX_REPEATS = 2
"""A line that is repeated more often is a running head; an entry of the contents and its section are two."""

_MAX_SHARE = 0.2
"""Share of the characters of the page's paragraphs above which bold type marks no headings."""

_MAX_RUN = 3
"""Lines in a row; more are a cover or contents."""

_NUMBERED = tuple(
    compile_pattern(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:part|book|teil|partie|parte)\s++(?:[ivxlc]+|\d+)\b",
        r"(?:item|article|chapter|section|artikel|kapitel)\s++(?:\d+[a-z]?|[ivxlc]+)\b",
        r"(?:note|exhibit|schedule|appendix|annex)\s++(?:\d+|[a-z])\b",
    )
)
"""Beginnings of numbered headings, by their rank."""

_CAPITALS, _OTHER = len(_NUMBERED), len(_NUMBERED) + 1
"""Ranks of headings without number."""


def promote_headings(blocks: Sequence[PageBlock]) -> None:
    """Make headings of the styled paragraphs of a page that marks at most its title.

    Their levels follow their kinds: parts, items and chapters, notes and exhibits, capitals, others.

    Args:
        blocks: the blocks of the page, changed in place.
    """
    visible = [block for block in blocks if not block.aside]
    marked = [block.level for block in visible if block.kind == "heading"]
    if len(marked) > _MAX_MARKED:
        return
    headings = _styled_headings(visible)
    ranks = {id(block): _rank(block.text) for block in headings}
    if len(ranks) < 2 and min(ranks.values(), default=_OTHER) >= _CAPITALS:
        return  # a single bold line may be anything
    levels = {rank: level for level, rank in enumerate(sorted(set(ranks.values())), max(marked, default=0) + 1)}
    for block in headings:
        block.kind, block.level = "heading", levels[ranks[id(block)]]


def _styled_headings(visible: Sequence[PageBlock]) -> list[PageBlock]:
    paragraphs = [block for block in visible if block.kind == "paragraph"]
    candidates = [block for block in visible if _is_line(block)]
    if sum(len(block.text) for block in candidates) > _MAX_SHARE * sum(len(block.text) for block in paragraphs):
        return []
    counts = Counter(_key(block) for block in candidates)
    repeated = {key for key, count in counts.items() if count > _MAX_REPEATS}
    # Lines that are repeated neither are headings nor part a run of them.
    others = [block for block in visible if not (_is_line(block) and _key(block) in repeated)]
    headings: list[PageBlock] = []
    for is_bold, run in groupby(others, _is_short):
        if is_bold:
            headings += filter(_is_line, _headings_of_run(list(run)))
    return headings


def _headings_of_run(run: list[PageBlock]) -> list[PageBlock]:
    """Return which of the bold lines in a row may be headings: all of a few, of more those with a number."""
    if len(run) < _MAX_RUN:
        return run
    numbered = [_rank(block.text) < _CAPITALS for block in run]
    if len(run) > _MAX_RUN:
        return run[-1:] if numbered[-1] else []
    # A line below a numbered one repeats its title, or is the first of its section.
    return [block for index, block in enumerate(run) if numbered[index] or (index and numbered[index - 1])]


def _key(block: PageBlock) -> str:
    return " ".join(block.text.split()).casefold()


def _is_line(block: PageBlock) -> bool:
    """Return whether a block is bold, short, and not a sentence; in a table, a single numbered row."""
    text = block.text
    if not _is_short(block):
        return False
    numbered = _rank(text) < _CAPITALS
    if block.kind != "paragraph":
        return block.kind == "table" and numbered and "\n" not in text
    letters = sum(map(str.isalpha, text))
    is_sentence = text.rstrip().endswith((".", ",", ";", ":", "!", "?", "。", "：")) and not numbered
    return 2 * letters > len(text) and not is_sentence and not text.startswith("(") and "\n\n" not in text


def _is_short(block: PageBlock) -> bool:
    is_bold = block.bold and not block.navigation and block.kind in ("paragraph", "table")
    return is_bold and len(block.text) <= _MAX_LENGTH and len(block.text.split()) <= _MAX_WORDS


def _rank(text: str) -> int:
    for rank, pattern in enumerate(_NUMBERED):
        if pattern.match(text):
            return rank
    return _CAPITALS if text.isupper() else _OTHER
