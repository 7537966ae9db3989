"""Documents that Docling has parsed: JSON of a ``DoclingDocument`` (``export_to_dict``, ``--to json``).

The text consists of the items of the body in reading order. The JSON is read here and not with docling-core: that
brings pandas, pydantic and a dozen further packages for a tree of references, and follows what a malicious file refers
to, where this visits every item at most once.

========================== ============================================================================================
item                       becomes
========================== ============================================================================================
title, section header      heading; the level of a section header is one more if the document has a title
list item                  list item, with its marker; nested lists are one level deeper
code, formula              code, since both must be kept whole
table                      table, a row a line, cells by `` | ``, a merged cell once; caption before, footnotes after it
caption, footnote          caption, footnote
key-value and form item    paragraph, a cell a line
inline group               one paragraph (or list item), its parts joined by spaces
any other text             paragraph
picture                    its captions; text in the picture is excluded
other layers than the body excluded: running heads and feet, background, notes
========================== ============================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from chunking.document import BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading.markup.layout import (
    MAX_LEVEL,
    MAX_PAGES,
    Item,
    LayoutWriter,
    Spot,
    number,
    numbers,
    objects,
    read_json,
    record,
    string,
    whole,
)
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.writer import CELL

SCHEMA = "DoclingDocument"
"""Value of ``schema_name``."""

_LISTS = ("texts", "groups", "tables", "pictures", "key_value_items", "form_items", "field_regions", "field_items")
_KINDS: dict[str, BlockKind] = {
    "title": "heading",
    "section_header": "heading",
    "field_heading": "heading",
    "list_item": "list_item",
    "code": "code",
    "formula": "code",
    "caption": "caption",
    "footnote": "footnote",
}
_LAYERS = {"furniture": "furniture", "background": "background", "invisible": "hidden text", "notes": "note"}
_ASIDE = {"page_header": "running head", "page_footer": "running foot"}
_REMEDY = "Export it again from Docling, with export_to_dict() or --to json."


def parse(text: str, name: str, params: LoadParameters) -> Parsed:
    """Read a DoclingDocument.

    Returns:
        Blocks, pages with the boxes of items, and an origin whose parts are the items by reference (``#/texts/3``).

    Raises:
        ChunkscopeError: it is not JSON, or not a DoclingDocument.
    """
    value = read_json(text, name, "a Docling document")
    if not isinstance(value, dict) or value.get("schema_name") != SCHEMA or not isinstance(value.get("body"), dict):
        raise ChunkscopeError(f"“{name}” is not a Docling document: it has no body.", _REMEDY)
    return _DoclingReader(value).parsed()


class _Step(NamedTuple):
    """An item to visit: its reference, the depth of lists around it, and why it is excluded, if it is."""

    reference: str
    depth: int
    aside: str


_START = _Step("", 0, "")


class _DoclingReader:
    """One pass over the items of a document."""

    def __init__(self, value: dict[str, Any]) -> None:
        self._items = {
            f"#/{kind}/{number}": item
            for kind in _LISTS
            for number, item in enumerate(value[kind] if isinstance(value.get(kind), list) else [])
        }
        self._roots = [value.get("body"), value.get("furniture")]
        self._titled = any(item.get("label") == "title" for item in objects(value.get("texts")))
        self._seen: set[str] = set()
        self._missing = 0
        self._heights: dict[int, float] = {}
        self._writer = LayoutWriter()
        self._read_sizes(value.get("pages"))

    def parsed(self) -> Parsed:
        """Return the result."""
        for root in self._roots:
            self._walk(self._children(record(root), _START))
        notes = []
        if self._missing:
            notes.append("References to items that are missing were ignored.")
        lost = [reference for reference in self._items if reference not in self._seen]
        if lost:
            # All of the text is kept, even where the tree that gives its order is damaged.
            for reference in (*self._tops(lost), *lost):
                self._walk([_START._replace(reference=reference)] if reference not in self._seen else [])
            notes.append("Items to which nothing refers are at the end.")
        return self._writer.finish(tuple(notes))

    def _tops(self, references: list[str]) -> list[str]:
        """Return those of some items to which none of the others refers."""
        items = [item for reference in references if isinstance(item := self._items[reference], dict)]
        inner = {
            reference
            for item in items
            for reference in (*self._references(item, "children"), *self._captions_and_footnotes(item))
        }
        return [reference for reference in references if reference not in inner]

    def _walk(self, steps: list[_Step]) -> None:
        while steps:
            step = steps.pop()
            item = self._take(step.reference)
            if item is not None:
                steps.extend(self._visit(item, step))

    def _take(self, reference: str) -> dict[str, Any] | None:
        """Return an item that was not visited before; count those that are missing or damaged."""
        if reference in self._seen:  # a caption, which its table and the body both name, or a circle
            return None
        if reference not in self._items:
            self._missing += 1
            return None
        self._seen.add(reference)
        item = self._items[reference]
        if not isinstance(item, dict):
            self._writer.broken += 1
            return None
        return item

    def _visit(self, item: dict[str, Any], step: _Step) -> list[_Step]:
        """Add an item; return those to visit next, the last one first."""
        label, kind = string(item.get("label")), step.reference.split("/")[1]
        step = step._replace(aside=step.aside or _ASIDE.get(label) or _layer(item))
        if label == "inline":
            self._add("paragraph", self._with_inner_texts(item), step)
        elif kind == "groups":
            return self._children(item, step._replace(depth=step.depth + (label in ("list", "ordered_list"))))
        elif kind == "tables":
            return self._table(item, step)
        elif kind == "pictures":
            children = self._children(item, step._replace(aside=step.aside or "text in a picture"))
            return children + self._captions(item, step)
        else:
            self._add(_KINDS.get(label, "paragraph"), self._with_text(item), step)
        return self._captions(item, step) + self._children(item, step)

    def _add(self, kind: BlockKind, item: dict[str, Any], step: _Step) -> None:
        words = string(item.get("text"))
        if step.aside:
            self._writer.exclude_item(step.aside, words, step.reference)
            return
        level, marker = 0, ""
        if kind == "heading":
            level = 1 if item.get("label") == "title" else (whole(item.get("level"), 1, MAX_LEVEL) or 1) + self._titled
        elif kind == "list_item":
            level, marker = max(step.depth, 1), string(item.get("marker")) or "-"
        self._writer.add(Item(kind, words, step.reference, level, marker, tuple(self._spots(item))))

    def _with_text(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return an item with its text, which may be in other fields or in inline groups."""
        words = string(item.get("text")) or string(item.get("orig")) or _graph_text(item.get("graph"))
        if words.strip():
            return item | {"text": words}
        inline = [child for child in self._children(item, _START) if self._is_inline(child.reference)]
        return self._with_inner_texts({**item, "children": [{"$ref": child.reference} for child in reversed(inline)]})

    def _is_inline(self, reference: str) -> bool:
        return record(self._items.get(reference)).get("label") == "inline" and reference not in self._seen

    def _with_inner_texts(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return an item with its own text, and the texts and places of everything below it."""
        words, provenance = [string(item.get("text")).strip()], objects(item.get("prov"))
        steps = self._children(item, _START)
        while steps:
            inner = self._take(steps.pop().reference)
            if inner is not None:
                words.append(string(inner.get("text")).strip())
                provenance += [
                    entry | {"charspan": None} for entry in objects(inner.get("prov")) if not item.get("prov")
                ]
                steps.extend(self._children(inner, _START))
        return item | {"text": " ".join(filter(None, words)), "prov": provenance}

    def _table(self, item: dict[str, Any], step: _Step) -> list[_Step]:
        notes = self._references(item, "footnotes")
        for caption in self._references(item, "captions"):
            self._walk([step._replace(reference=caption)] if caption not in self._seen else [])
        words = _cells_text(record(item.get("data")).get("table_cells"))
        self._add("table", item | {"text": words}, step)
        after = [step._replace(reference=note) for note in notes]
        after += [child for child in self._children(item, step) if child.reference not in notes]
        # Cells with more than text have their content as children too, which the text of the cells repeats.
        return [following for following in reversed(after) if not self._is_repeated(following.reference, words)]

    def _is_repeated(self, reference: str, words: str) -> bool:
        """Return whether an item was visited, or is a text that is part of another; then it counts as visited."""
        text = " ".join(string(record(self._items.get(reference)).get("text")).split())
        if text and text in words:
            self._seen.add(reference)
        return reference in self._seen

    def _captions(self, item: dict[str, Any], step: _Step) -> list[_Step]:
        """Return the captions and footnotes of an item that were not visited, the last one first."""
        return [
            step._replace(reference=reference)
            for reference in reversed(self._captions_and_footnotes(item))
            if reference not in self._seen
        ]

    def _captions_and_footnotes(self, item: dict[str, Any]) -> list[str]:
        return list(dict.fromkeys((*self._references(item, "captions"), *self._references(item, "footnotes"))))

    def _children(self, item: dict[str, Any], step: _Step) -> list[_Step]:
        """Return the children of an item that have not been visited as its captions, the last one first."""
        captions = set(self._captions_and_footnotes(item))
        children = [reference for reference in self._references(item, "children") if reference not in captions]
        return [step._replace(reference=reference) for reference in reversed(children)]

    def _references(self, item: dict[str, Any], field: str) -> list[str]:
        return [string(pointer.get("$ref", pointer.get("cref"))) for pointer in objects(item.get(field))]

    # Pages ---------------------------------------------------------------------------------------------------------

    def _read_sizes(self, pages: Any) -> None:
        for page in map(record, record(pages).values()):
            size, number = record(page.get("size")), whole(page.get("page_no"), 1, MAX_PAGES)
            extent = numbers([size.get("width"), size.get("height")], 2)
            if number and extent:
                self._writer.sizes[number - 1] = (extent[0], extent[1])

    def _spots(self, item: dict[str, Any]) -> Iterator[Spot]:
        for entry in objects(item.get("prov")):
            page = whole(entry.get("page_no"), 1, MAX_PAGES)
            if page is None:
                continue
            span = entry.get("charspan")
            edges = [whole(edge, 0, 2**31) for edge in span] if isinstance(span, list) and len(span) == 2 else []
            exact = (edges[0], edges[1]) if edges and None not in edges and edges[0] != edges[1] else None
            yield Spot(page - 1, self._box(entry.get("bbox"), page - 1), exact)  # type: ignore[arg-type]

    def _box(self, box: Any, page: int) -> tuple[float, float, float, float] | None:
        """Return a box from the top left corner of its page; Docling counts from the bottom in a PDF."""
        box = record(box)
        edges = numbers([box.get(edge) for edge in "ltrb"], 4)
        if not edges:
            return None
        left, top, right, bottom = edges
        if box.get("coord_origin") == "BOTTOMLEFT":
            if page not in self._writer.sizes:
                return None
            height = self._writer.sizes[page][1]
            top, bottom = height - top, height - bottom
        return left, min(top, bottom), right, max(top, bottom)


def _layer(item: dict[str, Any]) -> str:
    """Return why an item is excluded by its layer; empty if it is of the body."""
    layer = item.get("content_layer", "body")
    return "" if layer == "body" else _LAYERS.get(string(layer), "excluded")


def _cells_text(cells: Any) -> str:
    """Return the text of a table from its cells, a row a line."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for cell in objects(cells):
        row, column = (number(cell.get(f"start_{edge}_offset_idx")) or 0.0 for edge in ("row", "col"))
        rows.setdefault(row, []).append((column, " ".join(string(cell.get("text")).split())))
    ordered = (sorted(rows[row], key=lambda cell: cell[0]) for row in sorted(rows))
    lines = (CELL.join(words for _, words in row) for row in ordered)
    return "\n".join(line for line in lines if line.strip(" |"))


def _graph_text(graph: Any) -> str:
    """Return the text of a form, a cell a line."""
    cells = objects(record(graph).get("cells"))
    return "\n".join(filter(None, (string(cell.get("text")).strip() for cell in cells)))
