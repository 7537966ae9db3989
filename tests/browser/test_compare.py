"""What only a browser shows of the Compare page."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from chunking import samples, strategies
from chunking.strategies import Segmentation
from chunking.workspace import DocumentAnalysis
from tests.browser.conftest import Visit
from tests.browser.server import grid_drawn, settled

LANES = "section,heading,recursive"
SAMPLE = "field-guide-to-backups"
PANE = ".wb-pane[data-chunks]"


def made(setting: str) -> Segmentation:
    """What the engine makes of the sample."""
    sample = samples.load(SAMPLE)
    return strategies.parse(setting).run(DocumentAnalysis(sample.document))


def offsets(setting: str) -> list[int]:
    """Where a strategy cuts the sample, as the engine says."""
    return [chunk.start for chunk in made(setting).chunks if chunk.start]


def watched(page: Page) -> list[str]:
    """Collects errors of the page and of its console from now on."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    return errors


def row(page: Page, number: int) -> Locator:
    """The row of a lane."""
    return page.locator(".wb-lane", has=page.locator(".wb-lane-name", has_text=re.compile(rf"^{number} · ")))


def address(page: Page) -> dict[str, str]:
    return {name: texts[-1] for name, texts in parse_qs(urlsplit(page.url).query).items()}


def click_lane(page: Page, number: int, offset: int) -> None:
    """Click a lane at a character of the document, while all of it is shown."""
    canvas = row(page, number).locator("canvas")
    box = canvas.bounding_box()
    assert box
    length = len(samples.load(SAMPLE).document.text)
    canvas.click(position={"x": offset / length * box["width"], "y": box["height"] / 2})


def test_each_lane_shows_its_chunks_and_a_click_on_a_cut_goes_there(visit: Visit) -> None:
    page = visit(f"/compare?doc={SAMPLE}&lanes={LANES}")
    errors = watched(page)
    expect(page.locator(".wb-overview")).to_contain_text("3 ways to cut this text.")
    for number, setting in enumerate(LANES.split(","), 1):
        expect(row(page, number).locator(".wb-lane-count")).to_have_text(str(len(made(setting).chunks)))
    expect(page.locator("[data-verdict]")).to_have_text(re.compile(rf"^{len(made('section').chunks)} chunks"))
    offset = offsets("heading")[9]
    click_lane(page, 2, offset)
    expect(page.locator(PANE)).to_have_attribute("data-chunks", str(len(made("heading").chunks)))
    page.wait_for_url(f"**at={offset}*")
    expect(page.locator(".wb-panel h2:visible")).to_contain_text("Start of chunk 11")
    expect(page.locator(".wb-panel")).to_contain_text("2 of 3: 1 · Sections, 2 · Headings. People cut here too.")
    label = page.locator("[data-chunk='11']")
    expect(label).to_be_in_viewport()
    # Keys go to the next cut, to another lane, and to none.
    page.locator(PANE).press("n")
    page.wait_for_url(f"**at={offsets('heading')[10]}*")
    page.locator(PANE).press("3")
    expect(page.locator(PANE)).to_have_attribute("data-chunks", str(len(made("recursive").chunks)))
    page.locator(PANE).press("Escape")
    page.wait_for_function("() => !location.search.includes('at=')")
    expect(page.locator(".wb-lane-panel")).to_contain_text("3 · Recursive")
    assert errors == []


def test_a_slider_of_a_lane_is_followed_and_the_address_says_it(visit: Visit) -> None:
    page = visit(f"/compare?lanes=section,structural&doc={SAMPLE}")
    row(page, 2).locator(".wb-lane-name").click()
    for name, keys in (("Percentile", ["PageDown"] * 2), ("α", ["ArrowRight"] * 3)):
        slider = page.get_by_role("slider", name=re.compile(f"^{name}"))
        slider.focus()
        for key in keys:
            page.keyboard.press(key)
    page.wait_for_function("() => decodeURIComponent(location.search).includes('alpha=0.53')")
    settled(page)
    setting = address(page)["lanes"].split(",")[1]
    chunks = made(setting).chunks
    assert setting.startswith("structural:alpha=0.53;percentile=")
    expect(page.locator(PANE)).to_have_attribute("data-chunks", str(len(chunks)))
    expect(row(page, 2).locator(".wb-lane-count")).to_have_text(str(len(chunks)))
    expect(row(page, 2).locator(".wb-lane-name")).to_contain_text("α 0.53")
    expect(page.get_by_role("slider", name=re.compile("^α"))).to_be_focused()
    # The control of the same lane shows it too, and moves the workbench.
    page.locator(".st-key-_strategies button").first.click()
    field = page.locator(".st-key-_lane_structural_max_tokens input")
    field.fill("100")
    field.press("Enter")
    page.wait_for_function("() => decodeURIComponent(location.search).includes('max_tokens=100')")
    limited = made(address(page)["lanes"].split(",")[1])
    expect(page.locator(PANE)).to_have_attribute("data-chunks", str(len(limited.chunks)))


def test_lanes_stand_side_by_side_line_by_line(visit: Visit, fresh_server: str) -> None:
    offset = offsets("section")[5]
    page = visit(f"/compare?doc={SAMPLE}&lanes={LANES}&columns=2-3&at={offset}&part=2000-6000", at=fresh_server)
    errors = watched(page)
    side = page.locator(".wb-side")
    expect(side.locator("select")).to_have_count(2)
    for column, setting in enumerate(("heading", "recursive")):
        pane = side.locator(".wb-page").nth(column)
        expect(pane).to_have_attribute("data-chunks", str(len(made(setting).chunks)))
    tops = side.locator("article").evaluate_all(
        "articles => articles.map(each => [...each.querySelectorAll('p, .cs-heading')].map(p => p.offsetTop))"
    )
    assert tops[0] == tops[1] and len(tops[0]) > 20
    disputed = set(offsets("heading")) ^ set(offsets("recursive"))
    expect(side.locator(".wb-side-counter")).to_have_text(f"{len(disputed)} differences · n and p go through them")
    side.locator(".wb-side-pane").press("n")
    expect(side.locator(".wb-side-counter")).to_have_text(re.compile(rf"^difference \d+ of {len(disputed)}$"))
    side.get_by_role("button", name="Another column").click()
    expect(side.locator("select")).to_have_count(3)
    page.wait_for_url("**columns=2-3-1*")
    side.get_by_label("Lane in column 1").select_option("2")
    page.wait_for_url("**columns=3-2-1*")
    side.get_by_role("button", name="Remove column 1").click()
    page.wait_for_url("**columns=2-1*")
    page.get_by_role("button", name="Side by side").click()
    page.wait_for_function("() => !location.search.includes('columns=')")
    expect(page.locator(PANE)).to_be_visible()
    expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
    assert address(page)["part"].startswith("2000-6000")
    assert errors == []


def test_a_part_of_the_document_can_be_looked_at(visit: Visit) -> None:
    page = visit(f"/compare?doc={SAMPLE}&lanes={LANES}")
    out = page.locator(".wb-lane-axis").get_by_role("button", name="Zoom out")
    expect(out).to_be_disabled()
    page.locator(".wb-lane-axis").get_by_role("button", name="Zoom in").click()
    page.wait_for_url("**part=*")
    start, _, end = address(page)["part"].partition("@")[0].partition("-")
    length = len(samples.load(SAMPLE).document.text)
    assert int(start) == pytest.approx(length / 4, abs=1) and int(end) == pytest.approx(3 * length / 4, abs=1)
    out.click()
    page.wait_for_function("() => !location.search.includes('part=')")


def test_the_lane_to_change_stays_chosen_when_its_name_changes(visit: Visit) -> None:
    page = visit(f"/compare?doc={SAMPLE}&lanes={LANES}")
    page.locator(".st-key-_strategies button").first.click()
    lane = page.get_by_role("radiogroup", name="Strategy to edit").locator("label", has_text="2 · Headings")
    lane.click()
    expect(page.get_by_role("radio", name="2 · Headings")).to_be_checked()
    for value in ("3", "2"):
        settled(page)
        field = page.get_by_label("Heading level", exact=True)
        field.fill(value)
        field.press("Enter")
        settled(page)
    page.wait_for_url("**level%3D2*")
    expect(page.get_by_role("radio", name="2 · Headings")).to_be_checked()
    expect(row(page, 2)).to_have_class(re.compile("wb-on"))


def test_a_setting_that_another_lane_has_is_refused_and_the_slider_returns(visit: Visit) -> None:
    page = visit(f"/compare?doc={SAMPLE}&lanes=structural:alpha%3D0.5,structural:alpha%3D0.51")
    slider = page.get_by_role("slider", name=re.compile("^α"))
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Another lane has this setting already")).to_be_visible()
    expect(slider).to_have_value("0.5")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => decodeURIComponent(location.search).includes('alpha=0.49')")
    expect(page.get_by_text("Another lane has this setting already")).to_have_count(0)


def test_a_lane_is_opened_in_inspect_and_one_step_leads_back(visit: Visit) -> None:
    page = visit(f"/compare?doc={SAMPLE}&lanes=section,structural:alpha%3D0.2")
    row(page, 2).locator(".wb-lane-name").click()
    page.get_by_role("button", name="Open in Inspect").click()
    page.wait_for_function(
        "() => location.pathname === '/' && decodeURIComponent(location.search).includes('alpha=0.2')"
    )
    chunks = len(made("structural:alpha=0.2").chunks)
    expect(page.locator(".wb-strip")).to_be_visible()
    expect(page.locator(PANE)).to_have_attribute("data-chunks", str(chunks))
    settled(page)
    page.go_back()
    expect(page.locator(".wb-lane-name")).to_have_count(2)
    page.wait_for_function("() => decodeURIComponent(location.search).includes('lanes=section,structural:alpha=0.2')")

    # That no other host was asked is checked where the page is closed.


def test_a_row_of_the_table_leads_to_its_chunk(visit: Visit) -> None:
    page = visit(f"/compare?doc={SAMPLE}&lanes={LANES}&show=Chunks")
    table = page.get_by_test_id("stDataFrame")
    table.scroll_into_view_if_needed()
    box = grid_drawn(table)
    page.mouse.click(box["x"] + 18, box["y"] + 35 * 3.5)  # the mark of the third row
    offset = offsets("section")[1]
    page.wait_for_url(f"**at={offset}*")
    expect(page.locator(".wb-panel h2:visible")).to_contain_text("Start of chunk 3")
    expect(page.locator("[data-chunk='3']")).to_be_in_viewport()
