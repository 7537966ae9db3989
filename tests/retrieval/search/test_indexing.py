"""What is indexed for a chunk, and which chunks belong to one parent."""

from __future__ import annotations

from chunking import strategies
from chunking.chunks import Chunk, leaves
from chunking.document import Document
from chunking.loading import from_text
from chunking.retrieval.search import context as passages
from chunking.retrieval.search.context import NO_PARENT
from chunking.tokens import get_tokenizer
from chunking.workspace import Tools, Workspace

TEXT = "Preface.\n\n# Light\n\n## Oil\n\nThe lamp burns oil.\n\nIt lasts a night.\n\n## Wick\n\nTrim it.\n"
TOOLS = Tools(encoder="char-ngrams", splitter="rules")


def chunks(setting: str, text: str = TEXT, name: str = "keeper.md") -> tuple[tuple[Chunk, ...], Document]:
    document = from_text(text, name, language="en")
    return strategies.parse(setting).run(Workspace(document, TOOLS)).chunks, document


PARAGRAPHS = "paragraph:min_tokens=0"


def test_the_heading_path_is_put_before_a_chunk_unless_it_begins_with_the_heading() -> None:
    made, document = chunks("heading:level=2", TEXT + "\n### Deep\n\nBelow.\n")
    found = passages.prefixes(made, document, "headings")
    by_start = {chunk.text.strip().split("\n")[0]: before for chunk, before in zip(made, found, strict=True)}
    assert by_start["Preface."] == ""
    assert by_start["## Wick"] == "Light\n\n"  # its own heading is in its text
    sentences, document = chunks("recursive:size=30;overlap=0")
    found = passages.prefixes(sentences, document, "headings")
    inside = next(before for chunk, before in zip(sentences, found, strict=True) if "night" in chunk.text)
    assert inside == "Light › Oil\n\n"


def test_the_title_is_that_of_the_data_set_else_the_highest_heading_else_the_name() -> None:
    made, document = chunks("whole")
    assert passages.prefixes(made, document, "title") == ["Light\n\n"]
    assert passages.prefixes(made, document, "title", "Keeper's book") == ["Keeper's book\n\n"]
    made, document = chunks("whole", "No heading at all.", "log.of.days.txt")
    assert passages.prefixes(made, document, "title") == ["log.of.days\n\n"]
    assert passages.prefixes(made, document, "chunk") == [""]


def test_parents_are_those_of_the_strategy_else_the_sections() -> None:
    made, document = chunks("hierarchical_tree")
    parts = leaves(made)
    assert {made[chunk.parent].text.strip().split("\n")[0] for chunk in parts if chunk.parent is not None} >= {"## Oil"}
    assert all(chunk.index not in {each.parent for each in made} for chunk in parts)
    numbers = passages.parents(parts, document)
    for chunk, number in zip(parts, numbers, strict=True):
        assert (chunk.parent is None) == (number == NO_PARENT)
    flat, document = chunks("recursive:size=30;overlap=0")
    sections = passages.parents(flat, document)
    by_text = {chunk.text.strip(): number for chunk, number in zip(flat, sections, strict=True)}
    oil = {number for text, number in by_text.items() if "burns" in text or "night" in text}
    assert len(oil) == 1 and NO_PARENT not in oil
    assert next(number for text, number in by_text.items() if "Preface" in text) == NO_PARENT


def test_what_is_returned_of_chunks_that_overlap_has_no_text_twice() -> None:
    made, document = chunks("fixed_size:max_tokens=8;overlap=3;sentence_share=0", TEXT * 3)
    counter = get_tokenizer()
    rows = list(passages.disjoint(made, document.text, counter))
    assert [row[0] for row in rows[1:]] == [row[1] for row in rows[:-1]]
    shifted = [made[0], *made]  # the same chunk again has nothing left to return
    rows = list(passages.disjoint(shifted, document.text, counter))
    assert rows[1][0] == rows[1][1] and rows[1][3] == 0
