"""From a paragraph's elements to its characters: runs, fields, symbols, formulas, references to notes."""

from __future__ import annotations

from collections import Counter
from typing import Any

from chunking.loading.binary.docx.names import (
    ALTERNATE,
    BR,
    GRAPHICS,
    MATH,
    MATH_TEXT,
    NOTE_REFERENCES,
    PLAIN,
    RPR,
    RUN,
    TXBX,
    WRAPPERS,
    T,
    W,
)
from chunking.loading.binary.docx.numbering import BULLETS, roman
from chunking.loading.binary.docx.pieces import Line, Piece
from chunking.loading.binary.docx.properties import Face, Look, run_look
from chunking.loading.binary.docx.styles import Styles
from chunking.loading.binary.docx.tree import chosen, inner, paragraphs


class Reader:
    """A reader of the content of paragraphs.

    Attributes:
        asides: excluded texts, as kind and text.
        left_out: counts of omitted items.
    """

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._marks: Counter[str] = Counter()
        self._fields: list[bool] = []
        self._faces: dict[tuple[Any, ...], Face] = {}
        self.asides: list[tuple[str, str]] = []
        self.left_out: Counter[str] = Counter()

    def line(self, paragraph: Any, base: Look) -> Line:
        """Return the visible characters of a paragraph; ``base`` are the properties from its style."""
        line = Line()
        plain = self._face(base, None)
        hidden: list[str] = []
        # A text box inside a field has fields of its own.
        outer, self._fields = self._fields, []
        stack = [iter(paragraph)]
        while stack:
            for child in stack[-1]:
                tag = child.tag
                if tag == RUN:
                    self._run(child, base, plain, line, hidden)
                elif tag in WRAPPERS:
                    stack.append(iter(child))
                    break
                elif tag == ALTERNATE:
                    stack.append(iter(chosen(child)))
                    break
                elif tag == MATH:
                    self.left_out["formula"] += 1
                    line.add("".join(child.itertext(MATH_TEXT)), plain)
                elif tag == W + "del":
                    self.left_out["deletion"] += 1
            else:
                stack.pop()
        self._fields = outer
        if any(map(str.strip, hidden)):
            self.asides.append(("hidden text", "".join(hidden).strip()))
        return line

    def _face(self, base: Look, properties: Any | None) -> Face:
        own = run_look(properties) if properties is not None else {}
        key = (id(base), *own.items())
        if key not in self._faces:
            self._faces[key] = self._styles.face(base, own)
        return self._faces[key]

    def _run(self, run: Any, base: Look, face: Face, line: Line, hidden: list[str]) -> None:
        for child in inner(run):
            tag = child.tag
            if tag == T:
                text = child.text or ""
                if face.hidden:
                    hidden.append(text)
                elif text and not any(self._fields):
                    line.add(text, face)
            elif tag == RPR:
                face = self._face(base, child)
            elif face.hidden:
                continue
            elif tag in PLAIN:
                line.add(PLAIN[tag], face)
            elif tag == BR:
                line.add("\f" if child.get(W + "type") == "page" else "\n", face)
            elif tag == W + "fldChar":
                self._field(child.get(W + "fldCharType"))
            elif tag in NOTE_REFERENCES:
                self._note(child, face, line)
            elif tag == W + "sym":
                line.add(_symbol(child.get(W + "char") or ""), face)
            elif tag in GRAPHICS:
                self._graphic(child)

    def _field(self, kind: str | None) -> None:
        """Track fields: their instructions are not text, their results are."""
        if kind == "begin":
            self._fields.append(True)
        elif self._fields and kind == "separate":
            self._fields[-1] = False
        elif self._fields and kind == "end":
            self._fields.pop()

    def _note(self, reference: Any, face: Face, line: Line) -> None:
        kind = NOTE_REFERENCES[reference.tag]
        mark = ""
        if reference.get(W + "customMarkFollows") not in ("1", "true", "on"):
            self._marks[kind] += 1
            mark = f"[{self._marks[kind] if kind == 'footnote' else roman(self._marks[kind])}]"
            line.pieces.append(Piece(mark, face, -1))
        line.notes.append((kind, reference.get(W + "id") or "", mark))

    def _graphic(self, element: Any) -> None:
        boxes = list(element.iter(TXBX))
        known = set(boxes)
        outermost = [box for box in boxes if known.isdisjoint(box.iterancestors(TXBX))]
        texts = ["\n".join(self.words(box)) for box in outermost]
        self.asides.extend(("text box", text) for text in texts if text)
        self.left_out["picture"] += not boxes

    def words(self, parent: Any) -> list[str]:
        """Return the text of each paragraph below an element that has any, tables flattened, without notes."""
        base = self._styles.paragraph("").run
        found = []
        for paragraph in paragraphs(parent):
            text = self.line(paragraph, base).text.replace("\f", "\n").strip()
            if text:
                found.append(text)
        return found


def _symbol(code: str) -> str:
    """Return the character of a ``sym``; symbol fonts use a private area, of which common codes are mapped."""
    try:
        char = chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""
    return BULLETS.get(char, char) if not "\ud800" <= char <= "\udfff" and char >= " " else ""
