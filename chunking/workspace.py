"""A document with everything that is measured on it once, whatever the strategy and its setting.

Each piece is a pure function of the document and of what is named in its method's arguments, computed when it is
first asked for and kept. A slider move therefore finds sentences, vectors, features and token counts ready.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from chunking import embedding, sentences, structure, tokens
from chunking.chunks import outline
from chunking.chunks.grid import Grid
from chunking.curves import changepoint, distances
from chunking.document import Document
from chunking.embedding import Encoder
from chunking.embedding.vector_cache import VectorCache
from chunking.loading.language import LANGUAGES
from chunking.sentences import Sentences
from chunking.structure import FeatureSet, Structure

Progress = Callable[[int, int], None]
Known = tuple[Sentences, *tuple[npt.NDArray[np.float32], ...]]
"""Sentences, then their vectors with no neighbours, with one on either side, and so on."""
T = TypeVar("T")

_POLL = 0.2
"""Seconds between two signs of life to a session that waits for a piece."""


@dataclass(frozen=True)
class Tools:
    """The models that a document is measured with.

    Attributes:
        encoder: name of the encoder.
        tokenizer: name of the tokenizer that counts tokens.
        splitter: name of the sentence splitter; ``None`` chooses by the document's language.
    """

    encoder: str = embedding.DEFAULT_ENCODER
    tokenizer: str = tokens.DEFAULT_TOKENIZER
    splitter: str | None = None


class _Turn:
    """The right to make one piece, which one thread has at a time, and how far that thread is."""

    def __init__(self) -> None:
        # A thread that asked for the piece it is making would recurse, which is seen, and not wait for itself.
        self.lock = threading.RLock()
        self.told = (0, 0)

    def teller(self, progress: Progress | None) -> Progress:
        """A progress that remembers what it was told, for those who wait."""
        self.told = (0, 0)

        def tell(done: int, total: int) -> None:
            self.told = (done, total)
            if progress:
                progress(done, total)

        return tell


class Workspace:
    """A document and its measurements.

    Any number of threads may share it. What is known is answered at once; a piece that another thread is making is
    waited for; different pieces are made at the same time. Of the vectors, those of single sentences are kept and
    those of one window more, the last that was made.

    Args:
        document: what is measured.
        tools: with which models.
        cache: where vectors and sentences are looked up and kept; ``None`` to make them without one.
        known: what is known already (a shipped sample), so that no model is needed: see :data:`Known`.
    """

    def __init__(
        self,
        document: Document,
        tools: Tools | None = None,
        cache: VectorCache | None = None,
        known: Known | None = None,
    ) -> None:
        self.document = document
        self.tools = tools or Tools()
        self._cache = cache
        self._kept: dict[Hashable, Any] = {}
        self._turns: dict[Hashable, _Turn] = {}
        self._lock = threading.Lock()  # for what changes both dictionaries; never held while a piece is made
        if known:
            self._kept["sentences"] = known[0]
            self._kept |= {("vectors", window): vectors for window, vectors in enumerate(known[1:])}
        self._given = frozenset(self._kept)

    @property
    def key(self) -> str:
        """Identity of the document and of the models that sentences and vectors are made by."""
        return f"{self.document.key}/{self.tools.encoder}/{self.tools.splitter}"

    def give(self, window: int, vectors: npt.NDArray[np.float32]) -> None:
        """Let vectors be known that were made elsewhere, together with those of other documents; they stay.

        Args:
            window: neighbours on either side.
            vectors: ``(n_sentences, dim)`` float32, what :meth:`vectors` would make.
        """
        with self._lock:
            self._kept["vectors", window] = vectors
            self._given |= {("vectors", window)}

    def counted_by(self, tokenizer: str) -> Workspace:
        """The same measurements, with another tokenizer for the tokens."""
        other = copy.copy(self)
        other.tools = replace(self.tools, tokenizer=tokenizer)
        return other

    def _keep(self, key: Hashable, make: Callable[[Progress], T], progress: Progress | None = None) -> T:
        """The piece of that key: at once if it is known, else made by the first thread that asks for it.

        The others wait, and their ``progress`` is told how far the maker is. If the maker is stopped, one of them makes
        the piece. Pieces are made of others in one direction only (grid, offsets, sentences), so no two threads wait
        for each other.
        """
        piece = self._kept.get(key)
        if piece is not None:
            return cast(T, piece)
        with self._lock:
            turn = self._turns.setdefault(key, _Turn())
        while not turn.lock.acquire(timeout=_POLL):
            if progress:
                progress(*turn.told)
        try:
            piece = self._kept.get(key)
            if piece is None:
                piece = make(turn.teller(progress))
                self._put(key, piece)
            return cast(T, piece)
        finally:
            turn.lock.release()

    def _put(self, key: Hashable, piece: object) -> None:
        with self._lock:
            self._kept[key] = piece
            if _is_windowed(key):
                passing = [other for other in self._kept if _is_windowed(other) and other not in self._given]
                for older in [other for other in passing if other != key]:
                    del self._kept[older]

    @property
    def encoder(self) -> Encoder:
        """The encoder; its model is loaded only when something must be embedded."""
        return embedding.get_encoder(self.tools.encoder)

    @property
    def sentences(self) -> Sentences:
        """The document's sentences."""
        return self.split()

    def split(self, progress: Progress | None = None) -> Sentences:
        """The document's sentences.

        ``progress(done, total)`` is called now and then, in characters, and may raise to stop. While another thread
        splits, it is told how far that is: ``(0, 0)`` before its first report.
        """
        return self._keep("sentences", self._split, progress)

    def _split(self, progress: Progress) -> Sentences:
        """The document's sentences, looked up where there is a cache, else told and kept there."""
        name = sentences.splitter_of(self.document, self.tools.splitter)
        found = self._cache.sentences.known([self.document], [name])[0] if self._cache is not None else None
        if found is None:
            found = sentences.split(self.document, name, progress)
            if self._cache is not None:
                self._cache.sentences.remember([found])
        return found

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """``(n_gaps,)`` int64, where each gap cuts the text."""
        return self._keep("offsets", lambda _: sentences.gap_offsets(self.sentences))

    @property
    def grid(self) -> Grid:
        """The gaps, and the tokens between them."""
        return self._keep(("grid", self.tools.tokenizer), lambda _: self._grid(self.offsets))

    @property
    def bare_grid(self) -> Grid:
        """A grid without places, for strategies that ask for no sentence and bring their own places."""
        return self._keep(("bare grid", self.tools.tokenizer), lambda _: self._grid(np.zeros(0, dtype=np.int64)))

    def _grid(self, offsets: npt.NDArray[np.int64]) -> Grid:
        counter = tokens.get_tokenizer(self.tools.tokenizer)
        return Grid(self.document, offsets, np.arange(len(offsets)), counter)

    @property
    def strength(self) -> npt.NDArray[np.float64]:
        """``(n_gaps,)`` float64.

        How strongly the layout speaks for a cut at each gap, see :mod:`chunking.chunks.outline`.
        """
        return self._keep("strength", lambda _: outline.strength(self.sentences))

    def structure(self, name: FeatureSet) -> Structure:
        """The structural features of a set."""
        return self._keep(("structure", name), lambda _: structure.measure(self.sentences, name))

    def embedded(self, window: int = 0) -> bool:
        """Whether :meth:`vectors` would answer without embedding anything."""
        return ("vectors", window) in self._kept

    def vectors(self, window: int = 0, progress: Progress | None = None) -> npt.NDArray[np.float32]:
        """``(n_sentences, dim)`` float32 vectors of the sentences with ``window`` neighbours on either side.

        ``progress(done, total)`` is called now and then, in texts, and may raise to stop; what was embedded stays in
        the cache. While another thread embeds, it is told how far that is: ``(0, 0)`` until the texts are known.
        """
        return self._keep(("vectors", window), lambda tell: self._embed(window, tell), progress)

    def _embed(self, window: int, progress: Progress) -> npt.NDArray[np.float32]:
        known = self.split(lambda *_: progress(0, 0))  # its characters are not the caller's texts
        texts = distances.windows(known.texts, window)
        return embedding.embed(texts, self.encoder, self._cache, progress)

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """``(n, dim)`` float32 vectors of any texts, looked up in and added to the cache."""
        return embedding.embed(texts, self.encoder, self._cache)

    def semantic(self, window: int, block: int) -> npt.NDArray[np.float64]:
        """``(n_gaps,)`` float64 semantic distances."""
        return self._keep(
            ("semantic", window, block), lambda _: distances.semantic_distances(self.vectors(window), block)
        )

    @property
    def parts(self) -> changepoint.Parts:
        """How much every part of the document scatters, for the strategy that divides it at change points."""
        return self._keep("parts", lambda _: changepoint.parts(changepoint.prepared(self.vectors())))

    def truncated(self, window: int = 0) -> npt.NDArray[np.bool_]:
        """``(n_sentences,)`` bool: which sentences, with their window, the encoder does not read to the end."""
        texts = self.sentences.texts
        return self._keep(
            ("truncated", window), lambda _: embedding.truncated(distances.windows(texts, window), self.encoder)
        )

    def warnings(self, window: int = 0) -> tuple[str, ...]:
        """What a user should know of the measurements before believing them."""
        found = []
        cut_off = int(np.count_nonzero(self.truncated(window)))
        if cut_off:
            of_window = " with their neighbours" if window else ""
            what = f"sentence{of_window} is" if cut_off == 1 else f"sentences{of_window} are"
            limit = f"the {self.encoder.max_tokens} tokens the encoder reads"
            found.append(f"{cut_off:,} {what} longer than {limit}; the rest is not seen.")
        language, known = self.document.language, self.encoder.languages
        if known and language not in (*known, "und"):
            made_for = " and ".join(LANGUAGES.get(code, code) for code in known)
            found.append(
                f"The encoder {self.encoder.name} was made for {made_for}; this text is in "
                f"{LANGUAGES.get(language, language)}, so its semantic distances mean less. Choose another encoder."
            )
        return tuple(found)


def _is_windowed(key: Hashable) -> bool:
    """Whether it is the key of vectors of sentences with their neighbours."""
    return isinstance(key, tuple) and key[0] == "vectors" and key[1] != 0
