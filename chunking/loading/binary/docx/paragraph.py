"""The paragraphs of a Word document: their characters in pieces, with formatting, notes and formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from chunking.document import Style
from chunking.loading.binary.charts import CHART
from chunking.loading.binary.diagrams import DIAGRAM
from chunking.loading.binary.docx.package import (
    BR,
    GRAPHICS,
    MATH,
    NOTE_REFERENCES,
    PLAIN,
    RPR,
    RUN,
    TXBX,
    T,
    W,
    descend,
    inner,
    paragraphs,
)
from chunking.loading.binary.docx.styles import BULLETS, CharFormat, Properties, Styles, run_properties
from chunking.loading.binary.formulas import M, latex
from chunking.loading.binary.office import R
from chunking.loading.numerals import roman
from chunking.loading.superscripts import Script, convert_scripts
from chunking.loading.writer import style_of

# Pieces of text -----------------------------------------------------------------------------------------------------


class Piece(NamedTuple):
    """Characters of a paragraph with the same formatting; ``source`` is their offset in it, -1 for marks added here."""

    text: str
    format: CharFormat
    source: int


Note = tuple[str, str, str]
"""A reference to a note: ``"footnote"`` or ``"endnote"``, its id, its mark."""


@dataclass
class ParagraphText:
    """The content of a paragraph, in pieces; a piece ``"\\f"`` is a page break.

    Attributes:
        pieces: its characters.
        notes: the notes that are referred to.
        boxes: the contents of the text boxes that are anchored in it.
        charts, diagrams: the relationships of the charts and diagrams in it.
        length: number of its characters.
    """

    pieces: list[Piece] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    charts: list[str] = field(default_factory=list)
    diagrams: list[str] = field(default_factory=list)
    length: int = 0

    def add(self, text: str, format: CharFormat) -> None:
        """Append characters of the paragraph."""
        self.pieces.append(Piece(text, format, self.length))
        self.length += len(text)

    def write_scripts(self) -> None:
        """Write superscripts and subscripts in plain text."""
        pieces, self.pieces, self.length = self.pieces, [], 0
        runs: list[tuple[str, Script]] = [
            (piece.text, piece.format.script if piece.text.strip() else "") for piece in pieces
        ]
        for piece, text in zip(pieces, map(str, convert_scripts(runs)), strict=True):
            if piece.source < 0:
                self.pieces.append(piece)
            else:
                self.add(text, piece.format)

    def extend(self, other: ParagraphText) -> None:
        """Append the content of another paragraph."""
        self.pieces += shift_pieces(other.pieces, self.length)
        self.length += other.length
        self.add_anchored(other)

    def add_anchored(self, other: ParagraphText) -> None:
        """Add what is referred to in another paragraph or anchored in it."""
        self.notes += other.notes
        self.boxes += other.boxes
        self.charts += other.charts
        self.diagrams += other.diagrams

    @property
    def text(self) -> str:
        """All of it, marks of notes included."""
        return "".join(piece.text for piece in self.pieces)


def shift_pieces(pieces: Iterable[Piece], length: int) -> list[Piece]:
    """Return pieces whose paragraph begins after so many characters."""
    return [piece._replace(source=piece.source + length) if piece.source >= 0 else piece for piece in pieces]


def segments(pieces: list[Piece]) -> Iterator[list[Piece] | None]:
    """Yield the parts of a paragraph between page breaks, with ``None`` for each break."""
    segment: list[Piece] = []
    for piece in pieces:
        if piece.text == "\f":
            yield segment
            yield None
            segment = []
        else:
            segment.append(piece)
    yield segment


def strip_pieces(pieces: list[Piece], code: bool = False) -> list[Piece]:
    """Return the pieces without white space at the ends; code keeps its indentation, but no empty lines."""
    first, last = 0, len(pieces)
    while last > first and not pieces[last - 1].text.strip():
        last -= 1
    if first == last:
        return []
    content = pieces[first:last]
    content[-1] = content[-1]._replace(text=content[-1].text.rstrip())
    while not content[0].text.strip() and (not code or "\n" in content[0].text):
        content.pop(0)
    lost = len(content[0].text) - len(content[0].text.lstrip("\r\n" if code else None))
    if lost:
        source = content[0].source + lost if content[0].source >= 0 else -1
        content[0] = Piece(content[0].text[lost:], content[0].format, source)
    return content


def join_pieces(pieces: list[Piece], more: list[Piece], separator: str) -> list[Piece]:
    """Return both, with a separator between them if neither is empty."""
    if not pieces or not more:
        return pieces + more
    return [*pieces, Piece(separator, more[0].format, -1), *more]


def style_of_pieces(pieces: Iterable[Piece], space_before: float, indent: float) -> Style:
    """Return the formatting of most of the characters."""
    formats = ((len(piece.text), piece.format) for piece in pieces)
    return style_of(((count, look.size, look.bold, look.italic) for count, look in formats), space_before, indent)


# Characters ---------------------------------------------------------------------------------------------------------


class ParagraphReader:
    """A reader of the content of paragraphs.

    Attributes:
        excluded: excluded texts, as kind and text.
        left_out: counts of omitted items.
    """

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._marks: Counter[str] = Counter()
        self._fields: list[bool] = []
        self._formats: dict[tuple[Any, ...], CharFormat] = {}
        self.excluded: list[tuple[str, str]] = []
        self.left_out: Counter[str] = Counter()

    def read(self, paragraph: Any, base: Properties) -> ParagraphText:
        """Return the visible characters of a paragraph; ``base`` are the properties from its style."""
        content = ParagraphText()
        plain = self._char_format(base, None)
        hidden: list[str] = []
        # A text box inside a field has fields of its own.
        outer, self._fields = self._fields, []
        for child in descend(paragraph, (RUN, MATH, W + "del")):
            if child.tag == RUN:
                self._run(child, base, plain, content, hidden)
            elif child.tag == MATH:
                touches = bool(content.pieces) and content.pieces[-1].text.endswith("$")
                content.add(" " * touches + _formula(child), plain)
            else:
                self.left_out["deletion"] += 1
        self._fields = outer
        if any(piece.format.script for piece in content.pieces):
            content.write_scripts()
        if any(map(str.strip, hidden)):
            self.excluded.append(("hidden text", "".join(hidden).strip()))
        return content

    def _char_format(self, base: Properties, properties: Any | None) -> CharFormat:
        direct = run_properties(properties)
        key = (id(base), *direct.items())
        if key not in self._formats:
            self._formats[key] = self._styles.char_format(base, direct)
        return self._formats[key]

    def _run(self, run: Any, base: Properties, format: CharFormat, content: ParagraphText, hidden: list[str]) -> None:
        for child in inner(run):
            tag = child.tag
            if tag == T:
                text = child.text or ""
                if format.hidden:
                    hidden.append(text)
                elif text and not any(self._fields):
                    content.add(text, format)
            elif tag == RPR:
                format = self._char_format(base, child)
            elif format.hidden:
                continue
            elif tag in PLAIN:
                content.add(PLAIN[tag], format)
            elif tag == BR:
                content.add("\f" if child.get(W + "type") == "page" else "\n", format)
            elif tag == W + "fldChar":
                self._field(child.get(W + "fldCharType"))
            elif tag in NOTE_REFERENCES:
                self._note(child, format, content)
            elif tag == W + "sym":
                content.add(_symbol(child.get(W + "char") or ""), format)
            elif tag in GRAPHICS:
                self._graphic(child, content)

    def _field(self, kind: str | None) -> None:
        """Track fields: their instructions are not text, their results are."""
        if kind == "begin":
            self._fields.append(True)
        elif self._fields and kind == "separate":
            self._fields[-1] = False
        elif self._fields and kind == "end":
            self._fields.pop()

    def _note(self, reference: Any, format: CharFormat, content: ParagraphText) -> None:
        kind = NOTE_REFERENCES[reference.tag]
        mark = ""
        if reference.get(W + "customMarkFollows") not in ("1", "true", "on"):
            self._marks[kind] += 1
            mark = f"[{self._marks[kind] if kind == 'footnote' else roman(self._marks[kind])}]"
            content.pieces.append(Piece(mark, format._replace(script=""), -1))
        content.notes.append((kind, reference.get(W + "id") or "", mark))

    def _graphic(self, element: Any, content: ParagraphText) -> None:
        boxes = list(element.iter(TXBX))
        inner = set(boxes)
        outermost = [box for box in boxes if inner.isdisjoint(box.iterancestors(TXBX))]
        charts = [chart.get(R + "id") or "" for chart in element.iter(CHART)]
        diagrams = [diagram.get(R + "dm") or "" for diagram in element.iter(DIAGRAM)]
        content.boxes += outermost
        content.charts += charts
        content.diagrams += diagrams
        self.left_out["picture"] += not (boxes or charts or diagrams)

    def words(self, parent: Any) -> list[str]:
        """Return the text of each paragraph below an element that has any, tables flattened, without notes."""
        base = self._styles.paragraph("").run
        texts = []
        for paragraph in paragraphs(parent):
            content = self.read(paragraph, base)
            text = content.text.replace("\f", "\n").strip()
            if text:
                texts.append(text)
            for box in content.boxes:
                texts += self.words(box)
        return texts


def _formula(element: Any) -> str:
    """Return a formula as LaTeX between dollar signs, two if it is displayed on lines of its own."""
    formula = latex(element).strip()
    dollars = "$$" if element.getparent().tag == M + "oMathPara" else "$"
    return f"{dollars}{formula}{dollars}" if formula else ""


def _symbol(code: str) -> str:
    """Return the character of a ``sym``; symbol fonts use a private area, of which common codes are mapped."""
    try:
        char = chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""
    return BULLETS.get(char, char) if not "\ud800" <= char <= "\udfff" and char >= " " else ""
