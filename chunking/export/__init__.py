"""Exports: chunks and gaps as rows, tables and files, chunks as other libraries keep them, a setting as code."""

from chunking.export.dataset import dataset_files, dataset_zip
from chunking.export.identity import chunk_ids, indexed_text
from chunking.export.origin import facts_of, setting_text
from chunking.export.parquet_files import ParquetTable, parquet, several_rows
from chunking.export.programs import CODE, command_line, command_parts, compare_line, python_code, retrieval_code
from chunking.export.records import (
    children,
    chunk_metadata,
    haystack_rows,
    langchain_rows,
    llama_index_rows,
    neighbours,
)
from chunking.export.tables import (
    CHUNK_COLUMNS,
    GAP_COLUMNS,
    chunk_rows,
    csv_line,
    encodable,
    gap_rows,
    jsonl,
    limits_in_words,
    table,
    table_lines,
)

__all__ = [
    "CHUNK_COLUMNS",
    "CODE",
    "GAP_COLUMNS",
    "ParquetTable",
    "children",
    "chunk_ids",
    "chunk_metadata",
    "chunk_rows",
    "command_line",
    "command_parts",
    "compare_line",
    "csv_line",
    "dataset_files",
    "dataset_zip",
    "encodable",
    "facts_of",
    "gap_rows",
    "haystack_rows",
    "indexed_text",
    "jsonl",
    "langchain_rows",
    "limits_in_words",
    "llama_index_rows",
    "neighbours",
    "parquet",
    "python_code",
    "retrieval_code",
    "setting_text",
    "several_rows",
    "table",
    "table_lines",
]
