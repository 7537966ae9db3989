"""What a ranking returns: neighbours and parents, each text once, and nothing that was not found nor belongs to it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunking import strategies
from chunking.chunks import Chunk, leaves
from chunking.document import Document
from chunking.loading import from_text
from chunking.retrieval.search import context
from chunking.retrieval.search.context import NO_PARENT, ReturnRule
from chunking.runtime.arrays import Int64
from chunking.strategies.context import ContextParameters
from chunking.tokens import get_tokenizer
from chunking.workspace import DocumentAnalysis, Models

DOCUMENT = np.array([0, 0, 0, 0, 1, 1, 1], dtype=np.int64)
PARENT = np.array([0, 0, 0, NO_PARENT, 1, 1, 2], dtype=np.int64)


def places(*some: int) -> Int64:
    return np.array(some, dtype=np.int64)


def rule(**values: int | str) -> ReturnRule:
    return ReturnRule(ContextParameters.parse({}, dict(values)), DOCUMENT, PARENT)


def test_a_window_has_the_neighbours_of_its_document_each_once() -> None:
    found = rule(**{"return": "window"}).of(places(3, 1, 4))
    assert found.passages.tolist() == [3, 2, 1, 0, 4, 5]
    assert found.ranks.tolist() == [0, 0, 1, 1, 2, 2]
    assert rule(**{"return": "window"}, neighbours=2).of(places(4)).passages.tolist() == [4, 5, 6]


def test_a_parent_is_returned_once_more_than_half_of_it_is_found() -> None:
    parent = rule(**{"return": "parent"})
    found = parent.of(places(2, 3, 0, 6, 4, 1, 5))
    assert found.passages.tolist() == [2, 3, 0, 1, 6, 4, 5]  # the rest of parent 0 comes with the second of its three
    assert found.ranks.tolist() == [0, 1, 2, 2, 3, 4, 6]
    assert parent.of(places(4, 3)).passages.tolist() == [4, 3]  # half is not most


@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    context=st.sampled_from(
        [{"return": "chunk"}, {"return": "parent"}, {"return": "window"}, {"return": "window", "neighbours": 3}]
    ),
    data=st.data(),
)
def test_nothing_is_returned_twice_and_all_that_is_found_is_returned(
    sizes: list[int], context: dict[str, int | str], data: st.DataObject
) -> None:
    document = np.repeat(np.arange(len(sizes)), sizes)
    parent = document * 10 + np.array([data.draw(st.integers(0, 2)) for _ in document])
    made = ReturnRule(ContextParameters.parse({}, dict(context)), document, parent)
    order = np.array(data.draw(st.permutations(range(len(document)))), dtype=np.int64)
    ranked = order[: data.draw(st.integers(0, len(order)))]
    found = made.of(ranked)
    assert len(set(found.passages.tolist())) == len(found.passages) == len(found.ranks)
    assert set(ranked.tolist()) <= set(found.passages.tolist())
    assert (np.diff(found.ranks) >= 0).all()
    for place, rank in zip(found.passages.tolist(), found.ranks.tolist(), strict=True):
        hit = int(ranked[rank])
        assert document[place] == document[hit]
        if context["return"] == "window":
            assert abs(place - hit) <= made.context.neighbours
        elif place != hit:
            assert parent[place] == parent[hit]
    # A shorter ranking returns the beginning of what a longer one does, so that a larger budget only adds.
    shorter = made.of(ranked[: len(ranked) // 2])
    assert found.passages[: len(shorter.passages)].tolist() == shorter.passages.tolist()


TEXT = "Preface.\n\n# Light\n\n## Oil\n\nThe lamp burns oil.\n\nIt lasts a night.\n\n## Wick\n\nTrim it.\n"
TOOLS = Models(encoder="char-ngrams", splitter="rules")


def chunks(setting: str, text: str = TEXT, name: str = "keeper.md") -> tuple[tuple[Chunk, ...], Document]:
    document = from_text(text, name, language="en")
    return strategies.parse(setting).run(DocumentAnalysis(document, TOOLS)).chunks, document


PARAGRAPHS = "paragraph:min_tokens=0"


def test_the_heading_path_is_put_before_a_chunk_unless_it_begins_with_the_heading() -> None:
    made, document = chunks("heading:level=2", TEXT + "\n### Deep\n\nBelow.\n")
    found = context.prefixes(made, document, "headings")
    by_start = {chunk.text.strip().split("\n")[0]: before for chunk, before in zip(made, found, strict=True)}
    assert by_start["Preface."] == ""
    assert by_start["## Wick"] == "Light\n\n"  # its own heading is in its text
    sentences, document = chunks("recursive:size=30;overlap=0")
    found = context.prefixes(sentences, document, "headings")
    inside = next(before for chunk, before in zip(sentences, found, strict=True) if "night" in chunk.text)
    assert inside == "Light › Oil\n\n"


def test_the_title_is_that_of_the_data_set_else_the_highest_heading_else_the_name() -> None:
    made, document = chunks("whole")
    assert context.prefixes(made, document, "title") == ["Light\n\n"]
    assert context.prefixes(made, document, "title", "Keeper's book") == ["Keeper's book\n\n"]
    made, document = chunks("whole", "No heading at all.", "log.of.days.txt")
    assert context.prefixes(made, document, "title") == ["log.of.days\n\n"]
    assert context.prefixes(made, document, "chunk") == [""]


def test_parents_are_those_of_the_strategy_else_the_sections() -> None:
    made, document = chunks("hierarchical_tree")
    parts = leaves(made)
    assert {made[chunk.parent].text.strip().split("\n")[0] for chunk in parts if chunk.parent is not None} >= {"## Oil"}
    assert all(chunk.index not in {each.parent for each in made} for chunk in parts)
    numbers = context.parents(parts, document)
    for chunk, number in zip(parts, numbers, strict=True):
        assert (chunk.parent is None) == (number == NO_PARENT)
    flat, document = chunks("recursive:size=30;overlap=0")
    sections = context.parents(flat, document)
    by_text = {chunk.text.strip(): number for chunk, number in zip(flat, sections, strict=True)}
    oil = {number for text, number in by_text.items() if "burns" in text or "night" in text}
    assert len(oil) == 1 and NO_PARENT not in oil
    assert next(number for text, number in by_text.items() if "Preface" in text) == NO_PARENT


def test_what_is_returned_of_chunks_that_overlap_has_no_text_twice() -> None:
    made, document = chunks("fixed_size:max_tokens=8;overlap=3;sentence_share=0", TEXT * 3)
    counter = get_tokenizer()
    rows = list(context.disjoint(made, document.text, counter))
    assert [row[0] for row in rows[1:]] == [row[1] for row in rows[:-1]]
    shifted = [made[0], *made]  # the same chunk again has nothing left to return
    rows = list(context.disjoint(shifted, document.text, counter))
    assert rows[1][0] == rows[1][1] and rows[1][3] == 0
