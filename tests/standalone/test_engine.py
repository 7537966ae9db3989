"""What a page computes by itself equals what Python makes of the same setting."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import DocumentAnalysis, Models, embedding, explain, from_text, load, samples, strategies
from chunking.checks import checks
from chunking.chunks import NO_LIMITS, embedded_context, leaves, reason_words
from chunking.chunks.edits import ACTIONS, edit_at
from chunking.comparison import report
from chunking.reference import Reference
from chunking.report.theme import DRIVERS
from chunking.standalone import StandalonePage, controls
from chunking.standalone import places as standalone_places
from chunking.standalone.controls import controls as controls_of
from chunking.standalone.places import places_of
from chunking.strategies import Segmentation
from chunking.strategies.changepoint import ChangepointParameters
from chunking.strategies.gaps import StructuralParameters
from pages.shared.settings import strategy_settings
from tests.examples import examples
from tests.pages.conftest import Ask

SLOW = settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def page_of(workspace: DocumentAnalysis, *made: Segmentation) -> StandalonePage:
    entries = [report.ComparisonEntry(str(at), str(at), "strategy", each) for at, each in enumerate(made)]
    return StandalonePage(workspace, report.make(workspace, entries), "text.md")


BLOCKS = {
    0: "\n\nWhat to take aboard:\n\n- a chart\n- two lanterns, and oil for both of them\n- rope",
    1: "\n\n| wind | sail |\n|---|---|\n| calm | all of it |\n| fresh | a reef |\n| storm | none |",
    2: "\n\n```\nset(course)\nwhile under_way:\n    watch()\nmoor()\n```",
}
"""What is kept together, after some of the paragraphs of a document."""


def document_of(seed: int, paragraphs: int) -> DocumentAnalysis:
    """A Markdown document of short sentences under headings, with vectors that follow no meaning."""
    random = np.random.default_rng(seed)
    words = ["tide", "harbour", "chart", "wind", "a", "the", "keel", "mooring", "lantern", "of", "fog", "signal"]

    def sentence() -> str:
        chosen = random.choice(words, size=int(random.integers(1, 14)))
        return f"{' '.join(chosen).capitalize()}{random.choice(['.', '!', '?'])}"

    parts = []
    for _ in range(paragraphs):
        if random.random() < 0.25:
            parts.append("#" * int(random.integers(1, 4)) + " " + sentence().rstrip(".!?"))
        parts.append(" ".join(sentence() for _ in range(int(random.integers(1, 7)))))
    for at, kind in enumerate(np.random.default_rng(seed + 1).integers(0, 12, size=len(parts))):
        parts[at] += BLOCKS.get(int(kind), "")
    document = load("\n\n".join(parts).encode(), "text.md", language="en")
    workspace = DocumentAnalysis(document, Models(splitter="rules"))
    for window in (0, 1):
        vectors = random.normal(size=(len(workspace.sentences), 8)).astype(np.float32)
        # Some sentences alike: distances that tie.
        vectors[random.random(len(vectors)) < 0.2] = vectors[:1].sum(axis=0)
        workspace.add_vectors(window, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    return workspace


RULES = {
    "percentile": ("percentile", st.floats(50, 99.9)),
    "gradient": ("percentile", st.floats(50, 99.9)),
    "standard_deviation": ("deviations", st.floats(0, 6)),
    "interquartile": ("iqr_factor", st.floats(0, 6)),
}


def data_of(page: StandalonePage) -> dict[str, Any]:
    """Return the data as the browser reads them out of the file."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def gap_at(start: int, spans: list[tuple[int, int]]) -> int:
    """Return the gap between whose sentences a chunk starts, −1 for none."""
    between = (gap for gap in range(len(spans) - 1) if spans[gap][1] <= start <= spans[gap + 1][0])
    return next(between, -1)


def shown(made: Segmentation, spans: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return the chunks as the page has them; ``spans`` are those of the sentences."""
    return [
        {
            "start": chunk.start,
            "end": chunk.end,
            "reach": chunk.indexed_start,
            "tokens": chunk.tokens,
            "overlapTokens": chunk.overlap_tokens,
            "notes": list(chunk.notes),
            "gap": -1 if chunk.cut and chunk.cut.reason == "oversized_sentence" else gap_at(chunk.start, spans),
            "driver": (chunk.cut.driver or "") if chunk.cut else "",
            "why": reason_words(chunk.cut),
        }
        for chunk in leaves(made.chunks)
    ]


def check(ask: Ask, page: StandalonePage, expected: Segmentation, moved: dict[str, float], lane: int = 0) -> None:
    answer = ask("segmentation", page=data_of(page), lane=lane, moved=moved)
    assert answer["chunks"] == shown(expected, page.workspace.sentences.spans.tolist())
    chunks = leaves(expected.chunks)
    assert answer["texts"] == [chunk.text for chunk in chunks]
    assert answer["paths"] == [list(chunk.heading_path) for chunk in chunks]
    if expected.signals is not None:
        assert np.allclose(answer["fused"], expected.signals.fused, atol=1e-6)
        assert answer["status"] == statuses(expected)


def statuses(made: Segmentation) -> list[int]:
    """Return how each gap stands, as ``segmentation.js`` counts it."""
    assert made.signals is not None
    found = [0] * len(made.signals)
    for gap in made.suppressed_gaps:
        found[gap] = 7
    for gap in made.kept_gaps:
        found[gap] = 8
    for chunk in leaves(made.chunks):
        if chunk.cut and chunk.cut.gap is not None:
            found[chunk.cut.gap] = DRIVERS.index(chunk.cut.driver) + 1 if chunk.cut.driver else 6
    return found


@st.composite
def limits(draw: st.DrawFn) -> dict[str, Any]:
    """Limits and overlaps; a maximum of 12 is below the longest sentences."""
    minimum = draw(st.sampled_from([0, 0, 5, 20, 60]))
    maximum = draw(st.sampled_from([0, 0, 12, 30, 90, 200]))
    unit = draw(st.sampled_from(["sentences", "tokens"]))
    overlap = draw(st.sampled_from([0, 1, 3]))
    if maximum:
        minimum = min(minimum, maximum // 2)
    return {
        "min_tokens": minimum,
        "soft_min_tokens": draw(st.sampled_from([0, 0, 8, 40])),
        "max_tokens": maximum,
        "overlap": overlap,
        "overlap_unit": unit,
        "keep_together": draw(st.sampled_from(["yes", "no"])),
    }


@contextmanager
def encoder_that_reads(tokens: int) -> Iterator[None]:
    """Make the encoder read so many tokens of a text, which the tokenizer counts as it does; 0 for any number."""
    with mock.patch.object(embedding, "read_limit", return_value=tokens):
        yield


def edited(data: st.DataObject, workspace: DocumentAnalysis) -> DocumentAnalysis:
    """A document with some edits by hand, or none."""
    gaps, text = workspace.offsets.tolist(), workspace.document.text
    chosen = data.draw(st.lists(st.sampled_from(gaps), unique=True, max_size=4)) if gaps else []
    return workspace.with_edits([edit_at(text, data.draw(st.sampled_from(ACTIONS)), offset) for offset in chosen])


@SLOW
@given(st.data(), st.integers(0, 10**6), st.sampled_from([0, 1, 2, 9, 40]), st.sampled_from(sorted(RULES)), limits())
def test_a_page_makes_the_chunks_that_python_makes(
    ask: Ask, data: st.DataObject, seed: int, paragraphs: int, rule: str, sizes: dict[str, Any]
) -> None:
    with encoder_that_reads(data.draw(st.sampled_from([0, 24, 40, 90]))):
        compare_with_python(ask, data, seed, paragraphs, rule, sizes)


def compare_with_python(
    ask: Ask, data: st.DataObject, seed: int, paragraphs: int, rule: str, sizes: dict[str, Any]
) -> None:
    workspace = edited(data, document_of(seed, paragraphs))
    amount, values = RULES[rule]
    base = {amount: 90.0 if amount == "percentile" else 1.0, **sizes}
    name = data.draw(st.sampled_from(["structural", rule]))
    fits = data.draw(st.sampled_from(["yes", "yes", "no"]))
    base |= {"threshold": rule, "fit_encoder": fits} if name == "structural" else {}
    strategy = strategies.get(name)
    made = strategies.run(name, workspace, strategy.params(**base))
    known = {control.key: control for control in controls_of(workspace, made)}
    keys = {"amount", "minimum", "maximum", "overlap"} | ({"alpha"} if name == "structural" else set())
    assert set(known) == keys and not any(control.reason for control in known.values())
    moved: dict[str, float] = {
        "amount": data.draw(values),
        **data.draw(sizes_of(base["overlap_unit"])),
        **({"alpha": data.draw(st.floats(0, 1))} if name == "structural" else {}),
    }
    given = base | {known[key].name: value for key, value in moved.items()}
    check(ask, page_of(workspace, made), strategies.run(name, workspace, strategy.params(**given)), moved)


@st.composite
def sizes_of(draw: st.DrawFn, unit: str) -> dict[str, float]:
    """Sizes to which the sliders are moved: none of them contradicts another or cuts inside a word."""
    overlap = draw(st.sampled_from([0, 1, 2, 5, 12]))
    room = draw(st.sampled_from([0, 9, 14, 40, 150]))
    maximum = room and room + (overlap if unit == "tokens" else 0)
    minimum = draw(st.sampled_from([0, 4, 25, 80]))
    return {"overlap": overlap, "maximum": maximum, "minimum": min(minimum, room) if room else minimum}


@pytest.mark.parametrize("unit", ["sentences", "tokens"])
def test_a_maximum_below_a_sentence_is_followed(ask: Ask, unit: str) -> None:
    workspace = document_of(4, 12)
    params = StructuralParameters(max_tokens=11, overlap=2, overlap_unit=unit)
    made = strategies.run("structural", workspace, params)
    assert any(chunk.cut and chunk.cut.reason == "oversized_sentence" for chunk in made.chunks)
    moved: dict[str, Any] = {"alpha": 0.1, "overlap": 1}
    check(ask, page_of(workspace, made), strategies.run("structural", workspace, replace(params, **moved)), moved)


WITHOUT_SEAMS = (
    "Of those;, that came at ::,, some left by ,,;;, which is;, a part of all. ",
    "It says:\n\n    what is in here\n        and, further in, there\n    and what is not,\n\n\x0c  '  .\n",
)
"""Sentences with places between which no seam lies."""


@pytest.mark.parametrize("unit", ["sentences", "tokens"])
@pytest.mark.parametrize("text", WITHOUT_SEAMS)
def test_sizes_are_followed_where_places_have_no_seam_between_them(ask: Ask, text: str, unit: str) -> None:
    workspace = DocumentAnalysis(from_text((text * 3 + "\n\n") * 5), Models("char-ngrams"))
    params = StructuralParameters(max_tokens=60, overlap=2, overlap_unit=unit)
    made = strategies.run("structural", workspace, params)
    places = places_of(workspace)
    assert places is not None and places.tokens.seamless.any()
    assert not any(control.reason for control in controls_of(workspace, made))
    page = page_of(workspace, made)
    settings_moved: list[dict[str, Any]] = [
        {"maximum": 31},
        {"maximum": 24, "overlap": 5},
        {"minimum": 20, "overlap": 9},
    ]
    for moved in settings_moved:
        given: dict[str, Any] = {
            {"maximum": "max_tokens", "minimum": "min_tokens"}.get(key, key): moved[key] for key in moved
        }
        check(ask, page, strategies.run("structural", workspace, replace(params, **given)), moved)


def test_where_too_many_places_have_no_seam_sizes_say_why_they_cannot_be_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workspace = DocumentAnalysis(from_text(WITHOUT_SEAMS[0] * 9), Models("char-ngrams"))
    monkeypatch.setattr(standalone_places, "_SEAMLESS", 0)
    standalone_places._places.cache_clear()
    made = strategies.run("structural", workspace, StructuralParameters(max_tokens=20))
    reasons = [control.reason for control in controls_of(workspace, made)]
    standalone_places._places.cache_clear()
    assert reasons and all("tokenizer" in reason for reason in reasons)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, 10**6),
    st.sampled_from([2, 9, 30]),
    st.sampled_from(controls.ALPHAS),
    st.sampled_from(controls.FINENESSES),
    st.integers(0, 12),
    st.sampled_from(["changepoint", "changepoint:preset=unlimited", "changepoint:min_tokens=30;max_tokens=90"]),
    st.data(),
)
def test_divisions_at_change_points_are_those_of_python(
    ask: Ask, seed: int, paragraphs: int, alpha: float, fineness: float, overlap: int, line: str, data: st.DataObject
) -> None:
    workspace = edited(data, document_of(seed, paragraphs))
    params = strategies.parse(line).params
    page = page_of(workspace, strategies.run("changepoint", workspace, params))
    moved = {"alpha": alpha, "fineness": fineness, "overlap": overlap}
    check(ask, page, strategies.run("changepoint", workspace, replace(params, **moved)), moved)


@pytest.mark.parametrize("line", ["changepoint", "changepoint:alpha=0.37", "changepoint:boundaries=7"])
def test_every_step_of_alpha_has_the_boundaries_of_the_engine(ask: Ask, line: str) -> None:
    workspace = document_of(3, 14)
    setting = strategies.parse(line)
    made = setting.run(workspace)
    data, params = data_of(page_of(workspace, made)), made.params
    assert isinstance(params, ChangepointParameters)
    seen = set()
    for alpha in controls.ALPHAS:
        answer = ask("segmentation", page=data, lane=0, moved={"alpha": alpha})
        expected = strategies.run("changepoint", workspace, replace(params, alpha=alpha))
        assert [chunk["start"] for chunk in answer["chunks"]] == [chunk.start for chunk in expected.chunks]
        assert expected.signals is not None and answer["threshold"] == expected.signals.threshold.value
        seen.add(tuple(chunk.start for chunk in expected.chunks))
    assert len(seen) > 2


def test_in_a_long_document_a_move_of_alpha_returns_the_fineness(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunking.standalone.controls.ALL_PAIRS", 20)
    workspace = document_of(6, 12)
    made = strategies.parse("changepoint:fineness=1").run(workspace)
    assert len(workspace.sentences) > 20
    page = page_of(workspace, made)
    lane = data_of(page)["lanes"][0]
    assert len(lane["steps"]) == len(controls.ALPHAS) + len(controls.FINENESSES) - 1
    assert [each["note"] for each in lane["controls"][:2]] == [
        "In a document of this length, a move returns Coarse to fine to 1.",
        "In a document of this length, a move returns α to 0.35.",
    ]
    for moved, shown in (
        ({"fineness": -2.0, "alpha": 0.8}, {"alpha": 0.8, "fineness": 1.0}),
        ({"alpha": 0.8, "fineness": -2.0}, {"alpha": 0.35, "fineness": -2.0}),
    ):
        answer = ask("segmentation", page=data_of(page), lane=0, moved=moved)
        assert {name: answer["setting"][name] for name in shown} == shown
        check(ask, page, strategies.run("changepoint", workspace, replace(made.params, **shown)), moved)


UNCOMPUTED = (
    *("changepoint:max_tokens=60", "changepoint:boundaries=4", "changepoint_tree"),
    *("recursive", "heading", "hierarchical_tree"),
)


@pytest.mark.parametrize("line", UNCOMPUTED)
def test_a_lane_that_cannot_be_computed_is_as_python_made_it(ask: Ask, line: str) -> None:
    workspace = document_of(8, 15)
    made = strategies.parse(line).run(workspace)
    first = strategies.run("structural", workspace)
    check(ask, page_of(workspace, first, made), made, {}, lane=1)


def test_offsets_are_right_behind_characters_of_two_units(ask: Ask) -> None:
    workspace = DocumentAnalysis(
        from_text("# 😀 Tea\n\nBoil 😀😀 it. Wait 𝒳 now.\n\n# Bread\n\nKnead 😀 it. Bake it."),
        Models("char-ngrams", splitter="rules"),
    )
    made = strategies.parse("structural:preset=unlimited;percentile=50;overlap=1").run(workspace)
    assert len(made.chunks) > 2
    check(ask, page_of(workspace, made), made, {})


@pytest.mark.parametrize(
    "line",
    ["structural:alpha=0.3;percentile=80", "structural:threshold=interquartile;deviations=1", "percentile", "gradient"],
)
def test_the_panel_has_the_numbers_of_the_explanation(ask: Ask, line: str) -> None:
    workspace = document_of(5, 20)
    made = strategies.parse(line).run(workspace)
    data = data_of(page_of(workspace, made))
    for gap in range(len(workspace.offsets)):
        answer = ask("explanation", page=data, lane=0, gap=gap)
        known = explain.explain_gap(made, gap)
        rows = dict(answer["rows"])
        assert rows["Meaning (semantic distance)"] == f"{known.semantic:.3f}"
        assert rows["Cut line (threshold)"] == f"{known.threshold:.3f}"
        assert rows["Margin"] == f"{known.margin:+.3f}".replace("-", "−")
        assert rows["Rank"] == f"{known.rank:,} of {len(workspace.offsets):,}"
        assert known.amount_flip is not None and answer["flip"] == pytest.approx(known.amount_flip)
        if known.alpha_flips is not None:
            assert_flips(answer["bands"], known, made)
        contributions = {tuple(row[2:]) for row in answer["contributions"]}
        for share in (*known.shares, *known.scales):
            if abs(share.share) >= 1e-3:
                assert (f"{share.weight:.4f}", f"{share.share:+.3f}".replace("-", "−")) in contributions
        words = {
            "cut": "Cut ·",
            "merged": "Joined",
            "kept": "kept together",
            "forced": "size limit",
            "not cut": "Not cut",
        }
        assert words[known.verdict] in answer["verdict"]


VERDICTS = {
    "cut": "Cut ·",
    "merged": "Joined",
    "kept": "kept together",
    "forced": "size limit",
    "not cut": "Not cut",
}


def assert_flips(bands: list[list[float]], known: explain.GapExplanation, made: Segmentation) -> None:
    """Compare the values of α next to the present one at which a gap changes sides with those of Python."""
    assert known.alpha_flips is not None and made.signals is not None
    alpha = made.signals.alpha
    edges = [edge for band in bands for edge in band if 0 < edge < 1]
    below = max((edge for edge in edges if edge <= alpha), default=None)
    above = min((edge for edge in edges if edge > alpha), default=None)
    for found, expected in ((below, known.alpha_flips.below), (above, known.alpha_flips.above)):
        assert (found is None) == (expected is None), (bands, known.alpha_flips)
        if found is not None and expected is not None:
            assert found == pytest.approx(expected, abs=2e-3)


def test_what_the_encoder_does_not_read_is_what_python_counts(ask: Ask) -> None:
    workspace = DocumentAnalysis(document_of(11, 60).document, Models("all-MiniLM-L6-v2", splitter="rules"))
    made = strategies.parse("fixed_size:max_tokens=600").run(workspace)
    unread = ask("unread", page=data_of(page_of(workspace, made)))["unread"]
    assert [index for index, _ in unread] == sorted(checks.unread(made, workspace.encoder))
    for index, offset in unread:
        chunk = made.chunks[index]
        text = workspace.document.text
        assert chunk.start <= offset < chunk.end
        read = embedded_context(workspace.document, chunk) + text[chunk.indexed_start : offset]
        assert workspace.encoder.token_counts([read])[0] <= workspace.encoder.max_tokens


@given(st.lists(st.floats(-1e6, 1e6) | st.integers(-2000, 2000).map(lambda whole: whole / 16), max_size=50))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_numbers_are_written_as_python_writes_them(ask: Ask, values: list[float]) -> None:
    for decimals in (0, 1, 2, 3, 4):
        assert ask("fixed", values=values, decimals=decimals)["shown"] == [f"{value:.{decimals}f}" for value in values]


COMPARED = ("structural", "percentile:percentile=70", "fixed_size", "recursive", "heading", "changepoint")
"""Fixed sizes and the pieces of ``recursive`` are cut inside sentences too."""


@pytest.mark.parametrize("name", samples.names())
def test_a_comparison_has_the_agreement_and_the_differences_of_python(ask: Ask, name: str) -> None:
    sample = samples.load(name)
    workspace = DocumentAnalysis(sample.document)
    settings = [strategies.parse(line) for line in COMPARED]
    entries = [report.entry(setting, setting.run(workspace)) for setting in settings]
    compared = report.make(workspace, entries, Reference(sample.boundaries))
    found = ask("comparison", page=data_of(StandalonePage(workspace, compared, "sample.md")))
    cuts = [set(made.gaps.tolist()) for made in compared.cuts]
    votes = np.rint(compared.consensus * len(cuts)).astype(int)
    assert found["votes"] == votes.tolist()
    assert set(found["disputed"]) == set.union(*cuts) - set.intersection(*cuts)
    people = set(compared.reference_gaps.tolist())
    _, agreement = compared.matrix("f1")
    for lane, made, score in zip(found["lanes"], cuts, agreement.values[0, 1:], strict=True):
        assert lane["score"] == pytest.approx(score)
        assert (set(lane["missed"]), set(lane["added"])) == (people - made, made - people)
        others = [each for each in cuts if each is not made]
        assert set(lane["alone"]) == made - set.union(*others)
        assert set(lane["without"]) == set.intersection(*others) - made
    assert found["best"]["score"] == pytest.approx(agreement.values[0, 1:].max())


SETTING = {
    "rule": "percentile",
    "alpha": 0.4,
    "amount": 90.0,
    "count": 0,
    "fineness": 0.0,
    "softMinimum": 0,
    "fitEncoder": True,
    "keepTogether": True,
}
SIZES = st.sampled_from([0, 1, 20, 50, 60, 61, 100, 1000])


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SIZES, SIZES, SIZES, st.sampled_from(["sentences", "tokens"]))
def test_sizes_that_contradict_each_other_are_left_out_as_python_does(
    ask: Ask, minimum: int, maximum: int, overlap: int, unit: str
) -> None:
    strategy = strategies.get("structural")
    given = NO_LIMITS | {"min_tokens": minimum, "max_tokens": maximum, "overlap": overlap, "overlap_unit": unit}
    params, _ = strategy_settings.allowed(strategy, strategy.params().values() | given)
    sizes = {"minimum": minimum, "maximum": maximum, "overlap": overlap, "overlapUnit": unit}
    assert ask("admissible", setting=SETTING | sizes) == controls.setting_values(params, "structural") | {
        "alpha": 0.4,
        "amount": 90.0,
        "rule": "percentile",
    }
