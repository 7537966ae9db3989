"""Files of any file system that Arrow or fsspec reaches by an address such as ``s3://bucket/folder``.

What :mod:`chunking.batch.storage.storage` does with paths is done here with addresses. Arrow's own file systems come
first (S3, Google Cloud Storage, Azure, HDFS); the rest are opened by fsspec, whose packages are installed one by one.
Rights come from the environment, as each file system's documentation says.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
import uuid
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO, Any, cast

from chunking.installation import optional
from chunking.runtime.atomic import UNFINISHED
from chunking.runtime.patterns import compile_pattern

_PURPOSE = "An address of another file system"

_ADDRESS = compile_pattern(r"(?P<scheme>[a-z][a-z0-9+.-]+):/+(?P<rest>.*)", re.DOTALL)
"""Of a scheme with two letters at least, since a drive of Windows has one; :class:`pathlib.Path` leaves one slash."""


def is_address(path: str) -> bool:
    """Return whether a path, as text or once a :class:`pathlib.Path`, is an address."""
    return _ADDRESS.fullmatch(path) is not None


def opened(path: str) -> IO[bytes]:
    """Return a file to read from, at any place of it.

    Raises:
        OSError: it is not there, or cannot be read.
    """
    system, inner = _resolve(path)
    return cast("IO[bytes]", io.BufferedReader(system.open_input_file(inner)))


def is_file(path: str) -> bool:
    """Return whether there is a file.

    Raises:
        OSError: the file system cannot be reached.
    """
    system, inner = _resolve(path)
    return bool(system.get_file_info(inner).is_file)


@contextlib.contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """Yield a file to write to, which takes its place when all of it is written and never before.

    Raises:
        OSError: it cannot be written.
    """
    system, inner = _resolve(path)
    growing = f"{inner}.{uuid.uuid4().hex}{UNFINISHED}"
    try:
        system.create_dir(str(PurePosixPath(inner).parent), recursive=True)
        with system.open_output_stream(growing) as file:
            yield file
        system.move(growing, inner)
    finally:
        with contextlib.suppress(OSError):
            system.delete_file(growing)


def below(folder: str, recursive: bool = False) -> list[str]:
    """Return the files of a folder, as addresses, in order; an empty list where it does not exist.

    Raises:
        OSError: the file system cannot be reached.
    """
    system, inner = _resolve(folder)
    select = optional("pyarrow.fs", "evaluation", _PURPOSE).FileSelector(
        inner, allow_not_found=True, recursive=recursive
    )
    cut = len(inner.rstrip("/")) + 1
    paths = [info.path[cut:] for info in system.get_file_info(select) if info.is_file]
    return [f"{folder.rstrip('/')}/{name}" for name in sorted(paths)]


def delete(path: str) -> None:
    """Take a file away.

    Raises:
        OSError: it is not there, or cannot be taken away.
    """
    system, inner = _resolve(path)
    system.delete_file(inner)


def _resolve(path: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it.

    Raises:
        OSError: no file system has such addresses, or its package is not installed.
    """
    parts = _ADDRESS.fullmatch(path)
    if parts is None:
        raise FileNotFoundError(f"{path} is no address.")
    scheme, rest = parts["scheme"], parts["rest"]
    first, _, inner = rest.partition("/")
    system, base = _system(f"{scheme}:///" if scheme == "file" else f"{scheme}://{first}")
    return system, f"{base.rstrip('/')}/{rest if scheme == 'file' else inner}".rstrip("/")


@functools.lru_cache(maxsize=8)
def _system(root: str) -> tuple[Any, str]:
    fs, arrow = (optional(name, "evaluation", _PURPOSE) for name in ("pyarrow.fs", "pyarrow"))
    try:
        return cast("tuple[Any, str]", fs.FileSystem.from_uri(root))
    except arrow.ArrowInvalid as first:
        try:
            return cast("tuple[Any, str]", fs.FileSystem.from_uri(f"fsspec+{root}"))
        except (ImportError, ValueError) as error:
            raise OSError(f"no file system for {root}: {error}") from first
