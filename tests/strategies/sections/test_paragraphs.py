from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import ChunkscopeError, from_text, sentences
from chunking.chunks import Chunk, SizeParameters
from chunking.params import Parameters
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.sections import paragraphs
from chunking.strategies.sections.paragraphs import ParagraphParameters, SemanticBoundaryParameters
from chunking.tokens import get_tokenizer
from chunking.workspace import Tools, Workspace

COUNTER = get_tokenizer()


# What the tests of the section, heading and paragraph families share -----------------------------------------------


def count(text: str) -> int:
    return int(COUNTER.count([text])[0])


def workspace_of(text: str, format: str = "markdown") -> Workspace:
    """A workspace that needs no model: split by rules, with vectors that follow from the number of sentences."""
    document = from_text(text, format=format, language="en")
    split = sentences.split(document, "rules")
    vectors = np.random.default_rng(len(split)).normal(size=(len(split), 8)).astype(np.float32)
    return Workspace(document, Tools(splitter="rules"), precomputed=(split, vectors))


def texts(result: Segmentation) -> list[str]:
    return [chunk.text.strip() for chunk in result.chunks]


def reasons(result: Segmentation) -> list[tuple[str, str]]:
    return [(chunk.cut.reason, chunk.cut.detail) for chunk in result.chunks if chunk.cut]


def leaves_of(result: Segmentation) -> list[Chunk]:
    parents = {chunk.parent for chunk in result.chunks}
    return [chunk for chunk in result.chunks if chunk.index not in parents]


def holds(workspace: Workspace, strategy: Strategy, params: Parameters) -> Segmentation:
    """Run a strategy and assert what holds of each of the family."""
    assert isinstance(params, SizeParameters)
    result = strategy.run(workspace, params)
    text, offsets = workspace.document.text, workspace.offsets
    leaves = result.chunks if strategy.tiles else leaves_of(result)
    assert "".join(chunk.text for chunk in leaves) == text
    if strategy.tiles:
        assert all(chunk.parent is None for chunk in result.chunks)
    for place, chunk in enumerate(result.chunks):
        assert chunk.index == place
        assert text[chunk.start : chunk.end] == chunk.text != ""
        assert chunk.tokens == count(chunk.text)
        assert (chunk.cut is None) == (chunk.start == 0)
        if chunk.cut:
            assert chunk.cut.offset == chunk.start
            assert chunk.cut.gap is None or offsets[chunk.cut.gap] == chunk.start
        if chunk.overlap:
            assert chunk.overlap.start < chunk.overlap.end == chunk.start
            assert chunk.overlap_tokens == count(text[chunk.overlap.start : chunk.start])
    if params.max_tokens:
        for chunk in leaves:
            start = chunk.overlap.start if chunk.overlap else chunk.start
            assert len(chunk.text) == 1 or count(text[start : chunk.end]) <= params.max_tokens
    starts = {chunk.start for chunk in leaves}
    assert not starts & {cut.offset for cut in result.suppressed}
    again = strategy.run(workspace_of(text, workspace.document.format), params)
    assert again.chunks == result.chunks
    assert again.suppressed == result.suppressed
    assert again.warnings == result.warnings
    return result


_SENTENCE = st.sampled_from(
    [
        "Tea is hot.",
        "It rains all day, and nobody minds; the garden is green: so it goes.",
        "However, it stopped.",
        "Is it so?",
        "Chapter 2 tells more.",
        "차는 뜨겁다. 비가 온다.",
        "茶很热。但是雨停了。",
        "x" * 90,
        "See the list:",
    ]
)
_PROSE = st.lists(_SENTENCE, min_size=1, max_size=6).map(" ".join)
_BLOCK = st.one_of(
    _PROSE,
    _PROSE.map(lambda prose: prose.replace(". ", ".\n")),
    st.integers(1, 6).map(lambda level: "#" * level + f" Head {level}"),
    st.sampled_from(
        [
            "#",
            "Title\n=====",
            "1.2.3 Deep numbers",
            "***",
            "<!-- note -->",
            "\f",
            "   ",
            "> quoted: yes.",
            "  It is indented. So is this.",
            "- outer\n  - inner",
            "-\n  below its marker",
        ]
    ),
    st.lists(_SENTENCE, min_size=1, max_size=3).map(lambda items: "\n".join(f"- {item}" for item in items)),
    st.integers(1, 12).map(lambda rows: "```\n# no heading\n" + "\n".join("call(a, b)" for _ in range(rows)) + "\n```"),
    st.integers(1, 3).map(lambda rows: "| a | b |\n|---|---|\n" + "\n".join("| one | two |" for _ in range(rows))),
)
laid_out = st.tuples(
    st.lists(_BLOCK, max_size=10),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 2),
    st.sampled_from(["markdown", "text"]),
).map(lambda drawn: ((drawn[2] * "\n").join(drawn[0]).replace("\n", drawn[1]), drawn[3]))
"""Texts with headings, prose, lists, tables and code, with their format."""


@st.composite
def settings_of(draw: st.DrawFn, strategy: Strategy) -> Parameters:
    """Parameters of a strategy, with sizes so small that they matter in small texts."""
    known = {parameter.name: parameter for parameter in strategy.params.describe()}
    low, overlap = draw(st.integers(0, 20)), draw(st.integers(0, 12))
    room = draw(st.integers(0, 50))
    values: dict[str, Any] = {
        "overlap": overlap,
        "overlap_unit": draw(st.sampled_from(["sentences", "tokens"])),
        "min_tokens": low,
        "max_tokens": max(room, low + overlap + 1) if room or known["max_tokens"].minimum else 0,
    }
    if "level" in known:
        values["level"] = draw(st.integers(1, 6))
    if "size" in known:
        values["size"] = low + overlap + draw(st.integers(1, 50))
    if "deviations" in known:
        values["deviations"] = draw(st.sampled_from([0.0, 0.5, 1.5]))
    return strategy.params(**values)


ODD = {
    "empty": "",
    "blank": " \n\n ",
    "one word": "word",
    "one character": "é",
    "only code": "```python\n# not a heading\nprint(1)\n\n\nprint(2)\n```\n",
    "only a table": "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "only headings": "# A\n## B\n### C\n## D\n",
    "a long word": "w" * 1000,
    "Chinese": "茶很热。雨停了。" * 40,
    "CRLF": "# A\r\n\r\nTea is hot. It rains.\r\n\r\n## B\r\n\r\n- one\r\n- two\r\n",
    "only rules": "***\n\n---\n",
}
"""Small and odd texts."""


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


@pytest.mark.parametrize("strategy", paragraphs.STRATEGIES, ids=lambda strategy: strategy.name)
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawn=st.data(), document=laid_out)
def test_what_always_holds(strategy: Strategy, drawn: st.DataObject, document: tuple[str, str]) -> None:
    holds(workspace_of(*document), strategy, drawn.draw(settings_of(strategy)))


@pytest.mark.parametrize("strategy", paragraphs.STRATEGIES, ids=lambda strategy: strategy.name)
@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_small_and_odd_texts(strategy: Strategy, text: str) -> None:
    holds(workspace_of(text), strategy, strategy.params())
    smallest: Any = {"max_tokens": 12, "min_tokens": 2}
    holds(workspace_of(text), strategy, strategy.params(**smallest))


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


def test_the_long_preset_is_a_hundred_to_a_thousand() -> None:
    params = ParagraphParameters.parse({}, PARAGRAPH.presets["long"])
    assert (params.min_tokens, params.max_tokens) == (100, 1000)
    assert (ParagraphParameters().min_tokens, ParagraphParameters().max_tokens) == (50, 256)


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


def numbered(first: int, last: int) -> str:
    """Sentences of 8 tokens each, with the space after them."""
    return " ".join(f"Sentence {number} says a little more." for number in range(first, last))


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
