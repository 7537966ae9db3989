"""The Compare page without a browser: what it does with what it is given."""

from __future__ import annotations

import html
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chunking import samples, strategies
from chunking.retrieval.edit_stability import edit_stability
from chunking.retrieval.update_cost import embedded_chunks, update_cost
from chunking.strategies.other_splitters import INSTALL
from chunking.workspace import DocumentAnalysis, Models
from pages.shared.compare.views import VIEWS
from pages.shared.settings.lane_settings import SETS
from tests.alignment import test_stores as stores
from tests.app.pages import calm, give, open_page, paste, shown, workbench
from tests.work.endless import HELD, hold

OFFLINE = [name for name in SETS if not name.startswith("Libraries")]
LANES = "recursive:size=400;overlap=100,section,heading"
"""Three lanes that need no vectors."""


def opened(root: Path, **address: str) -> AppTest:
    """The Compare page at an address; a page of its own file, whose frame the test stands for."""
    return open_page(root, "compare", address)


def lanes(app: AppTest) -> str:
    found: Any = app.query_params["lanes"]
    return found if isinstance(found, str) else str(found[0])


def lane_choice(app: AppTest) -> Any:
    """The choice of the lane to edit, whose key changes with the labels."""
    return next(radio for radio in app.radio if radio.label == "Strategy to edit")


def titles(app: AppTest) -> list[str]:
    """The lanes in the sidebar, as they are read."""
    return [option.replace("\\", "") for option in lane_choice(app).options]


def pick(app: AppTest, lane: int) -> AppTest:
    return calm(lane_choice(app).set_value(lane).run())


# --- lanes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", ["community-garden-faq", "harbour-report"])
def test_every_set_of_lanes_is_shown(root: Path, sample: str) -> None:
    app = opened(root, doc=sample)
    for name in OFFLINE:
        calm(app.selectbox(key="_lane_set").set_value(name).run())
        assert app.selectbox(key="_lane_set").value is None
        assert len(titles(app)) == len(SETS[name].split(","))
        assert lanes(app) == SETS[name]
        assert "cs-problem" not in shown(app)


def test_a_library_that_is_not_installed_is_told_and_the_other_lanes_keep_their_numbers(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "chunking.strategies.other_splitters.base.importlib.util.find_spec",
        lambda name, *_: None if name.startswith("langchain") else find_spec(name),
    )
    # Vectors, code and settings of its own: what another test made of the library must not be found.
    app = opened(root, doc="harbour-report", lanes="recursive,langchain_recursive:chunk_size=333,section", show="Sizes")
    assert "not installed" in shown(app)
    assert html.escape(INSTALL) in shown(app)
    assert any(
        "LangChain" in option and "(not installed)" in option for option in app.selectbox(key="_add_strategy").options
    )
    app.query_params["show"] = "Requested vs. actual"
    calm(app.segmented_control(key="show").set_value("Requested vs. actual").run())
    assert "1 · Recursive" in shown(app)
    assert "3 · Sections" in shown(app)
    assert "2 · Sections" not in shown(app)


@pytest.mark.parametrize(("name", "function"), HELD.items(), ids=HELD)
def test_a_lane_that_never_ends_says_which_limit_it_met_and_the_others_are_shown(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str, function: str
) -> None:
    if not strategies.get(name).installed():
        pytest.skip("not installed")
    # Settings of its own: what another test cut must not be found.
    lane = {"recursive": "recursive:size=432", "langchain_recursive": "langchain_recursive:chunk_size=432"}[name]
    targets = hold(monkeypatch, function)
    app = opened(root, doc="harbour-report", lanes=f"{lane},section", show="Requested vs. actual")
    words = "The strategy took longer than 1 seconds of the processor on"
    assert words in shown(app)
    assert "2 · Sections" in shown(app)
    calls = len(targets)
    calm(app.run())
    assert words in shown(app)
    assert len(targets) == calls, "it is not run each time that the page is drawn"


def test_chunks_that_cannot_be_aligned_are_no_lane_and_the_others_are_shown(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(root, doc="harbour-report", lanes="section", show="Requested vs. actual")
    targets = hold(monkeypatch, "hold_alignment")
    app = give(app, "_own_chunks", "mine.json", b'["Boats wait.", "Tides rise."]')
    words = "yours: mine.json: The alignment of your chunks took longer than 1 seconds of the processor"
    assert words in shown(app)
    assert "1 · Sections" in shown(app)
    aligned = targets.count("_align")
    calm(app.run())
    assert words in shown(app)
    assert targets.count("_align") == aligned == 1


def test_lanes_are_added_moved_and_removed_in_the_address(root: Path) -> None:
    app = opened(root, lanes="recursive,section")
    calm(app.selectbox(key="_add_strategy").set_value("heading").run())
    assert lanes(app) == "recursive,section,heading"
    assert lane_choice(app).value == 2, "the new lane is the one to change"
    calm(app.button(key="_lane_up").click().run())
    assert lanes(app) == "recursive,heading,section"
    assert lane_choice(app).value == 1
    calm(app.button(key="_lane_remove").click().run())
    assert lanes(app) == "recursive,section"


def test_the_last_lane_stays_and_a_lane_that_is_there_is_chosen(root: Path) -> None:
    app = opened(root, lanes="section,recursive")
    calm(app.selectbox(key="_add_strategy").set_value("recursive").run())
    assert lanes(app) == "section,recursive"
    assert lane_choice(app).value == 1
    calm(app.button(key="_lane_remove").click().run())
    assert app.button(key="_lane_remove").disabled


def test_what_the_address_names_wrongly_is_told_and_the_rest_is_shown(root: Path) -> None:
    app = opened(
        root, lanes="recursive,nosuch,section:foo=3,heading:heading_level=99,sentence", show="Requested vs. actual"
    )
    assert titles(app) == ["1 · Recursive", "2 · Sentences"]
    for told in ("Unknown strategy 'nosuch'", "Unknown parameter 'foo'", "left out"):
        assert told in shown(app).replace("&#x27;", "'").replace("\\'", "'")
    assert "2 · Sentences" in shown(app)


def test_an_address_without_any_lane_says_what_to_do(root: Path) -> None:
    app = opened(root, lanes="nosuch")
    assert "No lane can be shown" in shown(app)
    calm(app.selectbox(key="_add_strategy").set_value("section").run())
    assert lanes(app) == "section"
    assert "No lane can be shown" not in shown(app)


# --- parameters ------------------------------------------------------------------------------------------------------


def test_a_changed_parameter_is_in_the_address_and_the_lane_stays_chosen(root: Path) -> None:
    app = pick(opened(root, lanes=LANES), 1)
    calm(app.number_input(key="_lane_section_max_tokens").set_value(120).run())
    assert lanes(app).split(",")[1:] == ["section:max_tokens=120", "heading"]
    assert lane_choice(app).value == 1
    assert titles(app)[1] == "2 · Sections · Maximum 120"


def test_sliders_of_a_lane_need_no_other_data_and_its_title_follows(root: Path) -> None:
    app = opened(root, lanes="structural,section")
    first = workbench(app)
    calm(app.slider(key="_lane_structural_alpha").set_value(0.8).run())
    moved = workbench(app)
    assert [lane["source"] for lane in moved["lanes"]] == [lane["source"] for lane in first["lanes"]]
    assert moved["lanes"][0]["setting"]["alpha"] == 0.8 and moved["lanes"][0]["title"].endswith("α 0.8")
    assert moved["revision"] == first["revision"] + 1, "the browser must follow"
    calm(app.run())
    assert workbench(app)["revision"] == moved["revision"]


def test_lanes_that_differ_in_sliders_alone_share_their_data(root: Path) -> None:
    app = opened(root, lanes="structural,structural:alpha=0.2,structural:alpha=0.9;percentile=60")
    lanes = workbench(app)["lanes"]
    assert len({lane["source"] for lane in lanes}) == 1
    assert [lane["setting"]["alpha"] for lane in lanes] == [0.5, 0.2, 0.9]
    assert len([each for each in app.get("bidi_component") if "workbench_data" in each.proto.component_name]) == 2


def test_contradicting_parameters_are_refused_at_the_control_and_nothing_is_lost(root: Path) -> None:
    app = pick(opened(root, lanes=LANES, columns="1-3"), 2)
    calm(app.number_input(key="_lane_heading_max_tokens").set_value(100).run())
    good = lanes(app)
    calm(app.number_input(key="_lane_heading_min_tokens").set_value(300).run())
    assert "min_tokens (300) is larger than max_tokens (100)" in shown(app)
    assert shown(app).count("cs-problem") == 1
    assert lanes(app) == good
    assert app.number_input(key="_lane_heading_min_tokens").value == 300, "what was typed can be mended"
    calm(app.number_input(key="_lane_heading_max_tokens").set_value(500).run())
    assert "cs-problem" not in shown(app)
    assert "min_tokens=300" in lanes(app)
    assert "max_tokens=500" in lanes(app)
    assert workbench(app)["columns"] == [0, 2]


def test_a_refusal_is_forgotten_with_the_lane_it_was_about(root: Path) -> None:
    app = opened(root, lanes="recursive:size=400;overlap=100,section")
    calm(app.number_input(key="_lane_recursive_overlap").set_value(5000).run())
    assert "cs-problem" in shown(app)
    pick(app, 1)
    assert "cs-problem" not in shown(app)
    pick(app, 0)
    assert app.number_input(key="_lane_recursive_overlap").value == 100


def test_two_lanes_never_have_the_same_setting(root: Path) -> None:
    app = opened(root, lanes="section,section:max_tokens=400")
    calm(app.number_input(key="_lane_section_max_tokens").set_value(400).run())
    assert "Another lane has this setting" in shown(app)
    assert lanes(app) == "section,section:max_tokens=400"


def test_every_control_of_every_lane_can_be_shown(root: Path) -> None:
    app = opened(root, lanes=",".join(SETS[name] for name in ("Sizes", "Headings and sections", "Formats")))
    for lane in range(len(titles(app))):
        pick(app, lane)
        assert lane_choice(app).value == lane
        assert "cs-problem" not in shown(app)


def test_a_preset_is_one_click(root: Path) -> None:
    app = opened(root, lanes="structural,section")
    calm(app.button(key="_lane_preset_reference").click().run())
    assert titles(app)[0] == "1 · Fused (semantic + structural) · reference"
    assert "alpha=0.05" in lanes(app)


# --- views -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", VIEWS)
def test_a_link_reproduces_each_view(root: Path, view: str) -> None:
    app = opened(root, lanes=LANES, show=view, axis="tokens", columns="1-3", at="700", part="500-3000")
    assert app.segmented_control(key="show").value == view
    state = workbench(app)
    text = text_of("community-garden-faq")
    assert state["columns"] == [0, 2]
    assert state["view"] == pytest.approx([500 / len(text), 3000 / len(text)])
    offsets = DocumentAnalysis(samples.load("community-garden-faq").document).offsets
    assert abs(int(offsets[state["selected"]]) - 700) == min(abs(int(offset) - 700) for offset in offsets)
    if view == "Chunks":
        assert "in the part that the lanes show" in shown(app)
    else:
        assert "For the whole document" in shown(app)


def test_numbers_of_an_address_that_name_no_lane_or_place_are_left_out(root: Path) -> None:
    app = opened(root, lanes=LANES, columns="9-2-x", at="99999999", part="900-100")
    state = workbench(app)
    assert (state["columns"], state["selected"], state["view"]) == ([], None, None)
    app = opened(root, lanes=LANES, show="Side by side", columns="0-2-3")  # 0 is from old links
    assert workbench(app)["columns"] == [1, 2]


def test_a_measure_is_named_in_words_and_in_the_address_by_its_name(root: Path) -> None:
    app = opened(root, lanes=LANES, show="Agreement", measure="window_diff")
    assert app.selectbox(key="measure").value == "window_diff"
    assert "WindowDiff" in app.selectbox(key="measure").options[2]
    calm(app.selectbox(key="measure").set_value("pk").run())
    assert app.query_params["measure"] in ("pk", ["pk"])
    assert "Rows are the reference" in shown(app)


def test_overlap_that_is_not_reached_is_said_and_shown(root: Path) -> None:
    app = opened(
        root, doc="field-guide-to-backups", lanes="recursive:size=1000;overlap=200,fixed_size:overlap=30",
        show="Requested vs. actual",
    )  # fmt: skip
    assert "1 · Recursive · Overlap 200: 200 characters requested, reached in full at none of 15 boundaries" in shown(
        app
    )
    assert "30 tokens requested, reached in full at" in shown(app)
    assert "<i class=" in shown(app).replace("\\", "")


def test_the_cost_of_a_change_is_that_of_the_command_line(root: Path) -> None:
    lines = ("structural", "structural:max_tokens=200", "structural:alpha=0.6")
    app = opened(root, lanes=",".join(lines), show="Cost of a change", indexed="2", rate="50")
    workspace = DocumentAnalysis(samples.load("community-garden-faq").document)
    chunks = [embedded_chunks(strategies.parse(line).run(workspace), workspace.tools.tokenizer) for line in lines]
    assert app.selectbox(key="indexed").value == "2"
    for others in chunks:
        cost = update_cost(chunks[1], others)
        cells = "".join(f"<td>{count:,}</td>" for count in (cost.kept, cost.changed, cost.new, cost.removed))
        tokens = f"<td>{cost.embedded:,} <small>{100 * cost.share:.0f} %</small></td>"
        assert f"{cells}{tokens}<td>{cost.price(0.5):.4f}</td>" in shown(app)
    calm(app.selectbox(key="indexed").set_value("1").run())
    assert f"<td>{len(chunks[0]):,}</td><td>0</td><td>0</td><td>0</td><td>0 <small>0 %</small></td>" in shown(app)
    alone = opened(root, lanes="structural", show="Cost of a change")
    assert "A single lane changes nothing" in shown(alone)


def test_the_share_of_chunks_that_an_edit_changes_is_measured_when_it_is_asked_for(root: Path) -> None:
    lines = ("structural", "fixed_size:max_tokens=100")
    app = opened(root, lanes=",".join(lines), show="Cost of a change")
    assert "an index does not have yet" not in shown(app)
    calm(app.button(key="_compare_edits").click().run())
    workspace = DocumentAnalysis(samples.load("community-garden-faq").document)
    for found in edit_stability(workspace, [strategies.parse(line) for line in lines]):
        assert f"<td>{100 * found.median:.0f} %</td><td>{100 * found.worst:.0f} %</td>" in shown(app)


def test_a_document_of_one_sentence_has_nothing_to_agree_on(root: Path) -> None:
    app = opened(root, lanes=LANES, show="Agreement")
    paste(app, "Just one sentence here.")
    assert "no boundaries to compare" in shown(app)
    for view in VIEWS:
        calm(app.segmented_control(key="show").set_value(view).run())
    assert "1 sentence, 23 characters" in shown(app)
    assert len(workbench(app)["lanes"]) == 3


# --- documents and chunks of one's own -------------------------------------------------------------------------------


def test_another_document_keeps_the_lanes_and_forgets_the_place(root: Path) -> None:
    app = opened(root, lanes=LANES, at="700", part="500-3000")
    calm(app.selectbox(key="doc").set_value("harbour-report").run())
    assert lanes(app) == LANES
    assert "A field guide" not in shown(app)


def text_of(sample: str) -> str:
    return samples.load(sample).document.text


def test_own_chunks_become_a_lane_with_what_they_lack(root: Path) -> None:
    text = text_of("community-garden-faq")
    parts = text.split("\n\n")
    app = opened(root, lanes="section", show="Requested vs. actual")
    give(app, "_own_chunks", "mine.json", json.dumps([{"text": part} for part in parts if part != parts[7]]).encode())
    assert "2 · yours: mine.json" in shown(app)
    assert "Lost or duplicated text" in shown(app)
    rows = app.dataframe[0].value
    assert list(rows["problem"]) == ["lost"]
    start = int(rows["start"].iloc[0])
    assert text[start : start + int(rows["characters"].iloc[0])].strip() == parts[7].strip()
    calm(next(button for button in app.button if button.label.startswith("Remove mine")).click().run())
    assert "yours" not in shown(app)


@pytest.mark.parametrize("name", ["chroma.json", "nodes.jsonl", "pgvector.parquet"])
def test_the_export_of_a_vector_store_becomes_a_lane_in_the_order_of_the_document(root: Path, name: str) -> None:
    app = opened(root, doc="field-guide-to-backups", lanes="section", show="Requested vs. actual")
    give(app, "_own_chunks", name, stores.exports()[name])
    assert f"2 · yours: {name}" in shown(app)
    assert "Lost or duplicated text" not in shown(app)


def test_a_file_of_chunks_that_is_none_is_told_until_it_is_dismissed(root: Path) -> None:
    app = opened(root, lanes="section")
    give(app, "_own_chunks", "garbage.json", bytes(range(256)) * 9)
    assert "cs-problem" in shown(app)
    calm(app.selectbox(key="doc").set_value("harbour-report").run())
    assert "cs-problem" not in shown(app), "it was about another document"
    calm(app.selectbox(key="doc").set_value("community-garden-faq").run())
    calm(app.button(key="_own_chunks_upload_dismiss").click().run())
    assert "cs-problem" not in shown(app)


def test_chunks_of_another_document_are_a_lane_that_says_so(root: Path) -> None:
    app = opened(root, lanes="section", show="Requested vs. actual")
    give(app, "_own_chunks", "theirs.json", json.dumps([text_of("harbour-report")[:600]] * 2).encode())
    assert "0 of 2 chunks found; the text of the others is not in the document." in shown(app)


def test_chunks_can_be_pasted(root: Path) -> None:
    text = text_of("community-garden-faq")
    app = opened(root, lanes="section", show="Requested vs. actual")
    app.text_area(key="_pasted_chunks").set_value(text[:90] + "\n---\n" + text[90:])
    paste = next(button for button in app.button if button.label == "Add chunks")
    calm(paste.click().run())
    assert "2 · yours: pasted" in shown(app)
    app.text_area(key="_pasted_chunks").set_value(" ")
    paste = next(button for button in app.button if button.label == "Add chunks")
    calm(paste.click().run())
    assert "contains no chunks" in shown(app)


def test_markup_in_the_name_of_a_chunk_set_is_only_text(root: Path) -> None:
    name = "<img src=x onerror=alert(1)> **b** $x$.json"
    app = opened(root, lanes="section", show="Requested vs. actual")
    give(app, "_own_chunks", name, json.dumps(text_of("community-garden-faq").split("\n\n")).encode())
    assert "yours: &lt;img" in shown(app)
    assert all("<img" not in element.proto.body for element in app.get("html"))
    button = next(button for button in app.button if button.label.startswith("Remove"))
    assert "\\<img" in button.label
    assert "\\*\\*b" in button.label


def test_lanes_without_vectors_are_shown_while_embedding_is_stopped(root: Path) -> None:
    app = opened(root, lanes="section", show="Requested vs. actual", encoder="all-MiniLM-L6-v2")
    paste(app, "The kettle sings. The bread is warm. A letter came. Nobody read it.")
    document = app.session_state["_own_documents"][app.session_state["doc"]].document
    app.session_state["_cancelled_embedding"] = (DocumentAnalysis(document, Models("all-MiniLM-L6-v2")).key, (0,))
    app.query_params["lanes"] = "percentile:window=0,section"
    app.query_params["back"] = "1"
    calm(app.run())
    assert "Embedding was stopped" in shown(app)
    assert "2 · Sections" in shown(app)
    assert "1 · Semantic, percentile" not in shown(app)


def test_true_boundaries_of_ones_own_become_the_lane_of_gold(root: Path) -> None:
    app = opened(root, lanes=LANES, show="Agreement", doc="on-walking-to-work")
    document = samples.load("on-walking-to-work").document
    half = document.text.index(" ", len(document.text) // 2) + 1
    give(app, "_own_gold", "gold.json", json.dumps([half]).encode())
    assert app.session_state["_own_gold_offsets"][document.key].complete_boundaries == (half,)
    give(app, "_own_gold", "gold.json", b"[99999999]")
    assert "outside the text" in shown(app)
    assert app.session_state["_own_gold_offsets"][document.key].complete_boundaries == (half,), (
        "a wrong file takes nothing away"
    )
    calm(app.button(key="_remove_gold").click().run())
    assert not app.session_state["_own_gold_offsets"]
