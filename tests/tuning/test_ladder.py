"""Divisions that are made in advance are those of the strategy at the same setting."""

from __future__ import annotations

import numpy as np
import pytest

from chunking import from_text, strategies
from chunking.strategies.changepoint import ChangepointParameters
from chunking.tuning import ladder
from chunking.workspace import Tools, Workspace

TEXT = "# Tides\n\n" + "The water rises twice a day. Boats wait for it. The harbour fills. " * 6
TEXT += "\n\n# Bread\n\n" + "Knead the dough. Let it rise. Bake it in a hot oven. Eat it warm. " * 6


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace(from_text(TEXT, "made.md", "markdown", "en"), Tools(encoder="static", splitter="rules"))


SETTINGS: tuple[dict[str, object], ...] = (
    {},
    {"percentile": 80.0},
    {"boundaries": 5},
    {"fineness": 1.5},
    {"min_tokens": 20, "max_tokens": 60},
)


@pytest.mark.parametrize("given", SETTINGS)
def test_each_step_of_alpha_is_what_the_strategy_cuts_there(workspace: Workspace, given: dict[str, object]) -> None:
    params = ChangepointParameters(**given)  # type: ignore[arg-type]
    steps = ladder.alpha_ladder(workspace, params, 6)
    for alpha, penalty, cuts in zip(steps.values, steps.penalties, steps.cuts, strict=True):
        found = strategies.run("changepoint", workspace, ChangepointParameters(**{**given, "alpha": float(alpha)}))  # type: ignore[arg-type]
        assert found.signals is not None
        assert found.signals.threshold.value == pytest.approx(penalty)
        assert cuts.tolist() == [chunk.cut.gap for chunk in found.chunks if chunk.cut and chunk.cut.gap is not None]


def test_the_steps_of_fineness_go_from_few_cuts_to_many_as_the_strategy_does(workspace: Workspace) -> None:
    steps = ladder.fineness_ladder(workspace, ChangepointParameters(percentile=90.0), 7)
    counts = [len(cuts) for cuts in steps.cuts]
    assert counts == sorted(counts) and counts[0] < counts[-1]
    assert steps.values.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    for level, cuts in zip(steps.values, steps.cuts, strict=True):
        found = strategies.run("changepoint", workspace, ChangepointParameters(fineness=float(level)))
        assert found.signals is not None
        assert cuts.tolist() == np.flatnonzero(found.signals.threshold.exceeded).tolist()


def test_long_documents_and_single_sentences_have_none() -> None:
    assert [ladder.steps_for(count) for count in (1, 2, 2_000, 2_001, 5_000, 5_001)] == [0, 25, 25, 13, 13, 0]
    assert all(steps % 2 for _, steps in ladder.STEPS), "the automatic number is the middle one"
