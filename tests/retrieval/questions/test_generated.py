"""Questions that a model writes: a real server on this machine speaks the protocol, well and badly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chunking import from_text
from chunking.embedding import Endpoint
from chunking.errors import ChunkscopeError
from chunking.retrieval.questions import generated, own
from chunking.retrieval.questions.chat import PATIENCE, ChatModel, read_object
from chunking.retrieval.questions.data import describe_proxies
from chunking.retrieval.questions.journal import Journal
from chunking.workspace import Models
from tests import command_line
from tests.embedding.test_endpoint import Handler, Server, answer, serving

SECRET = "sk-test-0123456789abcdef"
DATE = "2026-11-28"
TOOLS = Models(splitter="rules")
TOPICS = ("lamp", "horn", "boat", "store", "path", "tower", "light", "book")
TEXT = "\n\n".join(
    f"## The {word}\n\nThe {word} was built in 18{number}0 by {name}. It needs {number + 3} litres of oil each night. "
    + f"Nobody knows why the {word} is painted in that colour. " * 4
    for number, (word, name) in enumerate(
        zip(TOPICS, ("Ada", "Ben", "Cy", "Dot", "Eve", "Fay", "Gil", "Hal"), strict=True)
    )
)
DOCUMENTS = {"keeper.md": from_text(TEXT, name="keeper.md", format="markdown", language="en")}

Plan = Callable[[Handler, dict[str, Any]], None]


def passage_of(body: dict[str, Any]) -> str:
    prompt: str = body["messages"][-1]["content"]
    return prompt.rpartition("<<<\n")[2].rpartition("\n>>>")[0]


def is_check(body: dict[str, Any]) -> bool:
    return "null" in body["messages"][-1]["content"]


def chat(content: object, **usage: int) -> dict[str, Any]:
    text = content if isinstance(content, str) else json.dumps(content)
    return {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage}


def words_of(passage: str) -> tuple[str, str]:
    """The topic of a passage, and its year."""
    match = re.search(r"The (\w+) was built in (\d+)", passage)
    assert match
    return match[1], match[2]


def good(handler: Handler, body: dict[str, Any]) -> None:
    """A model that asks two questions on each passage, and answers both."""
    word, _ = words_of(passage_of(body))
    if is_check(body):
        asks_for_oil = "oil" in body["messages"][-1]["content"].partition("Question:")[2].partition("\n")[0]
        quote = re.search(r"\d+ litres of oil" if asks_for_oil else r"in \d{4} by", passage_of(body))
        assert quote
        handler.send(200, chat({"quote": quote[0]}, prompt_tokens=50, completion_tokens=5))
        return
    year = re.search(r"in 18\d0", passage_of(body))
    oil = re.search(r"needs \d+ litres of oil", passage_of(body))
    assert year
    assert oil
    questions = [
        {"question": f"When was the {word}  built?", "quote": year[0].upper()},
        {"question": f"How much oil does one {word} burn every night?", "quote": oil[0].replace(" ", "\n")},
    ]
    handler.send(
        200, chat(f"```json\n{json.dumps({'questions': questions})}\n```", prompt_tokens=100, completion_tokens=9)
    )


def writes(*questions: object) -> Plan:
    """A model that writes the same questions on each passage, and answers with the year."""

    def plan(handler: Handler, body: dict[str, Any]) -> None:
        _, year = words_of(passage_of(body))
        handler.send(200, chat({"quote": year} if is_check(body) else {"questions": questions}))

    return plan


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as running:
        running.plan = [good]
        yield running


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def model(server: Server, waits: list[float]) -> ChatModel:
    return ChatModel(Endpoint(server.url, SECRET), "tiny", timeout=20, pause=waits.append)


def run(model: ChatModel, number: int, journal: Journal | None = None) -> generated.GeneratedQuestions:
    return generated.generate(generated.plan(DOCUMENTS, number, 0, TOOLS), model, DATE, journal)


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_every_question_has_the_span_of_its_quote(server: Server, model: ChatModel) -> None:
    made = run(model, 5)
    questions = made.questions["keeper.md"]
    assert (len(made), made.passages, made.complete, dict(made.left_out)) == (5, 3, True, {})
    for question in questions:
        ((start, end),) = question.spans
        quote = TEXT[start:end]
        assert re.fullmatch(r"in 18\d0|needs \d+ litres of oil", quote)
        topic = next(word for word in TOPICS if word in question.text)
        assert TEXT.rindex("## The", 0, start) == TEXT.index(f"## The {topic}")
        assert question.origin == f"model tiny at {model.where.host}, prompt {generated.prompt_hash()}, {DATE}"
    assert questions[0].text == " ".join(questions[0].text.split())
    assert describe_proxies(questions)[0].startswith("5 of 5 questions were written by a model tiny at")
    assert (model.calls, model.tokens_sent, model.tokens_received) == (8, 3 * 100 + 5 * 50, 3 * 9 + 5 * 5)
    assert server.asked[0]["path"] == "/v1/chat/completions"
    assert server.asked[0]["model"] == "tiny"
    assert server.asked[0]["temperature"] == 0
    assert server.headers[0]["Authorization"] == f"Bearer {SECRET}"
    assert SECRET not in json.dumps(server.asked)


def test_the_same_seed_reads_the_same_passages_and_the_plan_sends_nothing(server: Server, model: ChatModel) -> None:
    one, same = (generated.plan(DOCUMENTS, 4, 1, TOOLS) for _ in range(2))
    assert one == same
    assert len({generated.plan(DOCUMENTS, 4, seed, TOOLS).passages[0].start for seed in range(6)}) > 1
    assert (one.calls, one.most_calls) == (2 + 4, 6 * 3)
    assert one.tokens_sent > sum(len(passage.text) for passage in one.passages[:2]) / 8
    for passage in one.passages:
        assert TEXT[passage.start : passage.end] == passage.text
    assert server.asked == []


def test_there_are_no_more_questions_than_passages_have(model: ChatModel) -> None:
    made = run(model, 100)
    assert (len(made), made.complete) == (16, False)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ({"question": "When was it built?", "quote": "in the year of the flood"}, generated.NOT_QUOTED),
        ({"question": "When was it built?", "quote": None}, generated.NOT_QUOTED),
        ({"question": "When was it built?", "quote": " …"}, generated.NOT_QUOTED),
        ({"question": "What is painted?", "quote": "painted in that colour"}, generated.REPEATED_QUOTE),
        ({"question": "How much oil?", "quote": "litres of oil"}, generated.UNANSWERABLE),
        ({"question": " ?", "quote": "was built"}, generated.INVALID),
        ({"question": "x" * (own.WORDS + 1), "quote": "was built"}, generated.INVALID),
        ({"question": 7, "quote": "was built"}, generated.INVALID),
        ("When?", generated.INVALID),
    ],
)
def test_what_is_dropped(server: Server, model: ChatModel, question: object, reason: str) -> None:
    server.plan = [writes(question)]
    made = run(model, 2)
    assert len(made) == 0
    assert dict(made.left_out) == {reason: 3}
    assert not made.complete


def test_a_question_is_not_asked_twice_in_nearly_the_same_words(server: Server, model: ChatModel) -> None:
    def plan(handler: Handler, body: dict[str, Any]) -> None:
        _, year = words_of(passage_of(body))
        asked = [{"question": f"In which year {words}?", "quote": year} for words in ("was it BUILT", "it was built")]
        handler.send(200, chat({"quote": year} if is_check(body) else {"questions": asked}))

    server.plan = [plan]
    made = run(model, 4)
    assert len(made) == 1
    assert dict(made.left_out) == {generated.DUPLICATE: 11}
    request = generated.plan(DOCUMENTS, 2, 0, TOOLS)
    none = generated.generate(request, model, DATE, existing=[generated.Wording("in which year was it built", "")])
    assert len(none) == 0


@pytest.mark.parametrize(
    ("text", "quote", "same"),
    [
        ("How much oil does one lamp burn each night?", "needs 3 litres of oil", True),
        ("How much oil does a lamp burn each night?", "3 litres", True),
        ("How much oil does one horn burn each night?", "needs 4 litres of oil", False),
        ("Who built the lamp?", "3 litres", False),
    ],
)
def test_nearly_the_same_words_are_a_duplicate_if_the_answer_is_the_same(text: str, quote: str, same: bool) -> None:
    first = generated.Wording("How much oil does one lamp burn each night?", "needs 3 litres of oil")
    assert generated.is_duplicate(generated.Wording(text, quote), [first]) is same


def test_a_model_that_answers_without_json_ends_the_run(server: Server, model: ChatModel, tmp_path: Path) -> None:
    server.plan = [answer(200, chat("I am a helpful assistant. {"))]
    with pytest.raises(
        ChunkscopeError, match=r"tiny did not answer with the JSON that was requested, 5 times in a row"
    ):
        run(model, 16)
    assert len(server.asked) == PATIENCE


def test_wrong_json_now_and_then_costs_a_passage(server: Server, model: ChatModel) -> None:
    server.plan = [answer(200, chat('{"questions": "none"}')), answer(200, chat("[]")), good]
    made = run(model, 2)
    assert (len(made), dict(made.left_out)) == (2, {generated.NOT_JSON: 2})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('Here: ```json\n{"a": 1}\n``` .', {"a": 1}),
        ("{}", {}),
        ("", None),
        ("} {", None),
        ("[1]", None),
        ("{" * 100_000 + "}" * 100_000, None),
    ],
)
def test_json_is_found_in_an_answer(text: str, value: object) -> None:
    assert read_object(text) == value


# --- endpoints that fail ---------------------------------------------------------------------------------------------


def dropped(handler: Handler, _: dict[str, Any]) -> None:
    handler.close_connection = True
    handler.connection.close()


def test_a_busy_endpoint_and_a_dropped_connection_are_waited_for(
    server: Server, model: ChatModel, waits: list[float]
) -> None:
    server.plan = [answer(429, {"error": "busy"}, Retry_After="7"), good, dropped, good]
    assert len(run(model, 2)) == 2
    assert waits == [7.0, 0.5]


def test_an_endpoint_without_formats_is_asked_plainly(server: Server, model: ChatModel) -> None:
    server.plan = [answer(400, {"error": {"message": "response_format is not supported"}}), good]
    assert len(run(model, 2)) == 2
    assert "response_format" in server.asked[0]
    assert not any("response_format" in asked or "temperature" in asked for asked in server.asked[1:])


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        (answer(400, {"error": "no"}), "answers with status 400: no"),
        (answer(401, {"error": f"wrong key {SECRET}"}), "refuses the key"),
        (answer(404, {}), "does not know the model 'tiny', or has no chat at this address"),
        (answer(500, {"error": f"at {SECRET}"}), "answers with status 500: at …"),
        (answer(302, b"", Location="http://example.org/"), "redirects to example.org; redirects are not followed"),
        (answer(200, b"<html>"), "did not answer with a message"),
        (answer(200, {"choices": []}), "did not answer with a message"),
    ],
)
def test_endpoints_that_refuse(server: Server, model: ChatModel, plan: Plan, problem: str) -> None:
    server.plan = [plan]
    with pytest.raises(ChunkscopeError) as caught:
        run(model, 2)
    assert problem in str(caught.value)
    assert SECRET not in str(caught.value)
    assert SECRET not in repr(model)


# --- interrupted runs ------------------------------------------------------------------------------------------------


def journal_of(path: Path, **other: object) -> Journal:
    return Journal(path, {"model": "tiny", "seed": 0, **other})


def test_an_interrupted_run_continues_where_it_was(server: Server, model: ChatModel, tmp_path: Path) -> None:
    path = tmp_path / "made.partial"
    server.plan = [good, good, good, good, answer(403, {})]
    with pytest.raises(ChunkscopeError):
        run(model, 6, journal_of(path))
    first = len(server.asked)
    with path.open("ab") as file:
        file.write(b'{"passage": ["keeper.md", 0')  # what a crash leaves
    server.plan = [good]
    made = run(model, 6, journal_of(path))
    whole = run(model, 6)
    assert made == whole
    assert len(server.asked) - first == 2 * 3 + 3 * 3
    assert len(journal_of(path).records) == 3


def test_a_journal_is_of_one_run(tmp_path: Path, model: ChatModel) -> None:
    path = tmp_path / "made.partial"
    run(model, 2, journal_of(path))
    with pytest.raises(ChunkscopeError, match="of an interrupted run with other model, seed"):
        journal_of(path, model="other", seed=1)
    path.write_text("{}\n")
    with pytest.raises(ChunkscopeError, match="is no journal"):
        journal_of(path)
    path.write_text("")
    assert journal_of(path).records == {}
    with pytest.raises(ChunkscopeError, match="cannot be read"):
        journal_of(tmp_path)
    lost = journal_of(tmp_path / "folder" / "made.partial")
    (tmp_path / "folder").write_text("")
    with pytest.raises(ChunkscopeError, match="cannot be written"):
        lost.begin()


def test_documents_without_text_and_models_without_a_name(server: Server) -> None:
    with pytest.raises(ChunkscopeError, match="no text to ask about"):
        generated.plan({"a": from_text("", name="a.txt")}, 2)
    with pytest.raises(ChunkscopeError, match="counted from 1"):
        generated.plan(DOCUMENTS, 0)
    with pytest.raises(ChunkscopeError, match="has no name"):
        ChatModel(Endpoint(server.url), "  ")


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "docs"
    path.mkdir()
    (path / "keeper.md").write_text(TEXT, encoding="utf-8")
    return path


def command(
    capsys: pytest.CaptureFixture[str], server: Server, folder: Path, *words: str
) -> tuple[int, list[dict[str, Any]], str]:
    output = folder.parent / "made.jsonl"
    code, out, err = command_line.run(
        capsys, "questions", "generate", folder, "--endpoint", server.url, "--model", "tiny", "--number", "4",
        "--output", output, *words,
    )  # fmt: skip
    assert out == ""
    rows = output.read_text(encoding="utf-8").splitlines() if output.exists() else []
    return code, list(map(json.loads, rows)), err


def test_the_command_says_what_it_sends_and_keeps_how_questions_were_made(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    code, rows, err = command(capsys, server, folder, "--yes", "--price", "1000,2000")
    assert code == 0
    host = server.url.split("/")[2]
    assert f"4 questions on 1 document by tiny at {host}, in your own network: about 6 calls" in err
    assert re.search(r"received, about \d\.\d{4} at this price; if many questions are dropped, at most 18\.", err)
    assert "4 questions on 1 document, from 2 passages; 6 calls, 400 tokens sent and 38 received." in err
    assert SECRET not in err + json.dumps(rows)
    for row in rows:
        assert row["doc_id"] == "keeper.md"
        ((start, end),) = row["spans"]
        assert row["quote"] == TEXT[start:end]
        assert (row["model"], row["endpoint"], row["prompt"]) == ("tiny", host, generated.prompt_hash())
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"])
    assert server.headers[0]["Authorization"] == f"Bearer {SECRET}"
    assert not (folder.parent / "made.jsonl.partial").exists()
    code, out, err = command_line.run(
        capsys, "evaluate", "retrieval", folder, "--questions", folder.parent / "made.jsonl", "--strategies", "heading",
        "--retriever", "bm25",
    )  # fmt: skip
    assert code == 0
    assert len(json.loads(out)["questions"]) == 4
    assert "4 of 4 questions were written by a model tiny at" in err


def test_nothing_is_sent_without_consent(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, rows, err = command(capsys, server, folder)
    assert (code, rows) == (2, [])
    assert "nobody can be asked" in err
    for typed, expected in (("n\n", 1), ("\n", 1), ("y\n", 0)):
        for stream in ("stdin", "stderr"):
            monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
        monkeypatch.setattr("sys.stdin.readline", lambda typed=typed: typed, raising=False)
        assert server.asked == []
        code, rows, err = command(capsys, server, folder)
        assert code == expected
        assert "Send? [y/N]" in err
        assert ("Nothing was sent" in err) == bool(expected)
    assert len(rows) == 4


def test_a_stopped_command_says_one_line_and_continues(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = generated._Writer.write
    written: list[Any] = []

    def stop(self: generated._Writer, *arguments: Any) -> Any:
        if written:
            raise KeyboardInterrupt
        written.append(arguments)
        return write(self, *arguments)

    monkeypatch.setattr(generated._Writer, "write", stop)
    code, rows, err = command(capsys, server, folder, "--yes")
    assert (code, rows) == (130, [])
    assert err.splitlines()[-1] == "chunking: stopped."
    monkeypatch.setattr(generated._Writer, "write", write)
    before = len(server.asked)
    code, rows, err = command(capsys, server, folder, "--yes")
    assert (code, len(rows)) == (0, 4)
    assert "made.jsonl.partial has 2 questions on 1 passage, which are not asked for again" in err
    assert len(server.asked) - before == 3


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--endpoint", "example.org"], "The address of the endpoint is invalid. Set --endpoint to one like"),
        (["--endpoint", "https://me:pw@example.org/v1"], "The address of the endpoint is invalid"),
        (["--number", "0"], "counted from 1"),
        (["--price", "1,2,3"], "is not one or two prices"),
        (["--price", "-1"], "is not one or two prices"),
        (["--model", ""], "has no name"),
    ],
)
def test_bad_input(
    words: list[str], problem: str, server: Server, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, rows, err = command(capsys, server, folder, "--yes", *words)
    assert (code, rows) == (2, [])
    assert problem in err
    assert server.asked == []
