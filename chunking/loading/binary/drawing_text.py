"""The text of shapes of Office files (DrawingML), a paragraph at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chunking.loading.binary.charts import A
from chunking.loading.binary.formulas import M, latex
from chunking.loading.binary.office import ALTERNATE, chosen
from chunking.loading.superscripts import Script, join_scripts


def paragraph_texts(parent: Any) -> Iterator[str]:
    """Yield the text of each paragraph below an element that has any."""
    return (text for text in map(paragraph_text, parent.iter(A + "p")) if text.strip())


def paragraph_text(paragraph: Any) -> str:
    """Return the text of a paragraph, with its formulas as LaTeX."""
    return join_scripts(_pieces(paragraph)).replace("\v", "\n")


def _pieces(parent: Any) -> Iterator[tuple[str, Script]]:
    for child in parent:
        if child.tag in (A + "r", A + "fld"):
            yield child.findtext(A + "t") or "", _script(child.find(A + "rPr"))
        elif child.tag == A + "br":
            yield "\n", ""
        elif child.tag == ALTERNATE:
            yield from _pieces(chosen(child))
        elif child.tag in (M + "oMath", M + "oMathPara"):
            yield f"${latex(child).strip()}$", ""
        elif isinstance(child.tag, str) and child.tag.endswith("main}m"):  # a formula in PowerPoint 2010 and later
            yield from _pieces(child)


def _script(properties: Any | None) -> Script:
    baseline = properties.get("baseline", "").strip("0%") if properties is not None else ""
    return "" if not baseline else "sub" if baseline.startswith("-") else "super"
