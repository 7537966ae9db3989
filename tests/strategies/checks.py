"""What the tests of the strategies share: what holds of every strategy, and documents to try them on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from chunking import from_text, sentences
from chunking.chunks import Chunk, SizeParameters, reason_words
from chunking.document import Block, graphemes
from chunking.loading.text import markdown, plain
from chunking.params import Parameters
from chunking.strategies import REGISTRY
from chunking.strategies.base import Segmentation, Strategy
from chunking.tokens import get_tokenizer
from chunking.workspace import DocumentAnalysis, Models

BLOCKS: dict[str, Callable[[str], tuple[Block, ...]]] = {"text": plain.blocks, "markdown": markdown.blocks}
"""How the blocks of a text are found, for texts that no loader may touch (lone surrogates, byte order marks)."""


COUNTER = get_tokenizer()


def count(text: str) -> int:
    return int(COUNTER.count([text])[0])


def workspace_of(text: str, format: str = "markdown") -> DocumentAnalysis:
    """A workspace that needs no model: split by rules, with vectors that follow from the number of sentences."""
    document = from_text(text, format=format, language="en")
    split = sentences.split(document, "rules")
    vectors = np.random.default_rng(len(split)).normal(size=(len(split), 8)).astype(np.float32)
    return DocumentAnalysis(document, Models(splitter="rules"), precomputed=(split, vectors, vectors))


def stripped_texts(result: Segmentation) -> list[str]:
    return [chunk.text.strip() for chunk in result.chunks]


def reasons(result: Segmentation) -> list[tuple[str, str]]:
    return [(chunk.cut.reason, chunk.cut.detail) for chunk in result.chunks if chunk.cut]


def leaves_of(result: Segmentation) -> list[Chunk]:
    parents = {chunk.parent for chunk in result.chunks}
    return [chunk for chunk in result.chunks if chunk.index not in parents]


def texts(result: Segmentation) -> list[str]:
    return [chunk.text for chunk in result.chunks]


def details(result: Segmentation) -> list[str]:
    return [chunk.cut.detail for chunk in result.chunks if chunk.cut]


def numbered(first: int, last: int) -> str:
    """Sentences of 8 tokens each, with the space after them."""
    return " ".join(f"Sentence {number} says a little more." for number in range(first, last))


def check(result: Segmentation, strategy: Strategy, maximum: int = 0) -> None:
    """Assert what holds of the chunks of every strategy: true spans that tile, with reasons, counts and limits."""
    text, chunks = result.document.text, result.chunks
    leaves = leaves_of(result)
    if strategy.tiles:
        assert leaves == list(chunks) and all(chunk.parent is None for chunk in chunks)
    assert "".join(chunk.text for chunk in leaves) == text
    assert [(chunk.start, chunk.index) for chunk in chunks] == sorted((chunk.start, chunk.index) for chunk in chunks)
    for place, chunk in enumerate(chunks):
        assert chunk.index == place
        assert text[chunk.start : chunk.end] == chunk.text != ""
        assert (chunk.cut is None) == (chunk.start == 0)
        if chunk.cut:
            assert chunk.cut.offset == chunk.start and reason_words(chunk.cut)
        if chunk.overlap:
            assert 0 <= chunk.overlap.start < chunk.overlap.end == chunk.start
        if chunk.parent is not None:
            outer = chunks[chunk.parent]
            assert outer.index < chunk.index and outer.start <= chunk.start and chunk.end <= outer.end
    assert COUNTER.count([chunk.text for chunk in chunks]).tolist() == [chunk.tokens for chunk in chunks]
    inside = set(graphemes.inside_clusters(text).tolist())
    assert not inside & {offset for chunk in chunks for offset in (chunk.start, chunk.indexed_start)}
    repeated = [text[chunk.indexed_start : chunk.start] for chunk in chunks]
    assert COUNTER.count(repeated).tolist() == [chunk.overlap_tokens for chunk in chunks]
    indexed = [text[chunk.indexed_start : chunk.end] for chunk in chunks]
    assert COUNTER.count(indexed).tolist() == [chunk.indexed_tokens for chunk in chunks]
    if maximum:
        several = [leaf for leaf in leaves if not is_one_character(leaf.text)]
        assert all(leaf.indexed_tokens <= maximum for leaf in several)
    assert not {chunk.start for chunk in leaves} & {cut.offset for cut in result.suppressed}


def is_one_character(text: str) -> bool:
    """Return whether a reader takes a text for one character, which no maximum divides."""
    return len(text) - 1 <= len(graphemes.inside_clusters(text))


def holds(workspace: DocumentAnalysis, strategy: Strategy, params: Parameters) -> Segmentation:
    """Run a strategy, assert what holds of every one, and that the same document gives the same result again."""
    assert isinstance(params, SizeParameters)
    result = strategy.run(workspace, params)
    check(result, strategy, params.max_tokens)
    offsets = workspace.offsets
    for chunk in result.chunks:
        assert not chunk.cut or chunk.cut.gap is None or offsets[chunk.cut.gap] == chunk.start
    again = strategy.run(workspace_of(workspace.document.text, workspace.document.format), params)
    assert (again.chunks, again.suppressed, again.warnings) == (result.chunks, result.suppressed, result.warnings)
    return result


def check_layout(result: Segmentation, text: str, reasons: set[str], maximum: int = 0) -> None:
    """Assert what holds of every strategy, and that the reasons of the cuts are among some."""
    assert result.document.text == text
    check(result, REGISTRY[result.strategy], maximum)
    forced = {"token_limit", "oversized_sentence"} if maximum else set()
    assert {chunk.cut.reason for chunk in result.chunks if chunk.cut} <= reasons | forced


ODD = {
    "empty": "",
    "blank": " \n\t\n",
    "word": "word",
    "long-word": "x" * 1000,
    "sentence": "Only this one.",
    "code": "```python\n# not a heading\ndef f():\n    return 1\n```\n",
    "table": "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
    "headings": "# One\n## Two\n### Three\n# Four\n",
    "preamble": "Before all.\n\n# One\n\nText. More text.\n\n## Two\n\nText.\n",
    "windows": "# One\r\n\r\nText here. More.\r\n\r\n- item\r\n- item\r\n",
    "chinese": "今天天气很好。我们去公园。\n\n明天下雨。" * 5,
    "astral": "Fine 😀. Words 👩‍👩‍👧 here.\n\nMore 𝔘𝔫𝔦𝔠𝔬𝔡𝔢.",
    "control": "a\x00b\x0c\n\x85c\u2028d. E\u200ff.",
    "surrogate": "lone \ud800 here. And\udfff there.",
    "json": '{"a": [1, 2, {"b": "text. more"}], "c": null}\n',
    "html": "<html><body><h1>A</h1><p>B c.</p><ul><li>d</li></ul></body></html>\n",
    "one character": "é",
    "only headings": "# A\n## B\n### C\n## D\n",
    "only rules": "***\n\n---\n",
    "long Chinese": "茶很热。雨停了。" * 40,
    "family": "👨‍👩‍👧 a family, 🇳🇱 a flag. " * 40,
    "spaces": "a" + " " * 3000 + "b",
    "jamo": "\u1112\u1161\u11ab\u1100\u116e\u11a8" * 60,
    "Thai": "\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48\u0e01\u0e33\u0e25\u0e31\u0e07\u0e19\u0e49\u0e33" * 40,
    "Khmer": "\u1781\u17d2\u1789\u17bb\u17c6 " * 60,
    "people": "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 60,
    "marks": "a" + "\u0301" * 300,
    "white end": "\u1019\u103c\u1014\u103a\u1019\u102c" * 20 + " \n\n" + "x" * 300 + "\n",
    "clauses": "; ".join(["a clause without an end"] * 300),
}
"""Small and odd texts."""


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
        "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1161",
        "\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48 \u0301\U0001f468\u200d\U0001f469.\u0301",
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
        "overlap_unit": draw(st.sampled_from(known["overlap_unit"].choices)),
        "min_tokens": low,
        "max_tokens": max(room, low + overlap + 1) if room or known["max_tokens"].minimum else 0,
    }
    if "level" in known:
        values["level"] = draw(st.integers(1, 6))
    if "size" in known:
        values["size"] = low + overlap + draw(st.integers(1, 50))
    if "lines" in known:
        values["lines"] = overlap + draw(st.integers(2, 20))
    if "deviations" in known:
        values["deviations"] = draw(st.sampled_from([0.0, 0.5, 1.5]))
    return strategy.params(**values)
