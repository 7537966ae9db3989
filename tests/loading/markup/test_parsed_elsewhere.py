"""Unstructured, MinerU and Marker: their layout, pages, and what is none of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chunking import load, split
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading import LoadParameters, format_of, reload
from chunking.loading.markup import mineru, unstructured
from tests.loading.checks import shapes
from tests.loading.markup.parsed import CONTENTS, DASHES, ELEMENTS, MARKER, element


def opened(value: Any, name: str = "a.json") -> Document:
    return load(value.encode() if isinstance(value, str) else json.dumps(value).encode(), name)


def asides(document: Document) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in document.aside]


def test_elements_of_unstructured() -> None:
    document = opened(ELEMENTS)
    assert (document.format, document.language) == ("unstructured", "en")
    assert shapes(document) == [
        ("heading", 1, "Tea"),
        ("heading", 2, "Leaves"),
        ("paragraph", 0, "Boil the water. Wait a little."),
        ("list_item", 2, "- Green"),
        ("page_break", 0, "\f"),
        ("table", 0, "Tea | Price\nGreen | 2"),
        ("table", 0, "Tea Price Black 3"),  # its cells lack words of its text
        ("code", 0, "x = 1\ny = 2"),
        ("caption", 0, "A pot"),
    ]
    assert asides(document) == [
        ("running head", "Annual report"), ("text in a picture", "HOT"), ("page number", "2")
    ]  # fmt: skip
    start = document.text.index("Boil")
    assert document.pages is not None
    assert [tuple(box) for box in document.pages.lines(start, start + 4)] == [(0, 10, 20, 90, 40)]
    assert document.pages.sizes[0].tolist() == [100, 200]
    assert document.origin is not None
    assert document.origin.parts[document.origin.places(start, start + 4)[0].part] == "element 4"
    assert shapes(opened("\n".join(map(json.dumps, ELEMENTS)), "a.jsonl")) == shapes(document)


def test_parents_in_a_circle() -> None:
    circle = [element("Title", "A", parent_id="Title-B"), element("Title", "B", parent_id="Title-A")]
    assert [level for _, level, _ in shapes(opened(circle))] == [12, 12]


def test_boxes_that_count_from_the_bottom() -> None:
    place = {"points": [[1, 9], [3, 7]], "system": "PointSpace", "layout_width": 10, "layout_height": 10}
    document = opened([element("Text", "A", page_number=1, coordinates=place)])
    assert document.pages is not None
    assert [tuple(box) for box in document.pages.lines(0, 1)] == [(0, 1, 1, 3, 3)]


def test_content_lists_of_mineru() -> None:
    document = opened(CONTENTS, "tea_content_list.json")
    assert document.format == "mineru"
    assert shapes(document) == [
        ("heading", 1, "Tea"),
        ("paragraph", 0, "Boil the water. Wait a little."),
        ("list_item", 1, "- Green"),
        ("list_item", 1, "- Black"),
        ("page_break", 0, "\f"),
        ("caption", 0, "Prices"),
        ("table", 0, "Green | 2\nBlack | 3"),
        ("footnote", 0, "In pounds."),
        ("code", 0, "$$x^2$$"),
        ("caption", 0, "A pot"),
        ("page_break", 0, "\f"),
        ("caption", 0, "Listing"),
        ("code", 0, "x = 1"),
        ("footnote", 0, "1 Hot."),
    ]
    assert asides(document) == [("running head", "Annual report"), ("page number", "3")]
    assert document.pages is not None and len(document.pages) == 3
    start = document.text.index("Green |")
    assert [tuple(box) for box in document.pages.lines(start, start + 1)] == [(1, 100, 50, 900, 80)]


def test_pages_of_marker() -> None:
    document = opened(MARKER, "tea.md")
    assert (document.format, document.is_markdown) == ("marker", True)
    assert [kind for kind, _, _ in shapes(document)] == [
        "heading", "paragraph", "table", "page_break", "list_item", "list_item", "page_break", "heading", "paragraph"
    ]  # fmt: skip
    assert DASHES not in document.text
    pages, origin = document.pages, document.origin
    assert pages is not None and len(pages) == 4 and origin is not None
    places = {"Boil": 0, "black": 1, "Bread": 3}
    for word, page in places.items():
        start = document.text.index(word)
        assert list(pages.of(start, start + len(word))) == [page]
        (place,) = origin.places(start, start + len(word))
        assert MARKER[place.start : place.end] == word
    assert pages.starts.tolist()[1:3] == [document.text.index("- green"), document.text.index("## Bread")]
    assert reload(document, LoadParameters()) == document
    # The second line of a table is its rule, which is no sentence.
    assert [chunk.text for chunk in split(document, "sentence:max_tokens=1;overlap=0")].count("|-|-|\n") == 0


@pytest.mark.parametrize(
    ("value", "name", "format"),
    [
        ([{"type": "Title", "text": "A"}], "a.json", "json"),
        ([{"type": "Feature", "text": "A", "metadata": {}}], "a.json", "json"),
        ([element("Title", "A"), {"name": "B"}], "a.json", "json"),
        ([{"type": "text", "text": "A"}], "a.json", "json"),
        ({"documents": [{"schema_name": "DoclingDocument", "body": {}}]}, "a.json", "json"),
        ("Text\n\n{0}" + DASHES + "\n\nMore", "a.md", "markdown"),
        ("{0}---\n\nText", "a.md", "markdown"),
        (MARKER, "a.txt", "text"),
        (json.dumps(ELEMENTS), "a.txt", "text"),
    ],
)
def test_any_other_file_stays_what_it_is(value: Any, name: str, format: str) -> None:
    data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
    assert format_of(data, name).name == format


@pytest.mark.parametrize("reader", [mineru.parse, unstructured.parse])
@pytest.mark.parametrize("text", ["{", "[]", "3", '{"a": 1}', "[" * 100_000])
def test_what_has_no_items_is_refused(reader: Any, text: str) -> None:
    with pytest.raises(ChunkscopeError) as caught:
        reader(text, "a.json", LoadParameters())
    assert caught.value.remedy
