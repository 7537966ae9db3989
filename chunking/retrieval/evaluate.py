"""Strategies and ways to search, on the same questions."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from chunking import embedding, tokens
from chunking.embedding import Encoder, late
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.retrieval import measures, score
from chunking.retrieval.measures import Cutoffs
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.search import index, passages, ranking
from chunking.retrieval.search.bm25 import BM25
from chunking.retrieval.search.index import EXACT, Choice, SearchReport
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import DEPTH, METHODS, RANKINGS_OF, Method, Rankings
from chunking.retrieval.search.reranking import Reranking, get_reranker, rerank
from chunking.runtime.arrays import Float32, Float64
from chunking.runtime.progress import Progress, Tell
from chunking.strategies import Segmentation, Setting
from chunking.strategies.context import EMBED_LATE
from chunking.tokens import TokenCounter
from chunking.workspace import DocumentAnalysis, Models

_TOGETHER = 200
"""Questions that are measured at once."""


@dataclass(frozen=True)
class RetrievalOptions:
    """The options of an evaluation.

    Attributes:
        methods: ways to search, each a row of every strategy.
        kept: how much of a ranking is looked at.
        tools: encoder, tokenizer and sentence splitter.
        index: whether all passages are compared by meaning, or those that a vector index takes to be near. ``auto``
            takes the index where it pays, for all strategies or for none.
        rerank: a second stage after every search; ``None`` for none.
    """

    methods: tuple[Method, ...] = ("dense",)
    kept: Cutoffs = field(default_factory=Cutoffs)
    tools: Models = field(default_factory=Models)
    index: Choice = "auto"
    rerank: Reranking | None = None

    def __post_init__(self) -> None:
        index.check(self.index)
        wrong = next((method for method in self.methods if method not in METHODS), None)
        if wrong is not None or not self.methods:
            raise ChunkscopeError(f"There is no way to search {wrong!r:.40}.", f"There are: {', '.join(METHODS)}.")
        if self.kept.passages < 1 or any(budget < 1 for budget in self.kept.budgets):
            raise ChunkscopeError("Passages and tokens to look at are counted from 1.")

    @property
    def rankings(self) -> tuple[Method, ...]:
        """The rankings that the methods combine, each once."""
        return tuple(dict.fromkeys(ranking for method in self.methods for ranking in RANKINGS_OF[method]))

    def row_name(self, strategy: str, method: Method) -> str:
        """Return the name of a row: that of the strategy, with the method if there are several."""
        return strategy if len(self.methods) == 1 else f"{strategy} · {method}"

    def rows(self, strategies: Iterable[str]) -> dict[str, tuple[str, Method]]:
        """Return the strategy and the method of each row by its name."""
        return {self.row_name(name, method): (name, method) for name in strategies for method in self.methods}


@dataclass(frozen=True, eq=False)
class Measures:
    """The measures of a ranking.

    Attributes:
        values: by measure ``(n_questions,)`` float64.
        score: the part of retrieval in the one score, see :mod:`chunking.retrieval.score`.
    """

    values: Mapping[str, Float64]
    score: float


@dataclass(frozen=True, eq=False)
class RetrievalRow:
    """The results of a strategy with a search method.

    Attributes:
        name: of the strategy as it was written, with the way to search where there are several.
        strategy: the name under which its passages are.
        method: the way to search.
        values: by measure ``(n_questions,)`` float64.
        hits: what each question found: passages, the best first.
        seconds: by step: searching and measuring.
        searched: how vectors were compared, where they were.
        score: the part of retrieval in the one score, see :mod:`chunking.retrieval.score`.
    """

    name: str
    strategy: str
    method: Method
    values: Mapping[str, Float64]
    hits: Rankings
    seconds: Mapping[str, float]
    searched: SearchReport = EXACT
    score: float = 0.0


@dataclass(frozen=True, eq=False)
class RetrievalEvaluation:
    """All rows on all questions.

    Attributes:
        question_set: the questions.
        options: how they were evaluated.
        settings: the strategies by their names.
        passages: what each strategy made of the corpus.
        rows: each strategy with each way to search.
        seconds: by step, of all rows together.
        truncated: by strategy, how many of its passages the encoder does not read to the end; empty without it.
    """

    question_set: QuestionSet
    options: RetrievalOptions
    settings: Mapping[str, Setting]
    passages: Mapping[str, Passages]
    rows: tuple[RetrievalRow, ...]
    seconds: Mapping[str, float]
    truncated: Mapping[str, int]

    @property
    def encoder(self) -> str | None:
        """The name of the encoder that passages and questions were compared with; ``None`` where BM25 alone was."""
        return self.options.tools.retrieval_encoder if "dense" in self.options.rankings else None

    @property
    def boundary_encoders(self) -> tuple[str, ...]:
        """The names of the encoders that strategies cut with, in alphabetical order; empty where none needs vectors."""
        if not any(setting.embeds for setting in self.settings.values()):
            return ()
        languages = {language for cut in self.passages.values() for language in cut.languages}
        return tuple(sorted({self.options.tools.boundary_encoder(language) for language in languages}))


def uses_encoder(settings: Iterable[Setting], methods: Iterable[Method]) -> bool:
    """Return whether strategies or ways to search need an encoder."""
    return any(method != "bm25" for method in methods) or any(setting.embeds for setting in settings)


def evaluate(
    question_set: QuestionSet,
    settings: Mapping[str, Setting],
    options: RetrievalOptions | None = None,
    cache: VectorCache | None = None,
    tell: Tell | None = None,
) -> RetrievalEvaluation:
    """Cut the corpus, search it, measure.

    Args:
        question_set: the questions and their documents.
        settings: strategies, by the name they have in the results.
        options: see there.
        cache: of vectors: what it holds is not embedded again.
        tell: receives the progress; may raise to stop, and what was embedded is kept.

    Raises:
        ChunkscopeError: the encoder cannot be used, or a strategy can cut no document.
    """
    options = options or RetrievalOptions()
    if question_set.truth == "documents":
        measures.check_installed()
    report = tell or (lambda *_: None)
    context = EvaluationContext(question_set, options.tools, cache, report, rerank=options.rerank)
    if options.rerank:
        get_reranker(options.rerank.model)  # before anything is cut
    clock = Stopwatch()
    dense = "dense" in options.rankings
    if dense and any(setting.context.embed == EMBED_LATE for setting in settings.values()):
        late.check(context.encoder)  # before anything is cut
    with clock.step("cutting"):
        cuts = passages.cut(question_set.sources, settings, options.tools, cache, report)
    # Sentences are split once for all strategies: the first that needs them must not be billed for it.
    splitting = sum(cut.splitting for cut in cuts.values())
    clock.add({"cutting": -splitting, "splitting sentences": splitting})
    if dense:
        with clock.step("embedding questions"):
            _ = context.question_vectors
    context.indexed = index.uses_index(
        options.index, min(map(len, cuts.values()), default=0), len(question_set.questions)
    )
    truncated: dict[str, int] = {}
    rows: list[RetrievalRow] = []
    for number, (name, cut) in enumerate(cuts.items()):
        vectors = NO_VECTORS
        if dense:
            with clock.step("embedding passages"):
                vectors = context.passage_vectors(cut, f"passages of {name}")
            report(f"what the encoder reads of {name}", 0, 0)
            # Late chunking reads documents in windows, to their ends.
            read_whole = cut.context.embed == EMBED_LATE
            indexed_texts = cut.indexed_texts(question_set.sources)
            truncated[name] = 0 if read_whole else int(embedding.truncated(indexed_texts, context.encoder).sum())
        searches = Searches(context, cut, vectors)
        rows += [_evaluate_row(name, method, searches, question_set, options, report) for method in options.methods]
        report("strategies", number + 1, len(cuts))
    for row in rows:
        clock.add(row.seconds)
    return RetrievalEvaluation(question_set, options, settings, cuts, tuple(rows), clock.seconds, truncated)


NO_VECTORS: Float32 = np.zeros((0, 0), dtype=np.float32)


def _evaluate_row(
    name: str, method: Method, searches: Searches, question_set: QuestionSet, options: RetrievalOptions, report: Tell
) -> RetrievalRow:
    """Search and measure the passages of a strategy with a method."""
    title = options.row_name(name, method)
    clock = Stopwatch()
    report(f"searching {title}", 0, len(question_set.questions))
    with clock.step("searching"):
        hits, searched = searches.run(method, partial(report, f"indexing for {title}"))
    with clock.step("measuring"):
        measured = measure(question_set, searches.passages, hits, options, partial(report, f"measuring {title}"))
    return RetrievalRow(title, name, method, measured.values, hits, clock.seconds, searched, measured.score)


@dataclass(eq=False)
class Searches:
    """Searches of the same passages for all questions; a ranking that several methods combine is made once.

    Attributes:
        context: of the evaluation.
        passages: what is searched.
        vectors: ``(n_passages, dim)`` float32, of the passages; without rows if no method compares vectors.
    """

    context: EvaluationContext
    passages: Passages
    vectors: Float32
    _results: dict[Method, tuple[Rankings, SearchReport]] = field(default_factory=dict)

    def run(self, method: Method, progress: Progress | None = None) -> tuple[Rankings, SearchReport]:
        """Return the best :data:`~chunking.retrieval.search.ranking.DEPTH` passages of each question.

        Args:
            method: the search method.
            progress: receives the progress of an index; may raise to stop.

        Returns:
            The rankings, and how vectors were compared.
        """
        results = [self._ranking(way, progress) for way in RANKINGS_OF[method]]
        rankings, context = ranking.combine([rankings for rankings, _ in results]), self.context
        if context.rerank is not None:
            texts = self.passages.indexed_texts(context.question_set.sources)
            rankings = rerank(rankings, context.questions, texts, context.rerank, partial(context.tell, "reranking"))
        return rankings, results[0][1]

    def _ranking(self, way: Method, progress: Progress | None) -> tuple[Rankings, SearchReport]:
        if way not in self._results:
            context = self.context
            if way == "dense":
                use = context.indexed
                self._results[way] = index.search(context.question_vectors, self.vectors, DEPTH, use, progress)
            else:
                scorer = BM25.of_texts(context.questions, self.passages.indexed_texts(context.question_set.sources))
                self._results[way] = scorer.search(DEPTH), EXACT
        return self._results[way]


def measure(
    question_set: QuestionSet,
    cut: Passages,
    hits: Rankings,
    options: RetrievalOptions,
    progress: Progress | None = None,
) -> Measures:
    """Return the measures that fit the truth of the set.

    Args:
        question_set: the questions.
        cut: what was searched.
        hits: what each question found.
        options: how much of that is looked at, and what counts tokens.
        progress: receives the number of questions; may raise to stop.
    """
    parts = []
    for first in range(0, max(len(question_set.questions), 1), _TOGETHER):
        if progress:
            progress(first, len(question_set.questions))
        group = slice(first, first + _TOGETHER)
        part = replace(question_set, questions=question_set.questions[group])
        parts.append(_measure_group(part, cut, Rankings(hits.passages[group], hits.scores[group]), options))
    values = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Measures(values, score.retrieval_part(question_set, cut, hits))


def _measure_group(
    question_set: QuestionSet, cut: Passages, hits: Rankings, options: RetrievalOptions
) -> Mapping[str, Float64]:
    if question_set.truth == "documents":
        by_document = ranking.by_document(hits, cut.document, DEPTH)
        values = measures.document_measures(question_set, by_document, options.kept)
        return values | measures.passage_hits(question_set, cut, hits, options.kept)
    tokenizer = tokens.get_tokenizer(options.tools.tokenizer)
    return measures.span_measures(question_set, cut, hits, options.kept, tokenizer)


# --- the corpus kept open, so that other settings can be tried on it again and again ----------------------------------

OPEN_CHARACTERS = 4_000_000
"""Characters of documents that are kept open."""

_TRIALS = 32
"""Settings whose rankings are kept."""


@dataclass(frozen=True, eq=False)
class Trial:
    """The passages of a setting, and those that the questions found."""

    passages: Passages
    hits: Rankings


class EvaluationContext:
    """Documents with what was measured on them, and the rankings of settings that were tried.

    For one thread at a time.

    Args:
        question_set: the questions and their documents.
        tools: encoder, tokenizer and sentence splitter.
        cache: of vectors: what it holds is not embedded again.
        tell: receives what is being done and how far it is; may raise to stop.
        indexed: whether vectors are searched by an index; each setting has other passages, so it pays no more than in
            an evaluation.
        rerank: a second stage after every search.
    """

    def __init__(
        self,
        question_set: QuestionSet,
        tools: Models,
        cache: VectorCache | None = None,
        tell: Tell | None = None,
        indexed: bool = False,
        rerank: Reranking | None = None,
    ) -> None:
        self.question_set = question_set
        self.tools = tools
        self.indexed = indexed
        self.rerank = rerank
        self._cache = cache
        self.tell: Tell = tell or (lambda *_: None)
        self._open: dict[int, DocumentAnalysis] = {}
        self._trials: dict[tuple[str, Method], Trial] = {}
        self._small = sum(len(source.text) for source in question_set.sources) <= OPEN_CHARACTERS

    @classmethod
    def of(cls, evaluation: RetrievalEvaluation, cache: VectorCache | None = None) -> EvaluationContext:
        """For an evaluation, searched as it was."""
        indexed = any(row.searched.lists for row in evaluation.rows)
        options = evaluation.options
        return cls(evaluation.question_set, options.tools, cache, None, indexed, options.rerank)

    @property
    def tokenizer(self) -> TokenCounter:
        """The tokenizer that counts the tokens of passages."""
        return tokens.get_tokenizer(self.tools.tokenizer)

    @property
    def encoder(self) -> Encoder:
        """The encoder of passages and questions."""
        return embedding.get_encoder(self.tools.retrieval_encoder)

    @property
    def questions(self) -> list[str]:
        """The texts of all questions."""
        return [question.text for question in self.question_set.questions]

    @cached_property
    def question_vectors(self) -> Float32:
        """The vectors of all questions: ``(n_questions, dim)`` float32."""
        return self.embed(self.questions, "questions")

    def passage_vectors(self, cut: Passages, what: str = "passages") -> Float32:
        """Return the vectors of passages: ``(n_passages, dim)`` float32."""
        progress = partial(self.tell, f"embedding {what}")
        return passages.embed_passages(cut, self.question_set.sources, self.encoder, self._cache, progress)

    def embed(self, texts: Sequence[str], what: str) -> Float32:
        """Return ``(n, dim)`` float32; what is in the cache is not embedded again."""
        return embedding.embed(texts, self.encoder, self._cache, partial(self.tell, f"embedding {what}"))

    def workspace(self, document: int) -> DocumentAnalysis:
        """Return a document, with what was measured on it before where it is still open."""
        if document not in self._open:
            self._open[document] = DocumentAnalysis(self.question_set.sources[document].open(), self.tools, self._cache)
            while len(self._open) > 1 and self._open_characters() > OPEN_CHARACTERS:
                del self._open[next(iter(self._open))]
        return self._open[document]

    def _open_characters(self) -> int:
        return sum(len(workspace.document.text) for workspace in self._open.values())

    def segmentation(self, setting: Setting, document: int) -> Segmentation:
        """Return the segmentation of a document under a setting.

        Raises:
            ChunkscopeError: it cannot cut it.
        """
        return setting.run(self.workspace(document))

    def trial(self, setting: Setting, method: Method) -> Trial:
        """Cut the corpus by a setting and search it.

        Raises:
            ChunkscopeError: it can cut no document, or the encoder cannot be used.
        """
        key = (setting.text, method)
        if key not in self._trials:
            self._trials[key] = self._make_trial(setting, method)
            while len(self._trials) > _TRIALS:
                del self._trials[next(iter(self._trials))]
        return self._trials[key]

    def _make_trial(self, setting: Setting, method: Method) -> Trial:
        sources = self.question_set.sources
        if self._small:
            workspaces = (self.workspace(index) for index in range(len(sources)))
            cut = passages.cut_open(workspaces, len(sources), {"": setting}, self.tell, sources)[""]
        else:
            cut = passages.cut(sources, {"": setting}, self.tools, self._cache, self.tell)[""]
        dense = "dense" in RANKINGS_OF[method]
        searches = Searches(self, cut, self.passage_vectors(cut) if dense else NO_VECTORS)
        return Trial(cut, searches.run(method, partial(self.tell, "making an index"))[0])


class Stopwatch:
    """Seconds by step.

    Attributes:
        seconds: spent so far.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Add the time that is spent inside to a step."""
        began = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - began

    def add(self, seconds: Mapping[str, float]) -> None:
        """Add the time that was spent elsewhere."""
        for step, duration in seconds.items():
            self.seconds[step] += duration
