"""Office Math (of Word and PowerPoint) as LaTeX.

The characters are those of :mod:`chunking.loading.tex`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chunking.loading.tex import ACCENTS, FONTS, FUNCTIONS, join, sign, signs

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_VAL = M + "val"
_NEW_ROW = r" \\ "


def latex(formula: Any) -> str:
    """Return the LaTeX of an ``oMath``, ``oMathPara`` or any element inside; dollar signs are not part of it."""
    return _content(formula)


def _content(parent: Any | None) -> str:
    """Return the LaTeX of all children."""
    return join(map(_element, parent)) if parent is not None else ""


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
        return signs(element.text or "")
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
    if words in FUNCTIONS:
        return f"\\{words}"
    font = FONTS.get(_value(run, "rPr/scr"), "")
    return f"\\{font}{{{signs(text)}}}" if font and words else signs(text)


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
    operator = sign((_value(element, "naryPr/chr", "∫") or "∫")[0])
    return join((operator + _limits(element), " ", _part(element, "e")))


def _delimiters(element: Any) -> str:
    begin = _value(element, "dPr/begChr", "(")
    end = _value(element, "dPr/endChr", ")")
    separator = signs(_value(element, "dPr/sepChr", "|")) or " "
    inner = separator.join(map(_content, element.iterchildren(M + "e")))
    return f"\\left{signs(begin) or '.'} {inner} \\right{signs(end) or '.'}"


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
    return f"\\{ACCENTS[sign]}{{{base}}}" if sign in ACCENTS else f"\\overset{{{signs(sign)}}}{{{base}}}"


def _bar(element: Any) -> str:
    command = "overline" if _value(element, "barPr/pos") == "top" else "underline"
    return f"\\{command}{{{_part(element, 'e')}}}"


def _group(element: Any) -> str:
    sign = _value(element, "groupChrPr/chr", "⏟")
    base = _part(element, "e")
    if sign in "⏟⏞":
        return f"\\{'underbrace' if sign == '⏟' else 'overbrace'}{{{base}}}"
    command = "overset" if _value(element, "groupChrPr/pos") == "top" else "underset"
    return f"\\{command}{{{signs(sign)}}}{{{base}}}"


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
