"""What a server computes of a text, each time in a process of its own: see :mod:`chunking.isolation`.

What comes back are spans and numbers, which are checked: they fit the text, or the answer is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from chunking import embedding, isolation, sentences, structure
from chunking.chunks import outline
from chunking.document import Document
from chunking.embedding import Static
from chunking.isolation import Call, Limits, errors, message
from chunking.isolation.message import Message, demand, string, strings
from chunking.loading import wire
from chunking.rendering import ELEMENT_KINDS, Element, Rendering, Substitution
from chunking.rendering import render as render_here
from chunking.rendering.rendering import MAX_DEPTH
from chunking.runtime.arrays import Float32, Float64
from chunking.runtime.progress import Progress
from chunking.sentences import Sentences
from chunking.structure import FEATURES, FeatureSet, Structure

SHORT = Limits(wall=5.0, cpu=3, niceness=0, slots="short")
"""Limits of what somebody waits for before a page is drawn; what meets them is done again in the background."""

WHOLE = Limits(wall=60.0, cpu=30, niceness=5, slots="measure")
"""Limits of what a page needs of a text of any size."""

TYPES: message.Types = {
    **wire.TYPES,
    "spans": ("<i8", (2,)),
    "block": ("<i8", ()),
    "values": ("<f8", (-1,)),
    "vectors": ("<f4", (-1,)),
    "embedded": ("<f4", (-1,)),
    "strength": ("<f8", ()),
    "file": ("|u1", ()),
    "elements": ("<i8", (5,)),
    "substitutions": ("<i8", (2,)),
}


def split(document: Document, name: str, limits: Limits = SHORT, progress: Progress | None = None) -> Sentences:
    """Return the sentences of a document as :func:`chunking.sentences.split` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    answer = _run("_split", {"splitter": name}, pack_document(document), document.name, limits, progress)
    with errors.checked(document.name):
        spans, block = answer.array("spans"), answer.array("block")
        starts, ends = spans.T
        demand(len(spans) == len(block), starts >= 0, starts < ends, ends <= len(document.text))
        demand(starts[1:] >= ends[:-1], block >= 0, block < max(len(document.blocks), 1), block[1:] >= block[:-1])
        return Sentences(document, spans, block, string(answer.header.get("splitter")))


def measure(found: Sentences, name: FeatureSet, limits: Limits = WHOLE) -> Structure:
    """Return the structural features of a set as :func:`chunking.structure.measure` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    answer = _run("_measure", {"features": name}, _pack_sentences(found), found.document.name, limits)
    with errors.checked(found.document.name):
        values = answer.array("values")
        demand(values.shape == (_gaps(found), len(FEATURES[name])), np.isfinite(values))
        return Structure(name, values)


def strength(found: Sentences, limits: Limits = WHOLE) -> Float64:
    """Return the evidence of the layout as :func:`chunking.chunks.outline.strength` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    answer = _run("_strength", {}, _pack_sentences(found), found.document.name, limits)
    with errors.checked(found.document.name):
        values = answer.array("strength")
        demand(values.shape == (_gaps(found),), np.isfinite(values))
        return values


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
    lengths = {"lengths": [len(text) for text in texts]}
    answer = _run("_static_vectors", lengths, message.pack(Message({}, ["".join(texts)]), TYPES), name, limits)
    with errors.checked(name):
        vectors = answer.array("vectors")
        demand(vectors.shape == (len(texts), Static.dimension), np.isfinite(vectors))
        return vectors


def render(document: Document, limits: Limits = WHOLE) -> Rendering:
    """Return a document as its reader sees it, as :func:`chunking.rendering.render` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: the process failed.
    """
    answer = _run("_render", {}, pack_document(document), document.name, limits)
    with errors.checked(document.name):
        elements, substitutions = answer.array("elements"), answer.array("substitutions")
        titles, instead = strings(answer.header.get("titles")), strings(answer.header.get("instead"))
        kind, start, end, depth, _ = elements.T
        demand(len(titles) == len(elements), len(instead) == len(substitutions))
        demand((kind >= 0) & (kind < len(ELEMENT_KINDS)), start >= 0, start < end, end <= len(document.text))
        demand(start[1:] >= start[:-1], depth >= 0, depth < MAX_DEPTH)
        demand(substitutions[:, 0] >= 0, substitutions[:, 0] < substitutions[:, 1], substitutions <= len(document.text))
        demand(substitutions[1:, 0] >= substitutions[:-1, 1])
    return Rendering(
        tuple(
            Element(ELEMENT_KINDS[kind], start, end, depth, level, title)
            for (kind, start, end, depth, level), title in zip(elements.tolist(), titles, strict=True)
        ),
        tuple(
            Substitution(start, end, text) for (start, end), text in zip(substitutions.tolist(), instead, strict=True)
        ),
        answer.header.get("reflowed") is True,
    )


def _gaps(found: Sentences) -> int:
    return max(len(found) - 1, 0)


def _run(
    function: str,
    arguments: Mapping[str, Any],
    data: bytes,
    name: str,
    limits: Limits,
    progress: Progress | None = None,
) -> Message:
    call = Call(f"{__name__}:{function}", arguments, reports=progress is not None)
    answer = isolation.run(call, data, name, limits, progress)
    with errors.checked(name):
        return message.unpack(answer, TYPES)


def pack_document(document: Document, **arrays: Any) -> bytes:
    """Return a document, without its source and pages, which no measurement needs, and arrays beside it."""
    sent = wire.message_of(replace(document, pages=None, notes=()))
    return message.pack(replace(sent, arrays={**sent.arrays, **arrays}), TYPES)


def _pack_sentences(found: Sentences) -> bytes:
    return pack_document(found.document, spans=found.spans, block=found.block)


# The functions below run in a process of their own.


def _unpack_sentences(data: bytes) -> Sentences:
    received = message.unpack(data, TYPES)
    return Sentences(wire.document_of(received), received.array("spans"), received.array("block"), "")


def _split(data: bytes, splitter: str, progress: Progress | None = None) -> bytes:
    document = wire.document_of(message.unpack(data, TYPES))
    found = sentences.split(document, splitter, progress)
    return message.pack(Message({"splitter": found.splitter}, (), {"spans": found.spans, "block": found.block}), TYPES)


def _measure(data: bytes, features: FeatureSet) -> bytes:
    return message.pack(Message({}, (), {"values": structure.measure(_unpack_sentences(data), features).values}), TYPES)


def _strength(data: bytes) -> bytes:
    return message.pack(Message({}, (), {"strength": outline.strength(_unpack_sentences(data))}), TYPES)


def _static_vectors(data: bytes, lengths: list[int]) -> bytes:
    (text,) = message.unpack(data, TYPES).texts
    ends = np.cumsum([0, *lengths]).tolist()
    texts = [text[start:end] for start, end in itertools.pairwise(ends)]
    return message.pack(Message({}, (), {"vectors": embedding.embed(texts, embedding.get_encoder(Static.name))}), TYPES)


def _render(data: bytes) -> bytes:
    found = render_here(wire.document_of(message.unpack(data, TYPES)))
    elements = [(ELEMENT_KINDS.index(each.kind), *each[1:5]) for each in found.elements]
    header = {
        "titles": [each.title for each in found.elements],
        "instead": [each.text for each in found.substitutions],
        "reflowed": found.reflowed,
    }
    arrays = {
        "elements": np.array(elements, dtype=np.int64),
        "substitutions": np.array([each[:2] for each in found.substitutions], dtype=np.int64),
    }
    return message.pack(Message(header, (), arrays), TYPES)
