"""The header of a table, and of the table that a chunk continues."""

from __future__ import annotations

import pytest

from chunking import DocumentAnalysis, export, from_text, parse
from chunking.chunks import table_header
from chunking.document import first_row
from chunking.retrieval.search.context import prefixes
from chunking.workspace import Models

HEADER = "| pump | pressure |\n| --- | --- |"
ROWS = "\n".join(f"| pump {number} of the lower harbour basin | {number}.5 bar |" for number in range(40))
TEXT = f"# Pumps\n\nAll were tested in spring.\n\n{HEADER}\n{ROWS}\n\nNone of them failed.\n"


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("| a | b |\n| - | - |\n| 1 | 2 |", "| 1"),
        ("a\tb\n1\t2", "1\t"),
        ("+---+\n| a |\n+===+\n| 1 |\n+---+", "| 1"),
        ("| a | b |", None),
        ("| a | b |\n| - | - |", None),
        ("-----\n\n\n\n\na\nb", None),
        ("", None),
    ],
)
def test_the_first_row_lies_below_the_first_line_with_words_and_its_ruling(table: str, row: str | None) -> None:
    text = f"before\n{table}\nafter"
    start = 7
    assert first_row(text, start, start + len(table)) == (text.index(row) if row else None)


def test_rows_have_the_header_of_their_table_and_other_places_none() -> None:
    document = from_text(TEXT, "pumps.md", "markdown", "en")
    table = TEXT.index(HEADER)
    for offset in range(len(TEXT)):
        header = document.table_header(offset)
        inside = TEXT.index(ROWS) <= offset < TEXT.index(ROWS) + len(ROWS)
        assert (header is not None) == inside or TEXT[offset] == "\n"
        assert header is None or (header.start, document.slice(header)) == (table, f"{HEADER}\n")


def test_a_chunk_that_continues_a_table_is_exported_and_embedded_with_its_header() -> None:
    document = from_text(TEXT, "pumps.md", "markdown", "en")
    workspace = DocumentAnalysis(document, Models("static", splitter="rules"))
    made = parse("structural:max_tokens=120").run(workspace)
    continuing = [chunk for chunk in made.chunks if chunk.text.startswith("| pump ") and HEADER not in chunk.text]
    assert len(continuing) > 2
    assert [chunk for chunk in made.chunks if table_header(document, chunk)] == continuing
    rows, embedded = export.chunk_rows(made), prefixes(made.chunks, document, "headings")
    metadata, nodes = export.chunk_metadata(made), export.llama_index_rows(made)
    for chunk, row, before, values, node in zip(made.chunks, rows, embedded, metadata, nodes, strict=True):
        has_header = chunk in continuing
        assert row.get("table_header") == values.get("table_header") == (HEADER if has_header else None)
        assert before == (f"Pumps\n\n{HEADER}\n" if has_header else "Pumps\n\n" if chunk.index else "")
        assert TEXT[chunk.start : chunk.end] == chunk.text
        assert ("table_header" in node["excluded_embed_metadata_keys"]) is False
    assert prefixes(made.chunks, document, "chunk") == [""] * len(made.chunks)
