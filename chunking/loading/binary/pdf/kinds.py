"""Groups to drafts of blocks: headings with levels, captions, footnotes, lists, quotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from chunking.document import BlockKind, Style
from chunking.loading.binary.pdf.grouping import Group, GroupLayout
from chunking.loading.binary.pdf.habits import Habits
from chunking.loading.binary.pdf.markers import DRAWN, has_leaders
from chunking.loading.binary.pdf.rows import Edges, Row
from chunking.runtime.patterns import compile_pattern

MAX_HEADING = 200
"""Characters that a heading may have."""

_NUMBERING = compile_pattern(
    r"(?:(?:chapter|part|appendix|section|kapitel|teil|anhang|chapitre|capítulo)\s+)?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})+|[A-Z](?=\.\s)|[IVX]{1,5}(?=\.\s))[.:)]?\s+(?=[^\W\d_])",
    re.IGNORECASE,
)
_DOTTED = compile_pattern(r"(?:\d{1,3}|[A-Z])(?:\.\d{1,3})+\.?\s+(?=[^\W\d_a-z])")
_CAPTION = compile_pattern(
    r"(?:figure|fig|table|tab|abbildung|abb|tabelle|tableau|figura|tabla|listing|algorithm|scheme|chart|plate|exhibit"
    r"|рис|рисунок|таблица|그림|표|図|表|图|圖)(?![a-zа-я])\.?\s*"
    r"(?:\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?|[IVXLC]{1,6}|[A-Z]\.?\d{1,3})(?![^\W\d_])(?P<stop>\s*[:.|—–)]|\s*$)?",
    re.IGNORECASE,
)
_NOTE = compile_pattern(r"(?:\d{1,3}[.)]?|[*†‡§¶‖]{1,3}|[a-z][.)])\s*(?=[^\W\d_]|[\"“‘'(<])")
_NO_END = tuple(",;。、，")
_STOPS = tuple(".:")


@dataclass(slots=True)
class Draft:
    """A block without its position in the text.

    Attributes:
        kind, level, style: as in :class:`chunking.document.Block`.
        layout: how its rows are arranged.
        rows: indices of rows.
        marked: whether its first word is a list marker.
        heads: those of its rows that are ruled tables whose first row repeats the head of the table before.
    """

    kind: BlockKind
    layout: GroupLayout
    rows: list[int]
    style: Style
    level: int = 0
    marked: bool = False
    heads: list[int] = field(default_factory=list)


def drafts(
    rows: Sequence[Row], edges: Sequence[Edges], groups: Sequence[Group], habit: Habits, heights: Sequence[float]
) -> list[Draft]:
    """Return a draft for each group, in order.

    Args:
        rows, edges: rows of the document and edges of its regions.
        groups: groups of the rows.
        habit: the usual sizes and distances.
        heights: heights of the pages as laid out, in points.
    """
    notes = _footnotes(rows, groups, habit, heights)
    found: list[Draft] = []
    for number, group in enumerate(groups):
        kind = "footnote" if number in notes else _kind(rows, edges, groups, number, habit)
        continued = kind == "footnote" and bool(found) and found[-1].kind == "footnote"
        if continued and not _NOTE.match(rows[group.rows[0]].text):
            found[-1].rows.extend(group.rows)
            continue
        marked = kind == "list_item" and not _is_drawn(group)
        found.append(Draft(kind, group.layout, list(group.rows), _style(rows, edges, group), marked=marked))
    _heading_levels(rows, found)
    _list_levels(rows, found)
    return found


def text_of(rows: Sequence[Row], group: Sequence[int]) -> str:
    """Return the text of the rows of a group."""
    return " ".join([rows[row].text for row in group])


def _style(rows: Sequence[Row], edges: Sequence[Edges], group: Group) -> Style:
    sizes: dict[float, int] = {}
    bold = italic = total = 0
    for place in group.rows:
        row = rows[place]
        n = len(row.text)
        sizes[row.size] = sizes.get(row.size, 0) + n
        bold, italic, total = bold + n * row.bold, italic + n * row.italic, total + n
    if len(sizes) > 1:
        rounded: Counter[float] = Counter()
        for size, n in sizes.items():
            rounded[round(size, 1)] += n
        usual = rounded.most_common(1)[0][0]
    else:
        usual = round(next(iter(sizes)), 1)
    first = rows[group.rows[0]]
    return Style(
        usual,
        2 * bold > total,
        2 * italic > total,
        round(group.space, 1),
        round(max(first.left - edges[first.region].left, 0.0), 1),
    )


def _kind(
    rows: Sequence[Row], edges: Sequence[Edges], groups: Sequence[Group], number: int, habit: Habits
) -> BlockKind:
    group = groups[number]
    if group.layout in ("ruled", "grid"):
        return "table"
    if group.layout == "code":
        return "code"
    if group.layout == "odd":
        return "paragraph"
    if _is_drawn(group):
        return "list_item"
    if _is_caption(rows, group, habit):
        return "caption"
    if _is_heading(rows, groups, number, habit):
        return "heading"
    if group.layout == "item":
        return "list_item"
    return "quote" if _is_quote(rows, edges, groups, number) else "paragraph"


def _is_drawn(group: Group) -> bool:
    """Return whether a group is an item whose bullet is a shape."""
    return group.marker is not None and group.marker.style == DRAWN


def _is_caption(rows: Sequence[Row], group: Group, habit: Habits) -> bool:
    text = rows[group.rows[0]].text
    match = _CAPTION.match(text)
    if not match or len(group.rows) > 10 or (not text[:1].isupper() and text[:1].islower()):
        return False
    first = rows[group.rows[0]]
    return bool(match["stop"]) or first.size < 0.95 * habit.size or first.bold or first.italic


# Headings -------------------------------------------------------------------------------------------------------------


def _is_heading(rows: Sequence[Row], groups: Sequence[Group], number: int, habit: Habits) -> bool:
    """Return whether a group looks like a heading: larger than the body, or bold, in capitals or numbered and apart."""
    group = groups[number]
    if len(group.rows) > 4:
        return False
    own = [rows[place] for place in group.rows]
    text = " ".join([row.text for row in own])
    size = max(row.size for row in own)
    bold = all(row.bold for row in own) and not habit.bold
    larger = size > 1.08 * habit.size + 0.3
    if not (larger or bold or text.isupper() or _DOTTED.match(text)) or has_leaders(text):
        return False
    letters = sum(map(str.isalpha, text))
    if len(text) > MAX_HEADING or letters < 1 or text.endswith(_NO_END):
        return False
    if larger:
        return (letters > 1 or size < 2 * habit.size) and not (text.endswith(".") and text.count(" ") > 12)
    if len(own) > 2 or len(text) > MAX_HEADING * 2 // 3 or 3 * letters < len(text):
        return False
    numbering = _NUMBERING.match(text)
    stops = text.endswith(_STOPS) and not (numbering and numbering.end() == len(text))
    apart = _is_apart(rows, groups, number, habit)
    if bold:
        return (apart and not stops and size > 0.7 * habit.size) or (bool(numbering) and not stops)
    if size < 0.95 * habit.size or stops or not apart or len(own) > 1:
        return False
    if text.isupper() and letters >= 4:
        return group.layout == "text"
    return bool(_DOTTED.match(text)) and text.count(" ") < 12 and not text.endswith((".", "!", "?"))


def _is_apart(rows: Sequence[Row], groups: Sequence[Group], number: int, habit: Habits) -> bool:
    """Return whether a group has more space above than lines have, or begins its column, and text follows it."""
    group = groups[number]
    last = rows[group.rows[-1]]
    following = groups[number + 1] if number + 1 < len(groups) else None
    if following is None or following.layout == "odd":
        return False
    first = rows[group.rows[0]]
    if group.space < 0:
        return True
    above = rows[group.rows[0] - 1]
    if first.bottom - above.bottom > 1.15 * habit.pitch(first.size) + 0.5:
        return True
    below = rows[following.rows[0]]
    return below.region == last.region and below.bottom - last.bottom > 1.3 * habit.pitch(last.size)


def _heading_levels(rows: Sequence[Row], found: Sequence[Draft]) -> None:
    """Set levels by rank of size and weight, and by depth of numbering, if any.

    Numbered headings are as deep as their number, below as many levels as there are larger ones without numbers.
    """
    headings = [draft for draft in found if draft.kind == "heading"]
    looks = [_look(rows, draft) for draft in headings]
    ranks = {look: rank for rank, look in enumerate(_merged(set(looks)), start=1)}
    near = {look: min(ranks, key=lambda other: (other[1:] != look[1:], abs(other[0] - look[0]))) for look in set(looks)}
    levels = [min(ranks[near[look]], 6) for look in looks]
    numbers = [_NUMBERING.match(text_of(rows, draft.rows)) for draft in headings]
    depths = [match["number"].count(".") + 1 if match else 0 for match in numbers]
    least = min((depth for depth in depths if depth), default=0)
    bases = Counter(level - depth for level, depth in zip(levels, depths, strict=True) if depth == least > 0)
    base = max(bases.most_common(1)[0][0], 0) if bases else 0
    for draft, level, depth in zip(headings, levels, depths, strict=True):
        draft.level = base + depth if depth else level


_Look = tuple[float, bool, bool]


def _look(rows: Sequence[Row], draft: Draft) -> _Look:
    own = [rows[place] for place in draft.rows]
    size = max(round(2 * row.size) / 2 for row in own)
    return size, all(row.bold for row in own), text_of(rows, draft.rows).isupper()


def _merged(looks: set[_Look]) -> list[_Look]:
    """Return looks from the largest to the smallest, without those within half a point of one before."""
    kept: list[_Look] = []
    for look in sorted(looks, reverse=True):
        if not any(other[1:] == look[1:] and abs(other[0] - look[0]) <= 0.5 for other in kept):
            kept.append(look)
    return kept


# Footnotes, lists, quotes -----------------------------------------------------------------------------------------


def _footnotes(rows: Sequence[Row], groups: Sequence[Group], habit: Habits, heights: Sequence[float]) -> set[int]:
    """Return the groups that are footnotes: at the end of a column, smaller than the text above, the first marked."""
    large = {rows[place].page for group in groups for place in group.rows if rows[place].size > 0.95 * habit.size}
    found: set[int] = set()
    waiting: list[int] = []
    region = closed = -1
    for number in range(len(groups) - 1, -1, -1):
        group = groups[number]
        first = rows[group.rows[0]]
        if first.region != region:
            region, waiting = first.region, []
        small = max(rows[place].size for place in group.rows) < 0.93 * habit.size
        low = first.top > 0.35 * heights[first.page] and first.page in large
        if region == closed or not (small and low and group.layout in ("text", "item")):
            closed = region
            continue
        waiting.append(number)
        if _NOTE.match(first.text):
            found.update(waiting)
            waiting = []
    return found


def _list_levels(rows: Sequence[Row], found: Sequence[Draft]) -> None:
    """Set the depth of list items by their indentation relative to the items before."""
    lefts: list[float] = []
    region = -1
    for draft in found:
        first = rows[draft.rows[0]]
        if draft.kind == "quote":
            draft.level = 1
        if draft.kind == "list_item":
            shift = 0.6 * first.size
            if region != first.region and lefts:
                # Another column has another edge: its first item is at the level where it fits, else begins anew.
                lefts = lefts if any(abs(left - first.left) < shift for left in lefts) else []
            region = first.region
            while lefts and lefts[-1] > first.left + shift:
                lefts.pop()
            if not lefts or lefts[-1] < first.left - shift:
                lefts.append(first.left)
            draft.level = len(lefts)
        elif draft.kind == "heading" or (lefts and draft.kind == "paragraph" and first.left <= lefts[0] + 1):
            lefts = []


def _is_quote(rows: Sequence[Row], edges: Sequence[Edges], groups: Sequence[Group], number: int) -> bool:
    """Return whether a paragraph is indented on both sides, next to one that is not."""
    own = [rows[place] for place in groups[number].rows]
    if len(own) < 3:
        return False
    edge = edges[own[0].region]
    margin = 1.4 * own[0].size
    lefts, right = [row.left for row in own[1:]], max(row.right for row in own)
    if min(lefts) < edge.left + margin or right > edge.right - margin or max(lefts) - min(lefts) > 2:
        return False
    if sum(row.right > right - margin for row in own) < 2:
        return False
    near = [groups[other] for other in (number - 1, number + 1) if 0 <= other < len(groups)]
    return any(
        group.layout == "text"
        and rows[group.rows[0]].region == own[0].region
        and min(rows[place].left for place in group.rows) < edge.left + 2
        and max(rows[place].right for place in group.rows) > edge.right - margin
        for group in near
    )
