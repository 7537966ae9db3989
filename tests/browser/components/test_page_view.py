"""What only a browser shows of the page view: the picture, what is drawn on it, and how one leafs through it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Page, expect

from chunking.chunks import Chunk, Cut
from chunking.sentences import from_units, gap_offsets
from pages.shared.components.document_store import document_store
from pages.shared.components.page_view import PageContent, on_page, page_event, page_marks, page_view
from tests.browser.components.conftest import ComponentPage
from tests.browser.conftest import Visit
from tests.browser.server import standing, uploader
from tests.loading.binary.pdf.making import OTHER, PROSE, Pen, drawn
from tests.pages.components.test_page_view import printed

HOSTILE = "<img src=x onerror='window.hacked=1'>"
SENTENCES = from_units([f"Sentence number {number} has a few words to fill two lines." for number in range(24)])
TEXT = SENTENCES.document.text
LAYOUT = printed(TEXT, lines=12, columns=2)
SIZE = (float(LAYOUT.sizes[0, 0]), float(LAYOUT.sizes[0, 1]))


def chunks() -> list[Chunk]:
    """Chunks of three sentences, cut for hostile reasons."""
    offsets, gaps = gap_offsets(SENTENCES).tolist(), list(range(2, 23, 3))
    cuts = [Cut(offsets[gap], "pattern", "both" if gap % 2 else "semantic", gap, detail=HOSTILE) for gap in gaps]
    edges = [0, *(cut.offset for cut in cuts), len(TEXT)]
    return [
        Chunk(index, start, end, TEXT[start:end], 40 + index, None, 0, 40 + index, (), cut)
        for index, ((start, end), cut) in enumerate(zip(pairwise(edges), [None, *cuts], strict=True))
    ]


@cache
def picture(page: int) -> bytes:
    """A page as PNG, with a box for each word."""
    image = Image.new("RGB", (int(2 * SIZE[0]), int(2 * SIZE[1])), "white")
    for box in LAYOUT.boxes[LAYOUT.page == page]:
        ImageDraw.Draw(image).rectangle([float(2 * edge) for edge in box], fill=(40 * page, 60, 60))
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


@dataclass
class PageScript:
    """Draws a page of a document, and answers what the user does with it."""

    page: int = 0
    gap: int | None = None
    has_cuts: bool = True

    def __call__(self) -> str:
        document_store("doc", TEXT, SENTENCES.spans)
        shown = chunks() if self.has_cuts else chunks()[:1]
        lines, cuts = on_page(self.page, LAYOUT, SENTENCES, shown)
        content = PageContent(
            page=self.page,
            pages=len(LAYOUT),
            image=picture(self.page),
            size=SIZE,
            lines=lines,
            cuts=cuts,
            asides=((f"running head {HOSTILE}", (36.0, 8.0, 120.0, 18.0)),),
            marks=page_marks(LAYOUT, shown),
        )
        page_view("view", "doc", content, selected=self.gap, height="500px", on_event=self.take)
        return f"page {self.page + 1} gap {self.gap}"

    def take(self) -> None:
        event = page_event("view", "doc")
        if event.page is not None:
            self.page = event.page
        if event.gap is not None or event.cleared:
            self.gap = event.gap


Open = Callable[..., PageScript]


@pytest.fixture
def page(components: ComponentPage) -> Page:
    return components.page


@pytest.fixture
def view(components: ComponentPage) -> Open:
    """Opens the first page and waits until it is painted."""

    def go(scheme: str = "light", width: int = 1200) -> PageScript:
        script = PageScript()
        components.open(script, scheme, width, 800)
        shows(components.page, 1)
        components.page.evaluate(
            """() => { window.heard = [];
            for (const type of ["chunkscope:hover-gap", "chunkscope:select-gap"])
                window.addEventListener(type, (event) => window.heard.push([type, event.detail.gap])); }"""
        )
        return script

    return go


def announced(page: Page, kind: str, gap: int | None) -> None:
    page.wait_for_function(
        "([type, gap]) => window.heard.some((one) => one[0] === type && one[1] === gap)",
        arg=[f"chunkscope:{kind}-gap", gap],
    )


def announce(page: Page, kind: str, gap: int | None) -> None:
    page.evaluate(
        "([type, gap]) => window.dispatchEvent(new CustomEvent(type, {detail: {document: 'doc', gap, source: null}}))",
        [f"chunkscope:{kind}-gap", gap],
    )


def at(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where on the screen a point of the paper is."""
    box = standing(page.locator(".cs-paper"))
    scale = box["width"] / (2 * 36 + 60 * 6 + 24)
    return box["x"] + x * scale, box["y"] + y * scale


def loads(page: Page, url: str | None) -> bool:
    """Whether there is a picture behind a URL."""
    found: bool = page.evaluate(
        """url => new Promise((tell) => {
            const image = new Image();
            image.onload = () => tell(true);
            image.onerror = () => tell(false);
            image.src = url;
        })""",
        url,
    )
    return found


def said(page: Page, words: str) -> None:
    expect(page.locator("output")).to_have_text(words)


def shows(page: Page, number: int) -> None:
    """Wait until a page (from 1) is the one that is painted, and nothing more is on its way."""
    expect(page.locator(".cs-page")).to_have_attribute("data-cs-page", str(number - 1))
    expect(page.locator(".cs-page .cs-stage")).to_have_attribute("aria-busy", "false")
    expect(page.get_by_label("Page number")).to_have_value(str(number))
    expect(page.locator(".cs-mini[aria-current]")).to_have_text(str(number))


def test_the_whole_page_is_seen_with_its_boundaries(view: Open, page: Page) -> None:
    view()
    stage, paper = standing(page.locator(".cs-stage")), standing(page.locator(".cs-paper"))
    assert stage["height"] == 500
    assert paper["y"] >= stage["y"] and paper["y"] + paper["height"] <= stage["y"] + stage["height"]
    assert paper["width"] / paper["height"] == pytest.approx((72 + 60 * 6 + 24) / (72 + 12 * 12), rel=0.01)
    picture = page.locator(".cs-picture")
    assert picture.evaluate("image => image.complete && image.naturalWidth === 912 && image.src.startsWith('blob:')")
    cuts = page.locator(".cs-cut").count()
    assert (
        cuts
        == page.locator(".cs-label").count()
        == page.locator(".cs-mini")
        .first.locator(".cs-tick")
        .evaluate_all("ticks => ticks.reduce((count, tick) => count + tick.getAttribute('d').split('M').length - 1, 0)")
    )
    expect(page.locator(".cs-facts")).to_have_text(f"{cuts} boundaries · chunks #1–#{cuts + 1}")
    expect(page.get_by_role("region", name=f"Page 1 of 3 with {cuts} boundaries")).to_be_visible()
    terms = page.locator(".cs-legend [data-term]").evaluate_all("all => all.map(({ dataset }) => dataset.term)")
    assert terms == ["semantic distance", "excluded"]
    tints = page.locator(".cs-tint").evaluate_all("paths => paths.map((path) => getComputedStyle(path).fill)")
    assert len(tints) == cuts + 1
    assert all(one != other for one, other in pairwise(tints))


def test_fit_width_fills_the_frame_and_back(view: Open, page: Page) -> None:
    view(width=1800)
    wide = page.get_by_role("button", name="Fit width")
    before = standing(page.locator(".cs-paper"))
    wide.click()
    expect(wide).to_have_attribute("aria-pressed", "true")
    after, stage = standing(page.locator(".cs-paper")), standing(page.locator(".cs-stage"))
    assert before["width"] < after["width"] < stage["width"]
    wide.click()
    expect(wide).to_have_attribute("aria-pressed", "false")
    assert standing(page.locator(".cs-paper")) == before


def test_pointing_at_a_sentence_announces_its_gap_and_a_click_chooses_it(view: Open, page: Page) -> None:
    view()
    # "Sentence number 1 has a few" / "words to fill two lines." stand 3 lines below the top of the first column.
    page.mouse.move(*at(page, 60, 36 + 3 * 12 + 5))
    announced(page, "hover", 0)
    expect(page.locator(".cs-mark.cs-hover .cs-words")).to_have_count(1)
    page.mouse.move(*at(page, 150, 36 + 4 * 12 + 5))
    announced(page, "hover", 1)
    page.mouse.click(*at(page, 150, 36 + 4 * 12 + 5))
    announced(page, "select", 1)
    said(page, "page 1 gap 1")
    expect(page.locator(".cs-mark.cs-selected .cs-words")).to_have_count(1)
    page.mouse.move(5, 5)
    announced(page, "hover", None)
    expect(page.locator(".cs-mark.cs-hover .cs-words")).to_have_count(0)
    page.locator(".cs-stage").press("Escape")
    said(page, "page 1 gap None")


def test_what_others_point_at_and_choose_is_shown_where_it_stands(view: Open, page: Page) -> None:
    view()
    announce(page, "hover", 2)
    expect(page.locator(".cs-mark.cs-hover .cs-caret")).to_have_count(1)
    expect(page.locator(".cs-label.cs-hover > b")).to_have_text("#2")
    announce(page, "hover", 20)
    expect(page.locator(".cs-mark.cs-hover *")).to_have_count(0)
    announce(page, "select", 2)
    expect(page.locator(".cs-label.cs-selected")).to_have_count(1)


def test_a_label_says_why_and_chooses_its_gap_by_keyboard(view: Open, page: Page) -> None:
    view()
    label = page.locator(".cs-label").first
    label.focus()
    expect(label.locator(".cs-why")).to_be_visible()
    expect(label.locator(".cs-why")).to_contain_text("semantic · gap 3 · 41 tokens")
    announced(page, "hover", 2)
    label.press("Enter")
    said(page, "page 1 gap 2")
    expect(page.locator(".cs-label:focus")).to_have_count(1)


def test_leafing_by_buttons_keys_number_and_strip(view: Open, page: Page) -> None:
    view()
    first = page.locator(".cs-picture").get_attribute("src")
    page.get_by_role("button", name="Next page").click()
    shows(page, 2)
    said(page, "page 2 gap None")
    assert page.locator(".cs-picture").get_attribute("src") != first
    assert not loads(page, first), "the picture before is kept"
    assert loads(page, page.locator(".cs-picture").get_attribute("src"))
    page.locator(".cs-stage").press("PageDown")
    shows(page, 3)
    expect(page.get_by_role("button", name="Next page")).to_be_disabled()
    page.locator(".cs-stage").press("PageDown")
    shows(page, 3)
    page.locator(".cs-stage").press("ArrowLeft")
    shows(page, 2)
    page.get_by_label("Page number").fill("999")
    page.get_by_label("Page number").press("Enter")
    shows(page, 3)
    page.get_by_label("Page number").fill("one")
    page.get_by_label("Page number").press("Enter")
    shows(page, 3)
    page.get_by_role("button", name="Page 1:").click()
    shows(page, 1)
    page.locator(".cs-mini[aria-current]").press("ArrowDown")
    shows(page, 2)
    expect(page.locator(".cs-mini:focus")).to_have_text("2")


def test_the_page_before_stays_until_the_next_is_there(view: Open, page: Page) -> None:
    view()
    busy = page.evaluate(
        """() => {
            const find = (name, root = document) => root.querySelector(name)
                ?? [...root.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot && find(name, shadowRoot))
                    .find(Boolean);
            const before = find(".cs-picture").src;
            find("[aria-label='Next page']").click();
            const stage = find(".cs-stage");
            return [find(".cs-picture").src === before, stage.ariaBusy, stage.classList.contains("cs-waiting")];
        }"""
    )
    assert busy == [True, "true", True]
    shows(page, 2)
    expect(page.locator(".cs-waiting")).to_have_count(0)


def test_a_choice_is_there_again_when_its_page_is(view: Open, page: Page) -> None:
    view()
    page.locator(".cs-label").first.click()
    said(page, "page 1 gap 2")
    page.locator(".cs-stage").press("PageDown")
    shows(page, 2)
    expect(page.locator(".cs-mark.cs-selected *")).to_have_count(0)
    page.locator(".cs-stage").press("PageUp")
    shows(page, 1)
    expect(page.locator(".cs-mark.cs-selected .cs-words")).to_have_count(1)
    expect(page.locator(".cs-label.cs-selected")).to_have_count(1)


def test_keys_pressed_in_a_row_lead_to_the_last_page_asked_for(view: Open, page: Page) -> None:
    view()
    for key in ("PageDown", "PageDown", "PageUp", "End", "Home", "End"):
        page.locator(".cs-stage").press(key)
    shows(page, 3)
    said(page, "page 3 gap None")


def test_another_setting_redraws_the_page_and_keeps_the_picture(
    view: Open, page: Page, components: ComponentPage
) -> None:
    script = view()
    picture = page.locator(".cs-picture").element_handle()
    script.has_cuts = False
    components.run()
    expect(page.locator(".cs-cut")).to_have_count(0)
    expect(page.locator(".cs-tick")).to_have_count(0)
    assert page.evaluate("image => image.isConnected", picture)


def test_text_is_never_markup(view: Open, page: Page) -> None:
    view()
    expect(page.locator(".cs-aside title")).to_have_text(
        "excluded from chunks: running head <img src=x onerror='window.hacked=1'>"
    )
    page.locator(".cs-label").first.hover()
    expect(page.locator(".cs-label .cs-why b").first).to_contain_text("<img src=x onerror")
    assert page.locator(".cs-page img").count() == 1
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_drawn_on_paper_has_the_colours_for_paper(view: Open, page: Page, scheme: str) -> None:
    view(scheme)
    stroke = page.locator(".cs-cut[data-driver='both']").first.evaluate("cut => getComputedStyle(cut).stroke")
    assert stroke == "rgb(106, 63, 196)"
    expect(page.locator(".cs-page")).to_have_attribute("data-cs-theme", scheme)


_ABOVE = """() => {
    const inside = selector => {
        for (const host of document.querySelectorAll('*')) {
            const found = (host.shadowRoot ?? document).querySelector(selector);
            if (found) return found.getBoundingClientRect();
        }
    };
    return inside('.cs-rail').bottom <= inside('.cs-stage').top;
}"""


def test_a_narrow_frame_shows_the_strip_above_the_page(view: Open, page: Page) -> None:
    view(width=480)
    # One look at both boxes, once they stand: fonts that arrive late move them.
    page.wait_for_function(_ABOVE)
    stage, paper = standing(page.locator(".cs-stage")), standing(page.locator(".cs-paper"))
    assert stage["height"] == 500
    assert paper["width"] > 0.6 * stage["width"]
    assert page.locator(".cs-main").evaluate("main => main.scrollWidth <= main.clientWidth")


def test_a_pdf_is_leafed_through_and_a_gap_selected_in_the_app(visit: Visit, tmp_path: Path) -> None:
    path = tmp_path / "harbour.pdf"
    path.write_bytes(drawn(*[lambda canvas: Pen(canvas).text(PROSE).text(OTHER)] * 3))
    page = visit("/?encoder=char-ngrams&splitter=rules&percentile=60")
    uploader(page).set_input_files(path)
    shows(page, 1)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Next page").click()
    shows(page, 2)
    label = page.locator(".cs-label[data-gap]").first
    gap = int(label.get_attribute("data-gap") or 0)
    label.click()
    expect(page).to_have_url(re.compile(rf"gap={gap + 1}\b"))
    expect(page.locator(".wb-panel h2")).to_contain_text("Start of chunk")
    shows(page, 2)
    expect(page.locator(".cs-label.cs-selected")).to_have_count(1)
