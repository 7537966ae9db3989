"""What the browser draws while a control is dragged equals what Python then answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import loading, strategies
from chunking.strategies import Segmentation
from chunking.workspace import Tools, Workspace
from pages.shared.settings import live, strategy_settings
from tests.pages.conftest import Ask


def document_of(seed: int, paragraphs: int) -> Workspace:
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
    document = loading.load("\n\n".join(parts).encode(), "text.md", language="en")
    workspace = Workspace(document, Tools(splitter="rules"))
    for window in (0, 1):
        vectors = random.normal(size=(len(workspace.sentences), 8)).astype(np.float32)
        # Some sentences alike: distances that tie.
        vectors[random.random(len(vectors)) < 0.2] = vectors[:1].sum(axis=0)
        workspace.add_vectors(window, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    return workspace


def compare(ask: Ask, workspace: Workspace, made: Segmentation) -> None:
    found = live.curves(workspace, made, strategy_settings.key_of)
    assert found is not None and made.signals is not None
    source = found["source"]
    signals = made.signals
    answer = ask(
        "cuts",
        semantic=signals.semantic.tolist(),
        structural=signals.structural.tolist() if source["structural"] is not None else None,
        tokens={name: source[name].tolist() for name in ("head", "tail", "toAfter", "toBefore")},
        setting=found["setting"],
    )
    cuts = [chunk.cut for chunk in made.chunks if chunk.cut is not None]
    assert answer["fused"] == signals.fused.tolist()
    assert answer["score"] == signals.threshold.score.tolist()
    assert answer["value"] == signals.threshold.value or not len(signals)
    assert answer["boundaries"] == [cut.gap for cut in cuts]
    assert answer["drivers"] == [cut.driver for cut in cuts]
    assert answer["suppressed"] == sorted(made.suppressed_gaps)


RULES = {
    "percentile": ("percentile", st.floats(50, 99.9)),
    "gradient": ("percentile", st.floats(50, 99.9)),
    "standard_deviation": ("deviations", st.floats(0, 6)),
    "interquartile": ("iqr_factor", st.floats(0, 6)),
}


@st.composite
def limits(draw: st.DrawFn) -> dict[str, Any]:
    """Limits that no sentence of the documents exceeds."""
    minimum = draw(st.sampled_from([0, 0, 5, 20, 60]))
    maximum = draw(st.sampled_from([0, 0, 60, 90, 200]))
    unit = draw(st.sampled_from(["sentences", "tokens"]))
    overlap = draw(st.sampled_from([0, 0, 1, 3]))
    return {
        "min_tokens": min(minimum, maximum // 2) if maximum else minimum,
        "max_tokens": maximum,
        "overlap": overlap,
        "overlap_unit": unit,
    }


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.data(), st.integers(0, 10**6), st.sampled_from([0, 1, 2, 9, 40, 150]), st.sampled_from(sorted(RULES)), limits()
)
def test_the_browser_cuts_what_python_cuts(
    ask: Ask, data: st.DataObject, seed: int, paragraphs: int, rule: str, sizes: dict[str, Any]
) -> None:
    workspace = document_of(seed, paragraphs)
    amount, values = RULES[rule]
    given = {amount: data.draw(values), **sizes}
    if data.draw(st.booleans()):
        name, given = "structural", given | {"alpha": data.draw(st.floats(0, 1)), "threshold": rule}
    else:
        name = rule
    params = strategies.get(name).params(**given)
    compare(ask, workspace, strategies.run(name, workspace, params))


def test_change_points_are_left_to_python() -> None:
    workspace = document_of(1, 9)
    made = strategies.run("changepoint", workspace, strategies.get("changepoint").params())
    assert live.curves(workspace, made, strategy_settings.key_of) is None
