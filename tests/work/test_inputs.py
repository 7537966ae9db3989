"""Chunks, references and reviews read in processes of their own: the same results, limits, and refused answers."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from chunking import isolation, loading
from chunking.alignment import uploads
from chunking.errors import ChunkscopeError
from chunking.gold import gold
from chunking.gold.relocation import Anchor, anchor, relocate
from chunking.gold.state import decisions, reviews
from chunking.isolation import LimitError, typed
from chunking.review import exchange
from chunking.review.exchange import ExistingReviews
from chunking.work import inputs
from tests.work.endless import hold

DOCUMENT = loading.from_text("# Tides\n\nBoats wait. Tides rise.\n\n- one\n- two\n", "tides.md")
EDITED = loading.from_text("Intro.\n\n# Tides\n\nBoats wait here. Tides rise.\n\n- one\n- two\n", "tides.md")
CHUNKS = json.dumps([{"text": "Boats wait.", "start": 9}, {"text": "Tides rise."}]).encode()


def parquet() -> bytes:
    arrow, tables = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    file = io.BytesIO()
    tables.write_table(arrow.table({"text": ["Boats wait.", "Tides rise."]}), file)
    return file.getvalue()


FILES: dict[str, Callable[[], bytes]] = {
    "chunks.json": lambda: CHUNKS,
    "chunks.parquet": parquet,
    "chunks.csv": lambda: b"text,start\nBoats wait.,9\nTides rise.,21\n",
    "chunks.txt": lambda: b"Boats wait.\n---\nTides rise.\n",
    "nothing.json": lambda: b"[]",
    "broken.parquet": lambda: b"PAR1" + bytes(64),
    "deep.json": lambda: b"[" * 100_000,
}


def outcome(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except ChunkscopeError as error:
        return error.problem, error.remedy


@pytest.mark.parametrize("name", FILES)
def test_a_process_reads_the_chunks_that_are_read_here(name: str) -> None:
    data = FILES[name]()
    assert outcome(lambda: inputs.read_chunks(data, name)) == outcome(lambda: uploads.read(data, name))


def test_a_half_of_a_surrogate_pair_is_replaced_on_the_way() -> None:
    data = rb'[{"text": "\ud800 boats"}, {"text": "tides"}]'
    assert [piece.text for piece in inputs.read_chunks(data, "chunks.json")] == ["\ufffd boats", "tides"]


REFERENCES = {
    "offsets": b"[9, 21]",
    "chunks": CHUNKS,
    "an offset beyond the text": b"[999]",
    "no number": b"[1.5]",
    "another text": b'["Nothing of it.", "is there"]',
}


@pytest.mark.parametrize("data", REFERENCES.values(), ids=REFERENCES)
def test_a_process_reads_the_reference_that_is_read_here(data: bytes) -> None:
    there = outcome(lambda: inputs.read_reference(data, "gold.json", DOCUMENT))
    assert there == outcome(lambda: gold.read(data, "gold.json", DOCUMENT))


def test_a_process_imports_and_relocates_the_reviews_as_they_are_here() -> None:
    first = inputs.import_reviews(b"[9, 21]", "gold.json", DOCUMENT, "Ana")
    assert first == exchange.imported(b"[9, 21]", "gold.json", DOCUMENT, "Ana")
    known = ExistingReviews(reviews(first.events), decisions(first.events))
    again = inputs.import_reviews(b"[9, 33]", "gold.json", DOCUMENT, "Ana", known)
    assert again == exchange.imported(b"[9, 33]", "gold.json", DOCUMENT, "Ana", known)
    moved = inputs.relocate_reviews(known, EDITED)
    assert moved == exchange.relocated(known, EDITED)
    assert moved.events
    anchors = [anchor(DOCUMENT.text, offset) for offset in (9, 21)] + [Anchor(5, "is nowhere in", "this text, nor")]
    found = inputs.relocate_anchors(anchors, EDITED)
    assert found == relocate(anchors, EDITED.text)
    assert found.found and found.lost


def test_a_file_that_takes_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    hold(monkeypatch, "hold_references")
    words = "took longer to read than 1 seconds of the processor"
    with pytest.raises(LimitError, match=f"“gold.json” {words}"):
        inputs.read_reference(b"[9]", "gold.json", DOCUMENT)
    with pytest.raises(LimitError, match=f"“a.json” {words}"):
        inputs.read_chunks(CHUNKS, "a.json")
    with pytest.raises(LimitError, match=f"“gold.json” {words}"):
        inputs.import_reviews(b"[9]", "gold.json", DOCUMENT, "Ana")


def test_places_that_are_searched_without_end_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    known = exchange.imported(b"[9, 21]", "gold.json", DOCUMENT, "Ana").events
    hold(monkeypatch, "hold_relocation")
    with pytest.raises(LimitError, match="The search for the places of the reviews took longer than 1 seconds"):
        inputs.relocate_reviews(ExistingReviews(reviews(known), decisions(known)), EDITED)


REFUSED: dict[str, tuple[object, Callable[[], object]]] = {
    "an offset beyond the text": (
        {"boundaries": [999]},
        lambda: inputs.read_reference(b"[9]", "gold.json", DOCUMENT),
    ),
    "no reference": ({"boundaries": ["9"]}, lambda: inputs.read_reference(b"[9]", "gold.json", DOCUMENT)),
    "no chunk": ([{"start": 9}], lambda: inputs.read_chunks(CHUNKS, "a.json")),
    "an event of another text": (
        {"events": [{"token": "a", "document": "b", "reviewer": "Ana", "action": "accept", "offset": 9}]},
        lambda: inputs.import_reviews(b"[9]", "gold.json", DOCUMENT, "Ana"),
    ),
    "an event that is none": (
        {"events": [{"token": "", "document": DOCUMENT.text_hash, "reviewer": "", "action": "accept", "offset": 9}]},
        lambda: inputs.import_reviews(b"[9]", "gold.json", DOCUMENT, "Ana"),
    ),
    "a place beyond the text": (
        {"found": {"9": 999}, "edited": [], "lost": []},
        lambda: inputs.relocate_anchors([anchor(DOCUMENT.text, 9)], DOCUMENT),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_answer_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    answer, read = REFUSED[name]
    monkeypatch.setattr(isolation, "run", lambda *_: typed.encode(answer))
    with pytest.raises(ChunkscopeError, match="cannot be read|reviews failed"):
        read()
