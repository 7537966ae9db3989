"""The bytes of files in a text: pictures of Markdown as ``data:`` addresses."""

from __future__ import annotations

import json

import pytest

from chunking import strategies
from chunking.loading import load
from chunking.loading.embedded_files import MIN_LENGTH
from chunking.workspace import DocumentAnalysis
from tests.loading.checks import check_document, shapes

BYTES = "iVBORw0KGgo/+aZ09" * 3_000 + "=="
ADDRESS = f"data:image/png;base64,{BYTES}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"# Pump\n\n![a pump]({ADDRESS})\n\nIt runs.\n", "# Pump\n\n![a pump](data:image/png;base64,)\n\nIt runs.\n"),
        (f"Look: ![p][1].\n\n[1]: <{ADDRESS}>\n", "Look: ![p][1].\n\n[1]: <data:image/png;base64,>\n"),
        (f'<img alt="p" src="{ADDRESS}">\n\nIt runs.\n', '<img alt="p" src="data:image/png;base64,">\n\nIt runs.\n'),
        (
            f"![f](data:image/svg+xml;charset=utf-8,%3Csvg{'%20' * 200}) ends\n",
            "![f](data:image/svg+xml;charset=utf-8,) ends\n",
        ),
    ],
)
def test_encoded_bytes_are_excluded_and_the_markup_is_kept(text: str, expected: str) -> None:
    document = load(text.encode(), "pump.md")
    check_document(document)
    assert document.text == expected
    assert [aside.kind for aside in document.aside] == ["embedded file"]
    assert document.notes == ("The encoded bytes of 1 embedded file are excluded from the text.",)
    assert document.origin is not None
    end = expected.index(",") + 1
    (place,) = document.origin.places(end, len(expected))
    assert text[place.start : place.end] == expected[end:]


def test_no_chunk_has_the_bytes_of_a_picture() -> None:
    document = load(f"# Pump\n\nIt runs.\n\n![a pump]({ADDRESS})\n\nIt stopped.\n".encode(), "pump.md")
    chunks = strategies.run("section", DocumentAnalysis(document)).chunks
    assert sum(chunk.tokens for chunk in chunks) < 60


def test_short_addresses_programs_and_texts_without_files_stay_as_they_are() -> None:
    for text, name in (
        (f"![a]({ADDRESS[:MIN_LENGTH]})\n", "short.md"),
        (f'PICTURE = "{ADDRESS}"\n', "program.py"),
        ("data: image/png, base64, and words after it\n", "words.txt"),
    ):
        document = load(text.encode(), name)
        assert document.text == text
        assert document.origin is None


@pytest.mark.parametrize("name", ["note.txt", "note.rst", "note.tex", "note.json"])
def test_every_text_format_excludes_them(name: str) -> None:
    text = json.dumps({"a": f"see {ADDRESS} here"}) if name.endswith("json") else f"See {ADDRESS} here.\n"
    document = load(text.encode(), name)
    check_document(document)
    assert BYTES[:MIN_LENGTH] not in document.text
    assert "here" in document.text


def test_cells_and_pages_exclude_them() -> None:
    cells = [{"cell_type": "markdown", "source": f"# A\n\n![p]({ADDRESS})\n\nEnd."}]
    notebook = load(json.dumps({"cells": cells, "nbformat": 4}).encode(), "n.ipynb")
    assert notebook.text == "# A\n\n![p](data:image/png;base64,)\n\nEnd."
    assert notebook.notes == ("The encoded bytes of 1 embedded file are excluded from the text.",)
    marker = load(f"{{0}}{'-' * 48}\n\n# A\n\n![p]({ADDRESS})\n\nEnd.\n".encode(), "m.md")
    assert (marker.format, marker.text) == ("marker", notebook.text)
    assert shapes(marker) == shapes(notebook)
    assert len(marker.notes) == 1
