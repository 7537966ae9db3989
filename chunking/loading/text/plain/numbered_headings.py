"""Numbered headings of plain text: which lines are some, by how their numbers continue through the document.

A line alone says little: ``2 Method`` and ``3.50 Euro`` look alike. So all isolated lines that begin with a number are
collected first. One is a heading if others continue it: its predecessor or successor, its parent or a child. Two
neighbours with nothing between them are items of a list. ``2. Duties``, with a dot, and the headings of laws
(``Article 2``, ``§ 2``, ``第二条``), whose words are in ``legal.tsv``, need no other.

The level is the depth of the number, or of the scheme (``I.``, ``A.``, ``Article``) below those that enclose it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from chunking.loading.numerals import ROMAN_VALUES, chinese_number
from chunking.runtime.patterns import compile_pattern

_TABLE = "legal.tsv"

_SEPARATOR = r"(?P<separator>[.:]|[ \t]+[-–—](?=[ \t]))?(?:[ \t\u00a0]++(?=\S)|\Z)"
_FORMS: Mapping[str, re.Pattern[str]] = {
    "digits": compile_pattern(rf"(?P<number>\d{{1,3}}(?:\.\d{{1,3}})*){_SEPARATOR}"),
    "roman": compile_pattern(rf"(?P<number>[IVXLC]{{1,7}}){_SEPARATOR}"),
    "letter": compile_pattern(rf"(?P<number>[A-Z](?:\.\d{{1,3}})*){_SEPARATOR}"),
    "chinese": compile_pattern(r"(?P<number>[一二三四五六七八九十]{1,3})(?P<separator>、)[ \u3000]*(?=\S)"),
    "bracketed": compile_pattern(r"[(（](?P<number>[一二三四五六七八九十]{1,3})(?P<separator>[)）])[ \u3000]*(?=\S)"),
}
"""Numbers at the start of a line, by scheme."""

_VALUES: Mapping[str, Callable[[str], int]] = {
    "digits": int,
    "roman": lambda number: ROMAN_VALUES.get(number.lower(), 0),
    "letter": lambda number: ord(number) - ord("A") + 1,
    "chinese": chinese_number,
    "bracketed": chinese_number,
}

_COUNT = (
    r"(?:[lrda]\.?[ \u00a0]?(?=\d))?(?P<number>\d{1,4}(?:[.-]\d{1,3})*|[ivxlc]{1,7}|[a-z])"
    r"(?:[a-z]?(?!\w)|[.]?[ºª°]|er|bis|ter)"
)
_TAIL = r"[.:]?+[-–—]?+(?:(?:[ \t\u00a0\u3000]*+[-–—][ \t]++|[ \t\u00a0\u3000]++|(?=[(（]))(?=\S)(?P<title>.*))?"
_WIDE_COUNT = r"(?P<number>[0-9０-９]{1,4}|[〇零一二三四五六七八九十百千]{1,7})"
_WIDE_BRANCH = r"(?:(?:의|の|之)[0-9０-９一二三四五六七八九十]{1,3})?"

_FIRST_WORD = compile_pattern(r"[^\W\d_]+")
_NUMBERED_ITEM = compile_pattern(r"[(（]?(?:\d|[a-z]\))")
_BARE = 3
"""Maximum words of the number of a law alone: ``Artikel 1``, ``2 дугаар зүйл``."""

_SHORT = 6
"""Spaces below which a title with a stop is no sentence."""

_MAX_TITLE = 60
"""Maximum length of a line that is the title of a law with text on the next line, in characters."""

Path_ = tuple[int, ...]


class Numbered(NamedTuple):
    """An isolated line that begins with a number.

    Attributes:
        start: its first character.
        content: start of the words after the number; the line's start if the number is part of the title.
        group: place of its group among the groups of the text.
        scheme: ``"digits"``, ``"roman"``, ``"letter"``, with the separator after the number, or the word of a law.
        path: the number, as in ``(3, 2)`` for ``3.2``.
        legal: level of a heading of a law; 0 for other lines.
        sure: whether it is a heading without others that continue it.
    """

    start: int
    content: int
    group: int
    scheme: str
    path: Path_
    legal: int
    sure: bool


class Heading(NamedTuple):
    """The level of a heading, and the start of its words."""

    level: int
    content: int


class Numbering(NamedTuple):
    """What the isolated lines that begin with a number are.

    Attributes:
        headings: the headings, by their start.
        isolated: starts of lines whose number continues no other: a price, a time or a measurement.
    """

    headings: dict[int, Heading]
    isolated: frozenset[int]


def is_small(char: str) -> bool:
    """Return whether a letter is a small one, of a script that has capitals in sentences: Georgian has none."""
    return char.islower() and not "ა" <= char <= "ჿ"


def numbered_lines(
    text: str, start: int, group: int, is_title: Callable[[str], bool], may_be_digits: bool
) -> Iterator[Numbered]:
    """Yield the ways in which an isolated line may be a numbered heading: two for ``I.``, which is also a letter.

    Args:
        text: the line.
        start: its offset.
        group: place of its group.
        is_title: whether words may be a title.
        may_be_digits: whether it may begin with digits, which an indented line may not.
    """
    if legal := _legal(text, start, group, is_title):
        yield legal
        return
    for scheme, pattern in _FORMS.items():
        match = pattern.match(text)
        if match is None or (scheme == "digits" and not may_be_digits):
            continue
        title, separator = text[match.end() :], (match["separator"] or "").strip()
        if not (is_title(title) if title else separator == "." and scheme != "digits"):
            continue
        head, *rest = match["number"].split(".")
        if scheme == "letter" and not (separator or rest):
            continue
        value = _VALUES[scheme](head)
        if value or scheme == "digits":
            path = (value, *map(int, rest))
            content = start + match.end() if title else start
            # The dot that ends "3.2." is no other scheme than "3.2".
            style = scheme if separator == "." or len(path) > 1 else scheme + separator
            yield Numbered(start, content, group, style, path, 0, scheme == "digits" and separator == ".")


def legal_lines(
    texts: Sequence[str], start: int, group: int, is_title: Callable[[str], bool]
) -> tuple[Numbered, int] | None:
    """Return the heading of a law at the top of a group of several lines, and the number of its lines.

    The title may have a line of its own below the number (``Artikel 1``, ``Geltungsbereich``). In a group with text
    below it the heading needs others whose numbers continue it.
    """
    if len(texts[0]) > _MAX_TITLE or is_small(texts[1][0]):
        return None
    line = _legal(texts[0], start, group, is_title)
    if line is None or not line.sure:
        return None
    is_bare = len(texts[0].split()) <= _BARE
    title = texts[1].strip("()（）")
    has_title = is_bare and len(texts[1]) <= _MAX_TITLE and (title != texts[1] or is_title(title))
    count = 2 if has_title and not _NUMBERED_ITEM.match(texts[1]) else 1
    return line._replace(sure=False), count


def _legal(text: str, start: int, group: int, is_title: Callable[[str], bool]) -> Numbered | None:
    if is_small(text[0]) or not _may_be_legal(text):
        return None
    for pattern, levels in _legal_patterns():
        match = pattern.fullmatch(text)
        if match:
            title = match["title"] or ""
            is_sentence = bool(title) and not is_title(title)
            # "§ 12.3 Scope." has a stop, as have short sentences: the numbers of others must continue it.
            if is_sentence and not (title.endswith(".") and title.count(" ") < _SHORT and is_title(title[:-1])):
                return None
            word = match["word"].lower()
            return Numbered(start, start, group, word, _value(match["number"]), levels[word], not is_sentence)
    return None


def _may_be_legal(text: str) -> bool:
    """Return whether a line begins with a word of laws or a number; the patterns of all words are slow."""
    head = _FIRST_WORD.match(text)
    if head is None or text[0] in "第제":
        return True
    word = _without_case(head.group())
    return word in _first_words() or word in ROMAN_VALUES


@cache
def _first_words() -> frozenset[str]:
    """Return the first words of the headings of laws: those of parts, and numbers in words."""
    heads = (_FIRST_WORD.match(word) for _, _, words in _table() for word in words)
    return frozenset(_without_case(head.group()) for head in heads if head)


def _without_case(word: str) -> str:
    """Return a word in lower case as patterns compare it: the dotless i of Turkish is an i."""
    return word.lower().replace("ı", "i").replace("\u0307", "")


def _value(number: str) -> Path_:
    if number[0].isdecimal():
        return tuple(map(int, number.replace("-", ".").split(".")))
    number = number.lower()
    return (ROMAN_VALUES.get(number) or _number_words().get(number) or chinese_number(number),)


@cache
def _legal_patterns() -> tuple[tuple[re.Pattern[str], Mapping[str, int]], ...]:
    """Return the patterns of the headings of laws, with the level of each word.

    In ``legal.tsv`` each line has the position of the words (before or after the number, or around it: the opening and
    the closing words), the level, and the words. Lines ``number`` have a value and its words.
    """
    levels: dict[str, dict[str, int]] = {}
    for position, level, words in _table():
        if position == "number":
            continue
        first, *others = words
        key = f"{position} {first}" if position == "around" else position
        listed = others if position == "around" else [first, *others]
        levels.setdefault(key, {}).update(dict.fromkeys(listed, int(level)))
    levels["ordinal"] = levels["before"]
    return tuple((_legal_pattern(key, words), words) for key, words in levels.items())


def _table() -> Iterator[tuple[str, str, list[str]]]:
    """Yield the lines of the table; a word may contain spaces, which are underscores there."""
    for line in Path(__file__).with_name(_TABLE).read_text("utf-8").splitlines():
        position, level, words = line.split("\t")
        yield position, level, [word.replace("_", " ") for word in words.split()]


@cache
def _number_words() -> Mapping[str, int]:
    """Return the values of numbers that are words."""
    return {word: int(value) for position, value, words in _table() if position == "number" for word in words}


def _legal_pattern(position: str, words: Iterable[str]) -> re.Pattern[str]:
    alternatives = "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))
    numbers = "|".join(map(re.escape, _number_words()))
    if position == "before":
        count = _COUNT.replace("(?P<number>", f"(?P<number>(?:{numbers})(?!\\w)|", 1)
        source = rf"(?P<word>{alternatives})(?:[ \t\u00a0\u202f]+|(?<=[.§]))\(?{count}\)?{_TAIL}"
    elif position == "ordinal":
        source = rf"(?P<number>{numbers})[ \u00a0](?P<word>{alternatives})(?!\w){_TAIL}"
    elif position == "after":
        source = (
            rf"(?P<number>\d{{1,4}}|[ivxlc]{{1,7}})[a-z]?[.-]?[ \t\u00a0\u202f]?(?P<word>{alternatives})(?!\w){_TAIL}"
        )
    else:
        opening = re.escape(position.removeprefix("around "))
        source = rf"{opening}[ \t]?{_WIDE_COUNT}[ \t]?(?P<word>{alternatives}){_WIDE_BRANCH}{_TAIL}"
    return compile_pattern(source, re.IGNORECASE)


def numbering_of(lines: Sequence[Numbered], between: Callable[[int, int], bool]) -> Numbering:
    """Return which numbered lines are headings, and which continue no other.

    Args:
        lines: all of :func:`numbered_lines`, in order.
        between: whether there is text between two groups.
    """
    single = _without_items(lines, between)
    headings = _levels(_continued(single))
    return Numbering(headings, frozenset(line.start for line in single) - headings.keys())


def _without_items(lines: Sequence[Numbered], between: Callable[[int, int], bool]) -> list[Numbered]:
    """Return the lines without the items of lists: neighbours whose numbers continue, with no text between them."""
    items: set[int] = set()
    last: dict[str, tuple[int, Numbered]] = {}
    for index, line in enumerate(lines):
        before = last.get(line.scheme)
        follows = before and not (line.legal and line.sure) and _follows(before[1].path, line.path)
        if before and follows and not between(before[1].group, line.group):
            items |= {before[0], index}
        last[line.scheme] = (index, line)
    return [line for index, line in enumerate(lines) if index not in items]


def _follows(path: Path_, other: Path_) -> bool:
    return len(path) == len(other) and path[:-1] == other[:-1] and abs(path[-1] - other[-1]) == 1


def _next(path: Path_, step: int = 1) -> Path_:
    return (*path[:-1], path[-1] + step)


_ENOUGH = 3
"""Numbers in a row that need no first one."""


def _continued(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines whose numbers are continued by those of others, in order, at most one for each start."""
    last = {(line.scheme, line.path): index for index, line in enumerate(lines)}
    runs = _runs(lines)
    accepted: list[Numbered] = []
    paths: set[tuple[str, Path_]] = set()
    for index, line in enumerate(lines):
        if accepted and accepted[-1].start == line.start:
            continue
        base = "digits" if line.legal else line.scheme.rstrip(".:-–—")
        run, first = runs[index]
        has_sibling = run > 1
        if len(line.path) > 1:
            parent = (base, line.path[:-1]) in paths
            continues = parent and (has_sibling or line.path[-1] <= 1)
        else:
            continues = base == "digits" and last.get((line.scheme, (*line.path, 1)), -1) > index
        if line.sure or continues or (has_sibling and first <= 1) or run >= _ENOUGH:
            accepted.append(line)
            paths.add((base, line.path))
    return accepted


def _runs(lines: Sequence[Numbered]) -> list[tuple[int, int]]:
    """Return for each line how many numbers follow each other around it, in order, and the first of them."""
    back: list[tuple[int, int]] = []
    before: dict[tuple[str, Path_], int] = {}
    for index, line in enumerate(lines):
        previous = before.get((line.scheme, _next(line.path, -1)))
        back.append((back[previous][0] + 1, back[previous][1]) if previous is not None else (1, line.path[-1]))
        before[line.scheme, line.path] = index
    ahead = [1] * len(lines)
    after: dict[tuple[str, Path_], int] = {}
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        following = after.get((line.scheme, _next(line.path)))
        ahead[index] = 1 if following is None else ahead[following] + 1
        after[line.scheme, line.path] = index
    return [(count + rest - 1, first) for (count, first), rest in zip(back, ahead, strict=True)]


_OUTERMOST = frozenset(("part", "book", "appendix", "annex", "schedule"))
"""Words of laws whose headings are inside no other."""


def _levels(lines: Sequence[Numbered]) -> dict[int, Heading]:
    """Return the level of each heading: its scheme's depth below the schemes that enclose it."""
    levels: dict[int, Heading] = {}
    schemes: list[str] = []
    law = (0, 0)  # number and level of the heading of a law that is open
    for line in lines:
        scheme = line.scheme if line.legal else line.scheme.rstrip(".:-–—")
        if scheme in schemes:
            del schemes[schemes.index(scheme) + 1 :]
        elif line.legal:
            schemes = [] if scheme in _OUTERMOST else [name for name in schemes if name not in _FORMS]
            schemes.append(scheme)
        else:
            schemes.append(scheme)
        if line.legal:
            level = max(line.legal, len(schemes))
            law = (line.path[0], level)
        elif scheme != "digits":
            level = len(schemes) + len(line.path) - 1
        elif len(line.path) > 1 and line.path[0] == law[0]:
            level = law[1] + len(line.path) - 1
        else:
            level = len(line.path) + sum(name in _FORMS for name in schemes[:-1])
        levels[line.start] = Heading(level, line.content)
    return levels
