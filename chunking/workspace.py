"""A document with everything that is measured on it once, whatever the strategy and its setting.

Each piece is a pure function of the document and of what is named in its method's arguments, computed when it is
first asked for and kept. A slider move therefore finds sentences, vectors, features and token counts ready.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from chunking import distances, embedding, sentences, structure, tokens
from chunking.chunks import Grid
from chunking.document import Document
from chunking.embedding import Encoder
from chunking.sentences import Sentences
from chunking.structure import FeatureSet, Structure
from chunking.vector_cache import VectorCache

Progress = Callable[[int, int], None]
T = TypeVar("T")


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


class Workspace:
    """A document and its measurements.

    Args:
        document: what is measured.
        tools: with which models.
        cache: where vectors are looked up and kept; ``None`` to embed without one.
        known: sentences that are known already, with their vectors (a shipped sample), so that no model is needed.
    """

    def __init__(
        self,
        document: Document,
        tools: Tools | None = None,
        cache: VectorCache | None = None,
        known: tuple[Sentences, npt.NDArray[np.float32]] | None = None,
    ) -> None:
        self.document = document
        self.tools = tools or Tools()
        self._cache = cache
        self._kept: dict[Hashable, Any] = {}
        self._lock = threading.RLock()
        if known:
            self._kept["sentences"] = known[0]
            self._kept["vectors", 0] = known[1]

    def counted_by(self, tokenizer: str) -> Workspace:
        """The same measurements, with another tokenizer for the tokens."""
        other = copy.copy(self)
        other.tools = replace(self.tools, tokenizer=tokenizer)
        return other

    def _keep(self, key: Hashable, make: Callable[[], T]) -> T:
        # The lock is held while a piece is made, so that two sessions on one document do not embed it twice.
        with self._lock:
            if key not in self._kept:
                self._kept[key] = make()
            return cast(T, self._kept[key])

    @property
    def encoder(self) -> Encoder:
        """The encoder; its model is loaded only when something must be embedded."""
        return embedding.get_encoder(self.tools.encoder)

    @property
    def sentences(self) -> Sentences:
        """The document's sentences."""
        return self.split()

    def split(self, progress: Progress | None = None) -> Sentences:
        """The document's sentences; ``progress(done, total)`` is called now and then and may raise to stop."""
        return self._keep("sentences", lambda: sentences.split(self.document, self.tools.splitter, progress))

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """``(n_gaps,)`` int64, where each gap cuts the text."""
        return self._keep("offsets", lambda: sentences.gap_offsets(self.sentences))

    @property
    def grid(self) -> Grid:
        """The gaps with the tokens between them."""
        return self._keep(("grid", self.tools.tokenizer), self._make_grid)

    def _make_grid(self) -> Grid:
        counter = tokens.get_tokenizer(self.tools.tokenizer)
        text = self.document.text
        bounds = np.concatenate(([0], self.offsets, [len(text)])) if text else np.zeros(1, dtype=np.int64)
        return Grid(self.document, self.offsets, tokens.SpanTokens(text, bounds, counter), counter)

    def structure(self, name: FeatureSet) -> Structure:
        """The structural features of a set."""
        return self._keep(("structure", name), lambda: structure.measure(self.sentences, name))

    def embedded(self, window: int = 0) -> bool:
        """Whether :meth:`vectors` would answer without embedding anything."""
        return ("vectors", window) in self._kept

    def vectors(self, window: int = 0, progress: Progress | None = None) -> npt.NDArray[np.float32]:
        """``(n_sentences, dim)`` float32 vectors of the sentences with ``window`` neighbours on either side.

        ``progress(done, total)`` is called now and then and may raise to stop; what was embedded stays in the cache.
        """
        return self._keep(("vectors", window), lambda: self._embed(window, progress))

    def _embed(self, window: int, progress: Progress | None) -> npt.NDArray[np.float32]:
        texts = distances.windows(self.sentences.texts, window)
        return embedding.embed(texts, self.encoder, self._cache, progress)

    def semantic(self, window: int, block: int) -> npt.NDArray[np.float64]:
        """``(n_gaps,)`` float64 semantic distances."""
        return self._keep(
            ("semantic", window, block), lambda: distances.semantic_distances(self.vectors(window), block)
        )

    def truncated(self, window: int = 0) -> npt.NDArray[np.bool_]:
        """``(n_sentences,)`` bool: which sentences, with their window, the encoder does not read to the end."""
        texts = self.sentences.texts
        return self._keep(
            ("truncated", window), lambda: embedding.truncated(distances.windows(texts, window), self.encoder)
        )

    def warnings(self, window: int = 0) -> tuple[str, ...]:
        """What a user should know of the measurements before believing them."""
        found = []
        cut_off = int(np.count_nonzero(self.truncated(window)))
        if cut_off:
            what = "sentence is" if cut_off == 1 else "sentences are"
            limit = f"the {self.encoder.max_tokens} tokens the encoder reads"
            found.append(f"{cut_off:,} {what} longer than {limit}; the rest is not seen.")
        language, known = self.document.language, self.encoder.languages
        if known and language not in (*known, "und"):
            made_for = f"The encoder {self.encoder.name} was trained on {', '.join(known)}"
            found.append(f"{made_for}; this text is in {language}, so its semantic distances mean less.")
        return tuple(found)
