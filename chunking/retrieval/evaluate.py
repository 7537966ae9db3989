"""Strategies and ways to search, on the same questions."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from chunking import embedding, tokens
from chunking.embedding import late
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.retrieval import measures
from chunking.retrieval.measures import Cutoffs
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.search import index, passages, ranking
from chunking.retrieval.search import passages as vectors_of
from chunking.retrieval.search.index import EXACT, Choice, SearchReport
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import BM25, METHODS, Method, Rankings
from chunking.runtime.arrays import Float32, Float64
from chunking.runtime.progress import Progress, Tell
from chunking.strategies import Setting
from chunking.strategies.context import EMBED_LATE
from chunking.workspace import Tools

DEPTH = 1000
"""Passages of a ranking that are looked at."""


_TOGETHER = 200
"""Questions that are measured at once."""


@dataclass(frozen=True)
class RetrievalOptions:
    """How to evaluate.

    Attributes:
        methods: ways to search, each a row of every strategy.
        kept: how much of a ranking is looked at.
        tools: encoder, tokenizer and sentence splitter.
        index: whether all passages are compared by meaning, or those that a vector index takes to be near. ``auto``
            takes the index where it pays, for all strategies or for none.
    """

    methods: tuple[Method, ...] = ("dense",)
    kept: Cutoffs = field(default_factory=Cutoffs)
    tools: Tools = field(default_factory=Tools)
    index: Choice = "auto"

    def __post_init__(self) -> None:
        index.check(self.index)
        wrong = next((method for method in self.methods if method not in METHODS), None)
        if wrong is not None or not self.methods:
            raise ChunkscopeError(f"There is no way to search {wrong!r:.40}.", f"There are: {', '.join(METHODS)}.")
        if self.kept.passages < 1 or any(budget < 1 for budget in self.kept.budgets):
            raise ChunkscopeError("Passages and tokens to look at are counted from 1.")


@dataclass(frozen=True, eq=False)
class RetrievalRow:
    """What a strategy got with a way to search.

    Attributes:
        name: of the strategy as it was written, with the way to search where there are several.
        strategy: the name under which its passages are.
        method: the way to search.
        values: by measure ``(n_questions,)`` float64.
        hits: what each question found: passages, the best first.
        seconds: by step: searching and measuring.
        searched: how vectors were compared, where they were.
    """

    name: str
    strategy: str
    method: Method
    values: Mapping[str, Float64]
    hits: Rankings
    seconds: Mapping[str, float]
    searched: SearchReport = EXACT


@dataclass(frozen=True, eq=False)
class RetrievalEvaluation:
    """All rows on all questions.

    Attributes:
        known: the questions.
        options: how they were evaluated.
        settings: the strategies by their names.
        passages: what each strategy made of the corpus.
        rows: each strategy with each way to search.
        seconds: by step, of all rows together.
        truncated: by strategy, how many of its passages the encoder does not read to the end; empty without it.
    """

    known: QuestionSet
    options: RetrievalOptions
    settings: Mapping[str, Setting]
    passages: Mapping[str, Passages]
    rows: tuple[RetrievalRow, ...]
    seconds: Mapping[str, float]
    truncated: Mapping[str, int]

    @property
    def embeds(self) -> bool:
        """Whether an encoder was used, to search or to cut."""
        return uses_encoder(self.settings.values(), self.options.methods)


def uses_encoder(settings: Iterable[Setting], methods: Iterable[Method]) -> bool:
    """Return whether strategies or ways to search need an encoder."""
    return any(method != "bm25" for method in methods) or any(setting.embeds for setting in settings)


def evaluate(
    known: QuestionSet,
    settings: Mapping[str, Setting],
    options: RetrievalOptions | None = None,
    cache: VectorCache | None = None,
    tell: Tell | None = None,
) -> RetrievalEvaluation:
    """Cut the corpus, search it, measure.

    Args:
        known: the questions and their documents.
        settings: strategies, by the name they have in the results.
        options: see there.
        cache: of vectors: what it holds is not embedded again.
        tell: told what is being done and how far it is; may raise to stop, and what was embedded is kept.

    Raises:
        ChunkscopeError: the encoder cannot be used, or a strategy can cut no document.
    """
    options = options or RetrievalOptions()
    say = tell or (lambda *_: None)
    clock = _Clock()
    if options.methods != ("bm25",) and any(each.context.embed == EMBED_LATE for each in settings.values()):
        late.check(embedding.get_encoder(options.tools.encoder))  # before anything is cut
    with clock("cutting"):
        made = passages.cut(known.sources, settings, options.tools, cache, say)
    # Sentences are split once for all strategies: the first that needs them must not be billed for it.
    splitting = sum(each.splitting for each in made.values())
    clock.add({"cutting": -splitting, "splitting sentences": splitting})
    asked = np.zeros((0, 0), dtype=np.float32)
    truncated: dict[str, int] = {}
    if options.methods != ("bm25",):
        with clock("embedding questions"):
            asked = _embed([question.text for question in known.questions], options.tools, cache, "questions", say)
    indexed = index.chosen(options.index, min(map(len, made.values()), default=0), len(known.questions))
    rows: list[RetrievalRow] = []
    for number, (name, found) in enumerate(made.items()):
        texts = found.indexed_texts(known.sources)
        vectors = np.zeros((0, 0), dtype=np.float32)
        if asked.size:
            encoder = embedding.get_encoder(options.tools.encoder)
            with clock("embedding passages"):
                progress = partial(say, f"embedding passages of {name}")
                vectors = vectors_of.of_passages(found, known.sources, encoder, cache, progress)
            say(f"what the encoder reads of {name}", 0, 0)
            # Late chunking reads documents in windows, to their ends.
            read_whole = found.context.embed == EMBED_LATE
            truncated[name] = 0 if read_whole else int(embedding.truncated(texts, encoder).sum())
        rows += _rows(known, name, found, options, asked, vectors, texts, indexed, say)
        say("strategies", number + 1, len(made))
    for row in rows:
        clock.add(row.seconds)
    return RetrievalEvaluation(known, options, settings, made, tuple(rows), clock.seconds, truncated)


def _rows(
    known: QuestionSet,
    name: str,
    found: Passages,
    options: RetrievalOptions,
    asked: Float32,
    vectors: Float32,
    texts: Sequence[str],
    indexed: bool,
    say: Tell,
) -> Iterator[RetrievalRow]:
    """Yield a strategy with each way to search."""
    for method in options.methods:
        title = name if len(options.methods) == 1 else f"{name} · {method}"
        clock = _Clock()
        say(f"searching {title}", 0, len(known.questions))
        with clock("searching"):
            words = [question.text for question in known.questions]
            hits, searched = search(
                method, words, asked, vectors, texts, indexed, partial(say, f"indexing for {title}")
            )
        with clock("measuring"):
            values = measured(known, found, hits, options, partial(say, f"measuring {title}"))
        yield RetrievalRow(title, name, method, values, hits, clock.seconds, searched)


def search(
    method: Method,
    questions: Sequence[str],
    asked: Float32,
    vectors: Float32,
    texts: Sequence[str],
    indexed: bool = False,
    progress: Progress | None = None,
) -> tuple[Rankings, SearchReport]:
    """Return the best :data:`DEPTH` passages of each question, and how vectors were compared.

    Args:
        method: the way to search.
        questions: their words.
        asked, vectors: of questions and passages, where meaning is asked for.
        texts: of the passages, where words are.
        indexed: whether an index is made of the vectors.
        progress: told while it is made; may raise to stop.
    """
    if method == "dense":
        return index.search(asked, vectors, DEPTH, indexed, progress)
    by_words = ranking.search(BM25(questions, texts), DEPTH, least=0.0)
    if method == "bm25":
        return by_words, EXACT
    by_meaning, searched = index.search(asked, vectors, DEPTH, indexed, progress)
    return ranking.fused([by_meaning, by_words], DEPTH), searched


def measured(
    known: QuestionSet, found: Passages, hits: Rankings, options: RetrievalOptions, progress: Progress | None = None
) -> Mapping[str, Float64]:
    """Return the measures that fit the truth of the set.

    Args:
        known: the questions.
        found: what was searched.
        hits: what each question found.
        options: how much of that is looked at, and what counts tokens.
        progress: told of questions; may raise to stop.
    """
    parts = []
    for first in range(0, max(len(known.questions), 1), _TOGETHER):
        if progress:
            progress(first, len(known.questions))
        some = slice(first, first + _TOGETHER)
        part = replace(known, questions=known.questions[some])
        parts.append(_measured(part, found, Rankings(hits.passages[some], hits.scores[some]), options))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _measured(known: QuestionSet, found: Passages, hits: Rankings, options: RetrievalOptions) -> Mapping[str, Float64]:
    if known.truth == "documents":
        by_document = ranking.by_document(hits, found.document, DEPTH)
        values = measures.document_measures(known, by_document, options.kept)
        return values | measures.passage_hits(known, found, hits, options.kept)
    tokenizer = tokens.get_tokenizer(options.tools.tokenizer)
    return measures.span_measures(known, found, hits, options.kept, tokenizer)


def _embed(texts: Sequence[str], tools: Tools, cache: VectorCache | None, what: str, say: Tell) -> Float32:
    encoder = embedding.get_encoder(tools.encoder)
    return embedding.embed(texts, encoder, cache, lambda done, total: say(f"embedding {what}", done, total))


class _Clock:
    """Seconds by step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._step, self._began = "", 0.0

    def __call__(self, step: str) -> _Clock:
        self._step = step
        return self

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.add({self._step: time.perf_counter() - self._began})

    def add(self, seconds: Mapping[str, float]) -> None:
        for step, spent in seconds.items():
            self.seconds[step] = self.seconds.get(step, 0.0) + spent
