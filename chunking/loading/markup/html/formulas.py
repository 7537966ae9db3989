"""Formulas of a page: MathML, its TeX if it is hidden beside it, and pictures with TeX as alternative text."""

from __future__ import annotations

import html

from chunking.loading import mathml
from chunking.loading.markup.html.source import ATTRIBUTES, Atom, Marked, atoms
from chunking.runtime.patterns import compile_pattern

BEGINNING = compile_pattern(r"[ \t\n\f\r]*+<math[ >]")
"""What follows the start tag of an element that holds a formula, hidden from those who see its picture."""

END = ("</math></span>", "</math></div>")
"""What precedes a picture or a copy of a formula that is there already."""

_TEX = compile_pattern(rf"<annotation{ATTRIBUTES}>")
_IS_TEX = ' encoding="application/x-tex"'
_COPY = compile_pattern(r' class="[^"]*\b(?:katex-html|MathJax)\b')
_PICTURE = compile_pattern(r' class="[^"]*(?<![\w-])(?:mwe-math|tex(?![\w-])|latex(?![\w-])|math(?![\w-]))')
_ALTERNATIVE = compile_pattern(r' alt="([^"]*)"')
_STYLED = compile_pattern(r"\s*+\{\\(?:displaystyle|textstyle)\s++(?=\S)")
_END_TAG = "</math>"
_FAR = 20_000
"""Distance of the search for an alternative text from the text before its picture."""


def end_of(page: str, begin: int) -> int:
    """Return where a formula ends that begins at an offset of a serialised page."""
    end = page.find(_END_TAG, begin)
    return end + len(_END_TAG) if end >= 0 else len(page)


def find_tex(page: str, begin: int, end: int) -> int:
    """Return where the TeX of a formula begins in a serialised page; −1 if it has none.

    Args:
        page: the page.
        begin: where the content of the formula begins.
        end: where the formula ends.
    """
    start = page.find("<annotation", begin, end)
    while start >= 0:
        tag = _TEX.match(page, start)
        if tag and _IS_TEX in tag[1]:
            return start
        start = page.find("<annotation", start + 1, end)
    return -1


def convert(markup: str, marked: Marked) -> Atom | None:
    """Return the TeX of a formula that has none, with its range in the source; ``None`` if its words alone are read.

    Args:
        markup: the serialised formula.
        marked: the source.
    """
    first, *pieces = markup.split(marked.open)
    words = [piece.partition(marked.close)[::2] for piece in pieces]
    root = mathml.parse(first + "".join(text for _, text in words)) if words else None
    tex = mathml.latex(root) if root is not None else ""
    if root is None or tex in ("", "".join("".join(root.itertext()).split())):
        return None  # its characters in a row say the same, each with its place
    offset, text = words[-1]
    last = atoms(html.unescape(text.partition("<")[0]), marked.flat, int(offset))[-1]
    start, stop = int(words[0][0]), max(last.end, int(offset) + 1)
    # A range that is as long as a word would stand for it character by character.
    lengths = {len(tex), *map(len, tex.split())}
    while stop - start in lengths:
        start -= 1
    return Atom(tex, start, stop)


def is_copy(attributes: str, page: str, offset: int) -> bool:
    """Return whether an element shows the formula before it once more, as glyphs."""
    return "aria-hidden" in attributes and page.endswith(END, 0, offset) and bool(_COPY.search(attributes))


def alternative_text(attributes: str) -> str:
    """Return the TeX of the picture of a formula; empty for any other picture."""
    alternative = _ALTERNATIVE.search(attributes) if _PICTURE.search(attributes) else None
    return bare(html.unescape(alternative[1]).strip())[0] if alternative else ""


def bare(tex: str) -> tuple[str, int]:
    """Return TeX without a group for its style around it, and the number of characters left out before it."""
    start = _STYLED.match(tex)
    words = tex.rstrip()
    return (words[start.end() : -1].rstrip(), start.end()) if start and words.endswith("}") else (tex, 0)


def locate(words: str, source: str, begin: int) -> Atom:
    """Return the words of an attribute with their range in a source, if they are there after an offset."""
    start = source.find(words, begin, begin + _FAR)
    return Atom(words, start, start + len(words) if start >= 0 else -1)
