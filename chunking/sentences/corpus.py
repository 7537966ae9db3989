"""The sentences of many documents: those that are known are looked up, the others told side by side and kept."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from chunking.document import Document
from chunking.sentences import split_all, splitter_of
from chunking.sentences.contract import Progress, Sentences
from chunking.sentences.crew import Crew
from chunking.sentences.store import SentenceStore


class Corpus:
    """Splits documents, block after block, as :func:`chunking.sentences.split` does each.

    A context: the processes that it may call are gone when the block is left.

    Args:
        splitter: of all documents; ``None`` chooses by the language of each.
        store: where sentences are looked up and kept; ``None`` to tell all anew.
        crew: what tells those that are not known.
    """

    def __init__(self, splitter: str | None = None, store: SentenceStore | None = None, crew: Crew | None = None):
        self._splitter = splitter
        self._store = store
        self._crew = crew or Crew()

    def __enter__(self) -> Self:
        self._crew.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._crew.__exit__(kind, error, at)

    def split(self, documents: Sequence[Document], progress: Progress | None = None) -> list[Sentences]:
        """The sentences of each document.

        Args:
            documents: a block of the corpus.
            progress: told how far it is, in characters of those that are not known; may raise to stop.

        Raises:
            ChunkscopeError: the splitter is unknown, or its model is not installed.
        """
        names = [splitter_of(document, self._splitter) for document in documents]
        known = self._store.known(documents, names) if self._store is not None else [None] * len(documents)
        missing = [document for document, found in zip(documents, known, strict=True) if found is None]
        told = split_all(missing, self._splitter, progress, self._crew.tell)
        if self._store is not None:
            self._store.remember(told)
        left = iter(told)
        return [next(left) if found is None else found for found in known]
