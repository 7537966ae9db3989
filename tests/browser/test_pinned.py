"""What only a browser shows of a pinned setting: the chart that keeps it while a control is dragged."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.server import answered, drawn, recolour

_DRAWN = """() => {
  const { _fullData: data, _fullLayout: layout } = document.querySelector(".cs-chart .cs-plot");
  const of = (uid) => data.find((trace) => trace.uid === uid);
  const marks = (uid) => of(uid)?.x.length ?? 0;
  return {
    curve: of("pinned") ? [...of("pinned").y].slice(0, 20) : null, fused: [...of("fused").y].slice(0, 20),
    same: marks("pinned-row-same") / 2, only: marks("pinned-row-only"), range: layout.xaxis.range,
    rows: layout.yaxis3?.ticktext ?? null,
  };
}"""
"""What Plotly has drawn of both settings."""

_INK = """() => {
  const canvas = document.querySelector(".cs-live-layer");
  const { yaxis3, _size: size } = document.querySelector(".cs-chart .cs-plot")._fullLayout;
  const ratio = devicePixelRatio;
  const box = [size.l, yaxis3._offset, size.w, yaxis3._length].map((each) => Math.round(each * ratio));
  const { data } = canvas.getContext("2d").getImageData(...box);
  return data.reduce((sum, value, at) => sum + (at % 4 === 3 && value > 0 ? 1 : 0), 0);
}"""
"""Pixels that the live layer has drawn in the rows."""


def counts(page: Page) -> list[int]:
    """Boundaries that the words count: in both settings, only in the shown one, only in the pinned one."""
    return [int(number.inner_text()) for number in numbers(page)]


def numbers(page: Page) -> list[Locator]:
    found = page.locator(".st-key-_pinned .cs-figures > div > b")
    expect(found).to_have_count(5)  # with the chunks and the tokens of the pinned one
    return found.all()[:3]


def test_the_chart_keeps_what_is_pinned_while_the_other_setting_moves(visit: Visit) -> None:
    page = visit("/?view=10-60")
    with answered(page):
        page.get_by_role("button", name="Pin this setting").click()
    page.wait_for_function(f"() => ({_DRAWN})().curve !== null")
    before = page.evaluate(_DRAWN)
    assert before["curve"] == before["fused"] and before["only"] == 0 and before["rows"] == ["pinned", "shown"]
    slider = page.get_by_role("slider", name="α")
    slider.focus()
    # Python's picture may have taken its place before one could look at it.
    page.evaluate(
        f"() => {{ window.ink = 0; addEventListener('chunkscope:previewed', () => {{ window.ink = ({_INK})(); }}); }}"
    )
    with answered(page):
        slider.press("End")
    assert page.evaluate("() => window.ink") > 0
    page.wait_for_function(f"() => ({_DRAWN})().only > 0")
    after = page.evaluate(_DRAWN)
    assert after["curve"] == before["curve"] and after["fused"] != before["curve"]
    assert after["range"] == before["range"], "the zoom stays"
    expect(page.locator(".cs-pinned")).to_contain_text("α 1.0 shown, 0.5 pinned")
    page.reload()
    drawn(page)
    page.wait_for_function(f"() => ({_DRAWN})().only > 0")
    assert page.evaluate(_DRAWN) == after


def test_what_is_drawn_is_what_the_words_count(visit: Visit) -> None:
    page = visit("/?strategy=changepoint&pinned=structural:percentile%3D70.0")
    both, only_shown, only_pinned = counts(page)
    for scheme in ("light", "dark"):
        recolour(page, scheme)
        page.wait_for_function(f"() => ({_DRAWN})().only > 0")
        shown = page.evaluate(_DRAWN)
        assert (shown["same"], shown["only"]) == (both, only_shown + only_pinned), scheme
    with answered(page):
        page.get_by_role("button", name="Swap").click()
    expect(page.get_by_role("combobox", name="Strategy")).to_have_value("structural")
    page.wait_for_function(f"both => ({_DRAWN})().same === both", arg=both)
    for number, count in zip(numbers(page), (both, only_pinned, only_shown), strict=True):
        expect(number).to_have_text(str(count))
    with answered(page):
        page.get_by_role("button", name="Unpin").click()
    page.wait_for_function(f"() => ({_DRAWN})().rows === null")
    expect(page.locator(".st-key-_pinned")).to_have_count(0)
