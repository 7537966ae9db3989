from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunking import embedding, loading, sentences
from chunking.chunks import outline
from chunking.chunks.constraints import HAND, KINDS, constraints_of
from chunking.chunks.edits import LocatedEdits, edit_at, locate
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.isolation import LimitError, Limits, calls, codec
from chunking.rendering import render
from chunking.signals import features
from chunking.signals.features import FEATURE_SETS
from chunking.work import measures
from tests.golden import corpus
from tests.isolation.test_calls import ON_LINUX

DOCUMENTS = {each.name: each.path for each in corpus.golden_documents()}
TEXT = loading.from_text("# Tides\n\nBoats wait. Tides rise.\n\n- one\n- two\n")


@pytest.fixture(params=list(DOCUMENTS.values()), ids=list(DOCUMENTS))
def document(request: pytest.FixtureRequest) -> Document:
    path: Path = request.param
    return loading.load(path.read_bytes(), path.name)


def test_a_process_measures_what_is_measured_here(document: Document) -> None:
    found, wanted = measures.split(document, sentences.RULES), sentences.split(document, sentences.RULES)
    np.testing.assert_array_equal(found.spans, wanted.spans)
    np.testing.assert_array_equal(found.block, wanted.block)
    assert (found.document, found.splitter) == (document, wanted.splitter)
    for name in FEATURE_SETS:
        np.testing.assert_array_equal(measures.measure(wanted, name).values, features.measure(wanted, name).values)
    np.testing.assert_array_equal(measures.strength(wanted), outline.strength(wanted))
    vectors = embedding.embed(wanted.texts, embedding.get_encoder("static"))
    np.testing.assert_array_equal(measures.static_vectors(wanted.texts, document.name), vectors)
    assert measures.render(document) == render(document)
    offsets = sentences.gap_offsets(wanted)
    edits = [edit_at(document.text, "cut", offset) for offset in offsets.tolist()[1:40:7]]
    assert measures.locate_edits(edits, document, offsets) == locate(edits, document.text, offsets)


HELD = {
    "a.md": "# Pump\n\nIt moves water:\n\n- cold\n- hot\n\n```py\nx = 1\ny = 2\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    '\n\n!!! note "Cold water"\n\n    It cracks the stones.\n',
    "a.html": "<figure><figcaption>A pump</figcaption><pre>x = 1</pre></figure><ol><li>Close it.<li>Open it.</ol>",
    "a.chat": "Q: Who runs it?\nA: Nobody does.\n" * 3,
}


def test_a_process_finds_everything_that_is_kept_together() -> None:
    documents = [loading.load(text.encode(), name) for name, text in HELD.items()]
    codes: set[int] = set()
    for document in documents:
        found, wanted = measures.constraints(document), constraints_of(document)
        for one, other in ((found.starts, wanted.starts), (found.ends, wanted.ends), (found.codes, wanted.codes)):
            np.testing.assert_array_equal(one, other)
        codes |= set(found.codes.tolist())
    assert {KINDS[code - 1] for code in codes} == {*KINDS} - {"hand"}, "what is joined by hand is known here alone"


@pytest.mark.parametrize("code", [-1, 0, HAND, len(KINDS) + 1])
def test_what_is_kept_together_is_of_a_kind_that_a_document_has(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    found = constraints_of(TEXT)
    answer_with(monkeypatch, replace(found, codes=np.full_like(found.codes, code)))
    with pytest.raises(ChunkscopeError):
        measures.constraints(TEXT)


def test_places_that_are_no_gaps_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    document = loading.from_text("One is here. Two is there. Three is gone.")
    offsets = sentences.gap_offsets(sentences.split(document, sentences.RULES))
    edits = [edit_at(document.text, "cut", int(offsets[0]))]
    for offset, number in ((3, 0), (int(offsets[0]), 1)):
        answer_with(monkeypatch, LocatedEdits({number: offset}))
        with pytest.raises(ChunkscopeError):
            measures.locate_edits(edits, document, offsets)


def test_a_text_without_sentences_is_measured() -> None:
    empty = loading.from_text("")
    found = measures.split(empty, sentences.RULES)
    assert (len(found), measures.measure(found, "cues").values.shape[0], measures.strength(found).size) == (0, 0, 0)
    assert measures.static_vectors([], "empty").shape == (0, 256)
    assert measures.render(empty) == render(empty)


def answer_with(monkeypatch: pytest.MonkeyPatch, value: object) -> None:
    """Let every process answer the same."""
    monkeypatch.setattr(calls, "_execute", lambda *_: codec.encode(value))


BAD = {
    "spans beyond the text": {"spans": [[0, 999]], "block": [0]},
    "spans out of order": {"spans": [[5, 9], [0, 3]], "block": [0, 0]},
    "an empty span": {"spans": [[3, 3]], "block": [0]},
    "no such block": {"spans": [[0, 3]], "block": [99]},
    "fewer blocks": {"spans": [[0, 3]], "block": []},
    "no spans": {},
}


@pytest.mark.parametrize("arrays", BAD.values(), ids=BAD)
def test_sentences_that_do_not_fit_the_text_are_refused(
    monkeypatch: pytest.MonkeyPatch, arrays: dict[str, list[object]]
) -> None:
    given = [np.array(rows, dtype=np.int64) for rows in arrays.values()]
    answer_with(monkeypatch, (*given, "rules"))
    with pytest.raises(ChunkscopeError, match="cannot be read"):
        measures.split(TEXT, sentences.RULES)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_none_are_refused(monkeypatch: pytest.MonkeyPatch, value: float) -> None:
    found = sentences.split(TEXT, sentences.RULES)
    answer_with(monkeypatch, np.full(len(found) - 1, value))
    with pytest.raises(ChunkscopeError, match="cannot be read"):
        measures.strength(found)


ELEMENT = ["paragraph", 0, 5, 0, 0, ""]
RENDERING: dict[str, list[Any]] = {"elements": [ELEMENT], "substitutions": [[0, 3, "a"], [3, 5, "b"]]}
BAD_RENDERINGS: dict[str, dict[str, list[Any]]] = {
    "a kind that is none": {"elements": [["script", 0, 5, 0, 0, ""]]},
    "an element beyond the text": {"elements": [["paragraph", 0, 999, 0, 0, ""]]},
    "an empty element": {"elements": [["paragraph", 5, 5, 0, 0, ""]]},
    "an element that is too deep": {"elements": [["paragraph", 0, 5, 999, 0, ""]]},
    "elements out of order": {"elements": [["paragraph", 5, 9, 0, 0, ""], ELEMENT]},
    "an element without an end": {"elements": [["paragraph", 0]]},
    "a substitution beyond the text": {"substitutions": [[0, 999, ""]]},
    "an empty substitution": {"substitutions": [[3, 3, ""]]},
    "substitutions that overlap": {"substitutions": [[0, 5, ""], [3, 8, ""]]},
}


def test_a_rendering_that_fits_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, RENDERING)
    rendering = measures.render(TEXT)
    assert (len(rendering.elements), [each.text for each in rendering.substitutions]) == (1, ["a", "b"])


@pytest.mark.parametrize("change", BAD_RENDERINGS.values(), ids=BAD_RENDERINGS)
def test_a_rendering_that_does_not_fit_the_text_is_refused(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, list[Any]]
) -> None:
    answer_with(monkeypatch, RENDERING | change)
    with pytest.raises(ChunkscopeError, match="cannot be read"):
        measures.render(TEXT)


def test_a_text_that_takes_for_ever_meets_its_limit() -> None:
    with pytest.raises(LimitError):
        measures.split(TEXT, sentences.RULES, Limits(wall=0.001))


@ON_LINUX
def test_a_process_that_has_rehearsed_has_one_thread() -> None:
    """A fork copies one thread: what another one holds would be held for ever."""
    measures.split(TEXT, sentences.RULES)
    server = calls._WARM.server()
    assert server, "the tests keep one, as a server does"
    assert len(os.listdir(f"/proc/{server.pid}/task")) == 1
