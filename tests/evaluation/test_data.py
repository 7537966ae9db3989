"""Documents with reference boundaries, from a file: what is put right, what is refused, and never anything else."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError
from chunking.evaluation import DataSet, read
from chunking.evaluation.data import Remark, groups

UNITS = ["Tea wants water.", "It must boil.", "Bread wants flour.", "It must rest."]


def row(**changes: Any) -> dict[str, Any]:
    return {"id": "a", "units": UNITS, "boundaries": [2], "lang": "en"} | changes


def load(*rows: dict[str, Any]) -> DataSet:
    return read("\n".join(json.dumps(each) for each in rows).encode(), "set.jsonl")


def test_a_boundary_is_the_gap_before_its_unit() -> None:
    found = load(row(), row(id=7, boundaries=[1, 3], group="g", titles=[[0, 1, "Tea"]]))
    seven, a = found.documents
    assert (a.id, a.line, a.units, a.reference.tolist(), a.language, a.group) == ("a", 1, tuple(UNITS), [1], "en", None)
    assert (seven.id, seven.line, seven.reference.tolist(), seven.group) == ("7", 2, [0, 2], "g")
    assert groups(found.documents) == {"g": [0]}
    assert found.repaired == found.left_out == ()


@pytest.mark.parametrize(
    ("changes", "gold", "told"),
    [
        ({"boundaries": [3, 1]}, [0, 2], ["boundaries sorted"]),
        ({"boundaries": [1, 1, 3]}, [0, 2], ["1 boundary that occurred twice removed"]),
        ({"boundaries": [0, 2]}, [1], ["boundary 0, the start of the document, removed"]),
        ({"boundaries": []}, [], []),
        ({"units": ["One.", " \n", "Two.", "Three."], "boundaries": [1, 3]}, [0, 1], ["1 blank unit removed"]),
        (
            {"units": ["", "One.", "\t", "Two.", ""], "boundaries": [1, 2, 3, 4]},
            [0],
            ["2 blank units removed", "3 blank units removed, and with them 3 boundaries"],
        ),
        ({"units": ["A\ud800.", "B."], "boundaries": [1]}, [0], ["1 broken character replaced by U+FFFD"]),
    ],
)
def test_what_has_one_meaning_is_put_right_and_told(changes: dict[str, Any], gold: list[int], told: list[str]) -> None:
    found = load(row(**changes))
    assert found.documents[0].reference.tolist() == gold
    assert all(unit.strip() for unit in found.documents[0].units)
    said = [remark.what for remark in found.repaired]
    assert said == told or said == told[-1:]
    assert all(remark.line == 1 and remark.id == "a" for remark in found.repaired)


def test_a_document_without_a_gap_is_left_out_and_told() -> None:
    found = load(row(), row(id="b", units=["Alone."], boundaries=[]), row(id="c", units=[" "], boundaries=[]))
    assert [document.id for document in found.documents] == ["a"]
    assert [(remark.line, remark.id) for remark in found.left_out] == [(2, "b"), (3, "c")]
    assert "single unit" in found.left_out[0].what and "no unit with text" in found.left_out[1].what


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "line 3 is not JSON"),
        (b"[" * 200_000, "line 3 is not JSON"),
        (b"1" * 10_000, "line 3 is not JSON"),
        (b"\xff\xfe", "line 3 is not UTF-8"),
        (b"[1]", "line 3 is not a JSON object"),
        (b'{"id": "b"}', "line 3: units and boundaries missing"),
        (json.dumps(row(id=None)).encode(), "line 3: id is null"),
        (json.dumps(row(id=[1])).encode(), "line 3: id is neither text"),
        (json.dumps(row(id=True)).encode(), "line 3: id is neither text"),
        (json.dumps(row(id="b", group={})).encode(), "line 3: group is neither text"),
        (json.dumps(row(id="b", lang=[])).encode(), "line 3: lang is neither text"),
        (json.dumps(row(id="b", lang="\x1b[31m")).encode(), "line 3: '\\x1b[31m' is not a language code"),
        (json.dumps(row(id="b", units="text")).encode(), "line 3: units is not a list"),
        (json.dumps(row(id="b", units=["One.", 2])).encode(), "line 3: unit 1 is not text"),
        (json.dumps(row(id="b", boundaries=2)).encode(), "line 3: boundaries is not a list"),
        (json.dumps(row(id="b", boundaries=[True])).encode(), "line 3: boundary true is not a whole number"),
        (json.dumps(row(id="b", boundaries=[2.5])).encode(), "line 3: boundary 2.5 is not a whole number"),
        (json.dumps(row(id="b", boundaries=[4])).encode(), "line 3: boundary 4 is out of range: there are 4 units"),
        (json.dumps(row(id="b", boundaries=[-1])).encode(), "line 3: boundary -1 is out of range"),
        (json.dumps(row(id="b", boundaries=[10**400])).encode(), "line 3: boundary 1000"),
        (json.dumps(row()).encode(), "line 3: the id 'a' is already used on line 1"),
    ],
)
def test_what_could_mean_several_things_is_refused_with_its_line(line: bytes, said: str) -> None:
    with pytest.raises(ChunkscopeError, match="set.jsonl") as caught:
        read(json.dumps(row()).encode() + b"\n\n" + line, "set.jsonl")
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("data", [b"", b"\n \n", json.dumps(row(units=["One."], boundaries=[])).encode()])
def test_a_file_without_a_document_is_refused(data: bytes) -> None:
    with pytest.raises(ChunkscopeError, match="holds no document"):
        read(data, "set.jsonl")


def test_a_byte_order_mark_and_odd_line_ends_do_not_count() -> None:
    odd = json.dumps(row(units=["One\u2028line.", "Two."], boundaries=[1]), ensure_ascii=False)
    found = read(b"\xef\xbb\xbf" + odd.encode() + b"\r\n" + json.dumps(row(id="b")).encode() + b"\r\n", "set.jsonl")
    assert [document.id for document in found.documents] == ["a", "b"]


def test_the_order_of_lines_changes_only_their_numbers() -> None:
    rows = [row(id=str(number), boundaries=[number % 4]) for number in range(12)]
    shuffled = rows.copy()
    random.Random(1).shuffle(shuffled)
    one, other = load(*rows), load(*shuffled)
    assert [(d.id, d.reference.tolist()) for d in one.documents] == [
        (d.id, d.reference.tolist()) for d in other.documents
    ]


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 6) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=6,
)
rows = st.fixed_dictionaries(
    {},
    optional={
        "id": values,
        "units": st.lists(st.text(max_size=3), max_size=6) | values,
        "boundaries": st.lists(st.integers(-1, 6), max_size=4) | values,
        "group": values,
        "lang": values,
    },
)


@given(st.lists(rows.map(json.dumps).map(str.encode) | st.binary(max_size=8), max_size=4))
def test_whatever_the_file_holds_it_is_read_or_refused(lines: list[bytes]) -> None:
    try:
        found = read(b"\n".join(lines), "set.jsonl")
    except ChunkscopeError as error:
        assert "\n" not in str(error)
        return
    for document in found.documents:
        assert document.gaps >= 1 and all(unit.strip() for unit in document.units)
        gold = document.reference.tolist()
        assert gold == sorted(set(gold)) and all(0 <= gap < document.gaps for gap in gold)


def test_gold_without_its_text_is_left_out_and_told() -> None:
    whole = b'{"id": "a", "units": ["One.", "Two."], "boundaries": [1], "offsets": [6]}'
    bare = b'{"id": "b", "document": "0f", "offsets": [6]}'
    found = read(whole + b"\n" + bare, "set.jsonl")
    assert [document.id for document in found.documents] == ["a"]
    assert found.left_out == (Remark(2, "b", "it has offsets but no units"),)
    with pytest.raises(ChunkscopeError, match="no document of two units or more"):
        read(bare, "set.jsonl")


@pytest.mark.parametrize(("more", "used"), [({}, False), ({"complete": False}, False), ({"complete": True}, True)])
def test_reviews_of_only_some_places_are_left_out_and_reported(more: dict[str, Any], used: bool) -> None:
    whole = {"id": "a", "units": ["One.", "Two."], "boundaries": [1]}
    reviewed = whole | {"id": "b", "offsets": [6], "reviews": {"Ada": [{"offset": 6, "verdict": "accept"}]}} | more
    found = read("\n".join(map(json.dumps, (whole, reviewed))).encode(), "x.jsonl")
    assert len(found.documents) == 1 + used
    assert [each.what for each in found.left_out] == ([] if used else ["only some of its places are judged"])
