"""The part on retrieval of the Evaluate page without a browser: runs behind it, what it shows, what it is given."""

from __future__ import annotations

import html
import json
import shlex
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from chunking import ChunkscopeError, from_text, samples
from chunking.__main__ import main
from chunking.checks import CheckThresholds, checks
from chunking.document import Span
from chunking.report.formatting import percent
from chunking.retrieval import evaluate as engine
from chunking.retrieval import result_store
from chunking.retrieval import tasks as retrieval_tasks
from chunking.retrieval.misses.passage_index import RetrievedPassage
from chunking.retrieval.questions import own
from chunking.retrieval.questions.data import CorpusDocument
from chunking.runtime.progress import Tell
from pages.shared.documents.session_documents import of_user
from pages.shared.evaluate import passages, question_sets, retrieval, retrieval_jobs, retrieval_results
from pages.shared.frame import runs
from tests.app.pages import TIMEOUT, calm, open_page

EVIL = "<img src=x onerror=alert(1)>"
LANES = "recursive:overlap=0;size=200,paragraph,whole"
"""Strategies that need no vectors."""
TEXT = "\n\n".join(
    [
        "The kettle boils water for tea. It whistles when the steam rises, and then somebody must lift it.",
        f"A ladder stands in the shed. {EVIL} Paint tins are under it, the blue one half full of paint.",
        "The garden gate squeaks every morning. Oil for the hinge is kept beside the paint, in a flat can.",
    ]
)


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is kept from another test, in memory or on disk."""
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "cache"))
    forget()
    yield
    forget()


def forget() -> None:
    """What a new start of the server forgets."""
    runs.runs().forget()
    runs._runs.clear()
    retrieval_jobs._read.clear()


def opened(root: Path, state: dict[str, Any] | None = None, **address: str | list[str]) -> AppTest:
    """The page at an address, with the table of results; a page of its own file, whose frame the test stands for."""
    usual = {"measured": "Retrieval", "lanes": LANES, "search": "bm25", "look": "Results"}
    return open_page(root, "evaluate", usual | address, state)


def waited(app: AppTest) -> AppTest:
    """The page after all that is under way has ended."""
    for run in list(runs.runs()._jobs.values()):
        assert run.wait(TIMEOUT), run
    return calm(app.run())


def shown(app: AppTest) -> str:
    """All text of the page that is neither a control nor its style sheet."""
    kinds = ("html", "text", "caption", "info", "code")
    said = (str(element.proto) for kind in kinds for element in app.get(kind))
    return "\n".join(text for text in said if ".cs-problem {" not in text).replace("\\'", "'").replace('\\"', '"')


def pressed(app: AppTest, label: str) -> AppTest:
    return calm(next(each for each in app.button if label in each.label).click().run())


def upload(app: AppTest, files: dict[str, bytes]) -> AppTest:
    key = next(str(each.key) for each in app.file_uploader if str(each.key).startswith("_retrieval_upload"))
    return calm(app.file_uploader(key=key).set_value([(name, data, "") for name, data in files.items()]).run())


def spans_of(text: str, *words: str) -> list[list[int]]:
    return [[text.index(each), text.index(each) + len(each)] for each in words]


def set_of_spans(rows: int = 3) -> dict[str, bytes]:
    words = ["It whistles when the steam rises", "the blue one half full of paint", "Oil for the hinge"]
    asked = ["When does the kettle whistle?", f"Which paint is left? {EVIL}", "Where is oil for the gate?"]
    queries = [
        {"_id": f"q{n}", "text": asked[n % 3], "doc_id": "house", "spans": spans_of(TEXT, words[n % 3])}
        for n in range(rows)
    ]
    queries.append({"_id": "lost", "text": "Who?", "doc_id": "barn", "spans": [[0, 1]]})
    document = {"_id": "house", "text": TEXT, "lang": "en"}
    return {"docs.jsonl": json.dumps(document).encode(), "queries.jsonl": "\n".join(map(json.dumps, queries)).encode()}


def folder_of(path: Path, files: dict[str, bytes]) -> Path:
    path.mkdir(exist_ok=True)
    for name, data in files.items():
        (path / name).write_bytes(data)
    return path


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.shared.server.hosts.is_local", lambda: True)


def at_folder(root: Path, path: Path, **address: str) -> AppTest:
    return opened(root, None, questions=question_sets.FOLDER, folder=str(path), **address)


@pytest.fixture
def house(root: Path, tmp_path: Path, local: None) -> Callable[..., AppTest]:
    """The page on a small folder, evaluated, at an address."""
    path = folder_of(tmp_path / "house", set_of_spans())

    def go(**address: str) -> AppTest:
        app = at_folder(root, path, **address)
        if any("Evaluate" in each.label for each in app.button):
            app = pressed(app, "Evaluate 3 strategies")
        return waited(app)

    return go


# --- the samples, as the command line prints them --------------------------------------------------------------------


def test_the_samples_are_evaluated_at_once_as_on_the_command_line(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = waited(opened(root, lanes="paragraph,whole"))
    monkeypatch.chdir(root)
    app.session_state["_retrieval_export"] = True
    line = next(each.value for each in calm(app.run()).code if "evaluate retrieval" in each.value)
    assert main(shlex.split(line)[3:]) == 0
    wanted = json.loads(capsys.readouterr().out)
    text = shown(app)
    assert wanted["data"]["questions"] == 59
    assert wanted["verdict"] in text
    for name, row in wanted["strategies"].items():
        assert f"<td>{name}</td>" in text
        main_measure = wanted["primary"]
        assert percent(row[main_measure], row[f"{main_measure}_interval"]) in text
        assert percent(row["recall@500"]) in text


def test_an_address_without_strategies_names_the_usual_ones(root: Path, tmp_path: Path, local: None) -> None:
    app = AppTest.from_file(str(root / "pages" / "evaluate.py"), default_timeout=TIMEOUT)
    app.session_state["_framed"] = True
    app.query_params["measured"] = "Retrieval"
    app.query_params["questions"] = question_sets.FOLDER
    calm(app.run())
    assert app.query_params["lanes"] in (retrieval.DEFAULT, [retrieval.DEFAULT])


# --- runs behind the page --------------------------------------------------------------------------------------------


class Gate:
    """An evaluation that waits until it is let through, and can be stopped meanwhile."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.open, self.times = threading.Event(), threading.Event(), 0
        real = engine.evaluate

        def evaluate(known: Any, settings: Any, options: Any, cache: Any, tell: Tell) -> Any:
            self.times += 1
            self.begun.set()
            while not self.open.wait(0.01):
                tell("cutting", 1, 4)
            return real(known, settings, options, cache, tell)

        monkeypatch.setattr(retrieval_tasks, "evaluate", evaluate)


def test_a_second_session_gets_the_run_of_the_first(
    root: Path, tmp_path: Path, local: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    path = folder_of(tmp_path / "house", set_of_spans())
    first = pressed(at_folder(root, path), "Evaluate 3 strategies")
    assert gate.begun.wait(TIMEOUT)
    second = at_folder(root, path)
    assert not any("Evaluate" in each.label for each in second.button)
    assert any(each.label == "Stop" for each in second.button)
    gate.open.set()
    for app in (first, second):
        assert "By recall within 1,000 tokens" in shown(waited(app))
    assert gate.times == 1


def test_a_run_is_stopped_by_whoever_looks_at_it_and_goes_on(
    root: Path, tmp_path: Path, local: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    path = folder_of(tmp_path / "house", set_of_spans())
    pressed(at_folder(root, path), "Evaluate 3 strategies")
    assert gate.begun.wait(TIMEOUT)
    other = waited(pressed(at_folder(root, path), "Stop"))
    assert "The run was stopped" in shown(other)
    gate.open.set()
    assert "By recall within 1,000 tokens" in shown(waited(pressed(other, "Resume")))


def test_a_result_is_there_again_after_a_new_start_of_the_server(
    house: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shown(house())
    forget()

    def refuse(*_: object) -> None:
        raise AssertionError("nothing is evaluated again")

    with monkeypatch.context() as patch:
        patch.setattr(retrieval_tasks, "evaluate", refuse)
        assert shown(house()) == before
        assert "in %, 3 of 3 questions" in shown(house(look="Questions"))
    # Its rankings are not on disk: they are made again where they are looked at.
    app = house(look="Questions", question="q1")
    assert "<mark>the blue one half full of paint</mark>" in shown(app)


def test_rankings_are_shown_though_their_run_ends_while_the_page_shows_the_figures_that_it_has_written(
    house: Callable[..., AppTest], root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house()
    result_of, looks = retrieval_jobs.result_of, []

    def just_written(request: Any, question_set: Any) -> Any:
        """The first look is before the end of the run, which has written its figures to disk."""
        looks.append(request)
        key = request.key(question_set)
        return retrieval_jobs._read(key) if len(looks) == 1 else result_of(request, question_set)

    monkeypatch.setattr(retrieval_jobs, "result_of", just_written)
    app = at_folder(root, tmp_path / "house", look="Questions", question="q1")
    assert "<mark>the blue one half full of paint</mark>" in shown(app)


def test_a_changed_folder_is_read_anew_and_another_engine_evaluates_anew(
    house: Callable[..., AppTest], root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house()
    with monkeypatch.context() as patch:
        patch.setattr(result_store, "engine_version", lambda: "another")
        assert any("Evaluate 3" in each.label for each in at_folder(root, tmp_path / "house").button)
    folder_of(tmp_path / "house", set_of_spans(rows=2))
    app = at_folder(root, tmp_path / "house")
    assert "2 questions on 1 document" in shown(app)


def test_a_failure_is_told_and_can_be_tried_again(
    root: Path, tmp_path: Path, local: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> object:
        raise ChunkscopeError("The encoder is out.", "Bring it back.")

    path = folder_of(tmp_path / "house", set_of_spans())
    with monkeypatch.context() as patch:
        patch.setattr(retrieval_tasks, "evaluate", fail)
        app = waited(pressed(at_folder(root, path), "Evaluate 3 strategies"))
        assert "The encoder is out. Bring it back." in shown(app)
    assert "By recall within 1,000 tokens" in shown(waited(pressed(app, "Try again")))


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_every_view_is_shown_and_evaluates_nothing_again(
    house: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    house()

    def refuse(*_: object) -> None:
        raise AssertionError("nothing is evaluated again")

    monkeypatch.setattr(retrieval_tasks, "evaluate", refuse)
    for view, said in (
        ("Results", "in percentage points"),
        ("Sizes", "No other strategy is at least as small"),
        ("Questions", "3 of 3 questions"),
        ("Causes", "Traces each missed answer to its cause"),
        ("Notes", "question on a document that is not there left out"),
        ("How it is measured", "max-T"),
    ):
        assert said in shown(house(look=view)), view


def test_the_verdict_says_what_is_counted_and_shows_where_an_answer_is_missed(house: Callable[..., AppTest]) -> None:
    app = house(look="Verdict", budgets="20")
    summary = next(run for run in runs.runs()._jobs.values()).result.summary
    best = summary.ranked[0]
    values = summary.strategies[best].per_question["recall@20"]
    whole = sum(value >= 1 for value in values)
    assert f"<b>{best}</b> finds most: <b>{100 * sum(values) / 3:.1f} %</b> of an answer on average" in shown(app)
    assert f"<b>{whole} of 3 answers</b> whole" in shown(app)
    assert "3 questions cannot decide: ask 10 at least." in shown(app)
    assert '<td class="cs-v-missed">' not in shown(app)
    app = waited(pressed(app, "Trace missed answers"))
    causes = next(run for run in runs.runs()._jobs.values() if run.kind == "causes").result
    for name in summary.ranked:
        assert f"</span> {len(causes[name])}</td>" in shown(app)
    assert "cs-v-text" in shown(app)
    assert EVIL not in shown(app)


def test_a_question_is_shown_down_to_its_rankings_and_its_words_are_no_markup(house: Callable[..., AppTest]) -> None:
    app = house(look="Questions", question="q1", side="paragraph")
    text = shown(app)
    assert "<mark>the blue one half full of paint</mark>" in text
    assert EVIL not in text
    assert "&lt;img src=x" in text


def test_the_questions_that_a_row_misses_are_found(house: Callable[..., AppTest]) -> None:
    house(budgets="20")
    result = next(run for run in runs.runs()._jobs.values()).result.summary
    for name, row in result.strategies.items():
        missed = sum(value < 1 for value in row.per_question["recall@20"])
        app = house(look="Questions", filter="Missed by", one=name, budgets="20")
        assert f"{missed} of 3 questions" in shown(app)
    assert len({row.per_question["recall@20"] for row in result.strategies.values()}) > 1
    app = house(look="Questions", filter="Differ most between", one="paragraph", other="paragraph")
    assert "0 of 3 questions" in shown(app)


def test_missed_answers_are_traced_and_the_smallest_change_is_found(house: Callable[..., AppTest]) -> None:
    lanes = "recursive:overlap=0;size=200"
    app = house(look="Causes", budgets="20", under=lanes)
    app = waited(pressed(app, "Trace missed answers"))
    assert "by main cause" in shown(app)
    assert "of 3</span>" in shown(app)
    causes = next(run for run in runs.runs()._jobs.values() if run.kind == "causes").result
    missed = causes[lanes][0]
    app = house(look="Causes", budgets="20", under=lanes, question=f"q{missed.question}")
    assert passages.CAUSE_TITLES[missed.cause].capitalize() in shown(app)
    app = waited(pressed(app, "Find the smallest change"))
    assert "fixes it" in shown(app) or "does not fix it" in shown(app) or "No change helps" in shown(app)


CHOSEN = "recursive:overlap=0;size=60;embed=title;return=window"


def test_each_chunk_says_why_it_was_found_and_what_is_returned_with_it_also_as_code(
    house: Callable[..., AppTest],
) -> None:
    app = house(look="Ask", ask="squeaks ladder", lanes=f"{CHOSEN},whole,paragraph", side=CHOSEN)
    text = shown(app)
    assert (
        "Embedded: the chunk with its document&#x27;s title. Returned: the chunk with 1 neighbour on either side."
        in text
    )
    assert "Words (share of the BM25 score): squeaks 100 %" in text
    assert "<u>squeaks</u>" in text
    assert "returned with " in text
    assert EVIL not in text
    app = house(lanes=f"{CHOSEN},whole,paragraph")
    app.session_state["_retrieval_export"] = True
    app = calm(calm(app.run()).selectbox(key="_retrieval_program").set_value(CHOSEN).run())
    assert any(f"strategies.parse('{CHOSEN}', retrieval=True)" in each.value for each in app.code)
    assert any("evaluate retrieval" in each.value and CHOSEN in each.value for each in app.code)


def test_of_a_dense_search_the_closest_sentences_are_shown(house: Callable[..., AppTest]) -> None:
    app = house(look="Ask", ask="when does the kettle whistle", search="dense", encoder="static", side="paragraph")
    text = shown(app)
    assert "Closest sentence (similarity 0." in text
    assert "It whistles when the steam rises" in text
    assert "Embedded: the chunk with its heading path. Returned: the chunk." in text


def lanes_of(app: AppTest) -> str:
    """The strategies in the address."""
    given = app.query_params["lanes"]
    return given if isinstance(given, str) else str(given[0])


def test_what_is_embedded_and_returned_is_chosen_beside_the_strategy(house: Callable[..., AppTest]) -> None:
    app = house(lanes="paragraph,whole,recursive:overlap=0;size=200")
    assert [each.key for each in app.selectbox if str(each.key).startswith("_lane_paragraph_")][-2:] == [
        "_lane_paragraph_embed",
        "_lane_paragraph_return",
    ]
    calm(app.selectbox(key="_lane_paragraph_embed").set_value("title").run())
    calm(app.selectbox(key="_lane_paragraph_return").set_value("window").run())
    assert lanes_of(app).startswith("paragraph:embed=title;return=window,")
    calm(app.number_input(key="_lane_paragraph_neighbours").set_value(3).run())
    assert "return=window;neighbours=3" in lanes_of(app)
    calm(app.selectbox(key="_lane_paragraph_return").set_value("chunk").run())
    assert lanes_of(app).startswith("paragraph:embed=title,")


def test_boundaries_keep_what_is_embedded_for_the_part_on_retrieval(root: Path) -> None:
    lanes = "paragraph:embed=title;return=window,paragraph"
    app = opened(root, measured="Boundaries", lanes=lanes)
    assert app.query_params["lanes"] in (lanes, [lanes])
    assert not any("embed" in str(each.key) for each in app.selectbox)
    assert "embed=" not in shown(app)


def test_a_link_reopens_the_view(house: Callable[..., AppTest]) -> None:
    app = house(measure="rr", against="whole", top_k="3", budgets="40")
    assert app.number_input(key="top_k").value == 3
    assert "rr of 2 rows vs. whole" in shown(app)
    assert "recall within 40 tokens" in shown(app)
    assert "score = 0.4" not in shown(app)
    assert "score = 0.4" in shown(house(order="By one score"))


def test_judged_documents_have_their_own_measures_rankings_and_causes(root: Path, tmp_path: Path, local: None) -> None:
    parts = dict(zip(("kettle", "ladder", "gate"), TEXT.split("\n\n"), strict=True))
    corpus = [{"_id": name, "title": name.title(), "text": text} for name, text in parts.items()]
    asked = [{"_id": "1", "text": "Who lifts the kettle?"}, {"_id": "2", "text": "What squeaks by the kettle?"}]
    path = folder_of(
        tmp_path / "beir",
        {
            "corpus.jsonl": "\n".join(map(json.dumps, corpus)).encode(),
            "queries.jsonl": "\n".join(map(json.dumps, asked)).encode(),
        },
    )
    folder_of(path / "qrels", {"test.tsv": b"q\td\tscore\n1\tkettle\t1\n2\tgate\t1\n", "dev.tsv": b"1\tkettle\t1\n"})
    address = {"top_k": "1", "lanes": "whole,paragraph", "question": "2"}
    app = waited(pressed(at_folder(root, path, **address), "Evaluate 2 strategies"))
    assert app.selectbox(key="split").value == "test"
    assert "By nDCG@10, with BM25" in shown(app)
    app = at_folder(root, path, **address, look="Questions")
    assert "Relevant documents: gate" in shown(app)
    assert "relevant document</span>" in shown(app)
    app = at_folder(root, path, **address, look="Causes", under="whole")
    app = waited(pressed(app, "Trace missed answers"))
    assert "not completely within the first 1 document," in shown(app)
    assert "depends on the words of all passages" in shown(app)


def test_the_report_that_is_taken_away_has_the_questions_in_words_and_loads_nothing(
    house: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[str, Callable[[], str]] = {}
    monkeypatch.setattr(
        DeltaGenerator, "download_button", lambda _, label, make, *__, **___: made.update({label: make})
    )
    app = house()
    app.session_state["_retrieval_export"] = True
    app.segmented_control(key="order").set_value(retrieval_results._SCORE)
    calm(app.run())
    page = made["Report, HTML"]()
    assert "default-src &#x27;none&#x27;" not in page and "default-src 'none'" in page
    assert f"Which paint is left? {html.escape(EVIL)}" in page and EVIL not in page
    assert "python -m chunking evaluate retrieval" in page
    assert "one score of sizes and retrieval" in page


def test_a_long_passage_is_shown_around_its_answer() -> None:
    text = "a" * 9000 + "ANSWER" + "b" * 9000
    hit = RetrievedPassage(1, 0, 0, 0, len(text), 0, 4000, 0, 0.5, (Span(9000, 9006),))
    body = passages.hits([hit], [CorpusDocument("d", text)], 500)
    assert "<mark>ANSWER</mark>" in body
    assert len(body) < 4000


def test_every_value_of_every_question_is_in_the_table_that_is_taken_away(house: Callable[..., AppTest]) -> None:
    house()
    result = next(run for run in runs.runs()._jobs.values()).result
    rows = retrieval_results.per_question(result.evaluation.question_set, result.summary)
    assert len(rows) == 9
    assert {row["id"] for row in rows} == {"q0", "q1", "q2"}
    for measure in ("recall@1000", "rr"):
        mean = sum(row[measure] for row in rows if row["strategy"] == "whole") / 3
        assert mean == pytest.approx(result.summary.strategies["whole"].measures[measure].mean, abs=1e-5)


# --- what it is given ------------------------------------------------------------------------------------------------


def test_uploaded_files_are_a_set_and_what_was_left_out_is_told(root: Path) -> None:
    app = upload(opened(root), set_of_spans())
    assert app.selectbox(key="questions").value == "Uploaded 1"
    assert "3 questions on 1 document" in shown(app)
    assert "question on a document that is not there left out" in shown(app)
    assert "By recall" in shown(waited(pressed(app, "Evaluate 3 strategies")))


def test_uploaded_files_that_are_no_set_are_refused(root: Path) -> None:
    app = upload(opened(root), {"a.txt": b"sun", "b.txt": b"moon"})
    assert "is not a set of questions" in shown(app)
    assert app.selectbox(key="questions").value == question_sets.SAMPLES


def test_questions_on_an_open_document_come_in_as_a_file(root: Path) -> None:
    document = of_user(from_text(TEXT, name="house.txt", language="en"))
    name = document.name
    state = {"_own_documents": {name: document}}
    rows = [{"_id": "1", "text": "Oil?", "doc_id": "house.txt", "spans": spans_of(TEXT, "Oil for the hinge")}]
    app = upload(opened(root, state), {"questions.jsonl": "\n".join(map(json.dumps, rows)).encode()})
    assert app.selectbox(key="questions").value == question_sets.YOURS
    assert app.selectbox(key="doc").value == name
    assert "1 question on 1 document" in shown(app)
    assert "By recall" in shown(waited(pressed(app, "Evaluate 3 strategies")))


def test_own_questions_begin_on_a_document_of_ones_own_unless_a_link_or_questions_name_a_sample(root: Path) -> None:
    document = of_user(from_text(TEXT, name="house.txt", language="en"))
    state: dict[str, Any] = {"_own_documents": {document.name: document}}

    def chosen(app: AppTest) -> Any:
        return calm(app.selectbox(key="questions").set_value(question_sets.YOURS).run()).selectbox(key="doc").value

    app = opened(root, state, questions=question_sets.SAMPLES, doc="harbour-report")
    assert chosen(app) == document.name
    assert "You have no questions yet." in shown(app)
    sample = calm(app.selectbox(key="doc").set_value("harbour-report").run())
    assert sample.selectbox(key="doc").value == "harbour-report", "whoever chooses a sample has it"
    assert opened(root, state, questions=question_sets.YOURS).selectbox(key="doc").value == document.name
    linked = opened(root, state, questions=question_sets.YOURS, doc="harbour-report")
    assert linked.selectbox(key="doc").value == "harbour-report"
    asked = own.make_question("1", "What came?", [(200, 240)], samples.load("harbour-report").document)
    with_questions: dict[str, Any] = state | {"_own_questions": {"harbour-report": (asked,)}}
    app = opened(root, with_questions, questions=question_sets.SAMPLES, doc="harbour-report")
    assert chosen(app) == "harbour-report"
    assert "You have no questions yet." not in shown(app)


def question_field(app: AppTest) -> Any:
    return next(field for field in app.text_input if field.label == "Question")


def test_a_typed_question_is_asked_and_can_be_changed_and_removed(root: Path) -> None:
    document = samples.load("harbour-report").document
    state = {
        "_own_questions": {"harbour-report": (own.make_question("1", f"What came? {EVIL}", [(200, 240)], document),)},
        "doc": "harbour-report",
    }
    app = opened(root, state, questions=question_sets.YOURS, doc="harbour-report")
    assert "What came?" in shown(app) and EVIL not in shown(app)
    app = calm(app.button(key="_own_edit_1").click().run())
    assert question_field(app).value == f"What came? {EVIL}"
    question_field(app).set_value("What went?")
    app = pressed(app, "Save question")
    assert "What went?" in shown(app) and "What came?" not in shown(app)
    app = calm(app.button(key="_own_remove_1").click().run())
    assert "What went?" not in shown(app)


def test_a_question_without_an_answer_is_refused(root: Path) -> None:
    app = opened(root, questions=question_sets.YOURS)
    question_field(app).set_value("Why?")
    assert "The question has no answer." in shown(pressed(app, "Add question"))


def test_without_a_question_the_open_document_can_be_asked(root: Path) -> None:
    app = waited(
        opened(
            root,
            doc="field-guide-to-backups",
            questions=question_sets.YOURS,
            ask="what does RAID mirror",
            side="paragraph",
        )
    )
    assert "<u>RAID</u> keeps a server running" in shown(app)


@pytest.mark.parametrize("place", ["", "/nowhere/at/all", "file", "/a\0b", "~nobody-at-all/x", "/" + "n" * 400])
def test_a_folder_that_is_no_set_is_told(root: Path, tmp_path: Path, local: None, place: str) -> None:
    path = str(folder_of(tmp_path / "some", {"a.bin": b""})) if place == "file" else place
    app = opened(root, questions=question_sets.FOLDER, folder=path)
    assert "cs-problem" in shown(app)


def test_a_folder_with_too_many_files_is_not_searched(
    root: Path, tmp_path: Path, local: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_sets, "FILES", 3)
    app = at_folder(root, folder_of(tmp_path / "all", {f"{n}.bin": b"" for n in range(5)}))
    assert "more than 3 files" in shown(app)


def test_visitors_of_a_server_for_others_name_no_folder(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.shared.server.hosts.is_local", lambda: False)
    folder_of(tmp_path / "house", set_of_spans())
    app = at_folder(root, tmp_path / "house")
    assert question_sets.FOLDER not in app.selectbox(key="questions").options
    assert "Folders can be used only on a server that runs on your own machine" in shown(app)


def test_what_the_address_says_wrongly_is_told(house: Callable[..., AppTest]) -> None:
    assert "The context budget many was left out" in shown(house(budgets="many"))


def test_doubtful_chunks_are_found_without_a_question(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = {"_check": True}
    app = opened(
        root,
        state,
        questions=question_sets.YOURS,
        doc="field-guide-to-backups",
        lanes="fixed_size:max_tokens=100,markdown",
    )
    summary, findings = app.dataframe[0].value, app.dataframe[1].value
    assert list(summary["strategy"]) == ["fixed_size:max_tokens=100", "markdown"]
    cuts = summary["begins inside a list, a table or code"]
    assert cuts[0] > cuts[1]
    assert set(findings["finding"]) <= set(summary.columns)
    app.selectbox(key="_check_of").set_value("markdown")
    app = calm(app.run())
    assert set(app.dataframe[1].value["finding"]) == {"is longer than the encoder reads"}
    # Nearly every text has a chunk with a change of topic: without that check, nothing is found in this one.
    monkeypatch.setattr(checks, "CheckThresholds", partial(CheckThresholds, cuts=1_000))
    app = opened(
        root,
        state,
        questions=question_sets.YOURS,
        doc="field-guide-to-backups",
        lanes="changepoint",
        tokenizer="encoder",
    )
    assert "No doubtful chunks were found." in shown(app)


def test_nothing_is_looked_for_while_the_fold_is_closed(root: Path) -> None:
    app = opened(root, questions=question_sets.YOURS, doc="community-garden-faq", lanes="fixed_size")
    assert not app.dataframe


def test_all_retrievers_are_compared_by_default_and_the_page_says_which_won(root: Path, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "set", set_of_spans(6))
    app = opened(
        root,
        search=["dense", "bm25", "hybrid"],
        questions=question_sets.FOLDER,
        folder=str(folder),
        encoder="char-ngrams",
    )
    assert app.session_state["search"] == ["dense", "bm25", "hybrid"]
    app = waited(pressed(app, "Evaluate"))
    assert "averaged over the strategies" in shown(app)
    app = AppTest.from_file(str(root / "pages" / "evaluate.py"), default_timeout=TIMEOUT)
    app.session_state["_framed"] = True
    for name, value in {"measured": "Retrieval", "lanes": LANES, "questions": question_sets.FOLDER}.items():
        app.query_params[name] = value
    calm(app.run())
    assert app.session_state["search"] == ["dense", "bm25", "hybrid"]
