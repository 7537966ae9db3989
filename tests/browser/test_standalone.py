"""The one-file page in a browser, opened from disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking import Tools, compare, inspect, parse
from chunking.standalone import StandalonePage
from chunking.strategies.reasons import words
from tests.standalone.test_page import HOSTILE

TEXT = "\n\n".join(
    f"# Part {part}\n\nThe {word} is filled first. Then it is shut. Nobody opens the {word} before night. It stays."
    for part, word in enumerate(("kettle", "oven", "barrel", "lantern", "harbour", "ledger"), 1)
)
TOOLS = Tools("char-ngrams", splitter="rules")
Opened = Callable[..., Page]


@pytest.fixture
def seen() -> list[str]:
    """What a page says on the console, and what it requests beside itself."""
    return []


@pytest.fixture
def opened(browser: Browser, tmp_path: Path, seen: list[str]) -> Iterator[Opened]:
    contexts = []

    def go(made: StandalonePage, scripts: bool = True) -> Page:
        path = made.save(tmp_path / "page.html")
        context = browser.new_context(viewport={"width": 1280, "height": 900}, java_script_enabled=scripts)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: seen.append(message.text))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.on("request", lambda request: seen.append(request.url) if request.url != path.as_uri() else None)
        page.goto(path.as_uri())
        return page

    yield go
    for context in contexts:
        context.close()


def move(page: Page, key: str, value: float) -> None:
    page.locator(f"[data-key={key}]").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})) }",
        str(value),
    )


def test_sliders_show_what_python_computes_and_nothing_is_requested(opened: Opened, seen: list[str]) -> None:
    made = inspect(TEXT, tools=TOOLS)
    page = opened(made)
    move(page, "alpha", 0.2)
    move(page, "amount", 70.0)
    move(page, "overlap", 2)
    moved = parse("structural:alpha=0.2;percentile=70;overlap=2").run(made.workspace)
    expect(page.locator("#setting")).to_have_text("structural:alpha=0.2;percentile=70;overlap=2")
    overlaps = [made.workspace.document.slice(chunk.overlap) for chunk in moved.chunks if chunk.overlap]
    expect(page.locator(".overlap")).to_have_count(len(overlaps))
    assert page.locator(".overlap").all_text_contents() == overlaps
    reasons = [words(chunk.cut) for chunk in moved.chunks if chunk.cut]
    assert [shown.split(" ", 1)[1] for shown in page.locator(".why").all_text_contents()] == reasons
    page.locator("#reset").click()
    expect(page.locator("#setting")).to_have_text("structural")
    assert seen == []


def test_a_gap_is_explained_where_it_is_chosen(opened: Opened, seen: list[str]) -> None:
    page = opened(inspect(TEXT, tools=TOOLS))
    page.locator(".chunk header[data-gap]").first.click()
    expect(page.locator("#panel h3")).to_contain_text("Gap")
    expect(page.locator("#panel blockquote")).to_have_count(2)
    expect(page.locator("#panel tr.sum")).to_have_count(2)
    first = page.locator("#panel h3").inner_text()
    page.locator("#plot").press("ArrowRight")
    expect(page.locator("#panel h3")).not_to_have_text(first)
    page.locator("#plot").press("Escape")
    expect(page.locator("#panel h3")).to_have_count(0)
    assert seen == []


def test_lanes_of_a_comparison_are_chosen(opened: Opened, seen: list[str]) -> None:
    made = compare(TEXT, ["structural", "heading", "changepoint"], TOOLS)
    page = opened(made)
    for lane, found in enumerate(made.segmentations):
        page.locator(f"[data-lane='{lane}']").click()
        expect(page.locator(".chunk")).to_have_count(len(found.chunks))
        expect(page.locator("#chart")).to_be_visible(visible=found.signals is not None)
    move(page, "fineness", 3)
    fine = parse("changepoint:fineness=3").run(made.workspace)
    expect(page.locator(".chunk")).to_have_count(len(fine.chunks))
    move(page, "alpha", 0.9)
    both = parse("changepoint:alpha=0.9;fineness=3").run(made.workspace)
    expect(page.locator("#setting")).to_have_text("changepoint:alpha=0.9;fineness=3")
    reasons = [re.compile(f"{re.escape(words(chunk.cut))}$") for chunk in both.chunks if chunk.cut]
    expect(page.locator(".why")).to_have_text(reasons)
    assert seen == []


def test_hostile_text_stays_text_and_fits(opened: Opened, seen: list[str]) -> None:
    text = f"Boil it. Wait.\n\n{HOSTILE}\n\nKnead </script> it. <img src=x> Bake it."
    page = opened(inspect(text, "structural:percentile=50;overlap=1", TOOLS))
    move(page, "alpha", 0.1)
    expect(page.locator("#setting")).to_contain_text("alpha=0.1")
    page.locator("#plot").press("ArrowRight")
    expect(page.locator("#panel blockquote")).to_have_count(2)
    assert page.locator("img, main script, main style").count() == 0
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.wait_for_function("width => innerWidth === width", arg=width)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, scheme)
    assert seen == []


def test_without_scripts_it_is_a_report(opened: Opened) -> None:
    made = inspect(TEXT, tools=TOOLS)
    page = opened(made, scripts=False)
    expect(page.locator("#curve-fused")).to_be_visible()
    expect(page.locator(".chunk")).to_have_count(len(made.segmentations[0].chunks))
    expect(page.locator("#controls")).to_be_hidden()
    expect(page.get_by_text(made.workspace.document.text_hash)).to_be_visible()


def test_a_notebook_shows_the_page(browser: Browser, seen: list[str], tmp_path: Path) -> None:
    made = inspect(TEXT, tools=TOOLS)
    path = tmp_path / "notebook.html"
    path.write_text(f'<!doctype html><meta charset="utf-8"><p>Out[1]:</p>{made._repr_html_()}', encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.on("console", lambda message: seen.append(message.text))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on("request", lambda request: seen.append(request.url) if request.url != path.as_uri() else None)
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    expect(frame.locator("#curve-fused")).to_be_visible()
    chart = frame.locator("#curves").bounding_box()
    assert chart is not None and chart["width"] > 300 and chart["height"] > 100
    signals = made.segmentations[0].signals
    assert signals is not None
    drawn = frame.locator("#curve-fused").get_attribute("d") or ""
    assert len(re.findall("[ML]", drawn)) == len(signals)
    frame.locator(".chunk header[data-gap]").first.click()
    expect(frame.locator("#panel h3")).to_contain_text("Gap")
    frame.locator("[data-key=amount]").fill("60")
    moved = parse("structural:percentile=60").run(made.workspace)
    expect(frame.locator(".chunk")).to_have_count(len(moved.chunks))
    assert [request for request in seen if not request.startswith("about:srcdoc")] == []
    context.close()
