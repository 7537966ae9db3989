"""English sentences that begin in lower case, in a text that otherwise uses capitals: chats, reviews, quick mails."""

from __future__ import annotations

import re

from chunking.runtime.patterns import compile_pattern

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


def starts_uncapitalized(text: str, start: int, stops: re.Match[str], place: int) -> bool:
    """Return whether the lower-case word at ``place`` begins a sentence, after the stops of the one at ``start``.

    It does not after an ellipsis, a dash or a quotation (``"Stop!" he said``), or inside a quotation or brackets. After
    an exclamation (``Alas! it was``, ``the assert! macro``) or a word that may be an abbreviation, only some words do.
    """
    mark = stops.group()
    if mark.startswith("..") or "…" in mark or mark[-1] not in ".!?" or not text[place - 1].isspace():
        return False
    if _is_open(text, start, stops.start()) or _ADDITION.match(text, place):
        return False
    found = _WORD_BEFORE.search(text, max(start, stops.start() - 40), stops.start())
    word = found.group() if found else ""
    if not word or (mark != "." and _is_only_word(text, start, stops.start())):
        return False
    if "!" not in mark and _LETTERS.fullmatch(word) and (mark != "." or _is_whole(word)):
        return True
    return bool(_SUBJECT.match(text, place)) and not ("!" in mark and _INTERJECTION.fullmatch(word))


def _is_whole(word: str) -> bool:
    """Return whether a word before a dot is no abbreviation."""
    return len(word) >= _LONG_WORD and not _LONG_ABBREVIATION.fullmatch(word)


def _is_only_word(text: str, start: int, end: int) -> bool:
    """Return whether there is one word from ``start`` to ``end``: an interjection, as in ``Oh! what a day``."""
    return end - start <= _WINDOW and len(text[start:end].split()) == 1


def _is_open(text: str, start: int, end: int) -> bool:
    """Return whether a quotation or bracket is open at ``end``."""
    signs = _QUOTE_OR_BRACKET.findall(text, max(start, end - _WINDOW), end)
    opened = sum(signs.count(sign) for sign in "“([") - sum(signs.count(sign) for sign in "”)]")
    return opened > 0 or signs.count('"') % 2 == 1
