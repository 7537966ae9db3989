"""Disks for tests: one that is small enough to fill, one that keeps nobody waiting, and folders whose rights bind."""

from __future__ import annotations

import os
import shutil
import subprocess
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
    """A folder of somebody whom the rights of files bind; root is somebody else meanwhile."""
    folder = Path(tempfile.mkdtemp(prefix="chunkscope-rights-"))
    was_root = os.geteuid() == 0
    try:
        if was_root:
            os.chown(folder, 65534, 65534)
            os.seteuid(65534)
        yield folder
    finally:
        if was_root:
            os.seteuid(0)
        shutil.rmtree(folder)
