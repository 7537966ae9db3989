"""A run of the batch experiment: data sets are parted, cut, searched and measured, and what came out is written."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar, get_args

import numpy as np

from chunking import embedding, sentences, tokens
from chunking.batch import corpus, cutting, plots, questions, searching
from chunking.batch.corpus import fingerprint
from chunking.batch.cutting import ChunkStatistics, DataSetFiles
from chunking.batch.engines import Engine, JobResult
from chunking.batch.report import ChunkSizes, DataSetResult, RunReport
from chunking.batch.searching import MeasureJob, PlacedPart, SearchJob
from chunking.batch.storage import files, storage
from chunking.errors import ChunkscopeError
from chunking.retrieval.evaluate import Measures, RetrievalEvaluation, RetrievalOptions, RetrievalRow
from chunking.retrieval.questions import tables
from chunking.retrieval.questions.data import QuestionSet, QuestionSetRemark, Truth, describe_remarks
from chunking.retrieval.reports.results import RetrievalSummary
from chunking.retrieval.reports.summary import summarize
from chunking.retrieval.search.passages import Passages, check_failures
from chunking.retrieval.search.ranking import DEPTH, RANKINGS_OF, Method, Rankings
from chunking.runtime.progress import Tell
from chunking.strategies import Setting

Mode = Literal["chunk", "eval"]
Form = Literal["jsonl", "parquet"]
FORMS: tuple[Form, ...] = get_args(Form)
"""Of files of chunks: a chunk a line as JSON, or a chunk a row."""

Job = TypeVar("Job")
Result = TypeVar("Result", bound=JobResult)

CHUNK_SIZES = "results/chunk_sizes_metrics.json"
QUALITY = "results/retrieval_quality_metrics.json"

STEPS = ("split", "cut", "embedded", "counted", "searched", "measured")
"""The items counted of a run: documents, parts by a setting, texts, parts by a setting, groups of parts, rankings."""


@dataclass(frozen=True)
class RunPlan:
    """The plan of a run.

    Attributes:
        mode: ``chunk``, or ``eval`` to search and measure as well.
        folders: the data sets.
        settings: the strategies, by the names they have in the results.
        out: the folder that is written to.
        options: ways to search, how much is looked at, and the models.
        split: name of the judgements, where there are several.
        part_bytes: size of a part.
        command: the line that asked for it, for the report.
        chunks: in what forms chunks are written, of :data:`FORMS`.
        truth: what must be known to be true; ``None`` where either will do.
    """

    mode: Mode
    folders: tuple[Path, ...]
    settings: Mapping[str, Setting]
    out: Path
    options: RetrievalOptions = field(default_factory=RetrievalOptions)
    split: str | None = None
    part_bytes: int = corpus.PART_BYTES
    command: str = ""
    chunks: tuple[Form, ...] = ("jsonl",)
    truth: Truth | None = None


@dataclass(eq=False)
class RunResult:
    """The result of a run.

    Attributes:
        files: what it wrote for people, relative to the folder.
        made: how many parts it had to cut, texts to embed, … ; all 0 where everything was there.
        seconds: by step, of all workers together; ``in all`` by the clock.
        notes: what a user should know.
    """

    files: list[str] = field(default_factory=list)
    made: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(STEPS, 0)))
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    notes: list[str] = field(default_factory=list)

    def add(self, result: JobResult) -> None:
        """Add what a job cost."""
        self.made.update(result.made)
        for step, duration in result.seconds.items():
            self.seconds[step] += duration


def run(plan: RunPlan, engine: Callable[[], Engine], tell: Tell | None = None) -> RunResult:
    """Run a plan, except for the steps whose results exist already.

    Args:
        plan: what to do.
        engine: makes what does the work.
        tell: receives what is being done and how far it is.

    Raises:
        ChunkscopeError: something that was asked for is not there, a strategy could cut no document, a file cannot be
            written, or another run works in the same folder. What is finished stays.
    """
    began = time.perf_counter()
    _check(plan)
    with storage.sole(str(plan.out / "work")):
        storage.tidy(str(plan.out))
        with engine() as workers:
            batch_run = _BatchRun(plan, workers, tell or (lambda *_: None))
            batch_run.run_data_sets()
    batch_run.outcome.seconds["in all"] = time.perf_counter() - began
    return batch_run.outcome


def _check(plan: RunPlan) -> None:
    """Refuse early what no worker could use."""
    embedding.get_encoder(plan.options.tools.retrieval_encoder)
    tokens.get_tokenizer(plan.options.tools.tokenizer)
    if plan.options.tools.splitter is not None:
        sentences.check_splitter(plan.options.tools.splitter)
    if plan.part_bytes < 1:
        raise ChunkscopeError("The size of a part is counted from 1.")


class _BatchRun:
    def __init__(self, plan: RunPlan, engine: Engine, tell: Tell) -> None:
        self.plan = plan
        self.outcome = RunResult()
        self._engine = engine
        self.report = tell
        self._methods = storage.distinct(list(plan.settings))

    def run_data_sets(self) -> None:
        """Run all data sets, and write the results."""
        names = storage.distinct([folder.resolve().name for folder in self.plan.folders])
        results: dict[str, DataSetResult] = {}
        runs = [_DataSetRun(self, name, folder) for name, folder in zip(names, self.plan.folders, strict=True)]
        for name, run in zip(names, runs, strict=True):
            run.cut()
            run.write_chunks()
            result = results[name] = DataSetResult(
                self.plan.options.tools.tokenizer, run.sizes(), run.quality() if self.plan.mode == "eval" else None
            )
            notes = result.quality.notes if result.quality else run.notes()
            self.outcome.notes += [f"{name}: {note}" for note in notes]
        self._write_results(RunReport(results, self.outcome.notes, self.plan.command))

    def run_jobs(self, what: str, work: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
        """Return the results of jobs, in any order; count what they made, and report the progress."""
        self.report(what, 0, len(jobs))
        results = []
        for result in self._engine.run(work, jobs):
            results.append(result)
            self.outcome.add(result)
            self.report(what, len(results), len(jobs))
        return results

    def write(self, name: str, content: str) -> None:
        """Write a file for people."""
        storage.write(str(self.plan.out / name), content.encode("utf-8", "replace"))
        self.outcome.files.append(name)

    def chunk_file(self, data: str, number: int, form: Form) -> str:
        """Return the file of all chunks of a method, relative to the folder."""
        return f"data/chunks/{data}/{self._methods[number]}.{form}"

    def _write_results(self, report: RunReport) -> None:
        sizes = {name: result.sizes_as_dict() for name, result in report.results.items()}
        quality = {name: result.quality.as_dict() for name, result in report.results.items() if result.quality}
        self.write(CHUNK_SIZES, _json(sizes))
        if quality:
            self.write(QUALITY, _json(quality))
        for file, figure in report.figures.items():
            self.write(f"results/{file}", figure.file)
        self.write("results/report.html", report.html())
        self.write("results/report.md", report.markdown())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


class _DataSetRun:
    """A data set in a run."""

    def __init__(self, batch_run: _BatchRun, name: str, folder: Path) -> None:
        plan = batch_run.plan
        self._run = batch_run
        self._plan = plan
        self._name = name
        base = str(plan.out / "work" / name)
        searched = plan.mode == "eval"
        batch_run.report(f"{name}: reading", 0, 1)
        self._corpus = corpus.read(folder, f"{base}/documents.jsonl", searched, plan.split, plan.part_bytes)
        if searched and plan.truth not in (None, self._question_set.truth):
            raise ChunkscopeError(
                f"{name}: judged documents have no recall within a number of tokens.",
                "Give --top-k, or sets with spans.",
            )
        self._files = self._all_files(base, questions.write(base, self._question_set) if searched else "")
        self._totals: dict[str, ChunkStatistics] = {}
        self._parts: dict[str, dict[int, ChunkStatistics]] = {text: {} for text in self._files.settings}

    @property
    def _question_set(self) -> QuestionSet:
        if self._corpus.question_set is None:
            raise ValueError("a corpus without questions cannot be evaluated")
        return self._corpus.question_set

    def _all_files(self, base: str, questions_path: str) -> DataSetFiles:
        options, digest = self._plan.options, self._corpus.digest
        rankings = options.rankings if questions_path else ()
        settings = {setting.text: setting for setting in self._plan.settings.values()}
        chunks = {
            text: cutting.chunks_fingerprint(setting, options.tools, digest) for text, setting in settings.items()
        }
        words = {
            text: f"words-{fingerprint([files.SCHEMA, Path(questions_path).stem, name])}"
            for text, name in chunks.items()
            if "bm25" in rankings
        }
        folders = cutting.sentences_fingerprint(options.tools), cutting.vectors_fingerprint(options.tools)
        return DataSetFiles(base, tuple(settings), options, rankings, chunks, *folders, words, questions_path)

    def _run_jobs(self, what: str, work: Callable[[DataSetFiles, Job], Result], jobs: Sequence[Job]) -> list[Result]:
        return self._run.run_jobs(f"{self._name}: {what}", partial(work, self._files), jobs)

    # --- cutting ---

    def cut(self) -> None:
        """Cut all parts, and have what searching needs of them."""
        for part_result in self._run_jobs("parts", cutting.cut_part, self._corpus.parts):
            for text, statistics in part_result.cuts.items():
                self._parts[text][part_result.number] = statistics
                self._totals[text] = self._totals[text] + statistics if text in self._totals else statistics
        for name, setting in self._plan.settings.items():
            check_failures(name, self._failures(setting), self._corpus.documents, self._name)

    def _failures(self, setting: Setting) -> tuple[QuestionSetRemark, ...]:
        parts = self._parts[setting.text]
        return tuple(
            QuestionSetRemark("", 0, id, reason) for number in sorted(parts) for id, reason in parts[number].failed
        )

    def write_chunks(self) -> None:
        """Write all chunks, a file a strategy and form."""
        jobs = []
        for number, setting in enumerate(self._plan.settings.values()):
            parts = tuple(self._files.chunks_of(setting.text, part) for part in self._corpus.parts)
            for form in self._plan.chunks:
                name = self._run.chunk_file(self._name, number, form)
                jobs.append((str(self._plan.out / name), parts))
                self._run.outcome.files.append(name)
        self._run.run_jobs(f"{self._name}: writing chunks", assemble, jobs)

    def sizes(self) -> dict[str, ChunkSizes]:
        """Return the sizes of the chunks of every strategy."""
        return {
            name: ChunkSizes(
                setting.text, self._corpus.documents, self._totals[setting.text].tokens, self._failures(setting)
            )
            for name, setting in self._plan.settings.items()
        }

    def notes(self) -> list[str]:
        """Return the corrected and excluded data, and the documents that could not be cut."""
        notes = describe_remarks(self._corpus.remarks)
        for name, setting in self._plan.settings.items():
            failures = self._failures(setting)
            if failures:
                notes.append(
                    f"{name} could not cut {len(failures):,} of {self._corpus.documents:,} documents, the first "
                    f"{failures[0].id!r:.60}: {failures[0].what}"
                )
        return notes

    # --- searching ---

    def quality(self) -> RetrievalSummary:
        """Search, measure, and sum up."""
        if "dense" in self._files.rankings:
            self._run.run_jobs(f"{self._name}: embedding questions", searching.embed_questions, [self._files])
        parts = {text: self._place_parts(text) for text in self._files.settings}
        searches = [
            job
            for text in self._files.settings
            for method in self._files.rankings
            for job in self._searches(text, method, parts[text])
        ]
        self._run_jobs("searching", searching.search_parts, searches)
        measuring = self._run_jobs("measuring", searching.measure_ranking, self._measurements(searches, parts))
        measures = {(result.setting, result.method): result.measures for result in measuring}
        summary = summarize(self._evaluation(measures), hashed=False)
        # How long it took is left out, so that the same run writes the same files.
        rows = {name: replace(row, seconds={}) for name, row in summary.strategies.items()}
        return replace(summary, strategies=rows)

    def _place_parts(self, text: str) -> tuple[PlacedPart, ...]:
        counts = [self._parts[text][part.number].sizes.total() for part in self._corpus.parts]
        return searching.place_parts(self._corpus.parts, counts)

    def _searches(self, text: str, method: Method, parts: Sequence[PlacedPart]) -> Iterator[SearchJob]:
        words = self._totals[text].words if method == "bm25" else None
        sizes = [DEPTH, searching.TOGETHER, searching.GROUP]
        made_of = [files.SCHEMA, self._files.chunks[text], Path(self._files.questions).stem, method, sizes]
        folder = fingerprint([*made_of, self._files.vectors if method == "dense" else ""])
        for number, group in enumerate(searching.group_parts(parts, searching.GROUP)):
            path = f"{self._files.base}/found-{folder}/group-{number:05d}.npz"
            yield SearchJob(text, method, group, words, path)

    def _measurements(
        self, searches: Sequence[SearchJob], parts: Mapping[str, tuple[PlacedPart, ...]]
    ) -> list[MeasureJob]:
        rankings: defaultdict[tuple[str, Method], list[str]] = defaultdict(list)
        for search in searches:
            rankings[search.setting, search.method].append(search.path)
        options, jobs = self._plan.options, []
        measure_options = [options.kept.passages, options.kept.budgets, options.tools.tokenizer]
        for text in self._files.settings:
            for method in options.methods:
                paths = tuple(tuple(rankings[text, ranking]) for ranking in RANKINGS_OF[method])
                names = [[path.removeprefix(self._files.base) for path in group] for group in paths]
                made_of = [self._files.chunks[text], names, Path(self._files.questions).stem, measure_options, method]
                path = f"{self._files.base}/measures-{fingerprint([files.SCHEMA, *made_of])}.json"
                jobs.append(MeasureJob(text, method, paths, parts[text], path))
        return jobs

    def _evaluation(self, measures: Mapping[tuple[str, Method], Measures]) -> RetrievalEvaluation:
        """Return what is to be summed up, without the chunks and rankings."""
        options, settings = self._plan.options, self._plan.settings
        rows = []
        for title, (name, method) in options.rows(settings).items():
            measured, hits = measures[settings[name].text, method], Rankings((), ())
            rows.append(RetrievalRow(title, name, method, measured.values, hits, {}, score=measured.score))
        dense = "dense" in self._files.rankings
        truncated = {name: self._totals[setting.text].truncated for name, setting in settings.items() if dense}
        passages = {name: self._chunk_sizes(setting) for name, setting in settings.items()}
        return RetrievalEvaluation(self._question_set, options, settings, passages, tuple(rows), {}, truncated)

    def _chunk_sizes(self, setting: Setting) -> Passages:
        """Return the chunks of a strategy as far as their sizes go."""
        total = self._totals[setting.text]
        sizes, failed = plots.expand(total.sizes), self._failures(setting)
        nothing = np.broadcast_to(np.int64(0), len(sizes))
        return Passages(
            setting.text, nothing, nothing, nothing, nothing, sizes, failed=failed, languages=dict(total.languages)
        )


def assemble(job: tuple[str, Sequence[str]]) -> JobResult:
    """Write the chunks of all parts to one file, in order; of the parts one at a time is in memory.

    Args:
        job: path of the file, whose ending says its form, and those of the parts' chunks.
    """
    path, parts = job
    lines = (files.chunks(part, ("line",)).line for part in parts)
    with storage.replacing(path) as file:
        if path.endswith(tables.PARQUET):
            files.write_rows(file, lines)
        else:
            file.writelines(line.encode() + b"\n" for part in lines for line in part)
    return JobResult()
