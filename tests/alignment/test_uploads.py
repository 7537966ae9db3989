from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.alignment.pieces import Piece
from chunking.alignment.uploads import read
from chunking.errors import ChunkscopeError
from chunking.loading.decode import MAX_BYTES

THREE = (Piece("One, two.", 0, 9), Piece("Three.", 10, 16), Piece("Four\n\nfive.", 17, 28))
TEXTS = tuple(Piece(piece.text) for piece in THREE)


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


def rows(text: str, start: str, end: str) -> list[dict[str, Any]]:
    return [{"id": f"n{at}", text: one.text, start: one.start, end: one.end} for at, one in enumerate(THREE)]


# JSON --------------------------------------------------------------------------------------------------------------


def test_a_list_of_texts() -> None:
    assert read(dumped([piece.text for piece in THREE]), "chunks.json") == TEXTS


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("text", "start", "end"),
        ("text", "start_char_idx", "end_char_idx"),
        ("page_content", "start_index", "end_index"),
        ("Chunk Text", "Char Start", "Char-End"),
        ("CONTENT", "BEGIN", "STOP"),
        ("passage", "offset", "end_char"),
        ("body", "start_char", "end_offset"),
    ],
)
def test_field_names_of_many_libraries(text: str, start: str, end: str) -> None:
    assert read(dumped(rows(text, start, end)), "chunks.json") == THREE
    assert read(b"\n".join(dumped(row) for row in rows(text, start, end)), "chunks.jsonl") == THREE


def test_langchain_documents() -> None:
    plain = [{"page_content": one.text, "metadata": {"source": "a.md", "start_index": one.start}} for one in THREE]
    starts = tuple(Piece(one.text, one.start) for one in THREE)
    assert read(dumped(plain), "docs.json") == starts
    serialised = [
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "Document"], "kwargs": row} for row in plain
    ]
    assert read(dumped(serialised), "docs.json") == starts


def test_llama_index_nodes() -> None:
    nodes = rows("text", "start_char_idx", "end_char_idx")
    assert read(dumped({"nodes": nodes}), "nodes.json") == THREE
    assert read(dumped([{"__data__": node, "__type__": "1"} for node in nodes]), "nodes.json") == THREE
    docstore = {"docstore/data": {node["id"]: {"__data__": node, "__type__": "1"} for node in nodes}}
    assert read(dumped(docstore), "docstore.json") == THREE


def test_the_list_somewhere_inside() -> None:
    assert read(dumped({"data": {"chunks": rows("text", "start", "end")}}), "a.json") == THREE
    assert read(dumped({"tags": ["a", "b"], "chunks": rows("text", "start", "end")}), "a.json") == THREE
    assert read(dumped({"sizes": [1, 2], "found": rows("text", "start", "end")}), "a.json") == THREE
    assert read(dumped({"text": "Only one."}), "a.json") == (Piece("Only one."),)


def test_an_unknown_field_is_told_by_its_length() -> None:
    assert read(dumped([{"k": "x", "inhalt": "Ein langer Satz.", "n": 3}]), "a.json") == (Piece("Ein langer Satz."),)


def test_a_field_with_the_right_name_and_no_text_is_passed_over() -> None:
    assert read(dumped([{"text": None, "content": "Here."}, {"text": "There.", "content": 5}]), "a.json") == (
        Piece("Here."),
        Piece("There."),
    )


@pytest.mark.parametrize("start", ["0", 1.5, None, True, [1], {"at": 1}, 10**30])
def test_offsets_that_are_no_whole_numbers_are_left_out(start: object) -> None:
    assert read(dumped([{"text": "One.", "start": start, "end": 4}]), "a.json") == (Piece("One.", None, 4),)


def test_numbers_beyond_measure() -> None:
    digits = "9" * 100_000
    assert read(f'[{{"text": "One.", "start": {digits}, "end": 1e999}}]'.encode(), "a.json") == (Piece("One."),)


def test_json_lines_under_another_name() -> None:
    lines = b"\r\n".join(dumped(row) for row in rows("text", "start", "end"))
    for name in ("a.json", "a.ndjson", "a.dat", "a.txt", "a"):
        assert read(lines, name) == THREE


def test_a_line_separator_inside_a_text_ends_no_line() -> None:
    data = '{"text": "One\u2028two\u0085three"}\n\n{"text": "Four"}\n'.encode()
    assert read(data, "a.jsonl") == (Piece("One\u2028two\u0085three"), Piece("Four"))


def test_one_line_that_holds_them_all() -> None:
    assert read(dumped({"chunks": [piece.text for piece in THREE]}), "a.jsonl") == TEXTS


# CSV ---------------------------------------------------------------------------------------------------------------


def table(records: Sequence[Sequence[object]], delimiter: str = ",") -> bytes:
    target = io.StringIO()
    csv.writer(target, delimiter=delimiter).writerows(records)
    return target.getvalue().encode()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["a.csv", "a.dat"])
def test_tables(delimiter: str, name: str) -> None:
    records: list[list[Any]] = [
        ["id", "Text", "start", "end"],
        *([at, one.text, one.start, one.end] for at, one in enumerate(THREE)),
    ]
    assert read(table(records, delimiter), name) == THREE


def test_tabs_by_the_suffix() -> None:
    assert read(b"n\ttext\n1\tOne, two; three\n2\tFour\n", "a.tsv") == (Piece("One, two; three"), Piece("Four"))


def test_a_single_column_with_and_without_a_header() -> None:
    cells = [[piece.text] for piece in THREE]
    assert read(table([["text"], *cells]), "a.csv") == TEXTS
    assert read(table([["my_part"], *cells, ["A longer one than the others."]]), "a.csv")[:3] == TEXTS
    assert read(table(cells), "a.csv") == TEXTS


def test_a_table_without_a_known_name() -> None:
    records: list[list[object]] = [["nr", "inhalt"], [1, "Ein langer Satz."], [2, "Noch einer."]]
    assert read(table(records), "a.csv") == (Piece("Ein langer Satz."), Piece("Noch einer."))
    assert read(table(records[1:]), "a.csv") == (Piece("Ein langer Satz."), Piece("Noch einer."))


def test_large_cells_numbers_as_texts_and_short_rows() -> None:
    large = "word " * 60_000
    data = table([["text", "start"], [large, 0], [42, 300_000], ["last"]])
    assert read(data, "a.csv") == (Piece(large, 0), Piece("42", 300_000), Piece("last"))


# Text --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "separator",
    [
        "\n---\n",
        "\n\n-----\n\n",
        "\n=====\n",
        "\r\n***\r\n",
        "\n###\n",
        "\f",
        "<|chunk|>",
        "\n<|endofchunk|>\n",
        "\n\n",
    ],
)
def test_separators(separator: str) -> None:
    data = separator.join(["First part.\nIts line.", "Second part.", "Third."]).encode()
    expected = (Piece("First part.\nIts line."), Piece("Second part."), Piece("Third."))
    for name in ("a.txt", "a.md", "a.unknown"):
        assert read(data, name) == expected


def test_the_strongest_separator_alone_separates() -> None:
    data = "# Title\n\nOne.\n\n---\n\nTwo.\n=====\nThree.\n\n---\n\nFour."
    assert read(data.encode(), "a.md") == (
        Piece("# Title\n\nOne.\n\n---\n\nTwo."),
        Piece("Three.\n\n---\n\nFour."),
    )
    assert read(data.replace("=====", "").encode(), "a.md") == (
        Piece("# Title\n\nOne."),
        Piece("Two.\n\nThree."),
        Piece("Four."),
    )
    assert read(b"=====\nOne.\n\nTwo.", "a.txt") == (Piece("=====\nOne."), Piece("Two."))


def test_signs_inside_a_line_separate_nothing() -> None:
    assert read(b"### Title\na --- b === c *** d\n", "a.md") == (Piece("### Title\na --- b === c *** d"),)


def test_prose_with_commas_and_brackets_is_text() -> None:
    assert read(b"Text, as it is.\n\nAnd content, too.", "a.txt") == (
        Piece("Text, as it is."),
        Piece("And content, too."),
    )
    assert read(b"[1] A note.\n\n[2] Another.", "notes") == (Piece("[1] A note."), Piece("[2] Another."))


def test_other_encodings() -> None:
    assert read('["Grüße"]'.encode("utf-16"), "a.json") == (Piece("Grüße"),)
    assert read("text,start\nGrüße,3\n".encode("utf-8-sig"), "a.csv") == (Piece("Grüße", 3),)


# Bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "name", "told"),
    [
        (b'[{"text": "a"},\n {"text" "b"}]', "a.json", ["line 2, column 10"]),
        (b'{"text": "a"}\n{"text": \n', "a.jsonl", ["line 2, column"]),
        (b'[{"text": "a"}, {"text": "b"', "unknown", ["not valid JSON", "line 1"]),
        (b'[{"page": 1, "size": 2}]', "a.json", ["page, size", "“text”"]),
        (b'{"version": 3, "meta": {"n": [1, 2]}}', "a.json", ["version, meta"]),
        (b'[["a"], ["b"]]', "a.json", ["Chunk 1"]),
        (b'["a", 3]', "a.json", ["Chunk 2", "3"]),
        (b"[]", "a.json", ["no chunk"]),
        (b'["", "  "]', "a.json", ["no chunk"]),
        (b"17", "a.json", ["not a list"]),
        (b"", "a.json", ["not valid JSON"]),
        (b"", "a.jsonl", ["no chunk"]),
        (b"", "a.csv", ["no chunk"]),
        (b" \n\n", "a.txt", ["no chunk"]),
        (b"text,start\n", "a.csv", ["no row"]),
        (b"[" * 200_000, "a.json", ["nested too deeply"]),
        (b'{"a":' * 200_000, "a.jsonl", ["nested too deeply"]),
        (b"[" * 200_000 + b"]" * 200_000, "unknown", ["nested too deeply"]),
        (b"\x89PNG\r\n\x1a\n", "a.json", ["PNG"]),
        (bytes(range(256)) * 50, "a.csv", ["not text"]),
    ],
)
def test_bad_input_is_told(data: bytes, name: str, told: list[str]) -> None:
    with pytest.raises(ChunkscopeError) as caught:
        read(data, name)
    assert all(part in str(caught.value) for part in told), str(caught.value)
    assert caught.value.remedy


def test_too_large() -> None:
    with pytest.raises(ChunkscopeError, match="limit"):
        read(b" " * (MAX_BYTES + 1), "a.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["text", "start", "kwargs", "chunks", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from(["a.json", "a.jsonl", "a.csv", "a.txt", "a"]))
def test_any_json_is_read_or_refused(value: Any, name: str) -> None:
    try:
        pieces = read(dumped(value), name)
    except ChunkscopeError as error:
        assert error.remedy
    else:
        assert pieces
        assert all(piece.text.strip() for piece in pieces)
        assert all(type(at) in (int, type(None)) for piece in pieces for at in (piece.start, piece.end))


@given(
    st.text('a,;"|\t\n-=#<>{}[]', max_size=60), st.sampled_from(["a.json", "a.jsonl", "a.csv", "a.tsv", "a.md", "a"])
)
def test_any_text_is_read_or_refused(text: str, name: str) -> None:
    try:
        assert all(piece.text.strip() for piece in read(text.encode(), name))
    except ChunkscopeError as error:
        assert error.remedy


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1).filter(
    lambda texts: all(text.strip() for text in texts)))  # fmt: skip
def test_what_is_written_is_read(texts: list[str]) -> None:
    expected = tuple(Piece(text, at, at + len(text)) for at, text in enumerate(texts))
    records = [{"text": one.text, "start": one.start, "end": one.end} for one in expected]
    assert read(dumped(records), "a.json") == expected
    assert read(b"\n".join(dumped(record) for record in records), "a.jsonl") == expected
    assert read(table([["text", "start", "end"], *(list(record.values()) for record in records)]), "a.csv") == expected
