"""Compound files (OLE, [MS-CFB]): where the bytes of a stream are in the file."""

from __future__ import annotations

import struct
from collections.abc import Collection

Span = tuple[int, int]
"""Half-open range of bytes of a file."""

_HEADER = 512
_ENTRY = 128
_END = 0xFFFFFFFA
"""Sector numbers from here on are marks, such as the end of a chain."""

_ROOT, _STREAM = 5, 2


class CompoundFile:
    """A compound file.

    Args:
        data: the file; damaged parts of it are as if they were missing.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._size = 1 << min(int.from_bytes(data[30:32], "little"), 16)
        self._small_size = 1 << min(int.from_bytes(data[32:34], "little"), 16)
        self._cutoff = self._number(56)
        self._table = self._read_table()
        self._small_table = self._numbers(self._chain(self._number(60)))
        self._entries = self._read_entries()
        root = next((entry for entry in self._entries if entry[1] == _ROOT), None)
        self._small_sectors = self._chain(root[2]) if root else []

    def stream(self, names: Collection[str]) -> list[Span]:
        """Return where the bytes of the first stream with one of some names are; empty if there is none."""
        for name, kind, start, size in self._entries:
            if kind == _STREAM and name in names:
                return self._spans(start, size)
        return []

    def _spans(self, start: int, size: int) -> list[Span]:
        spans, left = [], size
        for begin, end in self._small_chain(start) if size < self._cutoff else self._chain(start):
            end = min(end, begin + left, len(self._data))
            if end <= begin:
                break
            spans.append((begin, end))
            left -= end - begin
        return spans

    def _number(self, offset: int) -> int:
        return int.from_bytes(self._data[offset : offset + 4], "little")

    def _numbers(self, spans: list[Span]) -> list[int]:
        """Return the numbers of four bytes in ranges of the file."""
        parts = (self._data[begin:end] for begin, end in spans)
        return [number for part in parts for (number,) in struct.iter_unpack("<I", part[: len(part) // 4 * 4])]

    def _sector(self, number: int) -> Span:
        begin = (number + 1) * self._size
        return begin, begin + self._size

    def _read_table(self) -> list[int]:
        """Return the number of the sector that follows each."""
        sectors = self._numbers([(76, _HEADER)])
        following, seen = self._number(68), set[int]()
        while following < _END and following not in seen and self._sector(following)[0] < len(self._data):
            seen.add(following)
            *more, following = self._numbers([self._sector(following)]) or [_END]
            sectors += more
        count = len(self._data) // self._size + 1
        return self._numbers([self._sector(number) for number in sectors if number < count][:count])

    def _chain(self, start: int) -> list[Span]:
        """Return the sectors from one on."""
        spans, seen = [], set[int]()
        while start < len(self._table) and start not in seen:
            seen.add(start)
            spans.append(self._sector(start))
            start = self._table[start]
        return spans

    def _small_chain(self, start: int) -> list[Span]:
        spans, seen = [], set[int]()
        each = max(self._size // self._small_size, 1)
        while start < len(self._small_table) and start not in seen and start // each < len(self._small_sectors):
            seen.add(start)
            begin = self._small_sectors[start // each][0] + start % each * self._small_size
            spans.append((begin, begin + self._small_size))
            start = self._small_table[start]
        return spans

    def _read_entries(self) -> list[tuple[str, int, int, int]]:
        """Return name, kind, first sector and size of each entry of the directory."""
        data = b"".join(self._data[begin:end] for begin, end in self._chain(self._number(48)))
        entries = []
        for offset in range(0, len(data) - _ENTRY + 1, _ENTRY):
            length = min(int.from_bytes(data[offset + 64 : offset + 66], "little"), 64)
            name = data[offset : offset + max(length - 2, 0)].decode("utf-16-le", "replace")
            start, size = struct.unpack_from("<II", data, offset + 116)
            entries.append((name, data[offset + 66], start, size))
        return entries
