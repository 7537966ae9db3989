"""What only a browser shows of the Tune page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.server import answered, drawn, grid_drawn, settled, standing, uploader
from tests.browser.test_inspect import assert_download

LANDSCAPE, PLANE = ".cs-landscape .js-plotly-plot", ".cs-plane .js-plotly-plot"
HOSTILE = "Tea is <img src=http://elsewhere.invalid/x.png onerror='window.hacked=1'> hot. Bread is warm. Rain came.\n"


_RASTER_DIFFERS = """before => {
  const image = document.querySelector(".cs-landscape .js-plotly-plot image");
  return image && (image.getAttribute("href") ?? image.getAttribute("xlink:href")) !== before;
}"""


def axis_range(page: Page, plot: str = LANDSCAPE) -> list[float]:
    found: list[float] = page.locator(plot).evaluate("plot => plot._fullLayout.xaxis.range")
    return found


def at(page: Page, x: float, alpha: float, plot: str = LANDSCAPE) -> tuple[float, float]:
    """Where on the screen a place of a picture stands."""
    page.locator(plot).scroll_into_view_if_needed()
    standing(page.locator(plot))
    found = page.locator(plot).evaluate(
        """(plot, [x, y]) => {
          const box = plot.getBoundingClientRect();
          const { xaxis, yaxis } = plot._fullLayout;
          return [box.left + xaxis._offset + xaxis.c2p(x), box.top + yaxis._offset + yaxis.c2p(y)];
        }""",
        [x, alpha],
    )
    return found[0], found[1]


def control(page: Page, label: str) -> Locator:
    return page.get_by_role("slider", name=label)


def value(page: Page, label: str) -> float:
    return float(control(page, label).input_value())


def painted(page: Page) -> None:
    """Wait until both pictures stand."""
    for plot in (LANDSCAPE, PLANE):
        page.locator(f"{plot} .imagelayer image, {plot} .layer-below image").first.wait_for()
    settled(page)


def zoom(page: Page, start: float, end: float) -> None:
    """Drag from one gap to another."""
    page.mouse.move(*at(page, start, 0.5))
    page.mouse.down()
    page.mouse.move(*at(page, end, 0.5), steps=5)
    page.mouse.up()


def test_a_click_sets_the_setting_at_which_its_gap_is_just_a_boundary(visit: Visit) -> None:
    page = visit("/tune?doc=harbour-report")
    painted(page)
    # A gap that no percentile reaches is chosen, and the setting stays.
    with answered(page):
        page.mouse.click(*at(page, 37, 0.6))
    expect(page.locator(".cs-status")).to_contain_text("Gap 37 is selected; the setting is unchanged")
    expect(control(page, "α")).to_have_value("0.5")
    expect(control(page, "Percentile")).to_have_value("85")
    with answered(page):
        page.mouse.click(*at(page, 68, 0.7))
    expect(control(page, "α")).to_have_value("0.7")
    expect(page.locator(".cs-status")).to_contain_text("Gap 68 just becomes a boundary at α 0.70")
    page.wait_for_url("**gap=68**")
    settled(page)
    assert value(page, "Percentile") > 90
    expect(page.get_by_role("button", name="Open gap 68 in Inspect")).to_be_visible()
    page.reload()
    drawn(page)
    painted(page)
    expect(control(page, "α")).to_have_value("0.7")
    page.get_by_role("button", name="Open gap 68 in Inspect").click()
    expect(page.locator(".wb-tag")).to_contain_text("Cut ·")
    assert "gap=68" in page.url


def test_zoom_survives_slider_moves_and_the_address_keeps_it(visit: Visit) -> None:
    page = visit("/tune")
    painted(page)
    everything = axis_range(page)
    zoom(page, 40, 80)
    zoomed = axis_range(page)
    assert zoomed[1] - zoomed[0] < 45
    page.wait_for_url("**view=**")
    settled(page)
    node = page.locator(LANDSCAPE).element_handle()
    image = page.locator(f"{LANDSCAPE} image").first
    raster = image.get_attribute("href") or image.get_attribute("xlink:href")
    for label, key in (("Percentile", "PageDown"), ("α", "PageUp"), ("Percentile", "Home")):
        before = control(page, label).input_value()
        control(page, label).focus()
        with answered(page):
            control(page, label).press(key)
        expect(control(page, label)).not_to_have_value(before)
        assert axis_range(page) == pytest.approx(zoomed)
        page.wait_for_function(_RASTER_DIFFERS, arg=raster)
    assert page.evaluate("node => node.isConnected", node), "the picture was mounted anew"
    page.wait_for_url("**view=**")
    page.reload()
    drawn(page)
    painted(page)
    assert axis_range(page) == pytest.approx(zoomed, abs=0.1)
    before = control(page, "α").input_value()
    page.mouse.dblclick(*at(page, 60, 0.5))
    page.wait_for_function(
        "([a, b]) => { const [c, d] = document.querySelector('.cs-landscape .js-plotly-plot')._fullLayout.xaxis.range;"
        " return a === c && b === d; }",
        arg=everything,
    )
    expect(control(page, "α")).to_have_value(before)


def test_keys_move_over_the_landscape_and_the_plane_sets_both(visit: Visit) -> None:
    page = visit("/tune?doc=harbour-report&gap=67")
    painted(page)
    page.locator(".cs-landscape").focus()
    tip = page.locator(".cs-landscape .cs-tip")
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowUp"):
        page.keyboard.press(key)
    expect(tip).to_contain_text("Gap 68")
    expect(tip).to_contain_text("α 0.61")
    page.keyboard.press("Enter")
    expect(control(page, "α")).to_have_value("0.61")
    page.wait_for_url("**gap=68**")
    page.keyboard.press("Escape")
    expect(tip).not_to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Open gap 68 in Inspect")).not_to_be_visible()
    settled(page)
    page.mouse.move(*at(page, 80, 0.6, PLANE))
    expect(page.locator(".cs-plane .cs-tip")).to_contain_text("percentile 80.0")
    expect(page.locator(".cs-plane .cs-tip")).to_contain_text("Boundary F1")
    page.mouse.click(*at(page, 80, 0.6, PLANE))
    expect(control(page, "α")).to_have_value("0.6")
    expect(control(page, "Percentile")).to_have_value("80")
    page.get_by_role("radio", name="Largest chunk", exact=True).click()
    expect(page.locator(".cs-plane .cs-rampname")).to_have_text("Largest chunk")
    page.wait_for_url("**map=**")


def test_hovering_tells_gap_alpha_percentile_and_both_sentences(shared: Visit) -> None:
    page = shared("/tune", ready=painted)
    page.mouse.move(*at(page, 76, 0.3))
    tip = page.locator(".cs-landscape .cs-tip")
    expect(tip).to_contain_text("Gap 76")
    expect(tip).to_contain_text("α 0.30")
    expect(tip).to_contain_text("boundary below percentile 96.62: cut at 85")
    expect(tip.locator(".cs-tip-text")).to_have_count(2)
    page.mouse.move(5, 5)
    expect(tip).not_to_be_visible()


def test_a_row_of_the_stability_table_chooses_its_gap(visit: Visit) -> None:
    page = visit("/tune?doc=harbour-report&tune=Stability")
    page.locator(f"{LANDSCAPE} image").first.wait_for()
    table = page.get_by_test_id("stDataFrame")
    table.scroll_into_view_if_needed()
    box = grid_drawn(table)
    page.mouse.click(box["x"] + 15, box["y"] + 52)
    page.wait_for_url("**gap=**")
    gap = re.search(r"gap=(\d+)", page.url)
    assert gap
    expect(page.get_by_text(f"Open gap {gap[1]} in Inspect")).to_be_visible()


@pytest.mark.extended
def test_a_hostile_document_is_text_and_calls_nobody(visit: Visit, tmp_path: Path) -> None:
    path = tmp_path / "tea.txt"
    path.write_text(HOSTILE, encoding="utf-8")
    page = visit("/tune?encoder=char-ngrams")
    painted(page)
    uploader(page).set_input_files(path)
    expect(page.locator(".cs-figures")).to_contain_text("2gaps", timeout=60_000)
    page.keyboard.press("Escape")
    painted(page)
    page.mouse.move(*at(page, 1, 0.5))
    expect(page.locator(".cs-landscape .cs-tip")).to_contain_text("<img src=http://elsewhere.invalid/x.png")
    assert page.evaluate("window.hacked") is None
    # That no other host was asked is checked where the page is closed.


@pytest.mark.parametrize(
    ("label", "ending", "content"),
    [
        ("Landscape, CSV", "-landscape.csv", "gap,offset,semantic,structural,alpha_0.00"),
        ("Settings, CSV", "-settings.csv", "alpha,percentile,boundaries"),
    ],
)
def test_downloads_hold_what_they_say(shared: Visit, label: str, ending: str, content: str) -> None:
    assert_download(shared("/tune", ready=painted), label, ending, content)


def test_what_a_link_brought_stays_on_the_next_page(visit: Visit) -> None:
    page = visit("/?doc=harbour-report&alpha=0.7")
    for name in ("Compare", "Tune"):
        page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
        page.wait_for_url(f"**/{name.lower()}*")
        drawn(page)
        expect(page.get_by_role("combobox", name="Document", exact=True)).to_have_value("harbour-report")
    expect(page).to_have_url(re.compile(r"alpha%3D0\.7"))
