"""Styles with all that they inherit: what a paragraph of one is, and how its characters are set."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from chunking.document import BlockKind
from chunking.loading.binary.docx.looks import Face, Look, paragraph_look, run_look
from chunking.loading.binary.docx.names import PPR, RPR, VAL, W

MAX_STYLES = 50
"""How many styles deep a style may be based on others; what is deeper is passed over."""

_HEADING = re.compile(r"heading ([1-9])")
_CODE_STYLE = re.compile(
    r"(?:source |program )?code\b|.*\bpreformatted\b|macro text|verbatim|listing|.*\bcode(?: block)?"
)
_QUOTES = ("quote", "intense quote", "block quotation", "quotations", "block quote")
_MONOSPACED = re.compile(
    r"courier|consolas|menlo|monaco|lucida console|lucida sans typewriter|cascadia|inconsolata|\bmono|\w mono\b|fixed"
    r"|source code|fira code|andale|typewriter|letter gothic",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Style:
    """What a style itself says: its name in lower case, the id of what it is based on, its properties."""

    name: str
    based: str
    look: Look
    run: Look

    @classmethod
    def of(cls, element: Any) -> Style:
        """What a ``style`` says."""

        def value(tag: str) -> str:
            found = element.find(W + tag)
            return (found.get(VAL) or "") if found is not None else ""

        look, run = element.find(PPR), element.find(RPR)
        return cls(
            value("name").lower(),
            value("basedOn"),
            paragraph_look(look) if look is not None else {},
            run_look(run) if run is not None else {},
        )


@dataclass(frozen=True)
class Resolved:
    """A style of paragraphs with all that it inherits.

    Attributes:
        names: of it and what it is based on, lower case, its own first.
        look: of its paragraphs.
        run: of its characters.
    """

    names: tuple[str, ...]
    look: Look
    run: Look

    def heading(self, own: Look) -> int:
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


class Styles:
    """The styles of a document."""

    def __init__(self, root: Any | None) -> None:
        self._elements: dict[str, Any] = {}
        self._styles: dict[str, Style] = {}
        self._paragraphs: dict[str, Resolved] = {}
        self._characters: dict[str, Look] = {}
        self._run: Look = {}
        self._look: Look = {}
        self.default = ""
        if root is not None:
            self._read(root)
        self.typewriter = bool(_MONOSPACED.search(self.paragraph("").run.get("font", "")))

    def _read(self, root: Any) -> None:
        for path, read, look in (
            ("rPrDefault", run_look, self._run),
            ("pPrDefault", paragraph_look, self._look),
        ):
            inner = root.find(f"{W}docDefaults/{W}{path}/{W}{path[:3]}")
            if inner is not None:
                look |= read(inner)
        for style in root.iterchildren(W + "style"):
            key = style.get(W + "styleId") or ""
            self._elements.setdefault(key, style)
            if style.get(W + "type") == "paragraph" and style.get(W + "default") in ("1", "true", "on"):
                self.default = key

    def paragraph(self, key: str) -> Resolved:
        """The style of that id; the default one where it is not known."""
        if key not in self._paragraphs:
            chain = self._chain(key) or self._chain(self.default)
            look, run = dict(self._look), dict(self._run)
            for style in reversed(chain):
                look |= style.look
                run |= style.run
            self._paragraphs[key] = Resolved(tuple(style.name for style in chain), look, run)
        return self._paragraphs[key]

    def character(self, key: str) -> Look:
        """What a style of characters says, with what it inherits."""
        if key not in self._characters:
            look: Look = {}
            for style in reversed(self._chain(key)):
                look |= style.run
            self._characters[key] = look
        return self._characters[key]

    def face(self, base: Look, own: Look) -> Face:
        """How characters look, by their paragraph's style, their own style and their own properties."""
        style = self.character(own["style"]) if "style" in own else {}
        look = base | style
        for toggle in ("bold", "italic", "hidden"):
            # A toggle that both styles set is off again (ECMA-376, part 1, 17.7.3).
            look[toggle] = bool(base.get(toggle)) != bool(style.get(toggle))
        look |= own
        mono = not self.typewriter and bool(_MONOSPACED.search(look.get("font", "")))
        return Face(look.get("size", 10.0), look["bold"], look["italic"], mono, look["hidden"])

    def _chain(self, key: str) -> list[Style]:
        """A style and those that it is based on."""
        chain: list[Style] = []
        seen = set()
        while key in self._elements and key not in seen and len(chain) < MAX_STYLES:
            seen.add(key)
            if key not in self._styles:
                self._styles[key] = Style.of(self._elements[key])
            chain.append(self._styles[key])
            key = chain[-1].based
        return chain
