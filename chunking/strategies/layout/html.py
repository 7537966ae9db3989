"""Chunks by HTML element: each element with one of the chosen tags begins a chunk.

A document loaded from HTML has the elements in its blocks; the text of any other is searched for tags.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.chunks import Cut, SizeParameters
from chunking.document import Block, Document
from chunking.errors import ChunkscopeError
from chunking.params import parameter
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.cutting import segment
from chunking.syntax import syntax
from chunking.workspace import DocumentAnalysis

TAGS: tuple[str, ...] = (
    *("p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "section", "article", "header", "footer", "main", "nav", "aside"),
    *("div", "table", "tr", "pre", "blockquote", "ul", "ol", "dl", "dt", "dd", "figure", "details", "form", "fieldset"),
    *("address", "hr"),
)
"""Tags that a chunk may begin at."""

_VOID = frozenset({"area", "audio", "br", "embed", "hr", "iframe", "img", "input", "object", "picture", "svg", "video"})
"""Elements with visible content, or a line break, but no text."""

_QUERY = """
(start_tag (tag_name) @name)
(self_closing_tag (tag_name) @name)
[(text) (entity) (raw_text) (end_tag) (erroneous_end_tag) (self_closing_tag)] @content
"""


@dataclass(frozen=True, kw_only=True)
class HtmlParameters(SizeParameters):
    """Parameters of ``html``."""

    tags: tuple[str, ...] = parameter(
        ("p", "h1", "h2", "h3", "li", "section"),
        "Tags",
        "Elements that begin a chunk. Elements that open directly inside each other begin one chunk together.",
        choices=TAGS,
    )

    def validate(self) -> None:
        """Also reject an empty choice of tags."""
        super().validate()
        if not self.tags:
            raise ChunkscopeError("No tag is selected.", "Select at least one, such as p.")


def _cuts(document: Document, tags: tuple[str, ...]) -> tuple[list[Cut], bool]:
    """Return the cuts before chosen elements, in order, and whether any element was found."""
    if document.format in ("html", "epub") or any(block.tags for block in document.blocks):
        return _block_cuts(document.blocks, tags)
    return _source_cuts(document.text, tags)


def _block_cuts(blocks: Sequence[Block], tags: tuple[str, ...]) -> tuple[list[Cut], bool]:
    """Return the cuts of a document loaded from HTML: before each block that opens a chosen element."""
    tags_by_block = [(block.start, [tag for tag in block.tags if tag in tags]) for block in blocks]
    cuts = [
        Cut(start, "element", detail=_short(" ".join(f"<{tag}>" for tag in chosen_tags)))
        for start, chosen_tags in tags_by_block[1:]
        if chosen_tags
    ]
    return cuts, any(chosen_tags for _, chosen_tags in tags_by_block)


def _source_cuts(text: str, tags: tuple[str, ...]) -> tuple[list[Cut], bool]:
    """Return the cuts of a text that contains HTML source.

    An element that is preceded only by opening tags of elements around it, white space and comments since the last cut
    (or since the beginning) begins no chunk of its own, because that chunk would be empty.
    """
    from tree_sitter import Query, QueryCursor

    tree = syntax.parse(text, "html")
    captures = QueryCursor(Query(syntax.grammar("html"), _QUERY)).captures(tree.root)
    ends = [node.end_byte for node in captures.get("content", ())]
    elements: list[tuple[int, str]] = []
    for node in sorted(captures.get("name", ()), key=lambda node: node.start_byte):
        name = tree.source[node.start_byte : node.end_byte].decode("utf-8").lower()
        if name in tags:
            elements.append((tree.source.rfind(b"<", 0, node.start_byte), name))
        if name in _VOID:
            ends.append(node.end_byte)
    # Amount of content before each element; if it equals that at the last cut, there is none in between.
    content = np.searchsorted(np.sort(ends), [start for start, _ in elements], side="right").tolist()
    cuts: list[tuple[int, str]] = []
    ends_before = 0
    for (start, name), before in zip(elements, content, strict=True):
        if before > ends_before:
            cuts.append((start, f"<{name}>"))
        elif cuts:
            cuts[-1] = (cuts[-1][0], cuts[-1][1] + f" <{name}>")
        ends_before = before
    offsets = tree.offsets([start for start, _ in cuts]).tolist()
    element_cuts = [
        Cut(offset, "element", detail=_short(name)) for offset, (_, name) in zip(offsets, cuts, strict=True)
    ]
    return element_cuts, bool(elements)


def _short(detail: str) -> str:
    return detail if len(detail) <= 60 else detail[:59] + "…"


def _run(workspace: DocumentAnalysis, params: HtmlParameters) -> Segmentation:
    cuts, any_found = _cuts(workspace.document, params.tags)
    warnings = (
        () if any_found else (f"None of these elements was found: {', '.join(f'<{tag}>' for tag in params.tags)}.",)
    )
    return segment(workspace, "html", params, cuts, warnings=warnings)


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="html",
        title="HTML elements",
        family="layout",
        summary="Cuts at the start of every element of the chosen tags.",
        origin="LlamaIndex HTMLNodeParser, with its tags; here the text between the elements is kept",
        params=HtmlParameters,
        cut=_run,
    ),
)
