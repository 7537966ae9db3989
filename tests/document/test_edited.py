from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.document import Block, Document, Origin
from chunking.document.edited import with_passage

TEXT = "Pumps\n\nThey move water.\nSlowly.\n\nValves\n\nThey stop it."
ORIGIN = Origin("characters of the file", ("",), np.array([(0, 5, 0, 3, 5), (7, 24, 0, 20, 24), (33, 21, 0, 60, 21)]))
DOCUMENT = Document(
    TEXT,
    (
        Block("heading", 0, 5, 1, title="Pumps"),
        Block("paragraph", 7, 31),
        Block("heading", 33, 39, 1),
        Block("list_item", 41, 54, 1, 41),
    ),
    format="html",
    origin=ORIGIN,
)


def shown(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def test_a_block_takes_its_new_words_and_the_others_stay() -> None:
    start = TEXT.index("water")
    edited = with_passage(DOCUMENT, start, start + len("water"), "oil and gas")
    assert shown(edited) == [
        ("heading", "Pumps"), ("paragraph", "They move oil and gas.\nSlowly."), ("heading", "Valves"),
        ("list_item", "They stop it."),
    ]  # fmt: skip


def test_a_heading_is_called_by_its_new_words() -> None:
    edited = with_passage(DOCUMENT, 0, 5, "Compressors")
    assert edited.text.startswith("Compressors\n\nThey move")
    assert edited.headings[0].title == ""
    assert edited.heading_path(20) == ("Compressors",)


def test_a_passage_over_blocks_leaves_the_first_of_them() -> None:
    edited = with_passage(DOCUMENT, TEXT.index("Slowly"), TEXT.index("stop"), "And ")
    assert shown(edited) == [("heading", "Pumps"), ("paragraph", "They move water.\nAnd"), ("list_item", "stop it.")]


def test_words_outside_every_block_are_a_paragraph() -> None:
    edited = with_passage(DOCUMENT, 32, 32, "Inserted.\n")
    assert ("paragraph", "Inserted.") in shown(edited)


def test_what_is_not_in_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="no passage"):
        with_passage(DOCUMENT, 50, 60, "")


def test_a_copy_is_another_document_and_its_words_come_from_nowhere() -> None:
    start = TEXT.index("water")
    edited = with_passage(DOCUMENT, start, start + 5, "oil")
    assert edited.key != DOCUMENT.key
    assert edited.origin is not None
    assert edited.origin.places(start, start + 3) == ()


@given(st.data())
def test_every_edit_keeps_the_rest_and_its_places_in_the_source(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(TEXT)))
    end = data.draw(st.integers(start, len(TEXT)))
    words = data.draw(st.text("ab \n", max_size=12))
    edited = with_passage(DOCUMENT, start, end, words)
    change = len(words) - (end - start)
    assert edited.text == TEXT[:start] + words + TEXT[end:]
    ends = [0]
    for block in edited.blocks:
        assert ends[-1] <= block.start <= block.content <= block.end <= len(edited.text)
        assert edited.text[block.start : block.end].strip() == edited.text[block.start : block.end] != ""
        ends.append(block.end)
    assert edited.origin is not None
    for place in range(len(TEXT)):
        moved = place if place < start else place + change if place >= end else None
        if moved is not None:
            assert edited.origin.places(moved, moved + 1) == ORIGIN.places(place, place + 1)
