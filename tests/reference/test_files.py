from __future__ import annotations

import json

import pytest

from chunking import ChunkscopeError, from_text
from chunking.alignment.relocation import anchor
from chunking.document import Document
from chunking.reference import files as reference_files
from chunking.reference import gaps_of
from chunking.sentences import from_units, gap_offsets

DOCUMENT = from_text("One is here.\n\nTwo is there.\n\nThree is gone.\n", format="text", language="en")


@pytest.mark.parametrize(
    "data",
    [
        [14, 29],
        [29, 14, 14, 0],
        {"gold": [14, 29], "title": "x"},
        {"boundaries": [14, 29]},
        ["One is here.", "Two is there.", "Three is gone."],
        [{"text": "One is here."}, {"text": "Two is there."}, {"text": "Three is gone."}],
    ],
)
def test_gold_is_offsets_or_chunks(data: object) -> None:
    assert reference_files.read(json.dumps(data).encode(), "gold.json", DOCUMENT).boundaries == (14, 29)


def test_chunks_may_be_parted_by_separators() -> None:
    assert reference_files.read(
        b"One is here.\n=====\nTwo is there. Three is gone.", "gold.txt", DOCUMENT
    ).boundaries == (14,)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[14, 4000]", "4000 lies outside"),
        (b"[-1]", "-1 lies outside"),
        (b'["quite another text"]', "no chunk of this"),
        (b'["One is here.", "quite another text", "and one more of it"]', "holds no chunk of this"),
        (b'{"gold": [5.5]}', "5.5 is not a whole number"),
        (b"[true]", "true is not a whole number"),
    ],
)
def test_gold_of_another_document_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(ChunkscopeError, match=said):
        reference_files.read(data, "gold.json", DOCUMENT)


def line(document: Document, offsets: list[int]) -> dict[str, object]:
    around = [anchor(document.text, offset) for offset in offsets]
    return {
        "id": "1",
        "document": document.text_hash,
        "offsets": offsets,
        "before": [each.before for each in around],
        "after": [each.after for each in around],
        "units": list(document.text.split("\n\n")),
        "boundaries": [1],
    }


def lines(*rows: object) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def test_what_was_put_right_in_plain_gold_is_told() -> None:
    assert reference_files.read_with_notes(b"[29, 14, 14]", "gold.json", DOCUMENT).notes == (
        "The reference boundaries were not in order; they were sorted.",
        "1 reference boundary that came twice was left out.",
    )
    assert reference_files.read_with_notes(b"[14, 29]", "gold.json", DOCUMENT).notes == ()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (lines(line(DOCUMENT, [14]), [1]), "line 2 is not a JSON object"),
        (lines({"id": "1", "units": ["One.", "Two."], "boundaries": [1]}), "line 1: it has no offsets"),
        (json.dumps(line(DOCUMENT, [14]), indent=1).encode(), "runs over several lines"),
    ],
)
def test_gold_of_reviews_that_cannot_be_used_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(ChunkscopeError, match=said):
        reference_files.read(data, "gold.jsonl", DOCUMENT)


def test_each_place_has_the_gap_that_gold_there_has() -> None:
    units = from_units(["One is here.", "Two is there.", "Three is gone."])
    offsets = gap_offsets(units)
    assert gaps_of([13, 12, 0, 40, 27], offsets, units).tolist() == [0, 0, 0, 1, 1]
    assert gaps_of([3], gap_offsets(from_units(["One."])), from_units(["One."])).tolist() == [-1]
