"""Files that hold several documents: data sets in the files that the Hub has, and Documents of LangChain."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import load
from chunking.__main__ import main
from chunking.errors import ChunkscopeError
from chunking.loading import dataset, files
from tests.lazy import LazyModule
from tests.loading.checks import packed

pyarrow, ipc, parquet = LazyModule("pyarrow"), LazyModule("pyarrow.ipc"), LazyModule("pyarrow.parquet")

ROWS = [
    {"title": "Tea", "text": "Boil the water. Wait a little.", "score": 0.5, "vector": [0.1, 0.2]},
    {"title": "Bread", "text": "Knead the dough. Bake it.", "score": 0.25, "vector": [0.3, 0.4]},
    {"title": "Tea", "text": "Pour it. Drink it.", "score": 0.5, "vector": [0.1, 0.2]},
    {"title": "Node.js", "text": "It runs scripts. It waits.", "score": 0.5, "vector": [0.1, 0.2]},
    {"title": "None", "text": " ", "score": 0.5, "vector": [0.1, 0.2]},
]
NAMES = ["Tea.txt", "Bread.txt", "Tea (2).txt", "Node.js.txt"]
TEXTS = [str(row["text"]) for row in ROWS[:4]]
CARD = "---\nlanguage: en\ntask_categories:\n- text-retrieval\n---\n# House\n\nTwo ways to eat.\n"


def lines(rows: list[Any]) -> str:
    return "\n".join(map(json.dumps, rows)) + "\n"


@pytest.fixture(scope="module")
def written() -> dict[str, bytes]:
    """The files of a data set in all its forms; ``save_to_disk`` of the library datasets writes streams of Arrow."""
    table = pyarrow.Table.from_pylist(ROWS)
    outs = {name: io.BytesIO() for name in ("train.parquet", "data-00000-of-00001.arrow", "train.feather.arrow")}
    made = list(outs.values())
    parquet.write_table(table, made[0])
    for out, writer in zip(made[1:], (ipc.new_stream, ipc.new_file), strict=True):
        with writer(out, table.schema) as opened:
            opened.write_table(table, max_chunksize=2)
    return {name: out.getvalue() for name, out in outs.items()} | {"train.jsonl": lines(ROWS).encode()}


def test_every_form_of_a_data_set_gives_the_same_documents(written: dict[str, bytes]) -> None:
    assert {Path(name).suffix for name in written} == {".parquet", ".jsonl", ".arrow"}
    for name, data in written.items():
        assert dataset.is_collection(data, name, in_dataset=True)
        found = dataset.documents(data, name)
        assert [each.name for each in found] == NAMES
        assert [load(each.data, each.name).text for each in found] == TEXTS
        assert {load(each.data, each.name).format for each in found} == {"text"}


def test_json_lines_are_a_collection_only_in_a_data_set(written: dict[str, bytes]) -> None:
    assert not dataset.is_collection(written["train.jsonl"], "train.jsonl")
    folders = dataset.dataset_folders([("set/README.md", CARD.encode()), ("other/README.md", b"# Other\n")])
    assert folders == {"set"}
    assert dataset.in_dataset("set/data/train.jsonl", folders)
    assert not dataset.in_dataset("other/train.jsonl", folders)
    assert dataset.is_auxiliary("set/README.md", folders)
    assert not dataset.is_auxiliary("other/README.md", folders)
    assert dataset.dataset_folders([("README.md", CARD.encode())]) == {"."}


@pytest.mark.parametrize(
    "card", [b"", b"---\n", b"---\n[\n---\n", b"---\ntitle: x\n---\n", b"---\n- a\n---\n", b"x---y---z"]
)
def test_any_other_readme_is_no_card(card: bytes) -> None:
    assert not dataset.dataset_folders([("README.md", card)])


def test_documents_of_langchain() -> None:
    from langchain_core.documents import Document
    from langchain_core.load import dumpd

    made = [
        Document(page_content="# Tea\n\nBoil water.", metadata={"source": "docs/tea.md"}),
        Document(page_content="One.", metadata={"source": "a.pdf", "page": 0}),
        Document(page_content="Two.", metadata={"source": "a.pdf", "page": 1}),
        Document(page_content="Three.", metadata={"source": "a.pdf", "page": 1}),
    ]
    dumped = [json.loads(each.model_dump_json()) for each in made]
    for rows in (dumped, [dumpd(each) for each in made]):
        for data, name in ((lines(rows).encode(), "a.jsonl"), (json.dumps(rows).encode(), "a.json")):
            assert dataset.is_collection(data, name)
            found = dataset.documents(data, name)
            assert [each.name for each in found] == ["docs/tea.md", "a.pdf.txt", "a.pdf (2).txt"]
            assert load(found[0].data, found[0].name).format == "markdown"
            assert found[1].data.decode() == "One.\n\f\nTwo."
            kinds = [block.kind for block in load(found[1].data, found[1].name).blocks]
            assert kinds == ["paragraph", "page_break", "paragraph"]


@pytest.mark.parametrize(
    "data", ['{"page_content": 3}', '[{"page_content": "A"}, 3]', '{"a": {"page_content": "A"}}', "[]"]
)
def test_json_with_that_word_stays_json(data: str) -> None:
    assert not dataset.is_collection(data.encode(), "a.json")
    assert not dataset.is_collection(data.encode(), "a.jsonl")


def test_a_folder_an_archive_and_a_table_on_the_command_line(
    written: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "house"
    (folder / "data").mkdir(parents=True)
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    (folder / "data" / "train.jsonl").write_bytes(written["train.jsonl"])
    (folder / ".hidden").write_text("x", encoding="utf-8")
    (tmp_path / "train.parquet").write_bytes(written["train.parquet"])
    inner: dict[str, str | bytes] = {"set/README.md": CARD, "set/train.parquet": written["train.parquet"]}
    inner["more.zip"] = packed({"a.txt": "A."})
    (tmp_path / "set.zip").write_bytes(packed(inner))
    assert [name for name, _ in files.read_documents(folder)] == NAMES
    assert [name for name, _ in files.read_documents(tmp_path / "train.parquet")] == NAMES
    # An archive in an archive is never opened.
    assert [name for name, _ in files.read_documents(tmp_path / "set.zip")] == ["more.zip", *NAMES]
    assert files.read_document(tmp_path / "train.parquet" / "Bread.txt") == ("Bread.txt", TEXTS[1].encode())
    assert files.read_document(folder / "data" / "train.jsonl" / "Tea.txt")[1].decode() == TEXTS[0]
    with pytest.raises(ChunkscopeError, match="is a table with Tea.txt, Bread.txt"):
        files.read_document(tmp_path / "train.parquet")
    assert main(["split", str(tmp_path / "train.parquet" / "Tea.txt"), "--strategy", "whole"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == TEXTS[0]
    with pytest.raises(ChunkscopeError, match="holds no document"):
        (tmp_path / "empty").mkdir()
        list(files.read_documents(tmp_path / "empty"))


def test_a_table_that_is_damaged_or_too_large(written: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, data in written.items():
        if name.endswith(".jsonl"):
            continue
        for broken in (data[:-30], data[:40], data[: len(data) // 2] + b"\xff" * 20 + data[len(data) // 2 + 20 :]):
            try:
                assert all(isinstance(row, dict) for row in dataset.rows(broken, name))
            except ChunkscopeError as error:
                assert error.remedy
    monkeypatch.setattr(dataset, "MAX_ROWS", 2)
    with pytest.raises(ChunkscopeError, match="more than 2 rows"):
        list(dataset.rows(written["train.parquet"], "train.parquet"))
    with pytest.raises(ChunkscopeError, match="no column with text; its columns are: a"):
        dataset.documents(b'{"a": 1}\n', "a.jsonl")
    with pytest.raises(ChunkscopeError, match="not valid JSON Lines"):
        dataset.documents(b'{"a"\n', "a.jsonl")


CELLS = st.none() | st.integers() | st.text(max_size=9) | st.lists(st.integers(), max_size=2)
FIELDS = st.sampled_from(["text", "title", "source", "page", "x", "metadata", "kwargs", "page_content"])


@given(st.lists(st.dictionaries(FIELDS, CELLS | st.dictionaries(FIELDS, CELLS, max_size=3), max_size=5), max_size=6))
def test_any_rows_are_documents_with_unique_names_or_an_error(rows: list[Any]) -> None:
    try:
        found = dataset.documents(lines(rows).encode(), "a.jsonl")
    except ChunkscopeError as error:
        assert error.remedy
        return
    names = [each.name for each in found]
    assert len(names) == len(set(names))
    assert all(each.data.decode().strip() for each in found)
