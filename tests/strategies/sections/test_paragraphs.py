from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from chunking import ChunkscopeError
from chunking.strategies.base import Segmentation
from chunking.strategies.sections import paragraphs
from chunking.strategies.sections.paragraphs import ParagraphParameters, SemanticBoundaryParameters
from tests.strategies.checks import (
    count,
    holds,
    laid_out,
    numbered,
    reasons,
    workspace_of,
)
from tests.strategies.checks import stripped_texts as texts

# paragraph ---------------------------------------------------------------------------------------------------------

PARAGRAPH, BOUNDARY = paragraphs.STRATEGIES

MIXED = """A preamble.

# Tea

Tea is hot. It is green, too.

- one
- two

| a | b |
|---|---|
| 1 | 2 |

```
# not a heading
```
"""


def test_every_block_begins_a_paragraph_and_says_what_it_is() -> None:
    result = PARAGRAPH.run(workspace_of(MIXED), ParagraphParameters(min_tokens=0, max_tokens=0))
    assert [text.splitlines()[0] for text in texts(result)] == [
        "A preamble.",
        "# Tea",
        "Tea is hot. It is green, too.",
        "- one",
        "- two",
        "| a | b |",
        "```",
    ]
    assert reasons(result) == [
        ("heading", "level 1"),
        ("paragraph", ""),
        ("block", "list item"),
        ("block", "list item"),
        ("block", "table"),
        ("block", "code"),
    ]


def test_small_paragraphs_are_merged_and_large_ones_split_at_sentences() -> None:
    long = " ".join(f"Sentence {number} of a long paragraph says a little more." for number in range(40))
    document = f"Short one.\n\nShort two.\n\n{long}\n"
    result = holds(workspace_of(document), PARAGRAPH, ParagraphParameters())
    assert texts(result)[0].startswith("Short one.\n\nShort two."), "merged with what follows it"
    assert len(result.suppressed) == 2
    assert all(50 <= chunk.tokens <= 256 for chunk in result.chunks)
    forced = [chunk for chunk in result.chunks if chunk.cut and chunk.cut.reason == "token_limit"]
    assert forced
    assert all(chunk.text.startswith("Sentence") for chunk in forced)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(laid_out)
def test_blocks_are_cut_off_where_their_gaps_are(document: tuple[str, str]) -> None:
    workspace = workspace_of(*document)
    result = PARAGRAPH.run(workspace, ParagraphParameters(min_tokens=0, max_tokens=0))
    between_blocks = workspace.offsets[np.flatnonzero(np.diff(workspace.sentences.block))].tolist()
    cuts = {chunk.start for chunk in result.chunks[1:]}
    assert set(between_blocks) <= cuts
    silent = {*range(len(workspace.document.blocks))} - set(workspace.sentences.block.tolist())
    assert len(cuts) <= len(between_blocks) + len(silent)


def test_indentation_and_markers_go_with_their_block() -> None:
    text = "One is said.\n\n   Two is indented.\n\n- a\n  - b\n\n> quoted\n"
    result = PARAGRAPH.run(workspace_of(text), ParagraphParameters(min_tokens=0, max_tokens=0))
    assert [chunk.text for chunk in result.chunks] == [
        "One is said.\n\n",
        "   Two is indented.\n\n",
        "- a\n",
        "  - b\n\n",
        "> quoted\n",
    ]


# semantic_boundary -------------------------------------------------------------------------------------------------


def boundary(text: str, size: int, low: int, high: int, format: str = "text") -> Segmentation:
    params = SemanticBoundaryParameters(size=size, min_tokens=low, max_tokens=high)
    return holds(workspace_of(text, format), BOUNDARY, params)


def test_the_block_nearest_the_target_goes_before_nearer_sentences() -> None:
    text = "\n\n".join([numbered(100, 105), numbered(105, 110), numbered(110, 130)])
    ends = {number: text.index(f"Sentence {number} ") for number in range(101, 130)}
    off = {number: abs(count(text[:end]) - 66) for number, end in ends.items()}
    assert off[108] < off[110] < off[105], "a sentence is nearest, and the second block is nearer than the first"
    result = boundary(text, 66, 30, 120)
    assert result.chunks[0].end == ends[110]
    assert reasons(result)[0] == ("pattern", "block boundary: paragraph")


def test_without_a_block_the_sentence_end_nearest_the_target_is_taken() -> None:
    text = numbered(100, 160)
    result = boundary(text, 60, 30, 100)
    ends = [text.index(f"Sentence {number} ") for number in range(101, 160)]
    best = min(ends, key=lambda end: (abs(count(text[:end]) - 60), end))
    assert result.chunks[0].end == best
    assert set(reasons(result)) == {("pattern", "sentence end")}


def test_no_pattern_outside_minimum_and_maximum_is_taken() -> None:
    text = numbered(100, 102) + "\n\n" + numbered(102, 140) + "\n\n" + numbered(140, 142)
    result = boundary(text, 60, 40, 100)
    assert all(40 <= chunk.tokens <= 100 for chunk in result.chunks)
    assert not result.suppressed, "no cut was made that the minimum had to take away"
    assert ("pattern", "block boundary: paragraph") not in reasons(result)


def test_patterns_are_named() -> None:
    lead, rest = numbered(100, 106), numbered(200, 206)
    shown = {
        f"{lead}\n\n# Title\n\n{rest}": "heading of level 1",
        f"{lead}\n\n***\n\n{rest}": "thematic break",
        f"{lead}\n\nChapter 7 begins here. {rest}": "opener Chapter 7",
        f"{lead}\n\nKapitel IV beginnt hier. {rest}": "opener Kapitel IV",
        f"{lead}\n\nSECTION. 3. The Senate sits. {rest}": "opener SECTION. 3",
        f"{lead}\n\nPart mix is a mix. {rest}": "block boundary: paragraph",
        f"{lead}\n\n第三章 开始。 {rest}": "opener 第三章",
        f"{lead}\n\n> {rest}": "block boundary: quote",
        f"{lead} However, {rest}": "connective However",
        f"{lead}\n\n- {rest}\n- {lead}": "block boundary: list item",
    }
    for text, name in shown.items():
        result = boundary(text, 50, 45, 60, "markdown")
        assert name in [detail for _, detail in reasons(result)], text


def test_a_heading_is_not_left_at_the_end_of_a_chunk() -> None:
    text = f"{numbered(100, 106)}\n\n## Title\n\n{numbered(200, 206)}"
    result = boundary(text, 50, 20, 60, "markdown")
    assert not any(chunk.text.rstrip().endswith("## Title") for chunk in result.chunks)


def test_line_ends_and_words_are_taken_only_where_no_sentence_ends() -> None:
    line = "and on and on it goes without any stop"
    lines = "\n".join([line] * 30)
    result = boundary(lines, 60, 30, 100)
    assert set(reasons(result)) == {("pattern", "line end")}
    assert all(chunk.text.startswith("and on") for chunk in result.chunks)
    words = " ".join([line] * 30)
    result = boundary(words, 60, 30, 100)
    assert set(reasons(result)) == {("size", "between words")}
    assert all(abs(chunk.tokens - 60) <= 2 for chunk in result.chunks[:-2])


def test_the_target_yields_to_the_limits() -> None:
    result = boundary(numbered(100, 160), 500, 20, 40)
    assert max(chunk.tokens for chunk in result.chunks) <= 40
    with pytest.raises(ChunkscopeError, match="min_tokens"):
        SemanticBoundaryParameters(max_tokens=100)
