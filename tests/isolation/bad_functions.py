"""Functions that break in every way, to be run in a process of their own in tests."""

from __future__ import annotations

import ctypes
import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.isolation import TooMuch
from chunking.runtime.progress import Progress


def good(data: bytes, name: str, progress: Progress) -> bytes:
    progress(1, 2)
    progress(2, 2)
    return f"{name} {data.decode()}".encode()


def echo(data: bytes) -> bytes:
    return data


def returns_text(data: bytes) -> bytes:
    return "text"  # type: ignore[return-value]


def chatty(data: bytes) -> bytes:
    print("from Python")
    os.write(1, b"from a library in C")
    return data


def refuses(data: bytes) -> bytes:
    raise ChunkscopeError("It has no text.", "Scan it again.")


def raises(data: bytes) -> bytes:
    raise KeyError("a key with a secret")


def exits(data: bytes) -> bytes:
    sys.exit(3)


def dies(data: bytes) -> bytes:
    os._exit(7)


def crashes(data: bytes) -> bytes:
    ctypes.string_at(0)
    raise AssertionError


def killed(data: bytes) -> bytes:
    signal.raise_signal(signal.SIGKILL)
    raise AssertionError


def burns(data: bytes) -> bytes:
    while True:
        pass


def hangs(data: bytes) -> bytes:
    while True:
        time.sleep(60)


def grows(data: bytes) -> bytes:
    hoard = []
    while True:
        hoard.append(bytearray(2**24))


def recurses(data: bytes) -> bytes:
    return recurses(data)


def floods(data: bytes) -> bytes:
    out = _pipe()
    while True:
        os.write(out, b"P" + (16).to_bytes(8, "big") + bytes(16))


def reports_too_much(data: bytes) -> bytes:
    """Small reports, each of which is within any limit, and then the result."""
    out = _pipe()
    for number in range(1000):
        os.write(out, b"P" + (16).to_bytes(8, "big") + number.to_bytes(8, "big") + (1000).to_bytes(8, "big"))
    return data


def lies(data: bytes) -> bytes:
    os.write(_pipe(), b"R" + (2**50).to_bytes(8, "big"))
    return b""


def talks_too_much(data: bytes) -> bytes:
    raise TooMuch("text")


def babbles(data: bytes) -> bytes:
    os.write(_pipe(), bytes(range(256)) * 4)
    os._exit(0)


def goes_silent(data: bytes) -> bytes:
    os.close(_pipe())
    while True:
        time.sleep(60)


def is_half(data: bytes) -> bytes:
    os.write(_pipe(), b"R" + (100).to_bytes(8, "big") + b"half")
    os._exit(0)


def wants_more(data: bytes) -> bytes:
    """What is let through of what no parser may do, as JSON."""
    here = Path(__file__)
    wishes: dict[str, Callable[[], object]] = {
        "a socket": socket.socket,
        "an address": lambda: socket.getaddrinfo("localhost", 80),
        "a program": lambda: subprocess.run(["true"], check=True),
        "a shell": lambda: os.system("true"),
        "a fork": _fork,
        "an exec": lambda: os.execv("/bin/true", ["true"]),
        "a spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "a terminal": lambda: pty.spawn(["true"]),
        "a kill": lambda: os.kill(os.getppid(), 0),
        "writing": lambda: here.with_suffix(".made").write_text("x"),
        "appending": lambda: here.open("a"),
        "descriptors": lambda: os.open(here, os.O_RDWR),
        "removing": lambda: here.with_suffix(".made").unlink(),
        "a folder": lambda: here.with_suffix(".made").mkdir(),
        "removing a folder": lambda: here.with_suffix(".made").rmdir(),
        "renaming": lambda: here.with_suffix(".made").rename(here.with_suffix(".too")),
        "a link": lambda: os.link(here.with_suffix(".made"), here.with_suffix(".too")),
        "a symbolic link": lambda: os.symlink(here, here.with_suffix(".too")),
        "cutting short": lambda: os.truncate(here.with_suffix(".made"), 0),
        "rights": lambda: here.with_suffix(".made").chmod(0o777),
        "an owner": lambda: os.chown(here.with_suffix(".made"), os.getuid(), os.getgid()),
        "copying": lambda: shutil.copyfile(here.with_suffix(".made"), here.with_suffix(".too")),
        "a temporary file": lambda: tempfile.mkstemp(dir=here.parent),
        "reading": lambda: Path("/etc/passwd").read_text(),
        "reading by a way round": lambda: Path(sys.prefix, *[".."] * 20, "etc", "passwd").read_text(),
    }
    granted = []
    for name, wish in wishes.items():
        try:
            wish()
        except PermissionError:
            continue
        granted.append(name)
    return json.dumps(granted).encode()


def state(data: bytes) -> bytes:
    """What a parser finds about itself."""
    import resource

    return json.dumps(
        {
            "environment": dict(os.environ),
            "nice": os.nice(0),
            "leads": os.getsid(0) == os.getpid(),
            "core": resource.getrlimit(resource.RLIMIT_CORE),
            "files": resource.getrlimit(resource.RLIMIT_FSIZE),
            "processes": resource.getrlimit(resource.RLIMIT_NPROC),
            "descriptors": resource.getrlimit(resource.RLIMIT_NOFILE),
            "imports": sorted(sys.modules),
        }
    ).encode()


def imports_late(data: bytes) -> bytes:
    import colorsys  # of the standard library, and used by nothing else here

    return repr(colorsys.rgb_to_hsv(0, 0, 0)).encode()


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def gives_up(data: bytes) -> bytes:
    """As a library in C++ or Rust that gets no memory."""
    hoard = []
    try:
        while True:
            hoard.append(b"x" * 2**20)
    except MemoryError:
        os.abort()


def follows_null(data: bytes) -> bytes:
    """As a library in C that gets no memory and does not notice."""
    hoard = []
    try:
        while True:
            hoard.append(b"x" * 2**20)
    except MemoryError:
        ctypes.string_at(0)
    raise AssertionError


def fills(data: bytes) -> bytes:
    """Leave no room at all, not even for a message."""
    hoard: Any = None
    for size in (2**20, *range(512, 0, -16)):
        with suppress(MemoryError):
            while True:
                hoard = (hoard, b"x" * size)
    raise MemoryError


def sizes(data: bytes) -> bytes:
    """What a process finds about its memory, as JSON: in use, and what it may still take."""
    from chunking.runtime import processes

    return json.dumps([processes.resident_memory(), processes.available_memory()]).encode()


def never_ends(data: bytes) -> bytes:
    """As a pattern that takes exponential time: it holds the interpreter, and no signal handler of Python runs."""
    re.fullmatch(r"(a|a)*b", "a" * 64)
    raise AssertionError


def _pipe() -> int:
    """The descriptor of the pipe or socket to the caller: the copy that the child made."""
    return next(number for number in reversed(range(3, 32)) if _is_pipe(number))


def _is_pipe(number: int) -> bool:
    try:
        return os.readlink(f"/proc/self/fd/{number}").startswith(("pipe:", "socket:"))
    except OSError:
        return False
