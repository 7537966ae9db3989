"""Formatting properties of characters and paragraphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from chunking.loading.binary.docx.names import VAL, W, as_number, is_on

_TWIPS = 20.0


class Face(NamedTuple):
    """The font of characters: size in points, and whether it is monospaced."""

    size: float
    bold: bool
    italic: bool
    mono: bool
    hidden: bool


Look = dict[str, Any]
"""Properties of characters or paragraphs by name, without those that are not set."""


_TOGGLES = {W + "b": "bold", W + "i": "italic", W + "vanish": "hidden"}


def run_look(properties: Any) -> Look:
    """Return the properties in an ``rPr``."""
    look: Look = {}
    for child in properties:
        tag = child.tag
        if tag in _TOGGLES:
            look[_TOGGLES[tag]] = is_on(child)
        elif tag == W + "sz":
            look["size"] = as_number(child.get(VAL)) / 2
        elif tag == W + "rFonts":
            font = child.get(W + "ascii") or child.get(W + "hAnsi")
            if font or child.get(W + "asciiTheme"):
                look["font"] = font or ""
        elif tag == W + "rStyle":
            look["style"] = child.get(VAL) or ""
    return look


def paragraph_look(properties: Any) -> Look:
    """Return the properties in a ``pPr``."""
    look: Look = {}
    for child in properties:
        tag = child.tag[len(W) :] if isinstance(child.tag, str) else ""
        if tag == "pStyle":
            look["style"] = child.get(VAL) or ""
        elif tag == "numPr":
            for part in child:
                if part.tag == W + "numId":
                    look["number"] = part.get(VAL) or ""
                elif part.tag == W + "ilvl":
                    look["depth"] = int(min(max(as_number(part.get(VAL)), 0), 8))
        elif tag == "outlineLvl":
            look["outline"] = int(as_number(child.get(VAL), 9))
        elif tag == "pageBreakBefore":
            look["breaks"] = is_on(child)
        elif tag == "contextualSpacing":
            look["contextual"] = is_on(child)
        elif tag == "spacing":
            look |= _lengths(child, {"before": "before", "after": "after"})
        elif tag == "ind":
            look |= _lengths(child, {"left": "left", "start": "left", "firstLine": "first"})
            hanging = _lengths(child, {"hanging": "first"})
            look |= {key: -value for key, value in hanging.items()}
        elif tag == "sectPr":
            look["section"] = child
    return look


def _lengths(element: Any, names: Mapping[str, str]) -> Look:
    return {
        key: as_number(element.get(W + name)) / _TWIPS
        for name, key in names.items()
        if element.get(W + name) is not None
    }
