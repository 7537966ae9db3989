"""Superscripts and subscripts of XML documents, written into the text around them."""

from __future__ import annotations

from typing import Any

from chunking.loading.superscripts import Script, convert_scripts
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import word_set

_SCRIPTS: dict[str, Script] = {
    **dict.fromkeys(("sup", "superscript", "sp", "super"), "super"),
    **dict.fromkeys(("sub", "subscript", "sb", "inf"), "sub"),
}
"""Names of elements in lower case, and values of ``rend``."""

_WHITE = compile_pattern(r"\s++")
_STYLED = word_set("hi emph")
_REFERENCES = word_set("xref ref link footnoteref")
_NOTE_TYPES = word_set("fn bibr bib aff table-fn corresp author-notes")
_SENTENCE_ENDS = tuple(".!?”")


def write_scripts(root: Any) -> None:
    """Replace the elements of superscripts and subscripts in a tree by their text.

    Only those that have words alone, and references to notes with them, are replaced.
    """
    for element in list(root.iter()):
        scripts = [_script(child) for child in element]
        if any(scripts):
            _write(element, scripts)


def _name(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _script(element: Any) -> Script:
    """Return the script of all text of an element; empty if it has another element than a reference in it."""
    name = _name(element)
    if name in _REFERENCES:
        return _reference(element)
    stated = element.get("rend", "").lower() if name in _STYLED else name.lower()
    script = _SCRIPTS.get(stated, "")
    if not script or any(_name(child) not in _INLINE for child in element.iter() if child is not element):
        return ""
    is_note = any(_name(child) in _REFERENCES for child in element)
    return "note" if is_note and script == "super" else script


_INLINE = _REFERENCES | word_set("italic bold sc styled-content emphasis hi i b em strong a")


def _reference(element: Any) -> Script:
    """Return the script of a reference: that of a note if its text alone is a superscript, or a number of a note."""
    children = list(element)
    if len(children) == 1 and not (element.text or "").strip() and not (children[0].tail or "").strip():
        return "note" if _SCRIPTS.get(_name(children[0]).lower()) == "super" and not len(children[0]) else ""
    is_note = element.get("ref-type") in _NOTE_TYPES or element.get("type") in ("noteAnchor", "fn", "footnote")
    return "note" if is_note and not children and (element.text or "").strip().isdecimal() else ""


def _write(element: Any, scripts: list[Script]) -> None:
    """Replace the children of an element that are scripts by their text."""
    children = list(element)
    runs: list[tuple[str, Script]] = [(element.text or "", "")]
    for child, script in zip(children, scripts, strict=True):
        if script:
            words = _WHITE.sub(" ", "".join(child.itertext()))
            before = next((text for text, _ in reversed(runs[-3:]) if text), "")
            bare = _name(child) in _REFERENCES and not len(child)
            runs.append((words, "" if bare and not _touches(before) else script))
        else:
            runs.append((_last_text(child), ""))
        runs.append((child.tail or "", ""))
    texts = list(map(str, convert_scripts(runs)))
    kept = [index for index, script in enumerate(scripts) if not script]
    element[:] = [children[index] for index in kept]
    # What is between two children that are kept: the tail of the first, then the scripts with their tails.
    bounds = [0, *(2 * index + 2 for index in kept)]
    ends = [*(2 * index + 1 for index in kept), len(texts)]
    between = ["".join(texts[start:stop]) for start, stop in zip(bounds, ends, strict=True)]
    element.text = between[0]
    for child, text in zip(element, between[1:], strict=True):
        child.tail = text


def _last_text(element: Any) -> str:
    """Return the end of the text of an element."""
    while len(element) and not element[-1].tail:
        element = element[-1]
    return (element[-1].tail if len(element) else element.text) or ""


def _touches(before: str) -> bool:
    """Return whether a number after a text would run into its last word."""
    return before[-1:].isalpha() or before.endswith(_SENTENCE_ENDS)
