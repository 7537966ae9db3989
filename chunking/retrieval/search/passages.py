"""A corpus cut into passages by a strategy: spans of its documents, with what is indexed and returned for each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from chunking import embedding, tokens
from chunking.chunks import Chunk, leaves
from chunking.curves import distances
from chunking.document import Document
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.retrieval.questions.data import CorpusDocument, QuestionSetRemark
from chunking.retrieval.search import indexing
from chunking.retrieval.search.returned import NO_PARENT, Returned, ReturnRule
from chunking.runtime.arrays import Int64
from chunking.runtime.progress import Progress, Tell
from chunking.sentences import Sentences
from chunking.sentences.corpus import CorpusSplitter
from chunking.strategies import Setting
from chunking.strategies.context import RETURN_CHUNK, RETURN_PARENT, ContextParameters
from chunking.workspace import Backend, Tools, Workspace

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
        reach: int64, where the text begins that is returned for it: the overlap before the chunk belongs to it where
            chunks are returned alone.
        tokens: int64, of what is returned for it.
        failed: documents that the strategy could not cut, and why.
        seconds: spent on cutting, without splitting sentences and embedding them for it.
        splitting: seconds spent on splitting sentences, which are split once for all strategies; of the first alone.
        languages: how many documents are in each language, by code.
        lead: int64, where the text begins that is indexed, the overlap included; ``None`` where it is ``reach``.
        prefix: what is indexed before the text of each; empty where nothing is.
        rule: what else is returned with it.
    """

    setting: str
    document: Int64
    start: Int64
    end: Int64
    reach: Int64
    tokens: Int64
    failed: tuple[QuestionSetRemark, ...] = ()
    seconds: float = 0.0
    lead: Int64 | None = None
    prefix: tuple[str, ...] = ()
    rule: ReturnRule = field(default_factory=ReturnRule)
    splitting: float = 0.0
    languages: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.document)

    @property
    def context(self) -> ContextParameters:
        """What is embedded and returned."""
        return self.rule.context

    @property
    def leads(self) -> Int64:
        """Where the text of each begins that is indexed."""
        return self.reach if self.lead is None else self.lead

    def text(self, passage: int, sources: Sequence[CorpusDocument]) -> str:
        """Return the text that is returned for a passage alone: the chunk, with its overlap if that is returned."""
        return sources[int(self.document[passage])].text[int(self.reach[passage]) : int(self.end[passage])]

    def before(self, passage: int) -> str:
        """Return what is indexed before the text of a passage: its headings, or its document's title."""
        return self.prefix[passage] if self.prefix else ""

    def indexed_text(self, passage: int, sources: Sequence[CorpusDocument]) -> str:
        """Return the text that is indexed for a passage: the chunk with its overlap, and what is put before it."""
        text = sources[int(self.document[passage])].text[int(self.leads[passage]) : int(self.end[passage])]
        return self.before(passage) + text

    def indexed_texts(self, sources: Sequence[CorpusDocument]) -> list[str]:
        """Return the texts that are indexed for all passages."""
        places = zip(self.document.tolist(), self.leads.tolist(), self.end.tolist(), strict=True)
        texts = [sources[document].text[start:end] for document, start, end in places]
        return [before + text for before, text in zip(self.prefix, texts, strict=True)] if self.prefix else texts

    def returned(self, places: Int64) -> Returned:
        """Return the passages that a ranking returns: those found, each with what comes with it.

        Args:
            places: int64 of passages, the best first.
        """
        return self.rule.of(places)


@dataclass(eq=False)
class _PassageBuilder:
    """Passages while documents are being cut."""

    setting: Setting
    rows: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    leads: list[int] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    families: int = 0
    failed: list[QuestionSetRemark] = field(default_factory=list)
    seconds: float = 0.0
    splitting: float = 0.0
    languages: Counter[str] = field(default_factory=Counter)

    @property
    def context(self) -> ContextParameters:
        return self.setting.context

    def add(self, place: int, workspace: Workspace, cutting: _Cutting, title: str) -> None:
        """Add the chunks of a document, or why there are none."""
        self.seconds += cutting.seconds
        document = workspace.document
        self.languages[document.language] += 1
        if cutting.problem:
            self.failed.append(QuestionSetRemark("", 0, document.name, cutting.problem))
            return
        # What is blank no question could find.
        chunks = [chunk for chunk in cutting.chunks if not document.text[chunk.start : chunk.end].isspace()]
        if self.context.return_ == RETURN_CHUNK:
            self.rows += [(place, each.start, each.end, each.reach, each.indexed_tokens) for each in chunks]
        else:
            chunks = list(leaves(chunks))
            counter = tokens.get_tokenizer(workspace.tools.tokenizer)
            self.rows += [(place, *row) for row in indexing.disjoint(chunks, document.text, counter)]
            self.leads += [chunk.reach for chunk in chunks]
        if self.context.return_ == RETURN_PARENT:
            known = indexing.parents(chunks, document)
            self.parents += [parent if parent == NO_PARENT else self.families + parent for parent in known]
            self.families += 1 + max(known, default=NO_PARENT)
        self.prefixes += indexing.prefixes(chunks, document, self.context.embed, title)

    def done(self) -> Passages:
        document, start, end, reach, counts = np.array(self.rows, dtype=np.int64).reshape(-1, 5).T.copy()
        lead = None if self.context.return_ == RETURN_CHUNK else np.array(self.leads, dtype=np.int64)
        parent = np.array(self.parents, dtype=np.int64)
        return Passages(
            self.setting.text,
            document,
            start,
            end,
            reach,
            counts,
            failed=tuple(self.failed),
            seconds=self.seconds,
            lead=lead,
            prefix=tuple(self.prefixes) if any(self.prefixes) else (),
            rule=ReturnRule(self.context, document, parent),
            splitting=self.splitting,
            languages=dict(self.languages),
        )


@dataclass(frozen=True, slots=True)
class _Cutting:
    """What a strategy made of a document.

    Attributes:
        chunks: the chunks.
        problem: why there are none; empty where there are.
        seconds: spent on it, without splitting sentences.
    """

    chunks: Sequence[Chunk]
    problem: str
    seconds: float


def _cut(setting: Setting, workspace: Workspace) -> _Cutting:
    began, split = time.perf_counter(), _splitting_seconds(workspace)
    chunks: Sequence[Chunk] = ()
    problem = ""
    try:
        chunks = setting.run(workspace).chunks
    except ChunkscopeError as error:
        problem = str(error)
    split = _splitting_seconds(workspace) - split
    return _Cutting(chunks, problem, time.perf_counter() - began - split)


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
        return cut_open(workspaces, len(sources), settings, say, [source.title for source in sources])


def cut_open(
    workspaces: Iterable[Workspace],
    total: int,
    settings: Mapping[str, Setting],
    tell: Tell | None = None,
    titles: Sequence[str] = (),
) -> dict[str, Passages]:
    """Split documents whose workspaces exist with several strategies.

    Args:
        workspaces: the documents of a corpus, in its order.
        total: how many there are.
        settings, tell: as of :func:`cut`.
        titles: of the documents, where the corpus names some.

    Raises:
        ChunkscopeError: as :func:`cut`.
    """
    growing = {name: _PassageBuilder(setting) for name, setting in settings.items()}
    say = tell or (lambda *_: None)
    blocks: dict[int, float] = {}
    for place, workspace in enumerate(workspaces):
        made: dict[str, _Cutting] = {}  # settings that differ in what is embedded or returned are cut once
        for each in growing.values():
            same = each.setting.cutting.text
            if same not in made:
                made[same] = _cut(each.setting, workspace)
            each.add(place, workspace, made[same], titles[place] if titles else "")
        if isinstance(workspace, _BatchedSentences):
            blocks[workspace.block] = workspace.splitting_seconds
        say("cutting", place + 1, total)
    for first in list(growing.values())[:1]:
        first.splitting = sum(blocks.values())
    found = {name: each.done() for name, each in growing.items()}
    for name, passages in found.items():
        if total and len(passages.failed) == total:
            raise ChunkscopeError(f"{name} could cut no document. {passages.failed[0].what}")
        _check_parents(name, passages, growing[name].setting)
    return found


def _check_parents(name: str, passages: Passages, setting: Setting) -> None:
    """Raise where parents are to be returned and there is none."""
    if passages.context.return_ == RETURN_PARENT and len(passages) and (passages.rule.parent == NO_PARENT).all():
        raise ChunkscopeError(
            f"return=parent of {name} has no effect: {setting.strategy.name} makes no parents, and no chunk is under a "
            "heading.",
            "Use return=window, or a strategy with parents: hierarchical_tree, changepoint_tree.",
        )


class _SentenceBatch:
    """Documents that are split together, as soon as the sentences of one are asked for."""

    def __init__(self, first: int, documents: Sequence[Document], corpus: CorpusSplitter, progress: Progress) -> None:
        self.first = first
        self._documents = documents
        self._corpus = corpus
        self._progress = progress
        self._found: list[Sentences] | None = None
        self.seconds = 0.0

    def sentences(self, place: int) -> Sentences:
        """Return the sentences of one of them."""
        if self._found is None:
            began = time.perf_counter()
            self._found = self._corpus.split(self._documents, self._progress)
            self.seconds = time.perf_counter() - began
        return self._found[place]


class _BatchedSentences(Workspace):
    def __init__(
        self, document: Document, tools: Tools, cache: VectorCache | None, block: _SentenceBatch, place: int
    ) -> None:
        super().__init__(document, tools, cache)
        self._block = block
        self._place = place

    @property
    def block(self) -> int:
        """Number of the first of the documents that are split together."""
        return self._block.first

    @property
    def splitting_seconds(self) -> float:
        """Seconds spent on the sentences of all documents that are split together; 0 before that."""
        return self._block.seconds

    def _split(self, progress: Progress, backend: Backend | None) -> Sentences:
        return self._block.sentences(self._place)


def _splitting_seconds(workspace: Workspace) -> float:
    return workspace.splitting_seconds if isinstance(workspace, _BatchedSentences) else 0.0


def _opened(
    sources: Sequence[CorpusDocument], tools: Tools, cache: VectorCache | None, say: Tell
) -> Generator[Workspace, None, None]:
    """Yield the documents, in blocks that are split together."""
    with CorpusSplitter(tools.splitter, cache.sentences if cache is not None else None) as corpus:
        for first, some in _blocks(sources):
            documents = [source.open() for source in some]
            block = _SentenceBatch(first, documents, corpus, _splitting(first, len(documents), len(sources), say))
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
        origins = [each.document.text_hash for each in some for _ in range(len(each.sentences))]
        vectors = embedding.embed(texts, some[0].encoder, cache, progress, origins=origins)
        ends = np.cumsum([len(each.sentences) for each in some])[:-1]
        for each, known in zip(some, np.split(vectors, ends), strict=True):
            each.add_vectors(window, known)
