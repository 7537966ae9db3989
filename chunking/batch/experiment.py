"""A run of the batch experiment: data sets are parted, cut, searched and measured, and what came out is written."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from chunking import embedding, sentences, tokens
from chunking.batch import corpus, cutting, plots, questions, report, searching
from chunking.batch.corpus import PartitionedCorpus, fingerprint
from chunking.batch.cutting import ChunkStatistics, PartFolders
from chunking.batch.engines import Engine
from chunking.batch.searching import PlacedPart
from chunking.batch.storage import files, storage
from chunking.errors import ChunkscopeError
from chunking.report.svg import SvgFigure
from chunking.retrieval import score
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalOptions, RetrievalRow
from chunking.retrieval.questions import tables
from chunking.retrieval.questions.data import QuestionSet, QuestionSetRemark, Truth, describe_remarks
from chunking.retrieval.reports import summary
from chunking.retrieval.reports.figures import pareto
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import DEPTH, RANKINGS_OF, Method, Rankings
from chunking.runtime.progress import Tell
from chunking.strategies import Setting

Mode = Literal["chunk", "eval"]
Form = Literal["jsonl", "parquet"]
FORMS: tuple[Form, ...] = get_args(Form)
"""Of files of chunks: a chunk a line as JSON, or a chunk a row."""

Job = TypeVar("Job")
Result = TypeVar("Result")

CHUNK_SIZES = "results/chunk_sizes_metrics.json"
QUALITY = "results/retrieval_quality_metrics.json"

STEPS = ("split", "cut", "embedded", "counted", "searched", "measured")
"""What is counted of a run: documents, parts by a setting, texts, parts by a setting, groups of parts, rankings."""


@dataclass(frozen=True)
class RunPlan:
    """What a run is to do.

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
    """What a run did.

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


def run(plan: RunPlan, engine: Callable[[], Engine], tell: Tell | None = None) -> RunResult:
    """Do what a plan says, and of that only what was not done before.

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
            running = _BatchRun(plan, workers, tell or (lambda *_: None))
            running.run_data_sets()
    running.outcome.seconds["in all"] = time.perf_counter() - began
    return running.outcome


def _check(plan: RunPlan) -> None:
    """Refuse early what no worker could use."""
    embedding.get_encoder(plan.options.tools.encoder)
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
        measured: dict[str, dict[str, Any]] = {}
        quality: dict[str, dict[str, Any]] = {}
        figures: dict[str, SvgFigure] = {}
        sets = [_DataSetRun(self, name, folder) for name, folder in zip(names, self.plan.folders, strict=True)]
        for name, set_ in zip(names, sets, strict=True):
            set_.cut()
            set_.write_chunks()
            measured[name] = set_.sizes()
            figures[report.sizes_file(name)] = plots.sizes(set_.tokens())
            notes = set_.notes()
            if self.plan.mode == "eval":
                found = quality[name] = set_.quality()
                notes = found["notes"]
                figures[report.comparison_file(name)] = plots.comparison(found, found["primary"])
                figures[report.pareto_file(name)] = pareto(found, found["primary"])
            self.outcome.notes += [f"{name}: {note}" for note in notes]
        self._write_results(measured, quality, figures)

    def run_jobs(self, what: str, work: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[Result]:
        """Yield the results of jobs, in any order, and report the progress."""
        self.report(what, 0, len(jobs))
        for done, result in enumerate(self._engine.run(work, jobs), 1):
            self.report(what, done, len(jobs))
            yield result

    def write(self, name: str, content: str) -> None:
        """Write a file for people."""
        storage.write(str(self.plan.out / name), content.encode("utf-8", "replace"))
        self.outcome.files.append(name)

    def chunk_file(self, data: str, place: int, form: Form) -> str:
        """Return the file of all chunks of a method, relative to the folder."""
        return f"data/chunks/{data}/{self._methods[place]}.{form}"

    def _write_results(
        self, measured: Mapping[str, Any], quality: Mapping[str, Any], figures: Mapping[str, SvgFigure]
    ) -> None:
        self.write(CHUNK_SIZES, _json(measured))
        if quality:
            self.write(QUALITY, _json(quality))
        for file, figure in figures.items():
            self.write(f"results/{file}", figure.file)
        written = report.RunReport(measured, quality, figures, self.outcome.notes, self.plan.command)
        self.write("results/report.html", written.html())
        self.write("results/report.md", written.markdown())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


class _DataSetRun:
    """A data set in a run."""

    def __init__(self, running: _BatchRun, name: str, folder: Path) -> None:
        plan = running.plan
        self._run = running
        self._plan = plan
        self._name = name
        self._base = str(plan.out / "work" / name)
        self._eval = plan.mode == "eval"
        running.report(f"{name}: reading", 0, 1)
        self._corpus: PartitionedCorpus = corpus.read(
            folder, f"{self._base}/documents.jsonl", self._eval, plan.split, plan.part_bytes
        )
        if self._eval and plan.truth not in (None, self._known.truth):
            raise ChunkscopeError(
                f"{name}: judged documents have no recall within a number of tokens.",
                "Give --top-k, or sets with spans.",
            )
        self._lines = tuple(dict.fromkeys(setting.text for setting in plan.settings.values()))
        self._rankings = plan.options.rankings if self._eval else ()
        self._dense, self._words = "dense" in self._rankings, "bm25" in self._rankings
        self._questions = questions.write(self._base, self._known) if self._eval else ""
        self._folders = self._all_folders()
        self._totals: dict[str, ChunkStatistics] = {}
        parts = len(self._corpus.parts)
        self._texts = {text: [0] * parts for text in self._lines}
        self._failures: dict[str, list[tuple[tuple[str, str], ...]]] = {text: [()] * parts for text in self._lines}

    @property
    def _known(self) -> QuestionSet:
        if self._corpus.question_set is None:
            raise ValueError("a corpus without questions cannot be evaluated")
        return self._corpus.question_set

    def _all_folders(self) -> PartFolders:
        tools, digest = self._plan.options.tools, self._corpus.digest
        settings = {setting.text: setting for setting in self._plan.settings.values()}
        chunks = {text: cutting.chunks_fingerprint(setting, tools, digest) for text, setting in settings.items()}
        asked = Path(self._questions).stem
        counted = {text: f"words-{fingerprint([files.SCHEMA, asked, name])}" for text, name in chunks.items()}
        split, vectors = cutting.sentences_fingerprint(tools), cutting.vectors_fingerprint(tools)
        return PartFolders(self._base, chunks, split, vectors, counted if self._words else {})

    # --- cutting ---

    def cut(self) -> None:
        """Cut all parts, and have what searching needs of them."""
        jobs = [
            cutting.PartJob(
                part,
                self._lines,
                self._plan.options.tools,
                self._folders,
                self._dense,
                self._questions if self._words else "",
            )
            for part in self._corpus.parts
        ]
        for done in self._run.run_jobs(f"{self._name}: parts", cutting.cut_part, jobs):
            for text, cut in done.cuts.items():
                self._texts[text][done.number] = cut.sizes.total()
                self._failures[text][done.number] = cut.failed
                self._totals[text] = self._totals[text] + cut if text in self._totals else cut
            self._run.outcome.made.update(done.made)
            for step, spent in done.seconds.items():
                self._run.outcome.seconds[step] += spent
        for name, setting in self._plan.settings.items():
            failed = self._failed(setting)
            if len(failed) == self._corpus.documents:
                raise ChunkscopeError(f"{name} could cut no document of {self._name}. {failed[0].what}")

    def _failed(self, setting: Setting) -> tuple[QuestionSetRemark, ...]:
        return tuple(
            QuestionSetRemark("", 0, id, reason) for part in self._failures[setting.text] for id, reason in part
        )

    def write_chunks(self) -> None:
        """Write all chunks, a file a strategy and form."""
        jobs = []
        for place, setting in enumerate(self._plan.settings.values()):
            parts = tuple(self._folders.chunks_of(setting.text, part.number) for part in self._corpus.parts)
            for form in self._plan.chunks:
                name = self._run.chunk_file(self._name, place, form)
                jobs.append((str(self._plan.out / name), parts))
                self._run.outcome.files.append(name)
        for _ in self._run.run_jobs(f"{self._name}: writing chunks", assemble, jobs):
            pass

    def sizes(self) -> dict[str, Any]:
        """Return the sizes of the chunks of every strategy."""
        return {
            name: {
                "setting": setting.text,
                "documents": self._corpus.documents,
                "tokenizer": self._plan.options.tools.tokenizer,
                **summary.sizes(plots.expand(self._totals[setting.text].tokens)),
                "failed": [{"id": remark.id, "what": remark.what} for remark in self._failed(setting)],
            }
            for name, setting in self._plan.settings.items()
        }

    def tokens(self) -> dict[str, Counter[int]]:
        """How many chunks of every strategy have how many tokens."""
        return {name: self._totals[setting.text].tokens for name, setting in self._plan.settings.items()}

    def notes(self) -> list[str]:
        """Return the corrected and excluded data, and the documents that could not be cut."""
        notes = describe_remarks(self._corpus.remarks)
        for name, setting in self._plan.settings.items():
            failed = self._failed(setting)
            if failed:
                notes.append(
                    f"{name} could not cut {len(failed):,} of {self._corpus.documents:,} documents, the first "
                    f"{failed[0].id!r:.60}: {failed[0].what}"
                )
        return notes

    # --- searching ---

    def quality(self) -> dict[str, Any]:
        """Search, measure, and say what it comes to."""
        if self._dense:
            jobs = [self._question_job]
            for embedded in self._run.run_jobs(f"{self._name}: embedding questions", searching.embed_questions, jobs):
                self._run.outcome.made["embedded"] += embedded
        places = {text: searching.place_parts(self._corpus.parts, texts) for text, texts in self._texts.items()}
        searches = [
            job
            for text in self._lines
            for method in self._rankings
            for job in self._searches(text, method, places[text])
        ]
        for searched in self._run.run_jobs(f"{self._name}: searching", searching.search_parts, searches):
            self._run.outcome.made["searched"] += searched.made
            self._run.outcome.seconds["searching"] += searched.seconds
        values = self._measured(searches, places)
        evaluation = self._evaluation(values)
        found = _timeless(summary.as_dict(evaluation, hashed=False))
        for row in evaluation.rows:
            # The score looks at single chunks, which only the worker that measured them had before it.
            setting = self._plan.settings[row.strategy].text
            size = score.size_score(evaluation.passages[row.strategy].tokens)
            found["strategies"][row.name]["score"] = score.Score(size, values[setting, row.method].score).as_dict()
        return found

    @property
    def _question_job(self) -> searching.EmbeddingJob:
        """The questions, with the folder of their vectors."""
        folder = f"{self._base}/{self._folders.vectors}/{Path(self._questions).stem}"
        return searching.EmbeddingJob(self._questions, self._plan.options.tools.encoder, folder)

    def _searches(self, text: str, method: Method, parts: Sequence[PlacedPart]) -> Iterator[searching.SearchJob]:
        words = self._totals[text].words if method == "bm25" else None
        sizes = [DEPTH, searching.TOGETHER, searching.GROUP]
        made_of = [files.SCHEMA, self._folders.chunks[text], Path(self._questions).stem, method, sizes]
        folder = fingerprint([*made_of, self._folders.vectors if method == "dense" else ""])
        for number, group in enumerate(searching.group_parts(parts, searching.GROUP)):
            path = f"{self._base}/found-{folder}/group-{number:05d}.npz"
            yield searching.SearchJob(text, method, group, self._folders, self._question_job, words, path)

    def _measured(
        self, searches: Iterable[searching.SearchJob], places: Mapping[str, tuple[PlacedPart, ...]]
    ) -> dict[tuple[str, Method], searching.MeasureResult]:
        found: dict[tuple[str, Method], list[str]] = {}
        for search in searches:
            found.setdefault((search.setting, search.method), []).append(search.path)
        options = replace(self._plan.options, methods=("dense",))  # the measures are the same for all
        jobs: dict[str, tuple[str, Method]] = {}
        work = []
        for text in self._lines:
            for method in self._plan.options.methods:
                paths = tuple(tuple(found[text, each]) for each in RANKINGS_OF[method])
                kept = [options.kept.passages, options.kept.budgets, options.tools.tokenizer]
                names = [[path.removeprefix(self._base) for path in group] for group in paths]
                asked = Path(self._questions).stem
                name = fingerprint([files.SCHEMA, self._folders.chunks[text], names, asked, kept, method])
                path = f"{self._base}/measures-{name}.json"
                jobs[path] = text, method
                work.append(
                    searching.MeasureJob(
                        text, method, paths, places[text], self._folders, self._questions, options, path
                    )
                )
        measured = {}
        for result in self._run.run_jobs(f"{self._name}: measuring", searching.measure_ranking, work):
            measured[jobs[result.path]] = result
            self._run.outcome.made["measured"] += result.made
            self._run.outcome.seconds["measuring"] += result.seconds
        return measured

    def _evaluation(self, measured: Mapping[tuple[str, Method], searching.MeasureResult]) -> RetrievalEvaluation:
        """Return what :mod:`chunking.retrieval.reports.summary` sums up, without the chunks and rankings."""
        options, settings = self._plan.options, self._plan.settings
        rows = [
            RetrievalRow(
                options.row_name(name, method),
                name,
                method,
                measured[setting.text, method].values,
                Rankings((), ()),
                {},
            )
            for name, setting in settings.items()
            for method in options.methods
        ]
        truncated = {name: self._totals[setting.text].truncated for name, setting in settings.items() if self._dense}
        passages = {name: self._sized(setting) for name, setting in settings.items()}
        return RetrievalEvaluation(self._known, options, settings, passages, tuple(rows), {}, truncated)

    def _sized(self, setting: Setting) -> Passages:
        """Return the chunks of a strategy as far as their sizes go."""
        counted = plots.expand(self._totals[setting.text].sizes)
        nothing = np.broadcast_to(np.int64(0), len(counted))
        return Passages(setting.text, nothing, nothing, nothing, nothing, counted, failed=self._failed(setting))


def _timeless(found: dict[str, Any]) -> dict[str, Any]:
    """Return the results without how long they took, so that the same run gives the same file."""
    rows = {
        name: {key: value for key, value in row.items() if key != "seconds"}
        for name, row in found["strategies"].items()
    }
    return {key: value for key, value in found.items() if key != "seconds"} | {"strategies": rows}


def assemble(job: tuple[str, Sequence[str]]) -> None:
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
            file.writelines(line.encode() + b"\n" for some in lines for line in some)
