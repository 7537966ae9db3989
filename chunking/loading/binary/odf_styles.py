"""The styles of OpenDocument files: paragraphs, lists, and the marks that are displayed before items and headings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chunking.loading.numerals import NUMERALS
from chunking.loading.superscripts import Script


def odf_namespace(name: str) -> str:
    """Return a namespace of OpenDocument as the prefix of the names of its elements and attributes."""
    return f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}"


TEXT, STYLE, FO = map(odf_namespace, ("text", "style", "xsl-fo-compatible"))

MAX_SPACES = 1_000
"""Limit of the spaces or cells that one element stands for."""

OUTLINE = "\0"
"""Name here of the list style that numbers headings, which has none."""


@dataclass
class OpenList:
    """An open list: its style, and the number of its last item."""

    style: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """A paragraph style with what it inherits.

    Attributes:
        names: names in lower case, its own first.
        breaks: whether it begins a page.
        lists: name of its list style; empty if it has none, ``None`` if it says nothing of it.
    """

    names: tuple[str, ...] = ()
    breaks: bool = False
    lists: str | None = None


class Styles:
    """The paragraph and list styles of a document by name.

    Attributes:
        lists: the elements of the list styles; that of the headings' numbers is :data:`OUTLINE`.
    """

    def __init__(self, roots: list[Any]) -> None:
        self._elements: dict[str, Any] = {}
        self._styles: dict[str, ParagraphStyle] = {}
        self.lists: dict[str, Any] = {}
        self._characters: dict[str, Any] = {}
        self._scripts: dict[str, Script] = {}
        for root in roots:
            for style in root.iter(STYLE + "style"):
                if style.get(STYLE + "family", "paragraph") == "paragraph":
                    self._elements[style.get(STYLE + "name", "")] = style
                elif style.get(STYLE + "family") == "text":
                    self._characters[style.get(STYLE + "name", "")] = style
            for style in root.iter(TEXT + "list-style"):
                self.lists[style.get(STYLE + "name", "")] = style
            for style in root.iter(TEXT + "outline-style"):
                self.lists[OUTLINE] = style

    def paragraph(self, name: str) -> ParagraphStyle:
        """Return the style with a name, and what it inherits."""
        if name not in self._styles:
            names: list[str] = []
            lists, key = None, name
            first = self._elements.get(name)
            while key and key not in names and len(names) < 50:
                names.append(key)
                element = self._elements.get(key)
                if element is None:
                    break
                lists = element.get(STYLE + "list-style-name") if lists is None else lists
                key = element.get(STYLE + "parent-style-name", "")
            properties = first.find(STYLE + "paragraph-properties") if first is not None else None
            breaks = properties is not None and properties.get(FO + "break-before") == "page"
            plain = tuple(key.replace("_20_", " ").lower() for key in names)
            self._styles[name] = ParagraphStyle(plain, breaks, lists)
        return self._styles[name]

    def script(self, name: str) -> Script | None:
        """Return whether a character style is above or below the line; ``None`` if it says nothing of it."""
        names: list[str] = []
        while name not in self._scripts and name in self._characters and name not in names and len(names) < 50:
            names.append(name)
            style = self._characters[name]
            properties = style.find(STYLE + "text-properties")
            position = properties.get(STYLE + "text-position", "") if properties is not None else ""
            if position:
                self._scripts[name] = _script(position)
            name = style.get(STYLE + "parent-style-name", "")
        script = self._scripts.get(name) if name not in names else None
        return next((self._scripts[name] for name in names if name in self._scripts), script)

    def mark(self, lists: list[OpenList]) -> str:
        """Return the mark of the current item of the innermost of open lists."""
        depth = len(lists)
        level = self._level(lists, depth)
        if level is None:
            return ""
        if level.tag == TEXT + "list-level-style-bullet":
            char = level.get(TEXT + "bullet-char", "•")
            return "•" if "\ue000" <= char[:1] <= "\uf8ff" else char
        shown = max(depth - attribute_number(level, TEXT + "display-levels"), 0)
        numbers = []
        for index in range(shown, depth):
            other = self._level(lists, index + 1)
            format = NUMERALS.get(other.get(STYLE + "num-format", "") if other is not None else "")
            if format:
                numbers.append(format(lists[index].number))
        prefix, suffix = level.get(STYLE + "num-prefix", ""), level.get(STYLE + "num-suffix", "")
        return f"{prefix}{'.'.join(numbers)}{suffix}".strip() if numbers else ""

    def first_number(self, lists: list[OpenList]) -> int:
        """Return the number of the first item of the innermost of open lists."""
        level = self._level(lists, len(lists))
        return attribute_number(level, TEXT + "start-value") if level is not None else 1

    def _level(self, lists: list[OpenList], depth: int) -> Any | None:
        """Return the style of the items of an open list, of which so many are around them with their own."""
        style = self.lists.get(lists[depth - 1].style)
        for level in style if style is not None else ():
            if level.get(TEXT + "level") == str(depth):
                return level
        return None


def _script(position: str) -> Script:
    """Return the script of a position: a word, or the share of the height of the line, then the size."""
    first = position.split()[0]
    if first in ("super", "sub"):
        return "super" if first == "super" else "sub"
    return "" if first.strip("-0.%") == "" else "sub" if first.startswith("-") else "super"


def attribute_number(element: Any, name: str, default: int = 1) -> int:
    """Return a whole number in an attribute, at most :data:`MAX_SPACES`; the default if it is missing or invalid."""
    value = element.get(name, "")
    return min(int(value), MAX_SPACES) if value.isascii() and value.isdecimal() and len(value) < 9 else default
