"""The address of each page: what it opens, what it says, and that an older one changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.shared.components import document_list as list_component
from pages.shared.evaluate import question_sets
from pages.shared.frame import runs
from tests.app.pages import TIMEOUT, calm, open_page, paste
from tests.app.test_inspect import opened as open_inspect

TEXT = "The kettle boils water for tea. A ladder stands in the shed. Oil for the hinge is in a flat can."


def opened(root: Path, page: str = "inspect", **address: Any) -> AppTest:
    return open_page(root, page, address) if page != "inspect" else open_inspect(root, **address)


def goto(app: AppTest, page: str) -> AppTest:
    """Go to another page as the menu does."""
    app.query_params.clear()
    return calm(app.switch_page(f"pages/{page}.py").run())


def query(app: AppTest) -> dict[str, str]:
    """Return the address, several values joined by a plus sign."""
    return {
        name: "+".join(value) if isinstance(value, list) else value for name, value in sorted(app.query_params.items())
    }


def pasted(app: AppTest, text: str = TEXT) -> str:
    """Open a text of the user's own, and return its name."""
    return str(paste(app, text).session_state["doc"])


OLD_LINKS: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    ("inspect", {}, {}),
    ("inspect", {"alpha": "0.8", "percentile": "80"}, {"strategy": "structural:alpha=0.8;percentile=80.0"}),
    ("inspect", {"strategy": "changepoint", "alpha": "0.6"}, {"strategy": "changepoint:alpha=0.6"}),
    ("inspect", {"strategy": "changepoint:alpha=0.6"}, {"strategy": "changepoint:alpha=0.6"}),
    ("inspect", {"strategy": "structural", "alpha": "0.5"}, {}),
    ("inspect", {"strategy": "percentile", "window": "2"}, {"strategy": "percentile:window=2"}),
    (
        "inspect",
        {"structure": "reference", "features_off": ["characters", "punctuation"]},
        {"strategy": "structural:structure=reference;features_off=punctuation+characters"},
    ),
    ("inspect", {"overlap": "1.0", "gap": "3"}, {"strategy": "structural:overlap=1", "gap": "3"}),
    ("tune", {"alpha": "0.7", "max_tokens": "300"}, {"strategy": "structural:alpha=0.7;max_tokens=300"}),
    ("tune", {"map": "Boundary F1"}, {}),
    ("compare", {"lanes": "structural:alpha=0.3,section"}, {"lanes": "structural:alpha=0.3,section"}),
    ("compare", {"show": "Sizes", "measure": "pk"}, {"show": "Sizes", "measure": "pk"}),
    ("compare", {"show": "Asked and got"}, {"show": "Requested vs. actual"}),
    ("compare", {"show": "Side by side", "axis": "tokens"}, {"columns": "1-2"}),
]


@pytest.mark.parametrize(("page", "old", "now"), OLD_LINKS, ids=[json.dumps([page, old]) for page, old, _ in OLD_LINKS])
def test_an_old_link_opens_and_is_written_in_the_grammar_of_today(
    root: Path, page: str, old: dict[str, Any], now: dict[str, str]
) -> None:
    assert query(opened(root, page, **old)) == {"doc": "community-garden-faq", **now}


def test_an_address_always_names_its_document(root: Path) -> None:
    app = opened(root)
    for page in ("compare", "tune", "review", "collection"):
        assert query(goto(app, page))["doc"] == "community-garden-faq"


def test_an_address_names_its_document_also_where_the_browser_left_before_it_showed_all(root: Path) -> None:
    app = opened(root)
    app.text_input(key="_number_sent").set_value("")
    assert query(goto(app, "compare"))["doc"] == "community-garden-faq"


def test_an_older_address_that_comes_from_the_browser_changes_nothing(root: Path) -> None:
    app = opened(root, alpha="0.8")
    calm(app.slider(key="structural_percentile").set_value(70.0).run())
    app.query_params.clear()
    app.query_params["strategy"] = "structural:alpha=0.8"  # the answer to the move has not reached the browser
    calm(app.slider(key="structural_alpha").set_value(0.3).run())
    assert query(app)["strategy"] == "structural:alpha=0.3;percentile=70.0"


def test_going_back_opens_the_older_address_but_keeps_what_is_moved_meanwhile(root: Path) -> None:
    app = opened(root, doc="harbour-report", strategy="structural:alpha=0.8")
    calm(app.selectbox(key="doc").set_value("on-walking-to-work").run())
    app.query_params.clear()
    for name, value in {"doc": "harbour-report", "strategy": "structural:alpha=0.8", "back": "1"}.items():
        app.query_params[name] = value
    calm(app.slider(key="structural_percentile").set_value(70.0).run())
    assert query(app) == {"doc": "harbour-report", "strategy": "structural:alpha=0.8;percentile=70.0"}
    assert app.selectbox(key="doc").value == "harbour-report"


def test_going_back_and_choosing_lets_the_older_value_be_chosen_again(root: Path) -> None:
    app = opened(root, strategy="changepoint")
    app.query_params["strategy"], app.query_params["back"] = "structural:alpha=0.8", "1"
    calm(app.run())
    for name in ("percentile", "structural", "changepoint", "structural"):
        calm(app.selectbox(key="strategy").set_value(name).run())
        assert app.selectbox(key="strategy").value == name
    assert query(app)["strategy"] == "structural:alpha=0.8"


def test_the_same_mark_is_read_once(root: Path) -> None:
    app = opened(root)
    app.query_params["strategy"], app.query_params["back"] = "structural:alpha=0.8", "1"
    calm(app.run())
    assert app.slider(key="structural_alpha").value == 0.8
    app.query_params["back"] = "1"  # a message that was sent before the answer arrived
    calm(app.slider(key="structural_alpha").set_value(0.2).run())
    calm(app.run())
    assert query(app)["strategy"] == "structural:alpha=0.2"


def test_a_control_and_another_strategy_in_one_message_lose_nothing(root: Path) -> None:
    app = opened(root)
    app.slider(key="structural_alpha").set_value(0.9)
    calm(app.selectbox(key="strategy").set_value("changepoint").run())
    assert query(app)["strategy"] == "changepoint"
    calm(app.selectbox(key="strategy").set_value("structural").run())
    assert query(app)["strategy"] == "structural:alpha=0.9"


def test_a_control_of_a_lane_and_another_lane_in_one_message_lose_nothing(root: Path) -> None:
    app = opened(root, "compare", lanes="section,paragraph")
    app.number_input(key="_lane_section_max_tokens").set_value(300)
    calm(next(radio for radio in app.radio if radio.label == "Strategy to edit").set_value(1).run())
    assert query(app)["lanes"] == "section:max_tokens=300,paragraph"
    assert next(radio for radio in app.radio if radio.label == "Strategy to edit").value == 1


# ---- ways from page to page


@pytest.mark.parametrize("document", ["harbour-report", "community-garden-faq"])
def test_a_row_of_the_collection_opens_its_document(root: Path, monkeypatch: pytest.MonkeyPatch, document: str) -> None:
    def rows(key: str, rows: Any, *, on_event: Any, **_: Any) -> None:
        st.button("row", key="_row", on_click=on_event)

    monkeypatch.setattr(list_component, "document_list", rows)
    monkeypatch.setattr(list_component, "chosen_document", lambda key: document)
    app = goto(opened(root, strategy="structural:alpha=0.8"), "collection")
    calm(app.button(key="_row").click().run())
    assert query(app) == {"doc": document, "strategy": "structural:alpha=0.8"}
    assert app.session_state["_address"].page == "pages/inspect.py"


def test_a_passage_that_was_found_opens_in_inspect_under_an_address_with_its_document(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(root)
    name = pasted(app)
    goto(app, "evaluate")
    calm(app.segmented_control(key="measured").set_value("Retrieval").run())
    calm(app.text_input(key="ask").set_value("Where is the ladder?").run())
    for run in list(_runs().values()):
        assert run.wait(TIMEOUT)
    calm(app.run())
    button = next(each for each in app.button if each.label == "Open in Inspect")
    calm(button.click().run())
    address = query(app)
    assert address["doc"] == name and "gap" in address


def _runs() -> dict[str, Any]:
    known: dict[str, Any] = runs.runs()._jobs
    return known


def test_the_setting_of_inspect_is_the_first_lane_of_compare(root: Path) -> None:
    app = opened(root)
    calm(app.slider(key="structural_alpha").set_value(0.7).run())
    goto(app, "compare")
    assert query(app)["lanes"].split(",")[0] == "structural:alpha=0.7"
    goto(app, "inspect")
    calm(app.slider(key="structural_percentile").set_value(80.0).run())
    goto(app, "compare")
    assert query(app)["lanes"].split(",")[0] == "structural:alpha=0.7;percentile=80.0"


def test_a_first_lane_that_was_changed_in_compare_stays(root: Path) -> None:
    app = goto(opened(root), "compare")
    control = next(each for each in [*app.slider, *app.number_input] if each.key == "_lane_structural_alpha")
    calm(control.set_value(0.1).run())
    goto(app, "inspect")
    calm(app.slider(key="structural_alpha").set_value(0.7).run())
    assert query(goto(app, "compare"))["lanes"].split(",")[0] == "structural:alpha=0.1"


def test_retrieval_asks_the_document_of_ones_own_that_is_open(root: Path) -> None:
    app = opened(root)
    name = pasted(app)
    goto(app, "evaluate")
    calm(app.segmented_control(key="measured").set_value("Retrieval").run())
    assert app.selectbox(key="questions").value == question_sets.YOURS
    assert app.selectbox(key="doc").value == name
    calm(app.selectbox(key="questions").set_value(question_sets.SAMPLES).run())
    assert query(app)["questions"] == question_sets.SAMPLES, "and the samples can be chosen"
