"""The former name of :mod:`chunking.store`."""

import warnings

from chunking.store import *  # noqa: F403
from chunking.store import DocumentSettings as DocumentSettings

__all__ = ["DocumentSettings"]

warnings.warn("chunking.library was renamed: import chunking.store.", FutureWarning, stacklevel=2)
