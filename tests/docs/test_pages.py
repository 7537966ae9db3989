"""The documentation says what the code is: every command, strategy and parameter, and no page that nobody reaches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from chunking import samples
from chunking.strategies import REGISTRY
from tools import documentation

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


@pytest.mark.parametrize("name", REGISTRY)
def test_every_strategy_is_documented(name: str) -> None:
    strategy = REGISTRY[name]
    page = documentation.strategy_pages()
    section = page[page.index(f"### `{name}`") :].split("\n### ")[0]
    assert strategy.title in section and strategy.summary in section and strategy.origin in section
    for known in strategy.params.describe():
        assert f"| `{known.name}` |" in section and known.help and known.title
    assert samples.names(), "a strategy is tried on the samples"


def test_every_command_is_documented() -> None:
    page = documentation.command_line()
    for command in ("strategies", "split", "signals", "check", "compare", "run", "evaluate retrieval"):
        assert f"\n## {command}\n" in page
    assert "--granularity" in page and "--engine" in page


def test_every_page_is_in_the_navigation() -> None:
    def paths(entries: object) -> list[str]:
        if isinstance(entries, str):
            return [entries]
        children = entries.values() if isinstance(entries, dict) else entries
        return [path for child in children for path in paths(child)]  # type: ignore[attr-defined]

    nav = paths(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert len(nav) == len(set(nav))
    assert set(nav) == written | set(documentation.pages())


def test_links_of_the_readme_lead_somewhere() -> None:
    generated = {f"docs/{path}" for path in documentation.pages()}
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        for link in _LINK.findall((ROOT / name).read_text(encoding="utf-8")):
            assert (ROOT / link).exists() or link in generated, f"{name}: {link}"


def test_the_readme_is_short_and_true() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 150
    words = " ".join(readme.split())
    peers = sum(strategy.family == "peers" for strategy in REGISTRY.values())
    assert f"compare {len(REGISTRY) - peers} strategies, {peers} splitters of other libraries" in words
