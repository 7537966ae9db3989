"""Collections of every kind of store: embedded Qdrant, embedded Chroma, and a PostgreSQL with pgvector."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from tests.store.databases import pgvector
from tests.vector_stores.store_collections import KINDS, TestCollection

__all__ = ["pgvector"]


@pytest.fixture(params=KINDS)
def collection(request: pytest.FixtureRequest, tmp_path: Path) -> TestCollection:
    """A collection that does not exist yet, of each kind of store."""
    name = f"chunks_{secrets.token_hex(4)}"
    if request.param == "postgresql":
        server = request.getfixturevalue("pgvector")
        url = server.url("postgres").replace("+pg8000", "")
    else:
        url = f"{request.param}:{tmp_path / 'store'}"
    return TestCollection(url, name)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three documents, in which commands run."""
    monkeypatch.chdir(tmp_path)
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in DOCUMENTS.items():
        (docs / name).write_text(text, encoding="utf-8")
    return docs


DOCUMENTS = {
    "tea.md": "# Tea\n\nBoil the water. Wait a little.\n\n## Green\n\nCool it first. Serve it at once.\n",
    "bread.md": "# Bread\n\nKnead the dough. Let it rest for an hour.\n\n## Crust\n\nBake it well. Let it cool.\n",
    "soup.md": "# Soup\n\nCut the leeks. Fry them in butter.\n\n## Stock\n\nAdd the stock. Simmer for an hour.\n",
}
