"""The meaning of elements and their attributes for their text."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from chunking.runtime.patterns import compile_pattern

_HEADING_LEVEL = compile_pattern(r"[1-9]")

BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "html",
        "legend",
        "li",
        "listing",
        "main",
        "menu",
        "nav",
        "ol",
        "optgroup",
        "p",
        "plaintext",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "xmp",
    ]
)
"""Elements with lines of their own."""

SKIPPED = frozenset(
    [
        "head",
        "title",
        "script",
        "style",
        "template",
        "noscript",
        "noframes",
        "noembed",
        "iframe",
        "object",
        "embed",
        "applet",
        "audio",
        "video",
        "canvas",
        "progress",
        "meter",
        "datalist",
        "desc",
        "metadata",
        "defs",
        "annotation",
        "annotation-xml",
    ]
)
"""Elements whose text is never shown, or only as a fallback."""

CONTROLS = frozenset({"button", "select", "textarea"})
"""Form controls, whose text is excluded."""

HIDDEN = frozenset({"dialog"})
"""Elements that are shown only with the attribute ``open``."""


class Meaning(NamedTuple):
    """The meaning of an element's attributes.

    Attributes:
        hidden: whether it is not shown.
        open: whether it has the attribute that shows a dialog.
        decoration: whether it is decoration if it has neither letter nor digit.
        block: whether it has lines of its own, whatever its name.
        level: level of a heading; 0 if it is none.
        footnote, navigation: whether it is one.
        layout: whether it is a table for page layout.
    """

    hidden: bool = False
    open: bool = False
    decoration: bool = False
    block: bool = False
    level: int = 0
    footnote: bool = False
    navigation: bool = False
    layout: bool = False


_NOTABLE = compile_pattern(r"hidden|display|visibility| open=|role=|epub:type=|note|lineno| href=\"#", re.IGNORECASE)
_ATTRIBUTE = compile_pattern(r' (=?[^ \t\n\f\r=/>]*)="([^"]*)"')
_INVISIBLE = compile_pattern(r"(?:\A|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE)
_NOTE_ROLES = frozenset({"doc-footnote", "doc-endnote", "doc-endnotes"})
_NOTE_TYPES = frozenset({"footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes"})
_NOTE_CLASSES = frozenset({"footnote", "footnotes", "endnote", "endnotes"})
_LINE_NUMBERS = frozenset({"lineno", "linenos"})


def meaning(name: str, attributes: str) -> Meaning | None:
    """Return the meaning of an element's attributes; ``None`` if they have none.

    Args:
        name: name of the element.
        attributes: its serialised attributes.
    """
    if not _NOTABLE.search(attributes):
        return None
    found: dict[str, str] = {key.lower(): html.unescape(value) for key, value in _ATTRIBUTE.findall(attributes)}
    roles = found.get("role", "").lower().split()
    types = found.get("epub:type", "").lower().split()
    classes = found.get("class", "").lower().split()
    # A link to a note may have the note's class, and a note may have a link back; neither is a note.
    note = name not in ("a", "sup", "span") and not (
        _NOTE_ROLES.isdisjoint(roles) and _NOTE_TYPES.isdisjoint(types) and _NOTE_CLASSES.isdisjoint(classes)
    )
    heading = "heading" in roles
    made = Meaning(
        hidden="hidden" in found
        or bool(_INVISIBLE.search(found.get("style", "")))
        or not _LINE_NUMBERS.isdisjoint(classes),
        open="open" in found,
        decoration=found.get("aria-hidden", "").lower() == "true"
        or (name == "a" and found.get("href", "").startswith("#")),
        block=heading or note,
        level=_level(found.get("aria-level", "")) if heading else 0,
        footnote=note,
        navigation="navigation" in roles,
        layout=not {"presentation", "none"}.isdisjoint(roles),
    )
    return None if made == Meaning() else made


def _level(text: str) -> int:
    return int(text) if _HEADING_LEVEL.fullmatch(text) else 2
