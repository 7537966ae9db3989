from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunking.batch.storage import files
from chunking.errors import ChunkscopeError


def chunks() -> files.ChunkTable:
    numbers: dict[str, Any] = {name: np.arange(3, dtype=np.int64) + place for place, name in enumerate(files.NUMBERS)}
    return files.ChunkTable(
        **numbers,
        searchable=np.array([True, False, True]),
        id=["a", "a", "b"],
        before=["A\n\n", "", "é"],
        key=[b"1" * 16, b"", b"\x00" * 16],
        line=['{"text": "é"}', "{}", "{}"],
        failed=(("c", "why"),),
        languages={"en": 2, "ko": 1},
    )


def test_chunks_come_back(tmp_path: Path) -> None:
    path = str(tmp_path / "part.parquet")
    files.write_chunks(path, chunks())
    found, given = files.chunks(path), chunks()
    for name in (*files.NUMBERS, "searchable"):
        np.testing.assert_array_equal(getattr(found, name), getattr(given, name))
    assert (found.id, found.before, found.key, found.line) == (given.id, given.before, given.key, given.line)
    assert (found.failed, found.languages) == (given.failed, given.languages)
    some = files.chunks(path, ("end", "searchable"))
    assert (some.end.tolist(), list(some.line), len(some.start)) == (given.end.tolist(), [], 0)


def test_a_file_that_is_not_whole_counts_as_none(tmp_path: Path) -> None:
    table, arrays = tmp_path / "part.parquet", tmp_path / "part.npz"
    files.write_chunks(str(table), chunks())
    files.write_arrays(str(arrays), {"some": np.arange(400)})
    for path, read in ((table, files.read_chunks), (arrays, files.read_arrays)):
        whole = path.read_bytes()
        assert read(str(path)) is not None
        flipped = bytearray(whole)
        flipped[len(whole) // 3] ^= 0xFF
        for broken in (b"", whole[: len(whole) // 2], whole[:-1], bytes(flipped), b"PAR1" + whole[4:][::-1]):
            path.write_bytes(broken)
            assert read(str(path)) is None
        path.unlink()
        assert read(str(path)) is None
    with pytest.raises(ChunkscopeError, match="made anew"):
        files.chunks(str(table))
