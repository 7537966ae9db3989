"""What only a browser shows of retrieval on the Evaluate page: answers marked in the text, and questions chosen."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.server import grid_drawn, settled

WORDS = "lanes=recursive,paragraph&search=bm25"
"""Strategies and a way to search that need no model."""
PATIENCE = 120_000


def opened(visit: Visit, server: str, query: str) -> Page:
    """The page at an address."""
    return visit(f"/evaluate?measured=Retrieval&doc=field-guide-to-backups&{WORDS}&{query}", server, ready=settled)


# --- answers ---------------------------------------------------------------------------------------------------------

PLACE = """async (scroller, words) => {
  const place = () => {
    const walker = document.createTreeWalker(scroller, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
      const at = node.data.indexOf(words);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      node.parentElement.scrollIntoView({ block: "center" });
      const [first, last] = [...range.getClientRects()].filter((box) => box.width > 1).flatMap((box, i, all) =>
        i === 0 || i === all.length - 1 ? (all.length === 1 ? [box, box] : [box]) : []);
      return [first.left, (first.top + first.bottom) / 2, last.right, (last.top + last.bottom) / 2];
    }
  };
  // The page above may still be coming into place: wait until the words have stood still for a while.
  await document.fonts.ready;
  let found = place();
  for (let still = 0; still < 30; ) {
    await new Promise(requestAnimationFrame);
    const now = place();
    still = String(now) === String(found) ? still + 1 : 0;
    found = now;
  }
  return found;
}"""


def drag(page: Page, scroller: Locator, words: str) -> None:
    """Drag over some words of the text."""
    x, y, to_x, to_y = scroller.evaluate(PLACE, words)
    page.mouse.move(x + 0.5, y)
    page.mouse.down()
    page.mouse.move((x + to_x) / 2, to_y)
    page.mouse.move(to_x - 0.5, to_y)
    page.mouse.up()


def add(page: Page, question: str) -> None:
    field = page.get_by_label("Question", exact=True)
    field.fill(question)
    field.press("Enter")
    settled(page)
    page.get_by_role("button", name="Add question", exact=True).click()
    said = page.locator(".cs-problem").or_(page.get_by_role("button", name="Save 1 as JSONL"))
    expect(said.first).to_be_visible(timeout=PATIENCE)
    settled(page)
    expect(page.locator(".cs-problem")).to_have_count(0)
    expect(field).to_have_value("")  # it is taken
    settled(page)


def test_an_answer_is_marked_by_mouse_and_found(visit: Visit, server: str) -> None:
    page = opened(visit, server, "questions=Your+own+questions&look=Questions&question=1&side=paragraph")
    scroller = page.locator(".cs-marker .cs-scroller")
    expect(scroller).to_contain_text("A Field Guide to Backups")
    drag(page, scroller, "RAID keeps a server running")
    expect(page.locator(".cs-answer")).to_have_text("RAID keeps a server running")
    page.locator(".cs-answer").click()
    expect(page.locator(".cs-answer")).to_have_count(0)
    drag(page, scroller, "faithfully mirrors every corrupted byte")
    expect(page.locator(".cs-answer")).to_have_text("faithfully mirrors every corrupted byte")
    settled(page)
    add(page, "What does RAID mirror?")
    expect(page.locator(".cs-other")).to_have_text("faithfully mirrors every corrupted byte")
    expect(page.locator(".cs-answer")).to_have_count(0)
    page.get_by_role("button", name="Evaluate 2 strategies").click(timeout=PATIENCE)
    expect(page.locator(".cs-r-hit mark")).to_have_text("faithfully mirrors every corrupted byte", timeout=PATIENCE)


def test_an_answer_is_marked_by_keyboard_also_behind_signs_of_two_units(visit: Visit, server: str) -> None:
    page = opened(visit, server, "questions=Your+own+questions&look=Questions&question=1&side=paragraph")
    page.get_by_role("button", name="Add your own").click()
    page.get_by_label("Or paste text").fill("The 🫖 is for tea 🍵. The 🍳 is for eggs. The 🔔 rings at noon.")
    page.get_by_role("button", name="Open text").click()
    scroller = page.locator(".cs-marker .cs-scroller")
    expect(scroller).to_contain_text("is for eggs", timeout=PATIENCE)
    settled(page)
    scroller.focus()
    for key in ("ArrowDown", "ArrowDown", "Shift+ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".cs-answer")).to_have_text("The 🍳 is for eggs. The 🔔 rings at noon.")
    page.keyboard.press("Enter")
    expect(page.locator(".cs-answer")).to_have_count(0)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".cs-answer")).to_have_text("The 🔔 rings at noon.")
    settled(page)
    add(page, "What rings at noon?")
    page.get_by_role("button", name="Evaluate 2 strategies").click(timeout=PATIENCE)
    expect(page.locator(".cs-r-hit mark")).to_have_text("The 🔔 rings at noon.", timeout=PATIENCE)


# --- what came of it -------------------------------------------------------------------------------------------------


def test_a_question_of_the_list_leads_to_its_rankings_and_on_to_the_place(visit: Visit, server: str) -> None:
    page = opened(visit, server, "look=Questions")
    grid = page.get_by_test_id("stDataFrame").first
    expect(grid).to_be_visible(timeout=PATIENCE)
    settled(page)
    grid_drawn(grid)
    grid.click(position={"x": 14, "y": 55})
    page.wait_for_url("**question=*")
    settled(page)
    expect(page.locator(".cs-r-list")).to_have_count(2)
    page.get_by_role("button", name="Open in Compare").first.click()
    page.wait_for_url("**/compare?**at=*")
