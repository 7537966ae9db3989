"""Tables of PDFs as Chunkscope and others find them, beside tables that people have marked.

``python -m benchmarks.known_tables FOLDER [--python PYTHON]`` takes each ``NAME.pdf`` below FOLDER that has
``NAME-str.xml`` beside it, the structure of its tables in the format of the ICDAR 2013 table competition. PYTHON is the
interpreter of the environment that has the other programs; those that it does not have are left out. ``--files`` prints
each file, and ``--half 0`` or ``--half 1`` takes the files whose name has an even or odd hash, so that what is tuned on
one half can be measured on the other.

The content of a table is the runs of three characters of its cells, without white space, which the marked text has
elsewhere than the file. Counted are:

- A marked table is *whole* if one table that was found has at least 95 % of its content, *partly* found if all tables
  have at least 20 % of it, else *lost*. A marked table over several pages is one.
- A whole table is *alone* if at least 80 % of the content of the table that was found is its own.
- A table that was found is *false* if no marked table of the file has at least 20 % of its content.
- A marked row is *exact* if a row that was found in the file has the same cells in order. Empty cells do not count,
  nor does white space. A cell that spans rows or columns counts once: in
  the first of its rows, and between the cells beside it. Each row that was found answers for one marked row.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from xml.etree import ElementTree
from zlib import crc32

from benchmarks.ground_truth import OURS, is_installed
from benchmarks.table_readers import READERS, Table
from benchmarks.timing import table

WHOLE = 0.95
"""Least share of a marked table's content that is in one table if that is whole."""

ALONE = 0.8
"""Least share of the content of a table that is that of a marked table if it has nothing else."""

TOUCHED = 0.2
"""Least share of the content of a marked table that is in tables if it is not lost, and the reverse."""


@dataclass(frozen=True)
class TableCounts:
    """How far the tables that were found agree with the marked ones.

    Attributes:
        tables, whole, alone, partly, lost: marked tables.
        rows, exact: marked rows.
        false: tables that were found where none is marked.
    """

    tables: int = 0
    whole: int = 0
    alone: int = 0
    partly: int = 0
    lost: int = 0
    rows: int = 0
    exact: int = 0
    false: int = 0

    def __add__(self, other: TableCounts) -> TableCounts:
        return TableCounts(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


def read_marked_tables(file: Path) -> list[Table]:
    """Return the marked tables of a file: of each row, the cells that begin in it."""
    marked: list[Table] = []
    for element in ElementTree.parse(file).iter("table"):
        rows: Table = []
        for region in element.iter("region"):
            cells = sorted(
                (int(cell.attrib["start-row"]), int(cell.attrib["start-col"]), cell.findtext("content") or "")
                for cell in region.iter("cell")
            )
            for first in sorted({row for row, _, _ in cells}):
                rows.append([text for row, _, text in cells if row == first])
        marked.append([row for row in rows if _row_key(row)])
    return [rows for rows in marked if rows]


def _row_key(row: Iterable[str]) -> tuple[str, ...]:
    """Return the cells of a row that are not empty, without white space."""
    return tuple(text for cell in row if (text := "".join(cell.split()).strip("|")))


def _content(rows: Table) -> Counter[str]:
    """Return the runs of three characters of the cells of a table; those of a shorter cell are one run."""
    cells = [cell for row in rows for cell in _row_key(row)]
    return Counter(cell[begin : begin + 3] for cell in cells for begin in range(max(len(cell) - 2, 1)))


def count(found: Sequence[Table], marked: Sequence[Table]) -> TableCounts:
    """Return how far the tables that were found in a file agree with the marked ones."""
    bags = [_content(rows) for rows in found]
    marked_bags = [_content(rows) for rows in marked]
    together = sum(bags, Counter[str]())
    counts = Counter[str]()
    for bag in marked_bags:
        best = max(bags, key=lambda other: (bag & other).total(), default=Counter[str]())
        if (bag & best).total() >= WHOLE * bag.total():
            counts["whole"] += 1
            counts["alone"] += (bag & best).total() >= ALONE * best.total()
        else:
            counts["partly" if (bag & together).total() >= TOUCHED * bag.total() else "lost"] += 1
    rows, ours = (Counter(_row_key(row) for rows in tables for row in rows) for tables in (marked, found))
    false = sum(all((bag & other).total() < TOUCHED * bag.total() for other in marked_bags) for bag in bags)
    return TableCounts(len(marked), **counts, rows=rows.total(), exact=(rows & ours).total(), false=false)


# --- files ---------------------------------------------------------------------------------------------------------


def find_pairs(folder: Path, half: int | None = None) -> dict[Path, Path]:
    """Return the PDFs below a folder and the structure of their tables; of one half of the names if requested."""
    pairs: dict[Path, Path] = {}
    for structure in sorted(folder.rglob("*-str.xml")):
        file = structure.with_name(structure.name.removesuffix("-str.xml") + ".pdf")
        if file.is_file() and half in (None, crc32(file.name.encode()) % 2):
            pairs[file] = structure
    return pairs


def measure(name: str, pairs: Mapping[Path, Path], python: str) -> dict[Path, TableCounts] | None:
    """Return the counts of a program by file; None where it is not installed or fails."""
    if not is_installed(READERS[name].module, python):
        return None
    command = [python, "-m", "benchmarks.table_readers", name, *map(str, pairs)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": os.getcwd()})
    if done.returncode:
        print(f"left out: {name}, exit code {done.returncode}", file=sys.stderr)
        return None
    tables: list[list[Table]] = json.loads(done.stdout.splitlines()[-1])
    return {
        file: count(found, read_marked_tables(structure))
        for (file, structure), found in zip(pairs.items(), tables, strict=True)
    }


def show(title: str, results: Mapping[str, TableCounts]) -> None:
    """Print the counts by program or file."""
    columns = [one.name for one in fields(TableCounts)]
    rows = [
        (name, *(getattr(counts, column) for column in columns), f"{counts.exact / max(counts.rows, 1):.1%}")
        for name, counts in results.items()
    ]
    table(title, ("", *columns, "exact rows"), rows)


def main(folder: Path, python: str, files: bool, half: int | None) -> None:
    """Measure each program."""
    pairs = find_pairs(folder, half)
    totals: dict[str, TableCounts] = {}
    for name in READERS:
        counts = measure(name, pairs, sys.executable if name == OURS else python)
        if counts:
            totals[name] = sum(counts.values(), TableCounts())
        if counts and files and name == OURS:
            show("Files", {file.stem: each for file, each in counts.items()})
    show(f"Marked tables of {len(pairs)} files", totals)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default=sys.executable, help="interpreter that has the other programs")
    parser.add_argument("--files", action="store_true", help="print each file")
    parser.add_argument("--half", type=int, choices=(0, 1), help="the files of one half of the names, by their hash")
    options = parser.parse_args()
    main(options.folder, options.python, options.files, options.half)
