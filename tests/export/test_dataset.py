"""Dataset folders: what the library of Hugging Face reads of them."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from chunking import export, from_text, strategies
from chunking.export import dataset
from chunking.strategies import Segmentation
from chunking.workspace import DocumentAnalysis, Models

pytest.importorskip("pyarrow")

TEXT = "# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Bake it. 한국어 🙂.\n"


@pytest.fixture
def made() -> Segmentation:
    document = from_text(TEXT, "tea.md", language="en")
    return strategies.parse("heading").run(DocumentAnalysis(document, Models("char-ngrams", splitter="rules")))


def test_the_library_reads_the_folder(made: Segmentation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = tmp_path / "tea"
    with zipfile.ZipFile(io.BytesIO(export.dataset_zip(made))) as archive:
        archive.extractall(folder)
    found = datasets.load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    assert found.column_names == list(dataset.COLUMNS)
    assert "".join(found["text"]) == TEXT
    assert [(row["start"], row["end"], row["heading_path"]) for row in found] == [
        (chunk.start, chunk.end, list(chunk.heading_path)) for chunk in made.chunks
    ]
    found.save_to_disk(str(tmp_path / "saved"))
    assert datasets.load_from_disk(str(tmp_path / "saved")).to_list() == found.to_list()


def test_the_card_has_every_column_and_where_the_data_is(made: Segmentation) -> None:
    files = export.dataset_files(made)
    _, front, text = files[dataset.CARD].decode().split("---\n", 2)
    known = yaml.safe_load(front)
    assert known["language"] == ["en"]
    assert known["configs"][0]["data_files"] == [{"split": "train", "path": "data/*.parquet"}]
    for name in dataset.COLUMNS:
        assert f"| `{name}` |" in text


def test_the_name_of_a_document_is_no_markup_in_the_card(made: Segmentation) -> None:
    name = '```\n---\n<img src="x">\n# "Title"'
    hostile = replace(made, document=replace(made.document, name=name))
    card = export.dataset_files(hostile)[dataset.CARD].decode()
    before, block, _ = card.split("```json\n")[0], *card.split("```json\n")[1].split("\n```\n", 1)
    assert "<img" not in before and "\\n---\\n" in block, "a string of JSON is one line, within its block"
    assert card.count("\n```") == 2 and card.count("\n---\n") == 1


def test_the_same_chunks_give_the_same_bytes(made: Segmentation) -> None:
    assert export.dataset_zip(made) == export.dataset_zip(made)
