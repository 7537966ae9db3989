"""What only a browser shows of the Review page: its keys, and that nothing that was judged is ever lost."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from chunking import samples, strategies
from chunking.reference.events import Event
from chunking.reference.state import Review, review
from chunking.store.database.location import address, engine_options
from chunking.store.reviews import ReviewStore
from chunking.strategies import Segmentation
from chunking.workspace import DocumentAnalysis
from tests.browser.conftest import Tab, Visit
from tests.browser.server import drawn, label_of, serve, settled, uploader

SAMPLE = "field-guide-to-backups"
SAVED = "✓ All saved"
PATIENCE = 90_000
Sit = Callable[..., Page]


@pytest.fixture
def sit(visit: Visit) -> Sit:
    """Sits down at the desk, in another tab or in the one that is given."""

    def go(at: str, reviewer: str, page: Page | None = None) -> Page:
        path = f"/review?doc={SAMPLE}&reviewer={quote(reviewer, safe='&=')}"
        if page is None:
            return visit(path, at, ready=ready)
        page.goto(at + path)
        ready(page)
        return page

    return go


@pytest.fixture(scope="module")
def other_profile(browser: Browser) -> Iterator[BrowserContext]:
    """The browser of somebody else."""
    with browser.new_context(viewport={"width": 1400, "height": 900}) as made:
        yield made


def ready(page: Page) -> None:
    settled(page)
    expect(page.locator(".cs-mark")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".cs-where")).to_contain_text(" of ")


def where(page: Page) -> Locator:
    return page.locator(".cs-where")


def saved(page: Page) -> None:
    expect(page.locator(".cs-saved")).to_have_text(SAVED, timeout=PATIENCE)


def stored(reviewer: str) -> list[Event]:
    """What the database holds of a reviewer's work on the sample."""
    import sqlalchemy as sa

    url = address()
    engine = sa.create_engine(url, **engine_options(url))
    try:
        events = ReviewStore(engine).events(samples.load(SAMPLE).document.text_hash)
        return [event for event in events if event.reviewer == reviewer]
    finally:
        engine.dispose()


def came_to(reviewer: str) -> Review:
    return review(stored(reviewer))


def test_keys_judge_at_once_and_each_is_stored_once(server: str, sit: Sit) -> None:
    page = sit(server, "Ana")
    expect(where(page)).to_have_text("1 of 23")
    keys = "aarasaarar"
    for key in keys:
        page.keyboard.press(key)
    expect(where(page)).to_have_text("11 of 23")
    expect(page.locator(".cs-counts")).to_contain_text("10 of 23 judged")
    terms = page.locator(".cs-counts [data-term]").evaluate_all("all => all.map(({ dataset }) => dataset.term)")
    assert terms == ["candidate", "boundary", "non-boundary", "skipped"]
    saved(page)
    actions = {"a": "accept", "r": "reject", "s": "skip"}
    events = stored("Ana")
    assert [event.action for event in events] == [actions[key] for key in keys]
    assert len({event.token for event in events}) == len(keys)
    text = samples.load(SAMPLE).document.text
    for event in events:
        assert event.proposed == "structural"
        assert text[event.offset - len(event.before) : event.offset + len(event.after)] == event.before + event.after

    page.reload()
    ready(page)
    expect(where(page)).to_have_text("11 of 23")
    expect(page.locator(".cs-counts")).to_contain_text("10 of 23 judged")
    assert len(stored("Ana")) == len(keys)


def test_a_half_typed_note_is_there_after_a_reload_until_it_is_given_up(server: str, sit: Sit) -> None:
    page = sit(server, "Noa")
    page.keyboard.press("+")
    page.get_by_label("Note about this place").fill("half a")
    page.reload()
    ready(page)
    page.keyboard.press("+")
    expect(page.get_by_label("Note about this place")).to_have_value("half a")
    page.keyboard.press("Escape")
    page.keyboard.press("+")
    expect(page.get_by_label("Note about this place")).to_have_value("")


def test_undo_move_add_and_note(server: str, sit: Sit) -> None:
    page = sit(server, "Ben")
    page.keyboard.press("a")
    page.keyboard.press("r")
    page.keyboard.press("u")
    expect(where(page)).to_have_text("2 of 23")
    expect(page.locator(".cs-verdict")).to_have_text("not judged")
    saved(page)
    settled(page)
    page.keyboard.press("m")
    expect(page.locator(".cs-here")).to_have_text("Move it here")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(where(page)).to_have_text("3 of 23")
    page.keyboard.press("b")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(where(page)).to_have_text("3 of 23")
    page.keyboard.press("+")
    page.keyboard.type("<b>later</b> are")
    page.keyboard.press("Enter")
    expect(page.locator(".cs-noted")).to_have_text("<b>later</b> are")
    page.keyboard.press("k")
    expect(page.locator(".cs-verdict")).to_have_text("moved")
    saved(page)
    came = came_to("Ben")
    verdicts = [known.verdict for known in came.judgements.values()]
    assert verdicts == ["accept", "moved", "accept"]
    moved = next(known for known in came.judgements.values() if known.verdict == "moved")
    assert moved.target is not None and moved.target > moved.offset
    assert set(came.notes.values()) == {"<b>later</b> are"}
    assert len(came.boundaries) == 3


def test_a_mouse_does_the_same_and_the_keys_go_on(server: str, sit: Sit) -> None:
    page = sit(server, "Mia")
    page.get_by_role("button", name="Accept: a boundary belongs here").click()
    expect(where(page)).to_have_text("2 of 23")
    page.get_by_role("button", name="Move: ", exact=False).click()
    page.get_by_role("button", name="Next place").click()
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.locator(".cs-here")).to_have_count(0)
    page.keyboard.press("r")
    expect(where(page)).to_have_text("3 of 23")
    expect(page.locator(".cs-live")).to_contain_text("Rejected. 3 of 23, not judged.")
    page.keyboard.press("?")
    expect(page.locator(".cs-help")).to_contain_text("undo the last judgement")
    saved(page)
    assert [event.action for event in stored("Mia")] == ["accept", "reject"]
    page.get_by_role("combobox", name="Order").click()
    page.get_by_role("option", name="surest").click()
    expect(where(page)).not_to_have_text("3 of 23")  # the first in this order that is not judged
    expect(page.locator(".cs-verdict")).to_have_text("not judged")
    page.mouse.click(700, 60)  # beside everything
    page.keyboard.press("s")
    expect(page.locator(".cs-counts")).to_contain_text("3 of 23 judged")
    saved(page)


TEA = "# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Bake it.\n"


def tea_chosen(page: Page) -> None:
    """Wait until the document is open."""
    expect(page.get_by_role("combobox", name="Document")).to_have_value(re.compile(r"^tea\.md \("))
    drawn(page)


@pytest.mark.extended
def test_a_killed_server_loses_nothing(
    tmp_path: Path, sit: Sit, tab: Tab, other_profile: BrowserContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither an opened document, nor what is judged meanwhile, in a tab that stays or in one that is closed."""
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "own" / "reviews.sqlite"))
    with serve(tmp_path) as first:
        opened = tab()
        opened.goto(first.address)
        drawn(opened)
        uploader(opened).set_input_files({"name": "tea.md", "mimeType": "text/markdown", "buffer": TEA.encode()})
        tea_chosen(opened)
        link = opened.url.removeprefix(first.address)
        opened.reload()
        tea_chosen(opened)
        lasting, closed = sit(first.address, "Kim"), sit(first.address, "Lee")
        for page, keys in ((lasting, "aar"), (closed, "a")):
            page.bring_to_front()
            for key in keys:
                page.keyboard.press(key)
            saved(page)
        os.kill(first.pid, signal.SIGKILL)
        closed.keyboard.press("r")
        closed.keyboard.press("s")
        closed.close()
        lasting.bring_to_front()
        for key in "rasa":  # some may be on their way, none can arrive
            lasting.keyboard.press(key)
        expect(where(lasting)).to_have_text("8 of 23")
    assert (len(stored("Kim")), len(stored("Lee"))) == (3, 1)
    port = int(first.address.rpartition(":")[2])
    monkeypatch.setattr("tests.browser.server._free_port", lambda: port)
    with serve(tmp_path) as second:
        saved(lasting)
        settled(lasting)
        expect(lasting.get_by_role("dialog")).to_have_count(0)  # of Streamlit, on the lost connection
        lasting.keyboard.press("a")
        expect(where(lasting)).to_have_text("9 of 23")
        saved(lasting)
        lasting.reload()
        ready(lasting)
        expect(where(lasting)).to_have_text("9 of 23")
        actions = [event.action for event in stored("Kim")]
        assert actions == ["accept", "accept", "reject", "reject", "accept", "skip", "accept", "accept"]
        # What a closed tab has kept is brought home by the next.
        page = sit(second.address, "Lee")
        saved(page)
        expect(where(page)).to_have_text("4 of 23")
        assert [event.action for event in stored("Lee")] == ["accept", "reject", "skip"]
        opened.goto(second.address + link)
        tea_chosen(opened)
        other = other_profile.new_page()
        other.goto(second.address)
        settled(other)
        other.get_by_role("combobox", name="Document").click()
        other.get_by_role("option", name="tea.md (").click()
        tea_chosen(other)
        expect(other.locator(".wb-text").first).to_contain_text("Boil the water.")
        other.close()


@pytest.mark.extended
def test_a_locked_database_is_told_and_stored_to_when_it_is_free(server: str, sit: Sit) -> None:
    page = sit(server, "Zoe")
    page.keyboard.press("a")
    saved(page)
    with sqlite3.connect(os.environ["CHUNKSCOPE_REVIEWS"], isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        page.keyboard.press("r")
        expect(page.locator(".cs-problem")).to_contain_text("locked by another program", timeout=PATIENCE)
        expect(page.locator(".cs-saved")).to_contain_text("1 not saved yet, kept in this browser")
        page.keyboard.press("s")
        expect(where(page)).to_have_text("4 of 23")
        other.execute("ROLLBACK")
    other.close()
    saved(page)
    expect(page.locator(".cs-problem")).to_be_hidden()
    assert [event.action for event in stored("Zoe")] == ["accept", "reject", "skip"]


def test_two_reviewers_at_once(server: str, sit: Sit, other_profile: BrowserContext) -> None:
    left, right = sit(server, "One"), sit(server, "Two", other_profile.new_page())
    for _ in range(5):
        left.keyboard.press("a")
        right.keyboard.press("r")
    saved(left)
    saved(right)
    right.close()
    assert [event.action for event in stored("One")] == ["accept"] * 5
    assert [event.action for event in stored("Two")] == ["reject"] * 5
    expect(where(left)).to_have_text("6 of 23")
    left.reload()
    ready(left)
    first = left.locator(".cs-dispute").first
    expect(first).to_contain_text("One")
    expect(first).to_contain_text("Two")
    offset = int(str(first.get_attribute("data-offset")))
    first.get_by_role("button", name="Boundary: decide for all reviewers", exact=True).click()
    saved(left)
    decided = [event for event in stored("One") if event.decides]
    assert [(event.action, event.offset) for event in decided] == [("accept", offset)]


def test_others_verdicts_wait_for_ones_own(server: str, sit: Sit) -> None:
    page = sit(server, "Lea&doc=urban-heat-article")
    page.keyboard.press("a")
    page.keyboard.press("a")
    saved(page)
    sit(server, "Max&doc=urban-heat-article", page)
    page.keyboard.press("r")
    page.keyboard.press("r")
    saved(page)
    sit(server, "Eli&doc=urban-heat-article", page)
    expect(page.locator(".cs-unjudged summary")).to_contain_text("2 disagreements on places that you have not judged")
    expect(page.locator(".cs-dispute:visible")).to_have_count(0)
    page.keyboard.press("s")
    expect(page.locator(".cs-dispute:visible")).to_have_count(1)
    page.locator(".cs-unjudged summary").click()
    expect(page.locator(".cs-dispute:visible")).to_have_count(2)
    saved(page)


def test_judging_names_the_place_in_the_address_and_leaves_nothing_for_back_to_undo(server: str, sit: Sit) -> None:
    page = sit(server, "Pia")
    before = page.evaluate("history.length")
    for key in "aaj":
        page.keyboard.press(key)
    saved(page)
    expect(where(page)).to_have_text("4 of 23")
    cuts = [chunk.start for chunk in _structural().chunks if chunk.start]
    expect(page).to_have_url(re.compile(rf"at={cuts[3]}%40"))
    assert page.evaluate("history.length") == before


def _structural() -> Segmentation:
    sample = samples.load(SAMPLE)
    return strategies.parse("structural").before_limits.run(DocumentAnalysis(sample.document))


def test_letters_judge_while_a_switch_elsewhere_has_the_focus(server: str, sit: Sit) -> None:
    page = sit(server, "Uma")
    label_of(page, "switch", "Blind").click()
    expect(where(page)).to_contain_text("of 46")
    settled(page)
    page.keyboard.press("a")
    expect(page.locator(".cs-counts")).to_contain_text("1 of 46 judged")
    saved(page)
    assert [event.action for event in stored("Uma")] == ["accept"]
    page.get_by_role("textbox", name="Reviewer name").click()
    page.keyboard.press("r")
    expect(page.get_by_role("textbox", name="Reviewer name")).to_have_value("Umar")
    expect(page.locator(".cs-counts")).to_contain_text("1 of 46 judged")


def test_the_end_offers_completion_and_the_next_document(server: str, sit: Sit) -> None:
    page = sit(server, "Fay")
    done = page.locator(".cs-done")
    for _ in range(22):
        page.keyboard.press("a")
    expect(done).to_be_hidden()
    page.keyboard.press("s")
    expect(done).to_contain_text("all candidates are judged")
    expect(done).to_contain_text("1 candidate skipped")
    page.keyboard.press("r")
    done.get_by_role("button", name="Declare that").click()
    expect(done).to_contain_text("Review complete")
    saved(page)
    assert came_to("Fay").complete
    page.keyboard.press("Control+z")
    expect(done).to_contain_text("all candidates are judged")
    saved(page)
    assert not came_to("Fay").complete
    done.get_by_role("button", name="Next document").click()
    expect(page).to_have_url(re.compile("doc="), timeout=PATIENCE)
    ready(page)
    expect(page.locator(".cs-counts")).to_contain_text("0 of ")
    page.go_back()
    settled(page)
    expect(page.locator(".cs-counts")).to_contain_text("23 of 23 judged", timeout=PATIENCE)


def test_two_tabs_of_one_reviewer_merge_and_say_so(server: str, sit: Sit) -> None:
    left, right = sit(server, "Ada"), sit(server, "Ada")
    left.bring_to_front()
    left.keyboard.press("a")
    expect(where(right)).to_have_text("2 of 23")
    expect(right.locator(".cs-notice")).to_contain_text("Another tab or browser is reviewing this document as Ada")
    expect(left.locator(".cs-notice")).to_be_hidden()
    saved(left)
    saved(right)
    right.bring_to_front()
    right.keyboard.press("r")
    expect(where(left)).to_have_text("3 of 23")
    expect(left.locator(".cs-notice")).to_be_visible()
    for page in (left, right):
        saved(page)
        expect(page.locator(".cs-counts")).to_contain_text("2 of 23 judged")
    assert [event.action for event in stored("Ada")] == ["accept", "reject"]


def test_another_browser_of_one_reviewer_is_merged_and_reported(
    server: str, sit: Sit, other_profile: BrowserContext
) -> None:
    left, right = sit(server, "Ivo"), sit(server, "Ivo", other_profile.new_page())
    right.keyboard.press("r")
    saved(right)
    right.close()
    left.keyboard.press("a")
    expect(left.locator(".cs-notice")).to_contain_text("the latest judgement counts")
    saved(left)
    left.keyboard.press("u")
    expect(left.locator(".cs-verdict")).to_have_text("rejected")
    saved(left)
    assert [event.action for event in stored("Ivo")] == ["reject", "accept", "undo"]


def test_the_keys_judge_once_the_name_is_entered_in_the_sidebar(server: str, visit: Visit) -> None:
    page = visit(f"/review?doc={SAMPLE}", server, ready=settled)
    field = page.locator("[data-testid=stSidebar]").get_by_role("textbox", name="Reviewer name")
    field.fill("Kim  Lee")
    field.press("Enter")
    ready(page)
    expect(page.locator("[data-testid=stBidiComponentIsolated]:focus")).to_be_visible()
    page.keyboard.press("a")
    expect(where(page)).to_have_text("2 of 23")
    expect(field).to_have_value(re.compile("^Kim +Lee$"))
    saved(page)
    assert [event.action for event in stored("Kim Lee")] == ["accept"]
