from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from chunking import embedding, strategies
from chunking.batch import corpus, cutting
from chunking.batch.corpus import CorpusPart
from chunking.batch.cutting import DataSetFiles, PartResult, VectorFiles
from chunking.batch.storage import files
from chunking.errors import ChunkscopeError
from chunking.export import chunk_rows, jsonl
from chunking.retrieval.evaluate import RetrievalOptions
from chunking.retrieval.search import passages
from chunking.strategies import REGISTRY
from chunking.workspace import DocumentAnalysis, Models
from tests.batch.sets import in_files, lines

TOOLS = Models("char-ngrams")
SETTINGS = (
    "sentence:max_tokens=24;overlap=4",
    "percentile",
    "structural:percentile=60;overlap=1",
    "hierarchical_tree",
    "whole",
)


class Job(NamedTuple):
    """A part, and what is made of it."""

    data: DataSetFiles
    part: CorpusPart

    def do(self) -> PartResult:
        return cutting.cut_part(*self)

    def path(self, setting: str) -> Path:
        return Path(self.data.chunks_of(setting, self.part))

    def chunks(self, setting: str) -> files.ChunkTable:
        return files.chunks(str(self.path(setting)))


def job(folder: Path, settings: tuple[str, ...] = SETTINGS) -> Job:
    found = corpus.read(folder, str(folder.parent / "list"), with_questions=False, size=10**6)
    at = {text: f"chunks-{number}" for number, text in enumerate(settings)}
    options = RetrievalOptions(tools=TOOLS)
    data = DataSetFiles(str(folder.parent / "work"), settings, options, ("dense",), at, "sentences", "vectors")
    return Job(data, found.parts[0])


def test_a_part_is_what_the_strategies_make_of_its_documents(tmp_path: Path) -> None:
    some = job(in_files(tmp_path / "set"))
    done = some.do()
    sources = corpus.documents(some.part)
    expected = passages.cut(sources, {text: strategies.parse(text) for text in SETTINGS}, TOOLS)
    for text in SETTINGS:
        chunks, whole = some.chunks(text), expected[text]
        rows = (chunks.document, chunks.start, chunks.end, chunks.reach, chunks.size)
        wanted = (whole.document, whole.start, whole.end, whole.reach, whole.tokens)
        for column, other in zip(rows, wanted, strict=True):
            np.testing.assert_array_equal(column[chunks.searchable], other)
        assert done.cuts[text].sizes.total() == len(whole)
        printed = [
            {"document": source.id} | row
            for source in sources
            for row in chunk_rows(strategies.parse(text).run(DocumentAnalysis(source.open(), TOOLS)))
        ]
        assert "".join(f"{line}\n" for line in chunks.line) == jsonl(printed)
    assert done.made["cut"] == len(SETTINGS)
    assert done.made["split"] == len(sources)
    assert done.made["embedded"] > 0


def test_what_is_there_is_read_and_what_is_broken_is_made_again(tmp_path: Path) -> None:
    some = job(in_files(tmp_path / "set"))
    first = some.do()
    again = some.do()
    assert not +again.made
    assert [(cut.tokens, cut.sizes, cut.truncated) for cut in again.cuts.values()] == [
        (cut.tokens, cut.sizes, cut.truncated) for cut in first.cuts.values()
    ]
    path = some.path("percentile")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert +some.do().made == {"cut": 1}
    assert path.read_bytes() == whole


def test_a_further_strategy_splits_nothing_and_embeds_only_what_is_new(tmp_path: Path) -> None:
    folder = in_files(tmp_path / "set")
    job(folder).do()
    more = job(folder, (*SETTINGS, "gradient")).do()
    assert more.made["cut"] == 1
    assert more.made["split"] == 0
    assert job(folder, ("whole", "percentile")).do().made["embedded"] == 0


def test_sentences_that_are_kept_are_those_that_are_told(tmp_path: Path) -> None:
    folder = in_files(tmp_path / "set")
    first = job(folder)
    first.do()
    chunks = {text: first.path(text).read_bytes() for text in SETTINGS}
    for text in SETTINGS:
        first.path(text).unlink()
    again = first.do()
    assert (again.made["split"], again.made["embedded"]) == (0, 0)
    assert chunks == {text: first.path(text).read_bytes() for text in SETTINGS}
    (kept,) = (tmp_path / "work" / "sentences").iterdir()
    kept.write_bytes(kept.read_bytes()[:-9])
    first.path("percentile").unlink()
    assert first.do().made["split"] == 3
    assert chunks["percentile"] == first.path("percentile").read_bytes()


def test_white_space_is_written_and_never_retrieved(tmp_path: Path) -> None:
    lines(tmp_path / "set" / "docs.jsonl", [{"_id": "blank", "text": " \n "}, {"_id": "rain", "text": "Rain."}])
    some = job(tmp_path / "set", ("whole",))
    done = some.do()
    chunks = some.chunks("whole")
    assert [json.loads(line)["document"] for line in chunks.line] == ["blank", "rain"]
    assert chunks.searchable.tolist() == [False, True]
    assert done.cuts["whole"].sizes.total() == 1


def test_a_document_that_fails_is_told_and_the_others_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fragile(workspace: DocumentAnalysis, params: object) -> strategies.Segmentation:
        if "oil" in workspace.document.text:
            raise ChunkscopeError("No oil here.", "Use less.")
        if "pupils" in workspace.document.text:
            raise KeyError("pupils")
        return real.cut(workspace, params)

    real = REGISTRY["whole"]
    monkeypatch.setattr("chunking.strategies.registry.REGISTRY", dict(REGISTRY) | {"whole": replace(real, cut=fragile)})
    some = job(in_files(tmp_path / "set"), ("whole", "sentence"))
    done = some.do()
    assert done.cuts["whole"].failed == (
        ("light.md", "No oil here. Use less."),
        ("people.md", "Unexpected KeyError: 'pupils'"),
    )
    assert done.cuts["whole"].tokens.total() == 1
    assert done.cuts["sentence"].failed == ()
    assert some.do().cuts["whole"].failed == done.cuts["whole"].failed


def test_what_nothing_of_could_be_cut_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(workspace: DocumentAnalysis, params: object) -> strategies.Segmentation:
        raise ChunkscopeError("The model is not installed.")

    some = job(in_files(tmp_path / "set"), ("whole",))
    with monkeypatch.context() as patch:
        failing = dict(REGISTRY) | {"whole": replace(REGISTRY["whole"], cut=never)}
        patch.setattr("chunking.strategies.registry.REGISTRY", failing)
        assert len(some.do().cuts["whole"].failed) == 3
    again = some.do()
    assert again.made["cut"] == 1
    assert again.cuts["whole"].failed == ()


def test_all_that_makes_chunks_is_in_their_fingerprint() -> None:
    plain, meant = strategies.parse("sentence"), strategies.parse("percentile")
    base = cutting.chunks_fingerprint(plain, TOOLS, "corpus")
    assert cutting.chunks_fingerprint(plain, replace(TOOLS, encoder="all-MiniLM-L6-v2"), "corpus") == base
    others = {
        cutting.chunks_fingerprint(strategies.parse("sentence:max_tokens=24;overlap=4"), TOOLS, "corpus"),
        cutting.chunks_fingerprint(plain, replace(TOOLS, splitter="rules"), "corpus"),
        cutting.chunks_fingerprint(plain, replace(TOOLS, tokenizer="words"), "corpus"),
        cutting.chunks_fingerprint(plain, TOOLS, "another"),
        cutting.chunks_fingerprint(meant, TOOLS, "corpus"),
        cutting.chunks_fingerprint(meant, replace(TOOLS, encoder="all-MiniLM-L6-v2"), "corpus"),
    }
    assert len(others | {base}) == 7


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    store = VectorFiles(str(tmp_path), TOOLS.retrieval_encoder)
    store.embed(["sea", "lamp", "sea"])
    store.embed(["lamp", "oil"])
    assert store.embedded == 3
    keys = [files.key(text) for text in ("oil", "sea", "oil")]
    expected = embedding.embed(["oil", "sea", "oil"], embedding.get_encoder(TOOLS.retrieval_encoder))
    np.testing.assert_array_equal(store.of(keys), expected)
    again = VectorFiles(str(tmp_path), TOOLS.retrieval_encoder)
    again.embed(["oil", "lamp", "sea"])
    assert again.embedded == 0
    np.testing.assert_array_equal(again.of(keys), expected)
    assert again.of([]).shape == (0, expected.shape[1])
    assert again.truncated(keys) == 0
    assert files.key("fog") not in again
