"""Where there is nothing to show, every page says why, and what to do."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from pages.shared.evaluate import boundary_jobs
from pages.shared.evaluate.data_sets import NO_DOCUMENTS, NO_REFERENCES, YOURS
from pages.shared.frame import runs
from tests.app.pages import TIMEOUT, calm, open_page, paste

ONE = "Just one sentence here."
FIVE = "The kettle sings. The bread is warm. A letter came. Nobody read it. The stove was cold."
RETRIEVAL = {"measured": "Retrieval", "search": "bm25", "lanes": "paragraph,recursive:overlap=0;size=800"}
OWN = {**RETRIEVAL, "questions": "Your own questions"}

_EMPTY = re.compile(r'<div class="cs-empty"><b>(?P<what>.+?)</b> (?P<remedy>.+?)</div>', re.DOTALL)
_PROBLEM = re.compile(r'<div class="cs-problem">(?P<text>.+?)</div>', re.DOTALL)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep nothing, and wait for each run."""
    monkeypatch.setattr(boundary_jobs, "PATIENCE", float(TIMEOUT))
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "reviews.sqlite"))
    streamlit.cache_resource.clear()
    yield
    streamlit.cache_resource.clear()


def empty(app: AppTest) -> dict[str, str]:
    """Return what is said of each empty state: the remedies by the reasons."""
    bodies = [element.proto.body for element in app.get("html")]
    return {
        html.unescape(match["what"]): html.unescape(match["remedy"])
        for body in bodies
        for match in _EMPTY.finditer(body)
    }


def problems(app: AppTest) -> str:
    bodies = [element.proto.body for element in app.get("html")]
    return html.unescape(" ".join(match["text"] for body in bodies for match in _PROBLEM.finditer(body)))


def with_text(root: Path, page: str, text: str, **address: Any) -> AppTest:
    """Open a page, and paste a text there."""
    return paste(open_page(root, page, address), text)


def settled(root: Path, address: dict[str, Any]) -> AppTest:
    """Open Evaluate, and wait for what runs behind it."""
    app = open_page(root, "evaluate", address)
    for _ in range(TIMEOUT):
        for run in list(runs.runs()._jobs.values()):
            run.wait(TIMEOUT)
        if not app.get("progress"):
            return app
        calm(app.run())
    raise AssertionError("the run did not end")


@pytest.mark.parametrize(
    ("page", "address", "what", "remedy"),
    [
        ("compare", {"show": "Agreement", "lanes": "paragraph"}, "A document of one sentence has no gaps", "longer"),
        ("tune", {}, "fewer than two gaps", "at least three sentences"),
        ("review", {"reviewer": "Ada", "judged": "paragraph"}, "sets no boundary here", "Choose another strategy"),
    ],
)
def test_a_document_of_one_sentence(root: Path, page: str, address: dict[str, str], what: str, remedy: str) -> None:
    found = empty(with_text(root, page, ONE, **address))
    assert any(what in why and remedy in then for why, then in found.items()), found


def test_compare_with_one_lane_and_no_reference_says_what_it_needs(root: Path) -> None:
    found = empty(with_text(root, "compare", FIVE, show="Agreement", lanes="paragraph"))
    assert "Add a strategy under “Strategies”" in found["A single lane has none to agree with."]


def test_tune_with_no_boundary_to_test(root: Path) -> None:
    found = empty(with_text(root, "tune", "Tea is hot. " * 4, tune="Stability", encoder="char-ngrams"))
    assert "Lower the percentile to get some." in found.values()


def test_evaluate_without_a_document_of_ones_own(root: Path) -> None:
    said = problems(open_page(root, "evaluate", {"set": YOURS, "lanes": "paragraph"}))
    assert " ".join(NO_DOCUMENTS) in said


def test_evaluate_without_a_reference(root: Path) -> None:
    app = with_text(root, "evaluate", FIVE, set=YOURS, lanes="paragraph")
    assert NO_REFERENCES in problems(app)
    assert NO_DOCUMENTS[0] not in problems(app)


@pytest.mark.parametrize("address", [{"set": "Samples"}, {"measured": "Retrieval"}])
def test_evaluate_without_a_strategy(root: Path, address: dict[str, str]) -> None:
    found = empty(open_page(root, "evaluate", {**address, "lanes": "nothing-of-that-name"}))
    assert found["No strategy is selected."] == "Add one under “Strategies” in the sidebar."


def test_retrieval_without_a_question_says_how_to_add_one_and_that_any_can_be_asked(root: Path) -> None:
    app = open_page(root, "evaluate", OWN)
    assert any("Type a question, mark its answer" in each.value for each in app.caption)
    assert "Type one above" in empty(app)["There is no query yet."]


def test_a_search_without_a_result(root: Path) -> None:
    found = empty(settled(root, OWN | {"ask": "zzyzx qwghlm", "side": "paragraph"}))
    assert "Use other words" in found["No chunk was found for this query."]


def test_a_search_with_no_strategy_to_show(root: Path) -> None:
    app = settled(root, OWN | {"ask": "what does RAID mirror", "side": "paragraph"})
    assert "No strategy is selected." not in empty(app)
    box = next(each for each in app.multiselect if each.key == "side")
    assert "Select some above" in empty(calm(box.set_value([]).run()))["No strategy is selected."]


def test_a_filter_that_leaves_no_question(root: Path) -> None:
    same = RETRIEVAL | {"lanes": "paragraph", "look": "Questions", "filter": "Differ most between"}
    assert "Choose “All”" in empty(settled(root, same))["No question is left by this filter."]


def test_causes_of_which_there_is_none(root: Path) -> None:
    found = empty(settled(root, RETRIEVAL | {"look": "Causes", "cause": "beyond the encoder limit"}))
    assert "Choose another cause" in found["No question was missed for this cause."]


def test_a_problem_with_a_document_leaves_the_controls_below_it_in_their_place(root: Path) -> None:
    """Streamlit would build the expander anew, closed, if its place among its siblings changed."""

    def place(app: AppTest) -> list[int]:
        return [
            number
            for number, block in app.sidebar.children.items()
            if getattr(block, "label", "") == "Language & encoder"
        ]

    app = open_page(root, "review", {})
    before = place(app)
    assert len(before) == 1
    paste(app, " ")
    assert "The pasted text is empty." in problems(app)
    assert place(app) == before
