"""What a page computes by itself equals what Python makes of the same setting."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import Tools, Workspace, explain, from_text, strategies
from chunking.chunks import leaves
from chunking.comparison import report
from chunking.standalone import StandalonePage, contents, ground
from chunking.strategies import Segmentation
from chunking.strategies.changepoint import ChangepointParameters
from chunking.strategies.gaps import StructuralParameters
from chunking.strategies.reasons import words
from tests.examples import examples
from tests.pages.conftest import Ask
from tests.pages.settings.test_live import RULES, document_of

SLOW = settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def page_of(workspace: Workspace, *made: Segmentation) -> StandalonePage:
    entries = [report.ComparisonEntry(str(at), str(at), "strategy", each) for at, each in enumerate(made)]
    return StandalonePage(workspace, report.make(workspace, entries), "text.md")


def data_of(page: StandalonePage) -> dict[str, Any]:
    """Return the data as the browser reads them out of the file."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def shown(made: Segmentation) -> list[dict[str, Any]]:
    return [
        {
            "start": chunk.start,
            "end": chunk.end,
            "reach": chunk.reach,
            "tokens": chunk.tokens,
            "overlapTokens": chunk.overlap_tokens,
            "notes": list(chunk.notes),
            "gap": -1 if chunk.cut is None or chunk.cut.gap is None else chunk.cut.gap,
            "driver": (chunk.cut.driver or "") if chunk.cut else "",
            "why": words(chunk.cut),
        }
        for chunk in leaves(made.chunks)
    ]


def check(ask: Ask, page: StandalonePage, expected: Segmentation, moved: dict[str, float], lane: int = 0) -> None:
    answer = ask("standalone", page=data_of(page), lane=lane, moved=moved)
    assert answer["chunks"] == shown(expected)
    assert answer["html"] == contents.chunks(expected, page.comparison.offsets)
    if expected.signals is not None:
        assert np.allclose(answer["fused"], expected.signals.fused, atol=1e-6)
        assert answer["exceeding"] == np.flatnonzero(expected.signals.threshold.exceeded).tolist()


@st.composite
def limits(draw: st.DrawFn) -> dict[str, Any]:
    """Limits and overlaps; a maximum of 12 is below the longest sentences."""
    minimum = draw(st.sampled_from([0, 0, 5, 20, 60]))
    maximum = draw(st.sampled_from([0, 0, 12, 30, 90, 200]))
    unit = draw(st.sampled_from(["sentences", "tokens"]))
    overlap = draw(st.sampled_from([0, 1, 3]))
    if maximum:
        minimum = min(minimum, maximum // 2)
    return {"min_tokens": minimum, "max_tokens": maximum, "overlap": overlap, "overlap_unit": unit}


@SLOW
@given(st.data(), st.integers(0, 10**6), st.sampled_from([0, 1, 2, 9, 40]), st.sampled_from(sorted(RULES)), limits())
def test_a_page_makes_the_chunks_that_python_makes(
    ask: Ask, data: st.DataObject, seed: int, paragraphs: int, rule: str, sizes: dict[str, Any]
) -> None:
    workspace = document_of(seed, paragraphs)
    amount, values = RULES[rule]
    base = {amount: 90.0 if amount == "percentile" else 1.0, **sizes}
    name = data.draw(st.sampled_from(["structural", rule]))
    base |= {"threshold": rule} if name == "structural" else {}
    strategy = strategies.get(name)
    made = strategies.run(name, workspace, strategy.params(**base))
    controls = {each.key: each for each in ground.controls(workspace, made)}
    assert set(controls) == {"amount", "overlap"} | ({"alpha"} if name == "structural" else set())
    moved: dict[str, float] = {}
    for key, control in controls.items():
        if control.reason:
            continue
        if key == "overlap":
            moved[key] = data.draw(st.integers(0, int(control.high)))
        else:
            moved[key] = data.draw(values if key == "amount" else st.floats(0, 1))
    given = base | {controls[key].name: value for key, value in moved.items()}
    check(ask, page_of(workspace, made), strategies.run(name, workspace, strategy.params(**given)), moved)


@pytest.mark.parametrize("unit", ["sentences", "tokens"])
def test_a_maximum_below_a_sentence_is_followed_or_says_why(ask: Ask, unit: str) -> None:
    workspace = document_of(4, 12)
    params = StructuralParameters(max_tokens=9, overlap=2, overlap_unit=unit)
    made = strategies.run("structural", workspace, params)
    assert any(chunk.cut and chunk.cut.reason == "oversized_sentence" for chunk in made.chunks)
    reasons = [each.reason for each in ground.controls(workspace, made)]
    moved: dict[str, Any] = {} if unit == "tokens" else {"alpha": 0.1, "overlap": 5}
    assert [bool(reason) for reason in reasons] == [not moved] * 3
    check(ask, page_of(workspace, made), strategies.run("structural", workspace, replace(params, **moved)), moved)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, 10**6),
    st.sampled_from([2, 9, 30]),
    st.sampled_from(ground.ALPHAS),
    st.sampled_from(ground.FINENESSES),
    st.integers(0, 12),
)
def test_divisions_at_change_points_are_those_of_python(
    ask: Ask, seed: int, paragraphs: int, alpha: float, fineness: float, overlap: int
) -> None:
    workspace = document_of(seed, paragraphs)
    params = strategies.get("changepoint").params()
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
    for alpha in ground.ALPHAS:
        answer = ask("standalone", page=data, lane=0, moved={"alpha": alpha})
        expected = strategies.run("changepoint", workspace, replace(params, alpha=alpha))
        assert [chunk["start"] for chunk in answer["chunks"]] == [chunk.start for chunk in expected.chunks]
        assert expected.signals is not None and answer["threshold"] == expected.signals.threshold.value
        seen.add(tuple(chunk.start for chunk in expected.chunks))
    assert len(seen) > 2


def test_the_chart_has_room_for_the_curves_of_every_step() -> None:
    workspace = document_of(3, 14)
    lane = data_of(page_of(workspace, strategies.run("changepoint", workspace)))["lanes"][0]
    low, high = lane["curves"]["range"]
    found = [strategies.parse(f"changepoint:fineness={value}").run(workspace).signals for value in ground.FINENESSES]
    assert high > max(each.semantic.max() for each in found if each is not None)
    assert low <= 0 and lane["curves"]["ticks"][-1] <= high


def test_in_a_long_document_a_move_of_alpha_returns_the_fineness(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunking.standalone.ground.ALL_PAIRS", 20)
    monkeypatch.setattr("chunking.standalone.divisions.ALL_PAIRS", 20)
    workspace = document_of(6, 12)
    made = strategies.parse("changepoint:fineness=1").run(workspace)
    assert len(workspace.sentences) > 20
    page = page_of(workspace, made)
    lane = data_of(page)["lanes"][0]
    assert len(lane["steps"]) == len(ground.ALPHAS) + len(ground.FINENESSES) - 1
    assert [each["note"] for each in lane["controls"][:2]] == [
        "In a document of this length, a move returns Coarse to fine to 1.",
        "In a document of this length, a move returns α to 0.35.",
    ]
    for moved, shown in (
        ({"fineness": -2.0, "alpha": 0.8}, {"alpha": 0.8, "fineness": 1.0}),
        ({"alpha": 0.8, "fineness": -2.0}, {"alpha": 0.35, "fineness": -2.0}),
    ):
        answer = ask("standalone", page=data_of(page), lane=0, moved=moved)
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
    workspace = Workspace(
        from_text("# 😀 Tea\n\nBoil 😀😀 it. Wait 𝒳 now.\n\n# Bread\n\nKnead 😀 it. Bake it."),
        Tools("char-ngrams", splitter="rules"),
    )
    made = strategies.parse("structural:percentile=50;overlap=1").run(workspace)
    assert len(made.chunks) > 2
    check(ask, page_of(workspace, made), made, {})


def test_the_panel_has_the_numbers_of_the_ledger(ask: Ask) -> None:
    workspace = document_of(5, 20)
    made = strategies.parse("structural:alpha=0.3;percentile=80").run(workspace)
    data = data_of(page_of(workspace, made))
    for gap in range(len(workspace.offsets)):
        html = ask("panel", page=data, lane=0, gap=gap)["html"]
        known = explain.explain_gap(made, gap)
        for number in (known.semantic, known.structural, known.fused, known.score, known.threshold):
            assert f"{number:.3f}" in html
        assert f"{abs(known.margin):.3f}</b>" in html
        assert f"{known.rank:,} of" in html
        assert known.amount_flip is not None and f"cut below {known.amount_flip:.2f}" in html
        for share in (*known.shares, *known.scales):
            if abs(share.share) >= 1e-3:
                assert f"<td>{share.weight:.4f}</td><td>{share.share:.3f}</td>" in html
        assert {"cut": "cut ·", "merged": "merged", "forced": "split", "not cut": "not cut"}[known.verdict] in html


@given(st.lists(st.floats(-1e6, 1e6) | st.integers(-2000, 2000).map(lambda whole: whole / 16), max_size=50))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_numbers_are_written_as_python_writes_them(ask: Ask, values: list[float]) -> None:
    for decimals in (0, 1, 2, 3, 4):
        assert ask("fixed", values=values, decimals=decimals)["shown"] == [f"{value:.{decimals}f}" for value in values]
