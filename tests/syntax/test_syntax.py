from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import load
from chunking.errors import ChunkscopeError
from chunking.loading import isolated
from chunking.runtime import processes
from chunking.syntax import syntax
from tests.examples import examples


@pytest.mark.parametrize("language", syntax.LANGUAGES)
def test_every_grammar_parses(language: str) -> None:
    tree = syntax.parse("x", language)
    assert tree.root.end_byte == 1


@settings(max_examples=examples(200))
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_every_character_has_its_bytes(text: str) -> None:
    tree = syntax.parse(text, "json")
    bytes_of = [len(chr(0xFFFD).encode()) if 0xD800 <= ord(char) < 0xE000 else len(char.encode()) for char in text]
    starts = np.concatenate(([0], np.cumsum(bytes_of, dtype=np.int64)))
    assert len(tree.source) == starts[-1]
    assert tree.offsets(starts).tolist() == list(range(len(text) + 1))
    for character, (start, size) in enumerate(zip(starts.tolist(), bytes_of, strict=False)):
        assert {tree.offset(byte) for byte in range(start, start + size)} == {character}


def test_nodes_are_spans_of_the_text_as_it_was_given() -> None:
    text = '{"é😀\0": "字\ud800"}\r["ü"]'
    tree = syntax.parse(text, "json")
    assert [tree.slice(node) for node in tree.root.named_children] == ['{"é😀\0": "字\ud800"}', '["ü"]']


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": [1, 2]}', None),
        ('{"a": [1, 2', 11),
        ("hello", 0),
        ('["é", 1, b]', 7),
        ("nullx", 4),
        ("", None),
    ],
)
def test_the_first_error_is_where_parsing_fails(text: str, place: int | None) -> None:
    assert syntax.parse(text, "json").first_error() == place


def test_lines_are_counted_by_every_line_end() -> None:
    tree = syntax.parse("a\r\nb\rc\nd", "json")
    assert [tree.line_and_column(offset) for offset in (0, 3, 5, 7)] == [(1, 1), (2, 1), (3, 1), (4, 1)]


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="Unknown language"):
        syntax.parse("x", "cobol")


def test_a_missing_grammar_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(syntax._GRAMMARS, "lost", ("tree_sitter_lost", "language"))
    with pytest.raises(ChunkscopeError, match="pip install tree-sitter tree-sitter-lost"):
        syntax.parse("x", "lost")


PROGRAM = 'int add(int a, int b) {\n    return a + b; /* "sum" */\n}\n\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\n'


def test_a_text_in_another_language_is_a_misfit_and_one_that_is_cut_off_is_not() -> None:
    markup = "<p class='x'>It's here: <a href='/y'>a link</a>; 5 &lt; 6!</p>\n" * 2000
    assert syntax.misfit(markup, "c")
    assert not syntax.misfit(markup, "html")
    assert not syntax.misfit(PROGRAM * 2000, "c")
    assert syntax.misfit(PROGRAM * 2000, "python")
    table = "int t[] = {" + ",".join(map(str, range(50_000))) + "};\n"
    assert not syntax.misfit(table, "c"), "one array without a line end, of which the beginning is cut off"
    assert not syntax.misfit("", "c")


def test_a_parser_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "SECONDS", 0.0)
    text = "def one():\n    return 1\n" * 200
    with pytest.raises(ChunkscopeError, match="too many errors"):
        syntax.parse(text, "python")
    document = load(text.encode(), "tool.py")
    assert (document.format, document.text) == ("text", text)
    assert "read as plain text" in document.notes[-1]


@pytest.mark.parametrize("name", ["a.cs", "A.java", "a.cpp", "a.ts"])
def test_angle_brackets_that_nothing_closes_are_read_as_plain_text(name: str) -> None:
    document = load(b"a<" * 50_000, name)
    assert document.format == "text"
    assert "“<” without “>”" in document.notes[-1]
    statements = (b"let b = a < 1;\n" if name == "a.ts" else b"bool b = a < 1;\n") * 2_000
    assert load(statements, name).format != "text"


REPORTS_MEMORY = pytest.mark.skipif(
    processes.resident_memory() == 0, reason="the system does not report the memory in use"
)


@REPORTS_MEMORY
@pytest.mark.parametrize("before", ["", "def f(a):\n    return a + 1\n" * 3_000], ids=["alone", "after-a-program"])
def test_lines_of_nothing_but_a_backslash_are_read_as_plain_text_in_a_process_with_limits(before: str) -> None:
    text = before + "\\\n" * 50_000
    document = isolated.load(text.encode(), "a.py")
    assert (document.format, document.text) == ("text", text)
    assert "MiB of memory" in document.notes[-1]


@REPORTS_MEMORY
def test_a_parser_that_takes_too_much_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "MEMORY", 2**20)
    with pytest.raises(ChunkscopeError, match="1 MiB of memory"):
        syntax.parse("((a)" * 20_000, "cpp")
