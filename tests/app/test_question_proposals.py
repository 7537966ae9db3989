"""Questions that are made of documents or written by a model, on the page: proposed, accepted and rejected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.evaluate import chat_models, question_proposals, question_sets
from pages.shared.frame import runs
from tests.app.pages import TIMEOUT, calm, open_page, paste, shown
from tests.embedding.test_endpoint import Server, answer, serving
from tests.retrieval.questions.test_generated import TEXT, chat, good
from tests.retrieval.search.test_reranking import cross_encoder

__all__ = ["cross_encoder"]

SECRET = "sk-test-0123456789abcdef"


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", chat_models.MODEL_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    runs._runs.clear()
    yield
    runs._runs.clear()


def opened(root: Path, text: str = TEXT) -> AppTest:
    """The page with a document of the user's own."""
    address = {"measured": "Retrieval", "lanes": "heading,whole", "search": "bm25", "questions": question_sets.YOURS}
    return paste(open_page(root, "evaluate", address), text)


def pressed(app: AppTest, key: str) -> AppTest:
    """The page after a button, and after what it started."""
    app = calm(app.button(key=key).click().run())
    for run in list(runs.runs()._jobs.values()):
        assert run.wait(TIMEOUT), run
    return calm(app.run())


def boxes(app: AppTest) -> list[str]:
    boxes = [box for box in app.checkbox if str(box.key).startswith(question_proposals._ACCEPT)]
    return [box.label.removeprefix("Accept: ") for box in boxes]


def kept(app: AppTest) -> list[str]:
    """The user's own questions: texts and origins."""
    return [
        f"{question.text} ({question.origin})"
        for questions in app.session_state["_own_questions"].values()
        for question in questions
    ]


def test_questions_of_headings_are_accepted_one_by_one(root: Path) -> None:
    app = pressed(opened(root), "_propose_headings")
    assert boxes(app) == [f"The {word}" for word in ("lamp", "horn", "boat", "store", "path", "tower", "light", "book")]
    assert "Nobody asked these questions" in shown(app)
    second = [box for box in app.checkbox if str(box.key).startswith(question_proposals._ACCEPT)][1]
    app = calm(second.uncheck().run())
    app = calm(app.button(key="_propose_accept").click().run())
    assert kept(app) == [
        f"The {word} (heading)" for word in ("lamp", "boat", "store", "path", "tower", "light", "book")
    ]
    assert boxes(app) == []
    assert "7 questions on 1 document" in shown(app)
    app = pressed(app, "_propose_headings")
    assert boxes(app) == ["The horn"]


def test_all_can_be_rejected_and_made_again(root: Path) -> None:
    text = " ".join(
        f"The keeper of tower {number} writes every ship of the night into his book." for number in range(40)
    )
    app = calm(opened(root, text).number_input(key="_proposed_number").set_value(3).run())
    app = pressed(app, "_propose_sentences")
    assert 0 < len(boxes(app)) <= 3
    app = calm(app.button(key="_propose_reject").click().run())
    assert boxes(app) == []
    assert "_own_questions" not in app.session_state or not app.session_state["_own_questions"]


def test_a_document_without_headings_says_so(root: Path) -> None:
    app = pressed(opened(root, "No heading stands here, and there is only one sentence."), "_propose_headings")
    assert "No question can be made of the headings" in shown(app)


# --- from a model ----------------------------------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving() as running:
        running.plan = [good]
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        monkeypatch.setenv(chat_models.MODEL_VARIABLE, "tiny")
        yield running


def test_without_a_configured_model_there_is_no_button(root: Path) -> None:
    assert not [button for button in opened(root).button if button.key == "_propose_model"]


def test_a_model_is_sent_nothing_before_it_is_confirmed(root: Path, server: Server) -> None:
    app = calm(opened(root).number_input(key="_proposed_number").set_value(4).run())
    app = pressed(app, "_propose_model")
    assert server.asked == []
    assert "about 6 calls" in shown(app)
    assert SECRET not in shown(app)
    app = pressed(app, "_propose_send")
    assert len(server.asked) == 6
    assert len(boxes(app)) == 4
    app = calm(app.button(key="_propose_accept").click().run())
    assert len(kept(app)) == 4
    assert all("(model tiny at 127.0.0.1:" in question for question in kept(app))


def test_a_model_that_fails_says_why(root: Path, server: Server) -> None:
    server.plan = [answer(401, {})]
    app = pressed(pressed(opened(root), "_propose_model"), "_propose_send")
    assert "refuses the key" in shown(app)
    server.plan = [answer(200, chat({"questions": []}))]
    app = pressed(app, "_again_questions")
    assert "No question is left" in shown(app)
    app = calm(app.button(key="_propose_reject").click().run())
    assert boxes(app) == []


# --- the reranker ----------------------------------------------------------------------------------------------------


def test_a_reranker_is_offered_where_the_server_names_one(
    root: Path, cross_encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = {"measured": "Retrieval", "lanes": "whole", "search": "bm25"}
    monkeypatch.setattr("pages.shared.server.hosts.is_local", lambda: False)
    app = open_page(root, "evaluate", address | {"rerank": str(cross_encoder)})
    assert not [box for box in app.selectbox if box.label == "Reranker"]
    monkeypatch.setenv("CHUNKSCOPE_RERANKERS", f"no/such-model,{cross_encoder}")
    app = open_page(root, "evaluate", address | {"rerank": "no/such-model"})
    assert "Unknown reranker" in shown(app)
    app = open_page(root, "evaluate", address | {"rerank": str(cross_encoder), "rerank_top": "3", "look": "Notes"})
    for run in list(runs.runs()._jobs.values()):
        assert run.wait(TIMEOUT), run
    app = calm(app.run())
    texts = " ".join(str(element.proto.body) for element in app.get("html"))
    assert f"The first 3 passages of every ranking are reranked by {cross_encoder}" in texts
