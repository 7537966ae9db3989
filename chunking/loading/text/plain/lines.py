"""The lines of a plain text: groups of them, running lines, and what the form of a line says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from chunking.document import Block
from chunking.loading.text.plain.numbered_headings import Numbered, numbered_lines, numbering_of
from chunking.runtime.patterns import compile_pattern

_DIGITS = compile_pattern(r"\d+")


class Line(NamedTuple):
    """A line that is not blank: from its first character that is not a space to its line end."""

    start: int
    end: int
    indent: int
    text: str


Group = list[Line]
"""Consecutive lines without a blank line."""


class Break(NamedTuple):
    """A form feed with the running lines around it."""

    start: int
    end: int


def parts_of(text: str) -> Iterator[Group | Break]:
    """Yield the groups of a text and the form feeds between them, in order."""
    lines: list[Line] = []
    offset = 0
    for raw in text.splitlines(keepends=True):
        body = raw.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        stripped = body.strip()
        if stripped:
            space = len(body) - len(body.lstrip())
            lines.append(Line(offset + space, offset + len(body), len(body[:space].expandtabs()), stripped))
        if lines and (not stripped or raw.endswith("\f")):
            yield lines
            lines = []
        if raw.endswith("\f"):
            yield Break(offset + len(raw) - 1, offset + len(raw))
        offset += len(raw)
    if lines:
        yield lines


def join_running_lines(parts: list[Group | Break]) -> list[Group | Break]:
    """Join each form feed with the footer before and the header after it.

    A running line is isolated at the edge of a page and, apart from numbers, recurs on three pages or more.
    """
    edges = [
        (index, side)
        for index, part in enumerate(parts)
        if isinstance(part, Break)
        for side in (-1, 1)
        if 0 <= index + side < len(parts) and _running(parts[index + side])
    ]
    counts = Counter((side, _running(parts[index + side])) for index, side in edges)
    running = {index + side: side for index, side in edges if counts[side, _running(parts[index + side])] >= 3}
    joined_parts: list[Group | Break] = []
    for index, part in enumerate(parts):
        if index in running and not isinstance(part, Break):
            line = part[0]
            if running[index] < 0:
                joined_parts.append(Break(line.start, line.end))
            elif joined_parts and isinstance(joined_parts[-1], Break):
                joined_parts[-1] = Break(joined_parts[-1].start, line.end)
        elif (
            isinstance(part, Break)
            and running.get(index - 1) == -1
            and joined_parts
            and isinstance(joined_parts[-1], Break)
        ):
            joined_parts[-1] = Break(joined_parts[-1].start, part.end)
        else:
            joined_parts.append(part)
    return joined_parts


def _running(part: Group | Break) -> str:
    """Return the recurring text of a running line; empty if the part is not one."""
    if isinstance(part, Break) or len(part) > 1:
        return ""
    return " ".join(_DIGITS.sub("0", part[0].text).split())


def body_indent(groups: Sequence[Sequence[Line]]) -> int:
    """Return the indentation of most of the text, by characters."""
    counts: Counter[int] = Counter()
    for lines in groups:
        for line in lines:
            counts[line.indent] += len(line.text)
    return max(counts, key=lambda indent: (counts[indent], -indent), default=0)


# Forms of single lines ----------------------------------------------------------------------------------------------

MAX_HEADING = 80
"""Maximum length of an isolated line that is a heading, in characters."""

LONG_LINE = 150
"""Length from which a line is a whole paragraph, not one line of it, in characters."""

UNDERLINES = '=-~^"'
_RULE = compile_pattern(r"([-=_*~#+^\"])\1{2,}|([-_*])(?: \2){2,}")
_FINAL = tuple(".,;:!?…。！？，；：،؛؟।")
_COLUMNS = compile_pattern(r"\S(?:[ ]{3,}|[ ]*\t[ \t]*)\S")
_MARKER = compile_pattern(
    r"(?:(?P<bullet>[-*•‣◦▪●·–]|o(?=[ \t]{2}))"
    r"|(?P<number>\d{1,3}(?:\.\d{1,3})*)[.)]"
    r"|\(?(?P<letter>[a-z]|[ivxl]{2,5})\)|\((?P<digits>\d{1,3})\)|\((?P<capital>[A-Z])\))[ \t]+(?=\S)"
)
_CLAUSE = compile_pattern(r"\d{1,3}(?:\.\d{1,3})+[ \t]+(?=[^\W\d_a-z])")
_FIRST = {"1", "a", "i", "A"}
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
_TIME = rf"[\[(]?{_CLOCK}(?:[ \t]*-->[ \t]*{_CLOCK})?[\])]?"
TURN = compile_pattern(
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
    return next((index for index in range(start, len(lines)) if is_rule(lines[index].text)), len(lines))


def may_be_heading(text: str) -> bool:
    """Return whether an isolated line may be a heading by its length and form."""
    return len(text) <= MAX_HEADING and not _COLUMNS.search(text) and "...." not in text


def is_in_capitals(text: str) -> bool:
    """Return whether a line is a heading in capitals."""
    letters = [char for char in text if char.isalpha()]
    if len(letters) < 3 or 2 * len(letters) < len(text) - text.count(" ") or not all(map(str.isupper, letters)):
        return False
    return not text.endswith(_FINAL) and not _DOTTED_NAME.search(text)


def isolated_lines(parts: Sequence[Group | Break], body: int) -> tuple[dict[int, Block], frozenset[int]]:
    """Return the headings among the isolated lines, by their start, and the starts of lines with a number of no series.

    Args:
        parts: the groups of the text.
        body: indentation of most of it.
    """
    headings: dict[int, Block] = {}
    lines: list[Numbered] = []
    ends: dict[int, int] = {}
    groups = list(accumulate(int(not isinstance(part, Break)) for part in parts))
    for index, part in enumerate(parts):
        if isinstance(part, Break) or len(part) > 1 or not may_be_heading(part[0].text):
            continue
        line = part[0]
        ends[line.start] = line.end
        if is_in_capitals(line.text):
            headings[line.start] = Block("heading", line.start, line.end, 1)
        lines.extend(numbered_lines(line.text, line.start, index, _is_title, line.indent <= body + 3))
    numbering = numbering_of(lines, lambda one, other: groups[other] - groups[one] > 1)
    for start, (level, content) in numbering.headings.items():
        headings[start] = Block("heading", start, ends[start], level, content)
    return headings, numbering.isolated - headings.keys()


def _is_title(text: str) -> bool:
    """Return whether the words after a number may be a title: a capital first, no final stop, not a whole sentence."""
    first = text.lstrip("\"'“‘(<`（「《")[:1]
    return first.isalpha() and not first.islower() and not text.endswith(_FINAL) and text.count(" ") < 12


def turns_of(lines: Sequence[Line]) -> list[Sequence[Line]]:
    """Return the turns of a conversation, each a run of lines; empty if it is not one."""
    labels = [TURN.match(line.text) for line in lines]
    turn_labels = [label for label in labels if label]
    sure = all(label["time"] or label["name"].isupper() for label in turn_labels)
    if labels[0] is None or len(turn_labels) < 2 or (2 * len(turn_labels) < len(lines) and not sure):
        return []
    starts = [index for index, label in enumerate(labels) if label]
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
    for index, line in enumerate(lines):
        match = _MARKER.match(line.text)
        if match and match.lastgroup:
            marks.setdefault(match.lastgroup, []).append(index)
    for kind, (first, *others) in sorted(marks.items(), key=lambda mark: mark[1]):
        match = _MARKER.match(lines[first].text)
        begins = kind == "bullet" or (match is not None and match[kind] in _FIRST)
        if begins and (others or lines[first - 1].text.endswith((":", "："))):
            return first
    return len(lines)


def has_columns(lines: Sequence[Line]) -> bool:
    """Return whether most lines have columns, divided by tabs or three spaces."""
    return len(lines) > 1 and 5 * sum(bool(_COLUMNS.search(line.text)) for line in lines) >= 3 * len(lines)
