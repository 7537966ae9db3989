"""From rows to groups: the rows of one paragraph, item, table or piece of code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from chunking.loading.binary.pdf.habits import Habits
from chunking.loading.binary.pdf.markers import Marker, has_leaders, marker_of
from chunking.loading.binary.pdf.pieces import Pieces
from chunking.loading.binary.pdf.rows import Edges, Row
from chunking.runtime.patterns import compile_pattern

GroupLayout = Literal["text", "item", "code", "ruled", "grid", "odd"]

_FAINT = frozenset("*–—-·")
_TERMINATORS = tuple(".!?:;…。！？：；؟۔।”’\"')]")
_BROKEN = compile_pattern("\\w[-\u00ad\u2010]$")
_JUST_NUMBER = compile_pattern(r"[\d\W]*|[ivxlc]+", re.IGNORECASE)


@dataclass(slots=True)
class Group:
    """Rows that belong together.

    Attributes:
        layout: how they are arranged.
        rows: indices of the rows.
        marker: marker of a list item.
        space: white space above, in points; -1 at the top of a region.
    """

    layout: GroupLayout
    rows: list[int]
    marker: Marker | None = None
    space: float = -1.0


class Grouper:
    """One pass over the rows of a document."""

    def __init__(self, rows: Sequence[Row], edges: Sequence[Edges], pieces: Pieces, habit: Habits) -> None:
        self.rows, self.edges, self.pieces, self.habit = rows, edges, pieces, habit
        self.groups: list[Group] = []
        self._inner = _inner_edges(rows, edges)

    def run(self) -> list[Group]:
        """Return the groups, in reading order."""
        place = 0
        while place < len(self.rows):
            end = self._grid(place)
            if end:
                place = end
                continue
            self._add(place)
            place += 1
        return self.groups

    # Grids: cells without rules ------------------------------------------------------------------------------------

    def _grid(self, begin: int) -> int:
        """Add the table without rules that begins at a row, and return its end; 0 if there is none."""
        rows = self.rows
        if len(rows[begin].pieces) < 2 or not self._celled(begin):
            return 0
        lefts = self._cell_edges(begin)
        end, celled = begin + 1, 1
        while end < len(rows) and rows[end].region == rows[begin].region:
            step = rows[end].bottom - rows[end - 1].bottom
            if step > 2.6 * self.habit.pitch(rows[end].size):
                break
            own = self._cell_edges(end)
            if len(own) > 1 and self._celled(end) and _aligned(own, lefts):
                celled += 1
                lefts = lefts if len(lefts) > len(own) else own
            elif not (len(own) == 1 and any(abs(own[0][0] - b[0]) < 4 for b in lefts[1:])):
                break
            end += 1
        if celled < (3 if len(lefts) < 3 else 2):
            return 0
        self.groups.append(Group("grid", list(range(begin, end)), space=self._space(begin)))
        return end

    def _celled(self, place: int) -> bool:
        """Return whether a row consists of cells: not a marker with its text, nor an entry of a table of contents."""
        row = self.rows[place]
        if row.odd or row.table >= 0 or (row.mono and not self.habit.mono) or has_leaders(row.text):
            return False
        return not (len(row.pieces) == 2 and (marker_of(row) or self._is_contents(row)))

    def _is_contents(self, row: Row) -> bool:
        last = row.text.rsplit(" ", 1)[-1]
        far = abs(row.right - self.edges[row.region].right) < 6
        return far and bool(_JUST_NUMBER.fullmatch(last)) and last.isalnum() and row.text[:1].isalnum()

    def _cell_edges(self, place: int) -> list[tuple[float, float]]:
        left, right = self.pieces.left, self.pieces.right
        return [(float(left[piece]), float(right[piece])) for piece in self.rows[place].pieces]

    # Text ----------------------------------------------------------------------------------------------------------

    def _space(self, place: int) -> float:
        if not place or self.rows[place - 1].region != self.rows[place].region:
            return -1.0
        return max(self.rows[place].top - self.rows[place - 1].bottom, 0.0)

    def _add(self, place: int) -> None:
        row = self.rows[place]
        current = self.groups[-1] if self.groups else None
        if row.table >= 0 or row.odd:
            self.groups.append(Group("ruled" if row.table >= 0 else "odd", [place], space=self._space(place)))
            return
        same = current is not None and self.rows[current.rows[-1]].region == row.region
        marker = marker_of(row)
        if marker and not self._is_item(place, marker, current if same else None):
            marker = None
        code = (marker is None or marker.style in _FAINT) and self._is_code(place, current if same else None)
        if code:
            marker = None
        if current and same and marker is None and self._continues(place, current, code):
            current.rows.append(place)
            return
        layout: GroupLayout = "code" if code else "item" if marker else "text"
        self.groups.append(Group(layout, [place], marker, self._space(place)))

    def _is_code(self, place: int, current: Group | None) -> bool:
        row = self.rows[place]
        if not row.mono or self.habit.mono:
            return False
        if current is None or current.layout == "code":
            return True
        previous = self.rows[current.rows[-1]]
        following = self.rows[place + 1] if place + 1 < len(self.rows) else None
        inline = (
            current.layout in ("text", "item")
            and row.bottom - previous.bottom < self._limit(row)
            and not self._short(previous, row)
            and not (following and following.mono)
        )
        return not inline

    def _limit(self, row: Row) -> float:
        return 1.18 * self.habit.pitch(row.size) + 0.6

    def _short(self, previous: Row, row: Row) -> bool:
        """Return whether the first word of the next row would have fitted on the row before."""
        right = self._right(previous)
        return previous.right + 0.25 * previous.size + row.first_width < right - 0.4 * previous.size

    def _continues(self, place: int, current: Group, code: bool) -> bool:
        """Return whether a row continues a group of its region."""
        row, previous = self.rows[place], self.rows[current.rows[-1]]
        step = row.bottom - previous.bottom
        if current.layout == "code" or code:
            near = step < 2.6 * self.habit.pitch(row.size)
            return code and current.layout == "code" and near and self._in_step(place, current, step)
        if current.layout not in ("text", "item"):
            return False
        inline = row.mono != previous.mono and not self.habit.mono
        if not inline and abs(row.size - previous.size) > 0.08 * max(row.size, previous.size) + 0.2:
            return False
        if step > max(self._limit(row), self._limit(previous)):
            return False
        if row.bold != previous.bold and self._short(previous, row):
            return False
        if has_leaders(previous.text) or (len(previous.pieces) > 1 and self._is_contents(previous)):
            return False
        return not self._indented(place, current) and not self._ended(row, previous)

    def _in_step(self, place: int, current: Group, step: float) -> bool:
        """Return whether a row of code is whole lines below the one before."""
        rows = self.rows
        near = [rows[other].bottom for other in current.rows[-4:] if rows[other].region == rows[place].region]
        known = [below - above for above, below in pairwise(near)]
        if place + 1 < len(rows) and rows[place + 1].mono and rows[place + 1].region == rows[place].region:
            known.append(rows[place + 1].bottom - rows[place].bottom)
        known = [one for one in known if one > 0.5 * rows[place].size]
        if len(known) < 2:
            known.append(self.habit.pitch(rows[place].size))
        lines = step / min(known)
        return lines < 1.2 or abs(lines - round(lines)) < 0.07

    def _ended(self, row: Row, previous: Row) -> bool:
        """Return whether the row before ended its paragraph: it had space left, and the next begins like a sentence."""
        if not self._short(previous, row) or self._centred(row, previous):
            return False
        if previous.hyphen or _BROKEN.search(previous.text):
            return False
        first = row.text[:1]
        cased = first.isupper() or not first.isalpha()
        return cased or previous.text.endswith(_TERMINATORS)

    def _right(self, row: Row) -> float:
        """Return the right edge of the text of a row; for text indented on both sides, that of several rows."""
        return self._inner.get((row.region, round(row.left / 2)), self.edges[row.region].right)

    def _centred(self, row: Row, previous: Row) -> bool:
        """Return whether two rows are centred in their column."""
        edge = self.edges[row.region]
        middle = edge.left + edge.right
        centred = all(abs(one.left + one.right - middle) < 8 for one in (row, previous))
        return centred and abs(row.left - previous.left) > 2 and max(row.left, previous.left) > edge.left + row.size

    def _indented(self, place: int, current: Group) -> bool:
        """Return whether a row's indentation begins a new paragraph."""
        row, previous = self.rows[place], self.rows[current.rows[-1]]
        move = row.left - previous.left
        if abs(move) < 0.7 * row.size or self._centred(row, previous):
            return False
        if len(current.rows) > 1:
            return True
        if current.layout == "item":
            return row.left < previous.left - 0.7 * row.size or row.left > previous.inner + 2 * row.size
        if move < 0:
            # The first row of a paragraph was indented, at most by some ems.
            return -move > 6 * row.size
        if previous.first[:1].isdigit() and abs(row.left - previous.inner) < 0.6 * row.size:
            # A numbered heading continues below its words.
            return False
        following = self.rows[place + 1] if place + 1 < len(self.rows) else None
        hanging = following is not None and following.region == row.region and abs(following.left - row.left) < 2
        return not hanging or move > 6 * row.size

    def _is_item(self, place: int, marker: Marker, current: Group | None) -> bool:
        """Return whether an apparent list marker is one, not a number or dash at the start of a wrapped line."""
        row = self.rows[place]
        if marker.value == 0 and marker.style not in _FAINT:
            return True
        previous = self.rows[current.rows[-1]] if current else None
        if current and previous and current.layout in ("text", "item"):
            inside = (
                abs(row.left - previous.left) < 0.5 * row.size
                and row.bottom - previous.bottom < self._limit(row)
                and not self._short(previous, row)
            )
            first = self.rows[current.rows[0]]
            sibling = current.layout == "item" and abs(first.left - row.left) < 0.5 * row.size
            if inside and not sibling:
                return False
        return self._hangs(place) or self._has_sibling(place, marker)

    def _hangs(self, place: int) -> bool:
        """Return whether the next row is aligned with the text after the marker."""
        row = self.rows[place]
        following = self.rows[place + 1] if place + 1 < len(self.rows) else None
        return (
            following is not None
            and following.region == row.region
            and following.bottom - row.bottom < self._limit(row)
            and following.left - row.left > 0.5 * row.size
            and abs(following.left - row.inner) < 0.5 * row.size
        )

    def _has_sibling(self, place: int, marker: Marker) -> bool:
        """Return whether a preceding or following marker of the same style is near."""
        for other in (*range(place - 12, place), *range(place + 1, place + 13)):
            if 0 <= other < len(self.rows):
                found = marker_of(self.rows[other])
                step = 1 if other > place else -1
                if (
                    found
                    and found.style == marker.style
                    and found.value == marker.value + (step if marker.value else 0)
                ):
                    return True
        return False


def _inner_edges(rows: Sequence[Row], edges: Sequence[Edges]) -> dict[tuple[int, int], float]:
    """Return right edges of text indented on both sides, by region and left edge in steps of two points.

    Three rows or more that begin together and of which two in five end together, short of the column's edge.
    """
    rights: dict[tuple[int, int], list[float]] = {}
    for row in rows:
        rights.setdefault((row.region, round(row.left / 2)), []).append(row.right)
    found: dict[tuple[int, int], float] = {}
    for key, ends in rights.items():
        most = max(ends)
        near = sum(end > most - 12 for end in ends)
        if near > 2 and 5 * near >= 2 * len(ends) and most < edges[key[0]].right - 12:
            found[key] = most
    return found


def _aligned(own: Sequence[tuple[float, float]], others: Sequence[tuple[float, float]]) -> bool:
    """Return whether a column within two rows of cells begins or ends at the same place.

    The first left and the last right edge are no evidence: lines of a justified text share them.
    """
    begins = any(abs(a[0] - b[0]) < 4 for a in own[1:] for b in others[1:])
    ends = any(abs(a[1] - b[1]) < 4 for a in own[:-1] for b in others[:-1])
    centres = any(abs(sum(a) - sum(b)) < 6 for a in own[1:] for b in others[1:])
    last = len(own) == len(others) and abs(own[-1][1] - others[-1][1]) < 2 and own[-1][0] - own[-2][1] > 20
    return begins or ends or centres or last


def columns_of(rows: Sequence[Row], pieces: Pieces) -> list[tuple[float, float]]:
    """Return left and right edges of the columns of the pieces of rows, if none spans another."""
    places = [piece for row in rows for piece in row.pieces]
    columns: list[tuple[float, float]] = []
    for left, right in sorted(zip(pieces.left[places].tolist(), pieces.right[places].tolist(), strict=True)):
        if columns and left <= columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], right)
        else:
            columns.append((left, right))
    return columns
