from __future__ import annotations

from chunking import from_text
from chunking.chunks.edits import edit_at
from chunking.reference.state import review
from chunking.review.by_hand import edits_of, events_of

TEXT = "# Tides\n\nThey turn twice. Watch them.\n\n# Winds\n\nThey turn often. Wait for them.\n"
DOCUMENT = from_text(TEXT, "sea.md", language="en")
WATCH, WINDS, WAIT = (TEXT.index(words) for words in ("Watch", "# Winds", "Wait"))


def test_judgements_become_edits() -> None:
    votes = {WINDS: True, WATCH: False, 0: True, len(TEXT): False}
    assert edits_of(votes, TEXT) == (edit_at(TEXT, "join", WATCH), edit_at(TEXT, "cut", WINDS))


def test_edits_become_the_judgements_that_are_missing() -> None:
    decided = {"cut": [WINDS, WAIT], "join": [WATCH]}
    made = events_of(decided, {WATCH: False}, {WINDS: "heading"}, DOCUMENT, "Ana")  # type: ignore[arg-type]
    assert [(event.action, event.offset, event.proposed) for event in made] == [
        ("accept", WINDS, "heading"),
        ("add", WAIT, ""),
    ]
    assert made[1].after.startswith("Wait for them.") and len({event.token for event in made}) == 2
    assert review(made).votes == {WINDS: True, WAIT: True}


def test_a_changed_mind_is_a_judgement() -> None:
    (event,) = events_of({"cut": [WATCH], "join": []}, {WATCH: False}, {}, DOCUMENT, "Ana")
    assert (event.action, event.offset) == ("add", WATCH)


def test_either_way_and_back_says_the_same() -> None:
    votes = {WATCH: False, WINDS: True, WAIT: True}
    edits = edits_of(votes, TEXT)
    decided = {action: [edit.offset for edit in edits if edit.action == action] for action in ("cut", "join")}
    assert review(events_of(decided, {}, {}, DOCUMENT, "Ana")).votes == votes  # type: ignore[arg-type]
