"""Which pages of a file are sent, and what the address says of them."""

from __future__ import annotations

import numpy as np
import pytest

from chunking.document import Document
from chunking.document.pages import Pages
from pages.shared import state
from pages.shared.inspect import pdf_pages
from pages.shared.inspect.pdf_pages import PdfPages

TEN = 10


@pytest.fixture
def pages() -> PdfPages:
    """Ten pages with a word of nine characters and a space each."""
    number = np.arange(TEN, dtype=np.int64)
    printed = Pages(
        np.full((TEN, 2), 500, dtype=np.float32),
        10 * number,
        np.stack([10 * number, 10 * number + 9], axis=1),
        number,
        number,
        np.tile(np.array([[10, 20, 90, 32]], dtype=np.float32), (TEN, 1)),
    )
    document = Document("".join(f"word-{page:04} " for page in range(TEN)), (), "a.pdf", "pdf", "en")
    return PdfPages(document, printed, b"%PDF")


@pytest.fixture(autouse=True)
def address(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the address says, and what the browser wants."""
    held: dict[str, str] = {}
    wanted: list[object] = [None]

    class Address:
        def put(self, name: str, text: str | None) -> None:
            held.pop(name, None)
            held.update({name: text} if text else {})

        def text(self, name: str) -> str:
            return held.get(name, "")

    monkeypatch.setattr(state, "address", Address)
    monkeypatch.setattr(pdf_pages._WANTED, "set", lambda value: wanted.__setitem__(0, value))
    monkeypatch.setattr(pdf_pages._WANTED, "get", lambda: wanted[0])
    return held


def test_while_the_text_is_shown_no_page_is_sent(pages: PdfPages) -> None:
    assert pages.shown_page is None and pages.pictured(25) == []
    assert pages.messages([]) == {}


def test_pages_in_view_come_with_those_beside_them(pages: PdfPages, address: dict[str, str]) -> None:
    pages.take((3, 4))
    assert pages.pictured(None) == [2, 3, 4, 5]
    assert address["page"] == f"4@{pages.document.key[:4]}" and pages.shown_page == 3
    pages.take((0, 0))
    assert pages.pictured(None) == [0, 1]
    pages.take((9, 9))
    assert pages.pictured(None) == [8, 9]
    pages.take(None)
    assert pages.pictured(None) == [] and "page" not in address


def test_before_anything_is_known_the_page_of_the_chosen_place_comes(pages: PdfPages, address: dict[str, str]) -> None:
    pages.take(())
    assert pages.pictured(55) == [4, 5, 6] and "page" not in address
    assert pages.pictured(None) == [0, 1]


def test_a_link_names_a_page_and_a_browser_that_asks_for_pages_keeps_it(
    pages: PdfPages, address: dict[str, str]
) -> None:
    address["page"] = f"7@{pages.document.key[:4]}"
    assert pages.shown_page == 6 and pages.pictured(None) == [5, 6, 7]
    pages.take(())
    assert pages.pictured(5) == [5, 6, 7]


@pytest.mark.parametrize("text", ["0", "11", "x", "-1", "3@ffff", "", "999999"])
def test_a_page_that_there_is_not_is_none(pages: PdfPages, address: dict[str, str], text: str) -> None:
    address["page"] = text
    assert pages.shown_page is None and pages.pictured(None) == []


def test_no_browser_asks_for_more_pictures_than_a_few(pages: PdfPages, address: dict[str, str]) -> None:
    pages.take((0, 9))
    assert pages.pictured(None) == list(range(8))
    pages.take((400, 900))
    assert pages.pictured(None) == [] and "page" not in address
