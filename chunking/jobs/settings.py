"""Where the heavy work of a server is done: in its threads, in processes of this machine, or in a cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from chunking.errors import ChunkscopeError
from chunking.isolation.workers import USUAL_LIMITS, TaskLimits
from chunking.runtime import processes
from chunking.runtime.environment import whole_number

WORKERS = "CHUNKSCOPE_WORKERS"
"""The environment variable of the number of workers."""

ADDRESS = "CHUNKSCOPE_WORK_ADDRESS"
"""The environment variable of the address of a Ray cluster."""

CPU = "CHUNKSCOPE_WORKER_CPU_SECONDS"
"""The environment variable of the processor time that a task may use from one report of its progress to the next."""

MEMORY = "CHUNKSCOPE_WORKER_MEMORY"
"""The environment variable of the memory of a task, in MiB."""

_MOST = 1024
_MOST_OF_A_LIMIT = 10_000_000


@dataclass(frozen=True)
class WorkSettings:
    """Where heavy work is done.

    Attributes:
        workers: jobs of a queue that are done at a time, each in a worker; 0: one, in a thread of the server.
        address: of a Ray cluster, as ``ray.init`` takes it; empty for processes of this machine.
        limits: of a task in a process of this machine.
    """

    workers: int
    address: str = ""
    limits: TaskLimits = USUAL_LIMITS

    @property
    def slots(self) -> int:
        """Jobs of a queue that are done at a time."""
        return max(1, self.workers)

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ) -> WorkSettings:
        """Return the settings of the environment; by default a worker for each core but one, and one at least.

        Raises:
            ChunkscopeError: a number is none, or a cluster is to be used without any workers.
        """
        address = environment.get(ADDRESS, "").strip()
        workers = whole_number(WORKERS, 0, _MOST, environment)
        if workers is None:
            workers = max(1, processes.cores() - 1)
        if address and not workers:
            raise ChunkscopeError(f"{ADDRESS} is set, but {WORKERS} is 0.", f"Set {WORKERS} to 1 or more.")
        cpu = whole_number(CPU, 1, _MOST_OF_A_LIMIT, environment) or USUAL_LIMITS.cpu
        memory = whole_number(MEMORY, 1, _MOST_OF_A_LIMIT, environment) or USUAL_LIMITS.memory >> 20
        return cls(workers, address, TaskLimits(cpu, memory << 20))
