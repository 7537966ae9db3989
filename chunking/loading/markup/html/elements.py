"""The elements of a page: which are blocks, what their attributes mean, and their effect on the text in them."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from chunking.document import BlockKind
from chunking.loading.markup.html.ordered_list import OrderedList
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import word_set

_HEADING_LEVEL = compile_pattern(r"[1-9]")


BLOCKS = word_set(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup html legend li listing main menu nav ol optgroup p plaintext pre "
    "search section summary table tbody td tfoot th thead tr ul xmp"
)
"""Elements with lines of their own."""

SKIPPED = word_set(
    "head title script style template noscript noframes noembed iframe object embed applet audio video canvas "
    "progress meter datalist desc metadata defs annotation annotation-xml rp"
)
"""Elements whose text is never shown, or only as a fallback."""

CONTROLS = frozenset({"button", "select", "textarea"})
"""Form controls, whose text is excluded."""

READINGS = frozenset({"rt", "rtc"})
"""Elements of ruby with how words are read. Between the words they would tear them apart, so their text is excluded."""

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
        bold: whether its style is bold; None if it says nothing of it.
        title: whether it is the title of an admonition.
    """

    hidden: bool = False
    open: bool = False
    decoration: bool = False
    block: bool = False
    level: int = 0
    footnote: bool = False
    navigation: bool = False
    layout: bool = False
    bold: bool | None = None
    title: bool = False


_NOTABLE = compile_pattern(
    r"hidden|display|visibility|font-weight| open=|role=|epub:type=|note|lineno| href=\"#"
    r"|admonition|alert-|callout|custom-block",
    re.IGNORECASE,
)
_WEIGHT = compile_pattern(r"font-weight\s*+:\s*+(?:(bold|[6-9]00)|\w)", re.IGNORECASE)
_VALUE_OF_ATTRIBUTE = compile_pattern(r' (=?[^ \t\n\f\r=/>]*)="([^"]*)"')
_INVISIBLE = compile_pattern(r"(?:\A|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE)
_NOTE_ROLES = frozenset({"doc-footnote", "doc-endnote", "doc-endnotes"})
_NOTE_TYPES = frozenset({"footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes"})
_NOTE_CLASSES = frozenset({"footnote", "footnotes", "endnote", "endnotes"})
_TITLE_CLASS = compile_pattern(
    r"(?:admonition|alert|callout|custom-block)[-_]?(?:title|heading)(?![a-z])", re.IGNORECASE
)
_LINE_NUMBERS = frozenset({"lineno", "linenos"})


def meaning(name: str, attributes: str) -> Meaning | None:
    """Return the meaning of an element's attributes; ``None`` if they have none.

    Args:
        name: name of the element.
        attributes: its serialised attributes.
    """
    if not _NOTABLE.search(attributes):
        return None
    values: dict[str, str] = {
        key.lower(): html.unescape(value) for key, value in _VALUE_OF_ATTRIBUTE.findall(attributes)
    }
    roles = values.get("role", "").lower().split()
    types = values.get("epub:type", "").lower().split()
    classes = values.get("class", "").lower().split()
    # A link to a note may have the note's class, and a note may have a link back; neither is a note.
    note = name not in ("a", "sup", "span") and not (
        _NOTE_ROLES.isdisjoint(roles) and _NOTE_TYPES.isdisjoint(types) and _NOTE_CLASSES.isdisjoint(classes)
    )
    heading = "heading" in roles
    meaning = Meaning(
        hidden="hidden" in values
        or bool(_INVISIBLE.search(values.get("style", "")))
        or not _LINE_NUMBERS.isdisjoint(classes),
        open="open" in values,
        decoration=values.get("aria-hidden", "").lower() == "true"
        or (name == "a" and values.get("href", "").startswith("#")),
        block=heading or note,
        level=_level(values.get("aria-level", "")) if heading else 0,
        footnote=note,
        navigation="navigation" in roles,
        layout=not {"presentation", "none"}.isdisjoint(roles),
        title=bool(_TITLE_CLASS.search(values.get("class", ""))),
        bold=bool(weight[1]) if (weight := _WEIGHT.search(values.get("style", ""))) else None,
    )
    return None if meaning == Meaning() else meaning


def _level(text: str) -> int:
    return int(text) if _HEADING_LEVEL.fullmatch(text) else 2


# Open elements ------------------------------------------------------------------------------------------------------


class Context(NamedTuple):
    """The effect of the surrounding elements on a text.

    Attributes:
        kind, level: kind and level of a block that begins here.
        lists: number of open lists.
        root: number of the outermost open list.
        numbers: of the innermost open list, if it is ordered.
        quotes: number of open block quotes.
        pre: whether white space is kept.
        cells: whether in a table of data, where blocks do not divide the text.
        footnote: whether in a footnote.
        navigation: whether in navigation.
        title: whether in the title of an admonition or of folded text.
    """

    kind: BlockKind = "paragraph"
    level: int = 0
    lists: int = 0
    root: int = 0
    numbers: OrderedList | None = None
    quotes: int = 0
    pre: bool = False
    cells: bool = False
    footnote: bool = False
    navigation: bool = False
    title: bool = False

    def text(self, kind: BlockKind, level: int = 0) -> Context:
        """Return the context with another kind of block; in a footnote, the same context."""
        return self if self.footnote else self._replace(kind=kind, level=level)


NOTABLE_ELEMENTS = BLOCKS | SKIPPED | CONTROLS | READINGS | {"math", "text"}
