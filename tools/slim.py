"""Remove from an installed environment what a server never opens, for the container image.

    /opt/app/bin/python -m tools.slim

Tests, headers, type stubs and the parts of packages for notebooks, compilers and other protocols: what Chunkscope never
imports. The list names packages, so that nothing of the same name elsewhere goes.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

_FOLDERS = (
    "numpy/**/tests",
    "pandas/tests",
    "pip",
    "plotly/labextension",
    "pyarrow/include",
    "pyarrow/tests",
    "pydeck/nbextension",
    "scipy/**/tests",
    "setuptools",
    "sklearn/**/tests",
    "torch/bin",
    "torch/include",
    "torch/test",
    "**/__pycache__",
)
_FILES = (
    "pyarrow/*flight*",
    "pyarrow/**/*.p[xy][dxi]",
    "**/*.pyi",
)


def unneeded(packages: Path) -> Iterator[Path]:
    """Yield the folders and files that go."""
    for pattern in _FOLDERS:
        yield from (path for path in packages.glob(pattern) if path.is_dir())
    for pattern in _FILES:
        yield from (path for path in packages.glob(pattern) if path.is_file())


def slim(packages: Path) -> int:
    """Remove what is not needed; return the bytes that this freed."""
    before = size(packages)
    for path in list(unneeded(packages)):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return before - size(packages)


def size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


if __name__ == "__main__":
    found = Path(sysconfig.get_path("purelib"))
    if found.parents[2] != Path(sys.prefix):
        sys.exit("This is no environment of its own.")
    freed = slim(found)
    print(f"{found}: {freed / 1e6:,.0f} MB removed, {size(found) / 1e6:,.0f} MB left.")
