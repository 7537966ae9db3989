"""Edits of the open text: what a copy is, and what is told of it."""

from __future__ import annotations

import pytest

from chunking import ChunkscopeError, from_text
from chunking.comparison.revision import Decision
from chunking.loading import load
from pages.shared.components.workbench import ChangedPassage
from pages.shared.inspect import edits

MARKDOWN = "# Pumps\n\nThey move water.\n\nThey are loud."
HTML = b"<title>Pumps</title><h1>Pumps</h1><p>They move water.</p><p>They are loud.</p>"


def edit_of(text: str, words: str, instead: str) -> ChangedPassage:
    start = text.index(words)
    return ChangedPassage("", start, start + len(words), instead)


def test_markdown_is_read_again_so_that_new_marks_are_marks() -> None:
    document = from_text(MARKDOWN, "pumps.md", language="en")
    edited = edits._edited(document, edit_of(MARKDOWN, "They are loud.", "## Noise\r\n\r\nThey are loud."))
    assert edited.text == MARKDOWN.replace("They are loud.", "## Noise\n\nThey are loud.")
    assert [edited.text[block.start : block.end] for block in edited.headings] == ["# Pumps", "## Noise"]
    assert (edited.name, edited.format, edited.language) == ("pumps.md", "markdown", "en")


def test_what_has_a_layout_of_its_own_keeps_it() -> None:
    document = load(HTML, "pumps.html")
    edited = edits._edited(document, edit_of(document.text, "water", "oil"))
    assert edited.text == document.text.replace("water", "oil")
    assert [block.kind for block in edited.blocks] == [block.kind for block in document.blocks]


def test_an_edit_that_leaves_nothing_or_is_of_another_text_is_refused_with_what_to_do() -> None:
    document = from_text("All of it.", "all.md")
    with pytest.raises(ChunkscopeError, match="Nothing is left") as refused:
        edits._edited(document, ChangedPassage("", 0, 10, " \n"))
    assert refused.value.remedy
    with pytest.raises(ChunkscopeError, match="has changed"):
        edits._edited(document, ChangedPassage("", 5, 50, "more"))


def test_a_copy_has_a_name_of_its_own() -> None:
    assert edits._name_of_copy("guide/pumps.md") == "guide/pumps (edited).md"
    assert edits._name_of_copy("pumps") == "pumps (edited)"


def test_a_decision_is_told_with_its_reason() -> None:
    assert edits.words_of(None) == "this place was not there"
    assert edits.words_of(Decision(3, False, "0.400 ≤ 0.500")) == "not cut, 0.400 ≤ 0.500"
    assert edits.words_of(Decision(3, True, "")) == "cut"
