"""Disks for tests: one that is small enough to fill, one that keeps nobody waiting, and folders whose rights bind."""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Mount a disk of one megabyte in a folder; the test is skipped where none may be mounted."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no disk may be mounted here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


_MEMORY = Path("/dev/shm")


def quick_folder() -> str | None:
    """Return a folder in memory where there is one with room, else ``None``, for the usual place.

    What a process writes that is killed is there as on a disk. Only a power cut would show the difference, and a disk
    takes some milliseconds to be safe from that, for each transaction.
    """
    usable = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > 2**31
    return str(_MEMORY) if usable else None


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder for a test, where it has to wait for no disk."""
    with tempfile.TemporaryDirectory(prefix="chunkscope-", dir=quick_folder()) as folder:
        yield Path(folder)


@contextmanager
def unprivileged() -> Iterator[Path]:
    """Yield a new folder whose access rights bind this thread, and the threads it starts, even where it runs as root.

    Root gives up the right to write everywhere and keeps the right to read: what is imported meanwhile, such as the
    migrations of a database, may lie below a folder that only root may enter.
    """
    with tempfile.TemporaryDirectory(prefix="chunkscope-rights-") as folder:
        if os.geteuid():
            yield Path(folder)
            return
        if sys.platform != "linux":
            pytest.skip("the rights of files do not bind root here")
        capabilities = _capabilities()
        effective, *others = capabilities
        try:
            _set_capabilities([effective & ~_WRITE_EVERYWHERE, *others])
            yield Path(folder)
        finally:
            _set_capabilities(capabilities)


_WRITE_EVERYWHERE = 1 << 1
"""CAP_DAC_OVERRIDE of capabilities(7)."""
_THIS_THREAD = struct.pack("=Ii", 0x20080522, 0)
"""The header of capget(2) and capset(2): version 3 of their data, and no other thread."""
_SETS = struct.Struct("=6I")
"""The effective, permitted and inheritable capabilities 0 to 31, then those from 32."""


def _capabilities() -> list[int]:
    sets = ctypes.create_string_buffer(_SETS.size)
    assert ctypes.CDLL(None).capget(_THIS_THREAD, sets) == 0
    return list(_SETS.unpack(sets))


def _set_capabilities(sets: list[int]) -> None:
    assert ctypes.CDLL(None).capset(_THIS_THREAD, _SETS.pack(*sets)) == 0
