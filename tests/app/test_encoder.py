"""The encoder that the pages use where none is chosen, and where one is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.models import SlowModel, slow_model
from tests.app.pages import calm
from tests.app.test_inspect import opened, shown, upload

TEXT = "# Tides\n\nThe water rises twice a day. Boats wait for it.\n\n# Bread\n\nKnead the dough. Let it rise. {}\n"
KOREAN = "# 밀물\n\n물은 하루에 두 번 오른다. 배는 기다린다.\n\n# 빵\n\n반죽을 한다. 그리고 굽는다.\n"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowModel]:
    with slow_model(monkeypatch) as slow:
        yield slow


@pytest.mark.parametrize("page", ["inspect", "compare", "tune", "collection", "review"])
def test_no_page_loads_a_model_that_was_not_chosen(root: Path, model: SlowModel, page: str) -> None:
    app = upload(opened(root), f"{page}.md", TEXT.format(f"It takes {page}.").encode())
    if page != "inspect":
        calm(app.switch_page(f"pages/{page}.py").run())
    assert not model.encoded


def test_boundaries_of_english_are_found_by_static(root: Path) -> None:
    app = upload(opened(root), "english.md", TEXT.format("It takes an hour.").encode())
    assert "encoder: static" in shown(app)


def test_boundaries_of_another_language_are_found_by_letters(root: Path, model: SlowModel) -> None:
    app = upload(opened(root, splitter="rules"), "korean.md", KOREAN.encode())
    assert "encoder: char-ngrams" in shown(app)
    assert not model.encoded


def test_who_chooses_an_encoder_waits_for_it_and_keeps_it(root: Path, model: SlowModel) -> None:
    model.may.set()
    app = upload(opened(root, encoder="all-MiniLM-L6-v2"), "chosen.md", TEXT.format("It takes two hours.").encode())
    assert "encoder: all-MiniLM-L6-v2" in shown(app)
    assert model.encoded
