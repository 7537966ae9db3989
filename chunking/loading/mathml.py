"""MathML (of web pages, EPUB, XML) as LaTeX, with the characters of :mod:`chunking.loading.tex`.

Only presentation is read: what a formula looks like, not what it means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from chunking.loading.tex import ACCENTS, FONTS, FUNCTIONS, join, sign, signs
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import word_set

MAX_DEPTH = 60
"""Maximum depth of a formula; a deeper one is read as its characters in a row."""

_LIMITS = word_set("lim max min sup inf det gcd Pr limsup liminf sum prod coprod bigcup bigcap bigvee bigwedge")
"""Commands above and below which limits are written like scripts."""

_ACCENTS = ACCENTS | {"ˆ": "hat", "˜": "tilde", "‾": "overline", "\u20d7": "vec", "˙": "dot", "¨": "ddot",
                      "ˇ": "check", "˘": "breve", "´": "acute", "`": "grave", "⏞": "overbrace", "_": "underline",
                      "⏟": "underbrace", "‿": "underline", "\u0332": "underline"}  # fmt: skip
_STYLES = {**FONTS, "bold": "mathbf", "bold-italic": "mathbf", "sans-serif": "mathsf", "monospace": "mathtt"}
_HIDDEN = word_set("annotation annotation-xml mphantom none mprescripts malignmark maligngroup")
_NEW_ROW = r" \\ "
_INVISIBLE = compile_pattern("[\u200b-\u200f\u2061-\u2064\ufeff]")
_TAG = compile_pattern("<(/?)[a-zA-Z]")
_COMMAND = compile_pattern(r"\\([A-Za-z]++)")


def latex(math: Any) -> str:
    """Return the LaTeX of a ``math`` element; dollar signs are not part of it."""
    return " ".join((_row(math) if _depth(math) <= MAX_DEPTH else signs("".join(math.itertext()))).split())


def parse(markup: str) -> Any | None:
    """Return the root of a ``math`` element in serialised HTML; ``None`` if it is too deep or cannot be parsed."""
    depth = deepest = 0
    for tag in _TAG.finditer(markup):
        depth += -1 if tag[1] else 1
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        return None
    etree = import_module("lxml.etree")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, recover=True
    )
    try:
        return etree.fromstring(markup.replace("&nbsp;", "\u00a0"), parser)
    except (SyntaxError, ValueError):
        return None


def _depth(root: Any) -> int:
    """Return the depth of the elements in another."""
    deepest, stack = 0, [(root, 1)]
    while stack:
        element, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in element)
    return deepest


def _name(element: Any) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _element(element: Any) -> str:
    name = _name(element)
    if not name or name in _HIDDEN:
        return ""
    return _READERS.get(name, _row)(element)


def _row(element: Any) -> str:
    """Return the LaTeX of all children, and of the words beside them."""
    parts = [_words(element.text)]
    for child in element:
        parts += (_element(child), _words(child.tail))
    return join(parts)


def _words(text: str | None) -> str:
    """Return the words of an element without white space at their ends."""
    return signs(_INVISIBLE.sub("", " ".join((text or "").split())))


def _group(element: Any) -> str:
    """Return the LaTeX of an element as one argument of a script."""
    inner = _element(element)
    is_one = len(inner) == 1 or _COMMAND.fullmatch(inner) or _name(element) not in ("mrow", "mstyle", "mfrac", "msup")
    return inner if is_one or inner.startswith(("(", "[", r"\left", r"\{")) else f"{{{inner}}}"


# Characters ---------------------------------------------------------------------------------------------------------


def _identifier(element: Any) -> str:
    text = _INVISIBLE.sub("", " ".join("".join(element.itertext()).split()))
    if text in FUNCTIONS:
        return f"\\{text}"
    style = _STYLES.get(element.get("mathvariant", ""), "mathrm" if len(text) > 1 and text.isalpha() else "")
    return f"\\{style}{{{signs(text)}}}" if style and text else signs(text)


def _operator(element: Any) -> str:
    text = _INVISIBLE.sub("", "".join(element.itertext()).strip())
    if text in FUNCTIONS:
        return f"\\{text}"
    return f"\\operatorname{{{text}}}" if len(text) > 1 and text.isalpha() else signs(text)


def _text(element: Any) -> str:
    text = _INVISIBLE.sub("", " ".join("".join(element.itertext()).split()))
    return f"\\text{{{text}}}" if any(map(str.isalpha, text)) else signs(text)


# Structures ---------------------------------------------------------------------------------------------------------


def _children(element: Any, count: int) -> list[Any]:
    """Return the first children, as many as a structure has; a broken formula may have fewer."""
    return [child for child in element if _name(child)][:count]


def _parts(element: Any, count: int) -> list[str]:
    parts = [_element(child) for child in _children(element, count)]
    return parts + [""] * (count - len(parts))


def _fraction(element: Any) -> str:
    above, below = _parts(element, 2)
    if element.get("linethickness", "").strip() in ("0", "0pt", "0px", "0em"):
        return f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}"
    return f"{{{above}}}/{{{below}}}" if element.get("bevelled") == "true" else f"\\frac{{{above}}}{{{below}}}"


def _square_root(element: Any) -> str:
    return f"\\sqrt{{{_row(element)}}}"


def _root(element: Any) -> str:
    base, degree = _parts(element, 2)
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{base}}}"


def _scripts(sub: int, sup: int) -> Callable[[Any], str]:
    """Return the reader of scripts, by the places of both among the children; 0 where there is none."""

    def read(element: Any) -> str:
        children = _children(element, 3)
        base = _group(children[0]) if children else ""
        scripts = ["", *map(_element, children[1:]), "", ""]
        return base + _script("_", scripts[sub]) + _script("^", scripts[sup])

    return read


def _script(mark: str, words: str) -> str:
    return f"{mark}{{{words}}}" if words else ""


def _multiscripts(element: Any) -> str:
    base, *others = [child for child in element if _name(child)] or [element]
    names = [_name(child) for child in others]
    before = names.index("mprescripts") if "mprescripts" in names else len(others)
    prescripts = _pairs(others[before + 1 :])
    return (f"{{}}{prescripts}" if prescripts else "") + (_group(base) if others else "") + _pairs(others[:before])


def _pairs(scripts: Sequence[Any]) -> str:
    """Return scripts of which each second one is above."""
    words = [_element(script) for script in scripts]
    return "".join(_script("^" if index % 2 else "_", word) for index, word in enumerate(words))


def _over_and_under(under: int, over: int) -> Callable[[Any], str]:
    """Return the reader of what is above or below a base, by the places of both; 0 where there is none."""

    def read(element: Any) -> str:
        parts = _parts(element, 3)
        base, below, above = parts[0], parts[under] if under else "", parts[over] if over else ""
        command = _COMMAND.match(base)
        if command and (command[1] in _LIMITS or command[1].endswith("int")):
            return base + _script("_", below) + _script("^", above)
        children = _children(element, 3)
        for place in (under, over):
            mark = "".join(children[place].itertext()).strip() if 0 < place < len(children) else ""
            if mark and mark in _ACCENTS:
                base = f"\\{_mark(mark, place == under)}{{{base}}}"
                below, above = ("", above) if place == under else (below, "")
        base = f"\\underset{{{below}}}{{{base}}}" if below else base
        return f"\\overset{{{above}}}{{{base}}}" if above else base

    return read


def _mark(mark: str, is_under: bool) -> str:
    """Return the command of an accent; a line below is no line above."""
    name = _ACCENTS[mark]
    return "underline" if is_under and name in ("bar", "overline") else name


def _fenced(element: Any) -> str:
    separators = element.get("separators", ",").split() or [""]
    parts = [_element(child) for child in element if _name(child)]
    inner = "".join(
        part + (signs(separators[min(index, len(separators) - 1)]) if index + 1 < len(parts) else "")
        for index, part in enumerate(parts)
    )
    return f"\\left{_fence(element.get('open', '('))} {inner} \\right{_fence(element.get('close', ')'))}"


def _fence(mark: str) -> str:
    return sign(mark.strip()[0]) if mark.strip() else "."


def _enclosed(element: Any) -> str:
    notation = element.get("notation", "longdiv")
    command = {"radical": "sqrt", "box": "boxed", "top": "overline", "bottom": "underline"}.get(notation, "")
    return f"\\{command}{{{_row(element)}}}" if command else _row(element)


def _matrix(element: Any) -> str:
    rows = (_cells(row) for row in element if _name(row) in ("mtr", "mlabeledtr"))
    return f"\\begin{{matrix}} {_NEW_ROW.join(rows)} \\end{{matrix}}"


def _cells(row: Any) -> str:
    cells = [child for child in row if _name(child) == "mtd"]
    return " & ".join(_row(cell) for cell in (cells[1:] if _name(row) == "mlabeledtr" else cells))


def _first(element: Any) -> str:
    return "".join(_parts(element, 1))


def _space(_: Any) -> str:
    return " "


_READERS: dict[str, Callable[[Any], str]] = {
    "mi": _identifier,
    "mo": _operator,
    "mtext": _text,
    "ms": _text,
    "mspace": _space,
    "mfrac": _fraction,
    "msqrt": _square_root,
    "mroot": _root,
    "msub": _scripts(1, 0),
    "msup": _scripts(0, 1),
    "msubsup": _scripts(1, 2),
    "mmultiscripts": _multiscripts,
    "munder": _over_and_under(1, 0),
    "mover": _over_and_under(0, 1),
    "munderover": _over_and_under(1, 2),
    "mfenced": _fenced,
    "menclose": _enclosed,
    "mtable": _matrix,
    "semantics": _first,
    "maction": _first,
}
