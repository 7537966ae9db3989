"""Collections held against their documents: ours, broken ones, and those of other programs."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunking import load
from chunking.vector_stores import Point
from chunking.vector_stores.audit import AUDIT_RULES, DocumentAuditor
from chunking.vector_stores.stored_chunks import StoredChunk, match_documents
from chunking.workspace import DocumentAnalysis, Models
from tests.command_line import run
from tests.vector_stores.store_collections import TestCollection

FAST = ("--strategy", "heading", "--splitter", "rules", "--encoder", "static")


def push(capsys: pytest.CaptureFixture[str], collection: TestCollection, *words: str) -> None:
    code, _, error = run(capsys, "push", *words, *collection.words(), *FAST)
    assert code == 0, error


def audit(capsys: pytest.CaptureFixture[str], collection: TestCollection, *words: str, code: int = 0) -> dict[str, Any]:
    result, out, error = run(capsys, "audit-store", *words, *collection.words("--from"), "--json")
    assert result == code, (out, error)
    report: dict[str, Any] = json.loads(out)
    return report


def add(collection: TestCollection, texts: Sequence[str], metadata: dict[str, Any], dimension: int = 2) -> None:
    with collection.open() as store:
        if not store.exists():
            store.create(dimension)
        points = [Point(str(uuid.uuid4()), text, metadata) for text in texts]
        store.put(points, np.ones((len(texts), dimension), dtype=np.float32))


def found(report: dict[str, Any], rule: str) -> list[dict[str, Any]]:
    assert rule in AUDIT_RULES
    return [finding for finding in report["findings"] if finding["rule"] == rule]


def test_what_was_just_pushed_is_in_order(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    push(capsys, collection, "docs")
    report = audit(capsys, collection, "docs", "--fail-on", "error,warning", code=1)
    assert report["rules"].keys() == {"small-chunk"}, "as check finds it"
    assert report["settings"] == [{"name": "heading", "chunks": 6}]
    assert report["encoders"] == [{"name": "static", "chunks": 6}]
    assert report["lost_characters"] == 0 < report["characters"]
    assert [document["status"] for document in report["documents"]] == ["current"] * 3
    assert [document["boundaries"] for document in report["documents"]] == [1] * 3
    assert report["tokens"]["minimum"] > 0


def test_each_kind_of_damage_is_found(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    push(capsys, collection, "docs")
    rows, texts = collection.rows(), collection.texts()
    crust = next(point for point, text in texts.items() if text.startswith("## Crust"))
    green = next(point for point, text in texts.items() if text.startswith("## Green"))
    vector = np.ones((1, 256), dtype=np.float32)
    with collection.open() as store:
        dimension = store.dimension()
        assert dimension
        vector = np.ones((1, dimension), dtype=np.float32)
        store.delete([crust])
        other = dict(rows[green].metadata) | {"setting": "whole", "encoder": "char-ngrams"}
        store.put([Point(str(uuid.uuid4()), texts[green], other)], vector)
        broken = dict(rows[green].metadata) | {"start_index": 0, "end_index": 9}
        store.put([Point(str(uuid.uuid4()), "Boil the water. Wait", broken)], vector)
    (folder / "soup.md").unlink()
    path = folder / "tea.md"
    path.write_text(path.read_text().replace("Serve it at once.", "Serve it in cups of glass, slowly."))
    (folder / "new.md").write_text("# New\n\nNobody has pushed this.\n")
    words = ("--strategy", "heading", "--fail-on", "stale-chunk")
    report = audit(capsys, collection, "docs", *words, code=1)
    assert {"mixed-encoders", "mixed-settings"} <= report["rules"].keys()
    assert [one["document"] for one in found(report, "gone-document")] == ["docs/soup.md"]
    assert [one["document"] for one in found(report, "missing-document")] == ["docs/new.md"]
    assert [one["document"] for one in found(report, "changed-document")] == ["docs/tea.md"]
    assert {one["document"] for one in found(report, "stale-chunk")} == {"docs/tea.md"}
    lost = found(report, "lost-text")
    assert [one["line"] for one in lost if one["document"] == "docs/bread.md"] == [5]
    assert any("Crust" in one["message"] for one in lost)
    assert [one["message"] for one in found(report, "other-setting")] == ["1 chunk of whole"]
    assert found(report, "repeated-chunk") and found(report, "cut-sentence")
    assert report["unseen"] == {"over-encoder-limit": "several encoders"}
    assert report["failed"] is True
    code, out, _ = run(capsys, "audit-store", "docs", *collection.words("--from"))
    assert code == 0 and "stale-chunk" in out and "docs/bread.md:5:1: " in out


def test_a_collection_of_another_program_is_read(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    tea = (folder / "tea.md").read_text()
    add(collection, [tea[:30], tea[30:60]], {"source": str(folder / "tea.md")})
    add(collection, ["Let it rest   for an\nhour.", "This is nowhere to be found."], {"note": "no document"})
    report = audit(capsys, collection, "docs", "--encoder", "static")
    rows = {row["document"]: row for row in report["documents"]}
    assert rows["docs/tea.md"]["chunks"] == 2 and rows["docs/tea.md"]["stored_as"] == str(folder / "tea.md")
    assert rows["docs/bread.md"]["chunks"] == 1 and rows["docs/soup.md"]["status"] == "missing"
    assert found(report, "cut-sentence")
    (lost,) = found(report, "lost-text")[:1]
    assert lost["document"] == "docs/bread.md" or lost["end"] == len(tea)
    (stale,) = found(report, "stale-chunk")
    assert stale["message"] == "1 chunk without a document, in none of the sources"
    assert report["settings"] == [{"name": None, "chunks": 4}]


def test_the_text_may_be_in_any_field(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    words = "Boil the water. Wait a little."
    add(collection, ["unrelated"], {"passage_body": words, "origin": "tea.md", "text": "unrelated"})
    report = audit(capsys, collection, "docs/tea.md", "--text-field", "passage_body", "--document-field", "origin")
    assert report["documents"][0]["chunks"] == 1 and "stale-chunk" not in report["rules"]
    assert report["unseen"] == {"over-encoder-limit": "the encoder is unknown: name it with --encoder NAME"}
    code, _, error = run(capsys, "audit-store", "docs", *collection.words("--from"), "--text-field", "absent")
    assert code == 2 and "has no text in the field absent" in error


def test_a_table_of_another_program_is_read(
    capsys: pytest.CaptureFixture[str], folder: Path, request: pytest.FixtureRequest
) -> None:
    server = request.getfixturevalue("pgvector")
    name = f"documents_{uuid.uuid4().hex[:8]}"
    server.execute(
        "CREATE EXTENSION IF NOT EXISTS vector",
        f"CREATE TABLE {name} (langchain_id uuid PRIMARY KEY, content text, embedding vector(2), cmetadata json)",
        f"""INSERT INTO {name} VALUES ('{uuid.uuid4()}', 'Boil the water.', '[1,2]', '{{"source"\\: "tea.md"}}')""",
    )
    collection = TestCollection(server.url("postgres").replace("+pg8000", ""), name)
    report = audit(capsys, collection, "docs")
    assert {row["document"]: row["chunks"] for row in report["documents"]}["docs/tea.md"] == 1


def test_chunks_are_written_for_compare(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection, tmp_path: Path
) -> None:
    push(capsys, collection, "docs")
    code, _, error = run(capsys, "audit-store", "docs", *collection.words("--from"), "--output", "out")
    assert code == 0
    assert "3 files of chunks in out; the page Compare opens them as your own chunks." in error
    command = next(line for line in error.splitlines() if "chunkscope compare" in line).partition("chunkscope ")[2]
    code, out, error = run(capsys, *command.split(), "--splitter", "rules", "--format", "table")
    assert code == 0, error
    assert "yours: " in out and (tmp_path / "compare.html").stat().st_size > 10_000


def test_what_is_not_there_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection, tmp_path: Path
) -> None:
    code, out, error = run(capsys, "audit-store", "docs", *collection.words("--from"))
    assert (code, out) == (2, "") and error.count("\n") == 1
    assert "has no collection" in error or "There is no folder" in error
    assert not (tmp_path / "store").exists()


def test_chunks_over_the_limit_of_the_encoder_are_found() -> None:
    class Short:
        name, key, dimension, max_tokens, languages = "short", "short", 2, 20, ()

        def encode(self, texts: Sequence[str]) -> Any:
            raise AssertionError("nothing is embedded")

        def token_counts(self, texts: Sequence[str]) -> Any:
            return np.array([len(text.split()) for text in texts])

    text = "# Tea\n\n" + "Boil the water again and again. " * 10
    workspace = DocumentAnalysis(load(text.encode(), "tea.md"), Models(splitter="rules", encoder="static"))
    (chunk,) = [StoredChunk("a", "tea.md", text.strip())]
    result = DocumentAuditor(Short()).audit(workspace, "tea.md", [chunk])
    (finding,) = [one for one in result.findings if one.rule.name == "over-encoder-limit"]
    assert finding.message == "62 tokens of short, which reads 20"
    assert result.status == "current" and result.lost == 0


def test_documents_are_matched_by_the_end_of_their_paths() -> None:
    stored = ["/srv/docs/tea.md", "docs/bread.md", "a/soup.md", "b/soup.md", ""]
    sources = ["docs/tea.md", "docs/bread.md", "soup.md", "other.md"]
    assert match_documents(sources, stored) == {"docs/tea.md": "/srv/docs/tea.md", "docs/bread.md": "docs/bread.md"}
    assert match_documents(["bread.md"], ["file:///x/bread.md"]) == {"bread.md": "file:///x/bread.md"}


def test_each_document_is_held_to_the_setting_that_the_file_has_for_it(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    config = folder.parent / "settings.toml"
    config.write_text('[settings.a]\nstrategy = "heading"\n\n[documents]\n"tea.md" = "whole"\n', encoding="utf-8")
    words = ("docs", "--config", str(config), "--splitter", "rules", "--encoder", "static")
    assert run(capsys, "push", *words, *collection.words())[0] == 0
    report = audit(capsys, collection, *words)
    assert {row["name"] for row in report["settings"]} == {"heading", "whole"}
    assert not {"mixed-settings", "other-setting"} & report["rules"].keys()
    assert "mixed-settings" in audit(capsys, collection, "docs")["rules"], "without the file, nothing says why"
    swapped = config.read_text().replace("tea.md", "soup.md")
    config.write_text(swapped, encoding="utf-8")
    report = audit(capsys, collection, *words)
    assert {one["document"] for one in found(report, "other-setting")} == {"docs/tea.md", "docs/soup.md"}
    config.write_text(swapped.replace("whole", "paragraph"), encoding="utf-8")
    assert "mixed-settings" in audit(capsys, collection, *words)["rules"]
    named = audit(capsys, collection, *words, "--strategy", "heading")
    assert {one["document"] for one in found(named, "other-setting")} == {"docs/tea.md"}, "the option is for all"


def test_a_file_with_settings_of_single_documents_alone_is_enough(
    capsys: pytest.CaptureFixture[str], folder: Path, collection: TestCollection
) -> None:
    config = folder.parent / "settings.toml"
    config.write_text('[documents]\n"tea.md" = "whole"\n', encoding="utf-8")
    assert run(capsys, "push", "docs", "--strategy", "heading", *collection.words())[0] == 0
    report = audit(capsys, collection, "docs", "--config", str(config))
    assert {one["document"] for one in found(report, "other-setting")} == {"docs/tea.md"}
    config.write_text("", encoding="utf-8")
    assert "No strategy" in run(capsys, "audit-store", *collection.words("--from"), "docs", "--config", str(config))[2]
