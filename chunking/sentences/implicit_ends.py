"""Sentence ends that no stop marks: in mail and chat, an emoticon, an address or a line of signs ends a sentence.

Pasted mail and extracted pages have often lost their line breaks, so that the head of a message, its text and its
signature follow each other in one line. Only ends that the characters themselves show are found: a name that follows
another name is not separated from it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from chunking.runtime.patterns import compile_pattern
from chunking.sentences.contract import Ranges

_SIGN = compile_pattern(
    # The set comes first, since Python finds the characters of a set quickly; what precedes them is looked at after.
    r"[@:;=<^/*~_-](?:"
    # An emoticon, with a space before it.
    r"(?P<emoticon>(?:(?<=\s[:;=])['’]?-?[)(DP]{1,3}|(?<=\s<)3|(?<=\s\^)_?\^)(?=\s))"
    # The second half of an e-mail address.
    r"|(?P<address>(?<=\w@)[\w-]++(?:\.[\w-]++)++>?(?=\s))"
    # A link before another link. The limit keeps the time linear where a word has many beginnings of links.
    r"|(?P<link>(?:(?<=http:)|(?<=https:))//\S{1,1000}+(?=\s{1,100}+https?://))"
    # The date and time of a message, in the American form, from the first slash.
    r"|(?P<time>(?<=\d/)\d{1,2}/\d{2,4},?\s\d{1,2}:\d\d(?::\d\d)?+(?:\s?[AP]M\b)?+(?=\s|\Z))"
    # A line of signs between two messages. Shorter ones are in tables, under headings and the blanks of a form.
    r"|(?P<line>(?<!\S[=*~_-])(?<![|=~-]\s[=*~_-])(?:(?<==)={19,}+|(?<=\*)\*{19,}+|(?<=-)-{19,}+|(?<=~)~{19,}+|(?<=_)_{19,}+)"
    r"(?!\S|\s{1,3}[|=~-]))"
    r")"
)
_DATE_START = compile_pattern(r"(?<!\S)\d{1,2}\Z")
_NOT_SPACE = compile_pattern(r"\S")
_OPENERS = '"“‘«„(['
_INK = compile_pattern(r"\S")
_LAST_WORD = compile_pattern(r"(?<!\S)\S++\Z")
_PREPOSITIONS = frozenset(("On", "At", "From", "Since", "Until", "By", "Before", "After", "Sent"))

_SHORT_LINES = ("***", "===", "---", "~~~")
_SHORT_LINE = compile_pattern(r"\s*+(?:\*{3,}+|={3,}+|-{3,}+|~{3,}+)(?=\s)")
"""A line of signs with which a sentence begins may be shorter."""

_CLOSING_HINT = compile_pattern(
    r",(?:(?<=gards,)|(?<=GARDS,)|(?<=ishes,)|(?<=incerely,)|(?<=aithfully,)|(?<=ruly,)|(?<=ours,))\s"
)
_CLOSING = compile_pattern(
    r"\s*+(?:with\s)?(?:(?:my|many|kind|kindest|best|warm|warmest)\s){0,3}(?:regards|wishes),"
    r"|\s*+(?:yours,|(?:yours\s)?(?:very\s)?(?:sincerely|faithfully|truly)(?:\syours)?,)",
    re.IGNORECASE,
)
"""The closing of a letter. ``Thanks,`` is none: a name after it belongs to the same sentence."""


def split_at_implicit_ends(text: str, language: str, ranges: Ranges) -> Ranges:
    """Return the ranges of a text's sentences, divided where a sentence ends without a stop."""
    ends = sorted({*_sign_ends(text), *_opening_ends(text, language, ranges)})
    return [piece for start, end in ranges for piece in _divided(text, start, end, ends)] if ends else ranges


def _sign_ends(text: str) -> Iterator[int]:
    """Yield the ends at emoticons, addresses, links, times and lines of signs."""
    for sign in _SIGN.finditer(text):
        start, kind = sign.start(), sign.lastgroup
        if kind == "time" and (start := _message_head(text, start)) < 0:
            continue
        if kind in ("time", "line"):
            yield start
        if kind in ("link", "line") or _starts_with_capital(text, sign.end()):
            yield sign.end()


def _message_head(text: str, slash: int) -> int:
    """Return the start of a date from its first slash, if it is the head of a message; -1 otherwise.

    It is if it follows nothing, a name or an address, but not in ``the call on 1/2/2003 10:15 AM``.
    """
    before = text[max(0, slash - 60) : slash]
    date = _DATE_START.search(before)
    if date is None:
        return -1
    found = _LAST_WORD.search(before[: date.start()].rstrip())
    word = found.group() if found else ""
    is_name = word[:1].isupper() and word[-1:].isalnum() and word not in _PREPOSITIONS
    return slash - len(date.group()) if is_name or not word or word[-1] in ".!?>" else -1


def _starts_with_capital(text: str, end: int) -> bool:
    """Return whether the word after ``end`` begins with a capital, or with a quotation mark or bracket."""
    following = _NOT_SPACE.search(text, end)
    if following is None or following.start() == end:
        return False
    return following.group().isupper() or following.group() in _OPENERS


def _opening_ends(text: str, language: str, ranges: Ranges) -> Iterator[int]:
    """Yield the end of a short line of signs or of a letter's closing with which a sentence begins."""
    closes = language == "en" and bool(_CLOSING_HINT.search(text))
    if not closes and not any(line in text for line in _SHORT_LINES):
        return
    for start, end in ranges:
        opening = _SHORT_LINE.match(text, start, end) or (_CLOSING.match(text, start, end) if closes else None)
        if opening and opening.end() < end and _starts_with_capital(text, opening.end()):
            yield opening.end()


def _divided(text: str, start: int, end: int, ends: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a range between ``ends``; none is blank, unless the range is."""
    for place in ends[bisect_right(ends, start) : bisect_left(ends, end)]:
        if _INK.search(text, start, place) and _INK.search(text, place, end):
            yield start, place
            start = place
    yield start, end
