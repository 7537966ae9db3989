"""What measures a document: what is quick at once, the rest in a worker."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial

from chunking import embedding, sentences
from chunking.alignment import Piece, Placed
from chunking.chunks.constraints import Constraints
from chunking.chunks.edits import Edit, LocatedEdits
from chunking.document import Document
from chunking.embedding import Encoder, endpoint
from chunking.embedding.vector_cache import VectorCache
from chunking.isolation import LimitError
from chunking.isolation.workers import RunTask, Task
from chunking.params import Parameters
from chunking.runtime.arrays import Float32, Float64, Int64
from chunking.runtime.caches import LRUCache
from chunking.runtime.progress import Progress, Tell
from chunking.sentences import RULES, Sentences
from chunking.signals.features import FeatureSet, Structure
from chunking.strategies import Segmentation, Strategy
from chunking.work import measures, segmentations
from chunking.work.segmentations import Answer, Request
from chunking.workspace import Backend, DocumentAnalysis

STOPPED_SECONDS = 600.0
"""Seconds after which a strategy that met a limit is run again."""


class Slow(Exception):
    """Raised in place of work that takes long."""


class QuickBackend(Backend):
    """Does what is quick, see :class:`chunking.workspace.Backend`, and raises :class:`Slow` for anything else.

    Nothing of it works on the text in this process. It reports no progress, so that whoever must not wait for another
    thread can raise where progress is reported.
    """

    def split(self, document: Document, name: str, progress: Progress) -> Sentences:
        """Return the sentences of a document by rules.

        Raises:
            Slow: it takes long.
        """
        if name != RULES:
            raise Slow
        try:
            return measures.split(document, name)
        except LimitError as error:
            raise Slow from error

    def embed(
        self, texts: Sequence[str], encoder: Encoder, cache: VectorCache | None, progress: Progress, origin: str
    ) -> Float32:
        """Return the vectors of texts if the cache has them all, or by word vectors.

        Raises:
            Slow: it takes long.
        """
        if encoder.name == embedding.Static.name:
            try:
                return measures.static_vectors(texts, origin)
            except LimitError as error:
                raise Slow from error
        if not _are_cached(texts, encoder, cache):
            raise Slow
        return embedding.embed(texts, encoder, cache, progress, origins=[origin] * len(texts))

    def structure(self, sentences: Sentences, name: FeatureSet) -> Structure:
        """Return the structural features of a set."""
        return measures.measure(sentences, name)

    def strength(self, sentences: Sentences) -> Float64:
        """Return the evidence of the layout for a cut at each gap."""
        return measures.strength(sentences)

    def constraints(self, document: Document) -> Constraints:
        """Return what the layout of a document keeps together."""
        return measures.constraints(document)

    def locate(self, edits: Sequence[Edit], document: Document, gap_offsets: Int64) -> LocatedEdits:
        """Return where edits by hand are in the text of a document."""
        return measures.locate_edits(edits, document, gap_offsets)

    def align(self, document: Document, pieces: Sequence[Piece]) -> Sequence[Placed | None]:
        """Return the span of each piece in the text of a document."""
        return segmentations.align(document, pieces)


def _are_cached(texts: Sequence[str], encoder: Encoder, cache: VectorCache | None) -> bool:
    return cache is not None and bool(cache.get_many(encoder.key, texts, encoder.dimension)[1].all())


@dataclass(frozen=True)
class WorkerBackend(QuickBackend):
    """Does what takes long in workers; see :class:`chunking.workspace.Backend`.

    Attributes:
        call: runs a task in a worker.
    """

    call: RunTask
    _stopped: LRUCache[Hashable, tuple[float, LimitError]] = field(
        default_factory=lambda: LRUCache(48, "stopped strategies"), repr=False, compare=False
    )

    def split(self, document: Document, name: str, progress: Progress) -> Sentences:
        """Return the sentences of a document."""
        try:
            return super().split(document, name, progress)
        except Slow:
            spans, block, splitter = self.call(Task(_split, (document, name)), _as_tell(progress))
            return Sentences(document, spans, block, splitter)

    def embed(
        self, texts: Sequence[str], encoder: Encoder, cache: VectorCache | None, progress: Progress, origin: str
    ) -> Float32:
        """Return the vectors of texts of a document."""
        try:
            return super().embed(texts, encoder, cache, progress, origin)
        except Slow:
            # The address and key of an endpoint are known here alone.
            portable = not endpoint.is_endpoint(encoder.name)
            task = Task(_embed, (tuple(texts), encoder.name, origin), cache, portable)
            vectors: Float32 = self.call(task, _as_tell(progress))
            if cache is not None and not _are_cached(texts, encoder, cache):  # the worker is on another machine
                cache.put_many(encoder.key, texts, vectors, [origin] * len(texts))
            return vectors

    def segment(self, strategy: Strategy, workspace: DocumentAnalysis, params: Parameters) -> Segmentation:
        """Return the segmentation of a document by a strategy, see :class:`chunking.strategies.base.SegmentingBackend`.

        A worker cuts where tokens are counted by the model of an encoder. A strategy that met a limit is not run again
        on the document for a while: a page is drawn many times.

        Raises:
            LimitError: the strategy met a limit.
            ChunkscopeError: it cannot cut this document.
        """
        key = (workspace.tools, strategy.name, tuple(params.values().items()), workspace.edits)
        stopped = self._stopped.get(key)
        if stopped and time.monotonic() - stopped[0] < STOPPED_SECONDS:
            raise stopped[1]
        try:
            return self._segment(strategy, workspace, params)
        except LimitError as error:
            self._stopped.put(key, (time.monotonic(), error))
            raise

    def _segment(self, strategy: Strategy, workspace: DocumentAnalysis, params: Parameters) -> Segmentation:
        if segmentations.is_built_in(workspace.tools.tokenizer):
            return segmentations.segment(strategy, workspace, params)
        return segmentations.segment(strategy, workspace, params, self._cut_in_worker)

    def _cut_in_worker(self, request: Request) -> Answer:
        answer: Answer = self.call(Task(_cut, (request,)), lambda *_: None)
        return answer


def _as_tell(progress: Progress) -> Tell:
    return lambda _, done, total: progress(done, total)


# The functions below run in a worker.


def _split(document: Document, name: str, _: VectorCache | None, tell: Tell) -> tuple[Int64, Int64, str]:
    result = sentences.split(document, name, partial(tell, "splitting into sentences"))
    return result.spans, result.block, result.splitter  # the document is where it came from


def _cut(request: Request, _: VectorCache | None, __: Tell) -> Answer:
    return segmentations.answer(request)


def _embed(texts: Sequence[str], encoder: str, origin: str, cache: VectorCache | None, tell: Tell) -> Float32:
    progress = partial(tell, "embedding sentences")
    return embedding.embed(texts, embedding.get_encoder(encoder), cache, progress, origins=[origin] * len(texts))
