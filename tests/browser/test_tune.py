"""What only a browser shows of the Tune page."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from chunking import samples, strategies
from chunking.strategies import Segmentation
from chunking.workspace import DocumentAnalysis
from tests.browser.conftest import Visit
from tests.browser.server import grid_drawn, settled

SAMPLE = "harbour-report"
MAP = ".wb-map"


def painted(page: Page) -> None:
    """Wait until the whole map is there."""
    page.locator(MAP).wait_for()
    expect(page.locator(".wb-tuner-line").nth(1)).to_contain_text("strongest")
    settled(page)


def point(page: Page, alpha: float, share: float) -> tuple[float, float]:
    """Where on the screen a setting stands; ``share`` is the percentage of places that are cut, at most 30."""
    canvas = page.locator(MAP)
    box = canvas.bounding_box()
    assert box
    left, right, top, bottom = (rem * 16 for rem in (5.2, 4.2, 0.6, 4.4))
    across = box["width"] - left - right
    down = box["height"] - top - bottom
    return box["x"] + left + alpha * across, box["y"] + top + (1 - share / 30) * down


def setting(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query).get("strategy", ["structural"])[-1]


def made(line: str) -> Segmentation:
    """What the engine makes of the sample."""
    sample = samples.load(SAMPLE)
    return strategies.parse(line).run(DocumentAnalysis(sample.document))


def slider(page: Page, name: str) -> Locator:
    return page.locator(".wb-tuner").get_by_role("slider", name=re.compile(f"^{name}"))


def test_a_click_and_a_drag_on_the_map_set_both_values(visit: Visit) -> None:
    page = visit(f"/tune?doc={SAMPLE}")
    painted(page)
    page.mouse.click(*point(page, 0.3, 10))
    page.wait_for_function("() => decodeURIComponent(location.search).includes('alpha=0.3;percentile=90.0')")
    assert slider(page, "α").input_value() == "0.3" and slider(page, "Percentile").input_value() == "90"
    expect(page.locator(".wb-tuner-line").first).to_contain_text(f"{len(made(setting(page)).chunks)} chunks")
    page.mouse.move(*point(page, 0.3, 10))
    page.mouse.down()
    page.mouse.move(*point(page, 0.62, 20), steps=6)
    expect(page.locator(".wb-tuner-line").first).to_contain_text("α 0.62, strongest 20%")
    assert "alpha=0.3;" in setting(page), "nothing is sent while the hand is on it"
    page.mouse.up()
    page.wait_for_function("() => decodeURIComponent(location.search).includes('alpha=0.62;percentile=80.0')")
    cuts = len(made(setting(page)).chunks) - 1
    expect(page.locator("[data-verdict]")).to_contain_text(f"{cuts} cuts")


def test_keys_move_the_setting_and_the_page_can_return_to_the_best_and_the_default(visit: Visit) -> None:
    page = visit(f"/tune?doc={SAMPLE}")
    painted(page)
    slider(page, "α").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => decodeURIComponent(location.search).includes('alpha=0.51')")
    expect(slider(page, "α")).to_be_focused()
    page.get_by_role("button", name="Use the best").click()
    best = page.locator(".wb-tuner-line").nth(1).locator(".wb-tuner-words").inner_text()
    expect(page.locator(".wb-tuner-line").first.locator(".wb-tuner-words")).to_have_text(best)
    page.get_by_role("button", name="Default").click()
    page.wait_for_function("() => !location.search.includes('strategy=')")
    slider(page, "Percentile").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => decodeURIComponent(location.search).includes('percentile=84.9')")
    page.get_by_role("button", name="Open in Inspect").click()
    expect(page.locator(".wb-strip-edge")).to_be_visible()
    page.wait_for_function("() => decodeURIComponent(location.search).includes('percentile=84.9')")


def test_a_size_is_a_measure_too_and_the_address_says_so(visit: Visit) -> None:
    page = visit(f"/tune?doc={SAMPLE}")
    painted(page)
    field = page.get_by_label("Size of a chunk, in tokens")
    field.fill("90")
    field.press("Enter")
    page.wait_for_url("**judge=size*")
    page.wait_for_url("**target=90*")
    expect(page.locator("[data-verdict]")).to_contain_text(
        "of the text is in chunks of 60–135 tokens. The best setting reaches"
    )
    tokens = [chunk.tokens for chunk in made("structural").chunks]
    near = round(100 * sum(each for each in tokens if 60 <= each <= 135) / sum(tokens))
    expect(page.locator("[data-verdict]")).to_have_text(re.compile(f"^{near}%"))
    page.get_by_role("button", name=re.compile("^people's cuts")).click()
    page.wait_for_function("() => !location.search.includes('judge=')")


def test_each_alpha_shows_what_it_would_cut_and_a_click_sets_it(visit: Visit) -> None:
    page = visit(f"/tune?doc={SAMPLE}")
    painted(page)
    page.get_by_text("What would each α cut?").click()
    chart = page.locator(".wb-flips")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    chart.click(position={"x": 0.6 * box["width"], "y": 0.3 * box["height"]})
    page.wait_for_url("**gap=*")
    chosen = re.search(r"gap=(\d+)", page.url)
    assert chosen
    settled(page)
    cuts = {chunk.cut.gap for chunk in made(setting(page)).chunks if chunk.cut}
    if setting(page) != "structural":  # else no setting of the slider cuts it at that α
        assert int(chosen[1]) - 1 in cuts


def test_a_row_of_the_stability_table_chooses_its_gap(visit: Visit) -> None:
    page = visit(f"/tune?doc={SAMPLE}&tune=Stability")
    painted(page)
    table = page.get_by_test_id("stDataFrame")
    table.scroll_into_view_if_needed()
    box = grid_drawn(table)
    page.mouse.click(box["x"] + 15, box["y"] + 52)
    page.wait_for_url("**gap=**")

    # That no other host was asked is checked where the page is closed.
