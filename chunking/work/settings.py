"""Where the heavy work of a server is done: in its threads, in processes of this machine, or in a cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from chunking.errors import ChunkscopeError
from chunking.runtime import processes

WORKERS = "CHUNKSCOPE_WORKERS"
"""The environment variable of the number of workers."""

ADDRESS = "CHUNKSCOPE_WORK_ADDRESS"
"""The environment variable of the address of a Ray cluster."""

_MOST = 1024


@dataclass(frozen=True)
class WorkSettings:
    """Where heavy work is done.

    Attributes:
        workers: jobs of a queue that are done at a time, each in a worker; 0: one, in a thread of the server.
        address: of a Ray cluster, as ``ray.init`` takes it; empty for processes of this machine.
    """

    workers: int
    address: str = ""

    @property
    def slots(self) -> int:
        """Jobs of a queue that are done at a time."""
        return max(1, self.workers)

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ) -> WorkSettings:
        """Return the settings of the environment; by default a worker for each core but one, and one at least.

        Raises:
            ChunkscopeError: the number of workers is none, or a cluster is to be used without any.
        """
        address = environment.get(ADDRESS, "").strip()
        text = environment.get(WORKERS, "").strip()
        if not text:
            return cls(max(1, processes.cores() - 1), address)
        if not (text.isascii() and text.isdigit() and int(text) <= _MOST):
            raise ChunkscopeError(f"{WORKERS} is {text!r:.40}.", f"Set it to a whole number from 0 to {_MOST}.")
        if address and not int(text):
            raise ChunkscopeError(f"{ADDRESS} is set, but {WORKERS} is 0.", f"Set {WORKERS} to 1 or more.")
        return cls(int(text), address)
