"""What only a browser shows of the Compare page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from chunking import samples, strategies
from chunking.workspace import Workspace
from tests.browser.conftest import Visit
from tests.browser.plots import PLOT, axis_range, zoom
from tests.browser.server import grid_drawn, recolour, settled, standing, uploader
from tests.browser.test_inspect import HOSTILE

LANES = "section,heading,recursive"
SAMPLE = "field-guide-to-backups"
SCROLLER = ".cs-side .cs-scroller"


def offsets(setting: str) -> list[int]:
    """Where a strategy cuts the sample, as the engine says."""
    sample = samples.load(SAMPLE)
    made = strategies.parse(setting).run(Workspace(sample.document, precomputed=sample.precomputed))
    return [chunk.start for chunk in made.chunks if chunk.start]


STROKES = """(plot, row) => plot.layout.shapes
  .filter(shape => shape.yref === 'y3' && !shape.path.includes('Z'))
  .flatMap(shape => [...shape.path.matchAll(/M[^,]+,(-?[0-9.]+)V(-?[0-9.]+)/g)])
  .filter(([, low, high]) => Math.round((Number(low) + Number(high)) / 2) === row).length"""


def strokes(page: Page, row: int) -> int:
    """Strokes that are drawn in a lane, of every look; gold is row 0."""
    count: int = page.locator(PLOT).evaluate(STROKES, row)
    return count


def place(page: Page, row: int, offset: int) -> tuple[float, float]:
    """Where on the screen a character stands in a lane, while the axis counts characters."""
    box = standing(page.locator(f"{PLOT} .nsewdrag").first)
    label = standing(page.locator(f".cs-label[data-row='{row}']"))
    low, high = axis_range(page)
    return box["x"] + (offset - low) / (high - low) * box["width"], label["y"] + label["height"] / 2


def watched(page: Page) -> list[str]:
    """Collects errors of the page and of its console from now on."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    return errors


def chosen(page: Page) -> str:
    found = re.search(r"at=([0-9]+)", page.url)
    return found[1] if found else ""


def test_strokes_stand_at_the_boundaries_and_a_click_on_one_chooses_its_offset(visit: Visit) -> None:
    page = visit(f"/compare?lanes={LANES}&axis=characters&columns=1-3")
    errors = watched(page)
    assert strokes(page, 0) == len(samples.load(SAMPLE).gold)
    for row, setting in enumerate(LANES.split(","), 1):
        assert strokes(page, row) == len(offsets(setting)), setting
    counter = page.locator(".cs-side .cs-counter")
    differences = len(set(offsets("section")) ^ set(offsets("recursive")))
    expect(counter).to_have_text(f"{differences} differences")
    # A click in the columns marks the place in the lanes.
    expect(page.locator(".cs-place-line")).to_be_hidden()
    page.locator(".cs-side .cs-head .cs-first").nth(2).click()
    expect(page.locator(".cs-place-line")).to_be_visible()
    page.wait_for_url("**at=*")
    assert int(chosen(page)) in {0, *offsets("section"), *offsets("recursive")}
    settled(page)
    # A click on a stroke chooses its offset, and the columns go there.
    offset = offsets("section")[9]
    page.mouse.click(*place(page, 1, offset))
    page.wait_for_url(f"**at={offset}*")
    begins = samples.load(SAMPLE).document.text[offset : offset + 24].lstrip("# ")  # marks of a heading stand apart
    page.wait_for_function(
        """([box, text]) => {
          const piece = [...box.querySelectorAll('.cs-body span')].find(node => node.textContent.includes(text));
          const top = piece?.getBoundingClientRect().top - box.getBoundingClientRect().top;
          return top > 0 && top < box.clientHeight;
        }""",
        arg=[page.locator(SCROLLER).element_handle(), begins],
    )
    page.locator(f"{PLOT}").first.hover()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**at={offsets('section')[10]}*")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !location.search.includes('at=')")
    settled(page)
    # Keys go through the differences.
    position = int(re.findall(r"\d+", counter.inner_text())[0])
    page.locator(SCROLLER).focus()
    for key, step in (("n", 1), ("n", 2), ("p", 1)):
        page.keyboard.press(key)
        expect(counter).to_have_text(f"difference {position + step} of {differences}")
    page.locator(".cs-side .cs-legend [data-term=boundary]").hover()
    expect(page.locator(".cs-definition")).to_contain_text("boundary")
    # The names of the lanes can be read.
    for scheme in ("dark", "light"):
        recolour(page, scheme)
        for kind in ("gold", "strategy", "ribbon"):
            assert _contrast(page, f".cs-label[data-kind='{kind}']") >= 4.5, (scheme, kind)
    assert errors == []


def test_zoom_survives_a_parameter_and_a_unit_and_takes_the_columns_along(visit: Visit) -> None:
    page = visit(f"/compare?lanes={LANES}&axis=characters")
    zoom(page, 0.5, 0.7)
    page.wait_for_url("**part=*")
    zoomed = axis_range(page)
    assert zoomed[1] - zoomed[0] < 4000
    page.wait_for_function("box => box.scrollTop > 1000", arg=page.locator(SCROLLER).element_handle())
    node = page.locator(PLOT).element_handle()
    before = strokes(page, 1)
    field = page.get_by_label("Maximum", exact=True)
    field.fill("60")
    field.press("Enter")
    page.wait_for_url("**max_tokens%3D60*")
    settled(page)
    expect(page.get_by_text("Lane 1 since its last change")).to_be_visible()
    page.wait_for_function(f"([plot, before]) => ({STROKES})(plot, 1) > before", arg=[node, before])
    assert axis_range(page) == pytest.approx(zoomed)
    page.get_by_role("radio", name="sentences").click()
    page.wait_for_function("plot => plot._fullLayout.xaxis.range[1] < 200", arg=node)
    settled(page)
    page.get_by_role("radio", name="characters").click()
    page.wait_for_function("plot => plot._fullLayout.xaxis.range[1] > 200", arg=node)
    assert axis_range(page) == pytest.approx(zoomed, abs=2)
    assert page.evaluate("node => node.isConnected", node), "the lanes were mounted anew"


def test_the_lane_to_change_stays_chosen_when_its_name_changes(visit: Visit) -> None:
    page = visit(f"/compare?lanes={LANES}")
    # The page shows the same name elsewhere, and sooner than the sidebar draws its own.
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


def test_a_deep_link_reproduces_the_view_on_a_fresh_server(visit: Visit, fresh_server: str) -> None:
    offset = offsets("section")[5]
    page = visit(
        f"/compare?doc={SAMPLE}&lanes={LANES}&columns=2-3&axis=characters&at={offset}&part=2000-6000", at=fresh_server
    )
    assert axis_range(page) == pytest.approx([2000, 6000], abs=1)
    expect(page.locator(".cs-side .cs-column-title b")).to_have_text(["2 · Headings", "3 · Recursive"])
    assert chosen(page) == str(offset)
    expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)


def test_markup_in_texts_and_names_is_only_text(visit: Visit, tmp_path: Path) -> None:
    page = visit(f"/compare?lanes={LANES}")
    errors = watched(page)
    path = tmp_path / "**bold** $x$ :material-delete: <img src=x onerror=window.hacked=9>.md"
    path.write_text(HOSTILE, encoding="utf-8")
    uploader(page).set_input_files(path)
    expect(page.locator(".cs-side .cs-list")).to_contain_text("<script>window.hacked = 1</script>", timeout=60_000)
    page.keyboard.press("Escape")
    chunks = tmp_path / "<img src=x onerror=window.hacked=8> **b**.json"
    chunks.write_text(json.dumps([{"text": part} for part in HOSTILE.split("\n\n")]), encoding="utf-8")
    page.get_by_role("button", name="Your own chunks").click()
    page.get_by_role("region", name="A file of chunks").locator("input[type=file]").first.set_input_files(chunks)
    expect(page.locator(".cs-label", has_text="4 · yours: <img")).to_be_visible()
    page.keyboard.press("Escape")
    for view in ("Sizes", "Requested vs. actual", "Agreement"):
        page.get_by_role("radio", name=view).click()
        settled(page)
    assert page.evaluate("window.hacked") is None
    assert page.locator("[data-testid='stMain'] img[src='x'], .cs img, .cs-side img, .cs-side form").count() == 0
    assert errors == []
    # That no other host was asked is checked where the page is closed.


def test_a_row_of_the_table_leads_to_its_chunk(visit: Visit) -> None:
    page = visit(f"/compare?lanes={LANES}&show=Chunks")
    table = page.get_by_test_id("stDataFrame")
    box = grid_drawn(table)
    page.mouse.click(box["x"] + 18, box["y"] + 35 * 3.5)  # the mark of the third row
    page.wait_for_url("**at=*")
    expect(page.locator(".cs-side .cs-column-title b").first).to_have_text("1 · Sections")
    assert int(chosen(page)) == offsets("section")[1]


def test_nothing_is_wider_than_the_window(visit: Visit) -> None:
    page = visit(f"/compare?lanes={LANES},sentence&show=Asked+and+got")
    for width in (1400, 700):
        page.set_viewport_size({"width": width, "height": 900})
        settled(page)
        page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
        main = page.get_by_test_id("stMain").element_handle()
        page.wait_for_function("node => node.scrollWidth <= node.clientWidth", arg=main)
        if width == 1400:
            wide = page.locator(".cs-wide")
            assert wide.evaluate("node => node.scrollWidth <= node.clientWidth"), "the table is scrolled sideways"
        expect(page.get_by_role("button", name="Export")).to_be_visible()


def _contrast(page: Page, selector: str) -> float:
    """Contrast (WCAG) of a text with the page behind it."""
    colours: Any = page.locator(selector).first.evaluate(
        "node => [getComputedStyle(node).color, getComputedStyle(document.querySelector('.stApp')).backgroundColor]"
    )

    def luminance(colour: str) -> float:
        parts = [float(part) / 255 for part in re.findall(r"[0-9.]+", colour)[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted(map(luminance, colours), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_lanes_are_there_again_after_another_page(visit: Visit) -> None:
    page = visit(f"/compare?lanes={LANES}&columns=2-3&show=Side+by+side&at=853")
    page.get_by_test_id("stTopNavLink").filter(has_text="Inspect").click()
    expect(page.locator(".wb-panel")).to_be_visible()
    settled(page)
    expect(page).not_to_have_url(re.compile("lanes="))
    page.get_by_test_id("stTopNavLink").filter(has_text="Compare").click()
    expect(page.locator(".cs-label[data-row='3']")).to_be_visible()
    settled(page)
    for part in (r"lanes=section(,|%2C)heading(,|%2C)recursive", "columns=2-3", "at=853"):
        expect(page).to_have_url(re.compile(part))
