"""Documents that a user opens last: another session, another server and another browser of that person find them."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from sqlalchemy import event
from streamlit.testing.v1 import AppTest

from chunking.embedding.vector_cache import default_cache
from chunking.retrieval import tasks
from chunking.retrieval.result_store import InterruptedRuns, ResultStore
from chunking.store import Library, open_storage
from chunking.store.database.location import address
from chunking.store.identity import Identity
from chunking.store.storage import files_place
from pages.shared import identity, state
from pages.shared.documents import choices, library_documents, session_documents
from pages.shared.evaluate import question_sets
from pages.shared.frame.runs import runs
from pages.shared.server import hosts
from pages.shared.storage import forgetting, session_library
from pages.shared.storage.workspace_cache import workspace_cache
from tests.app import test_retrieval
from tests.app.pages import calm, give, open_page, paste
from tests.app.test_inspect import figures, key, opened, shown, upload

TEA = b"# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Bake it.\n"
ANN, BOB = (Identity(f"issuer|{name}", name, roles=frozenset({"reader"})) for name in ("ann", "bob"))


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session looks at the library with each run."""
    monkeypatch.setattr(library_documents, "_SECONDS", 0.0)


def library() -> Library:
    return Library(open_storage())


def restarted() -> None:
    """As if the server had ended, whatever it holds in memory."""
    import streamlit as st

    st.cache_resource.clear()


def doc(app: AppTest) -> str:
    return str(app.selectbox(key="doc").value)


def keep_nothing(app: AppTest) -> None:
    calm(app.toggle(key="_do_not_keep").set_value(True).run())


def test_what_is_opened_is_in_the_list_of_another_session_and_opens_there(root: Path) -> None:
    name = doc(upload(opened(root), "tea.md", TEA))
    restarted()
    app = opened(root)
    assert app.selectbox(key="doc").options[0] == name
    assert not app.session_state["_own_documents"], "its text is read only when it is opened"
    calm(app.selectbox(key="doc").set_value(name).run())
    assert "6</b><span>sentences" in figures(app)


def test_pasted_text_is_there_after_a_reload(root: Path) -> None:
    app = paste(opened(root), "First thought. Second thought.")
    again = opened(root, doc=doc(app))
    assert doc(again) == doc(app) and "2</b><span>sentences" in figures(again)


def test_a_link_finds_a_document_that_is_not_in_the_list(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = doc(upload(opened(root), "tea.md", TEA))
    monkeypatch.setattr(library_documents, "LISTED", 0)
    app = opened(root, doc=name)
    assert doc(app) == name and "not available" not in shown(app)
    assert doc(opened(root, doc="tea.md (0123456789)")) != name


def test_nothing_of_a_document_that_is_not_to_be_kept_is_on_the_disk(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "cache"))
    restarted()
    app = opened(root)
    keep_nothing(app)
    app = upload(app, "secret.md", b"Nobody may keep this. It is a secret of mine.")
    assert app.selectbox(key="doc").options[0].endswith("· not kept")
    calm(app.selectbox(key="encoder").set_value("char-ngrams").run())
    assert "<span>chunk" in figures(app) and "char-ngrams" in shown(app)
    assert library().own() == []
    assert len(default_cache()) == len(default_cache().sentences) == 0
    keeps = upload(opened(root, encoder="char-ngrams"), "tea.md", TEA)
    assert "<span>chunk" in figures(keeps) and len(default_cache()) > 0, "of others vectors are stored"
    restarted()
    assert "not available" in shown(opened(root, doc=doc(app)))


def test_the_same_text_kept_by_somebody_else_is_measured_apart(root: Path) -> None:
    app = opened(root)
    keep_nothing(app)
    first, second = upload(app, "tea.md", TEA), upload(opened(root), "tea.md", TEA)
    kept = [documents_of(each)[0] for each in (first, second)]
    assert [each.is_transient for each in kept] == [True, False]
    assert kept[0].entry is None and kept[1].entry is not None


def documents_of(app: AppTest) -> list[session_documents.OpenDocument]:
    return list(app.session_state["_own_documents"].values())


def test_a_library_that_cannot_be_used_opens_the_document_and_says_so(root: Path, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "reviews.sqlite").write_bytes(b"no database at all" * 400)
    app = upload(opened(root), "tea.md", TEA)
    assert "6</b><span>sentences" in figures(app)
    assert "“tea.md” is open in this session alone" in shown(app).replace(doc(app), "tea.md")
    assert "Then add it again" in shown(app)
    assert app.selectbox(key="doc").options[0].endswith("· not kept")
    calm(app.button(key="_dismiss_document").click().run())
    assert "in this session alone" not in shown(app)
    assert app.selectbox(key="doc").options[0].endswith("· not kept"), "it is still marked"


def test_without_the_package_of_the_library_documents_live_in_the_session(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.shared.storage.session_library._is_installed", lambda: False)
    app = upload(opened(root), "tea.md", TEA)
    assert "6</b><span>sentences" in figures(app)
    assert "in this session alone" not in shown(app)
    assert "not available" in shown(opened(root, doc=doc(app)))


def test_a_server_for_others_without_a_log_in_keeps_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = doc(upload(opened(root), "mine.md", TEA))
    with monkeypatch.context() as patch:
        patch.setattr(hosts, "is_local", lambda: False)
        app = upload(opened(root), "tea.md", b"# Tea\n\nIt is mine alone. Nobody else reads it.")
        assert mine not in app.selectbox(key="doc").options, "everybody would see it"
        assert "Documents end with this session" in " ".join(each.value for each in app.caption)
        assert "not available" in shown(opened(root, doc=doc(app)))
        assert "not available" in shown(opened(root, doc=mine))
        assert "keeps no documents" in shown(open_page(root, "library", {}))
    assert [each.name for each in library().own()] == ["mine.md"]


def test_choices_are_there_again_without_those_that_a_link_names(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = upload(opened(root), "tea.md", TEA)
    calm(app.selectbox(key="language").set_value("de").run())
    calm(app.selectbox(key="encoder").set_value("char-ngrams").run())
    calm(app.slider(key=key(app, "alpha")).set_value(0.9).run())
    choices._writer().write()
    entry = library().find(doc(app))
    assert (entry.choices.language, entry.choices.encoder) == ("de", "char-ngrams")
    assert entry.choices.strategy == "structural:alpha=0.9"
    restarted()
    again = opened(root, doc=doc(app))
    assert again.selectbox(key="language").value == "de"
    assert again.selectbox(key="encoder").value == "char-ngrams"
    assert again.slider(key=key(again, "alpha")).value == 0.9
    named = opened(root, doc=doc(app), alpha="0.2", encoder="static")
    assert named.slider(key=key(named, "alpha")).value == 0.2
    assert named.selectbox(key="encoder").value == "static"
    other = opened(root)
    calm(other.selectbox(key="doc").set_value(doc(app)).run())
    assert other.selectbox(key="language").value == "de"
    assert other.slider(key=key(other, "alpha")).value == 0.9


def test_a_link_shows_the_setting_that_it_was_made_with_whatever_was_chosen_since(root: Path) -> None:
    app = upload(opened(root), "tea.md", TEA)
    calm(app.run())
    link = {name: value if isinstance(value, str) else value[-1] for name, value in app.query_params.items()}
    calm(app.selectbox(key="language").set_value("de").run())
    calm(app.selectbox(key="encoder").set_value("char-ngrams").run())
    calm(app.slider(key=key(app, "alpha")).set_value(0.9).run())
    choices._writer().write()
    assert library().find(doc(app)).choices.strategy == "structural:alpha=0.9"
    restarted()
    again = opened(root, **link)
    assert again.slider(key=key(again, "alpha")).value == 0.5
    assert (again.selectbox(key="language").value, again.selectbox(key="encoder").value) == ("Detected", "auto")


def test_what_was_chosen_before_a_document_was_opened_is_not_stored_for_it(root: Path) -> None:
    app = upload(opened(root, alpha="0.9"), "tea.md", TEA)
    calm(app.run())
    choices._writer().write()
    assert library().find(doc(app)).choices.as_json() == "{}"


def test_a_deleted_document_closes_in_every_session(root: Path) -> None:
    app = upload(opened(root), "tea.md", TEA)
    other = opened(root, doc=doc(app))
    library().delete(library().find(doc(app)).id)
    for each in (app, other):
        calm(each.run())
        assert "“tea.md” is not in the library any more" in shown(each)
        assert doc(each) == "community-garden-faq" and not documents_of(each)
        assert "tea.md" not in " ".join(each.selectbox(key="doc").options)


def test_a_renamed_document_stays_open_under_its_new_name(root: Path) -> None:
    app = upload(opened(root), "tea.md", TEA)
    library().rename(library().find(doc(app)), "kettle.md")
    calm(app.run())
    assert doc(app).startswith("kettle.md (") and "6</b><span>sentences" in figures(app)


def test_a_damaged_file_is_told_and_the_first_sample_opens(root: Path) -> None:
    app = upload(opened(root), "tea.md", TEA)
    entry = library().find(doc(app))
    Path(library().storage.files._location(entry.content)).write_bytes(b"spoiled")
    restarted()
    again = opened(root, doc=doc(app))
    assert "is damaged" in shown(again)
    assert doc(again) == "community-garden-faq"


def test_other_people_get_the_answer_for_a_document_that_does_not_exist(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "current", lambda: ANN)
    app = upload(opened(root), "tea.md", TEA)
    mine = Library(open_storage(), ANN)
    monkeypatch.setattr(identity, "current", lambda: BOB)
    stranger, nothing = opened(root, doc=doc(app)), opened(root, doc="tea.md (0123456789)")
    assert shown(stranger) == shown(nothing) and "not available" in shown(stranger)
    assert stranger.selectbox(key="doc").options == nothing.selectbox(key="doc").options
    link = mine.share(mine.find(doc(app)), "public").link
    public = opened(root, doc=f"public:{link}")
    assert public.selectbox(key="doc").options[0] == "tea.md · public"
    assert "6</b><span>sentences" in figures(public)
    calm(public.slider(key=key(public, "alpha")).set_value(0.9).run())
    choices._writer().write()
    assert mine.find(doc(app)).choices.as_json() == "{}", "others only read it"
    mine.share(mine.find(doc(app)), "private")
    calm(public.run())
    assert "is not in the library any more" in shown(public) and not documents_of(public)


def test_the_session_asks_the_library_seldom(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = upload(opened(root), "tea.md", TEA)
    monkeypatch.setattr(library_documents, "_SECONDS", 60.0)
    calm(app.run())
    writer = choices.ChoiceWriter(3600)
    monkeypatch.setattr(choices, "_writer", lambda: writer)
    asked: list[object] = []
    engine = session_library._storage(address(), files_place()).database.engine
    event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given))
    calm(app.slider(key=key(app, "percentile")).set_value(80).run())
    calm(app.run())
    assert "6</b><span>sentences" in figures(app) and not asked
    stored_soon = writer.waiting(library().find(doc(app)))
    assert stored_soon is not None and stored_soon.strategy.startswith("structural:percentile=80")


def test_a_server_without_documents_makes_no_database(root: Path, tmp_path: Path) -> None:
    opened(root)
    assert not (tmp_path / "own" / "reviews.sqlite").exists()


def test_the_writer_stores_the_latest_choices_whatever_happens_meanwhile(root: Path) -> None:
    from chunking.store import DocumentSettings
    from tests.store.places import new

    shelf, writer = library(), choices.ChoiceWriter(3600)
    entry = shelf.add(new())
    writer.put(shelf, entry, DocumentSettings(encoder="static"))
    writer.put(shelf, entry, DocumentSettings(encoder="char-ngrams"))
    assert writer.waiting(entry) == DocumentSettings(encoder="char-ngrams")
    shelf.rename(entry, "other.md")
    writer.write()
    assert shelf.get(entry.id).choices == DocumentSettings(encoder="char-ngrams")
    assert writer.waiting(entry) is None
    writer.put(shelf, entry, DocumentSettings(encoder="static"))
    shelf.delete(entry.id)
    writer.write()
    assert writer.waiting(entry) is None


# ---- what belongs to a document


def test_own_chunks_and_reference_come_back_and_go_when_they_are_removed(root: Path) -> None:
    app = upload(opened(root), "tea.md", TEA)
    half = TEA.index(b"# Bread")
    compare = open_page(root, "compare", {"doc": doc(app), "lanes": "section", "show": "Requested vs. actual"})
    give(compare, "_own_chunks", "mine.json", json.dumps([TEA[:half].decode(), TEA[half:].decode()]).encode())
    give(compare, "_own_gold", "gold.json", json.dumps([half]).encode())
    again = open_page(root, "compare", {"doc": doc(app), "lanes": "section", "show": "Requested vs. actual"})
    assert "2 · yours: mine.json" in shown(again)
    assert [each.complete_boundaries for each in again.session_state["_own_gold_offsets"].values()] == [(half,)]
    give(again, "_own_gold", "other.json", json.dumps([half, half + 9]).encode())
    entry = library().find(doc(app))
    assert [(each.kind, each.name) for each in entry.attachments] == [
        ("chunks", "mine.json"),
        ("reference", "other.json"),
    ]
    calm(again.button(key="_remove_gold").click().run())
    calm(again.button(key="_remove_own_mine.json").click().run())
    assert library().find(doc(app)).attachments == ()


def test_questions_come_back(root: Path) -> None:
    app = upload(opened(root), "tea.md", TEA)
    place = {"doc": doc(app), "measured": "Retrieval", "questions": question_sets.YOURS, "lanes": "paragraph"}
    row = {"_id": "1", "text": "How long?", "doc_id": "tea.md", "spans": [[23, 36]]}
    asked = open_page(root, "evaluate", place)
    give(asked, "_retrieval_upload", "questions.jsonl", json.dumps(row).encode())
    again = open_page(root, "evaluate", place)
    assert "How long?" in shown(again)
    calm(again.button(key="_own_remove_1").click().run())
    assert "How long?" not in shown(open_page(root, "evaluate", place))


def test_half_typed_text_is_there_after_a_reload_until_it_is_sent(root: Path) -> None:
    app = opened(root)
    calm(app.text_area(key="_pasted").set_value("Half a thought.").run())
    again = opened(root)
    assert again.text_area(key="_pasted").value == "Half a thought."
    calm(again.button(key="_open_pasted").click().run())
    assert not opened(root).text_area(key="_pasted").value
    calm(again.text_area(key="_pasted").set_value("A secret.").run())
    keep_nothing(again)
    assert not opened(root).text_area(key="_pasted").value, "what is not to be kept is in no draft"


def test_a_deletion_takes_the_saved_results_and_what_the_server_has_in_memory(root: Path) -> None:
    app = upload(opened(root), "tea.md", TEA)
    calm(app.run())
    entry = library().find(doc(app))
    assert any(each.document.text_hash == entry.text_hash for each in workspace_cache()._kept.values())
    ResultStore().write("made-of-it", {}, {}, [entry.text_hash])
    run = runs().start("evaluation", "made-of-it", "Evaluating", lambda tell: None, [entry.text_hash])
    assert run.wait(20)
    server = Library(session_library._storage(address(), files_place()))
    server.delete(entry.id)
    assert not any(each.document.text_hash == entry.text_hash for each in workspace_cache()._kept.values())
    assert runs().get("made-of-it") is None
    assert ResultStore().read("made-of-it") is None


def test_what_a_running_script_stores_of_a_deleted_text_goes_a_while_later(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Library(session_library._storage(address(), files_place()))
    entries = []
    for name, content in (("tea.md", TEA), ("bread.md", b"# Bread\n\nKnead the dough. Bake it.\n")):
        entries.append(library().find(doc(upload(opened(root), name, content))))
    for entry in entries:
        server.delete(entry.id)
    back = doc(upload(opened(root), "tea.md", TEA))
    store = ResultStore()
    for entry in entries:
        store.write(entry.text_hash, {}, {}, [entry.text_hash])
    session_library.forget_again()
    assert all(store.read(entry.text_hash) is not None for entry in entries), "what runs may still store more"
    monkeypatch.setattr(forgetting, "_ENDED_SECONDS", 0.0)
    session_library.forget_again()
    assert store.read(entries[1].text_hash) is None
    assert store.read(entries[0].text_hash) is not None, "somebody has added that text again"
    server.delete(library().find(back).id)


def test_the_collection_offers_to_open_the_latest_documents(root: Path) -> None:
    app = upload(opened(root), "tea.md", TEA)
    upload(app, "bread.md", b"# Bread\n\nKnead the dough. Bake it.\n")
    again = open_page(root, "collection", {})
    calm(again.button(key="_open_latest").click().run())
    assert sorted(each.document.name for each in documents_of(again)) == ["bread.md", "tea.md"]
    assert "2</b><span>documents" in figures(again)
    assert "_open_latest" not in [each.key for each in again.button]


@pytest.mark.parametrize("transient", [True, False])
def test_an_evaluation_of_a_document_that_is_not_to_be_kept_is_in_memory_alone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transient: bool
) -> None:
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "cache"))
    restarted()
    place = {"measured": "Retrieval", "questions": question_sets.YOURS, "lanes": "paragraph", "search": "dense"}
    app = open_page(root, "evaluate", place | {"encoder": "char-ngrams"})
    if transient:
        keep_nothing(app)
    app = upload(app, "tea.md", TEA)
    row = {"_id": "1", "text": "How long?", "doc_id": "tea.md", "spans": [[23, 36]]}
    give(app, "_retrieval_upload", "questions.jsonl", json.dumps(row).encode())
    app = test_retrieval.waited(calm(next(each for each in app.button if "Evaluate 1" in each.label).click().run()))
    assert "of an answer on average" in test_retrieval.shown(app)
    saved = list(ResultStore().folder.glob("*.json")) if ResultStore().folder.exists() else []
    assert len(saved) == (not transient) and bool(len(default_cache())) == (not transient)


def test_an_evaluation_that_ran_when_the_server_ended_begins_again_and_one_that_failed_does_not(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "cache"))
    restarted()
    may_run = threading.Event()

    def wait(*_: object) -> None:
        assert may_run.wait(60)
        raise RuntimeError

    place = {"measured": "Retrieval", "questions": question_sets.YOURS, "lanes": "paragraph", "search": "dense"}
    place |= {"encoder": "char-ngrams", "doc": doc(upload(opened(root), "tea.md", TEA))}
    row = {"_id": "1", "text": "How long?", "doc_id": "tea.md", "spans": [[23, 36]]}
    app = open_page(root, "evaluate", place)
    give(app, "_retrieval_upload", "questions.jsonl", json.dumps(row).encode())
    with monkeypatch.context() as patch:
        patch.setattr(InterruptedRuns, "drop", lambda notes, key: None)  # as if the process were killed
        patch.setattr(tasks, "evaluate_settings", wait)
        button = next(each for each in app.button if "Evaluate 1" in each.label)
        calm(button.click().run())
        (run,) = (each for each in runs()._jobs.values() if each.kind == "evaluation" and each.live)
        may_run.set()
        assert run.wait(60)
    restarted()
    app = test_retrieval.waited(open_page(root, "evaluate", place))
    assert "of an answer on average" in test_retrieval.shown(app)

    place |= {"lanes": "sentence"}
    app = open_page(root, "evaluate", place)
    may_run.clear()
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "evaluate_settings", wait)
        calm(next(each for each in app.button if "Evaluate 1" in each.label).click().run())
        (run,) = (each for each in runs()._jobs.values() if each.kind == "evaluation" and each.live)
        may_run.set()
        assert run.wait(60)
    calm(app.run())
    restarted()
    assert any("Evaluate 1" in each.label for each in open_page(root, "evaluate", place).button)


@pytest.mark.parametrize("kept", [True, False])
def test_a_document_that_was_in_a_session_alone_goes_from_the_memory_of_the_server_with_it(
    root: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    app = opened(root)
    if not kept:
        keep_nothing(app)
    # No other test has opened this text in a session alone, after which the server would forget it here as well.
    upload(app, "tea.md", TEA + b"\n# Kept or not\n\n%d\n" % kept)
    (own,) = app.session_state["_own_documents"].values()
    text_hash = own.document.text_hash

    def shelved() -> bool:
        return any(each.document.text_hash == text_hash for each in workspace_cache()._kept.values())

    session_documents.forget_left()
    assert shelved() is kept, "AppTest has no sessions that a server knows"
    calm(app.run())
    monkeypatch.setattr(state.SessionValue, "everywhere", lambda slot: [app.session_state[slot.key]])
    session_documents.forget_left()
    assert shelved(), "the session has it open"
