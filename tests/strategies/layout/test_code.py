from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.strategies.base import Segmentation
from chunking.strategies.layout.code import STRATEGIES, CodeParameters
from chunking.syntax.programs import GRAMMARS, language_of
from chunking.workspace import DocumentAnalysis, Models
from tests.examples import examples
from tests.strategies.checks import BLOCKS, check_layout, details, texts

ANY = st.text(st.characters(exclude_categories=()), max_size=80)


def run(text: str, kind: str = "text", name: str = "x", **params: Any) -> Segmentation:
    workspace = DocumentAnalysis(Document(text, BLOCKS[kind](text), name, kind), Models(splitter="rules"))
    return STRATEGIES[0].run(workspace, CodeParameters(**params))


REASONS = {"definition", "size"}
PYTHON = '''#!/usr/bin/env python
"""Näme 😀."""
from __future__ import annotations
import os

LIMIT = 1


# About f.
@decorated
def f(字):
    return "é😀"


class Shop:
    """Sells."""

    tax = 1

    # About total.
    @property
    def total(self):
        return 1

    async def pay(self): ...


if __name__ == "__main__":
    f(LIMIT)
'''
SAMPLES: dict[str, tuple[str, list[str]]] = {
    "a.py": (PYTHON, ["imports", "statements", "function f", "class Shop", "statements"]),
    "a.js": (
        "x();\nimport a from 'a';\nconst q = require('q');\n/** d */\nexport function f() {}\nclass A { m() {} }\n"
        "export const g = () => 1;\nexports.k = function () {};\n",
        ["imports", "function f", "class A", "function g", "function exports.k"],
    ),
    "a.ts": (
        "import a from 'a';\ninterface I { a: number }\nexport type T = string;\nenum E { A }\n"
        "@Dec()\nexport class A {}\n"
        "function f(a: string): void;\nfunction f(a: any) {}\nnamespace N { export function z() {} }\n",
        ["interface I", "type T", "enum E", "class A", "function f", "namespace N"],
    ),
    "a.tsx": ("import a from 'a';\nexport function F() { return <b>é</b>; }\n", ["function F"]),
    "a.java": (
        "package x;\nimport y.*;\n/** d */\n@Ann\nclass A { void m() {} }\nrecord R(int a) {}\n",
        ["class A", "record R"],
    ),
    "a.go": (
        'package main\n\nimport "fmt"\n\n// S is\ntype S struct{}\n\n'
        'var x = 1\n\n// M\nfunc (s *S) M() {}\nfunc main() {}\n',
        ["type S", "statements", "function S.M", "function main"],
    ),
    "a.rs": (
        "use std::io;\nmod a;\n/// d\n#[derive(Debug)]\nstruct S;\nimpl Tr for S { fn m(&self) {} }\nfn main() {}\n",
        ["struct S", "impl S", "function main"],
    ),
    "a.c": (
        "#include <a.h>\n/* d */\nstruct S { int a; };\nint x;\nstatic int *f(int a) { return 0; }\n",
        ["struct S", "statements", "function f"],
    ),
    "a.h": (
        "#include <a>\nnamespace n {\n// d\ntemplate <class T>\nclass A { void m() {} };\nvoid A::k() {}\n}\n",
        ["class A", "function A::k"],
    ),
    "a.cs": ("using System;\nnamespace N\n{\n  [Attr]\n  class A { }\n  enum E { A }\n}\n", ["class A", "enum E"]),
    "a.rb": (
        "require 'a'\n# d\nmodule M\n  def m; end\nend\ndef f; end\nputs f\n",
        ["module M", "function f", "statements"],
    ),
    "a.php": (
        "<?php\nnamespace A;\nuse B\\C;\n/** d */\n#[At]\nclass A {}\nfunction f() {}\necho 1;\n",
        ["class A", "function f", "statements"],
    ),
    "a.sh": (
        "source x.sh\n# d\nf() {\n echo\n}\nfunction g { echo; }\nf\n",
        ["function f", "function g", "statements"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_definitions_imports_and_statements_are_told_apart(name: str) -> None:
    text, expected = SAMPLES[name]
    result = run(text, name=name)
    assert details(result) == expected
    assert not result.warnings
    check_layout(result, text, {"definition"})


def test_comments_decorators_and_docstrings_stay_with_their_definition() -> None:
    parts = texts(run(PYTHON, name="a.py"))
    assert parts[3].startswith("# About f.\n@decorated\ndef f(字):")
    parts = texts(run(PYTHON, name="a.py", lines=6, overlap=2))
    assert any(part.startswith("    # About total.\n    @property\n    def total") for part in parts)
    assert 'class Shop:\n    """Sells."""\n\n    tax = 1\n\n' in parts


def test_a_class_that_is_too_long_is_opened_into_its_members() -> None:
    result = run(PYTHON, name="a.py", lines=6, overlap=2)
    assert details(result)[3:] == ["class Shop", "function Shop.total", "function Shop.pay", "statements"]
    nested = "class A {\n class B {\n  void m() {\n  }\n  void k() {\n  }\n }\n int x;\n}\n"
    assert details(run("int y;\n" + nested, name="a.java", lines=3, overlap=0)) == [
        "class A",
        "class A.B",
        "function A.B.m",
        "function A.B.k",
        "statements in A",
    ]


def test_a_long_function_is_split_between_statements_and_overlaps_only_there() -> None:
    body = "".join(f"    if a{number}:\n        b({number})\n        c({number})\n" for number in range(20))
    text = "import os\n\ndef f():\n" + body + "\ndef g():\n    pass\n"
    result = run(text, name="a.py", lines=11, overlap=2)
    check_layout(result, text, REASONS)
    assert details(result)[:3] == ["function f", "function f, part 2 of 7", "function f, part 3 of 7"]
    for chunk in result.chunks:
        assert len(chunk.text.rstrip().splitlines()) <= 11
        assert chunk.cut is None or (chunk.overlap is not None) == (chunk.cut.reason == "size")
        if chunk.cut and chunk.cut.reason == "size":
            assert chunk.text.startswith("    if a")
            assert chunk.overlap is not None
            assert text[chunk.overlap.start : chunk.overlap.end].count("\n") == 2


def test_a_text_in_quotes_is_not_taken_for_statements() -> None:
    text = 'def f():\n    a = """\n' + "words\n" * 12 + '\nmore\n"""\n    b = 1\n    return b\n'
    result = run(text, name="a.py", lines=17, overlap=0)
    assert result.chunks[1].text.startswith("    b = 1")


@pytest.mark.parametrize(
    ("name", "first", "language"),
    [
        ("x.rb", "", "ruby"),
        ("x", "#!/usr/bin/env python3\n", "python"),
        ("x", "#!/bin/sh -e\n", "bash"),
        ("x", "", None),
    ],
)
def test_the_language_is_told_by_suffix_or_first_line(name: str, first: str, language: str | None) -> None:
    assert language_of(Document(first, (), name)) == language


def test_the_format_a_document_was_loaded_as_says_the_language() -> None:
    assert language_of(Document("", (), "untitled", "go")) == "go"
    assert language_of(Document("", (), "x.h", "c")) == "c"


def test_markdown_is_not_cut_unless_a_language_is_chosen() -> None:
    text = "# a\n\ndef f():\n  pass\n\ndef g():\n  pass\n"
    result = run(text, "markdown", "a.md")
    assert len(result.chunks) == 1
    assert "Markdown" in result.warnings[0]
    assert details(run(text, "markdown", "a.md", language="python")) == ["function g"]


def test_an_unknown_language_is_cut_at_blank_lines() -> None:
    result = run("a\nb\n\n" * 20, lines=10, overlap=2)
    assert "not recognized" in result.warnings[0]
    assert texts(result) == ["a\nb\n\n" * 3] * 6 + ["a\nb\n\n" * 2]
    assert not any(chunk.overlap for chunk in result.chunks)


def test_programs_with_errors_work_and_say_so() -> None:
    text = "import os\n\ndef f(:\n    x = (\n\ndef g():\n    return 1\n"
    result = run(text, name="a.py")
    check_layout(result, text, REASONS)
    assert "does not parse as python" in result.warnings[0]


pieces = [part for text, _ in SAMPLES.values() for part in text.splitlines(keepends=True)]
sources = st.one_of(
    st.lists(st.one_of(st.sampled_from(pieces), ANY), max_size=16).map("".join),
    st.lists(st.sampled_from([text for text, _ in SAMPLES.values()]), max_size=3).map("\n".join),
).flatmap(
    lambda text: st.sampled_from([text, text.replace("\n", "\r\n"), text.replace("\n", "\r"), text.replace(" ", "\t")])
)


@settings(max_examples=examples(300))
@given(sources, st.sampled_from(["auto", *GRAMMARS]), st.integers(2, 12), st.sampled_from([0, 3, 12]))
def test_whatever_the_text_chunks_tile_and_keep_the_limits(text: str, language: str, lines: int, maximum: int) -> None:
    result = run(text, language=language, lines=lines, overlap=lines // 2, max_tokens=maximum)
    check_layout(result, text, REASONS, maximum)
    assert result.chunks == run(text, language=language, lines=lines, overlap=lines // 2, max_tokens=maximum).chunks


@given(st.lists(st.sampled_from(["def f{}():\n    return 'é'\n", "class C{}:\n    x = 1\n"]), min_size=1, max_size=12))
def test_each_of_the_definitions_is_a_chunk(forms: list[str]) -> None:
    parts = [form.format(number) for number, form in enumerate(forms)]
    assert texts(run("".join(parts), name="a.py")) == parts


def test_deep_nesting_and_one_long_line_work() -> None:
    deep = "".join(f"class A{number} {{\n" for number in range(400)) + "}\n" * 400
    for text, name in ((deep, "a.java"), ("{" * 5000, "a.js"), ("f(1);" * 2000, "a.c"), ("(" * 5000, "a.py")):
        check_layout(run(text, name=name), text, REASONS)


def test_an_overlap_that_is_not_smaller_than_a_part_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="must be smaller"):
        CodeParameters(lines=10, overlap=10)


def test_a_large_text_in_another_language_is_not_parsed() -> None:
    markup = "<p class='x'>It's here: <a href='/y'>a link</a>; 5 &lt; 6!</p>\n\n" * 2500
    result = run(markup, language="c", lines=10, overlap=0)
    assert result.warnings[0].startswith("Parsing as c failed from the beginning")
    assert "".join(texts(result)) == markup
    assert {text.count("\n") for text in texts(result)} == {10}, "cut at blank lines"
    assert {chunk.cut.reason for chunk in result.chunks if chunk.cut} == {"size"}
    small = run(markup[:1000], language="c", lines=10, overlap=0)
    assert "does not parse as c" in small.warnings[0]
