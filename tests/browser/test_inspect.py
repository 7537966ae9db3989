"""What only a browser shows of the Inspect page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.server import answered, choose, drawn, recolour, settled, standing, uploader

PLOT = ".js-plotly-plot"
HOSTILE = """# <script>window.hacked = 1</script>

Text with <img src="http://elsewhere.invalid/pixel.png" onerror="window.hacked = 2"> in it. And a second one.

![picture](http://elsewhere.invalid/markdown.png) A [link](javascript:window.hacked=3) stands here. More.

<style>* { display: none }</style> <form action="http://elsewhere.invalid"><button>Send</button></form>

<iframe src="http://elsewhere.invalid"></iframe> The end. $\\alpha$ :red[word] :material/home:
"""


def axis_range(page: Page) -> list[float]:
    found: list[float] = page.locator(PLOT).evaluate("plot => plot._fullLayout.xaxis.range")
    return found


def boundaries(page: Page) -> int:
    """Markers of cuts that the chart draws."""
    count: int = page.locator(PLOT).evaluate(
        "plot => plot._fullData.filter(t => (t.uid ?? '').startsWith('cut-')).reduce((n, t) => n + t.x.length, 0)"
    )
    return count


def zoom(page: Page, start: float, end: float) -> None:
    """Drag over a share of the chart's width."""
    box = standing(page.locator(f"{PLOT} .nsewdrag").first)
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + start * box["width"], height)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], height, steps=5)
    page.mouse.up()


def at_gap(page: Page, gap: int) -> tuple[float, float]:
    """Where on the screen a gap (from 1) stands in the chart."""
    box = standing(page.locator(f"{PLOT} .nsewdrag").first)
    low, high = axis_range(page)
    return box["x"] + (gap - low) / (high - low) * box["width"], box["y"] + box["height"] / 2


def ledger(page: Page) -> Locator:
    """The heading of the ledger."""
    return page.locator(".cs-verdict b")


def thumb(page: Page, label: str) -> Locator:
    return page.get_by_role("slider", name=label)


def move(page: Page, label: str, key: str) -> None:
    """Move a slider by a key and wait until the script has answered."""
    slider = thumb(page, label)
    slider.focus()
    before = slider.input_value()
    with answered(page):
        slider.press(key)
    expect(slider).not_to_have_value(before)


@pytest.mark.extended
def test_a_deep_link_on_a_fresh_server_opens_the_view_it_names(visit: Visit, fresh_server: str) -> None:
    page = visit("/inspect?doc=harbour-report&alpha=0.8&percentile=80&gap=40&view=20-60", at=fresh_server)
    expect(thumb(page, "α")).to_have_value("0.8")
    expect(ledger(page)).to_have_text("Gap 40")
    assert axis_range(page) == pytest.approx([20, 60])
    page.mouse.click(*at_gap(page, 30))
    expect(ledger(page)).to_have_text("Gap 30")
    assert "view=20-60" in page.url
    expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)  # one page needs no menu


def test_zoom_and_pan_survive_slider_moves_and_boundaries_follow(visit: Visit) -> None:
    page = visit("/")
    zoom(page, 0.2, 0.6)
    zoomed = axis_range(page)
    assert zoomed[1] - zoomed[0] < 80
    page.wait_for_url("**view=**")
    settled(page)
    node = page.locator(PLOT).element_handle()
    before = boundaries(page)
    for key in ("PageDown", "PageDown", "Home"):
        move(page, "Percentile", key)
        assert axis_range(page) == pytest.approx(zoomed)
    page.wait_for_function(
        "([plot, before]) => plot._fullData.filter(t => (t.uid ?? '').startsWith('cut-'))"
        ".reduce((n, t) => n + t.x.length, 0) > before",
        arg=[node, before],
    )
    move(page, "α", "End")
    assert axis_range(page) == pytest.approx(zoomed)
    assert page.evaluate("node => node.isConnected", node), "the chart was mounted anew"


def choose_strategy(page: Page, strategy: str) -> None:
    """Choose another strategy and wait until it is shown."""
    choose(page, "Strategy", strategy)
    expect(page.get_by_role("combobox", name="Strategy")).to_have_value(strategy)
    settled(page)


def test_another_strategy_keeps_gap_and_zoom_and_the_browser_goes_back_in_one_step(visit: Visit) -> None:
    page = visit("/?doc=harbour-report&alpha=0.8&percentile=80&overlap=2&gap=40&view=20-60")
    node = page.locator(PLOT).element_handle()
    choose_strategy(page, "changepoint")
    expect(page.locator(".cs-legend")).to_contain_text("score")
    expect(page.locator(".cs-legend")).to_contain_text("boundary penalty")
    expect(thumb(page, "α")).to_have_value("0.35")
    expect(thumb(page, "Percentile")).to_have_value("0")
    assert page.evaluate("node => node.isConnected", node), "the chart was mounted anew"
    assert axis_range(page) == pytest.approx([20, 60])
    expect(ledger(page)).to_have_text("Gap 40")
    page.wait_for_url("**strategy=changepoint*")
    assert "alpha" not in page.url and "overlap" not in page.url
    page.go_back()
    expect(page.get_by_role("combobox", name="Strategy")).to_have_value("structural")
    expect(thumb(page, "α")).to_have_value("0.8")
    expect(thumb(page, "Percentile")).to_have_value("80")
    settled(page)
    page.go_forward()
    expect(thumb(page, "α")).to_have_value("0.35")
    settled(page)
    choose_strategy(page, "percentile")
    expect(page.locator(".cs-legend")).not_to_contain_text("structural")
    page.mouse.move(*at_gap(page, 30))
    expect(page.locator(".cs-tip")).to_contain_text(re.compile(r"semantic [0-9.]+ [>≤] [0-9.]+ 95th percentile"))
    expect(page.locator(".cs-tip")).not_to_contain_text("structural")


def test_quick_moves_of_a_slider_are_all_taken(visit: Visit) -> None:
    page = visit("/?strategy=changepoint")
    slider = thumb(page, "α")
    slider.focus()
    for _ in range(10):
        slider.press("ArrowRight")
    settled(page)
    expect(slider).to_have_value("0.45")
    page.wait_for_url("**alpha%3D0.45*")
    page.reload()
    drawn(page)
    expect(thumb(page, "α")).to_have_value("0.45")


def test_a_gap_is_chosen_by_mouse_and_keys_and_the_address_keeps_it(visit: Visit) -> None:
    page = visit("/?alpha=0.6")
    expect(page.get_by_text("One gap as an example")).to_be_visible()
    page.mouse.click(*at_gap(page, 51))
    expect(ledger(page)).to_have_text("Gap 51")
    expect(page.get_by_text("Structural distance", exact=True)).to_be_visible()
    page.wait_for_url("**gap=51**")
    page.reload()
    drawn(page)
    expect(ledger(page)).to_have_text("Gap 51")
    expect(thumb(page, "α")).to_have_value("0.6")
    page.mouse.click(*at_gap(page, 60))
    expect(ledger(page)).to_have_text("Gap 60")
    page.keyboard.press("ArrowRight")
    expect(ledger(page)).to_have_text("Gap 61")
    page.keyboard.press("Shift+ArrowLeft")
    expect(ledger(page)).not_to_have_text("Gap 61")
    page.keyboard.press("Escape")
    expect(page.get_by_text("Select a gap")).to_be_visible()


def test_a_newcomer_is_shown_three_steps_until_she_dismisses_them(visit: Visit) -> None:
    page = visit("/")
    steps = page.get_by_role("complementary", name="First steps")
    expect(steps).to_be_visible()
    with answered(page):
        thumb(page, "α").press("ArrowRight")
    expect(page.locator(".cs-change")).to_have_text(re.compile("^α 0.5 → 0.51: "))
    expect(steps.locator(".cs-taken")).to_have_text("✓Drag α and watch the cuts")
    steps.get_by_role("button", name="Open your own document").click()
    expect(page.get_by_role("button", name="Add your own")).to_be_focused()
    page.mouse.click(*at_gap(page, 51))
    expect(steps.locator(".cs-taken")).to_have_count(2)
    page.reload()
    drawn(page)
    expect(steps.locator(".cs-taken")).to_have_count(2)
    steps.get_by_role("link", name="Learn how it works").click()
    page.wait_for_url("**/learn*")
    settled(page)
    page.get_by_role("link", name="Inspect", exact=True).click()
    drawn(page)
    steps.get_by_role("button", name="Dismiss").click()
    expect(steps).not_to_be_visible()
    page.reload()
    drawn(page)
    expect(page.locator(".cs-change")).to_contain_text("The pieces are chunks")
    expect(steps).not_to_be_visible()


def test_the_chart_takes_the_whole_screen_with_larger_type_and_gives_it_back(shared: Visit) -> None:
    page = shared()
    chart = page.locator(".cs-chart").first
    plot = page.locator(".cs-chart .cs-plot").first
    before = plot.evaluate("plot => [plot._fullLayout.height, plot._fullLayout.xaxis.tickfont.size]")
    chart.hover()
    page.locator(".modebar-btn[data-title='Full screen']").first.click()
    page.wait_for_function("() => document.fullscreenElement?.matches('.cs-chart')")
    page.wait_for_function(
        "([height, size]) => { const { _fullLayout: now } = document.querySelector('.cs-chart .cs-plot');"
        " return now.height > height * 1.5 && now.xaxis.tickfont.size > size; }",
        arg=before,
    )
    page.evaluate("document.exitFullscreen()")
    page.wait_for_function(
        "height => document.querySelector('.cs-chart .cs-plot')._fullLayout.height === height", arg=before[0]
    )


def test_a_term_is_defined_on_hover_and_on_focus(shared: Visit) -> None:
    page = shared()
    definition = page.get_by_role("tooltip")
    page.locator(".cs-figures [data-term=boundary]").hover()
    expect(definition).to_have_text("boundary A gap that a strategy cuts, with its reason.")
    page.get_by_role("button", name="structural", exact=True).hover()
    expect(definition).to_contain_text("structural distance Difference in layout")
    page.mouse.move(5, 5)
    expect(definition).to_be_hidden()
    page.locator(".cs-change [data-term=threshold]").focus()
    expect(definition).to_contain_text("threshold The value that a score must exceed")
    page.keyboard.press("Escape")
    expect(definition).to_be_hidden()


def test_hovering_the_chart_shows_the_place_in_the_text_and_the_reverse(shared: Visit) -> None:
    page = shared()
    page.mouse.move(*at_gap(page, 3))
    tooltip = page.locator(".cs-tip")
    expect(tooltip).to_contain_text("gap 3", ignore_case=True)
    expect(page.locator(".cs-reader .cs-hover")).to_have_count(2)
    page.mouse.move(5, 5)
    expect(tooltip).not_to_be_visible()
    expect(page.locator(".cs-reader .cs-hover")).to_have_count(0)
    page.locator(".cs-reader .cs-s").nth(2).hover()
    expect(page.locator(".cs-cursor")).to_be_visible()


def test_a_document_is_read_and_a_hostile_one_is_text_and_calls_nobody(visit: Visit, tmp_path: Path) -> None:
    tea, path = tmp_path / "tea.md", tmp_path / "hostile.md"
    tea.write_text(
        "# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Bake it.\n", encoding="utf-8"
    )
    path.write_text(HOSTILE, encoding="utf-8")
    page = visit("/")
    uploader(page).set_input_files(tea)
    expect(page.locator(".cs-figures")).to_contain_text("6sentences", timeout=60_000)
    expect(page.locator(".cs-reader")).to_contain_text("Knead the dough.")
    page.keyboard.press("Escape")
    settled(page)
    uploader(page).set_input_files(path)
    expect(page.locator(".cs-reader")).to_contain_text("<script>window.hacked = 1</script>", timeout=60_000)
    page.keyboard.press("Escape")
    settled(page)  # the chart is of the same document as the text
    for gap in range(1, 6):
        page.mouse.move(*at_gap(page, gap))
        page.mouse.click(*at_gap(page, gap))
        expect(ledger(page)).to_have_text(f"Gap {gap}")
    page.get_by_role("button", name="Export").click()
    expect(page.get_by_text("This setting as code")).to_be_visible()
    assert page.evaluate("window.hacked") is None
    assert page.locator(".cs-reader img, .cs-reader iframe, .cs-reader form, .cs img, .cs form").count() == 0
    # That no other host was asked is checked where the page is closed.


def test_a_gap_outside_the_zoom_is_shown_and_a_double_click_shows_all(shared: Visit) -> None:
    page = shared()
    everything = axis_range(page)
    zoom(page, 0.55, 0.85)
    page.locator(".cs-reader .cs-s").nth(1).click()
    expect(ledger(page)).to_have_text(re.compile("^Gap [12]$"))
    page.wait_for_function(
        "() => { const [a, b] = document.querySelector('.js-plotly-plot')._fullLayout.xaxis.range;"
        " return a < 2 && a < b; }"
    )
    x, y = at_gap(page, 20)
    page.mouse.dblclick(x, y)
    page.wait_for_function(
        "([a, b]) => { const [c, d] = document.querySelector('.js-plotly-plot')._fullLayout.xaxis.range;"
        " return a === c && b === d; }",
        arg=everything,
    )


def test_going_back_does_not_bring_another_documents_gap(visit: Visit) -> None:
    page = visit("/?doc=remote-work-policy")
    page.mouse.click(*at_gap(page, 74))
    expect(ledger(page)).to_have_text("Gap 74")
    page.wait_for_url("**gap=74**")
    address = page.url.replace("remote-work-policy", "harbour-report")
    page.goto(address)
    drawn(page)
    expect(page.get_by_text("Select a gap")).to_be_visible()


def assert_download(page: Page, label: str, ending: str, content: str) -> None:
    """Download what is called so, and compare the end of its name and its content with what they should be."""
    export, button = page.get_by_role("button", name="Export"), page.get_by_role("button", name=label)
    export.click()
    standing(button)
    with page.expect_download() as download:
        button.click()
    assert download.value.suggested_filename.endswith(ending)
    assert content in download.value.path().read_text(encoding="utf-8")
    settled(page)
    export.click()
    expect(button).to_be_hidden()


@pytest.mark.parametrize(
    ("label", "ending", "content"),
    [
        ("Chunks, JSONL", "-chunks.jsonl", '{"index": 0, "start": 0,'),
        ("Gaps, CSV", "-gaps.csv", "gap,offset,left_start,"),
        ("Chart, HTML", "-chart.html", "plotly"),
        ("The text itself", "field-guide-to-backups.md", "# A Field Guide"),
    ],
)
def test_downloads_hold_what_they_say(shared: Visit, label: str, ending: str, content: str) -> None:
    assert_download(shared(), label, ending, content)


def test_words_stand_out_from_what_is_behind_them(shared: Visit) -> None:
    page = shared()

    def light(colour: str) -> float:
        return sum(float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]) / 3

    for scheme in ("dark", "light"):
        recolour(page, scheme)
        colours = page.locator(".cs-verdict b").evaluate(
            "node => [getComputedStyle(node).color, getComputedStyle(document.querySelector('.stApp')).backgroundColor]"
        )
        assert abs(light(colours[0]) - light(colours[1])) > 120, scheme


def test_two_thousand_chunks_stay_usable(visit: Visit, tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    path.write_text("\n\n".join(f"# Part {number}\n\n- Word {number}." for number in range(2000)), encoding="utf-8")
    page = visit("/?alpha=0&percentile=50")
    uploader(page).set_input_files(path)
    expect(page.locator(".cs-figures")).to_contain_text("4,000sentences", timeout=120_000)
    expect(page.locator(".cs-figures")).to_contain_text("2,000chunks")
    page.keyboard.press("Escape")
    settled(page)
    expect(page.locator(".cs-reader")).to_contain_text("Word 0.")
    # The last chunk is reached by scrolling, and its text is there when it is.
    page.locator(".cs-reader .cs-scroller").evaluate("node => node.scrollTo(0, node.scrollHeight)")
    expect(page.locator(".cs-reader")).to_contain_text("Word 1999.")


def test_two_fingers_zoom_and_one_pans_and_what_is_under_them_stays_there(visit: Visit) -> None:
    page = visit("")
    box = standing(page.locator(".cs-chart .nsewdrag").first)
    touch = page.context.new_cdp_session(page)

    def fingers(kind: str, *shares: float) -> None:
        points = [{"x": box["x"] + share * box["width"], "y": box["y"] + 60} for share in shares]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    before = axis_range(page)
    fingers("touchStart", 0.4)
    fingers("touchStart", 0.4, 0.6)
    for apart in (0.15, 0.2, 0.25):
        fingers("touchMove", 0.5 - apart, 0.5 + apart)
    fingers("touchEnd")
    page.wait_for_url("**view=**")
    settled(page)
    middle, width = sum(before) / 2, before[1] - before[0]
    # What lay under two fifths and three fifths of the axis lies under a quarter and three quarters.
    zoomed = [middle - 0.2 * width, middle + 0.2 * width]
    assert axis_range(page) == pytest.approx(zoomed, abs=0.005 * width)
    fingers("touchStart", 0.5)
    for share in (0.45, 0.35, 0.25):
        fingers("touchMove", share)
    fingers("touchEnd")
    settled(page)
    assert axis_range(page) == pytest.approx([edge + 0.1 * width for edge in zoomed], abs=0.005 * width)
    assert "gap=" not in page.url, "a finger that pans has chosen a gap"


def test_the_advice_opens_without_moving_the_chart_and_can_be_read(visit: Visit) -> None:
    page = visit("/?doc=harbour-report", scheme="dark")
    before = standing(page.locator(PLOT))
    page.get_by_role("button", name="What should I use?").click()
    panel = page.locator(".cs-advice")
    expect(panel).to_contain_text("structural:max_tokens=250")
    assert standing(page.locator(PLOT)) == before
    text, ground = panel.evaluate(
        "panel => [panel, panel.closest('[data-testid=stPopoverBody]')].map((each, place) =>"
        " getComputedStyle(each)[place ? 'backgroundColor' : 'color'].match(/[0-9.]+/g).slice(0, 3).map(Number))"
    )
    assert sum(text) - sum(ground) > 300, "light text on a dark ground"
    assert panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth")
    page.get_by_role("button", name="Open this setting").click()
    expect(page).to_have_url(re.compile(r"strategy=structural"))
