"""A corpus cut into passages by a strategy: spans of its documents, with what is indexed and returned for each."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath

import numpy as np

from chunking import embedding, tokens
from chunking.chunks import Chunk, leaves
from chunking.chunks.chunks import first_word
from chunking.curves import distances
from chunking.document import Document
from chunking.embedding import Encoder, late
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.retrieval.questions.data import CorpusDocument, QuestionSetRemark
from chunking.runtime.arrays import Float32, Int64
from chunking.runtime.progress import Progress, Tell
from chunking.sentences import Sentences
from chunking.sentences.corpus import CorpusSplitter
from chunking.strategies import Setting
from chunking.strategies.context import (
    EMBED_HEADINGS,
    EMBED_LATE,
    EMBED_TITLE,
    RETURN_CHUNK,
    RETURN_PARENT,
    RETURN_WINDOW,
    ContextParameters,
)
from chunking.tokens import TokenCounter
from chunking.workspace import Backend, Tools, Workspace

_TOGETHER = 8192
"""Sentences whose vectors are made and held at once, and what the last document has more."""

_BLOCK = 2_000_000
"""Characters of documents that are opened and split at once, and what the last one has more."""


NO_PARENT = -1


@dataclass(frozen=True, eq=False)
class Returned:
    """What a ranking returns.

    Attributes:
        passages: ``(n,)`` int64 places of passages, in the order of the context.
        ranks: ``(n,)`` int64, the rank from 0 of the passage that each came with, ascending.
    """

    passages: Int64
    ranks: Int64


@dataclass(frozen=True, eq=False)
class ReturnRule:
    """What comes with a passage that is found.

    Attributes:
        context: the choice.
        document: ``(n_passages,)`` int64, the document of each passage, ascending.
        parent: ``(n_passages,)`` int64, the parent of each, :data:`NO_PARENT` where it has none; empty where parents
            are not returned.
    """

    context: ContextParameters = field(default_factory=ContextParameters)
    document: Int64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    parent: Int64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def alone(self) -> bool:
        """Whether each passage is returned alone."""
        return self.context.return_ not in (RETURN_WINDOW, RETURN_PARENT)

    def of(self, places: Int64) -> Returned:
        """Return what a ranking returns.

        Args:
            places: ``(n,)`` int64 of passages, the best first, each once.
        """
        if self.alone:
            return Returned(places, np.arange(len(places)))
        if self.context.return_ == RETURN_WINDOW:
            return self._windows(places)
        return self._parents(places)

    def _windows(self, places: Int64) -> Returned:
        steps = [0, *(sign * far for far in range(1, self.context.neighbours + 1) for sign in (-1, 1))]
        around = places[:, None] + np.array(steps, dtype=np.int64)
        inside = (around >= 0) & (around < len(self.document))
        known = np.clip(around, 0, max(len(self.document) - 1, 0))
        inside &= self.document[known] == self.document[places][:, None] if len(places) else inside
        ranks = np.broadcast_to(np.arange(len(places))[:, None], around.shape)
        return _once(around[inside], ranks[inside])

    def _parents(self, places: Int64) -> Returned:
        found = list(self._merging(places.tolist()))
        both = np.array(found, dtype=np.int64).reshape(-1, 2)
        return _once(both[:, 0], both[:, 1])

    def _merging(self, places: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield passages with the ranks they come with; all of a parent once more than half of it are found."""
        hits: Counter[int] = Counter()
        for rank, place in enumerate(places):
            yield place, rank
            parent = int(self.parent[place])
            if parent == NO_PARENT:
                continue
            hits[parent] += 1
            leaves = self._leaves[parent]
            if 2 * (hits[parent] - 1) <= len(leaves) < 2 * hits[parent]:
                yield from ((leaf, rank) for leaf in leaves)

    @cached_property
    def _leaves(self) -> dict[int, list[int]]:
        """The passages of each parent, in order."""
        found: dict[int, list[int]] = defaultdict(list)
        for place, parent in enumerate(self.parent.tolist()):
            if parent != NO_PARENT:
                found[parent].append(place)
        return found


def _once(places: Int64, ranks: Int64) -> Returned:
    """Keep each passage where it is first."""
    _, first = np.unique(places, return_index=True)
    kept = np.sort(first)
    return Returned(places[kept].astype(np.int64), ranks[kept].astype(np.int64))


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
            self.rows += [(place, *row) for row in disjoint(chunks, document.text, counter)]
            self.leads += [chunk.reach for chunk in chunks]
        if self.context.return_ == RETURN_PARENT:
            known = parents(chunks, document)
            self.parents += [parent if parent == NO_PARENT else self.families + parent for parent in known]
            self.families += 1 + max(known, default=NO_PARENT)
        self.prefixes += prefixes(chunks, document, self.context.embed, title)

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


JOINT = " › "
"""Between the titles of a heading path."""


def disjoint(chunks: Sequence[Chunk], text: str, counter: TokenCounter) -> Iterator[tuple[int, int, int, int]]:
    """Yield start, end, start and tokens of what is returned for each chunk, so that no text is in two of them.

    Overlap is left out. Where chunks themselves overlap, a later one begins where the earlier ones end.

    Args:
        chunks: in order of their starts.
        text: of the document.
        counter: counts tokens.
    """
    covered = 0
    for chunk in chunks:
        start = min(max(chunk.start, covered), chunk.end)
        counted = chunk.tokens if start == chunk.start else int(counter.count([text[start : chunk.end]])[0])
        yield start, chunk.end, start, counted
        covered = max(covered, chunk.end)


def prefixes(chunks: Sequence[Chunk], document: Document, embed: str, named: str = "") -> list[str]:
    """Return what is indexed before the text of each chunk.

    Args:
        chunks: of the document.
        document: the document.
        embed: one of the values of ``embed``, see :mod:`chunking.strategies.context`.
        named: the title that the corpus has for the document; empty if it has none.
    """
    if embed == EMBED_TITLE:
        words = named or title(document)
        return [_before("" if _opens_with(document, chunk, words) else words) for chunk in chunks]
    if embed != EMBED_HEADINGS:
        return [""] * len(chunks)
    begins = {heading.start for heading in document.headings}
    return [_before(JOINT.join(_above(chunk, document, begins))) for chunk in chunks]


def _opens_with(document: Document, chunk: Chunk, words: str) -> bool:
    """Return whether a chunk begins with the title itself, as the text of a corpus may."""
    begins = first_word(document.text, chunk.start, chunk.end)
    return document.text[begins : begins + len(words)] == words and begins + len(words) <= chunk.end


def _above(chunk: Chunk, document: Document, begins: set[int]) -> tuple[str, ...]:
    """Return the titles above a chunk, without that of a heading with which it begins itself."""
    itself = first_word(document.text, chunk.start, chunk.end) in begins
    return chunk.heading_path[:-1] if itself else chunk.heading_path


def _before(words: str) -> str:
    return f"{words}\n\n" if words.strip() else ""


def title(document: Document) -> str:
    """Return the title of a document: its first heading of the highest level, else its name without the suffix."""
    if not document.headings:
        return PurePath(document.name).stem
    highest = min(document.headings, key=lambda heading: heading.level)  # the first of them
    path = document.heading_path(highest.start)
    return path[-1] if path else PurePath(document.name).stem


def parents(chunks: Sequence[Chunk], document: Document) -> list[int]:
    """Return the parent of each chunk, numbered from 0, or :data:`~chunking.retrieval.search.passages.NO_PARENT`.

    Of a strategy that makes parents it is that chunk, of others the section: the chunks whose first word is under the
    same heading.

    Args:
        chunks: without those that are parents.
        document: the document.
    """
    nested = [chunk.parent for chunk in chunks]
    if any(parent is not None for parent in nested):
        return _numbered(nested)
    begins = [heading.start for heading in document.headings]
    sections = [bisect_right(begins, first_word(document.text, chunk.start, chunk.end)) for chunk in chunks]
    return _numbered([section or None for section in sections])


def _numbered(keys: Sequence[int | None]) -> list[int]:
    """Return a number from 0 for each key, in order of their first place."""
    known = {key: number for number, key in enumerate(dict.fromkeys(key for key in keys if key is not None))}
    return [NO_PARENT if key is None else known[key] for key in keys]


def of_passages(
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
        progress: told of passages; may raise to stop.

    Raises:
        ChunkscopeError: the encoder cannot be used, or gives no token vectors where late chunking needs them.
    """
    if passages.context.embed != EMBED_LATE:
        hashes = [source.text_hash for source in sources]
        origins = [hashes[place] for place in passages.document.tolist()]
        return embedding.embed(passages.indexed_texts(sources), encoder, cache, progress, origins=origins)
    late.check(encoder)
    found = np.zeros((len(passages), encoder.dimension), dtype=np.float32)
    ends = np.searchsorted(passages.document, np.arange(len(sources)), side="right").tolist()
    first = 0
    for source, last in zip(sources, ends, strict=True):
        if last > first:
            spans = np.stack([passages.leads[first:last], passages.end[first:last]], axis=1)
            found[first:last] = late.embed(source.text, spans, encoder, cache)
        first = last
        if progress:
            progress(last, len(passages))
    return found
