"""A corpus cut into passages by a strategy: spans of its documents, with what is indexed and returned for each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from chunking import embedding, tokens
from chunking.chunks import Chunk, leaves
from chunking.document import Document
from chunking.embedding import Encoder, late
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.retrieval.questions.data import CorpusDocument, QuestionSetRemark, mask
from chunking.retrieval.search import context
from chunking.retrieval.search.context import NO_PARENT, Returned, ReturnRule
from chunking.runtime.arrays import Float32, Int64
from chunking.runtime.progress import Progress, Tell
from chunking.sentences import Sentences
from chunking.sentences.corpus import CorpusSplitter
from chunking.signals.distances import Embed, embed_windows
from chunking.strategies import Setting
from chunking.strategies.context import EMBED_LATE, RETURN_CHUNK, RETURN_PARENT, ContextParameters
from chunking.workspace import Backend, DocumentAnalysis, Models

_TOGETHER = 8192
"""Sentences that are embedded together; with the last document there may be more."""

_BLOCK = 2_000_000
"""Characters of documents that are opened and split together; with the last document there may be more."""


@dataclass(frozen=True, eq=False)
class Passages:
    """The passages of a corpus by one strategy; every array has one entry per passage, in document order.

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
        """The settings of the text that is embedded and returned."""
        return self.rule.context

    @property
    def leads(self) -> Int64:
        """The start of the indexed text of each passage."""
        return self.reach if self.lead is None else self.lead

    def text(self, passage: int, sources: Sequence[CorpusDocument]) -> str:
        """Return the text that is returned for a passage alone: the chunk, with its overlap if that is returned."""
        return sources[int(self.document[passage])].text[int(self.reach[passage]) : int(self.end[passage])]

    def before(self, passage: int) -> str:
        """Return what is indexed before the text of a passage: its headings, or its document's title."""
        return self.prefix[passage] if self.prefix else ""

    def indexed_text(self, passage: int, sources: Sequence[CorpusDocument]) -> str:
        """Return the text that is indexed for a passage: the chunk with its overlap, and what is put before it.

        What is hidden of the document is spaces in it.
        """
        text = sources[int(self.document[passage])].searched_text[int(self.leads[passage]) : int(self.end[passage])]
        return self.before(passage) + text

    def indexed_texts(self, sources: Sequence[CorpusDocument]) -> list[str]:
        """Return the texts that are indexed for all passages."""
        spans = zip(self.document.tolist(), self.leads.tolist(), self.end.tolist(), strict=True)
        searched = _SearchedTexts(sources)
        texts = [searched[document][start:end] for document, start, end in spans]
        return [before + text for before, text in zip(self.prefix, texts, strict=True)] if self.prefix else texts

    def returned(self, indices: Int64) -> Returned:
        """Return the passages that a ranking returns: those found, each with what comes with it.

        Args:
            indices: int64 of passages, the best first.
        """
        return self.rule.of(indices)


class _SearchedTexts(dict[int, str]):
    """The searched text of each document, made once."""

    def __init__(self, sources: Sequence[CorpusDocument]) -> None:
        super().__init__()
        self._sources = sources

    def __missing__(self, document: int) -> str:
        source = self._sources[document]
        if not source.hidden:
            return source.text  # of a large corpus, not kept
        self[document] = source.searched_text
        return self[document]


def embed_passages(
    passages: Passages,
    sources: Sequence[CorpusDocument],
    encoder: Encoder,
    cache: VectorCache | None = None,
    progress: Progress | None = None,
) -> Float32:
    """Return the vectors of all passages: ``(n_passages, dim)`` float32.

    Args:
        passages: what is embedded.
        sources: their documents.
        encoder: embeds.
        cache: what it holds is not embedded again.
        progress: receives the number of passages; may raise to stop.

    Raises:
        ChunkscopeError: the encoder cannot be used, or gives no token vectors where late chunking needs them.
    """
    if passages.context.embed != EMBED_LATE:
        hashes = [source.text_hash for source in sources]
        origins = [hashes[document] for document in passages.document.tolist()]
        return embedding.embed(passages.indexed_texts(sources), encoder, cache, progress, origins=origins)
    late.check(encoder)
    vectors = np.zeros((len(passages), encoder.dimension), dtype=np.float32)
    ends = np.searchsorted(passages.document, np.arange(len(sources)), side="right").tolist()
    first = 0
    for source, last in zip(sources, ends, strict=True):
        if last > first:
            spans = np.stack([passages.leads[first:last], passages.end[first:last]], axis=1)
            vectors[first:last] = late.embed(source.searched_text, spans, encoder, cache)
        first = last
        if progress:
            progress(last, len(passages))
    return vectors


# --- sentences of many documents -------------------------------------------------------------------------------------


class SentenceBlock(Backend):
    """A backend of some documents, which splits all of them as soon as the sentences of one are needed.

    Args:
        documents: the documents.
        split_all: returns the sentences of each.
        errors: what it may raise because of one document: then each is split by itself, and reports its own error.

    Attributes:
        seconds: spent on splitting.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        split_all: Callable[[Sequence[Document]], Sequence[Sentences]],
        errors: type[Exception] = ChunkscopeError,
    ) -> None:
        self.seconds = 0.0
        self._documents = documents
        self._split_all = split_all
        self._errors = errors
        self._sentences: dict[int, Sentences] | None = None

    def split(self, document: Document, name: str, progress: Progress) -> Sentences:
        """Return the sentences of one of the documents."""
        began = time.perf_counter()
        try:
            if self._sentences is None:
                self._sentences = self._split_together()
            return self._sentences.get(id(document)) or super().split(document, name, progress)
        finally:
            self.seconds += time.perf_counter() - began

    def _split_together(self) -> dict[int, Sentences]:
        """Return the sentences of all documents by their identity; nothing if one of them cannot be split."""
        try:
            return dict(zip(map(id, self._documents), self._split_all(self._documents), strict=True))
        except self._errors:
            return {}


def embed_sentences(workspaces: Sequence[DocumentAnalysis], windows: Sequence[int], embed: Embed) -> None:
    """Add the vectors that strategies will need to documents, embedded together.

    Args:
        workspaces: the documents, whose sentences can be split.
        windows: neighbours on either side of a sentence.
        embed: returns the vectors of texts.
    """
    encoders = [workspace.encoder.name for workspace in workspaces]
    sentences = [workspace.sentences for workspace in workspaces]
    for index, window, vectors in embed_windows(sentences, encoders, windows, embed):
        workspaces[index].add_vectors(window, vectors)


# --- cutting ---------------------------------------------------------------------------------------------------------


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
    languages: Counter[str] = field(default_factory=Counter)

    @property
    def context(self) -> ContextParameters:
        return self.setting.context

    def add(self, index: int, workspace: DocumentAnalysis, cutting: _Cutting, source: CorpusDocument | None) -> None:
        """Add the chunks of a document, or why there are none."""
        self.seconds += cutting.seconds
        document = workspace.document
        self.languages[document.language] += 1
        if cutting.problem:
            self.failed.append(QuestionSetRemark("", 0, document.name, cutting.problem))
            return
        hidden = source.hidden if source else ()
        text = mask(document.text, hidden)
        chunks = [chunk for chunk in cutting.chunks if is_searchable(chunk, text)]
        if self.context.return_ == RETURN_CHUNK:
            self.rows += [
                (index, chunk.start, chunk.end, chunk.indexed_start, chunk.indexed_tokens) for chunk in chunks
            ]
        else:
            chunks = list(leaves(chunks))
            counter = tokens.get_tokenizer(workspace.tools.tokenizer)
            self.rows += [(index, *row) for row in context.disjoint(chunks, document.text, counter)]
            self.leads += [chunk.indexed_start for chunk in chunks]
        if self.context.return_ == RETURN_PARENT:
            parents = context.parents(chunks, document)
            self.parents += [parent if parent == NO_PARENT else self.families + parent for parent in parents]
            self.families += 1 + max(parents, default=NO_PARENT)
        self.prefixes += context.prefixes(chunks, document, self.context.embed, source.title if source else "", hidden)

    def build(self, splitting: float) -> Passages:
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
            splitting=splitting,
            languages=dict(self.languages),
        )


@dataclass(frozen=True, slots=True)
class _Cutting:
    """The chunks of a document.

    Attributes:
        chunks: the chunks.
        problem: why there are none; empty if there are.
        seconds: spent on it, without splitting sentences.
    """

    chunks: Sequence[Chunk]
    problem: str
    seconds: float


def cut(
    sources: Sequence[CorpusDocument],
    settings: Mapping[str, Setting],
    tools: Models | None = None,
    cache: VectorCache | None = None,
    tell: Tell | None = None,
) -> dict[str, Passages]:
    """Split a corpus with several strategies.

    Args:
        sources: the documents.
        settings: by the name they have in the results.
        tools: encoder, tokenizer and sentence splitter.
        cache: of vectors and sentences.
        tell: receives the progress; may raise to stop.

    Raises:
        ChunkscopeError: the encoder cannot be used, or a strategy could cut no document; its message says why.
    """
    windows = sorted({window for setting in settings.values() for window in setting.windows})
    report = tell or (lambda *_: None)
    # Closed at once if it is stopped: it may have processes.
    with closing(_open_measured(sources, windows, tools or Models(), cache, report)) as workspaces:
        return cut_open(workspaces, len(sources), settings, report, sources)


def cut_open(
    workspaces: Iterable[DocumentAnalysis],
    total: int,
    settings: Mapping[str, Setting],
    tell: Tell | None = None,
    sources: Sequence[CorpusDocument] = (),
) -> dict[str, Passages]:
    """Split documents whose workspaces exist with several strategies.

    Args:
        workspaces: the documents of a corpus, in its order.
        total: their number.
        settings, tell: as of :func:`cut`.
        sources: the documents of the corpus, for their titles and what is hidden of them.

    Raises:
        ChunkscopeError: as :func:`cut`.
    """
    builders = {name: _PassageBuilder(setting) for name, setting in settings.items()}
    report = tell or (lambda *_: None)
    splitting = 0.0
    block = None
    for index, workspace in enumerate(workspaces):
        if workspace.backend is not block:
            splitting += _splitting_seconds(block)
            block = workspace.backend
        cuttings: dict[str, _Cutting] = {}  # settings that differ in what is embedded or returned are cut once
        for builder in builders.values():
            same = builder.setting.cutting.text
            if same not in cuttings:
                cuttings[same] = _cut(builder.setting, workspace)
            builder.add(index, workspace, cuttings[same], sources[index] if sources else None)
        report("cutting", index + 1, total)
    splitting += _splitting_seconds(block)
    # Sentences are split once for all strategies.
    passages = {
        name: builder.build(0.0 if number else splitting) for number, (name, builder) in enumerate(builders.items())
    }
    for name, passages_of_setting in passages.items():
        check_failures(name, passages_of_setting.failed, total)
        _check_parents(name, passages_of_setting, builders[name].setting)
    return passages


def is_searchable(chunk: Chunk, text: str) -> bool:
    """Return whether a question can find a chunk of a document, which it cannot if the chunk is blank."""
    return not text[chunk.start : chunk.end].isspace()


def check_failures(name: str, failed: Sequence[QuestionSetRemark], total: int, corpus: str = "") -> None:
    """Raise if a strategy could cut no document.

    Args:
        name: of the strategy.
        failed: the documents that it could not cut.
        total: the number of all documents.
        corpus: name of the corpus, if there are several.

    Raises:
        ChunkscopeError: all of them failed; its message says why the first did.
    """
    if total and len(failed) == total:
        of_corpus = f" of {corpus}" if corpus else ""
        raise ChunkscopeError(f"{name} could cut no document{of_corpus}. {failed[0].what}")


def _cut(setting: Setting, workspace: DocumentAnalysis) -> _Cutting:
    began, split = time.perf_counter(), _splitting_seconds(workspace.backend)
    chunks: Sequence[Chunk] = ()
    problem = ""
    try:
        chunks = setting.run(workspace).chunks
    except ChunkscopeError as error:
        problem = str(error)
    split = _splitting_seconds(workspace.backend) - split
    return _Cutting(chunks, problem, time.perf_counter() - began - split)


def _splitting_seconds(backend: object) -> float:
    return backend.seconds if isinstance(backend, SentenceBlock) else 0.0


def _check_parents(name: str, passages: Passages, setting: Setting) -> None:
    """Raise if parents are to be returned and there is none."""
    if passages.context.return_ == RETURN_PARENT and len(passages) and (passages.rule.parent == NO_PARENT).all():
        raise ChunkscopeError(
            f"return=parent of {name} has no effect: {setting.strategy.name} makes no parents, and no chunk is under a "
            "heading.",
            "Use return=window, or a strategy with parents: hierarchical_tree, changepoint_tree.",
        )


def _open(
    sources: Sequence[CorpusDocument], tools: Models, cache: VectorCache | None, report: Tell
) -> Generator[DocumentAnalysis, None, None]:
    """Yield the documents, in blocks that are split together."""
    with CorpusSplitter(tools.splitter, cache.sentences if cache is not None else None) as splitter:
        for first, group in group_documents(sources, _BLOCK):
            documents = [source.open() for source in group]
            block = SentenceBlock(documents, _split_block(splitter, first, len(sources), report))
            for document in documents:
                yield DocumentAnalysis(document, tools, cache, backend=block)


def _split_block(
    splitter: CorpusSplitter, first: int, total: int, report: Tell
) -> Callable[[Sequence[Document]], Sequence[Sentences]]:
    """Return what splits a block, and reports its characters as documents of the corpus."""

    def split(documents: Sequence[Document]) -> Sequence[Sentences]:
        def progress(done: int, all_: int) -> None:
            report("splitting", first + (len(documents) * done // all_ if all_ else 0), total)

        return splitter.split(documents, progress)

    return split


def group_documents(sources: Sequence[CorpusDocument], size: int) -> Iterator[tuple[int, Sequence[CorpusDocument]]]:
    """Yield groups of at least ``size`` characters except the last, each with the index of its first document."""
    first = length = 0
    for index, source in enumerate(sources):
        length += len(source.text)
        if length >= size or index == len(sources) - 1:
            yield first, sources[first : index + 1]
            first, length = index + 1, 0


def _open_measured(
    sources: Sequence[CorpusDocument], windows: Sequence[int], tools: Models, cache: VectorCache | None, report: Tell
) -> Generator[DocumentAnalysis, None, None]:
    """Yield the documents, with the vectors that their strategies will need."""

    def embed(name: str, texts: Sequence[str], origins: Sequence[str]) -> Float32:
        encoder = embedding.get_encoder(name)
        return embedding.embed(texts, encoder, cache, partial(report, "embedding sentences"), origins=origins)

    group: list[DocumentAnalysis] = []
    sentences = 0
    with closing(_open(sources, tools, cache, report)) as workspaces:
        for index, workspace in enumerate(workspaces):
            if not windows:
                yield workspace
                continue
            group.append(workspace)
            sentences += len(workspace.sentences)
            if sentences >= _TOGETHER or index == len(sources) - 1:
                embed_sentences(group, windows, embed)
                yield from group
                group, sentences = [], 0
