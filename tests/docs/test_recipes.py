"""Every recipe of the documentation is followed literally."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs import recipes

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "extending").glob("*.md"))


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=[] if path.stem == "strategy" else pytest.mark.extended) for path in PAGES],
)
def test_a_recipe_works_as_it_is_written(path: Path, tmp_path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert any(step.language == "console" for step in recipes.steps(page)), "a recipe must try what it builds"
    recipes.copy(ROOT, tmp_path)
    recipes.follow(page, tmp_path)


def test_every_recipe_is_there() -> None:
    assert {path.stem for path in PAGES} == {"component", "loader", "page", "strategy"}


def test_a_diff_replaces_what_occurs_once() -> None:
    assert recipes.changed("a\nb\nc\n", "-b\n+d\n+e\n", "file") == "a\nd\ne\nc\n"
    with pytest.raises(AssertionError, match="occurs 2 times"):
        recipes.changed("b\nb\n", "-b\n+d\n", "file")
    with pytest.raises(AssertionError, match="occurs 0 times"):
        recipes.changed("a\n", "-b\n+d\n", "file")


def test_a_recipe_that_does_not_hold_fails(tmp_path: Path) -> None:
    page = (
        '```text title="note.txt"\nHello.\n```\n\n```console\n$ python -c "print(open(\'note.txt\').read())"\n{}\n```\n'
    )
    for name in ("good", "bad"):
        (tmp_path / name).mkdir()
    recipes.follow(page.format("Hello."), tmp_path / "good")
    with pytest.raises(AssertionError, match="is not in"):
        recipes.follow(page.format("Goodbye."), tmp_path / "bad")
