from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunking import embedding, isolation, loading, sentences, structure
from chunking.chunks import outline
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.isolation import LimitError, Limits, calls, message
from chunking.isolation.message import Message
from chunking.rendering import render
from chunking.structure import FEATURE_SETS
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
        np.testing.assert_array_equal(measures.measure(wanted, name).values, structure.measure(wanted, name).values)
    np.testing.assert_array_equal(measures.strength(wanted), outline.strength(wanted))
    vectors = embedding.embed(wanted.texts, embedding.get_encoder("static"))
    np.testing.assert_array_equal(measures.static_vectors(wanted.texts, document.name), vectors)
    assert measures.render(document) == render(document)


def test_a_text_without_sentences_is_measured() -> None:
    empty = loading.from_text("")
    found = measures.split(empty, sentences.RULES)
    assert (len(found), measures.measure(found, "cues").values.shape[0], measures.strength(found).size) == (0, 0, 0)
    assert measures.static_vectors([], "empty").shape == (0, 256)
    assert measures.render(empty) == render(empty)


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
    given = {name: np.array(rows, dtype=np.int64) for name, rows in arrays.items()}
    answer = message.pack(Message({"splitter": "rules"}, (), given), measures.TYPES)
    monkeypatch.setattr(isolation, "run", lambda *_: answer)
    with pytest.raises(ChunkscopeError, match="cannot be read"):
        measures.split(TEXT, sentences.RULES)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_none_are_refused(monkeypatch: pytest.MonkeyPatch, value: float) -> None:
    found = sentences.split(TEXT, sentences.RULES)
    answer = message.pack(Message({}, (), {"strength": np.full(len(found) - 1, value)}), measures.TYPES)
    monkeypatch.setattr(isolation, "run", lambda *_: answer)
    with pytest.raises(ChunkscopeError, match="cannot be read"):
        measures.strength(found)


ELEMENT = [0, 0, 5, 0, 0]
RENDERING: dict[str, list[Any]] = {"elements": [ELEMENT], "titles": [""], "substitutions": [], "instead": []}
BAD_RENDERINGS: dict[str, dict[str, list[Any]]] = {
    "a kind that is none": {"elements": [[99, 0, 5, 0, 0]]},
    "an element beyond the text": {"elements": [[0, 0, 999, 0, 0]]},
    "an empty element": {"elements": [[0, 5, 5, 0, 0]]},
    "an element that is too deep": {"elements": [[0, 0, 5, 999, 0]]},
    "elements out of order": {"elements": [[0, 5, 9, 0, 0], ELEMENT], "titles": ["", ""]},
    "fewer titles": {"titles": []},
    "fewer texts": {"substitutions": [[0, 3]]},
    "a substitution beyond the text": {"substitutions": [[0, 999]], "instead": [""]},
    "an empty substitution": {"substitutions": [[3, 3]], "instead": [""]},
    "substitutions that overlap": {"substitutions": [[0, 5], [3, 8]], "instead": ["", ""]},
}


def answer_rendering(monkeypatch: pytest.MonkeyPatch, given: dict[str, list[Any]]) -> None:
    shapes = {"elements": (-1, 5), "substitutions": (-1, 2)}
    arrays = {name: np.array(given[name], dtype=np.int64).reshape(shape) for name, shape in shapes.items()}
    header = {name: given[name] for name in ("titles", "instead")}
    answer = message.pack(Message(header, (), arrays), measures.TYPES)
    monkeypatch.setattr(isolation, "run", lambda *_: answer)


def test_a_rendering_that_fits_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_rendering(monkeypatch, RENDERING | {"substitutions": [[0, 3], [3, 5]], "instead": ["a", "b"]})
    found = measures.render(TEXT)
    assert (len(found.elements), [each.text for each in found.substitutions]) == (1, ["a", "b"])


@pytest.mark.parametrize("change", BAD_RENDERINGS.values(), ids=BAD_RENDERINGS)
def test_a_rendering_that_does_not_fit_the_text_is_refused(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, list[Any]]
) -> None:
    answer_rendering(monkeypatch, RENDERING | change)
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
