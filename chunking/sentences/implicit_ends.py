"""Sentence ends that no stop marks, or after which no capital follows, as in mail and chat.

An emoticon, an address or a line of signs ends a sentence, and some writers begin sentences in lower case.

Pasted mail and extracted pages have often lost their line breaks, so that the head of a message, its text and its
signature follow each other in one line. Only ends that the characters themselves show are found: a name that follows
another name is not separated from it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from chunking.runtime.patterns import compile_pattern
from chunking.sentences.sentences import Ranges

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
    return [piece for start, end in ranges for piece in _divide(text, start, end, ends)] if ends else ranges


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
    match = _LAST_WORD.search(before[: date.start()].rstrip())
    word = match.group() if match else ""
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


def _divide(text: str, start: int, end: int, ends: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a range between ``ends``; none is blank, unless the range is."""
    for cut in ends[bisect_right(ends, start) : bisect_left(ends, end)]:
        if _INK.search(text, start, cut) and _INK.search(text, cut, end):
            yield start, cut
            start = cut
    yield start, end


# ---- sentences that begin in lower case, in a text that otherwise uses capitals

_WORD_BEFORE = compile_pattern(r"[^\s(\[{\"'“‘]{1,40}+\Z")
_QUOTE_OR_BRACKET = compile_pattern(r"[\"“”()\[\]]")
_LETTERS = compile_pattern(r"[a-z]+(?:['’-][a-z]+)*")
_WINDOW = 300
"""Characters before a stop in which an open quotation or bracket is looked for."""

_LONG_WORD = 5
"""Letters from which a word before a dot is rarely an abbreviation."""

_LONG_ABBREVIATION = compile_pattern(
    "approx|assocs?|subst|trans|transl|techn|corresp|equiv|illus|prelim|pseud|suppl|intro|philos|constr|admin|avail|"
    "contd|encycl|indiv|lieut|photog|physiol|psych|psychol|resid|sched|statist|superl|theol"
)
_SUBJECT = compile_pattern(
    r"(?:(?:you|we|he|she|they|there)(?:['’](?:re|s|ve|ll|d))?|i(?:['’](?:m|ve|ll|d)|(?![.,)]))|(?:it|that|what|who)['’]s|"
    r"im|ive|(?:do|does|did|ca)n['’]t|please|thanks|maybe|lol)(?![\w'’-])"
)
"""Words with which a sentence begins, but hardly ever what follows an abbreviation or a name with a mark."""

_ADDITION = compile_pattern(r"(?:e\.g|i\.e|etc|cf|viz)\.|eg\b|ie\b")
_INTERJECTION = compile_pattern(r"alas|ah|oh|me|soul|lord|heavens?|gracious", re.IGNORECASE)


def starts_uncapitalized(text: str, start: int, stops: re.Match[str], offset: int) -> bool:
    """Return whether the lower-case word at ``offset`` begins a sentence, after the stops of the one at ``start``.

    It does not after an ellipsis, a dash or a quotation (``"Stop!" he said``), or inside a quotation or brackets. After
    an exclamation (``Alas! it was``, ``the assert! macro``) or a word that may be an abbreviation, only some words do.
    """
    mark = stops.group()
    if mark.startswith("..") or "…" in mark or mark[-1] not in ".!?" or not text[offset - 1].isspace():
        return False
    if _is_open(text, start, stops.start()) or _ADDITION.match(text, offset):
        return False
    match = _WORD_BEFORE.search(text, max(start, stops.start() - 40), stops.start())
    word = match.group() if match else ""
    if not word or (mark != "." and _is_only_word(text, start, stops.start())):
        return False
    if "!" not in mark and _LETTERS.fullmatch(word) and (mark != "." or _is_whole(word)):
        return True
    return bool(_SUBJECT.match(text, offset)) and not ("!" in mark and _INTERJECTION.fullmatch(word))


def _is_whole(word: str) -> bool:
    """Return whether a word before a dot is no abbreviation."""
    return len(word) >= _LONG_WORD and not _LONG_ABBREVIATION.fullmatch(word)


def _is_only_word(text: str, start: int, end: int) -> bool:
    """Return whether there is one word from ``start`` to ``end``: an interjection, as in ``Oh! what a day``."""
    return end - start <= _WINDOW and len(text[start:end].split()) == 1


def _is_open(text: str, start: int, end: int) -> bool:
    """Return whether a quotation or bracket is open at ``end``."""
    signs = _QUOTE_OR_BRACKET.findall(text, max(start, end - _WINDOW), end)
    open_count = sum(signs.count(sign) for sign in "“([") - sum(signs.count(sign) for sign in "”)]")
    return open_count > 0 or signs.count('"') % 2 == 1
