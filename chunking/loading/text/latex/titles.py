"""The displayed words of a heading, without commands."""

from __future__ import annotations

import re
import unicodedata

from chunking.runtime.patterns import compile_pattern

_ACCENTS = dict(
    zip(
        "\"'`^~=.cuvHkrbd",
        map(chr, (776, 769, 768, 770, 771, 772, 775, 807, 774, 780, 779, 808, 778, 817, 803)),
        strict=True,
    )
)
"""Combining character of each accent command."""

_ACCENT = compile_pattern(
    r"\\(?:([\"'`^~=.])\s?|([cuvHkrbd])(?![a-zA-Z])\s?)(?:\{\s?(\\[ij]|[^\W\d_])\s?\}|(\\[ij](?![a-zA-Z])|[^\W\d_]))"
)
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "TeX": "TeX", "LaTeX": "LaTeX", "ldots": "…", "dots": "…", "textendash": "–", "textemdash": "—",
}  # fmt: skip
_LETTER = compile_pattern(rf"\\({'|'.join(_LETTERS)})(?![a-zA-Z])(?:\{{\}}|\s+)?")
_MACRO = compile_pattern(r"\\[a-zA-Z@]+\*?\s*|\\([%&$#_{} ])|\\[\s\S]?|[{}$]")


def plain_words(words: str) -> str:
    """Return the displayed words of a heading; empty if they equal the source."""
    if not any(char in words for char in "\\{}$~%"):
        return ""
    shown = _ACCENT.sub(_accented, words.replace("\\\\", " ").replace("~", " "))
    shown = _LETTER.sub(lambda match: _LETTERS[match[1]], shown)
    return " ".join(_MACRO.sub(lambda match: match[1] or "", shown).split()) or " ".join(words.split())


def _accented(match: re.Match[str]) -> str:
    letter = (match[3] or match[4]).removeprefix("\\")
    return unicodedata.normalize("NFC", letter + _ACCENTS[match[1] or match[2]])
