"""What the browser draws while a control is dragged equals what Python then answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import loading, strategies
from chunking.strategies import Segmentation
from chunking.strategies.changepoint import ChangepointParameters
from chunking.tuning import ladder
from chunking.workspace import Tools, Workspace
from pages.shared.components.live import LiveSource
from pages.shared.settings import lane_settings, live, strategy_settings
from tests.examples import examples
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


def tokens_of(source: LiveSource) -> dict[str, list[int]]:
    head, tail, after, before = source["head"], source["tail"], source["toAfter"], source["toBefore"]
    columns = {"head": head, "tail": tail, "toAfter": after, "toBefore": before}
    return {name: values.tolist() for name, values in columns.items()}


def compare(ask: Ask, workspace: Workspace, made: Segmentation) -> None:
    found = live.curves(workspace, made, strategy_settings.key_of)
    assert found is not None and made.signals is not None
    source = found["source"]
    assert not isinstance(source, str)
    signals = made.signals
    answer = ask(
        "cuts",
        semantic=signals.semantic.tolist(),
        structural=signals.structural.tolist() if source["structural"] is not None else None,
        tokens=tokens_of(source),
        setting=found["setting"],
    )
    cuts = [chunk.cut for chunk in made.chunks if chunk.cut is not None]
    assert answer["fused"] == signals.fused.tolist()
    assert answer["score"] == signals.threshold.score.tolist()
    assert answer["value"] == signals.threshold.value or not len(signals)
    assert answer["exceeding"] == np.flatnonzero(signals.threshold.exceeded).tolist()
    assert answer["boundaries"] == [cut.gap for cut in cuts]
    # Where the lanes of Compare draw them.
    assert workspace.offsets[answer["boundaries"]].tolist() == [cut.offset for cut in cuts]
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


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


@pytest.fixture(scope="module")
def long_document() -> Workspace:
    """A document of more than 20,000 sentences."""
    workspace = document_of(3, 6000)
    assert len(workspace.sentences) > 20_000
    return workspace


@pytest.mark.parametrize("rule", sorted(RULES))
@pytest.mark.parametrize("sizes", [{}, {"min_tokens": 40, "max_tokens": 200, "overlap": 2}], ids=["free", "limited"])
def test_the_browser_cuts_a_long_document_as_python_does(
    ask: Ask, long_document: Workspace, rule: str, sizes: dict[str, Any]
) -> None:
    amount, _ = RULES[rule]
    given = {"threshold": rule, amount: 93.7 if amount == "percentile" else 0.6, "alpha": 0.37, **sizes}
    params = strategies.get("structural").params(**given)
    made = strategies.run("structural", long_document, params)
    assert len(made.chunks) > 500
    compare(ask, long_document, made)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, LiveSource]:
    """The sources that are sent, by name."""
    found: dict[str, LiveSource] = {}
    monkeypatch.setattr(live, "send_source", lambda _key, name, source: found.update({name: source}))
    return found


def run_changepoint(workspace: Workspace, **given: Any) -> Segmentation:
    return strategies.run("changepoint", workspace, ChangepointParameters(**given))


def divided(ask: Ask, made: Segmentation, source: LiveSource, **moved: float) -> dict[str, Any]:
    """What the browser cuts where controls of change points are moved."""
    assert made.signals is not None and source["divisions"] is not None
    return ask(
        "cuts",
        semantic=made.signals.semantic.tolist(),
        structural=made.signals.structural.tolist(),
        tokens=tokens_of(source),
        setting=live.setting(made.params, "changepoint") | moved,
        divisions=listed(source["divisions"]),
    )


def listed(divisions: Any) -> dict[str, Any]:
    ladders = {name: divisions[name] | {"gaps": divisions[name]["gaps"].tolist()} for name in ("alphas", "levels")}
    return {"fused": np.frombuffer(divisions["fused"].tobytes()).tolist(), "alpha": divisions["alpha"], **ladders}


def cut_gaps(made: Segmentation) -> list[int]:
    assert made.signals is not None
    return np.flatnonzero(made.signals.threshold.exceeded).tolist()


@pytest.mark.parametrize("given", [{}, {"percentile": 80.0}, {"boundaries": 4}])
def test_at_a_division_made_in_advance_the_browser_cuts_what_python_cuts(
    ask: Ask, sent: dict[str, LiveSource], given: dict[str, Any]
) -> None:
    workspace = document_of(1, 9)
    made = run_changepoint(workspace, **given)
    curves = live.curves(workspace, made, strategy_settings.key_of, later=True)
    live.send_later("_chart", workspace, made)
    assert curves is not None and list(sent) == [curves["source"]]
    (source,) = sent.values()
    for alpha in (0.0, 0.5, 1.0):
        answer = divided(ask, made, source, alpha=alpha + 0.004)
        assert not answer["exact"]
        assert answer["boundaries"] == cut_gaps(run_changepoint(workspace, **given, alpha=alpha))
    for level in (-2.0, 0.0, 1.25):
        answer = divided(ask, made, source, fineness=level, amount=0.0, count=0)
        assert answer["boundaries"] == cut_gaps(run_changepoint(workspace, fineness=level))
    counts = [len(divided(ask, made, source, count=count)["boundaries"]) for count in (1, 5, 15)]
    assert counts == sorted(counts) and counts[0] < counts[-1]


def test_a_run_with_the_same_setting_divides_nothing_anew(
    sent: dict[str, LiveSource], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = document_of(2, 9)
    made = run_changepoint(workspace, alpha=0.21)
    live.send_later("_chart", workspace, made)
    for name in ("alpha_ladder", "fineness_ladder"):
        monkeypatch.setattr(ladder, name, lambda *_: pytest.fail("it divided again"))
    live.send_later("_chart", workspace, made)
    assert len(sent) == 1


def test_without_time_for_divisions_change_points_are_left_to_python(sent: dict[str, LiveSource]) -> None:
    workspace = document_of(1, 9)
    made = run_changepoint(workspace)
    assert live.curves(workspace, made, strategy_settings.key_of) is None, "Compare sends none"
    tree = strategies.run("changepoint_tree", workspace, strategies.get("changepoint_tree").params())
    assert live.curves(workspace, tree, strategy_settings.key_of, later=True) is None
    live.send_later("_chart", workspace, tree)
    assert not sent


SETTING = {"rule": "percentile", "alpha": 0.4, "amount": 90.0, "count": 0, "fineness": 0.0}
SIZES = st.sampled_from([0, 1, 20, 50, 60, 61, 100, 1000])


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SIZES, SIZES, SIZES, st.sampled_from(["sentences", "tokens"]))
def test_sizes_that_contradict_each_other_are_left_out_as_python_does(
    ask: Ask, minimum: int, maximum: int, overlap: int, unit: str
) -> None:
    strategy = strategies.get("structural")
    given = {"min_tokens": minimum, "max_tokens": maximum, "overlap": overlap, "overlap_unit": unit}
    params, _ = strategy_settings.allowed(strategy, strategy.params().values() | given)
    sizes = {"minimum": minimum, "maximum": maximum, "overlap": overlap, "overlapUnit": unit}
    assert ask("admissible", setting=SETTING | sizes) == live.setting(params, "structural") | {
        "alpha": 0.4,
        "amount": 90.0,
        "rule": "percentile",
    }


def test_each_page_names_its_own_controls() -> None:
    workspace = document_of(2, 9)
    made = strategies.run("percentile", workspace, strategies.get("percentile").params())
    for key_of, key in ((strategy_settings.key_of, "percentile"), (lane_settings.key_of, "_lane_percentile")):
        found = live.curves(workspace, made, key_of)
        assert found is not None
        assert found["controls"] == {
            f"{key}_percentile": "amount",
            f"{key}_overlap": "overlap",
            f"{key}_min_tokens": "minimum",
            f"{key}_max_tokens": "maximum",
        }
