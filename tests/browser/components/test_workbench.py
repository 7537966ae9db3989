"""What the hand has moved in a workbench outlasts what Python sends meanwhile."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from chunking import DocumentAnalysis, Models, samples, strategies
from chunking.reference import Reference
from chunking.standalone import controls
from chunking.standalone.data import document_data, lane_data
from pages.shared.components.workbench import (
    Rest,
    WorkbenchHead,
    WorkbenchLane,
    pack_data,
    send_data,
    workbench,
    workbench_rest,
)
from tests.browser.components.conftest import ComponentPage
from tests.browser.server import standing

Setting = Mapping[str, Any]


@cache
def _parts() -> tuple[dict[str, Any], dict[str, Any], Setting]:
    """The data of a sample and of a strategy, and the setting of its sliders."""
    workspace = DocumentAnalysis(samples.load("harbour-report").document, Models(encoder="static"))
    made = strategies.parse("structural").run(workspace)
    document = document_data(workspace, Reference(), None)
    return document, lane_data(workspace, made, (), "structural"), controls.setting_values(made.params, made.strategy)


@dataclass
class WorkbenchScript:
    """Draws a workbench that begins with the default setting, whatever is reported.

    Attributes:
        encoder: that the names of its data tell.
        reports: what the browser has reported.
    """

    encoder: str = "static"
    reports: list[Rest] = field(default_factory=list)

    def __call__(self) -> str:
        document, lane, setting = _parts()
        source, name = f"harbour/{self.encoder}", f"structural/{self.encoder}"
        send_data([pack_data(source, document), pack_data(name, lane)])
        shown: WorkbenchLane = {"source": name, "label": "structural", "title": "structural", "setting": setting}
        head: WorkbenchHead = {
            "document": "harbour", "source": source, "lanes": [shown], "comparison": False, "lane": 0,
            "selected": None, "columns": [], "view": None, "pinned": None, "facts": [], "pages": None,
            "revision": 1, "received": self.reports[-1].number if self.reports else 0, "remote": True,
            "editable": False, "by_hand": None, "by_hand_received": 0, "cut_before": None, "decided_before": [],
        }  # fmt: skip
        workbench("workbench", head, self._take)
        return f"{self.encoder}: {len(self.reports)} reports"

    def _take(self) -> None:
        rest = workbench_rest("workbench")
        if rest is not None:
            self.reports.append(rest)


@pytest.fixture
def script(components: ComponentPage) -> WorkbenchScript:
    script = WorkbenchScript()
    components.open(script)
    expect(components.page.locator("[data-verdict]")).to_contain_text("chunks")
    return script


def slider(page: Page) -> Locator:
    return page.get_by_role("slider", name="Percentile")


def press(page: Page) -> tuple[float, float]:
    """Press the button of the mouse on the thumb of the slider; return where that is."""
    box = standing(slider(page))
    low, high, now = slider(page).evaluate("slider => [slider.min, slider.max, slider.value].map(Number)")
    x, y = box["x"] + 9 + (box["width"] - 18) * (now - low) / (high - low), box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    return x, y


def chosen_gap(page: Page) -> str:
    """The words before the chosen gap."""
    return page.locator(".wb-panel blockquote").first.inner_text()


CHOOSE_AND_MOVE = """
  const root = [...document.querySelectorAll('*')].find((element) => element.shadowRoot).shadowRoot;
  const pane = root.querySelector('.wb-pane');
  for (let count = 0; count < 7; count++) pane.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
  const slider = [...root.querySelectorAll('input')].find(({ ariaLabel }) => ariaLabel.startsWith('Percentile'));
  slider.value = '60';
  slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
"""
"""Chooses a cut and moves a slider in one task, so that their report still waits when other data come."""


AFTER_TIMERS = "new Promise((done) => setTimeout(done, 400))"
"""Comes after the timer of every report that waits already: they are set for less."""


def test_what_waits_for_its_report_outlasts_other_data(components: ComponentPage, script: WorkbenchScript) -> None:
    page = components.page
    example = chosen_gap(page)
    script.encoder = "all-MiniLM-L6-v2"
    components.run(CHOOSE_AND_MOVE)
    expect(page.locator("body > output")).to_have_text("all-MiniLM-L6-v2: 1 reports")
    expect(slider(page)).to_have_value("60")
    assert chosen_gap(page) != example
    page.evaluate(AFTER_TIMERS)
    script.encoder = "char-ngrams"
    components.run()
    expect(page.locator("body > output")).to_have_text("char-ngrams: 1 reports")
    assert script.reports[0].gap is not None
    assert [moved.setting["amount"] for moved in script.reports[0].changes] == [60]


def test_other_data_wait_for_the_hand_on_a_slider(components: ComponentPage, script: WorkbenchScript) -> None:
    page = components.page
    x, y = press(page)
    page.mouse.move(x - 40, y)
    moved = slider(page).input_value()
    script.encoder = "all-MiniLM-L6-v2"
    components.run()
    page.mouse.move(x - 80, y, steps=4)
    assert slider(page).input_value() != moved, "the hand still holds it"
    moved = slider(page).input_value()
    page.mouse.up()
    expect(page.locator("body > output")).to_have_text(re.compile("all-MiniLM-L6-v2: [1-9] reports"))
    expect(slider(page)).to_have_value(moved)


def test_a_slider_that_was_pressed_and_not_moved_is_let_go(components: ComponentPage, script: WorkbenchScript) -> None:
    page = components.page
    press(page)
    page.mouse.up()
    page.locator(".wb-pane").press("n")
    expect(page.locator("body > output")).to_have_text("static: 1 reports")
    assert script.reports[0].gap is not None
