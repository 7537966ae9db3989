"""What holds of every strategy, on every sample, on real files and on odd texts."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import ChunkscopeError, samples, strategies
from chunking.chunks import SizeParameters
from chunking.chunks.edits import ACTIONS, edit_at
from chunking.embedding.vector_cache import default_cache
from chunking.strategies import REGISTRY, Strategy
from chunking.strategies.base import edit_outcomes
from chunking.workspace import DocumentAnalysis
from tests.examples import examples
from tests.strategies.checks import ODD, check, holds, laid_out, settings_of, workspace_of

OWN = [strategy for strategy in REGISTRY.values() if strategy.family != "peers"]


@cache
def sample(name: str) -> DocumentAnalysis:
    known = samples.load(name)
    return DocumentAnalysis(known.document, cache=default_cache())


def limits_of(strategy: Strategy) -> dict[str, str]:
    names = {known.name for known in strategy.params.describe()}
    return {"max_tokens": "40", "overlap": "5", "min_tokens": "10"} if "max_tokens" in names else {}


@pytest.mark.parametrize("strategy", OWN, ids=lambda strategy: strategy.name)
@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(drawn=st.data(), document=laid_out)
def test_what_always_holds(strategy: Strategy, drawn: st.DataObject, document: tuple[str, str]) -> None:
    holds(workspace_of(*document), strategy, drawn.draw(settings_of(strategy)))


@pytest.mark.parametrize("strategy", OWN, ids=lambda strategy: strategy.name)
@settings(max_examples=examples(30), deadline=None, suppress_health_check=list(HealthCheck))
@given(drawn=st.data(), document=laid_out)
def test_edits_by_hand_are_followed(strategy: Strategy, drawn: st.DataObject, document: tuple[str, str]) -> None:
    workspace, params = workspace_of(*document), drawn.draw(settings_of(strategy))
    assert isinstance(params, SizeParameters)
    text, gaps = workspace.document.text, workspace.offsets.tolist()
    chosen = drawn.draw(st.lists(st.sampled_from(gaps), unique=True, max_size=6)) if gaps else []
    edits = [edit_at(text, drawn.draw(st.sampled_from(ACTIONS)), offset) for offset in chosen]
    edited = workspace.with_edits(edits)
    result = strategy.run(edited, params)
    check(result, strategy, params.max_tokens)
    starts = {chunk.start for chunk in result.chunks}
    assert edited.located_edits.offsets == dict(enumerate(chosen))
    assert {edit.offset for edit in edits if edit.action == "cut"} <= starts
    if not params.max_tokens and strategy.tiles:
        assert not {edit.offset for edit in edits if edit.action == "join"} & starts
    words = edit_outcomes(edited, result)
    assert [bool(word) for word in words] == [(edit.offset in starts) != (edit.action == "cut") for edit in edits]
    assert strategy.run(workspace.with_edits(()), params).chunks == strategy.run(workspace, params).chunks


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
@pytest.mark.parametrize("strategy", OWN, ids=lambda strategy: strategy.name)
def test_odd_texts(strategy: Strategy, text: str) -> None:
    holds(workspace_of(text), strategy, strategy.params())
    holds(workspace_of(text), strategy, strategies.parameters(strategy, limits_of(strategy)))


@pytest.mark.parametrize("name", samples.names())
@pytest.mark.parametrize("strategy", OWN, ids=lambda strategy: strategy.name)
def test_samples(strategy: Strategy, name: str) -> None:
    workspace = sample(name)
    first = strategy.run(workspace, strategy.params())
    check(first, strategy)
    assert strategy.run(workspace, strategy.params()).chunks == first.chunks
    limited = strategy.run(workspace, strategies.parameters(strategy, limits_of(strategy)))
    check(limited, strategy, 40)


@pytest.mark.parametrize("strategy", REGISTRY.values(), ids=lambda strategy: strategy.name)
def test_every_strategy_says_what_it_is(strategy: Strategy) -> None:
    assert strategy.title and strategy.family and strategy.origin
    assert strategy.summary.endswith(".") and strategy.summary[0].isupper()
    assert strategy.name == strategy.name.lower() and strategy.name.isidentifier()
    for known in strategy.params.describe():
        assert known.title and known.help.endswith((".", ")")), known.name
        assert known.check(known.default) == known.default
        if known.type in ("number", "integer"):
            assert known.minimum is not None and known.maximum is not None and known.minimum < known.maximum
        else:
            assert known.choices
    assert strategy.params() == strategies.parameters(strategy, {})


@pytest.mark.parametrize("strategy", OWN, ids=lambda strategy: strategy.name)
def test_contradicting_sizes_are_refused_in_one_place(strategy: Strategy) -> None:
    for texts in (
        {"min_tokens": "300", "max_tokens": "200"},
        {"overlap_unit": "tokens", "overlap": "90", "max_tokens": "80"},
    ):
        units = strategy.params.lookup("overlap_unit").choices
        if texts.get("overlap_unit", units[0]) not in units:
            continue
        with pytest.raises(ChunkscopeError, match=r"larger than max_tokens|no room"):
            strategies.parameters(strategy, texts)
