"""Remove from an installed environment what a server never opens, for the container image.

    /opt/app/bin/python -m tools.slim

Tests, headers, type stubs, the installer, and the parts of packages for notebooks, compilers, other languages and
stores of clouds: what Chunkscope never imports. It names packages, so that nothing of the same name elsewhere goes.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

_FOLDERS = (
    "hf_xet",
    "hf_xet-*.dist-info",
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
    "babel/locale-data/[!er]*.dat",
    "pyarrow/*flight*",
    "pyarrow/*s3*",
    "pyarrow/_azurefs*",
    "pyarrow/_gcsfs*",
    "pyarrow/_hdfs*",
    "pyarrow/libarrow_python*.so",
    "pyarrow/libarrow_python*.so.*.*",
    "pyarrow/**/*.p[xy][dxi]",
    "**/*.pyi",
)

_BESIDE = ("share/jupyter", "bin/uv", "bin/uvx")
"""In the environment, beside the packages."""


def unneeded(packages: Path) -> Iterator[Path]:
    """Yield the folders and files that go."""
    for pattern in _FOLDERS:
        yield from (path for path in packages.glob(pattern) if path.is_dir())
    for pattern in _FILES:
        yield from (path for path in packages.glob(pattern) if path.is_file())


def slim(environment: Path, packages: Path) -> int:
    """Remove what is not needed; return the bytes that this freed.

    Args:
        environment: the folder of all.
        packages: the folder in it where packages are.
    """
    before = size(environment)
    beside = [path for name in _BESIDE if (path := environment / name).exists()]
    for path in (*unneeded(packages), *beside):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return before - size(environment)


def size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


if __name__ == "__main__":
    found = Path(sysconfig.get_path("purelib"))
    whole = Path(sys.prefix)
    if found.parents[2] != whole:
        sys.exit("This is no environment of its own.")
    freed = slim(whole, found)
    print(f"{whole}: {freed / 1e6:,.0f} MB removed, {size(whole) / 1e6:,.0f} MB left.")
