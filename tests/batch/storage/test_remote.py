"""Files with an address: in memory, by fsspec; on this disk and on a server that speaks S3, by Arrow."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from chunking import evaluation
from chunking.batch import corpus, experiment
from chunking.batch.experiment import RunPlan
from chunking.batch.storage import storage
from chunking.errors import ChunkscopeError
from chunking.retrieval.evaluate import RetrievalOptions
from chunking.retrieval.measures import Cutoffs
from chunking.runtime import remote
from chunking.runtime.atomic import UNFINISHED
from chunking.workspace import Models
from tests.batch.sets import Here, beir, content, in_files, in_parquet, packed, with_spans
from tests.buckets import bucket

__all__ = ["bucket"]

_NUMBERS = itertools.count()


@pytest.fixture(params=["local", "memory", "file", "s3"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The path or the address of a folder that is not there yet."""
    return str(tmp_path / "near") if request.param == "local" else _address(request, tmp_path)


@pytest.fixture(params=["memory", "file", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a folder that is not there yet."""
    return _address(request, tmp_path)


def _address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "s3":
        return f"{request.getfixturevalue('bucket')}/test{next(_NUMBERS)}/sub"
    return f"memory://test{next(_NUMBERS)}/sub" if request.param == "memory" else f"{tmp_path.as_uri()}/far"


def _copied(folder: Path, place: str) -> str:
    for path in folder.rglob("*"):
        if path.is_file():
            storage.write(f"{place}/{path.relative_to(folder)}", path.read_bytes())
    return place


def _content(place: str) -> dict[str, bytes]:
    found = {path.removeprefix(f"{place}/"): storage.read(path) or b"" for path in remote.below(place, recursive=True)}
    return {name: data for name, data in found.items() if not name.startswith("work/")}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("s3://bucket/x", True),
        (str(Path("s3://bucket/x")), True),
        ("C:/here", False),
        ("/s3://x", False),
        ("s3", False),
        ("a b:/x", False),
    ],
)
def test_an_address_begins_with_a_scheme(path: str, expected: bool) -> None:
    assert remote.is_address(path) == expected


def test_a_file_is_there_whole_or_as_it_was(folder: str) -> None:
    path = f"{folder}/deep/file"
    assert storage.read(path) is None
    storage.write(path, b"first\nand more")
    with pytest.raises(ZeroDivisionError), storage.replacing(path) as file:
        file.write(b"half of the sec")
        raise ZeroDivisionError
    assert storage.read(path) == b"first\nand more"
    assert storage.listed(folder, recursive=True) == storage.listed(f"{folder}/deep") == [path]
    with storage.opened(path) as opened:
        opened.seek(6)
        assert opened.read(3) == b"and"
    storage.write(path, b"second")
    assert storage.read(path) == b"second"


def test_what_was_left_unfinished_is_no_file_and_is_tidied_away(folder: str) -> None:
    storage.write(f"{folder}/sub/file{UNFINISHED}", b"some")
    storage.write(f"{folder}/sub/whole", b"all")
    assert storage.listed(f"{folder}/sub") == [f"{folder}/sub/whole"]
    storage.tidy(folder)
    assert storage.read(f"{folder}/sub/file{UNFINISHED}") is None
    assert storage.listed(f"{folder}/nowhere") == []


def test_a_scheme_that_nobody_knows_is_told() -> None:
    with pytest.raises(ChunkscopeError, match="nowhere://a/b cannot be read: no file system for nowhere://a"):
        storage.read("nowhere://a/b")
    with pytest.raises(ChunkscopeError, match="cannot be written: no file system"):
        storage.write("nowhere://a/b", b"")


@pytest.fixture
def plan(tmp_path: Path) -> RunPlan:
    return RunPlan(
        "eval",
        (beir(tmp_path / "sea"),),
        evaluation.read_settings("sentence:max_tokens=24;overlap=4", {}),
        tmp_path / "out",
        RetrievalOptions(("dense", "bm25"), Cutoffs(3, (20, 40)), Models("char-ngrams", splitter="rules")),
        part_bytes=300,
    )


def test_a_run_reads_and_writes_at_an_address_what_it_does_in_a_folder(plan: RunPlan, place: str) -> None:
    experiment.run(plan, Here)
    far = replace(plan, folders=(Path(_copied(plan.folders[0], f"{place}/sea")),), out=Path(f"{place}/out"))
    done = experiment.run(far, Here)
    assert done.made["cut"] > 2
    assert _content(f"{place}/out") == content(plan.out)
    assert not any(experiment.run(far, Here).made.values())


LAYOUTS: dict[str, Callable[[Path], Path]] = {
    "packed": lambda folder: packed(beir(folder / "lines"), folder / "set"),
    "spans in parquet": lambda folder: in_parquet(with_spans(folder / "lines"), folder / "set", "docs"),
    "files": lambda folder: in_files(folder / "set"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read_at_an_address(plan: RunPlan, place: str, tmp_path: Path, layout: str) -> None:
    folder = LAYOUTS[layout](tmp_path / "made")
    options = replace(plan.options, methods=("bm25",))
    near = replace(plan, folders=(folder,), options=options, chunks=experiment.FORMS)
    experiment.run(near, Here)
    far = replace(near, folders=(Path(_copied(folder, f"{place}/set")),), out=Path(f"{place}/out"))
    corpus.documents.cache_clear()
    assert experiment.run(far, Here).made["cut"] > 0
    assert _content(f"{place}/out") == content(plan.out)


def test_documents_that_are_files_need_no_questions_at_an_address(place: str, tmp_path: Path) -> None:
    storage.write(f"{place}/notes/rain.md", b"# Rain\n\nIt rains.")
    found = corpus.read(Path(place), str(tmp_path / "list"), with_questions=False)
    assert [source.id for source in corpus.documents(found.parts[0])] == ["notes/rain.md"]
    storage.write(f"{place}/notes/rain.md", b"# Snow")
    corpus.documents.cache_clear()
    with pytest.raises(ChunkscopeError, match=r"rain\.md has changed while the run"):
        corpus.documents(found.parts[0])


def test_what_is_no_data_set_at_an_address_is_told(place: str, tmp_path: Path) -> None:
    read = partial(corpus.read, Path(place), str(tmp_path / "list"))
    with pytest.raises(ChunkscopeError, match="is no folder with files"):
        read(with_questions=False)
    storage.write(f"{place}/corpus.parquet", b"PAR1")
    with pytest.raises(ChunkscopeError, match=r"/(sub|far)/corpus\.parquet is damaged or no Parquet"):
        read(with_questions=False)
    storage.write(f"{place}/corpus.jsonl", b'{"_id": "a", "text": "Rain."}\n')
    assert read(with_questions=False).documents == 1
    with pytest.raises(ChunkscopeError, match=r"/(sub|far) has no queries\.jsonl"):
        read(with_questions=True)
    storage.write(f"{place}/queries.parquet", b"PAR1")
    with pytest.raises(ChunkscopeError, match=r"/(sub|far)/queries\.parquet is damaged or no Parquet"):
        read(with_questions=True)
    storage.write(f"{place}/queries.jsonl", b'{"_id": "q", "text": "What falls?"}\n')
    with pytest.raises(ChunkscopeError, match="/(sub|far) has no judgements"):
        read(with_questions=True)


def test_a_folder_is_one_runs_at_a_time_on_a_machine(folder: str) -> None:
    with (
        storage.sole(folder),
        pytest.raises(ChunkscopeError, match="Another run is working"),
        storage.sole(folder),
    ):
        pass
