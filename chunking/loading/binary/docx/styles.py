"""Styles with inheritance: the kind of their paragraphs, and the formatting of their characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from chunking.document import BlockKind
from chunking.loading.binary.docx.names import PPR, RPR, VAL, W
from chunking.loading.binary.docx.properties import Face, Look, paragraph_look, run_look
from chunking.runtime.patterns import compile_pattern

MAX_STYLES = 50
"""Maximum depth of style inheritance; deeper styles are ignored."""

_HEADING = compile_pattern(r"heading ([1-9])")
_CODE_STYLE = compile_pattern(
    r"(?:source |program )?code\b|.*\bpreformatted\b|macro text|verbatim|listing|.*\bcode(?: block)?"
)
_QUOTES = ("quote", "intense quote", "block quotation", "quotations", "block quote")
_MONOSPACED = compile_pattern(
    r"courier|consolas|menlo|monaco|lucida console|lucida sans typewriter|cascadia|inconsolata|\bmono|\w mono\b|fixed"
    r"|source code|fira code|andale|typewriter|letter gothic",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class WordStyle:
    """A style's own definition: its name in lower case, the id of its base style, its properties."""

    name: str
    based: str
    look: Look
    run: Look

    @classmethod
    def of(cls, element: Any) -> WordStyle:
        """Return the style that a ``style`` element defines."""

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
class ResolvedStyle:
    """A paragraph style with all that it inherits.

    Attributes:
        names: names of it and its base styles in lower case, its own first.
        look: properties of its paragraphs.
        run: properties of its characters.
    """

    names: tuple[str, ...]
    look: Look
    run: Look

    def heading(self, own: Look) -> int:
        """Return the heading level of a paragraph with this style and its ``own`` properties; 0 if it is none."""
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
        self._styles: dict[str, WordStyle] = {}
        self._paragraphs: dict[str, ResolvedStyle] = {}
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

    def paragraph(self, key: str) -> ResolvedStyle:
        """Return the style with that id; the default one if it is unknown."""
        if key not in self._paragraphs:
            chain = self._chain(key) or self._chain(self.default)
            look, run = dict(self._look), dict(self._run)
            for style in reversed(chain):
                look |= style.look
                run |= style.run
            self._paragraphs[key] = ResolvedStyle(tuple(style.name for style in chain), look, run)
        return self._paragraphs[key]

    def character(self, key: str) -> Look:
        """Return the properties of a character style, with inheritance."""
        if key not in self._characters:
            look: Look = {}
            for style in reversed(self._chain(key)):
                look |= style.run
            self._characters[key] = look
        return self._characters[key]

    def face(self, base: Look, own: Look) -> Face:
        """Return the font of characters by their paragraph's style, their own style and their own properties."""
        style = self.character(own["style"]) if "style" in own else {}
        look = base | style
        for toggle in ("bold", "italic", "hidden"):
            # A toggle that both styles set is off again (ECMA-376, part 1, 17.7.3).
            look[toggle] = bool(base.get(toggle)) != bool(style.get(toggle))
        look |= own
        mono = not self.typewriter and bool(_MONOSPACED.search(look.get("font", "")))
        return Face(look.get("size", 10.0), look["bold"], look["italic"], mono, look["hidden"])

    def _chain(self, key: str) -> list[WordStyle]:
        """Return a style and its base styles."""
        chain: list[WordStyle] = []
        seen = set()
        while key in self._elements and key not in seen and len(chain) < MAX_STYLES:
            seen.add(key)
            if key not in self._styles:
                self._styles[key] = WordStyle.of(self._elements[key])
            chain.append(self._styles[key])
            key = chain[-1].based
        return chain
