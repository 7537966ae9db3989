"""The former name of :mod:`chunking.store`."""

import warnings

from chunking.store import *  # noqa: F403

warnings.warn("chunking.library was renamed: import chunking.store.", FutureWarning, stacklevel=2)
