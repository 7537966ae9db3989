"""From lines to drafts of blocks: paragraphs, items, code and tables without rules."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

from chunking.document import BlockKind, Style
from chunking.loading.binary.pdf.body_style import BodyStyle
from chunking.loading.binary.pdf.grids import GridMerger
from chunking.loading.binary.pdf.layout import ColumnEdges, Layout, Line
from chunking.loading.binary.pdf.outline import OutlineTitle
from chunking.loading.numerals import ROMAN_VALUES
from chunking.runtime.patterns import compile_pattern

# Markers ------------------------------------------------------------------------------------------------------------

_BULLET = compile_pattern(r"[•‣⁃◦▪▫●○■□▸►➢➤✓✔❖·∙⋅\uf021-\uf0ff*−–—-]")
DRAWN = "drawn"
"""Style of a marker that is a drawn shape instead of a word."""

_NUMBERED = compile_pattern(r"\(?(?:(\d{1,3})|([a-z])|([ivx]{1,5})|([A-Z]))[.)]|\[(\d{1,3})\]")
_LEADERS = compile_pattern(r"(?:\.\s?){4,}|(?:\.\s){2,}(?=\d+$)|…{2,}|(?:·\s?){4,}")
_ROMAN = {numeral: value for numeral, value in ROMAN_VALUES.items() if value <= 10}


class Marker(NamedTuple):
    """The marker of a list item.

    Attributes:
        style: the style of the number, or the bullet itself.
        value: value of a number, else 0.
    """

    style: str
    value: int


def has_leaders(text: str) -> bool:
    """Return whether a line of dots leads from a title to its page."""
    return (".." in text or ". ." in text or "…" in text or "·" in text) and bool(_LEADERS.search(text))


def marker_of(line: Line) -> Marker | None:
    """Return the list marker that a line seems to begin with."""
    if line.bullet:
        return Marker(DRAWN, 0)
    first = line.first
    if len(first) > 6 or len(line.text) <= len(first):
        return None
    if _BULLET.fullmatch(first):
        return Marker(first, 0)
    if first == "o" and line.inner - line.left > 1.2 * line.size:
        return Marker(first, 0)
    match = _NUMBERED.fullmatch(first)
    if not match:
        return None
    number, letter, roman, capital, reference = match.groups()
    around = first[0] + first[-1]
    if number or reference:
        return Marker(f"1{around[-1]}", int(number or reference))
    if roman and (len(roman) > 1 or roman == "i"):
        return Marker(f"i{around[-1]}", _ROMAN.get(roman, 99))
    if letter:
        return Marker(f"a{around[-1]}", ord(letter) - 96)
    return Marker(f"A{around[-1]}", ord(capital) - 64) if capital else None


# Grouping of lines --------------------------------------------------------------------------------------------------

DraftLayout = Literal["text", "item", "code", "ruled", "grid", "rotated"]

_FAINT = frozenset("*−–—-·")
_TERMINATORS = tuple(".!?:;…。！？：；؟۔।”’\"')]")
_OPENING = "(["
_BROKEN = compile_pattern("\\w[-\u00ad\u2010]$|\\d–$")
_JUST_NUMBER = compile_pattern(r"[\d\W]*|[ivxlc]+", re.IGNORECASE)


@dataclass(slots=True)
class BlockDraft:
    """Lines that belong together: a block without its position in the text.

    Attributes:
        layout: how they are arranged.
        lines: the lines.
        marker: marker of a list item.
        space: white space above, in points; -1 at the top of a region.
        step: distance of its first base line from the one above, in points; -1 at the top of a region.
        kind, level, style: as in :class:`chunking.document.Block`.
        heads: those of its lines that are ruled tables whose first row repeats the head of the table before.
        depth: depth of the entry of the file's outline that names it, from 1; 0 if none does.
    """

    layout: DraftLayout
    lines: list[Line]
    marker: Marker | None = None
    space: float = -1.0
    step: float = -1.0
    kind: BlockKind = "paragraph"
    level: int = 0
    style: Style = field(default_factory=Style)
    heads: list[Line] = field(default_factory=list)
    depth: int = 0

    @property
    def text(self) -> str:
        """The text of its lines."""
        return " ".join([line.text for line in self.lines])

    @property
    def is_drawn(self) -> bool:
        """Whether it is an item whose bullet is a shape."""
        return self.marker is not None and self.marker.style == DRAWN

    @property
    def is_marked(self) -> bool:
        """Whether its first word is a list marker."""
        return self.kind == "list_item" and not self.is_drawn


class LineGrouper:
    """One pass over the lines of a document.

    Args:
        layout: the lines.
        body: their usual style.
        titles: those that the file's outline names, by the index of the first line; each is a draft of its own.
    """

    def __init__(self, layout: Layout, body: BodyStyle, titles: Mapping[int, OutlineTitle]) -> None:
        self.titles = titles
        self.lines, self.edges, self.fragments, self.body = layout.lines, layout.edges, layout.fragments, body
        self.drafts: list[BlockDraft] = []
        self._inner = _inner_edges(layout.lines, layout.edges)

    def run(self) -> list[BlockDraft]:
        """Return the drafts, in reading order."""
        index = 0
        while index < len(self.lines):
            end = self._title(index) or self._grid(index)
            if end:
                index = end
                continue
            self._add(index)
            index += 1
        return GridMerger(self.fragments, self.body).run(self.drafts)

    def _title(self, begin: int) -> int:
        """Add the title in the file's outline that begins at a line, and return its end; 0 if there is none."""
        title = self.titles.get(begin)
        if title is None:
            return 0
        self._begin("text", begin, title.end)
        self.drafts[-1].depth = title.level
        return title.end

    # Grids: cells without rules ------------------------------------------------------------------------------------

    def _grid(self, begin: int) -> int:
        """Add the table without rules that begins at a line, and return its end; 0 if there is none."""
        lines = self.lines
        if len(lines[begin].fragments) < 2 or not self._has_cells(begin):
            return 0
        lefts = self._cell_edges(begin)
        end, celled = begin + 1, 1
        while end < len(lines) and lines[end].region == lines[begin].region and end not in self.titles:
            step = lines[end].bottom - lines[end - 1].bottom
            if step > 2.6 * self.body.pitch(lines[end].size):
                break
            cells = self._cell_edges(end)
            if len(cells) > 1 and self._has_cells(end) and _are_aligned(cells, lefts):
                celled += 1
                lefts = lefts if len(lefts) > len(cells) else cells
            elif not (len(cells) == 1 and any(abs(cells[0][0] - b[0]) < 4 for b in lefts[1:])):
                break
            end += 1
        if celled < (3 if len(lefts) < 3 else 2):
            return 0
        self._begin("grid", begin, end)
        return end

    def _has_cells(self, index: int) -> bool:
        """Return whether a line consists of cells: not a marker with its text, nor an entry of a table of contents."""
        line = self.lines[index]
        if line.rotated or line.table >= 0 or (line.mono and not self.body.mono):
            return False
        marker = marker_of(line)
        if len(line.fragments) == 2:
            return not (marker or self._is_contents(line) or has_leaders(line.text))
        # A bullet before a line with wide spaces is no cell; a dash may be one without a value.
        return marker is None or marker.value > 0 or marker.style in _FAINT

    def _is_contents(self, line: Line) -> bool:
        last = line.text.rsplit(" ", 1)[-1]
        far = abs(line.right - self.edges[line.region].right) < 6
        return far and bool(_JUST_NUMBER.fullmatch(last)) and last.isalnum() and line.text[:1].isalnum()

    def _cell_edges(self, index: int) -> list[tuple[float, float]]:
        left, right = self.fragments.left, self.fragments.right
        return [(float(left[fragment]), float(right[fragment])) for fragment in self.lines[index].fragments]

    # Text ----------------------------------------------------------------------------------------------------------

    def _begin(self, layout: DraftLayout, begin: int, end: int, marker: Marker | None = None) -> None:
        """Add a draft of some lines."""
        draft = BlockDraft(layout, self.lines[begin:end], marker)
        line, above = self.lines[begin], self.lines[begin - 1] if begin else None
        if above is not None and above.region == line.region:
            draft.space, draft.step = max(line.top - above.bottom, 0.0), line.bottom - above.bottom
        self.drafts.append(draft)

    def _add(self, index: int) -> None:
        line = self.lines[index]
        current = self.drafts[-1] if self.drafts else None
        if line.table >= 0 or line.rotated:
            self._begin("ruled" if line.table >= 0 else "rotated", index, index + 1)
            return
        same = current is not None and current.lines[-1].region == line.region and not current.depth
        marker = marker_of(line)
        if marker and not self._is_item(index, marker, current if same else None):
            marker = None
        code = (marker is None or marker.style in _FAINT) and self._is_code(index, current if same else None)
        if code:
            marker = None
        if current and same and marker is None and self._continues(index, current, code):
            current.lines.append(line)
            return
        layout: DraftLayout = "code" if code else "item" if marker else "text"
        self._begin(layout, index, index + 1, marker)

    def _is_code(self, index: int, current: BlockDraft | None) -> bool:
        line = self.lines[index]
        if not line.mono or self.body.mono or line.size > 1.08 * self.body.size + 0.3:
            return False
        if current is None or current.layout == "code":
            return True
        previous = current.lines[-1]
        following = self.lines[index + 1] if index + 1 < len(self.lines) else None
        inline = (
            current.layout in ("text", "item")
            and line.bottom - previous.bottom < self._limit(line)
            and not self._is_short(previous, line)
            and not (following and following.mono)
        )
        return not inline

    def _limit(self, line: Line) -> float:
        return 1.18 * self.body.pitch(line.size) + 0.6

    def _is_short(self, previous: Line, line: Line) -> bool:
        """Return whether the first word of the next line would have fitted on the line before."""
        right = self._right(previous)
        return previous.right + 0.25 * previous.size + line.first_width < right - 0.4 * previous.size

    def _continues(self, index: int, current: BlockDraft, code: bool) -> bool:
        """Return whether a line continues a group of its region."""
        line, previous = self.lines[index], current.lines[-1]
        step = line.bottom - previous.bottom
        if current.layout == "code" or code:
            is_near = step < 2.6 * self.body.pitch(line.size)
            return code and current.layout == "code" and is_near and self._in_step(index, current, step)
        if current.layout not in ("text", "item"):
            return False
        inline = line.mono != previous.mono and not self.body.mono
        if not inline and abs(line.size - previous.size) > 0.08 * max(line.size, previous.size) + 0.2:
            return False
        if step > max(self._limit(line), self._limit(previous)):
            return False
        has_ended = line.bold and previous.text.endswith(_TERMINATORS)
        if line.bold != previous.bold and (has_ended or self._is_short(previous, line)):
            return False
        if has_leaders(previous.text) or (len(previous.fragments) > 1 and self._is_contents(previous)):
            return False
        return not self._is_indented(index, current) and not self._has_ended(line, current)

    def _in_step(self, index: int, current: BlockDraft, step: float) -> bool:
        """Return whether a line of code is whole lines below the one before."""
        lines = self.lines
        bottoms = [line.bottom for line in current.lines[-4:] if line.region == lines[index].region]
        steps = [below - above for above, below in pairwise(bottoms)]
        if index + 1 < len(lines) and lines[index + 1].mono and lines[index + 1].region == lines[index].region:
            steps.append(lines[index + 1].bottom - lines[index].bottom)
        steps = [distance for distance in steps if distance > 0.5 * lines[index].size]
        if len(steps) < 2:
            steps.append(self.body.pitch(lines[index].size))
        ratio = step / min(steps)
        return ratio < 1.2 or abs(ratio - round(ratio)) < 0.07

    def _has_ended(self, line: Line, current: BlockDraft) -> bool:
        """Return whether the line before ended its paragraph: it had space left, and the next begins a sentence."""
        previous = current.lines[-1]
        if not self._is_short(previous, line) or self._is_centred(line, previous):
            return False
        if previous.hyphen or _BROKEN.search(previous.text):
            return False
        if previous.text.endswith(_TERMINATORS):
            return True
        if current.layout == "item" and abs(line.left - current.lines[0].inner) < 0.3 * line.size:
            # Lines are often broken early before a name; what follows an item without a stop is its rest.
            return False
        first = line.text.lstrip(_OPENING)[:1]
        return first.isupper() or not first.isalpha()

    def _right(self, line: Line) -> float:
        """Return the right edge of the text of a line; for text indented on both sides, that of several lines."""
        return self._inner.get((line.region, round(line.left / 2)), self.edges[line.region].right)

    def _is_centred(self, line: Line, previous: Line) -> bool:
        """Return whether two lines are centred in their column."""
        edge = self.edges[line.region]
        middle = edge.left + edge.right
        centred = all(abs(candidate.left + candidate.right - middle) < 8 for candidate in (line, previous))
        return centred and abs(line.left - previous.left) > 2 and max(line.left, previous.left) > edge.left + line.size

    def _is_indented(self, index: int, current: BlockDraft) -> bool:
        """Return whether a line's indentation begins a new paragraph."""
        line, previous = self.lines[index], current.lines[-1]
        move = line.left - previous.left
        if abs(move) < 0.7 * line.size or self._is_centred(line, previous):
            return False
        if len(current.lines) > 1:
            return True
        is_item = current.layout == "item"
        if move < 0:
            # The first line was indented, at most by some ems: of a paragraph, or of a numbered one as in statutes.
            has_ended = is_item and (self._is_short(previous, line) or previous.text.endswith(_TERMINATORS))
            return has_ended or -move > 6 * line.size
        if is_item:
            return line.left > previous.inner + 2 * line.size
        is_label = previous.inner - previous.left > previous.first_width + 0.8 * line.size
        if (is_label or previous.first[:1].isdigit()) and abs(line.left - previous.inner) < 0.6 * line.size:
            # What has a label before it, such as a numbered heading, continues below its words.
            return False
        following = self.lines[index + 1] if index + 1 < len(self.lines) else None
        hanging = following is not None and following.region == line.region and abs(following.left - line.left) < 2
        return not hanging or move > 6 * line.size

    def _is_item(self, index: int, marker: Marker, current: BlockDraft | None) -> bool:
        """Return whether an apparent list marker is one, not a number or dash at the start of a wrapped line."""
        line = self.lines[index]
        if marker.value == 0 and marker.style not in _FAINT:
            return True
        previous = current.lines[-1] if current else None
        if current and previous and current.layout in ("text", "item"):
            is_below = (
                abs(line.left - previous.left) < 0.5 * line.size
                and line.bottom - previous.bottom < self._limit(line)
                and not self._is_short(previous, line)
            )
            first = current.lines[0]
            sibling = current.layout == "item" and abs(first.left - line.left) < 0.5 * line.size
            if is_below and not sibling:
                return False
        return self._hangs(index) or self._has_sibling(index, marker)

    def _hangs(self, index: int) -> bool:
        """Return whether the next line is aligned with the text after the marker."""
        line = self.lines[index]
        following = self.lines[index + 1] if index + 1 < len(self.lines) else None
        return (
            following is not None
            and following.region == line.region
            and following.bottom - line.bottom < self._limit(line)
            and following.left - line.left > 0.5 * line.size
            and abs(following.left - line.inner) < 0.5 * line.size
        )

    def _has_sibling(self, index: int, marker: Marker) -> bool:
        """Return whether a preceding or following marker of the same style is near."""
        for other in (*range(index - 12, index), *range(index + 1, index + 13)):
            if 0 <= other < len(self.lines):
                sibling = marker_of(self.lines[other])
                step = 1 if other > index else -1
                if (
                    sibling
                    and sibling.style == marker.style
                    and sibling.value == marker.value + (step if marker.value else 0)
                ):
                    return True
        return False


def _inner_edges(lines: Sequence[Line], edges: Sequence[ColumnEdges]) -> dict[tuple[int, int], float]:
    """Return right edges of text indented on both sides, by region and left edge in steps of two points.

    Three lines or more that begin together and of which two in five end together, short of the column's edge.
    """
    rights: dict[tuple[int, int], list[float]] = {}
    for line in lines:
        rights.setdefault((line.region, round(line.left / 2)), []).append(line.right)
    inner: dict[tuple[int, int], float] = {}
    for key, ends in rights.items():
        most = max(ends)
        near_count = sum(end > most - 12 for end in ends)
        if near_count > 2 and 5 * near_count >= 2 * len(ends) and most < edges[key[0]].right - 12:
            inner[key] = most
    return inner


def _are_aligned(cells: Sequence[tuple[float, float]], others: Sequence[tuple[float, float]]) -> bool:
    """Return whether a column within two lines of cells begins or ends at the same place.

    The first left and the last right edge are no evidence: lines of a justified text share them.
    """
    begins = any(abs(a[0] - b[0]) < 4 for a in cells[1:] for b in others[1:])
    ends = any(abs(a[1] - b[1]) < 4 for a in cells[:-1] for b in others[:-1])
    centres = any(abs(sum(a) - sum(b)) < 6 for a in cells[1:] for b in others[1:])
    last = len(cells) == len(others) and abs(cells[-1][1] - others[-1][1]) < 2 and cells[-1][0] - cells[-2][1] > 20
    return begins or ends or centres or last
