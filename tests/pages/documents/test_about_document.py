from __future__ import annotations

import numpy as np

from chunking.document import Document
from chunking.document.origin import Origin
from chunking.document.pages import Pages
from chunking.loading import load
from chunking.workspace import Tools, Workspace
from pages.shared.documents import about_document

PARTS = Document(
    "one two three",
    (),
    origin=Origin(
        "characters", ("a.xhtml", "b.xhtml", "c.xhtml"), np.array([(0, 3, 0, 0, 3), (4, 3, 1, 0, 3), (8, 5, 2, 0, 5)])
    ),
)
PAPER = Document(
    "one two",
    (),
    pages=Pages(
        np.full((2, 2), 100, dtype=np.float32),
        np.array([0, 4]),
        np.array([(0, 3), (4, 7)]),
        np.array([0, 1]),
        np.array([0, 1]),
        np.zeros((2, 4), dtype=np.float32),
    ),
)


def test_a_stretch_knows_its_pages_or_the_parts_it_comes_from() -> None:
    assert about_document.place(PAPER, 0, 3) == "page 1"
    assert about_document.place(PAPER, 0, 7) == "pages 1–2"
    assert about_document.place(PAPER, 3, 4) == ""
    assert about_document.place(PARTS, 0, 3) == "a.xhtml"
    assert about_document.place(PARTS, 4, 13) == "b.xhtml to c.xhtml"
    assert about_document.place(load(b"Tea.", "a.txt"), 0, 3) == ""
    assert about_document.place(load(b"<p>Tea.", "a.html"), 0, 3) == "", "one file has no parts to tell apart"


def test_what_a_document_is_is_said_in_one_line() -> None:
    korean = load("차가 뜨겁다. 빵이 있다. 물이 끓는다.".encode(), "a.txt")
    assert about_document.kind(Workspace(korean, Tools("static", splitter="rules"))) == (
        "Plain text · Korean · sentence splitter: rules · encoder: static"
    )
    assert "2 pages" in about_document.kind(Workspace(PAPER, Tools(splitter="rules")))
