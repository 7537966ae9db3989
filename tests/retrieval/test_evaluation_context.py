from __future__ import annotations

import pytest

from chunking.retrieval import evaluate as engine
from chunking.retrieval.evaluate import EvaluationContext, RetrievalOptions, evaluate
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.search.index import usable
from chunking.retrieval.search.ranking import Method
from chunking.strategies import parse
from tests.retrieval.made import TOOLS, any_set, spans, word_counts

__all__ = ["word_counts"]

pytestmark = pytest.mark.usefixtures("word_counts")

SETTING = "structural:percentile=70"


@pytest.mark.parametrize(
    ("room", "method", "line"),
    [
        (0, "dense", SETTING),
        (200, "hybrid", SETTING),
        (engine.OPEN_CHARACTERS, "bm25", SETTING),
        (engine.OPEN_CHARACTERS, "dense", "sentence:max_tokens=9;overlap=0;return=window"),
        (engine.OPEN_CHARACTERS, "dense", "changepoint_tree:max_tokens=24;return=parent"),
        (0, "dense", "changepoint_tree:max_tokens=24;embed=title;return=window"),
    ],
)
def test_a_trial_is_what_the_evaluation_found(
    room: int, method: Method, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "OPEN_CHARACTERS", room)
    known, setting = any_set(7), parse(line, retrieval=True)
    found = evaluate(known, {line: setting}, RetrievalOptions((method,), Cutoff(3).kept, TOOLS))
    context = EvaluationContext(known, TOOLS)
    trial = context.trial(setting, method)
    for name in ("document", "start", "end", "reach", "tokens"):
        assert getattr(trial.passages, name).tolist() == getattr(found.passages[line], name).tolist()
    for one, other in zip(trial.hits.passages, found.rows[0].hits.passages, strict=True):
        assert one.tolist() == other.tolist()
    assert context.trial(setting, method) is trial


@pytest.mark.skipif(not usable(), reason="FAISS is not here")
def test_a_trial_is_searched_as_the_evaluation_was() -> None:
    known = any_set(7)
    settings = {SETTING: parse(SETTING)}
    found = evaluate(known, settings, RetrievalOptions(("dense",), Cutoff(3).kept, TOOLS, "faiss"))
    context = EvaluationContext.of(found)
    assert found.rows[0].searched.lists and context.indexed
    trial = context.trial(parse(SETTING), "dense")
    assert [each.tolist() for each in trial.hits.passages] == [each.tolist() for each in found.rows[0].hits.passages]
    assert not EvaluationContext.of(
        evaluate(known, settings, RetrievalOptions(("dense", "bm25"), Cutoff(3).kept, TOOLS))
    ).indexed


def test_documents_are_kept_open_as_far_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    known = spans(["The lamp burns oil.", "The boat comes on Monday."], [("oil", [(0, "oil")])])
    context = EvaluationContext(known, TOOLS)
    first = context.workspace(0)
    assert context.workspace(0) is first
    monkeypatch.setattr(engine, "OPEN_CHARACTERS", 1)
    context.workspace(1)
    assert context.workspace(0) is not first


def test_whoever_is_told_can_stop_it() -> None:
    def stop(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    known = any_set(7)
    context = EvaluationContext(known, TOOLS, tell=stop)
    with pytest.raises(KeyboardInterrupt):
        context.trial(parse(SETTING), "dense")
    context.tell = lambda *_: None
    assert len(context.trial(parse(SETTING), "dense").passages)
