"""What only a browser shows of the address: messages that cross, and the way back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Tab, Visit
from tests.browser.server import answered, choose, drawn, settled

STRATEGY = "structural%3Aalpha%3D0.8%3Bpercentile%3D80.0"
SLOWER = 4
"""How many times slower a page is throttled to be."""
AT_RATES = pytest.mark.parametrize(
    "rate", [pytest.param(1, id="quick"), pytest.param(SLOWER, id="slow", marks=pytest.mark.extended)]
)
"""Chromium slows a page down by keeping a processor busy, which the rest of the tests would wait for."""
HOLD_ANSWERS = """() => {
  const listen = WebSocket.prototype.addEventListener;
  const held = [];
  let holds = false;
  WebSocket.prototype.addEventListener = function (type, listener, options) {
    const later = event => (holds ? held.push(() => listener.call(this, event)) : listener.call(this, event));
    listen.call(this, type, type === "message" ? later : listener, options);
  };
  window.holdAnswers = () => { holds = true; };
  window.releaseAnswers = () => { holds = false; held.splice(0).forEach(deliver => deliver()); };
}"""
"""Lets a page hold what the server sends until it is released."""
DROP_REPORTS = """() => {
  const send = WebSocket.prototype.send;
  Object.assign(window, { dropped: 0, isDropping: false });
  WebSocket.prototype.send = function (data) {
    if (window.isDropping) window.dropped++;
    else send.call(this, data);
  };
}"""
"""Lets a page lose what it sends, as a server does that gets two reports while it is busy: it takes the last."""


Throttle = Callable[[Page, int], None]


@pytest.fixture
def throttle(tab: Tab) -> Iterator[Throttle]:
    """Lets a page have as many times less processor time, until the test ends and another one has its tab."""
    sessions = []

    def slow_down(page: Page, rate: int) -> None:
        if rate == 1:
            return
        sessions.append(page.context.new_cdp_session(page))
        sessions[-1].send("Emulation.setCPUThrottlingRate", {"rate": rate})

    yield slow_down
    for session in sessions:
        session.detach()


def thumb(page: Page, label: str) -> Locator:
    return page.get_by_role("slider", name=label)


def press(page: Page, label: str, key: str) -> None:
    slider = thumb(page, label)
    slider.focus()
    slider.press(key)


def strategy(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Strategy")


def step_back(page: Page) -> None:
    """Go back until the page knows of it: a key that comes in before that counts as pressed before it."""
    page.evaluate(
        """() => new Promise((done) => {
          addEventListener("popstate", done, {once: true});
          history.back();
        })"""
    )


def running(page: Page) -> None:
    """Wait until a run has begun, so that what comes next meets it in the middle."""
    page.wait_for_function("() => chunkscopeRuns.asked > (window.askedBefore ?? 0)", timeout=90_000)
    page.evaluate("() => { window.askedBefore = chunkscopeRuns.asked; }")


@AT_RATES
def test_the_page_and_its_address_follow_controls_moved_in_quick_succession(
    visit: Visit, throttle: Throttle, rate: int
) -> None:
    page = visit("/?doc=harbour-report")
    throttle(page, rate)
    move_quickly(page, rounds=10)


def test_a_move_is_kept_whose_report_gave_way_to_the_next(tab: Tab, server: str) -> None:
    page = tab()
    page.add_init_script(f"({DROP_REPORTS})()")
    page.goto(f"{server}/?doc=harbour-report")
    drawn(page)
    settled(page)
    page.evaluate("isDropping = true")
    press(page, "α", "ArrowRight")
    page.wait_for_function("() => dropped > 0")
    page.evaluate("isDropping = false")
    with answered(page):
        press(page, "Percentile", "ArrowLeft")
    settled(page)
    expect(page).to_have_url(re.compile(r"alpha%3D0.51%3Bpercentile%3D84.9"))
    expect(thumb(page, "α")).to_have_value("0.51")
    expect(thumb(page, "Percentile")).to_have_value("84.9")


def move_quickly(page: Page, rounds: int) -> None:
    """Move three controls faster than the server answers, and hold the page, and its address, to every move."""
    alpha, percentile, overlap = 0.5, 85.0, 0
    expect(thumb(page, "α")).to_have_value(str(alpha))
    expect(thumb(page, "Percentile")).to_have_value(f"{percentile:g}")
    for number in range(rounds):
        back = number % 2
        press(page, "α", "ArrowLeft" if back else "ArrowRight")
        if number % 3 == 0:
            running(page)
        press(page, "Percentile", "ArrowRight" if back else "ArrowLeft")
        if number % 5 == 0:
            running(page)
            press(page, "Overlap", "ArrowRight")
            overlap += 1
        again = number // 2 % 2  # to and fro, so that α stays inside its bounds
        press(page, "α", "ArrowLeft" if again else "ArrowRight")
        alpha = round(alpha + (-0.01 if back else 0.01) + (-0.01 if again else 0.01), 2)
        percentile = round(percentile + (0.1 if back else -0.1), 1)
        if number % 10 == 9:
            with answered(page):
                press(page, "α", "ArrowLeft")
            alpha = round(alpha - 0.01, 2)
            settled(page)
            expect(thumb(page, "α")).to_have_value(f"{alpha:g}")
            expect(thumb(page, "Percentile")).to_have_value(f"{percentile:g}")
            expect(thumb(page, "Overlap")).to_have_value(str(overlap))
            expect(page).to_have_url(re.compile(rf"alpha%3D{alpha:g}\b.*overlap%3D{overlap}\b"))
    page.reload()
    drawn(page)
    expect(thumb(page, "α")).to_have_value(f"{alpha:g}")
    expect(thumb(page, "Percentile")).to_have_value(f"{percentile:g}")


@AT_RATES
@pytest.mark.parametrize("answer", ["when it comes", "after the choice"])
def test_going_back_and_choosing_at_once_loses_neither(
    tab: Tab, throttle: Throttle, server: str, answer: str, rate: int
) -> None:
    page = tab()
    page.add_init_script(f"({HOLD_ANSWERS})()")
    page.goto(f"{server}/?doc=harbour-report&strategy={STRATEGY}")
    drawn(page)
    throttle(page, rate)
    for _ in range(3):
        choose(page, "Strategy", "changepoint")
        settled(page)
        page.wait_for_url("**strategy=changepoint*")
        if answer == "after the choice":
            page.evaluate("holdAnswers()")
        step_back(page)
        choose(page, "Strategy", "percentile")
        page.evaluate("releaseAnswers()")
        expect(page).to_have_url(re.compile(r"strategy=percentile"))
        settled(page)
        expect(strategy(page)).to_have_value("percentile")
        choose(page, "Strategy", "structural")
        expect(thumb(page, "α")).to_have_value("0.8")
        expect(thumb(page, "Percentile")).to_have_value("80")
        settled(page)


@AT_RATES
def test_going_back_to_another_document_holds_when_a_control_is_moved_at_once(
    visit: Visit, throttle: Throttle, rate: int
) -> None:
    page = visit("/?doc=harbour-report")
    throttle(page, rate)
    document = page.get_by_role("combobox", name="Document")
    for number in range(3):
        choose(page, "Document", "on-walking-to-work")
        page.wait_for_url("**doc=on-walking-to-work*")
        settled(page)
        step_back(page)
        with answered(page):
            press(page, "α", "ArrowRight")
        settled(page)
        expect(document).to_have_value("harbour-report")
        expect(thumb(page, "α")).to_have_value(f"{0.51 + number / 100:g}")


def test_back_and_forward_go_through_settings_one_by_one(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    slider = thumb(page, "α")
    for _ in range(3):
        with answered(page):
            press(page, "α", "ArrowRight")
        settled(page)
    expect(page).to_have_url(re.compile("alpha%3D0.53"))
    for value in ("0.52", "0.51"):
        page.go_back()
        expect(slider).to_have_value(value)
        settled(page)
    page.go_forward()
    expect(slider).to_have_value("0.52")
    settled(page)
    expect(page).to_have_url(re.compile(r"alpha%3D0.52(?!.*back=)"))


def test_an_address_of_the_history_is_marked_before_streamlit_reads_it(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    with answered(page):
        press(page, "α", "ArrowRight")
    expect(page).to_have_url(re.compile("alpha%3D0.51"))
    page.evaluate("() => addEventListener('popstate', () => { window.seen = location.search; })")
    step_back(page)
    assert "back=" in page.evaluate("() => window.seen")
    settled(page)
    expect(page).to_have_url(re.compile(r"^(?!.*back=)"))


def test_one_step_back_from_another_page_returns_to_the_setting(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    with answered(page):
        press(page, "α", "ArrowRight")
    expect(page).to_have_url(re.compile("alpha%3D0.51"))
    page.get_by_role("link", name="Compare").click()
    expect(page).to_have_url(re.compile(r"/compare\?.*lanes="))
    settled(page)
    page.go_back()
    expect(page).to_have_url(re.compile(r"/\?.*alpha%3D0.51"))
    settled(page)
    expect(thumb(page, "α")).to_have_value("0.51")


def test_a_slider_keeps_the_focus_while_another_document_comes(visit: Visit) -> None:
    page = visit("/?doc=on-walking-to-work")
    choose(page, "Document", "harbour-report")
    page.wait_for_url("**doc=harbour-report*")
    settled(page)
    thumb(page, "α").focus()
    page.go_back()
    page.wait_for_url("**doc=on-walking-to-work*")
    settled(page)
    expect(thumb(page, "α")).to_be_focused()
