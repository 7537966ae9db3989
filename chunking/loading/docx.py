"""Word documents (DOCX): opened by python-docx, read from its trees.

python-docx finds the parts and parses their XML; what a paragraph is follows here from styles (with what they inherit),
outline levels and numbering. It is given a file made anew of those parts of XML that have been checked: pictures,
macros, embedded objects and fonts are empty in it. No relationship that leads outside is ever followed.

=============== =======================================================================================================
in Word         here
=============== =======================================================================================================
outline level   heading, also from styles that are based on one; the style *Title* is of level 1
numbering       list item with the mark that Word shows, where its rules are plain (decimal, letters, Roman, bullets);
                the number of a heading likewise
table           one block, a row a line, cells by `` | ``, merged cells once, tables inside flattened; a table of one
                cell is a frame: its paragraphs are blocks
caption, quote  by style
code            by style, or where all is in a typewriter font that is not the document's own; lines that follow each
                other are one block
notes           ``[1]`` where they are referred to, and a footnote block after that paragraph
page break      a form feed: breaks that the author set, and sections that begin a page
headers, footers, text boxes, comments, hidden text: set aside
=============== =======================================================================================================

Tracked deletions are left out, insertions kept.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from chunking.document import Aside, Block, BlockKind, Style
from chunking.errors import ChunkscopeError
from chunking.loading.archive import Archive, check_office_xml, open_archive
from chunking.loading.parsed import LoadParameters, Parsed, Progress
from chunking.origin import Origin

MAX_XML = 96 * 1024 * 1024
"""Most bytes of XML that a document may have, unpacked."""

MAX_STYLES = 50
"""How many styles deep a style may be based on others; what is deeper is passed over."""

UNIT = "characters of the paragraph"

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

_VAL = _W + "val"
_P, _TBL, _TR, _TC, _R_RUN, _T = (_W + tag for tag in ("p", "tbl", "tr", "tc", "r", "t"))
_PPR, _RPR, _SECT, _BR, _TXBX = (_W + tag for tag in ("pPr", "rPr", "sectPr", "br", "txbxContent"))
_ALTERNATE, _MATH, _MATH_TEXT = _MC + "AlternateContent", _M + "oMath", _M + "t"
_NOTE_REFERENCES = {_W + "footnoteReference": "footnote", _W + "endnoteReference": "endnote"}
_GRAPHICS = frozenset(_W + tag for tag in ("drawing", "pict", "object"))
_WRAPPERS = frozenset(
    _W + tag
    for tag in (
        "hyperlink", "ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple", "customXml", "dir", "bdo", "ruby",
        "rubyBase",
    )
) | {_M + "oMathPara"}  # fmt: skip
"""What holds runs or paragraphs of the text; ``del``, ``moveFrom`` and whatever is not known are passed over."""

_PLAIN = {_W + "tab": "\t", _W + "ptab": "\t", _W + "cr": "\n", _W + "noBreakHyphen": "-"}

_HEADING = re.compile(r"heading ([1-9])")
_LIST_STYLE = re.compile(r"list (?:bullet|number|continue)(?: ([2-9]))?")
_CODE_STYLE = re.compile(
    r"(?:source |program )?code\b|.*\bpreformatted\b|macro text|verbatim|listing|.*\bcode(?: block)?"
)
_QUOTES = ("quote", "intense quote", "block quotation", "quotations", "block quote")
_MONOSPACED = re.compile(
    r"courier|consolas|menlo|monaco|lucida console|lucida sans typewriter|cascadia|inconsolata|\bmono|\w mono\b|fixed"
    r"|source code|fira code|andale|typewriter|letter gothic",
    re.IGNORECASE,
)
_CODE = re.compile(r"[a-z]{2,3}")
_TWIPS = 20.0
_LINE = 1.2
"""Height of a line that Word sets single-spaced, in sizes of its font; about."""

_AGAIN = "Open it in Word or LibreOffice, save it as .docx again, and load that."


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """The text, blocks and origin of a Word document.

    Args:
        data: the whole file.
        name: its name, for people.
        params: none of them applies.
        progress: told of elements of the body.

    Raises:
        ChunkscopeError: it is no Word document, damaged, protected, or made to do harm.
    """
    archive = open_archive(data, name)
    source = _Source.of(archive, name)
    walk = _Walk(source)
    walk.body(progress or (lambda done, total: None))
    walk.set_aside_the_rest()
    out = walk.out
    return Parsed(
        text="".join(out.text),
        blocks=tuple(out.blocks),
        notes=tuple(_notes(archive, source, walk.left_out)),
        origin=Origin(UNIT, tuple(out.parts), np.array(out.runs, dtype=np.int64).reshape(-1, 5)),
        aside=tuple(out.asides),
        language=source.language(),
    )


# The file and its parts


@dataclass(frozen=True, eq=False)
class _Source:
    """The parts of a document, as trees of lxml."""

    name: str
    main: Any
    package: Any

    @classmethod
    def of(cls, archive: Archive, name: str) -> _Source:
        checked = _checked(archive, name)
        try:
            package = _package_class().open(io.BytesIO(checked))
            main = package.main_document_part
            if main.element.tag == _W + "document" and main.element.find(_W + "body") is not None:
                return cls(name, main, package)
        except MemoryError:
            raise
        except Exception as error:  # what python-docx raises on broken files is of a dozen kinds
            raise _not_word(archive, name) from error
        raise _not_word(archive, name)

    @property
    def body(self) -> Any:
        return self.main.element.find(_W + "body")

    def tree(self, kind: str) -> Any | None:
        """The root of the part that the document calls its ``kind``; ``None`` where it has none."""
        for relation in self.main.rels.values():
            if not relation.is_external and str(relation.reltype).endswith("/" + kind):
                return self.root(relation.target_part)
        return None

    def part(self, relation_id: str) -> Any | None:
        """The part of a relationship; ``None`` where it is not there or leads outside."""
        relation = self.main.rels.get(relation_id)
        return None if relation is None or relation.is_external else relation.target_part

    def outside(self) -> int:
        """How many relationships lead outside, links in the text apart."""
        parts = {id(part): part for part in self.package.iter_parts()}
        return sum(
            relation.is_external and not str(relation.reltype).endswith("/hyperlink")
            for part in parts.values()
            for relation in part.rels.values()
        )

    def language(self) -> str:
        """ISO 639-1 code that the file names; empty where it names none."""
        try:
            stated = self.package.core_properties.language
        except Exception:  # a broken part that nothing else depends on
            stated = ""
        styles = self.tree("styles")
        if not stated and styles is not None:
            lang = styles.find(f"{_W}docDefaults/{_W}rPrDefault/{_W}rPr/{_W}lang")
            stated = lang.get(_VAL) if lang is not None else ""
        code = re.split("[-_]", (stated or "").lower())[0]
        return code if _CODE.fullmatch(code) else ""

    def root(self, part: Any) -> Any:
        """The root of a part's XML."""
        try:
            return part.element if hasattr(part, "element") else import_module("docx.oxml.parser").parse_xml(part.blob)
        except (SyntaxError, ValueError) as error:
            raise ChunkscopeError(f"“{self.name}” is damaged in its part “{part.partname}”.", _AGAIN) from error


def _checked(archive: Archive, name: str) -> bytes:
    """The archive with its checked XML alone; whatever else it holds is there by name and empty."""
    wanted = [entry for entry in archive.entries if _is_wanted(entry)]
    if sum(archive.entries[entry].file_size for entry in wanted) > MAX_XML:
        raise ChunkscopeError(
            f"“{name}” is too large to be read: it has more than {MAX_XML // 2**20} MiB of XML.", "Split it."
        )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as made:
        for entry in archive.entries:
            xml = b""
            if entry in wanted:
                xml = archive.read(entry, MAX_XML)
                check_office_xml(xml, entry, name)
            made.writestr(zipfile.ZipInfo(entry), xml)
    return out.getvalue()


def _is_wanted(entry: str) -> bool:
    return entry.endswith(".rels") or (entry.lower().endswith(".xml") and not entry.startswith("customXml/"))


@lru_cache(maxsize=1)
def _package_class() -> Any:
    """python-docx's package, with documents that hold macros and templates taken for documents, as they are."""
    kinds = import_module("docx.opc.constants").CONTENT_TYPE
    known = import_module("docx.opc.part").PartFactory.part_type_for
    package = import_module("docx.package").Package
    import_module("docx")  # tells the classes of the parts
    for kind in (
        "application/vnd.ms-word.document.macroEnabled.main+xml",
        "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    ):
        known[kind] = known[kinds.WML_DOCUMENT_MAIN]
    return package


def _not_word(archive: Archive, name: str) -> ChunkscopeError:
    relations = archive.read("_rels/.rels") if "_rels/.rels" in archive else b""
    if b"purl.oclc.org/ooxml" in relations:
        return ChunkscopeError(
            f"“{name}” is saved as “Strict Open XML”, which is not read.", "Save it as an ordinary .docx and load that."
        )
    return ChunkscopeError(f"“{name}” is not a Word document, or is damaged.", _AGAIN)


def _notes(archive: Archive, source: _Source, left_out: Counter[str]) -> Iterator[str]:
    outside = source.outside()
    if outside:
        yield f"It refers to {outside:,} outside file{'s' * (outside > 1)} (templates, pictures); none was opened."
    if any(entry.lower().endswith("vbaproject.bin") for entry in archive.entries):
        yield "It has macros; they were left out."
    embedded = sum("/embeddings/" in entry for entry in archive.entries)
    if embedded:
        yield f"{embedded:,} embedded object{'s were' if embedded > 1 else ' was'} left out."
    if archive.ignored:
        yield f"{archive.ignored:,} file{'s' * (archive.ignored > 1)} with paths that lead out of it left out."
    words = {
        "picture": ("picture was left out.", "pictures were left out."),
        "formula": ("formula is given as its characters in a row.", "formulas are given as their characters in a row."),
        "deletion": ("tracked deletion was left out.", "tracked deletions were left out."),
        "import": ("part of another file was left out.", "parts of other files were left out."),
    }
    for what, (one, several) in words.items():
        if left_out[what]:
            yield f"{left_out[what]:,} {several if left_out[what] > 1 else one}"


# Styles


class _Face(NamedTuple):
    """How characters are set: size in points, and whether in a typewriter font."""

    size: float
    bold: bool
    italic: bool
    mono: bool
    hidden: bool


_Look = dict[str, Any]
"""Properties of characters or paragraphs by name; those that are not said are not in it."""


def _on(element: Any) -> bool:
    return element.get(_VAL) not in ("0", "false", "off", "none")


def _number(value: str | None, default: float = 0.0) -> float:
    """A number of an attribute; the default where it is none, or out of all reason."""
    try:
        found = float(value or "")
    except ValueError:
        return default
    return found if abs(found) < 1e6 else default


_TOGGLES = {_W + "b": "bold", _W + "i": "italic", _W + "vanish": "hidden"}


def _run_look(properties: Any) -> _Look:
    """What an ``rPr`` says."""
    look: _Look = {}
    for child in properties:
        tag = child.tag
        if tag in _TOGGLES:
            look[_TOGGLES[tag]] = _on(child)
        elif tag == _W + "sz":
            look["size"] = _number(child.get(_VAL)) / 2
        elif tag == _W + "rFonts":
            font = child.get(_W + "ascii") or child.get(_W + "hAnsi")
            if font or child.get(_W + "asciiTheme"):
                look["font"] = font or ""
        elif tag == _W + "rStyle":
            look["style"] = child.get(_VAL) or ""
    return look


def _paragraph_look(properties: Any) -> _Look:
    """What a ``pPr`` says."""
    look: _Look = {}
    for child in properties:
        tag = child.tag[len(_W) :] if isinstance(child.tag, str) else ""
        if tag == "pStyle":
            look["style"] = child.get(_VAL) or ""
        elif tag == "numPr":
            for part in child:
                if part.tag == _W + "numId":
                    look["number"] = part.get(_VAL) or ""
                elif part.tag == _W + "ilvl":
                    look["depth"] = int(min(max(_number(part.get(_VAL)), 0), 8))
        elif tag == "outlineLvl":
            look["outline"] = int(_number(child.get(_VAL), 9))
        elif tag == "pageBreakBefore":
            look["breaks"] = _on(child)
        elif tag == "contextualSpacing":
            look["contextual"] = _on(child)
        elif tag == "spacing":
            look |= _lengths(child, {"before": "before", "after": "after"})
        elif tag == "ind":
            look |= _lengths(child, {"left": "left", "start": "left", "firstLine": "first"})
            hanging = _lengths(child, {"hanging": "first"})
            look |= {key: -value for key, value in hanging.items()}
        elif tag == "sectPr":
            look["section"] = child
    return look


def _lengths(element: Any, names: Mapping[str, str]) -> _Look:
    return {
        key: _number(element.get(_W + name)) / _TWIPS
        for name, key in names.items()
        if element.get(_W + name) is not None
    }


@dataclass(frozen=True, slots=True)
class _Style:
    """What a style itself says: its name in lower case, the id of what it is based on, its properties."""

    name: str
    based: str
    look: _Look
    run: _Look

    @classmethod
    def of(cls, element: Any) -> _Style:
        def value(tag: str) -> str:
            found = element.find(_W + tag)
            return (found.get(_VAL) or "") if found is not None else ""

        look, run = element.find(_PPR), element.find(_RPR)
        return cls(
            value("name").lower(),
            value("basedOn"),
            _paragraph_look(look) if look is not None else {},
            _run_look(run) if run is not None else {},
        )


@dataclass(frozen=True)
class _Resolved:
    """A style of paragraphs with all that it inherits.

    Attributes:
        names: of it and what it is based on, lower case, its own first.
        look: of its paragraphs.
        run: of its characters.
    """

    names: tuple[str, ...]
    look: _Look
    run: _Look

    def heading(self, own: _Look) -> int:
        """Level of a heading with this style and the paragraph's ``own`` properties; 0 where it is none."""
        outline = own.get("outline", self.look.get("outline"))
        if outline is not None:
            return outline + 1 if 0 <= outline <= 8 else 0
        for name in self.names:
            match = _HEADING.fullmatch(name)
            if match:
                return int(match[1])
        return int(self.names[:1] == ("title",))

    def kind(self) -> BlockKind:
        """Of a paragraph that is neither heading nor item of a list."""
        for name in self.names:
            if name == "caption":
                return "caption"
            if name in _QUOTES:
                return "quote"
            if _CODE_STYLE.fullmatch(name):
                return "code"
            if name in ("footnote text", "endnote text"):
                return "footnote"
        return "paragraph"


class _Styles:
    """The styles of a document."""

    def __init__(self, root: Any | None) -> None:
        self._elements: dict[str, Any] = {}
        self._styles: dict[str, _Style] = {}
        self._paragraphs: dict[str, _Resolved] = {}
        self._characters: dict[str, _Look] = {}
        self._run: _Look = {}
        self._look: _Look = {}
        self.default = ""
        if root is not None:
            self._read(root)
        self.typewriter = bool(_MONOSPACED.search(self.paragraph("").run.get("font", "")))

    def _read(self, root: Any) -> None:
        for path, read, look in (
            ("rPrDefault", _run_look, self._run),
            ("pPrDefault", _paragraph_look, self._look),
        ):
            inner = root.find(f"{_W}docDefaults/{_W}{path}/{_W}{path[:3]}")
            if inner is not None:
                look |= read(inner)
        for style in root.iterchildren(_W + "style"):
            key = style.get(_W + "styleId") or ""
            self._elements.setdefault(key, style)
            if style.get(_W + "type") == "paragraph" and style.get(_W + "default") in ("1", "true", "on"):
                self.default = key

    def paragraph(self, key: str) -> _Resolved:
        """The style of that id; the default one where it is not known."""
        if key not in self._paragraphs:
            chain = self._chain(key) or self._chain(self.default)
            look, run = dict(self._look), dict(self._run)
            for style in reversed(chain):
                look |= style.look
                run |= style.run
            self._paragraphs[key] = _Resolved(tuple(style.name for style in chain), look, run)
        return self._paragraphs[key]

    def character(self, key: str) -> _Look:
        """What a style of characters says, with what it inherits."""
        if key not in self._characters:
            look: _Look = {}
            for style in reversed(self._chain(key)):
                look |= style.run
            self._characters[key] = look
        return self._characters[key]

    def face(self, base: _Look, own: _Look) -> _Face:
        """How characters look, by their paragraph's style, their own style and their own properties."""
        style = self.character(own["style"]) if "style" in own else {}
        look = base | style
        for toggle in ("bold", "italic", "hidden"):
            # A toggle that both styles set is off again (ECMA-376, part 1, 17.7.3).
            look[toggle] = bool(base.get(toggle)) != bool(style.get(toggle))
        look |= own
        mono = not self.typewriter and bool(_MONOSPACED.search(look.get("font", "")))
        return _Face(look.get("size", 10.0), look["bold"], look["italic"], mono, look["hidden"])

    def _chain(self, key: str) -> list[_Style]:
        """A style and those that it is based on."""
        chain: list[_Style] = []
        seen = set()
        while key in self._elements and key not in seen and len(chain) < MAX_STYLES:
            seen.add(key)
            if key not in self._styles:
                self._styles[key] = _Style.of(self._elements[key])
            chain.append(self._styles[key])
            key = chain[-1].based
        return chain


# Numbering


_BULLETS = {"\uf0b7": "•", "\uf0a7": "▪", "\uf0a8": "◦", "\uf0d8": "➢", "\uf0fc": "✓", "\uf076": "❖", "o": "◦"}
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


def _roman(number: int) -> str:
    if not 0 < number < 4000:
        return str(number)
    text = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        text += letters * count
    return text


def _letters(number: int) -> str:
    """a … z, aa, bb, … as Word counts."""
    return chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 50) if number > 0 else str(number)


_FORMATS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": "{:02}".format,
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "none": lambda number: "",
}


@dataclass(frozen=True, slots=True)
class _Level:
    """How a level of a list is counted and shown."""

    start: int = 1
    format: str = "decimal"
    text: str = ""
    restarts: int = -1
    legal: bool = False
    look: _Look = field(default_factory=dict)

    @classmethod
    def of(cls, element: Any) -> _Level:
        values = {child.tag[len(_W) :]: child for child in element if isinstance(child.tag, str)}

        def value(name: str, default: str) -> str:
            return (values[name].get(_VAL) or "") if name in values else default

        return cls(
            int(_number(value("start", "1"))),
            value("numFmt", "decimal"),
            value("lvlText", "")[:100],
            int(_number(value("lvlRestart", "-1"), -1)),
            "isLgl" in values and _on(values["isLgl"]),
            _paragraph_look(values["pPr"]) if "pPr" in values else {},
        )


class _Numbering:
    """The lists of a document, and how far each is counted."""

    def __init__(self, root: Any | None) -> None:
        self._abstract: dict[str, Any] = {}
        self._of: dict[str, str] = {}
        self._nums: dict[str, Any] = {}
        self._by_style: dict[str, str] = {}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for child in root if root is not None else ():
            if child.tag == _W + "abstractNum":
                key = child.get(_W + "abstractNumId") or ""
                self._abstract[key] = child
                link = child.find(_W + "styleLink")
                if link is not None:
                    self._by_style[link.get(_VAL) or ""] = key
            elif child.tag == _W + "num":
                self._nums[child.get(_W + "numId") or ""] = child

    def level(self, number: str, depth: int) -> _Level | None:
        """How a level of the list ``number`` is set; ``None`` where there is no such list."""
        return self._resolve(number).get(depth)

    def mark(self, number: str, depth: int) -> str:
        """Count one item, and give the mark that Word shows; empty where it has none, or none that is plain."""
        levels = self._resolve(number)
        level = levels.get(depth)
        if level is None:
            return ""
        counts = self._counts.setdefault(self._of[number], {})
        if depth in self._restarts[number]:
            counts[depth] = self._restarts[number].pop(depth)
        else:
            counts[depth] = counts[depth] + 1 if depth in counts else level.start
        for deeper in [other for other in counts if other > depth]:
            restarts = levels[deeper].restarts if deeper in levels else -1
            if restarts != 0 and (restarts < 0 or depth < restarts):
                del counts[deeper]
        return self._shown(levels, level, counts)

    def _shown(self, levels: Mapping[int, _Level], level: _Level, counts: Mapping[int, int]) -> str:
        if level.format == "bullet":
            mark = _BULLETS.get(level.text, level.text)
            return "•" if mark and "\ue000" <= mark[0] <= "\uf8ff" else mark.strip()
        used = [int(digit) - 1 for digit in re.findall("%([1-9])", level.text)]
        if any(levels.get(place, _Level(format="")).format not in _FORMATS for place in used):
            return ""

        def count(match: re.Match[str]) -> str:
            other = levels[int(match[1]) - 1]
            format = "decimal" if level.legal else other.format
            return _FORMATS[format](counts.get(int(match[1]) - 1, other.start))

        return re.sub("%([1-9])", count, level.text).strip()

    def _resolve(self, number: str) -> dict[int, _Level]:
        if number not in self._levels:
            num = self._nums.get(number)
            named = num.find(_W + "abstractNumId") if num is not None else None
            key = (named.get(_VAL) or "") if named is not None else ""
            link = self._abstract[key].find(_W + "numStyleLink") if key in self._abstract else None
            if link is not None:
                key = self._by_style.get(link.get(_VAL) or "", key)
            self._of[number] = key
            self._levels[number], self._restarts[number] = self._read(num, self._abstract.get(key))
        return self._levels[number]

    def _read(self, num: Any | None, abstract: Any | None) -> tuple[dict[int, _Level], dict[int, int]]:
        levels: dict[int, _Level] = {}
        restarts: dict[int, int] = {}
        for element in abstract.iterchildren(_W + "lvl") if abstract is not None else ():
            levels[int(_number(element.get(_W + "ilvl")))] = _Level.of(element)
        for override in num.iterchildren(_W + "lvlOverride") if num is not None and levels else ():
            depth = int(_number(override.get(_W + "ilvl")))
            inner, start = override.find(_W + "lvl"), override.find(_W + "startOverride")
            if inner is not None:
                levels[depth] = _Level.of(inner)
            if start is not None:
                restarts[depth] = int(_number(start.get(_VAL), 1))
        return levels, restarts


# What is in a paragraph


class _Piece(NamedTuple):
    """Characters of a paragraph that look alike; ``source`` is where they stand in it, -1 of marks added here."""

    text: str
    face: _Face
    source: int


_Note = tuple[str, str, str]
"""A note that is referred to: ``"footnote"`` or ``"endnote"``, its id, its mark."""


@dataclass
class _Line:
    """What a paragraph holds, in pieces; a piece ``"\\f"`` is a page break."""

    pieces: list[_Piece] = field(default_factory=list)
    notes: list[_Note] = field(default_factory=list)
    length: int = 0

    def add(self, text: str, face: _Face) -> None:
        self.pieces.append(_Piece(text, face, self.length))
        self.length += len(text)

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def _flow(parent: Any) -> Iterator[Any]:
    """The paragraphs and tables below an element, in order, through whatever wraps them."""
    stack = [iter(parent)]
    while stack:
        for child in stack[-1]:
            tag = child.tag
            if tag in (_P, _TBL) or tag == _W + "altChunk":
                yield child
            elif tag in _WRAPPERS:
                stack.append(iter(child))
                break
            elif tag == _ALTERNATE:
                stack.append(iter(_chosen(child)))
                break
        else:
            stack.pop()


def _chosen(alternate: Any) -> Any:
    """The first of the alternatives that programs are offered."""
    first = next(alternate.iterchildren(_MC + "Choice"), None)
    return first if first is not None else next(alternate.iterchildren(_MC + "Fallback"), ())


class _Reader:
    """Reads what paragraphs hold.

    Attributes:
        asides: what it set aside, as kind and text.
        left_out: counts of what it left out.
    """

    def __init__(self, styles: _Styles) -> None:
        self._styles = styles
        self._marks: Counter[str] = Counter()
        self._fields: list[bool] = []
        self._faces: dict[tuple[Any, ...], _Face] = {}
        self.asides: list[tuple[str, str]] = []
        self.left_out: Counter[str] = Counter()

    def line(self, paragraph: Any, base: _Look) -> _Line:
        """The visible characters of a paragraph; ``base`` is how its style sets them."""
        line = _Line()
        plain = self._face(base, None)
        hidden: list[str] = []
        # A text box inside a field has fields of its own.
        outer, self._fields = self._fields, []
        stack = [iter(paragraph)]
        while stack:
            for child in stack[-1]:
                tag = child.tag
                if tag == _R_RUN:
                    self._run(child, base, plain, line, hidden)
                elif tag in _WRAPPERS:
                    stack.append(iter(child))
                    break
                elif tag == _ALTERNATE:
                    stack.append(iter(_chosen(child)))
                    break
                elif tag == _MATH:
                    self.left_out["formula"] += 1
                    line.add("".join(child.itertext(_MATH_TEXT)), plain)
                elif tag == _W + "del":
                    self.left_out["deletion"] += 1
            else:
                stack.pop()
        self._fields = outer
        if any(map(str.strip, hidden)):
            self.asides.append(("hidden text", "".join(hidden).strip()))
        return line

    def _face(self, base: _Look, properties: Any | None) -> _Face:
        own = _run_look(properties) if properties is not None else {}
        key = (id(base), *own.items())
        if key not in self._faces:
            self._faces[key] = self._styles.face(base, own)
        return self._faces[key]

    def _run(self, run: Any, base: _Look, face: _Face, line: _Line, hidden: list[str]) -> None:
        for child in _inner(run):
            tag = child.tag
            if tag == _T:
                text = child.text or ""
                if face.hidden:
                    hidden.append(text)
                elif text and not any(self._fields):
                    line.add(text, face)
            elif tag == _RPR:
                face = self._face(base, child)
            elif face.hidden:
                continue
            elif tag in _PLAIN:
                line.add(_PLAIN[tag], face)
            elif tag == _BR:
                line.add("\f" if child.get(_W + "type") == "page" else "\n", face)
            elif tag == _W + "fldChar":
                self._field(child.get(_W + "fldCharType"))
            elif tag in _NOTE_REFERENCES:
                self._note(child, face, line)
            elif tag == _W + "sym":
                line.add(_symbol(child.get(_W + "char") or ""), face)
            elif tag in _GRAPHICS:
                self._graphic(child)

    def _field(self, kind: str | None) -> None:
        """Fields are instructions, which are no text, and what came of them."""
        if kind == "begin":
            self._fields.append(True)
        elif self._fields and kind == "separate":
            self._fields[-1] = False
        elif self._fields and kind == "end":
            self._fields.pop()

    def _note(self, reference: Any, face: _Face, line: _Line) -> None:
        kind = _NOTE_REFERENCES[reference.tag]
        mark = ""
        if reference.get(_W + "customMarkFollows") not in ("1", "true", "on"):
            self._marks[kind] += 1
            mark = f"[{self._marks[kind] if kind == 'footnote' else _roman(self._marks[kind])}]"
            line.pieces.append(_Piece(mark, face, -1))
        line.notes.append((kind, reference.get(_W + "id") or "", mark))

    def _graphic(self, element: Any) -> None:
        boxes = list(element.iter(_TXBX))
        known = set(boxes)
        outermost = [box for box in boxes if known.isdisjoint(box.iterancestors(_TXBX))]
        texts = ["\n".join(self.words(box)) for box in outermost]
        self.asides.extend(("text box", text) for text in texts if text)
        self.left_out["picture"] += not boxes

    def words(self, parent: Any) -> list[str]:
        """The text of each paragraph below an element that has any, tables flattened, without notes."""
        base = self._styles.paragraph("").run
        found = []
        for paragraph in _paragraphs(parent):
            text = self.line(paragraph, base).text.replace("\f", "\n").strip()
            if text:
                found.append(text)
        return found


def _inner(run: Any) -> Iterator[Any]:
    """What a run holds."""
    for child in run:
        if child.tag == _ALTERNATE:
            yield from _chosen(child)
        else:
            yield child


def _paragraphs(parent: Any) -> Iterator[Any]:
    """All paragraphs below an element, those in tables too, but none of text boxes or of what was deleted."""
    stack = [_flow(parent)]
    while stack:
        for child in stack[-1]:
            if child.tag == _P:
                yield child
            elif child.tag == _TBL:
                stack.append(_flow_of_cells(child))
                break
        else:
            stack.pop()


def _flow_of_cells(table: Any) -> Iterator[Any]:
    for row in _rows(table):
        for cell in _cells(row):
            yield from _flow(cell)


def _children(parent: Any, wanted: str) -> Iterator[Any]:
    """Rows of a table, or cells of a row, through whatever wraps them."""
    stack = [iter(parent)]
    while stack:
        for child in stack[-1]:
            if child.tag == wanted:
                yield child
            elif child.tag in _WRAPPERS:
                stack.append(iter(child))
                break
        else:
            stack.pop()


def _rows(table: Any) -> Iterator[Any]:
    for row in _children(table, _TR):
        if row.find(f"{_W}trPr/{_W}del") is None:
            yield row


def _cells(row: Any) -> Iterator[Any]:
    return _children(row, _TC)


def _symbol(code: str) -> str:
    """The character of a ``sym``; those of symbol fonts are in a private area, and the commonest are known."""
    try:
        char = chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""
    return _BULLETS.get(char, char) if not "\ud800" <= char <= "\udfff" and char >= " " else ""


# Putting it together


@dataclass
class _Out:
    """The document as it grows."""

    text: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    runs: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    asides: list[Aside] = field(default_factory=list)

    def part(self, name: str) -> int:
        self.parts.append(name)
        return len(self.parts) - 1

    def add(self, text: str) -> None:
        self.text.append(text)
        self.length += len(text)

    def add_pieces(self, pieces: Iterable[_Piece], part: int) -> None:
        for piece in pieces:
            if piece.source >= 0 and piece.text:
                self._run(len(piece.text), part, piece.source)
            self.add(piece.text)

    def _run(self, length: int, part: int, source: int) -> None:
        if self.runs:
            start, before, of, origin, _ = self.runs[-1]
            if of == part and start + before == self.length and origin + before == source:
                self.runs[-1] = (start, before + length, of, origin, before + length)
                return
        self.runs.append((self.length, length, part, source, length))


class _Walk:
    """One pass over the body."""

    def __init__(self, source: _Source) -> None:
        self._source = source
        self._styles = _Styles(source.tree("styles"))
        self._numbering = _Numbering(source.tree("numbering"))
        self._reader = _Reader(self._styles)
        self._note_trees = {kind: _by_id(source.tree(kind + "s"), kind) for kind in ("footnote", "endnote")}
        self._sections = [
            section for section in source.body.iter(_SECT) if section.getparent().tag != _W + "sectPrChange"
        ]
        self._section = 0
        self._tables = self._paragraphs = 0
        self._breaks = False
        self._extra = 0.0
        self._after = 0.0
        self._last_style: str | None = None
        self._empty = 0
        self.out = _Out()

    @property
    def left_out(self) -> Counter[str]:
        return self._reader.left_out

    def body(self, progress: Progress) -> None:
        """All paragraphs and tables."""
        total = len(self._source.body)
        for place, element in enumerate(_flow(self._source.body)):
            self._element(element)
            if place % 200 == 0:
                progress(min(place, total), total)
        progress(total, total)

    def _element(self, element: Any) -> None:
        if element.tag == _P:
            self._paragraph(element)
        elif element.tag == _TBL:
            self._table(element)
        else:
            self._reader.left_out["import"] += 1

    def set_aside_the_rest(self) -> None:
        """Headers, footers and comments."""
        for kind, tag in (("running head", "headerReference"), ("running foot", "footerReference")):
            seen = set()
            for section in self._sections:
                for reference in section.iterchildren(_W + tag):
                    found = self._source.part(reference.get(_R + "id") or "")
                    if found is not None and found.partname not in seen:
                        seen.add(found.partname)
                        self._aside(kind, self._source.root(found))
        for comment in _by_id(self._source.tree("comments"), "comment").values():
            self._aside("comment", comment)

    def _aside(self, kind: str, root: Any) -> None:
        text = "\n".join(self._reader.words(root))
        if text:
            self.out.asides.append(Aside(kind, text, self.out.part(kind)))
        self._flush_asides(kind)

    def _flush_asides(self, name: str) -> None:
        """What the reader set aside while it read a paragraph or table."""
        if self._reader.asides:
            part = self.out.part(name)
            self.out.asides.extend(Aside(kind, text, part) for kind, text in self._reader.asides)
            self._reader.asides.clear()

    def _paragraph(self, element: Any) -> None:
        self._paragraphs += 1
        properties = element[0] if len(element) and element[0].tag == _PPR else None
        own = _paragraph_look(properties) if properties is not None else {}
        key = own.get("style", "")
        style = self._styles.paragraph(key)
        line = self._reader.line(element, style.run)
        both = style.look | own
        number, depth = str(both.get("number", "0")), int(both.get("depth", 0))
        level = self._numbering.level(number, depth)
        look = style.look | (level.look if level else {}) | own
        self._breaks |= bool(look.get("breaks"))
        self._set(line, style, own, look, (number, depth) if level else None)
        if "section" in own:
            self._end_section()

    def _set(self, line: _Line, style: _Resolved, own: _Look, look: _Look, number: tuple[str, int] | None) -> None:
        """The blocks of a paragraph: one, or more where page breaks are inside it."""
        name = f"paragraph {self._paragraphs:,}"
        mark = self._numbering.mark(*number) if number else ""
        indent = look.get("left", 0.0) + look.get("first", 0.0)
        part = -1
        for segment in _segments(line.pieces):
            if segment is None:
                self._breaks = True
                continue
            kind, level = self._kind(segment, style, own, number)
            pieces = _stripped(segment, code=kind == "code")
            if not pieces:
                continue
            part = self.out.part(name) if part < 0 else part
            self._block(kind, level, mark, pieces, part, self._space(look), indent)
            mark = ""
            self._after, self._last_style = look.get("after", 0.0), look.get("style", "")
        if part < 0:
            self._empty += 1
            self._extra += self._styles.face(style.run, {}).size * _LINE + look.get("after", 0.0)
        self._flush_asides(name)
        self._footnotes(line.notes)

    def _kind(
        self, pieces: list[_Piece], style: _Resolved, own: _Look, number: tuple[str, int] | None
    ) -> tuple[BlockKind, int]:
        heading = style.heading(own)
        if heading:
            return "heading", heading
        listed = next(filter(None, map(_LIST_STYLE.fullmatch, style.names)), None)
        if number or listed:
            # The styles for lists inside lists have numberings of their own, of one level each.
            return "list_item", max(number[1] + 1 if number else 1, int(listed[1] or 1) if listed else 1)
        kind = style.kind()
        if kind == "paragraph" and all(piece.face.mono for piece in pieces if piece.text.strip()):
            kind = "code"
        return kind, int(kind == "quote")

    def _space(self, look: _Look) -> float:
        """How far below the last block the next one stands; -1 where nothing stands above it on the page.

        Of the space after one paragraph and before the next the larger counts; empty paragraphs add their lines.
        """
        if not self.out.blocks or self._breaks:
            return -1.0
        if look.get("contextual") and look.get("style", "") == self._last_style:
            return self._extra
        before: float = look.get("before", 0.0)
        return max(self._after, before) + self._extra

    def _block(
        self, kind: BlockKind, level: int, mark: str, pieces: list[_Piece], part: int, space: float, indent: float
    ) -> None:
        out = self.out
        last = out.blocks[-1] if out.blocks and not self._breaks else None
        if kind == "code" and last and last.kind == "code" and self._empty < 3:
            out.add("\n" * (self._empty + 1))
            out.add_pieces(pieces, part)
            out.blocks[-1] = replace(last, end=out.length)
        else:
            self._separate("\n" if kind == "list_item" and last and last.kind == "list_item" else "\n\n")
            text = "".join(piece.text for piece in pieces)
            mark += " " * bool(mark)
            start = out.length + (0 if mark else len(text) - len(text.lstrip()))
            content = start + len(mark)
            out.add(mark)
            out.add_pieces(pieces, part)
            out.blocks.append(Block(kind, start, out.length, level, content, style=_style(pieces, space, indent)))
        self._extra, self._empty = 0.0, 0

    def _separate(self, separator: str) -> None:
        out = self.out
        if not out.blocks:
            self._breaks = False
            return
        if self._breaks:
            out.add("\n\n")
            out.blocks.append(Block("page_break", out.length, out.length + 1))
            out.add("\f")
            self._breaks = False
            separator = "\n\n"
        out.add(separator)

    def _end_section(self) -> None:
        self._section += 1
        following = self._sections[self._section] if self._section < len(self._sections) else None
        kind = following.find(_W + "type") if following is not None else None
        self._breaks |= kind is None or kind.get(_VAL) not in ("continuous", "nextColumn")

    def _footnotes(self, notes: list[_Note]) -> None:
        for kind, key, mark in notes:
            element = self._note_trees[kind].pop(key, None)
            if element is None:
                continue
            base = self._styles.paragraph("").run
            part = self.out.part(f"{kind} {mark.strip('[]') or key}")
            pieces: list[_Piece] = []
            length = 0
            for paragraph in _paragraphs(element):
                line = self._reader.line(paragraph, base)
                own = [piece._replace(source=piece.source + length) for piece in line.pieces if piece.source >= 0]
                found = _stripped([piece._replace(text=piece.text.replace("\f", "\n")) for piece in own])
                pieces = _joined(pieces, found, "\n")
                length += line.length
            if pieces:
                self._block("footnote", 0, mark, pieces, part, -1.0, 0.0)
            self._flush_asides(self.out.parts[part])

    def _table(self, table: Any) -> None:
        rows = [list(_cells(row)) for row in _rows(table)]
        if len(rows) == 1 and len(rows[0]) == 1:
            for child in _flow(rows[0][0]):
                if child.tag == _TBL:
                    self._grid([list(_cells(row)) for row in _rows(child)])
                else:
                    self._element(child)
        else:
            self._grid(rows)

    def _grid(self, rows: list[list[Any]]) -> None:
        self._tables += 1
        out = self.out
        notes: list[_Note] = []
        faces: list[_Piece] = []
        start, space = -1, -1.0
        for row_number, row in enumerate(rows, 1):
            cells = [self._cell(cell, notes) for cell in row]
            if not any(cells):
                continue
            if start < 0:
                space = self._space({})
                self._separate("\n\n")
                start = out.length
            else:
                out.add("\n")
            begun = False
            for cell_number, pieces in enumerate(cells, 1):
                if cell_number > 1:
                    out.add(" | " if begun else "| ")
                    begun = True
                if pieces:
                    name = f"table {self._tables:,}, row {row_number:,}, cell {cell_number:,}"
                    out.add_pieces(pieces, out.part(name))
                    begun = True
                    faces += pieces
        if start >= 0:
            self._trim(start)
            out.blocks.append(Block("table", start, out.length, style=_style(faces, space, 0.0)))
            self._extra, self._empty, self._after, self._last_style = 0.0, 0, 0.0, None
        self._flush_asides(f"table {self._tables:,}")
        self._footnotes(notes)

    def _trim(self, start: int) -> None:
        """No white space at a table's end: a last row whose last cells are empty ends in a separator."""
        last = self.out.text[-1]
        if last.endswith(" "):
            self.out.text[-1] = last.rstrip(" ")
            self.out.length -= len(last) - len(self.out.text[-1])

    def _cell(self, cell: Any, notes: list[_Note]) -> list[_Piece]:
        """The words of a cell in one line; none of one that continues a cell above."""
        merged = cell.find(f"{_W}tcPr/{_W}vMerge")
        if merged is not None and merged.get(_VAL) != "restart":
            return []
        pieces: list[_Piece] = []
        length = 0
        for paragraph in _paragraphs(cell):
            own = paragraph.find(f"{_PPR}/{_W}pStyle")
            style = self._styles.paragraph((own.get(_VAL) or "") if own is not None else "")
            line = self._reader.line(paragraph, style.run)
            notes += line.notes
            moved = [
                piece._replace(
                    text=re.sub(r"[\n\f\r\t]", " ", piece.text),
                    source=piece.source + length if piece.source >= 0 else -1,
                )
                for piece in line.pieces
            ]
            found = _stripped(moved)
            pieces = _joined(pieces, found, " ")
            length += line.length
        return pieces


def _by_id(root: Any | None, kind: str) -> dict[str, Any]:
    """The notes or comments of a part."""
    if root is None:
        return {}
    return {element.get(_W + "id") or "": element for element in root.iterchildren(_W + kind)}


def _segments(pieces: list[_Piece]) -> Iterator[list[_Piece] | None]:
    """The stretches of a paragraph between page breaks, with ``None`` for each break."""
    found: list[_Piece] = []
    for piece in pieces:
        if piece.text == "\f":
            yield found
            yield None
            found = []
        else:
            found.append(piece)
    yield found


def _stripped(pieces: list[_Piece], code: bool = False) -> list[_Piece]:
    """Without white space at the ends; code keeps what it begins with, but for empty lines."""
    first, last = 0, len(pieces)
    while last > first and not pieces[last - 1].text.strip():
        last -= 1
    if first == last:
        return []
    found = pieces[first:last]
    found[-1] = found[-1]._replace(text=found[-1].text.rstrip())
    while not found[0].text.strip() and (not code or "\n" in found[0].text):
        found.pop(0)
    lost = len(found[0].text) - len(found[0].text.lstrip("\r\n" if code else None))
    if lost:
        source = found[0].source + lost if found[0].source >= 0 else -1
        found[0] = _Piece(found[0].text[lost:], found[0].face, source)
    return found


def _joined(pieces: list[_Piece], more: list[_Piece], separator: str) -> list[_Piece]:
    """Both, with a separator between them where neither is empty."""
    if not pieces or not more:
        return pieces + more
    return [*pieces, _Piece(separator, more[0].face, -1), *more]


def _style(pieces: list[_Piece], space_before: float, indent: float) -> Style:
    """How most of the characters are set."""
    sizes: Counter[float] = Counter()
    total = bold = italic = 0
    for piece in pieces:
        count = len(piece.text)
        total += count
        sizes[piece.face.size] += count
        bold += count * piece.face.bold
        italic += count * piece.face.italic
    size = sizes.most_common(1)[0][0] if sizes else 0.0
    return Style(size, 2 * bold > total, 2 * italic > total, space_before, indent)
