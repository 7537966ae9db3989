"""Documents that Unstructured has parsed: JSON or JSON Lines of elements (``elements_to_json``).

========================================= =============================================================================
element                                   becomes
========================================= =============================================================================
Title                                     heading; level by ``category_depth``, else by its parents
ListItem                                  list item; depth likewise
Table                                     table, read from ``text_as_html`` if that has all of its text
CodeSnippet, Formula                      code
FigureCaption, Footnote                   caption, footnote
PageBreak                                 page break
Header, Footer, PageNumber                excluded
Image                                     excluded: the text in it
any other                                 paragraph
========================================= =============================================================================
"""

from __future__ import annotations

from typing import Any

from chunking.document import BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading.markup.layout import (
    MAX_LEVEL,
    MAX_PAGES,
    Item,
    LayoutWriter,
    Spot,
    numbers,
    objects,
    read_json,
    record,
    string,
    table_text,
    whole,
)
from chunking.loading.parsed import LoadParameters, Parsed

_KINDS: dict[str, BlockKind] = {
    **dict.fromkeys(("Title", "Headline", "Subheadline", "Section-header"), "heading"),
    **dict.fromkeys(("ListItem", "List-item", "BulletedText"), "list_item"),
    **dict.fromkeys(("Table", "TableChunk"), "table"),
    **dict.fromkeys(("CodeSnippet", "Formula"), "code"),
    **dict.fromkeys(("FigureCaption", "Caption"), "caption"),
    "Footnote": "footnote",
}
_ASIDE = {
    **dict.fromkeys(("Header", "Page-header"), "running head"),
    **dict.fromkeys(("Footer", "Page-footer"), "running foot"),
    "PageNumber": "page number",
    **dict.fromkeys(("Image", "Picture", "Figure"), "text in a picture"),
}
_OTHERS = (
    "NarrativeText UncategorizedText Text Paragraph Abstract Address EmailAddress Threading Form FormKeysValues Value "
    "Field-Name Link CheckBox Checked Unchecked RadioButtonChecked RadioButtonUnchecked List CompositeElement PageBreak"
)

TYPES = frozenset((*_KINDS, *_ASIDE, *_OTHERS.split()))
"""Types of elements."""


def parse(text: str, name: str, params: LoadParameters) -> Parsed:
    """Read elements of Unstructured.

    Returns:
        Blocks, pages with the boxes of elements, and an origin whose parts are the elements by number.

    Raises:
        ChunkscopeError: it is not JSON, or has no elements.
    """
    value = read_json(text, name, "a file of elements")
    if not objects(value):
        raise ChunkscopeError(f"“{name}” has no elements.", "Export it again from Unstructured, with elements_to_json.")
    return _ElementsReader(value).parsed()


class _ElementsReader:
    """One pass over the elements."""

    def __init__(self, elements: list[Any]) -> None:
        self._elements = elements
        self._parents = {
            element["element_id"]: element
            for element in objects(elements)
            if isinstance(element.get("element_id"), str)
        }
        self._writer = LayoutWriter()

    def parsed(self) -> Parsed:
        """Return the result."""
        language = ""
        for number, element in enumerate(self._elements, 1):
            if not isinstance(element, dict) or not isinstance(element.get("text", ""), str):
                self._writer.broken += 1
                continue
            self._add(element, f"element {number}")
            languages = record(element.get("metadata")).get("languages")
            language = language or (string(languages[0]) if isinstance(languages, list) and languages else "")
        return self._writer.finish(language=_CODES.get(language, ""))

    def _add(self, element: dict[str, Any], part: str) -> None:
        type_, text, about = string(element.get("type")), string(element.get("text")), record(element.get("metadata"))
        if type_ == "PageBreak":
            self._writer.begin_page()
        if type_ in _ASIDE:
            self._writer.exclude_item(_ASIDE[type_], text, part)
            return
        kind, source = _KINDS.get(type_, "paragraph"), None
        if kind == "table" and about.get("text_as_html"):
            source, text = text, table_text(string(about["text_as_html"]), text)
        level = self._level(element, type_) if kind in ("heading", "list_item") else 0
        marker = "-" if kind == "list_item" else ""
        self._writer.add(Item(kind, text, part, level, marker, self._spots(about), source))

    def _level(self, element: dict[str, Any], type_: str) -> int:
        depth = whole(record(element.get("metadata")).get("category_depth"), 0, MAX_LEVEL)
        return 1 + (depth if depth is not None else self._ancestors(element, type_))

    def _ancestors(self, element: dict[str, Any], type_: str) -> int:
        """Return the number of parents of the same type; references may form a circle."""
        count = 0
        for _ in range(MAX_LEVEL):
            parent = self._parents.get(string(record(element.get("metadata")).get("parent_id")))
            if parent is None:
                break
            element = parent
            count += element.get("type") == type_
        return count

    def _spots(self, about: dict[str, Any]) -> tuple[Spot, ...]:
        page = whole(about.get("page_number"), 1, MAX_PAGES)
        if page is None:
            return ()
        coordinates = record(about.get("coordinates"))
        if not isinstance(coordinates.get("points"), list):
            return (Spot(page - 1),)
        size = numbers([coordinates.get("layout_width"), coordinates.get("layout_height")], 2)
        corners = [numbers(point, 2) for point in coordinates["points"][:8]]
        sound = [corner for corner in corners if corner]
        if not size or not sound or len(sound) < len(corners):
            return (Spot(page - 1),)
        self._writer.sizes[page - 1] = (size[0], size[1])
        across, down = [corner[0] for corner in sound], [corner[1] for corner in sound]
        top, bottom = min(down), max(down)
        if coordinates.get("system") in ("PointSpace", "CoordinateSpace"):  # counted from the bottom, as PDF does
            top, bottom = size[1] - bottom, size[1] - top
        return (Spot(page - 1, (min(across), top, max(across), bottom)),)


_CODES = {
    "eng": "en", "deu": "de", "fra": "fr", "spa": "es", "ita": "it", "por": "pt", "nld": "nl", "rus": "ru", "kor": "ko",
    "jpn": "ja", "zho": "zh", "ara": "ar", "pol": "pl", "tur": "tr", "ukr": "uk", "swe": "sv",
}  # fmt: skip
"""Languages of Unstructured (ISO 639-3) in ISO 639-1."""
