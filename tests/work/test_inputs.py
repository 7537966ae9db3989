"""Chunks, references and reviews read in processes of their own: the same results, limits, and refused answers."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from chunking import loading
from chunking.alignment import uploads
from chunking.alignment.relocation import Anchor, anchor, relocate
from chunking.errors import ChunkscopeError
from chunking.isolation import LimitError
from chunking.loading import dataset
from chunking.reference import files as reference_files
from chunking.reference.state import decisions, reviews
from chunking.review import exchange
from chunking.review.exchange import ExistingReviews
from chunking.settings import read_settings
from chunking.work import inputs
from tests.work.endless import hold
from tests.work.test_measures import answer_with

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


COLLECTIONS: dict[str, Callable[[], bytes]] = {
    "rows.parquet": parquet,
    "broken.parquet": lambda: b"PAR1" + bytes(64),
    "lines.jsonl": lambda: b'{"page_content": "Boats wait.", "metadata": {}}\n',
    "list.json": lambda: b'[{"page_content": "Boats wait.", "metadata": {"title": "Tides"}}]',
    "other.jsonl": lambda: b'{"text": "Boats wait."}\n',
    "other.json": lambda: b'{"page_content": 1}',
    "words.txt": lambda: b"Boats wait.",
}


@pytest.mark.parametrize("in_dataset", [False, True])
@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_process_reads_the_documents_of_a_table_that_are_read_here(name: str, in_dataset: bool) -> None:
    data = COLLECTIONS[name]()

    def here() -> object:
        return dataset.documents(data, name) if dataset.is_collection(data, name, in_dataset) else None

    assert outcome(lambda: inputs.read_collection(data, name, in_dataset)) == outcome(here)


def test_folders_are_data_sets_by_their_cards() -> None:
    cards = [
        ("tides/README.md", b"---\ndataset_info:\n  features: []\n---\n# Tides\n"),
        ("notes/README.md", b"# Notes\n"),
    ]
    assert inputs.find_dataset_folders(cards) == dataset.dataset_folders(cards) == {"tides"}
    # In a process of its own alone: at the end of the stack, what happens to be collected there fails in its turn.
    broken = ("broken/README.md", b"---\n" + b"[" * 60_000 + b"\n---\n")
    assert inputs.find_dataset_folders([*cards, broken]) == {"tides"}


def test_a_process_reads_the_settings_that_are_read_here() -> None:
    for data in (b'language = "en"\n[settings.tight]\nstrategy = "recursive"\nsize = 300\n', b"[", b"a = 1"):
        there = outcome(lambda data=data: read_settings(data, "a.toml", inputs.parse_toml))  # type: ignore[misc]
        assert there == outcome(lambda data=data: read_settings(data, "a.toml"))  # type: ignore[misc]


def test_settings_that_take_all_memory_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kilobyte of dots takes megabytes: each prefix of a key is kept whole."""
    monkeypatch.setattr(inputs, "LIMITS", replace(inputs.LIMITS, memory=64 * 2**20))
    data = b"a" + b".a" * 30_000 + b" = 1"
    with pytest.raises(LimitError, match="“a.toml” requires more memory"):
        read_settings(data, "a.toml", inputs.parse_toml)


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
    assert there == outcome(lambda: reference_files.read(data, "gold.json", DOCUMENT))


def test_a_process_imports_and_relocates_the_reviews_as_they_are_here() -> None:
    first = inputs.import_reviews(b"[9, 21]", "gold.json", DOCUMENT, "Ana")
    assert first == exchange.import_reviews(b"[9, 21]", "gold.json", DOCUMENT, "Ana")
    known = ExistingReviews(reviews(first.events), decisions(first.events))
    again = inputs.import_reviews(b"[9, 33]", "gold.json", DOCUMENT, "Ana", known)
    assert again == exchange.import_reviews(b"[9, 33]", "gold.json", DOCUMENT, "Ana", known)
    moved = inputs.relocate_reviews(known, EDITED)
    assert moved == exchange.relocate_reviews(known, EDITED)
    assert moved.events
    anchors = [anchor(DOCUMENT.text, offset) for offset in (9, 21)] + [Anchor(5, "is nowhere in", "this text, nor")]
    found = inputs.relocate_anchors(anchors, EDITED)
    assert found == relocate(anchors, EDITED.text)
    assert found.offsets and found.lost


def test_a_file_that_takes_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    hold(monkeypatch, "hold_references")
    words = "took longer to read than 1 seconds of the processor"
    with pytest.raises(LimitError, match=f"“gold.json” {words}"):
        _read_reference()
    with pytest.raises(LimitError, match=f"“a.json” {words}"):
        inputs.read_chunks(CHUNKS, "a.json")
    with pytest.raises(LimitError, match=f"“gold.json” {words}"):
        _import_reviews()


def test_places_that_are_searched_without_end_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    known = exchange.import_reviews(b"[9, 21]", "gold.json", DOCUMENT, "Ana").events
    hold(monkeypatch, "hold_relocation")
    with pytest.raises(LimitError, match="The search for the places of the reviews took longer than 1 seconds"):
        inputs.relocate_reviews(ExistingReviews(reviews(known), decisions(known)), EDITED)


def _read_reference() -> object:
    return inputs.read_reference(b"[9]", "gold.json", DOCUMENT)


def _import_reviews() -> object:
    return inputs.import_reviews(b"[9]", "gold.json", DOCUMENT, "Ana")


EVENT = {"token": "a", "document": DOCUMENT.text_hash, "reviewer": "Ana", "action": "accept", "offset": 9}
REFUSED: dict[str, tuple[object, Callable[[], object]]] = {
    "an offset beyond the text": ({"boundaries": [999]}, _read_reference),
    "no reference": ({"boundaries": ["9"]}, _read_reference),
    "no chunk": ([{"start": 9}], lambda: inputs.read_chunks(CHUNKS, "a.json")),
    "an event of another text": ({"events": [EVENT | {"document": "b"}]}, _import_reviews),
    "an event beyond the text": ({"events": [EVENT | {"offset": 999}]}, _import_reviews),
    "a move beyond the text": ({"events": [EVENT | {"action": "move", "target": 999}]}, _import_reviews),
    "an event that is none": ({"events": [EVENT | {"token": "", "reviewer": ""}]}, _import_reviews),
    "names of documents without their texts": (
        [["a.txt", "Boats wait."], ["b.txt"]],
        lambda: inputs.read_collection(b'{"page_content": "Boats wait."}', "lines.jsonl", False),
    ),
    "a place beyond the text": (
        {"found": {9: 999}, "edited": [], "lost": []},
        lambda: inputs.relocate_anchors([anchor(DOCUMENT.text, 9)], DOCUMENT),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_answer_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    answer, read = REFUSED[name]
    answer_with(monkeypatch, answer)
    with pytest.raises(ChunkscopeError, match="cannot be read|reviews failed"):
        read()
