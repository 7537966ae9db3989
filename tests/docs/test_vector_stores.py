"""The page on vector stores: its files are written and its commands are run, one after the other."""

from __future__ import annotations

from pathlib import Path

from chunking.vector_stores.audit import COLLECTION_RULES
from tests.docs import recipes

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "vector-stores.md").read_text(encoding="utf-8")


def test_the_commands_print_what_the_page_says(tmp_path: Path, environment: dict[str, str]) -> None:
    recipes.write_files(PAGE, tmp_path)
    for command, expected in recipes.consoles(PAGE):
        recipes.check_console(command, expected, tmp_path, environment)
    assert (tmp_path / "compare.html").is_file()


def test_the_page_has_every_rule() -> None:
    for rule in COLLECTION_RULES.values():
        assert f"| `{rule.name}` | {rule.level} | {rule.text} |" in PAGE
