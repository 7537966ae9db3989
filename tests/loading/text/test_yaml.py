from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.document import Document
from chunking.loading import from_text
from chunking.loading import load as load_file
from chunking.loading.text.yaml import MAX_FLOW, blocks
from tests import shared_data
from tests.loading.checks import check_document
from tests.loading.text.test_json import VALUES, path

yaml: Any = import_module("yaml")
REAL = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "documents"
PROSE = "The shop opens at nine and closes at six. On Sundays it is closed, and nobody answers the telephone at all."


def load(text: str) -> Document:
    return from_text(text, "a.yaml", "yaml", "en")


def words(document: Document) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, document.text[block.content : block.end]) for block in document.blocks]


@given(st.lists(VALUES, min_size=1, max_size=3), st.sampled_from([None, False, True]), st.booleans())
def test_any_value_keeps_the_contract_and_loses_no_word(values: list[Any], flow: bool | None, wide: bool) -> None:
    text = yaml.safe_dump_all(
        values, default_flow_style=flow, allow_unicode=True, width=10_000 if wide else 60, explicit_start=True
    )
    document = load(text)
    check_document(document)
    if document.format != "yaml":
        assert all(not isinstance(value, list | dict) for value in values)
        return
    inside = {offset for block in document.blocks for offset in range(block.start, block.end)}
    assert all(offset in inside for offset, char in enumerate(text) if char.isalnum() and char.isascii())


LARGE = "".join(f"    key{n}: {'x' * 60}\n" for n in range(12))


def test_items_of_a_list_are_units_with_their_mark() -> None:
    for indent in ("", "  "):
        items = "".join(f"{indent}- name: cup {n}\n{indent}  note: {'x' * 60}\n" for n in range(9))
        document = load("cups:\n" + items)
        assert words(document)[0] == ("heading", 1, "cups")
        assert [text[:13] for _, _, text in words(document)[1:]] == [f"- name: cup {n}"[:13] for n in range(9)]


def test_long_text_is_paragraphs() -> None:
    text = (
        f'name: shop\nabout: |\n  {PROSE}\n\n  {PROSE}\n\n  - a\n  - b\nnote: >-\n  {PROSE}\n  {PROSE}\nq: "{PROSE}"\n'
    )
    document = load(text + "k: v\n" + "list:\n" + LARGE)
    assert [(kind, text) for kind, _, text in words(document)][1:6] == [
        ("paragraph", PROSE), ("paragraph", PROSE), ("list_item", "a"), ("list_item", "b"),
        ("paragraph", f"{PROSE}\n  {PROSE}"),
    ]  # fmt: skip
    assert words(document)[6] == ("paragraph", 0, PROSE)
    assert document.slice((document.blocks[1].start, document.blocks[1].content)) == "about: |\n  "


def test_comments_are_paragraphs_or_belong_to_what_follows() -> None:
    document = load(
        f"# About the shop.\n# All of it.\n\n# its name\nname: shop # short\n# what it has\nstock:\n{LARGE}"
    )
    assert words(document)[:3] == [
        ("paragraph", 0, "About the shop.\n# All of it."),
        ("code", 0, "# its name\nname: shop # short"),
        ("heading", 1, "# what it has\nstock"),
    ]
    assert path(document, "key3") == ("stock",)


def test_documents_of_one_file_are_apart() -> None:
    document = load(f"kind: Shop\nstock:\n{LARGE}---\nkind: Cup\nmetadata: {{name: big}}\n")
    assert path(document, "key3") == ("[0] Shop", "stock")
    assert path(document, "Cup") == ("[1] big",)


def test_aliases_are_not_expanded() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    document = load("\n".join(lines) + "\n")
    assert sum(block.end - block.start for block in document.blocks) <= len(document.text)
    check_document(document)


@pytest.mark.parametrize(
    "text",
    ["Just words.", "a: b: c", "a: [1, 2", "{{ template }}\na: {{ b }}\n", "\t- a", "a: " + "[" * (MAX_FLOW + 9)],
)
def test_what_is_no_yaml_is_none(text: str) -> None:
    assert blocks(text) is None
    assert load(text).format == "text"


@pytest.mark.parametrize("text", ["- " * 20_000 + "a", "".join(" " * n + "a:\n" for n in range(400)), "? " * 5000])
def test_depth_is_no_matter(text: str) -> None:
    check_document(load(text))


@pytest.mark.parametrize(
    "text", ["a\x00: b\n\x07: c\n", "😀: [é, \U0001f600]\nb: 𝔘\n", "a: b\r\nc:\r\n- d\r\n", "a: 1\rb: 2\r"]
)
def test_odd_characters_keep_offsets_true(text: str) -> None:
    document = load(text)
    check_document(document)
    assert document.format == "yaml"
    assert document.slice((document.blocks[0].start, document.blocks[-1].end)) == text.strip()


@pytest.mark.skipif(not REAL.is_dir(), reason=shared_data.MISSING)
def test_a_real_description_of_an_interface() -> None:
    name = "petstore-expanded.yaml"
    document = load_file((REAL / name).read_bytes(), name)
    check_document(document)
    assert document.format == "yaml"
    assert path(document, "operationId: findPets") == ("paths", "/pets", "get")
    assert path(document, "operationId: addPet") == ("paths", "/pets", "post")
    assert path(document, "NewPet:") == ("components",)
