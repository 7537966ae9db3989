"""Every heading and every key figure of every page is defined on hover, focus or tap, or is plain English."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from chunking import glossary, samples, strategies, tokens
from pages.shared.compare.views import VIEWS
from pages.shared.evaluate import boundary_jobs
from tests import queues
from tests.app.pages import TIMEOUT, open_page

LANES = "structural,recursive:size=400;overlap=100,heading"
FAST = {"measured": "Retrieval", "search": "bm25", "lanes": "paragraph,recursive:overlap=0;size=800"}
"""An evaluation of retrieval that needs no vectors."""

PAGES: list[tuple[str, dict[str, str]]] = [
    ("inspect", {"gap": "10"}),
    *(("compare", {"lanes": LANES, "show": view}) for view in VIEWS),
    ("tune", {}),
    ("tune", {"tune": "Stability"}),
    *(
        ("evaluate", {"lanes": "paragraph,heading", "result": view})
        for view in ("Verdict", "Differences", "Groups", "Documents")
    ),
    *(("evaluate", FAST | {"look": view}) for view in ("Verdict", "Results", "Sizes", "Questions", "Causes")),
    ("review", {"reviewer": "Ada", "judged": "heading"}),
    ("collection", {}),
    *(("library", {"part": part}) for part in ("Documents", "Sets", "Folders", "Archive", "Limits")),
    ("learn", {}),
]

PLAIN = {
    "", "above max", "beginning", "beginning of the next chunk", "below min", "characters", "compared", "end",
    "exceed the encoder limit", "headings", "in full at", "judged", "max", "min", "notes", "parameter", "problem",
    "question", "questions", "reason", "start", "value", "text", "line", "file", "nearby settings",
}  # fmt: skip
"""Words that everybody knows, and columns with help of their own."""

_HEADS = re.compile(
    r"<th\b[^>]*>(?P<head>.*?)</th>|<div(?P<about>[^>]*)><b>[^<]*</b><span>(?P<figure>.*?)</span>", re.S
)
_TAG = re.compile(r"<[^>]*>")


@pytest.fixture(autouse=True)
def _finished(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep nothing, and wait for each run."""
    monkeypatch.setattr(boundary_jobs, "PATIENCE", float(TIMEOUT))
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "reviews.sqlite"))
    boundary_jobs.queue().forget()
    yield
    streamlit.cache_resource.clear()


def headings(app: AppTest) -> Iterator[tuple[str, bool]]:
    """Yield each heading of the page's own tables, and the words of each key figure, with whether it is defined."""
    for element in app.get("html"):
        for match in _HEADS.finditer(element.proto.body):
            words = match["head"] if match["head"] is not None else match["figure"]
            yield html.unescape(_TAG.sub("", words)), "data-term" in match[0] or "title=" in (match["about"] or "")


def columns(app: AppTest) -> Iterator[tuple[str, bool]]:
    """Yield each column of Streamlit's tables with whether it has help."""
    for table in app.dataframe:
        config = json.loads(table.proto.columns or "{}")
        for name in table.value.columns:
            known = config.get(name) or {}
            yield known.get("label") or name, bool(known.get("help"))


def is_name(words: str) -> bool:
    """Return whether it is the name of something: a lane, a strategy, a tokenizer, a group, a document."""
    named = {*strategies.REGISTRY, *tokens.tokenizer_names(), *samples.names(), "all-MiniLM-L6-v2", "static"}
    first = words.partition(" ")[0].partition(":")[0]
    return bool(re.match(r"\d+( · |$)", words)) or first in named or bool(re.search(r"\(\d+\)$", words))


def settled(root: Path, page: str, address: dict[str, str]) -> AppTest:
    """Open a page and wait for what runs behind it."""
    app = open_page(root, page, address)
    while app.get("progress"):
        queues.wait()
        app.run()
    return app


@pytest.mark.parametrize(("page", "address"), PAGES, ids=lambda each: each if isinstance(each, str) else str(each))
def test_every_heading_is_defined(root: Path, page: str, address: dict[str, str]) -> None:
    app = settled(root, page, address)
    found = [*headings(app), *columns(app)]
    undefined = [words for words, defined in found if not defined and not is_name(words)]
    assert [words for words in undefined if glossary.find(words)] == [], "the glossary has it"
    assert [words for words in undefined if words.casefold() not in PLAIN] == [], "neither defined nor plain English"


def test_the_measures_are_among_what_was_looked_at(root: Path) -> None:
    app = settled(root, "evaluate", {"lanes": "paragraph,heading", "result": "Figures"})
    assert {"F1", "B", "Pk", "WD", "(none)", "cuts/ref.", "s"} <= {words for words, defined in headings(app) if defined}
