from __future__ import annotations

import json
from typing import Any

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.loading.markup.notebook import MAX_OUTPUT, parse
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading.checks import check_parsed


def read(notebook: Any) -> Parsed:
    text = notebook if isinstance(notebook, str) else json.dumps(notebook)
    return checked(parse(text, "n.ipynb", LoadParameters()))


def checked(parsed: Parsed) -> Parsed:
    """What holds of every notebook: all but line ends is in a cell or output."""
    covered = check_parsed(parsed)
    assert all(inside or char == "\n" for char, inside in zip(parsed.text, covered, strict=True))
    assert parsed.origin and len(parsed.origin.parts) == len(parsed.origin.texts)
    return parsed


def shapes(parsed: Parsed) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, parsed.text[block.content : block.end]) for block in parsed.blocks]


def code(source: Any, *outputs: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


NOTEBOOK: dict[str, Any] = {
    "nbformat": 4,
    "metadata": {"language_info": {"name": "python"}},
    "cells": [
        {"cell_type": "markdown", "source": ["# Tea\n", "\n", "Boil *water*.\n", "\n", "- green\n"]},
        code(
            "\n  x = 1\n\nprint(x)\n",
            {"output_type": "stream", "name": "stdout", "text": ["1\n", "2\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "   a\n0  1", "text/html": "<table></table>"}},
            {"output_type": "display_data", "data": {"text/plain": "<Figure size 9x9>", "image/png": "iVBO"}},
            {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[0;31mE\x1b[0m: v", "line 2"]},
        ),
        {"cell_type": "raw", "source": "as it is"},
    ],
}


def test_cells_and_outputs_in_order() -> None:
    parsed = read(NOTEBOOK)
    assert shapes(parsed) == [
        ("heading", 1, "Tea"),
        ("paragraph", 0, "Boil *water*."),
        ("list_item", 1, "green"),
        ("code", 0, "x = 1\n\nprint(x)"),
        ("code", 0, "1\n2"),
        ("code", 0, "a\n0  1"),
        ("code", 0, "E: v\nline 2"),
        ("code", 0, "as it is"),
    ]
    assert "- green\n\n  x = 1" in parsed.text


def test_images_and_html_are_set_aside_and_counted() -> None:
    parsed = read(NOTEBOOK)
    assert [(aside.kind, aside.text) for aside in parsed.aside] == [
        ("output", "<table></table>"),
        ("output", "[image/png]"),
    ]
    assert parsed.origin is not None
    assert parsed.origin.parts[parsed.aside[1].part] == "cell 2, output 3 (image/png)"
    assert parsed.notes == ("2 outputs are excluded, in whole or in part: images, HTML, and text that is too long.",)


def test_places_lead_back_to_the_cell() -> None:
    parsed = read(NOTEBOOK)
    assert parsed.origin is not None
    start = parsed.text.index("print(x)")
    (place,) = parsed.origin.places(start, start + 8)
    assert parsed.origin.parts[place.part] == "cell 2"
    assert parsed.origin.texts[place.part][place.start : place.end] == "print(x)"


def test_long_outputs_are_set_aside() -> None:
    at_most, longer = "x" * MAX_OUTPUT, "y" * (MAX_OUTPUT + 1)
    parsed = read({"cells": [code("a", {"output_type": "stream", "text": words}) for words in (at_most, longer)]})
    assert at_most in parsed.text
    assert [aside.text for aside in parsed.aside] == [longer]


def test_shown_markdown_has_its_blocks() -> None:
    data = {"text/plain": "<IPython.core.display.Markdown object>", "text/markdown": "## Sub\n\nwords"}
    parsed = read({"cells": [code("a", {"output_type": "display_data", "data": data})]})
    assert shapes(parsed)[1:] == [("heading", 2, "Sub"), ("paragraph", 0, "words")]


def test_a_thing_without_another_form_is_text() -> None:
    parsed = read({"cells": [code("a", {"output_type": "execute_result", "data": {"text/plain": "<function f>"}})]})
    assert shapes(parsed)[1:] == [("code", 0, "<function f>")]


def test_old_notebooks() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Old"},
        {"cell_type": "heading", "level": True, "source": "Odd"},
        {
            "cell_type": "code",
            "input": ["a = 1"],
            "outputs": [
                {"output_type": "pyout", "text": ["1"], "html": "<b>1</b>"},
                {"output_type": "pyerr", "ename": "E", "evalue": "v"},
            ],
        },
    ]
    parsed = read({"nbformat": 3, "worksheets": [{"cells": cells}, 5]})
    assert shapes(parsed) == [
        ("heading", 2, "Old"),
        ("heading", 1, "Odd"),
        ("code", 0, "a = 1"),
        ("code", 0, "1"),
        ("code", 0, "E: v"),
    ]
    assert [aside.text for aside in parsed.aside] == ["<b>1</b>"]


def test_what_is_no_cell_is_left_out_and_noted() -> None:
    parsed = read({"cells": [7, code({"a": 1}), code("ok", None, {"output_type": "stream", "text": 3}), code("")]})
    assert parsed.text == "ok"
    assert parsed.notes == ("4 cells or outputs could not be read and were left out.",)


def test_surrogates_and_not_a_number_do_no_harm() -> None:
    parsed = read('{"cells": [{"cell_type": "raw", "source": "a\\ud800b"}], "metadata": {"x": NaN}}')
    assert parsed.text == "a\ufffdb"


def test_a_notebook_without_cells_is_empty() -> None:
    assert read({"cells": []}).text == ""


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1]", "null", "{}", '{"cells": 3}', '{"worksheets": 3}', "[" * 200_000, '{"cells":[' * 9999, "1" * 9999],
)
def test_what_is_no_notebook_is_refused(text: str) -> None:
    with pytest.raises(ChunkscopeError, match="not a notebook"):
        read(text)


def test_it_is_loaded_by_its_suffix() -> None:
    document = load(json.dumps(NOTEBOOK).encode(), "tea.ipynb")
    assert document.format == "notebook"
    assert document.headings[0].kind == "heading"
