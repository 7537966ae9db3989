"""XML: its text, with titles as headings: JATS, DocBook, TEI, DITA, feeds, patents and others.

Elements are distinguished by what they contain and by the names that vocabularies share:

========== ============================================================================================================
heading    ``title``, ``head`` and the like of an element that has a title; its level is the number of titled elements
           around it, or what the element states
paragraph  an element with text of its own and all in it, or whose children are words alone (a name, an address)
list item  in ``list``, ``itemizedlist``, ``ul`` and the like, and references
table      elements with rows, a row a line
caption    titles and captions of tables and figures
code       ``programlisting``, ``preformat`` and the like
footnote   ``fn``, ``footnote``, ``note`` inside a paragraph
========== ============================================================================================================

Data about the publication (identifiers, permissions, dates) are excluded. The tree is built by defusedxml: document
types are allowed, and entities that they declare as a few characters; any others are refused, and nothing outside is
read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from chunking.document import BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading import mathml
from chunking.loading.archive import xml_root
from chunking.loading.binary.xml_scripts import write_scripts
from chunking.loading.decode import decode
from chunking.loading.language import language_code
from chunking.loading.markup import html
from chunking.loading.markup.layout import Item, LayoutWriter
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.writer import table_text
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.runtime.wording import word_set

MAX_DEPTH = 300
"""Limit of elements inside each other."""

MAX_FIELDS = 12
"""Limit of the children that are read as one paragraph."""

_TITLES = word_set(
    "title article-title book-title head heading invention-title subtitle titleabbrev part-title h1 h2 h3 h4 h5 h6"
)
_TRANSPARENT = word_set(
    "info articleinfo bookinfo chapterinfo sectioninfo front article-meta title-group book-meta book-title-group "
    "titleStmt fileDesc teiHeader titlePage docTitle title-info head header prolog topicmeta front-stub header-group "
    "us-bibliographic-data-application us-bibliographic-data-grant bibliographic-data"
)
"""Elements whose title is that of the element around them."""

_WORK_TITLES = word_set("article-title book-title invention-title")
"""Titles of the whole document, wherever they are."""

_BIBLIOGRAPHIC = word_set(
    "us-bibliographic-data-application us-bibliographic-data-grant subdoc-bibliographic-information SDOBI"
)
"""Elements of which only the title is read."""

_METADATA = word_set(
    "alt-title author-notes us-chemistry us-sequence-list-doc us-megatable-doc document-date journal-meta article-id "
    "article-categories pub-date pub-history volume issue fpage lpage elocation-id history permissions self-uri "
    "counts custom-meta-group related-article related-object funding-group publicationStmt encodingDesc profileDesc "
    "revisionDesc sourceDesc publication-reference application-reference figures document-info publish-info binary "
    "processing-meta contrib-id book-id isbn issn genre"
)
_CAPTIONED = word_set("table-wrap table informaltable fig figure boxed-text caption mediaobject tgroup media")
"""Elements whose title is a caption."""

_CITATIONS = word_set(
    "ref element-citation mixed-citation nlm-citation citation biblioentry bibl biblStruct analytic monogr product "
    "related-article bibliomixed"
)
_AUTHORS = word_set("contrib anonymous on-behalf-of")
_NAMES = word_set("name string-name collab")
_LISTS = word_set(
    "list ul ol dl itemizedlist orderedlist variablelist simplelist glosslist def-list ref-list listBibl outline"
)
_ITEMS = word_set("list-item li listitem item ref varlistentry member glossentry def-item biblioentry bibl dt dd term")
_UNTITLED = _CITATIONS | _CAPTIONED | (_ITEMS - {"item"})
"""Elements whose title is not a heading; an ``item`` is one of a list, or of a feed."""

_CODE = word_set("programlisting preformat screen literallayout verbatim codeblock pre synopsis eg")
_QUOTES = word_set("disp-quote blockquote epigraph cit lq")
_NOTES = word_set("fn footnote note endnote")
_ROWS = word_set("tr row")
_CELLS = word_set("td th entry cell entrytbl")
_FORMULAS = word_set("tex-math latex")
_MATHML = "{http://www.w3.org/1998/Math/MathML}math"
_BLOCKS = (
    _TITLES - {"head", "title"}
    | (_LISTS | _ITEMS | _CODE | _QUOTES | _CAPTIONED) - {"term"}
    | word_set(
        "p para simpara disp-formula disp-formula-group section sec div tbody thead tr row description-of-drawings"
    )
)
"""Elements that end a paragraph in which they stand."""

_TEX_BODY = compile_pattern(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)", re.DOTALL)
_MARKUP = compile_pattern(r"</[a-z][a-z0-9]{0,10}>|<br */?>", re.IGNORECASE)


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """Return the text, blocks and origin of an XML file.

    Raises:
        ChunkscopeError: the file is not well-formed, declares entities, or is nested too deeply.
    """
    decoded = decode(data, name)
    root = xml_root(decoded.text, name)
    if _depth(root) > MAX_DEPTH:
        raise ChunkscopeError(
            f"“{name}” has elements that are nested more than {MAX_DEPTH} deep.", "Check that it is a document."
        )
    reader = _XmlReader(root)
    _convert_formulas(root)
    write_scripts(root)
    reader.read(root, _Context())
    reader.end()
    language = root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("lang") or ""
    return reader.writer.finish(decoded.notes, language_code(language))


def _depth(root: Any) -> int:
    """Return how deep elements are nested."""
    deepest, stack = 1, [iter(root)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
        else:
            stack.append(iter(child))
            deepest = max(deepest, len(stack))
            if deepest > MAX_DEPTH:
                break
    return deepest


def _local(element: Any) -> str:
    """Return the name of an element without its namespace; empty for comments and instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


class _Context(NamedTuple):
    """The effect of the surrounding elements on a text."""

    kind: BlockKind = "paragraph"
    level: int = 0
    lists: int = 0
    titled: int = 0
    around: str = ""
    metadata: bool = False


class _XmlReader:
    """One pass over a tree.

    Attributes:
        writer: the document under construction.
    """

    def __init__(self, root: Any) -> None:
        self.writer = LayoutWriter()
        self._titled = _titled_elements(root)
        self._words: list[str] = []
        self._notes: list[str] = []
        self._label = ""
        self._counts: Counter[str] = Counter()

    # Elements -------------------------------------------------------------------------------------------------------

    def read(self, element: Any, context: _Context) -> None:
        """Add the blocks of an element."""
        name = _local(element)
        if name in _METADATA or (context.around in _BIBLIOGRAPHIC and name not in _TITLES):
            self._exclude(element)
            return
        context = context._replace(titled=context.titled + (element in self._titled))
        if self._special(element, name, context):
            return
        inner = self._inner(name, context)._replace(around=name)
        if name == "outline" and element.get("text"):
            self._add(inner.kind, " ".join(element.get("text").split()), inner.level)
        if _is_mixed(element) or _is_record(element):
            self._mixed(element, inner)
            self._flush(inner)
        else:
            for child in element:
                self.read(child, inner)
            self._flush(inner)

    def _special(self, element: Any, name: str, context: _Context) -> bool:
        """Add an element that is not read by its content; return whether it is one."""
        if name in _TITLES and context.around not in _CITATIONS and not _is_container(element):
            self._title(element, name, context)
        elif name == "label" and not _is_container(element):
            self._label = _words(element)
        elif name in _CITATIONS:
            self._add("list_item", _spaced(element), max(context.lists, 1))
        elif name == "contrib-group":
            self._contributors(element, context)
        elif name in _CODE:
            self._add("code", "".join(element.itertext()).strip("\r\n"), 0)
        elif name in ("disp-formula", "alternatives") and (formula := _formula(element)):
            labels = [_words(child) for child in element if _local(child) == "label"]
            self._add("paragraph", " ".join((formula, *labels)), 0)
        elif any(_local(child) in (*_ROWS, "thead", "tbody", "tgroup") for child in element) and name != "outline":
            self._table(element, context)
        else:
            return False
        return True

    @staticmethod
    def _inner(name: str, context: _Context) -> _Context:
        """Return the context inside an element."""
        if name in _LISTS:
            return context._replace(lists=context.lists + 1, kind="list_item", level=context.lists + 1)
        if name in _ITEMS and (context.lists or name != "item"):
            return context._replace(kind="list_item", level=max(context.lists, 1))
        if name in _QUOTES:
            return context._replace(kind="quote", level=1)
        if name in _NOTES:
            return context._replace(kind="footnote", level=0)
        if name in ("caption", "figDesc"):
            return context._replace(kind="caption", level=0)
        return context

    def _title(self, element: Any, name: str, context: _Context) -> None:
        text, stated = _words(element), element.get("level", "")
        listed = context.kind == "list_item" and context.around not in ("ref-list", "listBibl")
        if context.around in _CAPTIONED or context.kind == "caption" or listed:
            kind: BlockKind = "list_item" if listed else "caption"
            self._add(kind, text, context.level if listed else 0)
        elif name in ("subtitle", "titleabbrev"):
            self._add("paragraph", text, 0)
        elif name[1:].isdecimal():
            self._add("heading", text, int(name[1:]))
        elif name in _WORK_TITLES:
            self._add("heading", text, 1)
        else:
            level = int(stated) if stated.isascii() and stated.isdecimal() and len(stated) < 3 else 0
            self._add("heading", text, max(context.titled + max(level - 1, 0), 1))

    def _contributors(self, group: Any, context: _Context) -> None:
        """Add the names of a group of authors in one line, then all that is not about one of them."""
        authors = [child for child in group if _local(child) in _AUTHORS]
        names = [_person(name) for author in authors for name in author.iter() if _local(name) in _NAMES]
        self._add("paragraph", ", ".join(filter(None, names)), 0)
        for child in group:
            if _local(child) not in _AUTHORS:
                self.read(child, context)

    # Text -----------------------------------------------------------------------------------------------------------

    def _mixed(self, element: Any, context: _Context) -> None:
        """Collect the words of an element; a block in it ends the paragraph, which then continues."""
        self._words.append(element.text or "")
        record = _is_record(element) and not _is_mixed(element)
        for child in element:
            name = _local(child)
            if name in _METADATA:
                self._exclude(child)
            elif name in _NOTES and context.kind != "footnote":
                self._notes.append(_words(child))
            elif name in _FORMULAS or name == "alternatives" or name == "inline-formula":
                self._words.append(_formula(child) or _words(child))
            elif name in _BLOCKS and not record:
                self._flush(context)
                self.read(child, context)
            elif name:
                self._mixed(child, context)
            self._words.append(" " * record + (child.tail or ""))

    def _flush(self, context: _Context) -> None:
        """End the paragraph."""
        text = " ".join("".join(self._words).split())
        self._words = []
        if _MARKUP.search(text):
            text = html.parse(text, "text.html", LoadParameters()).text.strip()
        self._add(context.kind, text, context.level)
        notes, self._notes = self._notes, []
        for note in notes:
            self._add("footnote", note, 0)

    def end(self) -> None:
        """Add a label that nothing follows."""
        label, self._label = self._label, ""
        self._add("paragraph", label, 0)

    def _add(self, kind: BlockKind, text: str, level: int) -> None:
        if not text:
            return
        label, self._label = self._label, ""
        if label and kind != "table" and kind != "code":
            text = f"{label} {text}"
        elif label:
            self._add("caption", label, 0)
        self._counts[kind] += 1
        self.writer.add(Item(kind, text, f"{kind.replace('_', ' ')} {self._counts[kind]:,}", level))

    def _exclude(self, element: Any) -> None:
        self._counts["metadata"] += 1
        self.writer.exclude_item("metadata", _spaced(element), f"metadata {self._counts['metadata']:,}")

    # Tables ---------------------------------------------------------------------------------------------------------

    def _table(self, table: Any, context: _Context) -> None:
        for child in table:
            if _local(child) in ("title", "caption", "head"):
                self._add("caption", _words(child), 0)
        self._add("table", table_text([list(_cells(row)) for row in _rows(table)]), 0)


def _titled_elements(root: Any) -> frozenset[Any]:
    """Return the elements that have a title, whose child it is, or a child of its wrapper."""
    titled = set()
    stack: list[tuple[Any, Any]] = [(root, root)]
    while stack:
        element, owner = stack.pop()
        owner = owner if _local(element) in _TRANSPARENT and len(element) else element
        for child in element:
            name = _local(child)
            if name in _TITLES and not _is_container(child) and _local(element) not in _UNTITLED:
                titled.add(owner)
            elif name not in _METADATA:
                stack.append((child, owner))
    return frozenset(titled)


def _is_container(element: Any) -> bool:
    """Return whether an element has a title of its own, and so is no title."""
    return any(_local(child) in _TITLES and _local(child) != _local(element) for child in element)


def _is_mixed(element: Any) -> bool:
    """Return whether an element has text of its own."""
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)


def _is_record(element: Any) -> bool:
    """Return whether all children of an element are words alone, and none is a paragraph or an item."""
    return 1 < len(element) <= MAX_FIELDS and all(
        not len(child) and _local(child) not in _BLOCKS | _TITLES | _METADATA and not child.get("text")
        for child in element
    )


def _words(element: Any) -> str:
    """Return the text of an element in one line, without its notes."""
    return " ".join("".join(_shown(element)).split())


def _shown(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if _local(child) in _BLOCKS or _local(child) in _CELLS or _local(child) == "break":
            yield " "
        if _local(child) not in _NOTES:
            yield from _shown(child)
        yield child.tail or ""


def _spaced(element: Any) -> str:
    """Return the text of an element with a space between those in it."""
    return " ".join(" ".join(text.split()) for text in element.itertext() if text.strip())


def _person(element: Any) -> str:
    """Return a name, with the given names first."""
    if not len(element):
        return _words(element)
    order = {"prefix": 0, "given-names": 1, "surname": 2, "suffix": 3}
    parts = [child for child in element if _local(child) in order]
    return " ".join(map(_words, sorted(parts, key=lambda child: order[_local(child)]))) or _words(element)


def _convert_formulas(root: Any) -> None:
    """Replace what is in each MathML formula by its LaTeX."""
    for element in list(root.iter(_MATHML)):
        words = "".join("".join(element.itertext()).split())
        formula = mathml.latex(element)
        del element[:]
        element.text = formula if formula == words else f"${formula}$"


def _formula(element: Any) -> str:
    """Return the LaTeX that an element has; empty if it has none."""
    for child in element.iter():
        if _local(child) in _FORMULAS:
            text = "".join(child.itertext())
            body = _TEX_BODY.search(text)
            formula = " ".join((body[1] if body else text).split()).strip("$ ")
            return f"${formula}$" if formula else ""
    return "".join(child.text or "" for child in element.iter(_MATHML))


def _rows(table: Any) -> Iterator[Any]:
    """Yield the rows of a table; those of a table in a cell are words of the cell."""
    stack = [iter(table)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
        elif _local(child) in _ROWS:
            yield child
        else:
            stack.append(iter(child))


def _cells(row: Any) -> Iterator[str]:
    for cell in row:
        if _local(cell) in _CELLS:
            yield _words(cell)
