from __future__ import annotations

from dataclasses import replace

import pytest

from chunking import ChunkscopeError
from chunking.store import Library, NotFoundError, StaleError
from chunking.store import sets as of_sets
from chunking.store.sets import DocumentSets, Drafts
from tests.store.places import Place, new


def test_a_set_keeps_its_documents_in_order(library: Library) -> None:
    ids = [library.add(new(f"Text {each}.", f"{each}.md")).id for each in range(4)]
    sets = DocumentSets(library)
    made = sets.create("Tea", [ids[2], ids[0], ids[2]])
    assert made.documents == (ids[2], ids[0])
    assert sets.get(made.id) == made
    turned = sets.save(replace(made, documents=(ids[0], ids[3], ids[2])))
    assert turned.documents == (ids[0], ids[3], ids[2])
    assert sets.save(replace(made, documents=turned.documents)) == turned, "the same change sent again"
    with pytest.raises(StaleError, match="set of documents"):
        sets.save(replace(made, name="Coffee"))
    library.delete(ids[3])
    assert sets.get(made.id).documents == (ids[0], ids[2])
    assert [each.name for each in sets.list()] == ["Tea"]
    sets.delete(made.id)
    sets.delete(made.id)
    assert sets.list() == []
    assert library.list().total == 3


def test_a_set_has_a_name_of_its_own_and_documents_that_are_there(library: Library) -> None:
    sets = DocumentSets(library)
    made, other = sets.create("Tea"), sets.create("Water")
    with pytest.raises(ChunkscopeError, match="There is a set of this name"):
        sets.create("Tea")
    with pytest.raises(ChunkscopeError, match="There is a set of this name"):
        sets.save(replace(other, name="Tea"))
    assert sets.save(replace(made, name="Tea")).name == "Tea"
    with pytest.raises(NotFoundError):
        sets.save(replace(other, documents=("nowhere",)))
    with pytest.raises(ChunkscopeError, match="empty"):
        sets.create(" ")
    for id in ("", "nowhere", "%"):
        with pytest.raises(NotFoundError, match="set of documents"):
            sets.get(id)
    assert [each.documents for each in sets.list()] == [(), ()]


def test_drafts_are_kept_until_they_are_emptied(library: Library, place: Place) -> None:
    drafts = Drafts(library)
    drafts.put("question", "Where is")
    drafts.put("note", "half \0\ud800 typed")
    assert Drafts(place.library()).all() == {"question": "Where is", "note": "half \0\ud800 typed"}
    drafts.put("question", "Where is the tea?")
    assert drafts.get("question") == "Where is the tea?"
    drafts.put("question", "")
    assert drafts.all() == {"note": "half \0\ud800 typed"}
    for key, text in (("", "x"), ("k" * 201, "x"), ("k", "x" * (of_sets.DRAFT_CHARACTERS + 1))):
        with pytest.raises(ChunkscopeError, match="too long"):
            drafts.put(key, text)


def test_the_latest_draft_stays_whatever_the_clock_says(
    library: Library, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_sets, "MOST_DRAFTS", 3)
    drafts = Drafts(library)
    for number in range(5):
        drafts.put(str(number), "text")
        place.clock.move(minutes=1)
    assert set(drafts.all()) == {"2", "3", "4"}
    place.clock.move(days=-9)
    drafts.put("now", "text")
    assert "now" in drafts.all()
