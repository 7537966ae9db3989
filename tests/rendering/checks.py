"""What holds for every rendering."""

from __future__ import annotations

from chunking.document import Document
from chunking.rendering import Element, Rendering, render

LEAVES = ("heading", "paragraph", "code", "header", "cell", "caption", "footnote", "source", "marker")
"""Kinds of elements that words are in."""


def check(document: Document) -> Rendering:
    """Return the rendering of a document, after its invariants have been checked."""
    rendering = render(document)
    text, length = document.text, len(document.text)
    place = 0
    for start, end, _ in rendering.substitutions:
        assert place <= start < end <= length, "shown and hidden characters tile the text, in order"
        place = end
    around: list[Element] = []
    last = 0
    for element in rendering.elements:
        assert 0 <= element.start < element.end <= length
        assert last <= element.start
        assert element.depth <= len(around)
        del around[element.depth :]
        if around:
            assert around[-1].start <= element.start and element.end <= around[-1].end
        around.append(element)
        last = element.start
    covered = bytearray(length)
    for element in rendering.elements:
        if element.kind in LEAVES:
            covered[element.start : element.end] = b"\1" * (element.end - element.start)
    for start, end in shown_spans(rendering, length):
        assert all(covered[at] or text[at].isspace() for at in range(start, end)), "words are in elements"
    return rendering


def shown_spans(rendering: Rendering, length: int) -> list[tuple[int, int]]:
    """Return the spans of the characters that are shown as they are."""
    edges = [0, *(edge for each in rendering.substitutions for edge in each[:2]), length]
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]


def outline(document: Document) -> list[str]:
    """Return the elements of a document as lines, each indented by its depth: kind, level, title and words."""
    rendering, lines = check(document), []
    for each in rendering.elements:
        words = " ".join(part(document.text, rendering, each.start, each.end).split())
        level = f" {each.level}" if each.level else ""
        title = f" <{each.title}>" if each.title else ""
        lines.append(f"{'  ' * each.depth}{each.kind}{level}{title}: {words}")
    return lines


def part(text: str, rendering: Rendering, start: int, end: int) -> str:
    """Return what a reader sees of a part of a text."""
    pieces, place = [], start
    for first, last, instead in rendering.substitutions:
        if first < end and last > start:
            pieces += [text[place : max(place, first)], instead if first >= start else ""]
            place = max(place, last)
    return "".join([*pieces, text[place:end]])
