"""The parts of a Word file as checked XML, and traversal of their trees through all wrappers."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.loading.archive import Archive
from chunking.loading.binary.formulas import M
from chunking.loading.binary.office import ALTERNATE, Package, chosen, xml_parts
from chunking.loading.language import language_code

# Names of elements and attributes -----------------------------------------------------------------------------------

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
DC = "{http://purl.org/dc/elements/1.1/}"

VAL = W + "val"
P, TBL, TR, TC, RUN, T = (W + tag for tag in ("p", "tbl", "tr", "tc", "r", "t"))
PPR, RPR, SECT, BR, TXBX = (W + tag for tag in ("pPr", "rPr", "sectPr", "br", "txbxContent"))
MATH = M + "oMath"
NOTE_REFERENCES = {W + "footnoteReference": "footnote", W + "endnoteReference": "endnote"}
GRAPHICS = frozenset(W + tag for tag in ("drawing", "pict", "object"))
WRAPPERS = frozenset(
    W + tag
    for tag in (
        "hyperlink", "ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple", "customXml", "dir", "bdo", "ruby",
        "rubyBase",
    )
) | {M + "oMathPara"}  # fmt: skip
"""Elements that contain runs or paragraphs; ``del``, ``moveFrom`` and unknown elements are skipped."""

MAX_COLUMNS = 63
"""Limit of the columns of a table in Word."""

PLAIN = {W + "tab": "\t", W + "ptab": "\t", W + "cr": "\n", W + "noBreakHyphen": "-"}


def is_on(element: Any) -> bool:
    """Return whether a toggle element is on."""
    return element.get(VAL) not in ("0", "false", "off", "none")


def value_of(parent: Any, path: str, default: str = "") -> str:
    """Return the value of the first element at a path below another, which may be missing; the default without it."""
    element = parent.find(path) if parent is not None else None
    return default if element is None else element.get(VAL) or ""


def as_number(value: str | None, default: float = 0.0) -> float:
    """Return the number in an attribute; the default if it is invalid or out of range."""
    try:
        number = float(value or "")
    except ValueError:
        return default
    return number if abs(number) < 1e6 else default


_UNITS = {"pt": 1.0, "in": 72.0, "cm": 72 / 2.54, "mm": 72 / 25.4, "pc": 12.0, "pi": 12.0}


def points(value: str | None, parts: float) -> float:
    """Return a length in points: with a unit of its own, else in parts of a point."""
    unit = _UNITS.get((value or "")[-2:])
    return as_number(value[:-2]) * unit if value and unit else as_number(value) / parts


# Parts of the file --------------------------------------------------------------------------------------------------

_SAVE_AGAIN = "Open it in Word or LibreOffice, save it as .docx again, and load that."


DOCUMENT_TYPES = frozenset(
    f"application/vnd.{kind}.main+xml"
    for kind in (
        "openxmlformats-officedocument.wordprocessingml.document", "ms-word.document.macroEnabled",
        "openxmlformats-officedocument.wordprocessingml.template", "ms-word.template.macroEnabledTemplate",
    )
)  # fmt: skip
"""Content types of a document, those with macros and templates included."""


@dataclass(frozen=True, eq=False)
class Source:
    """The parts of a document, as lxml trees.

    Attributes:
        package: the file.
        main: name of the part with the document.
        root: its root.
    """

    package: Package
    main: str
    root: Any

    @classmethod
    def of(cls, archive: Archive, name: str) -> Source:
        """Open the document in an archive.

        Raises:
            ChunkscopeError: the file is not a Word document, or is damaged.
        """
        xml_parts(archive)
        package = Package(archive)
        for main in package.related("", "officeDocument"):
            root = package.root(main)
            is_document = root.tag == W + "document" and root.find(W + "body") is not None
            if is_document and package.content_type(main) in DOCUMENT_TYPES:
                return cls(package, main, root)
        raise ChunkscopeError(f"“{name}” is not a Word document, or is damaged.", _SAVE_AGAIN)

    @property
    def body(self) -> Any:
        """The body of the document, without headers and notes."""
        return self.root.find(W + "body")

    @cached_property
    def sections(self) -> list[Any]:
        """The properties of each section, in order."""
        return [section for section in self.body.iter(SECT) if section.getparent().tag != W + "sectPrChange"]

    def tree(self, kind: str) -> Any | None:
        """Return the root of the document's part of a ``kind``; ``None`` if it has none."""
        part = next(iter(self.package.related(self.main, kind)), None)
        return None if part is None else self.package.root(part)

    def by_id(self, kind: str) -> dict[str, Any]:
        """Return the elements of the part of a ``kind``: footnotes, endnotes or comments, by id."""
        root = self.tree(kind + "s")
        if root is None:
            return {}
        return {element.get(W + "id") or "": element for element in root.iterchildren(W + kind)}

    def part(self, relation_id: str) -> str | None:
        """Return the name of the part of a relationship; ``None`` if it is missing or outside."""
        return self.package.by_id(self.main, relation_id)

    def outside(self) -> int:
        """How many relationships lead outside, links in the text apart."""
        return sum(
            relation.target is None and relation.kind != "hyperlink"
            for part in self.package.parts()
            for relation in self.package.relations(part)
        )

    def language(self) -> str:
        """ISO 639-1 code that the file names; empty where it names none."""
        try:
            roots = map(self.package.root, self.package.related("", "core-properties"))
            stated = next((root.findtext(DC + "language") or "" for root in roots), "")
        except ChunkscopeError:  # a broken part on which nothing else depends
            stated = ""
        in_styles = f"{W}docDefaults/{W}rPrDefault/{W}rPr/{W}lang"
        return language_code(stated or value_of(self.tree("styles"), in_styles))


# Traversal ----------------------------------------------------------------------------------------------------------


def descend(parent: Any, tags: Container[str], *, alternatives: bool = True) -> Iterator[Any]:
    """Yield the elements of some names below an element, in order, through all wrappers.

    Args:
        parent: the element.
        tags: names of the elements.
        alternatives: whether the first of alternative contents is a wrapper, too.
    """
    stack = [iter(parent)]
    while stack:
        for child in stack[-1]:
            tag = child.tag
            if tag in tags:
                yield child
            elif tag in WRAPPERS:
                stack.append(iter(child))
                break
            elif tag == ALTERNATE and alternatives:
                stack.append(iter(chosen(child)))
                break
        else:
            stack.pop()


def flow(parent: Any) -> Iterator[Any]:
    """Yield the paragraphs, tables and parts of other files below an element."""
    return descend(parent, (P, TBL, W + "altChunk"))


def inner(run: Any) -> Iterator[Any]:
    """Yield the content of a run."""
    for child in run:
        if child.tag == ALTERNATE:
            yield from chosen(child)
        else:
            yield child


def paragraphs(parent: Any) -> Iterator[Any]:
    """Yield all paragraphs below an element, including those in tables, without text boxes and deleted text."""
    stack: list[Iterator[Any]] = [flow(parent)]
    while stack:
        for child in stack[-1]:
            if child.tag == P:
                yield child
            elif child.tag == TBL:
                stack.append(chain.from_iterable(flow(cell) for row in rows(child) for cell in cells(row)))
                break
        else:
            stack.pop()


def rows(table: Any) -> Iterator[Any]:
    """Yield the rows of a table, except deleted ones."""
    for row in descend(table, (TR,), alternatives=False):
        if row.find(f"{W}trPr/{W}del") is None:
            yield row


def cells(row: Any) -> Iterator[Any]:
    """Yield the cells of a row."""
    return descend(row, (TC,), alternatives=False)


def columns(row: Any) -> Iterator[tuple[int, Any]]:
    """Yield the cells of a row, each with its column from 0: rows may begin late, and cells span several columns."""
    column = _count(row, f"{W}trPr/{W}gridBefore", 0)
    for cell in cells(row):
        yield column, cell
        column += _count(cell, f"{W}tcPr/{W}gridSpan", 1)


def _count(parent: Any, path: str, default: int) -> int:
    """Return a number of columns of a table, of which Word allows 63."""
    value = value_of(parent, path)
    return min(int(value), MAX_COLUMNS) if value.isascii() and value.isdecimal() and len(value) < 4 else default
