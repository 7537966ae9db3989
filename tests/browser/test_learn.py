"""What only a browser shows of Learn: gaps are picked by mouse and keyboard, and what is kept survives a reload."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.browser.conftest import Visit
from tests.browser.server import answered, complete, label_of, settled, standing


def test_a_prediction_is_revealed_answered_and_survives_a_reload(visit: Visit) -> None:
    page = visit("/learn?chapter=6", ready=complete)
    gaps = page.locator(".cs-picker-gap")
    gaps.nth(4).click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.locator(".cs-picker-count")).to_have_text("Cuts: 2 · chunks: 3")
    assert page.locator(".cs-mark").count() == 0
    page.get_by_role("button", name="Show the result").click()
    expect(page.locator(".cs-learn-result")).to_be_visible()
    expect(page.locator(".cs-mark-own")).to_have_count(2)
    label_of(page, "radio", "No").click()
    expect(page.get_by_text("1 of 10 chapters done").first).to_be_visible()
    page.wait_for_function("() => localStorage.getItem('chunkscope.learn.done.6')")  # behind all that is drawn
    page.reload()
    complete(page)
    expect(page.get_by_text("1 of 10 chapters done").first).to_be_visible()
    expect(page.locator(".cs-mark-own")).to_have_count(2)


def test_gaps_that_are_picked_before_the_browser_has_said_what_it_holds_stay_picked(visit: Visit) -> None:
    page = visit("/learn?chapter=6", ready=complete)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/browser_store/browser_store.js", hold)
    page.reload()
    page.locator(".cs-picker-gap").nth(4).click()
    expect(page.locator(".cs-picker-count")).to_have_text("Cuts: 1 · chunks: 2")
    (route,) = held
    with answered(page):
        route.continue_()
    page.get_by_role("button", name="Show the result").click()
    expect(page.locator(".cs-mark-own")).to_have_count(1)
    settled(page)


@pytest.fixture
def other_browser(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that holds nothing of the teacher's."""
    with browser.new_context() as context:
        yield context


def test_a_student_predicts_without_a_name_and_the_teacher_sees_it(
    visit: Visit, other_browser: BrowserContext, server: str
) -> None:
    teacher = visit("/learn?chapter=10", ready=complete)
    teacher.get_by_text("Class exercise").click()
    start = teacher.get_by_role("button", name="Open an exercise")
    standing(start)  # it moves while what it is in unfolds: a busy machine would let go of it beside it
    start.click()
    expect(teacher.get_by_text("0 predictions")).to_be_visible()
    expect(teacher.locator(".cs-learn-qr")).to_be_visible()
    assert teacher.locator(".cs-learn-qr").evaluate("code => code.decode().then(() => code.naturalWidth)") > 0
    teacher.keyboard.press("Alt+p")
    expect(teacher.get_by_text("Leave projector mode")).to_be_visible()
    expect(teacher.locator(".cs-learn-qr")).to_be_in_viewport(ratio=1)
    teacher.keyboard.press("Alt+p")
    expect(teacher).to_have_url(re.compile(r"class=\w+"))
    found = re.search(r"class=(\w+)", teacher.url)
    assert found
    student = other_browser.new_page()
    student.goto(f"{server}/learn?class={found[1]}")
    complete(student)
    for label, gap in (("Send my prediction", 4), ("Change my prediction", 10)):
        pick(student, gap, label)
        expect(student.get_by_text("Your prediction is stored")).to_be_visible()
    expect(teacher.get_by_text("1 prediction", exact=True)).to_be_visible()
    expect(teacher).not_to_have_url(re.compile("teacher="))
    teacher.get_by_text("Show the results").click()
    expect(teacher.locator(".cs-picker-gap").nth(10).locator(".cs-votes")).to_have_text("1")
    teacher.get_by_role("button", name="End the exercise").click()
    expect(student.locator(".cs-learn-result")).to_be_visible()


def pick(page: Page, gap: int, label: str) -> None:
    page.locator(".cs-picker-gap").nth(gap).click()
    page.get_by_role("button", name=label).click()
    settled(page)
