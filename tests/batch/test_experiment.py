from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import pytest

from chunking import evaluation
from chunking.batch import experiment
from chunking.batch.experiment import RunPlan
from chunking.batch.storage import storage
from chunking.errors import ChunkscopeError
from chunking.retrieval.evaluate import RetrievalOptions, evaluate
from chunking.retrieval.measures import Cutoffs
from chunking.retrieval.questions import folders
from chunking.retrieval.reports.summary import summarize
from chunking.strategies import REGISTRY, Segmentation
from chunking.workspace import DocumentAnalysis, Models
from tests.batch.sets import Backwards, Here, beir, content, in_files
from tests.disks import small_disk

Job = TypeVar("Job")
Result = TypeVar("Result")

METHODS = "sentence:max_tokens=24;overlap=4,structural:percentile=60;overlap=1"


@pytest.fixture
def plan(tmp_path: Path) -> RunPlan:
    return RunPlan(
        "eval",
        (beir(tmp_path / "sea"), in_files(tmp_path / "files")),
        evaluation.read_settings(METHODS, {}),
        tmp_path / "out",
        RetrievalOptions(("dense", "bm25", "hybrid"), Cutoffs(3, (20, 40)), Models("char-ngrams")),
        part_bytes=300,
    )


def test_the_measures_are_those_of_evaluating_at_once_and_are_made_once(plan: RunPlan) -> None:
    done = experiment.run(plan, Here)
    quality = json.loads((plan.out / experiment.QUALITY).read_text())
    for folder in plan.folders:
        known = folders.read(folder)
        found = summarize(evaluate(known, plan.settings, plan.options), hashed=False)
        expected = json.loads(json.dumps(found.as_dict()))
        expected.pop("seconds")
        for row in expected["strategies"].values():
            row.pop("seconds")
        assert quality[folder.name] == expected
    assert all(done.made[step] > 0 for step in experiment.STEPS)
    assert quality["sea"]["primary"] == "nDCG@10"
    assert quality["files"]["primary"] == "recall@40"
    first = content(plan.out)
    again = experiment.run(plan, Here)
    assert dict(again.made) == dict.fromkeys(experiment.STEPS, 0)
    assert content(plan.out) == first, "the same run again only reads"


def test_neither_order_nor_size_nor_groups_of_the_parts_matter(
    plan: RunPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment.run(plan, Here)
    whole = replace(plan, out=tmp_path / "whole", part_bytes=10**6)
    experiment.run(whole, Here)
    monkeypatch.setattr("chunking.batch.searching.TOGETHER", 5)
    monkeypatch.setattr("chunking.batch.searching.GROUP", 10)
    apart = replace(plan, out=tmp_path / "backwards")
    done = experiment.run(apart, Backwards)
    assert done.made["searched"] > 2 * len(plan.settings) * len(plan.folders)
    assert content(plan.out) == content(apart.out) == content(whole.out)


def test_chunks_are_written_as_lines_and_as_rows_of_parquet(plan: RunPlan) -> None:
    settings = evaluation.read_settings("sentence:max_tokens=24;overlap=4,hierarchical_tree", {})
    plan = replace(plan, mode="chunk", settings=settings, chunks=experiment.FORMS)
    done = experiment.run(plan, Here)
    assert {*done.files} == content(plan.out).keys()
    parquet: Any = import_module("pyarrow.parquet")
    for path in (plan.out / "data").rglob("*.jsonl"):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found = parquet.read_table(path.with_suffix(".parquet")).to_pylist()
        assert [{name: value for name, value in row.items() if value is not None} for row in found] == [
            {name: value for name, value in row.items() if value is not None} for row in rows
        ]
        assert len(rows) > 3
    first = content(plan.out)
    experiment.run(plan, Here)
    assert content(plan.out) == first


def test_a_budget_of_tokens_is_for_spans_as_in_evaluating_at_once(plan: RunPlan, tmp_path: Path) -> None:
    budgeted = replace(plan, options=replace(plan.options, kept=Cutoffs(10, (30,))), truth="spans")
    with pytest.raises(ChunkscopeError, match="sea: judged documents have no recall within a number of tokens"):
        experiment.run(budgeted, Here)
    assert not list((plan.out / "work").rglob("*.parquet"))
    spans = replace(budgeted, folders=plan.folders[1:])
    experiment.run(spans, Here)
    quality = json.loads((plan.out / experiment.QUALITY).read_text())["files"]
    assert quality["primary"] == "recall@30"
    experiment.run(replace(budgeted, mode="chunk", out=tmp_path / "cut"), Here)


class Stopping(Here):
    """Stops after some jobs of all that are handed to it."""

    left = 0

    def run(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        for job in jobs:
            if not Stopping.left:
                raise KeyboardInterrupt
            Stopping.left -= 1
            yield work(job)


@pytest.mark.parametrize("jobs", [1, 10, 14])
def test_a_run_that_was_stopped_goes_on(plan: RunPlan, tmp_path: Path, jobs: int) -> None:
    plan = replace(plan, folders=plan.folders[:1])
    undisturbed = experiment.run(replace(plan, out=tmp_path / "undisturbed"), Here)
    Stopping.left = jobs
    with pytest.raises(KeyboardInterrupt):
        experiment.run(plan, Stopping)
    rest = experiment.run(plan, Here)
    assert content(plan.out) == content(tmp_path / "undisturbed")
    assert rest.made["cut"] < undisturbed.made["cut"]
    assert rest.made["embedded"] < undisturbed.made["embedded"]


def test_a_run_on_a_full_disk_says_so_and_goes_on_where_it_was(plan: RunPlan, tmp_path: Path) -> None:
    plan = replace(plan, folders=plan.folders[:1])
    undisturbed = experiment.run(replace(plan, out=tmp_path / "undisturbed"), Here)
    with small_disk(tmp_path) as disk:
        plan = replace(plan, out=disk / "out")
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(980_000))
        with pytest.raises(ChunkscopeError, match=r"No space left on device\. Make room; what is finished stays\."):
            experiment.run(plan, Here)
        ballast.unlink()
        rest = experiment.run(plan, Here)
        assert content(plan.out) == content(tmp_path / "undisturbed")
        assert rest.made["cut"] < undisturbed.made["cut"]


@pytest.mark.parametrize("kind", ["chunks-*/*", "vectors-*/*/*", "words-*/*", "found-*/*", "measures-*", "questions-*"])
def test_any_broken_file_is_made_again(plan: RunPlan, kind: str) -> None:
    plan = replace(plan, folders=plan.folders[:1])
    experiment.run(plan, Here)
    first = content(plan.out)
    broken = sorted((plan.out / "work" / "sea").glob(kind))
    assert broken
    for path in broken:
        path.write_bytes(path.read_bytes()[:-9])
    again = experiment.run(plan, Here)
    assert kind.startswith("questions") or any(again.made.values())
    assert content(plan.out) == first
    assert not any(experiment.run(plan, Here).made.values())


def test_chunks_alone_need_no_questions_and_embed_only_for_cutting(plan: RunPlan) -> None:
    (plan.folders[0] / "queries.jsonl").unlink()
    settings = evaluation.read_settings("sentence:max_tokens=24;overlap=4", {})
    done = experiment.run(replace(plan, mode="chunk", settings=settings), Here)
    assert done.made["embedded"] == done.made["searched"] == 0
    rows = [json.loads(line) for line in _chunks(plan.out, "sea", "sentence_max_tokens=24_overlap=4")]
    assert [row["document"] for row in rows if row["index"] == 0][:2] == ["lamp0", "oil0"]
    assert list(rows[0]) == [
        *("document", "index", "start", "end", "text", "overlap", "tokens", "heading_path", "cut", "id"),
    ]
    sizes = json.loads((plan.out / experiment.CHUNK_SIZES).read_text())["sea"]["sentence:max_tokens=24;overlap=4"]
    assert sizes["number"] == len(rows)
    assert sizes["mean"] == pytest.approx(sum(row["tokens"] for row in rows) / len(rows), abs=1e-3)
    assert sum(sizes["histogram"]["counts"]) == len(rows)
    assert not (plan.out / experiment.QUALITY).exists()


def _chunks(out: Path, data: str, method: str) -> list[str]:
    return (out / "data" / "chunks" / data / f"{method}.jsonl").read_text().splitlines()


def test_what_the_data_lacks_is_told(plan: RunPlan) -> None:
    path = plan.folders[0] / "corpus.jsonl"
    path.write_text(path.read_text() + '\n{"_id": "lamp0", "text": "again"}\n{"_id": "none", "text": ""}\n')
    notes = experiment.run(plan, Here).notes
    assert any("sea: corpus.jsonl: row with an id that came before left out" in note for note in notes)
    assert any("sea: corpus.jsonl: empty document" in note for note in notes)
    shown = (plan.out / "results" / "report.md").read_text()
    assert "row with an id that came before left out" in shown


def test_a_strategy_that_can_cut_nothing_is_refused_and_the_parts_stay(
    plan: RunPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(workspace: DocumentAnalysis, params: object) -> Segmentation:
        raise ChunkscopeError("Not today.")

    monkeypatch.setattr(
        "chunking.strategies.registry.REGISTRY", dict(REGISTRY) | {"whole": replace(REGISTRY["whole"], cut=never)}
    )
    run = replace(plan, mode="chunk", settings=evaluation.read_settings("sentence,whole", {}))
    with pytest.raises(ChunkscopeError, match=r"whole could cut no document of sea\. Not today\."):
        experiment.run(run, Here)
    again = experiment.run(
        replace(run, settings=evaluation.read_settings("sentence", {}), folders=run.folders[:1]), Here
    )
    assert again.made["cut"] == 0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"options": RetrievalOptions(tools=Models("nobody/knows"))}, "nobody/knows"),
        ({"options": RetrievalOptions(tools=Models(splitter="teeth"))}, "sentence splitter 'teeth'"),
        ({"part_bytes": 0}, "counted from 1"),
        ({"folders": (Path("/nowhere/at/all"),)}, "is no folder"),
        ({"split": "dev"}, "no judgements 'dev'"),
    ],
)
def test_what_is_wrong_is_said(plan: RunPlan, change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ChunkscopeError, match=problem):
        experiment.run(replace(plan, **change), Here)


def test_two_runs_do_not_share_a_folder(plan: RunPlan) -> None:
    with (
        storage.sole(str(plan.out / "work")),
        pytest.raises(ChunkscopeError, match="Another run is working"),
    ):
        experiment.run(plan, Here)
    experiment.run(plan, Here)
