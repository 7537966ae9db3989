"""The sentences of many documents: looked up where they are stored, split in parallel and stored otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from chunking.document import Document
from chunking.runtime.progress import Progress
from chunking.sentences import split_all, splitter_of
from chunking.sentences.contract import Sentences
from chunking.sentences.pool import SplitterPool
from chunking.sentences.store import SentenceStore


class CorpusSplitter:
    """Splits the documents of a corpus, block after block, as :func:`chunking.sentences.split` does.

    Use it as a context manager: its processes are ended when the block is rest.

    Args:
        splitter: splitter of all documents; ``None`` chooses by the language of each.
        store: where sentences are looked up and stored; ``None`` to split all again.
        pool: splits those that are not stored.
    """

    def __init__(
        self, splitter: str | None = None, store: SentenceStore | None = None, pool: SplitterPool | None = None
    ):
        self._splitter = splitter
        self._store = store
        self._pool = pool or SplitterPool()

    def __enter__(self) -> Self:
        self._pool.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._pool.__exit__(kind, error, at)

    def split(self, documents: Sequence[Document], progress: Progress | None = None) -> list[Sentences]:
        """Return the sentences of each document.

        Args:
            documents: a block of the corpus.
            progress: called with the characters done and the total, of documents that are not stored; may raise to
                stop.

        Raises:
            ChunkscopeError: the splitter is unknown, or its model is not installed.
        """
        names = [splitter_of(document, self._splitter) for document in documents]
        stored = self._store.lookup(documents, names) if self._store is not None else [None] * len(documents)
        missing = [document for document, found in zip(documents, stored, strict=True) if found is None]
        added = split_all(missing, self._splitter, progress, self._pool.split_sentences)
        if self._store is not None:
            self._store.save(added)
        rest = iter(added)
        return [next(rest) if found is None else found for found in stored]
