"""Cuts and joins by hand on Inspect, without a browser."""

from __future__ import annotations

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from chunking import samples
from chunking.chunks.edits import Edit, edit_at, packed
from chunking.document import Document
from pages.shared.documents import choices
from pages.shared.reference import review_store
from tests.app.pages import calm, paste, workbench
from tests.app.test_inspect import address, figures, goto, opened, shown
from tests.app.test_lasting_documents import doc, library, restarted

HARBOUR, WALKING = "harbour-report", "on-walking-to-work"


def link(document: Document, *edits: Edit) -> str:
    return f"{packed(edits)}@{document.key[:4]}"


def harbour() -> Document:
    return samples.load(HARBOUR).document


def edit(words: str, action: str = "cut") -> Edit:
    text = harbour().text
    return edit_at(text, action, text.index(words))  # type: ignore[arg-type]


CUT = "In their place came stone"
"""Words inside a paragraph of the report, where no setting cuts."""


def chunks_of(app: AppTest) -> int:
    found = re.search(r"(\d+)\D+chunks", figures(app))
    assert found, figures(app)
    return int(found[1])


def test_a_link_brings_edits_and_they_can_be_removed(root: Path) -> None:
    app = opened(root, doc=HARBOUR, strategy="whole", edits=link(harbour(), edit(CUT)))
    assert chunks_of(app) == 2
    assert [action for _, action in workbench(app)["by_hand"]] == ["cut"]
    assert f"<b>Cut</b> before “{CUT}" in shown(app)
    calm(app.selectbox(key="strategy").set_value("fixed_size").run())
    assert f"<b>Cut</b> before “{CUT}" in shown(app) and address(app)["edits"] == link(harbour(), edit(CUT))
    calm(app.button(key="_by_hand_remove_0").click().run())
    assert workbench(app)["by_hand"] == [] and "edits" not in address(app)
    assert "By hand" not in shown(app)
    calm(app.selectbox(key="strategy").set_value("whole").run())
    assert "<b>1</b>" in figures(app)


def test_each_document_has_edits_of_its_own(root: Path) -> None:
    app = opened(root, doc=HARBOUR, edits=link(harbour(), edit(CUT)))
    calm(app.selectbox(key="doc").set_value(WALKING).run())
    assert workbench(app)["by_hand"] == [] and "edits" not in address(app)
    calm(app.selectbox(key="doc").set_value(HARBOUR).run())
    assert len(workbench(app)["by_hand"]) == 1 and address(app)["edits"] == link(harbour(), edit(CUT))


def test_edits_of_another_document_and_damaged_ones_are_ignored(root: Path) -> None:
    other = opened(root, doc=WALKING, edits=link(harbour(), edit(CUT)))
    assert workbench(other)["by_hand"] == []
    damaged = opened(root, doc=HARBOUR, edits="x" * 40)
    assert workbench(damaged)["by_hand"] == [] and "edits" not in address(damaged)
    assert "The edits by hand in the link are damaged" in shown(damaged)


def test_an_edit_whose_text_is_gone_is_listed_as_lost_and_stays(root: Path) -> None:
    lost = Edit("join", "Never was this here.", "Nor was that written.", 700)
    app = opened(root, doc=HARBOUR, edits=link(harbour(), lost, edit(CUT)))
    (warning,) = app.warning
    assert "1 edit by hand is not followed" in warning.value
    assert "lost: the text around it is gone" in shown(app)
    assert len(workbench(app)["by_hand"]) == 1
    calm(app.button(key="_by_hand_remove_1").click().run())
    assert "lost: the text around it is gone" in shown(app)


def test_edits_of_a_document_of_the_library_are_there_again(root: Path) -> None:
    text = "# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Bake it.\n"
    app = paste(opened(root), text)
    name = doc(app)
    two = [edit_at(text, "cut", text.index(words)) for words in ("Wait a little", "Bake it")]
    linked = opened(root, doc=name, edits=packed(two))
    calm(linked.button(key="_by_hand_remove_0").click().run())
    choices._writer().write()
    assert library().find(name).choices.edits
    restarted()
    again = opened(root, doc=name)
    assert [action for _, action in workbench(again)["by_hand"]] == ["cut"] and "“Bake it." in shown(again)


def test_judgements_go_to_inspect_and_edits_by_hand_become_judgements(root: Path) -> None:
    app = opened(root, doc=HARBOUR, edits=link(harbour(), edit(CUT), edit("The new vessel", "join")))
    calm(app.run())
    goto(app, "pages/review.py")
    calm(app.text_input(key="reviewer").set_value("Ana").run())
    calm(app.button(key="_review_from_hand").click().run())
    assert "_review_from_hand" not in {button.key for button in app.button}, "all of them are judgements now"
    text = harbour().text
    stored = [(event.action, event.offset) for event in review_store.connected().events(harbour().text_hash)]
    assert stored == [("add", text.index(CUT)), ("reject", text.index("The new vessel"))]
    calm(app.button(key="_review_to_hand").click().run())
    assert [action for _, action in workbench(app)["by_hand"]] == ["cut", "join"]


def test_what_edits_by_hand_cost_an_index_is_shown_on_request(root: Path) -> None:
    app = opened(root, doc=HARBOUR, strategy="whole", edits=link(harbour(), edit(CUT)))
    assert "Cost of a change" not in shown(app)
    app.session_state["_inspect_cost"] = True
    calm(app.run())
    row = re.search(r"Without the edits by hand</th>(.*?)</tr>", shown(app))
    assert row
    kept, changed, new, removed, tokens, share = re.findall(r"[\d,]+", re.sub(r"<[^>]*>", " ", row[1]))
    assert (kept, changed, new, removed, share) == ("0", "1", "1", "0", "100") and int(tokens.replace(",", "")) > 500
