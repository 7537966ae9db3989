"""Embedding before the views that need it, in the queue of this server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking import from_text
from chunking.workspace import DocumentAnalysis, Models
from pages.shared.documents import embedding
from pages.shared.frame import runs
from pages.shared.server import hosts
from tests.app.models import SlowModel, slow_model
from tests.app.pages import calm, open_page
from tests.app.test_inspect import opened, shown, upload
from tests.queues import held

TEXT = b"# Tides\n\nThe water rises {} times a day. Boats wait for it.\n\n# Bread\n\nKnead the dough. Let it rise.\n"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowModel]:
    with slow_model(monkeypatch) as slow:
        yield slow


def test_visitors_of_a_server_for_others_name_no_model(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, folder = "There is no sentence-transformers model in the folder", str(tmp_path)
    assert words in shown(opened(root, encoder=folder))
    monkeypatch.setattr(hosts, "is_local", lambda: False)
    for app in (opened(root, encoder=folder), open_page(root, "inspect", {}, {"encoder": folder})):
        assert words not in shown(app)
        assert app.selectbox(key="encoder").value != folder


def test_a_document_waits_for_its_turn_and_is_then_drawn(root: Path, model: SlowModel) -> None:
    go = held("vectors", "vectors")
    model.may.set()
    threading.Timer(1.0, go.set).start()
    app = upload(opened(root, encoder="all-MiniLM-L6-v2"), "turn.md", TEXT.replace(b"{}", b"three"))
    assert "encoder: all-MiniLM-L6-v2" in shown(app)
    assert go.is_set()
    assert not [each for each in app.button if each.label == "Stop"]


def test_what_is_known_needs_no_turn(root: Path, model: SlowModel) -> None:
    model.may.set()
    text = TEXT.replace(b"{}", b"four")
    calm(upload(opened(root, encoder="all-MiniLM-L6-v2"), "known.md", text))
    go = held("vectors", "vectors")
    app = upload(opened(root, encoder="all-MiniLM-L6-v2"), "known.md", text)
    assert "encoder: all-MiniLM-L6-v2" in shown(app)
    go.set()


def test_a_document_that_another_thread_embeds_is_not_waited_for(model: SlowModel) -> None:
    workspace = DocumentAnalysis(
        from_text("One is here. Two is there.", name="a.txt"), Models("all-MiniLM-L6-v2", splitter="rules")
    )
    assert not embedding.is_quick(workspace, 0)
    thread = threading.Thread(target=workspace.vectors, daemon=True)
    thread.start()
    while not workspace._computations.get(("vectors", 0)):
        pass
    assert not embedding.is_quick(workspace, 0)
    model.may.set()
    thread.join(30)
    assert embedding.is_quick(workspace, 0)


def test_a_deletion_stops_the_embedding_of_the_deleted_text(model: SlowModel) -> None:
    workspace = DocumentAnalysis(
        from_text("Ice is cold. Fire is hot.", name="a.txt"), Models("all-MiniLM-L6-v2", splitter="rules")
    )
    run = embedding._start(workspace, [0])
    runs.runs("vectors").forget("another text")
    assert run.keep_running
    runs.runs("vectors").forget(workspace.document.text_hash)
    assert not run.keep_running
