"""The text as its reader sees it: real elements, the same gaps, and every shown character of the document."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from chunking import samples
from chunking.document import Document
from chunking.loading import load
from chunking.rendering import render
from chunking.workspace import Tools, Workspace
from tests.browser.components.conftest import ComponentPage
from tests.browser.components.reader_script import ReaderScript

GUIDE = "field-guide-to-backups"


def reader(page: Page) -> Locator:
    return page.locator(".cs-reader")


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.fixture
def page(components: ComponentPage) -> Page:
    return components.page


@pytest.fixture
def guide(components: ComponentPage) -> Document:
    """A document that is open, as its reader sees it."""
    sample = samples.load(GUIDE)
    components.open(ReaderScript(Workspace(sample.document, precomputed=sample.precomputed), 70))
    return sample.document


def test_all_that_a_reader_sees_is_shown_in_order(guide: Document, page: Page) -> None:
    expect(reader(page).locator(".cs-empty")).to_have_count(0)
    bodies = reader(page).locator(".cs-body").all_text_contents()
    assert squeezed("".join(bodies)) == squeezed(render(guide).shown(guide.text))


@pytest.mark.usefixtures("guide")
def test_tables_lists_headings_and_code_are_elements(page: Page) -> None:
    expect(reader(page).get_by_role("table").first).to_be_attached()
    expect(reader(page).get_by_role("columnheader").first).to_be_attached()
    expect(reader(page).get_by_role("heading", level=2).first).to_have_text("A Field Guide to Backups")
    expect(reader(page).locator("ul ul, ul ol").first).to_be_attached()
    expect(reader(page).locator("pre code .cs-token-keyword, pre code .cs-token-comment").first).to_be_attached()
    assert "|---" not in "".join(reader(page).locator(".cs-body").all_text_contents())


def test_links_and_images_lead_nowhere_and_fetch_nothing(components: ComponentPage, page: Page) -> None:
    text = "# Tea\n\nSee [the pot](http://elsewhere.invalid/x). ![a pot](http://elsewhere.invalid/p.png) Done.\n"
    document = load(text.encode(), "links.md")
    components.open(ReaderScript(Workspace(document, Tools("char-ngrams", splitter="rules"))))
    expect(reader(page)).to_contain_text("See the pot.")
    link = reader(page).locator(".cs-link")
    expect(link).to_have_text("the pot")
    expect(link).to_have_attribute("title", "http://elsewhere.invalid/x")
    expect(reader(page).locator(".cs-image")).to_have_text("a pot")
    assert reader(page).locator("a, img").count() == 0
    # That no other host was asked is checked where the page is closed.
