"""What of Chunkscope is installed: versions, the folder of the app, and the packages of its extras."""

from __future__ import annotations

import importlib
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from chunking import __version__
from chunking.errors import ChunkscopeError

_BESIDE = Path(__file__).resolve().parent.parent
_INSTALLED = _BESIDE / "chunkscope"


def versions() -> dict[str, str]:
    """Return the versions that results depend on, by name."""
    return {"Chunkscope": __version__, "Python": platform.python_version(), "NumPy": metadata.version("numpy")}


def app_folder() -> Path:
    """Return the folder of ``app.py`` and the samples: that of the checkout, or ``chunkscope`` once installed."""
    return _INSTALLED if (_INSTALLED / "app.py").is_file() else _BESIDE


def install_command(extra: str) -> str:
    """Return the command that installs an extra of Chunkscope: ``pip install "chunkscope[peers]"``."""
    # Not whether the app lies beside: a cluster copies the library alone.
    return (
        f'pip install -e ".[{extra}]"'
        if (_BESIDE / "pyproject.toml").is_file()
        else f'pip install "chunkscope[{extra}]"'
    )


def optional(module: str, extra: str, purpose: str) -> Any:
    """Import a module of a package that comes with an extra of Chunkscope.

    Args:
        module: the name of the module.
        extra: the extra that has the package.
        purpose: what needs it, as the subject of a sentence.

    Raises:
        ChunkscopeError: the package, or one that it needs, is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ChunkscopeError(
            f"{purpose} needs {error.name}, which is not installed.", f"Install it: {install_command(extra)}."
        ) from error
