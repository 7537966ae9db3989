"""What only a browser shows of the Inspect page: the workbench beside the server."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, WebSocket, expect

from chunking import DocumentAnalysis, samples, strategies
from tests.browser.conftest import Visit
from tests.browser.server import answered, choose, drawn, settled, standing, uploader
from tests.loading.binary.pdf.making import Pen
from tests.loading.binary.pdf.making import drawn as printed


def thumb(page: Page, label: str) -> Locator:
    return page.get_by_role("slider", name=label)


def panel(page: Page) -> Locator:
    return page.locator(".wb-panel")


def pane(page: Page) -> Locator:
    return page.locator(".wb-pane")


def expect_chunks(page: Page, setting: str, sample: str) -> None:
    """Wait until text, verdict and labels all show the chunks of a setting on a sample."""
    opened = samples.load(sample)
    made = strategies.parse(setting).run(DocumentAnalysis(opened.document))
    expect(pane(page)).to_have_attribute("data-chunks", str(len(made.chunks)))
    expect(page.locator("[data-verdict]")).to_have_text(re.compile(rf"^{len(made.chunks)} chunks?\b"))
    for label in page.locator("[data-chunk]").all():
        number = int(label.get_attribute("data-chunk") or 0)
        assert made.chunks[number - 1].tokens == int(re.sub(r"\D", "", label.locator("span").inner_text()))


def drag(page: Page, label: str, to: float, steps: int = 12) -> None:
    """Drag a slider to a share of its width, and keep it held."""
    slider = thumb(page, label)
    box = standing(slider)
    low, high, now = slider.evaluate("slider => [slider.min, slider.max, slider.value].map(Number)")
    y, inset = box["y"] + box["height"] / 2, 9  # half of a thumb
    across = box["width"] - 2 * inset
    page.mouse.move(box["x"] + inset + across * (now - low) / (high - low), y)
    page.mouse.down()
    page.mouse.move(box["x"] + inset + across * to, y, steps=steps)


def test_a_drag_is_followed_without_a_message_and_reported_once_at_rest(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    messages: list[int] = []

    def count(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: messages.append(len(frame)))
        socket.on("framesent", lambda frame: messages.append(len(frame)))

    page.on("websocket", count)
    page.reload()
    drawn(page)
    expect_chunks(page, "structural", "harbour-report")
    messages.clear()
    drag(page, "α", 0.9)
    expect(page.locator(".wb-change")).to_contain_text("since you began to drag")
    alpha = thumb(page, "α").input_value()
    expect_chunks(page, f"structural:alpha={alpha}", "harbour-report")
    assert messages == [], "something was sent while a hand was on the slider"
    assert "alpha" not in page.url
    with answered(page):
        page.mouse.up()
    expect(page).to_have_url(re.compile(rf"alpha%3D{alpha}\b"))
    expect(page.locator(".wb-change")).to_contain_text("from the first setting")
    expect_chunks(page, f"structural:alpha={alpha}", "harbour-report")
    assert sum(messages) <= 10_000, "more of the page was sent than follows the setting"
    page.get_by_role("button", name="More").click()  # where what the page was not told of is brought up to date
    expect(page.locator(".st-key-structural_alpha input")).to_have_value(alpha)


def test_another_strategy_keeps_gap_and_place_and_the_browser_goes_back_in_one_step(visit: Visit) -> None:
    page = visit("/?doc=harbour-report&alpha=0.8&percentile=80&overlap=2&gap=40")
    heading = panel(page).locator("blockquote").first.inner_text()
    scrolled = pane(page).evaluate("pane => pane.scrollTop")
    assert scrolled > 0
    choose(page, "Strategy", "changepoint")
    settled(page)
    expect(thumb(page, "α")).to_have_value("0.35")
    expect(thumb(page, "Coarse to fine")).to_have_value("0")
    expect_chunks(page, "changepoint", "harbour-report")
    expect(panel(page).locator("blockquote").first).to_have_text(heading)
    assert pane(page).evaluate("pane => pane.scrollTop") == pytest.approx(scrolled, abs=60)
    page.wait_for_url("**strategy=changepoint*")
    assert "alpha" not in page.url and "overlap" not in page.url
    page.go_back()
    expect(page.get_by_role("combobox", name="Strategy")).to_have_value("structural")
    expect_chunks(page, "structural:alpha=0.8;percentile=80;overlap=2", "harbour-report")
    expect(thumb(page, "Percentile")).to_have_value("80")
    settled(page)


def test_a_setting_that_was_moved_just_now_goes_along_to_another_page(visit: Visit) -> None:
    page = visit("/")
    for _ in range(3):
        thumb(page, "α").press("ArrowRight")
    page.get_by_role("link", name="Compare", exact=True).click()  # before the setting was at rest
    page.wait_for_url("**/compare?*")
    settled(page)
    expect(page.locator(".wb-lane-name").first).to_contain_text("α 0.53")


def test_a_link_is_followed_though_its_press_closes_what_is_open(visit: Visit) -> None:
    page = visit("/")
    page.get_by_role("button", name="More").click()
    expect(page.get_by_test_id("stPopoverBody")).to_be_visible()
    settled(page)
    page.get_by_role("link", name="Compare", exact=True).click()
    page.wait_for_url("**/compare?*")
    expect(page.locator(".wb-lane-name")).not_to_have_count(0)
    settled(page)


REPORT_BEHIND_A_LINK = """(link, isHeld) => {
  const { prototype } = WebSocket, { send } = prototype;
  let sent = 0;
  prototype.send = function (data) {
    const isDue = () => !isHeld || !sent || (chunkscopeRuns.waiting === null && !chunkscopeRuns.running);
    const when = () => isDue() ? send.call(this, data, sent += 1) : setTimeout(when, 20);
    when();
  };
  link.click();
  dispatchEvent(new Event("chunkscope:leave"));  // which lets the workbench report at once
}"""
"""Follows a link of the menu and reports behind it, at once or when the other page has run, as on a busy machine."""


@pytest.mark.parametrize("is_held", [False, True])
def test_a_report_that_comes_behind_a_link_does_not_empty_the_other_page(visit: Visit, is_held: bool) -> None:
    page = visit("/")
    thumb(page, "α").press("ArrowRight")
    page.get_by_role("link", name="Collection", exact=True).evaluate(REPORT_BEHIND_A_LINK, is_held)
    page.wait_for_url("**/collection*")
    settled(page)
    expect(page.locator(".cs-row")).not_to_have_count(0)


def test_a_key_is_for_the_text_that_is_shown_alone(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    for strategy in ("changepoint", "structural"):
        with answered(page):
            choose(page, "Strategy", strategy)
        pane(page).press("j")
        settled(page)
    page.evaluate("""() => {
      const { prototype } = WebSocket, { send } = prototype;
      globalThis.sentTexts = [];
      prototype.send = function (data) {
        sentTexts.push(new TextDecoder().decode(data));
        send.call(this, data);
      };
    }""")
    with answered(page):
        pane(page).press("j")
    assert sum(text.count('"event":"rest"') for text in page.evaluate("sentTexts")) == 1


OF_ONE_MOMENT = """() => {
  const { prototype } = WebSocket, { send } = prototype, kept = [];
  prototype.send = function (data) { kept.push([this, data]); };
  globalThis.sendKept = () => {
    prototype.send = send;
    for (const [socket, data] of kept) socket.send(data);
  };
  globalThis.countKept = () => kept.length;
}"""
"""Keeps what the page sends until it is all sent in one moment, as on a busy machine."""


def test_a_report_that_a_run_of_the_page_overtakes_is_not_lost(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    pane(page).press("n")
    settled(page)
    page.evaluate(OF_ONE_MOMENT)
    for reports in (1, 2):  # the second waits for the run of the first
        pane(page).press("j")
        page.wait_for_function("count => countKept() >= count", arg=reports)
    chosen = panel(page).locator("blockquote").first.text_content()
    choose(page, "Strategy", "changepoint")
    with answered(page):
        page.evaluate("sendKept()")
    settled(page)
    expect(panel(page).locator("blockquote").first).to_have_text(str(chosen))


FIRST_IS_LATE = """milliseconds => {
  const { prototype } = WebSocket, { send } = prototype;
  let first = null;
  prototype.send = function (data) {
    first ??= new Promise(resolve => setTimeout(resolve, milliseconds));
    first.then(() => send.call(this, data));
  };
}"""
"""Lets the next message of the page leave late, and what comes meanwhile right behind it."""


def test_another_page_is_requested_when_what_was_reported_has_arrived(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    page.evaluate(FIRST_IS_LATE, 400)
    pane(page).press("n")
    page.get_by_role("link", name="Collection", exact=True).click()
    page.wait_for_url("**/collection*")
    settled(page)
    # The first request is the one that opened the page; the others are of a part, then of a page.
    told = [line.partition(": ")[2].split()[:3] for line in page.evaluate("chunkscopeRuns.told")]
    begun = told.index(["asked", "for", "part"])
    assert ["ended", "with", "status"] in told[begun : told.index(["asked", "for", "page"], begun)]


def test_what_is_open_above_the_workbench_follows_a_setting_that_was_moved_before(visit: Visit) -> None:
    page = visit("/")
    for _ in range(3):
        thumb(page, "α").press("ArrowRight")
    page.get_by_role("button", name="Export").click()  # before the setting was at rest
    expect(page.get_by_test_id("stCode").last).to_contain_text("alpha=0.53")
    page.keyboard.press("Escape")
    settled(page)


def test_a_button_and_a_report_of_one_moment_are_both_answered(visit: Visit, tmp_path: Path) -> None:
    page = visit("/?encoder=char-ngrams&splitter=rules")
    files = [tmp_path / f"note-{number}.md" for number in range(2)]
    for file in files:
        file.write_text(f"# {file.stem}\n\nOne sentence. Two sentences.\n\n# More\n\nThree. Four.\n", encoding="utf-8")
    uploader(page).set_input_files(files)
    expect(page.locator(".wb-text")).to_contain_text("note-0", timeout=60_000)
    page.keyboard.press("Escape")
    settled(page)
    for name in ("note-1", "note-0", "note-1"):
        pane(page).press("j")
        page.get_by_role("button", name="Next", exact=True).evaluate(WHEN_REPORTED)
        expect(page.locator(".wb-text")).to_contain_text(name)
        settled(page)


def test_what_the_page_cannot_compute_python_answers(visit: Visit) -> None:
    """A division within size limits depends on all of its cuts: the page keeps the last one until Python answers."""
    page = visit("/?doc=harbour-report&strategy=changepoint:max_tokens=120")
    expect_chunks(page, "changepoint:max_tokens=120", "harbour-report")
    with answered(page):
        thumb(page, "α").press("End")
    expect(page).to_have_url(re.compile(r"alpha%3D1.0"))
    expect_chunks(page, "changepoint:alpha=1.0;max_tokens=120", "harbour-report")


def test_a_gap_is_chosen_by_mouse_and_keys_and_the_address_keeps_it(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    expect(panel(page).locator("h2")).to_contain_text("Start of chunk")  # an example, which the address leaves out
    assert "gap=" not in page.url
    box = standing(page.locator(".wb-strip-canvas"))
    with answered(page):
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile(r"gap=\d+"))
    chosen = page.url
    before = panel(page).locator("blockquote").last.inner_text()
    with answered(page):
        pane(page).press("j")
    expect(panel(page).locator("blockquote").first).to_have_text(before)
    assert page.url != chosen
    page.reload()
    drawn(page)
    expect(panel(page).locator("blockquote").first).to_have_text(before)
    with answered(page):
        pane(page).press("Escape")
    expect(panel(page).get_by_text("Choose any place")).to_be_visible()
    expect(page).to_have_url(re.compile(r"^(?!.*gap=)"))


def test_the_strip_is_widened_to_the_curves_and_remembers_it(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    strip = page.locator(".wb-strip")
    low = standing(strip)["height"]
    edge = page.get_by_role("separator", name="Height of the curves")
    edge.press("Enter")
    expect(page.get_by_role("button", name="Zoom in")).to_be_visible()
    assert standing(strip)["height"] > 2 * low
    page.get_by_role("button", name="Zoom in").click()
    expect(page.get_by_role("button", name="Zoom out")).to_be_enabled()
    page.reload()
    drawn(page)
    assert standing(strip)["height"] > 2 * low
    edge.press("Enter")
    assert standing(strip)["height"] == low


def test_a_gap_selected_in_one_view_is_selected_in_the_other(visit: Visit) -> None:
    page = visit("/?doc=field-guide-to-backups")
    with answered(page):
        pane(page).press("n")
    chosen = panel(page).locator("blockquote").all_inner_texts()
    expect(page.locator(".wb-text table").first).to_be_attached()
    page.get_by_role("button", name="Source").click()
    expect(page.locator(".wb-text table")).to_have_count(0)
    expect(page.locator(".wb-text")).to_contain_text("|---")
    assert panel(page).locator("blockquote").all_inner_texts() == chosen
    expect(pane(page)).to_have_attribute("data-chunks", "19")


def test_make_them_fit_sets_the_largest_maximum_that_the_encoder_reads(visit: Visit) -> None:
    page = visit("/")
    expect(page.locator(".wb-warning")).to_contain_text("longer than the encoder reads")
    with answered(page):
        page.get_by_role("button", name="Make them fit").click()
    expect(page.locator(".wb-warning")).to_be_hidden()
    maximum = re.search(r"max_tokens%3D(\d+)", page.url)
    assert maximum is not None and 200 < int(maximum[1]) <= 256
    expect_chunks(page, f"structural:max_tokens={maximum[1]}", "community-garden-faq")


def test_one_click_shows_what_the_text_asks_for_and_reset_brings_the_sizes_back(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    expect_chunks(page, "structural", "harbour-report")
    with answered(page):
        page.get_by_role("button", name="Without limits").click()
    expect(page.get_by_role("button", name="Without limits")).to_be_hidden()
    expect_chunks(page, "structural:preset=unlimited", "harbour-report")
    assert "max_tokens%3D0" in page.url
    with answered(page):
        page.get_by_role("button", name="Reset").click()
    expect_chunks(page, "structural", "harbour-report")


def test_a_term_is_defined_on_hover_and_on_focus(shared: Visit) -> None:
    page = shared()
    definition, term = page.get_by_role("tooltip"), page.locator(".cs-figures [data-term=boundary]")
    standing(page.locator(".st-key-_below"))
    term.scroll_into_view_if_needed()  # a definition goes where one scrolls
    standing(term)
    term.hover()
    expect(definition).to_have_text("boundary A gap that a strategy cuts, with its reason.")
    page.mouse.move(5, 5)
    expect(definition).to_be_hidden()
    page.locator(".cs-figures [data-term=chunk]").focus()
    expect(definition).to_contain_text("chunk ")
    page.keyboard.press("Escape")
    expect(definition).to_be_hidden()

    # That no other host was asked is checked where the page is closed.


def report_of(number: int) -> Callable[[Any], object]:
    """Draw a page with a heading and two paragraphs."""

    def draw(canvas: Any) -> object:
        pen = Pen(canvas).text(f"{number} Part {number} of the report", 16, "Times-Bold")
        pen.text(f"The ferry leaves from pier {number}. It takes an hour to cross. Nobody swims.")
        return pen.text(f"Bread is baked in oven {number}. The dough rests all night. It costs a crown.")

    return draw


def pictures(page: Page) -> Locator:
    return page.locator(".wb-sheet img:not([hidden])")


def test_the_pages_of_a_file_show_the_chunks_which_follow_the_hand(visit: Visit, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(printed(*(report_of(number) for number in range(1, 9))))
    page = visit("/")
    uploader(page).set_input_files(path)
    expect(page.locator(".wb-text")).to_contain_text("Nobody swims.", timeout=60_000)
    page.keyboard.press("Escape")
    settled(page)
    page.get_by_role("button", name="Pages", exact=True).click()
    expect(page.locator(".wb-sheet")).to_have_count(8)
    expect(pictures(page)).not_to_have_count(0)
    page.wait_for_url("**page=1*")
    expect(page.locator(".wb-path")).to_contain_text("Page 1 of 8")
    settled(page)
    before = page.locator("[data-verdict]").inner_text()
    drag(page, "Percentile", 0.1)
    expect(page.locator("[data-verdict]")).not_to_have_text(before)
    count = (pane(page).get_attribute("data-chunks") or "").strip()
    assert page.locator("[data-verdict]").inner_text().startswith(f"{count} chunks")
    assert page.evaluate(PAINTED) > 100, "no chunk is painted on the paper"
    page.mouse.up()
    settled(page)
    sheet = standing(page.locator(".wb-sheet").first)
    page.mouse.click(sheet["x"] + 0.3 * sheet["width"], sheet["y"] + 0.143 * sheet["height"])  # in the first paragraph
    expect(panel(page).locator("blockquote").first).to_contain_text(re.compile("ferry|It takes"))
    pane(page).evaluate("pane => pane.scrollTo(0, pane.scrollHeight)")
    page.wait_for_url(re.compile(r"page=[78]"))
    expect(page.locator(".wb-sheet").last.locator("img")).to_be_visible()
    settled(page)
    page.reload()
    drawn(page)
    expect(page.locator(".wb-path")).to_contain_text(re.compile("Page [78] of 8"))
    expect(page.locator(".wb-sheet").last.locator("img")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Reading").click()
    expect(page.locator(".wb-text")).to_contain_text("Bread is baked in oven 8.")
    page.wait_for_function("() => !location.search.includes('page=')")


WHEN_REPORTED = "button => setTimeout(() => button.click(), 298)"
"""Clicks a button at about the moment at which the workbench reports what has just been chosen."""

PAINTED = """() => {
  const shadows = [...document.querySelectorAll('*')].flatMap((each) => each.shadowRoot ?? []);
  const canvas = shadows.flatMap((each) => [...each.querySelectorAll('.wb-back')])[0];
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let tinted = 0;
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 20 && data[at + 3] < 90) tinted++;
  return tinted;
}"""
"""How many pixels of the paper are tinted so that letters show through."""


def test_two_thousand_chunks_stay_usable(visit: Visit, tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    path.write_text("\n\n".join(f"# Part {number}\n\n- Word {number}." for number in range(2000)), encoding="utf-8")
    page = visit("/?alpha=0&percentile=50&min_tokens=0&soft_min_tokens=0&max_tokens=0")
    uploader(page).set_input_files(path)
    expect(page.locator(".cs-figures")).to_contain_text("4,000sentences", timeout=120_000)
    expect(page.locator("[data-verdict]")).to_contain_text("2,000 chunks")
    page.keyboard.press("Escape")
    settled(page)
    pane(page).evaluate("pane => pane.scrollTo(0, pane.scrollHeight)")
    expect(page.locator("[data-chunk='2000']")).to_be_visible()
    expect(page.locator(".wb-text")).to_contain_text("Word 1999.")


def test_the_advice_opens_without_moving_the_page_and_closes_behind_its_setting(visit: Visit) -> None:
    page = visit("/?doc=harbour-report", scheme="dark")
    before = standing(pane(page))
    page.get_by_role("button", name="What should I use?").click()
    advice = page.locator(".cs-advice")
    expect(advice).to_contain_text("structural:max_tokens=220")
    assert standing(pane(page)) == before
    assert advice.evaluate("panel => panel.scrollWidth <= panel.clientWidth")
    page.get_by_role("button", name="Apply").click()
    expect(page).to_have_url(re.compile(r"strategy=structural"))
    expect(advice).to_have_count(0)  # it would stand before what it has opened
    settled(page)


def test_a_passage_is_edited_where_it_stands_and_the_cuts_that_flip_are_told(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    pane(page).press("n")
    settled(page)
    pane(page).press("e")
    field = page.get_by_role("textbox", name="Passage")
    passage = field.input_value()
    assert "The number of ships fell" in passage
    field.fill(f"{passage}\n\n## Bread\n\nFlour and water make a dough, which is baked when it has risen in the warm.")
    with answered(page):
        field.press("Control+Enter")
    expect(page.locator(".cs-edited")).to_contain_text("1 new cut")
    expect(page.locator(".wb-text")).to_contain_text("Flour and water")
    page.get_by_role("button", name="What changed").click()
    change = page.locator(".cs-change").filter(has_text="New cut before “Bread”")
    expect(change).to_contain_text("Before: this place was not there.")
    expect(change).to_contain_text("After: cut,")
    with answered(page):
        page.get_by_role("button", name="Show", exact=True).first.click()
    page.keyboard.press("Escape")
    expect(panel(page).locator(".wb-earlier")).to_contain_text("Before the edit:")
    with answered(page):
        page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator(".cs-edited")).to_have_count(0)
    expect(page.locator(".wb-text")).not_to_contain_text("Flour and water")


def test_what_is_typed_into_a_passage_outlasts_other_data(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    pane(page).press("e")
    field = page.get_by_role("textbox", name="Passage")
    field.fill("Unfinished")
    with answered(page):
        page.get_by_role("combobox", name="Strategy").click()
        page.get_by_role("option", name="changepoint", exact=True).click()
    expect(page.get_by_role("textbox", name="Passage")).to_have_value("Unfinished")
    page.get_by_role("textbox", name="Passage").press("Escape")
    expect(page.get_by_role("textbox", name="Passage")).to_have_count(0)


def test_cuts_and_joins_by_hand_are_made_at_once_and_outlast_another_strategy(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    tag, hand = panel(page).locator(".wb-tag"), page.locator(".wb-by-hand")
    pane(page).press("n")
    settled(page)
    with answered(page):
        pane(page).press("c")
        expect(tag).to_have_text("✎ Not cut: joined by hand", timeout=1000)
    expect(hand).to_have_text("✎ 1 join by hand")
    with answered(page):
        pane(page).press("j")
        pane(page).press("j")
        panel(page).get_by_role("button", name="Cut here").click()
    expect(tag).to_have_text("✎ Cut · by hand")
    expect(panel(page).locator("p").filter(has_text="You cut here; the strategy would not.")).to_be_visible()
    before = panel(page).locator("blockquote").nth(1).text_content()
    with answered(page):
        pane(page).press("]")
    expect(panel(page).locator("blockquote").nth(0)).to_have_text(str(before))
    expect(tag).to_have_text("✎ Cut · by hand")
    expect(hand).to_have_text("✎ 1 cut, 1 join by hand")
    expect(page.locator(".cs-change")).to_have_count(2)
    with answered(page):
        page.get_by_role("combobox", name="Strategy").click()
        page.get_by_role("option", name="changepoint", exact=True).click()
    expect(tag).to_have_text("✎ Cut · by hand")
    with answered(page):
        pane(page).press("c")  # the strategy's own again
    expect(hand).to_have_text("✎ 1 join by hand")
    with answered(page):
        pane(page).press("u")
    expect(hand).to_have_text("✎ 1 cut, 1 join by hand")
    page.reload()
    expect(page.locator(".wb-by-hand")).to_have_text("✎ 1 cut, 1 join by hand")
    settled(page)
