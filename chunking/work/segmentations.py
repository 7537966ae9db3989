"""Segmentations by strategies that work on the text, and alignments with it, in processes of their own.

A strategy runs unchanged, on a workspace that has the document and what its caller has measured. Where it needs more
(sentences by a model, vectors), the process answers with that, the caller has it computed and calls again: no model is
loaded there. What comes back is checked: spans lie in the text, and reasons are reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chunking import isolation, strategies, tokens
from chunking.alignment import Piece, Placed
from chunking.chunks import Chunk, Cut, ExternalText, TokenCounts
from chunking.chunks.edits import Edit
from chunking.document import Document, Span
from chunking.embedding import Encoder, Static
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.isolation import Call, Limits, demand, errors
from chunking.params import Parameters
from chunking.runtime.arrays import Float32, Int64
from chunking.runtime.progress import Progress
from chunking.sentences import Sentences
from chunking.strategies import Segmentation, Strategy
from chunking.work.measures import bare
from chunking.workspace import Backend, DocumentAnalysis, Models

LIMITS = Limits(wall=60.0, cpu=30, niceness=5, slots="cut")
"""Limits of a strategy, and of an alignment."""

_MOST_CALLS = 50
"""Limit of the calls for one segmentation, each of which needs vectors that those before did not."""


@dataclass(frozen=True)
class _ChunkRecord:
    """A chunk without its text; see :class:`chunking.chunks.Chunk`."""

    start: int
    end: int
    overlap: int | None
    tokens: int
    overlap_tokens: int
    indexed_tokens: int
    heading_path: tuple[str, ...]
    cut: Cut | None
    notes: tuple[str, ...]
    parent: int | None
    foreign: ExternalText | None


@dataclass(frozen=True)
class _Result:
    """A segmentation without its document; see :class:`chunking.strategies.Segmentation`."""

    chunks: tuple[_ChunkRecord, ...]
    suppressed: tuple[Cut, ...]
    warnings: tuple[str, ...]
    unplaced: tuple[str, ...]
    kept: tuple[Cut, ...]


@dataclass(frozen=True)
class Request:
    """A strategy to run, and the document with what has been measured of it.

    Attributes:
        strategy: its name.
        params: its parameters by name.
        tools: of the workspace.
        document: to be cut.
        spans, block: its sentences, see :class:`~chunking.sentences.Sentences`; ``None`` where it was not split.
        windows: sizes of windows for which there are vectors.
        vectors: of the sentences, ``(n_sentences, dimension)``; ``None`` where there are none.
        texts: other texts whose vectors are known.
        embedded: their vectors, ``(n_texts, dimension)``; ``None`` where there are none.
        edits: by hand.
    """

    strategy: str
    params: dict[str, Any]
    tools: Models
    document: Document
    spans: Int64 | None = None
    block: Int64 | None = None
    windows: tuple[int, ...] = ()
    vectors: Float32 | None = None
    texts: tuple[str, ...] = ()
    embedded: Float32 | None = None
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True)
class Answer:
    """The result of a strategy, or what it needs.

    Attributes:
        result: ``None`` where something is needed.
        needs_sentences: whether it needs the sentences of the document.
        texts: of which it needs the vectors.
    """

    result: _Result | None = None
    needs_sentences: bool = False
    texts: tuple[str, ...] = ()


Ask = Callable[[Request], Answer]
"""Runs :func:`answer` somewhere, and returns its result."""


def segment(
    strategy: Strategy, workspace: DocumentAnalysis, params: Parameters, ask: Ask | None = None
) -> Segmentation:
    """Return the segmentation of a document, as :attr:`chunking.strategies.Strategy.cut` does.

    Args:
        strategy: one that works on the text.
        workspace: the document.
        params: of the strategy.
        ask: runs it; by default in a process of its own, which has the built-in tokenizers alone.

    Raises:
        LimitError: it met a limit.
        ChunkscopeError: it cannot cut the document, or its process failed.
    """
    if not strategy.installed():
        return strategy.cut(workspace, params)  # which raises, without a look at the text
    remedy = "Choose other parameters or another strategy, or split the document into smaller ones."
    with errors.reworded("The strategy", workspace.document.name, remedy):
        return _segment(strategy, workspace, params, ask or _asker(strategy, workspace.document.name))


def _asker(strategy: Strategy, name: str) -> Ask:
    warm = ("chunking.work.rehearsal:rehearse_peers",) if strategy.family == "peers" else ()

    libraries = ("chunking.strategies.other_splitters.base:silence",) if warm else ()
    return lambda request: isolation.run(Call(answer, (request,), libraries, warm), name, LIMITS)


def is_built_in(tokenizer: str) -> bool:
    """Return whether a process of its own has a tokenizer: others belong to the models of encoders."""
    return tokenizer in tokens.tokenizer_names()


def _segment(strategy: Strategy, workspace: DocumentAnalysis, params: Parameters, ask: Ask) -> Segmentation:
    windows = tuple(window for window in strategy.windows(params) if workspace.has_vectors(window))
    request = Request(
        strategy.name,
        dict(params.values()),
        workspace.tools,
        bare(workspace.document),
        windows=windows,
        vectors=workspace.vectors(windows[0]) if windows else None,
        edits=workspace.edits,
    )
    embedded: dict[str, Float32] = {}
    for _ in range(_MOST_CALLS):
        if workspace.has_sentences:
            request = replace(request, spans=workspace.sentences.spans, block=workspace.sentences.block)
        if embedded:
            request = replace(request, texts=tuple(embedded), embedded=np.array(list(embedded.values())))
        answer = ask(request)
        with errors.checked(workspace.document.name):
            demand(answer.result is not None or answer.needs_sentences or bool(answer.texts))
            if answer.result is not None:
                return _segmentation(answer.result, strategy, workspace, params)
        if answer.needs_sentences:
            workspace.split()
        if answer.texts:
            embedded |= dict(zip(answer.texts, workspace.embed(answer.texts), strict=True))
    raise ChunkscopeError(
        f"{strategy.title} needed vectors {_MOST_CALLS} times and was stopped.", "Choose another strategy."
    )


def _segmentation(result: _Result, strategy: Strategy, workspace: DocumentAnalysis, params: Parameters) -> Segmentation:
    """Return the segmentation of a result.

    Raises:
        WireError: it does not fit the document.
    """
    document, records = workspace.document, result.chunks
    gaps = max(len(workspace.sentences) - 1, 0) if workspace.has_sentences else 0
    _check_chunks(records, len(document.text))
    if strategy.tiles:
        demand([0, *(record.end for record in records)] == [*(record.start for record in records), len(document.text)])
    for cut in (*(record.cut for record in records if record.cut), *result.suppressed, *result.kept):
        demand(0 <= cut.offset <= len(document.text), cut.gap is None or -1 <= cut.gap < gaps)
    return Segmentation(
        document,
        strategy.name,
        params,
        tuple(_chunk(document.text, index, record) for index, record in enumerate(records)),
        result.suppressed,
        None,
        result.warnings,
        result.unplaced,
        result.kept,
    )


def _check_chunks(records: Sequence[_ChunkRecord], length: int) -> None:
    for record in records:
        demand(0 <= record.start < record.end <= length, record.overlap is None or 0 <= record.overlap < record.start)
        demand(min(record.tokens, record.overlap_tokens, record.indexed_tokens) >= 0)
        demand(record.parent is None or 0 <= record.parent < len(records))
        demand(all(0 <= start <= end <= length for start, end in (record.foreign.missing if record.foreign else ())))


def _chunk(text: str, index: int, record: _ChunkRecord) -> Chunk:
    return Chunk(
        index=index,
        start=record.start,
        end=record.end,
        text=text[record.start : record.end],
        counts=TokenCounts((record.tokens, record.overlap_tokens, record.indexed_tokens)),
        overlap=None if record.overlap is None else Span(record.overlap, record.start),
        heading_path=record.heading_path,
        cut=record.cut,
        notes=record.notes,
        parent=record.parent,
        foreign=record.foreign,
    )


def align(document: Document, pieces: Sequence[Piece]) -> tuple[Placed | None, ...]:
    """Return the span of each piece in the text of a document, as :func:`chunking.alignment.align` does.

    Raises:
        LimitError: that meets a limit.
        ChunkscopeError: its process failed.
    """
    with errors.reworded("The alignment of your chunks", document.name, "Use fewer chunks."):
        spans = isolation.run(Call(_align, (bare(document), tuple(pieces))), document.name, LIMITS)
        with errors.checked(document.name):
            demand(len(spans) == len(pieces))
            for span in filter(None, spans):
                demand(0 <= span.start <= span.end <= len(document.text))
                demand(all(span.start <= start <= end <= span.end for start, end in span.missing))
        return spans


# The functions below run in a process of their own.


class _MissingInput(BaseException):
    """Raised where something is needed that was not sent; no library catches it as an error of its own."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer


class _SentBackend(Backend):
    """Has what was sent; anything else that needs a model is needed from the caller.

    Args:
        vectors: by text.
    """

    def __init__(self, vectors: Mapping[str, Float32]) -> None:
        self._vectors = vectors

    def split(self, document: Document, name: str, progress: Progress) -> Sentences:
        """Raise: sentences that exist were sent."""
        raise _MissingInput(Answer(needs_sentences=True))

    def embed(
        self, texts: Sequence[str], encoder: Encoder, cache: VectorCache | None, progress: Progress, origin: str
    ) -> Float32:
        """Return the vectors that were sent."""
        missing = tuple(dict.fromkeys(text for text in texts if text not in self._vectors))
        if missing:
            raise _MissingInput(Answer(texts=missing))
        return np.array([self._vectors[text] for text in texts], dtype=np.float32)


def answer(request: Request) -> Answer:
    """Return the segmentation of what :func:`segment` sent, or what the strategy needs."""
    strategy = strategies.get(request.strategy)
    try:
        return Answer(_result(strategy.cut(_workspace(request), strategy.params.parse({}, request.params))))
    except _MissingInput as needed:
        return needed.answer


def _workspace(request: Request) -> DocumentAnalysis:
    vectors = dict(zip(request.texts, () if request.embedded is None else request.embedded, strict=True))
    sentences = None
    if request.spans is not None and request.block is not None:
        sentences = (Sentences(request.document, request.spans, request.block, ""),)
    # No encoder is loaded here, nor described: vectors come from the caller.
    tools = replace(request.tools, encoder=Static.name)
    workspace = DocumentAnalysis(request.document, tools, None, sentences, _SentBackend(vectors))
    for window in request.windows:
        assert request.vectors is not None
        workspace.add_vectors(window, request.vectors)
    return workspace.with_edits(request.edits)


def _result(segmentation: Segmentation) -> _Result:
    return _Result(
        tuple(_records(segmentation.chunks)),
        segmentation.suppressed,
        segmentation.warnings,
        segmentation.unplaced,
        segmentation.kept,
    )


def _records(chunks: Sequence[Chunk]) -> Iterator[_ChunkRecord]:
    for chunk in chunks:
        yield _ChunkRecord(
            start=chunk.start,
            end=chunk.end,
            overlap=chunk.overlap.start if chunk.overlap else None,
            tokens=chunk.tokens,
            overlap_tokens=chunk.overlap_tokens,
            indexed_tokens=chunk.indexed_tokens,
            heading_path=chunk.heading_path,
            cut=chunk.cut,
            notes=chunk.notes,
            parent=chunk.parent,
            foreign=chunk.foreign,
        )


def _align(document: Document, pieces: tuple[Piece, ...]) -> tuple[Placed | None, ...]:
    return tuple(Backend().align(document, pieces))
