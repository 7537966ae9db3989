"""Questions that a session saves, as a command finds them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from chunking import from_text
from chunking.document import Document
from chunking.retrieval.questions import folders, own
from pages.shared.documents import documents as session
from pages.shared.evaluate import question_sets

TEXT = "The ferry leaves at six. The bakery opens at seven.\n"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> dict[str, Document]:
    """What a session has open: the names that it shows distinguish documents of one file name."""
    documents = {
        "port.md (3a661a)": from_text(TEXT, "port.md"),
        "tea.md (11f00d)": from_text(TEXT, "tea.md"),
        "tea.md (22f00d)": from_text(TEXT * 2, "tea.md"),
    }
    monkeypatch.setattr(session, "open_names", lambda: list(documents))
    monkeypatch.setattr(session, "get", lambda name: SimpleNamespace(document=documents[name]))
    return documents


def test_saved_questions_run_in_a_folder_with_their_document(opened: dict[str, Document], tmp_path: Path) -> None:
    name = "port.md (3a661a)"
    question = own.make_question("1", "When does the ferry leave?", [(0, 24)], opened[name])
    saved = question_sets.jsonl({name: (question,)})
    (tmp_path / "port.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(saved, encoding="utf-8")
    found = folders.read(tmp_path)
    assert [each.text for each in found.questions] == ["When does the ferry leave?"] and not found.remarks


def test_documents_of_one_file_name_keep_the_names_that_tell_them_apart(opened: dict[str, Document]) -> None:
    questions: question_sets.Questions = {
        name: (own.make_question("1", "When?", [(0, 24)], document),) for name, document in opened.items()
    }
    assert list(question_sets.by_file(questions)) == ["port.md", "tea.md (11f00d)", "tea.md (22f00d)"]
