from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.document import Document
from chunking.strategies.base import Segmentation
from chunking.strategies.layout.json import STRATEGIES, JsonParameters
from chunking.workspace import DocumentAnalysis, Models
from tests.examples import examples
from tests.strategies.checks import BLOCKS, check_layout, details, texts

ANY = st.text(st.characters(exclude_categories=()), max_size=80)


def run(text: str, kind: str = "text", name: str = "x", **params: Any) -> Segmentation:
    workspace = DocumentAnalysis(Document(text, BLOCKS[kind](text), name, kind), Models(splitter="rules"))
    return STRATEGIES[0].run(workspace, JsonParameters(**params))


words = st.text('aé字😀\\"\n ./[', max_size=12)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), words),
    lambda inner: st.one_of(st.lists(inner, max_size=6), st.dictionaries(words, inner, max_size=6)),
    max_leaves=40,
)
sources = st.tuples(st.lists(values, min_size=1, max_size=4), st.sampled_from([None, 2]), st.booleans()).map(
    lambda known: "\r\n".join(json.dumps(value, indent=known[1], ensure_ascii=known[2]) for value in known[0])
)


@settings(max_examples=examples(200))
@given(st.one_of(sources, ANY), st.integers(1, 40), st.sampled_from([0, 3, 12]))
def test_whatever_the_text_chunks_tile_and_keep_the_maximum(text: str, size: int, maximum: int) -> None:
    result = run(text, size=size, max_tokens=maximum)
    check_layout(result, text, {"value"}, maximum)
    assert result.chunks == run(text, size=size, max_tokens=maximum).chunks


@settings(max_examples=examples(150))
@given(sources, st.integers(1, 40))
def test_only_single_values_exceed_the_size(text: str, size: int) -> None:
    result = run(text, size=size)
    assert not [warning for warning in result.warnings if "Parsing as JSON failed" in warning]
    for chunk in result.chunks:
        over = any("kept whole" in note for note in chunk.notes)
        assert over == (chunk.tokens > size)


def test_values_that_fit_stay_whole_and_larger_ones_are_opened() -> None:
    text = (
        '{\n  "a": 1,\n  "b": {\n    "x": "one two three four",\n    "y": "five six seven eight"\n  },\n  "c": [1]\n}\n'
    )
    result = run(text, size=16)
    assert texts(result) == [
        '{\n  "a": 1,\n',
        '  "b": {\n    "x": "one two three four",\n',
        '    "y": "five six seven eight"\n  },\n',
        '  "c": [1]\n}\n',
    ]
    assert details(result) == ["$.b", "$.b.y", "$.c"]
    assert len(run(text).chunks) == 1


def test_small_neighbours_are_packed_up_to_the_size() -> None:
    result = run(json.dumps(list(range(100, 400))), size=60)
    sizes = [chunk.tokens for chunk in result.chunks]
    assert max(sizes) <= 60
    assert min(sizes[:-1]) > 57
    assert details(result)[0].startswith("$[")


def test_lines_of_json_are_values_side_by_side() -> None:
    lines = [json.dumps({"id": number, "t": "wörd"}, ensure_ascii=False) + "\n" for number in range(20)]
    result = run("".join(lines), size=14)
    assert texts(result) == lines
    assert details(result)[:2] == ["$[1]", "$[2]"]


def test_paths_name_what_begins() -> None:
    text = json.dumps({"openapi": "3.1", "paths": {"/pets": {"get": "a b c", "a.b": "d e f"}, "": [1, {"z": 2}]}})
    assert details(run(text, size=1)) == ["$.paths", '$.paths./pets["a.b"]', '$.paths[""]', '$.paths[""][1]']


def test_what_is_no_json_is_one_chunk_and_says_where() -> None:
    result = run("openapi: 3\ninfo: {}\n", size=1)
    assert len(result.chunks) == 1
    assert "line 1, column 1" in result.warnings[0]
    assert "line 2, column 4" in run("[1,\n  2,\n  b]").warnings[0]
    assert run(" \n").warnings == ("The text contains no JSON value, so it is not cut.",)


def test_a_long_text_stays_whole_unless_the_maximum_splits_it() -> None:
    text = json.dumps({"a": "word " * 100, "b": 1})
    result = run(text, size=20)
    assert details(result) == ["$.b"]
    assert "kept whole" in result.chunks[0].notes[0]
    check_layout(run(text, size=20, max_tokens=20), text, {"value"}, 20)


def test_deep_nesting_and_texts_without_spaces_work() -> None:
    for text in ("[" * 10_000 + "]" * 10_000, "[1," * 1500 + "2" + "]" * 1500, "[" * 10_000, json.dumps([1.5] * 3000)):
        check_layout(run(text, size=50), text, {"value"})
    assert details(run("[1," * 100 + "2" + "]" * 100, size=1))[-1].startswith("$…[1][1]")
