"""What only a browser shows of the Evaluate page."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from chunking import evaluation
from chunking.evaluation import own
from chunking.report import theme
from tests.browser.conftest import Visit
from tests.browser.server import grid_drawn, recolour, settled

LANES = "heading,recursive,paragraph"
CHART = ".evaluation .chart"


def opened(visit: Visit, path: str) -> Page:
    """The page at an address."""
    return visit(path, ready=settled)


def places(page: Page) -> dict[str, float]:
    """Where each row's dot stands, in pixels from the left end of the axis."""
    found: dict[str, float] = page.locator(CHART).evaluate(
        """chart => Object.fromEntries([...chart.querySelectorAll('.row:not(.axis)')].map(row => {
          const track = row.querySelector('.track').getBoundingClientRect();
          const dot = row.querySelector('.dot').getBoundingClientRect();
          return [row.querySelector('span').textContent, (dot.left + dot.right) / 2 - track.left];
        }))"""
    )
    return found


def test_the_dots_of_the_figure_stand_where_their_means_are(visit: Visit) -> None:
    shown = evaluation.summarize(evaluation.evaluate(own.of_samples(), evaluation.read_settings(LANES, {})))
    page = opened(visit, f"/evaluate?lanes={LANES}&result=Figures")
    for scheme in ("light", "dark"):
        recolour(page, scheme)
        expect(page.locator(CHART)).to_be_visible()
        found = places(page)
        means = {name: row.measures["f1"].mean or 0.0 for name, row in shown.strategies.items()}
        assert found.keys() == means.keys()
        scale = found["heading"] / means["heading"]
        assert scale > 100
        for name, mean in means.items():
            assert abs(found[name] - scale * mean) < 1.5, name
        palette = {"light": theme.LIGHT, "dark": theme.DARK}[scheme]
        expected = getattr(palette, theme.ENTRY_ROLES["strategy"])
        color = f"rgb{tuple(bytes.fromhex(expected.removeprefix('#')))}"
        expect(page.locator(f"{CHART} .dot").first).to_have_css("background-color", color)


def test_a_file_is_evaluated_and_its_upload_closes(visit: Visit, tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    rows = [{"id": str(n), "units": ["Tea.", "Tea pot.", "Bread."], "boundaries": [2], "lang": "en"} for n in range(3)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    page = opened(visit, f"/evaluate?lanes={LANES}")
    page.get_by_role("button", name="Add a data set").click()
    with page.expect_response(lambda response: "upload_file" in response.url):
        page.locator("input[type=file]").set_input_files(path)
    page.wait_for_url("**set=turns.jsonl*")
    settled(page)
    expect(page.get_by_text("turns.jsonl", exact=True).first).to_be_visible()
    expect(page.locator("input[type=file]")).to_have_count(0)
    expect(page.locator(".cs-figures").first).to_contain_text(re.compile(r"3\s*documents"))


def test_a_cell_opens_its_document_with_its_strategy(visit: Visit) -> None:
    page = opened(visit, "/evaluate?lanes=structural:alpha=0.3&result=Documents")
    grid = page.get_by_test_id("stDataFrame").first
    grid.click(position={"x": grid_drawn(grid)["width"] - 60, "y": 55})
    page.get_by_role("button", name="Open in Inspect").click()
    page.wait_for_url("**alpha%3D0.3*")
    settled(page)
    expect(page.get_by_role("slider", name="α")).to_have_value("0.3")
