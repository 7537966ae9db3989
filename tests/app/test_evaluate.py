"""The Evaluate page without a browser: what it does with what it is given."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from chunking import evaluation, from_text, samples
from chunking.evaluation import own, report
from chunking.reference.reference import Reference
from chunking.report.formatting import percent
from pages.shared.documents.session_documents import OpenDocument, of_user
from pages.shared.evaluate import boundaries, boundary_jobs, data_sets, stability
from tests import queues
from tests.app.pages import TIMEOUT, calm, open_page

EVIL = "<img src=x onerror=alert(1)>"
ROWS: list[dict[str, Any]] = [
    {"id": f"a{EVIL}", "units": ["Tea.", "Tea pot.", "Bread.", "Bread crust."], "boundaries": [2], "group": "one"},
    {"id": "b", "units": ["Tea.", "Cup of tea.", "Oven.", "Hot oven.", " "], "boundaries": [2], "group": "two"},
    {"id": "c", "units": ["Sun.", "Sun set.", "Moon.", "Full moon."], "boundaries": []},
]
FILE = "\n".join(json.dumps(row | {"lang": "en"}) for row in ROWS).encode()
LANES = "heading,recursive:overlap=0;size=100,paragraph"
"""Three strategies that need no vectors."""


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep nothing from another test, and wait for each run."""
    monkeypatch.setattr(boundary_jobs, "PATIENCE", float(TIMEOUT))
    boundary_jobs.queue().forget()
    yield
    boundary_jobs.queue().forget()


def opened(root: Path, state: dict[str, Any] | None = None, **address: str) -> AppTest:
    """The page at an address; a page of its own file, whose frame the test stands for."""
    return open_page(root, "evaluate", {"lanes": LANES, "result": "Figures"} | address, state)


def shown(app: AppTest) -> str:
    """All text of the page that is neither a control nor its style sheet."""
    kinds = ("html", "text", "caption", "info", "code")
    said = (str(element.proto) for kind in kinds for element in app.get(kind))
    return "\n".join(text for text in said if ".cs-problem {" not in text).replace("\\'", "'")


def upload(app: AppTest, name: str, data: bytes) -> AppTest:
    key = next(str(each.key) for each in app.file_uploader if str(each.key).startswith("_evaluate_upload"))
    return calm(app.file_uploader(key=key).upload(name, data).run())


def named(app: AppTest, kind: str, label: str) -> Any:
    return next(each for each in app.get(kind) if getattr(each, "label", None) == label)


def own_document(name: str, text: str) -> dict[str, OpenDocument]:
    return {name: of_user(from_text(text, name=name, language="en"))}


# --- samples ---------------------------------------------------------------------------------------------------------


def test_the_samples_are_evaluated_with_the_usual_strategies_at_once(root: Path) -> None:
    app = opened(root, lanes=boundaries.DEFAULT)
    wanted = evaluation.summarize(
        evaluation.evaluate(own.of_samples(), evaluation.read_settings(boundaries.DEFAULT, {}))
    )
    for name, row in wanted.strategies.items():
        assert f"<td>{name}</td>" in shown(app) or f">{name}</span></td>" in shown(app)
        assert percent(row.measures["f1"].mean) in shown(app)
    assert "cs-problem" not in shown(app)


def test_every_view_is_shown_and_needs_no_second_evaluation(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(root)

    def refuse(*_: object) -> None:
        raise AssertionError("nothing is evaluated again")

    monkeypatch.setattr(evaluation, "evaluate", refuse)
    for view, said in (
        ("Differences", "in percentage points"),
        ("Groups", "Plain text"),
        ("Documents", "worst documents first"),
        ("Notes", "inside units"),
        ("How it is measured", "van Rijsbergen"),
        ("Figures", "value of random"),
    ):
        calm(app.segmented_control(key="result").set_value(view).run())
        assert said in shown(app), view
    for name, title in report.TITLES.items():
        calm(app.segmented_control(key="figure").set_value(title).run())
        assert f"{title} of 6 rows" in shown(app), name


def test_a_link_reopens_the_view(root: Path) -> None:
    app = opened(root, result="Differences", figure="Pk", against="none", granularity="gold", f1_tolerance="3")
    assert "Pk of 3 rows vs. none" in shown(app)
    assert "F1 ±3" in shown(app)
    assert app.segmented_control(key="granularity").value == "gold"


def test_without_layout_the_samples_score_as_the_command_does_on_their_file(root: Path) -> None:
    app = opened(root, layout="left out")
    data = own.without_layout(own.of_samples())
    wanted = evaluation.summarize(evaluation.evaluate(data, evaluation.read_settings(LANES, {})))
    for row in wanted.strategies.values():
        assert percent(*row.measures["f1"]).partition(",")[0] in shown(app)
    assert wanted.strategies["heading"].measures["f1"].mean == 0


@pytest.mark.parametrize(
    ("page", "parameter", "strategy"),
    [("Compare", "lanes", "recursive:overlap=0;size=100"), ("Inspect", "strategy", "changepoint:alpha=0.6")],
)
def test_a_document_is_opened_with_the_strategy_of_the_cell(
    root: Path, monkeypatch: pytest.MonkeyPatch, page: str, parameter: str, strategy: str
) -> None:
    went: list[tuple[str, dict[str, list[str]]]] = []
    monkeypatch.setattr(streamlit, "switch_page", lambda page, query_params: went.append((page, query_params)))
    chosen = {"selection": {"rows": [], "columns": [], "cells": [[0, strategy]]}}
    app = opened(root, {"_evaluate_documents": chosen}, result="Documents", lanes=strategy)
    document = next(text.value for text in app.text if "Boundary F1" in text.value).split(",")[0]
    assert document in samples.names()
    assert ("Open in Inspect" in [button.label for button in app.button]) == (page == "Inspect")
    calm(named(app, "button", f"Open in {page}").click().run())
    assert went == [(f"pages/{page.lower()}.py", {"doc": [document], parameter: [strategy]})]


# --- a file of the user's ------------------------------------------------------------------------------------------


def test_an_uploaded_set_is_evaluated_and_nothing_of_it_is_markup(root: Path) -> None:
    app = upload(opened(root), f"{EVIL.replace('/', '')}.jsonl", FILE)
    assert "3</b><span>documents" in shown(app)
    assert "2</b><span>reference boundaries" in shown(app)
    assert EVIL not in shown(app) and EVIL.replace("/", "") not in shown(app)
    calm(app.segmented_control(key="result").set_value("Notes").run())
    assert "Line 2 was put right" in shown(app)
    assert not [each for each in app.file_uploader if each.value], "the widget does not keep the file"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"id": 1}', "line 1: units and boundaries missing"),
        (FILE + b"\n{", "line 4 is not JSON"),
        (b"", "holds no document"),
        (b"\xff\xfe", "is not UTF-8"),
    ],
)
def test_a_file_that_is_none_is_told_and_the_rest_goes_on(root: Path, data: bytes, said: str) -> None:
    app = upload(opened(root), "set.jsonl", data)
    assert said in shown(app)
    assert "9</b><span>documents" in shown(app)
    calm(app.button(key="_evaluate_upload_dismiss").click().run())
    assert said not in shown(app)


def test_a_set_without_any_gold_has_no_best_strategy_and_says_so(root: Path) -> None:
    rows = [row | {"boundaries": [], "group": None} for row in ROWS]
    app = upload(opened(root), "bare.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert "best boundary F1" not in shown(app)
    for view in ("Figures", "Differences", "Documents", "Notes"):
        calm(app.segmented_control(key="result").set_value(view).run())
    assert "have no reference boundary" in shown(app)
    assert "Groups" not in app.segmented_control(key="result").options


def test_a_link_to_a_set_that_is_not_here_is_told(root: Path) -> None:
    app = opened(root, set="theirs.jsonl")
    assert "The data set in this link is not available: theirs.jsonl" in shown(app)
    assert "9</b><span>documents" in shown(app)


def test_the_oldest_of_many_sets_goes(root: Path) -> None:
    app = opened(root)
    for number in range(5):
        upload(app, f"{number}.jsonl", FILE)
    assert app.selectbox(key="set").options[2:] == ["1.jsonl", "2.jsonl", "3.jsonl", "4.jsonl"]
    assert app.selectbox(key="set").value == "4.jsonl"


# --- the session's own documents -------------------------------------------------------------------------------------


def test_documents_of_the_session_with_gold_are_a_set(root: Path) -> None:
    text = "# Tea\n\nTea wants water.\n\n# Bread\n\nBread wants flour.\n"
    documents = own_document("mine.md", text) | own_document("bare.md", text.replace("wants", "needs"))
    gold = {documents["mine.md"].document.key: Reference((text.index("# Bread"),))}
    app = opened(root, {"_own_documents": documents, "_own_gold_offsets": gold}, set=data_sets.YOURS)
    assert "1</b><span>document<" in shown(app)
    assert "100.0 % best boundary F1 (heading)" in shown(app).replace("</b><span>", " ")
    calm(app.segmented_control(key="layout").set_value("left out").run())
    assert "100.0 % best boundary F1 (heading)" not in shown(app).replace("</b><span>", " ")


def test_without_gold_the_page_says_where_to_set_it(root: Path) -> None:
    app = opened(root, {"_own_documents": own_document("bare.md", "One. Two.\n")}, set=data_sets.YOURS)
    assert "None of your documents has a complete reference" in shown(app)
    calm(app.selectbox(key="set").set_value(own.SAMPLES).run())
    assert "None of your documents" not in shown(app)


# --- stopping, failing, taking away ----------------------------------------------------------------------------------


def test_a_stopped_evaluation_goes_on_when_asked(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundary_jobs.SegmentationRequest, "key", "job")
    begun, released = threading.Event(), threading.Event()
    evaluate = evaluation.evaluate

    def slow(data: Any, settings: Any, options: Any, cache: Any, tell: Any) -> Any:
        begun.set()
        assert released.wait(TIMEOUT)
        tell("documents", 0, 9)
        return evaluate(data, settings, options, cache, tell)

    monkeypatch.setattr(evaluation, "evaluate", slow)
    monkeypatch.setattr(boundary_jobs, "PATIENCE", 0.0)
    app = opened(root)
    assert begun.wait(TIMEOUT)
    calm(app.run())
    calm(app.button(key="_stop_boundaries").click().run())
    released.set()
    run = boundary_jobs.queue().get("job")
    assert run is not None and run.wait(TIMEOUT) and run.state == "stopped"
    calm(app.run())
    assert "9</b><span>documents" not in shown(app)
    monkeypatch.setattr(boundary_jobs, "PATIENCE", float(TIMEOUT))
    calm(app.button(key="_again_boundaries").click().run())
    assert "9</b><span>documents" in shown(app)


def test_a_strategy_that_cannot_run_is_told_and_the_others_are_shown(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chunking.strategies.other_splitters.base.importlib.util.find_spec", lambda *_: None)
    app = opened(root, lanes="semchunk,heading")
    assert "semchunk failed on every document" in shown(app)
    assert "best boundary F1 (heading)" in shown(app)
    app = opened(root, lanes="semchunk")
    assert "Every strategy failed on every document" in shown(app)


def test_what_is_taken_away_is_what_the_command_writes(root: Path) -> None:
    app = upload(opened(root, granularity="gold"), "set.jsonl", FILE)
    app.session_state["_evaluate_export"] = True
    calm(app.run())
    line = f"python -m chunking evaluate segmentation set.jsonl --strategies '{LANES}' --granularity gold"
    assert line in shown(app)
    labels = [getattr(each, "label", "") for each in app.get("download_button")]
    assert sorted(labels) == ["Data set, JSONL", "Per document, CSV", "Report, HTML", "Results, JSON"]


def test_the_samples_are_taken_away_as_a_program(root: Path) -> None:
    app = opened(root, {"_evaluate_export": True})
    assert "own.of_samples()" in shown(app)


def test_the_verdict_says_which_strategy_agrees_best_and_what_is_certain(root: Path) -> None:
    said = shown(opened(root, result="Verdict"))
    assert re.search(r"<b>\w+</b> agrees best with the reference: F1 <b>\d+\.\d %</b>", said)
    assert re.search(r"\(cuts at random: \d+\.\d %\)", said)
    found, boundaries_of_all, wrong = map(
        int,
        re.search(r"It finds <b>(\d+) of (\d+) boundaries</b> and makes (\d+) other cut", said).groups(),  # type: ignore[union-attr]
    )
    samples_with_gold = [samples.load(name) for name in samples.names()]
    assert boundaries_of_all == sum(len(sample.boundaries) for sample in samples_with_gold)
    assert 0 < found <= boundaries_of_all and wrong >= 0
    assert "alone · people" in said and len(re.findall(r"<th scope=\W+row", said)) == 3


def test_the_verdict_shows_the_places_of_the_document_that_is_chosen(root: Path) -> None:
    app = opened(root, result="Verdict")
    other = str(named(app, "selectbox", "Compared with").options[-1])
    calm(named(app, "selectbox", "Compared with").set_value(other).run())
    (caption,) = (each.value.replace("\\", "") for each in app.caption if "differently" in each.value)
    assert re.fullmatch(rf"\S+ and {re.escape(other)} cut differently at \d+ gaps of \d documents.", caption)
    names = {str(each.label) for each in app.button}
    assert "Open in Compare" in names


def test_the_verdict_of_one_strategy_compares_nothing(root: Path) -> None:
    said = shown(opened(root, result="Verdict", lanes="heading"))
    assert "agrees with the reference" in said and "alone · people" not in said


def test_two_documents_decide_nothing(root: Path) -> None:
    app = upload(opened(root, result="Verdict"), "rows.jsonl", FILE)
    said = shown(app)
    assert "cannot decide about the others: take 5 at least" in said
    assert "<img src=x" not in said, "text of a document is no markup"
    assert "too few documents" in said


def test_edit_stability_is_measured_on_request(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stability, "PLACES", 2)
    app = opened(root, result="Edits", lanes="heading,fixed_size")
    assert "Strategies by edit stability" not in shown(app)
    (button,) = (each for each in app.button if str(each.label).startswith("Insert a word"))
    calm(button.click().run(timeout=TIMEOUT))
    while app.get("progress"):
        queues.wait()
        calm(app.run(timeout=TIMEOUT))
    said = shown(app)
    means = [float(mean) for mean in re.findall(r"cs-v-mean\W+>(\d+\.\d)</td>", said)]
    assert len(means) == 2 and means == sorted(means), "the most stable first"
    assert "Mean over 9 documents of the median of 2 places" in said
