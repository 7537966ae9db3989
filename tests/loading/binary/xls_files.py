"""Workbooks of Excel before 2007, written for the tests: records of [MS-XLS] in a compound file."""

from __future__ import annotations

import struct
from collections.abc import Mapping

SECTOR = 512


def record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def begin(kind: int) -> bytes:
    return record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0, 1997, 0, 0))


END = record(0x000A)


def label(row: int, column: int, text: str) -> bytes:
    head = struct.pack("<HHHHB", row, column, 0, len(text), 1)
    return record(0x0204, head + text.encode("utf-16-le"))


def number(row: int, column: int, value: float) -> bytes:
    return record(0x0203, struct.pack("<HHHd", row, column, 0, value))


def numbers(row: int, column: int, *values: int) -> bytes:
    cells = b"".join(struct.pack("<HI", 0, value << 2 | 2) for value in values)
    return record(0x00BD, struct.pack("<HH", row, column) + cells + struct.pack("<H", column + len(values) - 1))


def stream(sheets: Mapping[str, bytes], hidden: tuple[str, ...] = (), more: bytes = b"") -> bytes:
    """The stream of a workbook, given the records of its sheets."""
    names = {name: struct.pack("<BB", len(name), 1) + name.encode("utf-16-le") for name in sheets}
    start = len(begin(5)) + sum(4 + 6 + len(name) for name in names.values()) + len(more) + len(END)
    entries, bodies = b"", b""
    for name, records in sheets.items():
        entries += record(0x0085, struct.pack("<IBB", start + len(bodies), int(name in hidden), 0) + names[name])
        bodies += begin(0x10) + records + END
    return begin(5) + entries + more + END + bodies


def compound(content: bytes) -> bytes:
    """A compound file with the stream of a workbook."""
    content = content.ljust(max(4096, -(-len(content) // SECTOR) * SECTOR), b"\0")
    count = len(content) // SECTOR
    tables = -(-(count + 2) // (SECTOR // 4 - 1))
    end, free, table = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
    chain = [*range(1, count), end, end, *[table] * tables]
    chain += [free] * (tables * SECTOR // 4 - len(chain))
    header = struct.pack("<8s16xHHHHH6xIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6,
                         0, tables, count, 0, 4096, end, 0, end, 0)  # fmt: skip
    header += struct.pack("<109I", *range(count + 1, count + 1 + tables), *[free] * (109 - tables))
    directory = entry("Root Entry", 5, end, 0, 1) + entry("Workbook", 2, 0, len(content), free)
    return header + content + directory.ljust(SECTOR, b"\0") + struct.pack(f"<{len(chain)}I", *chain)


def entry(name: str, kind: int, start: int, size: int, child: int) -> bytes:
    encoded = name.encode("utf-16-le") + b"\0\0"
    free = 0xFFFFFFFF
    return struct.pack("<64sHBBIII36xIQ", encoded, len(encoded), kind, 1, free, free, child, start, size)


def workbook(sheets: Mapping[str, bytes], hidden: tuple[str, ...] = (), more: bytes = b"") -> bytes:
    return compound(stream(sheets, hidden, more))
