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

from chunking.loading.numerals import ROMAN_VALUES
from chunking.runtime.patterns import compile_pattern

_TABLE = "legal.tsv"

_SEPARATOR = r"(?P<separator>[.:]|[ \t]+[-–—](?=[ \t]))?(?:[ \t\u00a0]++(?=\S)|\Z)"
_FORMS: Mapping[str, re.Pattern[str]] = {
    "digits": compile_pattern(rf"(?P<number>\d{{1,3}}(?:\.\d{{1,3}})*){_SEPARATOR}"),
    "roman": compile_pattern(rf"(?P<number>[IVXLC]{{1,7}}){_SEPARATOR}"),
    "letter": compile_pattern(rf"(?P<number>[A-Z](?:\.\d{{1,3}})*){_SEPARATOR}"),
}
"""Numbers at the start of a line, by scheme."""

_VALUES: Mapping[str, Callable[[str], int]] = {
    "digits": int,
    "roman": lambda number: ROMAN_VALUES.get(number.lower(), 0),
    "letter": lambda number: ord(number) - ord("A") + 1,
}

_COUNT = r"(?P<number>\d{1,4}(?:\.\d{1,3})*|[ivxlc]{1,7}|[a-z])(?:[a-z]?(?!\w)|[.]?[ºª°]|er|bis|ter)"
_TAIL = r"[.:]?+[-–—]?+(?:(?:[ \t\u00a0\u3000]*+[-–—][ \t]++|[ \t\u00a0\u3000]++|(?=[(（]))(?=\S)(?P<title>.*))?"
_WIDE_COUNT = r"(?P<number>[0-9０-９]{1,4}|[〇零一二三四五六七八九十百千]{1,7})"
_WIDE_BRANCH = r"(?:(?:의|の|之)[0-9０-９一二三四五六七八九十]{1,3})?"

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


def _legal(text: str, start: int, group: int, is_title: Callable[[str], bool]) -> Numbered | None:
    if text[0].islower():
        return None
    for pattern, levels in _legal_patterns():
        match = pattern.fullmatch(text)
        if match:
            if match["title"] and not is_title(match["title"]):
                return None
            word = match["word"].lower()
            return Numbered(start, start, group, word, _value(match["number"]), levels[word], True)
    return None


def _value(number: str) -> Path_:
    if number[0].isdecimal():
        return tuple(map(int, number.split(".")))
    return (ROMAN_VALUES.get(number.lower(), 0),)


@cache
def _legal_patterns() -> tuple[tuple[re.Pattern[str], Mapping[str, int]], ...]:
    """Return the patterns of the headings of laws, with the level of each word.

    In ``legal.tsv`` each line has the position of the words (before or after the number, or around it: the opening and
    the closing words), the level, and the words.
    """
    levels: dict[str, dict[str, int]] = {}
    for line in Path(__file__).with_name(_TABLE).read_text("utf-8").splitlines():
        position, level, words = line.split("\t")
        first, *others = words.split()
        key = f"{position} {first}" if position == "around" else position
        listed = others if position == "around" else [first, *others]
        levels.setdefault(key, {}).update(dict.fromkeys(listed, int(level)))
    return tuple((_legal_pattern(key, words), words) for key, words in levels.items())


def _legal_pattern(position: str, words: Iterable[str]) -> re.Pattern[str]:
    alternatives = "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))
    if position == "before":
        source = rf"(?P<word>{alternatives})(?:[ \t\u00a0\u202f]+|(?<=[.§]))\(?{_COUNT}\)?{_TAIL}"
    elif position == "after":
        source = rf"(?P<number>\d{{1,4}}|[ivxlc]{{1,7}})[a-z]?\.?[ \t\u00a0\u202f]?(?P<word>{alternatives}){_TAIL}"
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
        follows = before and not line.legal and _follows(before[1].path, line.path)
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
