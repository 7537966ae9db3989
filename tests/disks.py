"""A disk of a test's own, small enough to fill, and folders whose rights bind."""

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
