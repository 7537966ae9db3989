"""Names of elements and attributes in Word's XML, and parsing of attribute values."""

from __future__ import annotations

from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

VAL = W + "val"
P, TBL, TR, TC, RUN, T = (W + tag for tag in ("p", "tbl", "tr", "tc", "r", "t"))
PPR, RPR, SECT, BR, TXBX = (W + tag for tag in ("pPr", "rPr", "sectPr", "br", "txbxContent"))
ALTERNATE, MATH, MATH_TEXT = MC + "AlternateContent", M + "oMath", M + "t"
NOTE_REFERENCES = {W + "footnoteReference": "footnote", W + "endnoteReference": "endnote"}
GRAPHICS = frozenset(W + tag for tag in ("drawing", "pict", "object"))
WRAPPERS = frozenset(
    W + tag
    for tag in (
        "hyperlink", "ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple", "customXml", "dir", "bdo", "ruby",
        "rubyBase",
    )
) | {M + "oMathPara"}  # fmt: skip
"""Elements that contain runs or paragraphs; ``del``, ``moveFrom`` and unknown elements are skipped."""

PLAIN = {W + "tab": "\t", W + "ptab": "\t", W + "cr": "\n", W + "noBreakHyphen": "-"}


def is_on(element: Any) -> bool:
    """Return whether a toggle element is on."""
    return element.get(VAL) not in ("0", "false", "off", "none")


def as_number(value: str | None, default: float = 0.0) -> float:
    """Return the number in an attribute; the default if it is invalid or out of range."""
    try:
        found = float(value or "")
    except ValueError:
        return default
    return found if abs(found) < 1e6 else default
