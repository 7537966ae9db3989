from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from chunking import load
from chunking.document import Document
from chunking.errors import ChunkscopeError
from tests.fuzz import target
from tests.loading.checks import check_document, shapes
from tests.loading.markup import parsed


def opened(value: Any) -> Document:
    return load(json.dumps(value).encode(), "tea.json", "en")


@cache
def tea() -> Document:
    return opened(parsed.docling())


def test_every_item_becomes_its_block() -> None:
    assert shapes(tea()) == [
        ("heading", 1, "Tea"),
        ("heading", 2, "Leaves"),
        ("paragraph", 0, "Boil the water. Wait a little."),
        ("list_item", 1, "1. Green"),
        ("list_item", 2, "- Sencha"),
        ("caption", 0, "Table 1"),
        ("table", 0, "Prices\nGreen | 2"),
        ("code", 0, "x = 1\ny = 2"),
        ("paragraph", 0, "Pour it out."),
        ("caption", 0, "A pot"),
        ("footnote", 0, "1 Very hot."),
    ]
    assert (tea().format, tea().notes) == ("docling", ())
    assert [(each.kind, each.text) for each in tea().aside] == [
        ("running head", "Annual report"),
        ("text in a picture", "HOT"),
    ]


def test_pages_and_boxes_are_those_of_the_items() -> None:
    pages = tea().pages
    assert pages is not None and pages.sizes.tolist() == [[600, 800], [600, 800]]
    wait = tea().text.index("Wait")
    assert list(pages.of(0, wait - 1)) == [0]
    assert list(pages.of(wait, wait + 4)) == [1]
    assert list(pages.of(0, len(tea().text))) == [0, 1]
    box = pages.lines(wait, wait + 4)[0]
    assert (box.page, box.left, box.top, box.right, box.bottom) == (1, 50, 20, 550, 40)
    assert pages.starts.tolist() == [0, wait - 1]


def test_an_item_is_found_in_the_file_by_its_reference() -> None:
    origin = tea().origin
    assert origin is not None
    start = tea().text.index("water")
    place = origin.places(start, start + 5)[0]
    _, kind, number = origin.parts[place.part].split("/")
    assert parsed.docling()[kind][int(number)]["text"][place.start : place.end] == "water"


def test_it_has_the_words_that_docling_itself_writes() -> None:
    """What docling-core exports as Markdown has, without its marks, the same words in the same order."""
    from docling_core.types.doc.document import DoclingDocument

    theirs = DoclingDocument.model_validate(parsed.docling()).export_to_markdown().replace("<!-- image -->", "")

    def words(text: str) -> list[str]:
        for mark in ("#", "```", "|", "-", "1."):
            text = text.replace(mark, " ")
        return list(dict.fromkeys(text.split()))  # it repeats a merged cell in each of its columns

    assert words(tea().text) == words(theirs)


def test_an_inline_group_keeps_a_text_of_its_own() -> None:
    value = {
        "schema_name": "DoclingDocument",
        "body": {"children": [{"$ref": "#/texts/0"}]},
        "texts": [{"label": "inline", "text": "Pour", "children": [{"$ref": "#/texts/1"}]}, {"text": "it."}],
    }
    assert shapes(opened(value)) == [("paragraph", 0, "Pour it.")]


@pytest.mark.parametrize("change", ["circle", "missing", "self", "orphan", "types", "nothing"])
def test_a_damaged_tree_loses_no_text(change: str) -> None:
    value = json.loads(json.dumps(parsed.docling()))
    if change == "circle":
        value["groups"][0]["children"].append({"$ref": "#/groups/0"})
        value["texts"][3]["children"] = [{"$ref": "#/body"}, {"$ref": "#/groups/0"}]
    elif change == "missing":
        value["body"]["children"].append({"$ref": "#/texts/999"})
    elif change == "self":
        value["texts"][1]["children"] = [{"$ref": "#/texts/1"}]
    elif change == "orphan":
        value["body"]["children"] = value["body"]["children"][:3]
    elif change == "types":
        value["texts"].append(7)
        value["pages"] = {"1": [], "2": {"page_no": "2"}}
        value["texts"][2]["prov"] = [3, {"page_no": 10**30}, {"page_no": 1, "bbox": {"l": "x"}, "charspan": [5]}]
    else:
        value["body"]["children"] = 3
    document = opened(value)
    target.check(document)
    check_document(document)
    for words in ("Tea", "Boil the water.", "Sencha", "Green | 2", "Pour it out.", "1 Very hot."):
        assert document.text.count(words) == 1
    assert bool(document.notes) == (change != "self")


def test_text_in_the_order_of_docling_is_deep_without_recursion() -> None:
    many = 3_000
    groups = [
        {"self_ref": f"#/groups/{n}", "label": "list", "children": [{"$ref": f"#/groups/{n + 1}"}]} for n in range(many)
    ]
    groups[-1]["children"] = [{"$ref": "#/texts/0"}]
    value = {
        "schema_name": "DoclingDocument", "body": {"children": [{"$ref": "#/groups/0"}]}, "groups": groups,
        "texts": [{"label": "list_item", "text": "Deep.", "marker": "-"}],
    }  # fmt: skip
    assert shapes(opened(value)) == [("list_item", 12, "- Deep.")]


@pytest.mark.parametrize(
    "body", ["{", '{"schema_name": "DoclingDocument"}', '{"schema_name": "DoclingDocument", "body": 3}']
)
def test_what_is_no_document_stays_json(body: str) -> None:
    assert load(body.encode(), "a.json").format in ("json", "text")


def test_a_document_without_a_body_is_refused_by_its_reader() -> None:
    from chunking.loading import LoadParameters
    from chunking.loading.markup import docling

    for text in ("[", "3", '{"schema_name": "DoclingDocument"}', "[" * 100_000):
        with pytest.raises(ChunkscopeError, match="not a Docling document"):
            docling.parse(text, "a.json", LoadParameters())
