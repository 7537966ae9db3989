"""JSON of other programs with any value in place of any other: a document that keeps its promises, or an error."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import load, split
from chunking.document import Document
from chunking.errors import ChunkscopeError
from tests.examples import examples
from tests.fuzz import target
from tests.loading.markup import parsed
from tests.loading.markup.test_notebook import NOTEBOOK

FORMATS: dict[str, Callable[[], Any]] = {
    "docling": parsed.docling,
    "unstructured": lambda: parsed.ELEMENTS,
    "mineru": lambda: parsed.CONTENTS,
    "notebook": lambda: NOTEBOOK,
}
KEYS = st.sampled_from(["text", "data", "cells", "$ref", "label", "l", "points"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
REFERENCES = st.sampled_from([f"#/{kind}/{n}" for kind in ("texts", "groups", "tables", "body") for n in range(3)])
JSON = st.recursive(
    SCALARS | st.builds(lambda reference: [{"$ref": reference}], REFERENCES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """A copy of a value with some of the values in it replaced by any other."""
    value = json.loads(json.dumps(value))
    for _ in range(draw(st.integers(1, 6))):
        node = value
        for _ in range(draw(st.integers(0, 8))):
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if not isinstance(node[key], dict | list) or draw(st.booleans()):
                node[key] = draw(JSON)
                break
            node = node[key]
    return value


def check_text_is_kept(document: Document, texts: Any) -> None:
    kept = document.text + "".join(aside.text for aside in document.aside)
    for item in texts if isinstance(texts, list) else []:
        words = item.get("text") if isinstance(item, dict) else None
        if isinstance(words, str):
            assert all(word in kept for word in words.encode("utf-8", "replace").decode().split())


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@settings(max_examples=examples(150))
def test_wrong_types_anywhere_do_no_harm(format: str, data: st.DataObject) -> None:
    value = data.draw(changed(FORMATS[format]()))
    try:
        document = load(json.dumps(value).encode(), "a.ipynb" if format == "notebook" else "a.json", "en")
    except ChunkscopeError as error:
        assert error.remedy
        return
    target.check(document)
    assert "".join(chunk.text for chunk in split(document, "paragraph:min_tokens=0")) == document.text
    if document.format == format and format in ("docling", "unstructured"):
        check_text_is_kept(document, value.get("texts") if isinstance(value, dict) else value)


PAGES = ["\n\n{0}", "{2}", "{999999}", "# A", "\n", "a|b", "-|-", "é"]


@given(st.lists(st.sampled_from([f"{page}{parsed.DASHES}\r\n" for page in PAGES[:3]] + PAGES) | st.text(max_size=9)))
@settings(max_examples=examples(100))
def test_any_pages_of_marker_keep_their_promises(pieces: list[str]) -> None:
    document = load((f"{{0}}{parsed.DASHES}\n" + "".join(pieces)).encode("utf-8", "replace"), "a.md")
    assert document.format == "marker"
    target.check(document)
