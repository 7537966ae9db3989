"""The chunk reader keeps its place and shows its text, also where the browser is busy."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from chunking import samples
from chunking.workspace import Workspace
from tests.browser.components.conftest import ComponentPage
from tests.browser.components.reader_script import ReaderScript

SAMPLE = "field-guide-to-backups"
"""A document of many screens."""

WIDTH = 700
"""Of the page: the text is about as wide as on Inspect."""

# A browser that is so busy that it neither has idle time nor says what came into view.
NEVER_IDLE = "window.requestIdleCallback = (run, options) => options?.timeout ? setTimeout(run, options.timeout) : 0;"
NEVER_FILLED = """
const idle = window.requestIdleCallback.bind(window);
window.requestIdleCallback = (run, options) => options?.timeout === 300 ? 0 : idle(run, options); // others' go on
const Seeing = window.IntersectionObserver;
window.IntersectionObserver = class extends Seeing {
  constructor(tell, options) { super(options?.root?.matches?.(".cs-scroller") ? () => {} : tell, options); }
};
"""

_FIRST = """scroller => {
  const {top} = scroller.getBoundingClientRect();
  const pieces = [...scroller.querySelectorAll(".cs-s")];
  const first = pieces.find((piece) => piece.getBoundingClientRect().bottom > top + 1);
  return first ? {text: first.textContent, below: first.getBoundingClientRect().top - top} : null;
}"""


def scroller(page: Page) -> Locator:
    return page.locator(".cs-reader .cs-scroller")


def first_sentence(page: Page) -> dict[str, Any]:
    """The first sentence in view, and how far below the top of the view it begins (pixels)."""
    found: dict[str, Any] | None = scroller(page).evaluate(_FIRST)
    assert found is not None, "no sentence is built in view"
    return found


_AT_REST = """async node => {
  for (let still = 0, last = ""; still < 15; ) {
    await new Promise(requestAnimationFrame);
    const now = `${node.scrollTop} ${node.scrollHeight}`;
    still = now === last ? still + 1 : 0;
    last = now;
  }
}"""


def rest(page: Page) -> None:
    """Wait until the text has stood still for longer than the reader keeps a place, which is twelve frames."""
    scroller(page).evaluate(_AT_REST)


@pytest.fixture
def page(components: ComponentPage) -> Page:
    return components.page


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    sample = samples.load(SAMPLE)
    return Workspace(sample.document, precomputed=sample.precomputed)


def open_text(components: ComponentPage, workspace: Workspace, percentile: float, before: str = "") -> ReaderScript:
    """Open the document in a browser that a script may have made busy."""
    script = ReaderScript(workspace, percentile)
    components.open(script, width=WIDTH, before=before)
    expect(components.page.locator(".cs-reader .cs-chunk").nth(20)).to_be_attached()
    return script


def scroll_to_middle(page: Page) -> None:
    scroller(page).evaluate("node => node.scrollTo(0, node.scrollHeight / 2)")
    rest(page)


def test_a_place_in_text_that_is_not_built_yet_is_kept(
    components: ComponentPage, page: Page, workspace: Workspace
) -> None:
    script = open_text(components, workspace, 60, NEVER_FILLED)
    scroll_to_middle(page)
    assert scroller(page).evaluate(_FIRST) is None
    index: int = scroller(page).evaluate(
        """scroller => {
          const {top} = scroller.getBoundingClientRect();
          const boxes = [...scroller.querySelectorAll(".cs-chunk")];
          return boxes.findIndex((box) => box.getBoundingClientRect().bottom > top);
        }"""
    )
    in_view = "".join(chunk.text for chunk in script.chunks[index : index + 2])
    share = index / len(script.chunks)
    script.percentile = 97
    components.run()
    rest(page)
    assert first_sentence(page)["text"] in in_view
    reached = scroller(page).evaluate("node => node.scrollTop / node.scrollHeight")
    assert reached == pytest.approx(share, abs=0.15)


def test_a_place_that_was_reached_is_let_go(components: ComponentPage, page: Page, workspace: Workspace) -> None:
    components.open(ReaderScript(workspace, 60, gap=59), width=WIDTH)
    expect(page.locator(".cs-reader .cs-selected-left")).to_be_visible()
    expect(page.locator(".cs-reader .cs-empty")).to_have_count(0)
    rest(page)
    # Not by wheel or key: a browser's own search scrolls like this, and the reader must not pull the text back.
    scroller(page).evaluate("node => node.scrollTo(0, node.scrollHeight)")
    rest(page)
    expect(page.locator(".cs-reader .cs-selected-left")).not_to_be_in_viewport()
    at_end = scroller(page).evaluate("node => 1 - (node.scrollTop + node.clientHeight) / node.scrollHeight")
    assert at_end < 0.1  # what has not been laid out yet may be higher than estimated


def test_all_text_is_built_where_the_browser_never_has_time(
    components: ComponentPage, page: Page, workspace: Workspace
) -> None:
    open_text(components, workspace, 60, NEVER_IDLE)
    expect(page.locator(".cs-reader .cs-empty")).to_have_count(0)


def test_chunks_stay_in_order_in_few_stretches(components: ComponentPage, page: Page, workspace: Workspace) -> None:
    script = open_text(components, workspace, 80)
    for percentile in (50, 99.9, 90):
        script.percentile = percentile
        components.run()
        expect(page.locator(".cs-reader .cs-chunk")).to_have_count(len(script.chunks))
        expect(page.locator(".cs-reader .cs-empty")).to_have_count(0)
        numbers = page.locator(".cs-reader .cs-chunk .cs-title b").all_text_contents()
        assert numbers == [f"#{number}" for number in range(1, len(numbers) + 1)]
        assert page.locator(".cs-reader .cs-stretch:empty").count() == 0
        assert page.locator(".cs-reader .cs-stretch").count() <= min(400, len(numbers))
