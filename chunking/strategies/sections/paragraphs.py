"""Strategies that cut between paragraphs, or at the text pattern nearest to a target size.

Also the parts of a document that the section and heading families share: where a block may be cut off, and which
blocks belong together. It reads only ``document.blocks``, so a ``#`` inside a code fence is not a heading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from chunking.chunks import Cut, Reason, SizeParameters, outline
from chunking.chunks.cut_points import CutPoints
from chunking.document import Block, Document
from chunking.document.graphemes import cluster_starts, without_inner
from chunking.loading.numerals import SECTION_WORDS
from chunking.params import Value, parameter
from chunking.runtime.arrays import Int64
from chunking.runtime.patterns import compile_pattern
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.cutting import at_gaps, segment
from chunking.tokens import SpanTokens
from chunking.workspace import DocumentAnalysis

# Parameters --------------------------------------------------------------------------------------------------------

DEEPEST = 6
"""The level that includes all deeper ones, which numbered headings of plain text can have."""


def size_parameter(name: str, default: Value, minimum: float | None = None, help: str = "") -> Any:
    """Return a field of :class:`SizeParameters` with another default, and another minimum or help where one is
    given.
    """
    definition = SizeParameters.lookup(name)
    return parameter(
        default,
        definition.title,
        help or definition.help,
        minimum=definition.minimum if minimum is None else minimum,
        maximum=definition.maximum,
        step=definition.step,
        unit=definition.unit,
        choices=definition.choices,
    )


def level_parameter(default: int, help: str) -> Any:
    """Return the field ``level``: the deepest heading level that counts."""
    return parameter(
        default,
        "Heading level",
        f"{help} {DEEPEST} includes all deeper levels.",
        minimum=1,
        maximum=DEEPEST,
        step=1,
    )


# Blocks ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """A block with the offset at which a cut before it divides the text.

    Attributes:
        block: any block except a page break, which belongs to the preceding block.
        place: offset of the cut; 0 for the first, so that parts tile the text.
        bound: whether it belongs to the previous part: a heading's text, a list, table, quote or code that a colon
            announces, and a table's caption.
    """

    block: Block
    place: int
    bound: bool

    def opens(self, level: int) -> bool:
        """Return whether it is a heading of at most that level."""
        return self.block.kind == "heading" and (self.block.level <= level or level == DEEPEST)

    def cut(self, reason: Reason | None = None) -> Cut:
        """Return the cut before the part; its default reason is the kind of the block."""
        kind = self.block.kind
        if kind == "heading":
            return Cut(self.place, reason or "heading", detail=f"level {self.block.level}")
        if kind == "paragraph":
            return Cut(self.place, reason or "paragraph")
        return Cut(self.place, reason or "block", detail=KIND_NAMES[kind])


KIND_NAMES = {
    "list_item": "list item",
    "table": "table",
    "code": "code",
    "quote": "quote",
    "caption": "caption",
    "footnote": "footnote",
    "speaker_turn": "speaker turn",
}
"""Names of blocks that are neither headings nor paragraphs."""


def parts(document: Document) -> list[Part]:
    """Return the blocks of a document in order, each with the place of a cut before it."""
    blocks = [block for block in document.blocks if block.kind != "page_break"]
    places = [0, *cut_places(document, [block.start for block in blocks[1:]], [block.end for block in blocks[:-1]])]
    bound = [False, *(_is_bound(document.text, left, right) for left, right in pairwise(blocks))]
    return [Part(*fields) for fields in zip(blocks, places, bound, strict=False)]


def cut_places(document: Document, starts: Sequence[int], ends: Sequence[int]) -> list[int]:
    """Return the offsets at which cuts before blocks divide the text.

    That is the start of the block's first line, as at a gap (:func:`chunking.sentences.gap_offsets`), or of the block
    itself where the block before ends on that line.

    Args:
        document: the document.
        starts: where each block starts.
        ends: where the block before each ends.
    """
    begins = np.array(starts, dtype=np.int64)
    line = document.line_starts[np.searchsorted(document.line_starts, begins, side="right") - 1]
    places = np.where(line >= np.array(ends, dtype=np.int64), line, begins)
    starts_of_clusters: list[int] = cluster_starts(document.inside_clusters, places).tolist()
    return starts_of_clusters


def _is_bound(text: str, left: Block, right: Block) -> bool:
    if left.kind == "heading":
        return right.kind != "heading" or right.level > left.level
    bond = outline.bond(text, left, right, (":", "："))
    return bond in ("title", "caption") or (bond == "lead-in" and left.kind != right.kind)


def at_parts(
    name: str, choose: Callable[[Sequence[Part], Any], Sequence[Cut]]
) -> Callable[[DocumentAnalysis, Any], Segmentation]:
    """Return what runs a strategy that cuts between the parts of a document.

    Args:
        name: of the strategy.
        choose: returns the cuts for the parts and the parameters.
    """

    def run(workspace: DocumentAnalysis, params: Any) -> Segmentation:
        cuts = choose(parts(workspace.document), params)
        return segment(workspace, name, params, at_gaps(workspace, cuts, params))

    return run


# paragraph ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ParagraphParameters(SizeParameters):
    """Parameters of ``paragraph``."""

    min_tokens: int = size_parameter("min_tokens", 50)
    max_tokens: int = size_parameter("max_tokens", 256)


# semantic_boundary -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SemanticBoundaryParameters(SizeParameters):
    """Parameters of ``semantic_boundary``."""

    size: int = parameter(
        500,
        "Target",
        "Target size of a chunk without overlap; the minimum and the maximum take precedence.",
        minimum=1,
        maximum=32000,
        step=10,
        unit="tokens",
    )
    min_tokens: int = size_parameter("min_tokens", 200)
    max_tokens: int = size_parameter("max_tokens", 1000, minimum=1)


_STRONG, _WEAK, _LINE, _WORD = range(4)

_BREAK = compile_pattern(r"^[ \t>]*([-*_])(?:[ \t]*\1){2,}[ \t]*$", re.MULTILINE)

_ROMAN = r"(?=[ivxlc])(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
_NUMBER = rf"(?:\d{{1,4}}|{_ROMAN}|one|two|three|four|five|six|seven|eight|nine|ten)\b"
_OPENER = compile_pattern(
    rf"(?:(?:{SECTION_WORDS}|article|book|lesson|artikel|secci[óo]n|se[çc][ãa]o|sezione|hoofdstuk|rozdział|глава|раздел|"
    r"часть)"
    rf"\.?[ \t]+{_NUMBER}|appendix[ \t]+[a-z]\b|§+[ \t]*\d+|第[0-9一二三四五六七八九十百]{{1,5}}[章节節部编編回]|"
    r"제[ ]?\d{1,4}[ ]?[장절부조편])",
    re.IGNORECASE,
)
"""Openings of numbered parts, in several languages."""

_CONNECTIVES = (
    "however|moreover|furthermore|therefore|consequently|nevertheless|nonetheless|in contrast|on the other hand|"
    "in addition|additionally|meanwhile|finally|firstly|secondly|thirdly|first|second|third|next|in conclusion|to sum "
    "up|in summary|for example|for instance|as a result|similarly|by contrast|"
    "jedoch|außerdem|darüber hinaus|dagegen|andererseits|schließlich|zusammenfassend|erstens|zweitens|drittens|"
    "folglich|trotzdem|zum beispiel|"
    "cependant|toutefois|néanmoins|en revanche|de plus|par ailleurs|ensuite|enfin|en conclusion|par exemple|"
    "premièrement|deuxièmement|"
    "sin embargo|no obstante|además|por otro lado|por lo tanto|en cambio|finalmente|en conclusión|por ejemplo|"
    "no entanto|além disso|por outro lado|portanto|em conclusão|por exemplo|"
    "tuttavia|inoltre|d'altra parte|pertanto|infine|in conclusione|per esempio|"
    "однако|кроме того|с другой стороны|поэтому|наконец|таким образом|например"
)
_CONNECTIVE = compile_pattern(
    rf"(?:{_CONNECTIVES})\b|然而|但是|此外|另外|因此|所以|总之|總之|首先|其次|最后|最後|例如|しかし|また|さらに|そのため|"
    r"したがって|一方|最後に|例えば|그러나|하지만|또한|게다가|따라서|그러므로|한편|마지막으로|예를 들어",
    re.IGNORECASE,
)
"""Connectives at the start of a sentence, in several languages."""

_SPACE = compile_pattern(r"\s+")


Pattern = tuple[int, str]
"""Rank of a place (strong, weak, line or word; lower ranks take precedence), and the name of the pattern there."""


def _run_semantic_boundary(workspace: DocumentAnalysis, params: SemanticBoundaryParameters) -> Segmentation:
    high = params.max_tokens - (params.overlap if params.overlap_unit == "tokens" else 0)
    cut_points, patterns = _candidates(workspace, max(high - params.min_tokens, 1))
    seeker = _Seeker(cut_points.tokens, [rank for rank, _ in patterns], params, high)
    cuts = [
        Cut(
            int(cut_points.offsets[cut_index]),
            "size" if patterns[cut_index][0] == _WORD else "pattern",
            detail=patterns[cut_index][1],
        )
        for cut_index in (seeker.run() if workspace.document.text else [])
    ]
    return segment(workspace, "semantic_boundary", params, at_gaps(workspace, cuts))


def _candidates(workspace: DocumentAnalysis, roomy: int) -> tuple[CutPoints, list[Pattern]]:
    """Return the places of a document with their patterns, between words only where other places are far apart."""
    document = workspace.document
    document_parts, text = parts(document), document.text
    cut_points = workspace.cut_points.with_places([part.place for part in document_parts[1:]])
    inner = dict(_inside(cut_points, roomy))
    cut_points = cut_points.with_places(without_inner(np.array(list(inner), dtype=np.int64), document.inside_clusters))
    neighbours = zip([None, *document_parts], document_parts, strict=False)
    by_place = {right.place: _block_pattern(text, left, right) for left, right in neighbours}
    at_gap = _sentence_patterns(workspace)
    return cut_points, [
        by_place.get(offset) or (at_gap[gap] if gap >= 0 else inner.get(offset, (_LINE, "line end")))
        for offset, gap in zip(cut_points.offsets.tolist(), cut_points.gaps.tolist(), strict=True)
    ]


def _inside(cut_points: CutPoints, roomy: int) -> Iterator[tuple[int, Pattern]]:
    """Yield line ends and words inside the segments that are too large to be sure of a place between minimum and
    maximum.
    """
    cuts, text = cut_points.tokens.cuts, cut_points.document.text
    alone = np.arange(len(cuts) - 1)
    for atom in np.flatnonzero(cut_points.tokens.span_counts(alone, alone + 1) > roomy).tolist():
        start, end = int(cuts[atom]), int(cuts[atom + 1])
        for space in _SPACE.finditer(text, start, end):
            if space.end() == end:
                continue
            line = max(space.group().rfind("\n"), space.group().rfind("\r")) + 1
            offset = space.start() + line if line else space.end()
            if start < offset < end:
                yield offset, (_LINE, "line end") if line else (_WORD, "between words")


def _block_pattern(text: str, left: Part | None, right: Part) -> Pattern:
    block = right.block
    if left and _BREAK.search(text, left.block.end, block.start):
        return _STRONG, "thematic break"
    if right.bound:
        return _LINE, "after a heading" if left and left.block.kind == "heading" else "after a lead-in"
    if block.kind == "heading":
        return _STRONG, f"heading of level {block.level}"
    if opener := _OPENER.match(text, block.content, block.end):
        return _STRONG, f"opener {opener.group()}"
    if block.kind == "list_item" and left and left.block.kind == "list_item":
        return _WEAK, "list item"
    return _STRONG, f"block boundary: {KIND_NAMES.get(block.kind, block.kind)}"


def _sentence_patterns(workspace: DocumentAnalysis) -> list[Pattern]:
    """Return rank and name of the pattern at each gap, as if it were inside a block."""
    text, patterns = workspace.document.text, []
    starts = workspace.sentences.spans[1:, 0].tolist()
    for start, offset in zip(starts, workspace.offsets.tolist(), strict=True):
        if (offset == 0 or text[offset - 1] in "\r\n") and (opener := _OPENER.match(text, start)):
            patterns.append((_STRONG, f"opener {opener.group()}"))
        elif connective := _CONNECTIVE.match(text, start):
            patterns.append((_WEAK, f"connective {connective.group()}"))
        else:
            patterns.append((_WEAK, "sentence end"))
    return patterns


class _Seeker:
    """The search for the cuts of ``semantic_boundary``, one chunk after another.

    Args:
        tokens: the tokens between the places where a cut may fall.
        ranks: the rank of each place.
        params: the size limits.
        high: maximum tokens of a chunk without an overlap counted in tokens.
    """

    _SLACK = 64
    """Assumed error in tokens of the difference of two running counts."""

    def __init__(self, tokens: SpanTokens, ranks: Sequence[int], params: SemanticBoundaryParameters, high: int) -> None:
        self.tokens = tokens
        self.end = len(tokens.cuts) - 1
        self.rank = np.array([_STRONG, *ranks, _STRONG])  # by bound; the end of the text is a strong one
        self.low, self.high = params.min_tokens, high
        self.target = min(max(params.size, params.min_tokens), high)
        self.overlap = params.overlap if params.overlap_unit == "sentences" else 0
        self.cumulative = self.tokens.span_counts(np.zeros(self.end + 1, dtype=np.int64), np.arange(self.end + 1))

    def run(self) -> list[int]:
        """Return the indices of the cut points to cut, ascending."""
        indices: list[int] = []
        bound = self._next(0)
        while bound < self.end:
            indices.append(bound - 1)
            bound = self._next(bound)
        return indices

    def _next(self, first: int) -> int:
        """Return the bound at which the chunk from bound ``first`` ends."""
        reach = int(np.searchsorted(self.cumulative, self.cumulative[first] + self.high + self._SLACK, side="right"))
        stops = np.arange(first + 1, max(min(reach, self.end), first + 1) + 1)
        counts = self.tokens.span_counts(np.full(len(stops), first), stops)
        fits = self._with_overlap(first, stops, counts) <= self.high
        if fits[-1] and stops[-1] == self.end and counts[-1] < self.low:
            return self.end
        pool = fits & (counts >= self.low)
        tokens_after = self.cumulative[self.end] - self.cumulative[stops]
        roomy = pool & ((tokens_after >= self.low) | (stops == self.end))
        candidates = np.flatnonzero(roomy if roomy.any() else pool)
        if not len(candidates):
            late = np.flatnonzero(fits)
            return int(stops[late[-1]]) if len(late) else first + 1
        order = np.lexsort((np.abs(counts[candidates] - self.target), self.rank[stops[candidates]]))
        return int(stops[candidates[order[0]]])

    def _with_overlap(self, first: int, stops: Int64, counts: Int64) -> Int64:
        """Return the tokens up to each stop with the sentences that are repeated, as far as they take half the maximum
        at most.
        """
        lead = max(first - self.overlap, 0)
        while lead < first and 2 * int(self.tokens.span_counts([lead], [first])[0]) > self.high:
            lead += 1
        return self.tokens.span_counts(np.full(len(stops), lead), stops) if lead < first else counts


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="paragraph",
        title="Paragraphs",
        family="paragraph",
        summary="Cuts between blocks (paragraphs, headings, list items, tables, code), merges small ones and splits "
        "large ones at sentences.",
        origin="Paragraph strategies of personal-library-manager (LichHunter): 50 to 256 tokens",
        params=ParagraphParameters,
        cut=at_parts("paragraph", lambda blocks, _: [part.cut() for part in blocks[1:]]),
        presets={"default": {}, "long": {"min_tokens": 100, "max_tokens": 1000}},
    ),
    Strategy(
        name="semantic_boundary",
        title="Text patterns",
        family="pattern",
        summary="Cuts at the strongest text pattern nearest to a target size: headings, breaks and blocks "
        "before sentence "
        "ends, sentence ends before line ends and words.",
        origin="Semantic boundary chunkers: target 500 tokens, from 200 to 1,000",
        params=SemanticBoundaryParameters,
        cut=_run_semantic_boundary,
    ),
)
