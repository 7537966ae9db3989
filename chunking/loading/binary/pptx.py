"""PowerPoint presentations (PPTX), read from their XML.

============= =========================================================================================================
in PowerPoint here
============= =========================================================================================================
slide         its title first, then the other shapes in PowerPoint's reading order; a page break between slides
title         heading
bullet        list item with the mark that PowerPoint displays, which also layouts and masters determine
table         one block, a row a line
chart         its title as a caption, and a table of its categories and values
diagram       (SmartArt) a list of its texts, as deep as they are in it
formula       LaTeX between dollar signs
notes         footnotes after their slide
footers, dates, slide numbers, comments, hidden slides: excluded
============= =========================================================================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from chunking.document import BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading.archive import open_archive
from chunking.loading.binary.charts import CHART, A, chart_rows, chart_title
from chunking.loading.binary.diagrams import DIAGRAM, diagram_items
from chunking.loading.binary.drawing_text import paragraph_text, paragraph_texts
from chunking.loading.binary.office import ALTERNATE, Package, R, chosen, whole_number
from chunking.loading.markup.layout import Item, LayoutWriter
from chunking.loading.numerals import NUMERALS
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.writer import table_text
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.runtime.wording import plurals

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"

_TITLES = ("title", "ctrTitle")
_RUNNING = ("dt", "ftr", "sldNum", "hdr")
_BODY_LIKE = ("", "obj", "body", "subTitle", "tbl", "chart", "dgm", "media", "clipArt", "pic")
_BULLETS = (A + "buNone", A + "buChar", A + "buAutoNum", A + "buBlip")
_NUMBERING = compile_pattern(r"(arabic|alphaLc|alphaUc|romanLc|romanUc)\w{0,12}?(Period|ParenR|ParenBoth|Plain|Minus)?")
_NUMERALS = {"arabic": "1", "alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"}
_SURROUNDED = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Minus": "- {} -"}
_NOTES = {
    "picture": ("picture was left out.", "pictures were left out."),
    "hidden": ("hidden slide was left out.", "hidden slides were left out."),
    "damaged": ("slide could not be read, and was left out.", "slides could not be read, and were left out."),
}


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """Return the text, blocks and origin of a presentation.

    Raises:
        ChunkscopeError: the file is not a presentation, or is damaged, protected or malicious.
    """
    package = Package(open_archive(data, name))
    main, root = package.main(P + "presentation")
    ids = [element.get(R + "id") for element in root.iterfind(f"{P}sldIdLst/{P}sldId")]
    slides = [part for part in (package.by_id(main, id) for id in ids) if part]
    reader = _PptxReader(package)
    for number, part in enumerate(dict.fromkeys(slides), 1):
        reader.read_slide(part, number)
        if progress:
            progress(number, len(slides))
    return reader.writer.finish(plurals(reader.counts, _NOTES))


class _Shape(NamedTuple):
    """A shape of a slide and the type and index of its placeholder; ``None`` if it is not one."""

    element: Any
    type: str | None
    key: str


class _PptxReader:
    """One pass over the slides.

    Attributes:
        writer: the document under construction.
        counts: numbers of items that were left out.
    """

    def __init__(self, package: Package) -> None:
        self._package = package
        self._roots: dict[str, Any] = {}
        self._name = ""
        self._items = 0
        self.writer = LayoutWriter()
        self.counts: Counter[str] = Counter()

    def read_slide(self, part: str, number: int) -> None:
        """Add a slide, or exclude it if it is hidden; a damaged one is counted."""
        self._name, self._items = f"slide {number:,}", 0
        try:
            root = self._package.root(part)
        except ChunkscopeError:
            self.counts["damaged"] += 1
            return
        if root.get("show") in ("0", "false"):
            self.counts["hidden"] += 1
            self._exclude("hidden slide", "\n".join(paragraph_texts(root)))
            return
        self.writer.begin_page()
        shapes = list(_shapes(root.find(f"{P}cSld/{P}spTree")))
        styles = _BulletStyles(self._layouts(part))
        # The title may be drawn last, but is read first.
        for shape in sorted(shapes, key=lambda shape: shape.type not in _TITLES):
            self._shape(shape, part, styles)
        for notes in self._package.related(part, "notesSlide"):
            self._notes(notes)
        for comments in self._package.related(part, "comments"):
            self._exclude("comment", "\n".join(_comment_texts(self._root(comments))))

    def _layouts(self, part: str) -> list[Any]:
        """Return the roots of a slide's layout and master."""
        roots = []
        for kind in ("slideLayout", "slideMaster"):
            part = next(iter(self._package.related(part, kind)), "")
            root = self._root(part) if part else None
            if root is not None:
                roots.append(root)
        return roots

    def _root(self, part: str) -> Any | None:
        """Return the root of a part on which nothing else depends; ``None`` if it is damaged."""
        if part not in self._roots:
            try:
                self._roots[part] = self._package.root(part)
            except ChunkscopeError:
                self._roots[part] = None
        return self._roots[part]

    # Shapes ---------------------------------------------------------------------------------------------------------

    def _shape(self, shape: _Shape, part: str, styles: _BulletStyles) -> None:
        element = shape.element
        if element.tag == P + "pic":
            self.counts["picture"] += 1
        elif element.tag == P + "graphicFrame":
            self._frame(element, part)
        elif shape.type in _RUNNING:
            self._exclude("running foot", "\n".join(paragraph_texts(element)))
        elif shape.type in _TITLES:
            self._add("heading", " ".join(" ".join(paragraph_texts(element)).split()), level=1)
        else:
            self._body(element, styles.of(shape))

    def _body(self, shape: Any, lists: Sequence[Any]) -> None:
        """Add the paragraphs of a shape."""
        numbers: dict[int, int] = {}
        for paragraph in shape.iterfind(f"{P}txBody/{A}p"):
            text = paragraph_text(paragraph)
            properties = paragraph.find(A + "pPr")
            depth = whole_number(properties, "lvl", 0, 8)
            if not text.strip():
                continue
            bullet = _bullet(properties, lists, depth)
            mark = _mark(bullet, depth, numbers)
            self._add("list_item" if mark else "paragraph", text, depth + 1 if mark else 0, mark)

    def _frame(self, frame: Any, part: str) -> None:
        """Add a table, chart or diagram."""
        for table in frame.iter(A + "tbl"):
            self._add("table", table_text(map(_cells, table.iterfind(A + "tr"))))
        for chart in frame.iter(CHART):
            root = self._root(self._package.by_id(part, chart.get(R + "id")) or "")
            if root is not None:
                self._add("caption", chart_title(root))
                self._add("table", table_text(chart_rows(root)))
        for diagram in frame.iter(DIAGRAM):
            root = self._root(self._package.by_id(part, diagram.get(R + "dm")) or "")
            for depth, text in diagram_items(root) if root is not None else ():
                self._add("list_item", text, depth)

    def _notes(self, part: str) -> None:
        root = self._root(part)
        for shape in _shapes(root.find(f"{P}cSld/{P}spTree")) if root is not None else ():
            if shape.type == "body":
                self._add("footnote", "\n".join(paragraph_texts(shape.element)), what="notes")

    def _add(self, kind: BlockKind, text: str, level: int = 0, mark: str = "", what: str = "text") -> None:
        self._items += 1
        self.writer.add(Item(kind, text, f"{self._name}, {what} {self._items:,}", level, mark))

    def _exclude(self, kind: str, text: str) -> None:
        self._items += 1
        self.writer.exclude_item(kind, text, f"{self._name}, {kind} {self._items:,}")


def _shapes(tree: Any | None) -> Iterator[_Shape]:
    """Yield the shapes of a slide in order, those of groups as well."""
    stack = [iter(tree if tree is not None else ())]
    while stack:
        for child in stack[-1]:
            if child.tag in (P + "grpSp", ALTERNATE):
                stack.append(iter(child if child.tag == P + "grpSp" else chosen(child)))
                break
            if child.tag in (P + "sp", P + "pic", P + "graphicFrame", P + "cxnSp"):
                yield _shape_of(child)
        else:
            stack.pop()


def _shape_of(element: Any) -> _Shape:
    placeholder = element.find(f"*/{P}nvPr/{P}ph")
    if placeholder is None:
        return _Shape(element, None, "")
    return _Shape(element, placeholder.get("type", ""), placeholder.get("idx", ""))


# Text ---------------------------------------------------------------------------------------------------------------


def _cells(row: Any) -> list[str]:
    """Return the text of the cells of a row; a merged cell is there once."""
    return [
        "" if cell.get("vMerge") in ("1", "true") else " ".join(paragraph_texts(cell))
        for cell in row.iterfind(A + "tc")
        if cell.get("hMerge") not in ("1", "true")
    ]


def _comment_texts(root: Any | None) -> Iterator[str]:
    for element in root.iter(P + "text", A + "t") if root is not None else ():
        yield element.text or ""


# Bullets ------------------------------------------------------------------------------------------------------------


class _BulletStyles:
    """The paragraph styles that the placeholders of a slide inherit from its layout and master."""

    def __init__(self, layouts: Iterable[Any]) -> None:
        self._shapes: list[dict[str, _Shape]] = []  # the placeholders by type and by index, the first of each
        self._master: Any | None = None
        for root in layouts:
            placeholders: dict[str, _Shape] = {}
            for shape in _shapes(root.find(f"{P}cSld/{P}spTree")):
                if shape.type is not None:
                    placeholders.setdefault(f"type {shape.type}", shape)
                    placeholders.setdefault(f"index {shape.key}", shape)
            self._shapes.append(placeholders)
            self._master = root.find(P + "txStyles")

    def of(self, shape: _Shape) -> list[Any]:
        """Return the list styles of a shape, its own first."""
        styles = [shape.element.find(f"{P}txBody/{A}lstStyle")]
        if shape.type is not None:
            styles += [self._inherited(shape, shapes) for shapes in self._shapes]
        if self._master is not None:
            body = shape.type is not None and shape.type in _BODY_LIKE
            styles.append(self._master.find(P + ("bodyStyle" if body else "otherStyle")))
        return [style for style in styles if style is not None]

    @staticmethod
    def _inherited(shape: _Shape, placeholders: Mapping[str, _Shape]) -> Any | None:
        """Return the list style of the placeholder that a shape inherits from."""
        keys = [f"index {shape.key}"] * bool(shape.key) + [f"type {shape.type}"]
        keys += ["type body", "type obj", "type "] * (shape.type in _BODY_LIKE)
        other = next((placeholders[key] for key in keys if key in placeholders), None)
        return None if other is None else other.element.find(f"{P}txBody/{A}lstStyle")


def _bullet(properties: Any | None, styles: Iterable[Any], depth: int) -> Any | None:
    """Return the element that determines the bullet of a paragraph; ``None`` if there is none."""
    levels = (style.find(f"{A}lvl{depth + 1}pPr") for style in styles)
    for level in (properties, *levels):
        for child in level if level is not None else ():
            if child.tag in _BULLETS:
                return child
    return None


def _mark(bullet: Any | None, depth: int, numbers: dict[int, int]) -> str:
    """Return the mark of a paragraph; empty without a bullet. Counts the numbered paragraphs of each depth."""
    for deeper in [other for other in numbers if other > depth]:
        del numbers[deeper]
    if bullet is None or bullet.tag == A + "buNone":
        numbers.pop(depth, None)
        return ""
    if bullet.tag != A + "buAutoNum":
        numbers.pop(depth, None)
        char = bullet.get("char", "•")
        return char if char.isprintable() and not "\ue000" <= char[:1] <= "\uf8ff" and char.strip() else "•"
    numbers[depth] = numbers.get(depth, whole_number(bullet, "startAt", 1, 32_767) - 1) + 1
    kind = _NUMBERING.fullmatch(bullet.get("type", ""))
    if kind is None:
        return f"{numbers[depth]}."
    return _SURROUNDED.get(kind[2] or "", "{}").format(NUMERALS[_NUMERALS[kind[1]]](numbers[depth]))
