"""Answers of a model on the page: nothing is sent before it is confirmed, and nothing twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.retrieval.answers.store import AnswerStore
from chunking.store.storage import open_storage
from pages.shared.evaluate import chat_models, question_sets
from pages.shared.frame import runs
from tests.app.pages import TIMEOUT, calm, open_page, shown
from tests.embedding.test_endpoint import Handler, Server, answer, serving
from tests.retrieval.answers.test_answers import SET, good, is_judgement, prompt_of, reply_of, write_set
from tests.retrieval.questions.test_generated import chat

SECRET = "sk-test-0123456789abcdef"


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "reviews.sqlite"))
    monkeypatch.setattr("pages.shared.server.hosts.is_local", lambda: True)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", chat_models.MODEL_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    runs._runs.clear()
    yield
    runs._runs.clear()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        running.plan = [good]
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_set(tmp_path / "set")


def waited(app: AppTest) -> AppTest:
    for _ in range(4):
        for run in list(runs.runs()._jobs.values()):
            assert run.wait(TIMEOUT), run
        app = calm(app.run())
    return app


def opened(root: Path, folder: Path, lanes: str = "whole,sentence:max_tokens=20;overlap=0") -> AppTest:
    """The view of an evaluated folder."""
    address = {
        "measured": "Retrieval", "lanes": lanes, "search": "bm25", "questions": question_sets.FOLDER,
        "folder": str(folder), "look": "Answers", "budgets": "60",
    }  # fmt: skip
    app = open_page(root, "evaluate", address)
    if evaluate := [button for button in app.button if button.label.startswith("Evaluate")]:
        app = calm(evaluate[0].click().run())
    return waited(app)


def named(app: AppTest, server: Server, model: str = "tiny") -> AppTest:
    app.text_input(key="_chat_address").set_value(server.url)
    return waited(calm(app.text_input(key="_chat_model_name").set_value(model).run()))


def words(app: AppTest) -> str:
    """All text, also that of reports, without the marks that escape it."""
    reports = "\n".join(str(element.proto.body) for element in app.get("html"))
    return f"{shown(app)}\n{reports}".replace("\\", "")


def sent(app: AppTest) -> AppTest:
    return waited(calm(app.button(key="_answers_send").click().run()))


def test_nothing_is_sent_before_the_address_is_named_and_confirmed(root: Path, folder: Path, server: Server) -> None:
    app = opened(root, folder)
    assert "No model is named" in shown(app)
    app = named(app, server)
    assert "12 questions with the chunks of 2 strategies would be sent to 127.0.0.1:" in words(app)
    assert server.asked == []
    app = sent(app)
    assert server.asked
    text = words(app)
    assert "12 questions, answered by tiny at 127.0.0.1:" in text
    assert "Right answers, difference to the first strategy" in text
    frame = next(table.value for table in app.dataframe if "quote" in table.value)
    assert frame["quote"][0] == "needs 3 litres of oil"
    assert frame["whole"][0] == "right: 3 litres"
    assert not any("Authorization" in headers for headers in server.headers)


def test_an_address_of_a_link_is_not_taken(root: Path, folder: Path, server: Server) -> None:
    app = opened(root, folder)
    app.query_params["_chat_address"] = server.url
    app.query_params["address"] = server.url
    assert "No model is named" in shown(calm(app.run()))
    assert server.asked == []


def test_replies_are_kept_over_a_restart_and_for_other_strategies(root: Path, folder: Path, server: Server) -> None:
    server.plan = [good] * 5 + [answer(401, {})]
    app = sent(named(opened(root, folder), server))
    assert "requires a key" in shown(app)
    asked = len(server.asked) - 1
    runs._runs.clear()  # as after a restart
    server.plan = [good]
    app = named(opened(root, folder), server)
    assert f"{asked} replies are kept and not requested again" in words(app)
    assert len(server.asked) == asked + 1
    sent(app)
    failed = prompt_of(server.asked[asked])
    prompts = [prompt_of(body) for body in server.asked]
    assert {prompt for prompt in prompts if prompts.count(prompt) > 1} == {failed}
    runs._runs.clear()
    before = len(server.asked)
    app = named(opened(root, folder, "whole"), server)
    assert "12 questions, answered by tiny" in words(app)
    assert len(server.asked) == before


def test_texts_and_answers_are_never_markup(root: Path, folder: Path, server: Server) -> None:
    def plan(handler: Handler, body: dict[str, object]) -> None:
        content = reply_of(body) if is_judgement(body) else {"answer": "<img src=x onerror=alert(1)> **3** litres"}
        handler.send(200, chat(content))

    server.plan = [plan]
    app = sent(named(opened(root, folder), server))
    assert "onerror" not in words(app)  # in the cells of the table alone, until a question is selected
    app.session_state["_answers_questions"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    text = words(calm(app.run()))
    assert "&lt;img src=x onerror=alert(1)&gt; **3** litres" in text
    assert "<img" not in text


def test_the_key_of_the_server_goes_to_its_own_address_alone(
    root: Path, folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    sent(named(opened(root, folder), server))
    assert not any("Authorization" in headers for headers in server.headers)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    runs._runs.clear()
    app = sent(named(opened(root, folder), server, "other"))
    assert server.headers[-1]["Authorization"] == f"Bearer {SECRET}"
    assert SECRET not in shown(app)


def test_visitors_of_a_server_name_no_address(
    root: Path, folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.shared.server.hosts.may_name_paths", lambda: False)
    app = open_page(root, "evaluate", {"measured": "Retrieval", "lanes": "whole", "search": "bm25", "look": "Answers"})
    app = waited(app)
    assert "No model is named" in shown(app)
    assert not [field for field in app.text_input if field.key == "_chat_address"]
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv(chat_models.MODEL_VARIABLE, "tiny")
    app = waited(calm(app.run()))
    assert "would be sent to 127.0.0.1:" in words(app)
    assert server.asked == []


def test_replies_go_with_their_texts(root: Path, folder: Path, server: Server) -> None:
    sent(named(opened(root, folder), server))
    store = AnswerStore()
    assert len(list(store.folder.iterdir())) == 1
    text_hash = SET.sources[0].text_hash
    assert AnswerStore in {type(cache) for cache in open_storage().caches}
    assert store.forget("other")
    assert len(list(store.folder.iterdir())) == 1
    assert store.forget(text_hash)
    assert list(store.folder.iterdir()) == []
