"""What the export popover offers, and that nothing of it is made before it is asked for."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from streamlit.testing.v1 import AppTest

from chunking import samples, strategies
from chunking.settings import read_settings
from chunking.strategies import Segmentation
from chunking.workspace import DocumentAnalysis, Models
from pages.shared.documents import exports
from pages.shared.documents.session_documents import OpenDocument
from tests.app.pages import TIMEOUT


@pytest.fixture(scope="module")
def made() -> tuple[OpenDocument, Segmentation]:
    sample = samples.load("field-guide-to-backups")
    document = sample.document
    opened = OpenDocument(document.name, document, sample.title, f"sample_docs/{document.name}")
    return opened, strategies.run("structural", DocumentAnalysis(document))


def test_every_download_can_be_read_back(made: tuple[OpenDocument, Segmentation]) -> None:
    opened, segmentation = made
    found = {
        label: (name, make()) for label, name, _, make in exports._files(opened, Models(), segmentation, None, None)
    }
    assert list(found) == [
        *("Chunks, JSONL", "Chunks, CSV", "Chunks, CSV for a spreadsheet", "Chunks, Parquet"),
        *("LangChain documents", "LlamaIndex nodes", "Haystack documents", "Hugging Face dataset"),
        *("Gaps, JSONL", "Gaps, CSV", "Settings, TOML", "The text itself"),
    ]
    count = len(segmentation.chunks)
    for label in ("Chunks, JSONL", "LangChain documents", "LlamaIndex nodes", "Haystack documents"):
        name, data = found[label]
        assert isinstance(data, str)
        assert (name.endswith(".jsonl"), len([json.loads(line) for line in data.splitlines()])) == (True, count)
    parquet = found["Chunks, Parquet"][1]
    assert isinstance(parquet, bytes)
    assert pytest.importorskip("pyarrow.parquet").read_table(io.BytesIO(parquet)).num_rows == count
    archive = found["Hugging Face dataset"][1]
    assert isinstance(archive, bytes)
    assert zipfile.ZipFile(io.BytesIO(archive)).namelist() == ["README.md", "data/train-00000-of-00001.parquet"]
    settings = found["Settings, TOML"][1]
    assert isinstance(settings, str)
    setting = read_settings(settings.encode(), "settings.toml").setting()
    assert setting.run(DocumentAnalysis(opened.document)).chunks == (segmentation.chunks)
    assert len({name for name, _ in found.values()}) == len(found), "no two files of one name"


MAKERS = (
    *("jsonl", "table", "parquet", "chunk_rows", "gap_rows", "langchain_rows", "llama_index_rows", "haystack_rows"),
    "dataset_zip",
)
"""What makes the content of the downloads."""


def popover(kind: str, makers: tuple[str, ...]) -> None:
    import streamlit

    from chunking import export, samples, strategies
    from chunking.alignment.pieces import Piece
    from chunking.params import Parameters
    from chunking.strategies import foreign
    from chunking.workspace import DocumentAnalysis
    from pages.shared.documents import exports
    from pages.shared.documents.session_documents import OpenDocument

    def unasked(*_: object) -> str:
        raise AssertionError("made before its button was pressed")

    for name in makers:
        setattr(export, name, unasked)
    sample = samples.load("field-guide-to-backups")
    workspace = DocumentAnalysis(sample.document)
    if kind == "yours":
        pieces = [Piece(sample.document.text, None, None)]
        segmentation = foreign.segment(workspace, "yours", Parameters(), pieces, reason="given")
    else:
        segmentation = strategies.run("structural", workspace)
    opened = OpenDocument("x", sample.document, sample.title, "sample_docs/x.md")
    if kind == "closed":
        for maker in list(export.CODE):
            export.CODE[maker] = unasked
        popover = exports.popover("_one")
        if popover.open:
            exports.contents(opened, workspace.tools, segmentation, key="_one")
    else:
        exports.contents(opened, workspace.tools, segmentation, unasked, key="_one")  # type: ignore[arg-type]
        with streamlit.container():
            exports.contents(opened, workspace.tools, segmentation, key="_two")


@pytest.fixture
def restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the script changes in the module of exports is put back after the test."""
    from chunking import export

    for name in MAKERS:
        monkeypatch.setattr(export, name, getattr(export, name))
    monkeypatch.setattr(export, "CODE", dict(export.CODE))


def opened_app(kind: str) -> AppTest:
    app = AppTest.from_function(popover, args=(kind, MAKERS), default_timeout=TIMEOUT).run()
    assert not app.exception, app.exception
    return app


def test_nothing_is_made_before_the_popover_is_opened(restored: None) -> None:
    app = opened_app("closed")
    assert not app.get("download_button") and not app.code


def test_code_is_offered_for_each_library_and_twice_on_a_page(restored: None) -> None:
    app = opened_app("structural")
    assert len(app.get("download_button")) == 13 + 12, "the chart only where there are curves"
    assert "from chunking import load, run" in app.code[0].value
    assert app.code[1].value.startswith("python -m chunking split sample_docs/x.md")
    said_by = {
        "LangChain": "ChunkscopeTextSplitter",
        "LlamaIndex": "ChunkscopeNodeParser",
        "Haystack": "export.haystack_rows",
        "Hugging Face": "from datasets import Dataset",
    }
    for kind, said in said_by.items():
        app.segmented_control(key="_one_code").set_value(kind).run()
        assert not app.exception, app.exception
        assert said in app.code[0].value
        assert said not in app.code[2].value, "the other popover keeps its own choice"


def test_chunks_of_another_program_come_without_code(restored: None) -> None:
    app = opened_app("yours")
    assert not app.code
    assert len(app.get("download_button")) == 10 + 9, "no gaps either"
