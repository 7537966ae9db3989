"""The facts about a document that its advice depends on, and the rule that follows from them.

The rule has a strategy for each kind of document, and which comes next. It has no more parameters than :data:`RANKINGS`
and :data:`THRESHOLDS`. Both were chosen by ``python -m benchmarks advice``, which also measures how often the rule is
wrong on documents that it was not chosen on. Programs, JSON, YAML and documents of tables have no reference boundaries
in any set: their rankings are not measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from chunking import embedding
from chunking.advice.texts import TEXTS
from chunking.chunks import RetrievalSizeParameters, before_chunk
from chunking.document import BLOCK_KINDS, BlockKind, Document
from chunking.embedding import Encoder
from chunking.embedding.encoders import UNLIMITED
from chunking.embedding.own_tokens import own_tokens
from chunking.errors import ChunkscopeError
from chunking.loading import FORMATS
from chunking.runtime.arrays import Bools, Float64, Int64
from chunking.runtime.patterns import compile_pattern
from chunking.sentences import Sentences
from chunking.strategies import parse
from chunking.tokens import SpanTokens
from chunking.workspace import DocumentAnalysis

Kind = Literal["code", "json", "yaml", "blocks", "dialogue", "headings", "long_sections", "technical", "prose"]
KINDS: tuple[Kind, ...] = get_args(Kind)

NotRepresentative = Literal["stub", "template"]

TITLES: Mapping[Kind, str] = {kind: TEXTS["kinds"][kind] for kind in KINDS}
"""What each kind is, in words."""

MOST_TURNS = 0.5
"""Share of the sentences in speaker turns above which a document is a dialogue."""

FEWEST_HEADINGS = 2
"""Headings below the first sentence from which a document has headings."""


@dataclass(frozen=True)
class KindThresholds:
    """The two shares that separate kinds; both are chosen by ``python -m benchmarks advice``.

    Attributes:
        long_sections: share of the sections that exceed the maximum, above which headings alone are too coarse.
        marked: share of the sentences in lists, tables, quotes and code, or with code in them, above which a text is
            technical.
    """

    long_sections: float = 0.3
    marked: float = 0.02


THRESHOLDS = KindThresholds()


_DATA: Mapping[str, Kind] = {"json": "json", "yaml": "yaml"}
"""The kind of documents of a format of values."""


@dataclass(frozen=True, eq=False)
class DocumentProfile:
    """The facts about a document.

    Attributes:
        format: name of its format.
        sentences: number of sentences.
        headings: gaps before which a heading begins, without those between two headings.
        heading_share, type_share, block_share: share of the gaps with a heading after them; with a step of type, extra
            space or a page end; with a new block.
        speech, marked, fixed: share of the sentences in speaker turns; in lists, tables, quotes and code, or with code
            between backticks; in tables and code blocks alone.
        foreign: whether the encoder was not trained on the language.
        sections: ``(n_sections,)`` int64, tokens of the parts between headings.
        maximum: tokens that a chunk may have.
    """

    format: str
    sentences: int
    headings: int
    heading_share: float
    type_share: float
    block_share: float
    speech: float
    marked: float
    fixed: float
    foreign: bool
    sections: Int64
    maximum: int

    @property
    def long_sections(self) -> float:
        """The share of the sections above the maximum."""
        return _share(self.sections > self.maximum)

    @property
    def layout(self) -> bool:
        """Whether a gap has a heading, a step of type or extra space."""
        return self.heading_share > 0 or self.type_share > 0

    def kind(self, thresholds: KindThresholds = THRESHOLDS) -> Kind:
        """Return the kind of the document: the first that applies, in the order of :data:`KINDS`."""
        if FORMATS[self.format].language:
            return "code"
        if self.format in _DATA:
            return _DATA[self.format]
        if self.fixed == 1:
            return "blocks"
        if self.speech > MOST_TURNS:
            return "dialogue"
        if self.headings >= FEWEST_HEADINGS:
            long = self.long_sections > thresholds.long_sections and not self.foreign
            return "long_sections" if long else "headings"
        return "technical" if self.marked > thresholds.marked else "prose"


STUB_TOKENS, TEMPLATE_SHARE = 50, 0.1
"""Tokens below which a document is a stub, and the share of the text outside code, in marks, above which it is a
template."""

_TEMPLATE_MARK = compile_pattern(r"\{\{[^{}]{0,500}\}\}|\{%[^{}%]{0,500}%\}|<%[^<>%]{0,500}%>")


def not_representative(facts: DocumentProfile, document: Document) -> NotRepresentative | None:
    """Return what a document is that says nothing of how others should be split: a stub, such as a page of which little
    more than a title or a picture is text, or a template, whose marks are filled in later; ``None`` for any other.

    Args:
        facts: about the document.
        document: the document.
    """
    if facts.sections.sum() < STUB_TOKENS:
        return "stub"
    # Code may show templates to readers.
    parts = [document.text[block.start : block.end] for block in document.blocks if block.kind != "code"]
    marks = sum(len(mark[0]) for part in parts for mark in _TEMPLATE_MARK.finditer(_CODE.sub("", part)))
    return "template" if marks > TEMPLATE_SHARE * sum(map(len, parts)) else None


def measure(workspace: DocumentAnalysis, maximum: int) -> DocumentProfile:
    """Return the facts about a document, which need no vectors.

    Args:
        workspace: the document.
        maximum: tokens that a chunk may have, as its tokenizer counts.
    """
    heading, after = _column(workspace, "heading"), _column(workspace, "after_heading")
    sentences = workspace.sentences
    language, languages = workspace.document.language, workspace.encoder.languages
    return DocumentProfile(
        format=workspace.document.format,
        sentences=len(sentences),
        headings=int(np.count_nonzero((heading > 0) & (after == 0))),
        heading_share=_share(heading > 0),
        type_share=_share(np.any([_column(workspace, name) > 0 for name in _TYPE], axis=0)),
        block_share=_share(_column(workspace, "paragraph") > 0),
        speech=_share(_of_kinds(sentences, ("speaker_turn",))),
        marked=_share(_of_kinds(sentences, ("list_item", "table", "code", "quote")) | _with_code(sentences)),
        fixed=_share(_of_kinds(sentences, ("table", "code"))),
        foreign=bool(languages) and language not in (*languages, "und"),
        sections=_sections(workspace),
        maximum=maximum,
    )


_TYPE = ("font_step", "spacing", "page_break")
"""Layout features of type and space."""


def _column(workspace: DocumentAnalysis, feature: str) -> Float64:
    """Return ``(n_gaps,)`` values of a layout feature."""
    structure = workspace.structure("layout")
    column: Float64 = structure.values[:, [layout_feature.name for layout_feature in structure.features].index(feature)]
    return column


def _share(values: Bools) -> float:
    return float(values.mean()) if values.size else 0.0


def _of_kinds(sentences: Sentences, names: Sequence[BlockKind]) -> Bools:
    """Return ``(n_sentences,)``: whether each is in a block of one of these kinds."""
    is_of_kind: Bools = np.isin(sentences.kinds, [BLOCK_KINDS.index(name) for name in names])
    return is_of_kind


_CODE = compile_pattern(r"`[^`\s](?:[^`]*[^`\s])?`")
"""Code between backticks; a quotation mark made of two backticks is none."""


def _with_code(sentences: Sentences) -> Bools:
    """Return ``(n_sentences,)``: whether each has code between backticks, as Markdown and reStructuredText write it."""
    return np.array([_CODE.search(text) is not None for text in sentences.texts], dtype=np.bool_)


def _sections(workspace: DocumentAnalysis) -> Int64:
    """Return the tokens of the parts between headings."""
    chunks = parse("heading").run(workspace).chunks
    return np.array([chunk.tokens for chunk in chunks], dtype=np.int64)


CANDIDATES: tuple[str, ...] = (
    "changepoint",
    "structural",
    "heading",
    "heading_limited",
    "hierarchical",
    "markdown",
    "paragraph",
    "recursive",
)
"""The strategies that are compared with each other, on every document."""

BASELINE = "recursive"
"""The candidate that most programs use."""

RANKINGS: Mapping[Kind, tuple[str, str]] = {
    "code": ("code", "changepoint"),
    "json": ("json", "changepoint"),
    "yaml": ("hierarchical", "heading"),
    "blocks": ("markdown", "changepoint"),
    "dialogue": ("structural", "changepoint"),
    "headings": ("heading", "heading_limited"),
    "long_sections": ("structural", "heading"),
    "technical": ("structural", "changepoint"),
    "prose": ("changepoint", "structural"),
}
"""The advised strategy and the second best, by kind of document."""

UNMEASURED: frozenset[Kind] = frozenset(("code", "json", "yaml", "blocks"))
"""Kinds whose ranking is not measured: a parser finds their parts, and no set of them has reference boundaries."""


def ranked(kind: Kind) -> tuple[str, ...]:
    """Return the strategies to compare on a document of a kind: the advised one, the second best, then the others."""
    return tuple(dict.fromkeys((*RANKINGS[kind], *CANDIDATES)))


QUANTILE = 0.05
"""Share of the passages of the length of the limit that may have more tokens of the encoder than the maximum allows."""

STEP = 10
"""Maxima in other tokens than the encoder's are rounded down to a multiple of this."""


@dataclass(frozen=True)
class AdvisedMaximum:
    """A maximum size of chunks.

    Attributes:
        tokens: the maximum, as the tokenizer counts.
        limit: tokens that the encoder reads, special ones included; 0 without a limit.
        exact: whether the tokenizer is the encoder's own.
        ratio: tokens of the encoder for each token of the tokenizer in the densest passages; 1 where they are the same.
        path: tokens of the encoder that are left for the heading path, which is embedded before a chunk.
    """

    tokens: int
    limit: int
    exact: bool
    ratio: float = 1.0
    path: int = 0


def advised_maximum(workspace: DocumentAnalysis) -> AdvisedMaximum:
    """Return the maximum that keeps the chunks of a document within the limit of the encoder that they are embedded
    with; the default where it has none.

    Counted in the encoder's own tokens, that is the limit without its special tokens and without those of the heading
    path that is embedded before a chunk, of all paths of the document but the longest :data:`QUANTILE`. For another
    tokenizer, the two counts are compared in the passages of the document that just exceed the limit, and all but the
    densest :data:`QUANTILE` of them set the ratio.

    Raises:
        ChunkscopeError: the encoder is unknown, or has a limit and no tokenizer that can be used.
    """
    encoder = workspace.retrieval_encoder
    if encoder.max_tokens >= UNLIMITED:
        return AdvisedMaximum(RetrievalSizeParameters().max_tokens, 0, False)
    special = int(encoder.token_counts([""])[0])
    path = min(_path_tokens(workspace.document, encoder, special), encoder.max_tokens // 4)
    room = max(encoder.max_tokens - special - path, 1)
    if _is_own(workspace):
        return AdvisedMaximum(room, encoder.max_tokens, True, path=path)
    ratios = _ratios(workspace, room)
    ratio = max(float(np.quantile(ratios, 1 - QUANTILE)), 1.0) if len(ratios) else 1.0
    return AdvisedMaximum(max(int(room / ratio) // STEP * STEP, STEP), encoder.max_tokens, False, ratio, path)


def _path_tokens(document: Document, encoder: Encoder, special: int) -> int:
    """Return the tokens of the longest heading path of a document, but for its longest :data:`QUANTILE`, without the
    special tokens of the encoder.
    """
    paths = [before_chunk(document.heading_path(heading.start)) for heading in document.headings]
    if not paths:
        return 0
    counts = encoder.token_counts(paths) - special
    return int(np.quantile(counts, 1 - QUANTILE, method="higher"))


def _is_own(workspace: DocumentAnalysis) -> bool:
    try:
        return embedding.own_tokenizer(workspace.tools.retrieval_encoder) == workspace.tools.tokenizer
    except ChunkscopeError:
        return False


def _ratios(workspace: DocumentAnalysis, room: int) -> Float64:
    """Return tokens of the encoder per token of the tokenizer: of each shortest run of sentences above the limit, else
    of the whole document.
    """
    tokens = workspace.cut_points.tokens
    encoder_tokens = SpanTokens(workspace.document.text, tokens.cuts, own_tokens(workspace.retrieval_encoder))
    starts = np.arange(len(tokens.cuts) - 1)
    if not len(starts):
        return np.zeros(0)
    sums = np.concatenate(([0], np.cumsum(encoder_tokens.span_counts(starts, starts + 1))))
    ends = np.searchsorted(sums, sums[:-1] + room, side="right")
    long = ends < len(sums)
    starts, ends = (starts[long], ends[long]) if long.any() else (starts[:1], np.array([len(sums) - 1]))
    ratios: Float64 = encoder_tokens.span_counts(starts, ends) / np.maximum(tokens.span_counts(starts, ends), 1)
    return ratios
