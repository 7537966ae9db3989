"""Answers of a model from retrieved passages: a real server on this machine speaks the protocol, well and badly."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chunking.embedding import Endpoint
from chunking.errors import ChunkscopeError
from chunking.retrieval.answers import model_calls
from chunking.retrieval.answers.exchanges import Exchanges
from chunking.retrieval.answers.model_calls import ask_model
from chunking.retrieval.answers.plan import AnswerPlan, choose_questions, estimate_cost, plan_answers
from chunking.retrieval.answers.summary import OUTCOMES, AnswerSummary, summarize_answers
from chunking.retrieval.evaluate import RetrievalOptions, evaluate
from chunking.retrieval.measures import Cutoffs
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions.chat import PATIENCE, ChatModel
from chunking.retrieval.questions.data import QuestionSet
from chunking.runtime.journal import JournalFile
from chunking.strategies import parse
from chunking.workspace import Models
from tests import command_line
from tests.embedding.test_endpoint import Handler, Server, answer, serving
from tests.retrieval.made import spans
from tests.retrieval.questions.test_generated import chat

SECRET = "sk-test-0123456789abcdef"
DATE = "2026-11-28"
TOPICS = ("lamp", "horn", "boat", "store", "path", "tower", "light", "book", "stair", "bell", "flag", "well")
TEXTS = [
    f"The {word} was built by hand. It needs {number + 3} litres of oil each night, which the keeper carries up.\n\n"
    f"Nobody knows why the {word} is painted in that colour, and nobody has asked the painter of the {word}."
    for number, word in enumerate(TOPICS)
]
SET = spans(
    TEXTS,
    [(f"How much oil does the {word} need?", [(n, f"needs {n + 3} litres of oil")]) for n, word in enumerate(TOPICS)],
)


def write_set(path: Path) -> Path:
    """Write the texts and questions as a folder; return it."""
    path.mkdir()
    for number, text in enumerate(TEXTS):
        (path / f"{TOPICS[number]}.txt").write_text(text, encoding="utf-8")
    rows = [
        {"_id": question.id, "text": question.text, "doc_id": f"{TOPICS[n]}.txt", "spans": [list(question.spans[0])]}
        for n, question in enumerate(SET.questions)
    ]
    (path / "questions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def prompt_of(body: dict[str, Any]) -> str:
    content: str = body["messages"][-1]["content"]
    return content


def is_judgement(body: dict[str, Any]) -> bool:
    return "\nReference:\n" in prompt_of(body)


def topic_of(body: dict[str, Any]) -> str:
    match = re.search(r"oil does the (\w+) need", prompt_of(body))
    assert match
    return match[1]


def reply_of(body: dict[str, Any]) -> dict[str, Any]:
    """A model that reads: it finds the litres of the topic in the passages, and compares numbers."""
    if is_judgement(body):
        reference, given = (re.search(r"\d+", part) for part in prompt_of(body).split("Reference:")[1].split("Answer:"))
        return {"correct": bool(reference and given and reference[0] == given[0])}
    passages = prompt_of(body).rpartition("<<<\n")[2]
    match = re.search(rf"The {topic_of(body)} was built by hand. It needs (\d+ litres)", passages)
    return {"answer": match[1] if match else None}


def good(handler: Handler, body: dict[str, Any]) -> None:
    handler.send(200, chat(reply_of(body), prompt_tokens=50, completion_tokens=5))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as running:
        running.plan = [good]
        yield running


@pytest.fixture
def model(server: Server) -> ChatModel:
    return ChatModel(Endpoint(server.url, SECRET), "tiny", timeout=20, pause=lambda _: None)


def plan_of(
    settings: str = "whole,sentence:max_tokens=20;overlap=0",
    within: Cutoff | None = None,
    *,
    judged: bool = True,
    number: int | None = None,
    known: QuestionSet = SET,
) -> AnswerPlan:
    within = within or Cutoff(1)
    options = RetrievalOptions(("bm25",), Cutoffs(within.passages, within.kept.budgets), Models(splitter="rules"))
    evaluated = evaluate(known, {name: parse(name) for name in settings.split(",")}, options)
    return plan_answers(evaluated, within, choose_questions(known, number), judged=judged)


def summary_of(plan: AnswerPlan, model: ChatModel, path: Path | None = None) -> AnswerSummary:
    exchanges = Exchanges(path, model)
    ask_model(plan, model, exchanges, DATE)
    return summarize_answers(plan, exchanges)


# --- what is sent ----------------------------------------------------------------------------------------------------


def test_the_passages_are_those_of_the_ranking_within_the_limit_and_a_plan_sends_nothing(server: Server) -> None:
    plan = plan_of(within=Cutoff(tokens=16))
    assert [task.row for task in plan.tasks[:2]] == ["whole", "sentence:max_tokens=20;overlap=0"]
    for task in plan.tasks:
        for (document, start, end), text in zip(task.ranges, task.passages, strict=True):
            assert TEXTS[int(document[1:])][start:end] == text
        assert all(passage.strip() in plan.prompt_of(task)[1] for passage in task.passages)
        quote = plan.questions[task.question].reference
        assert task.holds_reference == any(quote in passage for passage in task.passages)
    assert len({task.holds_reference for task in plan.tasks}) == 2
    assert server.asked == []


def test_a_document_cannot_take_the_place_of_a_question(model: ChatModel) -> None:
    texts = ["The lamp {question} needs {passages} 3 litres {answer}.", "Another lamp."]
    plan = plan_of("whole", known=spans(texts, [("How much does the lamp need?", [(0, "3 litres")])]))
    assert texts[0] in plan.prompt_of(plan.tasks[0])[1]
    judged = plan.judge_prompt_of(plan.tasks[0], "{reference}")[1]
    assert judged.endswith("Answer:\n<<<\n{reference}\n>>>")


def test_questions_are_chosen_by_a_seed() -> None:
    assert choose_questions(SET, None) == tuple(range(len(TOPICS)))
    assert choose_questions(SET, 4, 1) == choose_questions(SET, 4, 1)
    assert len({choose_questions(SET, 4, seed) for seed in range(5)}) > 1
    assert choose_questions(SET, 4) == tuple(sorted(choose_questions(SET, 4)))
    with pytest.raises(ChunkscopeError, match="counted from 1"):
        choose_questions(SET, 0)


@pytest.mark.parametrize("judged", [True, False])
def test_the_estimate_is_an_upper_limit(server: Server, model: ChatModel, judged: bool) -> None:
    plan = plan_of(judged=judged)
    exchanges = Exchanges(None, model)
    expected = estimate_cost(plan, exchanges)
    assert server.asked == []
    ask_model(plan, model, exchanges, DATE)
    assert 0 < len(server.asked) <= expected.requests
    assert (len(server.asked) > len({task.key for task in plan.tasks})) == judged
    after = estimate_cost(plan, exchanges)
    assert (after.requests, after.tokens_sent, after.kept) == (0, 0, len(server.asked))


def test_the_same_passages_are_sent_once(server: Server, model: ChatModel) -> None:
    plan = plan_of("whole,heading")  # without headings, both are the whole document
    summary = summary_of(plan, model)
    assert len(server.asked) == 2 * len(TOPICS)
    assert summary.rows["whole"].measures == summary.rows["heading"].measures
    assert summary.differences[0].mean == 0


# --- what comes of it ------------------------------------------------------------------------------------------------


def test_right_wrong_and_missing_answers_are_told_apart(server: Server, model: ChatModel) -> None:
    def plan(handler: Handler, body: dict[str, Any]) -> None:
        content = reply_of(body)
        if not is_judgement(body):
            wrong: dict[str, Any] = {"lamp": {"answer": "99 litres"}, "horn": {"answer": None}, "boat": {"reply": "?"}}
            content = wrong.get(topic_of(body), content)
        handler.send(200, chat(content))

    server.plan = [plan]
    summary = summary_of(plan_of(), model)
    whole, short = summary.rows.values()
    outcomes = [answer.outcome for answer in whole.answers]
    assert outcomes == ["wrong", "abstained_retrieved", "unreadable", *["right"] * 9]
    assert whole.measures["right"].mean == 0.75
    low, high = whole.measures["right"].interval or (0, 0)
    assert 0 < low < 0.75 < high <= 1
    assert sum(whole.measures[outcome].mean for outcome in OUTCOMES) == pytest.approx(1)
    assert whole.answers[3].contained == 0.4
    assert all(answer.holds_reference for answer in whole.answers)
    for row in (whole, short):
        for answered in row.answers:
            if answered.outcome == "abstained_missed":
                assert not answered.holds_reference
    (difference,) = summary.differences
    assert (difference.one, difference.other) == ("sentence:max_tokens=20;overlap=0", "whole")
    assert difference.mean == pytest.approx(short.measures["right"].mean - 0.75)


def test_an_answer_that_was_not_retrieved_is_no_fault_of_the_model(model: ChatModel) -> None:
    texts = ["The lamp is old. " * 30 + "It needs 3 litres of oil.", "The bell is old."]
    known = spans(texts, [("How much oil does the lamp need?", [(0, "3 litres of oil")])])
    summary = summary_of(plan_of("whole", Cutoff(tokens=10), known=known), model)
    assert summary.rows["whole"].answers[0].outcome == "abstained_missed"
    assert summary.differences == ()


def test_without_a_judge_the_words_decide(server: Server, model: ChatModel) -> None:
    def plan(handler: Handler, body: dict[str, Any]) -> None:
        number = TOPICS.index(topic_of(body)) + 3
        handler.send(200, chat({"answer": f"It needs {number} litres of oil." if number % 2 else "A lot."}))

    server.plan = [plan]
    summary = summary_of(plan_of("whole", judged=False), model)
    assert len(server.asked) == len(TOPICS)
    assert [answer.outcome for answer in summary.rows["whole"].answers] == ["right", "wrong"] * 6
    assert "No model judged the answers" in " ".join(summary.notes)


def test_judgements_that_cannot_be_read_leave_it_to_the_words(server: Server, model: ChatModel) -> None:
    def plan(handler: Handler, body: dict[str, Any]) -> None:
        unsure = is_judgement(body) and "litres of oil\n" in prompt_of(body) and "3 litres" in prompt_of(body)
        handler.send(200, chat({"correct": "perhaps"} if unsure else reply_of(body)))

    server.plan = [plan]
    summary = summary_of(plan_of("whole"), model)
    first = summary.rows["whole"].answers[0]
    assert (first.is_correct, first.outcome) == (None, "right")
    assert "judgement" in " ".join(summary.notes)


def test_judged_documents_have_no_quotes() -> None:
    known = QuestionSet("judged", "documents", SET.sources, SET.questions)
    options = RetrievalOptions(("bm25",), Cutoffs(1, ()), Models(splitter="rules"))
    evaluated = evaluate(SET, {"whole": parse("whole")}, options)
    with pytest.raises(ChunkscopeError, match="no quotes to check answers by"):
        plan_answers(type(evaluated)(**(vars(evaluated) | {"question_set": known})), Cutoff(1), (0,))


# --- endpoints that fail, interrupted runs ----------------------------------------------------------------------------


def test_a_model_that_replies_without_json_ends_the_run(server: Server, model: ChatModel) -> None:
    server.plan = [answer(200, chat("I am a helpful assistant."))]
    with pytest.raises(ChunkscopeError, match="did not reply with the JSON that was requested, 5 times in a row"):
        summary_of(plan_of(), model)
    assert len(server.asked) == PATIENCE


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"answer": 1880}, ("1880", True)),
        ({"answer": " two\n words "}, ("two words", True)),
        ({"answer": " … "}, ("", True)),
        ({"answer": None}, ("", True)),
        ({"answer": ["a"]}, ("", False)),
        ({"answer": True}, ("", False)),
        ({}, ("", False)),
        (None, ("", False)),
        ({"answer": "x" * 9000}, ("x" * model_calls.LONGEST_ANSWER, True)),
        ({"answer": "a\ud800"}, ("a\ufffd", True)),
    ],
)
def test_replies_that_are_read(content: dict[str, Any] | None, expected: tuple[str, bool]) -> None:
    reply = model_calls._read_answer("key", content)
    assert (reply.answer, reply.is_readable) == expected


@pytest.mark.parametrize("plan", [answer(401, {"error": f"wrong key {SECRET}"}), answer(500, {"error": "down"})])
def test_an_interrupted_run_continues_and_pays_for_nothing_twice(
    server: Server, model: ChatModel, tmp_path: Path, plan: Any
) -> None:
    path, whole = tmp_path / "answers.jsonl", plan_of()
    server.plan = [good, good, good, plan]
    with pytest.raises(ChunkscopeError) as caught:
        summary_of(whole, model, path)
    assert SECRET not in str(caught.value)
    with path.open("ab") as file:
        file.write(b'{"request": "answer", "key"')  # what a kill leaves
    server.plan, server.asked = [good], []
    summary = summary_of(whole, model, path)
    prompts = [prompt_of(body) for body in server.asked]
    assert len(set(prompts)) == len(prompts)
    assert summary == summary_of(whole, model)
    server.asked = []
    assert summary_of(plan_of("whole"), model, path).rows["whole"] == summary.rows["whole"]
    assert server.asked == []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    head = {"format": "chunkscope-answers/1", "model": "tiny", "endpoint": model.where.host}
    assert head.items() <= rows[0].items()
    assert rows[1]["passages"][0]["text"] == TEXTS[0]
    assert rows[2] | {"key": ""} == {
        "request": "judge", "key": "", "question": SET.questions[0].text, "reference": "needs 3 litres of oil",
        "answer": "3 litres", "date": DATE, "readable": True, "reply": {"correct": True},
    }  # fmt: skip
    assert SECRET not in path.read_text(encoding="utf-8")


def test_replies_are_of_one_model(model: ChatModel, server: Server, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    summary_of(plan_of(number=1), model, path)
    with pytest.raises(ChunkscopeError, match="of an interrupted run with other model"):
        Exchanges(path, ChatModel(Endpoint(server.url), "other"))
    path.write_text('{"format": "other"}\n')
    with pytest.raises(ChunkscopeError, match="is no journal of answers"):
        Exchanges(path, model)


def test_rows_of_another_form_are_written_anew(model: ChatModel, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    summary_of(plan_of(number=2), model, path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for broken in ("[]", '{"reply": {}}', lines[1].replace('"answer"', '"guess"', 1).strip()):
        path.write_text("".join([*lines[:2], broken + "\n", *lines[2:]]), encoding="utf-8")
        assert len(Exchanges(path, model).replies) == 1


def test_a_journal_in_memory_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    journal: JournalFile[dict[str, int]] = JournalFile(None, {"format": "x"}, "numbers", lambda _: None)
    journal.append({"a": 1})
    journal.remove()
    assert list(tmp_path.iterdir()) == []


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_set(tmp_path / "set")


def command(capsys: pytest.CaptureFixture[str], server: Server, folder: Path, *words: str) -> tuple[int, str, str]:
    return command_line.run(
        capsys, "evaluate", "answers", folder, "--strategies", "whole,sentence:max_tokens=20;overlap=0",
        "--retriever", "bm25",
        "--endpoint", server.url, "--model", "tiny", "--output", folder.parent / "answers.jsonl", "--top-k", "1",
        *words,
    )  # fmt: skip


def test_the_command_says_what_it_sends_and_reports_each_strategy(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    code, out, err = command(capsys, server, folder, "--yes", "--price", "1000")
    assert code == 0
    host = server.url.split("/")[2]
    assert f"12 questions with the passages of 2 strategies to tiny at {host}, in your own network: at most" in err
    assert re.search(r"received, about \d+\.\d{4} at this price", err)
    assert f"{len(server.asked)} requests, {50 * len(server.asked):,} tokens sent" in err
    summary = json.loads(out)
    row = summary["strategies"]["whole"]
    assert row["right"] == 1
    assert row["per_question"][0]["answer"] == "3 litres"
    assert row["per_question"][0]["passages"][0]["document"] == "lamp.txt"
    assert [pair["other"] for pair in summary["differences"]] == ["whole"]
    assert SECRET not in out + err
    asked = len(server.asked)
    code, out, err = command(capsys, server, folder, "--format", "table")
    assert code == 0
    assert len(server.asked) == asked
    assert "not found, though retrieved" in out
    assert "Differences of right answers in points" in out
    assert "Send?" not in err


def test_nothing_is_sent_without_consent(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = command(capsys, server, folder)
    assert (code, out) == (2, "")
    assert "nobody can be asked" in err
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdin.readline", lambda: "n\n", raising=False)
    code, out, err = command(capsys, server, folder)
    assert (code, out) == (1, "")
    assert "Nothing was sent" in err
    assert server.asked == []
    assert not (folder.parent / "answers.jsonl").exists()


def test_a_stopped_command_continues(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(self: ChatModel, *arguments: Any) -> Any:
        if len(server.asked) == 5:
            raise KeyboardInterrupt
        return ask(self, *arguments)

    ask = ChatModel.ask
    monkeypatch.setattr(ChatModel, "ask", stop)
    code, _, err = command(capsys, server, folder, "--yes")
    assert (code, err.splitlines()[-1]) == (130, "chunking: stopped.")
    monkeypatch.setattr(ChatModel, "ask", ask)
    code, _, err = command(capsys, server, folder, "--yes")
    assert code == 0
    assert "answers.jsonl has 5 replies that are not requested again" in err
    assert len({prompt_of(body) for body in server.asked}) == len(server.asked)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--endpoint", "example.org"], "The address of the endpoint is invalid"),
        (["--number", "0"], "counted from 1"),
        (["--model", ""], "has no name"),
        (["--rerank-top", "3"], "has no effect without --rerank"),
    ],
)
def test_bad_input(
    words: list[str], problem: str, server: Server, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = command(capsys, server, folder, "--yes", *words)
    assert (code, out) == (2, "")
    assert problem in err
    assert server.asked == []
