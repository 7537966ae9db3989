from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.document import Document
from chunking.loading import from_text
from chunking.loading.text.json import blocks
from tests.loading.checks import check_document

PROSE = "The shop opens at nine and closes at six. On Sundays it is closed, and nobody answers the telephone. " * 6
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=30) | st.just(PROSE)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner, max_size=6),
    max_leaves=40,
)


def load(value: Any, indent: int | None = 1) -> Document:
    return from_text(json.dumps(value, ensure_ascii=False, indent=indent), "a.json", "json", "en")


def words(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.content : block.end]) for block in document.blocks]


def path(document: Document, part: str) -> tuple[str, ...]:
    return document.heading_path(document.text.index(part))


@given(VALUES, st.sampled_from([None, 2]))
def test_any_value_keeps_the_contract_and_loses_no_scalar(value: Any, indent: int | None) -> None:
    document = load(value, indent)
    check_document(document)
    assert document.format == "json"
    inside = {offset for block in document.blocks for offset in range(block.start, block.end)}
    assert all(offset in inside for offset, char in enumerate(document.text) if char.isalnum() or char == "_")


def test_a_small_value_is_one_unit() -> None:
    document = load({"name": "shop", "ports": [80, 443], "owner": {"name": "Ann"}})
    assert [(block.kind, document.slice((block.start, block.end))) for block in document.blocks] == [
        ("code", document.text)
    ]


def test_a_large_container_is_opened_under_its_key() -> None:
    document = load({"name": "shop", "cups": {f"cup {n}": {"size": n, "note": "x" * 90} for n in range(8)}, "end": 1})
    found = words(document)
    assert found[0] == ("code", '"name": "shop"')
    assert found[1] == ("heading", "cups")
    assert [kind for kind, _ in found[2:10]] == ["code"] * 8
    assert all(json.loads("{" + part + "}") for _, part in found[2:10])
    assert path(document, '"cup 3"') == ("cups",)


def test_what_follows_an_opened_container_is_not_under_its_heading() -> None:
    document = load({"cups": {f"cup {n}": "x" * 40 for n in range(30)}, "end": 1, "last": [2], "text": PROSE})
    assert path(document, "end") == path(document, "last") == ("end, last",)
    assert path(document, "The shop") == ("text",)


def test_records_of_a_list_are_units_and_large_ones_have_their_number_and_name() -> None:
    records = [{"id": n, "name": f"Cup {n}", "note": "small"} for n in range(12)]
    records[5] |= {"note": PROSE}
    document = load({"results": records})
    units = [text for kind, text in words(document) if kind == "code" and text.startswith("{")]
    assert [json.loads(unit)["id"] for unit in units] == [0, 1, 2, 3, 4]
    assert path(document, "The shop") == ("results", "[5] Cup 5", "note")[:2]
    assert path(document, '"Cup 6"') == ("results", "[6] Cup 6")


def test_long_prose_is_paragraphs_without_its_quotes() -> None:
    document = load({"title": "x", "body": PROSE + "\n\n- one thing\n- two things\n", "n": 1})
    body = [block for block in document.blocks if block.kind in ("paragraph", "list_item")]
    assert [block.kind for block in body] == ["paragraph", "list_item", "list_item"]
    assert document.slice((body[0].start, body[0].content)) == '"body": "'
    assert document.slice((body[0].content, body[0].end)) == PROSE.strip()
    assert document.slice((body[2].content, body[2].end)) == "two things"


def test_encoded_bytes_and_code_are_no_prose() -> None:
    found = words(load({"a": "QUJD" * 300, "b": "for (i = 0; i < n; i++) { a[i] = f(b[i], c); } " * 20}))
    assert {kind for kind, _ in found} == {"code"}


def test_json_lines_are_a_record_a_line() -> None:
    lines = [json.dumps({"id": n, "text": PROSE if n == 2 else "Short."}) for n in range(5)]
    document = from_text("\n".join(lines) + "\n", "a.jsonl", "json", "en")
    assert [block.kind for block in document.blocks] == ["code", "code", "heading", "paragraph", "heading", "heading"]
    assert document.slice((document.blocks[1].start, document.blocks[1].end)) == lines[1]
    assert path(document, "The shop") == ("[2] 2",)


def test_a_map_keeps_its_features_apart_and_its_coordinates_together() -> None:
    border = [[[n / 7, n / 3] for n in range(40)]]
    features = [
        {"type": "Feature", "properties": {"name": name}, "geometry": {"type": "Polygon", "coordinates": border}}
        for name in ("Lake", "Wood")
    ]
    document = load({"type": "FeatureCollection", "features": features}, indent=None)
    paths = {document.heading_path(block.start) for block in document.blocks}
    assert ("features", "[1] Wood", "geometry", "coordinates") in paths
    numbers = [text for kind, text in words(document) if kind == "code" and text.startswith("[")]
    assert len(numbers) == 2


def test_comments_and_a_comma_too_many_do_no_harm() -> None:
    text = '{\n  // What the shop needs,\n  // all of it.\n\n  // the name\n  "name": "shop", // short\n' + "".join(
        f'  "key{n}": "{"x" * 60}",\n' for n in range(10)
    )
    document = from_text(text + "}\n", "a.json", "json", "en")
    assert words(document)[0] == ("paragraph", "What the shop needs,\n  // all of it.")
    assert words(document)[1][1].startswith('// the name\n  "name": "shop", // short\n')


@pytest.mark.parametrize("text", ["Just words, and more of them.", "key: value\nother: value\n", "{]" * 50, "<a>1</a>"])
def test_what_is_no_json_is_none(text: str) -> None:
    assert blocks(text) is None
    document = from_text(text, "a.json", "json", "en")
    assert document.format == "text" and document.notes


def test_a_file_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    text = json.dumps({"results": [{"id": n, "name": f"Cup {n}", "note": "x" * 40} for n in range(30)]})[:-30]
    document = from_text(text, "a.json", "json", "en")
    assert document.format == "json"
    assert sum(block.kind == "code" for block in document.blocks) >= 29


def test_depth_is_no_matter() -> None:
    for text in ("[" * 50_000 + "]" * 50_000, '{"a":' * 20_000 + "1" + "}" * 20_000, "[" * 50_000):
        document = from_text(text, "a.json", "json", "en")
        check_document(document)
        assert max((block.level for block in document.blocks), default=0) <= 12
