from __future__ import annotations

import re
from pathlib import Path

import pytest

from chunking import load as load_file
from chunking import run
from chunking.document import Document
from chunking.loading import from_text
from chunking.loading.text.code import MAX_LINES, blocks
from chunking.syntax.programs import GRAMMARS, PROGRAMS
from chunking.workspace import DocumentAnalysis, Models
from tests import shared_data
from tests.loading.checks import check_document

REAL = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "documents"

SAMPLES: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "python": (
        '"""Sells tea."""\nimport os\n\n\n# About shops.\n@final\nclass Shop(Base):\n    """A shop."""\n\n'
        "    tax = 1\n\n"
        "    async def sell(self, cup):\n        def inner():\n            return cup\n\n        return inner()\n\n\n"
        "def total(cups): return 1\n",
        [(1, "class Shop"), (2, "def sell"), (3, "def inner"), (3, "return inner()"), (1, "def total")],
    ),
    "javascript": (
        "import a from 'a';\n\nexport class Shop {\n  sell(cup) {\n    return a(cup);\n  }\n}\n\n"
        "export function total(cups) {\n  return 1;\n}\nconst add = (a, b) => {\n  return a + b;\n};\n",
        [(1, "class Shop"), (2, "sell()"), (1, "function total"), (1, "add()")],
    ),
    "typescript": (
        "import { a } from 'a';\n\nexport interface Cup { size: number }\n\nexport abstract class Shop<T> {\n"
        "  private n = 1;\n\n  sell(cup: T): void {\n    go(cup);\n  }\n}\nenum Kind { A, B }\nnamespace Deep {\n"
        "  export function f() {\n    return 1;\n  }\n}\n",
        [
            (1, "interface Cup"), (1, "class Shop"), (2, "sell()"), (1, "enum Kind"),
            (1, "namespace Deep"), (2, "function f"),
        ],
    ),
    "tsx": (
        "import React from 'r';\n\nexport const Shop = (props: Props) => {\n  return <div>{props.name}</div>;\n};\n",
        [(1, "Shop()")],
    ),
    "java": (
        "package shop;\n\nimport java.util.List;\n\n/** A shop. */\npublic class Shop<T> implements Seller {\n"
        "    private int n = 0;\n\n    public Shop(int n) {\n        this.n = n;\n    }\n\n    @Override\n"
        "    public int size() {\n        return n;\n    }\n}\n",
        [(1, "class Shop"), (2, "Shop()"), (2, "size()")],
    ),
    "go": (
        'package shop\n\nimport "fmt"\n\n// Cup is one.\ntype Cup struct {\n\tSize int\n}\n\n'
        "func (c *Cup) Fill(n int) error {\n\tfmt.Println(n)\n\treturn nil\n}\n\nfunc main() {\n\tprintln(1)\n}\n",
        [(1, "type Cup"), (1, "func Cup.Fill"), (1, "func main")],
    ),
    "rust": (
        "use std::fmt;\n\n/// A cup.\n#[derive(Debug)]\npub struct Cup {\n    size: u32,\n}\n\n"
        "impl fmt::Display for Cup {\n    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n"
        '        write!(f, "{}", self.size)\n    }\n}\n\nmod deep {\n    pub fn one() -> u32 {\n        1\n    }\n}\n',
        [(1, "struct Cup"), (1, "impl fmt::Display for Cup"), (2, "fn fmt"), (1, "mod deep"), (2, "fn one")],
    ),
    "c": (
        "#include <stdio.h>\n\nstruct cup {\n    int size;\n};\n\nstatic int total(struct cup *c, int n)\n{\n"
        "    int s = 0;\n\n    return s + n;\n}\n",
        [(1, "struct cup"), (1, "total()")],
    ),
    "cpp": (
        "#include <vector>\n\nnamespace shop {\n\ntemplate <typename T>\nclass Shop : public Base {\npublic:\n"
        "    int size() const {\n        return n_;\n    }\n\nprivate:\n    int n_ = 0;\n};\n\n}\n",
        [(1, "class Shop"), (2, "size()"), (2, "private")],
    ),
    "csharp": (
        "using System;\n\nnamespace Tea\n{\n    /// <summary>A shop.</summary>\n    public class Shop\n    {\n"
        "        public int Size { get; set; }\n\n        [Test]\n        public void Sell(int n)\n        {\n"
        "            Size -= n;\n        }\n    }\n}\n",
        [(1, "class Shop"), (2, "Sell()")],
    ),
    "ruby": (
        "require 'json'\n\nmodule Tea\n  class Shop < Base\n    attr_reader :cups\n\n    def sell(cup)\n"
        "      @cups << cup\n    end\n\n    def self.open\n      new\n    end\n  end\nend\n",
        [(1, "module Tea"), (2, "class Shop"), (3, "def sell"), (3, "def open")],
    ),
    "php": (
        "<?php\nnamespace Tea;\n\nuse Foo\\Bar;\n\nfinal class Shop extends Base\n{\n    private int $n = 0;\n\n"
        "    public function sell(int $x): void\n    {\n        $this->n -= $x;\n    }\n}\n",
        [(1, "class Shop"), (2, "function sell")],
    ),
    "bash": (
        "#!/bin/bash\nset -e\n\nsell() {\n  echo \"$1\"\n}\n\nfor cup in a b; do\n  sell $cup\ndone\n",
        [(1, "sell()"), (1, "for cup in a b; do")],
    ),
}  # fmt: skip


def load(text: str, language: str = "python") -> Document:
    return from_text(text, "x", language, "en")


def words(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.content : block.end]) for block in document.blocks]


def path(document: Document, part: str) -> tuple[str, ...]:
    return document.heading_path(document.text.index(part))


def test_there_is_a_sample_of_every_language() -> None:
    assert set(SAMPLES) == set(GRAMMARS) == set(PROGRAMS)


@pytest.mark.parametrize("language", SAMPLES)
def test_definitions_are_headings_with_their_kind_and_name(language: str) -> None:
    text, expected = SAMPLES[language]
    for end in ("\n", "\r\n", "\r"):
        document = load(text.replace("\n", end), language)
        check_document(document)
        assert document.format == language
        assert [(block.level, block.title) for block in document.headings] == expected


@pytest.mark.parametrize("language", SAMPLES)
def test_no_word_is_lost(language: str) -> None:
    document = load(SAMPLES[language][0], language)
    inside = {offset for block in document.blocks for offset in range(block.start, block.end)}
    lost = {match.group() for match in re.finditer(r"\w+", document.text) if match.start() not in inside}
    assert lost <= {"end", "php", "done"}


def test_signatures_have_what_belongs_to_them() -> None:
    found = words(load(SAMPLES["python"][0]))
    assert found == [
        ("paragraph", "Sells tea."),
        ("code", "import os"),
        ("heading", "# About shops.\n@final\nclass Shop(Base):"),
        ("paragraph", "A shop."),
        ("code", "tax = 1"),
        ("heading", "async def sell(self, cup):"),
        ("heading", "def inner():"),
        ("code", "return cup"),
        ("heading", "return inner()"),
        ("heading", "def total(cups): return 1"),
    ]


def test_what_follows_a_definition_is_not_under_its_heading() -> None:
    tail = (
        "\n\n# The prices, as they are.\n# All of them.\n\nPRICES = {\n"
        + "".join(f"    {n}: {n * n},\n" for n in range(30))
        + "}\n"
    )
    document = load(SAMPLES["python"][0] + tail + "\nLAST = 1\n")
    assert path(document, "tax") == ("class Shop",)
    assert path(document, "cup):") == ("class Shop", "def sell")
    assert path(document, "return inner()") == ("class Shop", "def sell", "return inner()")
    assert path(document, "total") == ("def total",)
    assert path(document, "29:") == path(document, "LAST") == ("The prices, as they are. # All of them.",)


def test_a_long_comment_gives_its_first_sentence_to_the_heading() -> None:
    long = "// Further words say what it does, and why, at a length that no heading should have; they go on.\n" * 5
    document = load(
        f"package a\n\n// Fill fills a cup.\n{long}//\n// It may spill.\nfunc Fill(n int) {{\n\tgo(n)\n}}\n", "go"
    )
    assert [kind for kind, _ in words(document)] == ["code", "heading", "paragraph", "paragraph", "code"]
    assert words(document)[1] == ("heading", "Fill fills a cup.")
    assert words(document)[3] == ("paragraph", "It may spill.")
    assert words(document)[4][1].startswith("func Fill(n int) {")
    assert document.headings[0].title == "func Fill"


def test_a_long_signature_is_opened_and_its_prose_is_found() -> None:
    about = "            The number of cups that are sold at once.\n\n            It should not be more than it has.\n"
    parameters = "".join(
        f'    cups{n}: Annotated[\n        int,\n        Doc(\n            """\n{about}            Else it fails.\n'
        '            """\n        ),\n    ] = None,\n'
        for n in range(4)
    )
    document = load(f"def sell(\n{parameters}) -> int:\n    return 1\n")
    found = words(document)
    assert found[0] == ("heading", "def sell(")
    assert found[1][1].startswith("cups0: Annotated[") and found[1][1].endswith("Doc(")
    assert found[2] == ("paragraph", "The number of cups that are sold at once.")
    assert found[4][1].startswith("cups1")
    assert sum(kind == "paragraph" for kind, _ in found) == 8
    assert found[-1][1].endswith("return 1")


def test_documentation_strings_are_paragraphs_lists_and_code() -> None:
    document = load(
        'def f():\n    """Does it.\n\n    In two ways:\n\n    - one\n    - two\n\n    ```python\n    f()\n\n    g()\n'
        '    ```\n\n    At last.\n    """\n    return 1\n'
    )
    assert [kind for kind, _ in words(document)] == [
        "heading", "paragraph", "paragraph", "list_item", "list_item", "code", "paragraph", "code",
    ]  # fmt: skip
    assert words(document)[1] == ("paragraph", "Does it.")
    assert words(document)[5][1].endswith("g()\n    ```")


def test_comments_stand_alone_or_belong_to_what_follows() -> None:
    document = load(
        "# Licence of this.\n# All rights.\n\nimport a\n# short\nx = 1\n\n# Alone it stands here.\n\ny = 2  # two\n"
    )
    assert words(document) == [
        ("paragraph", "Licence of this.\n# All rights."),
        ("code", "import a\n# short"),
        ("code", "x = 1"),
        ("paragraph", "Alone it stands here."),
        ("code", "y = 2  # two"),
    ]


def test_marks_of_comments_are_not_their_words() -> None:
    document = load(
        "/*****************\n * The cups.     *\n *\n * And the pots.\n *****************/\n\nint a;\n", "c"
    )
    assert [text for kind, text in words(document) if kind == "paragraph"] == ["The cups.     *", "And the pots."]


def test_headings_in_strings_are_none() -> None:
    document = load(
        'TEXT = """\n# Not a heading\n\nclass Not:\n    def not_(self): ...\n"""\nx = """\ndef f():\n    pass\n"""\n'
    )
    assert document.headings == ()


def test_code_is_parted_between_statements_and_by_blank_lines() -> None:
    body = "".join(f"    x{n} = f(\n        {n}\n    )\n" for n in range(60))
    document = load(f"def f():\n{body}\n    a = 1\n\n    b = 2\n")
    parts = [text for kind, text in words(document) if kind == "code"]
    assert parts[-2:] == ["a = 1", "b = 2"]
    assert all(part.count("\n") < MAX_LINES for part in parts)
    assert all(re.match(r"x\d+ = f\(", part) and part.endswith(")") for part in parts[:-2])


def test_a_long_statement_is_parted_inside() -> None:
    document = load("x = {\n" + "".join(f'    "key{n}": {n},\n' for n in range(200)) + "}\n")
    parts = [text for kind, text in words(document) if kind == "code"]
    assert len(parts) >= 5
    assert all(part.count("\n") <= MAX_LINES for part in parts)


def test_text_in_a_heredoc_is_prose() -> None:
    text = "This shop sells tea to all those who come in.\nIt takes no options, but it prints this text.\n"
    document = load(f"usage() {{\n  cat <<EOF\n{text}{text}EOF\n}}\n", "bash")
    assert words(document) == [("heading", "usage()"), ("code", "cat <<EOF"), ("paragraph", (text + text).strip())]


@pytest.mark.parametrize("language", sorted(set(SAMPLES) - {"c"}))
def test_what_is_no_program_is_none(language: str) -> None:
    prose = (
        "Grüße: it's a text, not a program; (see §4 — \"there\"). Don't parse it!\n\n1. One ) two ( three ] four\n" * 30
    )
    assert blocks(prose, language) is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("javascript", "function f(){\n" * 5000 + "}" * 5000),
        ("javascript", "(" * 20_000 + "1" + ")" * 20_000),
        ("java", "class A {\n" * 5000 + "}" * 5000),
        ("cpp", "template <class T>\n" * 5000 + "class X {};\n"),
        ("javascript", "a=1;" * 30_000),
        ("c", "int " + "*" * 5000 + "f() { return 1; }\n"),
    ],
)
def test_depth_and_long_lines_are_no_matter(language: str, text: str) -> None:
    document = load(text, language)
    check_document(document)
    assert max((block.level for block in document.blocks), default=0) <= 12
    assert max((block.end - block.start for block in document.blocks), default=0) < 10_000


@pytest.mark.skipif(not REAL.is_dir(), reason=shared_data.MISSING)
def test_a_real_program_is_chunked_by_its_definitions() -> None:
    name = "fastapi_applications.py"
    document = load_file((REAL / name).read_bytes(), name)
    check_document(document)
    assert path(document, "def add_api_route(") == ("class FastAPI", "def add_api_route")
    methods = [block.title for block in document.headings if block.level == 2]
    assert methods[0] == "def __init__" and "def websocket" in methods
    result = run("heading", DocumentAnalysis(document, Models(splitter="rules")))
    assert {chunk.heading_path[0] for chunk in result.chunks if chunk.heading_path} == {"class FastAPI"}
    titled = [chunk for chunk in result.chunks if chunk.heading_path[1:2] == ("def websocket",)]
    assert [chunk.heading_path[2:] for chunk in titled] == [(), ("def decorator",), ("return decorator",)]
    assert titled[0].text.lstrip().startswith("def websocket(")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_count_towards_the_length_of_prose(end: str) -> None:
    text = end.join(["# Head"] * 3)
    assert [block.kind for block in from_text(text, format="bash", language="en").blocks] == ["code"]
