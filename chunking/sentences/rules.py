"""Sentences by rules: for every language, without a model.

Measured on the table of English cases in the tests; for other scripts see :data:`_WEAK_BREAKS`. Abbreviations are in
a table of languages, see :mod:`chunking.sentences.abbreviations`. Known limit: one before a name is not distinguished
from one at the end of a sentence, unless the next word often begins a sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.runtime.wording import word_set
from chunking.sentences.abbreviations import EVERY_LANGUAGE, Abbreviations, abbreviations, without_spaces
from chunking.sentences.implicit_ends import split_at_implicit_ends, starts_uncapitalized
from chunking.sentences.sentences import Ranges

_WIDE_STOP = compile_pattern("[。！？]")

SPACE = compile_pattern(r"\s+")
_INVISIBLE = "\u00ad\u200b-\u200f\u2060\ufeff"
"""Marks without width, with which some editors and web pages surround words and stops."""
CLOSERS = f"\"'”’»›)\\]}}」』】〉》）］｝״*_`{_INVISIBLE}"
_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_NOTES = rf"(?:\[(?:\d{{1,3}}|\^[^\s\[\]]{{1,40}}|[a-z]|(?:note|nb|n)[ ]\d{{1,3}})\][{_INVISIBLE}]*+)*+"
"""Footnote references after a stop, as in an encyclopedia and in Markdown."""
_RAISED = "[\u00b9\u00b2\u00b3\u2070\u2074-\u2079†‡]*+"
"""Footnote marks in raised characters."""
_COPIED = r"(?:(?<=[^\W\d_]{4}[.!?])\d{1,2}(?=\s+[^\W\d_a-z]))?+"
"""A raised number that was copied as a plain one: ``of the acids.12 The next``."""
_SPACED_NOTES = r"(?:(?<!\.\.)[ \u00a0]?\[\d{1,3}\](?=\[|\s*+\Z|\s++[^a-z]))*+"
"""The same with a space before them, as in copied pages. Not where one is the subject (``[2] shows that``), nor after
two dots, with which reStructuredText begins a footnote."""

STOPS = ".!?…。！？｡．。՜؟۔।॥։‼⁇⁈⁉។။།።፧\u037e"


def _end_pattern(notes: str) -> str:
    return (
        # A run of stops, and the quotes and brackets that close after it, before white space or the end. The run is
        # matched from its first character only, without backtracking: a million dots are read once.
        # French has a space before the quotation mark that closes.
        rf"(?<![.!?…])[.!?…]++[{CLOSERS}]*+{_RAISED}{notes}(?:[ \u00a0\u202f]»(?=\s|\Z))?{_COPIED}(?=\s|\Z|(?<=\u200b))"
        # Question and exclamation marks between Chinese or Japanese characters need no space.
        rf"|(?<![.!?…])[!?]++[{CLOSERS}]*+(?=[{_CJK}])"
        # Stops that always end: ideographic, and those of Khmer, Burmese, Tibetan and Ethiopic, of Devanagari, and of
        # Urdu, which is often typed without the space after it.
        rf"|[。！？｡．。។။།።፧۔।॥]++[{CLOSERS}]*+"
        # Stops of Arabic and Armenian, and the Greek question mark where it is not written as a semicolon.
        rf"|(?<![؟։‼⁇⁈⁉\u037e])[؟։‼⁇⁈⁉\u037e]++[{CLOSERS}]*+(?=\s|\Z)"
    )


_END = compile_pattern(_end_pattern(_NOTES + _SPACED_NOTES))
_REFERENCES_END = compile_pattern(_end_pattern(_NOTES))
"""In a list of references, which begins with ``[1]``, such a number begins an entry."""
_GREEK_END = compile_pattern(_end_pattern(_NOTES + _SPACED_NOTES) + rf"|(?<!;);++[{CLOSERS}]*+(?=\s|\Z)")
_REFERENCE = compile_pattern(r"\s*\[\d{1,3}\]\s")

WORD_BEFORE = compile_pattern(r"[^\s(\[{\"'“‘«„¿¡*_`<>/|—–]{1,40}+\Z")
_NEXT = compile_pattern(rf"(?:[—–-]\s*+)?([^\s{_INVISIBLE}])")
_NEXT_WORD = compile_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_OPENERS = "\"'“‘«‹„([{¿¡「『【〈《（［｛*_`<"
_INITIALS = compile_pattern(r"(?:[^\W\d_]\.-?)*[^\W\d_]")
_ONLY_NUMBER = compile_pattern(
    r"[\W_]*(?:([^\W\d_]{1,10})\.?\s{1,3})?(?:\d{1,3}|[ivxlcIVXLC]{1,4}|[^\W\d_])(?:\.\d{1,3})*[\W_]*"
)
_PAGE_ADDRESS = compile_pattern(r"https?://|www\.")
_ITEM = compile_pattern(r"(?:[ivxlc]{1,4}|[a-z])[.)]\s+(?=[^\W\d_])")

_QUOTATION = compile_pattern(r"「[^「」]{0,200}」|『[^『』]{0,200}』|（[^（）]{0,200}）|“[^“”]{0,200}”")
_REPORTED = compile_pattern(
    # 「…。」と言った, 「…。」の意味: the particle after a Japanese quotation, not words that begin like it.
    r"と(?!ころ|ても|にかく|もかく|もに|きどき)|っ|など|の(?!ち)|を|が(?!ん)|に(?!も|わか|ほん)"
    # “…。”他说: who says it, up to the next mark.
    r"|[^\s，。！？；：“”「」]{0,6}(?:(?<!小)[说說]|(?<![知街味难])道|[问問](?!题|題)|[喊叫答嚷])(?!明|路|理|德)"
)


NUMBERED = abbreviations(EVERY_LANGUAGE).numbers
"""Words that are abbreviations only before a number, in every language."""

_PREFIXES = word_set("PS P.S PPS P.P.S NB N.B")
"""Abbreviations with which a sentence begins: ``P.S. I forgot the key.``"""

_ORDINAL_LANGUAGES = word_set("de da nb nn no fi cs sk sl hr hu et lv tr is lb bs sr")
"""Languages that write ordinals with a dot: ``am 3. Oktober``."""


def split_with_rules(texts: Sequence[str], language: str, progress: Progress | None) -> Iterator[Ranges]:
    """Split each text into sentences by rules."""
    total = sum(map(len, texts))
    done = reported = 0
    for text in texts:
        yield rule_ranges(text, language)
        done += len(text)
        if progress and (done - reported >= 1_000_000 or done == total):
            progress(done, total)
            reported = done


@dataclass(frozen=True)
class _TextContext:
    """A text with the properties of the whole that the decision at each stop depends on.

    Attributes:
        lower: whether its sentences begin with lower-case letters, so that these are no evidence.
        is_item: whether it begins with ``a.`` or ``i)``, so that more of these may follow.
        quotations: starts and ends of short Chinese and Japanese quotations and brackets.
        table: the abbreviations of its language.
    """

    text: str
    language: str
    lower: bool
    is_item: bool
    quotations: tuple[tuple[int, ...], tuple[int, ...]]
    table: Abbreviations

    def quoted(self, offset: int) -> bool:
        """Return whether the offset is inside a quotation."""
        starts, ends = self.quotations
        index = bisect_left(starts, offset) - 1
        return index >= 0 and offset < ends[index]

    def opened(self, offset: int) -> int:
        """Return the start of the quotation or bracket that ends at an offset; -1 if none does."""
        starts, ends = self.quotations
        index = bisect_left(starts, offset) - 1
        return starts[index] if index >= 0 and ends[index] == offset else -1


_SMALL_AFTER = compile_pattern(r"[.!?]\s+(?=[^\W\d_])")


def is_lower_case_text(text: str) -> bool:
    """Return whether a text begins its sentences in lower case: it has no capitals, or few after a stop."""
    if text == text.lower():
        return True
    after = [text[match.end()].islower() for match in _SMALL_AFTER.finditer(text)]
    small = sum(after)
    return small >= 3 and small > 2 * (len(after) - small)


def starts_with_item_number(text: str) -> bool:
    """Return whether a text begins with an item's letter or small Roman number: ``a.``, ``i)``."""
    return bool(_ITEM.match(text.lstrip("( ")))


def _context(text: str, language: str) -> _TextContext:
    spans = [match.span() for match in _QUOTATION.finditer(text)] if _WIDE_STOP.search(text) else []
    quotations = tuple(start for start, _ in spans), tuple(end for _, end in spans)
    table = abbreviations(language)
    return _TextContext(text, language, is_lower_case_text(text), starts_with_item_number(text), quotations, table)


def rule_ranges(text: str, language: str = "und") -> Ranges:
    """Split a text of one paragraph into sentences by rules, in time linear in its length.

    A sentence ends after a stop and the quotes and brackets that close after it, but not after an abbreviation, an
    initial, the number of an item or (in languages with a dot) an ordinal; nor before a lower-case letter, unless the
    whole text is lower case or, in English, :func:`starts_uncapitalized` finds a start; nor inside a Chinese or
    Japanese quotation of up to 200 characters. Some signs end a sentence without a stop, see
    :func:`split_at_implicit_ends`. In scripts or texts without stops, a long stretch ends at a weaker mark, see
    :data:`_WEAK_BREAKS`.

    Returns:
        Ranges that tile the text, in order.
    """
    context = _context(text, language)
    ranges: Ranges = []
    start = 0
    for match in _end_regex(text, language).finditer(text):
        if _ends(context, start, match):
            ranges.append((start, match.end()))
            start = match.end()
    if start < len(text):
        ranges.append((start, len(text)))
    ranges = split_at_implicit_ends(text, language, ranges)
    for weak_break in _WEAK_BREAKS:
        if weak_break.script.search(text):
            ranges = [piece for begin, end in ranges for piece in weak_break.pieces(text, begin, end)]
    return ranges


def _end_regex(text: str, language: str) -> re.Pattern[str]:
    if _REFERENCE.match(text):
        return _REFERENCES_END
    return _GREEK_END if language == "el" else _END


def _ends(context: _TextContext, start: int, match: re.Match[str]) -> bool:
    """Return whether a sentence ends at these stops."""
    text, stops = context.text, match.group()
    following = _NEXT.search(text, match.end())
    if following is None:
        return True
    after, offset = following[1], following.start(1)
    if context.quoted(match.end()):
        return False
    if stops[0] not in ".!?…;":
        if stops[-1] in "）)" and context.opened(match.end()) > start:
            return False
        # 「…。」と言った: the quotation is part of the sentence that reports it.
        return not (stops[-1] in "」』”" and offset == match.end() and _REPORTED.match(text, offset))
    if after in ".!?…,;:)]}":
        return False
    if after in "hw" and _is_source_address(text, match.start(), offset):
        return False
    small = not context.lower and starts_in_lower_case(text, offset, context.is_item)
    if small and not (context.language == "en" and starts_uncapitalized(text, start, match, offset)):
        return False
    if stops[0] != "." or stops.startswith(".."):
        return True
    if match.start() - start < 10 and text[start : match.start()].strip() in _PREFIXES:
        return False
    before = WORD_BEFORE.search(text, max(start, match.start() - 40), match.start())
    if before is None:
        return True
    word = before.group()
    if stops[-1].isdigit():
        return after.isupper() and word.islower() and word not in context.table.words
    number = _ONLY_NUMBER.fullmatch(text, start, match.start()) if match.start() - start < 40 else None
    if number and (number[1] is None or number[1].lower() in NUMBERED):
        return False
    return _ends_after(word, context, start, match.start(), offset)


def _is_source_address(text: str, stop: int, offset: int) -> bool:
    """Return whether the address of a page at ``offset`` belongs to the entry of a source, which ends with a number."""
    return bool(_PAGE_ADDRESS.match(text, offset)) and (text[stop - 1].isdigit() or text[stop - 1] == ")")


def starts_in_lower_case(text: str, offset: int, is_item: bool = False) -> bool:
    """Return whether a lower-case word, with which no sentence begins, is at ``offset``.

    A word with a capital inside (``iPads``), an underscore or a bracket (``foo()``) is a name and may begin a sentence;
    so may the address of a page.
    """
    if not text[offset].islower() or (is_item and _ITEM.match(text, offset)) or _PAGE_ADDRESS.match(text, offset):
        return False
    word = _NEXT_WORD.match(text, offset)
    if word is None:
        return True
    return word.group().islower() and text[word.end() : word.end() + 1] not in ("_", "(")


def _ends_after(word: str, context: _TextContext, start: int, stop: int, offset: int) -> bool:
    """Return whether the dot at ``stop`` after ``word`` ends a sentence that begins at ``start``.

    ``offset`` is the next character that is not a space.
    """
    text, table = context.text, context.table
    if word.isdigit():
        ordinal = context.language in _ORDINAL_LANGUAGES and len(word) <= 2
        is_inside = ordinal and (text[offset].isalpha() or context.lower)
        return not is_inside or _is_reference(text, start, stop - len(word), table)
    ends = abbreviation_ends(word, text, start, stop, offset, table)
    if ends is None and _INITIALS.fullmatch(word) and (len(word) > 1 or word.isupper()):
        return _starts_sentence(text, offset, table)
    return ends is not False


_REFERRING = compile_pattern(r"([^\W\d_]{1,12})\.\s?\Z")


def _is_reference(text: str, start: int, number_start: int, table: Abbreviations) -> bool:
    """Return whether an abbreviation precedes a number, as in ``Rn. 14``, so that it is not an ordinal."""
    match = _REFERRING.search(text, max(start, number_start - 15), number_start)
    return bool(match and match[1].lower() in table.numbers)


_COUNT_BEFORE = compile_pattern(r"(?:\d|(?<![^\W\d_])[IVXLCХІ]{1,6})\.?\s?\Z")
_ENUMERATOR = compile_pattern(r"\d|[A-Z](?=[).,;:\]])|(?:[IVXLC]{2,6}|[VX])(?!\w)")


def abbreviation_ends(word: str, text: str, start: int, stop: int, offset: int, table: Abbreviations) -> bool | None:
    """Return whether the dot after an abbreviation ends a sentence; ``None`` if the word is not an abbreviation.

    Args:
        word: the word before the dot.
        text: the text.
        start: start of the sentence.
        stop: the dot.
        offset: the next character that is not a space.
        table: the abbreviations of the language.
    """
    key, key_start = word.lower().strip("."), stop - len(word)
    if key not in table.words:
        return None
    if key in table.parts and (span := table.around(text, start, stop)):
        if stop + 1 < span[1]:
            return False
        key, key_start = without_spaces(text[slice(*span)]), span[0]
    elif len(word) == 1:
        key = word  # A letter is an abbreviation as the table has it: "Hale v. Osei", but not "George V".
    if key in table.names:
        return _starts_sentence(text, offset, table)
    after = text[offset]
    # "1990 г. Москва", but "г. Москва".
    if key in table.prefixes and not (
        key in table.last and _COUNT_BEFORE.search(text, max(start, key_start - 9), key_start)
    ):
        return False
    if key in table.numbers and _ENUMERATOR.match(text, offset):
        return False
    if key in table.last:
        # A bracket adds to an abbreviation: "Harbor Inc. (the seller)".
        return after.isupper() or (after in _OPENERS and after not in "([{")
    return None


def _starts_sentence(text: str, offset: int, table: Abbreviations) -> bool:
    while offset < len(text) and text[offset] in _OPENERS:
        offset += 1
    word = _NEXT_WORD.match(text, offset)
    if word is None or (len(word.group()) == 1 and text.startswith(".", word.end())):
        return False  # "A. I. Reed": an initial
    return word.group().lower() in table.starters


# Long stretches without a stop -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _WeakBreak:
    """The rule by which a long stretch of a script ends without a stop.

    Attributes:
        script: the characters of the script; at least a third of the stretch must be of it.
        length: minimum characters of a stretch before a cut.
        pattern: the pattern after which it is cut.
        sure: pattern after or before which a quarter of the length suffices.
        held: pattern between whose parts twice the length is required.
    """

    script: re.Pattern[str]
    length: int
    pattern: re.Pattern[str]
    sure: re.Pattern[str] | None = None
    held: re.Pattern[str] | None = None

    def pieces(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the pieces of a stretch."""
        if end - start <= self.length or len(self.script.findall(text, start, end)) * 3 < end - start:
            yield start, end
            return
        for match in self.pattern.finditer(text, start, end):
            if match.end() < end and self._cuts(text, start, match):
                yield start, match.end()
                start = match.end()
        yield start, end

    def _cuts(self, text: str, start: int, match: re.Match[str]) -> bool:
        size = match.start() - start
        if size >= 2 * self.length:
            return True
        if size * 4 < self.length:
            return False
        around = text[max(start, match.start() - 12) : match.end() + 12]
        middle = min(match.start() - start, 12)
        if self.sure and self.sure.search(around[:middle] + "\n" + around[middle:].lstrip()):
            return True
        is_held = self.held and self.held.search(around[:middle] + "\n" + around[middle:].lstrip())
        return size >= self.length and not is_held


_WEAK_BREAKS = (
    # Thai and Lao have no stops: a space ends a clause or a sentence. It counts from 20 characters after a polite
    # particle or before a word that joins sentences, from 160 beside a number, a foreign word or the sign of repetition
    # or within an enumeration, from 80 otherwise. A stretch without spaces stays whole: to separate its words would
    # require a dictionary.
    _WeakBreak(
        compile_pattern(r"[\u0e01-\u0e4e\u0e81-\u0edf]"),
        80,
        SPACE,
        compile_pattern(r"(?:ครับ|ค่ะ|คะ|จ้ะ|จ้า)\n|\n(?:ดังนั้น|อย่างไรก็ตาม|นอกจากนี้|ทั้งนี้|ต่อมา|หลังจากนั้น|เพราะฉะนั้น|ในที่สุด)"),
        compile_pattern(
            r"[^\u0e01-\u0e4e\u0e81-\u0edf]\n|\n[^\u0e01-\u0e4e\u0e81-\u0edf“\"‘]|(?:เช่น|ได้แก่|คือ|ว่า)\n|\n(?:ๆ|และ|หรือ|กับ)"
        ),
    ),
    # Khmer and Burmese have stops and put spaces between clauses.
    _WeakBreak(compile_pattern(r"[\u1780-\u17d3\u1000-\u109f]"), 250, SPACE),
    # Arabic, Persian and Urdu prose may have nothing but commas for a page.
    _WeakBreak(compile_pattern(r"[\u0621-\u064a\u0671-\u06d3]"), 300, compile_pattern(r"[،؛]\s+")),
    # So may Chinese and Japanese.
    _WeakBreak(compile_pattern(r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"), 200, compile_pattern(r"[，、；]\s*|\s+")),
)
"""Lengths are in characters. Texts in these scripts that have stops are rarely affected."""
