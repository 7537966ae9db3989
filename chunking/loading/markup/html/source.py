"""The source of a page with marks that map its text back to it, limits of its cost, and its tree as tokens.

The parser has no positions. So each text gets a mark before parsing: two private-use characters that the file does not
contain, with the text's offset between them. A text begins after a ``>`` (of a tag, a comment, a declaration) or at the
start, and its mark precedes its first character that is not white space, so that the tree is the same as without marks.
A mark inside a script, a comment or an attribute is harmless.

Walking a tree in Python takes a call for each step. Its serialised form is available at once, and is regular: each
start tag has its end tag, each attribute its quotes, and only tags begin with ``<``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.entities import html5
from itertools import chain
from typing import NamedTuple

from chunking.errors import ChunkscopeError
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.surrogates import replace_surrogates

_CRLF = compile_pattern("\r\n")

MAX_DEPTH = 5_000
"""Limit of open elements: the parser searches all of them at each start tag."""

MAX_ATTRIBUTES = 2_000
"""Limit of an element's attributes: the parser compares each with all before it."""

WHITE = " \t\n\f\r"
"""White space of HTML."""

UNSEEN = WHITE + "\u00a0\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
"""Characters that alone show nothing."""

VOID = frozenset(
    (
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img", "input", "keygen",
        "link", "meta", "param", "source", "track", "wbr",
    )
)  # fmt: skip
"""Elements without content or end tag."""

CHANGED = compile_pattern("[\r\0\ud800-\udfff]")
"""Characters that are replaced for the parser."""

_NUMBER = compile_pattern(r"&#(?:[xX]0*([0-9a-fA-F]{1,6})|0*([0-9]{1,7}))")
_SPACE_REFERENCE = r"&(?:Tab;|NewLine;|#0*+(?:9|10|12|13|32)(?![0-9]);?|#[xX]0*+(?:9|[aAcCdD]|20)(?![0-9a-fA-F]);?)"
_BEGINNING = rf"[ \t\n\f\r]*+(?:{_SPACE_REFERENCE}[ \t\n\f\r]*+)*+(?=[^< \t\n\f\r]|<(?![a-zA-Z!?]|/.))"
_FIRST = compile_pattern(_BEGINNING, re.DOTALL)
_TEXT = compile_pattern(">" + _BEGINNING, re.DOTALL)
"""Ends at the start of a text: at a character that is neither white space nor a tag."""

_VERBATIM = compile_pattern(r"<(?:!\[CDATA\[|xmp\b[^>]{0,300}+>)(?=[^\]])", re.IGNORECASE)
"""Ends at the start of a text that may look like a tag."""

_XMP = compile_pattern("<(/?)(?:xmp|plaintext)(?![a-z])", re.IGNORECASE)
_PLAINTEXT = compile_pattern("<plaintext", re.IGNORECASE)
_FOREIGN = compile_pattern("<(?:svg|math)", re.IGNORECASE)
"""Obsolete elements whose text contains no tags. XML does not have them, in SVG and MathML they have no meaning, and
everything after ``plaintext``, which has no end, would be its text. In these cases they are read as ``pre``."""

_REFERENCE = compile_pattern(r"&(?:#[xX][0-9a-fA-F]+;?|#[0-9]+;?|[a-zA-Z][a-zA-Z0-9]*;?)")
_SPECIAL = compile_pattern("[&<]")

_XHTML = compile_pattern(r"\s{0,200}<\?xml\b|[^>]{0,500}//DTD XHTML|(?s:.{0,2000})<html[^>]{0,500}1999/xhtml")
_XML = compile_pattern(
    r"<!--.*?(?:-->|\Z)"
    r"|<!\[CDATA\[(?P<data>.*?)(?P<closed>\]\]>|\Z)"
    r"|(?P<subset><!DOCTYPE[^\[<>]*+\[[^\]]*+(?:\]\s*+>)?+)"
    r"|<(?P<empty>[A-Za-z_][^\s/>\"'=<]*+)(?:\s++[^\s/>\"'=<]++\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'))*+\s*+/>",
    re.DOTALL,
)


@dataclass(frozen=True)
class Marked:
    """A source that is ready to be parsed.

    Attributes:
        text: the source with marks.
        open, close: first and last character of a mark, with decimal digits between.
        flat: the source at the same length as the parser reads it: CR LF as a space and LF, CR as LF, NUL and
            lone surrogates as U+FFFD.
        pairs: offsets of CR LF in the source.
    """

    text: str
    open: str
    close: str
    flat: str
    pairs: frozenset[int]


class Atom(NamedTuple):
    """A part of a text: ``text`` results from ``[start, end)`` of the source; ``-1`` if that is unknown."""

    text: str
    start: int
    end: int


def is_xhtml(text: str, name: str) -> bool:
    """Return whether a file is XML, in which any element may be empty: by its name or its beginning."""
    return name.lower().endswith((".xhtml", ".xht")) or bool(_XHTML.match(text))


def mark(text: str, xml: bool) -> Marked:
    """Put a mark before each text of a source; in XML also close empty elements and open CDATA sections."""
    pairs = frozenset(pair.start() for pair in _CRLF.finditer(text))
    flat = text.replace("\r\n", " \n").replace("\r", "\n")
    flat = replace_surrogates(flat.replace("\0", "\ufffd"))
    open_, close = _unused_characters(flat)
    changes = [(offset, offset, f"{open_}{offset}{close}") for offset in _texts(flat)]
    if xml and not _XMP.search(flat):  # no empty elements are closed inside such text
        changes = _merge_changes(list(_xml_changes(flat, open_, close)), changes)
    elif _PLAINTEXT.search(flat) or (_XMP.search(flat) and _FOREIGN.search(flat)):
        changes = _merge_changes([(*match.span(), f"<{match[1]}pre") for match in _XMP.finditer(flat)], changes)
    parts: list[str] = []
    offset = 0
    for start, end, new in changes:
        parts += (flat[offset:start], new)
        offset = end
    parts.append(flat[offset:])
    return Marked("".join(parts), open_, close, flat, pairs)


def _texts(flat: str) -> list[int]:
    """Return the starts of texts, ascending."""
    starts = [match.end() for match in _TEXT.finditer(flat)]
    if first := _FIRST.match(flat):
        starts.insert(0, first.end())
    verbatim = [match.end() for match in _VERBATIM.finditer(flat)]
    return sorted({*starts, *verbatim}) if verbatim else starts


_Change = tuple[int, int, str]


def _unused_characters(text: str) -> tuple[str, str]:
    """Return two private-use characters that a text neither contains nor refers to."""
    used = set(map(ord, set(text)))
    used.update(int(number[1] or number[2], 16 if number[1] else 10) for number in _NUMBER.finditer(text))
    free = (code for code in chain(range(0xE000, 0xF900), range(0xF0000, 0x10FFFE)) if code not in used)
    first, second = next(free, 0), next(free, 0)
    if not second:
        raise ChunkscopeError("This file contains every private-use character.", "Check that it is a web page.")
    return chr(first), chr(second)


def _xml_changes(flat: str, open_: str, close: str) -> Iterator[_Change]:
    for match in _XML.finditer(flat):
        start, end = match.span()
        if match["empty"] and match["empty"].lower() not in VOID:
            yield end, end, f"</{match['empty']}>"
        elif match["closed"]:
            offset = match.start("data")
            yield start, end, f"{open_}{offset}{close}{html.escape(match['data'], quote=False)}"
        elif match["subset"] and match["subset"].endswith(">"):
            yield start, end, "<!DOCTYPE html>"


def _merge_changes(first: list[_Change], second: list[_Change]) -> list[_Change]:
    """Return changes in order, without those of the second list that lie within one of the first."""
    merged, index = [], 0
    for change in second:
        while index < len(first) and first[index][1] <= change[0]:
            merged.append(first[index])
            index += 1
        if index == len(first) or change[0] <= first[index][0]:
            merged.append(change)
    return merged + first[index:]


def atoms(words: str, flat: str, start: int) -> list[Atom]:
    """Return the source range of each part of a parsed text.

    Args:
        words: the parsed text from a mark to the next one or the end of its node.
        flat: see :class:`Marked`.
        start: offset of the mark.
    """
    if "&" not in words and flat.startswith(words, start):
        return [Atom(words, start, start + len(words))]
    match = _decode_words(words, flat, start)
    if match is None:
        # Not text with references, but a CDATA section or an element whose text has none; otherwise unknown.
        bare = words.rstrip(WHITE)
        plain = flat.startswith(bare, start)
        match = [Atom(bare, start, start + len(bare)), Atom(words[len(bare) :], -1, -1)] if plain else []
    return [atom for atom in match if atom.text] or [Atom(words, -1, -1)]


def _decode_words(words: str, flat: str, start: int) -> list[Atom] | None:
    match, position = [], 0
    while position < len(words):
        special = _SPECIAL.search(flat, start)
        size = min((special.start() if special else len(flat)) - start, len(words) - position)
        if size:
            if not words.startswith(flat[start : start + size], position):
                break
            match.append(Atom(words[position : position + size], start, start + size))
            start, position = start + size, position + size
            continue
        reference = _REFERENCE.match(flat, start)
        value, length = reference_value(reference.group()) if reference else ("", 0)
        if value and words.startswith(value, position):
            match.append(Atom(value, start, start + length))
        elif words[position] in "&<" and flat.startswith(words[position], start):
            value, length = words[position], 1
            match.append(Atom(value, start, start + 1))
        else:
            break
        start, position = start + length, position + len(value)
    rest = words[position:]
    if rest.strip(WHITE):
        return None
    # White space after a tag, which the parser omitted.
    return [*match, Atom(rest, -1, -1)] if rest else match


def reference_value(reference: str) -> tuple[str, int]:
    """Return the value of a character reference in a text, and how many of its characters belong to it.

    The result is empty and 0 if it is not a reference (``&nosuch;``).
    """
    if reference.startswith("&#"):
        digits = reference[2:].rstrip(";").lstrip("xX").lstrip("0") or "0"
        value = html.unescape(reference)
        if not value and len(digits) < 8:  # a control character, which Python omits
            value = chr(int(digits, 16 if reference[2] in "xX" else 10))
        return value or "\ufffd", len(reference)
    name = reference[1:]
    if name in html5:
        return html5[name], len(reference)
    for size in range(min(len(name), 32), 1, -1):
        if name[:size] in html5:
            return html5[name[:size]], size + 1
    return "", 0


_ATTRIBUTE = r"[\s/]*+(?:=?[^\s/>=]++|=)(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>\"'][^\s>]*+)?+)?+"
_A_TAG = compile_pattern(rf"<(/?)([a-zA-Z][^\s/>]*+)((?:{_ATTRIBUTE})*+)\s*+(/?)")
_RAW = compile_pattern(r"<(script|style)\b.*?(?:</\1|\Z)", re.IGNORECASE | re.DOTALL)
_ONE_ATTRIBUTE = compile_pattern(rf"{_ATTRIBUTE}|[\s/]++")

_NEVER_DEEP = VOID | frozenset(
    "p li dt dd option optgroup tr td th tbody thead tfoot body html head".split()  # noqa: SIM905 - short
)
"""Start tags that close an open element of the same kind, or have no effect inside one."""

_POINTS = frozenset(["foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"])
"""Elements of SVG and MathML that contain HTML."""


def check_cost(text: str) -> None:
    """Refuse pages for which the parser would take quadratic time.

    Raises:
        ChunkscopeError: more than :data:`MAX_DEPTH` elements are open at once (without self-closing ones),
            or one has more than :data:`MAX_ATTRIBUTES` attributes.
    """
    if text.count("<") <= MAX_DEPTH and len(text) < 2 * MAX_ATTRIBUTES:
        return
    depth: dict[str, int] = {}
    total = foreign = points = offset = 0
    while match := _A_TAG.search(text, offset):
        closing, name, attributes, empty = match.groups()
        name = name.lower()
        offset = match.end()
        if len(attributes) > 2 * MAX_ATTRIBUTES and len(_ONE_ATTRIBUTE.findall(attributes)) > MAX_ATTRIBUTES:
            raise ChunkscopeError(
                f"An element of this page has more than {MAX_ATTRIBUTES:,} attributes.", "Check that it is a web page."
            )
        if name in _NEVER_DEEP:
            continue
        if name in ("script", "style") and not closing and not foreign:
            raw = _RAW.match(text, match.start())
            offset = raw.end() if raw else match.start() + 1
            continue
        if empty and not closing and foreign and not points:
            continue
        step = -1 if closing else 1
        now = depth.get(name, 0)
        if now + step < 0:
            continue
        depth[name] = now + step
        total += step
        foreign += step if name in ("svg", "math") else 0
        points += step if name in _POINTS else 0
        if total > MAX_DEPTH:
            raise ChunkscopeError(
                f"Elements of this page are nested more than {MAX_DEPTH:,} deep.", "Check that it is a web page."
            )


# Tokens -------------------------------------------------------------------------------------------------------------

_PLAIN_ATTRIBUTES = r"(?: =?[^ \t\n\f\r=/>]*+=\"[^\"]*+\")*+"
ATTRIBUTES = f"({_PLAIN_ATTRIBUTES})"
"""The attributes of a serialised tag."""

_SKIPPED = r"(?:script|style|noscript|iframe|noembed|noframes)"

TOKEN = compile_pattern(
    # A serialised page has every end; if one were missing, the search for it would be repeated from the next start.
    rf"<!--.*?(?:-->|\Z)|<(?P<skipped>{_SKIPPED})(?=[ >]).*?(?:</(?P=skipped)>|\Z)"
    rf"|</([^>]*+)>?+"
    rf"|<(xmp)(?=[ >]){ATTRIBUTES}>(.*?)(?:</xmp>|\Z)"
    rf"|<([a-zA-Z][^ \t\n\f\r/>]*+){ATTRIBUTES}>?+"
    r"|([^<]+|<)",
    re.DOTALL,
)
"""Groups by ``lastindex``: 2 name of an end tag; 3 to 5 name, attributes and text of an element whose text has no
references; 6 and 7 name and attributes of a start tag; 8 text. 1 or none: not displayed."""

_TABLE_PART = compile_pattern(
    rf"<!--.*?(?:-->|\Z)|<(?P<skipped>{_SKIPPED}){_PLAIN_ATTRIBUTES}>.*?(?:</(?P=skipped)>|\Z)"
    r"|<(/?)(?:(table)|(tr)|(td|th)|(h[1-6]|pre)|(p|div|ul|ol|dl|blockquote|section|article|form))"
    rf"(?=[ >]){_PLAIN_ATTRIBUTES}"
    # The value of an attribute may look like a tag.
    rf"|<[a-zA-Z][^ \t\n\f\r/>]*+{_PLAIN_ATTRIBUTES}",
    re.DOTALL,
)


def layout_tables(page: str) -> frozenset[int]:
    """Return the starts of tables in a serialised page that arrange blocks instead of data.

    They contain a heading or ``pre``, blocks in at most one column, or other tables, unless these are in a few cells of
    a table with header cells.
    """
    match: list[int] = []
    open_: list[_Table] = []
    for part in _TABLE_PART.finditer(page) if "<table" in page else ():
        closing, table, row, cell, heavy, block = part.groups()[1:]
        if table and not closing:
            if open_:
                open_[-1].inner += 1
            open_.append(_Table(part.start()))
        elif open_ and table:
            last = open_.pop()
            if last.heavy or (last.blocks and last.widest <= 1) or (last.inner and not last.has_data()):
                match.append(last.start)
        elif open_ and not closing:
            open_[-1].add(bool(row), cell or "", bool(heavy), bool(block))
    return frozenset(match)


@dataclass
class _Table:
    start: int
    heavy: bool = False
    blocks: bool = False
    cells: int = 0
    widest: int = 0
    rows: int = 0
    headers: int = 0
    inner: int = 0

    def has_data(self) -> bool:
        """Return whether it has header cells, and fewer tables in its cells than rows."""
        return self.headers > 1 and self.inner < self.rows

    def add(self, row: bool, cell: str, heavy: bool, block: bool) -> None:
        """Record a start tag inside."""
        self.rows += row
        self.headers += cell == "th"
        self.cells = 0 if row else self.cells + bool(cell)
        self.widest = max(self.widest, self.cells)
        self.heavy |= heavy
        self.blocks |= block


def serialised(text: str) -> str:
    """Return the parsed page of a source, serialised as HTML."""
    from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

    # Scripting is on, so that fallbacks for it are raw text; events are off, since they only copy options.
    root = LexborHTMLParser(text, options=int(LexborDocumentOptions.WO_EVENTS), scripting=True).root
    return (root.html or "") if root is not None else ""
