"""The Review page without a browser: what it stores, and what it makes of what is stored."""

from __future__ import annotations

import html
import json
import re
import shlex
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from chunking import from_text, samples, strategies
from chunking.document import Document
from chunking.reference import NO_REFERENCE
from chunking.reference.events import Action, Event, with_context
from chunking.reference.state import reviews
from chunking.review import candidates
from chunking.store.database.location import address, engine_options
from chunking.store.identity import ROLES, Identity
from chunking.store.reviews import ReviewStore
from chunking.workspace import DocumentAnalysis
from pages.shared import identity
from pages.shared.documents import documents, session_documents
from pages.shared.reference import own_chunks, review_store
from pages.shared.review import context, views
from pages.shared.review.context import ReviewContext
from tests import command_line
from tests.app.pages import calm, give, head_of, open_page, shown, workbench_data

SAMPLE = samples.load("community-garden-faq")
TEXT = SAMPLE.document.text_hash
SETTING = "heading"
"""A strategy that needs no vectors."""


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "reviews.sqlite"
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(path))
    st.cache_resource.clear()
    yield path
    st.cache_resource.clear()


@pytest.fixture
def store(database: Path) -> Iterator[ReviewStore]:
    import sqlalchemy as sa

    url = address()
    engine = sa.create_engine(url, **engine_options(url))
    found = ReviewStore(engine)
    found.prepare()
    yield found
    engine.dispose()


def opened(root: Path, page: str = "review", **address: str) -> AppTest:
    asked = {"judged": SETTING, "reviewer": "Ana"} if page == "review" else {}
    return open_page(root, page, asked | address)


def cuts() -> list[int]:
    workspace = DocumentAnalysis(SAMPLE.document)
    return [chunk.start for chunk in strategies.parse(SETTING).run(workspace).chunks if chunk.start]


def made(reviewer: str, action: Action, offset: int, document: Document = SAMPLE.document, **more: Any) -> Event:
    token = f"{reviewer}-{action}-{offset}-{document.text_hash[:8]}"
    event = Event(token, document.text_hash, reviewer, action, offset, **{"proposed": SETTING} | more)
    return with_context(event, document.text)


def sends(app: AppTest, *events: dict[str, Any]) -> AppTest:
    """What the desk of a browser would send."""
    app.session_state["_desk"] = {"sent": {"document": TEXT, "events": list(events), "attempt": 1}}
    return calm(app.run())


def pressed(token: str, action: str, offset: int, proposal_id: str = "", **more: Any) -> dict[str, Any]:
    return {
        "token": token * 32,
        "document": TEXT,
        "reviewer": "Ana",
        "action": action,
        "offset": offset,
        "proposal_id": proposal_id,
    } | more


def test_nobody_judges_without_a_name(root: Path, database: Path) -> None:
    app = opened(root, reviewer="")
    assert "Precision" not in shown(app)
    assert not database.exists()


def test_nothing_is_judged_yet(root: Path) -> None:
    said = shown(opened(root))
    assert f"None of its {len(cuts())} boundaries is judged yet" in said
    assert "second reviewer" in said


def test_judgements_make_precision_and_gold(root: Path, store: ReviewStore) -> None:
    places = cuts()
    store.append([made("Ana", "accept", offset) for offset in places[:3]] + [made("Ana", "reject", places[3])])
    first = shown(opened(root))
    assert "75 %" in first and "no fair sample" in first and "more judgements" not in first
    said = shown(opened(root, order="random"))
    assert "75 %" in said and "no fair sample" not in said
    assert "3</b><span>correct of</span><b>4</b>" in said
    assert "3</b><span>boundaries" in said and "1</b><span>non-boundary" in said
    assert "more judgements for ± 5 points" in said


def test_names_and_notes_are_no_markup(root: Path, store: ReviewStore) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    store.append([made(hostile, "accept", offset) for offset in cuts()[:3]] + [made("Ana", "accept", cuts()[0])])
    said = shown(opened(root))
    assert "&lt;img src=x" in said and "<img" not in said


def test_two_reviewers_agree_beyond_chance(root: Path, store: ReviewStore) -> None:
    places = cuts()
    store.append([made(name, "complete", 0) for name in ("Ana", "Ben")])
    store.append([made("Ana", "accept", offset) for offset in places])
    store.append(
        [made("Ben", "reject" if place in (1, 4) else "accept", offset) for place, offset in enumerate(places)]
    )
    said = shown(opened(root))
    assert f"{len(places) - 2} of {len(places)}" in said
    assert "the ceiling of any strategy" in said
    blind = shown(opened(root, blind="true"))
    assert "Hidden in a blind review" in blind and "ceiling" not in blind


def test_a_blind_review_sends_nothing_of_the_strategy(root: Path, store: ReviewStore) -> None:
    def sent(**address: str) -> bytes:
        app = opened(root, judged="structural", **address)
        elements = (each for kind in ("bidi_component", "html", "text", "caption") for each in app.get(kind))
        return b"".join(each.proto.SerializeToString() for each in elements)

    blind, told = sent(blind="true"), (b" > 0.", b"by structure", b"by meaning", b"by both")
    assert b'"proposal_id":"c3RydWN0dXJhbA=="' in blind and b"structural" not in blind.split(b"proposal_id")[1][:200]
    assert all(words not in blind for words in told)
    assert any(words in sent() for words in told)


def test_what_is_sent_twice_is_stored_once(root: Path, store: ReviewStore) -> None:
    app = opened(root)
    first, second = cuts()[:2]
    sends(app, pressed("a", "accept", first), pressed("b", "reject", second))
    sends(app, pressed("a", "accept", first), pressed("b", "reject", second), pressed("c", "undo", 0, undoes="b" * 32))
    events = store.events(TEXT)
    assert [event.action for event in events] == ["accept", "reject", "undo"]
    assert "1</b><span>boundary<" in shown(app) and "0</b><span>non-boundaries" in shown(app)
    text = SAMPLE.document.text
    assert text[first : first + 80] == events[0].after and text[first - 80 : first] == events[0].before


def test_the_server_says_what_was_proposed(root: Path, store: ReviewStore) -> None:
    import base64

    proposal_id = base64.urlsafe_b64encode(SETTING.encode()).decode()
    app = opened(root)
    cut = cuts()[0]
    sends(
        app,
        pressed("a", "accept", cut, proposal_id),
        pressed("b", "add", cut + 3, proposal_id),
        pressed("c", "accept", cut, base64.urlsafe_b64encode(b"whole").decode()),
        pressed("d", "accept", cut, "no setting"),
        pressed("e", "note", cut, proposal_id, note="why"),
    )
    assert [event.proposed for event in store.events(TEXT)] == [SETTING, "", "", "", ""]


def test_a_database_that_does_not_answer_stops_nothing(root: Path, store: ReviewStore, database: Path) -> None:
    app = opened(root)
    with sqlite3.connect(database, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        sends(app, pressed("a", "accept", cuts()[0]))
        other.execute("ROLLBACK")
    other.close()
    assert store.events(TEXT) == []
    assert "None of its" in shown(app)
    app.session_state["_reviews_down"] = (0.0, None)  # the time for which it is left alone is over
    calm(app.run())  # what the browser still holds comes again
    assert [event.action for event in store.events(TEXT)] == ["accept"]
    database.unlink()
    calm(app.run())
    assert "1</b><span>boundary<" in shown(calm(app.run()))


def test_an_address_that_cannot_be_read_is_told_on_the_desk_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", "mysql://user@host/data")
    app = opened(root)
    assert "None of its" in shown(app)
    assert review_store.reference(SAMPLE.document) == NO_REFERENCE


def test_complete_reviews_are_the_reference_of_a_document_without_another_unless_it_is_chosen(
    root: Path, store: ReviewStore
) -> None:
    places = cuts()
    store.append([*(made("Ana", "accept", offset) for offset in places[:2]), made("Ana", "complete", 0)])
    review_store.look_again()
    bare = replace(_sample(), boundaries=())
    assert own_chunks.reference_of(bare).complete_boundaries == tuple(places[:2])
    assert own_chunks.reference_of(_sample()).complete_boundaries == SAMPLE.boundaries
    app = opened(root)
    (toggle,) = [each for each in app.toggle if each.key == f"_gold_of_reviews_{TEXT[:12]}"]
    assert not toggle.value
    toggle.set_value(True)
    calm(app.run())
    assert app.session_state["_reviews_count"] == {SAMPLE.document.text_hash: True}


def test_a_partial_review_is_the_default_of_its_own_reviewer_alone(root: Path, store: ReviewStore) -> None:
    store.append([made("Ana", "accept", cuts()[0])])
    review_store.look_again()
    bare = replace(_sample(), boundaries=())
    assert own_chunks.reference_of(bare) == NO_REFERENCE, "a stranger is given none of it"
    review_store.sit_down("Ana")
    found = own_chunks.reference_of(bare)
    assert found.partial and found.complete_boundaries == () and found.judgements == 1


OWN = from_text(
    "# Tea\n\nWater is heated first. The leaves wait in the pot.\n\n# Ships\n\nA hull is painted in spring. The mast "
    "follows.\n\n# Rain\n\nClouds rise over the coast. A gutter fills.\n",
    name="mine.md",
    language="en",
)


def own_opened(root: Path, page: str, reviewer: str = "", **address: str) -> AppTest:
    """Open a page on a document of one's own, which has no reference but its reviews."""
    name = f"{OWN.name} ({OWN.key[:6]})"
    state: dict[str, Any] = {"_own_documents": {name: session_documents.of_user(OWN)}}
    if reviewer:
        state["_reviewers_of_session"] = {reviewer}
    return open_page(root, page, {"doc": name, "encoder": "char-ngrams", **address}, state)


@pytest.fixture
def judged_in_part(store: ReviewStore) -> list[int]:
    """One of the document's headings is accepted and one place rejected, by Ana."""
    ships, mast = OWN.text.index("# Ships"), OWN.text.index("The mast")
    store.register(OWN)
    store.append([made("Ana", "accept", ships, OWN), made("Ana", "reject", mast, OWN)])
    review_store.look_again()
    return [ships, mast]


PARTIAL = "Partial reference: 2 judgements by Ana."


@pytest.mark.parametrize("page", ["inspect", "tune", "compare", "collection"])
def test_a_partial_review_reaches_no_stranger(root: Path, judged_in_part: list[int], page: str) -> None:
    app = own_opened(root, page)
    assert "Partial reference" not in shown(app)
    assert not [button for button in app.button if button.key == "_use_best"]
    assert "mean boundary F1" not in shown(app)


@pytest.mark.parametrize("page", ["inspect", "tune", "compare"])
def test_a_partial_review_counts_where_it_judged_and_says_on_how_many_judgements(
    root: Path, judged_in_part: list[int], page: str
) -> None:
    app = own_opened(root, page, "Ana")
    assert PARTIAL in shown(app)
    assert "judged cuts" in shown(app) or "is judged" in shown(app)
    assert not [button for button in app.button if button.key == "_use_best"], "no best setting from a part"


def test_a_partial_review_gives_no_f1_in_a_collection(root: Path, judged_in_part: list[int]) -> None:
    app = own_opened(root, "collection", "Ana")
    assert "mean boundary F1" not in shown(app)


def test_evaluate_leaves_out_what_is_judged_in_part_and_says_so(root: Path, judged_in_part: list[int]) -> None:
    app = own_opened(root, "evaluate", "Ana", set="Your documents with gold")
    assert "only some of their places are judged: mine" in shown(app)


def test_marked_as_complete_it_is_the_reference_of_everybody(
    root: Path, store: ReviewStore, judged_in_part: list[int]
) -> None:
    store.append([made("Ana", "complete", 0, OWN)])
    review_store.look_again()
    app = own_opened(root, "tune")
    state = head_of(app, "chunkscope_tuner")
    assert state["judge"] == "people" and workbench_data(app, state["choice"])["cuts"] > 0
    assert "mean boundary F1" in shown(own_opened(root, "collection"))


def _sample() -> Any:
    return documents.get("community-garden-faq")


def test_a_page_that_only_asks_for_gold_makes_no_database(root: Path, database: Path) -> None:
    opened(root, "inspect")
    assert not database.exists()


def test_gold_comes_in_from_a_file(root: Path, store: ReviewStore) -> None:
    app = opened(root)
    offsets = cuts()[:4]
    give(app, "_review_file", "mine.json", json.dumps(offsets).encode())
    assert "4 judgements imported" in shown(app)
    events = store.events(TEXT)
    assert sorted(event.offset for event in events if event.action == "add") == offsets
    assert reviews(events)["Ana"].complete, "the file names all boundaries"
    assert {event.reviewer for event in store.events(TEXT)} == {"Ana"}
    give(app, "_review_file", "wrong.json", json.dumps([10**9]).encode())
    assert "outside" in shown(app)
    assert len(store.events(TEXT)) == 5


def test_reviews_of_an_older_text_are_offered_and_carried_over(root: Path, store: ReviewStore) -> None:
    text = SAMPLE.document.text
    older = Document("A line that is gone now.\n\n" + text, (), SAMPLE.document.name, "markdown", "en")
    shift = len(older.text) - len(text)
    store.register(older)
    kept = [offset + shift for offset in cuts()[:3]]
    store.append([made("Ben", "accept", offset, older) for offset in kept])
    store.append([made("Ben", "reject", 26, older, before="", after="")])
    app = opened(root)
    assert "Another text of this name was reviewed" in shown(app)
    calm(app.button(key=f"_carry_{older.text_hash}").click().run())
    events = store.events(TEXT)
    assert {event.offset for event in events if event.action == "accept"} == set(cuts()[:3])
    assert {event.reviewer for event in events} == {"Ben"}
    assert "Another text of this name was reviewed" not in shown(calm(app.run()))


def test_a_document_that_is_gone_after_a_reload_leaves_the_desk_empty(root: Path, store: ReviewStore) -> None:
    app = opened(root, doc="mine.md (abc123)")
    assert "is not open in this session" in shown(app)
    sends(app, pressed("a", "accept", cuts()[0]))
    assert store.events(TEXT) == [], "the judgement was meant for another document"
    assert "is not open in this session" in shown(app)
    calm(app.button(key="_review_instead").click().run())
    assert "Precision" in shown(app)
    assert [event.action for event in store.events(TEXT)] == ["accept"]


def test_a_document_that_is_chosen_instead_of_one_that_is_gone_is_reviewed(root: Path) -> None:
    app = opened(root, doc="mine.md (abc123)")
    calm(app.selectbox(key="doc").set_value("urban-heat-article").run())
    assert "Precision" in shown(app)


def test_disagreements_on_places_that_are_not_judged_are_marked_so(root: Path) -> None:
    first, second = cuts()[:2]
    workspace = DocumentAnalysis(SAMPLE.document)
    setting = strategies.parse(SETTING)
    both = [
        event for place in (first, second) for event in (made("Ben", "accept", place), made("Cid", "reject", place))
    ]
    events = (*both, made("Ana", "skip", second))
    seen = ReviewContext(workspace, events, setting, setting.run(workspace), (), "text", False, "Ana")
    assert {each["offset"]: each["judged"] for each in views.disputes(seen)} == {first: False, second: True}


def test_a_finished_review_leads_to_a_document_that_is_not_begun(root: Path, store: ReviewStore) -> None:
    store.append([made("Ana", "accept", offset) for offset in cuts()])
    names = [name for name in documents.names() if name != documents.FIRST]
    begun = documents.get(names[0]).document
    store.register(begun)
    store.append([made("Ana", "accept", 5, begun)])
    app = opened(root)
    assert app.selectbox(key="doc").value == documents.FIRST
    app.session_state["_review_next"] = True
    calm(app.run())
    assert app.selectbox(key="doc").value == names[1]
    assert "Precision" in shown(app)


def test_the_address_names_strategy_order_and_place(root: Path) -> None:
    app = opened(root, judged="paragraph", order="random", at=f"{cuts()[0]}@{SAMPLE.document.key[:4]}")
    assert app.selectbox(key="judged").value == "paragraph"
    assert app.selectbox(key="order").value == "random"
    assert "Precision</span> of" in shown(app)
    wrong = opened(root, judged="no_such:thing=1")
    assert "no_such" in shown(wrong)


def test_the_report_is_that_of_its_own_command(
    root: Path, store: ReviewStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made_of: dict[str, Callable[[], str]] = {}
    monkeypatch.setattr("streamlit.download_button", lambda label, make, *_, **__: made_of.update({label: make}))
    places = cuts()
    store.append([made("Ana", "accept", offset) for offset in places])
    store.append([made("Ben", "reject" if offset == places[2] else "accept", offset) for offset in places[:9]])
    app = opened(root)
    app.session_state["_review_report"] = True
    calm(app.run())
    page = made_of["Report, HTML"]()
    line = html.unescape(re.findall("<pre>(.*?)</pre>", page, re.DOTALL)[-1])
    assert "evaluate review" in line and f"--strategies {SETTING} " in line and "Ben" in page
    (tmp_path / "sample_docs").mkdir()
    (tmp_path / "sample_docs" / SAMPLE.document.name).write_text(SAMPLE.document.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line)[3:]
    Path(words[words.index("--reviews") + 1]).write_text(made_of["Reference, JSONL"](), encoding="utf-8")
    assert command_line.run(capsys, *words)[0] == 0
    again = Path("review.html").read_text(encoding="utf-8")
    assert without_line(again) == without_line(page)
    app.toggle(key="_review_report_names").set_value(False)
    calm(app.run())
    assert "Ben" not in made_of["Report, HTML"]()


def without_line(page: str) -> str:
    """A report without the command that made it."""
    return re.sub("<pre>.*?</pre>", "", page, flags=re.DOTALL)


def test_a_download_gives_away_no_more_than_the_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = DocumentAnalysis(SAMPLE.document)
    setting = strategies.parse(SETTING)
    segmentation = setting.run(workspace)
    judged = candidates.candidates(candidates.proposals(segmentation), workspace.offsets, SETTING, "text", True, 0)
    own = [made("Ana", "accept", each.offset) for each in judged]
    others = [made("Ben", "reject", each.offset, note="Ben's own words.") for each in judged]

    def downloaded(events: list[Event], blind: bool = True) -> set[str]:
        seen = ReviewContext(
            workspace, tuple(events), setting, segmentation, tuple(judged), order="text", blind=blind, reviewer="Ana"
        )
        return set(context.visible(seen).reviews)

    assert downloaded([*others, *own[:-1]]) == {"Ana"}
    assert downloaded([*others, *own]) == {"Ana", "Ben"}
    assert downloaded(others, blind=False) == {"Ben"}, "one's own machine"
    monkeypatch.setattr(identity, "current", lambda: Identity("idp|ana", "Ana", roles=frozenset(ROLES)))
    signed = [replace(each, subject="idp|ana") for each in own]
    assert downloaded([*others, *signed[:-1]], blind=False) == {"Ana", "Ben"}
    assert downloaded(others, blind=False) == set(), "before she has judged anything"
