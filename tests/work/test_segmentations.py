"""Strategies and alignments in processes of their own: the same results, limits, and answers that are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chunking import loading, sentences, strategies
from chunking.alignment import Piece, align
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.isolation import LimitError
from chunking.isolation.workers import run_here
from chunking.strategies import Segmentation, Strategy
from chunking.work import backend, segmentations
from chunking.work.backend import WorkerBackend
from chunking.work.segmentations import Answer, Request
from chunking.workspace import DocumentAnalysis, Models
from tests.golden import corpus
from tests.work.endless import HELD, hold
from tests.work.test_measures import answer_with

TOOLS = Models(encoder="static", splitter=sentences.RULES)
ON_TEXT = [each for each in strategies.REGISTRY.values() if not each.on_curves]
DOCUMENTS = {each.name: each.path for each in corpus.golden_documents()}
MARKDOWN = loading.from_text("# Tides\n\nBoats wait. Tides rise.\n\n- one\n- two\n", "tides.md")


def content(made: Segmentation) -> list[Any]:
    """All that a segmentation holds, with the counts that are made when they are read."""
    spans = ("start", "end", "text", "tokens", "overlap", "overlap_tokens", "indexed_tokens")
    fields = (*spans, "heading_path", "cut", "notes", "parent", "foreign")
    chunks = [tuple(getattr(chunk, name) for name in fields) for chunk in made.chunks]
    return [made.strategy, made.params, chunks, made.suppressed, made.signals, made.warnings, made.unplaced]


def outcome(make: Callable[[], Segmentation]) -> list[Any] | str:
    try:
        return content(make())
    except ChunkscopeError as error:
        return str(error)


def workspace_of(document: Document, tools: Models = TOOLS) -> DocumentAnalysis:
    return DocumentAnalysis(document, tools, backend=WorkerBackend(run_here))


@pytest.fixture(params=list(DOCUMENTS.values()), ids=list(DOCUMENTS))
def document(request: pytest.FixtureRequest) -> Document:
    path: Path = request.param
    return loading.load(path.read_bytes(), path.name)


def test_a_process_cuts_what_is_cut_here(document: Document) -> None:
    here = DocumentAnalysis(document, TOOLS)
    for strategy in ON_TEXT:
        if strategy.family != "peers":
            there = outcome(partial(strategy.run, workspace_of(document), strategy.params()))
            assert there == outcome(partial(strategy.cut, here, strategy.params())), strategy.name


@pytest.mark.parametrize("strategy", [each for each in ON_TEXT if each.family == "peers"], ids=lambda each: each.name)
def test_a_process_cuts_with_other_libraries_as_they_cut_here(strategy: Strategy) -> None:
    if not strategy.installed():
        pytest.skip("not installed")
    for path in list(DOCUMENTS.values())[:4]:
        document = loading.load(path.read_bytes(), path.name)
        there = outcome(partial(strategy.run, workspace_of(document), strategy.params()))
        assert there == outcome(partial(strategy.cut, DocumentAnalysis(document, TOOLS), strategy.params()))


SETTINGS = (
    "recursive:size=20;overlap=5;overlap_unit=tokens;min_tokens=5",
    "fixed_size:max_tokens=16;overlap=2;overlap_unit=sentences",
    "section_semantic:window=1",
    "whole:max_tokens=8",
)


@pytest.mark.parametrize("line", SETTINGS)
@pytest.mark.parametrize("tokenizer", ["cl100k_base", "encoder"])
def test_what_a_strategy_needs_is_computed_by_its_caller(line: str, tokenizer: str) -> None:
    setting = strategies.parse(line)
    tools = replace(TOOLS, tokenizer=tokenizer if tokenizer != "encoder" else "encoder:static")
    document = loading.from_text("# Tides\n\n" + "Boats wait in the harbour. Tides rise at noon.\n\n" * 9, "tides.md")
    there = workspace_of(document, tools)
    assert not there.has_sentences
    assert content(setting.run(there)) == content(
        setting.strategy.cut(DocumentAnalysis(document, tools), setting.params)
    )


def test_an_empty_text_is_cut() -> None:
    empty = loading.from_text("")
    for strategy in ON_TEXT:
        if strategy.family != "peers":
            there = outcome(partial(strategy.run, workspace_of(empty), strategy.params()))
            here = outcome(partial(strategy.cut, DocumentAnalysis(empty, TOOLS), strategy.params()))
            assert there == here, strategy.name


def test_curves_are_cut_in_the_process_that_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slider is moved: the strategy works on numbers alone, and no process is started."""
    workspace = workspace_of(MARKDOWN)
    for strategy in strategies.REGISTRY.values():
        if strategy.on_curves:
            strategy.run(workspace, strategy.params())  # measures the text
    monkeypatch.setattr("chunking.isolation.run", None)
    for strategy in strategies.REGISTRY.values():
        if strategy.on_curves:
            assert strategy.run(workspace, strategy.params()).chunks


# --- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "function"), HELD.items(), ids=HELD)
def test_a_strategy_that_never_ends_is_stopped_and_says_which_limit_it_met(
    monkeypatch: pytest.MonkeyPatch, name: str, function: str
) -> None:
    if not strategies.get(name).installed():
        pytest.skip("not installed")
    targets = hold(monkeypatch, function)
    workspace = workspace_of(MARKDOWN)
    for _ in range(2):  # the page is drawn again
        with pytest.raises(LimitError) as raised:
            strategies.run(name, workspace)
        words = "The strategy took longer than 1 seconds of the processor on “tides.md”, so it was stopped."
        assert raised.value.problem == words
    assert len(targets) == 1
    assert strategies.run("heading", workspace).chunks
    monkeypatch.setattr(backend, "STOPPED_SECONDS", 0.0)
    with pytest.raises(LimitError):
        strategies.run(name, workspace)
    assert len(targets) == 3


def test_a_strategy_that_crashes_its_process_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    hold(monkeypatch, "crash")
    with pytest.raises(ChunkscopeError, match=r"The strategy crashed \(SIGSEGV\) on “tides.md”"):
        strategies.run("recursive", workspace_of(MARKDOWN))


def test_an_alignment_that_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    hold(monkeypatch, "hold_alignment")
    with pytest.raises(LimitError, match="The alignment of your chunks took longer than 1 seconds of the processor"):
        workspace_of(MARKDOWN).align([Piece("Boats wait.")])


def test_chunks_are_aligned_in_a_process_as_here(document: Document) -> None:
    words = document.text.split()
    pieces = [Piece(" ".join(words[start : start + 40])) for start in range(0, min(len(words), 400), 40)]
    pieces += [Piece("what no document has"), Piece("")]
    assert segmentations.align(document, pieces) == align(document.text, pieces)


# --- what comes back -------------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {
    "start": 0, "end": len(MARKDOWN.text), "overlap": None, "tokens": 1, "overlap_tokens": 0, "indexed_tokens": 1,
    "heading_path": [], "cut": None, "notes": [], "parent": None, "foreign": None,
}  # fmt: skip
CUT: dict[str, Any] = {
    "offset": 9, "reason": "heading", "driver": None, "gap": None, "score": None, "threshold": None, "detail": "",
}  # fmt: skip
BAD: dict[str, dict[str, Any]] = {
    "a span beyond the text": {"end": 999},
    "an empty span": {"start": 5, "end": 5},
    "no tiling": {"start": 1},
    "an overlap after the start": {"overlap": 3},
    "a negative count": {"tokens": -1},
    "no number": {"tokens": "many"},
    "a parent that is none": {"parent": 7},
    "an unknown reason": {"cut": CUT | {"reason": "<script>"}},
    "a cut beyond the text": {"cut": CUT | {"offset": 999}},
    "a gap that is none": {"cut": CUT | {"gap": 99}},
    "a lost part beyond the text": {"foreign": {"text": "a", "missing": [[0, 999]], "added": []}},
    "a missing field": {"heading_path": None},
}


def result(record: dict[str, Any]) -> dict[str, Any]:
    return {"result": {"chunks": [record], "suppressed": [], "warnings": [], "unplaced": [], "kept": []}}


def test_a_segmentation_that_fits_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, result(GOOD))
    (chunk,) = strategies.run("whole", workspace_of(MARKDOWN)).chunks
    assert chunk.text == MARKDOWN.text


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_a_segmentation_that_does_not_fit_the_text_is_refused(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    answer_with(monkeypatch, result(GOOD | change))
    with pytest.raises(ChunkscopeError, match="The strategy failed"):
        strategies.run("whole", workspace_of(MARKDOWN))


@pytest.mark.parametrize("value", [{}, [], {"result": None}, {"texts": [1]}])
def test_an_answer_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, value: object) -> None:
    answer_with(monkeypatch, value)
    with pytest.raises(ChunkscopeError, match="The strategy failed"):
        strategies.run("whole", workspace_of(MARKDOWN))


def test_a_strategy_that_needs_more_without_end_is_stopped() -> None:
    def ask(_: Request) -> Answer:
        return Answer(texts=("again",))

    whole = strategies.get("whole")
    with pytest.raises(ChunkscopeError, match="needed vectors"):
        segmentations.segment(whole, DocumentAnalysis(MARKDOWN, TOOLS), whole.params(), ask)


@pytest.mark.parametrize("placed", [[], [{"start": 0, "end": 999, "missing": [], "added": [], "exact": True}]])
def test_an_alignment_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch, placed: list[Any]) -> None:
    answer_with(monkeypatch, placed)
    with pytest.raises(ChunkscopeError, match="The alignment of your chunks failed"):
        segmentations.align(MARKDOWN, [Piece("Boats wait.")])
