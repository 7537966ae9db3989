from __future__ import annotations

import json

import pytest

from chunking import ChunkscopeError, from_text, gold

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
    assert gold.read(json.dumps(data).encode(), "gold.json", DOCUMENT) == (14, 29)


def test_chunks_may_be_parted_by_separators() -> None:
    assert gold.read(b"One is here.\n=====\nTwo is there. Three is gone.", "gold.txt", DOCUMENT) == (14,)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[14, 4000]", "4000 lies outside"),
        (b"[-1]", "-1 lies outside"),
        (b'["quite another text"]', "no chunk of this"),
        (b'["One is here.", "quite another text", "and one more of it"]', "holds 1 chunk of this document, of 3"),
        (b'{"gold": [5.5]}', "5.5 is no whole number"),
        (b"[true]", "true is no whole number"),
    ],
)
def test_gold_of_another_document_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(ChunkscopeError, match=said):
        gold.read(data, "gold.json", DOCUMENT)
