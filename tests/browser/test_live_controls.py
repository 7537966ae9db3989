"""Curve, threshold and boundaries follow a control while it is moved, before Python answers."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
from playwright.sync_api import Locator, Page, expect

from chunking import samples, strategies
from chunking.strategies import Segmentation
from chunking.workspace import Workspace
from tests.browser.conftest import Visit
from tests.browser.server import answered, drawn, settled, standing

SAMPLE = "field-guide-to-backups"
LANES = "structural,percentile,standard_deviation,section"
_RECORD = """
() => {
  window.csSeen = [];
  window.csCuts = null;
  window.csMinima = [];
  window.csFused = null;
  addEventListener('chunkscope:previewed', ({ detail: { setting, cuts: { boundaries, exceeding, fused } } }) => {
    window.csMinima.push(setting.minimum);
    window.csFused = fused;
    window.csSeen.push(document.querySelector('.cs-thinned').textContent);
    window.csCuts = { boundaries, exceeding };
  }, true);
}
"""
_STROKES = """(canvas, [top, bottom]) => {
  const ratio = canvas.width / canvas.clientWidth;
  const height = Math.round((bottom - top) * ratio);
  const { data } = canvas.getContext('2d').getImageData(0, Math.round(top * ratio), canvas.width, height);
  let runs = 0;
  for (let x = 0, before = false; x < canvas.width; x++) {
    let ink = false;
    for (let y = 0; y < height; y++) ink ||= data[4 * (y * canvas.width + x) + 3] > 127;
    runs += Number(ink && !before);
    before = ink;
  }
  return runs;
}"""

_CAUGHT_UP = """() => {
  const { csSeen, csCaught } = window;
  const still = csSeen.length && csCaught?.seen === csSeen.length ? csCaught.still + 1 : 0;
  window.csCaught = { seen: csSeen.length, still: still < 6 ? still : 0 };
  return still === 6;
}"""
"""Whether all that a control shows has been drawn: a drag reaches the picture some frames later."""

_UNMARKED = """() => {
  const { _fullLayout: { xaxis, yaxis, _size: { l, t } } } = document.querySelector('.js-plotly-plot');
  const canvas = document.querySelector('.cs-live-layer');
  const ratio = canvas.width / canvas.clientWidth;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return window.csCuts.boundaries.filter((gap) => {
    const [x, y] = [l + xaxis.c2p(gap + 1), t + yaxis.c2p(window.csFused[gap])];
    return !data[4 * (Math.floor(y * ratio) * canvas.width + Math.floor(x * ratio)) + 3];
  });
}"""
"""Boundaries without ink where they lie."""


def opened(page: Page) -> None:
    drawn(page)
    settled(page)
    page.evaluate(_RECORD)


def thumb(page: Page, name: str, before: str = "structural") -> tuple[float, float]:
    box = standing(page.locator(f".st-key-{before}_{name} [data-testid=stSliderThumbValue]").locator(".."))
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def pull(page: Page, place: tuple[float, float], pixels: int) -> None:
    """Drag from a place to the right, and hold."""
    page.evaluate("window.csSeen = []")
    x, y = place
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 11):
        page.mouse.move(x + pixels * step / 10, y)
        next_frame(page)
    caught_up(page)


def caught_up(page: Page) -> None:
    page.wait_for_function(_CAUGHT_UP)


def previewed(page: Page) -> list[str]:
    found: list[str] = page.evaluate("window.csSeen")
    return found


def cuts(page: Page) -> dict[str, list[int]]:
    """What was drawn last before Python answered."""
    found: dict[str, list[int]] = page.evaluate("window.csCuts")
    return found


def strokes(page: Page, top: float, bottom: float) -> int:
    """Strokes on the canvas between two heights of the plot."""
    count: int = page.locator(".cs-live-layer").first.evaluate(_STROKES, [top, bottom])
    return count


def made(page: Page, name: str, lane: int = 0) -> tuple[Workspace, Segmentation]:
    """What the engine makes of the setting in the address."""
    line = parse_qs(urlsplit(page.url).query)[name][0].split(",")[lane]
    sample = samples.load(SAMPLE)
    workspace = Workspace(sample.document, precomputed=sample.precomputed)
    return workspace, strategies.parse(line).run(workspace)


def released(page: Page) -> None:
    """Let go, and wait until Python's picture stands."""
    with answered(page):
        page.mouse.up()
    expect(page.locator(".cs-previewing")).to_have_count(0)


def next_frame(page: Page) -> None:
    page.evaluate("() => new Promise(requestAnimationFrame)")


def chart(page: Page) -> Locator:
    return page.locator(".cs-chart").first


def counted(words: str) -> int:
    """The number of boundaries in what is written below the chart."""
    found = re.match(r"([\d,]+) boundar", words)
    assert found, words
    return int(found[1].replace(",", ""))


# ---- Tune


def strip(page: Page) -> tuple[float, float]:
    """Top and bottom of the strip of cuts in the plot."""
    found: list[float] = page.locator(".cs-landscape .js-plotly-plot").evaluate(
        "({ _fullLayout: { yaxis } }) => [1.075, 1.025].map(alpha => yaxis._offset + yaxis.c2p(alpha))"
    )
    return found[0] + 1, found[1] - 1


def test_the_landscape_moves_before_the_slider_is_released(visit: Visit) -> None:
    page = visit(f"/tune?doc={SAMPLE}")
    page.locator(".cs-landscape image").first.wait_for()
    opened(page)
    ramp = "canvas => canvas.toDataURL()"
    for name, pixels in (("alpha", 50), ("percentile", -40)):
        before = page.locator(".cs-landscape .cs-ramp").evaluate(ramp)
        pull(page, thumb(page, name), pixels)
        expect(page.locator(".cs-landscape")).to_have_class(re.compile("cs-previewing"))
        now = cuts(page)["exceeding"]
        during = page.locator(".cs-landscape .cs-ramp").evaluate(ramp)
        assert (during != before) == (name == "percentile"), "the scale parts what is cut from what is not"
        assert counted(page.locator(".cs-landscape .cs-thinned").inner_text()) == len(now), name
        assert strokes(page, *strip(page)) == len(now), name
        expect(page.locator(".cs-plane .cs-live-layer")).to_be_visible()
        released(page)
        assert page.locator(".cs-landscape .cs-ramp").evaluate(ramp) == during, name
        _, answer = made(page, "strategy")
        assert answer.signals
        assert np.flatnonzero(answer.signals.threshold.exceeded).tolist() == now, name
        expect(page.locator(".cs-live-layer:visible")).to_have_count(0)
    # What the size limits leave is counted while they move.
    page.evaluate("window.csSeen = []")
    page.locator(".st-key-structural_min_tokens input").fill("300")
    note = page.locator(".cs-landscape .cs-thinned")
    expect(note).to_contain_text("after size limits")
    caught_up(page)
    left = re.search(r"([0-9]+) after size limits", note.inner_text())
    assert left
    with answered(page):
        page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("min_tokens%3D300"))
    _, answer = made(page, "strategy")
    assert len(answer.chunks) - 1 == int(left[1])


# ---- all pages


def test_a_label_shows_that_its_number_can_be_dragged(visit: Visit) -> None:
    page = visit("/tune")
    label = page.locator(".st-key-structural_min_tokens label p")
    standing(label)
    settled(page)
    label.hover()
    expect(label).to_have_css("cursor", "ew-resize")
    expect(label).to_have_attribute("title", "Drag to change the number")
    other = page.locator(".st-key-structural_percentile label p")
    other.hover()
    expect(other).not_to_have_css("cursor", "ew-resize")
    page.get_by_test_id("stTopNavLink").filter(has_text="Collection").click()
    page.locator(".cs-row canvas").first.wait_for()
    settled(page)
    page.wait_for_function("() => document.adoptedStyleSheets.length === 0")  # nothing of a chart that is gone stays
