"""Office Math (of Word and PowerPoint) as LaTeX.

Letters with a style of their own (``𝑥``, ``ℝ``) become plain letters with a command; Greek letters, signs and function
names become commands. What has no equivalent keeps its characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import word_set

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_VAL = M + "val"
_FUNCTIONS = word_set(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max "
    "min Pr sec sin sinh sup tan tanh"
)
_SIGNS = dict(
    pair.split("=", 1)
    for pair in word_set(
        r"±=\pm ∓=\mp ×=\times ÷=\div ⋅=\cdot ·=\cdot ∗=* ∘=\circ •=\bullet ≤=\leq ≥=\geq ≠=\neq ≈=\approx ≡=\equiv "
        r"∼=\sim ≃=\simeq ≅=\cong ∝=\propto ≪=\ll ≫=\gg ∞=\infty ∂=\partial ∇=\nabla √=\surd ∑=\sum ∏=\prod ∐=\coprod "
        r"∫=\int ∬=\iint ∭=\iiint ∮=\oint ⋃=\bigcup ⋂=\bigcap ⋁=\bigvee ⋀=\bigwedge ∈=\in ∉=\notin ∋=\ni ⊂=\subset "
        r"⊃=\supset ⊆=\subseteq ⊇=\supseteq ∪=\cup ∩=\cap ∖=\setminus ∅=\emptyset ∀=\forall ∃=\exists ¬=\neg ∧=\wedge "
        r"∨=\vee ⊕=\oplus ⊗=\otimes ⊥=\perp ∥=\parallel ∠=\angle →=\rightarrow ←=\leftarrow ↔=\leftrightarrow "
        r"⇒=\Rightarrow ⇐=\Leftarrow ⇔=\Leftrightarrow ↦=\mapsto ↑=\uparrow ↓=\downarrow …=\ldots ⋯=\cdots ⋮=\vdots "
        r"⋱=\ddots ℏ=\hbar ℓ=\ell ′=' ″='' ‴=''' −=- ∣=| ‖=\| ⟨=\langle ⟩=\rangle 〈=\langle 〉=\rangle ⌊=\lfloor "
        r"⌋=\rfloor ⌈=\lceil ⌉=\rceil ϵ=\epsilon ε=\varepsilon ϕ=\phi φ=\varphi ϑ=\vartheta ϱ=\varrho ς=\varsigma "
        r"ϖ=\varpi \=\backslash {=\{ }=\} #=\# $=\$ %=\% &=\& _=\_"
    )
)
"""LaTeX of a sign."""

_ACCENTS = {
    "\u0300": "grave", "\u0301": "acute", "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "overline",
    "\u0306": "breve", "\u0307": "dot", "\u0308": "ddot", "\u030c": "check", "\u20d6": "overleftarrow",
    "\u20d7": "vec", "\u20db": "dddot", "^": "hat", "~": "tilde", "¯": "bar", "→": "vec",
}  # fmt: skip
_FONTS = {"double-struck": "mathbb", "script": "mathcal", "fraktur": "mathfrak", "black-letter": "mathfrak"}
_NEW_ROW = r" \\ "
_COMMAND_END = compile_pattern(r"\\[A-Za-z]++\Z")
_GREEK = compile_pattern("GREEK (SMALL|CAPITAL) LETTER ([A-Z]{2,8})")
_LATIN_CAPITALS = frozenset(("alpha", "beta", "epsilon", "zeta", "eta", "iota", "kappa", "mu", "nu", "omicron", "rho",
                             "tau", "chi"))  # fmt: skip
"""Greek letters whose capitals LaTeX has no command for, since they look like Latin ones."""


def latex(formula: Any) -> str:
    """Return the LaTeX of an ``oMath``, ``oMathPara`` or any element inside; dollar signs are not part of it."""
    return _content(formula)


def _content(parent: Any | None) -> str:
    """Return the LaTeX of all children."""
    return _join(_element(child) for child in parent) if parent is not None else ""


def _join(parts: Iterator[str]) -> str:
    """Join parts; a command that ends before a letter is followed by a space."""
    pieces: list[str] = []
    for part in parts:
        if part and pieces and part[0].isalnum() and _COMMAND_END.search(pieces[-1][-40:]):
            pieces.append(" ")
        if part:
            pieces.append(part)
    return "".join(pieces)


def _element(element: Any) -> str:
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    name = tag.rpartition("}")[2]
    if tag.startswith(M) and name in _READERS:
        return _READERS[name](element)
    if name.endswith("Pr") or name in ("del", "moveFrom", "delText", "instrText"):
        return ""
    if name == "t":
        return _signs(element.text or "")
    return _content(element)


def _part(element: Any, name: str) -> str:
    return _content(element.find(M + name))


def _value(element: Any, path: str, default: str = "") -> str:
    """Return the value of a property; the default without it."""
    child = element.find("/".join(M + name for name in path.split("/")))
    return default if child is None else child.get(_VAL, "")


def _is_on(element: Any, path: str) -> bool:
    child = element.find("/".join(M + name for name in path.split("/")))
    return child is not None and child.get(_VAL, "1") not in ("0", "off", "false")


# Characters ---------------------------------------------------------------------------------------------------------


def _run(run: Any) -> str:
    text = "".join(child.text or "" for child in run if isinstance(child.tag, str) and child.tag.endswith("}t"))
    if _is_on(run, "rPr/nor"):
        return f"\\text{{{text}}}" if text.strip() else text
    words = text.strip()
    if words in _FUNCTIONS:
        return f"\\{words}"
    font = _FONTS.get(_value(run, "rPr/scr"), "")
    return f"\\{font}{{{_signs(text)}}}" if font and words else _signs(text)


def _signs(text: str) -> str:
    return _join(map(_sign, text))


@lru_cache(maxsize=4_096)
def _sign(char: str) -> str:
    if char in _SIGNS:
        return _SIGNS[char]
    name = unicodedata.name(char, "").lower()
    plain = unicodedata.normalize("NFKC", char) if "mathematical" in name or "double-struck" in name else char
    font = next((command for word, command in _FONTS.items() if word in name), "")
    if plain != char and len(plain) == 1:
        return f"\\{font}{{{plain}}}" if font else _sign(plain)
    greek = _GREEK.fullmatch(name.upper())
    if not greek:
        return char
    size, letter = greek[1], greek[2].lower().replace("lamda", "lambda")
    if letter == "omicron" or (size == "CAPITAL" and letter in _LATIN_CAPITALS):
        return char
    return f"\\{letter if size == 'SMALL' else letter.capitalize()}"


# Structures ---------------------------------------------------------------------------------------------------------


def _fraction(element: Any) -> str:
    above, below = _part(element, "num"), _part(element, "den")
    kind = _value(element, "fPr/type")
    if kind in ("lin", "skw"):
        return f"{{{above}}}/{{{below}}}"
    return f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}" if kind == "noBar" else f"\\frac{{{above}}}{{{below}}}"


def _root(element: Any) -> str:
    degree = "" if _is_on(element, "radPr/degHide") else _part(element, "deg")
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e')}}}"


def _scripts(element: Any) -> str:
    return _part(element, "e") + _limits(element)


def _limits(element: Any) -> str:
    below, above = _part(element, "sub"), _part(element, "sup")
    return (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")


def _scripts_before(element: Any) -> str:
    return f"{{}}{_limits(element)}{_part(element, 'e')}"


def _large_operator(element: Any) -> str:
    sign = _sign((_value(element, "naryPr/chr", "∫") or "∫")[0])
    return _join(iter((sign + _limits(element), " ", _part(element, "e"))))


def _delimiters(element: Any) -> str:
    begin = _value(element, "dPr/begChr", "(")
    end = _value(element, "dPr/endChr", ")")
    separator = _signs(_value(element, "dPr/sepChr", "|")) or " "
    inner = separator.join(map(_content, element.iterchildren(M + "e")))
    return f"\\left{_signs(begin) or '.'} {inner} \\right{_signs(end) or '.'}"


def _function(element: Any) -> str:
    name = _part(element, "fName").strip()
    argument = _part(element, "e")
    name = f"\\operatorname{{{name}}}" if name.isalpha() else name
    return f"{name} {argument}" if argument and argument[0].isalnum() else name + argument


def _lower_limit(element: Any) -> str:
    base, limit = _part(element, "e"), _part(element, "lim")
    if base.startswith(("\\lim", "\\max", "\\min", "\\sup", "\\inf", "\\underbrace")):
        return f"{base}_{{{limit}}}"
    return f"\\underset{{{limit}}}{{{base}}}"


def _upper_limit(element: Any) -> str:
    base, limit = _part(element, "e"), _part(element, "lim")
    return f"{base}^{{{limit}}}" if base.startswith("\\overbrace") else f"\\overset{{{limit}}}{{{base}}}"


def _accent(element: Any) -> str:
    sign = _value(element, "accPr/chr", "\u0302")
    base = _part(element, "e")
    return f"\\{_ACCENTS[sign]}{{{base}}}" if sign in _ACCENTS else f"\\overset{{{_signs(sign)}}}{{{base}}}"


def _bar(element: Any) -> str:
    command = "overline" if _value(element, "barPr/pos") == "top" else "underline"
    return f"\\{command}{{{_part(element, 'e')}}}"


def _group(element: Any) -> str:
    sign = _value(element, "groupChrPr/chr", "⏟")
    base = _part(element, "e")
    if sign in "⏟⏞":
        return f"\\{'underbrace' if sign == '⏟' else 'overbrace'}{{{base}}}"
    command = "overset" if _value(element, "groupChrPr/pos") == "top" else "underset"
    return f"\\{command}{{{_signs(sign)}}}{{{base}}}"


def _matrix(element: Any) -> str:
    rows = (" & ".join(map(_content, row.iterchildren(M + "e"))) for row in element.iterchildren(M + "mr"))
    return f"\\begin{{matrix}} {_NEW_ROW.join(rows)} \\end{{matrix}}"


def _equations(element: Any) -> str:
    # The ampersands in these rows say where they are aligned.
    rows = [_content(row).replace("\\&", "&") for row in element.iterchildren(M + "e")]
    if len(rows) == 1:
        return rows[0]
    return f"\\begin{{aligned}} {_NEW_ROW.join(rows)} \\end{{aligned}}"


def _box(element: Any) -> str:
    return f"\\boxed{{{_part(element, 'e')}}}"


_READERS: dict[str, Callable[[Any], str]] = {
    "r": _run,
    "f": _fraction,
    "rad": _root,
    "sSub": _scripts,
    "sSup": _scripts,
    "sSubSup": _scripts,
    "sPre": _scripts_before,
    "nary": _large_operator,
    "d": _delimiters,
    "func": _function,
    "limLow": _lower_limit,
    "limUpp": _upper_limit,
    "acc": _accent,
    "bar": _bar,
    "groupChr": _group,
    "m": _matrix,
    "eqArr": _equations,
    "borderBox": _box,
}
