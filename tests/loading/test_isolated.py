from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from chunking import isolation, loading
from chunking.document import Block, Document
from chunking.errors import ChunkscopeError
from chunking.isolation import LimitError, Limits, calls, codec
from chunking.loading import LoadParameters, isolated
from chunking.loading.parsed import Parsed
from tests.golden import corpus
from tests.isolation import bad_functions

DOCUMENTS = {each.name: each.path for each in corpus.golden_documents()}


def same(found: Document, wanted: Document) -> None:
    """Hold a document that came from a process to one that was read here: all of it, not what a comparison looks at."""
    assert found == wanted
    assert (found.notes, found.aside, found.load_options) == (wanted.notes, wanted.aside, wanted.load_options)
    assert (found.origin is None, found.pages is None) == (wanted.origin is None, wanted.pages is None)
    for one, other in ((found.origin, wanted.origin), (found.pages, wanted.pages)):
        for name, value in vars(other).items() if other else ():
            if not name.startswith("_"):
                np.testing.assert_array_equal(getattr(one, name), value)


@pytest.mark.parametrize("path", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_document_is_the_same_wherever_it_is_read(path: Path) -> None:
    data = path.read_bytes()
    same(isolated.load(data, path.name), loading.load(data, path.name))


def test_a_text_is_the_same_wherever_it_is_read() -> None:
    text = "# Tides\n\nBoats wait \ud800.\r\nWhy?"
    same(isolated.from_text(text, "a.md"), loading.from_text(text, "a.md"))
    same(isolated.from_text(text, "a.txt", "text", "de"), loading.from_text(text, "a.txt", "text", "de"))


def test_a_page_is_read_again_from_its_source() -> None:
    page = loading.load(
        b"<html><body><nav>Home</nav><article><p>Boats wait. Tides rise.</p></article></body>", "a.html"
    )
    params = LoadParameters(content="main")
    same(isolated.reload(page, params), loading.reload(page, params))


def test_what_a_parser_says_is_said_of_the_process_too() -> None:
    with pytest.raises(ChunkscopeError, match="is empty"):
        isolated.load(b"", "a.pdf")
    with pytest.raises(ChunkscopeError, match="not a text format"):
        isolated.from_text("x", format="pdf")


def test_a_document_that_takes_for_ever_meets_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    run = isolation.run
    endless: isolation.Call[bytes] = isolation.Call(bad_functions.never_ends, (b"",))
    monkeypatch.setattr(isolation, "run", lambda _, *limits: run(endless, *limits))
    with pytest.raises(LimitError, match="“a.md” took longer to read than 1 seconds of the processor"):
        isolated.load(b"a", "a.md", limits=Limits(cpu=1))


BROKEN = Parsed("text", (Block("paragraph", 0, 99),))


@pytest.mark.parametrize("answer", [b"", b"x" * 40, codec.encode({"text": "text"}), codec.encode(BROKEN)])
def test_an_answer_that_is_no_document_is_refused(monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    monkeypatch.setattr(calls, "_execute", lambda *_: answer)
    with pytest.raises(ChunkscopeError, match="“a.md” cannot be read"):
        isolated.load(b"a", "a.md")


def picture(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">IIB", width, height, 8) + bytes(20)


@pytest.mark.parametrize(
    ("answer", "good"),
    [
        (picture(600, 800), True),
        (picture(2**31, 2**31), False),
        (picture(0, 800), False),
        (b"<svg onload='x'/>" + bytes(40), False),
        (picture(600, 800)[:20], False),
    ],
)
def test_a_page_is_a_picture_or_an_error(monkeypatch: pytest.MonkeyPatch, answer: bytes, good: bool) -> None:
    monkeypatch.setattr(isolation, "run", lambda *_: answer)
    if good:
        assert isolated.render(b"", 0, 600) == answer
    else:
        with pytest.raises(ChunkscopeError, match="page 1"):
            isolated.render(b"", 0, 600)


def test_a_process_that_was_not_ready_reads_the_same() -> None:
    before = calls._WARM.modules
    isolation.keep_warm([])
    try:
        text = "Boote warten auf die Flut. Warum warten sie?\n" * 5  # in a language that a model detects
        same(isolated.from_text(text, "a.md"), loading.from_text(text, "a.md"))
    finally:
        isolation.keep_warm(before)
