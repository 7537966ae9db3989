"""Inline marks of reStructuredText: code, strong, emphasis, links and roles, by the rules of its specification.

A mark opens after white space or an opening character and before a letter, and closes after a letter and before white
space or punctuation; so ``2 * 3`` and ``*args`` have none.
"""

from __future__ import annotations

from chunking.rendering.rendering import ElementKind, RenderingWriter
from chunking.runtime.patterns import compile_pattern

MAX_LENGTH = 10_000
"""Length from which a paragraph is shown without its marks."""

_BEFORE = r"(?:(?<=[\s'\"(\[{<\-/:])|(?<![\s\S]))"
_AFTER = r"(?=[\s'\")\]}>\-/:.,;!?\\]|\Z)"
_MARKED = compile_pattern(
    rf"{_BEFORE}(?:"
    rf"(?P<literal>``)(?=\S)[^`]{{1,500}}?(?<=\S)``{_AFTER}"
    rf"|(?P<strong>\*\*)(?=[^\s*])[^*]{{1,500}}?(?<=[^\s])\*\*{_AFTER}"
    rf"|(?P<emphasis>\*)(?=[^\s*])[^*]{{1,500}}?(?<=[^\s])\*{_AFTER}"
    rf"|(?P<role>(?::[\w.+-]{{1,40}}:){{1,2}})`(?=\S)[^`]{{1,500}}`{_AFTER}"
    rf"|`(?P<words>[^`<\s]++(?:\s++[^`<\s]++)*+)\s*+(?:<(?P<address>[^`<>]{{1,2000}})>)?`__?{_AFTER}"
    r")"
)
_TARGET = compile_pattern(r"\s<[^<>]*>\Z")
_KINDS: tuple[ElementKind, ...] = ("literal", "strong", "emphasis")


def write(to: RenderingWriter, start: int, end: int) -> None:
    """Hide the marks in a paragraph that is shown, and add their elements."""
    if end - start > MAX_LENGTH:
        return
    text = to.text[start:end]
    for match in _MARKED.finditer(text):
        first, last = start + match.start(), start + match.end()
        kind = next((kind for kind in _KINDS if match[kind]), None)
        if kind:
            marks = len(match[kind])
            to.add(kind, first, last)
            to.hide(first, first + marks)
            to.hide(last - marks, last)
        elif match["role"]:
            words = start + match.end("role") + 1
            to.add("literal", first, last)
            to.hide(first, words)
            target = _TARGET.search(to.text, words, last - 1)
            to.hide(target.start() if target else last - 1, last)
        else:
            to.add("link", first, last, title=match["address"] or "")
            to.hide(first, first + 1)
            to.hide(start + match.end("words"), last)
    if text.endswith("::"):  # the paragraph before code, whose second colon nobody sees
        to.hide(end - (2 if text in ("::",) or text[-3:-2].isspace() else 1), end)
