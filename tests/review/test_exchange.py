"""Reviews out to a file and in again."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, evaluation, from_text
from chunking.alignment.relocation import anchor
from chunking.document import Document
from chunking.reference import files as reference_files
from chunking.reference import lines, reference_gaps
from chunking.reference.events import Action, Event
from chunking.reference.state import decisions, reviews
from chunking.review import exchange
from chunking.review.exchange import ExistingReviews, Imported, import_reviews
from chunking.review.reviewed import resolve
from chunking.sentences import gap_offsets, split

TEXT = (
    "Trains run on rails. Rails are made of steel.\n\nBridges cross rivers. Some of them are old.\n\n"
    "Ships need deep water. A harbour is dredged.\n\nPlanes need long runways. They are built far away.\n"
)
DOCUMENT = from_text(TEXT, format="text", language="en", name="travel.txt")
SENTENCES = split(DOCUMENT)
AXIS = (SENTENCES, gap_offsets(SENTENCES))
BRIDGES, SHIPS, PLANES = (TEXT.index(word) for word in ("Bridges", "Ships", "Planes"))
_numbers = count()


def event(action: Action, offset: int, reviewer: str = "Ada", **rest: Any) -> Event:
    target = rest.get("target")
    around = anchor(TEXT, offset if target is None else target)
    token = f"t{next(_numbers)}"
    return Event(token, DOCUMENT.text_hash, reviewer, action, offset, before=around.before, after=around.after, **rest)


EVENTS = [
    event("accept", BRIDGES, proposed="percentile", note="new topic"),
    event("move", BRIDGES + 22, target=SHIPS, proposed="percentile"),
    event("note", 7, note="nice"),
    event("reject", BRIDGES, "Bob", blind=True),
    event("add", PLANES, "Bob"),
    event("skip", SHIPS, "Bob"),
    event("accept", BRIDGES, "Bob", decides=True),
]


def known(events: list[Event]) -> ExistingReviews:
    return ExistingReviews(reviews(events), decisions(events))


def export(events: list[Event], with_text: bool = True) -> str:
    said = known(events)
    return lines.dump(
        [
            exchange.export_reviews(
                resolve(said.reviews, said.decisions, AXIS),
                said.reviews,
                said.decisions,
                DOCUMENT if with_text else None,
                AXIS if with_text else None,
                "travel.txt",
            )
        ]
    )


def state(events: list[Event]) -> object:
    said = known(events)
    return (
        {name: (own.votes, own.skipped, own.notes) for name, own in said.reviews.items()},
        {offset: each.verdict for offset, each in said.decisions.items()},
        resolve(said.reviews, said.decisions, AXIS).boundaries,
    )


def take(written: str | bytes, document: Document = DOCUMENT, said: ExistingReviews | None = None) -> Imported:
    data = written if isinstance(written, bytes) else written.encode()
    return import_reviews(data, "gold.jsonl", document, "Bob", said)


@pytest.mark.parametrize("with_text", [True, False])
def test_what_goes_out_comes_in(with_text: bool) -> None:
    found = take(export(EVENTS, with_text))
    assert state([*found.events]) == state(EVENTS)
    assert (found.notes, found.lost) == ((), ())
    assert {each.action for each in found.events} >= {"accept", "move", "note", "reject", "add", "skip"}
    assert [each.offset for each in found.events if each.decides] == [BRIDGES]


def test_what_is_taken_in_twice_changes_nothing() -> None:
    written = export(EVENTS)
    assert take(written).events == take(written).events
    events = [*take(written).events]
    again = take(written, said=known(events))
    assert again.events == ()
    assert "judged the place already" in again.notes[0]


def test_what_a_reviewer_has_said_since_is_not_overwritten() -> None:
    later = [*EVENTS, event("reject", BRIDGES, "Ada"), event("accept", SHIPS, "Bob")]
    found = take(export(EVENTS), said=known(later))
    assert state([*later, *found.events]) == state(later)


def test_both_commands_read_what_goes_out() -> None:
    written = export([*EVENTS, event("accept", SHIPS, "Bob"), event("complete", 0)]).encode()
    true = (BRIDGES, SHIPS, PLANES)
    read = reference_files.read(written, "gold.jsonl", DOCUMENT)
    assert (read.boundaries, read.complete, read.reviewers) == (true, True, ("Ada", "Bob"))
    [document] = evaluation.read(written, "gold.jsonl").documents
    assert document.units == SENTENCES.texts
    assert document.reference.tolist() == reference_gaps(true, AXIS[1], SENTENCES).tolist()


def test_reviews_of_only_some_places_go_out_as_such() -> None:
    written = export(EVENTS).encode()
    read = reference_files.read(written, "gold.jsonl", DOCUMENT)
    assert not read.complete
    assert (read.boundaries, read.rejected) == ((BRIDGES, SHIPS, PLANES), (BRIDGES + 22,))
    with pytest.raises(ChunkscopeError, match="only some places"):
        evaluation.read(written, "gold.jsonl")


def test_a_declaration_goes_out_and_comes_in_again() -> None:
    events = [*EVENTS, event("complete", 0, "Bob")]
    found = take(export(events))
    assert [each.reviewer for each in found.events if each.action == "complete"] == ["Bob"]
    assert reviews(found.events)["Bob"].complete and not reviews(found.events)["Ada"].complete
    assert take(export(events), said=known(list(found.events))).events == ()


def test_without_the_text_what_was_kept_with_the_judgements_goes_out() -> None:
    [line] = lines.read(export(EVENTS, with_text=False).encode(), "x")
    assert (line.units, line.boundaries, line.name) == (None, None, "travel.txt")
    assert line.before == tuple(anchor(TEXT, each).before for each in line.offsets)


def test_nothing_does_not_go_out() -> None:
    with pytest.raises(ChunkscopeError, match="no review"):
        exchange.export_reviews(resolve({}), {})


@pytest.mark.parametrize("data", [[BRIDGES, SHIPS], {"gold": [SHIPS, BRIDGES, SHIPS]}])
def test_plain_offsets_become_those_of_who_takes_them_in(data: object) -> None:
    found = take(json.dumps(data).encode())
    assert [(each.action, each.reviewer, each.offset) for each in found.events] == [
        ("add", "Bob", BRIDGES),
        ("add", "Bob", SHIPS),
        ("complete", "Bob", 0),
    ]
    assert found.events[0].after.startswith("Bridges")
    assert reviews(found.events)["Bob"].complete
    assert take(json.dumps(data).encode(), said=known([*found.events])).events == ()
    assert len(found.notes) == (2 if isinstance(data, dict) else 0)


def test_a_line_without_reviews_becomes_those_of_who_takes_it_in() -> None:
    row = json.loads(export(EVENTS))
    del row["reviews"], row["decisions"]
    assert [each.offset for each in take(json.dumps(row)).events] == [BRIDGES, SHIPS, PLANES]


def test_what_comes_in_for_a_text_that_has_changed_is_carried_over() -> None:
    text = "A preface of its own.\n\n" + TEXT.replace("Ships need deep water.", "Boats want deep water.")
    document = from_text(text, format="text", language="en")
    found = take(export(EVENTS), document)
    own = reviews(found.events)
    assert own["Ada"].boundaries == (text.index("Bridges"), text.index("Boats"))
    assert own["Bob"].rejected == (text.index("Bridges"),)
    assert {each.document for each in found.events} == {document.text_hash}
    assert "found again" in found.notes[0]
    assert "1 judgement was left out: the place was not found again." in found.notes  # the note without a context


def test_reviews_of_an_older_text_are_carried_over() -> None:
    text = TEXT[:BRIDGES] + TEXT[SHIPS:] + "The end of it.\n"
    document = from_text(text, format="text", language="en")
    found = exchange.relocate_reviews(known(EVENTS), document)
    own = reviews(found.events)
    assert own["Bob"].boundaries == (text.index("Planes"),)
    assert exchange.relocate_reviews(known(EVENTS), document, known([*found.events])).events == ()
    same = exchange.relocate_reviews(known([each for each in EVENTS if each.action not in ("note", "move")]), DOCUMENT)
    assert state([*same.events]) == state([each for each in EVENTS if each.action not in ("note", "move")])


actions = st.lists(
    st.tuples(
        st.sampled_from(["accept", "reject", "skip", "add"]),
        st.integers(1, len(TEXT) - 1),
        st.sampled_from(["Ada", "Bob"]),
    ),
    min_size=1,
    max_size=12,
)


@given(actions)
def test_any_review_goes_out_and_comes_in(plan: list[tuple[Action, int, str]]) -> None:
    events = [event(action, offset, name, proposed="s" * (action == "accept")) for action, offset, name in plan]
    assert state([*take(export(events)).events]) == state(events)
