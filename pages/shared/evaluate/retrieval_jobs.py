"""Background jobs of the Retrieval part: the evaluation, the causes of misses, remedies, and search indexes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec
import streamlit as st

from chunking.embedding.endpoint import is_endpoint
from chunking.embedding.vector_cache import VectorCache
from chunking.isolation.workers import Task
from chunking.jobs.queue import WHOLE, Job
from chunking.retrieval import result_store, tasks
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalOptions, RetrievalRow
from chunking.retrieval.misses.causes import MissAnalysis
from chunking.retrieval.misses.passage_index import PassageIndex
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.reports.results import RetrievalSummary
from chunking.retrieval.result_store import InterruptedRuns, ResultStore
from chunking.runtime.progress import Tell
from chunking.strategies import Setting
from pages.shared.documents import documents
from pages.shared.evaluate import question_sets
from pages.shared.evaluate.question_sets import QuestionChoice
from pages.shared.frame.runs import runs
from pages.shared.storage import forgetting


@dataclass(frozen=True, eq=False)
class RetrievalRequest:
    """An evaluation that the controls ask for.

    Attributes:
        choice: the question set.
        settings: the strategies, by their names in the results.
        options: of the evaluation.
    """

    choice: QuestionChoice
    settings: Mapping[str, Setting]
    options: RetrievalOptions

    def key(self, question_set: QuestionSet) -> str:
        """Return the identity of the result."""
        made_of = (
            result_store.engine_version(),
            question_set.name,
            question_set.content_hash,
            tuple(self.settings),
            self.options,
        )
        return hashlib.sha256(repr(made_of).encode("utf-8", "backslashreplace")).hexdigest()

    @property
    def within(self) -> Cutoff:
        """The cutoff for missed answers: the context budget of the main measure, else the top k."""
        budgets = self.options.kept.budgets
        return Cutoff(self.options.kept.passages, budgets[len(budgets) // 2] if budgets else None)


@dataclass(eq=False)
class RetrievalResult:
    """The result of an evaluation.

    Attributes:
        key: of the request.
        summary: of the evaluation.
        evaluation: with its rankings; ``None`` where the result was read from disk.
        unkept: why it could not be saved to disk; empty where it was.
        texts: hashes of its texts.
        cache: where vectors of its texts are stored; ``None`` where nothing may be written to disk.
    """

    key: str
    summary: RetrievalSummary
    evaluation: RetrievalEvaluation | None = None
    unkept: str = ""
    texts: frozenset[str] = frozenset()
    cache: VectorCache | None = None


# --- the evaluation --------------------------------------------------------------------------------------------------


def result_of(request: RetrievalRequest, question_set: QuestionSet) -> RetrievalResult | None:
    """Return a result that is known already, from this server's memory or from disk."""
    key = request.key(question_set)
    run = runs().get(key)
    if run and run.state == "done":
        result: RetrievalResult = run.result
        return result
    try:
        return _read(key)
    except (KeyError, msgspec.ValidationError):
        return None


_STORE = ResultStore()
_BEGUN = InterruptedRuns()


@st.cache_resource(max_entries=4, show_spinner=False)
def _read(key: str) -> RetrievalResult:
    """Return a result from disk; an error, which is not remembered, if it is not there or has another form."""
    content = _STORE.read(key)
    if content is None:
        raise KeyError(key)
    summary = msgspec.convert(content["shown"], RetrievalSummary)
    return RetrievalResult(key, summary, texts=frozenset(content.get("texts", ())))


forgetting.forget_with(lambda _: _read.clear())


def run_of(request: RetrievalRequest, question_set: QuestionSet) -> Job | None:
    """Return the run of the evaluation, if there is one."""
    return runs().get(request.key(question_set))


def is_interrupted(request: RetrievalRequest, question_set: QuestionSet) -> bool:
    """Return whether the evaluation had begun when its server ended."""
    return _BEGUN.is_interrupted(request.key(question_set))


def start(request: RetrievalRequest, question_set: QuestionSet) -> Job:
    """Start the evaluation in the background; it starts again by itself if the server ends meanwhile."""
    key, cache, texts, queue = request.key(question_set), _cache(request), _texts(question_set), runs()

    def work(tell: Tell) -> RetrievalResult:
        task = _task(request.options, cache, tasks.evaluate_settings, question_set, request.settings, request.options)
        with _BEGUN.running(key):
            evaluation, summary = queue.call(task, tell)
        about = {"strategies": list(request.settings), "folder": request.choice.folder}
        unkept = _STORE.write(key, msgspec.to_builtins(summary), about, texts) if cache is not None else ""
        return RetrievalResult(key, summary, replace(evaluation, question_set=question_set), unkept, texts, cache)

    if cache is not None:
        _BEGUN.note(key)
    run = queue.start("evaluation", key, f"Evaluating {question_set.name}", work, texts)
    if not run.live:
        _BEGUN.drop(key)
    return run


def forget_begun(run: Job) -> None:
    """Let an evaluation that was stopped, or that failed, not start again by itself."""
    if run.state in ("stopped", "failed"):
        _BEGUN.drop(run.key)


def _task(options: RetrievalOptions, cache: VectorCache | None, function: Callable[..., Any], *arguments: Any) -> Task:
    """Return a task that embeds, which can leave this process unless the encoder is an endpoint set up here."""
    return Task(function, arguments, cache, not is_endpoint(options.tools.retrieval_encoder))


def _cache(request: RetrievalRequest) -> VectorCache | None:
    """Return where vectors are stored; ``None`` where nothing may be written to disk."""
    return None if question_sets.is_transient(request.choice) else documents.vector_cache()


def _texts(question_set: QuestionSet) -> frozenset[str]:
    return frozenset(source.text_hash for source in question_set.sources)


# --- causes and remedies ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Analysis:
    """An analysis of a result in the background.

    Attributes:
        result: the result, with its rankings.
        kind: ``causes`` or ``remedy``.
        about: identifies it among the analyses of its kind.
        title: what is done.
        function, arguments: the task, without the evaluation.
    """

    result: RetrievalResult
    kind: Literal["causes", "remedy"]
    about: str
    title: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    @property
    def key(self) -> str:
        """The identity of what it finds."""
        return f"{self.result.key}/{self.kind}/{self.about}"

    def run(self) -> Job | None:
        """Return the run, if there is one."""
        return runs().get(self.key)

    def start(self) -> Job:
        """Start it."""
        queue, evaluation = runs(), self.result.evaluation
        assert evaluation is not None
        task = _task(evaluation.options, self.result.cache, self.function, evaluation, *self.arguments)
        return queue.start(self.kind, self.key, self.title, lambda tell: queue.call(task, tell), self.result.texts)


def causes(result: RetrievalResult, within: Cutoff) -> Analysis:
    """Return the tracing of missed answers to their causes, in every row."""
    return Analysis(result, "causes", str(within), "Tracing missed answers", tasks.trace_causes, (within,))


def remedy(result: RetrievalResult, row: RetrievalRow, within: Cutoff, analyzed: MissAnalysis) -> Analysis:
    """Return the search for the smallest change that fixes a question."""
    about = f"{row.name}/{within}/{analyzed.question}"
    title = f"Finding the smallest change for question {analyzed.question + 1}"
    return Analysis(result, "remedy", about, title, tasks.find_remedies, (row.name, analyzed, within))


# --- free queries ----------------------------------------------------------------------------------------------------

Indexes = Mapping[str, PassageIndex]


def index_key(request: RetrievalRequest, question_set: QuestionSet) -> str:
    """Return the identity of the indexes of a corpus."""
    options = request.options
    ways = (tuple(request.settings), options.tools, options.methods, options.index, options.rerank)
    return hashlib.sha256(repr((result_store.engine_version(), question_set.content_hash, ways)).encode()).hexdigest()


def start_index(
    request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult | None, query: str
) -> Job:
    """Start building the search indexes in the background; a first query warms them up."""
    queue, cache, options = runs(), _cache(request), request.options
    cuts = result.evaluation.passages if result and result.evaluation else None
    words = [question.text for question in question_set.questions]

    def work(tell: Tell) -> Indexes:
        cut = queue.call(
            _task(options, cache, tasks.prepare_index, question_set, request.settings, options, cuts), tell
        )
        indexes = {}
        # Every session searches them, so they are in this process.
        for number, (name, division) in enumerate(cut.items()):
            tell(WHOLE, number, len(cut))
            tell(f"index of {name}", 0, 0)
            indexes[name] = PassageIndex(
                division, question_set.sources, options.tools, cache, tell, options.index, words, options.rerank
            )
            for method in options.methods:
                indexes[name].search(query, method)
        return indexes

    return queue.start("index", index_key(request, question_set), "Indexing the chunks", work, _texts(question_set))
