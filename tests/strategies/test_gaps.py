from __future__ import annotations

import numpy as np
import pytest

from chunking import REGISTRY, from_text, samples, sentences, strategies
from chunking.signals.thresholds import RULES
from chunking.strategies.gaps import StructuralParameters, window_note
from chunking.workspace import DocumentAnalysis, Models


@pytest.fixture(scope="module")
def guide() -> DocumentAnalysis:
    sample = samples.load("field-guide-to-backups")
    return DocumentAnalysis(sample.document)


def test_alpha_one_is_meaning_alone_and_zero_structure_alone(guide: DocumentAnalysis) -> None:
    for alpha, curve in ((1.0, guide.semantic(0, 0)), (0.0, guide.structure("cues").distances())):
        result = strategies.parse(f"structural:preset=unlimited;alpha={alpha};keep_together=no").run(guide)
        assert result.signals is not None
        assert result.signals.fused == pytest.approx(curve, abs=1e-12)
        expected = np.flatnonzero(curve > np.percentile(curve, 85))
        assert [chunk.cut.gap for chunk in result.chunks if chunk.cut] == expected.tolist()


@pytest.mark.parametrize("rule", RULES)
def test_a_semantic_strategy_cuts_where_its_rule_says(guide: DocumentAnalysis, rule: str) -> None:
    params = REGISTRY[rule].params(window=0)  # type: ignore[call-arg]
    result = strategies.run(rule, guide, params)
    signals = result.signals
    assert signals is not None
    assert signals.structure is None
    assert np.array_equal(signals.semantic, guide.semantic(0, 1))
    score = np.gradient(signals.semantic).round(12) if rule == "gradient" else signals.semantic
    low, high, cut_off = np.percentile(score, [25, 75, 95])
    threshold = {
        "percentile": cut_off,
        "gradient": cut_off,
        "standard_deviation": score.mean() + 3 * score.std(),
        "interquartile": score.mean() + 1.5 * (high - low),
    }[rule]
    cut = [chunk.cut.gap for chunk in result.chunks if chunk.cut]
    assert cut == np.flatnonzero(score > threshold).tolist()


def test_headings_open_chunks_and_never_end_one(guide: DocumentAnalysis) -> None:
    result = strategies.run("structural", guide, StructuralParameters())
    headings = {block.start for block in guide.document.headings}
    opened = {chunk.start for chunk in result.chunks}
    assert len(headings & opened) >= len(headings) - 3
    last_lines = [chunk.text.rstrip().splitlines()[-1] for chunk in result.chunks]
    assert not [line for line in last_lines if line.startswith("#")]


def test_a_text_without_layout_is_told() -> None:
    units = "One thing is said. Another is said. A third is said here. A fourth one follows. And the fifth."
    document = from_text(units, format="text", language="en")
    split = sentences.split(document, "rules")
    vectors = np.eye(len(split), 8, dtype=np.float32)
    workspace = DocumentAnalysis(document, precomputed=(split, vectors))
    result = strategies.run("structural", workspace, StructuralParameters(structure="layout"))
    assert any("every α above 0" in warning for warning in result.warnings)
    # The reference compares the sentences themselves, which differ.
    result = strategies.run("structural", workspace, StructuralParameters(structure="reference"))
    assert not any("every α above 0" in warning for warning in result.warnings)


SEMANTIC = ("percentile", "standard_deviation", "interquartile", "gradient")


@pytest.mark.parametrize("name", SEMANTIC)
def test_overlapping_windows_have_a_note_and_the_preset_has_none(name: str) -> None:
    assert "miss the gap" in window_note(strategies.parse(name).params)
    assert window_note(strategies.parse(f"{name}:preset=blocks").params) == ""
    assert window_note(strategies.parse(f"{name}:window=0").params) == ""


def test_other_strategies_have_no_note() -> None:
    assert window_note(strategies.parse("structural:window=1").params) == ""
    assert window_note(strategies.parse("whole").params) == ""


@pytest.mark.parametrize("name", SEMANTIC)
def test_the_preset_compares_the_blocks_that_the_fused_strategy_compares(name: str) -> None:
    words = ["tea", "oven", "lamp", "boat", "rope", "mast"]
    text = " ".join(f"{word.capitalize()} is here. It is {word}." for word in words)
    workspace = DocumentAnalysis(from_text(text, language="en"), Models("char-ngrams"))
    blocks = strategies.parse(f"{name}:preset=blocks").run(workspace).signals
    fused = strategies.parse("structural:alpha=1;block=3").run(workspace).signals
    assert blocks is not None and fused is not None
    assert np.array_equal(blocks.semantic, fused.semantic)
