"""What elements and their attributes say of the text in them."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

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
"""Elements whose text stands on lines of its own."""

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
"""Elements whose text is never shown, or only where something else cannot be."""

CONTROLS = frozenset({"button", "select", "textarea"})
"""Form controls, whose text is set aside."""

HIDDEN = frozenset({"dialog"})
"""Elements that are shown only where they have the attribute ``open``."""


class Meaning(NamedTuple):
    """What the attributes of an element say.

    Attributes:
        hidden: it is not shown.
        open: it has the attribute that shows a dialog.
        decoration: it may be, if it has neither letter nor digit.
        block: it stands on lines of its own, whatever its name.
        level: of a heading; 0 where it is none.
        footnote, navigation: it is one.
        layout: it is a table that lays out the page.
    """

    hidden: bool = False
    open: bool = False
    decoration: bool = False
    block: bool = False
    level: int = 0
    footnote: bool = False
    navigation: bool = False
    layout: bool = False


_NOTABLE = re.compile(r"hidden|display|visibility| open=|role=|epub:type=|note|lineno| href=\"#", re.IGNORECASE)
_ATTRIBUTE = re.compile(r' (=?[^ \t\n\f\r=/>]*)="([^"]*)"')
_INVISIBLE = re.compile(r"(?:\A|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE)
_NOTE_ROLES = frozenset({"doc-footnote", "doc-endnote", "doc-endnotes"})
_NOTE_TYPES = frozenset({"footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes"})
_NOTE_CLASSES = frozenset({"footnote", "footnotes", "endnote", "endnotes"})
_LINE_NUMBERS = frozenset({"lineno", "linenos"})


def meaning(name: str, attributes: str) -> Meaning | None:
    """What the attributes of an element say; ``None`` where that is nothing.

    Args:
        name: of the element.
        attributes: as they are serialised.
    """
    if not _NOTABLE.search(attributes):
        return None
    found: dict[str, str] = {key.lower(): html.unescape(value) for key, value in _ATTRIBUTE.findall(attributes)}
    roles = found.get("role", "").lower().split()
    types = found.get("epub:type", "").lower().split()
    classes = found.get("class", "").lower().split()
    # A link to a note may have its class, and a note may link back; neither is one.
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
    return int(text) if re.fullmatch(r"[1-9]", text) else 2
