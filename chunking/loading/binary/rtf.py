r"""Rich Text Format (RTF), as Word, WordPad and TextEdit write it.

The file is a sequence of control words, groups and text. Paragraphs end at ``\par``; their kind follows from the
outline level or the name of their style; the text of a bullet is that which the file has for programs without lists
(``\listtext``). Rows of tables end at ``\row``. Notes follow the paragraph that refers to them; headers, footers,
comments and hidden text are excluded, pictures are left out.
"""

from __future__ import annotations

import codecs
from collections import Counter
from dataclasses import dataclass, field, replace

from chunking.document import BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading.markup.layout import Item, LayoutWriter
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.superscripts import Script, join_scripts
from chunking.loading.writer import table_text
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.runtime.surrogates import replace_surrogates
from chunking.runtime.wording import plurals, word_set

MAX_DEPTH = 1_000
"""Limit of open groups."""

_TOKEN = compile_pattern(
    rb"\\([A-Za-z]{1,32})(-?[0-9]{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z])|([{}])|[\r\n]|([^\\{}\r\n]+)"
)
_STYLE_NAME = compile_pattern(r"heading ([1-9])")
_CHARSETS = {0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "cp936", 136: "cp950",
             161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
             222: "cp874", 238: "cp1250", 255: "cp437"}  # fmt: skip
_CHARACTERS = {
    "tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "emspace": "\u2003", "enspace": "\u2002",
    "qmspace": "\u2005", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "ltrmark": "\u200e", "rtlmark": "\u200f", "zwj": "\u200d", "zwnj": "\u200c",
}  # fmt: skip
_SYMBOLS = {"~": "\xa0", "_": "-", "-": "", "\\": "\\", "{": "{", "}": "}", "\n": "\n", "\r": "\n"}
_SKIPPED = word_set(
    "fonttbl colortbl info pict object objdata themedata colorschememapping datastore listtable listoverridetable "
    "rsidtbl generator xmlnstbl latentstyles fldinst bkmkstart bkmkend revtbl filetbl mmathPr pgptbl falt panose "
    "nonshppict template docvar userprops protusertbl factoidname passwordhash listpicture atrfstart atrfend atnref "
    "atnid atnauthor atndate atntime pntxta pntxtb xe tc fontemb fontfile themefontlist wgrffmtfilter ftnsep "
    "ftnsepc ftncn aftnsep aftnsepc aftncn sp blipuid ud nonesttables"
)
"""Destinations whose text is not shown."""

_READ = word_set(
    "shptxt shpinst shppict fldrslt pntext listtext footnote annotation upr stylesheet header headerl headerr "
    "headerf footer footerl footerr footerf"
)
"""Destinations that are read, though programs may ignore them, or that have text of their own."""

_ASIDE = {"annotation": "comment"} | {
    f"{name}{side}": f"running {word}"
    for name, word in (("header", "head"), ("footer", "foot"))
    for side in ("", *"lrf")
}

_NOTES = {"picture": ("picture was left out.", "pictures were left out."),
          "object": ("embedded object was left out.", "embedded objects were left out.")}  # fmt: skip


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """Return the text, blocks and origin of an RTF file.

    Raises:
        ChunkscopeError: the file is not RTF, or its groups are nested too deeply.
    """
    start = data.find(b"{\\rtf", 0, 1_000)
    if start < 0:
        raise ChunkscopeError(f"“{name}” is not an RTF file.", "Open it in a word processor, save it as .docx.")
    reader = _RtfReader(name)
    reader.read(data, start)
    return reader.writer.finish(plurals(reader.counts, _NOTES))


@dataclass(frozen=True, slots=True)
class _State:
    """What a group may change, and its end restores.

    Attributes:
        destination: where text goes; empty for the body.
        encoding: of the bytes of the current font.
        fallback: number of characters after ``\\u`` that stand for it in programs without Unicode.
        hidden: whether text is hidden or deleted.
        script: whether it is above or below the line.
    """

    destination: str = ""
    encoding: str = "cp1252"
    fallback: int = 1
    hidden: bool = False
    script: Script = ""


@dataclass
class _Paragraph:
    """The paragraph under construction.

    Attributes:
        pieces: its text.
        mark: its bullet or number.
        outline: its heading level; 0 if it has none.
        style: number of its style.
        level: depth of its list.
        listed: whether it is an item of a list.
        in_table: whether it is in a table.
    """

    pieces: list[tuple[str, Script]] = field(default_factory=list)
    mark: list[str] = field(default_factory=list)
    outline: int = 0
    style: int = 0
    level: int = 0
    listed: bool = False
    in_table: bool = False


class _RtfReader:
    """One pass over the tokens of a file.

    Attributes:
        writer: the document under construction.
        counts: numbers of items that were left out.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._state = _State()
        self._stack: list[_State] = []
        self._default = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._headings: dict[int, int] = {}
        self._paragraph = _Paragraph()
        self._other: list[tuple[str, Script]] = []  # the text of a destination
        self._boxes: list[tuple[int, _Paragraph]] = []  # open text boxes: their group, and the paragraph around
        self._pending: list[tuple[BlockKind, str, str]] = []
        self._rows: list[list[str]] = []
        self._cells: list[str] = []
        self._bytes = bytearray()
        self._high = ""
        self._skip = 0
        self._ignorable = False
        self._count = self._note = 0
        self.writer = LayoutWriter()
        self.counts: Counter[str] = Counter()

    def read(self, data: bytes, offset: int) -> None:
        """Read a file from its first group on, to the end of that."""
        while match := _TOKEN.match(data, offset):
            offset = match.end()
            word, value, code, symbol, brace, text = match.groups()
            if code:
                self._byte(bytes((int(code, 16),)))
                continue
            if text:
                self._byte(text)
                continue
            self._decode()
            if word:
                number = int(value) if value else None
                offset += min(max(number or 0, 0), len(data)) if word == b"bin" else 0
                self._word(word.decode("ascii"), number)
            elif symbol:
                self._symbol(symbol.decode("latin-1"))
            elif brace == b"{":
                self._open()
            elif brace and self._close():
                break
        self._decode()
        self._end_paragraph()
        self._end_table()

    # Text -----------------------------------------------------------------------------------------------------------

    def _byte(self, data: bytes) -> None:
        skipped = min(self._skip, len(data))
        self._skip -= skipped
        self._bytes += data[skipped:]
        self._ignorable = False

    def _decode(self) -> None:
        """Add the bytes so far as text."""
        if self._bytes:
            data, self._bytes = bytes(self._bytes), bytearray()
            self._text(data.decode(self._state.encoding, "replace"))

    def _text(self, text: str, script: Script | None = None) -> None:
        destination = self._state.destination
        script = self._state.script if script is None else script
        if destination == "-" or (self._state.hidden and not destination):
            return
        if destination in ("listtext", "pntext"):
            self._paragraph.mark.append(text)
        elif destination:
            self._other.append((text, script))
        else:
            self._paragraph.pieces.append((text, script))

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._ignorable = True
        elif symbol in "\r\n":
            self._end_paragraph()
        elif symbol in _SYMBOLS:
            self._text(_SYMBOLS[symbol])

    # Groups ---------------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        if len(self._stack) >= MAX_DEPTH:
            raise ChunkscopeError(
                f"“{self._name}” has groups that are nested more than {MAX_DEPTH:,} deep.",
                "Open it in a word processor, save it as .docx.",
            )
        self._skip = 0
        self._stack.append(self._state)

    def _close(self) -> bool:
        """End a group; return whether it was the last."""
        self._skip = 0
        before = self._state
        if self._boxes and self._boxes[-1][0] == len(self._stack):
            self._end_paragraph()
            self._end_table()
            self._paragraph = self._boxes.pop()[1]
        self._state = self._stack.pop() if self._stack else _State()
        if before.destination == "stylesheet":
            self._end_style()
        if before.destination != self._state.destination:
            self._end_destination(before.destination)
        return not self._stack

    def _begin_destination(self, name: str) -> None:
        if self._state.destination == "-":
            return
        if name == "footnote":
            self._note += 1
            self._text(f"[{self._note}]", "")
        if name in ("pict", "object"):
            self.counts["picture" if name == "pict" else "object"] += 1
        if name in _SKIPPED and name != "fonttbl":
            self._state = replace(self._state, destination="-")
        elif name == "shptxt":
            self._boxes.append((len(self._stack), self._paragraph))
            self._paragraph = _Paragraph()
        elif name not in ("shpinst", "shppict", "fldrslt", "upr"):
            self._state = replace(self._state, destination=name)
            if name not in ("listtext", "pntext"):
                self._other = []

    def _end_style(self) -> None:
        """Note the level of a style that is called a heading."""
        match = _STYLE_NAME.fullmatch(join_scripts(self._other).strip(" ;").lower())
        if match:
            self._headings.setdefault(self._font, int(match[1]))
        self._other = []

    def _end_destination(self, name: str) -> None:
        text = join_scripts(self._other).strip()
        if name in ("fonttbl", "stylesheet"):
            self._other = []
        elif name == "footnote" and text:
            self._pending.append(("footnote", text, f"[{self._note}]"))
        elif name in _ASIDE:
            self._count += 1
            self.writer.exclude_item(_ASIDE[name], replace_surrogates(text), f"{_ASIDE[name]} {self._count:,}")

    # Control words --------------------------------------------------------------------------------------------------

    def _word(self, word: str, value: int | None) -> None:
        ignorable, self._ignorable = self._ignorable, False
        self._skip = 0
        if word in _SKIPPED or word in _READ:
            self._begin_destination(word)
        elif ignorable:
            self._state = replace(self._state, destination="-")
        elif self._state.destination == "fonttbl":
            self._font_word(word, value or 0)
        elif self._state.destination == "stylesheet":
            self._style_word(word, value)
        elif word == "u":
            self._unicode(value or 0)
        elif word in _CHARACTERS:
            self._text(_CHARACTERS[word])
        elif word in ("par", "sect", "page", "cell", "nestcell", "row", "nestrow", "pard", "softpage"):
            self._structure(word)
        else:
            self._format(word, value)

    def _unicode(self, value: int) -> None:
        code = value + 0x10000 if value < 0 else value
        char = chr(code) if 0 < code < 0x110000 else "\ufffd"
        if "\ud800" <= char < "\udc00":
            self._high = char
        else:
            pair, self._high = self._high + char, ""
            self._text(pair.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
        self._skip = self._state.fallback

    def _format(self, word: str, value: int | None) -> None:
        paragraph = self._paragraph
        match word:
            case "ansicpg":
                self._default = _encoding(f"cp{value}")
                self._state = replace(self._state, encoding=self._default)
            case "mac" | "pc" | "pca":
                self._default = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[word]
                self._state = replace(self._state, encoding=self._default)
            case "f":
                self._state = replace(self._state, encoding=self._fonts.get(value or 0, self._default))
            case "uc":
                self._state = replace(self._state, fallback=min(max(value or 0, 0), 100))
            case "v" | "deleted":
                self._state = replace(self._state, hidden=value != 0)
            case "super":
                self._state = replace(self._state, script="super" if value != 0 else "")
            case "sub":
                self._state = replace(self._state, script="sub" if value != 0 else "")
            case "nosupersub":
                self._state = replace(self._state, script="")
            case "plain":
                self._state = replace(self._state, hidden=False, encoding=self._default, script="")
            case "outlinelevel":
                paragraph.outline = (value or 0) + 1 if 0 <= (value or 0) < 9 else 0
            case "s":
                paragraph.style = value or 0
            case "ls":
                paragraph.listed = True
            case "ilvl":
                paragraph.level = min(max(value or 0, 0), 8)
            case "intbl":
                paragraph.in_table = True

    def _font_word(self, word: str, value: int) -> None:
        if word == "f":
            self._font = value
        elif word == "fcharset" and value in _CHARSETS:
            self._fonts[self._font] = _encoding(_CHARSETS[value]) if value else self._default

    def _style_word(self, word: str, value: int | None) -> None:
        if word == "s":
            self._font = value or 0
            self._other = []
        elif word == "outlinelevel" and value is not None and 0 <= value < 9:
            self._headings[self._font] = value + 1

    # Blocks ---------------------------------------------------------------------------------------------------------

    def _structure(self, word: str) -> None:
        if self._state.destination:
            if word in ("par", "cell") and self._state.destination != "-":
                self._other.append(("\n", ""))
        elif word == "pard":
            self._paragraph = _Paragraph(self._paragraph.pieces, self._paragraph.mark)
        elif word in ("cell", "nestcell"):
            self._cells.append(join_scripts(self._paragraph.pieces))
            self._paragraph.pieces, self._paragraph.mark = [], []
        elif word in ("row", "nestrow"):
            self._rows.append(self._cells)
            self._cells = []
        elif word == "par" and self._paragraph.in_table:
            self._paragraph.pieces.append(("\n", ""))
        else:
            self._end_paragraph()
            self.writer.breaks |= word == "page"

    def _end_paragraph(self) -> None:
        paragraph = self._paragraph
        text = join_scripts(paragraph.pieces)
        if text.strip():
            self._end_table()
            mark = " ".join("".join(paragraph.mark).split())
            level = paragraph.outline or self._headings.get(paragraph.style, 0)
            listed = paragraph.listed or bool(mark)
            kind: BlockKind = "heading" if level else "list_item" if listed else "paragraph"
            self._add(kind, text, level or (paragraph.level + 1 if listed else 0), mark)
        for kind, note, mark in self._pending:
            self._add(kind, note, 0, mark)
        self._pending = []
        paragraph.pieces, paragraph.mark = [], []

    def _end_table(self) -> None:
        if self._cells:
            self._rows.append(self._cells)
        if self._rows:
            rows, self._rows, self._cells = self._rows, [], []
            self._add("table", table_text(rows))

    def _add(self, kind: BlockKind, text: str, level: int = 0, mark: str = "") -> None:
        self._count += 1
        self.writer.add(Item(kind, replace_surrogates(text), f"paragraph {self._count:,}", level, mark))


def _encoding(name: str) -> str:
    """Return an encoding of text that Python knows; that of Windows for any other."""
    try:
        return codecs.lookup(name).name if name.startswith(("cp", "mac", "johab")) else "cp1252"
    except LookupError:
        return "cp1252"
