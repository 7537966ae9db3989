from __future__ import annotations

import numpy as np

from chunking.document import Document
from chunking.document.pages import Pages
from chunking.loading import load
from chunking.workspace import DocumentAnalysis, Models
from pages.shared.documents import about_document

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


def test_what_a_document_is_is_said_in_one_line() -> None:
    korean = load("차가 뜨겁다. 빵이 있다. 물이 끓는다.".encode(), "a.txt")
    assert about_document.kind(DocumentAnalysis(korean, Models("static", splitter="rules"))) == (
        "Plain text · Korean · sentence splitter: rules · encoder: static"
    )
    assert "2 pages" in about_document.kind(DocumentAnalysis(PAPER, Models(splitter="rules")))
