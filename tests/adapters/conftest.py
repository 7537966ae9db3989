"""What both adapters are tried on: strategies and texts, with an encoder that loads no model."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from chunking import ChunkscopeError, embedding, from_text, strategies
from chunking.strategies import Segmentation
from chunking.workspace import DocumentAnalysis, Models
from tests.vectors import Hashed

MARKDOWN = (
    "# Tea\n\nBoil the water. Wait a little; then pour it. Stir twice.\n\n## Green\n\nCool it first. Serve it.\n\n"
    "# Bread\n\nKnead the dough. Let it rest. Bake it well. Bake it well. Bake it well.\n\n- flour\n- salt\n"
)
PLAIN = "Bake it well. Bake it well. Bake it well. Ça va 🙂. Bake it well. The end of the text, at last.\n" * 3
TEXTS = {"note.md": MARKDOWN, "plain.txt": PLAIN, "empty.txt": ""}


@pytest.fixture(autouse=True)
def encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> Hashed:
    made = Hashed()
    monkeypatch.setitem(embedding._encoders, embedding.Static.name, made)
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path))
    return made


@dataclass(frozen=True)
class Case:
    """A strategy by name, with an overlap where it takes one."""

    name: str

    @property
    def setting(self) -> str:
        known = {parameter.name for parameter in strategies.get(self.name).params.describe()}
        return f"{self.name}:overlap=1" if "overlap" in known else self.name

    def taken(self, texts: dict[str, str]) -> dict[str, str]:
        """The texts that the strategy takes: a peer may refuse some."""
        taken = dict(texts)
        for name, text in texts.items():
            try:
                self.expected(text, name)
            except ChunkscopeError:
                del taken[name]
        return taken

    def expected(self, text: str, name: str) -> Segmentation:
        """What Chunkscope itself makes of a text."""
        format = "markdown" if name.endswith(".md") else "text"
        document = from_text(text, name, format, "en")
        return strategies.parse(self.setting).run(DocumentAnalysis(document, Models(splitter="rules")))


@pytest.fixture(params=strategies.REGISTRY)
def case(request: pytest.FixtureRequest) -> Case:
    if not strategies.get(request.param).installed():
        pytest.skip(f"{request.param} needs a library that is not installed")
    return Case(request.param)


@pytest.fixture
def texts() -> dict[str, str]:
    return TEXTS
