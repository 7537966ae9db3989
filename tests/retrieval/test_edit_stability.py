"""What a word that is inserted changes: measured on edited documents, beside what is known of simple strategies."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import ChunkscopeError, DocumentAnalysis, Models, from_text, load, parse
from chunking.retrieval.edit_stability import edit_stability, with_repeated_word
from tests.examples import examples

STATIC = Models(encoder="static")
PARAGRAPHS = "\n\n".join(
    f"The ship {number} comes on Monday. It leaves the port on day {number}." for number in range(60)
)


def of(text: str, name: str = "a.md") -> DocumentAnalysis:
    return DocumentAnalysis(from_text(text, name), STATIC)


def test_a_word_changes_its_own_chunk_where_chunks_follow_the_text_and_all_that_follow_where_they_count() -> None:
    lines = [
        parse(line)
        for line in (
            "paragraph:min_tokens=0;max_tokens=0",
            "fixed_size:max_tokens=20;overlap=0;sentence_share=0",
            "whole",
        )
    ]
    paragraphs, counted, whole = edit_stability(of(PARAGRAPHS), lines)
    assert len(paragraphs.changed) == 36
    assert paragraphs.median == paragraphs.worst == pytest.approx(1 / 60)
    assert counted.worst > 0.9 and counted.median > 5 * paragraphs.median, "what follows the word moves, too"
    assert whole.median == whole.worst == 1.0


def test_fewer_sentences_have_fewer_places_and_none_is_refused() -> None:
    (found,) = edit_stability(of("One sentence. And one more."), [parse("sentence")])
    assert len(found.changed) == 2
    with pytest.raises(ChunkscopeError, match="no sentence"):
        edit_stability(of(""), [parse("sentence")])


def test_no_heading_is_edited_since_every_chunk_below_has_it() -> None:
    text = "# The port of the island\n\n" + "".join(
        f"## Day {day}\n\nThe ship {day} comes early.\n\n" for day in range(20)
    )
    (found,) = edit_stability(of(text), [parse("heading")])
    assert found.worst == pytest.approx(1 / len(parse("heading").run(of(text)).chunks))
    (alone,) = edit_stability(of("# The port of the island\n"), [parse("heading")])
    assert alone.worst == 1.0


def test_progress_may_stop_it() -> None:
    def stop(what: str, done: int, of_how_many: int) -> None:
        assert (what, of_how_many) == ("edits", 36)
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        edit_stability(of(PARAGRAPHS), [parse("whole")], tell=stop)


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_the_layout_is_that_of_the_edited_text_where_that_can_be_read(name: str) -> None:
    document = load(b"# Tea\n\nBoil the water slowly. Wait.\n\n- one item here\n- two\n\nEnd of it.\n", name)
    start = document.text.index("Boil")
    edited = with_repeated_word(document, start, start + len("Boil the water slowly."))
    assert "Boil the the water slowly." in edited.text or "Boil the water water slowly." in edited.text
    assert edited.blocks == load(edited.text.encode(), name).blocks


@given(st.text(alphabet="ab \n。한", min_size=1, max_size=60), st.data())
@settings(max_examples=examples(500))
def test_an_edit_only_inserts_and_keeps_the_blocks_in_order(text: str, data: st.DataObject) -> None:
    document = from_text(text, "a.txt")
    start = data.draw(st.integers(0, len(document.text) - 1))
    end = data.draw(st.integers(start + 1, len(document.text)))
    edited = with_repeated_word(document, start, end)
    inserted = len(edited.text) - len(document.text)
    assert 0 < inserted <= 21
    assert any(edited.text[:at] + edited.text[at + inserted :] == document.text for at in range(len(document.text) + 1))
    assert len(edited.blocks) == len(document.blocks)
    for block in edited.blocks:
        assert 0 <= block.start <= block.content <= block.end <= len(edited.text)
