"""Documents on disk and in archives, and files without any text."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from chunking import from_text, load
from chunking.__main__ import main
from chunking.errors import ChunkscopeError
from chunking.loading import EMPTY, archive, files, is_archive
from tests.loading.binary import test_docx, test_pptx
from tests.loading.checks import packed

GUIDE, NOTE = "# Guide\n\nBoil water.\n", "Knead dough. Let it rise.\n"


TWO = packed({"set/guide.md": GUIDE, "set/note.txt": NOTE, "__MACOSX/set/._guide.md": "x", "set/.DS_Store": "x"})


def test_the_files_of_an_archive_are_documents(tmp_path: Path) -> None:
    path = tmp_path / "two.zip"
    path.write_bytes(TWO)
    name, data = files.read_document(path / "set" / "guide.md")
    assert load(data, name) == from_text(GUIDE, "set/guide.md")
    with pytest.raises(ChunkscopeError, match="is an archive with set/guide.md, set/note.txt") as caught:
        files.read_document(path)
    assert caught.value.remedy == f"Name one of them: {path}/set/guide.md"
    with pytest.raises(ChunkscopeError, match="Name one of them"):
        files.read_document(path / "set" / "none.md")


def test_the_only_file_of_an_archive_needs_no_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.zip"
    path.write_bytes(packed({"note.txt": NOTE}))
    assert main(["split", str(path), "--strategy", "whole"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == NOTE


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (packed({}), "without files"),
        (packed({".hidden": "x"}), "without files"),
        (TWO[:-30], "damaged"),
        (packed({"bomb.txt": b"\0" * (archive.RATIO_FROM + 1)}), "too large"),
    ],
    ids=["empty", "hidden", "cut off", "bomb"],
)
def test_an_archive_without_documents_says_why(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "odd.zip"
    path.write_bytes(data)
    with pytest.raises(ChunkscopeError, match=message):
        files.read_document(path)


def test_an_archive_is_not_advised_to_be_saved_as_text() -> None:
    with pytest.raises(ChunkscopeError, match="it is a ZIP archive") as caught:
        load(TWO, "two.zip")
    assert caught.value.remedy == "Unpack it, and load the files in it."


def test_a_document_that_is_an_archive_inside_is_a_document() -> None:
    data = packed(test_docx.files(test_docx.p("Dear Kim.")))
    assert not is_archive(data, "letter.docx")
    assert not is_archive(data, "letter")
    assert is_archive(packed({"letter.docx": data, "more.docx": data}, zipfile.ZIP_STORED), "letters.zip")


@pytest.mark.parametrize("part", ["[Content_Types].xml", "Index/Document.iwa"])
def test_an_office_document_that_is_not_supported_is_refused_in_a_line(part: str, tmp_path: Path) -> None:
    path = tmp_path / "drawing.vsdx"
    path.write_bytes(packed({part: "<Types/>", "visio/document.xml": "<a/>"}))
    with pytest.raises(ChunkscopeError, match="of a kind that is not supported") as caught:
        files.read_document(path)
    assert caught.value.remedy == "Export it as PDF or Word (DOCX) and load that."


@pytest.mark.parametrize(
    ("stream", "words"), [("WordDocument", ".doc"), ("PowerPoint Document", ".ppt"), ("__substg1.0_", ".msg")]
)
def test_office_files_of_before_2007_say_what_to_do(stream: str, words: str) -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + stream.encode("utf-16-le")
    with pytest.raises(ChunkscopeError, match=words) as caught:
        load(data, "old.bin")
    assert "load that" in caught.value.remedy


def test_an_archive_of_office_files_opens_as_the_documents_in_it(tmp_path: Path) -> None:
    slides = test_pptx.files(test_pptx.tree("sld", test_pptx.shape(test_pptx.p("Tea"), test_pptx.TITLE)))
    path = tmp_path / "all.zip"
    path.write_bytes(packed({"a.pptx": packed(slides), "b.rtf": rb"{\rtf1 Boil.}", "c.eml": b"Subject: x\n\nPour."}))
    documents = [load(data, name) for name, data in files.read_documents(path)]
    assert [document.text for document in documents] == ["Tea", "Boil.", "x\n\nPour."]


def test_an_archive_of_a_question_set_is_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: dict[str, dict[str, object]] = {"docs.jsonl": {"_id": "d", "text": NOTE}}
    rows["queries.jsonl"] = {"_id": "q", "text": "What rises?", "doc_id": "d", "spans": [[0, 12]]}
    path = tmp_path / "set.zip"
    path.write_bytes(packed({f"set/{name}": json.dumps(row) + "\n" for name, row in rows.items()}))
    words = ["evaluate", "retrieval", str(path), "--strategies", "sentence", "--retriever", "bm25"]
    assert main([*words, "--splitter", "rules"]) == 0
    assert json.loads(capsys.readouterr().out)["strategies"]


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.json", "a.yaml", "a.csv", "a.html", "a.py", "a.srt", "a.tex"])
@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b" \n\n"], ids=["nothing", "mark", "blank"])
def test_an_empty_file_says_that_it_is_empty(name: str, data: bytes) -> None:
    document = load(data, name)
    assert document.notes == (EMPTY,)
    assert (document.blocks, document.language) == ((), "und")


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.epub", "a.ipynb"])
def test_an_empty_file_of_a_format_that_is_never_empty_is_refused(name: str) -> None:
    with pytest.raises(ChunkscopeError, match=f"“{name}” is empty"):
        load(b"", name)


def test_the_files_of_a_folder_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    names = ["b.md", "a-b.md", "a/c.md", "a/b/d.md", "a.md", "a b/e.md", ".hidden/f.md", "a/.g.md", "A.md", "é.md"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"Of {name}.", encoding="utf-8")
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    (tmp_path / "loop").symlink_to(tmp_path)
    search = files.Search()
    found = [path for path, _, _ in files.find_documents([tmp_path], search)]
    assert found == sorted(path for path in tmp_path.rglob("*.md") if not files._is_hidden(path.relative_to(tmp_path)))
    assert search.skipped["hidden"] == 2
    assert [path for path, _, _ in files.find_documents([tmp_path, tmp_path / "a"])] == found, "each once"


def test_a_link_to_a_folder_is_followed_where_it_is_named_and_not_within(tmp_path: Path) -> None:
    (tmp_path / "real" / "guide").mkdir(parents=True)
    (tmp_path / "real" / "guide" / "a.md").write_text("Of a.", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "outer").mkdir()
    (tmp_path / "outer" / "b.md").write_text("Of b.", encoding="utf-8")
    (tmp_path / "outer" / "within").symlink_to(tmp_path / "real")
    (tmp_path / ".hidden").symlink_to(tmp_path / "real" / "guide")

    def found(*parts: str) -> list[Path]:
        root = tmp_path.joinpath(*parts)
        return [path.relative_to(root) for path, _, _ in files.find_documents([root])]

    assert found("link") == [Path("guide/a.md")]
    assert found("link", "guide") == [Path("a.md")]
    assert found("outer") == [Path("b.md")]
    assert found("outer", "within") == [Path("guide/a.md")]
    assert found(".hidden") == [Path("a.md")]


def test_nothing_is_kept_of_the_files_of_a_folder(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        folder = tmp_path / str(count)
        for number in range(count):
            part = folder / f"{number // 50:03d}"
            part.mkdir(parents=True, exist_ok=True)
            (part / f"{number:05d}.md").write_text("Tea.", encoding="utf-8")
        # Of several, since threads that other tests have left in this process may need memory meanwhile.
        return min(traced(folder, count) for _ in range(3))

    def traced(folder: Path, count: int) -> int:
        tracemalloc.start()
        try:
            assert sum(1 for _ in files.find_documents([folder])) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(50)  # what is imported with the first document
    few, many = peak(200), peak(2000)
    assert many - few < 1800 * 20, "bytes for each file"
