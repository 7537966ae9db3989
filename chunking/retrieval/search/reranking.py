"""Reranking: a second stage of a search, in which a cross-encoder reads the question with each of the first passages.

A cross-encoder is a model of sentence-transformers on this machine, by its folder or its name in the Hugging Face
cache; nothing is downloaded. It reads what is indexed for a passage, its headings included, and truncates what exceeds
its limit. Passages after the first :attr:`Reranking.top` follow in the order that they had.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from chunking.embedding import local
from chunking.embedding.encoders import open_cross_encoder
from chunking.errors import ChunkscopeError
from chunking.retrieval.search.ranking import DEPTH, Rankings
from chunking.runtime.arrays import Float32
from chunking.runtime.progress import Progress
from chunking.tokens import well_formed

TOP = 50
"""Passages of a ranking that are reranked, unless another number is chosen."""

_BATCH = 32
"""Pairs that the model reads at once."""

_REMEDY = "Name a cross-encoder: a folder with its model.safetensors, or the name of one in the Hugging Face cache."


@dataclass(frozen=True)
class Reranking:
    """The second stage of a search.

    Attributes:
        model: name of the cross-encoder, see the module.
        top: passages of each ranking that it reads, from the first.

    Raises:
        ChunkscopeError: the number is below 1 or above :data:`~chunking.retrieval.search.ranking.DEPTH`.
    """

    model: str
    top: int = TOP

    def __post_init__(self) -> None:
        if not 1 <= self.top <= DEPTH:
            raise ChunkscopeError(f"From 1 to {DEPTH:,} passages can be reranked.", "Give --rerank-top such a number.")


class Reranker(Protocol):
    """Scores texts for a question."""

    def scores(self, question: str, texts: Sequence[str]) -> Float32:
        """Return ``(n_texts,)`` float32: the higher, the better the text answers."""
        ...


class CrossEncoder:
    """A cross-encoder in a folder, loaded when it is first needed.

    Args:
        name: its name, for messages.
        folder: its folder.

    Raises:
        ChunkscopeError: its weights are not in safetensors, or it requires custom code.
    """

    def __init__(self, name: str, folder: Path) -> None:
        local.check_loadable(folder, name)
        self.name = name
        self._folder = folder
        self._model: Any = None

    def scores(self, question: str, texts: Sequence[str]) -> Float32:
        """Return ``(n_texts,)`` float32: the higher, the better the text answers.

        Raises:
            ChunkscopeError: the model cannot be loaded, or is no cross-encoder with one score for a pair.
        """
        if not len(texts):
            return np.zeros(0, dtype=np.float32)
        if self._model is None:
            self._model = self._load()
        words = well_formed(question)
        pairs = [(words, well_formed(text)) for text in texts]
        values = np.asarray(
            self._model.predict(pairs, batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True),
            dtype=np.float32,
        )
        if values.shape != (len(texts),) or not np.isfinite(values).all():
            raise ChunkscopeError(f"{self.name!r:.120} does not give one finite score for a pair of texts.", _REMEDY)
        return values

    def _load(self) -> Any:
        try:
            return open_cross_encoder(self._folder)
        except ChunkscopeError:
            raise
        except Exception as error:  # whatever is wrong with the user's folder
            raise ChunkscopeError(
                f"The reranker {self.name!r:.120} cannot be loaded: {type(error).__name__}: {error!s:.300}", _REMEDY
            ) from error


def get_reranker(name: str) -> Reranker:
    """Return the cross-encoder of a name, the same object while its files are unchanged.

    Raises:
        ChunkscopeError: there is none of that name, its weights are not in safetensors, or it requires custom code.
    """
    folder = local.find(name)
    if folder is None:
        raise ChunkscopeError(f"Unknown reranker {name!r:.120}.", _REMEDY + " Chunkscope downloads nothing.")
    return _cross_encoder(name, folder, local.stamp(folder))


@lru_cache(maxsize=2)
def _cross_encoder(name: str, folder: Path, _: object) -> CrossEncoder:
    return CrossEncoder(name, folder)


def rerank(
    rankings: Rankings,
    questions: Sequence[str],
    texts: Sequence[str],
    reranking: Reranking,
    progress: Progress | None = None,
) -> Rankings:
    """Return rankings whose first passages are in the order of the reranker, equal ones in the order that they had.

    The scores of the first passages are the reranker's; those of the others are below them, by rank.

    Args:
        rankings: of each question.
        questions: their texts.
        texts: of all passages, as they are indexed.
        reranking: the model, and how many passages it reads.
        progress: receives the number of questions; may raise to stop.

    Raises:
        ChunkscopeError: the model cannot be used.
    """
    reranker = get_reranker(reranking.model)
    passages, scores = [], []
    for number, (question, ranked) in enumerate(zip(questions, rankings.passages, strict=True)):
        if progress:
            progress(number, len(questions))
        first, rest = ranked[: reranking.top], ranked[reranking.top :]
        values = reranker.scores(question, [texts[passage] for passage in first.tolist()])
        order = np.argsort(-values, kind="stable")
        below = (values.min() if len(values) else np.float32(0)) - np.arange(1, len(rest) + 1, dtype=np.float32)
        passages.append(np.concatenate((first[order], rest)))
        scores.append(np.concatenate((values[order], below)).astype(np.float32))
    return Rankings(tuple(passages), tuple(scores))
