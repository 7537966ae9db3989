"""What a server computes of a text, each time in a process of its own: see :mod:`chunking.isolation`.

What comes back are spans and numbers, which are checked: they fit the text, or the answer is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from chunking import embedding, isolation, sentences
from chunking.chunks import outline
from chunking.chunks.constraints import HAND, KINDS, Constraints, constraints_of
from chunking.chunks.edits import Edit, LocatedEdits, locate
from chunking.document import Document
from chunking.embedding import Static
from chunking.isolation import Call, Limits, demand, errors
from chunking.rendering import Rendering
from chunking.rendering import render as render_here
from chunking.rendering.rendering import MAX_DEPTH
from chunking.runtime.arrays import Float32, Float64, Int64
from chunking.runtime.progress import Progress
from chunking.sentences import Sentences
from chunking.signals import features
from chunking.signals.features import FEATURES, FeatureSet, Structure

SHORT = Limits(wall=5.0, cpu=3, niceness=0, slots="short")
"""Limits of what somebody waits for before a page is drawn; what meets them is done again in the background."""

WHOLE = Limits(wall=60.0, cpu=30, niceness=5, slots="measure")
"""Limits of what a page needs of a text of any size."""


def split(document: Document, name: str, limits: Limits = SHORT, progress: Progress | None = None) -> Sentences:
    """Return the sentences of a document as :func:`chunking.sentences.split` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    spans, block, splitter = isolation.run(Call(_split, (bare(document), name)), document.name, limits, progress)
    with errors.checked(document.name):
        demand(spans.ndim == 2, block.ndim == 1, spans.shape == (len(block), 2))
        starts, ends = spans.T
        demand(starts >= 0, starts < ends, ends <= len(document.text))
        demand(starts[1:] >= ends[:-1], block >= 0, block < max(len(document.blocks), 1), block[1:] >= block[:-1])
        return Sentences(document, spans, block, splitter)


def measure(sentence_set: Sentences, name: FeatureSet, limits: Limits = WHOLE) -> Structure:
    """Return the structural features of a set as :func:`chunking.signals.features.measure` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    structure = isolation.run(Call(features.measure, (_bare(sentence_set), name)), sentence_set.document.name, limits)
    _check_numbers(structure.values, (_gaps(sentence_set), len(FEATURES[name])), sentence_set.document.name)
    return Structure(name, structure.values)


def strength(sentence_set: Sentences, limits: Limits = WHOLE) -> Float64:
    """Return the evidence of the layout as :func:`chunking.chunks.outline.strength` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    values = isolation.run(Call(outline.strength, (_bare(sentence_set),)), sentence_set.document.name, limits)
    return _check_numbers(values, (_gaps(sentence_set),), sentence_set.document.name)


def constraints(document: Document, limits: Limits = WHOLE) -> Constraints:
    """Return what a document keeps together as :func:`chunking.chunks.constraints.constraints_of` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    result = isolation.run(Call(constraints_of, (bare(document),)), document.name, limits)
    with errors.checked(document.name):
        demand(result.starts.shape == result.ends.shape == result.codes.shape)
        demand(result.codes > 0, result.codes <= len(KINDS), result.codes != HAND)
        demand(result.above_starts.shape == result.above_ends.shape)
    return result


def locate_edits(edits: Sequence[Edit], document: Document, gap_offsets: Int64, limits: Limits = WHOLE) -> LocatedEdits:
    """Return where edits by hand are in a document as :func:`chunking.chunks.edits.locate` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    located = isolation.run(Call(locate, (tuple(edits), document.text, gap_offsets)), document.name, limits)
    with errors.checked(document.name):
        demand(sorted([*located.offsets, *located.lost]) == [*range(len(edits))])
        demand(set(located.offsets.values()) <= set(gap_offsets.tolist()))
    return located


def static_vectors(texts: Sequence[str], name: str, limits: Limits = SHORT) -> Float32:
    """Return the vectors of texts by :class:`chunking.embedding.Static`, as :func:`chunking.embedding.embed` does.

    Args:
        texts: to embed.
        name: of the document, for messages.
        limits: of the process.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    vectors = isolation.run(Call(_static_vectors, (tuple(texts),)), name, limits)
    return _check_numbers(vectors, (len(texts), Static.dimension), name)


def render(document: Document, limits: Limits = WHOLE) -> Rendering:
    """Return a document as its reader sees it, as :func:`chunking.rendering.render` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    rendering = isolation.run(Call(render_here, (bare(document),)), document.name, limits)
    length = len(document.text)
    with errors.checked(document.name):
        last_start = last_end = 0
        for element in rendering.elements:
            demand(last_start <= element.start < element.end <= length, 0 <= element.depth < MAX_DEPTH)
            last_start = element.start
        for substitution in rendering.substitutions:
            demand(last_end <= substitution.start < substitution.end <= length)
            last_end = substitution.end
    return rendering


def bare(document: Document) -> Document:
    """Return a document without its pages and notes, which no measurement needs."""
    return replace(document, pages=None, notes=())


def _bare(sentence_set: Sentences) -> Sentences:
    return replace(sentence_set, document=bare(sentence_set.document))


def _gaps(sentence_set: Sentences) -> int:
    return max(len(sentence_set) - 1, 0)


Floats = TypeVar("Floats", Float32, Float64)


def _check_numbers(values: Floats, shape: tuple[int, ...], name: str) -> Floats:
    with errors.checked(name):
        demand(values.shape == shape, np.isfinite(values))
    return values


# The functions below run in a process of their own.


def _split(document: Document, splitter: str, progress: Progress) -> tuple[Int64, Int64, str]:
    result = sentences.split(document, splitter, progress)
    return result.spans, result.block, result.splitter  # the document is where it came from


def _static_vectors(texts: tuple[str, ...]) -> Float32:
    return embedding.embed(texts, embedding.get_encoder(Static.name))
