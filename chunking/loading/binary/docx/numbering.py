"""Lists: the level of a paragraph, and the mark that Word displays before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chunking.loading.binary.docx.names import VAL, W, as_number, is_on
from chunking.loading.binary.docx.properties import Look, paragraph_look
from chunking.runtime.patterns import compile_pattern

_LEVEL_REFERENCE = compile_pattern("%([1-9])")

BULLETS = {"\uf0b7": "•", "\uf0a7": "▪", "\uf0a8": "◦", "\uf0d8": "➢", "\uf0fc": "✓", "\uf076": "❖", "o": "◦"}
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


def roman(number: int) -> str:
    """Return a number as i, ii, iii, … up to 3999; digits beyond."""
    if not 0 < number < 4000:
        return str(number)
    text = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        text += letters * count
    return text


def letters(number: int) -> str:
    """Return a number as a … z, aa, bb, … as in Word."""
    return chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 50) if number > 0 else str(number)


_FORMATS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": "{:02}".format,
    "lowerLetter": letters,
    "upperLetter": lambda number: letters(number).upper(),
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
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
    look: Look = field(default_factory=dict)

    @classmethod
    def of(cls, element: Any) -> Level:
        """Return the level that a ``lvl`` element defines."""
        values = {child.tag[len(W) :]: child for child in element if isinstance(child.tag, str)}

        def value(name: str, default: str) -> str:
            return (values[name].get(VAL) or "") if name in values else default

        return cls(
            int(as_number(value("start", "1"))),
            value("numFmt", "decimal"),
            value("lvlText", "")[:100],
            int(as_number(value("lvlRestart", "-1"), -1)),
            "isLgl" in values and is_on(values["isLgl"]),
            paragraph_look(values["pPr"]) if "pPr" in values else {},
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
        return self._shown(levels, level, counts)

    def _shown(self, levels: Mapping[int, Level], level: Level, counts: Mapping[int, int]) -> str:
        if level.format == "bullet":
            mark = BULLETS.get(level.text, level.text)
            return "•" if mark and "\ue000" <= mark[0] <= "\uf8ff" else mark.strip()
        used = [int(digit) - 1 for digit in _LEVEL_REFERENCE.findall(level.text)]
        if any(levels.get(place, Level(format="")).format not in _FORMATS for place in used):
            return ""

        def count(match: re.Match[str]) -> str:
            other = levels[int(match[1]) - 1]
            format = "decimal" if level.legal else other.format
            return _FORMATS[format](counts.get(int(match[1]) - 1, other.start))

        return _LEVEL_REFERENCE.sub(count, level.text).strip()

    def _resolve(self, number: str) -> dict[int, Level]:
        if number not in self._levels:
            num = self._nums.get(number)
            named = num.find(W + "abstractNumId") if num is not None else None
            key = (named.get(VAL) or "") if named is not None else ""
            link = self._abstract[key].find(W + "numStyleLink") if key in self._abstract else None
            if link is not None:
                key = self._by_style.get(link.get(VAL) or "", key)
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
