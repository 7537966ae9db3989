"""What only a browser shows of the Library page: rows that are ticked, a new set that is typed, the download."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from chunking import load
from chunking.store import Library, NewDocument, open_storage
from chunking.store.sets import DocumentSets
from tests.browser.conftest import Visit
from tests.browser.server import answered, complete, settled
from tests.browser.test_accessibility import findings, findings_in_both_themes

_OVERFLOW = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  return Math.max(main.scrollWidth - main.clientWidth, document.scrollingElement.scrollWidth - innerWidth);
}"""
HOSTILE = "**notes** <img src=x onerror=window.hacked=1>.md"


@pytest.fixture
def shelf() -> Iterator[Library]:
    """The library of the server, with three documents."""
    library = Library(open_storage())
    for name in ("tea.md", "bread.md", HOSTILE):
        data = f"# {name}\n\nBoil water. Wait.\n\n# Then\n\nKnead the dough. Let it rise.\n".encode()
        library.add(NewDocument(data, load(data, name)))
    yield library
    library.storage.database.engine.dispose()


def tick(page: Page, row: int) -> None:
    """Click the box at the beginning of a row of the table; they are drawn on a canvas."""
    box = page.locator("[data-testid='stDataFrame'] canvas").first.bounding_box()
    assert box is not None
    with answered(page):
        page.mouse.click(box["x"] + 18, box["y"] + 35 + 17 + 35 * row)


def opened(visit: Visit) -> Page:
    return visit("/library?order=name", ready=complete)


def test_a_ticked_document_goes_into_a_new_set(visit: Visit, shelf: Library) -> None:
    page = opened(visit)
    expect(page.get_by_text("No document is selected.")).to_be_visible()
    tick(page, 1)  # after the hostile name
    expect(page.get_by_label("Name", exact=True)).to_have_value("bread.md")
    choice = page.get_by_role("combobox", name="Set of documents").last
    choice.fill("Kitchen **board**")
    choice.press("Enter")
    with answered(page):
        page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("button", name="Remove from Kitchen **board**")).to_be_visible()
    assert [len(each.documents) for each in DocumentSets(shelf).list()] == [1]


@pytest.mark.usefixtures("shelf")
def test_what_is_selected_stays_selected_and_its_name_is_only_text(visit: Visit) -> None:
    page = opened(visit)
    tick(page, 0)
    expect(page.get_by_label("Name", exact=True)).to_have_value(HOSTILE)
    with answered(page):
        page.get_by_text("Public", exact=True).click()
    expect(page.get_by_text("Whoever has the link can read it now.")).to_be_visible()
    expect(page.get_by_text("doc=public:")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value(HOSTILE)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src='x']").count() == 0


def test_the_archive_is_sent_from_the_disk(visit: Visit, shelf: Library, server: str, tmp_path: Path) -> None:
    page = visit("/library?part=Archive", ready=settled)
    page.get_by_role("button", name="Prepare the archive").click()
    link = page.get_by_role("link", name="Download chunkscope-library-")
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename.startswith("chunkscope-library-")
    download.value.save_as(tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert archive.testzip() is None
        assert {f"files/{each.content}" for each in shelf.own()} <= set(archive.namelist())
    assert page.request.get(f"{server}/archive/guessed").status == 404


@pytest.mark.usefixtures("shelf")
def test_the_page_fits_and_everybody_can_read_it(visit: Visit) -> None:
    page = opened(visit)
    tick(page, 0)
    expect(page.get_by_role("button", name="Open in Inspect")).to_be_visible()
    assert findings_in_both_themes(page) == {"light": [], "dark": []}
    page.set_viewport_size({"width": 390, "height": 900})
    settled(page)
    page.wait_for_function(f"() => ({_OVERFLOW})() <= 1")
    assert findings(page) == []
