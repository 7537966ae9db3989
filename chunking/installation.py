"""What of Chunkscope is installed: the folder of the app, and the extras of the package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chunking.errors import ChunkscopeError


def app_folder() -> Path:
    """Return the folder of ``app.py`` and the samples: that of the checkout, or ``chunkscope`` once installed."""
    beside = Path(__file__).resolve().parent.parent
    installed = beside / "chunkscope"
    return installed if (installed / "app.py").is_file() else beside


def install_line(extra: str) -> str:
    """Return the sentence that says how to install an extra."""
    return f"Install it: pip install 'chunkscope[{extra}]'."


@contextmanager
def needs(extra: str, purpose: str) -> Iterator[None]:
    """Say which extra to install where an import inside fails because a package is missing.

    Args:
        extra: the extra of Chunkscope that has the package.
        purpose: what needs it, as the subject of a sentence.

    Raises:
        ChunkscopeError: a package is not installed.

    >>> with needs("models", "The sentence splitter"):
    ...     import a_package_that_is_missing
    Traceback (most recent call last):
        ...
    chunking.errors.ChunkscopeError: The sentence splitter needs a_package_that_is_missing, which is not installed. \
Install it: pip install 'chunkscope[models]'.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ChunkscopeError(f"{purpose} needs {error.name}, which is not installed.", install_line(extra)) from error
