"""A corpus cut into passages by a strategy: spans of its documents, with what is embedded for each."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from chunking import embedding
from chunking.curves import distances
from chunking.document import Document
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.retrieval.questions.data import CorpusDocument, QuestionSetRemark
from chunking.runtime.arrays import Int64
from chunking.runtime.progress import Progress, Tell
from chunking.sentences import Sentences
from chunking.sentences.corpus import CorpusSplitter
from chunking.strategies import Setting
from chunking.workspace import Tools, Workspace

_TOGETHER = 8192
"""Sentences whose vectors are made and held at once, and what the last document has more."""

_BLOCK = 2_000_000
"""Characters of documents that are opened and split at once, and what the last one has more."""


@dataclass(frozen=True, eq=False)
class Passages:
    """What a strategy makes of a corpus; every array has an entry a passage, in the order of documents and chunks.

    Attributes:
        setting: the strategy with its parameters, in one line.
        document: int64, place of its document in the corpus, ascending.
        start, end: int64, the chunk as a half-open span of the document's text.
        reach: int64, where what is retrieved begins: the overlap before the chunk belongs to it.
        tokens: int64, of what is retrieved.
        failed: documents that the strategy could not cut, and why.
        seconds: spent on cutting, without embedding sentences for it.
    """

    setting: str
    document: Int64
    start: Int64
    end: Int64
    reach: Int64
    tokens: Int64
    failed: tuple[QuestionSetRemark, ...] = ()
    seconds: float = 0.0

    def __len__(self) -> int:
        return len(self.document)

    def text(self, passage: int, sources: Sequence[CorpusDocument]) -> str:
        """Return the retrieved text of a passage: the chunk with its overlap."""
        return sources[int(self.document[passage])].text[int(self.reach[passage]) : int(self.end[passage])]

    def texts(self, sources: Sequence[CorpusDocument]) -> list[str]:
        """Return the retrieved texts of all passages."""
        places = zip(self.document.tolist(), self.reach.tolist(), self.end.tolist(), strict=True)
        return [sources[document].text[start:end] for document, start, end in places]


@dataclass(eq=False)
class _PassageBuilder:
    """Passages while documents are being cut."""

    setting: Setting
    rows: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    failed: list[QuestionSetRemark] = field(default_factory=list)
    seconds: float = 0.0

    def cut(self, place: int, workspace: Workspace) -> None:
        began = time.perf_counter()
        try:
            chunks = self.setting.run(workspace).chunks
        except ChunkscopeError as error:
            self.failed.append(QuestionSetRemark("", 0, workspace.document.name, str(error)))
            return
        finally:
            self.seconds += time.perf_counter() - began
        text = workspace.document.text
        self.rows += [
            (place, chunk.start, chunk.end, chunk.reach, chunk.indexed_tokens)
            for chunk in chunks
            if not text[chunk.start : chunk.end].isspace()  # nothing that a question could find
        ]

    def done(self) -> Passages:
        document, start, end, reach, tokens = np.array(self.rows, dtype=np.int64).reshape(-1, 5).T.copy()
        return Passages(
            self.setting.text, document, start, end, reach, tokens, failed=tuple(self.failed), seconds=self.seconds
        )


def cut(
    sources: Sequence[CorpusDocument],
    settings: Mapping[str, Setting],
    tools: Tools | None = None,
    cache: VectorCache | None = None,
    tell: Tell | None = None,
) -> dict[str, Passages]:
    """Split a corpus with several strategies.

    Args:
        sources: the documents.
        settings: by the name they have in the results.
        tools: encoder, tokenizer and sentence splitter.
        cache: of vectors and sentences.
        tell: told what is being done and how far it is; may raise to stop.

    Raises:
        ChunkscopeError: the encoder cannot be used, or a strategy could cut no document; its message says why.
    """
    windows = sorted({window for setting in settings.values() for window in setting.windows})
    say = tell or (lambda *_: None)
    # Closed at once where it is stopped: it may have processes.
    with closing(_measured(sources, windows, tools or Tools(), cache, say)) as workspaces:
        return cut_open(workspaces, len(sources), settings, say)


def cut_open(
    workspaces: Iterable[Workspace], total: int, settings: Mapping[str, Setting], tell: Tell | None = None
) -> dict[str, Passages]:
    """Split documents whose workspaces exist with several strategies.

    Args:
        workspaces: the documents of a corpus, in its order.
        total: how many there are.
        settings, tell: as of :func:`cut`.

    Raises:
        ChunkscopeError: as :func:`cut`.
    """
    growing = {name: _PassageBuilder(setting) for name, setting in settings.items()}
    say = tell or (lambda *_: None)
    for place, workspace in enumerate(workspaces):
        for each in growing.values():
            each.cut(place, workspace)
        say("cutting", place + 1, total)
    found = {name: each.done() for name, each in growing.items()}
    for name, passages in found.items():
        if total and len(passages.failed) == total:
            raise ChunkscopeError(f"{name} could cut no document. {passages.failed[0].what}")
    return found


class _SentenceBatch:
    """Documents that are split together, as soon as the sentences of one are asked for."""

    def __init__(self, documents: Sequence[Document], corpus: CorpusSplitter, progress: Progress) -> None:
        self._documents = documents
        self._corpus = corpus
        self._progress = progress
        self._found: list[Sentences] | None = None

    def sentences(self, place: int) -> Sentences:
        """Return the sentences of one of them."""
        if self._found is None:
            self._found = self._corpus.split(self._documents, self._progress)
        return self._found[place]


class _BatchedSentences(Workspace):
    def __init__(
        self, document: Document, tools: Tools, cache: VectorCache | None, block: _SentenceBatch, place: int
    ) -> None:
        super().__init__(document, tools, cache)
        self._block = block
        self._place = place

    def _split(self, progress: Progress) -> Sentences:
        return self._block.sentences(self._place)


def _opened(
    sources: Sequence[CorpusDocument], tools: Tools, cache: VectorCache | None, say: Tell
) -> Generator[Workspace, None, None]:
    """Yield the documents, in blocks that are split together."""
    with CorpusSplitter(tools.splitter, cache.sentences if cache is not None else None) as corpus:
        for first, some in _blocks(sources):
            documents = [source.open() for source in some]
            block = _SentenceBatch(documents, corpus, _splitting(first, len(documents), len(sources), say))
            for place, document in enumerate(documents):
                yield _BatchedSentences(document, tools, cache, block, place)


def _splitting(first: int, count: int, total: int, say: Tell) -> Progress:
    """Return the characters of a block told as documents of the corpus."""
    return lambda done, all_: say("splitting", first + (count * done // all_ if all_ else 0), total)


def _blocks(sources: Sequence[CorpusDocument]) -> Iterator[tuple[int, Sequence[CorpusDocument]]]:
    """Yield the runs of documents with the place of the first."""
    first = size = 0
    for place, source in enumerate(sources):
        size += len(source.text)
        if size >= _BLOCK or place == len(sources) - 1:
            yield first, sources[first : place + 1]
            first, size = place + 1, 0


def _measured(
    sources: Sequence[CorpusDocument], windows: Sequence[int], tools: Tools, cache: VectorCache | None, say: Tell
) -> Generator[Workspace, None, None]:
    """Yield the documents, with the vectors that their strategies will ask for."""
    some: list[Workspace] = []
    sentences = 0
    with closing(_opened(sources, tools, cache, say)) as opened:
        for place, each in enumerate(opened):
            if not windows:
                yield each
                continue
            some.append(each)
            sentences += len(each.sentences)
            if sentences >= _TOGETHER or place == len(sources) - 1:
                _embed(some, windows, cache, lambda done, total: say("embedding sentences", done, total))
                yield from some
                some, sentences = [], 0


def _embed(some: Sequence[Workspace], windows: Sequence[int], cache: VectorCache | None, progress: Progress) -> None:
    for window in windows:
        texts = [text for each in some for text in distances.windows(each.sentences.texts, window)]
        vectors = embedding.embed(texts, some[0].encoder, cache, progress)
        ends = np.cumsum([len(each.sentences) for each in some])[:-1]
        for each, known in zip(some, np.split(vectors, ends), strict=True):
            each.add_vectors(window, known)
