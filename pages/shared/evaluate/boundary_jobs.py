"""An evaluation of boundaries as a run behind the page, in a queue of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from chunking import ChunkscopeError
from chunking.embedding.endpoint import is_endpoint
from chunking.evaluation import SegmentationEvaluation, SegmentationOptions
from chunking.evaluation.results import SegmentationSummary
from chunking.evaluation.tasks import evaluate_settings
from chunking.isolation.workers import Task
from chunking.jobs.queue import Job, JobQueue
from chunking.runtime.progress import Tell
from chunking.strategies import Setting
from chunking.work.backend import WorkerBackend
from pages.shared.documents import documents
from pages.shared.evaluate import data_sets
from pages.shared.evaluate.data_sets import DataSetChoice
from pages.shared.frame import runs

PATIENCE = 1.0
"""Seconds that a page waits for a run, so that a short one is shown without its progress."""


@dataclass(frozen=True)
class SegmentationRequest:
    """An evaluation that the controls ask for.

    Attributes:
        choice: the data set.
        settings: the strategies, by their names in the results.
        options: of the evaluation.
    """

    choice: DataSetChoice
    settings: Mapping[str, Setting]
    options: SegmentationOptions

    @property
    def key(self) -> str:
        """Identity of the result."""
        data = data_sets.identity(self.choice, self.options.tools)
        return hashlib.sha256(repr((data, tuple(self.settings), self.options)).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class SegmentationResult:
    """The result of an evaluation.

    Attributes:
        evaluation: by document.
        summary: the figures.
        problems: errors of documents that are not in it, by name.
    """

    evaluation: SegmentationEvaluation
    summary: SegmentationSummary
    problems: Mapping[str, ChunkscopeError]


def queue() -> JobQueue:
    """Return the runs of this kind: a long evaluation of retrieval does not hold them up."""
    return runs.runs("boundaries")


def run_of(request: SegmentationRequest) -> Job:
    """Return the run of an evaluation, which is started where there is none.

    Raises:
        ChunkscopeError: the set has no documents.
    """
    key = request.key
    job = queue().get(key) or _start(request, key)
    if job.live:
        job.wait(PATIENCE)
    return job


def restart(request: SegmentationRequest) -> Job:
    """Start an evaluation that was stopped or failed again."""
    return _start(request, request.key)


def _start(request: SegmentationRequest, key: str) -> Job:
    tools, runs_ = request.options.tools, queue()
    gather = data_sets.prepare(request.choice, tools, WorkerBackend(runs_.call))
    used_documents = data_sets.documents_of(request.choice)
    cache = None if any(opened.is_transient for opened in used_documents) else documents.vector_cache()

    def work(tell: Tell) -> SegmentationResult:
        data, problems = gather(tell)
        arguments = (data, request.settings, request.options)
        task = Task(evaluate_settings, arguments, cache, not is_endpoint(tools.retrieval_encoder))
        evaluation, summary = runs_.call(task, tell)
        return SegmentationResult(replace(evaluation, data=data), summary, problems)

    texts = {opened.document.text_hash for opened in used_documents}
    return runs_.start("boundaries", key, f"Evaluating {request.choice.name}", work, texts)
