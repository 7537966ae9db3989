"""Exports: chunks and gaps as rows, tables and files, chunks as other libraries keep them, a setting as code."""

from chunking.export.origin import setting_text
from chunking.export.programs import CODE, command_line, compare_line, python_code
from chunking.export.records import (
    children,
    chunk_metadata,
    indexed_text,
    langchain_rows,
    llama_index_rows,
    neighbours,
)
from chunking.export.tables import (
    CHUNK_COLUMNS,
    GAP_COLUMNS,
    Row,
    chunk_rows,
    encodable,
    gap_rows,
    jsonl,
    limit_lines,
    parquet,
    table,
)

__all__ = [
    "CHUNK_COLUMNS",
    "CODE",
    "GAP_COLUMNS",
    "Row",
    "children",
    "chunk_metadata",
    "chunk_rows",
    "command_line",
    "compare_line",
    "encodable",
    "gap_rows",
    "indexed_text",
    "jsonl",
    "langchain_rows",
    "limit_lines",
    "llama_index_rows",
    "neighbours",
    "parquet",
    "python_code",
    "setting_text",
    "table",
]
