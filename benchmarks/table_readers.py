"""Programs that find the tables of PDFs: one in a process of its own, which imports nothing else.

``python -m benchmarks.table_readers NAME FILE…`` prints as JSON the tables that it finds in each file: the cells of
each row.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

Table = list[list[str]]
"""The cells of each row."""

Find = Callable[[Path], list[Table]]


@dataclass(frozen=True)
class TableReader:
    """A program that finds tables.

    Attributes:
        module: without which it is left out.
        make: returns the function that finds them, once its libraries are loaded.
    """

    module: str
    make: Callable[[], Find]


def _chunkscope() -> Find:
    load, cell = import_module("chunking").load, import_module("chunking.loading.writer").CELL

    def find(path: Path) -> list[Table]:
        document = load(path.read_bytes(), path.name)
        return [
            [row.split(cell) for row in document.text[block.start : block.end].split("\n")]
            for block in document.blocks
            if block.kind == "table"
        ]

    return find


def _pdfplumber() -> Find:
    open_file: Any = import_module("pdfplumber").open

    def find(path: Path) -> list[Table]:
        with open_file(path) as document:
            return [_filled(table) for page in document.pages for table in page.extract_tables()]

    return find


def _pymupdf() -> Find:
    open_file: Any = import_module("pymupdf").open

    def find(path: Path) -> list[Table]:
        with open_file(path) as document:
            return [_filled(table.extract()) for page in document for table in page.find_tables().tables]

    return find


def _filled(table: Sequence[Sequence[str | None]]) -> Table:
    return [[cell or "" for cell in row] for row in table]


READERS = {
    "Chunkscope": TableReader("chunking", _chunkscope),
    "pdfplumber": TableReader("pdfplumber", _pdfplumber),
    "PyMuPDF": TableReader("pymupdf", _pymupdf),
}


def main(name: str, files: Sequence[Path]) -> None:
    """Print the tables of the files; none of those of a file that cannot be read."""
    find = READERS[name].make()
    tables: list[list[Table]] = []
    for file in files:
        try:
            tables.append(find(file))
        except Exception as error:  # Whatever another program raises is its result.
            print(f"{file.name}: {type(error).__name__}: {error}"[:200], file=sys.stderr)
            tables.append([])
    # PyMuPDF prints advertisements; the last line is the result.
    print("\n" + json.dumps(tables))


if __name__ == "__main__":
    main(sys.argv[1], [Path(file) for file in sys.argv[2:]])
