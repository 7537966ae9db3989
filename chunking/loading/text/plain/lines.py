"""What single lines are by their form: headings, separators, items, turns, rows with columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunking.document import Block
from chunking.loading.text.plain.parts import Line
from chunking.runtime.patterns import compile_pattern

MAX_HEADING = 80
"""Maximum length of an isolated line that is a heading, in characters."""

LONG_LINE = 150
"""Length from which a line is a whole paragraph, not one line of it, in characters."""

UNDERLINES = '=-~^"'
_RULE = compile_pattern(r"([-=_*~#+^\"])\1{2,}|([-_*])(?: \2){2,}")
_NUMBER = compile_pattern(r"(\d{1,3}(?:\.\d{1,3})*)(\.|\))?[ \t]+(?=\S)")
_KEYWORD = compile_pattern(
    r"(?:(part|book|act|chapter|article|appendix|annex|schedule)|section|scene)[ \t]+"
    r"(?:\d{1,3}(?:\.\d{1,3})*|[ivxlc]{1,7}|[a-z])(?:[.:]?|[.:]?(?:[ \t]*+[-–—][ \t]++|[ \t]++)(?=\S)(?P<title>.*))",
    re.IGNORECASE,
)
_FINAL = tuple(".,;:!?…。！？，；：،؛؟।")
_COLUMNS = compile_pattern(r"\S(?:[ ]{3,}|[ ]*\t[ \t]*)\S")
_MARKER = compile_pattern(
    r"(?:(?P<bullet>[-*•‣◦▪●·–]|o(?=[ \t]{2}))"
    r"|(?P<number>\d{1,3}(?:\.\d{1,3})*)[.)]"
    r"|\(?(?P<letter>[a-z]|[ivxl]{2,5})\)|\((?P<digits>\d{1,3})\)|\((?P<capital>[A-Z])\))[ \t]+(?=\S)"
)
_CLAUSE = compile_pattern(r"\d{1,3}(?:\.\d{1,3})+[ \t]+(?=[^\W\d_a-z])")
_FIRST = {"1", "a", "i", "A"}
_TIME = r"[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?[\])]?"
_TURN = compile_pattern(
    rf"(?P<time>{_TIME})(?:[ \t]|$)"
    r"|(?P<name>[^\W\d_a-z][\w.'’-]{0,24}(?:[ \t][\w.'’()-]{1,24}){0,3}):(?:[ \t]|$)"
)
_DOTTED_NAME = compile_pattern(r"\w\.\w{2}")


def is_rule(text: str) -> bool:
    """Return whether a line is a separator: one repeated character."""
    return bool(_RULE.fullmatch(text))


def underlines(rule: str, title: str) -> bool:
    """Return whether a line underlines the title above it."""
    return (
        rule[0] in UNDERLINES
        and len(rule) >= max(3, len(title) * 3 // 4)
        and rule == rule[0] * len(rule)
        and len(title) <= MAX_HEADING
        and any(map(str.isalnum, title))
        and not title.endswith(_FINAL[:3])
    )


def until_rule(lines: Sequence[Line], start: int) -> int:
    """Return the first separator from a line on, or the end."""
    return next((place for place in range(start, len(lines)) if is_rule(lines[place].text)), len(lines))


def number_of(lines: Sequence[Line]) -> tuple[int, ...]:
    """Return the number at the start of a group, as in ``3.2 Names``: ``(3, 2)``; empty if there is none."""
    match = _NUMBER.match(lines[0].text)
    return tuple(map(int, match[1].split("."))) if match else ()


def _adjacent(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return bool(one) and len(one) == len(other) and one[:-1] == other[:-1] and abs(one[-1] - other[-1]) == 1


def heading_of(line: Line, near: Sequence[tuple[int, ...]], body: int) -> Block | None:
    """Return the heading that an isolated line is; None if it is not one."""
    text = line.text
    if len(text) > MAX_HEADING or _COLUMNS.search(text) or "...." in text:
        return None
    keyword = _KEYWORD.fullmatch(text)
    if keyword and text[0].isupper() and (not keyword["title"] or _is_title(keyword["title"])):
        return Block("heading", line.start, line.end, 1 if keyword[1] else 2)
    number = _NUMBER.match(text)
    if number and (number[2] == "." or (number[2] is None and "." in number[1])):
        path = tuple(map(int, number[1].split(".")))
        if (
            _is_title(text[number.end() :])
            and line.indent <= body + 3
            and not any(_adjacent(path, other) for other in near)
        ):
            return Block("heading", line.start, line.end, len(path), line.start + number.end())
        return None
    letters = [char for char in text if char.isalpha()]
    if len(letters) >= 3 and 2 * len(letters) >= len(text) - text.count(" ") and all(map(str.isupper, letters)):
        stops = text.endswith(_FINAL) or _DOTTED_NAME.search(text)
        return None if stops else Block("heading", line.start, line.end, 1)
    return None


def _is_title(text: str) -> bool:
    """Return whether the words after a number may be a title: a capital first, no final stop, not a whole sentence."""
    first = text.lstrip("\"'“‘(<`")[:1]
    return first.isalpha() and not first.islower() and not text.endswith(_FINAL) and text.count(" ") < 12


def turns_of(lines: Sequence[Line]) -> list[Sequence[Line]]:
    """Return the turns of a conversation, each a run of lines; empty if it is not one."""
    labels = [_TURN.match(line.text) for line in lines]
    named = [label for label in labels if label]
    sure = all(label["time"] or label["name"].isupper() for label in named)
    if labels[0] is None or len(named) < 2 or (2 * len(named) < len(lines) and not sure):
        return []
    starts = [place for place, label in enumerate(labels) if label]
    return [lines[start:stop] for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True)]


def is_unwrapped(lines: Sequence[Line]) -> bool:
    """Return whether most of the text is in lines that are whole paragraphs."""
    lengths = [len(line.text) for line in lines]
    return len(lines) > 1 and 2 * sum(length for length in lengths if length >= LONG_LINE) > sum(lengths)


def marker_of(text: str, clause: bool = False) -> tuple[str, int] | None:
    """Return the marker of an item (its number, else its kind) and the start of its words."""
    match = _MARKER.match(text)
    if match:
        return match["number"] or match.lastgroup or "", match.end()
    match = _CLAUSE.match(text) if clause else None
    return (match.group().rstrip(), match.end()) if match else None


def first_item(lines: Sequence[Line]) -> int:
    """Return the index of the line at which a list begins; the number of lines if there is none.

    A wrapped line may begin with a dash or a number by chance, so a list inside a group requires a colon before it or
    two markers of one kind, the first of them an initial one.
    """
    if marker_of(lines[0].text, clause=True):
        return 0
    marks: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        match = _MARKER.match(line.text)
        if match and match.lastgroup:
            marks.setdefault(match.lastgroup, []).append(place)
    for kind, (first, *others) in sorted(marks.items(), key=lambda mark: mark[1]):
        match = _MARKER.match(lines[first].text)
        begins = kind == "bullet" or (match is not None and match[kind] in _FIRST)
        if begins and (others or lines[first - 1].text.endswith((":", "："))):
            return first
    return len(lines)


def has_columns(lines: Sequence[Line]) -> bool:
    """Return whether most lines have columns, divided by tabs or three spaces."""
    return len(lines) > 1 and 5 * sum(bool(_COLUMNS.search(line.text)) for line in lines) >= 3 * len(lines)
