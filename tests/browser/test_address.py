"""What only a browser shows of the address: messages that cross, and the way back."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.server import answered, choose, drawn, settled

ROUNDS = 20
STRATEGY = "structural%3Aalpha%3D0.8%3Bpercentile%3D80.0"


@pytest.fixture
def busy() -> Iterator[None]:
    """Two processes that take what processor time there is, though less than the tests beside this one."""
    spinning = [subprocess.Popen(["nice", "-n", "5", sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    yield
    for process in spinning:
        process.kill()
        process.wait()


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


@pytest.mark.timeout(1800)
def test_controls_moved_in_quick_succession_lose_nothing(visit: Visit) -> None:
    move_quickly(visit("/?doc=harbour-report"), rounds=10, address=False)


@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("busy")
def test_the_address_follows_controls_moved_in_quick_succession(visit: Visit) -> None:
    move_quickly(visit("/?doc=harbour-report"), rounds=ROUNDS, address=True)


def move_quickly(page: Page, rounds: int, address: bool) -> None:
    """Move three controls faster than the server answers, and hold the page, and its address, to every move."""
    alpha, percentile, overlap = 0.5, 85.0, 0
    expect(thumb(page, "α")).to_have_value(str(alpha))
    expect(thumb(page, "Percentile")).to_have_value(f"{percentile:g}")
    field = page.locator(".st-key-structural_overlap input")
    for number in range(rounds):
        back = number % 2
        press(page, "α", "ArrowLeft" if back else "ArrowRight")
        if number % 3 == 0:
            running(page)
        press(page, "Percentile", "ArrowRight" if back else "ArrowLeft")
        if number % 5 == 0:
            running(page)
            field.press("ArrowUp")
            overlap += 1
        again = number // 2 % 2  # to and fro, so that α stays inside its bounds
        press(page, "α", "ArrowLeft" if again else "ArrowRight")
        alpha = round(alpha + (-0.01 if back else 0.01) + (-0.01 if again else 0.01), 2)
        percentile = percentile + (0.5 if back else -0.5)
        if number % 10 == 9:
            with answered(page):
                press(page, "α", "ArrowLeft")
            alpha = round(alpha - 0.01, 2)
            settled(page)
            expect(thumb(page, "α")).to_have_value(f"{alpha:g}")
            expect(thumb(page, "Percentile")).to_have_value(f"{percentile:g}")
            expect(field).to_have_value(str(overlap))
            if address:
                expect(page).to_have_url(re.compile(rf"alpha%3D{alpha:g}\b.*overlap%3D{overlap}\b"))
    if not address:
        return
    page.reload()
    drawn(page)
    expect(thumb(page, "α")).to_have_value(f"{alpha:g}")
    expect(thumb(page, "Percentile")).to_have_value(f"{percentile:g}")


@pytest.mark.usefixtures("busy")
def test_going_back_and_choosing_at_once_loses_neither(visit: Visit) -> None:
    page = visit(f"/?doc=harbour-report&strategy={STRATEGY}")
    for _ in range(10):
        choose(page, "Strategy", "changepoint")
        settled(page)
        page.wait_for_url("**strategy=changepoint*")
        step_back(page)
        choose(page, "Strategy", "percentile")
        expect(page).to_have_url(re.compile(r"strategy=percentile"))
        settled(page)
        expect(strategy(page)).to_have_value("percentile")
        choose(page, "Strategy", "structural")
        expect(thumb(page, "α")).to_have_value("0.8")
        expect(thumb(page, "Percentile")).to_have_value("80")
        settled(page)


@pytest.mark.usefixtures("busy")
def test_going_back_to_another_document_holds_when_a_control_is_moved_at_once(visit: Visit) -> None:
    page = visit("/?doc=harbour-report")
    document = page.get_by_role("combobox", name="Document")
    for number in range(5):
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
