"""EPUB books: the chapters in the order of the spine, each read as HTML, with a page break between them.

The container refers to the package, the package to its files and their order; both are read with defusedxml. Chapters,
drawings (SVG) among them, are read by :mod:`chunking.loading.markup.html`, which expands no entities and downloads
nothing. The table of contents (the navigation document) is excluded if it is among the chapters, and the NCX, which is
only for reading programs, is not read.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote, urlsplit

from chunking.errors import ChunkscopeError
from chunking.loading.archive import Archive, is_inside, open_archive, small_xml
from chunking.loading.decode import decode
from chunking.loading.language import language_code
from chunking.loading.markup import html
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.writer import DocumentWriter
from chunking.runtime.progress import Progress
from chunking.runtime.wording import plurals

UNIT = "characters of the file"

MAX_CHAPTERS = 5_000
"""Limit of the chapters of a book."""

MAX_SMALL = 16 * 1024 * 1024
"""Limit of the bytes of the container and package files."""

MAX_TEXT = 20 * 1024 * 1024
"""Limit of the characters of all chapters together."""

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml")
_DRAWING = "image/svg+xml"
_FONT_DISGUISES = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")

_CONVERT = "Convert it with another program (Calibre, for one) and load that."

_NOTES = {
    "missing": ("listed chapter is missing.", "listed chapters are missing."),
    "doubled": ("chapter that is listed twice was read once.", "chapters that are listed twice were read once."),
    "picture": ("page is an image and was left out.", "pages are images and were left out."),
    "unreadable": ("chapter could not be read, and was left out.", "chapters could not be read, and were left out."),
    "ignored": ("file with a path that leads out of the book was left out.", "files with paths that lead out of the "
                "book were left out."),
}  # fmt: skip


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """Return the text, blocks and origin of a book.

    Raises:
        ChunkscopeError: the file is not an EPUB, or is damaged, locked (DRM) or malicious.
    """
    archive = open_archive(data, name)
    book = _Book.of(archive, name)
    params = replace(params, content="all")
    _check_locks(archive, book, name)
    writer, counts = DocumentWriter(UNIT), book.counts + Counter(ignored=archive.ignored)
    remarks: dict[str, None] = {}
    failure: ChunkscopeError | None = None
    for index, item in enumerate(book.spine):
        try:
            before = writer.length
            remarks |= dict.fromkeys(_add_chapter(writer, archive, item, params))
            counts["picture"] += item.type == _DRAWING and writer.length == before
        except ChunkscopeError as error:
            counts["unreadable"] += 1
            failure = failure or error
        if progress:
            progress(index + 1, len(book.spine))
        if writer.length > MAX_TEXT:
            raise ChunkscopeError(
                f"“{name}” contains more than {MAX_TEXT // 2**20} million characters of text.",
                "Split it and load a part.",
            )
    if not writer.parts:
        cause = f" ({failure.problem})" if failure else ""
        raise ChunkscopeError(f"“{name}” has no readable chapter{cause}.", _CONVERT)
    return writer.parsed((*plurals(counts, _NOTES), *remarks), language=book.language)


def _add_chapter(writer: DocumentWriter, archive: Archive, item: _Item, params: LoadParameters) -> tuple[str, ...]:
    """Add a chapter, or exclude it if it is only navigation; return remarks about it.

    Raises:
        ChunkscopeError: it cannot be read.
    """
    decoded = decode(archive.read(item.path), item.path)
    parsed = html.parse(decoded.text, item.path, params)
    part = writer.add_part(item.path, parsed.origin.texts[0] if parsed.origin else decoded.text)
    if item.navigation:
        writer.exclude("navigation", parsed.text.strip(), part)
    else:
        writer.aside.extend(aside._replace(part=part) for aside in parsed.aside)
        if parsed.text.strip():
            writer.add_page_break()
            writer.include(parsed, part)
    return (*decoded.notes, *parsed.notes)


@dataclass(frozen=True, slots=True)
class _Item:
    """A file of the book in its manifest: its path in the archive, type, and purpose."""

    path: str
    type: str
    navigation: bool
    fallback: str


@dataclass(frozen=True)
class _Book:
    """The contents of the package file.

    Attributes:
        spine: the chapters in reading order, each once.
        language: ISO 639-1 code; empty if it has none.
        counts: numbers of missing or duplicate items.
    """

    spine: tuple[_Item, ...]
    language: str
    counts: Counter[str]

    @classmethod
    def of(cls, archive: Archive, name: str) -> _Book:
        path = _package_path(archive, name)
        root = small_xml(archive.read(path, MAX_SMALL), path, name)
        items = {item.get("id", ""): _item(item, posixpath.dirname(path)) for item in _all(root, "item")}
        ids = [reference.get("idref", "") for reference in _all(root, "itemref")]
        if len(ids) > MAX_CHAPTERS:
            raise ChunkscopeError(f"“{name}” lists more than {MAX_CHAPTERS:,} chapters.", _CONVERT)
        chapters: dict[str, _Item] = {}
        counts: Counter[str] = Counter()
        for key in ids:
            item = _readable(items, key)
            if item is None or item.path not in archive:
                counts["missing"] += 1
            elif item.path in chapters:
                counts["doubled"] += 1
            elif item.type not in (*_PAGES, _DRAWING):
                counts["picture"] += 1
            else:
                chapters[item.path] = item
        return cls(tuple(chapters.values()), _language(root), counts)


def _package_path(archive: Archive, name: str) -> str:
    """Return the path of the package in the archive."""
    if _CONTAINER in archive:
        root = small_xml(archive.read(_CONTAINER, MAX_SMALL), _CONTAINER, name)
        paths = [unquote(element.get("full-path", "")) for element in _all(root, "rootfile")]
    else:
        paths = [path for path in archive.entries if path.endswith(".opf")]
    package = next((path for path in paths if path in archive), None)
    if package is None:
        raise ChunkscopeError(f"“{name}” is not an EPUB: it has no package file.", _CONVERT)
    return package


def _all(root: Any, tag: str) -> Iterator[Any]:
    """Yield elements by local name: old books have them in other namespaces, or in none."""
    for element in root.iter():
        if isinstance(element.tag, str) and element.tag.rpartition("}")[2] == tag:
            yield element


def _item(element: Any, folder: str) -> _Item:
    return _Item(
        _path(element.get("href", ""), folder),
        element.get("media-type", "").strip().lower(),
        "nav" in element.get("properties", "").split(),
        element.get("fallback", ""),
    )


def _path(href: str, folder: str) -> str:
    """Return the path in the archive of an address; empty if it is outside."""
    try:
        address = urlsplit(href.strip())
    except ValueError:
        return ""
    if address.scheme or address.netloc or not address.path:
        return ""
    path = posixpath.normpath(posixpath.join(folder, unquote(address.path)))
    return path if is_inside(path) else ""


def _readable(items: dict[str, _Item], key: str) -> _Item | None:
    """Return the item of an id, or the first of its fallbacks that is a page."""
    first = items.get(key)
    item, keys = first, set()
    while item and item.type not in _PAGES and key not in keys:
        keys.add(key)
        key = item.fallback
        item = items.get(key)
    return item if item and item.type in _PAGES else first


def _language(root: Any) -> str:
    return next(filter(None, (language_code(element.text or "") for element in _all(root, "language"))), "")


def _check_locks(archive: Archive, book: _Book, name: str) -> None:
    """Raise if chapters are encrypted; obfuscated fonts are ignored."""
    if _ENCRYPTION not in archive:
        return
    root = small_xml(archive.read(_ENCRYPTION, MAX_SMALL), _ENCRYPTION, name)
    chapters = {item.path for item in book.spine}
    for entry in _all(root, "EncryptedData"):
        methods = [method.get("Algorithm", "") for method in _all(entry, "EncryptionMethod")]
        paths = [_path(reference.get("URI", ""), "") for reference in _all(entry, "CipherReference")]
        if chapters.intersection(paths) and not all(method in _FONT_DISGUISES for method in methods):
            raise ChunkscopeError(
                f"“{name}” is locked by its seller (DRM), so its text cannot be read.",
                "Load a copy without a lock.",
            )
