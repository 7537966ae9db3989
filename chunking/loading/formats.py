"""The supported formats, and the recognition of the format of a file.

A format is one entry of :data:`FORMATS`. Its module is imported when a file of the format is first loaded, and is of
one of three kinds:

- ``text``: the document's text is the decoded file. The module has ``blocks(text) -> tuple[Block, ...] | None``
  (``blocks(text, language)`` if one module reads several languages); it returns ``None`` if the text is not of the
  format, which is then read as plain text.
- ``markup``: the document's text is the displayed text of the decoded file. The module has
  ``parse(text, name, params) -> Parsed``.
- ``binary``: the module has ``parse(data, name, params, progress) -> Parsed``, which runs in a process of its own, with
  limits (:mod:`chunking.loading.isolated`).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

from chunking.document import Document
from chunking.loading.archive import OLE, WORKBOOKS, names_in
from chunking.loading.decode import MAX_BYTES
from chunking.runtime.patterns import compile_pattern
from chunking.syntax.programs import PROGRAMS, language_of

Kind = Literal["text", "markup", "binary"]


@dataclass(frozen=True, slots=True)
class Format:
    """A supported format.

    Attributes:
        name: the value of a document's ``format``.
        title: displayed name.
        kind: kind of its module, as above.
        module: name of its module below ``chunking.loading.KIND``.
        suffixes: suffixes of file names, in lower case, with their dot; none if its content alone shows the format.
        language: language of a program, for its parser; else empty.
    """

    name: str
    title: str
    kind: Kind
    module: str
    suffixes: tuple[str, ...]
    language: str = ""


_XML_SUFFIXES = (
    ".xml", ".nxml", ".jats", ".dbk", ".docbook", ".tei", ".dita", ".ditamap", ".fb2", ".rss", ".atom", ".opml"
)  # fmt: skip


def _formats() -> dict[str, Format]:
    document_formats = [
        Format("text", "Plain text", "text", "plain", (".txt", ".text", ".log", "")),
        Format(
            "markdown",
            "Markdown",
            "text",
            "markdown",
            (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd", ".mdc"),
        ),
        Format("rst", "reStructuredText", "text", "rst", (".rst", ".rest")),
        Format("latex", "LaTeX", "text", "latex", (".tex", ".latex", ".ltx")),
        Format("json", "JSON", "text", "json", (".json", ".jsonl", ".ndjson", ".geojson")),
        Format("yaml", "YAML", "text", "yaml", (".yaml", ".yml")),
        Format("csv", "CSV", "text", "csv", (".csv", ".tsv")),
        Format("subtitles", "Subtitles", "text", "subtitles", (".srt", ".vtt", ".sbv", ".ass", ".ssa", ".lrc")),
        Format("chat", "Chat or transcript", "text", "chat", (".chat", ".transcript")),
        Format("html", "HTML", "markup", "html", (".html", ".htm", ".xhtml", ".xht", ".svg")),
        Format("notebook", "Jupyter notebook", "markup", "notebook", (".ipynb",)),
        Format("docling", "Docling document", "markup", "docling", ()),
        Format("unstructured", "Unstructured elements", "markup", "unstructured", ()),
        Format("mineru", "MinerU content list", "markup", "mineru", ()),
        Format("marker", "Markdown with pages (Marker)", "markup", "marker", ()),
        Format("pdf", "PDF", "binary", "pdf", (".pdf",)),
        Format("docx", "Word (DOCX)", "binary", "docx", (".docx", ".docm", ".dotx", ".dotm")),
        Format("pptx", "PowerPoint (PPTX)", "binary", "pptx", (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm")),
        Format("xlsx", "Excel", "binary", "sheets", (".xlsx", ".xlsm", ".xltx", ".xltm", ".xlsb", ".xls")),
        Format("odt", "OpenDocument text", "binary", "odf", (".odt", ".ott", ".fodt", ".fods")),
        Format("odp", "OpenDocument presentation", "binary", "odf", (".odp", ".otp", ".odg", ".fodp")),
        Format("ods", "OpenDocument spreadsheet", "binary", "sheets", (".ods", ".ots")),
        Format("rtf", "Rich Text (RTF)", "binary", "rtf", (".rtf",)),
        Format("mail", "E-mail", "binary", "mail", (".eml", ".mbox", ".mht", ".mhtml")),
        Format("epub", "EPUB", "binary", "epub", (".epub",)),
        Format("xml", "XML", "binary", "xml", _XML_SUFFIXES),
        Format("ttml", "Subtitles (TTML)", "binary", "ttml", (".ttml", ".dfxp")),
    ]
    programs = [
        Format(language, title, "text", "code", suffixes, language) for language, (title, suffixes) in PROGRAMS.items()
    ]
    return {format.name: format for format in (*document_formats, *programs)}


FORMATS: dict[str, Format] = _formats()
"""All formats by name."""

TEXT_FORMATS: tuple[str, ...] = tuple(name for name, format in FORMATS.items() if format.kind == "text")
"""Names of the formats whose text is the decoded file, which :func:`from_text` accepts."""

DATA_FORMATS = frozenset(("json", "yaml", "csv"))
"""Formats of values, which are often not in any language."""

DOCUMENT_SUFFIXES: frozenset[str] = frozenset(
    suffix
    for format in FORMATS.values()
    if format.name not in DATA_FORMATS and not format.language
    for suffix in format.suffixes
) - {""}
"""Suffixes of documents that people read, in lower case, with their dot: neither values nor programs."""

_BY_SUFFIX: dict[str, Format] = {suffix: format for format in FORMATS.values() for suffix in format.suffixes}

_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_ZIPPED = (
    (b"mimetypeapplication/epub+zip", "mimetype", "epub"),
    (b"application/vnd.oasis.opendocument.spreadsheet", "content.xml", "ods"),
    (b"application/vnd.oasis.opendocument.presentation", "content.xml", "odp"),
    (b"application/vnd.oasis.opendocument.graphics", "content.xml", "odp"),
    (b"application/vnd.oasis.opendocument.text", "content.xml", "odt"),
    (b"word/", "word/", "docx"),
    (b"ppt/", "ppt/", "pptx"),
    (b"xl/", "xl/", "xlsx"),
)
"""Bytes near the ends of a ZIP archive that is a document, how a name in its directory begins, and its format."""

_OFFICE = "[Content_Types].xml"
_OLE_SHEETS = tuple(f"{name}\0".encode("utf-16-le") for name in WORKBOOKS)
_OLE_OTHERS = tuple(name.encode("utf-16-le") for name in ("WordDocument", "PowerPoint Document", "__substg1.0_"))

_MARKED = 65_536

_RTF = compile_pattern(rb"\s{0,200}\{\\rtf")
_XML = compile_pattern(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\0?<\0?\?\0?x\0?m\0?l\b")
_ROOT = compile_pattern(rb"<(?:[A-Za-z]{1,20}:)?([A-Za-z][\w-]{0,60})[\s>/]")
_MAIL = compile_pattern(rb"(?:From |[A-Za-z][A-Za-z0-9-]{1,60}:)[^\n]{0,2000}\n")
_MAIL_FIELDS = (
    compile_pattern(rb"(?:\A|\n)From:", re.IGNORECASE),
    compile_pattern(rb"(?:\A|\n)(?:Message-ID|MIME-Version|Received):", re.IGNORECASE),
)
"""Fields of the header of every e-mail: one of each kind."""

_HTML = compile_pattern(rb"(?:\xef\xbb\xbf)?\s{0,200}<(?:!doctype html|html)\b", re.IGNORECASE)

_HEAD = 8_192
"""Bytes at the start of a text in which its format may be stated."""

_EXPORTED = ("json", "markdown")
"""Formats by suffix of files that may be documents of other parsers."""

_DOCLING = compile_pattern(rb'"schema_name"\s{0,9}:\s{0,9}"DoclingDocument"')
_ELEMENTS = compile_pattern(rb'"(?:element_id|metadata)"')
_CONTENTS = compile_pattern(rb'"page_idx"')
_SEPARATED = compile_pattern(rb"(?:\xef\xbb\xbf)?\s{0,200}\{[0-9]{1,6}\}-{48}\s")

_CHECKED = 200
"""Rows of a file that are checked."""


def format_of(data: bytes, name: str) -> Format:
    """Return the format of a file: by its first bytes if they are unambiguous, else by its suffix, else text."""
    if data.startswith(b"%PDF-"):
        return FORMATS["pdf"]
    if _RTF.match(data):
        return FORMATS["rtf"]
    format = _BY_SUFFIX.get(PurePath(name).suffix.lower())
    if data.startswith(_ZIP):
        format = _zip_format(data) or format
    elif data.startswith(OLE):
        format = FORMATS[_compound_format(data, format)]
    elif format is None or format.name in ("text", "xml"):
        marked = _marked_format(data)
        format = FORMATS[marked] if marked else format
    if format is None:
        format = FORMATS[language_of(Document(_head(data), (), name)) or "text"]
    if format.name in _EXPORTED:
        format = FORMATS[_exported_format(data, format.name) or format.name]
    return format


def _zip_format(data: bytes) -> Format | None:
    ends = data[:_MARKED] + data[-_MARKED:]
    names = names_in(data)
    for mark, begin, format in _ZIPPED:
        # An uncompressed archive of Word files has their bytes as well, but not their names in its directory.
        if mark not in ends or (names and not any(name.startswith(begin) for name in names)):
            continue
        if not begin.endswith("/") or not names or _OFFICE in names:
            return FORMATS[format]
    return None


def _compound_format(data: bytes, by_suffix: Format | None) -> str:
    """Return the format that reads, or refuses, a compound file of Office before 2007.

    A workbook may contain a letter, and a letter a workbook: then the suffix decides.
    """
    sheets = any(name in data for name in _OLE_SHEETS)
    named = by_suffix is not None and by_suffix.name == "xlsx"
    return "xlsx" if sheets and (named or not any(name in data for name in _OLE_OTHERS)) else "docx"


def _marked_format(data: bytes) -> str | None:
    """Return the format that a text states in its first lines: a web page, XML or an e-mail; else ``None``."""
    head = data[:_HEAD]
    if _HTML.match(head):
        return "html"
    if _XML.match(head):
        root = _ROOT.search(head.replace(b"\0", b""))
        name = root[1].decode("ascii", "replace").lower() if root else ""
        return {"html": "html", "svg": "html", "tt": "ttml"}.get(name, "odt" if b"<office:document" in head else "xml")
    header = head.replace(b"\r", b"").partition(b"\n\n")[0]
    return "mail" if _MAIL.match(head) and all(field.search(header) for field in _MAIL_FIELDS) else None


def is_archive(data: bytes, name: str) -> bool:
    """Return whether a file is a ZIP archive of other files, not a document itself."""
    return data.startswith((_ZIP, _EMPTY_ZIP)) and format_of(data, name).kind != "binary"


def _head(data: bytes) -> str:
    return data[:200].decode("utf-8", "replace")


# Documents that another program has parsed have the names of any JSON file: their content is checked. Every check is
# cheap for other files: JSON is parsed only if it has the marks of such a document.


def _exported_format(data: bytes, suffix: str) -> str | None:
    """Return the name of the format of a parsed document; ``None`` for any other file.

    Args:
        data: the file.
        suffix: the format that its name states: ``json``, ``markdown`` or ``text``.
    """
    if suffix != "json":
        return "marker" if _SEPARATED.match(data) else None
    if len(data) > MAX_BYTES:
        return None
    if _DOCLING.search(data):
        value = _value(data)
        right = isinstance(value, dict) and value.get("schema_name") == "DoclingDocument"
        return "docling" if right and isinstance(value.get("body"), dict) else None
    if _CONTENTS.search(data) and _all(_value(data), _is_entry):
        return "mineru"
    if _ELEMENTS.search(data) and _all(_value(data), _is_element):
        return "unstructured"
    return None


def _value(data: bytes) -> Any:
    """Return the value of a JSON file, the list of the first values of JSON Lines, or ``None``."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        try:
            lines = (line for line in data.split(b"\n", _CHECKED)[:_CHECKED] if line.strip())
            return [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            return None


def _all(value: Any, test: Any) -> bool:
    """Return whether a value is a list whose first items pass a test."""
    return isinstance(value, list) and bool(value) and all(map(test, value[:_CHECKED]))


def _is_entry(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("type"), str) and isinstance(row.get("page_idx"), int)


def _is_element(row: Any) -> bool:
    from chunking.loading.markup.unstructured import TYPES

    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        return False
    type_ = row.get("type")
    return isinstance(type_, str) and type_ in TYPES and ("element_id" in row or isinstance(row.get("metadata"), dict))
