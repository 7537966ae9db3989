"""Reading of ZIP containers (Office files, EPUB) that may be malicious.

Everything possible is checked before unpacking, and again during it; nothing is written to disk, and an archive inside
the archive is never opened.

XML of a container must keep to its specification: Office files have no document type (ECMA-376, part 2, annex B), so
:func:`check_office_xml` refuses any before lxml reads it; the small files of an EPUB may have one, so :func:`small_xml`
reads them with defusedxml, which stops at the first declared entity. Both are required: neither lxml's
``resolve_entities=False`` nor its limits keep entities out of attributes, and defusedxml builds no lxml trees.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html.entities import html5
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.runtime.patterns import compile_pattern

MAX_ENTRIES = 10_000
"""Limit of the files in an archive."""

MAX_TOTAL = 200 * 1024 * 1024
"""Limit of the bytes of all files of an archive, uncompressed."""

MAX_ENTRY = 64 * 1024 * 1024
"""Limit of the bytes of one file that is read, uncompressed."""

MAX_RATIO = 200
"""Limit of the ratio of uncompressed to compressed size."""

RATIO_FROM = 16 * 1024 * 1024
"""Uncompressed bytes from which :data:`MAX_RATIO` applies."""

_ENTRY = b"PK\x01\x02"
_LOCAL = struct.Struct("<4s22xHH")
_ENCRYPTED = 0x1 | 0x40 | 0x2000
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NO_ZIP = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DRIVE = compile_pattern(r"[A-Za-z]:")
_HIDDEN = compile_pattern(r"(?:\A|/)(?:\.(?!/)|__MACOSX(?:/|\Z))")
_CONTROL = compile_pattern(r"[\x00-\x1f\x7f]")
_XML_ENCODING = compile_pattern(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']{0,40})["']""")
_PLAIN_ENCODINGS = (b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252")

SAVE_AGAIN = "Open it in the program that made it, save it again, and load that."
WORKBOOKS = ("Workbook", "WORKBOOK", "Book", "BOOK")
"""Names of the stream of a workbook of Excel before 2007."""

_OLD_FORMATS = (
    ("WordDocument", "in the format of Word before 2007 (.doc)", "Save it as .docx and load that."),
    ("PowerPoint Document", "in the format of PowerPoint before 2007 (.ppt)", "Save it as .pptx and load that."),
    ("__substg1.0_", "a message of Outlook (.msg)", "Save it as .eml or HTML and load that."),
    *((name, "in the format of Excel before 2007 (.xls)", "Save it as .xlsx and load that.") for name in WORKBOOKS),
)
"""Names of streams in compound files, what such a file is, and what to do."""

_HARM = "It may be malicious: get it again from a source that you trust, or load its text."


@dataclass(frozen=True, eq=False)
class Archive:
    """An archive whose directory has been checked.

    Attributes:
        name: name of the archive, for messages.
        entries: its files by name, without folders and names that lead out of the archive.
        ignored: number of names that lead out of it.
    """

    name: str
    entries: dict[str, zipfile.ZipInfo]
    ignored: int
    _zip: zipfile.ZipFile

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def documents(self) -> list[str]:
        """Return the names of the files in it, in order, without hidden ones.

        Raises:
            ChunkscopeError: there is none, or the archive is itself a document, of a kind that is not supported.
        """
        if any(name == "[Content_Types].xml" or name.endswith(".iwa") for name in self.entries):
            raise ChunkscopeError(
                f"“{self.name}” is an Office or iWork document of a kind that is not supported.",
                "Export it as PDF or Word (DOCX) and load that.",
            )
        names = sorted(name for name in self.entries if not _HIDDEN.search(name))
        if not names:
            raise ChunkscopeError(f"“{self.name}” is an archive without files.", "Choose one that contains documents.")
        return names

    def read(self, name: str, limit: int = MAX_ENTRY) -> bytes:
        """Return a file of the archive, uncompressed.

        Raises:
            ChunkscopeError: it is missing, larger than ``limit`` bytes, or damaged.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise ChunkscopeError(f"“{self.name}” lacks its part “{name:.100}”.", SAVE_AGAIN)
        if entry.file_size > limit:
            raise _too_large(self.name, f"its part “{name:.100}” has more than {limit // 2**20} MiB, uncompressed")
        try:
            with self._zip.open(entry) as stream:
                data = stream.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError) as error:
            raise damaged_error(self.name, name) from error
        if len(data) != entry.file_size:
            raise damaged_error(self.name, name)
        return data


def open_archive(data: bytes, name: str) -> Archive:
    """Check an archive's directory, and open it.

    Args:
        data: the whole file.
        name: its name, for messages.

    Raises:
        ChunkscopeError: it is not a ZIP archive, damaged, protected by a password, too large when uncompressed, or its
            directory is inconsistent.
    """
    if data.startswith(OLE):
        raise _old_office(data, name)
    # Each entry becomes an object; the number that the archive states may be wrong.
    if data.count(_ENTRY) > MAX_ENTRIES:
        raise _too_large(name, f"it has more than {MAX_ENTRIES:,} files")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _NO_ZIP as error:
        raise ChunkscopeError(f"“{name}” is damaged: it is not a complete ZIP archive.", SAVE_AGAIN) from error
    infos = archive.infolist()
    _check_sizes(infos, name)
    _check_places(infos, data, archive.start_dir, name)
    files = [entry for entry in infos if not entry.is_dir()]
    safe = [entry for entry in files if is_inside(entry.orig_filename) and is_inside(entry.filename)]
    entries = {entry.filename: entry for entry in safe}
    if len(entries) < len(safe):
        raise ChunkscopeError(f"“{name}” has two files of the same name, which is ambiguous.", SAVE_AGAIN)
    return Archive(name, entries, len(files) - len(safe), archive)


def names_in(data: bytes) -> frozenset[str]:
    """Return the names in an archive's directory; none if there are too many or it is damaged."""
    if data.count(_ENTRY) > MAX_ENTRIES:
        return frozenset()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return frozenset(archive.namelist())
    except _NO_ZIP:
        return frozenset()


def is_inside(path: str) -> bool:
    """Return whether a path is inside the archive: relative, no ``..``, drives, backslashes or control characters."""
    if not path or path.startswith("/") or "\\" in path or _DRIVE.match(path) or _CONTROL.search(path):
        return False
    return ".." not in PurePosixPath(path).parts


def check_office_xml(data: bytes, part: str, name: str) -> None:
    """Check that XML of an Office file has no document type or entity and no unusual encoding.

    Args:
        data: the XML.
        part: name of the part, for messages.
        name: name of the file, for messages.

    Raises:
        ChunkscopeError: it has.
    """
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
    if wide:
        text = data.decode("utf-16-be" if data[:2] in (b"\xfe\xff", b"\0<") else "utf-16-le", "replace")
        data = text.lstrip("\ufeff").encode("utf-8", "replace")
    stated = _XML_ENCODING.match(data.removeprefix(b"\xef\xbb\xbf"))
    odd = b"\0" in data[:64] or (stated and not wide and stated[1].lower() not in _PLAIN_ENCODINGS)
    if odd or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ChunkscopeError(
            f"“{name}” declares a document type or encoding that Office files cannot have, in its part “{part:.100}”.",
            _HARM,
        )


def small_xml(data: bytes, part: str, name: str) -> Any:
    """Return the root element (of :mod:`xml.etree`) of a small XML file; entities and external references are refused.

    Raises:
        ChunkscopeError: it declares entities, or is not well-formed.
    """
    try:
        return _parse(data, {})
    except _Harmful as error:
        raise ChunkscopeError(f"“{name}” declares entities in its part “{part:.100}”.", _HARM) from error
    except _NOT_WELL_FORMED as error:
        raise damaged_error(name, part) from error


_DECLARATION = compile_pattern(r"\A\s{0,200}<\?xml\b[^>]{0,500}\?>")


def xml_root(text: str, name: str) -> Any:
    """Return the root element (of :mod:`xml.etree`) of an XML file.

    Its document type may declare entities that are a few characters (``nbsp``) or files that are never read (pictures);
    all others are refused. Those of HTML are known, since document types outside the file declare them.

    Args:
        text: the whole file, decoded: the parser knows few encodings, and what a file states may be wrong.
        name: its name, for messages.

    Raises:
        ChunkscopeError: it declares other entities, or is not well-formed.
    """
    entities = {entity.rstrip(";"): char for entity, char in html5.items()}
    try:
        return _parse(_DECLARATION.sub("", text, count=1).encode(), entities, _check_entity)
    except _Harmful as error:
        raise ChunkscopeError(f"“{name}” declares entities, which could expand without end.", _HARM) from error
    except _NOT_WELL_FORMED as error:
        raise ChunkscopeError(f"“{name}” is not well-formed XML: {error}.", "Mend it, or load it as text.") from error


class _Harmful(Exception):
    """XML that declares entities."""


_NOT_WELL_FORMED = (SyntaxError, ValueError, LookupError)
_MAX_ENTITY = 100


class _Entities(dict[str, str]):
    """The characters of entities by name; an unknown one stays as it is in the file."""

    def __missing__(self, name: str) -> str:
        return f"&{name};"


def _check_entity(name: str, parameter: bool, value: str | None, *source: str | None) -> None:
    """Refuse a declared entity that could expand: ``source`` is its base, system and public name, and notation."""
    if not source[-1] and (parameter or value is None or len(value) > _MAX_ENTITY or "&" in value):
        raise _Harmful


def _parse(data: bytes, entities: Mapping[str, str], check: Callable[..., None] | None = None) -> Any:
    library = import_module("defusedxml.ElementTree")
    defused: Any = import_module("defusedxml.common")
    parser = library.DefusedXMLParser(forbid_dtd=False, forbid_entities=True, forbid_external=True)
    parser.entity = _Entities(entities)
    if check:
        parser.parser.EntityDeclHandler = check
        parser.parser.UnparsedEntityDeclHandler = None
    try:
        parser.feed(data)
        return parser.close()
    except defused.DefusedXmlException as error:
        raise _Harmful from error


def _check_sizes(infos: list[zipfile.ZipInfo], name: str) -> None:
    if len(infos) > MAX_ENTRIES:
        raise _too_large(name, f"it has more than {MAX_ENTRIES:,} files")
    if any(entry.flag_bits & _ENCRYPTED for entry in infos):
        raise protected_error(name)
    if any(entry.compress_type not in _METHODS for entry in infos):
        raise ChunkscopeError(f"“{name}” uses a compression method that its format does not allow.", SAVE_AGAIN)
    if sum(entry.file_size for entry in infos) > MAX_TOTAL:
        raise _too_large(name, f"it has more than {MAX_TOTAL // 2**20} MiB, uncompressed")
    for entry in infos:
        if entry.file_size > max(RATIO_FROM, MAX_RATIO * entry.compress_size):
            raise _too_large(name, f"one of its parts is more than {MAX_RATIO} times larger uncompressed")


def _check_places(infos: list[zipfile.ZipInfo], data: bytes, directory: int, name: str) -> None:
    """Check that files do not overlap, as in bombs that use the same compressed data many times."""
    last = 0
    for entry in sorted(infos, key=lambda entry: entry.header_offset):
        offset = entry.header_offset
        head = data[offset : offset + _LOCAL.size] if offset >= last else b""
        if len(head) < _LOCAL.size or not head.startswith(b"PK\x03\x04"):
            raise ChunkscopeError(f"“{name}” is damaged: the positions of its files are inconsistent.", _HARM)
        _, name_length, extra_length = _LOCAL.unpack(head)
        last = offset + _LOCAL.size + name_length + extra_length + entry.compress_size
    if last > directory:
        raise ChunkscopeError(f"“{name}” is damaged: the positions of its files are inconsistent.", _HARM)


def is_protected(data: bytes) -> bool:
    """Return whether a compound file (OLE) is an Office file that is encrypted."""
    return "EncryptedPackage".encode("utf-16-le") in data


def _old_office(data: bytes, name: str) -> ChunkscopeError:
    if is_protected(data):
        return protected_error(name)
    for stream, kind, remedy in _OLD_FORMATS:
        if stream.encode("utf-16-le") in data:
            return ChunkscopeError(f"“{name}” is {kind}, which is not supported.", remedy)
    return ChunkscopeError(f"“{name}” is in the format of Word before 2007 (.doc).", "Save it as .docx and load that.")


def protected_error(name: str) -> ChunkscopeError:
    """Return the error for a file that needs a password."""
    return ChunkscopeError(f"“{name}” is protected by a password.", "Save it without one and load that.")


def damaged_error(name: str, part: str) -> ChunkscopeError:
    """Return the error for a part that cannot be read."""
    return ChunkscopeError(f"“{name}” is damaged in its part “{part:.100}”.", SAVE_AGAIN)


def _too_large(name: str, why: str) -> ChunkscopeError:
    return ChunkscopeError(
        f"“{name}” is too large to be read: {why}.", "Save it without images or embedded files, or split it."
    )
