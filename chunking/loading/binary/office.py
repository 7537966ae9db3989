"""Open XML packages (DOCX, PPTX, XLSX): their parts as checked XML, and the relationships between them.

Files that are saved as “Strict Open XML” differ in the namespaces alone: those are replaced by the usual ones, so that
a reader knows one set of names.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import unquote

from chunking.errors import ChunkscopeError
from chunking.loading.archive import SAVE_AGAIN, Archive, check_office_xml, damaged_error, is_inside
from chunking.runtime.patterns import compile_pattern

R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
ALTERNATE = MC + "AlternateContent"

MAX_XML = 96 * 1024 * 1024
"""Limit of the bytes of XML in a document, unpacked."""

_CONTENT_TYPES = "[Content_Types].xml"
_STRICT = compile_pattern(rb"http://purl\.oclc\.org/ooxml/([A-Za-z]{1,40})/")


def checked_xml(archive: Archive, part: str) -> bytes:
    """Return the XML of a part with the usual namespaces.

    Raises:
        ChunkscopeError: it is missing, too large, or not what an Office file may have.
    """
    data = archive.read(part, MAX_XML)
    check_office_xml(data, part, archive.name)
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data)


def repack(archive: Archive, change: Callable[[str, bytes], bytes]) -> bytes:
    """Return the archive with only its checked XML; all other files are empty.

    Args:
        archive: the archive.
        change: returns what stands for the XML of a part.

    Raises:
        ChunkscopeError: the XML is too large, or not what an Office file may have.
    """
    required = xml_parts(archive)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as checked:
        for part in archive.entries:
            data = change(part, checked_xml(archive, part)) if part in required else b""
            checked.writestr(zipfile.ZipInfo(part), data)
    return out.getvalue()


def replace_parts(archive: Archive, parts: Mapping[str, bytes]) -> bytes:
    """Return the archive with other contents of some parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as changed:
        for part in archive.entries:
            changed.writestr(zipfile.ZipInfo(part), parts[part] if part in parts else archive.read(part))
    return out.getvalue()


def xml_parts(archive: Archive) -> set[str]:
    """Return the parts that are XML, without those of other programs.

    Raises:
        ChunkscopeError: they are too large together.
    """
    parts = {
        part
        for part in archive.entries
        if part.endswith(".rels") or (part.lower().endswith(".xml") and not part.startswith("customXml/"))
    }
    if sum(archive.entries[part].file_size for part in parts) > MAX_XML:
        raise ChunkscopeError(
            f"“{archive.name}” is too large to be read: it has more than {MAX_XML // 2**20} MiB of XML.", "Split it."
        )
    return parts


def parse_xml(data: bytes, part: str, name: str) -> Any:
    """Return the lxml root of checked XML.

    Raises:
        ChunkscopeError: it is not well-formed.
    """
    etree = import_module("lxml.etree")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(data, parser)
    except (SyntaxError, ValueError) as error:
        raise damaged_error(name, part) from error


def chosen(alternate: Any) -> Any:
    """Return the first of the alternative contents."""
    first = next(alternate.iterchildren(MC + "Choice"), None)
    return first if first is not None else next(alternate.iterchildren(MC + "Fallback"), ())


def whole_number(element: Any | None, name: str, least: int, most: int) -> int:
    """Return a whole number in an attribute, within limits; the least if it is missing or invalid."""
    value = element.get(name, "") if element is not None else ""
    return min(max(int(value), least), most) if value.isascii() and value.isdecimal() and len(value) < 9 else least


class Relation(NamedTuple):
    """A relationship of a part: its id, the last word of its type, and the part that it leads to.

    The part is ``None`` for a relationship that leads out of the file.
    """

    id: str
    kind: str
    target: str | None


@dataclass(frozen=True, eq=False)
class Package:
    """The parts of a file by name, parsed when they are needed."""

    archive: Archive
    _relations: dict[str, tuple[Relation, ...]] = field(default_factory=dict)

    def root(self, part: str) -> Any:
        """Return the root of a part.

        Raises:
            ChunkscopeError: it is missing or damaged.
        """
        return parse_xml(checked_xml(self.archive, part), part, self.archive.name)

    def relations(self, part: str) -> tuple[Relation, ...]:
        """Return the relationships of a part; those to parts that are missing are ignored."""
        if part not in self._relations:
            self._relations[part] = tuple(self._read_relations(part))
        return self._relations[part]

    def _read_relations(self, part: str) -> Iterator[Relation]:
        folder, file = posixpath.split(part)
        entry = posixpath.join(folder, "_rels", f"{file}.rels")
        for element in self.root(entry) if entry in self.archive else ():
            id, kind = element.get("Id") or "", (element.get("Type") or "").rpartition("/")[2]
            if element.get("TargetMode") == "External":
                yield Relation(id, kind, None)
                continue
            target = unquote(element.get("Target") or "")
            path = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            if is_inside(path) and path in self.archive:
                yield Relation(id, kind, path)

    def related(self, part: str, kind: str) -> list[str]:
        """Return the parts to which a part has a relationship of a kind."""
        return [relation.target for relation in self.relations(part) if relation.target and relation.kind == kind]

    def by_id(self, part: str, id: str | None) -> str | None:
        """Return the part that an id of a relationship leads to; ``None`` if there is none."""
        return next((relation.target for relation in self.relations(part) if relation.id == id), None)

    def parts(self) -> list[str]:
        """Return the parts that relationships lead to from the file itself, each once."""
        parts = [""]
        for part in parts:
            parts += dict.fromkeys(target for _, _, target in self.relations(part) if target and target not in parts)
        return parts[1:]

    def content_type(self, part: str) -> str:
        """Return the type that the file states of a part, or of all with its ending; empty for none."""
        types = list(self.root(_CONTENT_TYPES)) if _CONTENT_TYPES in self.archive else []
        ending = part.rpartition(".")[2]
        for attribute, value in (("PartName", f"/{part}"), ("Extension", ending)):
            for type in types:
                if (type.get(attribute) or "").lower() == value.lower():
                    return type.get("ContentType") or ""
        return ""

    def main(self, tag: str) -> tuple[str, Any]:
        """Return name and root of the main part, which has a given root element.

        Raises:
            ChunkscopeError: there is none.
        """
        for part in self.related("", "officeDocument"):
            root = self.root(part)
            if root.tag == tag:
                return part, root
        raise ChunkscopeError(f"“{self.archive.name}” is not what its name says, or is damaged.", SAVE_AGAIN)
