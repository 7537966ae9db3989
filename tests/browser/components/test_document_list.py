"""What only a browser shows of the list of documents."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from chunking import samples
from pages.shared.components.document_list import Row, chosen_document, document_list
from tests.browser.components.conftest import ComponentPage
from tests.browser.conftest import Visit
from tests.browser.server import complete, drawn, standing

LIMIT = 256
PERCENTILE = 90
HOSTILE = "<b>bold</b> <img src=x onerror=window.hacked=1> **x** $a$ :red[y].html"
TITLES = {
    1: "minutes-of-the-harbour-board-with-all-annexes-and-the-corrections-made-after-the-second-reading-final.pdf",
    3: "دليل الصيانة السنوي للجسور والطرق.docx",
    4: HOSTILE,
    6: "מדריך למשתמש, מהדורה שנייה ומעודכנת עם תוספות ותיקונים רבים מאוד.pdf",
    7: "한국어 안내서 2판.md",
}


def made(number: int, change: int = 0) -> Row:
    """A document as the page shows it, the same at each call; `change` moves one of its distances."""
    key, title = f"key-{number}", TITLES.get(number, f"report {number}.{('pdf', 'md', 'docx')[number % 3]}")
    if number % 40 == 5:
        return Row(key, title, "PDF, 12 pages", "failed", "The file is encrypted; <i>remove</i> its password first.")
    if number % 40 in (10, 11):
        return Row(key, title, "DOCX", "waiting")
    random = np.random.default_rng(number)
    sentences = {9: 1, 20: 3000}.get(number, int(random.lognormal(4.2, 1.0)) + 8)
    score = np.clip(random.gamma(4, 0.06, sentences - 1), 0, 1)
    score[:: int(random.integers(7, 15))] += 0.25
    score[:1] += 0.05 * change
    threshold = float(np.percentile(score, PERCENTILE)) if len(score) else float("nan")
    cuts = np.flatnonzero(score > threshold)
    gold = np.unique(random.integers(0, len(score), len(cuts) + 2)) if number % 4 == 0 and len(score) else cuts[:0]
    lengths = random.integers(8, 42, sentences)
    sizes = np.add.reduceat(lengths, np.r_[0, cuts + 1])
    return Row(
        key,
        title,
        f"PDF, {sentences // 12 + 1} pages · en",
        "done",
        "2 pages hold no text" if number % 7 == 0 else "",
        sentences,
        len(sizes),
        len(cuts),
        (int(sizes.min()), int(np.median(sizes)), int(sizes.max())),
        score,
        threshold,
        cuts,
        gold,
        sizes,
        len(np.intersect1d(cuts, gold)) * 2 / (len(cuts) + len(gold)) if len(gold) else None,
    )


@dataclass
class ListScript:
    """Draws a list, and chooses the document that the user chose.

    Attributes:
        count: number of documents.
        chosen: key of the chosen document.
        limit: tokens of a chunk at most.
        change: of the first document.
        away: whether the list is not drawn.
    """

    count: int
    chosen: str | None = None
    limit: int | None = LIMIT
    change: int = 0
    away: bool = False

    def __call__(self) -> str:
        rows = [made(number, self.change if number == 0 else 0) for number in range(self.count)]
        if not self.away:
            document_list("list", rows, chosen=self.chosen, limit=self.limit, height="620px", on_event=self._take)
        return f"chosen: {self.chosen}"

    def _take(self) -> None:
        self.chosen = chosen_document("list")


@pytest.fixture
def page(components: ComponentPage) -> Page:
    return components.page


Open = Callable[..., ListScript]


@pytest.fixture
def opened(components: ComponentPage) -> Open:
    """Opens a list of so many documents."""

    def go(count: int = 12, scheme: str = "light", width: int = 1400, chosen: str | None = None) -> ListScript:
        script = ListScript(count, chosen)
        components.open(script, scheme, width)
        components.page.locator(".cs-row").first.wait_for()
        return script

    return go


def row(page: Page, number: int) -> Locator:
    """The row of the document that Python put at a place, from 0."""
    return page.locator(f".cs-row:has(> .cs-number:text-is('{number + 1}'))")


def order(page: Page) -> list[int]:
    """Which documents stand in the list, by their place in Python's order, from 0."""
    return [int(text) - 1 for text in page.locator(".cs-row:not([hidden]) > .cs-number").all_text_contents()]


def path(row: Locator, kind: str) -> list[list[float]]:
    """The numbers of each part of a path in the figures of a row."""
    description = row.locator(f"path.{kind}").get_attribute("d") or ""
    return [[float(number) for number in re.findall(r"[0-9.]+", part)] for part in description.split("M")[1:]]


def test_each_state_is_told_in_words_and_numbers(opened: Open, page: Page) -> None:
    opened(12)
    expect(page.locator(".cs-row")).to_have_count(12)
    expect(page.locator(".cs-count")).to_have_text("12 documents · 2 waiting · 1 failed")
    first = made(0)
    shown = row(page, 0)
    assert first.f1 is not None
    over = int((first.sizes > LIMIT).sum())
    assert over, "the sample has a chunk over the limit"
    expect(shown.locator(".cs-sentences")).to_have_text(str(first.sentences))
    expect(shown.locator(".cs-chunks")).to_have_text(str(first.chunks))
    expect(shown.locator(".cs-tokens")).to_have_text(" · ".join(map(str, first.tokens)) + f"{over} over {LIMIT}")
    expect(shown.locator(".cs-cuts")).to_have_text(f"{100 * first.boundaries / first.sentences:.1f}")
    expect(shown.locator(".cs-f1")).to_have_text(f"{first.f1:.2f}")
    expect(shown.locator(".cs-warning")).to_have_text("! 2 pages hold no text")
    expect(row(page, 5).locator(".cs-instead")).to_have_text(f"failed {made(5).problem}")
    expect(row(page, 10).locator(".cs-instead")).to_have_text("waiting")
    expect(row(page, 9).locator(".cs-figure")).to_have_text("no gap to cut")
    assert row(page, 5).locator("svg").count() == 0


def test_markup_in_titles_and_problems_is_only_text(opened: Open, page: Page) -> None:
    opened(12)
    title = row(page, 4).locator(".cs-title")
    expect(title).to_have_text(HOSTILE)
    assert title.get_attribute("title") == HOSTILE
    assert title.evaluate("node => node.children.length") == 0
    assert page.locator(".cs-docs img, .cs-docs a, .cs-instead i").count() == 0
    assert page.evaluate("window.hacked") is None


def test_a_click_reports_the_document(opened: Open, page: Page) -> None:
    opened(12)
    row(page, 3).locator(".cs-title").click()
    expect(page.get_by_text("chosen: key-3")).to_be_visible()
    expect(row(page, 3)).to_have_attribute("aria-selected", "true")
    row(page, 5).click()
    expect(page.get_by_text("chosen: key-5")).to_be_visible()
    expect(page.locator("[aria-selected=true]")).to_have_count(1)


WHOLE = """node => {
  const frame = node.closest('.cs-scroller').getBoundingClientRect();
  const head = node.closest('.cs-grid').firstChild.getBoundingClientRect();
  const own = node.getBoundingClientRect();
  return own.top >= head.bottom - 1 && own.bottom <= frame.bottom;
}"""


def test_keys_move_the_focus_and_enter_reports(opened: Open, page: Page) -> None:
    opened(30)
    page.locator(".cs-scale input").focus()
    for _ in range(5):  # the heads that order: sentences, chunks, tokens, cuts, F1
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(row(page, 0)).to_be_focused()
    for key, focused in (("ArrowUp", 0), ("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", 29), ("Home", 0)):
        page.keyboard.press(key)
        expect(row(page, focused)).to_be_focused()
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowDown")
    number = int(page.locator(".cs-row:focus > .cs-number").inner_text())
    assert number > 5
    expect(page.get_by_text("chosen: None")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"chosen: key-{number - 1}", exact=True)).to_be_visible()
    expect(row(page, number - 1)).to_be_focused()
    assert row(page, number - 1).evaluate(WHOLE)
    page.locator(".cs-scroller").evaluate("node => { node.scrollTop = 1000 }")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    assert row(page, 1).evaluate(WHOLE)
    page.locator(".cs-scroller").evaluate("node => { node.scrollTop = 1000 }")
    page.keyboard.press("ArrowDown")
    expect(row(page, 2)).to_be_focused()
    assert row(page, 2).evaluate(WHOLE)


ORDERS: dict[str, Callable[[Row], float | None]] = {
    "sentences": lambda row: row.sentences,
    "chunks": lambda row: row.chunks,
    "largest chunk": lambda row: row.tokens[2],
    "cuts per 100 sentences": lambda row: row.boundaries / row.sentences,
    "F1": lambda row: row.f1,
}


def expected(name: str, count: int, down: bool) -> list[int]:
    values = {number: ORDERS[name](row) for number, row in enumerate(map(made, range(count))) if row.state == "done"}
    known = {number: value for number, value in values.items() if value is not None}
    return sorted(known, key=lambda number: known[number], reverse=down) + [n for n in range(count) if n not in known]


def test_a_head_orders_the_rows_both_ways_and_what_has_no_value_stays_last(opened: Open, page: Page) -> None:
    opened(30)
    for name in ORDERS:
        head = page.get_by_title(f"Sort by {name}", exact=True)
        down = name != "F1"
        for way in (down, not down):
            head.click()
            assert order(page) == expected(name, 30, way), name
            assert head.locator("..").get_attribute("aria-sort") == ("descending" if way else "ascending")
        expect(page.locator("[aria-sort]")).to_have_count(1)
    page.get_by_title("Sort by number").click()
    assert order(page) == list(range(30))


def test_order_filter_scale_and_place_outlast_runs_and_absence(
    opened: Open, page: Page, components: ComponentPage
) -> None:
    script = opened(60)
    page.get_by_title("Sort by sentences").click()
    page.get_by_label("Filter by name").fill("REPORT")
    page.get_by_label("same scale").check()
    before = order(page)
    page.locator(".cs-scroller").evaluate("node => { node.scrollTop = 640 }")
    components.run()
    assert order(page) == before
    script.away = True
    components.run()
    expect(page.locator(".cs-row")).to_have_count(0)
    script.away = False
    components.run()
    expect(page.locator(".cs-row").first).to_be_attached()
    assert order(page) == before and len(before) < 60
    expect(page.get_by_label("same scale")).to_be_checked()
    assert page.locator(".cs-scroller").evaluate("node => node.scrollTop") == 640


def test_the_filter_is_there_for_more_than_ten(opened: Open, page: Page) -> None:
    opened(10)
    expect(page.get_by_label("Filter by name")).to_be_hidden()
    opened(11)
    field = page.get_by_label("Filter by name")
    field.fill("<B>bold")
    assert order(page) == [4]
    expect(page.locator(".cs-count")).to_contain_text("1 of 11 documents")
    field.fill("not there")
    assert order(page) == []
    expect(page.get_by_text("No document name matches.")).to_be_visible()
    field.fill("")
    assert order(page) == list(range(11))


def test_what_has_not_changed_is_not_drawn_again(opened: Open, page: Page, components: ComponentPage) -> None:
    script = opened(12)
    nodes = [row(page, number).element_handle() for number in (0, 1)]
    curves = [node.query_selector("svg") for node in nodes]
    script.change = 1
    components.run()
    assert all(node.evaluate("node => node.isConnected") for node in nodes)
    assert [curve is not None and curve.evaluate("node => node.isConnected") for curve in curves] == [False, True]


def test_figures_show_every_cut_and_gold_gap_and_every_chunk(opened: Open, page: Page) -> None:
    opened(12)
    given, shown = made(4), row(page, 4)
    for kind, gaps in (("cs-cut", given.cuts), ("cs-gold", given.gold)):
        assert len(gaps) > 2
        assert [part[0] for part in path(shown, kind)] == (gaps + 1).tolist()
    box = shown.locator(".cs-curve").evaluate("svg => svg.viewBox.baseVal.width")
    assert box == given.sentences
    assert len(path(shown, "cs-line")[0]) == 2 * len(given.score)
    over = path(shown, "cs-bars-over")
    assert [part[0] for part in over if part[1] == 54] == np.flatnonzero(given.sizes > LIMIT).tolist()
    assert not (made(9).sizes > LIMIT).any() and row(page, 9).locator(".cs-bars-over").count() == 0


def test_a_dense_curve_keeps_its_peaks_and_is_drawn_with_few_points(opened: Open, page: Page) -> None:
    opened(30)
    given = made(20)
    (line,) = path(row(page, 20), "cs-line")
    assert len(given.score) < len(line) < 2 * 4 * 800
    assert line[0::2][int(np.argmin(line[1::2]))] == given.score.argmax() + 1


def test_one_scale_makes_the_widths_those_of_the_documents(opened: Open, page: Page) -> None:
    opened(8)

    def shares() -> list[float]:
        widths = "rows => rows.map(svg => svg.getBoundingClientRect().width / svg.parentElement.clientWidth)"
        found: list[float] = page.locator(".cs-curve").evaluate_all(widths)
        return found

    sentences = [made(number).sentences for number in range(8) if made(number).state == "done"]
    assert shares() == pytest.approx([1.0] * len(sentences), abs=0.01)
    page.get_by_label("same scale").check()
    assert shares() == pytest.approx([each / max(sentences) for each in sentences], abs=0.01)


def test_without_a_limit_nothing_is_over_it(opened: Open, page: Page, components: ComponentPage) -> None:
    script = opened(12)
    legend = page.locator(".cs-bar")
    expect(legend).to_contain_text(f"over {LIMIT} tokens")
    script.limit = None
    components.run()
    expect(legend).not_to_contain_text("over")
    expect(row(page, 4).locator(".cs-tokens")).to_have_text(" · ".join(map(str, made(4).tokens)))
    script.limit = LIMIT
    components.run()
    expect(row(page, 4).locator(".cs-tokens")).to_contain_text(f"over {LIMIT}")


def test_a_list_that_is_new_begins_at_the_chosen_document(opened: Open, page: Page) -> None:
    opened(60, chosen="key-50")
    expect(row(page, 50)).to_have_attribute("aria-selected", "true")
    page.wait_for_function(WHOLE, arg=row(page, 50).element_handle())
    expect(row(page, 50)).to_have_attribute("tabindex", "0")


def test_the_pointer_is_told_gap_and_score(opened: Open, page: Page) -> None:
    opened(12)
    given = made(4)
    cut = int(given.cuts[1])
    box = standing(row(page, 4).locator(".cs-curve"))
    tip = page.locator(".cs-docs > .cs-tip")
    expect(tip).to_be_hidden()
    page.mouse.move(box["x"] + (cut + 1) / given.sentences * box["width"], box["y"] + 44)
    expect(tip).to_contain_text(f"gap {cut + 1} of {len(given.score)}cut")
    expect(tip).to_contain_text(f"fused {given.score[cut]:.3f} > {given.threshold:.3f} threshold")
    low = int(given.score.argmin())
    page.mouse.move(box["x"] + (low + 1) / given.sentences * box["width"], box["y"] + 20)
    expect(tip).to_contain_text(f"fused {given.score[low]:.3f} ≤ {given.threshold:.3f} threshold")
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()


@pytest.mark.parametrize("width", [600, 900, 1400])
def test_nothing_is_wider_than_its_place(opened: Open, page: Page, width: int) -> None:
    opened(12, width=width)
    standing(page.locator(".cs-scroller"))
    assert page.locator(".cs-scroller").evaluate("node => node.scrollWidth <= node.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    inside = """list => [...list.children].every(row => [...row.children].every(cell =>
      !cell.clientHeight || cell.getBoundingClientRect().bottom <= row.getBoundingClientRect().bottom + 0.5))"""
    assert page.locator(".cs-list").evaluate(inside)


CONTRAST = """node => {
  const brush = new OffscreenCanvas(1, 1).getContext("2d");
  const light = color => {
    brush.fillStyle = color;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...brush.getImageData(0, 0, 1, 1).data].map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = getComputedStyle(node.closest(".cs-scroller")).backgroundColor;
  const [low, high] = [light(getComputedStyle(node).color), light(behind)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read(opened: Open, page: Page, scheme: str) -> None:
    opened(12, scheme=scheme)
    for selector in (".cs-about", ".cs-warning", ".cs-failed", "small.cs-over", ".cs-sort", ".cs-number"):
        assert page.locator(f".cs-scroller {selector}").first.evaluate(CONTRAST) >= 4.5, selector


def test_a_document_chosen_on_the_collection_page_opens(visit: Visit) -> None:
    names = samples.names()
    page = visit("/collection", ready=complete)
    expect(page.locator(".cs-row")).to_have_count(len(names))
    row(page, 3).locator(".cs-title").click()
    page.wait_for_url(f"**/?doc={names[3]}*")
    drawn(page)
