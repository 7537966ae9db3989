"""A rendering: the elements of a text, and the characters that are shown otherwise than written.

Nothing is copied: an element is a span of the text, and what a reader sees are the characters of the text in order,
without the hidden ones. So a boundary, an overlap or a sentence has its exact place in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from chunking.runtime.patterns import compile_pattern

ElementKind = Literal[
    "heading",
    "paragraph",
    "list",
    "item",
    "marker",
    "quote",
    "table",
    "row",
    "header",
    "cell",
    "code",
    "token",
    "caption",
    "footnote",
    "speaker",
    "strong",
    "emphasis",
    "deleted",
    "literal",
    "link",
    "image",
    "break",
    "rule",
    "source",
]
"""The kinds of elements. ``header`` is a cell of the header row; ``token`` a part of code, whose class is its title;
``literal`` code in a line of text; ``break`` the end of a line; ``rule`` a line across the page; ``source`` text that
a reader would not see, but that is in the chunks: link definitions, comments.
"""

ELEMENT_KINDS: tuple[ElementKind, ...] = get_args(ElementKind)

MAX_DEPTH = 64
"""Depth from which elements are left out: a thousand stars are a thousand elements inside each other."""

_HIDDEN = compile_pattern(rb"\x00+")


class Element(NamedTuple):
    """A part of a rendering.

    Attributes:
        kind: see :data:`ElementKind`.
        start, end: half-open character span, its markup included.
        depth: number of elements around it.
        level: 1–6 or deeper of a heading; 1 of an ordered list; number of its item, −1 for an item without a mark of
            its own; number of columns of a table; column of a cell, from 1 (a row leaves empty cells out).
        title: address of a link or image, class of a token, name of a code block.
    """

    kind: ElementKind
    start: int
    end: int
    depth: int = 0
    level: int = 0
    title: str = ""


class Substitution(NamedTuple):
    """Characters that are shown otherwise than written.

    Attributes:
        start, end: half-open character span.
        text: what is shown instead; empty for hidden characters.
    """

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True)
class Rendering:
    """The layout of a text as its reader sees it.

    Attributes:
        elements: in the order of the text, each before those inside it; two of them overlap only if one is inside
            the other.
        substitutions: in order, without overlap; all other characters of the text are shown as they are.
        reflowed: whether line ends inside a paragraph are only there for whoever edits the source.
    """

    elements: tuple[Element, ...]
    substitutions: tuple[Substitution, ...]
    reflowed: bool = False

    def shown(self, text: str) -> str:
        """Return what a reader sees of the text, without its layout."""
        pieces, offset = [], 0
        for start, end, instead in self.substitutions:
            pieces += [text[offset:start], instead]
            offset = end
        return "".join([*pieces, text[offset:]])


@dataclass
class RenderingWriter:
    """A writer of a rendering: all characters are hidden until they are shown.

    Attributes:
        text: the text.
        reflowed: see :class:`Rendering`.
    """

    text: str
    reflowed: bool = False
    _visible: bytearray = field(init=False)
    _instead: dict[int, Substitution] = field(default_factory=dict)
    _elements: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._visible = bytearray(len(self.text))

    def add(self, kind: ElementKind, start: int, end: int, level: int = 0, title: str = "") -> int:
        """Add an element and return its number; of two with the same span, the outer one comes first."""
        self._elements.append(Element(kind, start, end, 0, level, title))
        return len(self._elements) - 1

    def extend(self, number: int, end: int) -> None:
        """Set the end of an element."""
        self._elements[number] = self._elements[number]._replace(end=end)

    def set_level(self, number: int, level: int) -> None:
        """Set the level of an element."""
        self._elements[number] = self._elements[number]._replace(level=level)

    def show(self, start: int, end: int) -> None:
        """Show characters as they are."""
        self._visible[start:end] = b"\1" * (end - start)

    def hide(self, start: int, end: int) -> None:
        """Hide characters."""
        self._visible[start:end] = bytes(end - start)

    def replace(self, start: int, end: int, text: str) -> None:
        """Show another text in the place of some characters."""
        self.hide(start, end)
        self._instead[start] = Substitution(start, end, text)

    def rendering(self) -> Rendering:
        """Return the result."""
        return Rendering(tuple(self._nest_elements()), tuple(self._substitutions()), self.reflowed)

    def _nest_elements(self) -> list[Element]:
        """Return the elements in order, with their depth; one that crosses the edge of another ends there."""
        nested: list[Element] = []
        ends: list[int] = []
        elements = (element for element in self._elements if element.start < element.end)
        for element in sorted(elements, key=lambda element: (element.start, -element.end)):
            while ends and ends[-1] <= element.start:
                ends.pop()
            if len(ends) == MAX_DEPTH:
                continue
            end = min(element.end, ends[-1]) if ends else element.end
            nested.append(element._replace(end=end, depth=len(ends)))
            ends.append(end)
        return nested

    def _substitutions(self) -> list[Substitution]:
        """Return the hidden runs, divided where another text is shown instead."""
        substitutions: list[Substitution] = []
        starts, next_one = sorted(self._instead), 0
        for run in _HIDDEN.finditer(self._visible):
            start, last = run.span()
            while next_one < len(starts) and starts[next_one] < last:
                instead = self._instead[starts[next_one]]
                if instead.start > start:
                    substitutions.append(Substitution(start, instead.start))
                substitutions.append(instead)
                start, next_one = instead.end, next_one + 1
            if start < last:
                substitutions.append(Substitution(start, last))
        return substitutions
