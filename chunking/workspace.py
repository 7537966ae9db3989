"""A document with its measurements, each computed once and shared by all strategies and settings.

Each piece is a pure function of the document and of the arguments of its method. It is computed on first use and kept,
so a slider move finds sentences, vectors, features and token counts ready.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from chunking import embedding, sentences, tokens
from chunking.alignment import Piece, Placed, align
from chunking.chunks import outline
from chunking.chunks.constraints import Constraints, constraints_of
from chunking.chunks.cut_points import CutPoints
from chunking.chunks.edits import ACTIONS, NOWHERE, Edit, LocatedEdits, digest, locate
from chunking.document import Document
from chunking.embedding import Encoder
from chunking.embedding.vector_cache import VectorCache
from chunking.loading.language import LANGUAGES
from chunking.old_names import old_names
from chunking.runtime.arrays import Bools, Float32, Float64, Int64
from chunking.runtime.progress import Progress
from chunking.sentences import Sentences
from chunking.signals import boundary_model, change_points, distances, features, scales
from chunking.signals.boundary_model import SCALES
from chunking.signals.features import FeatureSet, Structure

Precomputed = tuple[Sentences, *tuple[Float32, ...]]
"""Sentences, then their vectors with no neighbours, with one on either side, and so on."""
T = TypeVar("T")

_POLL_SECONDS = 0.2
"""Seconds between two calls of the ``progress`` of a thread that waits for a piece."""


@dataclass(frozen=True)
class Models:
    """The models that a document is measured with.

    Attributes:
        encoder: name of the encoder. ``None`` chooses one by the document's language for boundaries, and
            all-MiniLM-L6-v2, where it is installed, for retrieval.
        tokenizer: name of the tokenizer that counts tokens; ``"encoder"`` becomes that of :attr:`retrieval_encoder`. By
            default the one of the encoder that is named, where that has a limit, else ``"cl100k_base"``.
        splitter: name of the sentence splitter; ``None`` chooses by the document's language.
    """

    encoder: str | None = None
    tokenizer: str = ""
    splitter: str | None = None

    def __post_init__(self) -> None:
        if not self.tokenizer:
            object.__setattr__(self, "tokenizer", embedding.default_tokenizer(self.encoder))
        elif self.tokenizer == embedding.AS_ENCODER:
            object.__setattr__(self, "tokenizer", embedding.own_tokenizer(self.retrieval_encoder))

    def boundary_encoder(self, language: str) -> str:
        """Return the name of the encoder that finds boundaries in a document of a language."""
        return self.encoder or embedding.boundary_encoder(language)

    @property
    def retrieval_encoder(self) -> str:
        """The name of the encoder that chunks and questions are compared with."""
        return self.encoder or embedding.retrieval_encoder()


class Backend:
    """Computes what needs the text of a document: here, in the thread that calls it; a subclass may do it elsewhere."""

    def split(self, document: Document, name: str, progress: Progress) -> Sentences:
        """Return the sentences of a document by the splitter of a name."""
        return sentences.split(document, name, progress)

    def embed(
        self, texts: Sequence[str], encoder: Encoder, cache: VectorCache | None, progress: Progress, origin: str
    ) -> Float32:
        """Return ``(n, dim)`` float32 vectors of texts of the document whose hash is ``origin``."""
        return embedding.embed(texts, encoder, cache, progress, origins=[origin] * len(texts))

    def structure(self, sentences: Sentences, name: FeatureSet) -> Structure:
        """Return the structural features of a set."""
        return features.measure(sentences, name)

    def strength(self, sentences: Sentences) -> Float64:
        """Return ``(n_gaps,)`` float64 evidence of the layout for a cut, see :mod:`chunking.chunks.outline`."""
        return outline.strength(sentences)

    def constraints(self, document: Document) -> Constraints:
        """Return what the layout of a document keeps together, see :mod:`chunking.chunks.constraints`."""
        return constraints_of(document)

    def locate(self, edits: Sequence[Edit], document: Document, gap_offsets: Int64) -> LocatedEdits:
        """Return where edits by hand are in the text of a document, see :mod:`chunking.chunks.edits`."""
        return locate(edits, document.text, gap_offsets)

    def align(self, document: Document, pieces: Sequence[Piece]) -> Sequence[Placed | None]:
        """Return the span of each piece in the text of a document, see :mod:`chunking.alignment.align`."""
        return align(document.text, pieces)


class _Computation:
    """The lock of a piece that one thread computes, with the progress of that thread."""

    def __init__(self) -> None:
        # Reentrant: a thread that requests the piece it computes recurses visibly instead of waiting for itself.
        self.lock = threading.RLock()
        self.last = (0, 0)

    def reporter(self, progress: Progress | None) -> Progress:
        """Return a progress that also records what it receives, for the threads that wait."""
        self.last = (0, 0)

        def report(done: int, total: int) -> None:
            self.last = (done, total)
            if progress:
                progress(done, total)

        return report


class DocumentAnalysis:
    """A document and its measurements.

    Threads may share it. A piece that exists is returned at once, a piece that another thread computes is waited for,
    and different pieces are computed at the same time. Vectors are kept for single sentences and for the latest other
    window.

    Attributes:
        backend: where what needs the text is computed.
        edits: places where a chunk begins, or none does, by hand.

    Args:
        document: the document to measure.
        tools: the models to measure it with.
        cache: where vectors and sentences are looked up and stored; ``None`` for no cache.
        precomputed: sentences and vectors that exist already (a bundled sample), so that no model is needed.
        backend: where what needs the text is computed; by default in the thread that asks.
    """

    def __init__(
        self,
        document: Document,
        tools: Models | None = None,
        cache: VectorCache | None = None,
        precomputed: Precomputed | None = None,
        backend: Backend | None = None,
    ) -> None:
        self.document = document
        self.backend = backend or Backend()
        self.tools = tools or Models()
        self.edits: tuple[Edit, ...] = ()
        self._cache = cache
        self._pieces: dict[Hashable, Any] = {}
        self._computations: dict[Hashable, _Computation] = {}
        self._lock = threading.Lock()  # guards changes of both dictionaries; never held while a piece is computed
        if precomputed:
            self._pieces["sentences"] = precomputed[0]
            self._pieces |= {("vectors", window): vectors for window, vectors in enumerate(precomputed[1:])}
        self._added = frozenset(self._pieces)

    @property
    def key(self) -> str:
        """Identity of the document, of the models that make its sentences and vectors, and of the edits by hand."""
        encoder = self.tools.boundary_encoder(self.document.language)
        edits = f"/{digest(self.edits)}" if self.edits else ""
        return f"{self.document.key}/{self.tools.encoder}/{encoder}/{self.tools.splitter}{edits}"

    @property
    def instance(self) -> int:
        """Identity of the measurements in this process: the same with every tokenizer, another once they are new."""
        return id(self._pieces)

    def add_vectors(self, window: int, vectors: Float32) -> None:
        """Add vectors that were computed elsewhere, together with those of other documents. They are kept.

        Args:
            window: neighbours on either side.
            vectors: ``(n_sentences, dim)`` float32, equal to the result of :meth:`vectors`.
        """
        with self._lock:
            self._pieces["vectors", window] = vectors
            self._added |= {("vectors", window)}

    def with_tokenizer(self, tokenizer: str) -> DocumentAnalysis:
        """Return the same measurements with another tokenizer for token counts."""
        other = copy.copy(self)
        other.tools = replace(self.tools, tokenizer=tokenizer)
        return other

    def _get_or_compute(self, key: Hashable, make: Callable[[Progress], T], progress: Progress | None = None) -> T:
        """Return the piece of that key, computed by the first thread that needs it.

        Other threads wait, and their ``progress`` reports how far the first one is. If that one is stopped, one of them
        computes the piece. Pieces depend on each other in one direction only (cut points, offsets, sentences), so no
        two threads wait for each other.
        """
        piece = self._pieces.get(key)
        if piece is not None:
            return cast(T, piece)
        with self._lock:
            computation = self._computations.setdefault(key, _Computation())
        while not computation.lock.acquire(timeout=_POLL_SECONDS):
            if progress:
                progress(*computation.last)
        try:
            piece = self._pieces.get(key)
            if piece is None:
                piece = make(computation.reporter(progress))
                self._put(key, piece)
            return cast(T, piece)
        finally:
            computation.lock.release()

    def _put(self, key: Hashable, piece: object) -> None:
        with self._lock:
            self._pieces[key] = piece
            if _is_windowed(key):
                passing = [other for other in self._pieces if _is_windowed(other) and other not in self._added]
                for older in [other for other in passing if other != key]:
                    del self._pieces[older]
            if _is_of_edits(key):
                of_edits = [other for other in self._pieces if _is_of_edits(other)]
                for older in of_edits[:-_EDITED]:
                    del self._pieces[older]
                    self._computations.pop(older, None)

    @property
    def encoder(self) -> Encoder:
        """The encoder of sentences; its model is loaded only when something must be embedded."""
        return embedding.get_encoder(self.tools.boundary_encoder(self.document.language))

    @property
    def retrieval_encoder(self) -> Encoder:
        """The encoder that chunks would be embedded with; its model is loaded only when something must be embedded."""
        return embedding.get_encoder(self.tools.retrieval_encoder)

    @property
    def has_sentences(self) -> bool:
        """Whether :attr:`sentences` are there already."""
        return "sentences" in self._pieces

    @property
    def sentences(self) -> Sentences:
        """The document's sentences."""
        return self.split()

    def split(self, progress: Progress | None = None, backend: Backend | None = None) -> Sentences:
        """Return the document's sentences, computed by ``backend`` or that of the workspace.

        ``progress(done, total)`` is called now and then, in characters, and may raise to stop. While another thread
        splits, it reports how far that one is: ``(0, 0)`` before its first report.
        """
        return self._get_or_compute("sentences", lambda report: self._split(report, backend), progress)

    def _split(self, progress: Progress, backend: Backend | None) -> Sentences:
        """Return the sentences from the cache, or split the document and store them there."""
        name = sentences.splitter_of(self.document, self.tools.splitter)
        result = self._cache.sentences.lookup([self.document], [name])[0] if self._cache is not None else None
        if result is None:
            result = (backend or self.backend).split(self.document, name, progress)
            if self._cache is not None:
                self._cache.sentences.save([result])
        return result

    @property
    def offsets(self) -> Int64:
        """``(n_gaps,)`` int64 offsets at which the gaps cut the text."""
        return self._get_or_compute("offsets", lambda _: sentences.gap_offsets(self.sentences))

    @property
    def cut_points(self) -> CutPoints:
        """The gaps, and the number of tokens between them."""
        return self._get_or_compute(("cut points", self.tools.tokenizer), lambda _: self._cut_points(self.offsets))

    @property
    def cut_points_only(self) -> CutPoints:
        """No cut points, for strategies that need no sentences and have their own places."""
        return self._get_or_compute(
            ("cut points only", self.tools.tokenizer), lambda _: self._cut_points(np.zeros(0, dtype=np.int64))
        )

    def _cut_points(self, offsets: Int64) -> CutPoints:
        counter = tokens.get_tokenizer(self.tools.tokenizer)
        read = embedding.read_limit(self.tools.retrieval_encoder, self.tools.tokenizer)
        return CutPoints(self.document, offsets, np.arange(len(offsets)), counter, read)

    @property
    def strength(self) -> Float64:
        """``(n_gaps,)`` float64 evidence of the layout for a cut, see :mod:`chunking.chunks.outline`."""
        return self._get_or_compute("strength", lambda _: self.backend.strength(self.sentences))

    @property
    def layout_constraints(self) -> Constraints:
        """What the layout keeps together, see :mod:`chunking.chunks.constraints`."""
        return self._get_or_compute("constraints", lambda _: self.backend.constraints(self.document))

    @property
    def constraints(self) -> Constraints:
        """What the layout keeps together, and what edits by hand decide."""
        if not self.edits:
            return self.layout_constraints
        return self._get_or_compute(("edited", self.edits), lambda _: self._edited())

    def _edited(self) -> Constraints:
        decided = self.located_edits.decided(self.edits)
        return self.layout_constraints.with_edits(*(decided[action] for action in ACTIONS))

    @property
    def located_edits(self) -> LocatedEdits:
        """Where the edits by hand are in the text, see :mod:`chunking.chunks.edits`."""
        if not self.edits:
            return NOWHERE
        return self._get_or_compute(
            ("located", self.edits), lambda _: self.backend.locate(self.edits, self.document, self.offsets)
        )

    def with_edits(self, edits: Sequence[Edit]) -> DocumentAnalysis:
        """Return the same measurements with edits by hand, which every strategy of ours follows."""
        other = copy.copy(self)
        other.edits = tuple(edits)
        return other

    def structure(self, name: FeatureSet) -> Structure:
        """Return the structural features of a set."""
        return self._get_or_compute(("structure", name), lambda _: self.backend.structure(self.sentences, name))

    def has_vectors(self, window: int = 0) -> bool:
        """Return whether :meth:`vectors` needs no embedding."""
        return ("vectors", window) in self._pieces

    def vectors(self, window: int = 0, progress: Progress | None = None, backend: Backend | None = None) -> Float32:
        """Return ``(n_sentences, dim)`` float32 vectors of the sentences with ``window`` neighbours on either side.

        ``progress(done, total)`` is called now and then, in texts, and may raise to stop; what was embedded stays in
        the cache. While another thread embeds, it reports how far that one is: ``(0, 0)`` until the texts are known.
        """
        return self._get_or_compute(("vectors", window), lambda report: self._embed(window, report, backend), progress)

    def _embed(self, window: int, progress: Progress, backend: Backend | None) -> Float32:
        split_sentences = self.split(
            lambda *_: progress(0, 0), backend
        )  # it counts characters, this method counts texts
        texts = distances.windows(split_sentences.texts, window)
        return (backend or self.backend).embed(texts, self.encoder, self._cache, progress, self.document.text_hash)

    def embed(self, texts: Sequence[str]) -> Float32:
        """Return ``(n, dim)`` float32 vectors of any texts, looked up in and added to the cache."""
        return self.backend.embed(texts, self.encoder, self._cache, lambda *_: None, self.document.text_hash)

    def align(self, pieces: Sequence[Piece]) -> Sequence[Placed | None]:
        """Return the span of each piece of another program in the text, see :mod:`chunking.alignment.align`."""
        return self.backend.align(self.document, pieces)

    def semantic(self, window: int, block: int) -> Float64:
        """Return ``(n_gaps,)`` float64 semantic distances; of several scales if ``block`` is 0."""

        def measure(_: Progress) -> Float64:
            if block:
                return distances.semantic_distances(self.vectors(window), block)
            return scales.distances(scales.log_odds(self.vectors(window)) if window else self.scales)

        return self._get_or_compute(("semantic", window, block), measure)

    @property
    def segment_costs(self) -> change_points.SegmentCosts:
        """The scatter of every segment of the document, for the change point strategy."""
        return self._get_or_compute(
            "segment costs", lambda _: change_points.segment_costs(change_points.normalize(self.vectors()))
        )

    @property
    def scale_measurements(self) -> Float64:
        """``(n_gaps, n_terms)`` float64 measurements of meaning, see :func:`chunking.signals.scales.measurements`."""
        return self._get_or_compute("scale measurements", lambda _: scales.measurements(self.vectors()))

    @property
    def scales(self) -> Float64:
        """``(n_gaps,)`` float64 evidence of meaning, in log-odds, see :mod:`chunking.signals.scales`."""
        return self._get_or_compute("scales", lambda _: boundary_model.weighted(self.scale_measurements, SCALES))

    def probabilities(self, name: FeatureSet = "cues") -> Float64:
        """Return ``(n_gaps,)`` float64 calibrated probabilities of a boundary, see
        :mod:`chunking.signals.boundary_model`.

        Args:
            name: the set of structural features. Those without wording were not calibrated, so they have those of
                ``cues``.
        """
        feature_set: FeatureSet = "questions" if name == "questions" else "cues"
        return self._get_or_compute(("probabilities", feature_set), lambda _: self._probabilities(feature_set))

    def _probabilities(self, name: FeatureSet) -> Float64:
        form = features.log_odds(self.structure(name))
        lengths = np.log1p([len(text) for text in self.sentences.texts])
        return boundary_model.probabilities(form + self.scales, float(lengths.mean()) if len(lengths) else 0.0)

    def truncated(self, window: int = 0) -> Bools:
        """Return ``(n_sentences,)`` bool: whether a sentence with its window exceeds the limit of the encoder."""
        texts = self.sentences.texts
        return self._get_or_compute(
            ("truncated", window), lambda _: embedding.truncated(distances.windows(texts, window), self.encoder)
        )

    def warnings(self, window: int = 0) -> tuple[str, ...]:
        """Return what a user should know before relying on the measurements."""
        remarks = []
        cut_off = int(np.count_nonzero(self.truncated(window)))
        if cut_off:
            of_window = " with their neighbours" if window else ""
            what = f"sentence{of_window} is" if cut_off == 1 else f"sentences{of_window} are"
            limit = f"the {self.encoder.max_tokens} tokens the encoder reads"
            remarks.append(f"{cut_off:,} {what} longer than {limit}; the rest is truncated.")
        language, languages = self.document.language, self.encoder.languages
        if languages and language not in (*languages, "und"):
            trained_on = " and ".join(LANGUAGES.get(code, code) for code in languages)
            remarks.append(
                f"The encoder {self.encoder.name} was trained on {trained_on}; this text is in "
                f"{LANGUAGES.get(language, language)}, so its semantic distances are less reliable. "
                f"{embedding.boundary_encoder(language)} finds more of its boundaries."
            )
        return tuple(remarks)


_EDITED = 16
"""Pieces of the latest edits that are kept: each edit that is made has two of its own."""


def _is_of_edits(key: Hashable) -> bool:
    """Return whether it is the key of what edits by hand decide."""
    return isinstance(key, tuple) and key[0] in ("located", "edited")


def _is_windowed(key: Hashable) -> bool:
    """Return whether it is the key of vectors of sentences with their neighbours."""
    return isinstance(key, tuple) and key[0] == "vectors" and key[1] != 0


if not TYPE_CHECKING:  # a type checker knows the names of today alone
    __getattr__ = old_names(__name__, {"Workspace": "DocumentAnalysis", "Tools": "Models"})
