"""The app with documents of every format: read, shown, measured otherwise, many at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking import ChunkscopeError
from chunking.isolation import Limits
from chunking.loading import FORMATS
from pages.shared.documents import parsing
from pages.shared.frame import runs
from pages.shared.storage import quota
from tests.alignment import test_stores as stores
from tests.app.pages import TIMEOUT, calm, head_of, paste, workbench_data, workbench_picture
from tests.app.test_inspect import figures, opened, shown, upload, uploader
from tests.fuzz import seeds
from tests.loading.binary.pdf.making import OTHER, PROSE, drawn
from tests.loading.checks import packed
from tests.queues import held

HTML = b"""<html lang="en"><body><nav><a href="/">Home</a> <a href="javascript:alert(1)">Shop</a></nav>
<h1>Tea &amp; bread</h1><p onclick="alert(2)">Boil the water. Wait a little.</p><script>alert(3)</script>
<img src="http://example.invalid/a.png"><h2>Bread</h2><p>Knead the dough. Bake it.</p></body></html>"""
NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "cells": [
            {"cell_type": "markdown", "source": "# Sums\n\nTwo and two. Then more."},
            {"cell_type": "code", "source": "print(2 + 2)", "outputs": [{"output_type": "stream", "text": "4\n"}]},
        ],
    }
).encode()
FILES = {
    "page.html": HTML,
    "book.ipynb": NOTEBOOK,
    "talk.srt": b"1\n00:00:01,000 --> 00:00:02,000\nGood morning.\n\n2\n00:00:03,000 --> 00:00:04,000\nIs it?\n",
    "tool.py": b'"""A tool. Helps."""\n\n\ndef one():\n    """Give one."""\n    return 1\n\n\nclass Two:\n    x = 2\n',
    "data.json": b'{"tea": {"water": "hot", "time": 3}, "bread": {"flour": "rye"}}',
    "data.yaml": b"tea:\n  water: hot\n  time: 3\nbread:\n  flour: rye\n",
    "data.csv": b"drink,price\ntea,2\ncoffee,3\n",
    "paper.tex": b"\\section{Tea}\nBoil water. Wait.\n\n\\section{Bread}\nKnead it. Bake it.\n",
    "paper.rst": b"Tea\n===\n\nBoil water. Wait.\n\nBread\n=====\n\nKnead it. Bake it.\n",
}


def page(text: str) -> bytes:
    def draw(canvas: object) -> None:
        words = text.split()
        for number, start in enumerate(range(0, len(words), 12)):
            canvas.drawString(72, 760 - 14 * number, " ".join(words[start : start + 12]))  # type: ignore[attr-defined]

    return drawn(draw, draw)


@pytest.mark.parametrize("name", FILES)
def test_every_format_opens_and_is_measured(root: Path, name: str) -> None:
    app = upload(opened(root), name, FILES[name])
    assert name in shown(app)
    assert "<span>chunk" in figures(app)
    assert not any(problem in shown(app) for problem in ("cannot", "refused"))


def test_the_content_of_a_web_page_can_be_chosen(root: Path) -> None:
    app = upload(opened(root), "page.html", HTML)
    assert "7</b><span>sentences" in figures(app)
    calm(app.selectbox(key="content").set_value("main").run())
    assert "6</b><span>sentences" in figures(app), "its navigation is none of its content"


def test_a_pdf_waits_for_its_turn_and_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def noted(place: tuple[int, int]) -> str:
        places.append(place)
        go.set()
        return waiting(place)

    places: list[tuple[int, int]] = []
    waiting = runs.waiting
    monkeypatch.setattr(runs, "waiting", noted)
    monkeypatch.setattr(parsing, "SHORT", Limits(wall=0.0))  # it takes long
    runs.runs("documents").forget()
    go = held("documents", "document")
    app = upload(opened(root), "harbour.pdf", page(PROSE))
    assert "harbour.pdf" in shown(app)
    assert places[0] == (1, 1)


def test_a_pdf_is_shown_on_its_pages(root: Path) -> None:
    app = upload(opened(root), "harbour.pdf", page(PROSE + " " + OTHER))
    assert "PDF, 2 pages" in shown(app)
    kept = next(iter(app.session_state["_own_documents"].values()))
    assert kept.data is not None and kept.document.pages is not None
    pages = head_of(app, "chunkscope_workbench")["pages"]
    assert pages == {"source": f"{kept.document.key}/pages", "shown": None, "pictures": []}


def test_a_link_to_a_page_opens_it_with_those_beside_it(root: Path) -> None:
    app = upload(opened(root), "harbour.pdf", page(PROSE + " " + OTHER))
    app.query_params["page"], app.query_params["back"] = "2", "1"
    calm(app.run())
    pages = head_of(app, "chunkscope_workbench")["pages"]
    assert (pages["shown"], pages["pictures"]) == (1, [0, 1])
    places = workbench_data(app, pages["source"])
    kept = next(iter(app.session_state["_own_documents"].values()))
    assert kept.document.pages is not None and len(places["asides"]) == sum(
        each.box is not None for each in kept.document.aside
    )
    names = [f"{pages['source']}/{number}" for number in pages["pictures"]]
    assert all(workbench_picture(app, name).startswith(b"\x89PNG") for name in names)


def test_a_page_that_the_document_has_not_is_taken_for_none(root: Path) -> None:
    app = upload(opened(root), "harbour.pdf", page(PROSE))
    app.query_params["page"], app.query_params["back"] = "99", "1"
    calm(app.run())
    app.query_params["page"], app.query_params["back"] = "<b>", "2"
    calm(app.run())
    assert "Invalid page in the URL" in shown(app)


def test_several_files_are_read_one_after_the_other_and_stepped_through(root: Path) -> None:
    app = opened(root)
    files = [(f"note-{number}.txt", f"Note {number}. It ends.".encode(), "text/plain") for number in range(3)]
    calm(app.file_uploader(key=uploader(app)).set_value([*files, ("broken.pdf", b"%PDF-1.4 nothing", "x")]).run())
    own = list(app.session_state["_own_documents"])
    assert [name[:6] for name in own] == ["note-0", "note-1", "note-2"]
    assert app.selectbox(key="doc").value == own[0], "the first is opened"
    assert "PDF" in shown(app), "the broken one is told"
    calm(app.button(key="_step_1").click().run())
    assert app.selectbox(key="doc").value == own[1]
    calm(app.button(key="_step_-1").click().run())
    calm(app.button(key="_step_-1").click().run())
    assert app.selectbox(key="doc").value == own[2], "before the first comes the last"


def test_the_collection_shows_every_document(root: Path) -> None:
    app = opened(root)
    for name in ("tool.py", "paper.rst"):
        upload(app, name, FILES[name])
    calm(app.switch_page("pages/collection.py").run())
    assert "2</b><span>documents" in figures(app)
    app.selectbox(key="set").set_value("Samples")
    calm(app.run())
    assert "9</b><span>documents" in figures(app)
    assert "mean boundary F1 of" in figures(app)


@pytest.mark.parametrize("named", ["de", "German"])
def test_a_link_names_a_language_by_its_code_or_as_older_ones_do_by_its_title(root: Path, named: str) -> None:
    app = opened(root, language=named)
    assert app.selectbox(key="language").value == "de"
    assert app.query_params["language"] in ("de", ["de"])


def test_language_splitter_and_encoder_can_be_changed(root: Path) -> None:
    app = upload(opened(root), "letter.txt", "Der Tee ist heiß. Am 3. Oktober kam Besuch. Das Brot war gut.".encode())
    assert "German" in shown(app)
    app.selectbox(key="encoder").set_value("char-ngrams")
    app.selectbox(key="language").set_value("en")
    calm(app.run())
    assert "English" in shown(app) and "sentence splitter: rules" in shown(app)
    app.selectbox(key="splitter").set_value("spacy/en_core_web_sm")
    calm(app.run())
    assert "sentence splitter: spacy/" in shown(app)
    assert "encoder: char-ngrams" in shown(app)
    assert "<span>chunk" in figures(app)


def test_an_encoder_that_is_not_there_is_told_and_the_usual_one_goes_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSCOPE_ENCODERS", "./no/such/model")
    app = opened(root)
    calm(app.selectbox(key="encoder").set_value("./no/such/model").run())
    assert "no sentence-transformers model" in shown(app)
    assert "<span>chunk" in figures(app)


def test_text_is_sent_away_only_after_a_word_for_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-shown")
    monkeypatch.setenv("CHUNKSCOPE_ENCODERS", "openai:small")
    app = opened(root)
    calm(app.selectbox(key="encoder").set_value("openai:small").run())
    toggle = next(each for each in app.toggle if "Send the text" in each.label)
    assert toggle.value is False
    assert "<span>chunk" in figures(app), "until then the built-in encoder goes on"
    assert "sk-never-shown" not in shown(app)


def test_stopping_tells_how_many_files_were_not_read(root: Path) -> None:
    app = opened(root)
    app.session_state["_waiting_files"] = []
    own = AppTest.from_function(_stopped, default_timeout=TIMEOUT).run()
    assert not own.exception
    assert "2 files were not read" in own.text[0].value
    del app


def _stopped() -> None:
    from types import SimpleNamespace

    import streamlit as st

    from pages.shared.documents import add_documents

    files = (SimpleNamespace(file_id="a"), SimpleNamespace(file_id="b"))
    st.session_state["_waiting_files"] = [SimpleNamespace(upload=each) for each in files]
    add_documents._stop()
    st.text(st.session_state["_document_problems"][0].problem)


def test_the_files_of_an_archive_are_opened(root: Path) -> None:
    app = upload(opened(root), "papers.zip", packed({"set/tea.md": "# Tea\n\nBoil water.\n", "set/none.txt": " "}))
    assert str(app.selectbox(key="doc").value).startswith("set/tea.md (")
    assert "“set/none.txt” is empty" in shown(app)


@pytest.mark.parametrize("name", ["nothing.md", "nothing.pdf"])
def test_an_empty_file_is_refused_with_a_message_of_its_own(root: Path, name: str) -> None:
    app = opened(root)
    before = app.selectbox(key="doc").value
    app = upload(app, name, b"")
    assert f"“{name}” is empty" in shown(app)
    assert app.selectbox(key="doc").value == before


def kept_names(app: AppTest) -> list[str]:
    return [each.document.name for each in app.session_state["_own_documents"].values()]


@pytest.mark.parametrize("format", ["docling", "unstructured", "mineru", "marker"])
def test_what_another_program_has_parsed_opens_with_its_pages(root: Path, format: str) -> None:
    name = f"tea{seeds.suffixes(format)[0]}"
    app = upload(opened(root), name, seeds.seeds(format)[0])
    (kept,) = app.session_state["_own_documents"].values()
    assert kept.document.format == format
    assert kept.document.pages is not None and kept.data is None
    assert f"{FORMATS[format].title}, {len(kept.document.pages)} pages" in shown(app)
    assert head_of(app, "chunkscope_workbench")["pages"] is None
    assert "<span>chunk" in figures(app)


def test_a_table_opens_as_the_documents_in_its_rows(root: Path) -> None:
    rows = [{"title": "Tea", "text": "Boil water. Wait."}, {"title": "Bread", "text": "Knead it. Bake it."}]
    app = upload(opened(root), "house.parquet", stores.packed(rows))
    assert kept_names(app) == ["Tea.txt", "Bread.txt"]
    assert "<span>chunk" in figures(app)
    documents = [{"page_content": row["text"], "metadata": {"source": f"{row['title']}.md"}} for row in rows]
    app = upload(opened(root), "house.jsonl", stores.lines(documents))
    assert kept_names(app) == ["Tea.md", "Bread.md"]


def test_a_folder_of_a_data_set_opens_as_its_documents(root: Path) -> None:
    card = b"---\ntask_categories: [text-retrieval]\n---\n# House\n"
    rows = stores.lines([{"title": "Tea", "text": "Boil water. Wait."}, {"title": "Bread", "text": "Knead it."}])
    app = opened(root)
    key = next(str(each.key) for each in app.file_uploader if str(each.key).startswith("_upload_folder"))
    folder = app.file_uploader(key=key)
    calm(folder.set_value([("house/README.md", card, ""), ("house/data/train.jsonl", rows, "")]).run())
    assert kept_names(app) == ["Tea.txt", "Bread.txt"]
    app = upload(opened(root), "house.zip", packed({"house/README.md": card, "house/data/train.jsonl": rows}))
    assert kept_names(app) == ["Tea.txt", "Bread.txt"]


def test_a_damaged_table_is_reported(root: Path) -> None:
    app = upload(opened(root), "house.parquet", b"PAR1" + b"x" * 90)
    assert "is damaged, or not a Parquet or Arrow file" in shown(app)


def test_files_and_texts_beyond_a_quota_are_refused_with_the_reason(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def refuse(files: int) -> None:
        asked.append(files)
        raise ChunkscopeError(
            "One person may add 3 files here within an hour, and you have.", "Add more in 12 minutes."
        )

    monkeypatch.setattr(quota, "count_uploads", refuse)
    app = upload(opened(root), "tea.md", b"# Tea")
    assert "Add more in 12 minutes." in shown(app)
    assert "tea.md" not in str(app.selectbox(key="doc").options)
    paste(app, "A text of mine.")
    assert "Add more in 12 minutes." in shown(app)
    assert app.text_area(key="_pasted").value == "A text of mine.", "a text that was refused is not lost"
    assert asked == [1, 1]
