"""The numbers that headings begin with, and the text of a heading for comparison."""

from __future__ import annotations

import re
import unicodedata

from chunking.loading.numerals import SECTION_WORDS
from chunking.runtime.patterns import compile_pattern

NUMBERING = compile_pattern(
    rf"(?:(?:{SECTION_WORDS})\s+)?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})+|[A-Z](?=\.\s)|[IVX]{1,5}(?=\.\s))[.:)]?\s+(?=[^\W\d_])",
    re.IGNORECASE,
)
"""A number, and the words that count sections, before the words of a heading."""

_NUMBER = compile_pattern(
    rf"(?:(?:{SECTION_WORDS})\s+(?P<counted>\w{{1,9}}(?:\.\d{{1,3}})*)|(?P<number>\d{{1,3}}(?:[.-]\d{{1,4}})*|"
    r"[IVXLC]{1,6}(?:[.-][A-Z\d]{1,3})+|[A-Z](?:[.-]\w{1,3})+|[IVXLC]{1,6}(?=[.:)])|[A-Z](?=[.:)])))"
    r"(?:[.:)]\s*|\s+[-–—]?\s*|$)",
    re.IGNORECASE,
)


def split_number(text: str) -> tuple[str, str]:
    """Return the number of a title, without a word like "Chapter" or its stop, and the words after it."""
    text = text.strip()
    match = _NUMBER.match(text)
    return (match["counted"] or match["number"], text[match.end() :]) if match else ("", text)


def normalize(text: str) -> str:
    """Return the letters and digits of a text, without differences of case and of presentation forms."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
