"""The one-file page in a browser, opened from disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking import Models, compare, inspect, parse
from chunking.standalone import StandalonePage
from chunking.strategies import Segmentation
from tests.standalone.test_page import HOSTILE

TEXT = "\n\n".join(
    f"# Part {part}\n\nThe {word} is filled first. Then it is shut. Nobody opens the {word} before night. It stays."
    for part, word in enumerate(("kettle", "oven", "barrel", "lantern", "harbour", "ledger"), 1)
)
TOOLS = Models("char-ngrams", splitter="rules")
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


def move(page: Page, name: str, value: float) -> None:
    page.get_by_role("slider", name=name).evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})) }",
        str(value),
    )


def expect_chunks(page: Page, made: Segmentation) -> None:
    """Wait until text, verdict and labels all show the chunks of a segmentation."""
    count = len(made.chunks)
    expect(page.locator(".wb-pane")).to_have_attribute("data-chunks", str(count))
    expect(page.locator("[data-verdict]")).to_have_text(re.compile(rf"^{count} chunks?\b"))
    for label in page.locator("[data-chunk]").all():
        number = int(label.get_attribute("data-chunk") or 0)
        assert made.chunks[number - 1].tokens == int(re.sub(r"\D", "", label.locator("span").inner_text()))


def test_sliders_show_what_python_computes_and_nothing_is_requested(opened: Opened, seen: list[str]) -> None:
    made = inspect(TEXT, tools=TOOLS)
    page = opened(made)
    expect_chunks(page, made.segmentations[0])
    move(page, "α", 0.2)
    move(page, "Percentile", 70.0)
    move(page, "Overlap", 2)
    moved = parse("structural:alpha=0.2;percentile=70;overlap=2").run(made.workspace)
    expect(page.locator("#setting")).to_have_text("structural:alpha=0.2;percentile=70;overlap=2")
    expect_chunks(page, moved)
    move(page, "Maximum", 60)
    slider = page.get_by_role("slider", name="Maximum")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"\d"))  # written with the next frame
    maximum = re.sub(r"\D", "", slider.get_attribute("aria-valuetext") or "")
    expect_chunks(page, parse(f"structural:alpha=0.2;percentile=70;overlap=2;max_tokens={maximum}").run(made.workspace))
    page.get_by_role("button", name="Reset").click()
    expect(page.locator("#setting")).to_have_text("structural")
    expect_chunks(page, made.segmentations[0])
    assert seen == []


def test_a_number_can_be_typed(opened: Opened, seen: list[str]) -> None:
    made = inspect(TEXT, tools=TOOLS)
    page = opened(made)
    page.get_by_role("button", name="max 256").click()
    page.get_by_role("spinbutton").fill("31")
    page.get_by_role("spinbutton").press("Enter")
    expect_chunks(page, parse("structural:max_tokens=31").run(made.workspace))
    assert seen == []


def test_a_gap_is_explained_where_it_is_chosen(opened: Opened, seen: list[str]) -> None:
    made = inspect(TEXT, tools=TOOLS)
    page = opened(made)
    panel = page.locator(".wb-panel")
    expect(panel.get_by_text("Choose any place")).to_be_visible()
    page.locator(".wb-pane").press("n")
    expect(panel.locator("h2")).to_contain_text("Start of chunk 2")
    cut = made.segmentations[0].chunks[1].cut
    assert cut is not None and cut.gap is not None
    sentences = [
        made.workspace.document.text[slice(*made.workspace.sentences.spans[gap])] for gap in (cut.gap, cut.gap + 1)
    ]
    shown = panel.locator("blockquote").all_inner_texts()
    assert [" ".join(text.split()) for text in shown] == [" ".join(text.split()) for text in sentences]
    panel.get_by_text("All numbers").click()
    expect(panel.locator("table")).to_have_count(3)
    expect(panel.get_by_role("row", name="Cut line (threshold)")).to_contain_text(f"{cut.threshold:.3f}")
    page.locator(".wb-pane").press("j")
    expect(panel.locator("h2")).to_contain_text("chunk 2")
    page.locator(".wb-pane").press("Escape")
    expect(panel.get_by_text("Choose any place")).to_be_visible()
    assert seen == []


def test_text_verdict_strip_and_panel_agree_in_every_frame_of_a_drag(opened: Opened, seen: list[str]) -> None:
    made = inspect(TEXT, "structural:preset=unlimited", TOOLS)
    page = opened(made)
    page.locator(".wb-pane").press("n")
    slider = page.get_by_role("slider", name="Percentile")
    box = slider.bounding_box()
    assert box is not None
    y, left, width = box["y"] + box["height"] / 2, box["x"], box["width"]
    at = float(slider.input_value())
    page.mouse.move(left + width * (at - 50) / 49.9, y)
    page.mouse.down()
    text = page.locator(".wb-text").bounding_box()
    counts = []
    for step in range(10):
        page.mouse.move(left + width * (0.9 - 0.09 * step), y)
        state = page.evaluate(
            """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done({
              painted: Number(document.querySelector(".wb-pane").dataset.chunks),
              verdict: document.querySelector("[data-verdict]").textContent,
              strip: document.querySelector(".wb-strip-canvas").getAttribute("aria-label"),
              percentile: Number(document.querySelector("input[data-key=amount]").value),
              since: document.querySelector(".wb-change").textContent }))))"""
        )
        expected = len(
            parse(f"structural:preset=unlimited;percentile={state['percentile']}").run(made.workspace).chunks
        )
        assert state["painted"] == expected
        assert state["verdict"].startswith(f"{expected} chunk")
        assert f"{expected} chunks" in state["strip"]
        counts.append(expected)
        assert page.locator(".wb-text").bounding_box() == text
    assert "since you began to drag" in state["since"]
    assert len(set(counts)) > 4
    page.mouse.up()
    expect(page.locator(".wb-change")).to_contain_text("from the first setting")
    assert seen == []


def test_lanes_of_a_comparison_are_chosen(opened: Opened, seen: list[str]) -> None:
    made = compare(TEXT, ["structural", "heading", "changepoint"], TOOLS)
    page = opened(made)
    lanes = page.locator(".wb-lane-name")
    for lane, found in enumerate(made.segmentations):
        lanes.nth(lane).click()
        expect(lanes.nth(lane)).to_have_attribute("aria-pressed", "true")
        expect_chunks(page, found)
        expect(page.get_by_role("slider", name="α")).to_have_count(int(found.signals is not None))
    page.locator("input[data-key=fineness]").evaluate(
        "(slider) => { slider.value = 3; slider.dispatchEvent(new Event('input', {bubbles: true})) }"
    )
    expect_chunks(page, parse("changepoint:fineness=3").run(made.workspace))
    move(page, "α", 0.9)
    expect(page.locator("#setting")).to_have_text("changepoint:alpha=0.9;fineness=3")
    expect_chunks(page, parse("changepoint:alpha=0.9;fineness=3").run(made.workspace))
    assert seen == []


def test_hostile_text_stays_text_and_fits(opened: Opened, seen: list[str]) -> None:
    text = f"Boil it. Wait.\n\n{HOSTILE}\n\nKnead </script> it. <img src=x> Bake it."
    page = opened(inspect(text, "structural:percentile=50;overlap=1", TOOLS))
    move(page, "α", 0.1)
    expect(page.locator("#setting")).to_contain_text("alpha=0.1")
    page.locator(".wb-pane").press("j")
    expect(page.locator(".wb-panel blockquote")).to_have_count(2)
    assert page.locator("img, main script, main style").count() == 0
    for width in (1280, 1024, 390):
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
    expect(page.locator("#workbench")).to_be_hidden()
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
    pane = frame.locator(".wb-pane")
    expect(pane).to_have_attribute("data-chunks", str(len(made.segmentations[0].chunks)))
    pane.press("n")
    expect(frame.locator(".wb-panel h2")).to_contain_text("Start of chunk 2")
    frame.get_by_role("slider", name="Percentile").fill("60")
    moved = parse("structural:percentile=60").run(made.workspace)
    expect(pane).to_have_attribute("data-chunks", str(len(moved.chunks)))
    assert [request for request in seen if not request.startswith("about:srcdoc")] == []
    context.close()
