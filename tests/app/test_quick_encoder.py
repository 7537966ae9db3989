"""The first picture of a document is drawn with static, and all-MiniLM-L6-v2 takes its place."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.runtime.progress import Tell
from pages.shared.documents import quick_encoder
from pages.shared.frame import runs
from tests.app.models import SlowModel, slow_model
from tests.app.pages import calm
from tests.app.test_inspect import opened, shown, upload

TEXT = "# Tides\n\nThe water rises twice a day. Boats wait for it.\n\n# Bread\n\nKnead the dough. Let it rise. {}\n"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowModel]:
    with slow_model(monkeypatch) as slow:
        yield slow


def corner(app: AppTest) -> str:
    words = [str(each.value).replace("\\", "") for each in app.caption]
    return " ".join(each for each in words if "static" in each and "draws the first picture" not in each)


def wait() -> None:
    for run in list(runs.runs("vectors")._jobs.values()):
        assert run.wait(30)


def test_static_draws_until_the_model_is_done(root: Path, model: SlowModel) -> None:
    app = upload(opened(root), "slow.md", TEXT.format("It takes an hour.").encode())
    assert "encoder: static" in shown(app)
    assert "Drawn with static; all-MiniLM-L6-v2 follows" in corner(app)
    model.may.set()
    wait()
    calm(app.run())
    assert "encoder: all-MiniLM-L6-v2" in shown(app)
    assert model.encoded > 0


def test_the_user_may_keep_static_and_go_on_later(root: Path, model: SlowModel) -> None:
    app = upload(opened(root), "kept.md", TEXT.format("It takes two hours.").encode())
    calm(app.button(key="_keep_static").click().run())
    model.may.set()
    wait()
    calm(app.run())
    assert "encoder: static" in shown(app)
    calm(app.button(key="_continue_vectors").click().run())
    wait()
    calm(app.run())
    assert "encoder: all-MiniLM-L6-v2" in shown(app)


def test_who_chooses_an_encoder_keeps_it(root: Path, model: SlowModel) -> None:
    app = upload(opened(root, encoder="static"), "chosen.md", TEXT.format("It takes three hours.").encode())
    assert "encoder: static" in shown(app)
    assert not [each for each in app.button if each.key == "_keep_static"]
    assert not model.encoded


def test_a_text_that_static_does_not_know_waits_for_the_model(root: Path, model: SlowModel) -> None:
    model.may.set()
    text = "# 밀물\n\n물은 하루에 두 번 오른다. 배는 기다린다.\n\n# 빵\n\n반죽을 한다. 그리고 굽는다.\n"
    app = upload(opened(root, splitter="rules"), "korean.md", text.encode())
    assert "encoder: all-MiniLM-L6-v2" in shown(app)


@pytest.mark.parametrize("page", ["inspect", "compare", "tune", "collection"])
def test_without_the_model_every_page_is_drawn_with_static(
    root: Path, model: SlowModel, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    monkeypatch.setattr(quick_encoder, "is_installed", lambda: False)
    app = upload(opened(root), f"{page}.md", TEXT.format(f"It takes {page}.").encode())
    if page != "inspect":
        calm(app.switch_page(f"pages/{page}.py").run())
    assert "Drawn with the encoder static" in corner(app)
    assert "pip install" in corner(app)
    assert not model.encoded


def test_a_run_that_was_asked_for_before_is_not_waited_for(model: SlowModel, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.runs("vectors").start("vectors", "waits", "waits", lambda tell: model.may.wait(30))
    monkeypatch.setattr(quick_encoder, "_PATIENCE", 0.0)
    monkeypatch.setattr("time.sleep", lambda _: pytest.fail("it waited"))
    assert not quick_encoder._is_quickly_done(run)


def test_a_run_that_must_embed_is_not_waited_for(model: SlowModel) -> None:
    told = threading.Event()

    def work(tell: Tell) -> None:
        tell("sentences", 0, 10)
        told.set()
        model.may.wait(30)

    run = runs.runs("vectors").start("vectors", "embeds", "embeds", work)
    assert told.wait(30)
    assert run.live and not quick_encoder._is_quickly_done(run)
