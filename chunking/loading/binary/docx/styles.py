"""Formatting of a Word document by its styles and numbering: what a paragraph and its runs look like."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from chunking.document import BlockKind
from chunking.loading.binary.docx.package import PPR, RPR, VAL, W, as_number, is_on, points, value_of
from chunking.loading.numerals import NUMERALS
from chunking.loading.superscripts import Script
from chunking.runtime.patterns import compile_pattern

# Properties ---------------------------------------------------------------------------------------------------------

_TWIPS = 20.0


class CharFormat(NamedTuple):
    """The font of characters: size in points, whether it is monospaced, whether they are above or below the line."""

    size: float
    bold: bool
    italic: bool
    mono: bool
    hidden: bool
    script: Script = ""


Properties = dict[str, Any]
"""Properties of characters or paragraphs by name, without those that are not set."""


_SCRIPTS: dict[str, Script] = {"superscript": "super", "subscript": "sub"}
_TOGGLES = {W + "b": "bold", W + "i": "italic", W + "vanish": "hidden"}


def run_properties(element: Any | None) -> Properties:
    """Return the properties in an ``rPr``, if there is one."""
    properties: Properties = {}
    for child in element if element is not None else ():
        tag = child.tag
        if tag in _TOGGLES:
            properties[_TOGGLES[tag]] = is_on(child)
        elif tag == W + "sz":
            properties["size"] = points(child.get(VAL), 2)
        elif tag == W + "rFonts":
            font = child.get(W + "ascii") or child.get(W + "hAnsi")
            if font or child.get(W + "asciiTheme"):
                properties["font"] = font or ""
        elif tag == W + "vertAlign":
            properties["script"] = _SCRIPTS.get(child.get(VAL) or "", "")
        elif tag == W + "rStyle":
            properties["style"] = child.get(VAL) or ""
    return properties


def paragraph_properties(element: Any | None) -> Properties:
    """Return the properties in a ``pPr``, if there is one."""
    properties: Properties = {}
    for child in element if element is not None else ():
        tag = child.tag[len(W) :] if isinstance(child.tag, str) else ""
        if tag == "pStyle":
            properties["style"] = child.get(VAL) or ""
        elif tag == "numPr":
            for part in child:
                if part.tag == W + "numId":
                    properties["number"] = part.get(VAL) or ""
                elif part.tag == W + "ilvl":
                    properties["depth"] = int(min(max(as_number(part.get(VAL)), 0), 8))
        elif tag == "outlineLvl":
            properties["outline"] = int(as_number(child.get(VAL), 9))
        elif tag == "pageBreakBefore":
            properties["breaks"] = is_on(child)
        elif tag == "contextualSpacing":
            properties["contextual"] = is_on(child)
        elif tag == "spacing":
            properties |= _lengths(child, {"before": "before", "after": "after"})
        elif tag == "ind":
            properties |= _lengths(child, {"left": "left", "start": "left", "firstLine": "first"})
            hanging = _lengths(child, {"hanging": "first"})
            properties |= {key: -value for key, value in hanging.items()}
        elif tag == "sectPr":
            properties["section"] = child
        elif tag == "framePr":
            properties["initial"] = child.get(W + "dropCap") in ("drop", "margin")
    return properties


def _lengths(element: Any, names: Mapping[str, str]) -> Properties:
    return {
        key: points(element.get(W + name), _TWIPS) for name, key in names.items() if element.get(W + name) is not None
    }


# Styles -------------------------------------------------------------------------------------------------------------

MAX_STYLES = 50
"""Maximum depth of style inheritance; deeper styles are ignored."""

_HEADING = compile_pattern(r"heading ([1-9])")
_CODE_STYLE = compile_pattern(
    r"(?:source |program )?code\b|.*\bpreformatted\b|macro text|verbatim|listing|.*\bcode(?: block)?"
)
_QUOTES = ("quote", "intense quote", "block quotation", "quotations", "block quote")
_MONOSPACED = compile_pattern(
    r"courier|consolas|menlo|monaco|lucida console|lucida sans typewriter|cascadia|inconsolata|\bmono|\w mono\b|fixed"
    r"|source code|fira code|andale|typewriter|letter gothic",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class WordStyle:
    """A style's own definition: its name in lower case, the id of its base style, its properties."""

    name: str
    based: str
    paragraph: Properties
    run: Properties

    @classmethod
    def of(cls, element: Any) -> WordStyle:
        """Return the style that a ``style`` element defines."""
        name, based = value_of(element, W + "name").lower(), value_of(element, W + "basedOn")
        return cls(name, based, paragraph_properties(element.find(PPR)), run_properties(element.find(RPR)))


@dataclass(frozen=True)
class ResolvedStyle:
    """A paragraph style with all that it inherits.

    Attributes:
        names: names of it and its base styles in lower case, its own first.
        paragraph: properties of its paragraphs.
        run: properties of its characters.
    """

    names: tuple[str, ...]
    paragraph: Properties
    run: Properties

    def heading(self, direct: Properties) -> int:
        """Return the heading level of a paragraph with this style and its direct properties; 0 if it is none."""
        outline = direct.get("outline", self.paragraph.get("outline"))
        if outline is not None:
            return outline + 1 if 0 <= outline <= 8 else 0
        for name in self.names:
            match = _HEADING.fullmatch(name)
            if match:
                return int(match[1])
        return int(self.names[:1] == ("title",))

    def kind(self) -> BlockKind:
        """Of a paragraph that is neither heading nor item of a list."""
        for name in self.names:
            if name == "caption":
                return "caption"
            if name in _QUOTES:
                return "quote"
            if _CODE_STYLE.fullmatch(name):
                return "code"
            if name in ("footnote text", "endnote text"):
                return "footnote"
        return "paragraph"


class Styles:
    """The styles of a document."""

    def __init__(self, root: Any | None) -> None:
        self._elements: dict[str, Any] = {}
        self._styles: dict[str, WordStyle] = {}
        self._paragraphs: dict[str, ResolvedStyle] = {}
        self._characters: dict[str, Properties] = {}
        self._run: Properties = {}
        self._paragraph: Properties = {}
        self.default = ""
        if root is not None:
            self._read(root)
        self.typewriter = bool(_MONOSPACED.search(self.paragraph("").run.get("font", "")))

    def _read(self, root: Any) -> None:
        for path, read, properties in (
            ("rPrDefault", run_properties, self._run),
            ("pPrDefault", paragraph_properties, self._paragraph),
        ):
            properties |= read(root.find(f"{W}docDefaults/{W}{path}/{W}{path[:3]}"))
        for style in root.iterchildren(W + "style"):
            key = style.get(W + "styleId") or ""
            self._elements.setdefault(key, style)
            if style.get(W + "type") == "paragraph" and style.get(W + "default") in ("1", "true", "on"):
                self.default = key

    def paragraph(self, key: str) -> ResolvedStyle:
        """Return the style with that id; the default one if it is unknown."""
        if key not in self._paragraphs:
            chain = self._chain(key) or self._chain(self.default)
            paragraph, run = dict(self._paragraph), dict(self._run)
            for style in reversed(chain):
                paragraph |= style.paragraph
                run |= style.run
            self._paragraphs[key] = ResolvedStyle(tuple(style.name for style in chain), paragraph, run)
        return self._paragraphs[key]

    def character(self, key: str) -> Properties:
        """Return the properties of a character style, with inheritance."""
        if key not in self._characters:
            properties: Properties = {}
            for style in reversed(self._chain(key)):
                properties |= style.run
            self._characters[key] = properties
        return self._characters[key]

    def char_format(self, base: Properties, direct: Properties) -> CharFormat:
        """Return the font of characters by their paragraph's style, their own style and their own properties."""
        style = self.character(direct["style"]) if "style" in direct else {}
        properties = base | style
        for toggle in ("bold", "italic", "hidden"):
            # A toggle that both styles set is off again (ECMA-376, part 1, 17.7.3).
            properties[toggle] = bool(base.get(toggle)) != bool(style.get(toggle))
        properties |= direct
        mono = not self.typewriter and bool(_MONOSPACED.search(properties.get("font", "")))
        size, script = properties.get("size", 10.0), properties.get("script", "")
        return CharFormat(size, properties["bold"], properties["italic"], mono, properties["hidden"], script)

    def _chain(self, key: str) -> list[WordStyle]:
        """Return a style and its base styles."""
        chain: list[WordStyle] = []
        keys = set()
        while key in self._elements and key not in keys and len(chain) < MAX_STYLES:
            keys.add(key)
            if key not in self._styles:
                self._styles[key] = WordStyle.of(self._elements[key])
            chain.append(self._styles[key])
            key = chain[-1].based
        return chain


# Lists --------------------------------------------------------------------------------------------------------------

_LEVEL_REFERENCE = compile_pattern("%([1-9])")

BULLETS = {"\uf0b7": "•", "\uf0a7": "▪", "\uf0a8": "◦", "\uf0d8": "➢", "\uf0fc": "✓", "\uf076": "❖", "o": "◦"}


_FORMATS: dict[str, Callable[[int], str]] = {
    "decimal": NUMERALS["1"],
    "decimalZero": "{:02}".format,
    "lowerLetter": NUMERALS["a"],
    "upperLetter": NUMERALS["A"],
    "lowerRoman": NUMERALS["i"],
    "upperRoman": NUMERALS["I"],
    "none": lambda number: "",
}


@dataclass(frozen=True, slots=True)
class Level:
    """The numbering format of a level of a list."""

    start: int = 1
    format: str = "decimal"
    text: str = ""
    restarts: int = -1
    legal: bool = False
    paragraph: Properties = field(default_factory=dict)

    @classmethod
    def of(cls, element: Any) -> Level:
        """Return the level that a ``lvl`` element defines."""
        legal = element.find(W + "isLgl")
        return cls(
            int(as_number(value_of(element, W + "start", "1"))),
            value_of(element, W + "numFmt", "decimal"),
            value_of(element, W + "lvlText")[:100],
            int(as_number(value_of(element, W + "lvlRestart", "-1"), -1)),
            legal is not None and is_on(legal),
            paragraph_properties(element.find(PPR)),
        )


class Numbering:
    """The lists of a document with their counters."""

    def __init__(self, root: Any | None) -> None:
        self._abstract: dict[str, Any] = {}
        self._of: dict[str, str] = {}
        self._nums: dict[str, Any] = {}
        self._by_style: dict[str, str] = {}
        self._levels: dict[str, dict[int, Level]] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for child in root if root is not None else ():
            if child.tag == W + "abstractNum":
                key = child.get(W + "abstractNumId") or ""
                self._abstract[key] = child
                link = child.find(W + "styleLink")
                if link is not None:
                    self._by_style[link.get(VAL) or ""] = key
            elif child.tag == W + "num":
                self._nums[child.get(W + "numId") or ""] = child

    def level(self, number: str, depth: int) -> Level | None:
        """Return a level of the list ``number``; ``None`` if there is no such list."""
        return self._resolve(number).get(depth)

    def mark(self, number: str, depth: int) -> str:
        """Count an item and return the mark that Word displays; empty if it has none of a simple format."""
        levels = self._resolve(number)
        level = levels.get(depth)
        if level is None:
            return ""
        counts = self._counts.setdefault(self._of[number], {})
        if depth in self._restarts[number]:
            counts[depth] = self._restarts[number].pop(depth)
        else:
            counts[depth] = counts[depth] + 1 if depth in counts else level.start
        for deeper in [other for other in counts if other > depth]:
            restarts = levels[deeper].restarts if deeper in levels else -1
            if restarts != 0 and (restarts < 0 or depth < restarts):
                del counts[deeper]
        return self._marker(levels, level, counts)

    def _marker(self, levels: Mapping[int, Level], level: Level, counts: Mapping[int, int]) -> str:
        if level.format == "bullet":
            mark = BULLETS.get(level.text, level.text)
            return "•" if mark and "\ue000" <= mark[0] <= "\uf8ff" else mark.strip()
        used = [int(digit) - 1 for digit in _LEVEL_REFERENCE.findall(level.text)]
        if any(levels.get(depth, Level(format="")).format not in _FORMATS for depth in used):
            return ""

        def count(match: re.Match[str]) -> str:
            other = levels[int(match[1]) - 1]
            format = "decimal" if level.legal else other.format
            return _FORMATS[format](counts.get(int(match[1]) - 1, other.start))

        return _LEVEL_REFERENCE.sub(count, level.text).strip()

    def _resolve(self, number: str) -> dict[int, Level]:
        if number not in self._levels:
            num = self._nums.get(number)
            key = value_of(num, W + "abstractNumId")
            key = self._by_style.get(value_of(self._abstract.get(key), W + "numStyleLink"), key)
            self._of[number] = key
            self._levels[number], self._restarts[number] = self._read(num, self._abstract.get(key))
        return self._levels[number]

    def _read(self, num: Any | None, abstract: Any | None) -> tuple[dict[int, Level], dict[int, int]]:
        levels: dict[int, Level] = {}
        restarts: dict[int, int] = {}
        for element in abstract.iterchildren(W + "lvl") if abstract is not None else ():
            levels[int(as_number(element.get(W + "ilvl")))] = Level.of(element)
        for override in num.iterchildren(W + "lvlOverride") if num is not None and levels else ():
            depth = int(as_number(override.get(W + "ilvl")))
            inner, start = override.find(W + "lvl"), override.find(W + "startOverride")
            if inner is not None:
                levels[depth] = Level.of(inner)
            if start is not None:
                restarts[depth] = int(as_number(start.get(VAL), 1))
        return levels, restarts
