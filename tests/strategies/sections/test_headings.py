from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.strategies.base import Strategy
from chunking.strategies.sections import headings
from chunking.strategies.sections.headings import (
    HeadingLimitedParameters,
    HeadingParagraphParameters,
    HeadingParameters,
    HierarchicalParameters,
    HierarchicalTreeParameters,
)
from tests.strategies.checks import (
    count,
    holds,
    is_one_character,
    laid_out,
    leaves_of,
    numbered,
    reasons,
    workspace_of,
)
from tests.strategies.checks import stripped_texts as texts

HEADING, LIMITED, PARAGRAPH, HIERARCHICAL, TREE = headings.STRATEGIES

GUIDE = """Before the first heading.

# Tea

## Green

Green tea is steamed. These are kinds:

- sencha
- matcha

It is drunk hot.

```
# not a heading
```

#### Detail

A detail of it.

## Black

| a | b |
|---|---|
| 1 | 2 |
"""


def first_lines(strategy: Strategy, text: str, **values: Any) -> list[str]:
    result = holds(workspace_of(text), strategy, strategy.params(**values))
    return [text.splitlines()[0] for text in texts(result)]


# heading, heading_limited ------------------------------------------------------------------------------------------


def test_headings_to_the_level_are_cut_and_the_preamble_is_a_chunk() -> None:
    assert first_lines(HEADING, GUIDE) == ["Before the first heading.", "# Tea", "## Green", "## Black"]
    assert first_lines(HEADING, GUIDE, level=1) == ["Before the first heading.", "# Tea"]
    assert first_lines(HEADING, GUIDE, level=4)[3] == "#### Detail"
    result = HEADING.run(workspace_of(GUIDE), HeadingParameters())
    assert reasons(result) == [("heading", "level 1"), ("heading", "level 2"), ("heading", "level 2")]


def test_an_oversized_section_is_split_at_its_strongest_inner_place() -> None:
    text = (
        f"# A\n\n{numbered(100, 104)}\n\n{numbered(200, 203)}\n\n##### Inner\n\n{numbered(300, 303)}\n\n# B\n\nEnd.\n"
    )
    result = holds(workspace_of(text), LIMITED, HeadingLimitedParameters(max_tokens=80))
    assert [text.splitlines()[0] for text in texts(result)] == ["# A", "##### Inner", "# B"]
    assert [reason for reason, _ in reasons(result)] == ["token_limit", "heading"]
    assert HeadingLimitedParameters().max_tokens == 512


# heading_paragraph -------------------------------------------------------------------------------------------------


def test_every_paragraph_is_a_chunk_with_what_belongs_to_it() -> None:
    assert first_lines(PARAGRAPH, GUIDE) == [
        "Before the first heading.",
        "# Tea",
        "## Green",  # with its paragraph, which announces the list
        "It is drunk hot.",
        "```",
        "#### Detail",
        "## Black",
    ]
    result = PARAGRAPH.run(workspace_of(GUIDE), HeadingParagraphParameters())
    assert texts(result)[2].endswith("- sencha\n- matcha")
    assert reasons(result)[2:5] == [("paragraph", ""), ("block", "code"), ("heading", "level 4")]


def test_a_heading_below_another_one_opens_a_chunk_only_to_the_level() -> None:
    assert first_lines(PARAGRAPH, "# A\n\n## B\n\nText.\n", level=1) == ["# A"]
    assert first_lines(PARAGRAPH, "# A\n\n## B\n\nText.\n", level=2) == ["# A", "## B"]
    assert first_lines(PARAGRAPH, "#### A\n\n#### B\n\nText.\n", level=1) == ["#### A", "#### B"]


# hierarchical ------------------------------------------------------------------------------------------------------


def test_what_is_too_large_is_opened_level_by_level() -> None:
    text = (
        f"# A\n\n{numbered(100, 103)}\n\n## A1\n\n{numbered(110, 112)}\n\n"
        f"# B\n\n{numbered(200, 204)}\n\n{numbered(210, 214)}\n\n{numbered(220, 240)}\n\n"
        f"# C\n\n{'word ' * 100}\n"
    )
    params = HierarchicalParameters(size=70, overlap=0)
    result = holds(workspace_of(text), HIERARCHICAL, params)
    found = [(chunk.cut.reason if chunk.cut else "", chunk.text.split("\n")[0][:12]) for chunk in result.chunks]
    assert found[:2] == [("", "# A"), ("heading", "# B")], "A fits whole, with its subsection"
    assert "Sentence 213" in result.chunks[1].text, "small paragraphs of one parent are put together"
    assert found[2] == ("paragraph", "Sentence 220")
    assert found[3][0] == found[4][0] == "sentence"
    assert "# C" in result.chunks[5].text
    assert ("size", "inside a sentence") in reasons(result)
    assert all(chunk.tokens <= 70 for chunk in result.chunks)


def test_a_maximum_below_the_size_takes_its_place() -> None:
    workspace = workspace_of(GUIDE + f"\n{numbered(100, 120)}\n")
    low = HIERARCHICAL.run(workspace, HierarchicalParameters(size=60, overlap=10, max_tokens=60))
    high = HIERARCHICAL.run(workspace, HierarchicalParameters(size=512, overlap=10, max_tokens=60))
    assert high.chunks == low.chunks
    assert {reason for reason, _ in reasons(high)} <= {"heading", "paragraph", "block", "sentence"}


def test_parts_of_different_parents_are_not_put_together() -> None:
    text = f"# A\n\n{numbered(100, 108)}\n\nLast of A.\n\n# B\n\nFirst of B.\n\n{numbered(200, 208)}\n"
    result = HIERARCHICAL.run(workspace_of(text), HierarchicalParameters(size=70, overlap=0))
    assert not any("Last of A." in chunk.text and "First of B." in chunk.text for chunk in result.chunks)


def test_code_is_kept_whole_beyond_the_size_but_not_beyond_the_maximum() -> None:
    code = "```\n" + "call(first, second)\n" * 40 + "```"
    text = f"# A\n\n{numbered(100, 105)}\n\n## Example\n\n{code}\n\n{numbered(200, 205)}\n"
    result = holds(workspace_of(text), HIERARCHICAL, HierarchicalParameters(size=60, overlap=0))
    (kept,) = [chunk for chunk in result.chunks if chunk.notes]
    assert kept.text.strip() == f"## Example\n\n{code}"
    assert kept.tokens > 60
    assert kept.notes == ("code kept whole, exceeds the size of 60 tokens including overlap",)
    limited = holds(workspace_of(text), HIERARCHICAL, HierarchicalParameters(size=60, overlap=0, max_tokens=80))
    assert not any(note.startswith("code") for chunk in limited.chunks for note in chunk.notes)
    assert ("oversized_sentence", "") in reasons(limited)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(laid_out, st.integers(5, 60), st.integers(0, 4))
def test_only_code_exceeds_the_size(document: tuple[str, str], size: int, overlap: int) -> None:
    workspace = workspace_of(*document)
    result = holds(workspace, HIERARCHICAL, HierarchicalParameters(size=size, overlap=overlap))
    code = [block for block in workspace.document.blocks if block.kind == "code"]
    for chunk in result.chunks:
        if any("code kept whole" in note for note in chunk.notes):
            assert any(chunk.start <= block.start and block.end <= chunk.end for block in code)
        else:
            assert chunk.tokens <= size - overlap or is_one_character(chunk.text)
        assert not any(block.start < chunk.start < block.end for block in code)


# hierarchical_tree -------------------------------------------------------------------------------------------------


def test_parents_are_whole_sections_and_leaves_their_paragraphs() -> None:
    result = holds(workspace_of(GUIDE), TREE, HierarchicalTreeParameters())
    seen = [(chunk.text.split("\n")[0], chunk.parent, chunk.cut.reason if chunk.cut else "") for chunk in result.chunks]
    assert seen == [
        ("Before the first heading.", None, ""),
        ("# Tea", None, "section"),
        ("# Tea", 1, "heading"),
        ("## Green", 1, "section"),
        ("## Green", 3, "heading"),
        ("It is drunk hot.", 3, "paragraph"),
        ("```", 3, "block"),
        ("#### Detail", 3, "section"),
        ("#### Detail", 7, "heading"),
        ("## Black", 1, "section"),
        ("## Black", 9, "heading"),
    ]
    assert result.chunks[1].end == len(GUIDE)
    assert GUIDE[result.chunks[3].end :].startswith("## Black")
    assert not TREE.tiles


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(laid_out, st.integers(1, 6), st.integers(0, 30))
def test_every_chunk_lies_in_its_parent(document: tuple[str, str], level: int, low: int) -> None:
    workspace = workspace_of(*document)
    result = holds(workspace, TREE, HierarchicalTreeParameters(level=level, min_tokens=low, overlap=1))
    sections = [chunk for chunk in result.chunks if chunk.index not in {leaf.index for leaf in leaves_of(result)}]
    wanted = [head for head in workspace.document.headings if head.level <= level or level == 6]
    assert len(sections) <= len(wanted), "a section without a leaf of its own is left out"
    assert low or len(sections) == len(wanted)
    order = [(chunk.start, chunk not in sections) for chunk in result.chunks]
    assert order == sorted(order)
    for chunk in result.chunks:
        if chunk.parent is not None:
            parent = result.chunks[chunk.parent]
            assert chunk.parent < chunk.index
            assert parent.start <= chunk.start
            assert chunk.end <= parent.end
            between = [other for other in sections if other not in (parent, chunk)]
            assert not any(
                parent.start <= other.start <= chunk.start and chunk.end <= other.end <= parent.end
                for other in between
                if (other.start, other.end) != (chunk.start, chunk.end)
            ), "an inner section holds it"
        if chunk.overlap:
            assert not any(chunk.overlap.start < section.start <= chunk.start for section in sections)


def test_a_leaf_that_limits_merged_belongs_to_what_holds_all_of_it() -> None:
    first = f"# A\n\n{numbered(100, 110)}\n\n"
    text = f"{first}## A1\n\nOne.\n\n## A2\n\nTwo.\n\n# B\n\n{numbered(200, 210)}\n"
    params = HierarchicalTreeParameters(min_tokens=10, max_tokens=count(first) + 2)
    result = holds(workspace_of(text), TREE, params)
    seen = [(chunk.text.split("\n")[0], chunk.parent) for chunk in result.chunks]
    assert seen == [("# A", None), ("# A", 0), ("## A1", 0), ("# B", None), ("# B", 3)]
    assert result.chunks[2].text.rstrip().endswith("Two.")


def test_limits_apply_to_leaves_alone() -> None:
    text = f"# A\n\n{numbered(100, 120)}\n"
    result = holds(workspace_of(text), TREE, HierarchicalTreeParameters(max_tokens=40))
    parent, *leaves = result.chunks
    assert parent.tokens == count(text) > 40
    assert len(leaves) > 3
    assert all(leaf.tokens <= 40 and leaf.parent == 0 for leaf in leaves)
