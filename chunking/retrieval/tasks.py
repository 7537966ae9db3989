"""The heavy work on retrieval as functions that a worker can run: arguments and results can be pickled.

An evaluation comes back without its questions, which whoever sent them has.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from chunking import embedding
from chunking.document import Document
from chunking.embedding.vector_cache import VectorCache
from chunking.retrieval.answers.exchanges import Exchanges
from chunking.retrieval.answers.plan import AnswerPlan, choose_questions, plan_answers
from chunking.retrieval.answers.summary import AnswerSummary, summarize_answers
from chunking.retrieval.evaluate import EvaluationContext, RetrievalEvaluation, RetrievalOptions, evaluate
from chunking.retrieval.misses import analysis, remedy
from chunking.retrieval.misses.causes import MissAnalysis
from chunking.retrieval.misses.remedy import Remedy
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions import folders, generated, own, proxies
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.questions.generated import GenerationPlan
from chunking.retrieval.questions.proxies import ProxyQuestions
from chunking.retrieval.reports.results import RetrievalSummary
from chunking.retrieval.reports.summary import summarize
from chunking.retrieval.search import passages
from chunking.retrieval.search.passages import Passages
from chunking.runtime.progress import Tell
from chunking.strategies import Setting
from chunking.workspace import Models

Causes = Mapping[str, tuple[MissAnalysis, ...]]
"""The causes of missed answers, by row."""


def read_files(files: Mapping[str, bytes], name: str, _: VectorCache | None, tell: Tell) -> QuestionSet:
    """Return a set of questions from uploaded files, see :func:`chunking.retrieval.questions.own.of_files`."""
    tell("reading", 0, 0)
    return own.of_files(files, name)


def read_folder(path: Path, split: str | None, _: VectorCache | None, tell: Tell) -> QuestionSet:
    """Return the set of questions of a folder, see :func:`chunking.retrieval.questions.folders.read`."""
    tell("reading", 0, 0)
    return folders.read(path, split)


def make_proxies(
    documents: Mapping[str, Document],
    kind: proxies.Kind,
    number: int | None,
    tools: Models,
    _: VectorCache | None,
    tell: Tell,
) -> ProxyQuestions:
    """Return questions made of documents, see :func:`chunking.retrieval.questions.proxies.make`."""
    return proxies.make(documents, kind, number, tools=tools, tell=tell)


def plan_questions(
    documents: Mapping[str, Document], number: int, tools: Models, _: VectorCache | None, tell: Tell
) -> GenerationPlan:
    """Return what a model would read, see :func:`chunking.retrieval.questions.generated.plan`; nothing is sent."""
    tell("reading", 0, 0)
    return generated.plan(documents, number, tools=tools)


def evaluate_settings(
    question_set: QuestionSet,
    settings: Mapping[str, Setting],
    options: RetrievalOptions,
    cache: VectorCache | None,
    tell: Tell,
) -> tuple[RetrievalEvaluation, RetrievalSummary]:
    """Return an evaluation without its questions, and its summary."""
    evaluation = evaluate(question_set, settings, options, cache, tell)
    summary = summarize(evaluation, tell=tell)
    return replace(evaluation, question_set=replace(question_set, sources=(), questions=())), summary


def plan_checked_answers(
    evaluation: RetrievalEvaluation, within: Cutoff, number: int, judged: bool, _: VectorCache | None, tell: Tell
) -> AnswerPlan:
    """Return what a model would be asked; see :func:`chunking.retrieval.answers.plan.plan_answers`; nothing is sent."""
    places = choose_questions(evaluation.question_set, number)
    return plan_answers(evaluation, within, places, judged=judged, tell=tell)


def summarize_checked_answers(
    plan: AnswerPlan, exchanges: Exchanges, _: VectorCache | None, tell: Tell
) -> AnswerSummary:
    """Return the results of a plan whose requests all have replies."""
    tell("comparing", 0, 0)
    return summarize_answers(plan, exchanges)


def trace_causes(evaluation: RetrievalEvaluation, within: Cutoff, cache: VectorCache | None, tell: Tell) -> Causes:
    """Return the causes of missed answers in every row."""
    causes = {}
    with _context(evaluation, cache, tell) as context:
        for number, row in enumerate(evaluation.rows):
            tell("strategies", number, len(evaluation.rows))
            tell(f"missed answers of {row.name}", 0, 0)
            causes[row.name] = analysis.analyze(evaluation, row, within, context)
    return causes


def find_remedies(
    evaluation: RetrievalEvaluation,
    row: str,
    analyzed: MissAnalysis,
    within: Cutoff,
    cache: VectorCache | None,
    tell: Tell,
) -> tuple[Remedy, ...]:
    """Return the changes that were tried for a question; see :func:`chunking.retrieval.misses.remedy.remedies`.

    Args:
        evaluation: the evaluation.
        row: name of one of its rows.
        analyzed: the causes of the question.
        within: what is looked at.
        cache: of vectors.
        tell: receives what is being done; may raise to stop.
    """
    tell("trying changes", 0, 0)
    evaluated_row = next(candidate for candidate in evaluation.rows if candidate.name == row)
    with _context(evaluation, cache, tell) as context:
        return remedy.remedies(evaluation, evaluated_row, analyzed, within, context)


def prepare_index(
    question_set: QuestionSet,
    settings: Mapping[str, Setting],
    options: RetrievalOptions,
    cut: Mapping[str, Passages] | None,
    cache: VectorCache | None,
    tell: Tell,
) -> Mapping[str, Passages]:
    """Return the passages of each strategy, whose vectors are in the cache then if the retrievers need any.

    Args:
        question_set: the questions and their documents.
        settings: the strategies by their names.
        options: retrievers and tools.
        cut: the passages where they are known.
        cache: of vectors.
        tell: receives what is being done and how far it is; may raise to stop.
    """
    cuts = cut if cut is not None else passages.cut(question_set.sources, settings, options.tools, cache, tell)
    if cache is not None and options.methods != ("bm25",):
        encoder = embedding.get_encoder(options.tools.retrieval_encoder)
        for name, passages_of_setting in cuts.items():
            passages.embed_passages(
                passages_of_setting,
                question_set.sources,
                encoder,
                cache,
                partial(tell, f"embedding passages of {name}"),
            )
    return cuts


_lock = threading.Lock()
_latest: list[tuple[object, EvaluationContext]] = []
"""The documents that were open for the latest question: whoever asks for one remedy asks for another."""


@contextmanager
def _context(evaluation: RetrievalEvaluation, cache: VectorCache | None, tell: Tell) -> Iterator[EvaluationContext]:
    """Yield the open documents of an evaluation, for one thread at a time."""
    indexed = any(row.searched.lists for row in evaluation.rows)
    options = evaluation.options
    key = (evaluation.question_set.content_hash, options.tools, options.rerank, indexed, cache and cache.path)
    with _lock:
        if not _latest or _latest[0][0] != key:
            _latest[:] = [(key, EvaluationContext.of(evaluation, cache))]
        context = _latest[0][1]
        context.tell = tell
        yield context
