from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import embedding, from_text, sentences
from chunking.runtime.arrays import Float32
from chunking.strategies.sections import sections
from chunking.strategies.sections.sections import SectionParameters, SectionSemanticParameters, pack
from chunking.tokens import SpanTokens
from chunking.workspace import DocumentAnalysis, Models
from tests.examples import examples
from tests.strategies.checks import (
    COUNTER,
    count,
    holds,
    laid_out,
    numbered,
    reasons,
    workspace_of,
)
from tests.strategies.checks import stripped_texts as texts

SECTION, SEMANTIC = sections.STRATEGIES

FENCED = """Before the first heading.

# Tea

```
# not a heading
```

### Deep

It is green.
"""


# pack --------------------------------------------------------------------------------------------------------------


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=90), st.integers(1, 60), st.integers(0, 3))
def test_packing_takes_what_fits_and_no_less(sizes: list[int], maximum: int, overlap: int) -> None:
    text = "".join("word " * size for size in sizes)
    bounds = np.concatenate(([0], np.cumsum([5 * size for size in sizes])))
    tokens = SpanTokens(text, bounds, COUNTER)
    cuts = [0, *pack(tokens, range(len(sizes) + 1), maximum, overlap), len(sizes)]
    for first, last in pairwise(cuts):
        own = count(text[bounds[first] : bounds[last]])
        assert first < last
        assert own <= maximum or last - first == 1
        if last < len(sizes) and not overlap:
            assert count(text[bounds[first] : bounds[last + 1]]) > maximum, "one more would have fitted"
        if last < len(sizes) and overlap and own < maximum // 2:
            lead = max(first - overlap, 0)
            assert count(text[bounds[lead] : bounds[last + 1]]) > maximum


# section -----------------------------------------------------------------------------------------------------------


def test_sections_begin_at_headings_of_any_level_and_not_in_code() -> None:
    result = SECTION.run(workspace_of(FENCED), SectionParameters())
    assert [text.splitlines()[0] for text in texts(result)] == ["Before the first heading.", "# Tea", "### Deep"]
    assert reasons(result) == [("section", "level 1"), ("section", "level 3")]
    higher = SECTION.run(workspace_of(FENCED), SectionParameters(level=2))
    assert [text.splitlines()[0] for text in texts(higher)] == ["Before the first heading.", "# Tea"]


def test_the_deepest_level_takes_headings_that_are_deeper_still() -> None:
    text = "1.1.1.1.1.1.1 Deepest\n\nSomething is said here, at some length.\n\n1.1.1.1.1.1.2 Next\n\nMore of it.\n"
    workspace = workspace_of(text, "text")
    assert [block.level for block in workspace.document.headings] == [7, 7]
    assert len(SECTION.run(workspace, SectionParameters()).chunks) == 2
    assert len(SECTION.run(workspace, SectionParameters(level=5)).chunks) == 1


def test_a_section_is_filled_with_whole_sentences_and_its_overlap_counted() -> None:
    text = f"# A\n\n{numbered(100, 130)}\n\n# B\n\n{numbered(200, 203)}\n"
    result = holds(workspace_of(text), SECTION, SectionParameters(max_tokens=60))
    assert [reason for reason, _ in reasons(result)].count("section") == 1
    inner = [chunk for chunk in result.chunks if chunk.cut and chunk.cut.reason == "sentence"]
    assert len(inner) > 2
    for chunk in inner:
        assert chunk.text.startswith("Sentence")
        assert chunk.overlap is not None
        assert text[chunk.overlap.start : chunk.overlap.end].count("Sentence") == 2
        assert text[chunk.overlap.start : chunk.overlap.start + 8] == "Sentence"
    for chunk, after in pairwise(result.chunks):
        if after.cut and after.cut.reason == "sentence":
            start = chunk.overlap.start if chunk.overlap else chunk.start
            next_end = after.start + len("Sentence 100 says a little more. ")
            assert count(text[start:next_end]) > 60, "one more sentence would have fitted"
    first_of_b = next(chunk for chunk in result.chunks if chunk.text.startswith("# B"))
    assert first_of_b.overlap is None, "no overlap from the section before"


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(laid_out, st.integers(1, 6), st.integers(0, 4), st.integers(5, 60))
def test_no_chunk_or_overlap_crosses_a_section(document: tuple[str, str], level: int, overlap: int, high: int) -> None:
    workspace = workspace_of(*document)
    params = SectionParameters(level=level, overlap=overlap, max_tokens=high)
    result = SECTION.run(workspace, params)
    blocks = [block for block in workspace.document.blocks if block.kind != "page_break"]
    heads = [block.start for block in blocks[1:] if block.kind == "heading" and (block.level <= level or level == 6)]
    cuts = [chunk.start for chunk in result.chunks if chunk.cut and chunk.cut.reason == "section"]
    assert len(cuts) == len(heads)
    for cut, head in zip(cuts, heads, strict=True):
        assert workspace.document.text[cut:head].strip(" \t>-*+0123456789.)\r\n") == ""
    for chunk in result.chunks:
        start = chunk.overlap.start if chunk.overlap else chunk.start
        assert bisect_right(cuts, start) == bisect_right(cuts, chunk.end - 1)


# section_semantic --------------------------------------------------------------------------------------------------


def semantic_workspace(lengths: Sequence[int], outliers: Sequence[int]) -> DocumentAnalysis:
    """Sections of some numbers of sentences, alike but for the outliers (numbers over the document)."""
    text = "\n\n".join(f"# Head\n\n{numbered(100, 100 + length)}" for length in lengths)
    document = from_text(text, language="en")
    split = sentences.split(document, "rules")
    vectors = np.random.default_rng(0).normal(0, 0.02, (len(split), 16)).astype(np.float32)
    vectors[:, 0] += 1
    for outlier in outliers:
        vectors[outlier:, :2] = vectors[outlier:, 1::-1]
    return DocumentAnalysis(document, Models(splitter="rules"), precomputed=(split, vectors))


def test_sections_too_short_for_the_statistic_are_counted_once() -> None:
    # With its heading, a section of n sentences has n gaps: 11 can lie 3 deviations apart, 10 cannot.
    enough = SEMANTIC.run(semantic_workspace([11, 11], [6]), SectionSemanticParameters())
    assert enough.warnings == ()
    assert [reason for reason, _ in reasons(enough)] == ["distance", "section"]
    result = SEMANTIC.run(semantic_workspace([10, 11, 3], [6]), SectionSemanticParameters())
    assert [reason for reason, _ in reasons(result)] == ["section", "section"]
    assert len(result.warnings) == 1
    assert "2 of 3 sections have fewer than 11 gaps" in result.warnings[0]
    alone = SEMANTIC.run(workspace_of("One is said. Two is said."), SectionSemanticParameters())
    assert alone.warnings[0].startswith("The text has fewer than 11 gaps")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 14), min_size=1, max_size=5), st.sampled_from([0.0, 0.7, 1.3, 2.0]), st.data())
def test_cuts_are_those_of_the_plain_rule(lengths: list[int], deviations: float, drawn: st.DataObject) -> None:
    total = sum(lengths) + len(lengths)
    workspace = semantic_workspace(lengths, drawn.draw(st.lists(st.integers(1, total - 1), max_size=3)))
    result = SEMANTIC.run(workspace, SectionSemanticParameters(deviations=deviations))
    found = {chunk.cut.gap for chunk in result.chunks if chunk.cut and chunk.cut.reason == "distance"}
    similarity = 1 - workspace.semantic(0, 1)
    expected, first = set(), 0
    for length in lengths:
        values = similarity[first : first + length]
        below = np.flatnonzero(values < values.mean() - deviations * values.std() - 1e-12)
        expected |= {first + int(at) for at in below}
        first += length + 1
    assert found == expected


def test_windows_stay_inside_their_section(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str], *_: object, **__: object) -> Float32:
        asked.extend(texts)
        return np.array([[len(text), text.count("1"), 1.0] for text in texts], dtype=np.float32)

    monkeypatch.setattr(embedding, "embed", embed)
    workspace = semantic_workspace([12, 12], [])
    result = SEMANTIC.run(workspace, SectionSemanticParameters(window=1, deviations=1.0))
    parts = [workspace.sentences.texts[:13], workspace.sentences.texts[13:]]
    windows = [" ".join(part[max(0, at - 1) : at + 2]) for part in parts for at in range(13)]
    assert set(windows) <= set(asked)
    vectors = embed(windows).astype(np.float64)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    distances = 1 - np.sum(units[:-1] * units[1:], axis=1)
    scores = {chunk.cut.gap: chunk.cut.score for chunk in result.chunks if chunk.cut and chunk.cut.score is not None}
    assert scores
    for gap, score in scores.items():
        assert gap is not None
        assert score == pytest.approx(distances[gap], abs=1e-6)
    for first in (0, 13):
        values = distances[first : first + 12]
        above = {first + int(at) for at in np.flatnonzero(values > values.mean() + values.std())}
        assert above == {gap for gap in scores if gap is not None and first <= gap < first + 12}
